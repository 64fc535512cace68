"""Answers of the command, which comes with the package: analyses run beside this process, so that
Ctrl-C ends them. What lies in memory is handed over in memory and never touches a disk."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from typing import Any

from mollify import _core

COMMAND = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", "mollify")


def _run(arguments: list[str], held: dict[str, bytes]) -> tuple[int, str]:
    """Exit status and what was printed; `held` are files by the flags that name them."""
    import signal
    import subprocess

    opened: dict[str, int] = {}
    try:
        for flag, content in held.items():
            opened[flag] = os.memfd_create(flag)
            with os.fdopen(os.dup(opened[flag]), "wb") as file:
                file.write(content)
        named = [part for flag in opened for part in (flag, f"/proc/self/fd/{opened[flag]}")]
        process = subprocess.Popen(
            [COMMAND, *arguments, *named],
            pass_fds=list(opened.values()),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            errors="replace",
        )
        try:
            printed, complaint = process.communicate()
        except BaseException:
            process.send_signal(signal.SIGTERM)
            process.wait()
            raise
    finally:
        for descriptor in opened.values():
            os.close(descriptor)
    if process.returncode == 2 or (process.returncode != 0 and not printed):
        sentence = complaint.strip().removeprefix("mollify: ")
        for flag, descriptor in opened.items():
            sentence = sentence.replace(f"/proc/self/fd/{descriptor}", flag.strip("-"))
        sentence = re.sub(r"--([a-z][a-z0-9-]*)", lambda at: at[1].replace("-", "_"), sentence)
        if process.returncode == 2:
            raise _core.InvalidInput(sentence)
        raise RuntimeError(sentence or f"the command ended with status {process.returncode}")
    return process.returncode, printed


class Answer(Mapping[str, Any]):
    """What the command says: a mapping (its JSON), and printed as the command prints it."""

    def __init__(self, arguments: list[str], held: dict[str, bytes] | None = None) -> None:
        self._asked = (arguments, held or {})
        self.status, self.json = _run([arguments[0], "--json", *arguments[1:]], self._asked[1])
        self._parts: dict[str, Any] = json.loads(self.json)
        self._text: str | None = None

    def __getitem__(self, name: str) -> Any:
        return self._parts[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._parts)

    def __len__(self) -> int:
        return len(self._parts)

    def to_dict(self) -> dict[str, Any]:
        """All of it, as Python's objects."""
        parts: dict[str, Any] = json.loads(self.json)
        return parts

    def __str__(self) -> str:
        if self._text is None:
            self._text = _run(*self._asked)[1]
        return self._text

    def __repr__(self) -> str:
        return str(self)


def arguments_of(parameters: Mapping[str, Any]) -> list[str]:
    """Keywords as flags; None and False are none."""
    arguments: list[str] = []
    for name, given in parameters.items():
        flag = "--" + name.replace("_", "-")
        if given is None or given is False:
            continue
        if given is True:
            arguments.append(flag)
        elif isinstance(given, (list, tuple)):
            for one in given:
                arguments += [flag, str(one)]
        else:
            arguments += [flag, os.fspath(given) if isinstance(given, os.PathLike) else str(given)]
    return arguments
