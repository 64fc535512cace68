#!/usr/bin/env bash
# opendp 0.16.0: numbers that ContingencyTable.synthesize() draws end one unit beyond the outer cuts. Of ages from 0 to 99
# with cuts at 20, 40 and 60, all up to 20 become 20 and all above 60 become 61. Incomes above the last cut of 40 000 are
# spread from 40 000 to 40 001, so the mean is a third too low. The noise plays no part in this: rho is 50. The extra
# `mbi` does not install pandas, without which synthesize() raises ModuleNotFoundError, so it is installed here.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'opendp[mbi]==0.16.0' pandas==3.0.6
"$folder/venv/bin/python" - <<'PYTHON' 2>&1 | grep -v "rho should be"
from importlib.metadata import version

import numpy as np
import opendp.prelude as dp
import polars as pl

dp.enable_features("contrib")
print("opendp", version("opendp"), "mbi", version("mbi"))
random = np.random.default_rng(1)
real = pl.DataFrame({"age": random.integers(0, 100, 20_000), "income": random.lognormal(10, 1, 20_000)})
context = dp.Context.compositor(
    data=real.lazy(), privacy_unit=dp.unit_of(contributions=1), privacy_loss=dp.loss_of(rho=50.0), split_evenly_over=1
)
cuts = {"age": [20, 40, 60], "income": [10_000.0, 20_000.0, 40_000.0]}
drawn = context.query().contingency_table(cuts=cuts, algorithm=dp.mbi.MST()).release().synthesize(rows=20_000)
for name in cuts:
    print(name, *(f"{of}: {column.min():.0f} to {column.max():.0f}, mean {column.mean():.0f};"
                  for of, column in (("real", real[name]), ("drawn", drawn[name]))))  # fmt: skip
assert set(drawn["age"]) == set(range(20, 62))
assert abs((drawn["age"] == 20).mean() - (real["age"] <= 20).mean()) < 0.01
assert abs((drawn["age"] == 61).mean() - (real["age"] > 60).mean()) < 0.01
assert 9_999 <= drawn["income"].min() and drawn["income"].max() <= 40_001
assert drawn["income"].mean() < 0.75 * real["income"].mean()
PYTHON
