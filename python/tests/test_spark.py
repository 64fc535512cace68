"""Releases on Spark: one session on two cores, in which tasks fail, workers die and all is computed again."""

import dataclasses
import json
import math
import os
import re
import signal
import subprocess
import sys
from collections import Counter
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest

import mollify as mo
from by_word import by_word
from conftest import SPARK_WARNINGS

pytest.importorskip("pyspark")
pyarrow = pytest.importorskip("pyarrow")
pytestmark = SPARK_WARNINGS

from mollify import spark as mollify_spark  # noqa: E402

ALPHA = 1e-6


def before_the_draw(certificate):
    """All but the hash of the model."""
    return {key: value for key, value in json.loads(certificate.json).items() if key != "measured"}


def rows_of(frame):
    return sorted(map(tuple, frame.collect()), key=repr)


@pytest.fixture(scope="module")
def table():
    random = np.random.default_rng(7)
    rows = 2000
    return pyarrow.table(
        {
            "visits": random.integers(0, 10, rows),
            "sex": random.choice(["female", "male"], rows),
            "minority": random.random(rows) < 0.3,
            "unused": random.random(rows),
            "unit": random.integers(0, 60, rows),
            "math": random.normal(12, 6, rows),
        }
    )


ROSTER = [str(unit) for unit in range(70)]  # ten of them have no rows


def local(frame, domain, charged=None, **more):
    method = mo.Local(domain, unit="unit", epsilon=2, **more)
    return mollify_spark.sample(frame, method, **charged or {})


def test_a_release_is_what_it_is_without_spark(session, domain, table):
    frame = session.createDataFrame(table)
    release = local(frame, domain, units=ROSTER, count=2)
    native = mo.Local(domain, unit="unit", epsilon=2, units=ROSTER, count=2).sample(table)
    assert release.certificate == native.certificate
    assert mo.verify(release.certificate, domain).holds
    assert release.guarantee == native.guarantee and release.mechanism == native.mechanism
    assert release.dataframe.columns == native.columns
    released = rows_of(release.dataframe)
    assert [row[0] for row in released] == sorted(ROSTER * 2, key=lambda unit: repr((unit,)))
    assert set(released) <= {
        (unit, sex, minority, visits, math)
        for unit, sex, minority, visits, math in released
        if sex in ("female", "male") and isinstance(minority, bool) and 0 <= visits <= 9
    }
    # Spark's native types are those of the domain.
    assert dict(release.dataframe.dtypes) == {
        "unit": "string",
        "sex": "string",
        "minority": "boolean",
        "visits": "bigint",
        "math": "double",
    }


def test_every_evaluation_has_the_same_rows(session, domain, table):
    frame = session.createDataFrame(table)
    one, other = local(frame, domain, units=ROSTER), local(frame, domain, units=ROSTER)
    first = rows_of(one.dataframe)
    assert len(first) == 70
    assert one.dataframe.count() == 70
    for partitions in ("1", "7"):
        session.conf.set("spark.sql.shuffle.partitions", partitions)
        session.conf.set("spark.sql.adaptive.enabled", partitions == "1")
        assert rows_of(one.dataframe.select("*")) == first
    session.conf.set("spark.sql.shuffle.partitions", "3")
    session.conf.unset("spark.sql.adaptive.enabled")
    assert rows_of(other.dataframe) != first, "another release has another key"


def test_tasks_that_fail_and_workers_that_die_change_nothing(
    session, domain, table, tmp_path, monkeypatch
):
    """The source fails when it is first read, and each task that draws is killed once."""
    marks = str(tmp_path)
    killed = signal.SIGKILL

    def first_time(what):
        try:
            os.close(os.open(f"{marks}/{what}", os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return False
        return True

    def flaky(batches):
        from pyspark import TaskContext

        part = TaskContext.get().partitionId()
        for number, batch in enumerate(batches):
            yield batch
            if number == 1 and first_time(f"read {part}"):
                raise OSError("the source is not there")

    class Dying(mollify_spark.DrawUnits):
        def __call__(self, batches):
            from pyspark import TaskContext

            part = TaskContext.get().partitionId()
            for number, rows in enumerate(super().__call__(batches)):
                yield rows
                if number == 0 and first_time(f"draw {part}"):
                    os.kill(os.getpid(), killed)

    frame = session.createDataFrame(table)
    schema = frame.schema
    monkeypatch.setattr(mollify_spark, "DrawUnits", Dying)
    release = local(frame.repartition(2, "unused").mapInArrow(flaky, schema), domain, units=ROSTER)
    rows = rows_of(release.dataframe)
    done = sorted(os.listdir(marks))
    assert [mark for mark in done if mark.startswith("read")] == ["read 0", "read 1"]
    assert [mark for mark in done if mark.startswith("draw")]
    assert [row[0] for row in rows] == sorted(ROSTER, key=lambda unit: repr((unit,)))
    assert rows_of(release.dataframe.select("*")) == rows, "now that nothing fails"


def test_units_that_nobody_lists_are_released_without_their_order(session, domain, table):
    frame = session.createDataFrame(table)
    release = local(frame, domain)
    rows = [tuple(row) for row in release.dataframe.collect()]
    assert len(rows) == 60 and release.dataframe.columns == list(domain)
    assert [tuple(row) for row in release.dataframe.select("*").collect()] == rows
    assert release.certificate == mo.Local(domain, unit="unit", epsilon=2).sample(table).certificate


@pytest.mark.parametrize("kind", ["text", "double", "decimal"])
def test_a_unit_is_one_however_its_id_is_written(session, domain, table, kind):
    """Programs write 7 and 7.0 for the id of one column, and each part of a table may have its own way."""
    ids = [f"{id}.0" if i % 2 else str(id) for i, id in enumerate(table["unit"].to_pylist())]
    typed = {"text": ids, "double": [float(id) for id in ids], "decimal": [Decimal(id) for id in ids]}
    written = table.set_column(table.column_names.index("unit"), "unit", pyarrow.array(typed[kind]))
    frame = session.createDataFrame(written).repartition(4)
    assert local(frame, domain).dataframe.count() == 60
    assert len(mo.Local(domain, unit="unit", epsilon=2).sample(written)) == 60
    roster = [float(unit) for unit in ROSTER]
    released = rows_of(local(frame, domain, units=roster).dataframe)
    assert [row[0] for row in released] == sorted(ROSTER, key=lambda unit: repr((unit,)))


@pytest.mark.parametrize(
    "asked",
    [
        {"method": "integral", "epsilon": 4, "count": 3},
        {"method": "central", "epsilon": 2, "delta": 1e-7, "count": 20},
        {"method": "central", "epsilon": 2, "delta": 1e-7, "count": 1, "mechanism": "ds-roo"},
    ],
    ids=["integral", "central", "ds-roo"],
)
def test_a_table_is_counted_by_spark_and_drawn_by_the_driver(session, domain, table, tmp_path, asked):
    ledger = mo.Ledger(tmp_path / "budget.db")
    ledger.declare("table", epsilon=5, delta=1e-6, scope="row")
    budget = {} if asked["method"] == "integral" else {"ledger": ledger, "data_set": "table"}
    release = mollify_spark.sample(session.createDataFrame(table), by_word(domain, **asked), **budget)
    assert release.certificate == by_word(domain, **asked).sample(table).certificate
    rows = rows_of(release.dataframe)
    assert len(rows) == asked["count"] and release.dataframe.columns == list(domain)
    assert rows_of(release.dataframe.select("*")) == rows
    if budget:
        assert ledger.balance("table").releases == 1


def test_the_counts_are_the_tables(session):
    """At epsilon 30 an integral release says what the table holds: 20 000 draws, chi-square."""
    words = ["a", "b", "c", "d"]
    domain = mo.Domain({"word": mo.categorical(words)})
    frame = session.createDataFrame(pyarrow.table({"word": ["a"] * 500 + ["b"] * 300 + ["d"] * 200}))
    release = mollify_spark.sample(frame, mo.Integral(domain, epsilon=20_000 * 30, count=20_000))
    seen = Counter(row[0] for row in release.dataframe.collect())
    assert seen["c"] <= 1
    observed = np.array([seen[word] for word in ("a", "b", "d")])
    expected = np.array([10_000, 6_000, 4_000])
    statistic = float(((observed - expected) ** 2 / expected).sum())
    print(f"n = 20000, observed {observed}, expected {expected}, statistic {statistic}")
    assert math.exp(-statistic / 2) > ALPHA  # the tail with two degrees of freedom


GAUSSIAN = {"method": "gaussian", "rho": 40}


@pytest.mark.parametrize(
    ("passes", "asked"),
    [
        (3, {**GAUSSIAN, "covariance_bound": 49, "count": 2}),
        (4, {**GAUSSIAN, "method": "gaussian-model", "count": 500}),
        (1, {"method": "marginals", "epsilon": 50, "count": 500, "neighbours": "add-remove"}),
    ],
    ids=["gaussian", "shared", "marginals"],
)
def test_workers_add_up_and_the_driver_adds_noise(session, table, tmp_path, monkeypatch, passes, asked):
    """The source fails when it is first read, each task that sums is killed once, the order of rows
    is another one each time: the sums are the same. The rows: their mean is that of the table, to
    five standard errors of few rows or to a twentieth."""
    marks = str(tmp_path)
    killed = signal.SIGKILL

    def first_time(what):
        try:
            os.close(os.open(f"{marks}/{what}", os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return False
        return True

    def flaky(batches):
        import pyarrow as pa
        from pyspark import TaskContext

        part = TaskContext.get().partitionId()
        for number, batch in enumerate(batches):
            rows = np.random.default_rng().permutation(batch.num_rows)
            yield batch.take(pa.array(rows))
            if number == 1 and first_time(f"read {part}"):
                raise OSError("the source is not there")

    class Dying(mollify_spark.SumRecords):
        def __call__(self, batches):
            from pyspark import TaskContext

            part = TaskContext.get().partitionId()
            for rows in super().__call__(batches):
                yield rows
                if first_time(f"sum {part}"):
                    os.kill(os.getpid(), killed)

    summed = mollify_spark._summed
    seen = []

    def twice(selected, part, rows):
        sums = summed(selected, part, rows)
        # Passes in which rows have roles must agree whatever their order is.
        if not seen or "covariance_bound" in asked:
            assert (summed(selected, part, rows) == sums).all()
        assert sums.any()
        seen.append(len(sums))
        return sums

    monkeypatch.setattr(mollify_spark, "SumRecords", Dying)
    monkeypatch.setattr(mollify_spark, "_summed", twice)
    ledger = mo.Ledger(tmp_path / "budget.db")
    ledger.declare("table", epsilon=1000, delta=1e-6, scope="row")
    frame = session.createDataFrame(table.select(["math", "visits"]))
    frame = frame.withColumn("visits", frame["visits"].cast("string"))  # texts are read too
    frame = frame.repartition(2).mapInArrow(flaky, frame.schema)
    domain = mo.Domain({"math": mo.number(-18, 42, bins=60, null=-18), "visits": mo.number(-10, 19, bins=29, null=-10)})
    asked = {"method": "central", "accept_error": True, **asked}
    release = mollify_spark.sample(frame, by_word(domain, **asked), ledger=ledger, data_set="table")
    assert ledger.balance("table").releases == 1
    native = by_word(domain, **asked).sample(table)
    assert before_the_draw(release.certificate) == before_the_draw(native.certificate)
    assert mo.verify(release.certificate, domain).holds
    assert (release.model is None) == (native.model is None)
    assert len(seen) == passes
    assert [mark for mark in os.listdir(marks) if mark.startswith("sum")]
    assert [mark for mark in os.listdir(marks) if mark.startswith("read")]
    rows = np.array(rows_of(release.dataframe), float)
    assert rows.shape == (asked["count"], 2)
    true = np.array([table["math"].to_numpy(), table["visits"].to_numpy()])
    # Released Gaussians have at most the deviation that the bound allows, which is 7.
    error = np.abs(rows.mean(axis=0) - true.mean(axis=1))
    print(f"off by {error} in {asked['count']} rows")
    assert (error < 5 * 7 / math.sqrt(asked["count"])).all()


@pytest.mark.parametrize(
    "more", [{"space": "grid", "cells": 64}, {"candidates": 200}, {"candidates": 200, "fresh": True}]
)
def test_grids_and_candidates(session, table, more):
    domain = mo.Domain({"math": mo.number(-3, 25, null=-3), "visits": mo.integer(0, 9, null=0)}, seed=5)
    release = local(session.createDataFrame(table), domain, units=ROSTER, **more)
    native = mo.Local(domain, unit="unit", epsilon=2, units=ROSTER, **more).sample(table)
    assert release.certificate == native.certificate
    rows = rows_of(release.dataframe)
    assert len(rows) == 70 and all(-3 <= math <= 25 for _, math, _ in rows)
    assert rows_of(release.dataframe.select("*")) == rows


def test_days_and_times_are_of_sparks_types(session):
    table = pyarrow.table({"unit": ["a", "b"], "day": [None] * 2, "wall": [None] * 2, "at": [None] * 2})
    bounds = ("2026-01-01", "2026-01-31")
    domain = mo.Domain(
        {
            "day": mo.date(*bounds, bins="week", null=bounds[0]),
            "wall": mo.datetime(*bounds, bins=3, null=bounds[0]),
            "at": mo.datetime(*bounds, bins=3, zone="-03:30", null=bounds[0]),
        }
    )
    frame = session.createDataFrame(table.cast(pyarrow.schema([(n, "string") for n in table.column_names])))
    release = local(frame, domain, units=["a", "b", "c"])
    kinds = [field.dataType.simpleString() for field in release.dataframe.schema.fields]
    assert kinds == ["string", "date", "timestamp_ntz", "timestamp"]
    assert len(rows_of(release.dataframe)) == 3


def test_categories_of_numbers_are_numbers(session):
    domain = mo.Domain(
        {
            "stars": mo.ordinal([1, 2, 10], null=1),
            "price": mo.categorical([4.99, 9.99], null="category"),
            "code": mo.categorical(["01", "02"], null="01"),
            "level": mo.ordinal(["low", "high"], null="low"),
        }
    )
    table = {"unit": ["a", "b"], "stars": [1, 10], "price": [4.99, 9.99], "code": ["01", "02"], "level": ["low", "high"]}
    release = local(session.createDataFrame(pyarrow.table(table)), domain, units=["a", "b", "c"])
    kinds = [field.dataType.simpleString() for field in release.dataframe.schema.fields]
    assert kinds == ["string", "bigint", "double", "string", "string"]
    for unit, stars, price, code, level in rows_of(release.dataframe):
        assert unit in "abc" and stars in (1, 2, 10) and price in (4.99, 9.99, None) and code in ("01", "02") and level in ("low", "high")


def test_the_law_over_units_is_the_samplers(session):
    """20 000 units of three records each; chi-square, false alarm 1e-6."""
    words = ["a", "b", "c", "d"]
    domain = mo.Domain({"word": mo.categorical(words, null="a")})
    units = np.repeat(np.arange(20_000), 3)
    frame = session.createDataFrame(
        pyarrow.table({"unit": units, "word": np.tile(["a", "a", "c"], 20_000)})
    )
    rows = local(frame, domain, units=[str(unit) for unit in range(20_000)]).dataframe
    seen = Counter(row[0] for row in rows.select("word").collect())
    law = mo.nonprivate.law(mo.Sampler(k=4, epsilon=2), [2 / 3, 0, 1 / 3, 0])
    numerators = np.array([float(one["numerator"]) for one in law["outcomes"]])
    expected = 20_000 * numerators / float(law["N"])
    observed = np.array([seen[word] for word in words])
    statistic = float(((observed - expected) ** 2 / expected).sum())
    print(f"n = 20000, observed {observed}, expected {expected}, statistic {statistic}")
    # The tail of chi-square with three degrees of freedom.
    half = statistic / 2
    tail = math.erfc(math.sqrt(half)) + 2 * math.sqrt(half / math.pi) * math.exp(-half)
    assert tail > ALPHA


def test_private_values_decide_nothing(session, domain):
    """Nulls, numbers that are none, texts that are no texts, in columns of the wrong types."""
    hostile = session.sql(
        """
        select * from values
          (null, null, null, null, null),
          ('', cast('NaN' as double), null, cast(-9 as decimal(38, 18)), 'x'),
          (cast(unhex('fffe') as string), cast('Infinity' as double), true, 1e18BD, 'u'),
          (repeat('x', 100000), -0.0D, false, 0.5BD, repeat('u', 100000)),
          ('female', 1e308D, true, null, cast(unhex('c328') as string))
        as t(math, visits, minority, sex, unit)
        """
    )
    calm = session.sql(
        """
        select * from values ('1', 1.0D, true, cast(1 as decimal(38, 18)), 'x')
        as t(math, visits, minority, sex, unit)
        """
    )
    roster = ["x", "u", "y"]
    one, other = local(hostile, domain, units=roster), local(calm, domain, units=roster)
    assert one.certificate == other.certificate
    assert one.dataframe.schema == other.dataframe.schema
    assert [row[0] for row in rows_of(one.dataframe)] == ["u", "x", "y"]
    assert local(hostile, domain).dataframe.count() == 4, "a null and nothing are no units"


def counts_of(counter, batches):
    """How often each unit has each record, of what a task hands over."""
    from mollify import _spark_tasks as tasks

    found = Counter()
    for units in tasks.of_buckets(iter(sorted(counter(batches), key=lambda one: one["bucket"][0].as_py())), None):
        for unit, records, counts in zip(*(column.to_pylist() for column in units.columns)):
            for record, count in zip(np.frombuffer(records, np.uint32), np.frombuffer(counts, np.uint64)):
                found[unit, int(record)] += int(count)
    return found


@pytest.mark.parametrize("kind", ["tinyint", "smallint", "int", "bigint"])
@pytest.mark.parametrize("units", [None, ["-128", "0", "7.0", "127"]])
def test_rows_as_integers_are_counted_as_rows(session, monkeypatch, kind, units):
    """Every pair of words, undeclared words and nulls, for units at the ends of their type, at two limits of rows."""
    from mollify import _spark_tasks as tasks

    monkeypatch.setattr(tasks.CountKeys, "most", 100)
    bits = {"tinyint": 7, "smallint": 15, "int": 31, "bigint": 63}[kind]
    ids = [*{-(2**bits), -128, -1, 0, 7, 127, 2**bits - 1}, None]
    words = ["a", "b", "", "B", "other", None]
    rows = [(unit, one, two) for unit in ids for one in words for two in words for _ in range(1 + len(one or ""))]
    domain = mo.Domain({"one": mo.categorical(["a", "b"], outside="b", null="b"), "two": mo.ordinal(["b", "a", "B"], null="b")})
    method = mo.Local(domain, unit="unit", epsilon=2, **({"units": units} if units else {}))
    frame = session.createDataFrame(rows, f"unit {kind}, one string, two string")
    made = tasks.Made.of(method, None)
    found = []
    for unit in (("unit",), ()):
        with mollify_spark._read_once(frame, ["unit", "one", "two"], method) as read:
            selected, reading = mollify_spark._selected(read, domain, unit)
        assert bool(reading.codes) == (bool(unit) and kind != "bigint")
        counter = tasks.CountKeys(made, reading) if reading.codes else tasks.CountRecords(made, reading, by_unit=True)
        found.append(counts_of(counter, selected.toArrow().to_batches(max_chunksize=64)))
    assert found[0] == found[1]
    distinct = set(ids) - {None} if units is None else {-128, 0, 7, 127}
    assert {unit for unit, _ in found[0]} == {str(unit).encode() for unit in distinct}
    assert sum(found[0].values()) == len(distinct) * sum(1 + len(one or "") for one in words) * len(words)


def test_units_stay_whole_in_buckets():
    """A bucket goes on in the next batch, or not, and a roster's units come once each."""
    from mollify import _spark_tasks as tasks

    names = [f"{unit}".encode() for unit in range(20_000)] + [b"", b"\xff\x00"]
    ones = [pyarrow.array([size.to_bytes(4, "little")] * len(names), pyarrow.large_binary()) for size in (3, 5)]
    units = pyarrow.record_batch([pyarrow.array(names, pyarrow.large_binary()), *ones], names=tasks.COUNTED)
    rows = pyarrow.Table.from_batches([*tasks.in_buckets(units)] * 3).sort_by("bucket").combine_chunks()
    listed = units.slice(19_000)
    roster = (listed, tasks.buckets_of(listed.column(0)))
    for size in (1, 7, 100_000):
        for given in (None, roster):
            batches = rows.slice(0, 9_000).to_batches(max_chunksize=size)
            came = pyarrow.Table.from_batches(tasks.of_buckets(iter(batches), given))
            order = came["unit"].to_pylist()
            runs = sum(one != other for one, other in zip(order, [None, *order]))
            assert runs == len(set(order)), "each unit's rows come one after the other"
            here = set(rows["bucket"][:9_000].to_pylist())
            expected = {name for name, one in zip(names, tasks.buckets_of(units.column(0))) if one in here}
            assert set(order) == expected and set(came["records"].to_pylist()) == set(ones[0].to_pylist())
            assert given is None or len(order) > 3 * len(expected) - 3 * 4


def test_names_that_spark_takes_for_others(session):
    frame = session.createDataFrame([(1, 2, "u", 3)], ["a.b", "A", "un`it", "a"])
    domain = mo.Domain({"a.b": mo.integer(0, 3, null=0), "a": mo.integer(0, 3, null=0), "A": mo.integer(0, 3, null=0)})
    release = mollify_spark.sample(frame, mo.Local(domain, unit="un`it", epsilon=30))
    assert release.dataframe.columns == ["a.b", "a", "A"]
    assert rows_of(release.dataframe) == [(1, 3, 2)], "at epsilon 30 all but surely"


def test_workers_need_no_file(session, domain, table, tmp_path):
    """A band's file and a roster's are sent along: they are gone when the workers draw."""
    units = tmp_path / "units.csv"
    units.write_text("unit\n" + "\n".join(ROSTER) + "\n")
    band = tmp_path / "band.json"
    categories = mo.Domain({name: domain.columns[name] for name in ("sex", "minority")})
    public = mo.Local(categories, unit="unit", epsilon=2)
    public.tune(table.select(["unit", "sex", "minority"]), best=True, out=band)
    frame = session.createDataFrame(table)
    method = dataclasses.replace(public, band=f"file={band}", units=units)
    release = mollify_spark.sample(frame, method)
    band.unlink()
    units.unlink()
    assert release.dataframe.count() == len(ROSTER)


def test_a_ledger_is_charged_once_and_before(session, domain, table, tmp_path):
    ledger = mo.Ledger(tmp_path / "budget.db")
    ledger.declare("schools", epsilon=3, scope="unit=unit")
    frame = session.createDataFrame(table)
    charged = {"ledger": ledger, "data_set": "schools"}
    release = local(frame, domain, charged, units=ROSTER)
    assert ledger.balance("schools").releases == 1
    assert rows_of(release.dataframe) == rows_of(release.dataframe.select("*"))
    assert ledger.balance("schools").releases == 1
    with pytest.raises(mo.InvalidInput, match="epsilon"):
        local(frame, domain, charged, units=ROSTER)
    assert ledger.balance("schools").releases == 1


def test_the_key_has_no_text(session, domain, table, monkeypatch):
    """Neither in the plan that draws, nor in what is left of it."""
    plans = []
    collected = type(session.range(1)).toArrow

    def seen(frame):
        plans.append(frame._jdf.queryExecution().toString())
        return collected(frame)

    monkeypatch.setattr(type(session.range(1)), "toArrow", seen)
    release = local(session.createDataFrame(table), domain, units=ROSTER)
    assert "DrawUnits" in plans[-1] and "CountRecords" in plans[-1]
    plans.append(release.dataframe._jdf.queryExecution().toString())
    assert "DrawUnits" not in plans[-1]
    for plan in plans:
        assert "key" not in plan.lower().replace("hashpartitioning", "")
    assert repr(release) == "Release(unit, sex, minority, visits, math by minimax with epsilon 2)"


def refusal(frame, domain, **parts):
    with pytest.raises(mo.InvalidInput) as caught:
        mollify_spark.sample(frame, by_word(domain, **parts))
    return str(caught.value)


def test_what_is_not_safe_is_refused_in_one_sentence(session, domain, table):
    from pyspark.sql import functions as F

    frame = session.createDataFrame(table)
    asked = {"domain": domain, "method": "local", "unit": "unit", "epsilon": 2}
    assert refusal(table, **asked) == (
        "data must be a Spark data frame, but is of type pyarrow.lib.Table. For other tables use the "
        "method's own sample."
    )
    assert refusal(frame.drop("math"), **asked).startswith(
        'the data has no column "math", which the domain declares; it has '
    )
    assert refusal(frame.withColumn("math", F.array("math")), **asked) == (
        'column "math" of the data must be of booleans, integers, numbers, texts, dates or timestamps, '
        "but is of type array<double>: cast it to texts or numbers"
    )
    assert refusal(frame, **{**asked, "units": frame}).startswith("units must be public")
    assert "epsilon must be finite" in refusal(frame, **{**asked, "epsilon": -1})
    numbers = mo.Domain({"math": mo.number(-3, 25, null=-3)})
    assert refusal(frame, numbers, method="integral", epsilon=2) == (
        "mo.Integral needs the records of the whole table in one place where they are scored, and "
        "has only how many there are of each"
    )
    gaussian = {"method": "gaussian", "covariance_bound": 9, "mean_bound": 25, "accept_error": True}
    assert refusal(
        frame, numbers, unit="unit", units=ROSTER, rho=0.5, count=3, **gaussian
    ) == (
        "Gaussian samples with a unit draw one row of each unit, and need more than sums over all rows"
    )
    assert refusal(frame, **asked | {"method": "central", "delta": 1e-9, "count": 2}).startswith(
        "mo.Central with a unit draws one record of each unit"
    )
    assert refusal(frame, **asked, candidates_file=frame) == (
        "candidates_file must be the path of a file of candidates, but is of type DataFrame"
    )
    assert "released where the table is" in refusal(frame, domain, method="integral-model", epsilon=2)
    private = mo.Domain({"math": mo.number(-3, 25, bins="private", null=-3)})
    assert refusal(frame, private, method="marginals", epsilon=2, count=3) == (
        "private bins are found by a pass before the counts, so such a release is made where the table is"
    )
    with pytest.raises(TypeError, match=r'sample has no parameter "seed"\. Its parameters are data, method'):
        mollify_spark.sample(frame, mo.Local(domain, unit="unit", epsilon=2), seed=1)


def test_a_table_of_one_unit_is_released_as_without_spark(session, domain, table):
    asked = dict(method="local", epsilon=2, count=3, accept_error=True)
    release = mollify_spark.sample(session.createDataFrame(table), by_word(domain, **asked))
    assert release.dataframe.count() == 3
    assert release.certificate.json == by_word(domain, **asked).sample(table).certificate.json


def test_public_tables_may_be_frames(session, domain, table):
    frame = session.createDataFrame(table)
    roster = session.createDataFrame([(unit,) for unit in reversed(ROSTER)], ["unit"])
    release = local(frame, domain, units=roster)
    assert release.dataframe.count() == 70
    assert json.loads(release.certificate.json)["facts"]["units"] == 70


def test_the_page_says_what_happens(tmp_path):
    """As a reader runs it: the page itself must say which Python the workers run, because the path has none."""
    pytest.importorskip("duckdb")
    pytest.importorskip("polars")
    root = Path(__file__).parents[2]
    found = re.findall(r"^```python\n(.*?)^```", (root / "docs/guides/spark.md").read_text(), re.M | re.S)
    assert found
    (tmp_path / "page.py").write_text("\n".join(found))
    for name in ("python3", "python"):
        (tmp_path / name).write_text("#!/bin/sh\nexit 1\n")
        (tmp_path / name).chmod(0o755)
    given = os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    for name in ("PYSPARK_PYTHON", "PYSPARK_DRIVER_PYTHON"):
        given.pop(name, None)
    ended = subprocess.run(
        [sys.executable, "-P", tmp_path / "page.py"], cwd=root, env=given, capture_output=True, text=True
    )
    assert ended.returncode == 0, ended.stderr[-3000:]


def test_a_session_that_was_stopped_is_told(session, domain, table, monkeypatch):
    frame = session.createDataFrame(table)
    # Stopping the session of all these tests would stop Spark in this process.
    monkeypatch.setattr(frame.sparkSession.sparkContext, "_jsc", None)
    assert refusal(frame, domain, method="local", unit="unit", epsilon=2) == (
        "data must be of a Spark session that runs, but theirs was stopped"
    )
