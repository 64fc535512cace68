"""Runs that take too long to repeat for each drawing, and their results, which are files beside this one.

`python -m mollify.reproduce.measured` adds the runs that a file lacks. Seeds settle everything. NOT PRIVATE.
"""

from __future__ import annotations

import csv
import functools
import math
import os
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from mollify import _core
from mollify.boosting.cell_masses import measure, points_of
from mollify.boosting.density import Points
from mollify.reproduce.contenders import PrivateGan, private_gan_sample
from mollify.reproduce.densities import (
    Known, Metrics, boosting_runs, mixture, plane_gaussians, random_gaussians, ring, three_gaussians,
)

SEED = 2026
REPEATS = 4
DELTA = 0.1
RECORDS = 10_000
EPSILONS = (0.05, 0.1, 0.2, 0.5, 1, 2, 3, 5, 7, 10)
RANDOM_EPSILONS = (0.05, 0.25, 0.5, 1, 1.5, 2)
RANDOM_COUNTS = range(1, 11)
"""Numbers of random Gaussians."""
PLANE = "random Gaussians in the plane"
PLANE_EPSILONS = (0.5, 1, 2, 4, 7, 10)
RING = ring(8, 1, 0.1**2)
DOMAINS: dict[str, dict[str, Any]] = {
    "ring, radius 1": RING,
    "ring, radius 3": ring(8, 3, 0.3**2),
    "three Gaussians": three_gaussians(),
    "three Gaussians, .01 and .1 as deviations": mixture([[0.3], [0.5], [0.7]], [0.01**2, 0.1**2, 0.1**2]),
}
_FOLDER = Path(__file__).parent

# -------------------------------------------------------------------------------------------------
# Boosting that learns as printed, with classifiers of equation 15 or with unbounded logits.


def random_domain(count: int) -> str:
    """The name of `count` random Gaussians, which are the same in all repeats."""
    return f"{count} random Gaussians"


_BOOSTED = ("domain", "repeat", "epsilon", *Metrics._fields)


def boosted_runs(how: str, domain: str, repeat: int, epsilons: Sequence[float]) -> list[tuple[Any, ...]]:
    """The runs of one repeat, which share the first classifier."""
    count = 0
    if domain == PLANE:
        parts = plane_gaussians(SEED)
    elif domain in DOMAINS:
        parts = DOMAINS[domain]
    else:
        count = int(domain.split()[0])
        parts = random_gaussians(count, SEED + count)
    known = Known.against_normal(parts, quick=False)
    runs = boosting_runs(known, SEED + 100 * count + repeat, quick=False, how=how)
    return [(domain, repeat, epsilon, *known.boosted_fits(runs(epsilon))) for epsilon in epsilons]


def printed_runs(domain: str, repeat: int, epsilons: Sequence[float]) -> list[tuple[Any, ...]]:
    return boosted_runs("as printed", domain, repeat, epsilons)


def unbounded_runs(domain: str, repeat: int, epsilons: Sequence[float]) -> list[tuple[Any, ...]]:
    return boosted_runs("unbounded logits", domain, repeat, epsilons)


def printed() -> dict[tuple[str, float], list[Metrics]]:
    """The repeats of each domain and epsilon, with classifiers of equation 15."""
    return _repeats("printed.csv")


def unbounded() -> dict[tuple[str, float], list[Metrics]]:
    """The repeats of each domain and epsilon, with the published code's unbounded logits, which keep no epsilon."""
    return _repeats("unbounded.csv")


@functools.cache
def _repeats(name: str) -> dict[tuple[str, float], list[Metrics]]:
    found: dict[tuple[str, float], list[Metrics]] = {}
    for domain, _, *numbers in _rows(_FOLDER / name):
        epsilon, *metrics = map(float, numbers)
        found.setdefault((domain, epsilon), []).append(Metrics(*metrics))
    return found


# -------------------------------------------------------------------------------------------------
# The adversarial network.


class GanRun(NamedTuple):
    """What one trained network makes of the ring of radius 1."""

    epochs: float
    noise: str
    """"none"; "published", which the network's paper calls epsilon 1; or "accounted", by which all steps cost that."""
    seed: int
    hit: int
    """Modes with 1 % of the points within 3 deviations."""
    modes: int
    """Modes that are told apart: also at least twice as many points within 2 deviations of the mode as within 2 deviations
    of the middles to its neighbours on the circle."""
    share: float
    """Points within 3 deviations of a mode; .989 of P's own."""


NOISES = ("none", "published", "accounted")
SEEDS = {100: 10, 1000: 1, 10_000: 3}
"""How many, for each number of epochs. A run of 10 000 takes five minutes of a core."""


def modes_of(points: Points) -> tuple[int, int, float]:
    """The last three of a `GanRun`."""
    means, variance = np.array(RING["means"]), RING["variance"][0]
    half = math.pi / len(means)
    turned = means @ np.array([[math.cos(half), math.sin(half)], [-math.sin(half), math.cos(half)]])
    at, between = (((points[:, None] - places) ** 2).sum(axis=2) / variance for places in (means, turned))
    hit = (at < 9).mean(axis=0) >= 0.01
    beside = (between < 4).mean(axis=0)
    apart = (at < 4).mean(axis=0) >= 2 * np.maximum(beside, np.roll(beside, 1))
    return int(hit.sum()), int((hit & apart).sum()), float((at < 9).any(axis=1).mean())


@functools.cache
def gan_of(epochs: float, noise: str) -> PrivateGan:
    """The network for records of the ring."""
    how = PrivateGan(epochs=epochs)
    if noise == "accounted":
        how.noise = how.noise_for(RECORDS, 1, DELTA)
    else:
        how.noise = how.papers_noise(RECORDS, 1, DELTA) if noise == "published" else 0
    return how


def gan_sample(epochs: float, noise: str, seed: int) -> Points:
    """Points of the generator, as many as records."""
    records = points_of(measure(RING), RECORDS, _core.SeededNumbers(seed))
    return private_gan_sample(records, gan_of(epochs, noise), RECORDS, seed)


def gan_run(epochs: float, noise: str, seed: int) -> list[GanRun]:
    return [GanRun(epochs, noise, seed, *modes_of(gan_sample(epochs, noise, seed)))]


@functools.cache
def gan_runs() -> list[GanRun]:
    """All measured runs."""
    rows = _rows(_FOLDER / "dpgan.csv")
    return [GanRun(float(one), noise, int(seed), int(hit), int(modes), float(share)) for one, noise, seed, hit, modes, share in rows]


# -------------------------------------------------------------------------------------------------
# Files.


def _rows(path: Path) -> list[list[str]]:
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.reader(file))[1:]


def _printed_jobs() -> list[tuple[Any, ...]]:
    randoms = map(random_domain, RANDOM_COUNTS)
    domains = [(one, EPSILONS) for one in DOMAINS] + [(one, RANDOM_EPSILONS) for one in randoms]
    return [(name, repeat, epsilons) for repeat in range(REPEATS) for name, epsilons in domains]


def _unbounded_jobs() -> list[tuple[Any, ...]]:
    """One repeat of the domains where DPB is nearer to P than boosting that keeps epsilon."""
    domains: list[tuple[str, Sequence[float]]] = [(PLANE, PLANE_EPSILONS)]
    domains += [(name, EPSILONS) for name in DOMAINS if name.startswith("three")]
    domains += [(random_domain(count), RANDOM_EPSILONS[-1:]) for count in RANDOM_COUNTS]
    return [(name, 0, epsilons) for name, epsilons in domains]


def _gan_jobs() -> list[tuple[Any, ...]]:
    return [(epochs, noise, seed) for epochs, seeds in SEEDS.items() for seed in range(seeds) for noise in NOISES]


def main(folder: Path = _FOLDER) -> None:
    """Adds the runs that the files lack, on all cores."""
    tables: list[tuple[str, Sequence[str], Callable[..., Sequence[Any]], list[tuple[Any, ...]], int]] = [
        ("dpgan.csv", GanRun._fields, gan_run, _gan_jobs(), 3),
        ("printed.csv", _BOOSTED, printed_runs, _printed_jobs(), 2),
        ("unbounded.csv", _BOOSTED, unbounded_runs, _unbounded_jobs(), 2),
    ]
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
        for name, heads, make, jobs, keys in tables:
            rows = _rows(folder / name) if (folder / name).exists() else []
            there = {tuple(row[:keys]) for row in rows}
            jobs = [job for job in jobs if tuple(map(str, job[:keys])) not in there]
            for done, found in enumerate(pool.map(make, *zip(*jobs)) if jobs else [], 1):
                rows += [[f"{one:.6g}" if isinstance(one, float) else str(one) for one in row] for row in found]
                with open(folder / name, "w", encoding="utf-8", newline="") as file:
                    csv.writer(file, lineterminator="\n").writerows([heads, *rows])
                print(f"{name}: {done} of {len(jobs)}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    os.nice(10)
    main()
