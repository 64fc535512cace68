"""Names of parameters: the error of a call with a wrong one."""

from __future__ import annotations

import functools
import inspect
import operator
import os
import sys
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import FunctionType
from typing import Any, ParamSpec, TypeVar

from mollify._checks import listed, wrong_value
from mollify._core import InvalidInput, nearest_name, nearest_parameter
from mollify._refusal import WayOut, WrongCall, refusal

P = ParamSpec("P")
R = TypeVar("R")
C = TypeVar("C")

Hint = Callable[[type | None, str, str], tuple[str, list[str]]]
"""Of the class, the function and the wrong name, a sentence that helps, empty if it knows none, and the classes that have
the parameter."""
_HINTS: dict[object, Hint] = {}


class _Signature(inspect.Signature):
    """Prints in lines that `help` has room for, without the types, which the docstring has."""

    def __str__(self) -> str:
        bare = [one.replace(annotation=one.empty) for one in self.parameters.values()]
        text = str(inspect.Signature(bare))
        if isinstance(self.return_annotation, str) and self.return_annotation != "None":
            text += f" -> {self.return_annotation}"
        return textwrap.fill(text, 72, subsequent_indent="    ", break_long_words=False)


def nearest(name: str, known: Iterable[str], find: Callable[[bytes, list[bytes]], bytes] = nearest_name) -> list[str]:
    """The known name that somebody may have meant, by the library's rule; none if no name is near."""
    names = [one.encode("utf-8", "surrogatepass") for one in known]
    found = find(name.encode("utf-8", "surrogatepass"), names).decode("utf-8", "surrogatepass")
    return [found] if found else []


def meant(found: Sequence[str]) -> str:
    """The found name in words: ` (did you mean "epsilon"?)`."""
    return f' (did you mean "{found[0]}"?)' if found else ""


def unknown_name(
    sentence: str, name: Any, known: Iterable[str], parameter: str, code: str = "unknown-name", **place: Any
) -> InvalidInput:
    """The refusal of a name, with the nearest known one in the sentence and as the way out."""
    found = nearest(name, known) if isinstance(name, str) else []
    return refusal(code, sentence + meant(found), parameter, ways_out=[WayOut("set", parameter, *found)], **place)


def near(name: str, known: Iterable[str]) -> str:
    """The nearest name in these words."""
    return meant(nearest(name, known))


def unknown(who: str, name: str, known: Sequence[str], hint: str = "", others: Sequence[str] = ()) -> InvalidInput:
    """The error of an unknown parameter, which other classes of methods may have."""
    found = nearest(name, known, nearest_parameter) if not hint else []
    said = f'{who} has no parameter "{name}"{meant(found)}.'
    listed = f"Its parameters are {', '.join(known)}." if known else "It has no parameters."
    ways = [WayOut("leave", name), *(WayOut("set", one) for one in found), *(WayOut("use", f"mo.{one}") for one in others)]
    sentence = " ".join(part for part in (said, hint, listed) if part)
    if others:
        return refusal("not-for-this-method", sentence, name, ways_out=ways, kind=WrongCall)
    return refusal("unknown-parameter", sentence, name, ways_out=ways, kind=WrongCall)


def checked(function: Callable[P, R]) -> Callable[P, R]:
    """The function, which refuses wrong parameters in a sentence. Its signature stays."""
    return _checked(function, False)


def _checked(function: Callable[P, R], is_method: bool) -> Callable[P, R]:
    @functools.wraps(function)
    def called(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return function(*args, **kwargs)
        except (ArithmeticError, AttributeError, TypeError, ValueError) as raised:
            if isinstance(raised, InvalidInput):
                _name_file(function, args, kwargs, raised)
                raise
            error: Exception | None = None
            if isinstance(raised, TypeError):
                error = _wrong_call(function, is_method, args, kwargs)
            error = error or _wrong_type(function, args, kwargs)
            if error is None:  # it comes from inside
                raise
            raise error from None

    called.__signature__ = _Signature.from_callable(function)  # type: ignore[attr-defined]
    return called


def _name_file(function: Callable[..., Any], args: Sequence[Any], named: Mapping[str, Any], refused: InvalidInput) -> None:
    """Give the refusal of a file the function's own name of the parameter that the file comes by."""
    former = refused.parameter
    try:
        bound = inspect.signature(function).bind(*args, **named)
    except TypeError:
        return
    # A line's refusal may be about a key of the file.
    if not refused.file or former in bound.signature.parameters or (former and refused.line):
        return
    for name, given in bound.arguments.items():
        if not isinstance(given, (str, bytes, os.PathLike)):
            continue
        path = os.fsdecode(given)
        if refused.file in (path, os.path.abspath(path)):
            refused.parameter = name
            ways = refused.ways_out or (WayOut("set", name),)
            refused.ways_out = tuple(way._replace(part=name) if way.part == former and way.action in ("set", "leave") else way for way in ways)
            return


def _is_of(function: Callable[..., Any], first: object) -> bool:
    """Whether the first argument is an object of the method's class, or such a class itself."""
    kind = first if isinstance(first, type) else type(first)
    return any(getattr(one, "__name__", "") == function.__qualname__.rpartition(".")[0] for one in kind.__mro__)


def _wrong_call(
    function: Callable[..., Any], is_method: bool, args: Sequence[Any], named: Iterable[str]
) -> Exception | None:
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
            return unknown(who, name, known, *(hints[0](owner, function.__name__, name) if hints else ()))
    placed = [one.name for one in parameters if one.kind is one.POSITIONAL_OR_KEYWORD]
    if len(args) > len(placed):
        others = known[len(placed) :]
        example = f" Name {'the others' if placed else 'them'}, such as {others[0]}=...." if others else ""
        takes = ", ".join(placed) or "nothing"
        values = f"{len(args)} value{'' if len(args) == 1 else 's'}"
        said = f"{who} takes {takes} without a name, but you gave {values}.{example}"
        return refusal("superfluous-parameter", said, ways_out=[WayOut("set", one) for one in others], kind=WrongCall)
    for name in placed[: len(args)]:
        if name in named:
            said = f"{name} is given twice: {who} takes the value without a name as its {name}."
            return refusal("superfluous-parameter", said, name, ways_out=[WayOut("leave", name)], kind=WrongCall)
    given = {*placed[: len(args)], *named}
    required = [one.name for one in parameters if one.default is one.empty]
    missing = [name for name in required if name not in given]
    if missing:
        said = f"{listed(missing)} {'are' if missing[1:] else 'is'} missing: {who} needs {listed(required)}."
        ways = [WayOut("set", one) for one in missing]
        return refusal("missing-parameter", said, missing[0], ways_out=ways, kind=WrongCall)
    return None


def _is_number(given: Any) -> bool:
    return not isinstance(given, (str, bytes)) and hasattr(given, "__float__") and getattr(given, "ndim", 0) == 0


def _is_whole(given: Any) -> bool:
    try:
        operator.index(given)
    except TypeError:
        return False
    return not isinstance(given, bool) and -(2**63) <= given < 2**64


_KINDS: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "bool": ("True or False", lambda one: isinstance(getattr(one, "item", lambda: one)(), bool) if getattr(one, "ndim", 0) == 0 else False),
    "int": ("a whole number", _is_whole),
    "float": ("a number", _is_number),
    "str": ("a text", lambda one: isinstance(one, str)),
    "os.PathLike[str]": ("a path", lambda one: isinstance(one, os.PathLike)),
    "Number": ("a number", lambda one: _is_number(one) or isinstance(one, str)),
    "Literal": ("one of its texts", lambda one: isinstance(one, str)),
    "None": ("None", lambda one: one is None),
}
"""Types that a parameter may be declared with: their words, and whether a value has that type."""


def _wrong_type(
    function: Callable[..., Any], args: Sequence[Any], named: Mapping[str, Any]
) -> InvalidInput | None:
    """The refusal of the first argument without the type that the function declares, or None."""
    try:
        bound = inspect.signature(function).bind(*args, **named)
    except TypeError:
        return None
    for name, given in bound.arguments.items():
        declared = bound.signature.parameters[name].annotation
        kinds = [_KINDS.get(one.partition("[")[0] if one[:7] == "Literal" else one) for one in declared.split(" | ")] if isinstance(declared, str) else []
        known = [one for one in kinds if one is not None]
        if known and len(known) == len(kinds) and not any(fits(given) for _, fits in known):
            words = [word for word, _ in known if word != "None"]
            return refusal("wrong-type", f"{name} must be {listed(words, 'or')}, but is {wrong_value(given)}", name)
    return None


def hinted(hint: Hint) -> Callable[[C], C]:
    """Gives a function, or a class and its subclasses, a hint for wrong names."""

    def with_hint(one: C) -> C:
        _HINTS[one] = hint
        return one

    return with_hint


def no_seed(owner: type | None, function: str, name: str) -> tuple[str, list[str]]:
    """The hint of what takes no seed."""
    if name not in ("seed", "random_state", "rng"):
        return "", []
    return (
        "A release takes no seed, because anyone who guessed it could subtract the noise. "
        "model.sample(n, seed=...) draws the same rows of a released model again.",
        [],
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
