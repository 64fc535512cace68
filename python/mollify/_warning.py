"""A warning about a release that is made nevertheless."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable

_CALLED_THROUGH = ("mollify", "opendp", "sklearn")


class ReleaseWarning(UserWarning):
    """Something public makes a release dangerous or nearly useless, but not wrong.

    Above all: its records are mostly noise, or its epsilon means little. It is given
    before anything is charged or drawn, and never depends on private data.
    """


def warn(sentences: Iterable[str], category: type[Warning] = ReleaseWarning) -> None:
    """Warns at the line of the program that called this package, be it through a
    library's adapter.
    """
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and _is_between(frame.f_globals.get("__name__")):
        frame, level = frame.f_back, level + 1
    for sentence in sentences:
        warnings.warn(sentence, category, stacklevel=level)


def _is_between(module: object) -> bool:
    return isinstance(module, str) and module.partition(".")[0] in _CALLED_THROUGH
