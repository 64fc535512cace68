"""Frame, CSV written by its library, and Parquet: the same values are the same cells, nulls included.

Every type of pandas, Polars and Arrow is here: the last tests compare what is tried with the types
that each library has. A type either gives the same cells all three ways, or the release refuses its
column by its type, which is public. Left out are lists, which are several records and have no CSV,
and two files of pandas that say something else than its frames: bytes are written as b'...', and
0.1 of 32 bits in an Arrow column as 0.10000000149011612 (in a NumPy column as 0.1).
"""

import datetime as dt
import decimal

import numpy as np
import pytest

import mollify as mo

pandas = pytest.importorskip("pandas")
polars = pytest.importorskip("polars")
pyarrow = pytest.importorskip("pyarrow")
csv = pytest.importorskip("pyarrow.csv")
parquet = pytest.importorskip("pyarrow.parquet")

MAPPED = {"null": "category", "outside": "null"}
NUMBERS = {
    "codes": mo.categorical([0, "1.0", "03", "-2e0", 0.1, "0.70", 300], **MAPPED),
    "truths": mo.boolean(**MAPPED),
    "words": mo.boolean(["0", "1"], **MAPPED),
    "integers": mo.integer(-5, 5, **MAPPED),
    "numbers": mo.number(edges=[-5, -0.1, 0.1, 0.3, 0.7, 5], **MAPPED),
}
TRUTHS = {
    "truths": mo.boolean(**MAPPED),
    "words": mo.categorical(["False", "TRUE"], **MAPPED),
    "others": mo.boolean(["no", "yes"], **MAPPED),
    "unusual": mo.boolean(["female", "male"], **MAPPED),
    "letters": mo.categorical(["Y", "N"], **MAPPED),
    "codes": mo.categorical([0, 1], **MAPPED),
    "integers": mo.integer(0, 1, **MAPPED),
}
TEXTS = TRUTHS | NUMBERS | {"texts": mo.categorical(["a", " b", "1.0", "yes", "50%"], **MAPPED)}
TIMES = {
    "days": mo.date("2026-01-01", "2026-01-05", **MAPPED),
    "clock": mo.datetime("2026-01-01T00:00:00", "2026-01-05T23:59:59", bins=120, **MAPPED),
    "zone": mo.datetime("2026-01-01T00:00:00", "2026-01-05T23:59:59", bins=120, zone="+01:00", **MAPPED),
    "berlin": mo.datetime("2026-01-01", "2026-01-05", bins=120, zone="Europe/Berlin", **MAPPED),
    "days in berlin": mo.date("2026-01-01", "2026-01-05", zone="Europe/Berlin", **MAPPED),
    "format": mo.date("01.01.2026", "05.01.2026", format="%d.%m.%Y", **MAPPED),
    "words": mo.categorical(["2026-01-01", "2026-01-01T22:30:00Z", "2026-01-01 23:30"], **MAPPED),
}

SIGNED = [0, 1, None, 3, -2, 9, 100]
UNSIGNED = [0, 1, None, 3, 2, 9, 200]
FLOATS = [0.0, 1.0, None, 3.0, -2.0, 0.1, 0.3, 0.7, 0.2, 300.0, 1e-5, float("inf")]
BOOLEANS = [True, False, None, True]
WORDS = ["a", " b", None, "1.0", "01", "1e0", "yes", "N", "T", "NaN", "1,234", "50%", "TRUE", "", "é, \"x\""]
DATES = [dt.date(2026, 1, 1), None, dt.date(2026, 1, 2), dt.date(2025, 1, 2), dt.date(1969, 12, 31)]
CLOCKS = [
    dt.datetime(2026, 1, 1),
    None,
    dt.datetime(2026, 1, 1, 23, 30),
    dt.datetime(2026, 1, 3, 12, 34, 56, 789000),
    dt.datetime(1969, 12, 31, 23, 59, 59),
]
DECIMALS = [None if one is None else decimal.Decimal(str(one)) for one in (0, 1, None, 3, -2, "0.10", "0.7", 300)]
LISTS = "lists"


# ---- Types and what they are tried with


def pandas_columns():
    for bits in (8, 16, 32, 64):
        yield f"int{bits}", [one for one in SIGNED if one is not None], NUMBERS
        yield f"uint{bits}", [one for one in UNSIGNED if one is not None], NUMBERS
        yield f"Int{bits}", SIGNED, NUMBERS
        yield f"UInt{bits}", UNSIGNED, NUMBERS
        yield pandas.SparseDtype(f"int{bits}"), [0, 1, 3], NUMBERS
    for kind in ("float32", "float64", "Float32", "Float64", pandas.SparseDtype("float32")):
        yield kind, FLOATS, NUMBERS
    yield "longdouble", FLOATS, NUMBERS
    yield "bool", [True, False], TRUTHS
    yield "boolean", BOOLEANS, TRUTHS
    for kind in ("string", "string[python]", "string[pyarrow]", "str", object):
        yield kind, WORDS, TEXTS
    yield object, BOOLEANS, TRUTHS
    yield object, [*SIGNED, 2**64, 2**70, 1.0, True], NUMBERS
    yield object, [np.float32(0.1), np.float16(0.7), np.int8(3), None], NUMBERS
    yield object, DECIMALS, NUMBERS
    yield object, DATES, TIMES
    yield object, CLOCKS, TIMES
    for values, tried in ((WORDS, TEXTS), (SIGNED, NUMBERS), (FLOATS, NUMBERS), (BOOLEANS, TRUTHS)):
        yield "category", values, tried
    for unit in ("s", "ms", "us", "ns"):
        yield f"datetime64[{unit}]", CLOCKS, TIMES
        yield f"datetime64[{unit}, Europe/Berlin]", CLOCKS, TIMES
    yield "datetime64[us, UTC]", CLOCKS, TIMES
    yield "period[D]", DATES, TIMES
    for frequency in ("h", "min", "s", "ms", "us", "ns", "2h"):
        yield f"period[{frequency}]", CLOCKS, TIMES
    for kind, values, tried in arrow_columns():
        yield pandas.ArrowDtype(kind), values, tried
    interval = mo.categorical(["(0.0, 1.0]"], **MAPPED)
    yield pandas.IntervalDtype("float64"), [pandas.Interval(0.0, 1.0), None], {"words": interval}
    for kind in ("float16", "timedelta64[ns]", "complex64", "complex128", "period[M]", "period[Q-DEC]", "period[W-SUN]", "period[2Y-DEC]"):
        yield kind, None, None


def polars_columns():
    for bits in (8, 16, 32, 64):
        yield getattr(polars, f"Int{bits}"), SIGNED, NUMBERS
        yield getattr(polars, f"UInt{bits}"), UNSIGNED, NUMBERS
    for kind in (polars.Float32, polars.Float64):
        yield kind, [*FLOATS, float("nan")], NUMBERS
    yield polars.Decimal(10, 2), DECIMALS, NUMBERS
    yield polars.Boolean, BOOLEANS, TRUTHS
    yield polars.String, WORDS, TEXTS
    yield polars.Categorical, WORDS, TEXTS
    yield polars.Enum([one for one in WORDS if one is not None]), WORDS, TEXTS
    yield polars.Binary, [None if one is None else one.encode() for one in WORDS], TEXTS
    yield polars.Null, [None, None], NUMBERS | TIMES
    yield polars.Date, DATES, TIMES
    for unit in ("ms", "us", "ns"):
        for zone in (None, "Europe/Berlin"):
            yield polars.Datetime(unit, zone), CLOCKS, TIMES
    for zone in ("UTC", "Asia/Kolkata"):
        yield polars.Datetime("us", zone), CLOCKS, TIMES
    for kind in (polars.Float16, polars.Int128, polars.UInt128, polars.Time, polars.Duration("us")):
        yield kind, None, None
    for kind in (polars.List(polars.Int8), polars.Array(polars.Int8, 1)):
        yield kind, LISTS, None
    yield polars.Struct({"x": polars.Int8}), None, None


def arrow_columns():
    for bits in (8, 16, 32, 64):
        yield getattr(pyarrow, f"int{bits}")(), SIGNED, NUMBERS
        yield getattr(pyarrow, f"uint{bits}")(), UNSIGNED, NUMBERS
    for kind in (pyarrow.float32(), pyarrow.float64()):
        yield kind, [*FLOATS, float("nan"), -float("nan")], NUMBERS
    yield pyarrow.bool_(), BOOLEANS, TRUTHS
    for kind in (pyarrow.string(), pyarrow.large_string(), pyarrow.string_view()):
        yield kind, WORDS, TEXTS
    for kind in (pyarrow.binary(), pyarrow.large_binary(), pyarrow.binary_view()):
        yield kind, [None if one is None else one.encode() for one in WORDS], TEXTS
    yield pyarrow.null(), [None, None], NUMBERS | TIMES
    yield pyarrow.date32(), DATES, TIMES
    yield pyarrow.date64(), DATES, TIMES
    for unit in ("s", "ms", "us", "ns"):
        for zone in (None, "Europe/Berlin"):
            yield pyarrow.timestamp(unit, zone), CLOCKS, TIMES
    for zone in ("UTC", "+05:30"):
        yield pyarrow.timestamp("us", zone), CLOCKS, TIMES
    for bits in (32, 64, 128, 256):
        if hasattr(pyarrow, f"decimal{bits}"):  # the first two from pyarrow 19 on
            yield getattr(pyarrow, f"decimal{bits}")(9, 2), DECIMALS, NUMBERS
    yield pyarrow.dictionary(pyarrow.int8(), pyarrow.string()), WORDS, TEXTS
    yield pyarrow.dictionary(pyarrow.int8(), pyarrow.int64()), SIGNED, NUMBERS
    yield pyarrow.dictionary(pyarrow.int8(), pyarrow.float64()), FLOATS, NUMBERS
    for kind in (pyarrow.float16(), pyarrow.time32("s"), pyarrow.time64("us"), pyarrow.duration("s")):
        yield kind, None, None
    yield pyarrow.month_day_nano_interval(), None, None
    yield pyarrow.binary(3), None, None
    for kind in (pyarrow.binary(), pyarrow.large_binary()):  # as DuckDB's long integers and daft's objects are
        yield pyarrow.opaque(kind, "bignum", "DuckDB"), None, None
    yield pyarrow.list_(pyarrow.int8()), LISTS, None
    yield pyarrow.large_list(pyarrow.int8()), LISTS, None
    yield pyarrow.list_(pyarrow.int8(), 1), LISTS, None
    yield pyarrow.list_view(pyarrow.int8()), None, None
    yield pyarrow.large_list_view(pyarrow.int8()), None, None
    yield pyarrow.struct({"x": pyarrow.int8()}), None, None
    yield pyarrow.map_(pyarrow.int8(), pyarrow.int8()), None, None
    yield pyarrow.sparse_union([pyarrow.field("x", pyarrow.int8())]), None, None
    yield pyarrow.dense_union([pyarrow.field("x", pyarrow.int8())]), None, None
    yield pyarrow.run_end_encoded(pyarrow.int32(), pyarrow.int8()), None, None


# ---- Frames, files, and what the library makes of them


def pandas_frame(kind, values):
    if isinstance(kind, pandas.ArrowDtype):
        series = pandas.Series(pandas.array(arrow_array(kind.pyarrow_dtype, values), dtype=kind))
    elif str(kind).endswith("Berlin]") or str(kind).endswith("UTC]"):
        series = pandas.Series(pandas.to_datetime(values, utc=True)).astype(kind)
    elif str(kind).startswith("period["):
        series = pandas.Series(pandas.PeriodIndex(values, dtype=kind))
    elif kind in ("float32", "float64", "longdouble"):
        series = pandas.Series([np.nan if one is None else one for one in values]).astype(kind)
    else:
        series = pandas.Series(values, dtype=kind)
    return pandas.DataFrame({"row": range(len(series)), "value": series})


def polars_frame(kind, values):
    if isinstance(kind, polars.Datetime) and kind.time_zone is not None:
        series = polars.Series(values, dtype=polars.Datetime(kind.time_unit))
        series = series.dt.replace_time_zone("UTC").dt.convert_time_zone(kind.time_zone)
    else:
        series = polars.Series(values, dtype=kind)
    return polars.DataFrame({"row": range(len(values)), "value": series})


def arrow_array(kind, values):
    if pyarrow.types.is_decimal(kind) and kind.bit_width < 128:
        return pyarrow.array(values, pyarrow.decimal128(kind.precision, kind.scale)).cast(kind)
    if pyarrow.types.is_dictionary(kind):
        return pyarrow.array(values, kind.value_type).dictionary_encode().cast(kind)
    return pyarrow.array(values, kind)


def arrow_frame(kind, values):
    return pyarrow.table({"row": range(len(values)), "value": arrow_array(kind, values)})


def written(write, path):
    """Whether the library can write the type; what a failure leaves is removed."""
    try:
        write(path)
    except (pyarrow.ArrowException, polars.exceptions.PolarsError, NotImplementedError, TypeError):
        path.unlink(missing_ok=True)
    return path.exists()


def pandas_files(frame, as_csv, as_parquet):
    with np.errstate(invalid="ignore"):  # NumPy 1.24 warns of NaN that pandas writes
        has_csv = written(lambda path: frame.to_csv(path, index=False), as_csv)
    return has_csv, written(frame.to_parquet, as_parquet)


def polars_files(frame, as_csv, as_parquet):
    return written(frame.write_csv, as_csv), written(frame.write_parquet, as_parquet)


def arrow_files(frame, as_csv, as_parquet):
    return (
        written(lambda path: csv.write_csv(frame, path), as_csv),
        written(lambda path: parquet.write_table(frame, path), as_parquet),
    )


LIBRARIES = {
    "pandas": (pandas_columns, pandas_frame, pandas_files),
    "polars": (polars_columns, polars_frame, polars_files),
    "arrow": (arrow_columns, arrow_frame, arrow_files),
}


def cells(data, rows, column):
    """The cell of each row's value: the table's own share of each pair of a row and a cell."""
    domain = mo.Domain({"row": mo.integer(0, rows - 1, null=0, outside="clip"), "value": column})
    compared = mo.Integral(domain, epsilon=1).compare(data)
    found = [one["outcome"] for one in compared["outcomes"] if one["truth"] > 0]
    assert len(found) == rows, found
    return found


def columns_of(library):
    return list(LIBRARIES[library][0]())


@pytest.mark.parametrize(
    ("library", "kind", "values", "tried"),
    [(library, *one) for library in LIBRARIES for one in columns_of(library) if one[2]],
    ids=lambda one: str(one) if not isinstance(one, (list, dict)) else "",
)
def test_frame_csv_and_parquet_give_the_same_cells(library, kind, values, tried, tmp_path):
    _, frame_of, write_files = LIBRARIES[library]
    frame = frame_of(kind, values)
    as_csv, as_parquet = tmp_path / "data.csv", tmp_path / "data.parquet"
    has_csv, has_parquet = write_files(frame, as_csv, as_parquet)
    if "_view" in str(kind) and int(pyarrow.__version__.split(".")[0]) < 19:
        # pyarrow 18 writes no views, so the files hold the same values in a type without views.
        assert not has_csv and not has_parquet
        plain = pyarrow.string() if "string" in str(kind) else pyarrow.binary()
        plain = pandas.ArrowDtype(plain) if library == "pandas" else plain
        has_csv, has_parquet = write_files(frame_of(plain, values), as_csv, as_parquet)
        assert has_csv and has_parquet
    assert has_csv or has_parquet
    for others, text in (("binary", "b'a'"), ("float[pyarrow]", "0.10000000149011612")):
        # pandas 3 writes them so, though the column holds something else.
        if library == "pandas" and others in str(kind) and has_csv and text in as_csv.read_text():
            has_csv = False
    is_extension = library == "pandas" and ("period" in str(kind) or "interval" in str(kind))
    for name, column in tried.items():
        found = cells(frame, len(values), column)
        if has_csv:
            assert cells(as_csv, len(values), column) == found, f"CSV, {name}"
        if has_parquet and is_extension:  # what is stored is not what it means
            with pytest.raises(mo.InvalidInput, match="of the data must be of booleans, integers"):
                cells(parquet.read_table(as_parquet), len(values), column)
        elif has_parquet:
            assert cells(parquet.read_table(as_parquet), len(values), column) == found, f"Parquet, {name}"


def nulls(library, kind):
    if library == "pandas" and isinstance(kind, pandas.ArrowDtype):
        return pandas.DataFrame({"value": pandas.array(pyarrow.nulls(1, kind.pyarrow_dtype), dtype=kind)})
    if library == "pandas" and str(kind).startswith("period["):
        return pandas.DataFrame({"value": pandas.Series([None], dtype=kind)})
    if library == "pandas":
        return pandas.DataFrame({"value": pandas.Series([0], dtype=kind)})
    if library == "polars":
        return polars.DataFrame({"value": polars.Series([None], dtype=kind)})
    return pyarrow.table({"value": pyarrow.nulls(1, kind)})


@pytest.mark.parametrize(
    ("library", "kind"),
    [(library, one[0]) for library in LIBRARIES for one in columns_of(library) if one[1] is None],
    ids=str,
)
def test_other_types_are_refused_by_their_type(library, kind):
    expected = 'column "value" of the data must be of booleans, .*, dates or timestamps, .*but .*: cast it to '
    with pytest.raises(mo.InvalidInput, match=expected) as refused:
        mo.Integral({"value": mo.boolean(**MAPPED)}, epsilon=1).sample(nulls(library, kind))


    named = {"duration": "durations", "interval": "intervals", "int128": "128-bit integers", "time": "times of day"}
    held = [words for word, words in named.items() if word in str(kind).lower() and library != "pandas"]
    if held:
        assert f"but has {held[0]}" in str(refused.value)


def test_every_type_of_arrow_is_tried():
    """pyarrow makes no value of the two older intervals, and version 18 does not name them."""
    older = {"Type_INTERVAL_MONTHS", "Type_INTERVAL_DAY_TIME"}
    known = {name for name in dir(pyarrow.lib) if name.startswith("Type_")}
    tried = {kind.id for kind, _, _ in arrow_columns()}
    missing = {name for name in known if getattr(pyarrow.lib, name) not in tried}
    assert missing == known & older


def test_every_type_of_polars_is_tried():
    """An object has no Arrow form; a map and an extension are lists or what they extend; the others name no values."""

    def below(kind):
        return {kind}.union(*map(below, kind.__subclasses__()))

    known = {kind.__name__ for kind in below(polars.DataType) if not kind.__subclasses__()}
    tried = {kind.base_type().__name__ for kind, _, _ in polars_columns()}
    assert known - tried <= {"Object", "Map", "BaseExtension", "Extension", "Unknown"}


def test_every_type_of_pandas_is_tried():
    """Its own types, and NumPy's kinds of which it makes columns."""
    from pandas.core.dtypes.base import _registry

    known = {kind.__name__ for kind in _registry.dtypes} | set("biufcmMO")
    tried = set()
    for kind, values, tried_with in pandas_columns():
        kind = pandas_frame(kind, values)["value"].dtype if tried_with else pandas.api.types.pandas_dtype(kind)
        tried |= {type(kind).__name__, getattr(kind, "kind", "")}
    assert known <= tried, known - tried
