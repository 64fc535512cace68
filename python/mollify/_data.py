"""Data of any kind, as what the library reads.

A release is total in Python too: whether anything here raises depends on the types and names of
columns, which are public, and never on their values. So objects are read one by one by the library,
and no other library is asked to find a common type for them.
"""

from __future__ import annotations

import datetime
import os
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from mollify import _core
from mollify._checks import about_labelled, path_text, require_without_nul, type_name
from mollify._files import optional, require_version, unreadable
from mollify._private_objects import asking_objects
from mollify._read_once import begin_reading
from mollify._refusal import WayOut, refusal

if TYPE_CHECKING:
    from numpy.typing import NDArray

_FORMATS = {
    "i1": "c", "i2": "s", "i4": "i", "i8": "l",
    "u1": "C", "u2": "S", "u4": "I", "u8": "L",
    "f2": "e", "f4": "f", "f8": "g",
}  # fmt: skip
"""NumPy's numbers as Arrow calls them."""


class _EveryColumn(tuple[str, ...]):
    def __contains__(self, name: object) -> bool:
        return True


EVERY_COLUMN = _EveryColumn()
"""The wanted columns of a table that is read whole."""


def source_of(
    data: object,
    wanted: Sequence[str],
    lists: Sequence[str] = (),
    threads: int = 1,
    *,
    what: str = "data",
    left_out: list[tuple[str, str]] | None = None,
) -> _core.Source:
    """The wanted columns of any table; others are left alone where that saves work.

    `lists` are columns of objects that are lists, because the column's type does not
    show this. `threads` threads read a file; 0 uses all processors. `what` names
    the table
    where it is refused. Columns that no type of a column is for are put into
    `left_out`, each with the reason, or refused if it is not given.

    A column that is missing is found out by the release. Raises `InvalidInput` if it is
    not a table, and for a column of a type that cannot be read.
    """
    try:
        return _read(data, wanted, lists, threads, what, left_out)
    except _core.InvalidInput as refused:
        if not refused.parameter:
            refused.parameter = what
            refused.ways_out = refused.ways_out or (WayOut("set", what),)
        raise


def _read(
    data: object, wanted: Sequence[str], lists: Sequence[str], threads: int, what: str, left_out: list[tuple[str, str]] | None
) -> _core.Source:
    """`source_of`, whose refusals of files and columns name no parameter."""
    pandas = sys.modules.get("pandas")
    if isinstance(data, (str, os.PathLike)):
        path = path_text(what, data)
        if is_parquet(path):
            return _exported(parquet_table(path, wanted), what)
        return _core.Source.csv(path, threads)
    if pandas is not None and isinstance(data, pandas.DataFrame):
        # By position, for two columns may have one name: then the release refuses.
        named = [(str(name), data.iloc[:, i]) for i, name in enumerate(data.columns)]
        return _source(_chosen(named, wanted), len(data), lists, left_out)
    if isinstance(data, Mapping):
        named = [(str(name), data[name]) for name in data]
        return _source(_chosen(named, wanted), None, lists, left_out)
    table: Any = data
    fields = getattr(getattr(data, "dtype", None), "names", None)
    if isinstance(fields, tuple):  # an array of records
        named = [(name, table[name]) for name in fields]
        return _source(_chosen(named, wanted), len(table), lists, left_out)
    numpy = sys.modules.get("numpy")
    if numpy is not None and isinstance(data, numpy.ndarray):
        if wanted is EVERY_COLUMN:
            raise refusal("wrong-type", f"{what} must have names for its columns, but is an array without names", what)
        if data.ndim != 2 or data.shape[1] != len(wanted):
            raise refusal(
                "wrong-shape",
                f"{what}, an array of (n, d), must have a column for each of {', '.join(wanted)}, in this "
                f"order, but has shape {data.shape}",
                what,
            )
        named = [(name, table[:, place]) for place, name in enumerate(wanted)]
        return _source(named, len(table), lists)
    require_version(_package_of(data))
    _require_whole_names(data)
    if hasattr(data, "collect_batches"):  # Polars' lazy frames
        return _exported(table.collect_batches(lazy=True), what)
    return _exported(data, what)


def enum_words(table: Any) -> dict[str, list[str]]:
    """The words of DuckDB's ENUMs, which lose their order on the way to Arrow."""
    if _package_of(table) != "duckdb" or not hasattr(table, "types"):
        return {}
    return {
        name: dict(kind.children)["values"]
        for name, kind in zip(table.columns, table.types)
        if kind.id == "enum"
    }


def whole_table(table: Any, what: str) -> Any:
    """A stream of Arrow's batches as a table, whose dictionaries can be seen; other tables as they are.
    For public tables alone. `InvalidInput` if the stream was read before.
    """
    pyarrow = sys.modules.get("pyarrow")
    if pyarrow is None or not isinstance(table, pyarrow.RecordBatchReader):
        return table
    begin_reading(table, what)
    return table.read_all()


def unordered_levels(table: Any) -> dict[str, list[Any]]:
    """The texts, numbers, days and times that types of columns list without an order: pandas' categories and Arrow's
    dictionaries.
    """
    pandas, pyarrow = sys.modules.get("pandas"), sys.modules.get("pyarrow")
    found: dict[str, list[Any]] = {}
    if pyarrow is not None and isinstance(table, (pyarrow.Table, pyarrow.RecordBatch)):
        for name, column in zip(table.schema.names, table.columns):
            if pyarrow.types.is_dictionary(column.type) and not column.type.ordered:
                found[name] = [level for chunk in getattr(column, "chunks", [column]) for level in chunk.dictionary.to_pylist()]
    elif pandas is not None and isinstance(table, (pandas.DataFrame, Mapping)):
        for name, values in table.items():
            kind = getattr(values, "dtype", None)
            if isinstance(kind, pandas.CategoricalDtype) and not kind.ordered:
                found[str(name)] = kind.categories.tolist()
    plain = (str, bool, int, float, datetime.date, type(None))
    return {name: list(dict.fromkeys(levels)) for name, levels in found.items() if all(isinstance(one, plain) for one in levels)}


def _package_of(table: object) -> str:
    """The package that made an object: "_duckdb" is a part of "duckdb"."""
    return type(table).__module__.partition(".")[0].lstrip("_")


def _chosen(named: list[tuple[str, Any]], wanted: Sequence[str]) -> list[tuple[str, Any]]:
    """The wanted columns. If one is missing the others stay by name, because the
    refusal lists the columns."""
    names = {name for name, _ in named}
    if all(name in names for name in wanted):
        return [(name, values) for name, values in named if name in wanted]
    shown = [(name, values) for name, values in named if name in wanted or "\0" not in name]
    return [(name, values if name in wanted or not hasattr(values, "__len__") else [None] * len(values)) for name, values in shown]


def is_parquet(path: str | os.PathLike[str]) -> bool:
    return os.fspath(path).lower().endswith(".parquet")


def parquet_table(path: str, wanted: Sequence[str]) -> Any:
    """The wanted columns of a Parquet file, as Arrow's table."""
    parquet = optional("pyarrow.parquet", "parquet")
    try:
        with parquet.ParquetFile(path) as file:
            names = file.schema_arrow.names
            for name in names:
                require_without_nul("a column's name", name)
            return file.read([name for name in names if name in wanted])
    except (OSError, ValueError) as error:  # whose words may quote the file
        raise unreadable(path, error, "it is not a Parquet file") from None


def column_source(values: object, name: str, *, what: str) -> _core.Source:
    """A table of one column."""
    known = ("dtype", "__arrow_c_stream__", "__arrow_c_array__")
    if not isinstance(values, (list, tuple, range)) and not any(hasattr(values, one) for one in known):
        raise refusal(
            "wrong-type",
            f"{what} must be a list, a column, a table or a file, but is of type {type_name(values)}{_give_arrow(values)}",
            what,
        )
    return _source([(name, values)])


def _require_whole_names(data: Any) -> None:
    """Arrow's interface ends a name at a NUL: pyarrow cuts it short there, and Polars ends the program."""
    schema = data.collect_schema() if hasattr(data, "collect_schema") else getattr(data, "schema", None)
    names = getattr(schema, "names", ())
    for name in names() if callable(names) else names:
        require_without_nul("a column's name", str(name))


def _exported(data: Any, what: str) -> _core.Source:
    if hasattr(data, "to_frame"):  # pandas' and Polars' series
        raise refusal("wrong-type", f"{what} must be a table, but is one column. Call its to_frame().", what)
    if hasattr(data, "__arrow_c_stream__"):
        begin_reading(data, what)
        return _core.Source.stream(_exports(data, "__arrow_c_stream__", what))
    if hasattr(data, "__arrow_c_array__"):
        return _core.Source.batch(*_exports(data, "__arrow_c_array__", what))
    raise refusal(
        "wrong-type",
        f"{what} must be a table: a data frame, Arrow data, a mapping from names to columns, an array "
        f"or the path of a CSV or Parquet file, but is of type {type_name(data)}{_give_arrow(data)}",
        what,
    )


def _exports(table: Any, method: str, what: str) -> Any:
    """What an object exports. If it raises, its words may have private values, so nobody sees them."""
    try:
        return getattr(table, method)()
    except (_core.InvalidInput, ImportError):  # of this package, or a package that the object needs
        raise
    except Exception as error:
        kind = type(error).__name__
    raise refusal("malformed-table", f"{what} cannot be read: {method} of its {type_name(table)} raises {kind}", what)


def _way_to_arrow(given: object, *first: str) -> str | None:
    """The method that makes a table or a column of Arrow's of an object, if it is known."""
    ways = (*first, *_WAYS_TO_ARROW)
    return next((one for one in ways if callable(getattr(type(given), one, None))), None)


def _give_arrow(given: object) -> str:
    way = _way_to_arrow(given)
    return f". Give its {way}()." if way else about_labelled(given)


_WAYS_TO_ARROW = ("to_arrow_table", "fetch_arrow_table", "to_arrow", "toArrow", "to_pandas")
"""Methods of Vortex, DuckDB's and ADBC's cursors, Hugging Face's datasets, Ray, Spark, Modin and cuDF."""


def _source(
    named: list[tuple[str, Any]],
    rows: int | None = None,
    lists: Sequence[str] = (),
    left_out: list[tuple[str, str]] | None = None,
) -> _core.Source:
    columns = _core.Columns()
    first = None
    for name, values in named:
        require_without_nul("a column's name", name)
        if left_out is not None and (kind := _type_of_several(values)):
            left_out.append((name, f"it holds values of type {kind}, and a domain has no type for several values"))
            continue
        try:
            with asking_objects():
                if name in lists:
                    _add_lists(columns, name, values)
                else:
                    _add(columns, name, values)
        except _core.InvalidInput as error:
            if left_out is None or error.code not in _TYPE_CODES:
                raise
            kind = getattr(values, "dtype", type_name(values))
            remedy = _remedy_of_periods(name, values)
            left_out.append((name, f"it is of type {kind}, and a domain has no type for it{': cast it to ' if remedy else ''}{remedy}"))
            continue
        length = columns.last_length()
        if rows is None:
            rows, first = length, name
        if length != rows:
            raise refusal(
                "wrong-shape",
                f'columns must be of equal length, but "{name}" has {length} values'
                + (f' and "{first}" has {rows}' if first is not None else f" in {rows} rows"),
                column=name,
            )
    return columns.source(rows or 0)


def _type_of_several(values: Any) -> str | None:
    """The type of the first object of a public column that is several values: the text
    of a list is not a word."""
    import numpy as np

    several = (list, tuple, dict, set, frozenset, np.ndarray)
    if not isinstance(values, (list, tuple)) and getattr(values, "dtype", None) != object:
        return None
    return next((type_name(one) for one in values if isinstance(one, several)), None)


_TYPE_CODES = ("unsupported-type", "wrong-shape")
"""Codes of the refusals that the type of a column alone decides."""


def _refuse(name: str, kind: object, remedy: str = "texts or numbers") -> _core.InvalidInput:
    return refusal(
        "unsupported-type",
        f'column "{name}" of the data must be of booleans, integers, numbers, texts, dates or timestamps, '
        f"but is of type {kind}: cast it to {remedy}",
        column=name,
    )


_SHORT_PERIODS = ("D", "h", "min", "s", "ms", "us", "ns")
"""The frequencies of pandas whose periods have the texts of dates and times."""


def _remedy_of_periods(name: str, values: Any) -> str:
    """What to cast pandas' long periods to; empty for all other values. The text of a month or a week is not the text of
    a date, so a column of dates would map it silently.
    """
    pandas = sys.modules.get("pandas")
    kind = getattr(values, "dtype", None)
    if pandas is None or not isinstance(kind, (pandas.PeriodDtype, pandas.CategoricalDtype)):
        return ""
    inside = kind.categories.dtype if isinstance(kind, pandas.CategoricalDtype) else kind
    if not isinstance(inside, pandas.PeriodDtype) or str(inside)[len("period[") : -1].lstrip("0123456789") in _SHORT_PERIODS:
        return ""
    column = f'frame["{name}"]'
    periods = column if kind is inside else f'{column}.astype("{inside}")'
    days = f"{periods}{'.dt' if isinstance(values, pandas.Series) else ''}.to_timestamp()"
    return f"days ({column} = {days}) or words ({column} = {column}.astype(str))"


def _add(columns: _core.Columns, name: str, values: Any) -> None:
    """One column, of whatever kind."""
    import numpy as np

    pandas = sys.modules.get("pandas")
    if isinstance(values, np.ndarray):
        _add_numpy(columns, name, values)
    elif pandas is not None and isinstance(
        values, (pandas.Series, pandas.Index, pandas.api.extensions.ExtensionArray)
    ):
        _add_pandas(columns, name, values)
    elif isinstance(values, (list, tuple, range)):
        _add_objects(columns, name, list(values))
    elif hasattr(values, "__arrow_c_stream__") or hasattr(values, "__arrow_c_array__"):
        _add_arrow(columns, name, values)
    else:
        way = _way_to_arrow(values, "to_arrow_array")
        raise _refuse(name, type_name(values), f"Arrow's types, by its {way}()" if way else "texts or numbers")


def _add_arrow(columns: _core.Columns, name: str, values: Any) -> None:
    require_version(_package_of(values))
    for joined in ("combine_chunks", "rechunk"):  # pyarrow's and Polars'
        if hasattr(values, joined):
            values = getattr(values, joined)()
    what = f'column "{name}"'
    if hasattr(values, "__arrow_c_array__"):
        columns.add_arrow(name, *_exports(values, "__arrow_c_array__", what))
    else:
        begin_reading(values, what)
        columns.add_stream(name, _exports(values, "__arrow_c_stream__", what))


def _add_objects(columns: _core.Columns, name: str, objects: list[Any]) -> None:
    columns.add_objects(name, objects, null_objects(), _plain)


def null_objects() -> tuple[Any, ...]:
    """The objects that pandas has for nulls."""
    pandas = sys.modules.get("pandas")
    return () if pandas is None else (pandas.NA, pandas.NaT)


def _add_lists(columns: _core.Columns, name: str, values: Any) -> None:
    """A column of objects that are lists; any other object is the list of itself."""
    import numpy as np

    if not isinstance(values, (list, tuple)):
        kind = getattr(values, "dtype", None)
        if getattr(values, "ndim", 1) == 2 or not isinstance(kind, np.dtype) or kind.kind != "O":
            return _add(columns, name, values)  # the type shows it, or no value is a list
        values = np.asarray(values).tolist()
    offsets, items = [0], []
    for one in values:
        items.extend(_items(one))
        offsets.append(len(items))
    _add_flat(columns, name, np.array(offsets, np.int64), items)


def _items(value: Any) -> list[Any]:
    """The value of an object. Total: private objects may do anything when they are
    asked."""
    import numpy as np

    kind = type(value)  # `isinstance` would ask the object
    try:
        if issubclass(kind, (list, tuple)) or (issubclass(kind, np.ndarray) and value.ndim == 1):
            return [*value]
        if kind.__module__.partition(".")[0] in ("pandas", "polars", "pyarrow"):
            return [*value]
    except BaseException:
        pass
    return [value]


def _add_flat(columns: _core.Columns, name: str, offsets: NDArray[Any], items: Any) -> None:
    """Lists by where they begin, and the last one ends, among the items of all."""
    held = _core.Columns()
    _add(held, "", items)
    columns.add_lists(name, len(offsets) - 1, _bytes(offsets), held)


_MOST_SCALE = 76
"""The greatest exponent at which Arrow's decimals have Python's texts."""


def _plain(value: Any) -> object:
    """The meaning of an object that is not a text, number, boolean, bytes or None: one of
    these.

    May raise: the library then treats the object as a text that no domain declares.
    """
    import decimal

    import numpy as np

    if isinstance(value, decimal.Decimal) and value.is_finite():
        exponent = int(value.as_tuple().exponent)
        return format(value, "f") if abs(exponent) <= _MOST_SCALE else str(value)
    if isinstance(value, datetime.datetime):
        return value.isoformat()
    if isinstance(value, np.generic):
        if value.dtype.kind == "M":
            one = np.array([value])
            return None if np.isnat(one)[0] else str(np.datetime_as_string(_times(one)[1][0]))
        if value.dtype.kind == "f" and value.dtype.itemsize < 8:
            return float(str(value))  # 0.1 of 32 bits is 0.1, as in a file
        return value.item()
    return str(value)


def _bytes(array: NDArray[Any]) -> NDArray[Any]:
    import numpy as np

    return np.ascontiguousarray(array).view(np.uint8)


_MOST_TIMES = {"Y": 5 * 10**6, "M": 6 * 10**7, "W": 3 * 10**8, "D": 2**31, "h": 2**51, "m": 2**57}
"""What other units can hold too: NumPy raises beyond it, and values decide about no exception."""


def _times(array: NDArray[Any]) -> tuple[str, NDArray[Any]]:
    """Arrow's format of a time or a date, and the times in it, the furthest ones nearer; no nulls."""
    import numpy as np

    unit, step = np.datetime_data(array.dtype)
    most = _MOST_TIMES.get(unit, 2**63 - 1) // step
    array = np.clip(array.view(np.int64), -most, most).view(array.dtype)
    if unit in ("s", "ms", "us", "ns"):
        formats = {"s": "tss:", "ms": "tsm:", "us": "tsu:", "ns": "tsn:"}
        return formats[unit], array if step == 1 else array.astype(f"datetime64[{unit}]")
    if unit in ("Y", "M", "W", "D"):
        return "tdD", array.astype("datetime64[D]")
    if unit in ("h", "m"):
        return "tss:", array.astype("datetime64[s]")
    parts = {"ps": 10**3, "fs": 10**6, "as": 10**9}.get(unit, 1)
    return "tsn:", (array.view(np.int64) * step // parts).view("datetime64[ns]")


def _add_numpy(
    columns: _core.Columns,
    name: str,
    array: NDArray[Any],
    null: NDArray[Any] | None = None,
    zone: str = "",
) -> None:
    """One column; `zone` of times."""
    import numpy as np

    if array.ndim == 2:
        offsets = np.arange(len(array) + 1, dtype=np.int64) * array.shape[1]
        return _add_flat(columns, name, offsets, array.reshape(-1))
    if array.ndim != 1:
        raise refusal(
            "wrong-shape",
            f'column "{name}" of the data must have one dimension, or two for lists, but has {array.ndim}',
            column=name,
        )
    if isinstance(array, np.ma.MaskedArray):
        null, array = np.ma.getmaskarray(array), np.ma.getdata(array)
    valid = None if null is None else _bytes(~null)
    kind = array.dtype.kind
    if kind in "iufMUS" and not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    if kind in "iuf":
        if array.dtype.str[1:] not in _FORMATS:  # a float of more than 64 bits: as a file has it
            return _add_numpy(columns, name, array.astype(str), null)
        columns.add_numbers(name, _FORMATS[array.dtype.str[1:]], len(array), _bytes(array), valid)
    elif kind == "b":
        columns.add_truths(name, _bytes(array), valid)
    elif kind == "M":
        missing = np.isnat(array) if null is None else null | np.isnat(array)
        form, times = _times(array)
        numbers = times.astype(np.int64)
        if form == "tdD":
            numbers = np.clip(numbers, -(2**31), 2**31 - 1).astype(np.int32)
        else:
            form += zone
        columns.add_numbers(name, form, len(array), _bytes(numbers), _bytes(~missing))
    elif kind == "O" or kind == "T":
        objects = array.astype(object).tolist()
        if null is not None:
            objects = [None if gone else one for one, gone in zip(objects, null)]
        _add_objects(columns, name, objects)
    elif kind in "US" and null is None:
        width = np.uint32 if kind == "U" else np.uint8
        if array.dtype.itemsize == 0:
            letters = np.zeros((len(array), 1), width)
        else:
            letters = np.ascontiguousarray(array).view(width).reshape(len(array), -1)
        (columns.add_letters if kind == "U" else columns.add_bytes)(name, letters)
    elif kind in "US":
        _add_numpy(columns, name, array.astype(object), null)
    else:
        raise _refuse(name, array.dtype)


def _are_objects(values: Any) -> bool:
    """Whether a series or an index is read object by object."""
    import numpy as np
    import pandas

    kind = values.dtype
    if isinstance(kind, np.dtype):
        return kind.kind == "O"
    if isinstance(kind, (pandas.CategoricalDtype, pandas.DatetimeTZDtype)):
        return False
    if hasattr(values.array, "__arrow_array__") and hasattr(values.array, "_pa_array"):
        return False
    return not hasattr(kind, "numpy_dtype") or kind.numpy_dtype.kind not in "iufb"


def _zone_text(zone: Any) -> str | None:
    """Arrow's text for a zone: its name or its offset from UTC; nothing for rules without a name."""
    name = getattr(zone, "key", None) or getattr(zone, "zone", None)  # of zoneinfo and of pytz
    if name is not None:
        return str(name)
    offset = zone.utcoffset(None)
    if offset is None or offset % datetime.timedelta(minutes=1):
        return None
    minutes = offset // datetime.timedelta(minutes=1)
    return f"{'-' if minutes < 0 else '+'}{abs(minutes) // 60:02}:{abs(minutes) % 60:02}"


def _add_pandas(columns: _core.Columns, name: str, values: Any) -> None:
    """A series, an index, or what is inside of one."""
    require_version("pandas")
    import numpy as np
    import pandas

    kind = values.dtype
    if remedy := _remedy_of_periods(name, values):
        raise _refuse(name, kind, remedy)
    array = values if isinstance(values, pandas.api.extensions.ExtensionArray) else values.array
    if isinstance(kind, np.dtype):
        _add_numpy(columns, name, np.asarray(array))
    elif isinstance(kind, pandas.CategoricalDtype):
        places = np.asarray(array.codes, dtype=np.int32)
        words = kind.categories
        if _are_objects(words):
            objects = words.to_numpy(dtype=object).tolist()
            columns.add_object_dictionary(name, places, objects, null_objects(), _plain, bool(kind.ordered))
        else:
            held = _core.Columns()
            _add_pandas(held, "", words)
            columns.add_dictionary(name, len(places), _bytes(places), held, bool(kind.ordered))
    elif isinstance(kind, pandas.DatetimeTZDtype):
        zone = _zone_text(kind.tz)
        if zone is None:
            _add_objects(columns, name, [None if one is pandas.NaT else one.isoformat() for one in array])
        else:
            times = array.tz_convert("UTC").tz_localize(None).to_numpy()
            _add_numpy(columns, name, times, zone=zone)
    elif hasattr(array, "__arrow_array__") and hasattr(array, "_pa_array"):  # Arrow is inside
        _add_arrow(columns, name, array.__arrow_array__())
    elif hasattr(kind, "numpy_dtype") and kind.numpy_dtype.kind in "iufb":  # numbers with a mask
        null = np.asarray(array.isna(), dtype=bool)
        numbers = array.to_numpy(dtype=kind.numpy_dtype, na_value=kind.numpy_dtype.type(0))
        _add_numpy(columns, name, numbers, null)
    else:  # texts, sparse columns, periods, ...: object by object
        _add_objects(columns, name, array.to_numpy(dtype=object).tolist())
