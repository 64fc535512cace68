"""The figures of [Park et al. 2024]."""

from __future__ import annotations

import csv
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from mollify import _core
from mollify._analysis import risk
from mollify._sampler import Sampler
from mollify.boosting.cell_masses import measure
from mollify.boosting.density import perfectly_boosted
from mollify.nonprivate import law as law_of_draw
from mollify.reproduce.densities import (
    Divergences, Known, class_floor, divergences, line_divergences, mixture, normal, projected, published_baseline,
    relative_floor, ring,
)
from mollify.reproduce.page import BarChart, Bars, Figure, Numbers, heat_map

EPSILONS = (0.1, 0.5, 1.0, 2.0, 5.0)
_DIVERGENCES = ("KL divergence", "total variation", "squared Hellinger")
_LEARNED = "the network learns from samples"


def published(number: int, divergence: str, mechanism: str) -> tuple[float, ...]:
    """The bars of Figure 3, 4, 5, 6 or 7 for each of `EPSILONS`, as the paper's published code computes them: in closed
    form, and for Figure 4 as the greatest of the hundred divergences in its data files. `mechanism` is "proposed" or
    "baseline"."""
    with open(Path(__file__).parent / "park.csv", encoding="utf-8", newline="") as file:
        found = {tuple(line[:4]): float(line[4]) for line in list(csv.reader(file))[1:]}
    return tuple(found[str(number), divergence, mechanism, f"{epsilon:g}"] for epsilon in EPSILONS)


# -------------------------------------------------------------------------------------------------
# Figure 1.


def ring_of_three(quick: bool, seed: int) -> Figure:
    """Figure 1."""
    epsilon, span, pixels = 0.5, 3.0, (60 if quick else 500)
    truth = measure(ring(3, 1, 0.5))
    envelope = measure({"type": "gaussian_mixture_envelope", "radius": 1, "variance": 0.5, "dimension": 2})
    ends = envelope.central_box()
    axes = [np.linspace(ends[axis], ends[axis + 1], (120 if quick else 600) + 1) for axis in (0, 2)]
    on_envelope = Known(truth, envelope, axes)
    floor = class_floor(envelope.class_bound(), epsilon)
    minimax = projected(on_envelope.p, on_envelope.h, floor, epsilon)
    of_minimax = divergences(on_envelope.p, minimax)

    def minimax_density(points: Numbers) -> Numbers:
        places = [
            np.clip(np.searchsorted(axis, point, side="right") - 1, 0, len(axis) - 2)
            for axis, point in zip(axes, points.T)
        ]
        cells = places[0] * (len(axes[1]) - 1) + places[1]
        return np.asarray((minimax / on_envelope.h)[cells] * envelope.densities(points))

    on_normal = Known.against_normal(ring(3, 1, 0.5), quick)
    boosted = published_baseline(on_normal, epsilon, seed, quick)
    of_learned = divergences(on_normal.p, on_normal.law(boosted)[0])
    of_perfect = divergences(on_normal.p, perfectly_boosted(on_normal.p, on_normal.h, epsilon, "sigmoid"))
    figure = Figure(
        [
            "A mixture of three Gaussians of variance 1/2 on the unit circle, and two laws from which one point can be released "
            "with epsilon 0.5, whatever the private distribution is. Left: the private distribution. Middle: the baseline, "
            "boosting from N(0, I) with sigmoids as classifiers, which leaves half of epsilon unspent. Right: the minimax "
            "mechanism, with the envelope of all Gaussian mixtures with means in the unit disc as its reference.",
            "All three panels have the same colours. The baseline learns as its published code does, from the ends of 10 000 "
            "Markov chains.",
        ]
    )
    maps = [
        heat_map("private P", span, pixels, truth.densities),
        on_normal.map(boosted, "baseline (boosting)", span, pixels),
        heat_map("minimax mechanism", span, pixels, minimax_density),
    ]
    most = max(float(chart.values.max()) for chart in maps)
    for chart in maps:
        chart.most = most
    figure.charts = [*maps]
    # By quadrature in polar coordinates.
    exact = Divergences(0.0293405563, 0.0850612619, 0.0082348064)
    grid = "masses of cells are a little nearer than densities"
    for name, ours, expected in zip(_DIVERGENCES, of_minimax, exact):
        figure.compare(f"minimax, {name} (expected: polar quadrature)", ours, expected=expected, why=grid)
    for name, ours, expected in zip(_DIVERGENCES, of_learned, of_perfect):
        what = f"baseline, {name} (expected: perfect classifiers)"
        figure.compare(what, ours, expected=expected, why=_LEARNED)
    return figure


# -------------------------------------------------------------------------------------------------
# Figure 4.

_LINE = (-4.0, 4.0)
# The worst of the hundred clients that were published for each epsilon: one Gaussian of this mean, by
# all three divergences and for the minimax law and perfect sigmoids alike. All clients are in
# tests/data/park_clients.json; the authors' published code draws them from the seeds 1 to 5.
WORST_MEANS = (-0.967906188, 0.982771354, 0.983395680, -0.927823011, 0.952740019)
CLIENT_LAWS = ("minimax", "baseline, perfect sigmoids", "clipped logits, perfect", "exact projection on N(0, 1)")


def client(means: Sequence[float], weights: Sequence[float] | None = None) -> dict[str, Any]:
    """A mixture of Gaussians of variance 1 on [-4, 4]."""
    return mixture([[mean] for mean in means], [1.0] * len(means), weights, [_LINE])


def client_divergences(parts: dict[str, Any], epsilon: float, quick: bool) -> list[Divergences]:
    """How far each of `CLIENT_LAWS` is from the client's own law: to 1e-13, to 1e-5 if `quick`."""
    envelope = measure({"type": "gaussian_mixture_envelope", "radius": 1, "variance": 1, "dimension": 1, "box": [_LINE]})
    start = normal(1, [_LINE])
    truth = measure(parts)
    floor = class_floor(envelope.class_bound(), epsilon)
    laws: list[tuple[_core.KnownMeasure, Callable[[Numbers, Numbers], Numbers]]] = [
        (envelope, lambda p, h: projected(p, h, floor, epsilon)),
        (start, lambda p, h: perfectly_boosted(p, h, epsilon, "sigmoid")),
        (start, lambda p, h: perfectly_boosted(p, h, epsilon, "logit")),
        (start, lambda p, h: projected(p, h, relative_floor(epsilon), epsilon)),
    ]
    tolerance = 1e-7 if quick else 1e-16
    return [line_divergences(truth, reference, _LINE, law, tolerance) for reference, law in laws]


def clients(quick: bool, seed: int) -> Figure:
    """Figure 4."""
    exact = "here to 5 decimals, as --quick asks." if quick else "exact to 13 decimals."
    figure = Figure(
        [
            "100 clients for each epsilon, each with a private mixture of Gaussians on [-4, 4] (1 + Poisson(2) of "
            "them, at most 10, means uniform in [-1, 1], Dirichlet weights). Bars: the divergence of the worst client "
            "from the law that its point is released from. Diamonds: the published numbers, for the same clients. "
            "They are the clients that the authors' published code draws from its seeds 1 to 5; the worst of each "
            "hundred, by every divergence, is a single Gaussian with its mean near one end.",
            "The published baseline has sigmoids for classifiers and so leaves half of epsilon unspent. With the classifiers "
            "that its paper asks for (logits clipped at log 2) boosting is much nearer, and the exact projection on the same "
            "mollifier is nearer still: at epsilon 5 the published .286 becomes .08, and then less than .001.",
            '"Perfect" classifiers know P. The learned baseline is trained for the worst client as the published code does it, '
            "on the ends of 10 000 Markov chains. All other bars are integrals, " + exact,
        ],
        in_a_row=2,
    )
    worst, learned = [], []
    for epsilon, mean in zip(EPSILONS, WORST_MEANS):
        parts = client([mean])
        worst.append(client_divergences(parts, epsilon, quick))
        grid = np.linspace(*_LINE, (1000 if quick else 4000) + 1)
        known = Known(measure(parts), normal(1, [_LINE]), [grid])
        boosted = published_baseline(known, epsilon, seed, quick)
        learned.append(divergences(known.p, known.law(boosted)[0]))
    for kind, name in enumerate(_DIVERGENCES):
        axis = "nats, worst of 100 clients" if kind == 0 else "worst of 100 clients"
        of_minimax, of_baseline = (published(4, name, whose) for whose in ("proposed", "baseline"))
        of_laws = [[of_client[law][kind] for of_client in worst] for law in range(len(CLIENT_LAWS))]
        of_learned = [one[kind] for one in learned]
        minimax, sigmoids, *others = (Bars(law, values) for law, values in zip(CLIENT_LAWS, of_laws))
        minimax.published = of_minimax
        sigmoids.colour = 5
        # Beside what it would be if it learned perfectly, and as the baseline is drawn elsewhere.
        baseline = Bars("baseline, learned", of_learned, of_baseline, colour=1)
        others[0].colour, others[1].colour = 2, 3
        bars = [minimax, baseline, sigmoids, *others]
        figure.charts.append(BarChart(name, "epsilon", axis, [f"{one:g}" for one in EPSILONS], bars))
        for place, epsilon in enumerate(EPSILONS):
            of_baselines = {"published": of_baseline[place], "why": "published: networks that learned"}
            marks: list[dict[str, Any]] = [{"published": of_minimax[place]}, of_baselines, {}, {}]
            for law, values, parts in zip(CLIENT_LAWS, of_laws, marks):
                figure.compare(f"{name}, {law}, epsilon {epsilon:g}", values[place], **parts)
            figure.compare(
                f"{name}, baseline, learned (expected: perfect sigmoids), epsilon {epsilon:g}", of_learned[place],
                published=of_baseline[place], expected=of_laws[1][place], why="other starting weights and chains",
            )
    return figure


# -------------------------------------------------------------------------------------------------
# Figures 2, 3, 5, 6 and 7: finitely many outcomes.


def five_outcomes(quick: bool, seed: int) -> Figure:
    """Figure 2."""
    p = [0.3, 0.25, 0.2, 0.15, 0.1]
    published = {
        1.0: (0.2809, 0.2341, 0.1873, 0.1488, 0.1488),
        0.5: (0.2558, 0.2131, 0.1770, 0.1770, 0.1770),
        0.1: (0.2165, 0.1959, 0.1959, 0.1959, 0.1959),
    }
    figure = Figure(
        [
            "A P on five outcomes and the law that the minimax mechanism releases instead. The smaller "
            "epsilon is, the narrower the band in which the law must stay, and the flatter the law.",
            "Bars are the integer tables that mollify draws from, which come within 10^-11 of the "
            'projection that "expected" is. Diamonds: the published numbers.',
        ]
    )
    bars = [Bars("P", p, colour=8)]
    for place, (epsilon, numbers) in enumerate(published.items()):
        answer = law_of_draw(Sampler("minimax", k=len(p), epsilon=epsilon), p)
        law = [outcome["probability"] for outcome in answer["outcomes"]]
        floor = class_floor(len(p), epsilon)
        exact = projected(np.array(p), np.full(len(p), 1 / len(p)), floor, epsilon)
        for outcome, (ours, expected, other) in enumerate(zip(law, exact, numbers), 1):
            what = f"outcome {outcome}, epsilon {epsilon:g}"
            figure.compare(what, ours, published=other, expected=float(expected))
        # Blue first, as the minimax mechanism has it everywhere.
        bars.append(Bars(f"released, epsilon {epsilon:g}", law, numbers, colour=(0, 4, 6)[place]))
    chart = BarChart("probability of each outcome", "outcome", "probability", list("12345"), bars)
    figure.charts.append(chart)
    return figure


def _worst_cases(number: int, k: int) -> Callable[[bool, int], Figure]:
    """The two mechanisms' worst divergences over all P on k outcomes: the figure of that number."""

    def kept(mechanism: int, epsilon: float) -> float:
        """How much a point mass keeps of itself, by the closed form alone."""
        if mechanism == 0:
            return math.exp(epsilon) / (math.exp(epsilon) + k - 1)
        return min(math.exp(epsilon / 2) / k, 1 - (k - 1) * math.exp(-epsilon / 2) / k)

    plainly = (lambda m: -math.log(m), lambda m: 1 - m, lambda m: 1 - math.sqrt(m))

    def made(quick: bool, seed: int) -> Figure:
        figure = Figure(
            [
                f"Whatever P on {k} outcomes is private: how far is the law that is released from it, at "
                "worst? The worst P is a point mass. The proposed mechanism is the minimax band; the "
                "baseline is the projection on the relative mollifier of the uniform distribution, the "
                "laws that lie within e^(epsilon/2) of it. Diamonds: the numbers of the paper's published script.",
                'Bars are closed forms of the worst case; the column "expected" is the textbook formula m '
                "f(1/m) + (1 - m) f(0) evaluated plainly, m being what a point mass keeps.",
            ]
        )
        risks = [
            [risk(Sampler(mechanism, k=k, epsilon=epsilon))["risk"] for epsilon in EPSILONS]
            for mechanism in ("minimax", "relative")
        ]
        for kind, (name, key) in enumerate(zip(_DIVERGENCES, ("kl", "tv", "hellinger2"))):
            values = [[float(one[key]) for one in of_mechanism] for of_mechanism in risks]
            marks = [published(number, name, whose) for whose in ("proposed", "baseline")]
            names = ("proposed (minimax)", "baseline (relative)")
            bars = [Bars(*one) for one in zip(names, values, marks)]
            axis = "nats, at worst" if kind == 0 else "distance, at worst"
            groups = [f"{epsilon:g}" for epsilon in EPSILONS]
            figure.charts.append(BarChart(name, "epsilon", axis, groups, bars))
            for place, epsilon in enumerate(EPSILONS):
                for mechanism, whose in enumerate(("proposed", "baseline")):
                    figure.compare(
                        f"{name}, {whose}, epsilon {epsilon:g}", values[mechanism][place],
                        expected=plainly[kind](kept(mechanism, epsilon)),
                        published=marks[mechanism][place],
                    )
        return figure

    return made


FIGURES: dict[str, tuple[str, str, Callable[[bool, int], Figure]]] = {
    "park-1": ("Park et al. 2024, Figure 1", "A ring of three Gaussians and two private laws", ring_of_three),
    "park-2": ("Park et al. 2024, Figure 2", "Five outcomes, released", five_outcomes),
    "park-3": ("Park et al. 2024, Figure 3", "The worst case on 10 outcomes", _worst_cases(3, 10)),
    "park-4": ("Park et al. 2024, Figure 4", "The worst of 100 clients with Gaussian mixtures", clients),
    "park-5": ("Park et al. 2024, Figure 5", "The worst case on 5 outcomes", _worst_cases(5, 5)),
    "park-6": ("Park et al. 2024, Figure 6", "The worst case on 20 outcomes", _worst_cases(6, 20)),
    "park-7": ("Park et al. 2024, Figure 7", "The worst case on 100 outcomes", _worst_cases(7, 100)),
}
