#!/usr/bin/env bash
# opendp 0.16.0: a contingency table by MST is refused for most privacy budgets, although its query is given all of the
# budget. MST divides the part for choices by the number of columns less one. The sum of these parts, rounded upward, is a
# last digit above the part, and the error says "insufficient budget for query". Ten columns at rho = 0.1 are refused,
# and four columns at the same rho are released. A slightly smaller rho may do.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'opendp[mbi]==0.16.0'
"$folder/venv/bin/python" - <<'PYTHON' 2>&1 | grep -v "rho should be"
from importlib.metadata import version

import numpy as np
import opendp.prelude as dp
import polars as pl

dp.enable_features("contrib")
print("opendp", version("opendp"), "mbi", version("mbi"))


def outcome(columns):
    frame = pl.DataFrame({f"c{i}": np.arange(200) % (i + 2) % 2 for i in range(columns)})
    context = dp.Context.compositor(
        data=frame.lazy(), privacy_unit=dp.unit_of(contributions=1), privacy_loss=dp.loss_of(rho=0.1), split_evenly_over=1
    )
    try:
        context.query().contingency_table(keys={name: [0, 1] for name in frame.columns}, algorithm=dp.mbi.MST()).release()
    except dp.OpenDPException as error:
        return next(line.strip() for line in str(error).splitlines() if "budget" in line)
    return "released"


found = {columns: outcome(columns) for columns in (4, 10)}
for columns, what in found.items():
    print(columns, "columns:", what)
assert found[4] == "released"
assert "insufficient budget for query" in found[10]
PYTHON
