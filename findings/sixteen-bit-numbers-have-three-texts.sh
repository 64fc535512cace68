#!/usr/bin/env bash
# The 16-bit number that is nearest to 0.1 has three texts: pandas 3.1.1 writes 0.1 into a CSV file,
# Polars 2.1.0 writes 0.099975586, and pyarrow 26.0.1 writes 0.0999755859375. All three write 0.1 for
# the 32-bit number that is nearest to 0.1. So a table with 16-bit numbers gives other values, and
# other groups, after each library's CSV file.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check pandas==3.1.1 polars==2.1.0 pyarrow==26.0.1 numpy==2.4.6
"$folder/venv/bin/python" - <<'PYTHON'
import io

import numpy
import pandas
import polars
import pyarrow
import pyarrow.csv

print("pandas", pandas.__version__, "polars", polars.__version__, "pyarrow", pyarrow.__version__)


def texts(kind):
    column = numpy.array([0.1], kind)
    file = io.BytesIO()
    pyarrow.csv.write_csv(pyarrow.table({"x": column}), file)
    written = (
        pandas.DataFrame({"x": column}).to_csv(index=False),
        polars.DataFrame({"x": column}).write_csv(),
        file.getvalue().decode(),
    )
    return [one.split("\n")[1] for one in written]


for kind, expected in (
    (numpy.float32, ["0.1", "0.1", "0.1"]),
    (numpy.float16, ["0.1", "0.099975586", "0.0999755859375"]),
):
    found = texts(kind)
    print(kind.__name__, found)
    assert found == expected
PYTHON
