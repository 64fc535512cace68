"""Each iteration's gain, its guarantee, and the papers' claim. NOT PRIVATE.

Functions take masses of points along the last axis, and answer for each of the axes before it. A claim or a guarantee
that does not exist is NaN. docs/theory/errata.md derives every correction of the papers.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mollify.boosting.density import SIGMOIDS, Numbers

REGIMES = ("none", "low", "high")
"""Where [Husain et al. 2020, Theorem 5] puts a classifier: high for gamma_Q in [1/3, 1], low for (0, 1/3); none
unless gamma_P > 0 and gamma_Q > 0, its weak learning assumption."""


class Step(NamedTuple):
    """One iteration. The KL drop is KL(P, Q_(t-1)) - KL(P, Q_t), in nats."""

    theta: Any
    c_star: Any
    """max |c|"""
    gamma_p: Any
    """E_P[c] / c*; 0 if c* is 0."""
    gamma_q: Any
    """E_Q[-c] / c*; 0 if c* is 0."""
    regime: Any
    """0, 1 or 2, a place in `REGIMES`."""
    drop: Any
    """theta E_P[c] - ln E_Q exp(theta c): the drop itself."""
    guaranteed: Any
    """theta c* gamma_P - ln(cosh theta c* - gamma_Q sinh theta c*), for every classifier and every gamma: exp lies
    below its chord over [-theta c*, theta c*]. For k outputs c is the shrunk classifier."""
    claimed: Any
    """[Husain et al. 2020, Theorem 5] as stated: theta Lambda with Lambda = c* gamma_P + log(4 / (5 - 3 gamma_Q)) in
    the high regime, and gamma_P + gamma_Q - c* theta / 2 in the low regime."""

    @property
    def claim_fails(self) -> Any:
        """Whether the claim is more than the drop."""
        return self.claimed > self.drop + 1e-12


def diagnose(at_p: Numbers, masses_p: Numbers, at_q: Numbers, masses_q: Numbers, theta: Any) -> Step:
    """One iteration, from its classifier c at points of P and at points of Q_(t-1); masses count in proportion."""
    p, q = (masses / masses.sum(axis=-1, keepdims=True) for masses in (masses_p, masses_q))
    mean_p, mean_q = (p * at_p).sum(axis=-1), (q * at_q).sum(axis=-1)
    grown = np.log1p((q * np.expm1(np.asarray(theta)[..., None] * at_q)).sum(axis=-1))
    c_star = np.maximum(*(np.where(masses > 0, abs(at), 0).max(axis=-1) for at, masses in ((at_p, p), (at_q, q))))
    size = np.where(c_star > 0, c_star, 1)
    gamma_p, gamma_q = mean_p / size, -mean_q / size
    regime = np.where((gamma_p > 0) & (gamma_q > 0), np.where(gamma_q < 1 / 3, 1, 2), 0)
    reach = theta * c_star
    high = theta * (c_star * gamma_p + np.log(4 / (5 - 3 * gamma_q)))
    low = theta * (gamma_p + gamma_q - c_star * theta / 2)
    return Step(
        theta, c_star, gamma_p, gamma_q, regime, theta * mean_p - grown,
        reach * gamma_p - np.log(np.cosh(reach) - gamma_q * np.sinh(reach)), np.choose(regime, (np.nan, low, high)),
    )


class Run(NamedTuple):
    """All iterations together: Delta = KL(P, Q0) - KL(P, Q_T), the sum of the drops."""

    delta: Any
    guaranteed: Any
    """The sum of the guaranteed drops."""
    limit: Any
    """What Delta cannot pass [Husain et al. 2020, Theorem 6, upper bound]: epsilon / (2 k); with sigmoids `reach`."""
    claimed: Any
    """[Husain et al. 2020, Theorem 6], lower bound: (epsilon/2) (gamma_P + gamma_Q)/2 (1 - theta_T), with the least
    gammas of all iterations. NaN unless all iterations are in the high regime, and for several outputs."""
    iterations: int
    reach: Any
    """What bounds the sum of theta c*: epsilon / (4 k), or epsilon / (4 k log 2) for "equation-15"."""
    gamma_p: Any
    gamma_q: Any
    normalisers_at_most_one: Any
    """Whether gamma_Q >= tanh(theta c*/2) in every iteration, so that by the chord no E_Q exp(theta c) is above 1.
    The high regime implies it, as theta c* < log 2."""

    @property
    def claim_fails(self) -> Any:
        """Whether the claim is more than Delta."""
        return self.claimed > self.delta + 1e-12


def diagnose_run(steps: Sequence[Step], epsilon: Any, outputs: int = 1, bounding: str = "probability") -> Run:
    """From the iterations 1 to T in turn."""
    gamma_p, gamma_q = (np.minimum.reduce([getattr(one, name) for one in steps]) for name in ("gamma_p", "gamma_q"))
    all_high = np.logical_and.reduce([one.regime == 2 for one in steps]) & (outputs == 1)
    small = np.logical_and.reduce([one.gamma_q >= np.tanh(one.theta * one.c_star / 2) for one in steps])
    reach = epsilon / 4 / outputs / (math.log(2) if bounding == "equation-15" else 1)
    return Run(
        sum(one.drop for one in steps), sum(one.guaranteed for one in steps),
        reach if bounding in SIGMOIDS else 2 * reach,
        np.where(all_high, epsilon / 2 * (gamma_p + gamma_q) / 2 * (1 - steps[-1].theta), np.nan),
        len(steps), reach, gamma_p, gamma_q, small,
    )


class Region(NamedTuple):
    """How much of a region B's mass the density captures. M_B is the mass of B, KL_B(P, Q0) the integral of P
    log(P/Q0) over B."""

    mass_p: Any
    mass_reference: Any
    mass_q: Any
    kl_inside: Any
    guaranteed: Any
    """(1 + epsilon/2) M_B(P) - epsilon/2 - KL_B(P, Q0) + Delta <= M_B(Q_T): the step of the proof of [Husain et al.
    2020, Theorem 7] that comes before its error, with the Delta that was reached. Here and below epsilon/k is in
    the place of epsilon for k outputs."""
    guaranteed_by_gammas: Any
    """M_B(P) - KL_B(P, Q0) - (epsilon/4) max(0, 1 - gamma_P - M_B(P)) <= M_B(Q_T), a sharper Theorem 7. NaN unless
    the run's `normalisers_at_most_one`."""
    claimed: Any
    """[Husain et al. 2020, Theorem 7] as stated: (1 - alpha) M_B(P) - KL_B(P, Q0) <= M_B(Q_T) for each alpha in [0, 1]
    with M_B(P) >= epsilon h((2 - gamma_P - gamma_Q) T) / (h(alpha) h(T)), h(x) = epsilon + 2x; this is the least
    such alpha. NaN if there is no such alpha or Theorem 6 makes no claim."""


def diagnose_region(p: Numbers, reference: Numbers, q: Numbers, inside: NDArray[np.bool_], run: Run) -> Region:
    """From masses of the same points under P, Q0 and Q_T, each summing to 1; B is where `inside` is True."""
    mass_p, mass_reference, mass_q = (np.where(inside, masses, 0).sum(axis=-1) for masses in (p, reference, q))
    with np.errstate(divide="ignore", invalid="ignore"):
        kl = np.where(inside & (p > 0), p * np.log(p / reference), 0).sum(axis=-1)
        epsilon = 4 * run.reach
        t = run.iterations
        needed = epsilon * (epsilon + 2 * (2 - run.gamma_p - run.gamma_q) * t) / (epsilon + 2 * t)
        alpha = np.clip((needed / mass_p - epsilon) / 2, 0, 1)
    large = ~np.isnan(run.claimed) & (mass_p * (epsilon + 2) >= needed)
    by_gammas = mass_p - kl - run.reach * np.maximum(0, 1 - run.gamma_p - mass_p)
    return Region(
        mass_p, mass_reference, mass_q, kl, (1 + run.limit) * mass_p - run.limit - kl + run.delta,
        np.where(run.normalisers_at_most_one, by_gammas, np.nan), np.where(large, (1 - alpha) * mass_p - kl, np.nan),
    )


# -------------------------------------------------------------------------------------------------
# How well a density finds what another distribution produces, from samples.


class Estimate(NamedTuple):
    """An estimate and its standard error."""

    value: float
    error: float = 0.0


def negative_log_likelihood(log_q_at_p: Numbers) -> Estimate:
    """-E_P log Q, from log Q at independent samples of P. Infinite if P reaches where Q does not."""
    if not np.isfinite(log_q_at_p).all():
        return Estimate(math.inf)
    return Estimate(-float(log_q_at_p.mean()), float(log_q_at_p.std(ddof=1)) / math.sqrt(len(log_q_at_p)))


def mode_coverage(q_at_p: Numbers, q_at_q: Numbers, level: float = 0.95) -> Estimate:
    """The share of P that lies where Q has its densest 95 %, from Q's density, or an increasing function of it, at
    independent samples of P and of Q.

    The error has two parts: the error of the share of P above the threshold, and half of how P's share changes as the
    threshold moves by one standard error of its level either way, added in squares.
    """
    of_p, of_q = np.sort(q_at_p), np.sort(q_at_q)
    m = len(of_q)

    def covered(share: float) -> float:
        threshold = of_q[int(min(max(math.floor((1 - share) * m), 0), m - 1))]
        return 1 - float(np.searchsorted(of_p, threshold)) / len(of_p)

    value, of_level = covered(level), math.sqrt(level * (1 - level) / m)
    of_threshold = (covered(level + of_level) - covered(level - of_level)) / 2
    return Estimate(value, math.hypot(math.sqrt(value * (1 - value) / len(of_p)), of_threshold))
