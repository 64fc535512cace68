"""A warning about a release that is made nevertheless."""

from __future__ import annotations

import copyreg
import functools
import operator
import sys
import warnings
from collections.abc import Iterable, Mapping
from typing import Any

from mollify._codes import WARNING_CODES
from mollify._parameters import unknown_name
from mollify._refusal import Quantity, WayOut, refusal

_CALLED_THROUGH = ("mollify", "opendp", "sklearn")


class Message(str):
    """The sentence of a warning. Its facts are attributes, so no program has to read it."""

    code: str
    """The stable name of its kind, such as "mostly-noise"."""
    severity: str
    """"note", "warning", or "noise" if what is released is mostly noise."""
    ways_out: tuple[WayOut, ...]
    quantities: tuple[Quantity, ...]
    """The numbers that decide, such as the error of a release."""

    def __new__(
        cls,
        text: str,
        code: str = "",
        severity: str = "warning",
        ways_out: Iterable[Any] = (),
        quantities: Iterable[Any] = (),
    ) -> Message:
        made = super().__new__(cls, text)
        made.code, made.severity = code, severity
        made.ways_out = tuple(WayOut(*one) for one in ways_out)
        made.quantities = tuple(Quantity(*one) for one in quantities)
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        return Message, (str(self), self.code, self.severity, self.ways_out, self.quantities)


class ByCode(type):
    def __getitem__(cls, code: str) -> type[Any]:
        if not isinstance(code, str):
            raise refusal("wrong-type", f"a warning's code must be a text, such as \"mostly-noise\", but is {code!r}", "code")
        if code not in WARNING_CODES:
            known = sorted(WARNING_CODES)
            raise unknown_name(f"a warning's code must be one of {', '.join(known)}, but is {code!r}", code, known, "code")
        return _category(cls, code)


@functools.lru_cache(maxsize=None)  # there are few codes
def _category(kind: ByCode, code: str) -> type[Any]:
    return ByCode(f"{kind.__name__}[{code!r}]", (kind,), {"__module__": kind.__module__, "code": code, "kind": kind})


def _pickled(category: Any) -> str | tuple[Any, ...]:
    """Tells `pickle` how to find a category again, because no module has a code's category under its name."""
    return (operator.getitem, (category.kind, category.code)) if category.kind else category.__qualname__


copyreg.pickle(ByCode, _pickled)


def _coded(kind: type[CodedWarning], code: str, parts: tuple[Any, ...]) -> CodedWarning:
    made: CodedWarning = (kind[code] if code else kind)(*parts)
    return made


class CodedWarning(UserWarning, metaclass=ByCode):
    """A warning whose `code` names its kind. ``Category[code]`` is the category of that
    kind alone, for `warnings.filterwarnings`.
    """

    code = ""
    kind: type[CodedWarning] | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        return _coded, (self.kind or type(self), self.code, self.args)

    @property
    def message(self) -> Message:
        """Its sentence and facts."""
        found: Message = self.args[0]
        return found


class ReleaseWarning(CodedWarning):
    """Something public makes a release dangerous or nearly useless, but not wrong.

    Above all: its records are mostly noise, or its epsilon means little. It is given
    before anything is charged or drawn, and never depends on private data.

    `code` names the kind, and ``ReleaseWarning["mostly-noise"]`` is the category of
    that kind alone, for `warnings.filterwarnings`. `message` is a `Message`.

    >>> ReleaseWarning["mostly-noise"].code
    'mostly-noise'
    """


def messages(found: Iterable[Any]) -> list[Message]:
    """The library's messages, which are tuples, or objects of its JSON."""
    return [
        Message(
            one["text"],
            one["code"],
            one["severity"],
            [(way["action"], way["part"], way["value"]) for way in one["ways_out"]],
            [(number["name"], number["value"], number["unit"] or "") for number in one["quantities"]],
        )
        if isinstance(one, Mapping)
        else Message(one[2], one[0], one[1], one[3], one[4])
        for one in found
    ]


def warn(found: Iterable[Message], category: type[CodedWarning] = ReleaseWarning) -> None:
    """Warns at the line of the program that called this package, be it through a
    library's adapter.
    """
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and _is_between(frame.f_globals.get("__name__")):
        frame, level = frame.f_back, level + 1
    for message in found:
        kind = category[message.code] if message.code else category
        warnings.warn(kind(message), stacklevel=level)


def told(answer: tuple[Any, ...], domain: Any = None) -> tuple[Any, ...]:
    """Warn of what an answer warns of, but not of what its domain warned of before. Returns the rest of the answer."""
    json, text, said, *more = answer
    before = {one.code for one in messages(domain._inside.warnings())} if domain is not None else set()
    warn(one for one in messages(said) if one.code not in before)
    return (json, text, *more)


def _is_between(module: object) -> bool:
    return isinstance(module, str) and module.partition(".")[0] in _CALLED_THROUGH
