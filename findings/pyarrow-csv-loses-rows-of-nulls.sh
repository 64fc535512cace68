#!/usr/bin/env bash
# pyarrow 26.0.1 writes a null of a table with one column as an empty line, and its own reader skips
# empty lines. So a table of three rows comes back with two, without a warning. DuckDB and Polars read
# all three rows of this file. pandas writes a quoted empty text in this case, which all of them keep.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check pyarrow==26.0.1 polars==2.1.0 pandas==3.1.1 numpy==2.4.6
"$folder/venv/bin/python" - <<'PYTHON'
import io

import pandas
import polars
import pyarrow
import pyarrow.csv

print("pyarrow", pyarrow.__version__, "polars", polars.__version__, "pandas", pandas.__version__)
file = io.BytesIO()
pyarrow.csv.write_csv(pyarrow.table({"x": ["a", None, "b"]}), file)
written = file.getvalue()
rows = pyarrow.csv.read_csv(io.BytesIO(written)).num_rows, polars.read_csv(written).height
print("written:", written, "rows that pyarrow and Polars read:", *rows)
assert rows == (2, 3)
kept = pandas.DataFrame({"x": ["a", None, "b"]}).to_csv(index=False).encode()
assert pyarrow.csv.read_csv(io.BytesIO(kept)).num_rows == 3
PYTHON
