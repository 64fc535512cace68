#!/usr/bin/env bash
# One infinite timestamp of DuckDB 2.0.0 has three values in Python, and none is infinite. fetchall
# gives the last microsecond of the year 9999, and df gives a time in the year 294247. Arrow gives the
# greatest integer of 64 bits. So a filter for "no end date" finds an ordinary day, and two ways of
# reading one table disagree.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check duckdb==2.0.0 pyarrow==26.0.1 pandas==3.1.1 numpy==2.4.6
"$folder/venv/bin/python" - <<'PYTHON'
import duckdb
import pandas
import pyarrow

print("duckdb", duckdb.__version__, "pandas", pandas.__version__, "pyarrow", pyarrow.__version__)
relation = duckdb.connect().sql("select 'infinity'::timestamp as x")
by_row = relation.fetchall()[0][0]
by_frame = relation.df()["x"][0]
by_arrow = pyarrow.table(relation)["x"].cast(pyarrow.int64())[0].as_py()
print("fetchall:", by_row, "- df:", by_frame, "- Arrow:", by_arrow)
assert str(by_row) == "9999-12-31 23:59:59.999999"
assert by_frame.year == 294247
assert by_arrow == 2**63 - 1
PYTHON
