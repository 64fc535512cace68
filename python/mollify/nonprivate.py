"""For the data holder only: answers computed from private data without protection. NOT
PRIVATE.

Don't show these answers to anyone from whom the data are hidden. A release that is
chosen by looking at them reveals something about the data. A method's `check` and
`compare` are not private either.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from mollify import _core, _plot
from mollify._answer import Answer, Comparison
from mollify._arrays import public_numbers
from mollify._checks import number, optional_number, optional_whole
from mollify._data import source_of
from mollify._domain import DomainLike, as_domain
from mollify._files import inputs_of
from mollify._model import Model, as_model
from mollify._refusal import WayOut, refusal
from mollify._release import Release
from mollify._sampler import Sampler
from mollify._spec import Inputs, json_of, part_value, texts_of, unit_columns
from mollify._warning import told

if TYPE_CHECKING:
    import altair

__all__ = ["compare", "law", "law_of_density"]


def compare(
    released: Any,
    data: Any,
    domain: DomainLike,
    *,
    unit: str | Sequence[str] | None = None,
    units: Any = None,
    units_column: str | Sequence[str] | None = None,
    log: Sequence[str] | None = None,
    weights: str | None = None,
    greatest_weight: float | str | None = None,
    weight_step: float | str | None = None,
    invalid_weight: float | str | None = None,
    questions: str | Sequence[str] | None = None,
    model: Model | str | os.PathLike[str] | None = None,
) -> Comparison:
    """Show how close released rows are to the private data, however they were made.
    NOT PRIVATE.

    A method's own `compare` is about a release to come, and describes the answer.
    ``"pairs"`` has for each pair of columns, in the order (0, 1), (0, 2), ..., the total
    variation ``"tv"``. ``"questions"`` has for each question the answers of
    `Model.estimate` from the real rows, ``"truth"``, from the ``"released"`` ones, and
    from the ``"model"`` with its intervals. `mollify.report` makes a page of all of it.

    Parameters
    ----------
    released
        A release, or its records in any form that a method's `sample` takes.
    data, domain
        The private table, and its domain.
    unit, units, units_column, log
        As the release's method had them.
    weights, greatest_weight, weight_step, invalid_weight
        As the release's method had them: the table's shares are then shares of weight.
    questions : str or list of str
        Questions (`Model.estimate`), after those that the release was made for. A mean
        of the real rows is of their own numbers. Rules between columns are not applied,
        and weighted rows are not asked.
    model : Model or path
        The release's model. Default: that of `released`, if it is a `Release`.

    Raises
    ------
    InvalidInput
        If something public is wrong.
    """
    known = as_domain(domain)
    columns = [*known, *unit_columns(unit), *([] if weights is None else [weights])]
    parts: dict[str, Any] = {
        "unit": unit,
        "units_column": units_column,
        "log": log,
        "weights": weights,
        "greatest_weight": greatest_weight,
        "weight_step": weight_step,
        "invalid_weight": invalid_weight,
    }
    if units is not None:
        if units is data:
            raise refusal("public-is-private", "units must be public, but is the private data itself", "units")
        parts["units"] = Inputs(known, unit, units_column).read("units", units)
    asked: list[str] = []
    if isinstance(released, Release):
        asked += released.certificate.spec.get("questions", [])
        model = released.model if model is None else model
    asked += [] if questions is None else part_value("questions", "texts", questions)
    counted = None if model is None or not asked else as_model(model)
    is_file = isinstance(released, (str, os.PathLike))
    answer = _core.compare_released(
        json_of(None, known, parts, _core.spec_parts()),
        source_of(data, columns),
        source_of(released, list(known), what="released"),
        os.fspath(released) if is_file else "released",
        texts_of(parts),
        asked,
        counted._inside if counted is not None and counted.measurements is not None else None,
    )
    text, words = told(answer, known)
    found = Comparison(text, words)
    found._inputs = inputs_of({"released": released, "private": data, "domain": known, "units": parts.get("units")})
    return found


def _masses(what: str, p: Any, outcomes: int, normalise: bool) -> Any:
    """Masses of that many outcomes, which sum to 1."""
    import numpy as np

    masses = public_numbers(what, p, "fiu")
    if masses.shape != (outcomes,):
        raise refusal(
            "wrong-shape", f"{what} must have a mass for each of {outcomes} outcomes, but has shape {masses.shape}", what
        )
    masses = np.ascontiguousarray(masses, np.float64)
    usable = np.isfinite(masses).all() and (masses >= 0).all()
    total = float(masses.sum()) if usable else 0.0
    if not total > 0:
        raise refusal("not-a-distribution", f"{what} must have finite masses of 0 or more, and one above 0", what)
    if normalise:
        masses = masses / total
    elif abs(total - 1) > 1e-9:
        raise refusal(
            "not-a-distribution",
            f"{what} must sum to 1, but sums to {total:.12g}. Give normalise=True to divide by the sum.",
            what,
            ways_out=[WayOut("set", "normalise", "True")],
        )
    return masses


def law(
    sampler: Sampler,
    p: Any,
    *,
    normalise: bool = False,
    other: Any = None,
    renyi: float | None = None,
    hockey_stick: float | None = None,
) -> Answer:
    """Compute the exact output distribution of a draw from the distribution `p`. NOT
    PRIVATE.

    Parameters
    ----------
    sampler : Sampler
        What draws.
    p : (k,) array of numbers
        Masses that sum to 1.
    normalise : bool
        Divides masses by their sum. Default: False.
    other : (k,) array of numbers
        Another distribution, for a band: ``"other"`` shows how far its output
        distribution is from the first one's, and can be. Default: none.
    renyi : float
        Order, from 0, of a Rényi divergence of `p` from the output distribution.
        Default: none.
    hockey_stick : float
        Factor, from 0, of a hockey-stick divergence: e^epsilon is (epsilon, delta)'s.
        Default: none.

    Returns
    -------
    Answer
        ``"outcomes"`` has each outcome's numerator over ``"N"``, ``"divergence"`` how
        far `p` is from its output distribution.

    Raises
    ------
    InvalidInput
        If there is not a mass for each outcome, if masses do not sum to 1, or for
        `other` with a sampler without a band.

    Examples
    --------
    >>> found = nonprivate.law(Sampler(k=2, epsilon=1), [1, 0], renyi=2, other=[0, 1])
    >>> round(found["divergence"]["renyi"]["value"], 4), found["other"]["tv_of_inputs"]
    (0.3133, 1.0)
    """
    if not isinstance(sampler, Sampler):
        raise refusal("wrong-type", f"sampler must be a Sampler, but is of type {type(sampler).__name__}", "sampler")
    masses = _masses("p", p, sampler.k, normalise)
    others = None if other is None else _masses("other", other, sampler.k, normalise).tolist()
    return Law(
        *_core.law(
            _core.SamplerParameters(**sampler._parameters),
            masses,
            others,
            optional_number("renyi", renyi),
            optional_number("hockey_stick", hockey_stick),
        )
    )


def _measure(what: str, given: Any) -> _core.KnownMeasure:
    """The measure that a JSON file or its parts describe."""
    from mollify.boosting.analysis import density_parts

    parts, name = density_parts(given, what)
    try:
        return _core.KnownMeasure(json.dumps(dict(parts)), name)
    except (TypeError, ValueError) as error:
        raise refusal("wrong-type", f"{name} must be an object of numbers, texts and lists: {error}", what) from None


def law_of_density(
    density: Mapping[str, Any] | str | os.PathLike[str],
    reference: Mapping[str, Any] | str | os.PathLike[str],
    *,
    epsilon: float,
    other: Mapping[str, Any] | str | os.PathLike[str] | None = None,
    band: str | None = None,
    c1: float | None = None,
    c2: float | None = None,
    cells: int | None = None,
    candidates: int | None = None,
    at: Any = None,
    region: str | Sequence[str] | None = None,
    renyi: float | None = None,
    hockey_stick: float | None = None,
) -> Answer:
    """Compute the exact output distribution of a draw from a density of numbers that is
    known. NOT PRIVATE.

    Densities are mappings, or paths of JSON files, as for ``mollify law --density``:
    ``{"type": "gaussian", "mean": [0], "variance": 1}``. The kinds are Gaussians, their
    mixtures, the envelope of such mixtures, histograms, uniform ones and products.

    Parameters
    ----------
    density : mapping or path
        The private distribution.
    reference : mapping or path
        The public one, positive wherever `density` is.
    epsilon : float
        Of one draw, from 1e-6; above 30 it counts as 30.
    other : mapping or path
        Another density: ``"other"`` shows how far its output distribution is from the
        first one's, and can be. Default: none.
    band : str
        "minimax", "relative" or "location=B". Default: "minimax" with `c1`, `c2` or an
        envelope as the reference, otherwise "relative".
    c1, c2 : float
        For "minimax": c1 h <= p <= c2 h is declared. Default: 0, and what the reference
        is the envelope of.
    cells : int
        Cells of the grid in all, up to 2^24. Default: 2^16 in one dimension, 2^20 in
        two, 2^21 in three.
    candidates : int
        Number of points drawn from the reference, instead of a grid. Default: a grid up
        to three dimensions, 65536 points beyond.
    at : (points, dimensions) array of numbers
        Where ``"at"`` lists both densities. Default: none.
    region : str or list of str
        "low:high" for each axis with commas: ``"regions"`` has its masses. Default:
        none.
    renyi, hockey_stick : float
        As for `law`.

    Returns
    -------
    Answer
        ``"r"``, ``"lower"`` and ``"upper"`` of q = clip(p / r, lower h, upper h),
        ``"divergence"`` of `density` from its output distribution, and on a grid
        ``"nll"`` and ``"coverage"``.

    Raises
    ------
    InvalidInput
        If a density cannot be read, dimensions differ, or a number is out of range.

    Examples
    --------
    >>> truth, public = ({"type": "gaussian", "mean": [one], "variance": 1} for one in (1, 0))
    >>> found = nonprivate.law_of_density(truth, public, epsilon=1, cells=1000, region="0:8")
    >>> found["band"], round(found["divergence"]["tv"], 2)
    ('relative', 0.24)
    """
    points: list[list[float]] = []
    if at is not None:
        array = public_numbers("at", at, "fiu")
        if array.ndim != 2:
            raise refusal("wrong-shape", f"at must have a row for each point, but has shape {array.shape}", "at")
        points = [[float(one) for one in row] for row in array]
    return Answer(
        *_core.law_of_density(
            _measure("density", density),
            _measure("reference", reference),
            number("epsilon", epsilon),
            None if other is None else _measure("other", other),
            None if band is None else part_value("band", "text", band),
            optional_number("c1", c1),
            optional_number("c2", c2),
            optional_whole("cells", cells),
            optional_whole("candidates", candidates),
            points,
            [] if region is None else part_value("region", "texts", region),
            optional_number("renyi", renyi),
            optional_number("hockey_stick", hockey_stick),
        )
    )


class Law(Answer):
    """The exact output distribution of a draw. NOT PRIVATE."""

    def _chart(self, against: str | None, distance: str, progress: bool) -> altair.Chart:
        outcomes = [one | {"law": one["probability"]} for one in self["outcomes"]]
        return _plot.masses(outcomes, ("law",), "The distribution of a draw")
