"""Numbers and texts among the parameters, which are public: refused in one sentence if
they have another type."""

from __future__ import annotations

import datetime
import numbers
import operator
import os
from collections.abc import Iterable
from typing import Any

from mollify._core import InvalidInput
from mollify._refusal import Quantity, refusal


class Public(type):
    """Of classes whose `help` lists public names alone."""

    def __dir__(cls) -> list[str]:
        return [name for name in super().__dir__() if name[0] != "_"]


def wrong_value(given: Any) -> str:
    """A wrong value in a sentence: as Python writes it, or its type, because a table might be private."""
    return repr(given) if _is_short(given) else f"of type {type_name(given)}"


def _is_short(given: Any) -> bool:
    if isinstance(given, (list, tuple, set, frozenset, dict)):
        return len(given) <= 10 and all(map(_is_short, given.values() if isinstance(given, dict) else given))
    return is_one(given)


def is_one(given: Any) -> bool:
    """Whether it is one value, and not a table or a list."""
    is_of_python = given is None or isinstance(given, (str, bytes, numbers.Number, datetime.date, datetime.time, os.PathLike))
    return is_of_python or hasattr(given, "dtype") and getattr(given, "ndim", 1) == 0


def type_name(given: object) -> str:
    """The type of an object, with the package that made it: "_duckdb" is a part of "duckdb"."""
    package, name = type(given).__module__.partition(".")[0].lstrip("_"), type(given).__name__
    return name if package in ("builtins", "main__") else f"{package}.{name}"


def about_labelled(given: object) -> str:
    """What to give in place of a labelled file and of its metadata, whose own types no table or domain has."""
    parts = given[:2] if isinstance(given, (list, tuple)) else (given,)
    if any(type(one).__module__.partition(".")[0] == "pyreadstat" for one in parts):
        reader = "These are metadata of pyreadstat. Read the file by labelled = mo.read_labelled(path), and"
    elif any(type_name(one) == "mollify.Labelled" for one in parts):
        reader = "This is what read_labelled gives:"
    else:
        return ""
    return f". {reader} give labelled.data as the table, and labelled.domain() as the domain"


def whole_number(name: str, given: Any, span: tuple[int, int] | None = None) -> int:
    """A whole number of that span; without one from 0 to 2^63 - 1, and the library says what else it must be."""
    least, most = span or (0, 2**63 - 1)
    try:
        whole = None if isinstance(given, bool) else operator.index(given)
    except TypeError:
        whole = None
    if whole is not None and least <= whole <= most:
        return whole
    if span is not None:
        expected = f"a whole number from {least} to {most}"
    elif whole is None:
        expected = "a whole number"
    else:
        expected = "0 or more" if whole < 0 else "below 2^63"
    if whole is None:
        raise refusal("wrong-type", f"{name} must be {expected}, but is {wrong_value(given)}", _parameter_of(name))
    raise out_of_range(name, whole, expected, least=least, most=most)


def out_of_range(name: str, given: float, expected: str, parameter: str = "", **limits: float) -> InvalidInput:
    """The refusal of a number. The limits are "least", "most", "above" and "below"."""
    quantities = [Quantity("given", given), *(Quantity(limit, end) for limit, end in limits.items())]
    said = f"{name} must be {expected}, but is {str(given).removesuffix('.0')}"
    return refusal("out-of-range", said, parameter or _parameter_of(name), quantities=quantities)


def _parameter_of(name: str) -> str:
    """The parameter of a name in a sentence: `columns` of `each of columns`."""
    return name.rpartition(" ")[2]


def thread_count(threads: int | None) -> int:
    """The library's number of threads: 0 uses all processors."""
    return 0 if threads is None else whole_number("threads", threads, (1, 1024))


def number(name: str, given: Any) -> float:
    """Any of double precision."""
    try:
        if getattr(given, "ndim", 0) == 0 and not isinstance(given, bool):
            return float(given)
    except (TypeError, ValueError, OverflowError):
        pass
    raise refusal("wrong-type", f"{name} must be a number, but is {wrong_value(given)}", _parameter_of(name))


def listed(names: Iterable[str], last: str = "and") -> str:
    """Names in a sentence: `a, b and c`."""
    *some, end = names
    return f"{', '.join(some)} {last} {end}" if some else end


def optional_whole(name: str, given: Any) -> int | None:
    """A whole number, or None."""
    return None if given is None else whole_number(name, given)


def optional_number(name: str, given: Any) -> float | None:
    """A number, or None."""
    return None if given is None else number(name, given)


def require_without_nul(what: str, text: str, parameter: str = "") -> None:
    """Any text without NUL, at which C's interfaces would cut it short."""
    if "\0" in text:
        raise refusal("malformed-text", f'{what} must be text without NUL, but is "{text}"', parameter)


def path_text(what: str, given: Any) -> str:
    """The name of a file."""
    parameter = "path" if " " in what else what
    if not isinstance(given, (str, bytes, os.PathLike)):
        raise refusal("wrong-type", f"{what} must be a path, but is {wrong_value(given)}", parameter)
    name = os.fsdecode(given)
    require_without_nul("a path", name, parameter)
    if not name:
        raise refusal("malformed-text", f"{what} must have a name", parameter)
    return name
