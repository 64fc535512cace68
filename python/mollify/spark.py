"""Releases of Spark data frames: ``pip install 'mollify-dp[spark]'``, pyspark 4 and a
JDK 17.

>>> from mollify import spark                                                     # doctest: +SKIP
>>> method = mo.Local(domain, unit="user", epsilon=2)                              # doctest: +SKIP
>>> release = spark.sample(frame, method)                                         # doctest: +SKIP
>>> release.dataframe.write.parquet("released")                                   # doctest: +SKIP

A frame may be of a Spark session in this process, or of a Spark Connect server.

**Who does what.** Workers turn rows into cells. In `Local` with a unit all counts of a
unit come together, and workers draw. In all other methods counts or integer sums are
added, and the driver draws. `Gaussian` clips rows to integers in two passes, three with
a coarse centre, and before each Spark orders the rows anew, because a row's part in the
release depends on its place. `GaussianModel` needs four passes and no order.

**Each record is drawn once.** A cluster computes a task again whenever it likes, and its
data need not be the same again. So `sample` draws before it returns, and stores what it
drew: in the driver's memory, or in `folder`. Spark takes one result of each task, and
whatever you do with the release reads what is stored. If Spark cannot read it any more,
the action fails.

**Rows are read once.** Methods that protect rows need the number of rows, and some need
several passes. They keep the wanted columns in the executors' memory, or on their disks,
until the release is made. Each pass adds up a fingerprint of the rows that it read. If it
is another one than before, nothing is drawn, `sample` raises, and a charge stays.

**When the ledger is charged.** Before anything is drawn, and after one task has shown
that workers can run mollify. If Spark fails after the charge, nothing is released.

**Order of rows.** Without `units` the order reveals nothing about whose row is whose.
With `units` each row names its unit; sort by that column.

**The key.** Workers draw by a release key. Anyone who has the key and the released rows
can test guesses of the private ones. The key travels like the private rows, from the
driver to the workers inside the task, and into no plan, log or file. If others can read
Spark's channels, set ``spark.network.crypto.enabled`` and ``spark.io.encryption.enabled``.

**Columns** may be booleans, integers, floats, decimals, texts, binary, dates and times.
No value makes a task fail. A cast in your own plan can still raise in Spark 4; leave the
column as it is, because the domain reads texts, or use ``try_cast``.

**Memory.** A worker that counts holds about 200 MB at most, for `Marginals` also 24
bytes for each cell of all pairs of columns. Spark sorts the units by bucket, of which
there are 4096. A worker that draws holds the counts of one bucket, and what Spark hands
over at a time. Each Python worker holds the roster and the candidates. The driver holds
the released rows, unless `folder` does.

**Times.** A released time without a zone is a `timestamp_ntz`, which shows the same clock
in every session. A private column of Spark's `timestamp` is an instant; a domain column
without a zone reads UTC's clock of it.
"""

from __future__ import annotations

import contextlib
import functools
import os
import platform
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from mollify import _core
from mollify._certificate import Certificate
from mollify._checks import path_text
from mollify._domain import Domain, as_domain
from mollify._files import optional
from mollify._ledger import Ledger
from mollify._method_base import Method, charged_ledger
from mollify._model import Model
from mollify._parameters import checked
from mollify._privacy import Privacy
from mollify._refusal import refusal
from mollify._released import released
from mollify._release_key import ReleaseKey
from mollify._spark_tasks import (
    BUCKETS, IN_BUCKETS, SLICES, CountKeys, CountRecords, DrawUnits, Made, Reading, Ready, SumRecords, add_counts, add_sums,
    arrow_table, as_stored, no_counts,
)
from mollify._warning import Message, messages, warn

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import Column, DataFrame, SparkSession
    from pyspark.sql.types import DataType, StructType

__all__ = ["Release", "sample"]


class Release:
    """Released records, which are drawn once and stored, and their certificate.

    They are in the driver's memory, or as Parquet in the `folder` of `sample`.
    """

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
        rows: _Rows | DataFrame,
        session: SparkSession,
        certificate: Certificate,
        report: Mapping[str, Any],
        model: Model | None = None,
    ) -> None:
        self._stored = rows
        self._session = session
        self.certificate = certificate
        self.model = model
        self.why = report["why"]
        self.total_variation = report["total_variation"]
        self.notes = list(report["notes"])
        self.warnings = messages(report["warnings"])

    @functools.cached_property
    def dataframe(self) -> DataFrame:
        """The records as a Spark data frame, of the session that the data are of. Every
        action reads what `sample` stored.
        """
        return self._stored.dataframe(self._session) if isinstance(self._stored, _Rows) else self._stored

    def to_arrow(self) -> pa.Table:
        """The records as a table of pyarrow. If the driver holds them, this needs no
        Spark any more.
        """
        return self._stored.table if isinstance(self._stored, _Rows) else self._stored.toArrow()

    @property
    def mechanism(self) -> str:
        """The sampler of the records."""
        return self.certificate.mechanism

    @property
    def guarantee(self) -> Privacy:
        """What all of the release promises together."""
        return self.certificate.total

    def __repr__(self) -> str:
        columns = self._stored.names if isinstance(self._stored, _Rows) else self._stored.columns
        return f"Release({', '.join(columns)} by {self.mechanism} with {self.guarantee})"


@checked
def sample(
    data: DataFrame,
    method: Method,
    *,
    ledger: Ledger | str | os.PathLike[str] | None = None,
    data_set: str | None = None,
    folder: str | os.PathLike[str] | None = None,
) -> Release:
    """Release records drawn from a private data frame, which Spark reads.

    The certificate equals ``method.sample``'s, which also has `counts_column`, `lists` and
    `threads`. A method's public tables (`units`, `reference`) may be data
    frames too; the driver collects them.

    Nothing in the rows can make it, or a task of it, raise, or change the shape of the
    release.

    Parameters
    ----------
    data : pyspark.sql.DataFrame
        The private table. Spark need not compute equal rows each time.
    method : Method
        `mollify.Local` with `unit`, or without for a table that is one unit's, in
        categories; `Integral` by categories or a grid without scores; a method that
        protects rows, without `unit`.
    ledger, data_set : Ledger or path, str
        Ledger that is charged before anything is drawn, and the name of the data in it.
        Default: none.
    folder : str or path
        For `mollify.Local` with `unit`: a new folder that Spark reads and writes, such
        as ``"hdfs:///released"``. The workers write the records there, as Parquet, and
        none comes to the driver. Publish what you write from `Release.dataframe`, not
        the folder. Default: the driver's memory.

    Returns
    -------
    Release

    Raises
    ------
    InvalidInput
        If something public is wrong, or if Spark cannot do it safely; nothing is
        charged then.
    """
    session = _session_of(data)
    method._require_public(data)
    domain, unit = as_domain(method.domain), method._unit
    charged = charged_ledger(ledger, data_set)
    wanted = method._columns()
    _require_readable(data, wanted)
    with _read_once(data, wanted, method) as rows:
        made = Made.of(method, rows.number)
        prepared = made.release()
        prepared.require(_nothing(data))
        is_summed = prepared.is_summed()
        if not is_summed:
            _core.RecordCounter(prepared)  # refuses what counts are not enough for
        by_workers = not is_summed and bool(unit)
        if folder is not None and not by_workers:
            raise refusal(
                "superfluous-parameter",
                "folder is for the records of mo.Local with a unit, but here the driver draws. Leave folder out.",
                "folder",
            )
        units = _UnitRows(made, getattr(method, "count", 1), session, folder) if by_workers else None
        report = prepared.report()
        warn(messages(report["warnings"]))  # where a warning is an error, nothing is charged
        _require_workers(session, made)
        budget = None if charged is None else charged._inside
        if is_summed:
            table, drawn_from, certificate = _drawn_from_sums(made, rows, domain, budget, data_set or "")
            return Release(_Rows.of(table), session, Certificate(certificate), report, drawn_from)
        selected, reading = _selected(rows, domain, unit if by_workers else ())
        counter = CountKeys(made, reading) if reading.codes else CountRecords(made, reading, by_unit=by_workers)
        counts = selected.mapInArrow(counter, IN_BUCKETS if by_workers else SLICES)
        drawn: _Rows | DataFrame
        if units is None:
            drawn = _drawn_by_driver(made, counts, rows, budget, data_set or "")
        else:
            units.reserve_folder()
            if budget is not None:
                prepared.charge(budget, data_set or "")
            drawn = units.drawn(counts)
        return Release(drawn, session, Certificate(made.certificate), report)


def _session_of(data: Any) -> SparkSession:
    """The session that computes the data, in this process or on a server."""
    optional("pyspark.sql", "spark")
    optional("pyarrow", "spark")
    from pyspark.sql import DataFrame, SparkSession

    if not isinstance(data, DataFrame):
        raise refusal(
            "wrong-type",
            "data must be a Spark data frame, but is of type "
            f"{type(data).__module__}.{type(data).__name__}. For other tables use the method's own sample.",
            "data",
        )
    session: Any = data.sparkSession
    is_stopped = session.is_stopped if hasattr(session, "is_stopped") else session.sparkContext._jsc is None
    if is_stopped:
        raise refusal(
            "not-repeatable",
            "data must be of a Spark session that runs, but theirs was stopped",
            "data",
        )
    if data.isStreaming:
        raise refusal(
            "not-repeatable",
            "data must be a whole table, but is a stream, in which no unit ever has all records",
            "data",
        )
    made: SparkSession = session
    return made


def _require_workers(session: SparkSession, made: Made) -> None:
    """Runs mollify in one task, of no private rows: what is missing there would only be
    found out after the charge.
    """
    task = optional("pyspark.cloudpickle", "spark").dumps(Ready(made))

    def is_ready(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Pickled with all that it has, so that it starts where mollify is missing."""
        import pickle

        import pyarrow as pa

        try:
            yield from pickle.loads(task)(batches)
        except Exception as error:
            yield pa.record_batch({"said": [f"{type(error).__name__}: {error}"]})

    try:
        answer = session.range(0, 1, 1, 1).mapInArrow(is_ready, "said string").toArrow().column(0)[0].as_py()
    except Exception as error:  # by Py4J, gRPC or PySpark, and it is of public things alone
        answer = f"{type(error).__name__}: {error}"
    if answer:
        raise refusal(
            "not-available-here",
            f"Spark's workers must run mollify {_core.__version__} under Python "
            f"{platform.python_version()}, but a task without data failed: {answer}. Install mollify where the workers "
            "are. Before the session starts, set the environment variable PYSPARK_PYTHON to their Python. "
            f"This program's Python is {sys.executable}.",
        )


class _ReadRows:
    """The private rows: the columns that a release reads, by place, because Spark takes
    names in either case, and dots. Where they are read more than once, `number` and
    `total` are what all of them add up to.
    """

    def __init__(self, frame: DataFrame, names: list[str], number: int | None = None, total: int = 0) -> None:
        self.frame = frame
        self.names = names
        self.number = number
        self.total = total

    def hashed(self) -> Column:
        """A number of each row, by all of its columns; nulls of two columns differ."""
        from pyspark.sql import functions as F

        columns = [F.col(name) for name in self.frame.columns]
        return F.xxhash64(*columns, *[column.isNull() for column in columns])


@contextlib.contextmanager
def _read_once(data: DataFrame, wanted: list[str], method: Method) -> Iterator[_ReadRows]:
    """Where rows are protected, their number is public, and so they are read more than
    once. Then they are kept: a part that got lost, or that two tasks made, shows in what
    the rows add up to.
    """
    from pyspark.sql import functions as F

    names = [field.name for field in data.schema.fields]
    placed = data.toDF(*[f"c{place}" for place in range(len(names))])
    used = [place for place, name in enumerate(names) if name in wanted]
    frame = placed.select(*[f"c{place}" for place in used])
    rows = _ReadRows(frame, [names[place] for place in used])
    if not method.protects_rows or not used:  # the release refuses columns that are missing
        rows.number = data.count() if method.protects_rows else None
        yield rows
        return
    frame.persist()
    try:
        hashed = frame.select(rows.hashed().cast("decimal(38, 0)").alias("hash"))
        found = hashed.agg(F.count(F.lit(1)).alias("rows"), F.sum("hash").alias("total")).toArrow()
        rows.number = found.column("rows")[0].as_py()
        rows.total = int(found.column("total")[0].as_py() or 0) % 2**64
        yield rows
    finally:
        frame.unpersist()


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


def _selected(rows: _ReadRows, domain: Domain, unit: Sequence[str] = ()) -> tuple[DataFrame, Reading]:
    """The columns on their way to Python.

    Columns of few words, whose values are listed as well, come first and as one
    integer, because the number of values on their way to Python decides the time. Its
    digits are the values' places in their words, and one more for everything else, which
    the domain maps to one value. A unit's integer of at most 32 bits is part of it if no
    other column is left.
    """
    from pyspark.sql import functions as F
    from pyspark.sql.types import DecimalType

    declared = domain.columns
    words: dict[str, list[str]] = {}
    columns = []
    code, codes = F.lit(0), 1
    for name, field in zip(rows.names, rows.frame.schema.fields):
        column = F.col(field.name)
        listed = _few_words(declared[name]) if name in declared else None
        if listed and field.dataType.simpleString() == "string" and codes * (len(listed) + 1) < 2**31:
            place = F.when(column == listed[0], 0)
            for i, word in enumerate(listed[1:], 1):
                place = place.when(column == word, i)
            code = code * (len(listed) + 1) + place.otherwise(len(listed))
            codes *= len(listed) + 1
            words[name] = listed
            continue
        if isinstance(field.dataType, DecimalType):
            column = column.cast("string")  # which no value makes fail
        columns.append(column)
    names = [*words, *(name for name in rows.names if name not in words)]
    is_small = len(unit) == 1 and unit[0] not in declared and 1 < codes <= CountKeys.most_codes
    if is_small and names[len(words) :] == list(unit):
        field = rows.frame.schema.fields[rows.names.index(names[-1])]
        if field.dataType.simpleString() in ("tinyint", "smallint", "int"):
            key = F.col(field.name).cast("bigint") * codes + code
            return rows.frame.select(key.alias("key")), Reading(names, words, is_hashed=False, codes=codes)
    if rows.number is not None:
        columns.append(rows.hashed().alias("hash"))
    selected = rows.frame.select(*([code.alias("code")] if words else []), *columns)
    return selected, Reading(names, words, is_hashed=rows.number is not None)


_TRUTHS = {"false", "f", "no", "n", "true", "t", "yes", "y"}


def _few_words(column: Mapping[str, Any]) -> list[str] | None:
    """The words of a column that has few of them, and no other values that it tells
    apart.
    """
    most = 16  # comparing a value with more takes longer than to hand it over
    if column["type"] not in ("categorical", "ordinal"):
        return None
    null, outside = column["null"], column.get("outside", "clip")
    becomes_null = outside == "clip" or outside == null or (outside is None and null == "category")
    if not becomes_null:  # then a null and a word that is not declared are two
        return None
    values: list[str] = column["values"]
    # Several texts write the same number, day or truth.
    has_other_texts = any(
        word.casefold() in _TRUTHS or any(map(str.isdigit, word)) for word in values
    ) and not column.get("verbatim", False)
    return values if len(values) <= most and not has_other_texts else None


def _require_as_before(rows: _ReadRows, slices: Iterable[bytes]) -> None:
    """Whether all slices come from one reading of each part, and all parts have the rows
    that were counted; a row that is in twice would count twice.
    """
    import numpy as np

    if rows.number is None:  # the whole table is protected
        return
    seen = np.frombuffer(b"".join(slices), np.int64).reshape(-1, 4)
    parts, found = np.unique(seen, axis=0, return_counts=True)
    is_whole = len(np.unique(parts[:, 0])) == len(parts) and (parts[:, 1] == found).all()
    number, total = parts[:, 2].sum(), parts[:, 3].sum()
    if not is_whole or int(number) != rows.number or int(total) % 2**64 != rows.total:
        raise RuntimeError(
            "Spark read other rows than before, so nothing is released. A ledger that was charged stays "
            "charged. Write the data to a table, and release that."
        )


class _Rows:
    """Released rows in the driver's memory."""

    def __init__(self, table: pa.Table, schema: StructType) -> None:
        self.table = table
        self.schema = schema

    @classmethod
    def of(cls, table: _core.Table) -> _Rows:
        return cls(arrow_table(table), _schema(table))

    @property
    def names(self) -> list[str]:
        names: list[str] = self.table.column_names
        return names

    def dataframe(self, session: SparkSession) -> DataFrame:
        placed = self.table.rename_columns(self.schema.names)
        return session.createDataFrame(placed, self.schema).toDF(*self.names)


def _schema(table: _core.Table) -> StructType:
    """Columns by place, with Spark's types. A time without a zone is never one of the
    session's zone.
    """
    from pyspark.sql import types

    of_kind: dict[str, DataType] = {
        "integer": types.LongType(),
        "number": types.DoubleType(),
        "truth": types.BooleanType(),
        "text": types.StringType(),
        "day": types.DateType(),
    }
    of_instants = (types.TimestampNTZType(), types.TimestampType())  # without a zone, and with one
    return types.StructType(
        [
            types.StructField(f"c{i}", of_kind.get(one.value_kind, of_instants[one.form is not None]))
            for i, one in enumerate(released(table))
        ]
    )


class _UnitRows:
    """Rows that workers draw, one part of the units each, and that are stored once.

    Nothing else reads what a task has drawn: a task that is tried again may draw again,
    and Spark keeps the result of one attempt.
    """

    most = 50_000_000  # values in the driver's memory

    def __init__(
        self, made: Made, per_unit: int, session: SparkSession, folder: str | os.PathLike[str] | None
    ) -> None:
        import pyarrow as pa
        from pyspark.sql import types

        self.made = made
        self.session = session
        self.folder = None if folder is None else path_text("folder", folder)
        self.key = ReleaseKey()
        prepared = made.release()
        shape, _ = _core.UnitDraws(prepared, self.key._inside, made.certificate).draw(no_counts(), True)
        self.names = [one[0] for one in shape.columns()]
        self.schema = _schema(shape)
        self.empty = arrow_table(shape)
        stored = [as_stored(column).type for column in self.empty.columns]
        whole = {pa.int32(): types.IntegerType(), pa.int64(): types.LongType()}
        fields = [
            types.StructField(field.name, whole.get(kind, field.dataType))
            for field, kind in zip(self.schema.fields, stored)
        ]
        self.roster = prepared.roster_counts()
        if self.roster is None:
            fields.append(types.StructField("place", types.BinaryType()))
        self.stored = types.StructType(fields)
        records = 0 if self.roster is None else (len(self.roster[0]) - 1) * per_unit
        if self.folder is None and records * len(fields) > self.most:
            raise refusal(
                "too-much-work",
                f"{records} records of {len(fields)} columns are too many for the driver, which holds "
                f"{self.most} values. Pass folder, where the workers write them",
                "folder",
            )

    def reserve_folder(self) -> None:
        """Writes no rows there: a folder that exists, or cannot be written, is refused."""
        if self.folder is None:
            return
        nothing = self.session.createDataFrame([], self.stored)
        try:
            nothing.write.parquet(self.folder)  # which must not exist
        except Exception as error:
            raise refusal(
                "unwritable-file",
                f"folder must be a new folder that Spark can write, but is {self.folder}: {error}",
                "folder",
            ) from None

    def drawn(self, counts: DataFrame) -> _Rows | DataFrame:
        from pyspark.sql import functions as F

        if self.roster is not None:  # units without records are drawn for as well: each bucket comes to one worker
            nothing = F.lit(b"")
            each = F.col("id").cast("int").alias("bucket")
            counts = counts.union(self.session.range(0, BUCKETS, 1, 1).select(each, *[nothing] * 4))
        drawn = (
            counts.repartition("bucket")
            .sortWithinPartitions("bucket")
            .mapInArrow(
                DrawUnits(self.made, self.key, self.stored.names, self.roster is None), self.stored
            )
        )
        return self._in_memory(drawn) if self.folder is None else self._in_folder(drawn, self.folder)

    def _in_memory(self, drawn: DataFrame) -> _Rows:
        """Spark hands over the result of one attempt at each task."""
        import pyarrow as pa

        rows = drawn.toArrow()
        if self.roster is None:
            # Units are drawn in an order that tells whose each row is.
            rows = rows.sort_by("place").drop_columns("place")
        columns = [column.cast(field.type) for column, field in zip(rows.columns, self.empty.schema)]
        return _Rows(pa.table(columns, names=self.names), self.schema)

    def _in_folder(self, drawn: DataFrame, folder: str) -> DataFrame:
        """The driver lets one attempt at each task commit its file. By version 1 all files
        appear when all tasks are done, so that an attempt that is late replaces none.
        """
        version = "mapreduce.fileoutputcommitter.algorithm.version"
        drawn.write.mode("append").option(version, "1").parquet(folder)
        rows = self.session.read.schema(self.stored).parquet(folder)
        if self.roster is None:
            rows = rows.repartition("place").sortWithinPartitions("place").drop("place")
        return rows.select(*(_typed(field) for field in self.schema.fields)).toDF(*self.names)


def _typed(field: Any) -> Column:
    """The reverse of `as_stored`, of a column in Spark; no zone is asked."""
    from pyspark.sql import functions as F

    kind = field.dataType.simpleString()
    if kind == "date":
        return F.date_from_unix_date(field.name)
    if kind == "timestamp":
        return F.timestamp_micros(field.name)
    if kind == "timestamp_ntz":
        day = 86_400_000_000
        return F.expr(
            f"cast(date_from_unix_date(cast(floor({field.name} / {day}) as int)) as timestamp_ntz) + "
            f"make_dt_interval(0, 0, 0, cast(pmod({field.name}, {day}) / 1000000BD as decimal(18, 6)))"
        )
    return F.col(field.name)


def _drawn_from_sums(
    made: Made, rows: _ReadRows, domain: Domain, ledger: _core.Ledger | None, data_set: str
) -> tuple[_core.Table, Model | None, str]:
    """Rows drawn by the driver, which adds noise to the workers' sums over all records.
    """
    from pyspark.sql import functions as F

    prepared = made.release()
    selected, reading = _selected(rows, domain)
    if prepared.needs_order():
        # A row's role is drawn for its place, which must follow from the rows alone: whatever the plan, a task that is
        # tried again, or the next pass, finds each row where it was. Texts are ordered by their bytes, so that no
        # collation confuses two texts.
        texts = {name for name, kind in selected.dtypes if kind.startswith("string")}
        keys = [F.col(name).cast("binary") if name in texts else F.col(name) for name in selected.columns]
        parts = int(selected.sparkSession.conf.get("spark.sql.shuffle.partitions") or 1)
        selected = selected.repartition(parts, *keys).sortWithinPartitions(*keys)

    def sum_up(asked: bytes) -> Any:
        return _summed(selected, SumRecords(made, reading, asked), rows)

    table, model, certificate = prepared.release_sums(sum_up, ledger, data_set)
    return table, None if model is None else Model.parse(model), certificate


def _summed(selected: DataFrame, part: SumRecords, rows: _ReadRows) -> Any:
    """The sums of all parts: slices of them are added by workers, and laid end to end
    here.
    """
    import numpy as np

    kind = "begin bigint, sums binary, seen binary"
    added = selected.mapInArrow(part, kind).repartition("begin").mapInArrow(add_sums, kind).toArrow()
    _require_as_before(rows, added.column("seen").to_pylist())
    slices = [
        (begin, np.frombuffer(some.as_buffer(), np.int64))
        for begin, some in zip(added.column("begin").to_pylist(), added.column("sums"))
    ]
    found = np.zeros(max((begin + len(some) for begin, some in slices), default=0), np.int64)
    for begin, some in slices:
        found[begin : begin + len(some)] = some
    return found


def _drawn_by_driver(
    made: Made, counts: DataFrame, rows: _ReadRows, ledger: _core.Ledger | None, data_set: str
) -> _Rows:
    """The released rows, drawn once from the counts, which Spark adds exactly."""
    import numpy as np

    added = counts.repartition("slice").mapInArrow(add_counts, SLICES).toArrow()
    _require_as_before(rows, added.column("seen").to_pylist())
    outcomes = np.frombuffer(b"".join(added.column("records").to_pylist()), np.uint32)
    numbers = np.frombuffer(b"".join(added.column("counts").to_pylist()), np.int64)
    return _Rows.of(made.release().release_counts(outcomes, numbers, ledger, data_set))
