"""A table that can be read once is read once: a reader at its end looks like a table without rows.

Which object was read is public, so the second reading is refused, before the charge. How many rows a
table has can be private, so a release never says that there are none.
"""

import gc
import threading

import pytest

import mollify as mo
from mollify import _read_once

np = pytest.importorskip("numpy")
duckdb = pytest.importorskip("duckdb")
nanoarrow = pytest.importorskip("nanoarrow")
pandas = pytest.importorskip("pandas")
polars = pytest.importorskip("polars")
pyarrow = pytest.importorskip("pyarrow")

COLUMNS = {"x": ["a", "b", "a"] * 40, "who": ["u", "v", "w"] * 40}
TABLE = pyarrow.table(COLUMNS)
DOMAIN = mo.Domain({"x": mo.categorical(["a", "b"])})
UNITS = ["u", "v", "w"]


CONNECTIONS = []
"""DuckDB 1 closes a connection that nothing holds, and its relations with it."""


def of_duckdb():
    relation = duckdb_relation()
    return (getattr(relation, "to_arrow_reader", None) or relation.fetch_arrow_reader)()


def duckdb_relation():
    CONNECTIONS.append(duckdb.connect())
    return CONNECTIONS[-1].from_arrow(TABLE)


class WithoutHints:
    """A stream of another library, which says nothing about itself."""

    def __init__(self):
        self.reader = arrow_reader()

    def __arrow_c_stream__(self, requested_schema=None):
        return self.reader.__arrow_c_stream__()


class WithoutWeakReferences:
    """Like some compiled classes."""

    __slots__ = ("reader",)
    __init__ = WithoutHints.__init__
    __arrow_c_stream__ = WithoutHints.__arrow_c_stream__


def arrow_reader():
    return pyarrow.RecordBatchReader.from_batches(TABLE.schema, TABLE.to_batches())


READERS = {
    "pyarrow's reader": arrow_reader,
    "DuckDB's reader": of_duckdb,
    "Polars' batches": lambda: polars.DataFrame(TABLE).lazy().collect_batches(lazy=True),
    "nanoarrow's stream": lambda: nanoarrow.ArrayStream(TABLE),
    "nanoarrow's C stream": lambda: nanoarrow.c_array_stream(TABLE),
    "a stream without hints": WithoutHints,
    "a stream without weak references": WithoutWeakReferences,
}
TABLES = {
    "pyarrow's table": lambda: TABLE,
    "pyarrow's batch": lambda: TABLE.to_batches()[0],
    "Polars' frame": lambda: polars.DataFrame(TABLE),
    "Polars' lazy frame": lambda: polars.DataFrame(TABLE).lazy(),
    "pandas' frame": lambda: pandas.DataFrame(COLUMNS),
    "DuckDB's relation": duckdb_relation,
    "a mapping": lambda: COLUMNS,
}
LOCAL = mo.Local(DOMAIN, unit="who", units=UNITS, epsilon=2, accept_error=True)
CENTRAL = mo.Central(DOMAIN, epsilon=1, delta=1e-6, count=3, accept_error=True)
INTEGRAL = mo.Integral(DOMAIN, epsilon=2, accept_error=True)
MARGINALS = mo.Marginals(DOMAIN, epsilon=2, delta=1e-6, count=3, accept_error=True)


CALLS = {
    "check": INTEGRAL.check,
    "compare": INTEGRAL.compare,
    "sample local": LOCAL.sample,
    "sample central": CENTRAL.sample,
    "sample integral": INTEGRAL.sample,
    "sample marginals": MARGINALS.sample,
    "fit": lambda table: mo.Synthesizer(INTEGRAL).fit(table),
    "nonprivate.compare": lambda table: mo.nonprivate.compare(COLUMNS, table, DOMAIN),
    "compared as released": lambda table: mo.nonprivate.compare(table, COLUMNS, DOMAIN),
    "draft": mo.Domain.draft,
    "reference": lambda table: mo.Integral(DOMAIN, epsilon=2, reference=table, accept_error=True),
    "units": lambda table: mo.Local(DOMAIN, unit="who", units=table, units_column="who", epsilon=2, accept_error=True),
}


@pytest.mark.parametrize("second", CALLS)
@pytest.mark.parametrize("kind", READERS)
def test_a_reader_is_not_read_twice(kind, second):
    reader = READERS[kind]()
    INTEGRAL.check(reader)
    with pytest.raises(mo.InvalidInput, match="that was read before, and it can be read once. Make a new one"):
        CALLS[second](reader)


@pytest.mark.parametrize("first", [name for name in CALLS if name != "units"])
def test_every_call_remembers(first):
    reader = arrow_reader()
    CALLS[first](reader)
    with pytest.raises(mo.InvalidInput, match="is a RecordBatchReader that was read before"):
        INTEGRAL.sample(reader)


@pytest.mark.parametrize("kind", TABLES)
def test_a_table_is_read_as_often_as_you_like(kind):
    table = TABLES[kind]()
    for name in ("check", "compare", "sample local", "sample central", "sample integral", "check"):
        CALLS[name](table)


def test_nothing_is_charged(tmp_path):
    ledger = mo.Ledger(tmp_path / "ledger.db")
    ledger.declare("data", epsilon=10)
    for method in (LOCAL, CENTRAL, INTEGRAL):
        reader = arrow_reader()
        method.check(reader)
        with pytest.raises(mo.InvalidInput, match="read before"):
            method.sample(reader, ledger=ledger, data_set="data")
    assert [one["kind"] for one in ledger.history("data")] == ["total"]


def test_a_refused_call_leaves_a_reader_unread():
    reader = arrow_reader()
    with pytest.raises(mo.InvalidInput, match="no column"):
        mo.Integral({"y": mo.boolean()}, epsilon=2, accept_error=True).sample(reader)
    with pytest.raises(mo.InvalidInput):
        INTEGRAL.sample(reader, counts_column="none")
    mo.Integral(DOMAIN, epsilon=90, count=1).sample(reader)
    with pytest.raises(mo.InvalidInput, match="read before"):
        INTEGRAL.check(reader)


def test_a_call_that_counted_rows_and_was_refused_has_read():
    reader = arrow_reader()
    with pytest.raises(mo.InvalidInput, match="noise"):
        mo.Central(DOMAIN, epsilon=1e-6, delta=1e-6, count=3).sample(reader)
    with pytest.raises(mo.InvalidInput, match="read before"):
        CENTRAL.sample(reader)


def test_an_id_that_is_used_again_is_another_object():
    """Objects die and their ids come back; in 1000 rounds both kinds meet an id again."""
    for make in (arrow_reader, WithoutHints):
        ids = set()
        for _ in range(1000):
            reader = make()
            ids.add(id(reader))
            INTEGRAL.check(reader)
        assert len(ids) < 1000
        del reader
        gc.collect()
    kept = [WithoutWeakReferences() for _ in range(50)]
    for reader in kept:
        INTEGRAL.check(reader)
    places = set(map(id, kept))
    del kept, reader
    gc.collect()
    assert places <= set(_read_once._were_read)
    for _ in range(50):
        INTEGRAL.check(WithoutWeakReferences())


def test_a_dead_reader_is_forgotten():
    gc.collect()
    before = len(_read_once._were_read)
    for _ in range(100):
        INTEGRAL.check(arrow_reader())
    gc.collect()
    assert len(_read_once._were_read) <= before


def test_one_of_two_threads_reads():
    for _ in range(20):
        reader, both, said = arrow_reader(), threading.Barrier(2), []

        def sample():
            both.wait()
            try:
                INTEGRAL.sample(reader)
                said.append("sampled")
            except mo.InvalidInput as error:
                said.append("refused" if "read before" in str(error) else str(error))

        threads = [threading.Thread(target=sample) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(said) == ["refused", "sampled"]


def test_columns_are_not_read_twice():
    column = nanoarrow.ArrayStream(pyarrow.array(COLUMNS["x"]))
    INTEGRAL.sample({"x": column})
    with pytest.raises(mo.InvalidInput, match='column "x" is a ArrayStream that was read before'):
        INTEGRAL.sample({"x": column})


@pytest.mark.parametrize(
    "given",
    [iter([TABLE]), (row for row in TABLE.to_pylist()), TABLE.__arrow_c_stream__(), map(str, "ab")],
    ids=lambda one: type(one).__name__,
)
def test_what_is_no_table_is_refused_by_its_type(given):
    for ask in (INTEGRAL.check, INTEGRAL.compare, INTEGRAL.sample):
        with pytest.raises(mo.InvalidInput, match=f"but is of type {type(given).__name__}"):
            ask(given)


def test_a_file_that_is_open_is_refused_by_its_type(schools):
    with open(schools / "schools.csv") as file, pytest.raises(mo.InvalidInput, match="but is of type io.TextIOWrapper"):
        INTEGRAL.sample(file)


def test_check_says_that_there_are_no_rows_and_a_release_does_not():
    empty, full = TABLE.slice(0, 0), TABLE
    found = LOCAL.check(empty)
    assert found["records"] == 0
    assert found["notes"] == ["the data has no records, so a release would be noise alone"]
    assert "the data has no records" in str(found) and not LOCAL.check(full)["notes"]
    for method in (LOCAL, INTEGRAL):
        without, release = method.sample(empty), method.sample(full)
        assert without.warnings == release.warnings and without.notes == release.notes
        assert without.certificate.json == release.certificate.json
