"""Records as other libraries take them."""

from __future__ import annotations

import html
import io
import operator
import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, overload

from mollify import _core
from mollify._checks import Public, path_text
from mollify._files import Inputs, optional, table_format, write_whole, writable
from mollify._html import table
from mollify._parameters import near
from mollify._refusal import refusal
from mollify._released import Released, arrow_types, in_arrow, in_pandas, in_polars, pandas_types, polars_types, released

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow


class Records(metaclass=Public):
    """A table of records, of the domain's types whatever the records are.

    It is a sequence of records, each a dict from names to values: ``records[0]`` is the
    first, ``records[:10]`` the first ten, and ``for record in records`` goes through
    all. ``records["age"]`` is a column, as a list. A value is a str, bool, int, float,
    `datetime.date` or `datetime.datetime` (with a zone if the domain states one), or
    None for a null.

    Any library that knows the Arrow PyCapsule interface takes it:
    ``polars.DataFrame(records)``, ``pyarrow.table(records)``,
    ``duckdb.from_arrow(records)``.
    """

    _inputs: Inputs = ()
    """Files that no record is written over; of no pickle."""

    def __init__(self, table: _core.Table) -> None:
        if not isinstance(table, _core.Table):
            raise refusal(
                "wrong-type",
                "table must be records that mollify drew, but is of type "
                f"{type(table).__name__}. A method's sample and a model's sample make Records.",
                "table",
            )
        self._table = table

    @property
    def columns(self) -> list[str]:
        """Names, in the order of the domain; the unit's first where units are public."""
        return [column[0] for column in self._table.columns()]

    def __len__(self) -> int:
        return self._table.rows

    @property
    def shape(self) -> tuple[int, int]:
        """Number of records and of columns."""
        return len(self), len(self.columns)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        cells = self.to_dict()
        return (dict(zip(cells, row)) for row in zip(*cells.values()))

    @overload
    def __getitem__(self, key: int) -> dict[str, Any]: ...
    @overload
    def __getitem__(self, key: str) -> list[Any]: ...
    @overload
    def __getitem__(self, key: slice | list[str]) -> Records: ...
    def __getitem__(self, key: int | str | slice | list[str]) -> dict[str, Any] | list[Any] | Records:
        """A record by its place, a column by its name, or some records or columns as
        another table.

        Raises `IndexError` for a place beyond the last record, and `KeyError` for an
        unknown name.
        """
        if isinstance(key, slice):
            return self._table_of(self._some(key))
        if isinstance(key, str):
            return self.to_dict()[self._known(key)]
        if isinstance(key, list) and key and all(isinstance(name, str) for name in key):
            columns = {column[0]: column for column in self._table.columns()}
            return self._table_of([columns[self._known(name)] for name in key])
        if isinstance(key, (bool, list)) or not hasattr(key, "__index__"):
            raise TypeError(
                "records are taken by a place, a slice, a column's name or a list of names, but not by "
                f"{key!r}"
            )
        place = operator.index(key)
        if not -len(self) <= place < len(self):
            raise IndexError(f"there are {len(self)} records, but record {place} is asked for")
        place %= len(self)
        return {name: cells[0] for name, cells in _cells(self._some(slice(place, place + 1))).items()}

    def __contains__(self, one: object) -> bool:
        """Whether a text is a column's name, or a dict one of the records."""
        return one in self.columns if isinstance(one, str) else any(one == record for record in self)

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            said = f"{type(self).__name__!r} object has no attribute {name!r}. to_pandas() and to_polars() make a data frame."
            raise AttributeError(said, name=name, obj=self)

    def _known(self, name: str) -> str:
        if name not in self.columns:
            nearest = near(name, self.columns)
            raise KeyError(f'no column is "{name}"{nearest}: the columns are {", ".join(self.columns)}')
        return name

    def _table_of(self, columns: list[Any]) -> Records:
        some = Records(_core.Table(columns))
        some._inputs = self._inputs
        return some

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The records as an Arrow stream (a PyCapsule), as often as one likes.

        Integers are int64, numbers float64, booleans bool, categories dictionaries of
        texts or numbers, which are ordered for ordinals, days date32, and times timestamps
        of microseconds: of UTC where the domain states a zone.
        """
        return self._table.arrow_stream()

    def to_dict(self) -> dict[str, list[Any]]:
        """The records by columns, with values as in ``records[0]``."""
        return _cells(released(self._table))

    def head(self, most: int = 10) -> Records:
        """The first `most` records."""
        return self[:most]

    def to_csv(self, path: str | os.PathLike[str] | None = None, *, overwrite: bool = False) -> str | None:
        """Write a CSV file, byte for byte as the command does, or return its text if
        there is no path.

        The file appears whole or not at all. Raises `InvalidInput` if it exists, unless
        `overwrite` is true, and for a name that ends in ``.parquet``.
        """
        if path is not None and path_text("a file to write", path).lower().endswith(".parquet"):
            raise refusal(
                "wrong-kind-of-file",
                f"{os.fsdecode(path)} ends in .parquet, but to_csv writes CSV. Use to_parquet, or a name that "
                "ends in .csv.",
                "path",
                file=os.fsdecode(path),
            )
        text = self._table.csv_text()
        if path is None:
            return text.decode("utf-8", "surrogateescape")
        write_whole(path, text, overwrite=overwrite, inputs=self._inputs)
        return None

    def to_parquet(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Write a Parquet file (pyarrow; the extra ``parquet``). It appears whole or
        not at all.

        Raises `InvalidInput` if it exists, unless `overwrite` is true, and for a name
        that ends in ``.csv``.
        """
        if path_text("a file to write", path).lower().endswith(".csv"):
            raise refusal(
                "wrong-kind-of-file",
                f"{os.fsdecode(path)} ends in .csv, but to_parquet writes Parquet. Use to_csv, or a name that "
                "ends in .parquet.",
                "path",
                file=os.fsdecode(path),
            )
        parquet = optional("pyarrow.parquet", "parquet")
        writable(path, overwrite, self._inputs)  # before the work
        held = io.BytesIO()
        parquet.write_table(self.to_arrow(), held)
        write_whole(path, held.getvalue(), overwrite=overwrite, inputs=self._inputs)

    def write(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Write a file whose name ends in ``.csv`` or ``.parquet``, as `to_csv` or
        `to_parquet` does.

        Raises `InvalidInput` for any other name.
        """
        if table_format(path) == "csv":
            self.to_csv(path, overwrite=overwrite)
        else:
            self.to_parquet(path, overwrite=overwrite)

    def _some(self, where: slice) -> list[Released]:
        """Some of the records, as `Table` takes them."""
        import numpy as np

        def some(column: Any) -> Any:
            return column[where] if isinstance(column, list) else np.ascontiguousarray(column[where])

        return [one._replace(values=some(one.values), valid=some(one.valid)) for one in released(self._table)]

    def to_arrow(self, *, like: Any = None) -> pyarrow.Table:
        """A table of pyarrow (the extra ``parquet``), with days as `date32`, and times in
        UTC if the domain states a zone. `like` is a table or a schema, as in
        `to_pandas`.
        """
        table: pyarrow.Table = optional("pyarrow", "parquet").table(self)
        kinds = {} if like is None else arrow_types(like)
        for place, column in enumerate(released(self._table)):
            if column.name in kinds:
                made = in_arrow(column, table.column(place), kinds[column.name])
                field = table.schema.field(place).with_type(made.type)
                is_of_levels = hasattr(made.type, "value_type")
                table = table.set_column(place, field if is_of_levels else field.remove_metadata(), made)
        return table

    def to_pandas(self, *, like: Any = None) -> pandas.DataFrame:
        """A data frame: `Int64`, `float64`, `boolean`, categories, which are ordered for
        ordinals, `datetime64[s]` for days and times (with their zone, if the domain
        states one), and `string` for other texts.

        `like` is a data frame whose containers are taken, by the columns' names:
        NumPy's, nullable or Arrow's types, objects or categories. Its values never
        matter: levels, order, numbers or words, and nulls are the domain's.
        """
        pd = optional("pandas", "pandas")
        kinds = {} if like is None else pandas_types(like)
        series: dict[str, Any] = {}
        for place, column in enumerate(released(self._table)):
            series[column.name] = in_pandas(column, kinds.get(column.name), lambda at=place: self.to_arrow().column(at))
        return pd.DataFrame(series)

    def to_polars(self, *, like: Any = None) -> polars.DataFrame:
        """A Polars data frame, with days as dates, times in UTC if the domain states a
        zone, and ordinals as enums. `like` is a frame, also a lazy one, as in
        `to_pandas`.
        """
        frame: polars.DataFrame = optional("polars", "polars").DataFrame(self)
        kinds = {} if like is None else polars_types(like)
        columns = {column.name: column for column in released(self._table) if column.name in kinds}
        return frame.with_columns([in_polars(one, frame[name], kinds[name]) for name, one in columns.items()])

    def _repr_html_(self) -> str:
        """The text for notebooks: the kind of object, and the first records."""
        shown = self._first_rows()
        more = f"<p>The first {len(shown)}.</p>" if len(self) > len(shown) else ""
        return f"<p>{html.escape(repr(self))}</p>{table(self.columns, shown)}{more}"

    def _first_rows(self, most: int = 10) -> list[tuple[Any, ...]]:
        return list(zip(*_cells(self._some(slice(most))).values()))

    def __str__(self) -> str:
        """The kind of object, and the first records as CSV."""
        return f"{self!r}\n{self.head().to_csv()}"

    def __repr__(self) -> str:
        return f"Records({len(self)} of {', '.join(self.columns)})"

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (self._table.columns(),)


def _restore(columns: list[Any]) -> Records:
    return Records(_core.Table(columns))


def _cells(columns: list[Released]) -> dict[str, list[Any]]:
    """Columns as Python's objects."""
    return {column.name: column.cells() for column in columns}
