"""Refusals of public input as values: a sentence, its code, what it concerns and what to do."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from mollify import _core


class WayOut(NamedTuple):
    """What to do about a refusal or a warning, for programs."""

    action: str
    """"set" the part to the value, "leave" it out, "have" so many of the part, such as
    records, "declare" the key in the domain, "use" the method of that class, or "run"
    that function.
    """

    part: str
    """A parameter, a thing, a key, a class or a function, by its name in Python."""

    value: str = ""
    """The value as text. It is empty if there is none, or if you choose it."""


class Quantity(NamedTuple):
    """A number that decides about a refusal or a warning, for programs."""

    name: str
    """"given", the "least", "most", "above" or "below" that is allowed, or what it is:
    "error", "epsilon", "odds".
    """

    value: float

    unit: str = ""
    """What it counts, such as "records"; empty if it is a bare number."""


_ANOTHER = {"missing-parameter", "missing-key", "wrong-kind-of-file", "malformed-file", "unreadable-file", "unwritable-file",
            "malformed-table", "unknown-data-set"}  # fmt: skip
"""Codes of refusals that another value of the parameter mends."""
_LEAVES = {"superfluous-parameter", "contradicting-parameters", "certificate-mismatch"}
"""Codes of refusals that are mended without the parameter."""


class WrongCall(_core.InvalidInput, TypeError):
    """A call has a parameter that the function does not have, or lacks one: a `TypeError` with what a refusal has."""


def refusal(
    code: str,
    sentence: str,
    parameter: str = "",
    *,
    column: str = "",
    file: str = "",
    line: int = 0,
    ways_out: Iterable[WayOut] = (),
    quantities: Iterable[Quantity] = (),
    kind: type[_core.InvalidInput] = _core.InvalidInput,
) -> _core.InvalidInput:
    """The error of a public input that cannot be used. docs/reference/messages.md lists the codes."""
    ways = tuple(ways_out)
    if not ways and parameter:  # if nothing better is known
        if code in _LEAVES:
            ways = (WayOut("leave", parameter),)
        elif code in _ANOTHER or _core.is_of_a_value(code):
            ways = (WayOut("set", parameter),)
    made = kind(sentence)
    made.code, made.parameter, made.column = code, parameter, column
    made.file, made.line, made.ways_out = file, line, ways
    made.quantities = tuple(one if one.unit else one._replace(unit=_core.unit_of(parameter)) for one in quantities)
    return made


def _refusal_of_library(
    sentence: str,
    code: str,
    parameter: str,
    column: str,
    ways_out: list[tuple[str, str, str]],
    file: str,
    line: int,
    quantities: list[tuple[str, float, str]],
) -> _core.InvalidInput:
    """The same of a refusal of the library, which calls this by its name."""
    ways = [WayOut(*way) for way in ways_out]
    numbers = [Quantity(*one) for one in quantities]
    return refusal(code, sentence, parameter, column=column, file=file, line=line, ways_out=ways, quantities=numbers)


def document(kind: type[_core.InvalidInput]) -> None:
    """Gives the class, which is made in C++, its place, its docstring and what an error of another program has."""
    kind.__module__ = "mollify"
    kind.__doc__ = """A public input cannot be used. The message names it and the allowed values.

    Attributes
    ----------
    code : str
        The stable name of the kind of refusal, such as ``"unknown-column"``:
        docs/reference/messages.md lists all of them.
    parameter : str
        The parameter that it concerns; empty if it is no single one.
    column : str
        The column that it concerns; empty if it is none.
    file : str
        The public file that it concerns; may be empty.
    line : int
        The file's line, from 1; 0 if it is no single one.
    ways_out : tuple of WayOut
        What to do, for programs; empty if only the message tells.
    quantities : tuple of Quantity
        The number given and its range, if these decide; otherwise empty.
    """
    kind.code = ""
    kind.parameter = ""
    kind.column = ""
    kind.file = ""
    kind.line = 0
    kind.ways_out = ()
    kind.quantities = ()
