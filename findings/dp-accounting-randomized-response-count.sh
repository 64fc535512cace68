#!/usr/bin/env bash
# dp-accounting 0.6.0: PLDAccountant ignores how often randomized response is composed, whether the
# count is the second argument of compose or is inside a SelfComposedDpEvent. Three reports at epsilon
# 1.5 are stated as epsilon 1.5 in total. The same three reports, composed one by one, are stated as
# epsilon 4.5, and RdpAccountant multiplies by the count in both forms. So the accountant states a
# third of the privacy loss, without an error.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check dp-accounting==0.6.0 numpy==2.4.6
"$folder/venv/bin/python" - <<'PYTHON'
import importlib.metadata
import math
import sys

from dp_accounting import NeighboringRelation, dp_event
from dp_accounting.pld import PLDAccountant
from dp_accounting.rdp import RdpAccountant

report = dp_event.RandomizedResponseDpEvent(2 / (1 + math.exp(1.5)), 2)  # epsilon 1.5
print("dp-accounting", importlib.metadata.version("dp-accounting"))


def total(accountant, *composed):
    made = accountant(neighboring_relation=NeighboringRelation.REPLACE_ONE)
    for one in composed:
        made.compose(*one)
    return made.get_epsilon(1e-9)


found = {
    "PLD, one by one": total(PLDAccountant, (report,), (report,), (report,)),
    "PLD, count 3": total(PLDAccountant, (report, 3)),
    "PLD, SelfComposedDpEvent": total(PLDAccountant, (dp_event.SelfComposedDpEvent(report, 3),)),
    "RDP, SelfComposedDpEvent": total(RdpAccountant, (dp_event.SelfComposedDpEvent(report, 3),)),
}
for name, epsilon in found.items():
    print(f"{name}: epsilon {epsilon:.3f}")
expected = [4.5, 1.5, 1.5, 4.5]
sys.exit(any(abs(epsilon - one) > 0.05 for epsilon, one in zip(found.values(), expected)))
PYTHON
