"""Every kind of column that the library knows, asked of Python: the schema of domain files lists them."""

import inspect

import pytest

import mollify as mo
from column_types import KINDS, settings


def each_example(test):
    cases = [(kind, example) for kind, form in KINDS.items() for example in form["examples"]]
    return pytest.mark.parametrize(("kind", "example"), cases, ids=str)(test)


@pytest.mark.parametrize("kind", KINDS)
def test_has_a_function_with_the_keys_of_its_kind(kind):
    keys = list(inspect.signature(getattr(mo, kind)).parameters)
    assert kind in mo.__all__
    assert sorted(keys) == sorted(set(KINDS[kind]["properties"]) - {"name", "type"})


@each_example
def test_declares_what_a_file_declares(kind, example):
    made = mo.Domain({"x": getattr(mo, kind)(**settings(example), null="category", outside="clip")})
    assert made == mo.Domain({"x": example | {"null": "category", "outside": "clip"}})
    assert made == mo.Domain(made.columns)
    assert made.columns["x"].items() >= example.items()


@each_example
def test_is_released_into_every_table(kind, example):
    _, pl, pa = (pytest.importorskip(name) for name in ("pandas", "polars", "pyarrow"))
    domain = mo.Domain({"x": example | {"null": "category", "outside": "clip"}})
    if not domain.is_enumerable:  # method central draws from no more outcomes, and other examples are fewer
        return
    rows = mo.Central(domain, epsilon=1, count=50, accept_error=True).sample({"x": [None] * 1000})
    (texts,) = rows[:50].to_dict().values()
    frame = rows.to_pandas()
    assert [one is None for one in texts] == list(frame["x"].isna())
    tables = [frame, rows.to_polars(), pa.table(rows), {"x": texts}]
    if str(example.get("zone", "Z"))[0] not in "+-":  # Polars takes no frame whose times have such a zone
        tables.append(pl.DataFrame(frame))
    for table in tables:
        checked = mo.Central(domain, epsilon=1, count=5, accept_error=True).check(table)
        assert checked["findings"] == 0, checked["listed"]
    assert "x" in domain.to_sdmetrics()["columns"]
