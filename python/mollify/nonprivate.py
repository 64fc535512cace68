"""For the data holder only: answers computed from private data without protection. NOT
PRIVATE.

Don't show these answers to anyone from whom the data are hidden. A release that is
chosen by looking at them reveals something about the data. A method's `check` and
`compare` are not private either.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from mollify import _core
from mollify._answer import Answer, Comparison
from mollify._data import source_of
from mollify._domain import DomainLike, as_domain
from mollify._files import inputs_of
from mollify._refusal import WayOut, refusal
from mollify._sampler import Sampler, _numbers
from mollify._spec import Inputs, json_of, texts_of

if TYPE_CHECKING:
    import altair

__all__ = ["compare", "law"]


def compare(
    released: Any,
    data: Any,
    domain: DomainLike,
    *,
    unit: str | None = None,
    units: Any = None,
    units_column: str | None = None,
    log: Sequence[str] | None = None,
) -> Answer:
    """Show how close released rows are to the private data, however they were made.
    NOT PRIVATE.

    A method's own `compare` is about a release to come, and describes the answer.

    Parameters
    ----------
    released
        A release, or its records in any form that a method's `sample` takes.
    data, domain
        The private table, and its domain.
    unit, units, units_column, log
        As the release's method had them.

    Raises
    ------
    InvalidInput
        If something public is wrong.
    """
    known = as_domain(domain)
    columns = [*known, *([] if unit is None else [unit])]
    parts: dict[str, Any] = {"unit": unit, "units_column": units_column, "log": log}
    if units is not None:
        if units is data:
            raise refusal("public-is-private", "units must be public, but is the private data itself", "units")
        parts["units"] = Inputs(known, unit, units_column).read("units", units)
    is_file = isinstance(released, (str, os.PathLike))
    found = Comparison(
        *_core.compare_released(
            json_of(None, known, parts, _core.spec_parts()),
            source_of(data, columns),
            source_of(released, list(known), what="released"),
            os.fspath(released) if is_file else "released",
            texts_of(parts),
        )
    )
    found._inputs = inputs_of({"released": released, "private": data, "domain": known, "units": parts.get("units")})
    return found


def law(sampler: Sampler, p: Any, *, normalise: bool = False) -> Answer:
    """Compute the exact output distribution of a draw from the distribution `p`. NOT
    PRIVATE.

    `p` has k masses that sum to 1; with `normalise` they are divided by their sum. In
    the answer, ``"outcomes"`` has each outcome's numerator over ``"N"``.
    """
    if not isinstance(sampler, Sampler):
        raise refusal("wrong-type", f"sampler must be a Sampler, but is of type {type(sampler).__name__}", "sampler")
    import numpy as np

    masses = _numbers("p", p, "fiu")
    if masses.shape != (sampler.outcomes,):
        raise refusal(
            "wrong-shape",
            f"p must have a mass for each of {sampler.outcomes} outcomes, but has shape {masses.shape}",
            "p",
        )
    masses = np.ascontiguousarray(masses, np.float64)
    usable = np.isfinite(masses).all() and (masses >= 0).all()
    total = float(masses.sum()) if usable else 0.0
    if not total > 0:
        raise refusal("not-a-distribution", "p must have finite masses of 0 or more, and one above 0", "p")
    if normalise:
        masses = masses / total
    elif abs(total - 1) > 1e-9:
        raise refusal(
            "not-a-distribution",
            f"p must sum to 1, but sums to {total:.12g}. Give normalise=True to divide by the sum.",
            "p",
            ways_out=[WayOut("set", "normalise", "True")],
        )
    return Law(*_core.law(_core.SamplerParameters(**sampler._parameters), masses))


class Law(Answer):
    """The exact output distribution of a draw. NOT PRIVATE."""

    def _chart(self, against: str | None, distance: str, progress: bool) -> altair.Chart:
        from mollify import _plot

        outcomes = [one | {"law": one["probability"]} for one in self["outcomes"]]
        return _plot.masses(outcomes, ("law",), "The distribution of a draw")
