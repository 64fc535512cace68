#!/usr/bin/env bash
# anonymeter 1.1.0 raises for columns of pandas' nullable integers (Int64), which are the usual type of
# integers with nulls. LinkabilityEvaluator and InferenceEvaluator raise numba's TypingError, which
# names no column. Columns of int64, boolean and category work. convert_dtypes() makes such columns.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check anonymeter==1.1.0 pandas==3.0.6 numba==0.68.1
"$folder/venv/bin/python" - <<'PYTHON'
import warnings
from importlib.metadata import version

import numpy as np
import pandas as pd
from anonymeter.evaluators import InferenceEvaluator, LinkabilityEvaluator

warnings.simplefilter("ignore")
print("anonymeter", version("anonymeter"), "pandas", pd.__version__, "numba", version("numba"))
random = np.random.default_rng(1)
plain = pd.DataFrame({
    "age": random.integers(0, 90, 900), "stars": random.integers(1, 6, 900),
    "member": random.random(900) < 0.5, "sex": random.choice(["f", "m"], 900),
})


def outcome(evaluator, frame, **asked):
    """The same dtypes in all three tables."""
    try:
        made = evaluator(ori=frame[:300], syn=frame[300:600], control=frame[600:], n_attacks=50, **asked)
        made.evaluate()
    except Exception as error:
        return type(error).__name__
    return "works"


def outcomes(frame):
    return [
        outcome(LinkabilityEvaluator, frame, aux_cols=(["age", "sex"], ["stars", "member"])),
        outcome(InferenceEvaluator, frame, aux_cols=["age", "sex", "member"], secret="stars"),
    ]


kinds = {
    "int64": {}, "boolean": {"member": "boolean"}, "category": {"sex": "category"},
    "Int64": {"age": "Int64", "stars": "Int64"},
}
found = {name: outcomes(plain.astype(kind)) for name, kind in kinds.items()}
print(found)
assert found == {name: ["TypingError" if name == "Int64" else "works"] * 2 for name in kinds}
PYTHON
