"""Decimal columns, as databases have them: each value is in the cell that its text is in, exactly."""

import decimal

import numpy as np
import pytest

import mollify as mo
from by_word import by_word

pandas = pytest.importorskip("pandas")
polars = pytest.importorskip("polars")
pyarrow = pytest.importorskip("pyarrow")
duckdb = pytest.importorskip("duckdb")

DIGITS = {"decimal32": 9, "decimal64": 18, "decimal128": 38, "decimal256": 76}  # the first two from pyarrow 19 on
MOST_DIGITS = {getattr(pyarrow, name): digits for name, digits in DIGITS.items() if hasattr(pyarrow, name)}


def column(integers, make, scale):
    """Integers times 10^-scale; None is null."""
    with decimal.localcontext(prec=100):
        values = [None if one is None else decimal.Decimal(one).scaleb(-scale) for one in integers]
    return pyarrow.array(values, make(MOST_DIGITS[make], scale))


def texts(decimals):
    """As databases write them into files: every digit, none more or less."""
    return ["" if one is None else f"{one:f}" for one in decimals.to_pylist()]


def read(values):
    """A column as the library hands it on."""
    # Beside another column: an empty line would be no record.
    table = {"x": values, "y": ["."] * len(values)}
    lines = mo._data.source_of(table, ["x", "y"]).csv_text([]).decode().splitlines()
    return [line.removesuffix(",.") for line in lines[1:]]


@pytest.mark.parametrize("make", MOST_DIGITS, ids=lambda make: make.__name__)
def test_every_digit_is_read(make):
    """200 random integers of every length, of a seed that is printed, and the edges."""
    seed = int(np.random.SeedSequence().entropy % 2**32)
    random = np.random.default_rng(seed)
    print("seed", seed)
    digits = MOST_DIGITS[make]
    for scale in (0, 2, digits):
        integers = [None, 0, 1, -1, 10**digits - 1, 1 - 10**digits, 10 ** (digits // 2)]
        for i in range(200):
            whole = int("".join(map(str, random.integers(0, 10, 1 + i % digits))))
            integers.append(-whole if random.integers(2) else whole)
        decimals = column(integers, make, scale)
        assert read(decimals) == texts(decimals)
        assert read(decimals[3:9]) == texts(decimals)[3:9]
        assert read(decimals.to_pylist()) == texts(decimals)  # objects
        places = pyarrow.array(range(len(decimals)), pyarrow.int16())
        assert read(pyarrow.DictionaryArray.from_arrays(places, decimals)) == texts(decimals)
        assert read(pandas.Series(decimals, dtype=pandas.ArrowDtype(decimals.type))) == texts(decimals)
        if make is pyarrow.decimal128:
            assert read(polars.from_arrow(decimals)) == texts(decimals)


def test_scales_below_zero_are_zeros_before_the_point():
    held = column([123, -5, 0], pyarrow.decimal128, 0)
    assert read(pyarrow.Array.from_buffers(pyarrow.decimal128(5, -2), 3, held.buffers())) == [
        *("12300", "-500", "0")
    ]


DOMAIN = {
    "small": mo.integer(-20, 20, null="category"),
    "great": mo.integer(2**53, 2**53 + 40, null="category"),
    "number": mo.number(-1, 1, bins=16, null="category"),
    "word": mo.categorical(["0", "1", "-2.00", "9007199254740993"], null="category"),
    "truth": mo.boolean(null="category"),
}


def cell(name, value):
    """The bin of a number, which is all that is released of it, and whose edges are doubles; else the value."""
    return value if name != "number" or value is None else min(int((value + 1) * 8), 15)


@pytest.mark.parametrize("scale", [0, 2, 20])
def test_a_decimal_is_in_the_cell_of_its_text(scale):
    """At this epsilon another cell comes with a chance below 2^13 exp(-200) of each of 160 values."""
    integers = [None, 10**38 - 1, 1 - 10**38, 2**63, -(2**63) - 1, 2**53 + 1, 1, -1]
    one = 10**scale
    integers += [0, one, -2 * one, 19 * one, 21 * one, -20 * one, 19 * one + 1, (2**53 + 1) * one]
    # About the edge of a bin: a digit below, the edge, a digit above.
    integers += [one // 8 - 1, one // 8, one // 8 + 1, -one // 8 - 1, -one // 8]
    integers = [whole for whole in integers if whole is None or abs(whole) < 10**38]
    decimals = column(integers, pyarrow.decimal128, scale)
    units = [str(i) for i in range(len(integers))]
    for name, kind in DOMAIN.items():
        seen = []
        for values in (decimals, texts(decimals)):
            table = {"unit": units, name: values}
            release = mo.Local({name: kind}, unit="unit", units=units, epsilon=200).sample(table)
            seen.append([cell(name, value) for value in release.to_dict()[name]])
        assert seen[0] == seen[1], name
        assert len(set(map(str, seen[0]))) > 1, name


def test_databases_decimals_need_no_cast():
    """DuckDB's sum of integers is decimal(38, 0); a price is decimal(9, 2)."""
    table = duckdb.sql(
        "select 'a' as unit, sum(range)::decimal(38, 0) as total, 12.50::decimal(9, 2) as price,"
        " sum(range) as huge from range(10)"
    )
    domain = {"total": mo.integer(0, 100), "price": mo.number(0, 20, bins=2), "huge": mo.integer(0, 100)}
    for data in (table, table.pl(), table.to_arrow_table(), table.df()):
        release = mo.Local(domain, unit="unit", units=["a"], epsilon=200).sample(data)
        released = release.to_dict()
        assert (released["total"], released["huge"]) == ([45], [45])
        assert released["price"][0] >= 10


def test_hostile_decimals_change_nothing_that_is_seen():
    """Bytes that no precision allows, behind nulls and not."""
    domain = {name: DOMAIN[name] for name in ("small", "word")}
    seen = set()
    for fill in (b"\x00", b"\xff", b"\x80", b"\x7f"):
        for validity in (None, b"\x05"):
            held = [validity and pyarrow.py_buffer(validity), pyarrow.py_buffer(fill * 48)]
            wild = pyarrow.Array.from_buffers(pyarrow.decimal128(5, 2), 3, held)
            release = by_word(
                domain,
                **{"method": "integral", "epsilon": 1, "accept_error": True},
            ).sample(pyarrow.table({name: wild for name in domain}))
            seen.add((release.certificate.json, len(release), str(release.to_pandas().dtypes)))
    assert len(seen) == 1
