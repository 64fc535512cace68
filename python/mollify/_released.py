"""A released column, as each library holds it: of the domain's type, or of a type like a frame's.

Nothing here depends on a frame's values. Its dtypes choose a container; levels, their order, whether
they are numbers or words, and nulls come from the domain.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from mollify import _core
from mollify._refusal import refusal

if TYPE_CHECKING:
    import datetime

    import polars
    import pyarrow


def writes_integer(word: str) -> bool:
    """Whether a word is an integer as programs write it: not `01`, `+1` or `1.0`."""
    digits = word.removeprefix("-")
    return word == "0" or (digits.isascii() and digits.isdecimal() and not digits.startswith("0"))


class Released(NamedTuple):
    """A column of `_core.Table`."""

    name: str
    kind: str
    """"integer", "number", "truth", "text", "day" or "instant"."""
    values: Any
    """An array; of texts without words a list; with words the places in them, -1 for a null."""
    valid: Any
    words: list[str]
    form: int | str | None
    """Zone of the clock of instants, or its seconds from UTC; or the power of ten of numbers."""
    word_type: str
    """Kind of value that the words write: "text", "integer" or "number"."""
    ordered: bool
    nullable: bool
    """Whether the domain has an outcome that is a null."""
    format: str
    """The way in which files have days and instants, if the domain declares one."""

    @property
    def has_levels(self) -> bool:
        return self.kind == "text" and bool(self.words)

    @property
    def value_kind(self) -> str:
        """The kind of a value, whether it is one of a few levels or not."""
        return self.word_type if self.has_levels else self.kind

    def levels(self) -> list[Any]:
        """The words, or the numbers that they write."""
        if self.word_type == "integer":  # also 3.0, without rounding
            return [int(word.partition(".")[0]) for word in self.words]
        return [float(word) for word in self.words] if self.word_type == "number" else self.words

    def as_integers(self) -> Released:
        """The column with integers in place of levels whose words all write one, such as 3, 2 and 1."""
        if not self.has_levels or self.word_type != "text" or not all(map(writes_integer, self.words)):
            return self
        return self if any(abs(int(word)) >= 2**63 for word in self.words) else self._replace(word_type="integer")

    def cells(self) -> list[Any]:
        """The values as Python's objects."""
        cells: Sequence[Any] = self.values
        if self.kind in ("day", "instant"):
            cells = moments_in_python(self.values, self.kind, self.form)
        elif self.kind == "truth":
            cells = self.values.astype(bool).tolist()
        elif self.kind != "text":
            cells = self.values.tolist()
        elif self.words:
            levels = self.levels()
            cells = [levels[place] for place in self.values.tolist()]
        return [one if there else None for one, there in zip(cells, self.valid.tolist())]


def released(table: _core.Table) -> list[Released]:
    return [Released(*column) for column in table.columns()]


def _clock(form: int | str) -> datetime.tzinfo:
    """The clock of a named zone, or of one offset in seconds."""
    import datetime
    import zoneinfo

    if isinstance(form, str):
        return zoneinfo.ZoneInfo(form)
    return datetime.timezone(datetime.timedelta(seconds=form))


def moments_in_python(values: Any, kind: str, form: int | str | None) -> list[Any]:
    """Days as dates; times on the column's clock."""
    import datetime

    if kind == "day":
        return list(values.astype("datetime64[D]").tolist())
    shown = values.astype("datetime64[s]").tolist()
    if form is None:
        return list(shown)
    clock = _clock(form)
    return [one.replace(tzinfo=datetime.timezone.utc).astimezone(clock) for one in shown]


def clock_times(column: Released) -> list[Any]:
    """Days, and times without a zone as their column's clock shows them; None for nulls."""
    cells = column.cells()
    return [one and one.replace(tzinfo=None) for one in cells] if column.kind == "instant" else cells


def _refuse_like(like: object, expected: str) -> Exception:
    kind = type(like)
    return refusal(
        "wrong-type",
        f"like must be {expected}, but is of type {kind.__module__.partition('.')[0]}.{kind.__name__}",
        "like",
    )


# ----------------------------------------------------------------------------------------------
# pandas.


def pandas_types(like: object) -> Mapping[str, Any]:
    """The dtypes of a data frame by the names of its columns."""
    import pandas as pd

    if not isinstance(like, pd.DataFrame):
        raise _refuse_like(like, "a pandas data frame")
    return {str(name): kind for name, kind in zip(like.columns, like.dtypes)}


def in_pandas(column: Released, kind: Any, arrow: Any) -> Any:
    """A column for a data frame: of the domain's type if `kind` is None, else in the container of this
    dtype. `arrow()` is the column in Arrow.
    """
    import numpy as np
    import pandas as pd

    if isinstance(kind, pd.ArrowDtype):
        return pd.arrays.ArrowExtensionArray(in_arrow(column, arrow(), kind.pyarrow_dtype))
    container = _container(kind)
    if container == "levels" and kind.categories.dtype.kind in "iu":
        column = column.as_integers()
    if container == "object":
        return pd.Series(column.cells(), dtype=object)
    must_have_levels = column.word_type == "text" and not isinstance(kind, pd.StringDtype)
    if column.has_levels and (must_have_levels or container in ("default", "levels")):
        levels = pd.Index(column.levels(), dtype=_LEVELS[column.word_type])
        return pd.Categorical.from_codes(column.values, categories=levels, ordered=column.ordered)
    null = column.valid == 0
    values = column.values
    if column.has_levels and column.word_type != "text":
        # A null's place is the last one's.
        values = np.array([*column.levels(), 0], dtype=_LEVELS[column.word_type])[values]
    if column.value_kind in ("day", "instant"):
        moments = _moments(values, column.valid, column.kind, column.form)
        return moments.to_period(kind.freq) if isinstance(kind, pd.PeriodDtype) and moments.tz is None else moments
    if column.value_kind == "text":
        return pd.array(column.cells(), dtype=kind if isinstance(kind, pd.StringDtype) else "string")
    if column.value_kind == "truth":
        if container != "numpy":
            return pd.arrays.BooleanArray(values.astype(bool), null)
        return np.where(null, None, values.astype(bool)) if column.nullable else values.astype(bool)
    if column.value_kind == "integer":
        if container != "numpy":
            return pd.arrays.IntegerArray(values, null)
        return np.where(null, np.nan, values) if column.nullable else values
    if container == "nullable":
        return pd.arrays.FloatingArray(values, null)
    return np.where(null, np.nan, values)


_LEVELS = {"integer": "int64", "number": "float64", "text": None}


def _container(kind: Any) -> str:
    """Kind of container of this dtype: "levels", "nullable", "numpy" or "object", and "default" for any
    other dtype.
    """
    import numpy as np
    import pandas as pd

    if isinstance(kind, pd.CategoricalDtype):
        return "levels"
    if isinstance(kind, pd.StringDtype):
        return "nullable" if getattr(kind, "na_value", pd.NA) is pd.NA else "numpy"
    if isinstance(kind, np.dtype):
        return "object" if kind.kind == "O" else "numpy"
    if hasattr(kind, "numpy_dtype"):
        return "nullable"
    return "numpy" if isinstance(kind, pd.DatetimeTZDtype) else "default"


def _moments(values: Any, valid: Any, kind: str, form: int | str | None) -> Any:
    """Days, or times on the column's clock, which is part of the type."""
    import numpy as np
    import pandas as pd

    counted = values.astype("datetime64[D]" if kind == "day" else "datetime64[s]")
    moments = pd.DatetimeIndex(np.where(valid == 0, np.datetime64("NaT", "s"), counted.astype("datetime64[s]")))
    if kind == "day" or form is None:
        return moments
    return moments.tz_localize("UTC").tz_convert(_clock(form))


# ----------------------------------------------------------------------------------------------
# Polars.


def polars_types(like: object) -> Mapping[str, Any]:
    """The dtypes of a data frame or a lazy one by the names of its columns."""
    import polars as pl

    if not isinstance(like, (pl.DataFrame, pl.LazyFrame)):
        raise _refuse_like(like, "a Polars data frame")
    return like.collect_schema()


def in_polars(column: Released, series: polars.Series, kind: Any) -> polars.Series:
    """A series of the domain's type in the container of another dtype."""
    import polars as pl

    if column.kind == "day" and isinstance(kind, pl.Datetime):
        return series.cast(pl.Datetime("us"))
    if not column.has_levels or column.word_type != "text":
        return series
    if kind == pl.String:
        return series.cast(pl.String)
    return series.cast(pl.Enum(column.words)) if isinstance(kind, pl.Enum) else series


# ----------------------------------------------------------------------------------------------
# Arrow.


def arrow_types(like: object) -> Mapping[str, Any]:
    """The types of a table, a batch, a reader or a schema by the names of its columns."""
    import pyarrow as pa

    schema = getattr(like, "schema", like)
    if not isinstance(schema, pa.Schema):
        raise _refuse_like(like, "a table or a schema of pyarrow")
    return {field.name: field.type for field in schema}


def in_arrow(column: Released, chunks: pyarrow.ChunkedArray, kind: Any) -> pyarrow.ChunkedArray:
    """A column of the domain's type in the container of another type."""
    import pyarrow as pa

    if column.kind == "day" and pa.types.is_timestamp(kind):
        return chunks.cast(pa.timestamp("us"))
    if column.value_kind != "text":
        if not column.has_levels or pa.types.is_dictionary(kind):
            return chunks
        return chunks.cast(pa.int64() if column.word_type == "integer" else pa.float64())
    texts = kind.value_type if pa.types.is_dictionary(kind) else kind
    if texts not in (pa.string(), pa.large_string(), pa.string_view()):
        return chunks
    if pa.types.is_dictionary(kind) and column.has_levels:
        return chunks.cast(pa.dictionary(pa.int32(), texts, ordered=column.ordered))
    return chunks if pa.types.is_dictionary(kind) else chunks.cast(texts)
