"""The tables of docs/evidence/single-records.md: what boosting reaches, what one learned density ratio through the band
reaches, and what any member of the band could.

Domains and Q0 = N(0, I) are those of [Husain et al. 2020, Section 5]. P is known here, so that negative
log-likelihoods, coverages, projections and perfect classifiers are exact on a grid; whatever learns sees samples
alone. Some minutes on one core, by the Python package.

usage: boosting_comparison.py
"""

import math

import numpy as np

from mollify import _core
from mollify.boosting.density import BoostedDensity, boost, perfectly_boosted
from mollify.boosting.known import Known, measure, points_of
from mollify.boosting.learners import FirstOnce, NetworkLearner
from mollify.reproduce.known import mixture, normal, projected, relative_floor, ring, three_gaussians

EPSILONS = (0.1, 0.25, 0.5, 1.0, 2.0, 5.0, 10.0)
BOUNDINGS = ("probability", "logit", "sign")
SEEDS = (1, 2, 3, 4)
SAMPLES, POOL = 10_000, 65_536
OF_RATIO = 20_000  # rows, repeated, that the ratio learns from


def random_gaussians(dimension, seed):
    """One to ten Gaussians of variance .01 with means uniform in the unit cube."""
    numbers = _core.SeededNumbers(seed)
    count = 1 + int(10 * numbers.uniforms(1)[0])
    return mixture(numbers.uniforms(count * dimension).reshape(count, dimension).tolist(), [0.01] * count)


DOMAINS = {
    "mixture of three, 1-D": lambda seed: three_gaussians(),
    "random Gaussians, 1-D": lambda seed: random_gaussians(1, seed),
    "ring of eight": lambda seed: ring(8, 1, 0.01),
    "random Gaussians, 2-D": lambda seed: random_gaussians(2, seed),
}


def known(parts):
    """On 2^14 cells, or 512 along each axis, narrow ones where P is."""
    truth = measure(parts)
    edges = np.linspace(-7.5, 7.5, (1 << 14) + 1)
    if truth.dimension > 1:
        edges = np.concatenate([np.linspace(-7.5, -2, 57), np.linspace(-2, 2, 401)[1:], np.linspace(2, 7.5, 57)[1:]])
    return Known(truth, normal(truth.dimension), [edges] * truth.dimension)


def ladder(p, h, rung=2.0**-12):
    """P and Q0 with cells of nearly equal P/Q0 put together, which changes no projection's divergence by much."""
    order = np.argsort(p / h)
    rungs = ((np.cumsum(p[order] + h[order]) / 2) / rung).astype(int)
    return np.bincount(rungs, p[order]), np.bincount(rungs, h[order])


def best_floor(p, h, epsilon):
    """The b of the band whose nearest member to P is the nearest of all bands': the divergence is convex in b."""

    def loss(floor):
        return -float(np.sum(p[p > 0] * np.log(projected(p, h, floor, epsilon)[p > 0])))

    low, high = math.exp(-epsilon) * (1 + 1e-9), 1 - 1e-9
    while high > low * (1 + 1e-4):
        step = (high / low) ** (1 / 3)
        if loss(low * step) < loss(high / step):
            high /= step
        else:
            low *= step
    return math.sqrt(low * high)


NAMES = (
    "Q0", *(f"MBDE, {one}" for one in BOUNDINGS), *(f"perfect, {one}" for one in BOUNDINGS),
    "ratio, relative", "limit, relative", "ratio, best", "limit, best",
)  # fmt: skip
SHARES = (
    ("ratio, relative band", 7, 8), ("ratio, best band", 9, 10), ("MBDE: probability", 1, 8), ("logit", 2, 8),
    ("sign", 3, 8), ("of perfect classifiers: probability", 1, 4), ("logit", 2, 5), ("sign", 3, 6),
)  # fmt: skip


def repeat(parts, seed):
    """The best floor and the fits of all methods for each epsilon, from one P and one set of samples."""
    space, numbers = known(parts), _core.SeededNumbers(seed)
    rows, pool = (points_of(one, count, numbers) for one, count in ((space.truth, SAMPLES), (space.reference, POOL)))
    once = FirstOnce(NetworkLearner())
    ratio = NetworkLearner().learn(*(np.resize(one, (OF_RATIO, one.shape[1])) for one in (rows, pool)), 0).classifier
    learned = space.h * np.exp(ratio.logits(space.middles).astype(np.float64))
    learned /= learned.sum()
    steps = ladder(space.p, space.h)
    for epsilon in EPSILONS:
        laws = [space.h]
        for one in BOUNDINGS:
            laws.append(space.law(boost(rows, pool, once, BoostedDensity(epsilon, one), samples=SAMPLES, seed=seed))[0])
        laws += [perfectly_boosted(space.p, space.h, epsilon, one) for one in BOUNDINGS]
        best = best_floor(*steps, epsilon)
        for floor in (relative_floor(epsilon), best):
            laws += [projected(one, space.h, floor, epsilon) for one in (learned, space.p)]
        yield best, [space.fit(law) for law in laws]


def shown(values, unit, digits):
    return f"{np.mean(values) * unit:.{digits}f} ± {np.std(values, ddof=1) * unit:.{digits}f}"


def table(title, columns, cells):
    print(f"\n{title}\n\n| domain | ε | {' | '.join(columns)} |\n|---|---|{'---|' * len(columns)}")
    for (name, epsilon), row in cells.items():
        print(f"| {name} | {epsilon} | {' | '.join(row)} |")


def main():
    found = {(name, epsilon): [] for name in DOMAINS for epsilon in EPSILONS}
    for name, parts in DOMAINS.items():
        for seed in SEEDS:
            for epsilon, one in zip(EPSILONS, repeat(parts(seed), seed)):
                found[name, epsilon].append(one)
    nll = {key: np.array([[fit.nll for fit in fits] for _, fits in runs]) for key, runs in found.items()}
    coverage = {key: np.array([[fit.coverage for fit in fits] for _, fits in runs]) for key, runs in found.items()}
    floors = {key: [best for best, _ in runs] for key, runs in found.items()}
    table(
        f"Negative log-likelihood in nats: mean ± standard deviation over {len(SEEDS)} seeds", [*NAMES, "best b"],
        {key: [shown(one, 1, 3) for one in [*nll[key].T, floors[key]]] for key in found},
    )
    table("Mode coverage in percent", NAMES, {key: [shown(one, 100, 1) for one in coverage[key].T] for key in found})
    table(
        "Drop in negative log-likelihood from Q0, percent: of the limit's (MBDE: the relative band's), and MBDE's of its "
        "own with perfect classifiers",
        [name for name, _, _ in SHARES],
        {
            key: [shown((one[:, 0] - one[:, a]) / (one[:, 0] - one[:, b]), 100, 1) for _, a, b in SHARES]
            for key, one in nll.items()
        },
    )


if __name__ == "__main__":
    main()
