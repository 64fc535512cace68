#!/usr/bin/env bash
# syntheval 1.6.2 installs pandas 3 and raises for its texts. pandas 3 reads a column of words as `str`,
# and SynthEval(frame) asks NumPy whether that type is a number: TypeError, "Cannot interpret '<StringDtype
# ...>' as a data type". The same frame with its words as objects works. The real table alone is enough.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check syntheval==1.6.2 pandas==3.0.6
"$folder/venv/bin/python" - <<'PYTHON'
from importlib.metadata import version

import pandas as pd
from syntheval import SynthEval

print("syntheval", version("syntheval"), "pandas", pd.__version__)
frame = pd.DataFrame({"sex": ["f", "m"] * 50, "age": range(100)})


def outcome(real):
    try:
        SynthEval(real, verbose=False)
    except TypeError as error:
        return str(error)
    return "works"


found = {str(kind): outcome(frame.astype({"sex": kind})) for kind in ("str", object)}
print(found)
assert found["<class 'object'>"] == "works"
assert found["str"].startswith("Cannot interpret '<StringDtype(") and found["str"].endswith("as a data type")
PYTHON
