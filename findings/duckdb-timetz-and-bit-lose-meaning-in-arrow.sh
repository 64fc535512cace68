#!/usr/bin/env bash
# Two types of DuckDB 2.0.0 lose their meaning on the way to Arrow, although DuckDB marks others
# (BIGNUM, GEOMETRY) as extension types. TIMETZ becomes time64 without its offset: 10:00 at +02 and
# 10:00 at -05 arrive as one value. BIT becomes plain binary with DuckDB's inner padding: '10101' is
# 0x03 0xf5. A reader cannot notice either of them, because the Arrow type is an ordinary one.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check duckdb==2.0.0 pyarrow==26.0.1
"$folder/venv/bin/python" - <<'PYTHON'
import datetime

import duckdb
import pyarrow

print("duckdb", duckdb.__version__, "pyarrow", pyarrow.__version__)
connection = duckdb.connect()


def in_arrow(value):
    table = pyarrow.table(connection.sql(f"select {value} as x"))
    field = table.schema.field("x")
    print(value, "in DuckDB:", connection.sql(f"select {value}").fetchall()[0][0], "in Arrow:", field.type, table["x"][0].as_py())
    return field.type, field.metadata, table["x"][0].as_py()


times = [in_arrow("'10:00:00+02'::timetz"), in_arrow("'10:00:00-05'::timetz")]
assert times == [(pyarrow.time64("us"), None, datetime.time(10))] * 2
assert connection.sql("select '10:00:00+02'::timetz = '10:00:00-05'::timetz").fetchall() == [(False,)]
assert in_arrow("'10101'::bit") == (pyarrow.binary(), None, b"\x03\xf5")
metadata = pyarrow.table(connection.sql("select 1::bignum as x")).schema.field("x")
assert "opaque" in str(metadata.type), metadata
PYTHON
