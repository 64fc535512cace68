"""A release is total: private values decide neither about an exception, nor a shape, nor a word.

Each table has the same columns, of the same types as far as types are told; only values differ.
"""

import datetime
import decimal
import fractions
import signal
import warnings

import numpy as np
import pytest

import mollify as mo
from by_word import by_word

pandas = pytest.importorskip("pandas")
polars = pytest.importorskip("polars")
pyarrow = pytest.importorskip("pyarrow")


class Hostile:
    """Whatever one asks of it, it raises."""

    def __getattribute__(self, name):
        raise RuntimeError("a private value speaks")

    def __str__(self):
        raise RuntimeError("a private value speaks")

    def __eq__(self, other):
        raise RuntimeError("a private value speaks")

    __hash__ = None


class Liar(str):
    """A text that says it is another one."""

    def __str__(self):
        raise RuntimeError("a private value speaks")


class Endless(int):
    def __index__(self):
        raise RuntimeError("a private value speaks")

    __int__ = __index__


class Interrupting:
    def __str__(self):
        raise KeyboardInterrupt("a private value speaks")


class Leaving(str):
    def __str__(self):
        raise SystemExit("a private value speaks")

    __float__ = __str__


class Warner:
    def __str__(self):
        warnings.warn("a private value speaks")
        return "female"


OBJECTS = [
    None,
    1,
    "x",
    b"\xff\xfe",
    1.5,
    float("nan"),
    float("inf"),
    -0.0,
    10**400,
    -(10**5000),
    True,
    np.float32(0.1),
    np.uint64(2**64 - 1),
    np.bool_(True),
    np.str_("female"),
    np.datetime64("NaT", "s"),
    np.datetime64("2024-01-01T00", "h"),
    np.timedelta64(3, "s"),
    np.void(b"abc"),
    pandas.NA,
    pandas.NaT,
    pandas.Timestamp("2024-01-01", tz="Asia/Tokyo"),
    pandas.Interval(0, 1),
    datetime.date(1, 1, 1),
    datetime.datetime.max.replace(tzinfo=datetime.timezone(datetime.timedelta(hours=-23))),
    datetime.time(1),
    decimal.Decimal("sNaN"),
    decimal.Decimal("1e999999"),
    fractions.Fraction(1, 3),
    1j,
    [1, [2]],
    {"a": 1},
    "\ud800",
    "a\nb,\"c\"\x00",
    "",
    "é" * 10000,
    Hostile(),
    Liar("male"),
    Endless(3),
    Interrupting(),
    Leaving("1"),
    Warner(),
    object(),
    Exception,
    ...,
]
"""45 of them; a column of each, and of all."""

MODELS = [
    {"method": "local", "unit": "unit", "units": ["a", "b", "c"], "epsilon": 2, "count": 2, "accept_error": True},
    {"method": "local", "unit": "unit", "units": ["a", "b", "c"], "epsilon": 2, "candidates": 64, "accept_error": True},
    {"method": "integral", "epsilon": 2, "count": 3, "accept_error": True},
    {
        **{"method": "central", "epsilon": 1, "delta": 1e-6, "count": 3},
        **{"mechanism": "subsampled-rr", "accept_error": True},
    },
]


def facts(release):
    """All that may be seen of a release but its values."""
    return (
        release.certificate.json,
        len(release),
        [str(kind) for kind in release.to_pandas().dtypes],
        pyarrow.table(release).schema,
    )


def agree(tables, domain, **options):
    """Releases from all of them, and compares."""
    seen = []
    for table in tables:
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            release = by_word(domain, **options).sample(table)
        seen.append((facts(release), release.warnings))
        other = [str(one.message) for one in said if not issubclass(one.category, mo.ReleaseWarning)]
        assert not other, other
    assert all(one == seen[0] for one in seen)
    return len(seen)


@pytest.mark.parametrize("options", MODELS, ids=lambda options: options["method"])
def test_objects(domain, options, capfd):
    rows = 12
    names = [*domain, "unit"]

    def table(objects):
        return {name: [objects[i % len(objects)] for i in range(rows)] for name in names}

    columns = [table([one]) for one in OBJECTS] + [
        table(OBJECTS[i:] + OBJECTS[:i]) for i in range(0, len(OBJECTS), 4)
    ]

    def arrays(columns):
        made = {}
        for name, values in columns.items():
            made[name] = np.empty(rows, object)
            for i, one in enumerate(values):  # at once NumPy would look inside of lists
                made[name][i] = one
        return made

    agree(columns, domain, **options)
    agree([arrays(one) for one in columns], domain, **options)
    frames = [pandas.DataFrame(arrays(one), dtype=object) for one in columns]
    agree(frames, domain, **options)
    assert capfd.readouterr() == ("", "")


def test_objects_warn_nobody_and_the_user_may_stop(domain, tmp_path):
    class Pressed:
        """The user presses Ctrl-C while it is asked."""

        def __str__(self):
            signal.raise_signal(signal.SIGINT)
            return "female"

    table = {name: [Warner()] * 3 for name in domain}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        before = warnings.filters[:]
        assert len(mo.Integral(domain, epsilon=4).sample(table)) == 1
        assert warnings.filters == before
    # A program that the shell puts into the background begins with Ctrl-C ignored.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    ledger = mo.Ledger(tmp_path / "budget.db")
    ledger.declare("people", epsilon=2, scope="table")
    try:
        with pytest.raises(KeyboardInterrupt):
            mo.Integral(
                domain,
                epsilon=2,
            ).sample({name: [Pressed()] * 3 for name in domain}, ledger=ledger, data_set="people")  # fmt: skip
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)
    assert ledger.balance("people").releases == 0


@pytest.mark.parametrize("options", MODELS, ids=lambda options: options["method"])
def test_numbers_of_every_type(domain, options):
    rows = 12
    for kind in ("i1", "u1", "<i2", ">u2", "i4", ">i8", "u8", "<f4", ">f4", "f8", "g", "?"):
        random = np.random.default_rng(1)
        dtype = np.dtype(kind)

        def array(bits, dtype=dtype):
            if dtype.kind == "b":
                return bits[:rows] > 127
            if dtype.char == "g":  # not every pattern is a number of 80 bits
                return bits[: 8 * rows].view(np.float64).astype(np.longdouble)
            return bits[: rows * dtype.itemsize].view(dtype)

        patterns = [
            np.zeros(16 * rows, np.uint8),
            np.full(16 * rows, 0xFF, np.uint8),
            *(random.integers(0, 256, 16 * rows, np.uint8) for _ in range(3)),
        ]
        names = [*domain, "unit"]
        with np.errstate(all="ignore"):
            tables = [{name: array(bits) for name in names} for bits in patterns]
        agree(tables, domain, **options)
        if kind[0] not in "><g":
            agree([pandas.DataFrame(table) for table in tables], domain, **options)


def test_times_of_every_unit(domain):
    rows = 5
    extremes = [0, 1, -1, 2**63 - 1, -(2**63) + 1, -(2**63)]
    for unit in ("Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns", "ps", "as", "25s"):
        tables = [
            {name: np.full(rows, value, np.int64).view(f"M8[{unit}]") for name in domain}
            for value in extremes
        ]
        assert agree(tables, domain, method="integral", epsilon=1) == len(extremes)


def test_texts_of_every_form(domain):
    for texts in (["", "", ""], ["female", "x", "é\U0001f600"], ["null", "\x00", "a" * 99]):
        agree(
            [
                {name: np.array(texts, "U99") for name in domain},
                {name: np.array(["a", "b", "c"], "U99") for name in domain},
            ],
            domain,
            method="integral",
            epsilon=1,
        )
    # Letters that no text has.
    wild = np.full(3 * 4, 0xFFFFFFFF, np.uint32).view("U4")
    agree(
        [{name: wild for name in domain}, {name: np.zeros(3, "U4") for name in domain}],
        domain,
        method="integral",
        epsilon=1,
    )
    agree(
        [{name: np.array([b"\xff\x00a", b""], "S3") for name in domain}] * 2,
        domain,
        method="integral",
        epsilon=1,
    )


def test_arrow_with_what_is_no_text_and_places_beyond_their_dictionary(domain):
    """Arrow's own checks are not made, so values that no writer makes are read."""
    rows = 4
    places = [pyarrow.array([0, 1, 2, 3], pyarrow.int8()), pyarrow.array([-5, 99, 1, 0], pyarrow.int8())]
    words = pyarrow.array(["female", "male"])
    wild = [pyarrow.DictionaryArray.from_arrays(one, words, safe=False) for one in places]
    texts = [
        pyarrow.array([b"\xff", b"", b"female", b"x" * 50]).view(pyarrow.string()),
        pyarrow.array([None] * rows, pyarrow.string()),
    ]
    falling = pyarrow.StringArray.from_buffers(
        rows,
        pyarrow.py_buffer(np.array([0, 6, 3, 2000000, 6], np.int32)),
        pyarrow.py_buffer(b"female"),
    )
    for arrays in (wild, [*texts, falling]):
        agree(
            [pyarrow.table({name: array for name in domain}) for array in arrays],
            domain,
            method="integral",
            epsilon=1,
        )


def test_intervals_are_their_texts():
    ages = pandas.cut(pandas.Series([5, 15, None]), [0, 10, 20])
    domain = {"age": mo.categorical(["(0, 10]", "(10, 20]"], null="category")}
    for place, expected in enumerate(["(0, 10]", "(10, 20]", None]):
        for form in (ages, ages.astype(object)):
            frame = pandas.DataFrame({"age": form[place : place + 1]})
            assert mo.Integral(domain, epsilon=60).sample(frame).to_dict()["age"] == [expected]


def test_polars_nulls_and_categories(domain):
    tables = [
        polars.DataFrame({name: polars.Series(values, dtype=polars.Categorical) for name in domain})
        for values in (["female", None, "x"], [None, None, None], ["a", "b", "c"])
    ]
    agree(tables, domain, method="integral", epsilon=1)


@pytest.mark.parametrize("method", ["__arrow_c_stream__", "__arrow_c_array__"])
def test_what_raises_while_it_exports_is_not_quoted(method):
    def export(self, requested_schema=None):
        raise TypeError("4711")

    table = type("Table", (), {method: export})
    asked = mo.Integral({"a": mo.boolean(null=False)}, epsilon=1)
    for data in (table(), {"a": table()}):
        with pytest.raises(mo.InvalidInput, match=f"cannot be read: {method} of its .*Table raises TypeError") as refused:
            asked.sample(data)
        assert "4711" not in str(refused.value) and refused.value.__context__ is None


def test_the_number_of_rows_shows_only_where_it_is_public(domain):
    """A unit without rows, no rows at all, and many rows of one unit."""
    options = {"method": "local", "unit": "unit", "units": ["a", "b", "c"], "epsilon": 2}
    tables = [
        {name: ["a"] * rows for name in [*domain, "unit"]} for rows in (0, 1, 5, 5000)
    ]
    agree(tables, domain, **options)
    agree([pandas.DataFrame(table) for table in tables[1:]], domain, **options)
    agree(tables, domain, method="integral", epsilon=1)


def test_draws_from_arrays_and_lists_of_anything():
    """Whether one null has made other numbers of a column's is private, and refused nowhere."""
    k = 4
    response, sampler = mo.RandomizedResponse(k=k, epsilon=60), mo.Sampler(k=k, epsilon=30)
    tables = [[3, 1, 2], [3, None, 2], [None] * 3, ["x", b"y", 1j], [Hostile(), Liar("2"), Endless(3)]]
    tables.append([np.float32(3), 10**400, np.uint64(2**64 - 1)])

    def objects(values):
        array = np.empty(len(values), object)
        for place, value in enumerate(values):  # at once NumPy would ask what they are
            array[place] = value
        return array

    forms = [list, tuple, objects, lambda values: pandas.Series(objects(values), dtype=object)]
    for values in tables:
        for form in forms:
            seen = response.draw(form(values))
            assert seen.shape == (3,) and np.all(seen < k)
            assert sampler.draw_units(form(values), [0, 1, 2, 3]).shape == (3,)
            assert sampler.draw_units([1] * 3, units=form(values), n=5).shape == (5,)
            weights = form(values)
            assert sampler.draw_units([1] * 3, [0, 1, 2, 3], weights=weights).shape == (3,)
            assert sampler.draw([list(values) + [1]] * 2).shape == (2,)
    typed = [
        lambda values: pandas.Series(values),
        lambda values: pandas.array(values, dtype="Int8"),
        lambda values: pandas.Series(values, dtype="category"),
        lambda values: polars.Series(values),
        lambda values: pyarrow.array(values),
        lambda values: np.ma.array([0 if one is None else one for one in values],
                                   mask=[one is None for one in values]),
    ]  # fmt: skip
    for form in typed:
        # At so great an epsilon a value is itself, but for a chance of 4 / e^30 < 1e-12 each.
        assert response.draw(form([3, 1, 2])).tolist() == [3, 1, 2]
        assert response.draw(form([3, None, 2])).tolist() == [3, 0, 2]
        assert sampler.draw_units(form([3, None, 2]), [0, 1, 3]).tolist() == [3, 2]


def test_scores_of_every_value():
    """No score is refused; without any weight the reference is released."""
    sampler = mo.Sampler("relative", reference=[1, 2, 3, 4], epsilon=1)
    rows = np.array(
        [
            [np.nan] * 4,
            [np.inf, 1, 1, 1],
            [-np.inf, -1, 0, -0.0],
            [0] * 4,
            [5e-324, 1e308, 1e308, 1e308],
        ]
    )
    with np.errstate(all="ignore"):
        small = rows.astype("f4")
    for scores in (rows, small, rows[::-1], np.asfortranarray(rows), rows > 0):
        released = sampler.draw(scores)
        assert released.shape == (5,)
        assert released.dtype == np.uint32
        assert np.all(released < 4)
    assert sampler.draw_units([0, 4, 4294967295, 3], [0, 9, 2, 4]).shape == (3,)
    assert sampler.draw_units([-1, 2**40, 3], [0, 1, 3], weights=[np.nan, -1, np.inf]).shape == (2,)
    response = mo.RandomizedResponse(k=4, epsilon=30)
    wild = np.array([-1, 4, 2**63 - 1, -(2**63)])
    assert np.all(response.draw(wild) < 4)
    assert np.all(response.draw(np.array([2**64 - 1, 4], np.uint64)) < 4)


class Raising(list):
    """A row that raises when its numbers are asked for."""

    def __iter__(self):
        raise RuntimeError("a private value speaks")


BAD_ROWS = [None, "x", 7, [], [1.0], [1.0] * 9, [None] * 4, ["x", {}, [1], "2"], Raising([1.0] * 4), object(), {}]


@pytest.mark.parametrize("bad", BAD_ROWS, ids=lambda bad: type(bad).__name__)
def test_one_bad_row_of_scores_changes_no_shape(bad):
    """A list of rows of Python objects: the rows' types and lengths are private, their number is public."""
    sampler = mo.Sampler("relative", reference=[1, 2, 3, 4], epsilon=30)
    good = [[0, 0, 0, 1]] * 5
    for place, rows in ((0, [bad, *good]), (5, [*good, bad]), (0, (bad, *good))):
        released = sampler.draw(rows)
        assert released.shape == (6,) and released.dtype == np.uint32
        # At this epsilon a row is its own outcome, except for a chance below 4 / e^30 each.
        assert np.delete(released, place).tolist() == [3] * 5
    if bad not in (7, [], [1.0], [1.0] * 9):  # a list of one of these is an array of numbers, whose shape is public
        assert sampler.draw([bad]).shape == (1,)
    public = np.zeros((6, 4))
    tokens = mo_language().TokenSampler(epsilon=1)
    assert tokens.draw([bad, *good], public).shape == (6,)


def mo_language():
    from mollify.adapters import language

    return language


@pytest.mark.parametrize("bad", BAD_ROWS, ids=lambda bad: type(bad).__name__)
def test_one_bad_record_changes_no_shape(bad):
    sampler = mo.Sampler(k=4, epsilon=30)
    response = mo.RandomizedResponse(k=4, epsilon=30)
    for records in ([bad, 1, 2], [1, 2, bad], [bad]):
        assert sampler.draw_units(records, [0, len(records)]).shape == (1,)
        assert sampler.draw_units([1] * len(records), units=records, n=2).shape == (2,)
        assert sampler.draw_units([1] * len(records), [0, len(records)], weights=records).shape == (1,)
    for table in ([[0, 1], bad], [bad, [0, 1], [1, 0]]):
        assert len(response.draw(table)) == len(table)
