"""Drafts of public tables: one domain for a frame and its CSV file, the order of levels, and a line about each column."""

import warnings

import numpy as np
import pytest

import mollify as mo

pandas = pytest.importorskip("pandas")

ROWS = 120


def draft(public, **settings):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return mo.Domain.draft(public, **settings)


def test_a_frame_and_its_csv_file_give_one_domain(tmp_path):
    places = np.arange(ROWS)
    frame = pandas.DataFrame({
        "flag": places % 2 == 0,
        "only": [False] * ROWS,
        "answer": [None if i == 5 else i % 3 == 0 for i in places],
        "code": np.where(places == 9, np.nan, 1000.0 + places),
        "large": 1e15 + 2.0 * (places * places % 97),
        "larger": 2.0**60 + 2.0**20 * (places * places % 97),
        "limit": np.where(places == 3, np.inf, places * places % 89),
        "mixed": ["low" if i % 7 == 0 else 1.0 for i in places],
    })  # fmt: skip
    frame.to_csv(tmp_path / "public.csv", index=False)
    of_frame, of_csv = draft(frame), draft(tmp_path / "public.csv")
    assert of_frame.columns == of_csv.columns
    assert list(of_frame) == ["flag", "only", "answer", "large", "larger", "limit", "mixed"]
    assert of_frame.columns["flag"]["type"] == of_frame.columns["answer"]["type"] == "boolean"
    assert of_frame.columns["limit"]["type"] == "integer"
    assert 'Column "limit": 1 value is infinite, and the nearest cell holds it.' in of_csv.notes


def test_levels_that_write_one_number_keep_their_order():
    levels = ["1.0", "1", "none"]
    frame = pandas.DataFrame({"level": pandas.Categorical([levels[i % 3] for i in range(ROWS)], levels, ordered=True)})
    column = draft(frame).columns["level"]
    assert (column["type"], column["values"], column["verbatim"]) == ("ordinal", levels, True)


def test_a_draft_explains_each_column_without_a_warning(tmp_path):
    table = {"sex": ["f", "m"] * (ROWS // 2), "age": list(range(20, 20 + ROWS // 4)) * 4}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        domain = mo.Domain.draft(table)
    assert domain.notes[-2:] == (
        '"sex" has 2 different words in 120 rows: a category, because they have no order that a draft can see.',
        '"age" has 120 integers from 20 to 49 in 120 rows: so few that each is a cell.',
    )
    domain.write(tmp_path / "domain.yaml")
    assert f"# {domain.notes[-1]}\n" in (tmp_path / "domain.yaml").read_text()


def test_texts_of_a_frame_keep_levels_that_look_like_nulls(tmp_path):
    levels = ["None", "Some", "Marked"]
    texts = [levels[i % 3] for i in range(ROWS)]
    frame = pandas.DataFrame({"severity": pandas.Categorical(texts), "text": texts, "part": [None if i == 4 else one for i, one in enumerate(texts)]})
    domain = draft(frame)
    assert {column: sorted(domain.columns[column]["values"]) for column in domain} == dict.fromkeys(frame, sorted(levels))
    released = mo.Marginals(domain, epsilon=1000, count=3000).sample(frame).to_pandas()
    assert set(released["severity"]) == set(levels)
    frame.to_csv(tmp_path / "public.csv", index=False)
    of_csv = draft(tmp_path / "public.csv").columns
    assert sorted(of_csv["part"]["values"]) == sorted(levels)  # has an empty field
    assert sorted(of_csv["text"]["values"]) == sorted(levels)


def test_texts_of_a_frame_keep_zeros():
    codes = ["250", "250.0", "250.00", "01", "1"]
    frame = pandas.DataFrame({"code": [codes[i % 5] for i in range(ROWS)], "number": [[250.0, 250.5][i % 2] for i in range(ROWS)]})
    columns = draft(frame).columns
    assert (columns["code"]["values"], columns["code"]["verbatim"]) == (sorted(codes), True)
    assert columns["number"]["type"] == "number"


def test_odd_columns_of_a_frame_are_left_out_alone():
    frame = pandas.DataFrame({"x": ["a", "b"] * 10, "": range(20), "list": [[1, 2]] * 20, "set": [{1}] * 20, "array": [np.zeros(2)] * 20, "y": range(20), "z": range(20)})
    frame.columns = [*frame.columns[:-1], "y"]
    domain = draft(frame)
    assert list(domain) == ["x"]
    notes = "\n".join(domain.notes)
    for reason in (
        'Column "" is left out: its name is empty.',
        'Column "list" is left out: it holds values of type list, and a domain has no type for several values.',
        'Column "set" is left out: it holds values of type set',
        'Column "array" is left out: it holds values of type numpy.ndarray',
        'Column "y" is left out: another column has its name.',
    ):
        assert reason in notes


def test_zoned_midnights_and_few_days_are_days():
    days = pandas.date_range("2023-01-01", periods=12, freq="MS", tz="Europe/Berlin")
    frame = pandas.DataFrame({"day": days.repeat(10), "key": [0, 1] * 60})
    column = draft(frame).columns["day"]
    assert (column["type"], column["values"]) == ("date", [f"2023-{month:02}-01" for month in range(1, 13)])
    released = mo.Marginals(draft(frame), epsilon=1000, count=1200).sample(frame).to_pandas()["day"].astype(str)
    assert sorted(released.unique()) == column["values"]


@pytest.mark.parametrize("values", [
    [20_000 + int(40_000 / (1.1 - (i * 37 % ROWS) / ROWS)) for i in range(ROWS)],  # incomes that all differ
    [4.99, 9.99, 14.99, 49.99] * (ROWS // 4),
    [200, 301, 404, 500] * (ROWS // 4),
    [0] * (ROWS // 2) + [i * i for i in range(ROWS // 2)],
    [*range(ROWS - 8), *[99_999] * 8],
    [float(np.float32(0.1 * (i * i % 71))) for i in range(ROWS)],
], ids=["incomes", "prices", "codes", "zeros", "sentinel", "32-bit"])  # fmt: skip
def test_rows_of_a_draft_have_the_mean_of_the_table(values):
    frame = pandas.DataFrame({"x": values})
    released = mo.Marginals(draft(frame, columns=["x"]), epsilon=1000, count=200_000).sample(frame).to_pandas()["x"].astype(float)
    # 6 standard errors of 200 000 rows are .0134 deviations.
    assert abs(released.mean() - frame["x"].mean()) <= (0.02 + 0.0134) * frame["x"].std()
    most = frame["x"].mode()[0]
    if (frame["x"] == most).mean() >= 0.05:
        assert abs(np.isclose(released, most, rtol=1e-6).mean() / (frame["x"] == most).mean() - 1) < 0.1


def test_levels_of_a_type_that_no_row_has_are_kept(tmp_path):
    """A public table of few rows may lack an answer that others give, which a draft of its rows would make null."""
    pyarrow = pytest.importorskip("pyarrow")
    days = pandas.to_datetime(["2023-01-01", "2023-02-01", "2023-03-01"])
    frame = pandas.DataFrame({
        "answer": pandas.Categorical(["yes", "no"] * (ROWS // 2), ["yes", "no", "refused"]),
        "only": pandas.Categorical(["no"] * ROWS, ["no", "yes"]),
        "truth": pandas.Categorical(["true", "false"] * (ROWS // 2), ["true", "false", "maybe"]),
        "zip": pandas.Categorical(["01", "02"] * (ROWS // 2), ["01", "02", "03"]),
        "grade": pandas.Categorical([1, 2] * (ROWS // 2), [1, 2, 9]),
        "price": pandas.Categorical([0.5, 2.5] * (ROWS // 2), [0.5, 2.5, 7.5]),
        "day": pandas.Categorical(days[:2].to_list() * (ROWS // 2), days),
        "all": pandas.Categorical(["a", "b"] * (ROWS // 2)),
    })  # fmt: skip
    for public in (frame, dict(frame), pyarrow.table(frame), pyarrow.RecordBatch.from_pandas(frame), pyarrow.table(frame).to_reader()):
        domain = draft(public)
        expected = {
            "answer": ["no", "refused", "yes"], "only": ["no", "yes"], "truth": ["false", "maybe", "true"], "zip": ["01", "02", "03"],
            "grade": [1, 2, 9], "price": [0.5, 2.5, 7.5], "day": ["2023-01-01", "2023-02-01", "2023-03-01"], "all": ["a", "b"],
        }  # fmt: skip
        assert {name: column["values"] for name, column in domain.columns.items()} == expected
        assert 'Column "answer": its type lists 3 levels, and no row has 1 of them. The draft keeps all.' in domain.notes
        assert not any('Column "all"' in note for note in domain.notes)
        full = pandas.DataFrame({name: column.cat.categories[:2].append(column.cat.categories[-1:]) for name, column in frame.items()})
        assert mo.Marginals(domain, epsilon=1, count=10).check(full)["mapped"] == []
    frame.to_parquet(tmp_path / "public.parquet")
    assert draft(tmp_path / "public.parquet").columns["answer"]["values"] == ["no", "refused", "yes"]
    wide = pandas.DataFrame({"x": pandas.Categorical([i / 7 for i in range(ROWS)] * 3, [*(i / 7 for i in range(ROWS)), 900.5])})
    assert mo.Marginals(draft(wide, columns=["x"]), epsilon=1, count=10).check({"x": [900.5]})["mapped"] == []
    bad = pandas.DataFrame({"x": pandas.Categorical(["a", "b"] * (ROWS // 2), ["a", "b", "c\x01"])})
    assert draft(bad).columns["x"]["values"] == ["a", "b"] and "The draft leaves them out: " in draft(bad).notes[-1]


def test_levels_of_enums_that_no_row_has_are_kept():
    """Polars' and DuckDB's enums list their words in an order, which DuckDB's lose on the way through Arrow."""
    polars, duckdb = pytest.importorskip("polars"), pytest.importorskip("duckdb")
    levels = ["low", "mid", "high", "refused"]
    words = [levels[i % 3] for i in range(ROWS)]
    enums = polars.DataFrame({"x": polars.Series(words, dtype=polars.Enum(levels))})
    for public in (enums, enums.lazy(), enums.to_arrow()):
        assert (draft(public).columns["x"]["type"], draft(public).columns["x"]["values"]) == ("ordinal", levels)
    with duckdb.connect() as base:
        base.execute("create type answer as enum ('low', 'mid', 'high', 'refused')")
        base.execute("create table t as select unnest(?)::answer as x", [words])
        assert draft(base.table("t")).columns["x"] == draft(enums).columns["x"]
        assert draft(base.sql("select x from t").arrow()).columns["x"]["values"] == sorted(levels)
