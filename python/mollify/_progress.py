"""A line on standard error that shows how far a long computation is. Its steps are public."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any


def _duration(seconds: float) -> str:
    """In the largest unit that leaves two digits or so."""
    for size, unit in ((3600, "h"), (60, "min")):
        if seconds >= 1.5 * size:
            return f"{seconds / size:.1f} {unit}"
    return f"{seconds:.0f} s"


def _count(number: float) -> str:
    """Three digits, and zeros: 57.4, 237 000."""
    if number < 1000:
        return f"{number:.3g}"
    return f"{float(f'{number:.3g}'):,.0f}".replace(",", " ")


class _Line:
    """Rewrites itself, and stays when it is closed."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._unit = ""
        self._begin = (0, 0.0)
        self._width = 0

    def show(self, unit: str, step: int, steps: int) -> None:
        now = time.monotonic()
        if unit != self._unit:
            self._unit = unit
            self._begin = (step, now)
        done, seconds = step - self._begin[0], now - self._begin[1]
        text = f"{self._name}: {step} of {steps} {unit}"
        if done > 0 and seconds > 0:
            text += f", {_count(done / seconds)} a second, {_duration((steps - step) * seconds / done)} left"
        sys.stderr.write("\r" + text.ljust(self._width))
        sys.stderr.flush()
        self._width = len(text)

    def close(self) -> None:
        if self._width:
            sys.stderr.write("\n")


@contextmanager
def line(name: str, progress: bool) -> Iterator[Callable[[str, int, int], None] | None]:
    """The function that a long computation calls with its steps, or None."""
    if not progress:
        yield None
        return
    shown = _Line(name)
    try:
        yield shown.show
    finally:
        shown.close()


def steps(items: Sequence[Any], name: str, progress: bool) -> Iterable[Any]:
    """The items, while a line shows how many were taken."""
    with line(name, progress) as show:
        for taken, item in enumerate(items):
            yield item
            if show is not None:
                show("done", taken + 1, len(items))
