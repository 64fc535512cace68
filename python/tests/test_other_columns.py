"""Columns that nobody declared, of every type: they stop no release, no check and no draft."""

import datetime
import decimal
import json
import warnings

import numpy as np
import pytest

import mollify as mo

pandas = pytest.importorskip("pandas")
polars = pytest.importorskip("polars")
pyarrow = pytest.importorskip("pyarrow")
duckdb = pytest.importorskip("duckdb")

ROWS = 100
DOMAIN = {"x": mo.categorical(["a", "b"], null="category", outside="null")}
X = ["ab"[i % 2] for i in range(ROWS)]
ID = [i // 2 for i in range(ROWS)]


def arrow_columns():
    """A column of each type that a domain has no type for, or that holds several values."""
    lists = [[i, i + 1, i + 2, 0, 0] for i in range(ROWS)]
    span = datetime.timedelta(seconds=5)
    union = pyarrow.UnionArray.from_sparse(
        pyarrow.array([i % 2 for i in range(ROWS)], pyarrow.int8()), [pyarrow.array(range(ROWS)), pyarrow.array(X)]
    )
    return {
        "list": pyarrow.array(lists),
        "large list": pyarrow.array(lists, pyarrow.large_list(pyarrow.int64())),
        "fixed list": pyarrow.array(lists, pyarrow.list_(pyarrow.int64(), 5)),
        "list of lists": pyarrow.array([[[i]] for i in range(ROWS)]),
        "struct": pyarrow.array([{"a": i} for i in range(ROWS)]),
        "map": pyarrow.array([[("k", i)] for i in range(ROWS)], pyarrow.map_(pyarrow.string(), pyarrow.int64())),
        "union": union,
        "time": pyarrow.array([datetime.time(1, 2)] * ROWS),
        "duration": pyarrow.array([span] * ROWS),
        "half": pyarrow.array(np.ones(ROWS, np.float16)),
        "dictionary of structs": pyarrow.DictionaryArray.from_arrays([0] * ROWS, pyarrow.array([{"a": 1}])),
    }


READ = {
    "decimal": pyarrow.array([decimal.Decimal("1.25")] * ROWS),
    "dictionary": pyarrow.array(X).dictionary_encode(),
    "nothing": pyarrow.nulls(ROWS),
}
"""Types that a domain reads."""


def from_duckdb(table):
    """A relation of a database of its own, because a type that DuckDB cannot hand over ends the database."""
    duckdb.connect().from_arrow(table).fetchall()
    duckdb.connect().from_arrow(table).to_arrow_table()
    return duckdb.connect().from_arrow(table)


def in_frames(column):
    """The same column in every container that has its type."""
    table = pyarrow.table({"id": ID, "x": X, "other": column})
    yield table
    yield pyarrow.table({"other": column, "x": X, "id": ID}).to_batches()[0]
    for made in (
        lambda: polars.from_arrow(table),
        lambda: polars.from_arrow(table).lazy(),
        lambda: from_duckdb(table),
        lambda: table.to_pandas(),
        lambda: table.to_pandas(types_mapper=pandas.ArrowDtype),
    ):
        try:
            frame = made()
        except Exception:  # the library has no such type
            continue
        yield frame


@pytest.mark.parametrize("kind", [*arrow_columns(), *READ])
def test_no_type_stops_a_release_or_a_check(kind):
    column = (arrow_columns() | READ)[kind]
    for frame in in_frames(column):
        central = mo.Central(DOMAIN, epsilon=20, count=1, accept_error=True)
        assert central.check(frame)["records"] == ROWS
        by_unit = mo.Local(DOMAIN, unit="id", epsilon=1, accept_error=True)
        found = by_unit.check(frame)
        assert (found["records"], found["findings"]) == (ROWS, 0)
    for frame in in_frames(column):  # anew: DuckDB's are read once
        assert json.loads(central.sample(frame).certificate.json)["facts"]["records"] == ROWS
    for frame in in_frames(column):
        assert len(by_unit.sample(frame)) == ROWS // 2


@pytest.mark.parametrize("kind", arrow_columns())
@pytest.mark.filterwarnings("ignore::mollify.DomainWarning")
def test_a_draft_leaves_such_a_column_out_and_goes_on(kind):
    column = arrow_columns()[kind]
    for frame in in_frames(column):
        draft = mo.Domain.draft(frame)
        assert "x" in draft
        if "other" in draft:  # pandas has it as objects, which are texts, or as 64-bit numbers
            assert isinstance(frame, pandas.DataFrame)
        else:
            assert [note for note in draft.notes if note.startswith('Column "other" is left out: ')]
        assert "other" not in mo.Domain.draft(frame, exclude=["other"])
        assert list(mo.Domain.draft(frame, columns=["x"])) == ["x"]


def test_what_only_such_columns_are_is_named():
    table = pyarrow.table({"s": [{"a": 1}] * 3, "l": [[1]] * 3})
    with pytest.raises(mo.InvalidInput, match='none is left: "s": it holds structs .*; "l": it holds lists'):
        mo.Domain.draft(table)
    with pytest.raises(mo.InvalidInput, match='column "s" of the public data cannot be drafted: it holds structs'):
        mo.Domain.draft(pyarrow.table({"s": [{"a": 1}] * 3, "x": X[:3]}), columns=["s", "x"])


@pytest.mark.filterwarnings("ignore::mollify.DomainWarning")
def test_types_of_numpy_and_pandas_that_a_domain_does_not_have():
    odd = {
        "complex": np.ones(ROWS, complex),
        "span": np.full(ROWS, np.timedelta64(5, "s")),
        "cube": np.ones((ROWS, 2, 2)),
        "pairs": np.ones((ROWS, 2)),
        "month": pandas.period_range("2020-01", periods=ROWS, freq="M"),
    }
    for name, column in odd.items():
        draft = mo.Domain.draft({"x": X, name: column})
        assert list(draft) == ["x"]
        assert any(note.startswith(f'Column "{name}" is left out: it') for note in draft.notes)
        assert mo.Central(DOMAIN, epsilon=20, count=1, accept_error=True).check({"x": X, name: column})["records"] == ROWS


def test_long_periods_are_refused_with_the_lines_that_convert_them():
    """The lines of the message run, and what they make is read."""
    months = pandas.period_range("2020-01", periods=12, freq="M").repeat(10)
    levels = pandas.Categorical(months)
    for given in (pandas.DataFrame({"when": months}), {"when": months}, pandas.DataFrame({"when": levels}), {"when": pandas.CategoricalIndex(levels)}):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", mo.DomainWarning)
            noted = mo.Domain.draft({**given, "x": [0, 1] * 60}).notes
        with pytest.raises(mo.InvalidInput, match="cast it to days") as refused:
            mo.Integral({"when": mo.categorical(["2020-01"])}, epsilon=1).check(given)
        said = str(refused.value).partition("cast it to ")[2]
        assert any(said in note for note in noted)
        first, second = said.removeprefix("days (").removesuffix(")").split(") or words (")
        for line, column in (first, mo.date("2020-01-01", "2020-12-31", bins="month", outside="null")), (second, mo.categorical([f"2020-{month:02}" for month in range(1, 13)])):
            frame = dict(given)
            exec(line, {"frame": frame})
            assert mo.Integral({"when": column}, epsilon=1).check(frame)["mapped"] == []


def test_bytes_of_other_columns_are_no_finding():
    raw = [b"\xff\xfe", b"\x00\x80"] * (ROWS // 2)
    table = pyarrow.table({"x": X, "raw": raw})
    for frame in (table, polars.from_arrow(table), table.to_pandas(), {"x": X, "raw": raw}):
        found = mo.Central(DOMAIN, epsilon=20, count=1, accept_error=True).check(frame)
        assert (found["records"], found["findings"]) == (ROWS, 0)


# Values and names that no domain can declare.


@pytest.mark.parametrize(
    ("letter", "words"),
    [("\n", "a line break"), ("\r", "a line break"), ("\t", "a tab"), ("\f", "a form feed"), ("\x1b", r"a control character \(byte 27\)"), ("\0", r"a control character \(byte 0\)")],
)
def test_one_odd_value_costs_that_value_and_names_its_row(letter, words):
    values = [*X[:7], f"a{letter}b", *X[8:]]
    for table in ({"x": values, "y": ID}, pandas.DataFrame({"x": values, "y": ID}), polars.DataFrame({"x": values, "y": ID})):
        with pytest.warns(mo.DomainWarning, match=f'Column "x": row 7, counted from 0, holds {words}, which no domain can declare; this value is left out'):
            draft = mo.Domain.draft(table)
        assert draft.columns["x"]["values"] == ["a", "b"]
        assert draft.columns["y"]["max"] == ROWS // 2 - 1


@pytest.mark.filterwarnings("ignore::mollify.DomainWarning")
def test_a_column_of_odd_values_and_a_name_of_two_lines_are_left_out():
    draft = mo.Domain.draft({"x": X, "odd": ["a\tb"] * ROWS, "two\nlines": X})
    assert list(draft) == ["x"]
    assert 'Column "odd" is left out: row 0, counted from 0, holds a tab, which no domain can declare.' in draft.notes
    assert any(note.endswith("is left out: its name holds a line break.") for note in draft.notes)


def test_tabs_about_numbers_are_no_matter():
    assert mo.Domain.draft({"n": ["1\t", " 2", "3"], "x": X[:3]}).columns["n"]["type"] == "integer"


# A file without names.


def noted(path, text):
    path.write_text(text)
    return any("look like a record" in note for note in mo.Domain.draft(path).notes)


@pytest.mark.filterwarnings("ignore::mollify.DomainWarning")
@pytest.mark.parametrize(
    ("is_record", "text"),
    [
        (True, "34,male,yes\n" + "".join(f"{20 + i % 50},{['male', 'female'][i % 2]},{['yes', 'no'][i % 3 % 2]}\n" for i in range(90))),
        (True, "5.1,3.5,1.4,0.2\n" + "".join(f"{4 + i % 30 / 10},{3 + i % 7 / 10},{1 + i % 9 / 10},{i % 5 / 10}\n" for i in range(90))),
        (True, "2020-03-01,7\n" + "".join(f"2020-04-{1 + i % 28:02},{i % 9}\n" for i in range(90))),
        (False, "age,sex,smokes\n" + "".join(f"{20 + i % 50},{['male', 'female'][i % 2]},{['yes', 'no'][i % 2]}\n" for i in range(90))),
        (False, "country,2019,2020,2021\n" + "".join(f"{'DFI'[i % 3]},{i},{i + 1},{i + 2}\n" for i in range(90))),
        (False, "0.1,0.5,1.0\n" + "".join(f"{i},{2 * i},{i % 7}\n" for i in range(90))),  # doses
        (False, "male,female\n" + "".join(f"{i % 7},{i % 5}\n" for i in range(90))),
        (False, "sex,place\nmale,north\n" + "sex,place\nfemale,south\nmale,south\n" * 30),  # joined files
        (False, "x\n" + "a\nb\n" * 30),
    ],
)
def test_a_draft_notices_names_that_are_a_record(tmp_path, is_record, text):
    assert noted(tmp_path / "t.csv", text) is is_record


def test_numbers_for_names_that_come_twice_are_a_record(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("1,0,1\n" + "0,1,1\n" * 20)
    with pytest.raises(mo.InvalidInput, match='"1" comes twice, as in a record. If the first line is a record, put a line of names before it'):
        mo.Domain.draft(path)
