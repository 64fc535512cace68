"""Private objects are asked for their values, and whatever they do then, nobody sees it."""

from __future__ import annotations

import array
import contextlib
import os
import signal
import threading
import warnings
from collections.abc import Iterator, Sequence
from typing import Any


def listed_objects(given: object) -> list[Any] | None:
    """The objects of a list or another sequence; None for arrays, whose types say what they hold."""
    if not isinstance(given, Sequence) or isinstance(given, (str, bytes, bytearray, memoryview, array.array)):
        return None
    return None if hasattr(given, "dtype") else list(given)


@contextlib.contextmanager
def asking_objects() -> Iterator[None]:
    """While private objects are asked, warnings are dropped, and Ctrl-C takes effect at the end.

    So a KeyboardInterrupt that is raised in between comes from an object, and its caller forgets it
    like any other exception.
    """
    with _interrupted_later(), _without_warnings():
        yield


@contextlib.contextmanager
def _interrupted_later() -> Iterator[None]:
    # Python runs handlers of signals in its main thread alone.
    is_main = threading.current_thread() is threading.main_thread()
    handler: Any = signal.getsignal(signal.SIGINT) if is_main else None
    if not callable(handler):
        yield
        return
    pressed: list[tuple[Any, ...]] = []
    signal.signal(signal.SIGINT, lambda *given: pressed.append(given))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
        if pressed:
            handler(*pressed[0])


# A signal's handler may ask, too.
_lock = threading.RLock()
_asking: list[int] = []
"""A thread's number for each time that it asks."""
_warnings_before: warnings.catch_warnings[Any]


def _begin_as_child() -> None:
    """In a forked process: the other threads, which may have held the lock, are gone."""
    global _lock
    _lock = threading.RLock()
    gone = [thread for thread in _asking if thread != threading.get_ident()]
    for thread in gone:
        _end_asking(thread)


os.register_at_fork(after_in_child=_begin_as_child)


def _end_asking(thread: int) -> None:
    _asking.remove(thread)
    if not _asking:
        _warnings_before.__exit__(None, None, None)


@contextlib.contextmanager
def _without_warnings() -> Iterator[None]:
    # All threads have the same filters: the first one that asks sets them, the last one sets them back.
    global _warnings_before
    with _lock:
        if not _asking:
            _warnings_before = warnings.catch_warnings(record=True)
            _warnings_before.__enter__()
            warnings.simplefilter("ignore")
        _asking.append(threading.get_ident())
    try:
        yield
    finally:
        with _lock:
            _end_asking(threading.get_ident())
