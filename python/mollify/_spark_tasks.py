"""What Spark's workers run: each class is a task, sent with the public side of a release and applied to batches of
private rows. `spark` makes the plans.
"""

from __future__ import annotations

import functools
import hashlib
import zlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from mollify import _core
from mollify._domain import as_domain
from mollify._release_key import ReleaseKey
from mollify._spec import public_files

if TYPE_CHECKING:
    import pyarrow as pa

    from mollify._method_base import Method


class Ready:
    """Whether a worker makes the release that the driver made: no words if it does."""

    def __init__(self, made: Made) -> None:
        self.made = made

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        for _ in batches:
            is_alike = self.made.release().certificate() == self.made.certificate
            yield pa.record_batch({"said": ["" if is_alike else "its certificate differs from the driver's"]})


class Made:
    """The public side of a release, for workers that have none of its files.

    Each process prepares the release once.
    """

    _prepared: dict[str, _core.PreparedRelease] = {}

    def __init__(
        self, spec: str, records: int | None, texts: dict[str, bytes], certificate: str
    ) -> None:
        self.spec = spec
        self.records = records
        self.texts = texts
        self.certificate = certificate

    @classmethod
    def of(cls, method: Method, records: int | None) -> Made:
        spec, texts = method._spec, dict(method._texts)
        domain = as_domain(method.domain)
        if domain._path is not None:
            texts[domain._path] = domain.yaml().encode()
        paths = [getattr(method, part, None) for part in public_files()]
        band = str(getattr(method, "band", None))
        if band.startswith("file="):
            paths.append(band.removeprefix("file="))
        for path in paths:
            if not isinstance(path, str):
                continue
            try:
                with open(path, "rb") as file:
                    texts[path] = file.read()
            except (OSError, ValueError):
                continue  # the library says what is wrong with it
        prepared = _core.PreparedRelease(spec, records, texts)
        made = cls(spec, records, texts, prepared.certificate())
        cls._prepared = {made._digest(): prepared}
        return made

    def _digest(self) -> str:
        return hashlib.sha256(self.certificate.encode()).hexdigest()

    def release(self) -> _core.PreparedRelease:
        """Prepared in this process."""
        digest = self._digest()
        if digest not in self._prepared:
            prepared = _core.PreparedRelease(self.spec, self.records, self.texts)
            type(self)._prepared = {digest: prepared}  # a worker seldom has two releases
        return self._prepared[digest]


@functools.lru_cache(maxsize=1)
def roster_of(prepared: _core.PreparedRelease) -> tuple[pa.RecordBatch, Any] | None:
    """The units of a roster without records, and the bucket of each."""
    roster = prepared.roster_counts()
    if roster is None:
        return None
    units = counts_of_units(roster)
    return units, buckets_of(units.column(0))


def _of_utc(column: pa.Array) -> pa.Array:
    """Instants without the session's zone, whose clock is not theirs."""
    import pyarrow as pa

    is_instant = pa.types.is_timestamp(column.type) and column.type.tz is not None
    return column.cast(pa.timestamp(column.type.unit, "UTC")) if is_instant else column


class Reading:
    """How workers read what `spark` selected: of these names, the first ones by their
    words, and perhaps a last column of hashes. If `codes` is not 0, each row is one
    integer: `codes` times its unit, and the place of its words among `codes`.
    """

    def __init__(
        self, names: list[str], words: dict[str, list[str]], *, is_hashed: bool, codes: int = 0
    ) -> None:
        self.names = names
        self.words = words
        self.is_hashed = is_hashed
        self.codes = codes
        self.rows = self.total = 0

    def sources(self, batches: Iterator[pa.RecordBatch]) -> Iterator[_core.Source]:
        """All of them are in `rows` and `total` then."""
        import pyarrow as pa

        lists = [pa.array([*words, None], pa.string()) for words in self.words.values()]
        for batch in batches:
            columns = [_of_utc(column) for column in batch.columns]
            if self.is_hashed:
                self.rows += batch.num_rows
                self.total += int(columns.pop().to_numpy().sum())
            if lists:
                columns = [*_columns_of_words(columns[0], lists), *columns[1:]]
            named = pa.RecordBatch.from_arrays(columns, names=self.names)
            yield _core.Source.batch(*named.__arrow_c_array__())

    def seen(self, slices: int) -> bytes:
        """What this task has read, which every slice of its result goes with: a cluster
        may take one slice from one attempt at the task, and the next from another.
        """
        import numpy as np
        from pyspark import TaskContext

        context: Any = TaskContext.get()
        total = (self.total + 2**63) % 2**64 - 2**63
        return np.array([context.partitionId(), slices, self.rows, total], np.int64).tobytes()


SLICES = "slice bigint, records binary, counts binary, seen binary"


class CountRecords:
    """Rows of the data to counts of their records, for each unit or for all."""

    slices = 64

    def __init__(self, made: Made, reading: Reading, *, by_unit: bool) -> None:
        self.made = made
        self.reading = reading
        self.by_unit = by_unit

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        counter = _core.RecordCounter(self.made.release())
        for part in self.reading.sources(batches):
            counter.add(part)
            if counter.is_full():
                yield from self._counts(counter.take(), b"")
        yield from self._counts(counter.take(), b"" if self.by_unit else self.reading.seen(self.slices))

    def _counts(self, taken: tuple[Any, ...], seen: bytes) -> Iterator[pa.RecordBatch]:
        if self.by_unit:
            yield from in_buckets(counts_of_units(taken))
            return
        records, counts = taken[3], taken[5]
        for place in range(self.slices):
            some = records % self.slices == place
            yield _slice(place, records[some], counts[some], seen)


class CountKeys:
    """Rows that are one integer each to counts of their records, for each unit.

    Equal integers are counted before anything is read from them: sorting integers takes
    a sixth of the time of reading rows. An integer's unit is its decimal digits, as for
    every reader; the outcome of each code is what the library counts for it.
    """

    most = 1 << 21  # rows at a time, of 8 bytes
    most_codes = 1 << 10

    def __init__(self, made: Made, reading: Reading) -> None:
        self.made = made
        self.reading = reading

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        outcomes = self._outcomes()
        keys: list[Any] = []
        rows = 0
        for batch in batches:
            keys.append(batch.column(0).drop_null().to_numpy())  # a row of no unit has no key
            rows += len(keys[-1])
            if rows >= self.most:
                yield from self._counts(keys, outcomes)
                keys, rows = [], 0
        if rows:
            yield from self._counts(keys, outcomes)

    def _outcomes(self) -> Any:
        """The outcome of each code, which the library counts for a unit that it knows."""
        import numpy as np
        import pyarrow as pa

        roster = roster_of(self.made.release())
        name = "0" if roster is None else roster[0].column(0)[0].as_py().decode()
        counter = _core.RecordCounter(self.made.release())
        codes = range(self.reading.codes)
        outcomes = []
        for row in self.reading.sources(pa.record_batch({"code": [code], "unit": [name]}) for code in codes):
            counter.add(row)
            outcomes.append(counter.take()[3][0])
        return np.array(outcomes, np.uint32)

    def _counts(self, parts: list[Any], outcomes: Any) -> Iterator[pa.RecordBatch]:
        import numpy as np
        import pyarrow as pa

        keys = np.concatenate(parts)
        keys.sort()
        begins = np.flatnonzero(np.append(True, keys[1:] != keys[:-1]))
        counts = np.diff(begins, append=len(keys)).astype(np.uint64)
        ids, codes = np.divmod(keys[begins], self.reading.codes)
        bounds = np.append(np.flatnonzero(np.append(True, ids[1:] != ids[:-1])), len(ids))
        names = pa.array(ids[bounds[:-1]]).cast(pa.large_string()).cast(pa.large_binary())
        units = pa.RecordBatch.from_arrays(
            [names, _binary(bounds * 4, outcomes[codes]), _binary(bounds * 8, counts)], names=COUNTED
        )
        roster = roster_of(self.made.release())
        if roster is not None:
            units = units.filter(pa.compute.is_in(names, roster[0].column(0)))
        yield from in_buckets(units)


def _slice(place: int, records: Any, counts: Any, seen: bytes) -> pa.RecordBatch:
    import pyarrow as pa

    content = {"slice": pa.array([place], pa.int64())}
    for name, one in (("records", records.tobytes()), ("counts", counts.tobytes()), ("seen", seen)):
        content[name] = pa.array([one], pa.binary())
    return pa.record_batch(content)


def add_counts(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Counts of each slice's records."""
    import numpy as np

    found: dict[int, tuple[Any, Any, bytes]] = {}
    nothing = (np.zeros(0, np.uint32), np.zeros(0, np.uint64), b"")
    for batch in batches:
        for place, *parts in zip(batch.column(0).to_pylist(), *(batch.column(i).to_pylist() for i in (1, 2, 3))):
            records, counts, seen = found.get(place, nothing)
            both = np.concatenate([records, np.frombuffer(parts[0], np.uint32)])
            distinct, of = np.unique(both, return_inverse=True)
            sums = np.zeros(len(distinct), np.uint64)
            np.add.at(sums, of, np.concatenate([counts, np.frombuffer(parts[1], np.uint64)]))
            found[place] = distinct, sums, seen + parts[2]
    for place, some in found.items():
        yield _slice(place, *some)


def _columns_of_words(codes: pa.Array, lists: list[pa.Array]) -> Iterator[pa.Array]:
    """What `spark` made one integer of, as columns with dictionaries."""
    import numpy as np
    import pyarrow as pa

    for places, words in zip(np.unravel_index(codes.to_numpy(), [len(one) for one in lists]), lists):
        yield pa.DictionaryArray.from_arrays(pa.array(places), words)


COUNTED = ["unit", "records", "counts"]


def counts_of_units(taken: tuple[Any, ...]) -> pa.RecordBatch:
    import pyarrow as pa

    return pa.RecordBatch.from_arrays(
        [_binary(*taken[:2]), _binary(*taken[2:4]), _binary(*taken[4:])], names=COUNTED
    )


def _binary(bounds: Any, content: Any) -> pa.Array:
    import pyarrow as pa

    buffers = [None, pa.py_buffer(bounds), pa.py_buffer(content)]
    return pa.Array.from_buffers(pa.large_binary(), len(bounds) - 1, buffers)


def _parts(column: pa.Array) -> tuple[Any, Any]:
    """The bounds of binary values, and their bytes end to end: the reverse of `_binary`."""
    import numpy as np
    import pyarrow as pa

    column = column.cast(pa.large_binary())
    if len(column) == 0:
        return np.zeros(1, np.int64), np.zeros(0, np.uint8)
    bounds = np.frombuffer(column.buffers()[1], np.int64)[column.offset : column.offset + len(column) + 1]
    content = np.frombuffer(column.buffers()[2] or b"", np.uint8)
    return bounds - bounds[0], content[bounds[0] : bounds[-1]]


# The units of a bucket are one row of Spark's: it sorts and hands over thousands of these instead of millions of units.
# All of a unit's counts are in one bucket, because its name decides which.

BUCKETS = 1 << 12
IN_BUCKETS = "bucket int, sizes binary, unit binary, records binary, counts binary"


def buckets_of(names: pa.Array) -> Any:
    import numpy as np

    bounds, content = _parts(names)
    text, ends = content.tobytes(), bounds.tolist()
    hashes = [zlib.crc32(text[begin:end]) for begin, end in zip(ends, ends[1:])]
    return (np.array(hashes, np.uint32) % BUCKETS).astype(np.int32)


def in_buckets(units: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    """Rows of units as rows of buckets, in parts that are small in Spark's memory."""
    import numpy as np
    import pyarrow as pa

    buckets = buckets_of(units.column(0))
    order = np.argsort(buckets, kind="stable")
    found, begins = np.unique(buckets[order], return_index=True)
    begins = np.append(begins, len(order))
    parts = [_parts(column) for column in units.take(pa.array(order)).columns]
    sizes = np.stack([np.diff(bounds) for bounds, _ in parts], axis=1).astype(np.uint32)
    columns = [pa.array(found), _binary(begins * sizes.itemsize * len(parts), sizes)]
    columns += [_binary(bounds[begins], content) for bounds, content in parts]
    table = pa.table(columns, names=["bucket", "sizes", *COUNTED])
    yield from table.to_batches(max_chunksize=1 << 8)


def of_buckets(
    batches: Iterator[pa.RecordBatch], roster: tuple[pa.RecordBatch, Any] | None
) -> Iterator[pa.RecordBatch]:
    """Rows of buckets, bucket after bucket, as rows of units, unit after unit. Units of the
    roster come even if they have no counts.
    """
    import numpy as np

    waiting: list[pa.RecordBatch] = []
    last = -1
    most = 1 << 9  # rows at a time: each becomes many
    for batch in (whole.slice(place, most) for whole in batches for place in range(0, whole.num_rows, most)):
        buckets = batch.column(0).to_numpy()
        begin = int(np.searchsorted(buckets, buckets[-1]))  # of a bucket that the next batch may go on with
        if begin > 0 or buckets[-1] != last:
            yield from _units_of([*waiting, batch.slice(0, begin)], roster)
            waiting = []
        waiting.append(batch.slice(begin))
        last = buckets[-1]
    yield from _units_of(waiting, roster)


def _units_of(
    parts: list[pa.RecordBatch], roster: tuple[pa.RecordBatch, Any] | None
) -> Iterator[pa.RecordBatch]:
    """The units of whole buckets."""
    import numpy as np
    import pyarrow as pa

    if not parts:
        return
    table = pa.concat_batches(parts)
    sizes = _parts(table.column(1))[1].view(np.uint32).reshape(-1, len(COUNTED)).astype(np.int64)
    bounds = np.pad(np.cumsum(sizes, axis=0), ((1, 0), (0, 0)))
    columns = [
        _binary(np.ascontiguousarray(bounds[:, place]), _parts(table.column(2 + place))[1])
        for place in range(len(COUNTED))
    ]
    units = [pa.RecordBatch.from_arrays(columns, names=COUNTED)]
    if roster is not None:
        here = np.zeros(BUCKETS, bool)
        here[table.column(0).to_numpy()] = True
        units.append(roster[0].filter(pa.array(here[roster[1]])))
    yield from pa.Table.from_batches(units).sort_by("unit").to_batches(max_chunksize=1 << 14)


class SumRecords:
    """Rows of a part of the data to integers, which are added to other parts' integers.

    A question is as secret as the records: for Gaussian samples it has a release key.
    """

    most = 1 << 15  # integers in a slice

    def __init__(self, made: Made, reading: Reading, asked: bytes) -> None:
        self.made = made
        self.reading = reading
        self.asked = asked

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        from pyspark import TaskContext

        context: Any = TaskContext.get()
        part = _core.RecordSums(self.made.release(), self.asked, context.partitionId())
        for records in self.reading.sources(batches):
            part.add(records)
        begin, sums = part.take()
        places = range(0, max(len(sums), 1), self.most)
        seen = self.reading.seen(len(places))
        for place in places:
            some = sums[place : place + self.most]
            yield _row_of_sums(begin + place, some if some.any() else some[:0], seen)


def _row_of_sums(begin: int, sums: Any, seen: bytes) -> pa.RecordBatch:
    import pyarrow as pa

    binary = [pa.array([one], pa.binary()) for one in (sums.tobytes(), seen)]
    return pa.record_batch({"begin": [begin], "sums": binary[0], "seen": binary[1]})


def add_sums(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Those that begin at one place, modulo 2^64."""
    import numpy as np

    found: dict[int, tuple[Any, list[bytes]]] = {}
    for batch in batches:
        for begin, sums, seen in zip(*(column.to_pylist() for column in batch.columns)):
            some = np.frombuffer(sums, np.int64)
            before, parts = found.get(begin, (some[:0], []))
            longer, shorter = (before, some) if len(before) > len(some) else (some.copy(), before)
            longer[: len(shorter)] += shorter
            found[begin] = longer, [*parts, seen]
    for begin, (sums, parts) in found.items():
        yield _row_of_sums(begin, sums, b"".join(parts))


class DrawUnits:
    """Counts of each unit's records, bucket after bucket, to released rows.

    Anyone who has the key and the released rows can test guesses of the private ones.
    The key travels like the private rows, and has no text form.
    """

    def __init__(self, made: Made, key: ReleaseKey, names: list[str], with_places: bool) -> None:
        self.made = made
        self.key = key.bytes_for_workers()
        self.names = names
        self.with_places = with_places

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        draws = _core.UnitDraws(
            self.made.release(), ReleaseKey.of_worker_bytes(self.key)._inside, self.made.certificate
        )
        for units in of_buckets(batches, roster_of(self.made.release())):
            yield from self._rows(*draws.draw(_core.Source.batch(*units.__arrow_c_array__()), False))
        yield from self._rows(*draws.draw(no_counts(), True))

    def _rows(self, table: _core.Table, places: Any) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        rows = arrow_table(table)
        columns = [as_stored(column) for column in rows.columns]
        if self.with_places:
            place = pa.Array.from_buffers(
                pa.binary(16), rows.num_rows, [None, pa.py_buffer(places)]
            ).cast(pa.binary())
            columns.append(place)
        yield from pa.table(columns, names=self.names).to_batches()


def as_stored(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Days and times as integers: no zone or calendar of a session changes them."""
    import pyarrow as pa

    if pa.types.is_date32(column.type):
        return column.cast(pa.int32())
    return column.cast(pa.int64()) if pa.types.is_timestamp(column.type) else column


def no_counts() -> _core.Source:
    import numpy as np

    bounds, nothing = np.zeros(1, np.int64), np.zeros(0, np.uint8)
    batch = counts_of_units((bounds, nothing) * 3)
    return _core.Source.batch(*batch.__arrow_c_array__())


def arrow_table(table: _core.Table) -> pa.Table:
    """Of plain columns: Spark knows no dictionaries."""
    import pyarrow as pa

    rows = pa.RecordBatchReader._import_from_c_capsule(table.arrow_stream()).read_all()
    for place, field in enumerate(rows.schema):
        if pa.types.is_dictionary(field.type):
            rows = rows.set_column(place, field.name, rows.column(place).cast(field.type.value_type))
    return rows
