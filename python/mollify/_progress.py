"""Bars of progress, by tqdm where it is installed. Of analyses alone: a release tells no durations."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
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


@contextmanager
def bar(name: str, progress: bool) -> Iterator[Callable[[str, int, int], None] | None]:
    """What a long computation tells its steps to, as a bar of that name; None where none is wanted."""
    if not progress:
        yield None
        return
    shown: list[Any] = []

    def reached(unit: str, step: int, steps: int) -> None:
        if not shown:
            shown.append(_bar(total=steps, desc=name, unit=f" {unit}"))
        if shown[0] is not None:
            shown[0].total = steps
            shown[0].update(step - shown[0].n)

    try:
        yield reached
    finally:
        for one in shown:
            if one is not None:
                one.close()
