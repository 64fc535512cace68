"""Numbers and texts among the parameters, which are public: refused in one sentence where they are none."""

from __future__ import annotations

import operator
from typing import Any

from mollify import _core


SEEDS = " from 0 to 9223372036854775807"


def whole_number(name: str, given: Any, span: str = "") -> int:
    """From 0 to 2^63 - 1; what is smaller or greater than it may be, the library says."""
    try:
        whole = -1 if isinstance(given, bool) else operator.index(given)
    except TypeError:
        whole = -1
    if not 0 <= whole < 2**63:
        raise _core.InvalidInput(f"{name} must be a whole number{span}, but is {given!r}")
    return whole


def number(name: str, given: Any) -> float:
    """Any of double precision."""
    try:
        if not isinstance(given, bool):
            return float(given)
    except (TypeError, ValueError, OverflowError):
        pass
    raise _core.InvalidInput(f"{name} must be a number, but is {given!r}")


def optional_whole(name: str, given: Any) -> int | None:
    """A whole number, or None."""
    return None if given is None else whole_number(name, given)


def optional_number(name: str, given: Any) -> float | None:
    """A number, or None."""
    return None if given is None else number(name, given)


def require_without_nul(what: str, text: str) -> None:
    """Any text without NUL, at which C's interfaces would cut it short."""
    if "\0" in text:
        raise _core.InvalidInput(f'{what} must be text without NUL, but is "{text}"')
