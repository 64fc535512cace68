"""Each record is drawn once, whatever Spark computes again, and a time is on the clock that it was drawn on."""

import datetime
import os
import signal
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import mollify as mo
from conftest import SPARK_WARNINGS

pytest.importorskip("pyspark")
pyarrow = pytest.importorskip("pyarrow")
pytestmark = SPARK_WARNINGS

from mollify import spark as mollify_spark  # noqa: E402

UNITS = [str(unit) for unit in range(200)]
WORDS = ["a", "b", "c", "d", "e"]
DOMAIN = {"word": mo.categorical(WORDS)}


def rows_of(frame):
    return sorted(map(tuple, frame.collect()))


@pytest.fixture(scope="module")
def unordered(session):
    """Each word once in each unit, and rows in another order whenever they are read, as shuffled rows are."""
    words = np.tile(WORDS, len(UNITS))
    table = pyarrow.table({"unit": np.repeat(UNITS, len(WORDS)), "word": words, "one": np.ones(len(words), int)})
    frame = session.createDataFrame(table).coalesce(1)

    def reordered(batches):
        import pyarrow as pa

        rows = pa.Table.from_batches(batches)
        yield from rows.take(np.random.default_rng().permutation(rows.num_rows)).to_batches()

    return frame.mapInArrow(reordered, frame.schema)


def by_unit(choose):
    def plan(frame):
        from pyspark.sql import functions as F

        return frame.groupBy("unit").agg(choose(F).alias("word"))

    return plan


def of_ties(frame):
    from pyspark.sql import Window
    from pyspark.sql import functions as F

    numbered = frame.withColumn("place", F.row_number().over(Window.partitionBy("unit").orderBy("one")))
    return numbered.filter("place = 1")


def a_python_function(frame):
    from pyspark.sql import functions as F

    @F.udf("string")
    def other(word):
        return chr(ord("a") + (ord(word) + ord(os.urandom(1))) % 5)

    return frame.filter("word = 'a'").withColumn("word", other("word"))


def in_pandas(frame):
    def firsts(frames):
        import pandas

        yield pandas.concat(frames).drop_duplicates("unit")

    return frame.mapInPandas(firsts, frame.schema)


def in_arrow(frame):
    return frame.mapInArrow(lambda batches: (batch.slice(0, batch.num_rows // 2) for batch in batches), frame.schema)


def at_random(frame):
    from pyspark.sql import functions as F

    return frame.filter(F.rand() < 0.5)


UNREPEATABLE = {
    "first": by_unit(lambda F: F.first("word")),
    "any_value": by_unit(lambda F: F.any_value("word")),
    "max_by": by_unit(lambda F: F.max_by("word", "one")),
    "mode": by_unit(lambda F: F.mode("word")),
    "collect_list": by_unit(lambda F: F.collect_list("word")[0]),
    "row_number": of_ties,
    "python": a_python_function,
    "mapInPandas": in_pandas,
    "mapInArrow": in_arrow,
    "limit": lambda frame: frame.limit(300),
    "sample": lambda frame: frame.sample(0.3),
    "dropDuplicates": lambda frame: frame.dropDuplicates(["unit"]),
    "rand": at_random,
}


@pytest.mark.parametrize("kind", UNREPEATABLE)
def test_later_actions_give_the_same_records(session, unordered, tmp_path, kind):
    """200 units, epsilon 3: each later action gives every unit the record of the first one."""
    frame = UNREPEATABLE[kind](unordered)
    ledger = mo.Ledger(tmp_path / "budget.db")
    ledger.declare("table", epsilon=3, scope="unit=unit")
    method = mo.Local(DOMAIN, unit="unit", units=UNITS, epsilon=3)
    folder = str(tmp_path / "stored") if kind == "first" else None
    stored = {"ledger": ledger, "data_set": "table"} | ({"folder": folder} if folder else {})
    release = mollify_spark.sample(frame, method, **stored)
    first = rows_of(release.dataframe)
    assert [row[0] for row in first] == sorted(UNITS)
    session.conf.set("spark.sql.shuffle.partitions", "5")
    try:
        for later in (release.dataframe.select("*"), release.dataframe.repartition(4, "word")):
            changed = sum(one != other for one, other in zip(rows_of(later), first, strict=True))
            print(f"{kind}: {changed} of {len(first)} units have another record")
            assert changed == 0
        words = release.dataframe.groupBy("word").count().collect()
        assert sum(row["count"] for row in words) == len(UNITS)
    finally:
        session.conf.set("spark.sql.shuffle.partitions", "3")
    assert sorted(zip(*release.to_arrow().to_pydict().values())) == first
    assert ledger.balance("table").releases == 1
    # The data are really others each time: what is read twice differs.
    assert kind == "mode" or any(rows_of(frame) != rows_of(frame) for _ in range(5))


@pytest.mark.parametrize("in_folder", [False, True])
@pytest.mark.parametrize("is_listed", [False, True])
def test_an_attempt_that_dies_leaves_no_record(session, unordered, tmp_path, monkeypatch, in_folder, is_listed):
    """Each task that draws is killed once after its first rows; its data are others in the next attempt."""
    marks, killed = str(tmp_path), signal.SIGKILL

    class Dying(mollify_spark.DrawUnits):
        def __call__(self, batches):
            from pyspark import TaskContext

            for rows in super().__call__(batches):
                yield rows
                try:
                    os.close(os.open(f"{marks}/{TaskContext.get().partitionId()}", os.O_CREAT | os.O_EXCL))
                except FileExistsError:
                    continue
                os.kill(os.getpid(), killed)

    monkeypatch.setattr(mollify_spark, "DrawUnits", Dying)
    method = mo.Local(DOMAIN, unit="unit", epsilon=3, **({"units": UNITS} if is_listed else {}))
    folder = {"folder": tmp_path / "stored"} if in_folder else {}
    release = mollify_spark.sample(UNREPEATABLE["first"](unordered), method, **folder)
    assert [mark for mark in os.listdir(marks) if mark.isdigit()]
    rows = release.dataframe.collect()
    assert len(rows) == len(UNITS)
    assert [tuple(row) for row in release.dataframe.select("*").collect()] == [tuple(row) for row in rows]
    if is_listed:
        assert sorted(row[0] for row in rows) == sorted(UNITS)
    else:
        assert release.dataframe.columns == ["word"]


@pytest.mark.parametrize(
    "method",
    [
        mo.Integral(DOMAIN, epsilon=2, count=3),
        mo.Local(DOMAIN, epsilon=2, count=3, accept_error=True),
        mo.Central(DOMAIN, epsilon=2, delta=1e-7, count=20),
        mo.Marginals(DOMAIN, epsilon=1, count=50),
        mo.Gaussian(
            {"one": mo.number(-5, 5, null=-5), "two": mo.number(-5, 5, null=-5)},
            rho=40, count=2, covariance_bound=4, accept_error=True,
        ),
        mo.GaussianModel({"one": mo.number(-5, 5, null=-5), "two": mo.number(-5, 5, null=-5)}, rho=40, count=20),
    ],
    ids=lambda method: method.word,
)
def test_every_method_takes_rows_that_differ_each_time(session, method):
    """Half of 4000 rows, others in each pass: the number of rows is the number that was read."""
    from pyspark.sql import functions as F

    frame = session.range(4000).select(
        F.lit("a").alias("word"), F.randn().alias("one"), F.randn().alias("two"), F.rand().alias("at")
    )
    release = mollify_spark.sample(frame.filter("at < 0.5"), method)
    assert release.dataframe.count() == method.count
    records = release.certificate.to_dict()["facts"].get("records")
    assert (records is not None) == method.protects_rows
    assert records is None or 1700 < records < 2300, "of 4000, to 9 standard deviations"
    assert mo.verify(release.certificate, method.domain).holds


@pytest.mark.parametrize(
    "method",
    [
        mo.Central(DOMAIN, epsilon=2, delta=1e-7, count=20),
        mo.Marginals(DOMAIN, epsilon=1, count=50),
        mo.Gaussian({"one": mo.number(-5, 5, null=-5)}, rho=40, count=2, covariance_bound=4, accept_error=True),
    ],
    ids=lambda method: method.word,
)
def test_rows_that_are_not_kept_are_not_released(session, monkeypatch, tmp_path, method):
    """Where Spark loses what it keeps, rows that differ are noticed before anything is drawn."""
    from pyspark.sql import functions as F

    frame = session.range(4000, numPartitions=2).select(F.lit("a").alias("word"), F.randn().alias("one"))

    def other(batches):
        import pyarrow as pa

        for batch in batches:
            numbers = np.random.default_rng().normal(size=batch.num_rows)
            words = pa.array(np.random.default_rng().choice(WORDS, batch.num_rows))
            yield pa.record_batch([words, pa.array(numbers)], names=["word", "one"])

    frame = frame.mapInArrow(other, frame.schema)
    monkeypatch.setattr(type(frame), "persist", lambda frame: frame)
    ledger = mo.Ledger(tmp_path / "budget.db")
    ledger.declare("table", epsilon=1000, delta=1e-6, scope="row")
    with pytest.raises(RuntimeError, match="other rows than before, so nothing is released"):
        mollify_spark.sample(frame, method, ledger=ledger, data_set="table")


def test_slices_of_two_readings_are_not_added():
    def seen(*parts):
        return [np.array(part, np.int64).tobytes() for part in parts]

    rows = mollify_spark._ReadRows(None, [], 5, 7)
    one, other = (0, 2, 2, 3), (1, 2, 3, 4)
    mollify_spark._require_as_before(rows, seen(one, one, other, other))
    for wrong in (
        seen(one, one, other),  # a slice is missing
        seen(one, one, one, other, other),  # is there twice
        seen(one, one, other, (1, 2, 3, 5)),  # or is of another reading
        seen(one, one),
        seen((0, 2, 3, 3), (0, 2, 3, 3), other, other),
    ):
        with pytest.raises(RuntimeError):
            mollify_spark._require_as_before(rows, wrong)


def test_workers_that_cannot_draw_are_found_before_the_charge(session, monkeypatch, tmp_path):
    class Missing(mollify_spark.Ready):
        def __call__(self, batches):
            raise ModuleNotFoundError("No module named 'mollify'")

    monkeypatch.setattr(mollify_spark, "Ready", Missing)
    ledger = mo.Ledger(tmp_path / "budget.db")
    ledger.declare("table", epsilon=3, scope="unit=unit")
    frame = session.createDataFrame([("1", "a")], ["unit", "word"])
    with pytest.raises(mo.InvalidInput, match="No module named 'mollify'.*PYSPARK_PYTHON"):
        mollify_spark.sample(
            frame, mo.Local(DOMAIN, unit="unit", epsilon=3), ledger=ledger, data_set="table"
        )
    assert ledger.balance("table").releases == 0


def test_a_folder_is_new_and_is_written_by_workers(session, tmp_path):
    frame = session.createDataFrame([("1", "a")], ["unit", "word"])
    method = mo.Local(DOMAIN, unit="unit", units=["1", "2"], epsilon=3)
    ledger = mo.Ledger(tmp_path / "budget.db")
    ledger.declare("table", epsilon=3, scope="unit=unit")
    charged = {"ledger": ledger, "data_set": "table"}
    (tmp_path / "old").mkdir()
    (tmp_path / "file").touch()
    for folder in ("old", "file", "file/below"):
        with pytest.raises(mo.InvalidInput, match="folder must be a new folder that Spark can write"):
            mollify_spark.sample(frame, method, folder=tmp_path / folder, **charged)
    with pytest.raises(mo.InvalidInput, match="Leave folder out"):
        mollify_spark.sample(frame, mo.Integral(DOMAIN, epsilon=2), folder=tmp_path / "new")
    assert not (tmp_path / "new").exists() and ledger.balance("table").releases == 0
    release = mollify_spark.sample(frame, method, folder=tmp_path / "new", **charged)
    assert release.dataframe.inputFiles() and repr(release).startswith("Release(unit, word by ")
    assert release.to_arrow().column_names == ["unit", "word"]


def test_too_many_records_for_the_driver_are_refused(session, monkeypatch):
    monkeypatch.setattr(mollify_spark._UnitRows, "most", 5)
    frame = session.createDataFrame([("1", "a")], ["unit", "word"])
    with pytest.raises(mo.InvalidInput, match="6 records of 2 columns are too many for the driver.*Pass folder"):
        mollify_spark.sample(frame, mo.Local(DOMAIN, unit="unit", units=["1", "2", "3"], count=2, epsilon=3))


# Times.

YEAR = ("2026-01-01", "2026-12-31T23:59:59")
SKIPPED = ("2026-03-29T02:00:00", "2026-03-29T02:59:59")
REPEATED = ("2026-10-25T02:00:00", "2026-10-25T02:59:59")


@pytest.fixture
def berlin(session):
    session.conf.set("spark.sql.session.timeZone", "Europe/Berlin")
    yield session
    session.conf.unset("spark.sql.session.timeZone")


def methods_of(domain, count):
    return [
        mo.Integral(domain, epsilon=2 * count, count=count, accept_error=True),
        mo.Local(domain, epsilon=2 * count, count=count, accept_error=True),
        mo.Central(domain, epsilon=2, delta=1e-9, count=count, accept_error=True),
        mo.Marginals(domain, epsilon=1, count=count),
        mo.Local(domain, unit="unit", units=[str(unit) for unit in range(count)], epsilon=2, accept_error=True),
    ]


@pytest.mark.parametrize("hours", [YEAR, SKIPPED, REPEATED], ids=["year", "skipped", "repeated"])
def test_a_released_time_is_on_its_own_clock(berlin, tmp_path, hours):
    """Releases of 20 000 times of a year, and of nothing but the hours that summer time skips or repeats."""
    low, high = (datetime.datetime.fromisoformat(one) for one in hours)
    domain = mo.Domain({"wall": mo.datetime(*hours, bins=24, null=hours[0])})
    seconds = np.arange(low, high, (high - low) / 20_000).astype("datetime64[us]")
    table = pyarrow.table({"unit": [str(one) for one in range(len(seconds))], "wall": pyarrow.array(seconds)})
    from pyspark.sql import types

    schema = types.StructType(
        [types.StructField("unit", types.StringType()), types.StructField("wall", types.TimestampNTZType())]
    )
    frame = berlin.createDataFrame(table, schema)
    for method in methods_of(domain, 20_000 if hours == YEAR else 200):
        for folder in ({}, {"folder": tmp_path / "stored"}):
            if folder and not method._unit:
                continue
            release = mollify_spark.sample(frame, method, **folder)
            assert release.dataframe.schema["wall"].dataType.simpleString() == "timestamp_ntz"
            arrow = release.to_arrow()
            assert arrow.schema.field("wall").type == pyarrow.timestamp("us")
            collected = release.dataframe.toArrow()
            assert collected.num_rows == method.count if method._unit is None else 20_000
            key = [(name, "ascending") for name in arrow.column_names]
            assert collected.sort_by(key)["wall"].equals(arrow.sort_by(key)["wall"])
            assert all(low <= one <= high for one in arrow["wall"].to_pylist())


def test_a_private_time_is_read_from_its_own_clock(berlin):
    """At epsilon 30 for each record, the release has the table's hour, which does not exist in Berlin."""
    wall = datetime.datetime(2026, 3, 29, 2, 30)
    domain = mo.Domain({"wall": mo.datetime("2026-03-29", "2026-03-29T23:59:59", bins=24, null="2026-03-29")})
    frame = berlin.sql("select timestamp_ntz'2026-03-29 02:30:00' as wall, '1' as unit")
    for method in (mo.Integral(domain, epsilon=30), mo.Local(domain, unit="unit", units=["1"], epsilon=30)):
        released = mollify_spark.sample(frame, method).to_arrow()["wall"][0].as_py()
        assert (released.date(), released.hour) == (wall.date(), wall.hour)


def test_the_first_and_the_last_year(berlin, tmp_path):
    """Days and times from year 1 to 9999, in every kind of release and of store."""
    ends = ("0001-01-01", "9999-12-31")
    domain = mo.Domain(
        {
            "day": mo.date(*ends, bins=2, null=ends[0]),
            "wall": mo.datetime(ends[0], f"{ends[1]}T23:59:59", bins=2, null=ends[0]),
            "early": mo.datetime(ends[0], f"{ends[1]}T23:59:59", bins=2, zone="+14:00", null=ends[0]),
            "late": mo.datetime(ends[0], f"{ends[1]}T23:59:59", bins=2, zone="-12:00", null=ends[0]),
        }
    )
    # Half of the rows lie at either end: noise alone may leave one of them empty.
    days = {name: [ends[row % 2] for row in range(400)] for name in domain}
    table = pyarrow.table({"unit": [str(row) for row in range(400)], **days})
    frame = berlin.createDataFrame(table)
    berlin.conf.set("spark.sql.parquet.datetimeRebaseModeInWrite", "EXCEPTION")
    try:
        for method in methods_of(domain, 200):
            for folder in ({}, {"folder": tmp_path / "stored"}):
                if folder and not method._unit:
                    continue
                release = mollify_spark.sample(frame, method, **folder)
                collected = release.dataframe.toArrow()
                key = [(name, "ascending") for name in collected.column_names]
                arrow = release.to_arrow().sort_by(key)
                for name in domain:
                    one, other = (
                        rows[name].cast("int32" if name == "day" else "int64")
                        for rows in (collected.sort_by(key), arrow)
                    )
                    assert one.equals(other)
                assert min(arrow["day"].to_pylist()).year < 5000 < max(arrow["day"].to_pylist()).year
    finally:
        berlin.conf.unset("spark.sql.parquet.datetimeRebaseModeInWrite")


CONNECT = '''
    import sys

    from pyspark.sql import SparkSession
    from pyspark.sql import functions as F

    import mollify as mo
    from mollify import spark

    session = SparkSession.builder.remote("local[2]").getOrCreate()
    assert type(session).__module__ == "pyspark.sql.connect.session"
    session.conf.set("spark.sql.session.timeZone", "Europe/Berlin")
    session.conf.set("spark.sql.shuffle.partitions", "3")
    units = [str(unit) for unit in range(200)]
    domain = mo.Domain({
        "word": mo.categorical(["a", "b", "c"], null="a"),
        "wall": mo.datetime("2026-03-29T02:00:00", "2026-03-29T02:59:59", bins=2, null="2026-03-29T02:00:00"),
        "at": mo.datetime("2026-03-29", "2026-03-30", bins=2, zone="+01:00", null="2026-03-29"),
    })
    frame = session.range(2000).select(
        (F.col("id") % 200).cast("string").alias("unit"),
        F.element_at(F.array(F.lit("a"), F.lit("b")), (1 + F.rand() * 2).cast("int")).alias("word"),
        F.lit("2026-03-29T02:30:00").alias("wall"), F.lit(None).cast("timestamp").alias("at"),
    )
    roster = session.createDataFrame([(unit,) for unit in units], ["unit"])
    release = spark.sample(frame, mo.Local(domain, unit="unit", units=roster, epsilon=2))
    first = [tuple(row) for row in release.dataframe.collect()]
    assert len(first) == 200
    assert [tuple(row) for row in release.dataframe.select("*").collect()] == first
    assert [kind for _, kind in release.dataframe.dtypes] == ["string", "string", "timestamp_ntz", "timestamp"]
    assert all(row[-2].hour == 2 for row in first)

    words = mo.Domain({"word": mo.categorical(["a", "b", "c"], null="a")})
    numbers = mo.Domain({"one": mo.number(-5, 5, null=-5), "two": mo.number(-5, 5, null=-5)})
    halves = session.range(4000).select(
        (F.col("id") % 200).cast("string").alias("unit"), F.lit("a").alias("word"),
        F.randn().alias("one"), F.randn().alias("two"), F.rand().alias("at"),
    ).filter("at < 0.5")
    for method in (
        mo.Integral(words, epsilon=2, count=3),
        mo.Local(words, epsilon=2, count=3, accept_error=True),
        mo.Central(words, epsilon=2, delta=1e-7, count=20),
        mo.Marginals(words, epsilon=1, count=50),
        mo.Gaussian(numbers, rho=40, count=2, covariance_bound=4, accept_error=True),
        mo.GaussianModel(numbers, rho=40, count=20),
    ):
        release = spark.sample(halves, method)
        assert release.dataframe.count() == method.count, method
        records = release.certificate.to_dict()["facts"].get("records")
        assert (records is not None) == method.protects_rows and mo.verify(release.certificate, method.domain).holds

    chosen = halves.groupBy("unit").agg(F.first("word").alias("word"))
    release = spark.sample(chosen, mo.Local(words, unit="unit", units=roster, epsilon=3), folder=sys.argv[1])
    first = [tuple(row) for row in release.dataframe.collect()]
    assert len(first) == 200 and [tuple(row) for row in release.dataframe.select("*").collect()] == first
    print("all released")
'''


def in_a_process(program, *arguments, **environment):
    """Another process, because a session in this one is of one kind."""
    pytest.importorskip("grpc")
    return subprocess.run(
        [sys.executable, "-P", "-c", textwrap.dedent(program), *arguments],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        timeout=600,
    )


def test_a_connect_server_releases_alike(tmp_path):
    ended = in_a_process(CONNECT, str(tmp_path / "stored"), PYSPARK_PYTHON=sys.executable)
    assert ended.stdout.endswith("all released\n"), ended.stderr[-3000:]
