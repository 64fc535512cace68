"""Tables of R: the columns of an .rds file with their metadata, as `Labelled` has those of other files. rdata parses it.

An .rds file holds metadata and values in one stream. A column's type and attributes alone decide its meaning.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from mollify import _core
from mollify._codebook import Code, Codebook, Digits, Moment, format_of, tag_code
from mollify._domain import Domain
from mollify._files import optional
from mollify._refusal import refusal

if TYPE_CHECKING:
    from numpy.typing import NDArray

_EPOCH = "1970-01-01"
_FORMATS = {"format.spss": "SPSS", "format.stata": "Stata", "format.sas": "SAS"}
"""Attributes of columns that haven read from files of other programs."""


class Table(NamedTuple):
    """A data frame of R."""

    books: dict[str, Codebook]
    values: dict[str, list[Any]]
    """As `Codebook.clean` takes them."""
    left_out: dict[str, str]
    """Columns that no domain has a type for, with the reason."""


class _Vector(NamedTuple):
    """A vector of R with its attributes."""

    kind: str
    """R's name of the type: "INT", "REAL", "LGL", "STR", "VEC" or another."""
    values: Any
    attributes: Mapping[str, Any]
    """Vectors by name."""

    def texts(self, name: str) -> list[str]:
        """The texts of an attribute; empty without one."""
        found = self.attributes.get(name)
        return ["" if one is None else one for one in found.values] if found is not None and found.kind == "STR" else []


def parse(path: str) -> Any:
    """What rdata reads of a file."""
    parser = optional("rdata", "labelled").parser
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return parser.parse_file(path, extension=".rds")


def table_of(parsed: Any, path: str, encoding: str | None) -> Table:
    """The table of a parsed file; `InvalidInput` if it holds something else."""
    frame = _vector(parsed.object, _decoder(parsed, encoding))
    if frame.kind != "VEC" or "data.frame" not in frame.texts("class"):
        raise refusal(
            "wrong-kind-of-file",
            f"{path} must hold a data frame, but holds something else. In R, write it by saveRDS(as.data.frame(x), file).",
            "path",
            file=path,
        )
    made = Table({}, {}, {})
    for name, column in zip(frame.texts("names"), frame.values):
        reason = _unsuitable(column)
        if reason or name in made.books:
            made.left_out[name] = reason or "another column has its name"
            continue
        made.books[name] = _book(name, column)
        made.values[name] = _values(column)
    return made


def _decoder(parsed: Any, encoding: str | None) -> Callable[[Any], str | None]:
    convert = optional("rdata", "labelled").conversion.convert_char
    native = encoding or getattr(parsed.extra, "encoding", None) or "UTF-8"

    def decode(text: Any) -> str | None:
        found = convert(text, default_encoding=native, force_default_encoding=encoding is not None)
        return found.decode("utf-8", "replace") if isinstance(found, bytes) else found

    return decode


def _vector(node: Any, decode: Callable[[Any], str | None]) -> _Vector:
    kind, attributes = node.info.type.name, {}
    at = node.attributes
    while at is not None and at.info.type.name == "LIST":
        symbol = at.tag if at.tag.info.type.name == "SYM" else at.tag.referenced_object
        attributes[decode(symbol.value) or ""] = _vector(at.value[0], decode)
        at = at.value[1]
    values = node.value
    if kind == "STR":
        values = [decode(one) for one in values]
    elif kind == "VEC":
        values = [_vector(one, decode) for one in values]
    return _Vector(kind, values, attributes)


def _unsuitable(column: _Vector) -> str:
    """Why no domain has a type for a column; empty if it has one."""
    kinds = column.texts("class")
    if "POSIXlt" in kinds:
        return "it is of R's class POSIXlt: make it POSIXct by as.POSIXct"
    if column.kind not in ("INT", "REAL", "LGL", "STR"):
        known = {"VEC": "list", "CPLX": "complex"}.get(column.kind, column.kind.lower())
        return f"a domain has no type for R's type {known}{' of class ' + kinds[0] if kinds else ''}"
    return "it is a matrix" if "dim" in column.attributes else ""


def _numbers(column: _Vector) -> NDArray[Any]:
    """Numbers of double precision, with NaN for NA."""
    import numpy as np

    if "integer64" in column.texts("class"):
        whole = np.asarray(column.values, "float64").view("int64")
        return np.where(whole == np.iinfo(np.int64).min, math.nan, whole.astype("float64"))
    if column.kind == "REAL":
        return np.asarray(column.values, "float64")
    return np.ma.filled(np.ma.asarray(column.values).astype("float64"), math.nan)


def _tags(numbers: NDArray[Any]) -> list[str]:
    """The letters of haven's tagged NAs, which are in the fifth byte of a NaN; empty for other numbers."""
    import numpy as np

    bits = np.where(np.isnan(numbers), np.ascontiguousarray(numbers).view("uint64") >> np.uint64(32) & np.uint64(0xFF), 0)
    return [chr(one).lower() if one and chr(one).isalpha() and one < 128 else "" for one in bits.tolist()]


def _values(column: _Vector) -> list[Any]:
    if column.kind == "STR":
        return list(column.values)
    numbers = _numbers(column)
    cells: list[Any] = numbers.tolist()
    if column.kind == "REAL":
        for place, letter in enumerate(_tags(numbers)):
            if letter:
                cells[place] = letter
    return cells


def _labels(column: _Vector) -> Iterable[tuple[Code, str]]:
    """Codes and their labels: levels of a factor, truths, or haven's labels."""
    if column.kind == "INT" and "factor" in column.texts("class"):
        yield from ((float(place), level or "NA") for place, level in enumerate(column.texts("levels"), 1))
    elif "labels" in column.attributes:
        given = column.attributes["labels"]
        for code, label in zip(_values(given), given.texts("names")):
            if isinstance(code, str) and given.kind != "STR":
                yield tag_code(code), label
            elif code is not None and code == code and isinstance(code, str) == (column.kind == "STR"):
                yield code, label
    elif column.kind == "LGL":
        yield from ((0.0, "FALSE"), (1.0, "TRUE"))


def _ranges(column: _Vector) -> Iterable[tuple[Code, Code]]:
    """haven's missing codes of SPSS."""
    if "na_values" in column.attributes:
        yield from ((code, code) for code in _values(column.attributes["na_values"]))
    if "na_range" in column.attributes:
        low, high = _values(column.attributes["na_range"])
        yield low, high


def _zone(column: _Vector) -> str:
    """The zone of a column of times. Without one, R shows them on the clock of its machine, which no file states."""
    zone = next(iter(column.texts("tzone")), "")
    try:
        Domain({"at": {"type": "datetime", "min": _EPOCH, "max": _EPOCH, "zone": zone or "Z", "outside": "clip"}})
    except _core.InvalidInput:
        return "Z"
    return zone or "Z"


def _book(name: str, column: _Vector) -> Codebook:
    kinds, labels = column.texts("class"), dict(_labels(column))
    is_text = column.kind == "STR"
    shown, program = next(((column.texts(key)[0], program) for key, program in _FORMATS.items() if column.texts(key)), ("", "SPSS"))
    how, zone, level = format_of(shown, program), "", "unknown"
    if "Date" in kinds:
        how, shown = Moment("date", "day", _EPOCH), "Date"
    elif "POSIXct" in kinds:
        how, shown, zone = Moment("datetime", "second", _EPOCH), "POSIXct", _zone(column)
    elif "factor" in kinds:
        how, level = Digits(None), "ordinal" if "ordered" in kinds else "nominal"
    elif column.kind == "LGL":
        level = "nominal"
    is_whole = column.kind in ("INT", "LGL") or "integer64" in kinds
    return Codebook(
        name=name,
        title=" ".join(column.texts("label")[:1]),
        storage="text" if is_text else "whole" if is_whole else "number",
        format=None if is_text else how,
        shown_as=shown,
        level=level,
        labels={code: labels[code] for code in sorted(labels)},
        ranges=tuple(_ranges(column)),
        has_tags=not is_text and any(letter for code in [column.attributes.get("labels")] if code and code.kind == "REAL" for letter in _tags(_numbers(code))),
        zone=zone,
    )
