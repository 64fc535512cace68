"""Names of parameters: the error of a call with a wrong one."""

from __future__ import annotations

import difflib
import functools
import inspect
import sys
import textwrap
from collections.abc import Callable, Iterable, Sequence
from types import FunctionType
from typing import Any, ParamSpec, TypeVar

from mollify._checks import listed

P = ParamSpec("P")
R = TypeVar("R")
C = TypeVar("C")

Hint = Callable[[type | None, str, str], str]
"""Of the class, the function and the wrong name, a sentence that helps; empty if it knows none."""
_HINTS: dict[object, Hint] = {}


class _Signature(inspect.Signature):
    """Prints in lines that `help` has room for, without the types, which the docstring has."""

    def __str__(self) -> str:
        bare = [one.replace(annotation=one.empty) for one in self.parameters.values()]
        text = str(inspect.Signature(bare))
        if isinstance(self.return_annotation, str) and self.return_annotation != "None":
            text += f" -> {self.return_annotation}"
        return textwrap.fill(text, 72, subsequent_indent="    ", break_long_words=False)


def near(name: str, known: Iterable[str], quote: str = "") -> str:
    """The known name that a wrong one begins, or that has most letters of it: ` (did you mean epsilon?)`."""
    names = list(known)
    begun = sorted((one for one in names if len(name) > 1 and one.startswith(name)), key=len)
    found = begun or difflib.get_close_matches(name, names, 1)
    return f" (did you mean {quote}{found[0]}{quote}?)" if found else ""


def unknown(who: str, name: str, known: Sequence[str], hint: str = "") -> TypeError:
    """The error of an unknown parameter."""
    said = f"{who} has no parameter {name}{near(name, known) if not hint else ''}."
    listed = f"Its parameters are {', '.join(known)}." if known else "It has no parameters."
    return TypeError(" ".join(part for part in (said, hint, listed) if part))


def checked(function: Callable[P, R]) -> Callable[P, R]:
    """The function, which refuses wrong parameters in a sentence. Its signature stays."""
    return _checked(function, False)


def _checked(function: Callable[P, R], is_method: bool) -> Callable[P, R]:
    @functools.wraps(function)
    def called(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return function(*args, **kwargs)
        except TypeError:
            error = _wrong_call(function, is_method, args, kwargs)
            if error is None:  # it comes from inside
                raise
            raise error from None

    called.__signature__ = _Signature.from_callable(function)  # type: ignore[attr-defined]
    return called


def _is_of(function: Callable[..., Any], first: object) -> bool:
    """Whether the first argument is an object of the method's class, or such a class itself."""
    kind = first if isinstance(first, type) else type(first)
    return any(getattr(one, "__name__", "") == function.__qualname__.rpartition(".")[0] for one in kind.__mro__)


def _wrong_call(
    function: Callable[..., Any], is_method: bool, args: Sequence[Any], named: Iterable[str]
) -> TypeError | None:
    """The error of the parameters, or None."""
    parameters = list(inspect.signature(function).parameters.values())[is_method:]
    if any(one.kind in (one.VAR_POSITIONAL, one.VAR_KEYWORD) for one in parameters):
        return None
    owner = None
    who = function.__name__
    if is_method and (not args or not _is_of(function, args[0])):
        return TypeError(f"{function.__name__} was called on a class: make an object of it first, and call its {function.__name__}.")
    if is_method:
        owner = args[0] if isinstance(args[0], type) else type(args[0])
        who = owner.__name__ if who == "__init__" else f"{owner.__name__}.{who}"
        args = args[1:]
    known = [one.name for one in parameters]
    for name in named:
        if name not in known:
            hints = [_HINTS[one] for one in (function, *(owner.__mro__ if owner else ())) if one in _HINTS]
            return unknown(who, name, known, hints[0](owner, function.__name__, name) if hints else "")
    placed = [one.name for one in parameters if one.kind is one.POSITIONAL_OR_KEYWORD]
    if len(args) > len(placed):
        others = known[len(placed) :]
        example = f" Name {'the others' if placed else 'them'}, such as {others[0]}=...." if others else ""
        takes = ", ".join(placed) or "nothing"
        values = f"{len(args)} value{'' if len(args) == 1 else 's'}"
        return TypeError(f"{who} takes {takes} without a name, but you gave {values}.{example}")
    given = {*placed[: len(args)], *named}
    required = [one.name for one in parameters if one.default is one.empty]
    missing = [name for name in required if name not in given]
    if missing:
        return TypeError(f"{listed(missing)} {'are' if missing[1:] else 'is'} missing: {who} needs {listed(required)}.")
    return None


def hinted(hint: Hint) -> Callable[[C], C]:
    """Gives a function, or a class and its subclasses, a hint for wrong names."""

    def with_hint(one: C) -> C:
        _HINTS[one] = hint
        return one

    return with_hint


def no_seed(owner: type | None, function: str, name: str) -> str:
    """The hint of what takes no seed."""
    if name not in ("seed", "random_state", "rng"):
        return ""
    return (
        "A release takes no seed, because anyone who guessed it could subtract the noise. "
        "model.sample(n, seed=...) draws the same rows of a released model again."
    )


def check_calls(namespace: dict[str, Any], names: Iterable[str]) -> None:
    """Makes all public functions and classes of a module refuse wrong parameters in a sentence."""
    for name in names:
        one = namespace.get(name)
        if isinstance(one, type):
            for kind in one.__mro__:
                if kind.__module__.partition(".")[0] == "mollify":
                    check_class(kind)
        elif isinstance(one, FunctionType) and not hasattr(one, "__wrapped__"):
            namespace[name] = checked(one)
            setattr(sys.modules[one.__module__], one.__name__, namespace[name])  # where pickle looks for it


def check_class(kind: type[C]) -> type[C]:
    """The class, with public methods that refuse wrong parameters in a sentence."""
    for name, one in list(vars(kind).items()):
        if name.startswith("_") and name != "__init__":
            continue
        inside = one.__func__ if isinstance(one, classmethod) else one
        if isinstance(inside, FunctionType) and not hasattr(inside, "__wrapped__"):
            made = _checked(inside, True)
            setattr(kind, name, classmethod(made) if isinstance(one, classmethod) else made)
    return kind
