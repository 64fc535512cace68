"""Columns of lists: a unit's records in one row, of every kind of table, and hostile ones."""

import numpy as np
import pytest

import mollify as mo
from by_word import by_word

pandas = pytest.importorskip("pandas")
polars = pytest.importorskip("polars")
pyarrow = pytest.importorskip("pyarrow")

DOMAIN = {"sex": mo.categorical(["f", "m"], null="category"), "age": mo.integer(0, 9), "city": mo.boolean()}
OPTIONS = {"method": "local", "unit": "unit", "units": ["a", "b", "c", "d"]}
LONG = {
    "unit": ["a", "a", "b", "c", "c", "c"],
    "sex": ["f", "m", None, "m", "m", "f"],
    "age": [1, 2, None, 3, 4, 5],
    "city": [True, True, False, False, False, False],
}
NESTED = {
    "unit": ["a", "b", "c"],
    "sex": [["f", "m"], [], ["m", "m", "f"]],
    "age": [[1, 2], None, [3, 4, 5]],
    "city": [True, False, False],
}


def laws(table, **options):
    """What is released from, to the integer: a comparison's masses of the whole table."""
    source = mo._data.source_of(table, [*DOMAIN, "unit"], options.pop("lists", ()))
    return source.csv_text([*DOMAIN, "unit"]).decode().splitlines()


def nested(kind):
    if kind == "pyarrow":
        return pyarrow.table(NESTED)
    if kind == "polars":
        return polars.DataFrame(NESTED)
    if kind == "pandas with Arrow":
        return pyarrow.table(NESTED).to_pandas(types_mapper=pandas.ArrowDtype)
    if kind == "mapping of Arrow":
        return {name: pyarrow.array(values) for name, values in NESTED.items()}
    raise AssertionError(kind)


@pytest.mark.parametrize("kind", ["pyarrow", "polars", "pandas with Arrow", "mapping of Arrow"])
def test_types_tell_of_lists(kind):
    read = laws(nested(kind))
    expected = laws(LONG)
    columns = read[0].split(",")
    assert sorted(columns) == sorted(expected[0].split(","))
    order = [columns.index(name) for name in expected[0].split(",")]
    assert [",".join(line.split(",")[place] for place in order) for line in read] == expected


@pytest.mark.parametrize("kind", ["lists", "tuples", "arrays", "data frame", "array of objects"])
def test_objects_are_lists_where_it_is_said(kind):
    made = {"lists": list, "tuples": tuple, "arrays": np.array}.get(kind, list)
    columns = {
        name: [one if not isinstance(one, list) else made(one) for one in values]
        for name, values in NESTED.items()
    }
    if kind == "data frame":
        columns = pandas.DataFrame(columns)
    if kind == "array of objects":
        columns = {name: pandas.Series(values, dtype=object).to_numpy() for name, values in columns.items()}
    assert laws(columns, lists=["sex", "age"]) == laws(LONG)


def test_arrays_of_two_dimensions_are_lists_of_one_size():
    ages = np.arange(6).reshape(3, 2)
    read = laws({"unit": ["a", "b", "c"], "sex": ["f", "f", "m"], "age": ages, "city": [True] * 3})
    assert read[1:] == [
        f"{unit},{sex},{age},true" for unit, sex, age in zip("aabbcc", "ffffmm", range(6))
    ]


def test_a_release_is_as_of_the_long_table():
    for table in (pyarrow.table(NESTED), LONG):
        release = by_word(DOMAIN, epsilon=2, **OPTIONS).sample(table)
        assert release.to_dict()["unit"] == ["a", "b", "c", "d"]
    nested_facts, long_facts = (
        by_word(DOMAIN, epsilon=2, **OPTIONS).sample(table).certificate for table in (pyarrow.table(NESTED), LONG)
    )
    assert nested_facts == long_facts


@pytest.mark.parametrize("options", [{"method": "local"}, {"method": "central", "epsilon": 1, "count": 1}])
def test_lists_are_of_units(options):
    """How many rows lists make is private, so rows of lists are never the unit of protection."""
    asked = {"epsilon": 2, **options}
    if options["method"] == "central":
        with pytest.raises(mo.InvalidInput, match="lists"):
            by_word(DOMAIN, **asked).sample(pyarrow.table(NESTED))
    with pytest.raises(mo.InvalidInput, match="lists"):
        units = NESTED | {"unit": [["a"], ["b"], ["c"]]}
        by_word(DOMAIN, unit="unit", **asked).sample(pyarrow.table(units))
    with pytest.raises(mo.InvalidInput, match="must name columns"):
        by_word(DOMAIN, unit="unit", **asked).sample(NESTED, lists=["none"])


class Sly(list):
    """A list that will not be looked at."""

    def __iter__(self):
        raise RuntimeError("a private value speaks")

    __len__ = __getitem__ = __str__ = __iter__


def test_hostile_lists_change_nothing_that_is_seen():
    wild = [[], [[1], {}], Sly([1]), "fm", b"\xff", {"f": 1}, np.zeros((2, 2)), np.array(1), pandas.NA, 10**400]
    seen = set()
    for i in range(len(wild)):
        column = [*wild[i:], *wild[:i]][:3]
        table = {"unit": ["a", "b", "c"], "sex": column, "age": column[::-1], "city": column}
        release = by_word(DOMAIN, epsilon=2, **OPTIONS).sample(table, lists=["sex", "age"])
        seen.add((release.certificate.json, len(release), str(release.to_pandas().dtypes)))
    assert len(seen) == 1
