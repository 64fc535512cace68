"""Releases of Spark data frames: ``pip install 'mollify-dp[spark]'``, pyspark 4 and a
JDK 17.

>>> from mollify import spark                                                     # doctest: +SKIP
>>> method = mo.Local(domain, unit="user", epsilon=2)                              # doctest: +SKIP
>>> release = spark.sample(frame, method)                                         # doctest: +SKIP
>>> release.dataframe.write.parquet("released")                                   # doctest: +SKIP

A cluster computes a task again whenever it likes. In method local every draw is by one
release key, so that whatever is computed again gives the same rows on workers that
compute alike. In the other methods Spark counts the records or adds up integers over
them, which it may do as often as it likes, and the driver draws once.

**Who does what.** Workers turn rows into cells. In `Local` with a unit all counts of a
unit come together, and workers draw. In all other methods counts or integer sums are
added, and the driver draws. `Gaussian` clips rows to integers in two passes, three with
a coarse centre, and before each Spark orders the rows anew, because a row's part in the
release depends on its place. `GaussianModel` needs four passes and no order.

**When the ledger is charged.** Before anything is drawn: in `Local` with a unit when
`sample` is called, although the rows are computed later, and otherwise when the counts
are there.

**Order of rows.** Without `units` the key gives the order, which reveals nothing about
whose row is whose. With `units` each row names its unit; sort by that column.

**The data must stay as they are.** If a unit's records change between two computations,
its record is released once more, which costs its epsilon once more, and no ledger
notices. Plans that Spark calls non-deterministic, that read the clock or that take some
of the rows are refused. Workers with other processors or C libraries can draw a unit
twice, which also costs twice: with and without fused multiply-adds, for example, if the
scorer is "ratio" or "mbde".

**The key.** Anyone who has the key and the released rows can test guesses of the private
ones. It travels like the private rows, from the driver to the workers inside the task,
and into no plan, log or file. If others can read Spark's channels, set
``spark.network.crypto.enabled`` and ``spark.io.encryption.enabled``.

**Columns** may be booleans, integers, floats, decimals, texts, binary, dates and times.
No value makes a task fail. A cast in your own plan can still raise in Spark 4; leave the
column as it is, because the domain reads texts, or use ``try_cast``.

**Memory.** A worker that counts holds about 200 MB at most, for `Marginals` also 24
bytes for each cell of all pairs of columns. A worker that draws holds the distinct
records of one unit, and each Python worker the roster and the candidates.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from mollify import _core
from mollify._domain import Domain, as_domain
from mollify._files import optional
from mollify._ledger import Ledger
from mollify._method_base import Method, charged_ledger
from mollify._model import Model
from mollify._parameters import checked
from mollify._privacy import Privacy
from mollify._refusal import refusal
from mollify._release import Certificate
from mollify._release_key import ReleaseKey
from mollify._spec import public_files
from mollify._warning import Message, messages, warn

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame
    from pyspark.sql.types import DataType

__all__ = ["Release", "sample"]


class Release:
    """A released data frame and its certificate.

    In method local the frame is computed when it is used, and again each time: always
    the same rows, as long as the data are the same and all workers compute alike. In
    the other methods its rows were drawn by the driver.
    """

    dataframe: DataFrame
    certificate: Certificate

    model: Model | None
    """The model of method "marginals": `mollify.generate` draws more rows of it.
    """

    why: str
    """Why this mechanism and these parameters, in one sentence."""

    total_variation: float | None
    """How far each record's distribution may be from the data's, as of
    `mollify.Release`.
    """

    notes: list[str]
    """What else to know about it, in sentences."""

    warnings: list[Message]
    """The texts of every `mollify.ReleaseWarning` that came before the release."""

    def __init__(
        self,
        dataframe: DataFrame,
        certificate: Certificate,
        report: Mapping[str, Any],
        model: Model | None = None,
    ) -> None:
        self.dataframe = dataframe
        self.certificate = certificate
        self.model = model
        self.why = report["why"]
        self.total_variation = report["total_variation"]
        self.notes = list(report["notes"])
        self.warnings = messages(report["warnings"])

    @property
    def mechanism(self) -> str:
        """The sampler of the records."""
        return self.certificate.mechanism

    @property
    def guarantee(self) -> Privacy:
        """What all of the release promises together."""
        return self.certificate.total

    def __repr__(self) -> str:
        return f"Release({self.dataframe} by {self.mechanism} with {self.guarantee})"


@checked
def sample(
    data: DataFrame,
    method: Method,
    *,
    ledger: Ledger | str | os.PathLike[str] | None = None,
    data_set: str | None = None,
) -> Release:
    """Releases records drawn from a private data frame, which Spark reads.

    The certificate equals ``method.sample``'s, which also has `counts`, `lists` and
    `threads`. A method's public tables (`units`, `reference`) may be data
    frames too; the driver collects them.

    Nothing in the rows can make it, or a task of it, raise, or change the shape of the
    release.

    Parameters
    ----------
    data
        The private table. Its plan must be deterministic, or else Spark would count
        other records each time.
    method
        `mollify.Local` with `unit`, or without for a table that is one unit's, in
        categories; `Integral` by categories or a grid without scores; a method that
        protects rows, without `unit`.
    ledger, data_set
        The ledger that is charged before anything is drawn, and the name of the data in
        it.

    Returns
    -------
    Release

    Raises
    ------
    InvalidInput
        If something public is wrong, or if Spark cannot do it safely; nothing is
        charged then.
    """
    _require_repeatable(data)
    method._require_public(data)
    domain, unit = as_domain(method.domain), method._unit
    charged = charged_ledger(ledger, data_set)
    wanted = method._columns()
    _require_readable(data, wanted)
    made = _Made.of(method, data)
    prepared = made.release()
    prepared.require(_nothing(data))
    report = prepared.report()
    warn(messages(report["warnings"]))  # where a warning is an error, nothing is charged
    budget = None if charged is None else charged._inside
    if prepared.is_summed():
        columns = _selected(data, domain, wanted)
        frame, drawn_from, certificate = _drawn_from_sums(made, *columns, budget, data_set or "")
        return Release(frame, Certificate(certificate), report, drawn_from)
    _core.RecordCounter(prepared)  # refuses what counts are not enough for
    selected, reading = _selected(data, domain, wanted)
    counts = selected.mapInArrow(
        _CountRecords(made, reading, by_unit=unit is not None),
        "record bigint, count bigint" if unit is None else "unit binary, records binary, counts binary",
    )
    if unit is None:
        frame = _drawn_by_driver(made, counts, budget, data_set or "")
    else:
        if budget is not None:
            prepared.charge(budget, data_set or "")
        frame = _drawn_by_workers(made, counts)
    return Release(frame, Certificate(made.certificate), report)


def _require_repeatable(data: Any) -> None:
    """Spark reads the data again whenever it likes: they must be the same each time."""
    optional("pyspark.sql", "spark")
    optional("pyarrow", "spark")
    from pyspark.sql.classic.dataframe import DataFrame

    if not isinstance(data, DataFrame):
        raise refusal(
            "wrong-type",
            "data must be a data frame of a Spark session in this process, whose plan is read, but "
            f"is of type {type(data).__module__}.{type(data).__name__}",
            "data",
        )
    if data.sparkSession.sparkContext._jsc is None:
        raise refusal("not-repeatable", "data must be of a Spark session that runs, but theirs was stopped", "data")
    if data.isStreaming:
        raise refusal(
            "not-repeatable",
            "data must be a whole table, but is a stream, in which no unit ever has all records",
            "data",
        )
    plan: Any = data._jdf.queryExecution().analyzed()
    virtual_machine: Any = data.sparkSession._jvm
    patterns = virtual_machine.org.apache.spark.sql.catalyst.trees.TreePattern
    varying = None
    if not plan.deterministic():
        varying = "uses randomness or the place of rows"
    elif plan.containsPattern(patterns.CURRENT_LIKE()):
        varying = "reads the clock"
    else:
        some = {"GlobalLimit", "LocalLimit", "Offset", "Tail", "Sample", "Deduplicate"}
        found = sorted(some.intersection(_nodes(plan)))
        if found:
            varying = f"takes some of the rows ({found[0]})"
    if varying is not None:
        raise refusal(
            "not-repeatable",
            "data must be the same whenever Spark computes them, but their plan "
            f"{varying}: write them to a table first, or take data.localCheckpoint()",
            "data",
        )


def _nodes(plan: Any) -> Iterator[str]:
    """The kinds of all steps of a plan."""
    waiting = [plan]
    while waiting:
        step = waiting.pop()
        yield step.nodeName()
        for more in (step.children().iterator(), step.subqueries().iterator()):
            while more.hasNext():
                waiting.append(more.next())


def _require_readable(data: DataFrame, wanted: Iterable[str]) -> None:
    from pyspark.sql import types

    plain = (
        types.BooleanType,
        types.NumericType,
        types.StringType,
        types.BinaryType,
        types.DateType,
        types.TimestampType,
        types.TimestampNTZType,
        types.NullType,
    )
    for field in data.schema.fields:
        if field.name in wanted and not isinstance(field.dataType, plain):
            raise refusal(
                "unsupported-type",
                f'column "{field.name}" of the data must be of booleans, integers, numbers, texts, '
                f"dates or timestamps, but is of type {field.dataType.simpleString()}: cast it to texts "
                "or numbers",
                column=field.name,
            )


def _nothing(data: DataFrame) -> _core.Source:
    """No rows, in columns of these names."""
    import pyarrow as pa

    names = [field.name for field in data.schema.fields]
    nothing = pa.RecordBatch.from_arrays([pa.array([], pa.string())] * len(names), names=names)
    return _core.Source.batch(*nothing.__arrow_c_array__())


def _selected(
    data: DataFrame, domain: Domain, wanted: list[str]
) -> tuple[DataFrame, _Reading]:
    """The wanted columns, which are there, by place: Spark takes names in either case,
    and dots.

    Columns of few words, whose values are listed as well, come first and as one
    integer, because the number of values on their way to Python decides the time. Its
    digits are
    the values' places in their words, and one more for everything else, which the
    domain maps to one value.
    """
    from pyspark.sql import functions as F
    from pyspark.sql.types import DecimalType

    names = [field.name for field in data.schema.fields]
    types = {name: data.schema.fields[names.index(name)].dataType for name in wanted}
    placed = data.toDF(*[f"c{place}" for place in range(len(names))])
    declared = domain.columns
    words: dict[str, list[str]] = {}
    columns = []
    code, codes = F.lit(0), 1
    for name in wanted:
        column = F.col(f"c{names.index(name)}")
        listed = _few_words(declared[name]) if name in declared else None
        if listed and types[name].simpleString() == "string" and codes * (len(listed) + 1) < 2**31:
            place = F.when(column == listed[0], 0)
            for i, word in enumerate(listed[1:], 1):
                place = place.when(column == word, i)
            code = code * (len(listed) + 1) + place.otherwise(len(listed))
            codes *= len(listed) + 1
            words[name] = listed
            continue
        if isinstance(types[name], DecimalType):
            column = column.cast("string")  # which no value makes fail
        columns.append(column)
    selected = placed.select(*([code.alias("code")] if words else []), *columns)
    return selected, _Reading([*words, *(name for name in wanted if name not in words)], words)


def _few_words(column: Mapping[str, Any]) -> list[str] | None:
    """The words of a column that has few of them, and no other values that it tells
    apart.
    """
    most = 16  # comparing a value with more takes longer than to hand it over
    if column["type"] not in ("categorical", "ordinal") or "null" in column:
        return None
    values: list[str] = column["values"]
    return values if len(values) <= most else None


class _Made:
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
    def of(cls, method: Method, data: DataFrame) -> _Made:
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
        records = data.count() if method.protects_rows else None
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


class _Reading:
    """How workers read what `_selected` made: of these names, the first ones by their
    words.
    """

    def __init__(self, names: list[str], words: dict[str, list[str]]) -> None:
        self.names = names
        self.words = words

    def sources(self, batches: Iterator[pa.RecordBatch]) -> Iterator[_core.Source]:
        import pyarrow as pa

        lists = [pa.array([*words, None], pa.string()) for words in self.words.values()]
        for batch in batches:
            columns = batch.columns
            if lists:
                columns = [*_columns_of_words(columns[0], lists), *columns[1:]]
            named = pa.RecordBatch.from_arrays(columns, names=self.names)
            yield _core.Source.batch(*named.__arrow_c_array__())


class _CountRecords:
    """Rows of the data to counts of their records, for each unit."""

    def __init__(self, made: _Made, reading: _Reading, *, by_unit: bool) -> None:
        self.made = made
        self.reading = reading
        self.by_unit = by_unit

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        counter = _core.RecordCounter(self.made.release())
        for part in self.reading.sources(batches):
            counter.add(part)
            if counter.is_full():
                yield from self._counts(counter)
        yield from self._counts(counter)

    def _counts(self, counter: _core.RecordCounter) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        taken = counter.take()
        if self.by_unit:
            batch = _counts_of_units(taken)
        else:
            records, counts = taken[3].astype("int64"), taken[5].astype("int64")
            batch = pa.record_batch({"record": pa.array(records), "count": pa.array(counts)})
        # In parts that are small in Spark's memory.
        yield from pa.Table.from_batches([batch]).to_batches(max_chunksize=1 << 14)


def _columns_of_words(codes: pa.Array, lists: list[pa.Array]) -> Iterator[pa.Array]:
    """What `_selected` made one integer of, as columns with dictionaries."""
    import numpy as np
    import pyarrow as pa

    for places, words in zip(np.unravel_index(codes.to_numpy(), [len(one) for one in lists]), lists):
        yield pa.DictionaryArray.from_arrays(pa.array(places), words)


def _counts_of_units(taken: tuple[Any, ...]) -> pa.RecordBatch:
    import pyarrow as pa

    def binary(bounds: Any, content: Any) -> pa.Array:
        buffers = [None, pa.py_buffer(bounds), pa.py_buffer(content)]
        return pa.Array.from_buffers(pa.large_binary(), len(bounds) - 1, buffers)

    return pa.RecordBatch.from_arrays(
        [binary(taken[0], taken[1]), binary(taken[2], taken[3]), binary(taken[4], taken[5])],
        names=["unit", "records", "counts"],
    )


class _SumRecords:
    """Rows of a part of the data to integers, which are added to other parts' integers.

    A question is as secret as the records: for Gaussian samples it has a release key.
    """

    most = 1 << 15  # integers in a row

    def __init__(self, made: _Made, reading: _Reading, asked: bytes) -> None:
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
        for place in range(0, len(sums), self.most):
            some = sums[place : place + self.most]
            if some.any():
                yield _row_of_sums(begin + place, some)


def _row_of_sums(begin: int, sums: Any) -> pa.RecordBatch:
    import pyarrow as pa

    return pa.record_batch({"begin": [begin], "sums": pa.array([sums.tobytes()], pa.binary())})


def _add_sums(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Those that begin at one place, modulo 2^64."""
    import numpy as np

    found: dict[int, Any] = {}
    for batch in batches:
        for begin, sums in zip(batch.column(0).to_pylist(), batch.column(1)):
            some = np.frombuffer(sums.as_buffer(), np.int64)
            if begin in found:
                found[begin] += some
            else:
                found[begin] = some.copy()
    for begin, some in found.items():
        yield _row_of_sums(begin, some)


class _DrawUnits:
    """Counts of each unit's records, unit after unit, to released rows.

    Anyone who has the key and the released rows can test guesses of the private ones.
    The key travels like the private rows, and has no text form.
    """

    def __init__(self, made: _Made, key: ReleaseKey, names: list[str], with_places: bool) -> None:
        self.made = made
        self.key = key.bytes_for_workers()
        self.names = names
        self.with_places = with_places

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        draws = _core.UnitDraws(
            self.made.release(), ReleaseKey.of_worker_bytes(self.key)._inside, self.made.certificate
        )
        for batch in batches:
            yield from self._rows(*draws.draw(_core.Source.batch(*batch.__arrow_c_array__()), False))
        yield from self._rows(*draws.draw(_no_counts(), True))

    def _rows(self, table: _core.Table, places: Any) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        rows = _arrow(table)
        columns = rows.columns
        if self.with_places:
            place = pa.Array.from_buffers(
                pa.binary(16), rows.num_rows, [None, pa.py_buffer(places)]
            ).cast(pa.binary())
            columns = [*columns, place]
        yield from pa.table(columns, names=self.names).to_batches()


def _no_counts() -> _core.Source:
    import numpy as np

    bounds, nothing = np.zeros(1, np.int64), np.zeros(0, np.uint8)
    batch = _counts_of_units((bounds, nothing) * 3)
    return _core.Source.batch(*batch.__arrow_c_array__())


def _arrow(table: _core.Table) -> pa.Table:
    """Of plain columns: Spark knows no dictionaries."""
    import pyarrow as pa

    rows = pa.RecordBatchReader._import_from_c_capsule(table.arrow_stream()).read_all()
    for place, field in enumerate(rows.schema):
        if pa.types.is_dictionary(field.type):
            rows = rows.set_column(place, field.name, rows.column(place).cast(field.type.value_type))
    return rows


def _drawn_by_workers(made: _Made, counts: DataFrame) -> DataFrame:
    """The released rows; all counts of a unit come to one draw, which the key repeats."""
    import pyarrow as pa
    from pyspark.sql import types

    prepared = made.release()
    key = ReleaseKey()
    roster = prepared.roster_counts()
    has_roster = roster is not None
    if roster is not None:  # units without records are drawn for as well
        listed = pa.Table.from_batches([_counts_of_units(roster)])
        counts = counts.union(counts.sparkSession.createDataFrame(listed))
    shape, _ = _core.UnitDraws(prepared, key._inside, made.certificate).draw(_no_counts(), True)
    of_kind: dict[str, DataType] = {
        "integer": types.LongType(),
        "number": types.DoubleType(),
        "truth": types.BooleanType(),
        "text": types.StringType(),
        "day": types.DateType(),
    }
    columns = shape.columns()
    of_instants = (types.TimestampNTZType(), types.TimestampType())  # without a zone, and with one
    fields = [
        types.StructField(f"c{i}", of_kind.get(one[1], of_instants[one[5] is not None]))
        for i, one in enumerate(columns)
    ]
    if not has_roster:
        fields.append(types.StructField("place", types.BinaryType()))
    schema = types.StructType(fields)
    rows = (
        counts.repartition("unit")
        .sortWithinPartitions("unit")
        .mapInArrow(_DrawUnits(made, key, schema.names, not has_roster), schema)
    )
    if not has_roster:
        # Units are drawn in an order that tells whose each row is.
        rows = rows.repartition("place").sortWithinPartitions("place").drop("place")
    return rows.toDF(*[one[0] for one in columns])


def _drawn_from_sums(
    made: _Made, selected: DataFrame, reading: _Reading, ledger: _core.Ledger | None, data_set: str
) -> tuple[DataFrame, Model | None, str]:
    """Rows drawn by the driver, which adds noise to the workers' sums over all records.
    """
    from pyspark.sql import functions as F

    prepared = made.release()
    session = selected.sparkSession
    if prepared.needs_order():
        # A row's role is drawn for its place, which must follow from the rows alone: whatever the plan, a task that is
        # tried again, or the next pass, finds each row where it was. Texts are ordered by their bytes, so that no
        # collation confuses two texts.
        texts = {name for name, kind in selected.dtypes if kind.startswith("string")}
        keys = [F.col(name).cast("binary") if name in texts else F.col(name) for name in selected.columns]
        parts = int(session.conf.get("spark.sql.shuffle.partitions") or 1)
        selected = selected.repartition(parts, *keys).sortWithinPartitions(*keys)

    def sum_up(asked: bytes) -> Any:
        return _summed(selected, _SumRecords(made, reading, asked))

    table, model, certificate = prepared.release_sums(sum_up, ledger, data_set)
    drawn_from = None if model is None else Model.parse(model)
    return session.createDataFrame(_arrow(table)), drawn_from, certificate


def _summed(selected: DataFrame, part: _SumRecords) -> Any:
    """The sums of all parts: slices of them are added by workers, and laid end to end
    here.
    """
    import numpy as np

    kind = "begin bigint, sums binary"
    added = selected.mapInArrow(part, kind).repartition("begin").mapInArrow(_add_sums, kind).toArrow()
    rows = [
        (begin, np.frombuffer(some.as_buffer(), np.int64))
        for begin, some in zip(added.column("begin").to_pylist(), added.column("sums"))
    ]
    found = np.zeros(max((begin + len(some) for begin, some in rows), default=0), np.int64)
    for begin, some in rows:
        found[begin : begin + len(some)] = some
    return found


def _drawn_by_driver(
    made: _Made, counts: DataFrame, ledger: _core.Ledger | None, data_set: str
) -> DataFrame:
    """The released rows, drawn once from the counts, which Spark adds exactly."""
    import numpy as np
    import pyarrow as pa
    from pyspark.sql import functions as F

    summed = counts.groupBy("record").agg(F.sum("count").alias("count")).toArrow()
    outcomes = summed.column("record").to_numpy().astype(np.uint32)
    numbers = np.ascontiguousarray(summed.column("count").to_numpy(), np.int64)
    table = made.release().release_counts(outcomes, numbers, ledger, data_set)
    return counts.sparkSession.createDataFrame(_arrow(table))
