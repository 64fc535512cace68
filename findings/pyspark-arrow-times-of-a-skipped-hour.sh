#!/usr/bin/env bash
# A time without a zone is what a wall clock shows, in Arrow and in SQL, and Spark has the type timestamp_ntz for it.
# PySpark's createDataFrame makes instants of such Arrow columns instead, in the session's zone. So one value in the
# hour that summer time skips makes the whole table fail with ArrowInvalid, which quotes the value. The same value as a
# Python object does not fail: it is silently moved by an hour. A schema with timestamp_ntz keeps it both ways. Status
# 0 while this is so.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check pyspark==4.3.0 pyarrow==26.0.1 pandas==2.3.3 \
  numpy==2.4.6 setuptools==80.9.0
cat >"$folder/program.py" <<'PYTHON'
import datetime
import sys

import pyarrow
import pyspark
from pyspark.sql import SparkSession

session = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
session.conf.set("spark.sql.session.timeZone", "Europe/Berlin")
wall = datetime.datetime(2026, 3, 29, 2, 30)
table = pyarrow.table({"wall": pyarrow.array([wall], pyarrow.timestamp("us"))})


def shown(frame):
    return str(frame.selectExpr("cast(wall as string)").first()[0])


print("pyspark", pyspark.__version__, "pyarrow", pyarrow.__version__)
try:
    said = shown(session.createDataFrame(table))
except pyarrow.ArrowInvalid as error:
    said = f"ArrowInvalid: {str(error).splitlines()[0][:70]}"
print("arrow:", said)
print("python:", shown(session.createDataFrame([(wall,)], ["wall"])))
print("arrow, with a schema:", shown(session.createDataFrame(table, "wall timestamp_ntz")))
PYTHON
export PYSPARK_PYTHON=$folder/venv/bin/python TZ=Europe/Berlin
"$folder/venv/bin/python" "$folder/program.py" 2>"$folder/log" | tee "$folder/said"
diff - <(tail -3 "$folder/said") <<'TEXT'
arrow: ArrowInvalid: Timestamp doesn't exist in timezone 'Europe/Berlin': 2026-03-29 02:30:
python: 2026-03-29 03:30:00
arrow, with a schema: 2026-03-29 02:30:00
TEXT
