"""Boosting, measured: the density that it makes of a density or of private rows. NOT PRIVATE."""

from __future__ import annotations

import inspect
import json
import math
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mollify import _core
from mollify._answer import Answer
from mollify._checks import listed, number, out_of_range, path_text, whole_number
from mollify._data import source_of
from mollify._domain import Domain, DomainLike, as_domain
from mollify._files import unreadable
from mollify._parameters import unknown, unknown_name
from mollify._progress import steps
from mollify._refusal import WayOut, refusal
from mollify._spec import Held, Inputs
from mollify.boosting.cell_masses import Known, even_edges, measure, points_of
from mollify.boosting.density import BoostedDensity, Learner, LogNormaliser, Numbers, Points, boost, resampled
from mollify.boosting.diagnostics import (
    REGIMES, Estimate, Region, Run, Step, diagnose, diagnose_region, diagnose_run, mode_coverage,
    negative_log_likelihood,
)
from mollify.boosting.learners import LogisticLearner, NetworkLearner, TreeLearner, model_from, write_model

_NOTICE = "NOT PRIVATE: this is computed from the data without protection, for the data holder only"
_CLAIM = "papers' claim"
_POOL = 65_536
_CELLS = 1 << 17
# The mass of P that a grid may miss, and the fewest cells that P may be spread over; otherwise samples are better.
_MOST_OUTSIDE = 1e-6
_LEAST_CELLS = 100
# One row in five is for evaluation; of fewer rows none is kept.
_HELD_OUT = 5
_LEAST_ROWS = 50

# -------------------------------------------------------------------------------------------------
# What boosting starts from.


@dataclass
class Problem:
    """Points to learn from, and points or cells to measure with."""

    p: Points
    pool: Points
    at_p: Points
    """Points of P that no classifier learned from, or the middles of cells."""
    at_reference: Points
    p_text: str
    reference_text: str
    reference: _core.KnownMeasure | None = None
    """Of a density alone."""
    grid: Known | None = None
    """In one or two dimensions, if P lies on the reference's central box and is not narrower than its cells."""
    regions: list[NDArray[np.bool_]] = field(default_factory=list)
    """Which cells lie in each region."""

    @property
    def masses_p(self) -> Numbers:
        """The weights of the points `at_p`."""
        return np.ones(len(self.at_p)) if self.grid is None else self.grid.p

    @property
    def masses_reference(self) -> Numbers:
        """The weights of the points `at_reference`."""
        return np.ones(len(self.at_reference)) if self.grid is None else self.grid.h


def _read_text(name: str, path: str | os.PathLike[str]) -> str:
    try:
        return Path(path_text(name, path)).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise unreadable(os.fsdecode(path), error, "it is not text") from None


def density_parts(given: Any, name: str) -> tuple[Mapping[str, Any], str]:
    """The parts of a density, and its name."""
    if isinstance(given, Mapping):
        return given, name
    if not isinstance(given, (str, os.PathLike)):
        raise refusal("wrong-type", f"{name} must be a mapping or the path of a JSON file, but is {given!r}", name)
    try:
        parts = json.loads(_read_text(name, given))
    except ValueError as error:
        raise refusal("malformed-file", f"{os.fspath(given)} must be JSON, but is not: {error}", name, file=os.fspath(given)) from None
    return parts, os.fspath(given)


def _region(given: str | Sequence[tuple[float, float]], dimension: int) -> list[tuple[float, float]]:
    """A box: "low:high" for each axis with commas between them, or a pair for each axis."""
    try:
        axes = [axis.split(":") for axis in given.split(",")] if isinstance(given, str) else given
        box = [(float(low), float(high)) for low, high in axes]
    except (TypeError, ValueError):
        box = []
    if len(box) != dimension or not all(-math.inf < low < high < math.inf for low, high in box):
        raise refusal(
            "malformed-text",
            f"region must be low:high for each of {dimension} axes with commas between them, but is {given!r}",
            "region",
        )
    return box


def _mass_inside(truth: _core.KnownMeasure, ends: Sequence[float]) -> float:
    """The mass of a box: the middle cell of three along each axis, because outer cells have what lies outside."""
    edges = [np.array([2 * low - high, low, high, 2 * high - low]) for low, high in zip(ends[::2], ends[1::2])]
    masses = truth.cell_masses(np.concatenate(edges), [4] * len(edges))
    return float(masses[len(masses) // 2])


def _of_density(density: Any, reference: Any, samples: int, seed: int, regions: Sequence[Any]) -> Problem:
    parts, p_text = density_parts(density, "density")
    truth = _core.KnownMeasure(json.dumps(parts), p_text)
    dimension, reference_text = truth.dimension, "the standard Gaussian"
    start = measure({"type": "gaussian", "mean": [0.0] * dimension, "variance": 1})
    if reference is not None:
        parts, reference_text = density_parts(reference, "reference")
        start = _core.KnownMeasure(json.dumps(parts), reference_text)
    if start.dimension != dimension:
        raise refusal("wrong-shape", f"the reference must have the density's {dimension} dimensions, but has {start.dimension}", "reference")
    boxes = [_region(one, dimension) for one in regions]
    numbers = _core.SeededNumbers(seed)
    p, pool = points_of(truth, samples, numbers), points_of(start, max(_POOL, 4 * samples), numbers)
    if dimension <= 2 and _mass_inside(truth, start.central_box()) > 1 - _MOST_OUTSIDE:
        edges = even_edges(start, _CELLS)
        for axis, places in enumerate(edges):
            # Edges of the regions are edges of cells.
            ends = [end for box in boxes for end in box[axis] if places[0] < end < places[-1]]
            edges[axis] = np.unique(np.append(places, ends))
        grid = Known(truth, start, edges)
        positive = grid.p[grid.p > 0]
        if math.exp(-float((positive * np.log(positive)).sum())) > _LEAST_CELLS:
            inside = [
                np.logical_and.reduce(
                    [(low <= places) & (places <= high) for (low, high), places in zip(box, grid.middles.T)]
                )
                for box in boxes
            ]
            return Problem(p, pool, grid.middles, grid.middles, p_text, reference_text, start, grid, inside)
    if boxes:
        raise refusal(
            "not-for-this-domain",
            "region needs a density of one or two dimensions, on the reference's central box and not narrower "
            "than its cells, but this one is not so",
            "region",
        )
    at_p, at_reference = points_of(truth, samples, numbers), points_of(start, _POOL, numbers)
    return Problem(p, pool, at_p, at_reference, p_text, reference_text, start)


def _of_rows(data: Any, domain: Domain, reference: Any) -> Problem:
    candidates: list[Any] = []
    reference_text = "uniform on the domain"
    if reference is not None:
        paths = isinstance(data, (str, os.PathLike)) and isinstance(reference, (str, os.PathLike))
        if reference is data or (paths and Path(data).read_bytes() == Path(reference).read_bytes()):
            raise refusal("public-is-private", f"the reference must be public, but {reference} is the private data itself", "reference")
        table = Inputs(domain).read("reference", reference)
        reference_text = "reference" if isinstance(table, Held) else table
        candidates = [reference_text, table.text if isinstance(table, Held) else None]
    # Every other candidate is to learn from, and the others to measure with.
    pool = _core.candidate_features(domain._inside, 2 * _POOL, *candidates)
    rows = _core.record_features(domain._inside, source_of(data, list(domain)))
    p_text = os.fspath(data) if isinstance(data, (str, os.PathLike)) else "data"
    if len(rows) == 0:
        raise refusal("empty-input", f"{p_text} must hold records to learn from, but holds none")
    held = np.arange(len(rows)) % _HELD_OUT == _HELD_OUT - 1
    few = len(rows) < _LEAST_ROWS
    return Problem(
        rows if few else rows[~held], pool[::2], rows if few else rows[held], pool[1::2],
        p_text + (" (measured on the few records that are learned from)" if few else ""), reference_text,
    )


# -------------------------------------------------------------------------------------------------
# What is measured.


@dataclass
class _Measured:
    density: BoostedDensity
    steps: list[tuple[Step, float]]
    run: Run
    gain: Estimate
    least: float
    greatest: float
    regions: list[Region]
    fits: list[tuple[Estimate, Estimate]]
    """The likelihood and the coverage of Q0 and of Q_T, if densities are known."""


def _step(problem: Problem, before: BoostedDensity, after: BoostedDensity) -> Step:
    t = len(after.classifiers)
    weights = problem.masses_reference * np.exp(before.log_ratios(problem.at_reference))
    at_reference = after.classifier_values(t, problem.at_reference)
    at_p = at_reference if problem.grid else after.classifier_values(t, problem.at_p)
    found = diagnose(at_p, problem.masses_p, at_reference, weights, after.theta(t))
    return found if after.count == 1 else found._replace(claimed=np.nan)  # the papers shrink no classifier


def _normaliser(problem: Problem, density: BoostedDensity) -> LogNormaliser:
    """By the cells of the grid, so that drops and likelihoods belong together; else by samples."""
    if problem.grid is None:
        ratios = np.exp(density.log_ratios(problem.at_reference) - density.log_ratio_bound)
        error = float(ratios.std(ddof=1)) / math.sqrt(len(ratios)) / float(ratios.mean())
        value = density.log_ratio_bound + math.log(ratios.mean())
        return LogNormaliser(value, error, "importance sampling", len(ratios))
    start = problem.grid.reference
    along = int(len(problem.grid.h) ** (1 / start.dimension) + 1e-9)
    values = [
        Known(start, start, even_edges(start, cells**start.dimension)).law(density)[1] for cells in (along, along // 2)
    ]
    value = problem.grid.law(density)[1]
    return LogNormaliser(value, abs(values[0] - values[1]), "cubature", along**start.dimension)


def _gain(problem: Problem, density: BoostedDensity) -> Estimate:
    """E_P log dQ_T/dQ0: by how much the negative log-likelihood falls from Q0 to Q_T."""
    ratios = density.log_density_ratios(problem.at_p)
    value = float(np.average(ratios, weights=problem.masses_p))
    if problem.grid or len(ratios) < 2:
        return Estimate(value)
    assert density.log_normaliser is not None
    return Estimate(value, math.hypot(float(ratios.std(ddof=1)) / math.sqrt(len(ratios)), density.log_normaliser.error))


def _fits(problem: Problem, density: BoostedDensity, seed: int) -> list[tuple[Estimate, Estimate]]:
    if problem.grid:
        laws = problem.grid.h, problem.grid.law(density)[0]
        fits = [problem.grid.fit(law) for law in laws]
        return [(Estimate(one.nll), Estimate(one.coverage)) for one in fits]
    reference = problem.reference
    if reference is None:
        return []

    def logs(points: Points) -> Numbers:
        with np.errstate(divide="ignore"):
            return np.log(reference.densities(points.astype(np.float64)))

    # Q_T's own samples are the reference's, each taken as often as Q_T has it.
    weights = np.exp(density.log_ratios(problem.at_reference))
    of_q = resampled(problem.at_reference, weights, len(weights), _core.SeededNumbers(seed))
    at_p, at_reference = logs(problem.at_p), logs(problem.at_reference)
    boosted_at_p = at_p + density.log_density_ratios(problem.at_p)
    boosted_at_q = logs(of_q) + density.log_density_ratios(of_q)
    return [
        (negative_log_likelihood(at_p), mode_coverage(at_p, at_reference)),
        (negative_log_likelihood(boosted_at_p), mode_coverage(boosted_at_p, boosted_at_q)),
    ]


def _measured(problem: Problem, made: BoostedDensity, found: list[tuple[Step, float]], seed: int) -> _Measured:
    density = made.normalised(_normaliser(problem, made))
    run = diagnose_run([step for step, _ in found], density.epsilon, density.count, density.bounding)
    ratios = density.log_density_ratios(problem.at_reference)
    regions: list[Region] = []
    if problem.grid:
        p, h = (masses / masses.sum() for masses in (problem.grid.p, problem.grid.h))
        law = problem.grid.law(density)[0]
        regions = [diagnose_region(p, h, law, inside, run) for inside in problem.regions]
    return _Measured(
        density, found, run, _gain(problem, density), float(ratios.min()), float(ratios.max()), regions,
        _fits(problem, density, seed),
    )


# -------------------------------------------------------------------------------------------------
# Points of a boosted density, drawn in the three ways that there are.

SAMPLERS = ("rejection", "candidates", "metropolis-hastings")


def _proposals(epsilon: float) -> int:
    """K, the least number with (1 - e^(-epsilon/2))^K <= 1e-6."""
    count = math.ceil(math.log(1e-6) / math.log1p(-math.exp(-epsilon / 2))) if epsilon < 60 else math.inf
    if count > 1 << 20:
        raise refusal(
            "too-much-work",
            f"rejection at epsilon = {epsilon:g} needs more than 1048576 proposals a point: choose a smaller epsilon "
            "or candidates",
            "epsilon",
        )
    return max(int(count), 1)


def _by_rejection(density: BoostedDensity, start: _core.KnownMeasure, count: int, seed: int) -> Numbers:
    """The first of K points of Q0 that is accepted with probability exp(log ratio - epsilon/4), else one more."""
    proposals, numbers, d = _proposals(density.epsilon / density.count), _core.SeededNumbers(seed), start.dimension
    random = np.random.default_rng(seed)
    drawn = []
    at_once = max(1, (1 << 18) // (proposals + 1))
    for first in range(0, count, at_once):
        rows = min(at_once, count - first)
        points = start.sample(rows * (proposals + 1), numbers).reshape(rows, proposals + 1, d)
        ratios = density.log_ratios(points[:, :proposals].reshape(-1, d).astype(np.float32))
        accepted = random.random((rows, proposals)) < np.exp(ratios - density.log_ratio_bound).reshape(rows, -1)
        drawn.append(points[np.arange(rows), np.where(accepted.any(axis=1), accepted.argmax(axis=1), proposals)])
    return np.concatenate(drawn)


def _from_candidates(density: BoostedDensity, start: _core.KnownMeasure, count: int, seed: int) -> Numbers:
    """From the relative band's law over a list of points of Q0."""
    points = points_of(start, _POOL, _core.SeededNumbers(seed))
    scores = np.exp(density.log_ratios(points))
    epsilon, even = density.epsilon / density.count, np.full(_POOL, 1 / _POOL)
    law = _core.projected_on_band(scores / scores.sum(), math.exp(-epsilon / 2) * even, math.exp(epsilon / 2) * even)
    return points[np.random.default_rng(seed).choice(_POOL, count, p=law / law.sum())].astype(np.float64)


def metropolis_hastings(
    log_target: Callable[[Numbers], Numbers], places: Numbers, steps: int, random: np.random.Generator
) -> Numbers:
    """The last places of independent chains with steps of deviation 1 along each axis.

    **NOT PRIVATE**, whatever epsilon the density was boosted for: only the stationary
    distribution is Q_T (docs/theory/experiments.md, 5).
    """
    here = log_target(places)
    for _ in range(steps):
        tried = places + random.standard_normal(places.shape)
        there = log_target(tried)
        with np.errstate(invalid="ignore"):
            # Written so that a chain that starts off the support moves on.
            moves = ~(-random.standard_exponential(len(places)) > there - here)
        places, here = np.where(moves[:, None], tried, places), np.where(moves, there, here)
    return places


def chain_ends(
    start: _core.KnownMeasure, density: BoostedDensity, places: Numbers, steps: int, random: np.random.Generator
) -> Numbers:
    """The last places of chains whose target is the density, boosted from `start`."""

    def log_target(at: Numbers) -> Numbers:
        with np.errstate(divide="ignore"):
            return np.log(start.densities(at)) + density.log_ratios(at.astype(np.float32))

    return metropolis_hastings(log_target, places, steps, random)


def _by_chains(density: BoostedDensity, start: _core.KnownMeasure, count: int, seed: int) -> Numbers:
    """As the papers do: 1000 steps from a draw of Q0."""
    places = start.sample(count, _core.SeededNumbers(seed)).reshape(count, -1)
    return chain_ends(start, density, places, 1000, np.random.default_rng(seed))


_DRAW = dict(zip(SAMPLERS, (_by_rejection, _from_candidates, _by_chains)))

# -------------------------------------------------------------------------------------------------
# All of it as an answer.


class Boosting(Answer):
    """What boosting makes of P. NOT PRIVATE."""

    density: BoostedDensity
    """Q_T, which is private data if P is."""

    def write_model(self, path: str | os.PathLike[str]) -> None:
        """Writes Q_T to a file, which is private data if P is."""
        write_model(self.density, os.fspath(path))


def _optional(value: Any) -> float | None:
    return float(value) if math.isfinite(value) else None


def _json(problem: Problem, made: _Measured, settings: Mapping[str, Any], draws: Numbers) -> dict[str, Any]:
    density, run = made.density, made.run
    assert density.log_normaliser is not None
    iterations = [
        {
            "t": t, "theta": step.theta, "cross_entropy": _optional(cross_entropy), "c_star": float(step.c_star),
            "gamma_p": float(step.gamma_p), "gamma_q": float(step.gamma_q), "regime": REGIMES[int(step.regime)],
            "kl_drop": float(step.drop), "guaranteed": float(step.guaranteed),
            "papers_claim": _optional(step.claimed), "papers_claim_fails": bool(step.claim_fails),
        }
        for t, (step, cross_entropy) in enumerate(made.steps, 1)
    ]
    names = ("reference", "boosted")
    fits: list[dict[str, float | None] | None] = [
        {"nll": _optional(nll.value), "nll_error": nll.error, "coverage": coverage.value, "coverage_error": coverage.error}
        for nll, coverage in made.fits
    ]
    regions = [
        {
            "p": float(one.mass_p), "reference": float(one.mass_reference), "q": float(one.mass_q),
            "guaranteed": float(one.guaranteed), "guaranteed_by_gammas": _optional(one.guaranteed_by_gammas),
            "theorem_7": _optional(one.claimed),
        }
        for one in made.regions
    ]
    limit = density.log_density_ratio_bound
    return {
        "notice": _NOTICE, "p": problem.p_text, "reference": problem.reference_text, "epsilon": density.epsilon,
        "count": density.count, "classifier": density.bounding, **settings, "exact": problem.grid is not None,
        "iterations": iterations,
        "delta": {
            "value": made.gain.value, "error": made.gain.error, "guaranteed": float(run.guaranteed),
            "limit": float(run.limit), "papers_claim": _optional(run.claimed),
            "papers_claim_fails": bool(run.claim_fails),
        },
        "log_ratio": {
            "least": made.least, "greatest": made.greatest, "limit": limit,
            "within": -limit <= made.least and made.greatest <= limit,
        },
        "epsilon_unspent": density.epsilon - 2 * density.count * limit,
        "log_normaliser": {"value": density.log_normaliser.value, "error": density.log_normaliser.error},
        "fit": dict(zip(names, fits or [None, None])), "regions": regions, "draws": draws.tolist(),
    }


def _words(json_: Mapping[str, Any], sampler: str) -> str:
    """The text for people."""

    def claim(value: float | None, fails: bool = False) -> str:
        return "none" if value is None else f"{value:.4f}{' (fails)' if fails else ''}"

    def estimate(value: float | None, error: float) -> str:
        shown = "inf" if value is None else f"{value:.4f}"
        return shown if json_["exact"] else f"{shown} +- {error:.4f}"

    outputs, delta, ratio = json_["count"], json_["delta"], json_["log_ratio"]
    lines = [
        _NOTICE,
        f"P: {json_['p']}; Q0: {json_['reference']}; epsilon {json_['epsilon']:g} for {outputs} "
        f"output{'' if outputs == 1 else 's'}",
        f"{'t':>2} {'theta':>7} {'c*':>7} {'gamma_P':>8} {'gamma_Q':>8} {'regime':>7} {'KL drop':>9} {'guaranteed':>11} "
        f"{_CLAIM:>15} {'cross-entropy':>14}",
    ]
    for one in json_["iterations"]:
        loss = "not known" if one["cross_entropy"] is None else f"{one['cross_entropy']:.4f}"
        lines.append(
            f"{one['t']:>2} {one['theta']:>7.4f} {one['c_star']:>7.4f} {one['gamma_p']:>8.4f} {one['gamma_q']:>8.4f} "
            f"{one['regime']:>7} {one['kl_drop']:>9.4f} {one['guaranteed']:>11.4f} "
            f"{claim(one['papers_claim'], one['papers_claim_fails']):>15} {loss:>14}"
        )
    lines += [
        f"KL(P, Q0) - KL(P, Q_T) = {estimate(delta['value'], delta['error'])}: guaranteed {delta['guaranteed']:.4f}, at most "
        f"{delta['limit']:.4f}, papers' claim {claim(delta['papers_claim'], delta['papers_claim_fails'])}",
        f"log Q_T/Q0 lies between {ratio['least']:.4f} and {ratio['greatest']:.4f}, and can never leave +-{ratio['limit']:.4f}",
    ]
    if json_["epsilon_unspent"]:
        lines.append(f"{json_['epsilon_unspent']:g} of epsilon is unspent: sigmoids are never negative, so log Z isn't")
    for name, fit in zip(("Q0 ", "Q_T"), json_["fit"].values()):
        if fit:
            nll, coverage = estimate(fit["nll"], fit["nll_error"]), estimate(fit["coverage"], fit["coverage_error"])
            lines.append(f"{name}: negative log-likelihood {nll}, mode coverage {coverage}")
    for one in json_["regions"]:
        lines.append(
            f"region: {one['p']:.4f} of P, {one['reference']:.4f} of Q0, {one['q']:.4f} of Q_T; guaranteed "
            f"{one['guaranteed']:.4f} by the drop, {claim(one['guaranteed_by_gammas'])} by gamma_P, "
            f"{claim(one['theorem_7'])} by Theorem 7"
        )
    if json_["draws"]:
        lines.append(f"drawn by {sampler} from a seed, NOT PRIVATE:")
        lines += [",".join(map(repr, point)) for point in json_["draws"]]
    return "\n".join(lines) + "\n"


def _learner(name: str, options: Mapping[str, Any]) -> Learner:
    given = {option: value for option, value in options.items() if value is not None}
    for option in given:
        if option not in ("schedule", "optimiser"):
            given[option] = (number if option == "rate" else whole_number)(option, given[option])
        elif not isinstance(given[option], str):
            raise refusal("wrong-type", f"{option} must be text, but is {given[option]!r}", option)
    if name == "network":
        return NetworkLearner(**given)
    if name not in ("tree", "logistic"):
        known = ("network", "tree", "logistic")
        raise unknown_name(f'learner must be network, tree or logistic, but is "{name}"', name, known, "learner")
    for option in given:
        if option != "depth" or name == "logistic":
            raise refusal("superfluous-parameter", f"{option} is for networks, but the learner is {name}", option)
    return TreeLearner(**given) if name == "tree" else LogisticLearner()


def mbde(
    data: Any = None, domain: DomainLike | None = None, *,
    density: Mapping[str, Any] | str | os.PathLike[str] | None = None, reference: Any = None,
    epsilon: float | None = None, iterations: int | None = None, count: int | None = None,
    classifier: str | None = None, samples: int = 10_000, seed: int = 0,
    regions: Sequence[str | Sequence[tuple[float, float]]] = (), draws: int = 0, sampler: str | None = None,
    learner: str | None = None, model: str | os.PathLike[str] | None = None, progress: bool = False, **options: Any,
) -> Boosting:
    """Show what boosted densities make of private rows or of a density. NOT PRIVATE.

    Learns Q_T from samples of P, and shows each iteration's gain and guarantee, and the
    papers' failing claims (docs/theory/errata.md). ``score="mbde"`` releases by it.

    Parameters
    ----------
    data, domain : table or path, Domain, mapping or path
        P, the private table, and what a record can contain. One row in five measures.
    density : mapping or path
        P itself instead of `data` and `domain`, as JSON (docs/theory/reproduction.md).
    reference : table, mapping or path
        Q0: with `data` a public table (default: uniform on the domain), with `density`
        another density (default: the standard Gaussian).
    epsilon : float
        Budget of all outputs together, above 0 and up to 500.
    iterations, samples : int
        T, 1 to 1000 (default: 3), and samples in each, up to 10^7 (default: 10000).
    count : int
        Points to be sampled, for which classifiers are shrunk, from 1. Default: 1.
    classifier : str
        How a logit is bounded: "probability" (the default), "logit", "sign", "sigmoid"
        [Park et al. 2024, Figure 4] or "equation-15" [Husain et al. 2020]. The last two
        leave half and 28 % of epsilon unspent.
    seed : int
        Settles sampling and learning, from 0 (the default) to 2^63 - 1.
    regions, draws, sampler : list of str, int, str
        With `density`: boxes whose mass is shown ("low:high" for each axis, with commas
        between them), and points of Q_T to show (up to 10^6), by "rejection" (the
        default), "candidates" or "metropolis-hastings", which keeps no epsilon.
    learner, model, options : str, path, str or numbers
        "network" (the default), "tree" or "logistic", with the options that
        ``python -m mollify.boosting --help`` lists; or a file by `write_model`.
    progress : bool
        Shows on standard error how many steps of boosting are done. Default: False.

    Raises
    ------
    InvalidInput
        For parameters that are out of range, missing, or do not go together.
    """
    known = ("schedule", "width", "depth", "epochs", "minibatches", "optimiser", "rate", "patience")
    for option in options:
        if option not in known:
            raise unknown("mbde", option, [*list(inspect.signature(mbde).parameters)[:-1], *known])
    options = {name: one for name, one in options.items() if one is not None}
    loaded = None
    if model is not None:
        settled = {"epsilon": epsilon, "iterations": iterations, "count": count, "classifier": classifier}
        for name, given in (settled | {"learner": learner or options or None}).items():
            if given is not None:
                raise refusal("superfluous-parameter", f"model has been learned with its own {name}: leave out {name}", name)
        loaded = model_from(_read_text("model", model), os.fspath(model))
        epsilon = loaded.epsilon
    missing = ["epsilon"] if epsilon is None else []
    if density is None:
        rows = {"data": data, "domain": domain}
        missing += [name for name, given in rows.items() if given is None]
    if missing:
        raise refusal(
            "missing-parameter",
            f"{listed(missing)} {'are' if missing[1:] else 'is'} missing: mbde needs epsilon, and data with a "
            "domain or a density",
            missing[0],
            ways_out=[WayOut("set", one) for one in missing],
        )
    for name, whole, most in (
        ("samples", samples, 10_000_000), ("iterations", 3 if iterations is None else iterations, 1000),
        ("draws", draws, 1_000_000), ("seed", seed, 2**63 - 1), ("count", count or 1, 2**31),
    ):
        if (given := whole_number(name, whole)) > most:
            raise out_of_range(name, given, f"at most {most}", most=most)
    start = loaded or BoostedDensity(number("epsilon", epsilon), classifier or "probability", 1 if count is None else count)
    if start.epsilon > 500:  # above, likelihoods leave the range of doubles
        raise out_of_range("epsilon", start.epsilon, "at most 500", most=500)
    learns = _learner(learner or "network", options)
    if draws and density is None:
        raise refusal("contradicting-parameters", 'draws needs density, but data is given; a method with score="mbde" releases', "draws")
    if sampler is not None and not draws:
        raise refusal("missing-parameter", "sampler is for draws: give draws too, or leave it out", "draws", ways_out=[WayOut("leave", "sampler")])
    sampler = sampler or SAMPLERS[0]
    if sampler not in SAMPLERS:
        said = f'sampler must be {SAMPLERS[0]}, {SAMPLERS[1]} or {SAMPLERS[2]}, but is "{sampler}"'
        raise unknown_name(said, sampler, SAMPLERS, "sampler")
    if draws and sampler == SAMPLERS[0]:
        _proposals(start.epsilon / start.count)
    if density is not None:
        if data is not None or domain is not None:
            raise refusal("contradicting-parameters", "density is instead of data and domain, but both are given", "density")
        problem = _of_density(density, reference, samples, seed, regions)
    elif regions:
        raise refusal("superfluous-parameter", "regions needs density, but data is given: leave out regions", "regions", ways_out=[WayOut("leave", "regions")])
    else:
        assert domain is not None
        problem = _of_rows(data, as_domain(domain), reference)
    found: list[tuple[Step, float]] = []
    if loaded is not None:
        if loaded.classifiers[0].features != problem.p.shape[1]:
            raise refusal(
                "wrong-shape",
                f"the model must be of points of {problem.p.shape[1]} features, but is of {loaded.classifiers[0].features}",
                "model",
            )
        made = BoostedDensity(loaded.epsilon, loaded.bounding, loaded.count)
        for one in loaded.classifiers:
            after = made.boosted(one)
            found.append((_step(problem, made, after), math.nan))
            made = after
    else:
        t = 3 if iterations is None else iterations
        bar = iter(steps(range(t), "boosting", progress))

        def observe(before: BoostedDensity, after: BoostedDensity, cross_entropy: float) -> None:
            found.append((_step(problem, before, after), cross_entropy))
            next(bar, None)

        made = boost(problem.p, problem.pool, learns, start, iterations=t, samples=samples, seed=seed, observe=observe)
        next(bar, None)
    measured = _measured(problem, made, found, seed)
    points = np.empty((0, 0))
    if draws:
        assert problem.reference is not None
        points = _DRAW[sampler](measured.density, problem.reference, draws, seed)
    parts = _json(problem, measured, {"samples": samples, "seed": seed}, points)
    answer = Boosting(json.dumps(parts), _words(parts, sampler))
    answer.density = measured.density
    return answer
