"""What the tests share: small public domains, and private tables that are as bad as can be."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import sys
from pathlib import Path

import pytest

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as in mollify/reproduce/__init__.py, before NumPy is imported

import mollify as mo

ROOT = Path(__file__).parents[2]
SPARK_WARNINGS = [pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas")]
if importlib.util.find_spec("pyspark") and importlib.metadata.version("pyspark").startswith(("4.0.", "4.1.")):
    # Before 4.2 PySpark leaves what it read rows from to the garbage collector (SPARK-54247).
    unclosed = "ignore:Exception ignored in. <socket.socket:pytest.PytestUnraisableExceptionWarning"
    SPARK_WARNINGS.append(pytest.mark.filterwarnings(unclosed))


@pytest.fixture(scope="session")
def schools() -> Path:
    """The folder of the real tables."""
    return ROOT / "data"


@pytest.fixture
def domain() -> mo.Domain:
    return mo.Domain(
        {
            "sex": mo.categorical(["female", "male"]),
            "minority": mo.boolean(),
            "visits": mo.integer(0, 9, bins=2, null=0),
            "math": mo.number(-3, 25, bins=3, null="category"),
        }
    )


@pytest.fixture(scope="session")
def session():
    """Spark on two cores, in which tasks are tried again; the workers are of this environment."""
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    settings = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.memory": "1g",
        # To compile for speed, and to collect garbage beside, takes two fifths of the processor's time.
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.sql.shuffle.partitions": "3",
        "spark.speculation": "true",
        "spark.speculation.interval": "10ms",
        "spark.speculation.quantile": "0.5",
        "spark.speculation.multiplier": "1.1",
        "spark.speculation.minTaskRuntime": "0ms",
        "spark.sql.execution.arrow.maxRecordsPerBatch": "64",
    }
    # local[2, 4]: a task that fails is tried again, as on a cluster.
    builder = SparkSession.builder.master("local[2,4]").appName("mollify")
    for name, value in settings.items():
        builder = builder.config(name, value)
    made = builder.getOrCreate()
    made.sparkContext.setLogLevel("OFF")
    yield made
    made.stop()
