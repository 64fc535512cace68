"""Order, levels and numbers of a domain come out in every library, and containers of another frame with `like`."""


import numpy as np
import pytest

import mollify as mo

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")
pa = pytest.importorskip("pyarrow")
feather = pytest.importorskip("pyarrow.feather")
parquet = pytest.importorskip("pyarrow.parquet")

NULLS = {"null": "category", "outside": "null"}
DOMAIN = mo.Domain(
    {
        "severity": mo.ordinal(["low", "mid", "high", "extreme"], **NULLS),
        "city": mo.categorical(["Trier", "Ghent", "Lille"], **NULLS),
        "code": mo.categorical([3, 1.0, 20], **NULLS),
        "stars": mo.ordinal([1, 2, 10], null=1, outside=1),
        "price": mo.ordinal([4.99, 5, 9.99], **NULLS),
        "falls": mo.ordinal([3, 1], **NULLS),
        "plz": mo.categorical(["01067", "10115"], **NULLS),
        "answer": mo.boolean(["no", "yes"], **NULLS),
        "bit": mo.boolean([0, 1], null=0, outside=0),
        "flag": mo.boolean(**NULLS),
        "sure": mo.boolean(null=False, outside=False),
        "age": mo.integer(0, 99, bins=3, **NULLS),
        "count": mo.integer(0, 3, null=0, outside="clip"),
        "size": mo.number(0, 1, bins=2, **NULLS),
        "day": mo.date("2026-01-01", "2026-01-05", **NULLS),
        "at": mo.datetime("2026-01-01", "2026-01-02", bins=2, zone="+01:00", **NULLS),
    }
)
ROWS = {
    "severity": ["mid", None, "high", "low", "mid", "high"],
    "city": ["Lille", "Lille", None, "Trier", "Lille", "Trier"],
    "code": [1, 3, None, 20, 1, 3],
    "stars": [10, 2, 10, 2, 10, 2],
    "price": [9.99, None, 5, 4.99, 5, 9.99],
    "falls": [1, 3, None, 3, 1, 1],
    "plz": ["01067", None, "10115", "10115", "01067", "01067"],
    "answer": ["yes", "no", None, "no", "yes", "yes"],
    "bit": [1, 0, 1, 0, 1, 1],
    "flag": [True, None, False, True, False, False],
    "sure": [True, False, True, True, False, False],
    "age": [17, None, 50, 50, 99, 3],
    "count": [1, 2, 3, 0, 1, 1],
    "size": [0.25, None, 0.75, 0.5, 0.25, 0.25],
    "day": ["2026-01-02", None, "2026-01-05", "2026-01-01", "2026-01-02", "2026-01-02"],
    "at": ["2026-01-01T11:00:00+01:00", None, "2026-01-01T13:00:00Z"] * 2,
}
LEVELS = {
    "severity": ["low", "mid", "high", "extreme"], "city": ["Trier", "Ghent", "Lille"], "code": [3, 1, 20], "stars": [1, 2, 10],
    "price": [4.99, 5.0, 9.99], "falls": ["3", "1"], "plz": ["01067", "10115"], "answer": ["no", "yes"], "bit": [0, 1],
}  # fmt: skip
ORDERED = {"severity", "stars", "price", "falls"}


@pytest.fixture(scope="module")
def records():
    """Epsilon is so large that each value of 200 rows comes."""
    rows = {name: values * 200 for name, values in ROWS.items()}
    return mo.Marginals(DOMAIN, epsilon=1000, count=300, accept_error=True).sample(rows)


def is_whole(levels):
    return all(isinstance(one, int) for one in levels)


def test_levels_are_the_domains_in_pandas(records):
    for frame in (records.to_pandas(), records[:1].to_pandas(), records[:0].to_pandas()):
        for name, levels in LEVELS.items():
            kind = frame[name].dtype
            assert kind.categories.tolist() == levels and kind.ordered == (name in ORDERED), name
            assert [type(one) for one in kind.categories.tolist()] == [type(one) for one in levels]
            if not isinstance(levels[0], str):
                assert str(kind.categories.dtype) == ("int64" if is_whole(levels) else "float64")


def test_order_is_kept_in_every_library(records):
    order = LEVELS["severity"].index
    greatest = max((one for one in records["severity"] if one is not None), key=order)
    assert greatest in ("high", "extreme") and "mid" in records["severity"]
    assert records.to_polars()["severity"].max() == pl.DataFrame(records)["severity"].max() == greatest
    assert records.to_pandas()["severity"].max() == greatest
    assert records.to_polars()["severity"].dtype == pl.Enum(LEVELS["severity"])
    assert records.to_polars()["falls"].max() == "1"
    table = records.to_arrow()
    for name, levels in LEVELS.items():
        kind = table.schema.field(name).type
        assert kind.ordered == (name in ORDERED)
        assert table[name].chunk(0).dictionary.to_pylist() == levels
        assert {name: records[name]} == table.select([name]).to_pydict()


def test_order_is_kept_in_files(records, tmp_path):
    records.to_parquet(tmp_path / "it.parquet")
    feather.write_feather(records.to_arrow(), tmp_path / "it.arrow")
    for frame in (pl.read_parquet(tmp_path / "it.parquet"), pl.read_ipc(tmp_path / "it.arrow")):
        assert frame["severity"].dtype == pl.Enum(LEVELS["severity"])
        assert frame["severity"].to_list() == records["severity"]
    for frame in (pd.read_parquet(tmp_path / "it.parquet"), pd.read_feather(tmp_path / "it.arrow")):
        assert frame["severity"].cat.ordered and frame["severity"].cat.categories.tolist() == LEVELS["severity"]
    for table in (parquet.read_table(tmp_path / "it.parquet"), feather.read_table(tmp_path / "it.arrow")):
        assert table.schema.field("severity").type.ordered


def test_categories_of_numbers_are_numbers(records):
    """In order of numbers, or without an order: 3, 1 as an ordinal stay words, which have theirs in Polars too."""
    frame = records.to_polars()
    assert [frame[name].dtype for name in ("code", "stars", "bit", "price")] == [pl.Int64] * 3 + [pl.Float64]
    assert frame.schema == pl.DataFrame(records).schema
    assert frame["price"].max() == 9.99
    for name in ("code", "stars", "price", "bit"):
        allowed = set(LEVELS[name]) | {None}
        assert set(records[name]) <= allowed and len(set(records[name])) > 1
        assert {type(one) for one in records[name]} <= {type(one) for one in allowed}
        assert records[0][name] == records[name][0] == frame[name][0]
    assert isinstance(records["falls"][0] or "", str) and isinstance(records["plz"][0] or "", str)
    assert {line.split(",")[2] for line in records.to_csv().splitlines()[1:]} <= {"3", "1", "20", ""}
    method = mo.Integral(DOMAIN, epsilon=1, accept_error=True)
    for table in (records, frame, records.to_pandas(), records.to_arrow(), records.to_dict()):
        assert method.check(table)["findings"] == 0


def test_texts_of_a_file_stay_as_declared():
    method = mo.Integral({"x": mo.categorical(["1.0", "2.50"], null="1.0", outside="1.0")}, epsilon=600)
    release = method.sample({"x": ["2.5"]})
    assert (release["x"], release.to_csv()) == ([2.5], "x\n2.50\n")
    assert release.to_pandas()["x"].tolist() == release.to_polars()["x"].to_list() == [2.5]


# ---- like


NUMPY = {
    "severity": object, "city": "str", "code": "int64", "stars": "float64", "price": "float64", "falls": "str", "plz": "category",
    "answer": "bool", "bit": "bool", "flag": "bool", "sure": "bool", "age": "int8", "count": "int8", "size": "float32",
    "day": "datetime64[ns]", "at": "datetime64[ns, UTC]",
}  # fmt: skip


def frame_of(kinds, rows=ROWS):
    """A frame with some values in it, for its types alone."""
    zeros = {"datetime64[ns]": "2020-01-01", "datetime64[ns, UTC]": "2020-01-01T00:00:00Z"}
    return pd.DataFrame({name: pd.Series([zeros.get(str(kind), 0)] * 2).astype(kind) for name, kind in kinds.items()})


def types_of(frame):
    return {name: str(kind) for name, kind in frame.dtypes.items()}


def assert_same_values(frame, records):
    """Whatever the container."""
    for name in records.columns:
        found = [None if pd.isna(one) else one for one in frame[name].tolist()]
        wanted = records[name]
        if name in ("day", "at"):
            found = [None if one is None else pd.Timestamp(one) for one in found]
            wanted = [None if one is None else pd.Timestamp(one) for one in wanted]
        assert found == wanted, name


def test_like_takes_numpys_types_whose_nulls_are_the_domains(records):
    frame = records.to_pandas(like=frame_of(NUMPY))
    assert_same_values(frame, records)
    string = str(pd.Series(["a"]).astype("str").dtype)
    assert types_of(frame) == {
        "severity": "object", "city": string, "code": "float64", "stars": "int64", "price": "float64", "falls": string,
        "plz": "category", "answer": "category", "bit": "int64", "flag": "object", "sure": "bool", "age": "float64",
        "count": "int64", "size": "float64", "day": "datetime64[s]", "at": "datetime64[s, UTC+01:00]",
    }  # fmt: skip


def test_like_takes_nullable_types(records):
    kinds = dict.fromkeys(ROWS, "Int64") | {"severity": "string", "city": "string", "flag": "boolean", "size": "Float64", "price": "Int8"}
    frame = records.to_pandas(like=frame_of(kinds))
    assert_same_values(frame, records)
    assert types_of(frame) == {
        "severity": "string", "city": "string", "code": "Int64", "stars": "Int64", "price": "Float64", "falls": "category",
        "plz": "category", "answer": "category", "bit": "Int64", "flag": "boolean", "sure": "boolean", "age": "Int64",
        "count": "Int64", "size": "Float64", "day": "datetime64[s]", "at": "datetime64[s, UTC+01:00]",
    }  # fmt: skip


def test_like_takes_arrows_types(records):
    words = pa.dictionary(pa.int8(), pa.string(), ordered=True)
    kinds = dict.fromkeys(ROWS, pa.int32()) | {
        "severity": pa.string(), "city": words, "code": words, "falls": words, "plz": pa.large_string(), "flag": pa.bool_(),
        "size": pa.float32(), "day": pa.timestamp("ns"), "at": pa.timestamp("s"),
    }  # fmt: skip
    wanted = {
        "severity": pa.string(), "city": pa.dictionary(pa.int32(), pa.string()), "code": pa.dictionary(pa.int32(), pa.int64()),
        "stars": pa.int64(), "price": pa.float64(), "falls": pa.dictionary(pa.int32(), pa.string(), ordered=True),
        "plz": pa.large_string(), "answer": pa.dictionary(pa.int32(), pa.large_string()), "bit": pa.int64(), "flag": pa.bool_(),
        "sure": pa.bool_(), "age": pa.int64(), "count": pa.int64(), "size": pa.float64(), "day": pa.timestamp("us"),
        "at": pa.timestamp("us", "UTC"),
    }  # fmt: skip
    like = pa.table({name: pa.nulls(2, kind) for name, kind in kinds.items()})
    for one in (like, like.schema):
        table = records.to_arrow(like=one)
        assert {field.name: field.type for field in table.schema} == wanted
        assert table.to_pydict() | {"day": None} == records.to_dict() | {"day": None}
    assert [one and one.date() for one in table["day"].to_pylist()] == records["day"]
    assert table["city"].chunk(0).dictionary.to_pylist() == LEVELS["city"]
    assert pl.from_arrow(table)["severity"].dtype == pl.String
    assert pl.from_arrow(table)["falls"].dtype == pl.Enum(LEVELS["falls"])
    in_frame = pd.DataFrame({name: pd.Series([None] * 2, dtype=pd.ArrowDtype(kind)) for name, kind in kinds.items()})
    frame = records.to_pandas(like=in_frame)
    assert {name: kind.pyarrow_dtype for name, kind in frame.dtypes.items()} == wanted
    assert_same_values(frame, records)
    assert len(records[:0].to_pandas(like=in_frame)) == 0


def test_like_takes_objects_and_categories(records):
    frame = records.to_pandas(like=frame_of(dict.fromkeys(ROWS, object)))
    assert set(types_of(frame).values()) == {"object"}
    assert_same_values(frame, records)
    assert {type(one) for one in frame["stars"]} == {int} and {type(one) for one in frame["flag"]} == {bool, type(None)}
    frame = records.to_pandas(like=frame_of(dict.fromkeys(ROWS, "category")))
    wanted = records.to_pandas()
    wanted["falls"] = wanted["falls"].cat.rename_categories(pd.Index([3, 1]))  # the frame's category has integers
    pd.testing.assert_frame_equal(frame, wanted)


def test_like_takes_a_category_of_integers(records):
    """Words that all write an integer become integers in declared order; the frame's own integers decide nothing."""
    falls, plz, city = (pd.CategoricalDtype(levels) for levels in ([7, 8], [1], [1]))
    frame = records.to_pandas(like=pd.DataFrame({"falls": pd.Series([7], dtype=falls), "plz": pd.Series([1], dtype=plz), "city": pd.Series([1], dtype=city)}))
    assert frame["falls"].dtype == pd.CategoricalDtype(pd.Index([3, 1], dtype="int64"), ordered=True)
    assert [None if pd.isna(one) else str(one) for one in frame["falls"].astype(object)] == [None if one is None else str(one) for one in records["falls"]]
    assert frame["plz"].dtype.categories.tolist() == ["01067", "10115"] and frame["city"].dtype.categories.tolist() == LEVELS["city"]
    table = pd.DataFrame({"rank": pd.Categorical([1, 2, 3] * 400, categories=[3, 2, 1], ordered=True)})
    release = mo.Marginals(mo.Domain.draft(table), epsilon=20, count=9, accept_error=True).sample(table)
    assert release.to_pandas(like=table)["rank"].dtype == table["rank"].dtype


def test_like_takes_periods(records):
    """Days and times of the domain in the frame's periods; a time on a clock keeps its clock."""
    kinds = {"day": "period[D]", "at": "period[h]", "age": "period[D]"}
    frame = records.to_pandas(like=pd.DataFrame({name: pd.Series([None], dtype=kind) for name, kind in kinds.items()}))
    assert types_of(frame) == types_of(records.to_pandas()) | {"day": "period[D]"}
    assert [None if one is pd.NaT else one.start_time.date() for one in frame["day"]] == records["day"]
    months = records.to_pandas(like=pd.DataFrame({"day": pd.Series([None], dtype="period[M]")}))["day"]
    assert [str(one) for one in months.dropna().unique()] == ["2026-01"] and months.isna().sum() == records["day"].count(None)
    domain = mo.Domain({"at": mo.datetime("2026-01-01", "2026-01-02", outside="null")})
    again = mo.Integral(domain, epsilon=8, count=5, accept_error=True).sample({"at": ["2026-01-01T11:00:00"] * 9})
    like = pd.DataFrame({"at": pd.PeriodIndex(["2026-01-01T11"], freq="h")})
    assert [one.start_time.hour for one in again.to_pandas(like=like)["at"]] == [one.hour for one in again["at"]]


def test_like_takes_polars_types(records):
    like = pl.DataFrame(
        schema={
            "severity": pl.String, "city": pl.Enum(["x", "Ghent"]), "code": pl.String, "price": pl.Categorical, "plz": pl.Categorical,
            "answer": pl.String, "falls": pl.Categorical, "day": pl.Datetime("ns"), "age": pl.Int8, "sure": pl.Float64, "other": pl.Int8,
        }
    )  # fmt: skip
    for one in (like, like.lazy()):
        frame = records.to_polars(like=one)
        assert frame.schema == pl.DataFrame(records).schema | {
            "severity": pl.String(), "city": pl.Enum(LEVELS["city"]), "answer": pl.String(), "day": pl.Datetime("us"),
        }  # fmt: skip
        assert frame.drop("day").to_dicts() == records[[name for name in records.columns if name != "day"]].to_polars().to_dicts()
        assert frame["day"].cast(pl.Date).to_list() == records["day"]


def test_only_types_of_a_frame_matter(records):
    """Two frames of one type with other values: categories, order, numbers for words, nulls, no row at all."""
    words = [
        pd.DataFrame({"severity": pd.Categorical(values, categories, ordered=ordered), "code": pd.Categorical(codes)})
        for values, categories, ordered, codes in (
            (["high", "mid"], ["high", "mid", "low"], True, [1, 2]),
            ([None, "x"], ["x"], False, ["a", "b"]),
            ([], [], False, []),
        )
    ]
    objects = [pd.DataFrame({name: pd.Series(values, dtype=object) for name in ROWS}) for values in ([1, 2], ["a", None], [])]
    numbers = [pd.DataFrame({name: pd.Series(values, dtype="Int64") for name in ROWS}) for values in ([1, 2], [None, -5], [])]
    floats = [pd.DataFrame({name: np.array(values, float) for name in ROWS}) for values in ([1, 2], [np.nan, 0.5], [])]
    # Integers with a null are floats, and truths objects, in a frame that read them.
    wholes = [pd.DataFrame({name: np.array(values) for name in ("age", "count", "code", "stars")}) for values in ([1, 2], [1.0, np.nan])]
    truths = [pd.DataFrame({"flag": [True, False]}), pd.DataFrame({"flag": [0, 1]})]
    for frames in (words, objects, numbers, floats, wholes, truths):
        first, *others = (records.to_pandas(like=frame) for frame in frames)
        for other in others:
            pd.testing.assert_frame_equal(first, other)
    tables = [
        pa.table({"severity": pa.DictionaryArray.from_arrays(pa.array([0, places], pa.int8()), listed, ordered=ordered)})
        for places, listed, ordered in ((0, ["x"], True), (None, ["high", "low"], False), (1, ["low", "mid"], True))
    ]
    first, *others = (records.to_arrow(like=table) for table in tables)
    assert all(first.equals(other, check_metadata=True) for other in others)
    frames = [pl.DataFrame({"severity": pl.Series(values, dtype=pl.Enum(levels)), "flag": values}) for values, levels in ((["b"], ["a", "b"]), ([None, "c"], ["c"]))]
    first, other = (records.to_polars(like=frame) for frame in frames)
    assert first.equals(other) and first.schema == other.schema == pl.DataFrame(records).schema


def test_like_is_a_frame_of_the_library(records):
    for make, other, said in (
        (records.to_pandas, {"a": [1]}, "like must be a pandas data frame, but is of type builtins.dict"),
        (records.to_pandas, pl.DataFrame(), "like must be a pandas data frame, but is of type polars.DataFrame"),
        (records.to_polars, pd.DataFrame(), "like must be a Polars data frame, but is of type pandas.DataFrame"),
        (records.to_arrow, 7, "like must be a table or a schema of pyarrow, but is of type builtins.int"),
    ):
        with pytest.raises(mo.InvalidInput) as refused:
            make(like=other)
        assert (str(refused.value), refused.value.code, refused.value.parameter) == (said, "wrong-type", "like")
    assert str(records.to_pandas(like=pd.DataFrame({"zone": [1]})).dtypes) == str(records.to_pandas().dtypes)
    assert records.to_polars(like=pl.DataFrame()).schema == records.to_polars().schema


# ---- Order that goes in


LOW_TO_HIGH = {"type": "ordinal", "values": ["low", "mid", "high", "extreme"]}


def in_order():
    """Tables of every library whose type lists an order that is not the alphabet's, with a level that no row has."""
    duckdb = pytest.importorskip("duckdb")
    values, levels = ["mid", "low", None, "high"], LOW_TO_HIGH["values"]
    codes = pa.array([1, 0, None, 2], pa.int8())
    frame = pd.DataFrame({"x": pd.Categorical(values, levels, ordered=True)})
    enum = pl.DataFrame({"x": pl.Series(values, dtype=pl.Enum(levels))})
    arrow = pa.table({"x": pa.DictionaryArray.from_arrays(codes, levels, ordered=True)})
    yield "pandas", frame
    yield "pandas objects", pd.DataFrame({"x": pd.Categorical(values, pd.Index(levels, dtype=object), ordered=True)})
    yield "pandas in a mapping", {"x": frame["x"]}
    yield "pandas of Arrow", pd.DataFrame({"x": pd.array(arrow["x"], dtype=pd.ArrowDtype(arrow["x"].type))})
    yield "Polars", enum
    yield "Polars, lazy", enum.lazy()
    yield "Polars in a mapping", {"x": enum["x"]}
    yield "Arrow", arrow
    yield "Arrow, in batches", pa.Table.from_batches(arrow.to_batches() * 3)
    yield "Arrow, a stream", arrow.to_reader()
    connection = duckdb.connect()
    connection.execute("create type level as enum ('low', 'mid', 'high', 'extreme')")
    connection.execute("create table t as select x::level as x from (values ('mid'), ('low'), (null), ('high')) as v(x)")
    yield "DuckDB", connection.table("t")
    yield "DuckDB, selected", connection.sql("select x from t where x <> 'low' or x is null")


def test_a_draft_keeps_the_order_of_a_type(tmp_path):
    for name, table in in_order():
        drafted = mo.Domain.draft(table)
        assert drafted.columns["x"].items() >= LOW_TO_HIGH.items(), name
        if hasattr(table, "to_parquet") or name == "Polars":
            path = tmp_path / f"{len(name)}.parquet"
            (table.write_parquet if name == "Polars" else table.to_parquet)(path if "DuckDB" not in name else str(path))
            if "DuckDB" not in name:  # whose files hold words alone
                assert mo.Domain.draft(path) == drafted
    for ordered in (
        pd.Categorical([3, 1, 2], [3, 2, 1, 0], ordered=True),
        pa.DictionaryArray.from_arrays(pa.array([0, 1], pa.int32()), pa.array([3, 2, 1, 0]), ordered=True),
    ):
        assert mo.Domain.draft({"x": ordered}).columns["x"]["values"] == ["3", "2", "1", "0"]
    for plain in (pd.Categorical(["b", "a"], ["b", "a"]), ["b", "a"], pl.Series(["b", "a"], dtype=pl.Categorical)):
        column = mo.Domain.draft({"x": plain}).columns["x"]
        assert (column["type"], column["values"]) == ("categorical", ["a", "b"])


def test_categories_of_private_data_change_nothing():
    """A frame of categories and a list of its words have the same output distribution."""
    levels = ["high", "x", "mid", "low", "extreme"]
    words = ["mid", "low", None, "high", "high"]
    method = mo.Integral({"x": mo.ordinal(["low", "mid", "high"], **NULLS)}, epsilon=3, accept_error=True)
    wanted = method.compare({"x": words})
    private = [
        pd.DataFrame({"x": pd.Categorical(words, levels, ordered=ordered)}) for ordered in (True, False)
    ] + [
        pl.DataFrame({"x": pl.Series(words, dtype=pl.Enum(levels))}),
        pl.DataFrame({"x": pl.Series(words, dtype=pl.Categorical)}),
        pa.table({"x": pa.DictionaryArray.from_arrays(pa.array([2, 3, None, 0, 0], pa.int8()), levels, ordered=True)}),
    ]
    for table in private:
        assert method.compare(table) == wanted and str(method.compare(table)) == str(wanted)
        release = method.sample(table)
        assert release.to_polars().schema == {"x": pl.Enum(["low", "mid", "high"])}
        assert release.to_pandas()["x"].cat.categories.tolist() == ["low", "mid", "high"]
        assert release.certificate == method.sample({"x": words}).certificate
