"""What is said of a release though it is made."""

from __future__ import annotations

import warnings
from collections.abc import Iterable


class ReleaseWarning(UserWarning):
    """Something public makes a release dangerous or nearly useless, but not wrong.

    Above all: its records are mostly noise, or its epsilon means little. It is given before anything
    is charged or drawn, and never depends on private data.
    """


def warn(sentences: Iterable[str]) -> None:
    """Warns the caller of the function that calls this."""
    for sentence in sentences:
        warnings.warn(sentence, ReleaseWarning, stacklevel=3)
