"""Densities that are known, how near a law is to one, and what boosting makes of it. NOT PRIVATE."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from mollify import _core
from mollify.boosting import cell_masses as base
from mollify.boosting.analysis import chain_ends
from mollify.boosting.cell_masses import measure, points_of
from mollify.boosting.density import BoostedDensity, Numbers, Points, boost, perfect_path
from mollify.boosting.learners import FirstOnce, NetworkLearner
from mollify.reproduce.page import HeatMap, raster


def learned_from(quick: bool) -> str:
    """How classifiers learn."""
    return (
        "Classifiers are networks of three hidden layers of 25 that learn from 10 000 samples in each of three iterations. "
        '"Ours" are trained as releases train them: Adam at rate .01, 30 passes of 40 minibatches, classifiers log 2 (2 '
        'sigma - 1), sigma being the logistic function. "As printed" is the papers\' training: Nesterov\'s momentum at rate '
        ".01, 750 passes of two minibatches, the sum of both classes' mean cross-entropies, and classifiers sigma (equation "
        "15) with theta_t = (epsilon / (epsilon + 4 log 2))^t. Both keep epsilon."
        + quick * " With --quick, what is not read from a file learns from 1000 samples, in 6 passes and, as printed, in 40."
    )



# -------------------------------------------------------------------------------------------------
# The densities of the papers' experiments.


def mixture(
    means: Sequence[Sequence[float]], variances: Sequence[float], weights: Sequence[float] | None = None,
    box: Sequence[tuple[float, float]] | None = None,
) -> dict[str, Any]:
    """Gaussians, each of one variance along all axes, as `mollify law` reads them."""
    parts: dict[str, Any] = {"type": "gaussian_mixture", "means": [list(mean) for mean in means]}
    parts |= {"weights": list(weights or [1] * len(means)), "variance": list(variances)}
    return parts | ({"box": [list(axis) for axis in box]} if box else {})


def ring(count: int, radius: float, variance: float) -> dict[str, Any]:
    """Gaussians on a circle about 0."""
    angles = [2 * math.pi * one / count for one in range(count)]
    return mixture([(radius * math.cos(at), radius * math.sin(at)) for at in angles], [variance] * count)


def three_gaussians() -> dict[str, Any]:
    """(N(.3, .01) + N(.5, .1) + N(.7, .1))/3 [Husain et al. 2020, Section 5]."""
    return mixture([[0.3], [0.5], [0.7]], [0.01, 0.1, 0.1])


def random_gaussians(count: int, seed: int) -> dict[str, Any]:
    """Gaussians of variance .01 with means uniform on [0, 1] [Husain et al. 2020, Section 5]."""
    means = _core.SeededNumbers(seed).uniforms(count)
    return mixture([[float(mean)] for mean in means], [0.01] * count)


def plane_gaussians(seed: int) -> dict[str, Any]:
    """Five Gaussians with means uniform in [-3, 3]^2 and variances from .1 to .5."""
    numbers = _core.SeededNumbers(seed).uniforms(15).reshape(5, 3)
    return mixture((6 * numbers[:, :2] - 3).tolist(), (0.1 + 0.4 * numbers[:, 2]).tolist())


# -------------------------------------------------------------------------------------------------
# A density and its reference on a grid.


class Metrics(NamedTuple):
    """How well a law finds P, and the same with P and Q exchanged."""

    nll: float
    coverage: float
    exchanged_nll: float
    exchanged_coverage: float


class Known(base.Known):
    """A P that is known, its reference, and their exact masses on the cells of a grid."""

    @classmethod
    def against_normal(cls, parts: dict[str, Any], quick: bool) -> Known:
        """Against N(0, I) cut at 7.5: 8000 cells, or 384 along each axis; `quick` takes fewer.

        Four fifths of the cells lie where P does.
        """
        truth = measure(parts)
        dimension, cut = truth.dimension, 7.5
        inner = min(6.0, max(1.0, *map(abs, truth.central_box())))
        cells = (1000 if quick else 8000) if dimension == 1 else (120 if quick else 384)
        outer = cells // 10
        ends = [(-cut, -inner, outer), (-inner, inner, cells - 2 * outer), (inner, cut, outer)]
        axis = np.concatenate([np.linspace(low, high, count, endpoint=False) for low, high, count in ends])
        return cls(truth, normal(dimension), [np.append(axis, cut)] * dimension)

    def map(self, boosted: BoostedDensity, title: str, span: float, pixels: int, **parts: Any) -> HeatMap:
        """A boosted density in the plane."""
        points = raster(span, pixels)
        ratios = boosted.log_ratios(points.astype(np.float32)) - self.law(boosted)[1]
        values = self.reference.densities(points) * np.exp(ratios)
        return HeatMap(title, -span, span, values.reshape(pixels, pixels), **parts)

    def perfect_map(self, epsilon: float, title: str, span: float, pixels: int, **parts: Any) -> HeatMap:
        """What perfect classifiers, clipped logits, make of P in the plane."""
        points = raster(span, pixels)
        p, h = (
            np.concatenate([masses / self.volumes, of.densities(points)])
            for masses, of in ((self.p, self.truth), (self.h, self.reference))
        )
        weights = np.concatenate([self.volumes, np.zeros(len(points))])
        values = np.exp(perfect_path(p, h, epsilon, "logit", weights)[-1][len(self.p) :])
        return HeatMap(title, -span, span, values.reshape(pixels, pixels), **parts)

    def exchanged(self, logs: Numbers, drawn: Numbers) -> base.Fit:
        """The metrics of [Husain et al. 2019]'s published code, which gives them the points of P as those of Q and the
        points of Q as those of P: -E_Q ln Q_T, and Q's share where Q_T has its densest cells that hold 95 % of P.

        `logs` are ln of Q_T's masses. `drawn` are ln of the masses of Q: the law that the last classifier learned from,
        Q_(T-1), because that code draws no points of Q_T.
        """
        densities, masses = logs - np.log(self.volumes), np.exp(drawn)
        densest = np.argsort(-densities, kind="stable")
        held = np.cumsum(self.p[densest])
        last = int(np.searchsorted(held, 0.95 * held[-1])) + 1
        return base.Fit(-float(masses @ densities), float(masses[densest[:last]].sum()))

    def boosted_fits(self, boosted: BoostedDensity) -> Metrics:
        """The metrics of Q_T."""
        before = replace(boosted, classifiers=boosted.classifiers[:-1], log_normaliser=None)
        law, drawn = (self.law(one)[0] for one in (boosted, before))
        return Metrics(*self.fit(law), *self.exchanged(np.log(law), np.log(drawn)))

    def perfect_fits(self, epsilon: float, classifier: str) -> Metrics:
        """The same for perfect classifiers: of `BOUNDINGS`, or "unbounded" as in the published code."""
        path = perfect_path(self.p, self.h, epsilon, classifier)
        return Metrics(*self.fit(np.exp(path[-1])), *self.exchanged(path[-1], path[-2]))


def normal(dimension: int, box: Sequence[tuple[float, float]] | None = None) -> _core.KnownMeasure:
    """N(0, I)."""
    return measure(mixture([[0.0] * dimension], [1.0], box=box))


def mean_and_deviation(values: Sequence[float]) -> tuple[float, float]:
    """The deviation is of one value; 0 if there is only one value."""
    mean = float(np.mean(values))
    deviation = float(np.std(values, ddof=1)) if len(values) > 1 else 0.0
    return mean, (0.0 if deviation < 1e-12 * abs(mean) else deviation)


# -------------------------------------------------------------------------------------------------
# Laws without an error of learning.


def projected(p: Numbers, h: Numbers, floor: float, epsilon: float) -> Numbers:
    """The member nearest to P of the band from floor h to floor e^epsilon h."""
    return _core.projected_on_band(p, floor * h, floor * math.exp(epsilon) * h)


def relative_floor(epsilon: float) -> float:
    """The floor of the relative mollifier [Husain et al. 2020, eq. 5]."""
    return math.exp(-epsilon / 2)


def class_floor(bound: float, epsilon: float) -> float:
    """The minimax floor for all p <= bound h [Park et al. 2024, Theorem III.3, c1 = 0]."""
    return bound / (math.expm1(epsilon) + bound)


# -------------------------------------------------------------------------------------------------
# Divergences.


class Divergences(NamedTuple):
    """How far two laws are apart."""

    kl: float
    tv: float
    hellinger2: float


def _terms(p: Numbers, q: Numbers) -> tuple[Numbers, Numbers, Numbers]:
    """What each outcome contributes, without cancellation: p ln(p/q) - p + q, |p - q|/2 and (sqrt p - sqrt q)^2/2."""
    difference, both = p - q, p + q
    with np.errstate(divide="ignore", invalid="ignore"):
        s = np.where(both > 0, difference / both, 0)
        # ln(p/q) = 2 artanh s; the linear parts, which cancel, are left out.
        tail = sum(s ** (2 * power) / (2 * power + 3) for power in range(9))
        near = both * s * s * (1 + (1 + s) * s * tail)
        far = np.where(p > 0, p * np.log(p / q) - difference, q)
        roots = np.where(both > 0, difference / (np.sqrt(p) + np.sqrt(q)), 0)
    return np.where(np.abs(s) < 0.125, near, far), np.abs(difference) / 2, roots * roots / 2


def divergences(p: Numbers, q: Numbers) -> Divergences:
    """Of P from Q, masses of the same outcomes."""
    return Divergences(*(math.fsum(terms) for terms in _terms(p.ravel(), q.ravel())))


_STEPS = 16
_NARROWEST = 1e-11  # doubles cannot tell apart the nodes of a narrower panel


def _clenshaw_curtis(steps: int) -> Numbers:
    """The weights of Clenshaw and Curtis' rule of steps + 1 points on an interval of length 1."""
    k, j = np.arange(steps + 1)[:, None], np.arange(1, steps // 2 + 1)
    parts = np.where(2 * j == steps, 1, 2) / (4.0 * j * j - 1) * np.cos(2 * j * k * math.pi / steps)
    ends = np.where((k[:, 0] == 0) | (k[:, 0] == steps), 0.5, 1)
    return np.asarray(ends * (1 - parts.sum(axis=1)) / steps)


def line_divergences(
    truth: _core.KnownMeasure, reference: _core.KnownMeasure, interval: tuple[float, float],
    law: Callable[[Numbers, Numbers], Numbers], tolerance: float,
) -> Divergences:
    """How far a law is from P on an interval; densities are smooth except for kinks.

    Masses are densities times the weights of a Clenshaw-Curtis rule of 17 points on each of some panels, so sums of
    masses are integrals. `law` makes the law's masses from the masses of P and of the reference. If the rule and the
    rule of 9 points within it differ on a panel by more than `tolerance`, for the law itself or for a divergence, the
    panel is halved and the law is computed again. A kink ends in a panel that is too narrow to matter. The rule has the
    panel's ends among its points, because other rules overlook a kink near an end. At a tolerance of 1e-16 the
    divergences are exact to about 1e-14.
    """
    places = 0.5 - 0.5 * np.cos(np.arange(_STEPS + 1) * math.pi / _STEPS)
    weights = _clenshaw_curtis(_STEPS)
    within = np.zeros(_STEPS + 1)
    within[::2] = _clenshaw_curtis(_STEPS // 2)
    unshared = 1 - within / weights
    edges = np.linspace(*interval, 65)
    while True:
        widths = np.diff(edges)
        points = np.minimum(edges[:-1, None] + widths[:, None] * places, edges[1:, None]).reshape(-1, 1)
        sizes = widths[:, None] * weights
        p = sizes * truth.densities(points).reshape(sizes.shape)
        h = sizes * reference.densities(points).reshape(sizes.shape)
        q = law(p.ravel(), h.ravel()).reshape(sizes.shape)
        kl, tv, hellinger2 = _terms(p, q)
        off = np.max([np.abs(terms @ unshared) for terms in (q, 2 * tv, kl, hellinger2)], axis=0)
        rough = (off > tolerance) & (widths > _NARROWEST)
        if not rough.any():
            return divergences(p, q)
        edges = np.sort(np.concatenate([edges, edges[:-1][rough] + 0.5 * widths[rough]]))


# -------------------------------------------------------------------------------------------------
# Boosting that learns.


Runs = Callable[[float], BoostedDensity]
"""Boosting at this epsilon, of points and with a first classifier that all its runs have in common."""


class UnboundedDensity(BoostedDensity):
    """Q_T of the published code of [Husain et al. 2019]: c_t is a network's logit as it is, which no number bounds, and
    theta_t = (epsilon / (epsilon + 4))^t. It keeps no epsilon (docs/theory/experiments.md, 6)."""

    @property
    def log_ratio_bound(self) -> float:
        return math.inf

    def classifier_values(self, t: int, points: Points) -> Numbers:
        return self.classifiers[t - 1].logits(points).astype(np.float64)


_TRAININGS: dict[str, tuple[type[BoostedDensity], str]] = {
    "ours": (BoostedDensity, "probability"),
    "as printed": (BoostedDensity, "equation-15"),
    "unbounded logits": (UnboundedDensity, "sigmoid"),
}
"""Classifiers, by how boosting is trained; the thetas of unbounded logits are those of "sigmoid"."""


def boosting_runs(known: Known, seed: int, quick: bool, how: str = "ours") -> Runs:
    """Three iterations on 10 000 samples and a pool of 65 536, fewer if `quick`.

    "ours" learns like releases that are scored by `mbde`. The others learn as printed by [Husain et al. 2019; 2020,
    Section 5], with classifiers of equation 15 ("as printed") or of the published code ("unbounded logits").
    """
    numbers = _core.SeededNumbers(seed)
    p = points_of(known.truth, 1000 if quick else 10_000, numbers)
    pool = points_of(known.reference, 4000 if quick else 65_536, numbers)
    papers, fast = {"schedule": "papers", "epochs": 40 if quick else 750}, {"epochs": 6 if quick else None}
    learner = FirstOnce(NetworkLearner(**(fast if how == "ours" else papers)))
    density, classifier = _TRAININGS[how]
    return lambda epsilon: boost(p, pool, learner, density(epsilon, classifier), samples=len(p), seed=seed)


def published_baseline(known: Known, epsilon: float, seed: int, quick: bool) -> BoostedDensity:
    """The baseline of [Park et al. 2024, Figures 1 and 4] as its published code runs it.

    Boosting (T = 3) with sigmoids for classifiers. Each learns from 10 000 points of P and as many of Q_(t-1): the last
    places of 10 000 Metropolis-Hastings chains of 1001 steps from 0. Learning takes 750 passes in two minibatches, rate
    .01 on the mean of both classes' losses, Nesterov's momentum .9. The networks' first weights are not the published
    ones, and that code tabulates the log densities. `quick`: a tenth of the chains and steps, 40 passes.
    """
    random = np.random.default_rng(seed)
    boosted = start = BoostedDensity(epsilon, "sigmoid")
    learner = NetworkLearner(schedule="papers", epochs=40 if quick else 750, rate=0.005)
    places, count = np.zeros((1000 if quick else 10_000, known.truth.dimension)), 101 if quick else 1001
    for _ in range(3):
        p, q = (
            chain_ends(of, density, places, count, random).astype(np.float32)
            for of, density in ((known.truth, start), (known.reference, boosted))
        )
        boosted = boosted.boosted(learner.learn(p, q, int(random.integers(2**63))).classifier)
    return boosted
