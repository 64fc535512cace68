"""The tables of docs/evidence/single-records.md: what boosting reaches, what one learned density ratio through the band
reaches, and what any member of the band could.

Domains and Q0 = N(0, I) are those of [Husain et al. 2020, Section 5]. P is known here, so that negative
log-likelihoods, coverages, projections and perfect classifiers are exact on a grid; whatever learns sees samples
alone.

usage: boosting_comparison.py [SEEDS]      4 seeds, unless told otherwise
"""

import json
import math
import pathlib
import sys
import time

import mollify as mo
import numpy as np

from mollify import _core
from mollify.boosting.cell_masses import Known, measure, points_of
from mollify.boosting.density import BoostedDensity, boost, perfectly_boosted
from mollify.boosting.learners import FirstOnce, NetworkLearner
from mollify.reproduce import park
from mollify.reproduce.densities import mixture, normal, projected, relative_floor, ring, three_gaussians

EPSILONS = (0.1, 0.25, 0.5, 1.0, 2.0, 5.0, 10.0)
BOUNDINGS = ("probability", "logit", "sign")
SEEDS = range(1, 1 + int(sys.argv[1] if len(sys.argv) > 1 else 4))
REPOSITORY = pathlib.Path(__file__).resolve().parent.parent
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


def print_table(title, head, rows):
    print(f"\n{title}\n\n| {' | '.join(head)} |\n|{'---|' * len(head)}")
    for row in rows:
        print(f"| {' | '.join(row)} |", flush=True)


def together(values, unit=1, digits=3):
    return ", ".join(f"{one * unit:.{digits}f}" for one in values)


def gain(nll, of, limit):
    """The drop from Q0, as shares of another's, for each seed."""
    return (nll[:, :1] - nll[:, of]) / (nll[:, :1] - nll[:, limit])


def compare():
    """Of each fit: 0 is Q0, 1 to 3 boosting, 4 to 6 with perfect classifiers, then ratio and limit for two bands."""
    found = {(name, epsilon): [] for name in DOMAINS for epsilon in EPSILONS}
    for name, parts in DOMAINS.items():
        for seed in SEEDS:
            for epsilon, one in zip(EPSILONS, repeat(parts(seed), seed)):
                found[name, epsilon].append(one)
    nll = {key: np.array([[fit.nll for fit in fits] for _, fits in runs]) for key, runs in found.items()}
    shares = {key: (gain(one, [7, 9], [8, 10]), gain(one, [1, 2, 3], [8] * 3)) for key, one in nll.items()}
    learned = {key: gain(one, [1, 2, 3], [4, 5, 6]) for key, one in nll.items()}
    head = ["ε"]
    for name in DOMAINS:
        head += [f"{name}: ratio (relative band, best band)", f"{name}: MBDE (probability, logit, sign)"]
    print_table(
        f"Gain in percent of the exact projection's on the same band (MBDE: the relative one), mean of {len(SEEDS)} seeds", head,
        [
            [f"{epsilon:g}"]
            + [
                together(np.mean(one, axis=0), 100, digits)
                for name in DOMAINS
                for one, digits in zip(shares[name, epsilon], (1, 0))
            ]
            for epsilon in EPSILONS
        ],
    )  # fmt: skip
    q0, *rest = np.mean(nll["ring of eight", 1.0], axis=0)
    best_floors = [floor for floor, _ in found["ring of eight", 1.0]]
    print_table(
        "Negative log-likelihood on the ring at epsilon 1",
        ["Q0", "MBDE: probability, logit, sign", "the same, perfect classifiers", "ratio", "its limit", "best band: ratio",
         "best band: its limit", "best band: b"],
        [[f"{q0:.3f}", together(rest[:3]), together(rest[3:6]), *(f"{one:.3f}" for one in rest[6:]), f"{np.mean(best_floors):.2f}"]],
    )  # fmt: skip
    lost = {key: min(fit.coverage for _, fits in runs for fit in fits) for key, runs in found.items()}
    percent = [100 * value for one in learned.values() for value in np.mean(one, axis=0)]
    print_table(
        "What all of these have in common", ["what", "percent"],
        [["gain of MBDE, of its gain with perfect classifiers: least and most", together((min(percent), max(percent)), 1, 1)]]
        + [["least mode coverage, ε up to 1; all ε", together(
            (min(one for (_, epsilon), one in lost.items() if epsilon <= 1), min(lost.values())), 100, 1)]]
        + [[f"most standard deviation over seeds of a gain: {name}",
            f"{max(np.max(np.std(one, axis=0, ddof=1)) for one in several) * 100:.1f}" if len(SEEDS) > 1 else ""]
           for name, several in (("ratio", [one for one, _ in shares.values()]), ("MBDE, of perfect classifiers", learned.values()))],
    )  # fmt: skip


def baseline():
    """Kullback-Leibler divergence of the worst of a hundred clients, and of the clients that the seeds alone give."""
    clients = json.loads((REPOSITORY / "tests/data/park_clients.json").read_text())["plain"]
    rows = []
    published = park.published(4, "KL divergence", "baseline")
    for place, (epsilon, mean) in enumerate(zip(park.EPSILONS, park.WORST_MEANS)):
        minimax, sigmoids, logits, projection = (one.kl for one in park.client_divergences(park.client([mean]), epsilon, False))
        # Only clients whose mean is far out can be the worst.
        far = [one for one in clients[f"{epsilon:g}"] if abs(np.dot(*one)) >= 0.5]
        alone = max(park.client_divergences(park.client(*one), epsilon, True)[1].kl for one in far)
        rows.append([f"{epsilon:g}", f"{minimax:.4f}", f"{sigmoids:.4f}", f"{published[place]:.4f}", f"{logits:.4f}",
                     f"{projection:.4f}", f"{mean:.3f}", f"{alone:.3f}"])  # fmt: skip
    print_table(
        "The baseline of [Park et al. 2024, Figure 4]",
        ["ε", "minimax", "perfect sigmoids", "published baseline", "perfect clipped logits",
         "exact projection on the relative mollifier", "the worst client: mean of its single Gaussian",
         "perfect sigmoids: clients of the seeds alone"], rows,
    )  # fmt: skip


def schedules():
    """MBDE on the ring at epsilon 1."""
    rows = []
    for schedule, classifier, more in (
        ("fast", "probability", {}), ("papers", "probability", {}), ("papers", "probability", {"rate": 0.005}),
        ("fast", "equation-15", {}), ("papers", "equation-15", {}),
    ):  # fmt: skip
        begin = time.process_time()
        said = json.loads(
            mo.mbde(density=str(REPOSITORY / "examples/densities/ring_of_eight.json"), epsilon=1, schedule=schedule,
                    classifier=classifier, **more).json)  # fmt: skip
        what = schedule + (", with the mean of both losses (`--rate .005`)" if more else "")
        rows.append([what, f"`{classifier}`", f"{said['iterations'][0]['cross_entropy']:.3f}",
                     f"{said['fit']['boosted']['nll']:.3f}", f"{time.process_time() - begin:.1f}"])  # fmt: skip
    print_table(
        "How long MBDE learns", ["schedule", "classifier", "cross-entropy of c_1", "negative log-likelihood of Q_T", "seconds"], rows
    )


if __name__ == "__main__":
    compare()
    baseline()
    schedules()
