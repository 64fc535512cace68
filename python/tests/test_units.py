"""Units: columns that name them, and rows without an id, which belong to nobody in every kind of table."""

import dataclasses
import json
import math

import numpy as np
import pytest

import mollify as mo
from conftest import SPARK_WARNINGS
from mollify import spark

pandas = pytest.importorskip("pandas")
polars = pytest.importorskip("polars")
pyarrow = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")
duckdb = pytest.importorskip("duckdb")

pytestmark = SPARK_WARNINGS

DOMAIN = {"x": mo.categorical(["a", "b"], null="category", outside="null")}
IDS = [1, 2, None, 3, None, 1]  # three units, and two rows of nobody
VALUES = ["a", "b", "a", "b", "a", "b"]
FLOATS = [math.nan if one is None else float(one) for one in IDS]
LETTERS = [None if one is None else "uvw"[one - 1] for one in IDS]


def written(path, null, ids=IDS):
    rows = [f"{null if one is None else one},{x}\n" for one, x in zip(ids, VALUES)]
    path.write_text("id,x\n" + "".join(rows))
    return path


def parquet_file(path):
    parquet.write_table(pyarrow.table({"id": IDS, "x": VALUES}), path)
    return path


def record_array():
    return np.array(list(zip(FLOATS, VALUES)), dtype=[("id", "f8"), ("x", "U1")])


CONTAINERS = {
    "CSV, empty": lambda folder: written(folder / "t.csv", ""),
    "CSV, NA": lambda folder: written(folder / "t.csv", "NA"),
    "CSV, NaN": lambda folder: written(folder / "t.csv", "NaN"),
    "CSV, None of words": lambda folder: written(folder / "t.csv", "None", LETTERS),
    "CSV of a float column": lambda folder: written(folder / "t.csv", "", [one if one is None else float(one) for one in IDS]),
    "Parquet": lambda folder: parquet_file(folder / "t.parquet"),
    "Arrow": lambda _: pyarrow.table({"id": IDS, "x": VALUES}),
    "Arrow, NaN": lambda _: pyarrow.table({"id": FLOATS, "x": VALUES}),
    "Arrow, dictionary": lambda _: pyarrow.table({"id": pyarrow.array(LETTERS).dictionary_encode(), "x": VALUES}),
    "Arrow, words": lambda _: pyarrow.table({"id": ["NA" if one is None else one for one in LETTERS], "x": VALUES}),
    "Arrow, days": lambda _: pyarrow.table({"id": pyarrow.array(IDS, pyarrow.int32()).cast(pyarrow.date32()), "x": VALUES}),
    "pandas, floats": lambda _: pandas.DataFrame({"id": FLOATS, "x": VALUES}),
    "pandas, objects": lambda _: pandas.DataFrame({"id": pandas.Series(IDS, dtype=object), "x": VALUES}),
    "pandas, NA among objects": lambda _: pandas.DataFrame(
        {"id": pandas.Series([pandas.NA if one is None else one for one in IDS], dtype=object), "x": VALUES}
    ),
    "pandas, Int64": lambda _: pandas.DataFrame({"id": pandas.array(IDS, dtype="Int64"), "x": VALUES}),
    "pandas, strings": lambda _: pandas.DataFrame({"id": pandas.array(LETTERS, dtype="string"), "x": VALUES}),
    "pandas, categories": lambda _: pandas.DataFrame({"id": pandas.Categorical(LETTERS), "x": VALUES}),
    "pandas, Arrow": lambda _: pandas.DataFrame({"id": pandas.array(IDS, dtype="int64[pyarrow]"), "x": VALUES}),
    "pandas, times": lambda _: pandas.DataFrame({"id": pandas.to_datetime(pandas.Series(IDS, dtype="Int64"), unit="s"), "x": VALUES}),
    "NumPy, floats": lambda _: {"id": np.array(FLOATS), "x": np.array(VALUES)},
    "NumPy, 32 bits": lambda _: {"id": np.array(FLOATS, np.float32), "x": np.array(VALUES)},
    "NumPy, objects": lambda _: {"id": np.array(IDS, object), "x": VALUES},
    "NumPy, masked": lambda _: {"id": np.ma.masked_invalid(FLOATS), "x": VALUES},
    "NumPy, texts": lambda _: {"id": np.array(["NA" if one is None else one for one in LETTERS]), "x": VALUES},
    "NumPy, records": lambda _: record_array(),
    "lists, None": lambda _: {"id": IDS, "x": VALUES},
    "lists, NaN": lambda _: {"id": FLOATS, "x": VALUES},
    "Polars": lambda _: polars.DataFrame({"id": IDS, "x": VALUES}),
    "Polars, NaN": lambda _: polars.DataFrame({"id": FLOATS, "x": VALUES}),
    "Polars, lazy": lambda _: polars.LazyFrame({"id": LETTERS, "x": VALUES}),
    "Polars, categories": lambda _: polars.DataFrame({"id": LETTERS, "x": VALUES}, schema_overrides={"id": polars.Categorical}),
    "DuckDB": lambda _: duckdb.sql("SELECT * FROM (VALUES (1,'a'),(2,'b'),(NULL,'a'),(3,'b'),('nan'::DOUBLE,'a'),(1,'b')) t(id, x)"),
}


@pytest.mark.parametrize("kind", CONTAINERS)
def test_a_missing_id_is_nobody_in_every_container(kind, tmp_path):
    method = mo.Local(DOMAIN, unit="id", epsilon=1, accept_error=True)
    assert len(method.sample(CONTAINERS[kind](tmp_path))) == 3  # without a roster, a record of each unit
    found = method.check(CONTAINERS[kind](tmp_path))
    assert (found["records"], found["records_without_unit"]) == (6, 2)
    central = mo.Central(DOMAIN, unit="id", epsilon=20, count=1, accept_error=True)
    assert records_of(central.sample(CONTAINERS[kind](tmp_path))) == 3


def records_of(release):
    """The public number of units."""
    return json.loads(release.certificate.json)["facts"]["records"]


def test_a_missing_id_is_nobody_in_spark(session):
    rows = [(None if one is None else float(one), x) for one, x in zip(IDS, VALUES)]
    method = mo.Local(DOMAIN, unit="id", epsilon=1, accept_error=True)
    for ids in ("double", "int", "string"):
        frame = session.createDataFrame(rows, "id double, x string")
        frame = frame.selectExpr(f"cast(id as {ids}) as id", "x")
        assert spark.sample(frame, method).dataframe.count() == 3
    with_nan = session.createDataFrame([(math.nan if one is None else one, x) for one, x in rows], "id double, x string")
    assert spark.sample(with_nan, method).dataframe.count() == 3
    words = session.createDataFrame([("NA" if one is None else one, x) for one, x in zip(LETTERS, VALUES)], "id string, x string")
    assert spark.sample(words, method).dataframe.count() == 3


# Two columns.

PEOPLE = {
    "household": [1, 1, 2, 1, None, 2, 12],
    "person": ["1", "2", "1", "1", "1", None, "NA"],
    "x": ["a", "b", "a", "b", "a", "b", "a"],
}  # (1, 1), (1, 2) and (2, 1), and three rows of nobody
TABLES = {
    "lists": lambda: PEOPLE,
    "pandas": lambda: pandas.DataFrame(PEOPLE),
    "polars": lambda: polars.DataFrame(PEOPLE),
    "arrow": lambda: pyarrow.table(PEOPLE),
}


@pytest.mark.parametrize("kind", TABLES)
def test_several_columns_name_a_unit(kind):
    method = mo.Local(DOMAIN, unit=["household", "person"], epsilon=1, accept_error=True)
    assert method.spec["unit"] == ["household", "person"]
    assert len(method.sample(TABLES[kind]())) == 3
    assert method.check(TABLES[kind]())["records_without_unit"] == 3


def test_a_roster_has_a_column_for_each():
    people = [("2", "1"), ("1", "1"), ("9", "9")]
    roster = {"household": [one for one, _ in people], "person": [one for _, one in people]}
    for units in (roster, pandas.DataFrame(roster), polars.DataFrame(roster), np.array(people)):
        method = mo.Local(DOMAIN, unit=["household", "person"], units=units, epsilon=4)
        released = method.sample(PEOPLE).to_pandas()
        assert list(released) == ["household", "person", "x"]
        assert list(zip(released["household"], released["person"])) == people
    renamed = mo.Local(
        DOMAIN, unit=["household", "person"], units={"h": roster["household"], "p": roster["person"]},
        units_column=["h", "p"], epsilon=4,
    )
    assert list(renamed.sample(PEOPLE).to_pandas()["household"]) == ["2", "1", "9"]
    assert renamed.check(PEOPLE)["findings"] == 4  # three of nobody, and (1, 2), which is not listed


def test_in_every_method_units_of_several_columns():
    rows = {"household": [i // 4 for i in range(2000)], "person": [i % 2 for i in range(2000)]}
    words = rows | {"x": ["ab"[i % 2] for i in range(2000)]}
    numbers = rows | {"y": [float(i % 10) for i in range(2000)]}
    number = {"y": mo.number(0, 10, outside="clip", null=5)}
    unit = ["household", "person"]
    central = mo.Central(DOMAIN, unit=unit, epsilon=20, count=2)
    assert records_of(central.sample(words)) == 1000
    marginals = mo.Marginals(DOMAIN | {"y": mo.boolean(null="no", outside="no")}, unit=unit, epsilon=20, count=9)
    assert len(marginals.sample(words | {"y": [True] * 2000})) == 9
    model = mo.GaussianModel(number, unit=unit, epsilon=20, count=5)
    assert records_of(model.sample(numbers)) == 1000


def test_one_name_is_one_name_however_it_is_written():
    one = mo.Local(DOMAIN, unit="id", epsilon=1)
    assert one == mo.Local(DOMAIN, unit=["id"], epsilon=1) == mo.Local(DOMAIN, unit=("id",), epsilon=1)
    assert one.spec["unit"] == "id"
    two = mo.Local(DOMAIN, unit=["id", "x2"], epsilon=1)
    assert two != one and hash(two) == hash(mo.Local(DOMAIN, unit=("id", "x2"), epsilon=1))
    assert dataclasses.replace(two, epsilon=2).spec["unit"] == ["id", "x2"]


def test_columns_of_a_unit_are_checked_in_public():
    with pytest.raises(mo.InvalidInput, match='unit must name each column once, but has "a" twice'):
        mo.Local(DOMAIN, unit=["a", "a"], epsilon=1)
    with pytest.raises(mo.InvalidInput, match="unit must name a column, or several, but names none"):
        mo.Local(DOMAIN, unit=[], epsilon=1)
    with pytest.raises(mo.InvalidInput, match='no column "person"'):
        mo.Local(DOMAIN, unit=["id", "person"], epsilon=1).sample({"id": [1], "x": ["a"]})
    with pytest.raises(mo.InvalidInput, match="the unit column must not be a column of the domain"):
        mo.Local(DOMAIN, unit=["id", "x"], epsilon=1).sample({"id": [1], "x": ["a"]})
    with pytest.raises(mo.InvalidInput, match="units_column must name 2 columns, like unit, but names 1 column"):
        mo.Local(DOMAIN, unit=["id", "p"], units={"u": [1]}, units_column="u", epsilon=1)
    with pytest.raises(mo.InvalidInput, match='"NA" is a word for a missing id'):
        mo.Local(DOMAIN, unit="id", units=["1", "NA"], epsilon=1).sample({"id": [1], "x": ["a"]})


def test_a_ledgers_scope_names_all_columns(tmp_path):
    ledger = mo.Ledger(tmp_path / "spent.ledger")
    ledger.declare("homes", epsilon=3, scope="unit=household,person")
    method = mo.Local(DOMAIN, unit=["household", "person"], epsilon=1, accept_error=True)
    method.sample(PEOPLE, ledger=ledger, data_set="homes")
    with pytest.raises(mo.InvalidInput, match="protects"):
        mo.Local(DOMAIN, unit="household", epsilon=1, accept_error=True).sample(PEOPLE, ledger=ledger, data_set="homes")
