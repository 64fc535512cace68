"""The tables of [Cheu, Nayak 2024]: how many records samplers need."""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from mollify import _core, number
from mollify._methods import METHODS, Gaussian
from mollify.reproduce.page import Figure

_EPSILON, _RHO = 1.0, 0.5
# Below one over every number of records that is found, as a release demands.
_DELTA = 1e-10
_TARGET = 0.1
_DIMENSION, _MEAN_BOUND, _COVARIANCE_BOUND = 5, 10.0, 4.0
_OUTCOMES = 20
_GAUSSIAN: dict[str, Any] = {"method": "gaussian", "dimension": _DIMENSION}
_BOUNDS: dict[str, Any] = {"mean_bound": _MEAN_BOUND, "covariance_bound": _COVARIANCE_BOUND}

_PURE = ("pure", (("epsilon", _EPSILON),))
_APPROXIMATE = ("approximate", (("epsilon", _EPSILON), ("delta", _DELTA)))
_CONCENTRATED = ("zero-concentrated", (("rho", _RHO),))
_Budget = tuple[str, tuple[tuple[str, float], ...]]

_LEGEND = (
    "The printed tables hold orders of growth: no constants, and no logarithms of 1/alpha, the dimension and the records. So "
    "the value of an order is not a number of records; it is there to be divided by, and to see what grows how (last table). "
    "Numbers of records are: the least n for which mollify promises the accuracy; the number that the papers' own parameters "
    "need; and m runs of a single sampler on disjoint parts (Lemma 8), each at alpha/m for a joint law within alpha (Lemma "
    "9). Weak: the law of each sample is within alpha. Strong: the law of all samples together is."
)


@dataclass(frozen=True)
class _Task:
    """One sample, many samples that are each near, or many samples whose joint law is near."""

    name: str
    outputs: int
    strong: bool


_TASKS = (_Task("one sample", 1, False), _Task("weak, 100 samples", 100, False), _Task("strong, 100 samples", 100, True))


@dataclass
class _Row:
    """A row of a table before it is text."""

    task: _Task
    budget: str
    formula: str
    order: float
    """How records grow, as a theorem has it: no constants and no logarithms."""
    ours: float | None
    papers: float | None
    of_single_runs: float | None
    bound: str


@functools.cache
def _asked(question: tuple[tuple[str, Any], ...]) -> Mapping[str, Any]:
    """The plan for the least n; empty for a budget that this sampler does not spend."""
    parts = dict(question)
    plan_of: Any = getattr(METHODS[parts.pop("method", "central")], "plan_of")
    if not set(parts) <= set(inspect.signature(plan_of).parameters):
        return {}
    try:
        answer: Mapping[str, Any] = plan_of(**parts)
    except _core.InvalidInput:
        return {}
    return answer["answers"][0] if "answers" in answer else answer


def _plan(what: Mapping[str, Any], budget: _Budget, task: _Task, alpha: float = _TARGET) -> Mapping[str, Any]:
    asked = dict(what) | dict(budget[1]) | {"alpha": alpha, "count": task.outputs, "strong": task.strong}
    return _asked(tuple(asked.items()))


def _of_single_runs(what: Mapping[str, Any], budget: _Budget, task: _Task) -> float | None:
    """Records of m runs of the single sampler."""
    alpha = _TARGET / task.outputs if task.strong else _TARGET
    one = _plan(what, budget, _TASKS[0], alpha).get("n")
    return None if one is None else float(task.outputs * one)


def _count(records: float | None) -> str:
    return "no constants" if records is None else f"{records:.0f}"


def _add_table(figure: Figure, rows: list[_Row]) -> None:
    figure.columns = [
        "task", "privacy", "published order", "mollify needs", "times the order",
        "the papers' parameters need", "times the order", "baseline: m single samplers", "lower bound",
    ]

    def times(records: float | None, row: _Row) -> str:
        return "" if records is None else f"{records / row.order:.2g}"

    figure.rows = [
        [
            row.task.name, row.budget, f"{row.formula} = {row.order:.0f}",
            _count(row.ours), times(row.ours, row), _count(row.papers), times(row.papers, row),
            _count(row.of_single_runs), row.bound,
        ]
        for row in rows
    ]


def _add_growth(figure: Figure, rows: list[_Row], why: str) -> None:
    """How many times the records of one sample m samples need, next to the orders."""
    figure.published = "published: a ratio of O() terms"
    for row in rows:
        one = next(other for other in rows if other.task.outputs == 1 and other.budget == row.budget)
        if row is one:
            continue
        whose = (("mollify", row.ours, one.ours), ("the papers' parameters", row.papers, one.papers))
        for name, many, single in whose:
            if many and single:
                what = f"{row.task.name}, {row.budget}: times the records of one, {name}"
                order = row.order / one.order
                figure.compare(what, many / single, published=order, why="" if math.isclose(many / single, order) else why)


# -------------------------------------------------------------------------------------------------
# Samples of k outcomes.


def _finite_order(task: _Task, budget: _Budget) -> tuple[str, float]:
    """[Cheu, Nayak 2024, Theorems 2, 11 and 14; Lemma 8, Corollary 10]."""
    one, m = _OUTCOMES / (_TARGET * _EPSILON), task.outputs
    if m == 1:
        return "k/(alpha epsilon)", one
    if budget == _PURE:
        return ("m^2 k/(alpha epsilon)", m * m * one) if task.strong else ("m k/(alpha epsilon)", m * one)
    shuffled = one * math.log(1 / _DELTA) / _EPSILON
    if task.strong:
        return "m + m k ln(1/delta)/(alpha epsilon^2)", m + m * shuffled
    return "m + k ln(1/delta)/(alpha epsilon^2)", m + shuffled


def finite(quick: bool, seed: int) -> Figure:
    """Table 1."""
    figure = Figure(
        [
            f"Records needed for samples within total variation {_TARGET:g} of a distribution on {_OUTCOMES} outcomes. "
            f"Budgets: epsilon {_EPSILON:g}, and with delta {_DELTA:g}. Published: of order k/(alpha epsilon) for one "
            "sample, with a constant of 1, where an earlier paper has 2; m times that for weak samples under pure "
            "privacy; m^2 times that for strong ones; under approximate privacy shuffling saves a factor of m.",
            _LEGEND,
            "The lower bound is published as an order, too: whatever the sampler, one sample needs at "
            "least c k/(alpha epsilon) records, c being a constant that no paper gives. The table prints "
            "c times a number. Because mollify's sampler needs fewer than k/(alpha epsilon), c is below "
            '1: at most the first of its "times the order". For a joint law within alpha, single samples '
            "have to be within about 1.25 alpha/sqrt(m) (Theorem 21, computed), which needs more records.",
        ]
    )
    rows, asked = [], {"k": _OUTCOMES}
    for task in _TASKS:
        for budget in (_PURE, _APPROXIMATE):
            answer = _plan(asked, budget, task)
            shuffled = budget == _APPROXIMATE and task.outputs > 1
            papers = answer["papers_records"]["shuffled-rr" if shuffled else "subsampled-rr"]
            bound = f"c times {_count(answer['records_lower_bound_order'])}"
            of_single_runs = _of_single_runs(asked, budget, task)
            order = _finite_order(task, budget)
            rows.append(_Row(task, budget[0], *order, answer["n"], papers, of_single_runs, bound))
    _add_table(figure, rows)
    for whose, records, why in (
        ("mollify", rows[0].ours, "e^epsilon - 1 in place of epsilon, and k fewer"),
        ("the papers' parameters", rows[0].papers, "k - 1 in place of k"),
    ):
        assert records
        what = f"one sample, pure: records over k/(alpha epsilon), {whose}"
        figure.compare(what, records / rows[0].order, published=1, why=why)
    _add_growth(
        figure, rows, "one sample needs no shuffling and grows with 1/epsilon, many with constants of the shuffling and "
        "1/epsilon^2; mollify's has smaller ones"
    )
    return figure


# -------------------------------------------------------------------------------------------------
# Gaussian samples.


def _gaussian_order(task: _Task, budget: _Budget, covariance_bound: float) -> tuple[str, float]:
    """For a mean of norm up to R, B = R + sqrt(K d), and zCDP at rho = epsilon^2/2.

    [Cheu, Nayak 2024, Theorems 17, 19 and 30; Ghazi et al. 2023, Algorithms 1 and 2; Lemma 8 and Corollary 10].
    """
    d, m = _DIMENSION, task.outputs
    radius = _MEAN_BOUND + math.sqrt(covariance_bound * d)
    epsilon = math.sqrt(2 * _RHO) if budget == _CONCENTRATED else _EPSILON
    logarithm = math.log(1 / _DELTA)
    grows_squared = False
    if covariance_bound > 1 and budget == _CONCENTRATED:
        formula, one = "sqrt(d) B^2/(alpha epsilon^2)", math.sqrt(d) * radius**2 / (_TARGET * epsilon**2)
        grows_squared = task.strong
    elif covariance_bound > 1:
        formula, one = "B^2 ln(1/delta)/epsilon", radius**2 * logarithm / epsilon
    elif budget == _CONCENTRATED:
        formula, one = "B/epsilon", radius / epsilon
    elif budget == _APPROXIMATE:
        formula, one = "B sqrt(ln(1/delta))/epsilon", radius * math.sqrt(logarithm) / epsilon
    else:
        formula, one = "d B/(alpha epsilon)", d * radius / (_TARGET * epsilon)
        grows_squared = task.strong
    if m == 1:
        return formula, one
    return ("m^2 " if grows_squared else "m ") + formula, one * (m * m if grows_squared else m)


def _add_tested_runs(figure: Figure, quick: bool, seed: int) -> None:
    """Algorithm 2 itself, on as many records as the table says that it needs, from a Gaussian whose mean is at its bound
    and whose variances go from one end of theirs to the other."""
    outputs = 4 if quick else 10
    needed = _plan(_GAUSSIAN | _BOUNDS, _APPROXIMATE, _TASKS[0])["n"]
    variances, mean = np.linspace(1, _COVARIANCE_BOUND, _DIMENSION), np.eye(_DIMENSION)[0] * _MEAN_BOUND
    normals = np.random.default_rng(seed).standard_normal((outputs * needed, _DIMENSION))
    rows = dict(zip("abcde", (mean + np.sqrt(variances) * normals).T))
    domain = dict.fromkeys(rows, number(-60, 60, outside="clip", null=0))
    method = Gaussian(domain, count=outputs, epsilon=_EPSILON, delta=_DELTA, **_BOUNDS)
    released = method.sample(rows)
    draws = np.stack([np.asarray(released[name], float) for name in rows], axis=1)
    # A public draw, in place of one that fails the test, is about 0: at a distance of _MEAN_BOUND.
    passed = (((draws - mean) ** 2 / variances).sum(axis=1) < _MEAN_BOUND**2 / 2).sum()
    figure.compare(
        f"Algorithm 2, on {needed} records for each of {outputs} draws: how many pass its test (expected: all, except "
        "with alpha/4)", float(passed), expected=outputs, why="Each draw fails its test with probability alpha/4 at most.",
    )


def _gaussian(covariance_bound: float, budgets: tuple[_Budget, ...], why: str) -> Figure:
    known = covariance_bound == 1
    covariance = "known covariance" if known else f"a covariance between I and {covariance_bound:g} I"
    figure = Figure(
        [
            f"Records needed for samples within total variation {_TARGET:g} of a Gaussian in {_DIMENSION} "
            f"dimensions whose mean has norm at most {_MEAN_BOUND:g}, with {covariance}. Budgets: epsilon "
            f"{_EPSILON:g}; rho {_RHO:g}; epsilon {_EPSILON:g} with delta {_DELTA:g}.",
            "Orders are for a bounded mean: d dimensions, B = R + sqrt(K d) with R the mean's bound and K the "
            "covariance's, and epsilon = sqrt(2 rho) under zero-concentrated privacy. Published: m weak samples need "
            "m times the records of one, in every way; strong ones need as many if one sample's records grow with the "
            "logarithm of 1/alpha only, and m^2 times as many if they grow with 1/alpha.",
            _LEGEND,
        ]
    )
    rows, what = [], _GAUSSIAN | _BOUNDS | {"covariance_bound": covariance_bound}
    for task in _TASKS:
        for budget in budgets:
            answer = _plan(what, budget, task)
            papers = answer.get("papers_records")
            # One of many outputs is a single sample within alpha, too.
            least = [_plan(what, budget, one).get("records_lower_bound", 0) for one in (task, _TASKS[0])]
            order = _gaussian_order(task, budget, covariance_bound)
            of_single_runs = _of_single_runs(what, budget, task)
            bound = _count(math.ceil(max(least)))
            rows.append(_Row(task, budget[0], *order, answer.get("n"), papers, of_single_runs, bound))
    _add_table(figure, rows)
    _add_growth(figure, rows, why)
    return figure


def _add_learning_orders(figure: Figure) -> None:
    """[Cheu, Nayak 2024, Theorems 25 to 27 and Section 5.2], as `plan gaussian` finds them."""
    one, many = (_plan(_GAUSSIAN | _BOUNDS, _CONCENTRATED, task)["orders"] for task in _TASKS[:2])
    public = f"{many['public_records']:.0f}"
    rows = (
        ("at least, to learn the Gaussian (Theorem 25)", "d sqrt(ln(K)/rho)", many["learning"]),
        (
            f"enough, to learn it with {public} public records (Theorem 26)",
            "d^2/alpha^2 + d^2/(alpha sqrt(rho))", many["semi_private_learning"],
        ),
        ("at least, for 100 weak samples (Theorem 27)", "d sqrt(ln(K)/rho)", many["sampling"]),
        ("at least, for one sample (Section 5.2)", "sqrt(ln(K)/rho) d/(d + 1)", one["sampling"]),
    )
    rest = ["order only"] * (len(figure.columns) - 3)
    figure.rows += [
        [f"order only: {task}", "zero-concentrated", f"{formula} = {order:.2f}", *rest] for task, formula, order in rows
    ]
    figure.text.append(
        "The last four rows of the table are orders only: their constants are not known, so these numbers bound no number "
        f"of records. A learner that has {public} public records needs fewer private ones. These could be the outputs of "
        f"a weak sampler. So for a large K, a sampler of {public} or more needs as many records as a learner that has no "
        f"public ones, and a sampler of one needs that number divided by {public}."
    )


def known_covariance(quick: bool, seed: int) -> Figure:
    """Table 2."""
    return _gaussian(
        1, (_PURE, _CONCENTRATED, _APPROXIMATE),
        "logarithms; under pure privacy the shape's total variation, computed exactly, falls faster with "
        "n than the theorem needs, mollify's own as 1/n^4; for one sample the noise of pure privacy works "
        "for approximate privacy too, with half of the records",
    )


def bounded_covariance(quick: bool, seed: int) -> Figure:
    """Table 3."""
    figure = _gaussian(
        _COVARIANCE_BOUND, (_CONCENTRATED, _APPROXIMATE),
        "logarithms; mollify under rho adds noise, whose records grow with 1/alpha",
    )
    figure.text.append(
        "Under approximate privacy mollify releases by propose, test, release [after Ghazi et al. 2023, Algorithm 2], "
        "exactly, on a lattice. The papers give it no constants, so there are no parameters of theirs to count by, and "
        '"times the order" divides by an order. For 100 strong samples 39 492 600 records are not this order: a proof of this '
        "algorithm that splits epsilon and delta evenly needs them, twice as many as mollify. Records grow with 1/epsilon; "
        "adding noise (both ways under rho) makes them grow with 1/epsilon^2. It is run here on simulated records (last rows)."
    )
    _add_learning_orders(figure)
    _add_tested_runs(figure, quick, seed)
    return figure


FIGURES: dict[str, tuple[str, str, Callable[[bool, int], Figure]]] = {
    "cheu-table-1": ("Cheu, Nayak 2024, Table 1", "Records for samples of k outcomes", finite),
    "cheu-table-2": ("Cheu, Nayak 2024, Table 2", "Records for Gaussian samples, covariance known", known_covariance),
    "cheu-table-3": ("Cheu, Nayak 2024, Table 3", "Records for Gaussian samples, covariance bounded", bounded_covariance),
}
