"""Boosted densities [Husain et al. 2020, Algorithm 1]: their bounds, and how one is learned. NOT PRIVATE.

Releases use the library's, src/scores/boosting.h, which has one bound and one kind of classifier. This one has those that
the papers and their programs have, to compare them. On equal points the two agree: python/tests/test_boosting.py.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from mollify import _core
from mollify._checks import out_of_range
from mollify._parameters import unknown_name

Numbers = NDArray[np.float64]
Points = NDArray[np.float32]
"""A row for each point."""

BOUNDINGS = ("probability", "logit", "sign", "sigmoid", "equation-15")
"""How a logit z becomes a classifier's value c: log 2 (2 sigma(z) - 1), sigma being the logistic function; z
clipped to +-log 2; log 2 times the sign of z; sigma(z), and sigma(z) with the theta of the others."""
SIGMOIDS = BOUNDINGS[3:]
"""Classifiers that are never negative."""


def classifier_bound(bounding: str) -> float:
    """The greatest |c|: 1 for `SIGMOIDS`, else log 2."""
    if bounding not in BOUNDINGS:
        said = f'classifier must be {", ".join(BOUNDINGS[:-1])} or {BOUNDINGS[-1]}, but is "{bounding}"'
        raise unknown_name(said, bounding, BOUNDINGS, "classifier")
    return 1.0 if bounding in SIGMOIDS else math.log(2)


def bounded(logits: Numbers, bounding: str) -> Numbers:
    """c for each logit, whatever the logits are; 0 for NaN."""
    bound = classifier_bound(bounding)
    if bounding == "probability":
        values = bound * np.tanh(logits / 2)
    elif bounding in SIGMOIDS:
        values = (1 + np.tanh(logits / 2)) / 2
    else:
        values = logits if bounding == "logit" else bound * np.sign(logits)
    # The last step is a comparison, so no rounding before it counts.
    return np.where(np.isnan(logits), 0.0, np.clip(values, 0.0 if bounding in SIGMOIDS else -bound, bound))


class Classifier(Protocol):
    """An estimate of ln(P/Q). Learned from private data, it is private data."""

    @property
    def features(self) -> int:
        """Numbers of a point."""

    def logits(self, points: Points) -> Points:
        """The estimate at each point; any values."""

    def parts(self) -> dict[str, Any]:
        """Its part of a model's file."""


class Learned(NamedTuple):
    """A classifier and the mean cross-entropy in nats of the last pass over its samples."""

    classifier: Classifier
    cross_entropy: float


class Learner(Protocol):
    """Learns to distinguish the points of P from the points of Q; each of the two counts half."""

    def learn(self, p: Points, q: Points, seed: int) -> Learned:
        """A classifier, whatever the points are."""


class LogNormaliser(NamedTuple):
    """log Z, Z = E_Q0 exp(sum theta_t c_t)."""

    value: float
    error: float
    """By sampling the standard error; by cubature the distance from a grid of half as many cells along each axis."""
    method: str
    """"cubature" or "importance sampling"."""
    points: int
    """Cells, or samples."""


@dataclass(frozen=True)
class BoostedDensity:
    """Q_T, with dQ_T/dQ0 = exp(sum_t theta_t c_t / k) / Z.

    theta_t = (epsilon / (epsilon + 4 C))^t with C = 1 for "sigmoid", else log 2, so sum_t theta_t < epsilon / (4 C). If
    no |c_t| is above C, |sum_t theta_t c_t / k| and |log Z| are at most epsilon / (4 k) whatever the classifiers are.
    Q_T lies in the relative epsilon/k-mollifier of Q0 [Theorem 4], and k points sampled from it cost epsilon. With
    sigmoids both are not negative, so |log dQ_T/dQ0| is at most epsilon / (4 k), or epsilon / (4 k log 2) for
    "equation-15". k > 1 is the shrinking of [Husain et al. 2019, Section 6].
    """

    epsilon: float
    """The privacy parameter of all outputs together."""
    bounding: str = "probability"
    count: int = 1
    """k, the points to be sampled."""
    classifiers: tuple[Classifier, ...] = ()
    log_normaliser: LogNormaliser | None = None

    def __post_init__(self) -> None:
        classifier_bound(self.bounding)
        if not 0 < self.epsilon < math.inf:
            raise out_of_range("epsilon", self.epsilon, "finite and positive", above=0)
        if self.count < 1:
            raise out_of_range("count", self.count, "at least 1", least=1)

    def theta(self, t: int) -> float:
        """theta_t, t from 1; any t."""
        return (self.epsilon / (self.epsilon + 4 * self._most)) ** t

    @property
    def _most(self) -> float:
        """What theta_t supposes |c_t| to be at most."""
        return 1.0 if self.bounding == "sigmoid" else math.log(2)

    @property
    def log_ratio_bound(self) -> float:
        """What `log_ratios` never passes: epsilon / (4 k), or epsilon / (4 k log 2) for "equation-15"."""
        return self.epsilon / 4 / self.count * classifier_bound(self.bounding) / self._most

    @property
    def log_density_ratio_bound(self) -> float:
        """What |log dQ_T/dQ0| never passes."""
        return self.log_ratio_bound if self.bounding in SIGMOIDS else 2 * self.log_ratio_bound

    def classifier_values(self, t: int, points: Points) -> Numbers:
        """c_t / k at each point: the t-th classifier as it is used."""
        return bounded(self.classifiers[t - 1].logits(points).astype(np.float64), self.bounding) / self.count

    def log_ratios(self, points: Points) -> Numbers:
        """sum_t theta_t c_t / k at each point: log dQ_T/dQ0 up to log Z."""
        ratios = np.zeros(len(points))
        for t in range(1, len(self.classifiers) + 1):
            ratios += self.theta(t) * self.classifier_values(t, points)
        return np.clip(ratios, -self.log_ratio_bound, self.log_ratio_bound)

    def log_density_ratios(self, points: Points) -> Numbers:
        """log dQ_T/dQ0 itself; needs the normaliser."""
        assert self.log_normaliser is not None
        return self.log_ratios(points) - self.log_normaliser.value

    def boosted(self, classifier: Classifier) -> BoostedDensity:
        """Boosted by one more classifier; without a normaliser."""
        return replace(self, classifiers=(*self.classifiers, classifier), log_normaliser=None)

    def normalised(self, found: LogNormaliser) -> BoostedDensity:
        """With its normaliser, which is brought into the range that it must have."""
        least = 0.0 if self.bounding in SIGMOIDS else -self.log_ratio_bound
        value = min(max(found.value, least), self.log_ratio_bound)
        return replace(self, log_normaliser=found._replace(value=0.0 if math.isnan(value) else value))


def perfect_path(p: Numbers, h: Numbers, epsilon: float, classifier: str, weights: Numbers | float = 1.0) -> list[Numbers]:
    """ln of the masses of Q_0 to Q_3 if each classifier's logit is ln P/Q_(t-1) itself, or ln of their densities at
    points of these weights. "unbounded" are logits as they are, with theta_t = (epsilon / (epsilon + 4))^t [published
    code of Husain et al. 2019]."""
    unbounded = classifier == "unbounded"
    thetas = BoostedDensity(epsilon, "sigmoid" if unbounded else classifier)
    log_p, path = np.log(np.maximum(p, np.finfo(float).tiny)), [np.log(h)]
    for t in (1, 2, 3):
        logits = log_p - path[-1]
        bent = path[-1] + thetas.theta(t) * (logits if unbounded else bounded(logits, classifier))
        path.append(bent - bent.max() - np.log((weights * np.exp(bent - bent.max())).sum()))
    return path


def perfectly_boosted(p: Numbers, reference: Numbers, epsilon: float, bounding: str = "probability") -> Numbers:
    """Masses that three iterations reach if each classifier's logit is ln P/Q_(t-1) itself."""
    return np.asarray(np.exp(perfect_path(p, reference, epsilon, bounding)[-1]))


# -------------------------------------------------------------------------------------------------
# Boosting.


def resampled(points: Points, weights: Numbers, count: int, numbers: _core.SeededNumbers) -> Points:
    """`count` of the points in proportion to their weights, by marks at equal distances.

    Weights that are not positive and finite count as 0; if there are no others, all points are alike.
    """
    unit = (numbers.word() >> 11) * 2.0**-53
    if len(points) == 0:
        return points
    through = np.cumsum(np.where((weights > 0) & np.isfinite(weights), weights, 0.0))
    if not 0 < through[-1] < math.inf:
        through = np.arange(1.0, len(points) + 1)
    marks = (np.arange(count) + unit) / count * through[-1]
    places = np.minimum(np.searchsorted(through, marks, side="right"), len(points) - 1)
    return np.asarray(points[places])


Observer = Callable[[BoostedDensity, BoostedDensity, float], None]
"""Is given, after each iteration, the density before it, the density after it and the last cross-entropy."""


def boost(
    p: Points, pool: Points, learner: Learner, start: BoostedDensity, *, iterations: int = 3, samples: int = 10_000,
    seed: int = 0, observe: Observer | None = None,
) -> BoostedDensity:
    """For t = 1 ... T: learns c_t from points of P and of Q_(t-1), and sets Q_t = Q_(t-1) exp(theta_t c_t) / Z.

    `pool` are points of Q0. Q_(t-1) is drawn from the pool in proportion to exp(log ratio). Of more than `samples`
    points of P each iteration takes that many, anew and evenly.
    """
    if iterations < 1:
        raise out_of_range("iterations", iterations, "at least 1", least=1)
    if samples < 1:
        raise out_of_range("samples", samples, "at least 1", least=1)
    numbers = _core.SeededNumbers(seed)
    density = start
    ratios = np.zeros(len(pool))
    for t in range(1, iterations + 1):
        # Equal words are drawn in either case, so that a seed has one meaning for all data.
        some = resampled(p, np.ones(len(p)), samples, numbers)
        most = density.log_ratio_bound
        q = resampled(pool, np.exp(ratios - (most if most < math.inf else ratios.max())), samples, numbers)
        learned = learner.learn(p if len(p) <= samples else some, q, numbers.word())
        after = density.boosted(learned.classifier)
        ratios += after.theta(t) * after.classifier_values(t, pool)
        if observe:
            observe(density, after, learned.cross_entropy)
        density = after
    return density
