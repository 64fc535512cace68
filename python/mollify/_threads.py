"""How many threads share the work."""

from __future__ import annotations

import operator

from mollify import _core


def thread_count(threads: int | None) -> int:
    """The library's number of threads: 0 uses all processors."""
    if threads is None:
        return 0
    try:
        count = operator.index(threads)
    except TypeError:
        count = 0
    if 1 <= count <= 1024:
        return count
    raise _core.InvalidInput(f"threads must be from 1 to 1024, but is {threads!r}")
