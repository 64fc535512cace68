#!/usr/bin/env bash
# DuckDB 2.0.0 hands UHUGEINT, an unsigned integer of 128 bits, over to Arrow as a signed
# decimal128(38, 0). From 2^127 on the numbers come out negative: the greatest UHUGEINT is -1 in
# pyarrow and in Polars, and DuckDB itself reads -1 back. A HUGEINT of 39 digits keeps its value, but
# breaks the declared precision, and pyarrow's full validation refuses it. No step warns.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check duckdb==2.0.0 pyarrow==26.0.1 polars==2.1.0
"$folder/venv/bin/python" - <<'PYTHON'
import duckdb
import polars
import pyarrow

print("duckdb", duckdb.__version__, "pyarrow", pyarrow.__version__, "polars", polars.__version__)
connection = duckdb.connect()
unsigned = connection.sql(f"select {2**128 - 1}::uhugeint as x")
assert unsigned.fetchall() == [(2**128 - 1,)]
table = pyarrow.table(unsigned)
found = table.schema.field("x").type, int(table["x"][0].as_py())
print("UHUGEINT", 2**128 - 1, "in Arrow:", *found)
assert found == (pyarrow.decimal128(38, 0), -1)
assert int(unsigned.pl()["x"][0]) == -1
assert int(duckdb.from_arrow(table).fetchall()[0][0]) == -1
table = pyarrow.table(connection.sql(f"select {2**127 - 1}::hugeint as x"))
assert int(table["x"][0].as_py()) == 2**127 - 1
try:
    table.validate(full=True)
except pyarrow.ArrowInvalid as error:
    print("HUGEINT:", error)
else:
    raise SystemExit("pyarrow accepts a HUGEINT of 39 digits as decimal128(38, 0)")
PYTHON
