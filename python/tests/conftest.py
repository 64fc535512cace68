"""What the tests share: small public domains, and private tables that are as bad as can be."""

from __future__ import annotations

import functools
import importlib.metadata
import importlib.util
import os
import re
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


SAID: list[str] = []
"""Every sentence of a refusal, a warning and a promise that the package made, since it was last emptied."""
COMMANDS = "sample|plan|compare|check|advise|tune|verify|estimate|amplify|ledger|domain|candidates|reference|generate|law|risk"


def record(kind: type, method: str, sentences) -> None:
    """Records the sentences of each object that is made, of the parameters that it is made of."""
    made = getattr(kind, method)

    @functools.wraps(made)
    def recording(*parts, **named):
        found = made(*parts, **named)
        SAID.extend(sentences(*parts[1:]))
        return found

    setattr(kind, method, staticmethod(recording) if method == "__new__" else recording)


def said_of_a_release(_table, _certificate, report, *_more) -> list[str]:
    lists = ("notes", "represents", "promised", "not_promised")
    return [report["why"], *(sentence for name in lists for sentence in report[name])]


record(mo.InvalidInput, "__init__", lambda *parts: [part for part in parts if isinstance(part, str)])
record(mo.Message, "__new__", lambda text, *_more: [text])
record(mo.Release, "__init__", said_of_a_release)


def words_of_the_command(sentence: str) -> list[str]:
    """The flags and commands that a sentence names itself; what it quotes is public input, and formats have numbers."""
    own = re.sub(r""""[^"]*"|(?<!\w)'[^']*'(?!\w)|/\S+""", "", sentence)
    return re.findall(rf"(?<![\w-])--[a-z][\w-]*|\bmollify (?:{COMMANDS})\b(?! \d)", own)


@pytest.fixture(autouse=True)
def no_words_of_the_command(request):
    """Sentences in Python have Python's words, in every test that is not marked as being about the command."""
    SAID.clear()
    yield
    wrong = {sentence: found for sentence in SAID if (found := words_of_the_command(sentence))}
    if not request.node.get_closest_marker("command"):
        assert not wrong, "\n".join(f"{found} in: {sentence}" for sentence, found in wrong.items())


@pytest.fixture(scope="session")
def schools() -> Path:
    """The folder of the real tables."""
    return ROOT / "data"


@pytest.fixture
def domain() -> mo.Domain:
    return mo.Domain(
        {
            "sex": mo.categorical(["female", "male"], null="female"),
            "minority": mo.boolean(null=False),
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
