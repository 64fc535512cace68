"""Tables that can be read once, such as Arrow readers: none is read twice.

A reader that was read looks like a table without rows, and a release of such a table is noise. A
release must not refuse an empty table, because the number of rows may be private. It is public which
object was read before, so this decides.
"""

from __future__ import annotations

import contextlib
import os
import threading
import weakref
from collections.abc import Iterator
from typing import Any

from mollify import _core
from mollify._refusal import refusal

_READS_ON = ("__next__", "read_next", "read_next_batch", "get_next")
"""Methods of objects that go on where they stopped: iterators, and the Arrow readers of libraries."""

_HAS_ROWS = ("__len__", "num_rows", "count")
"""Members of tables and queries, which give the same rows each time."""

_lock = threading.RLock()  # a weak reference's callback runs in the middle of any code, of this one too
_were_read: dict[int, Any] = {}
"""The objects that were read, by their ids: a weak reference to each. An object that allows no weak
reference is kept itself, so that no other object gets its id."""


def _begin_as_child() -> None:
    """In a forked process: a thread that held the lock is gone."""
    global _lock
    _lock = threading.RLock()


os.register_at_fork(after_in_child=_begin_as_child)


def begin_reading(table: object, what: str) -> None:
    """Remember that a table is read. `InvalidInput` if it can be read once and was read before."""
    kind = type(table)
    goes_on = any(hasattr(kind, name) for name in _READS_ON)
    if not goes_on and any(hasattr(kind, name) for name in _HAS_ROWS):
        return
    place = id(table)

    def leave_out(gone: object) -> None:
        with _lock:
            if _were_read.get(place) is gone:
                del _were_read[place]

    with _lock:
        if _kept(place) is table:
            raise refusal(
                "not-repeatable",
                f"{what} is a {kind.__name__} that was read before, and it can be read once. Make a new one for "
                "each call, or give a table that it is read into, such as pyarrow.table(reader).",
                what,
            )
        try:
            _were_read[place] = weakref.ref(table, leave_out)
        except TypeError:
            _were_read[place] = table


@contextlib.contextmanager
def unread_if_refused(table: object, source: _core.Source) -> Iterator[None]:
    """While a call may be refused: if no row was asked for until then, the table is not read yet."""
    try:
        yield
    except Exception:
        with _lock:
            if not source.is_spent and _kept(id(table)) is table:
                del _were_read[id(table)]
        raise


def _kept(place: int) -> object:
    kept = _were_read.get(place)
    return kept() if type(kept) is weakref.ref else kept
