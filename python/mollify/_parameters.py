"""Names of parameters: the error of a call with a wrong one, and Python's names in the
library's sentences."""

from __future__ import annotations

import difflib
import functools
import inspect
import re
import sys
import textwrap
from collections.abc import Callable, Iterable, Sequence
from types import FunctionType
from typing import Any, ParamSpec, TypeVar

from mollify import _core
from mollify._checks import listed, row_of_line

P = ParamSpec("P")
R = TypeVar("R")
C = TypeVar("C")

_SEEDS = ("seed", "random_state", "rng")
_NO_SEED = (
    "A release takes no seed, because anyone who guessed it could subtract the noise. "
    "model.sample(n, seed=...) draws the same rows of a released model again."
)


class _Signature(inspect.Signature):
    """Prints in lines that `help` has room for, without the types, which the docstring has."""

    def __str__(self) -> str:
        bare = [one.replace(annotation=one.empty) for one in self.parameters.values()]
        text = str(inspect.Signature(bare))
        if isinstance(self.return_annotation, str) and self.return_annotation != "None":
            text += f" -> {self.return_annotation}"
        return textwrap.fill(text, 72, subsequent_indent="    ", break_long_words=False)


def in_python(sentence: str) -> str:
    """A sentence of the library, in which a parameter has its name in Python in place of the command's flag."""
    from mollify._methods import METHODS

    def call(found: re.Match[str]) -> str:
        method = METHODS.get(found[1])
        return found[0] if method is None else f"mo.{method.__name__}({_parameter(found[2])}=True)"

    sentence = _in_classes(re.sub(r"\bmethod ([a-z-]+) --([a-z][a-z0-9-]*)", call, sentence))
    return re.sub(r"(?<![\w-])--([a-z][a-z0-9-]*)", lambda found: _parameter(found[1]), sentence)


def _in_classes(sentence: str) -> str:
    """A sentence that names a method by its class, and a way out as it is written in Python."""
    from mollify._methods import METHODS

    words = "|".join(sorted(METHODS, key=len, reverse=True))

    def named(found: re.Match[str]) -> str:
        option = f"({found[3].strip()}=True)" if found[3] else ""
        space = found[1] if "\n" in found[1] else ""  # a wrapped line stays short
        classes = re.sub(words, lambda word: f"mo.{METHODS[word[0]].__name__}", found[2])
        return f"{space}{classes}{option}"

    def column(found: re.Match[str]) -> str:
        name = f"mo.{METHODS[found[2]].__name__}"  # the next column stays where it is
        return f"{found[1]}{name.ljust(len(found[2] + found[3]) - 2)}  "

    sentence = re.sub(rf"^(method {{2,}})({words})( {{2,}})(?=\S)", column, sentence, flags=re.MULTILINE)
    some = rf"(?:{words})(?:(?:,|\s+and|\s+or)\s+(?:{words}))*"
    sentence = re.sub(rf'(?<!["\w])methods?(\s+)({some})(\s+copula)?(?![\w"-])', named, sentence)
    sentence = re.sub(rf"(?<=the method is )({words})(?![\w-])", lambda one: f"mo.{METHODS[one[0]].__name__}", sentence)
    return re.sub(r"\badd (accept_error|accept_large_delta)\b(?!=)", r"add \1=True", sentence)


def _refused(sentence: str) -> str:
    """A refusal of the library in Python's words, with the rows of a table and the way out of a ledger's scope."""
    sentence = re.sub(r"(?<=\(in memory\) )line (\d+)", row_of_line, sentence)
    return re.sub(
        r"(protects each unit of (.+), but this release protects no more than each row)$",
        r'\1. Give the method unit="\2", or a charge scope="unit=\2".',
        _in_classes(sentence),
    )


def _parameter(flag: str) -> str:
    return flag.replace("-", "_")


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
        except _core.InvalidInput as refused:
            refused.args = (_refused(str(refused)),)
            raise
        except TypeError:
            error = _wrong_call(function, is_method, args, kwargs)
            if error is None:  # it comes from inside
                raise
            raise error from None

    called.__signature__ = _Signature.from_callable(function)  # type: ignore[attr-defined]
    return called


def _wrong_call(
    function: Callable[..., Any], is_method: bool, args: Sequence[Any], named: Iterable[str]
) -> TypeError | None:
    """The error of the parameters, or None."""
    parameters = list(inspect.signature(function).parameters.values())[is_method:]
    if any(one.kind in (one.VAR_POSITIONAL, one.VAR_KEYWORD) for one in parameters):
        return None
    owner = None
    who = function.__name__
    if is_method:
        owner = args[0] if isinstance(args[0], type) else type(args[0])
        who = owner.__name__ if who == "__init__" else f"{owner.__name__}.{who}"
        args = args[1:]
    known = [one.name for one in parameters]
    for name in named:
        if name not in known:
            return unknown(who, name, known, _hint(owner, function.__name__, name))
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


def _hint(owner: type | None, function: str, name: str) -> str:
    """The call that has a parameter which this call lacks."""
    from mollify._method_base import Method
    from mollify._methods import METHODS
    from mollify._sampler import RandomizedResponse, Sampler
    from mollify._synthesizer import Synthesizer

    if function == "risk" and (name == "k" or name in inspect.signature(Sampler).parameters):
        return "Give it what draws: mo.risk(mo.Sampler(outcomes=12, epsilon=2)), of 12 outcomes."
    if owner is None:
        return ""
    if name in _SEEDS and issubclass(owner, (Method, Synthesizer, Sampler, RandomizedResponse)):
        return _NO_SEED
    if not issubclass(owner, Method):
        return ""

    def takes(kind: type[Method], called: str) -> bool:
        return name in inspect.signature(getattr(kind, called)).parameters

    if function not in ("__init__", "plan_of") and takes(owner, "__init__"):
        return f"It is a parameter of {owner.__name__} itself."
    if function in ("__init__", "plan_of"):
        others = [one.__name__ for one in METHODS.values() if takes(one, function)]
        if others:
            return f"{listed(others)} {'have' if others[1:] else 'has'} one."
    return ""


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
