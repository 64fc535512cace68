#!/usr/bin/env bash
# pyreadstat 1.3.7's write_sav cuts labels of codes after 120 bytes without an error or a warning, so that two
# codes can get one label. A name that is too long is refused. Its write_dta keeps both labels. A file of SPSS
# holds 120 bytes, so an error that names the label would be right.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check pyreadstat==1.3.7 pandas==3.1.1 numpy==2.4.6
cd "$folder"
"$folder/venv/bin/python" - <<'PYTHON'
import warnings

import pandas
import pyreadstat

print("pyreadstat", pyreadstat.__version__, "pandas", pandas.__version__)
warnings.simplefilter("error")
question = "How often did you talk with a doctor, a nurse, or another person who gives care about your health during the last year: "
labels = {1: question + "never", 2: question + "weekly"}
assert len(question) == 120

pyreadstat.write_sav(pandas.DataFrame({"x": [1.0, 2.0]}), "it.sav", variable_value_labels={"x": {float(code): label for code, label in labels.items()}})
of_spss = pyreadstat.read_sav("it.sav")[1].variable_value_labels["x"]
pyreadstat.write_dta(pandas.DataFrame({"x": [1, 2]}), "it.dta", variable_value_labels={"x": labels})
of_stata = pyreadstat.read_dta("it.dta")[1].variable_value_labels["x"]
print("different labels:", len(set(of_spss.values())), "in .sav,", len(set(of_stata.values())), "in .dta")
assert of_spss == {1.0: question.rstrip(), 2.0: question.rstrip()} and of_stata == labels
try:
    pyreadstat.write_sav(pandas.DataFrame({"x" * 65: [1.0]}), "it.sav")
except Exception as error:
    print("a name of 65 letters:", error)
else:
    raise AssertionError("a name of 65 letters was written")
PYTHON
