#!/usr/bin/env bash
# PySpark's documents describe spark.pyspark.python as the Python of driver and executors, and let PYSPARK_PYTHON be
# only its default. A program that sets it on SparkSession.builder reads it back from the session, but the workers run
# the `python3` of the path: a package of the program's environment is missing there, in the middle of a job. What
# decides is the environment variable PYSPARK_PYTHON, set before the session starts. Status 0 while this is so.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/driver"
"$folder/driver/bin/pip" install --quiet --disable-pip-version-check pyspark==4.3.0
cat >"$folder/program.py" <<'PYTHON'
import sys

import pyspark
from pyspark.sql import SparkSession

session = (
    SparkSession.builder.master("local[1]")
    .config("spark.ui.enabled", "false")
    .config("spark.pyspark.python", sys.executable)
    .getOrCreate()
)
worker = session.sparkContext.parallelize([0], 1).map(lambda _: sys.executable).first()
print("pyspark", pyspark.__version__)
print("the session's spark.pyspark.python is the driver's:", session.conf.get("spark.pyspark.python") == sys.executable)
print("the worker runs the driver's Python:", worker == sys.executable)
PYTHON
echo 'with the setting alone'
env -u PYSPARK_PYTHON "$folder/driver/bin/python" "$folder/program.py" 2>"$folder/log" | tee "$folder/said"
echo 'with the environment variable, too'
PYSPARK_PYTHON=$folder/driver/bin/python "$folder/driver/bin/python" "$folder/program.py" 2>"$folder/log" |
  tee -a "$folder/said"
diff - <(grep "the worker" "$folder/said") <<'TEXT'
the worker runs the driver's Python: False
the worker runs the driver's Python: True
TEXT
[[ $(grep -c "the driver's: True" "$folder/said") == 2 ]]
