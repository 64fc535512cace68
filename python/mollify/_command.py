"""Answers of the command, which comes with the package: analyses run beside this process, so that
Ctrl-C ends them. What lies in memory is handed over in memory and never touches a disk."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from mollify import _core
from mollify._answer import Answer
from mollify._domain import Domain
from mollify._inputs import Held
from mollify._parameters import require_without_nul
from mollify._progress import Terminal

if TYPE_CHECKING:
    import altair

_MOST_BYTES = 131_071
"""Of an argument: Linux takes no more."""

COMMAND = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", "mollify")


def _run(
    arguments: list[str], held: dict[str, bytes], progress: bool = False
) -> tuple[int, str]:
    """Exit status and what was printed; `held` are files by the flags that name them."""
    import signal
    import subprocess

    for one in arguments:
        require_without_nul("a parameter", one)
        if len(os.fsencode(one)) > _MOST_BYTES:
            raise _core.InvalidInput(
                f"a parameter must have at most {_MOST_BYTES} bytes, but one has {len(os.fsencode(one))}: {one}"
            )
    opened: dict[str, int] = {}
    terminal = Terminal(arguments[0]) if progress else None
    heard = ""
    try:
        for flag, content in held.items():
            opened[flag] = os.memfd_create(flag)
            with os.fdopen(os.dup(opened[flag]), "wb") as file:
                file.write(content)
        named = [part for flag in opened for part in (flag, f"/proc/self/fd/{opened[flag]}")]
        # An interrupt waits until there is a process to end.
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            process = subprocess.Popen(
                [COMMAND, *arguments, *named],
                pass_fds=list(opened.values()),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE if terminal is None else terminal.descriptor,
                encoding="utf-8",
                errors="replace",
            )
        except BaseException:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
            raise
        try:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
            printed, complaint = process.communicate()
        except BaseException:
            process.send_signal(signal.SIGTERM)
            process.wait()
            raise
    finally:
        for descriptor in opened.values():
            os.close(descriptor)
        if terminal is not None:
            heard = terminal.close()

    def with_names(text: str) -> str:
        for flag, descriptor in opened.items():
            name = flag.removeprefix("--").replace("-", "_")
            text = re.sub(rf"/proc/self/fd/{descriptor}(?!\d)", name, text)
        return text

    if process.returncode == 2 or (process.returncode != 0 and not printed):
        sentence = (complaint or heard).strip().removeprefix("mollify: ")
        sentence = in_python(re.sub(r", \w+ in a spec\)", ")", with_names(sentence)))
        if process.returncode == 2:
            raise _core.InvalidInput(sentence)
        raise RuntimeError(sentence or f"the command ended with status {process.returncode}")
    return process.returncode, with_names(printed)


_OF_METHODS = "check|compare|plan|sample|tune"


def in_python(text: str) -> str:
    """With Python's names in place of the command's."""
    text = re.sub(rf"\bmollify ({_OF_METHODS})\b", r"method.\1", text)
    text = re.sub(r"\bmollify law\b", "mo.nonprivate.law", text)
    text = re.sub(r"\bmollify ([a-z]+)", r"mo.\1", text)
    return re.sub(r"--([a-z][a-z0-9-]*)", lambda at: at[1].replace("-", "_"), text)


def _without(arguments: list[str], flags: Mapping[str, int]) -> list[str]:
    """All but these flags, each of so many values."""
    kept: list[str] = []
    skipped = 0
    for one in arguments:
        skipped = flags[one] + 1 if one in flags else skipped
        if skipped:
            skipped -= 1
        else:
            kept.append(one)
    return kept


class CommandAnswer(Answer):
    """What the command says."""

    def __init__(
        self,
        arguments: list[str],
        held: dict[str, bytes] | None = None,
        *,
        progress: bool = False,
    ) -> None:
        self._asked = (arguments, held or {})
        asked = [*arguments, "--json"]
        super().__init__(_run(asked, self._asked[1], progress)[1], "")

    def _chart(self, against: str | None, distance: str, progress: bool) -> altair.Chart:
        from mollify import _plot

        asked = self._asked[0]
        command = asked[0]
        if command == "compare" and against is not None:
            budget = asked[asked.index("--epsilon") + 1] if "--epsilon" in asked else ""
            if "," in budget:
                raise _core.InvalidInput(f"a chart is of one epsilon, but there are several: {budget}")
            return _plot.error(float(budget) if budget else None, self._with_epsilon, distance, progress)
        listed = isinstance(self._parts.get("outcomes"), list)
        if command == "compare" and listed:
            kinds = ("truth", "law", "reference")
            return _plot.masses(self["outcomes"], kinds, "Law, truth and reference")
        columns = self._parts.get("columns")
        if command == "compare" and isinstance(columns, list) and "shares" in columns[0]:
            kinds = tuple(columns[0]["shares"])
            shares = [
                {"outcome": f"{one['name']} = {level}"}
                | {kind: one["shares"][kind][place] for kind in kinds}
                for one in columns
                for place, level in enumerate(one["levels"])
            ]
            return _plot.masses(shares, kinds, "The most frequent values of all columns")
        return super()._chart(against, distance, progress)

    def _with_epsilon(self, epsilon: float) -> CommandAnswer:
        """The answer at another budget."""
        arguments = _without(self._asked[0], {"--epsilon": 1, "--out": 1})
        return CommandAnswer([*arguments, "--epsilon", repr(epsilon)], self._asked[1])

    def __str__(self) -> str:
        if not self._words:
            arguments, held = self._asked
            self._words = _run(_without(arguments, {"--out": 1}), held)[1]  # it was written
        return self._words


def arguments_of(parameters: Mapping[str, Any]) -> list[str]:
    """Keywords as flags; None and False are none, and a list of numbers is one value."""
    arguments: list[str] = []
    for name, given in parameters.items():
        flag = "--" + name.replace("_", "-")
        if hasattr(given, "tolist"):  # NumPy's numbers and arrays, and columns
            given = given.tolist()
        if given is None or given is False:
            continue
        if given is True:
            arguments.append(flag)
        elif isinstance(given, (list, tuple)) and all(isinstance(one, (int, float)) for one in given):
            arguments += [flag, ",".join(str(one) for one in given)]
        elif isinstance(given, (list, tuple)):
            for one in given:
                arguments += [flag, str(one)]
        else:
            arguments += [flag, os.fspath(given) if isinstance(given, os.PathLike) else str(given)]
    return arguments


_Kind = TypeVar("_Kind", bound=CommandAnswer)


def asked(
    words: list[str],
    parameters: Mapping[str, Any],
    kind: type[_Kind],
    *,
    domain: Domain | None = None,
    progress: bool = False,
) -> _Kind:
    """The command's answer to parameters that bear the names of its flags."""
    held = {
        "--" + name.replace("_", "-"): one.text
        for name, one in parameters.items()
        if isinstance(one, Held)
    }
    if domain is not None:
        held["--domain"] = domain.yaml().encode()
    plain = {name: one for name, one in parameters.items() if not isinstance(one, Held)}
    return kind([*words, *arguments_of(plain)], held, progress=bool(progress))
