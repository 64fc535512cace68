"""Records as other libraries take them."""

from __future__ import annotations

import html
import os
from typing import TYPE_CHECKING, Any

from mollify import _core
from mollify._data import source_of
from mollify._html import table

if TYPE_CHECKING:
    import pandas
    import polars


def write_whole(path: str | os.PathLike[str], content: bytes | str) -> None:
    """Writes a file that appears whole or not at all."""
    beside = f"{os.fspath(path)}.part"
    with open(beside, "wb") as file:
        file.write(content.encode() if isinstance(content, str) else content)
    os.replace(beside, path)


class Records:
    """A table of records, of the domain's types whatever the records are.

    Any library that knows the Arrow PyCapsule interface takes it: ``polars.DataFrame(records)``,
    ``pyarrow.table(records)``, ``duckdb.from_arrow(records)``.
    """

    def __init__(self, table: _core.Table) -> None:
        self._table = table

    @property
    def columns(self) -> list[str]:
        """Names, in the order of the domain; the unit's first where units are public."""
        return [column[0] for column in self._table.columns()]

    def __len__(self) -> int:
        return self._table.rows

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The records as an Arrow stream (a PyCapsule), as often as one likes.

        Integers are int64, numbers float64, truths bool, categories dictionaries of texts, days
        date32, and times timestamps of microseconds: of UTC where the domain states a zone.
        """
        return self._table.arrow_stream()

    def to_dict(self) -> dict[str, list[Any]]:
        """The records by columns, as Python's objects; None for a null."""
        return self._cells(len(self))

    def head(self, most: int = 10) -> list[tuple[Any, ...]]:
        """The first records, as Python's objects; None for a null."""
        return list(zip(*self._cells(most).values()))

    def write(self, path: str | os.PathLike[str]) -> None:
        """Writes a CSV file, as the command does; it appears whole or not at all."""
        write_whole(path, source_of(self.to_dict(), self.columns).csv_text())

    def _cells(self, most: int) -> dict[str, list[Any]]:
        columns: dict[str, list[Any]] = {}
        for name, kind, values, valid, words, offset in self._table.columns():
            values, valid = values[:most], valid[:most]
            if kind in ("day", "instant"):
                rows: list[Any] = list(_moment_texts(values, valid, kind, offset))
            elif kind == "text":
                rows = [
                    one if not words else None if one < 0 else words[one]
                    for one in (values if not words else values.tolist())
                ]
            else:
                take = bool if kind == "truth" else (lambda one: one)
                rows = [
                    take(one) if there else None
                    for one, there in zip(values.tolist(), valid.tolist())
                ]
            columns[name] = rows
        return columns

    def to_pandas(self) -> pandas.DataFrame:
        """A data frame: `Int64`, `float64`, `boolean`, categories, `datetime64[s]` for days and times
        (with their zone, if the domain states one), and `string` for other texts.
        """
        import numpy as np
        import pandas as pd

        series: dict[str, Any] = {}
        for name, kind, values, valid, words, offset in self._table.columns():
            null = valid == 0
            if kind == "integer":
                series[name] = pd.arrays.IntegerArray(values, null)
            elif kind == "truth":
                series[name] = pd.arrays.BooleanArray(values.astype(bool), null)
            elif kind == "number":
                series[name] = np.where(null, np.nan, values)
            elif kind in ("day", "instant"):
                series[name] = _moments(values, valid, kind, offset)
            elif words:
                series[name] = pd.Categorical.from_codes(values, categories=words)
            else:
                series[name] = pd.array(values, dtype="string")
        return pd.DataFrame(series)

    def to_polars(self) -> polars.DataFrame:
        """A Polars data frame, with days as dates, and times in UTC if the domain states a zone."""
        import polars as pl

        return pl.DataFrame(self)

    def _repr_html_(self) -> str:
        """What notebooks show: what this is, and the first records."""
        shown = self.head()
        more = f"<p>The first {len(shown)}.</p>" if len(self) > len(shown) else ""
        return f"<p>{html.escape(repr(self))}</p>{table(self.columns, shown)}{more}"

    def __repr__(self) -> str:
        return f"Records({len(self)} of {', '.join(self.columns)})"

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (self._table.columns(),)


def _restore(columns: list[Any]) -> Records:
    return Records(_core.Table(columns))


def _moments(values: Any, valid: Any, kind: str, offset: int | None) -> Any:
    """Days, or times as they stand on the column's clock, which is told with them."""
    import datetime

    import numpy as np
    import pandas as pd

    counted = values.astype("datetime64[D]" if kind == "day" else "datetime64[s]")
    moments = pd.DatetimeIndex(np.where(valid == 0, np.datetime64("NaT"), counted.astype("datetime64[s]")))
    if offset is None:
        return moments
    zone = datetime.timezone(datetime.timedelta(seconds=offset))
    return moments.tz_localize("UTC").tz_convert(zone)


def _moment_texts(values: Any, valid: Any, kind: str, offset: int | None) -> list[str | None]:
    """As a file has them: `2026-01-31`, or `2026-01-31T12:34:56+01:00`."""
    import numpy as np

    east = offset or 0
    sign, minutes = "-" if east < 0 else "+", abs(east) // 60
    zone = "" if offset is None else "Z" if east == 0 else f"{sign}{minutes // 60:02}:{minutes % 60:02}"
    shown = values.astype("datetime64[D]") if kind == "day" else (values + east).astype("datetime64[s]")
    return [f"{one}{zone}" if there else None for one, there in zip(np.datetime_as_string(shown), valid)]
