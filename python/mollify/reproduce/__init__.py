"""The papers' figures and tables, with published and expected numbers next to ours. NOT PRIVATE.

``python -m mollify.reproduce`` makes all of them. From Python:

>>> from mollify import reproduce
>>> figure = reproduce.figure("husain-groups")
>>> figure.title
'What it costs to protect groups'

Charts need the extra `plot`.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

# On busy cores threads of BLAS make small products 60 times slower. NumPy asks when it is imported.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from mollify._parameters import nearest
from mollify._refusal import refusal
from mollify._warning import ReleaseWarning
from mollify.boosting.analysis import density_parts
from mollify.reproduce import cheu, husain, park
from mollify.reproduce.page import Figure

__all__ = ["FIGURES", "Figure", "chosen", "figure", "own"]

FIGURES = husain.FIGURES | park.FIGURES | cheu.FIGURES
"""By name, in the order of the papers: the paper's figure, a title, and what makes it."""


def figure(name: str, *, quick: bool = False, seed: int = 2026) -> Figure:
    """Compute a figure or a table.

    Parameters
    ----------
    name
        One of `FIGURES`.
    quick
        Fewer cells, repeats and steps of learning: seconds for all figures (default: False).
    seed
        Settles samples and learning: 0 to 2^64 - 1 (default: 2026).

    Raises
    ------
    InvalidInput
        If there is no such figure.
    """
    if name not in FIGURES:
        raise refusal("unknown-name", _unknown(name))
    paper, title, make = FIGURES[name]
    with warnings.catch_warnings():
        # Nothing is released, so a law that is mostly noise is no reason to warn.
        warnings.simplefilter("ignore", ReleaseWarning)
        made = make(quick, seed)
    made.name, made.paper, made.title = name, paper, title
    return made


def own(density: Mapping[str, Any] | str | os.PathLike[str], *, quick: bool = False, seed: int = 2026) -> Figure:
    """Draw DPB and boosting on a density of your own.

    Parameters
    ----------
    density
        A density of one or two dimensions: a mapping, or the path of a JSON file (docs/theory/reproduction.md).
    quick, seed
        As for `figure`.

    Raises
    ------
    InvalidInput
        If there is no density, or if it has more dimensions or does not lie within -7 and 7.
    """
    parts, name = density_parts(density, "density")
    made = husain.own(dict(parts), quick, seed)
    made.name, made.paper, made.title = "own", name, "DPB and boosting on a density of your own"
    return made


def chosen(names: Sequence[str]) -> list[str]:
    """The names of the figures that are meant: by name or by the beginning of several names, as "park"; all figures if
    `names` is empty. Raises `InvalidInput` for any other name."""
    found: list[str] = []
    for asked in names or [""]:
        meant = [one for one in FIGURES if asked in ("", one) or one.startswith(asked + "-")]
        if not meant:
            raise refusal("unknown-name", _unknown(asked))
        found += [one for one in meant if one not in found]
    return found


def _unknown(name: str) -> str:
    beginnings = {one[: place] for one in FIGURES for place in range(len(one)) if one[place] == "-"}
    found = nearest(name, [*sorted(beginnings), *FIGURES])
    hint = f' Did you mean "{found[0]}"?' if found else ""
    return f'There is no figure "{name}".{hint} `python -m mollify.reproduce --list` prints all names.'
