"""Bars of progress, by tqdm where it is installed. Of analyses alone: a release tells no durations."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Iterable, Sequence
from typing import Any


def _bar(**options: Any) -> Any:
    """None without tqdm."""
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return None
    return tqdm(**options)


def steps(items: Sequence[Any], name: str, progress: bool) -> Iterable[Any]:
    """The items, and a bar of how many were taken."""
    bar = _bar(total=len(items), desc=name) if progress else None
    for item in items:
        yield item
        if bar is not None:
            bar.update()
    if bar is not None:
        bar.close()


class Terminal:
    """What the command takes for a terminal, as its standard error: its line becomes a bar."""

    _STEP = re.compile(rb"(\d+) of (\d+) ([a-z ]+), [^\r\n]*")

    def __init__(self, name: str) -> None:
        import tty

        self._name = name
        self._bar: Any = None
        self._said = b""
        self._read, self.descriptor = os.openpty()
        tty.setraw(self.descriptor)
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()

    def _listen(self) -> None:
        while True:
            try:
                part = os.read(self._read, 65536)
            except OSError:  # the command is gone
                return
            if not part:
                return
            for step in self._STEP.finditer(part):
                self._show(int(step[1]), int(step[2]), step[3].decode())
            self._said += self._STEP.sub(b"", part)

    def _show(self, step: int, steps: int, unit: str) -> None:
        if self._bar is None:
            self._bar = _bar(total=steps, desc=self._name, unit=f" {unit}")
        if self._bar is not None:
            self._bar.update(step - self._bar.n)

    def close(self) -> str:
        """Ends the bar when the command has ended; what else it said."""
        os.close(self.descriptor)
        self._thread.join()
        os.close(self._read)
        if self._bar is not None:
            self._bar.close()
        return re.sub(r"\r|\x1b\[[0-9;]*[A-Za-z]", "", self._said.decode("utf-8", "replace"))
