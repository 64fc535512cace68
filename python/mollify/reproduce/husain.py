"""The figures of [Husain et al. 2020], and of [Husain et al. 2019]."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from mollify import _core
from mollify.boosting.density import Points, perfectly_boosted
from mollify.boosting.known import Fit, points_of
from mollify.reproduce.contenders import (
    BERNSTEIN,
    BernsteinContender,
    PrivateGan,
    cross_validated_width,
    expected_likelihoods,
    private_gan_sample,
)
from mollify.reproduce.known import (
    LEARNED_FROM,
    Known,
    boosting_runs,
    mean_and_deviation,
    mixture,
    projected,
    random_gaussians,
    relative_floor,
    ring,
    three_gaussians,
)
from mollify.reproduce.page import Curve, Figure, HeatMap, LineChart, Stripe, heat_map

_REPEATS = 4
# The public box of every one-dimensional P.
_BOX = (-1.0, 2.0)
_LEARNED = "networks learn from samples"

# -------------------------------------------------------------------------------------------------
# How well boosting finds P, against epsilon.


def _fit_charts(name: str, parts: dict[str, Any], epsilons: Sequence[float], quick: bool, seed: int) -> list[LineChart]:
    """The negative log-likelihood and the coverage of one domain."""
    known = Known.against_normal(parts, quick)
    learned: list[list[Fit]] = [[] for _ in epsilons]
    for repeat in range(1 if quick else _REPEATS):
        runs = boosting_runs(known, seed + repeat, quick)
        for fits, epsilon in zip(learned, epsilons):
            fits.append(known.fit(known.law(runs.boosted(epsilon))[0]))
    perfect = [known.fit(perfectly_boosted(known.p, known.h, epsilon)) for epsilon in epsilons]
    best = [known.fit(projected(known.p, known.h, relative_floor(one), one)) for one in epsilons]
    charts = []
    for kind, (what, axis, reaches) in enumerate(
        [
            ("negative log-likelihood", "nats (less is better)", ()),
            ("mode coverage", "share of P covered", (0.0, 1.0)),
        ]
    ):
        of_repeats = [mean_and_deviation([fit[kind] for fit in fits]) for fits in learned]
        means, deviations = zip(*of_repeats)
        curves = [
            Curve("MBDE, learned", epsilons, means, deviations),
            Curve("MBDE, perfect classifiers", epsilons, [fit[kind] for fit in perfect], dashed=True),
            Curve("best law for this epsilon", epsilons, [fit[kind] for fit in best], dashed=True),
        ]
        charts.append(LineChart(f"{name}: {what}", "epsilon", axis, curves, log_x=True, y_reaches=reaches))
    return charts


class _Dip(NamedTuple):
    """How far a curve falls, and how much of that it rises again."""

    fall: float
    won_back: float


def _dip(curve: Sequence[float]) -> _Dip:
    falls = [max(curve[: low + 1]) - curve[low] for low in range(len(curve))]
    rises = [max(curve[low:]) - curve[low] for low in range(len(curve))]
    return _Dip(max(falls), max(map(min, falls, rises)))


def _add_contender(chart: LineChart, parts: dict[str, Any], quick: bool, seed: int) -> None:
    """DPB's likelihoods beside MBDE's."""
    epsilons = chart.curves[0].x
    seeds = range(seed, seed + (1 if quick else _REPEATS))
    contenders = [(BernsteinContender(parts, *_BOX, one, quick), one) for one in seeds]
    ways: dict[str, Callable[[BernsteinContender, float, int], float]] = {
        "DPB, epsilon per record": lambda dpb, epsilon, one: dpb.fit(epsilon, one).nll,
        "DPB, K and h by an oracle": lambda dpb, epsilon, one: dpb.oracle_nll(epsilon, one),
    }
    for dashed, (name, nll) in enumerate(ways.items()):
        found = [mean_and_deviation([nll(dpb, epsilon, one) for dpb, one in contenders]) for epsilon in epsilons]
        means, deviations = zip(*found)
        chart.curves.append(Curve(name, epsilons, means, deviations, dashed=bool(dashed)))


def fit(quick: bool, seed: int) -> Figure:
    """How well boosting finds P."""
    epsilons = (0.5, 5) if quick else (0.05, 0.1, 0.2, 0.5, 1, 2, 3, 5, 7, 10)
    figure = Figure(
        [
            "How well boosting finds P as epsilon grows: the negative log-likelihood -E_P ln Q (left) and "
            "the share of P that lies where Q has its densest 95 % (right), means and deviations of four "
            'repeats. "Perfect classifiers" know P; the "best law" is the member of the same mollifier '
            "that is nearest to P, which no boosting can pass.",
            "Published: the likelihood falls all the way, sharply below epsilon 2, and coverage falls "
            "until epsilon 1 before it rises; DPB is flat from epsilon 1 on, and MBDE still gains beyond "
            "5.",
            "Here the likelihood falls on every domain, DPB is flat from epsilon 1 on, and MBDE gains "
            "beyond 5. DPB is the nearer one on the three Gaussians at every epsilon, but its epsilon "
            'protects one record and that of MBDE all of them. "By an oracle": the best of K in {10, 20, '
            "40, 80} and h in {1, 4}, chosen by looking at P. DPB's likelihoods are of P within its box, "
            "[-1, 2].",
            "Coverage: a ring of radius 1 lies where N(0, I) is dense and is covered at every epsilon; a "
            "ring of radius 3 is covered little by N(0, I), and more with every epsilon; of the three "
            "Gaussians all but 1 in 80 000 is covered at epsilon .05, and a little less with every "
            "epsilon, all but 1 in 1000 at 10. So the published dip, a fall until epsilon 1 and a rise "
            "after it, is seen on no domain, neither with perfect classifiers nor with networks that "
            "learned: where coverage falls it does not rise again (last two rows of each domain). The "
            "best law for a large epsilon covers less than boosting does: it comes nearer to P itself, "
            "whose own densest 95 % hold 95 % of it.",
            LEARNED_FROM,
            BERNSTEIN,
        ],
        in_a_row=2,
    )
    domains = {
        "ring, radius 1": ring(8, 1, 0.1**2),
        "ring, radius 3": ring(8, 3, 0.3**2),
        "three Gaussians": three_gaussians(),
    }
    for name, parts in domains.items():
        charts = _fit_charts(name, parts, epsilons, quick, seed)
        for place, epsilon in enumerate(epsilons):
            for chart in charts:
                learned, perfect, _ = chart.curves
                figure.compare(
                    f"{chart.title}, epsilon {epsilon:g} (expected: perfect classifiers)",
                    learned.y[place],
                    expected=perfect.y[place],
                    why=_LEARNED,
                    spread=learned.spread[place],
                )
        if len(parts["means"][0]) == 1:
            _add_contender(charts[0], parts, quick, seed)
        dips = [_dip(curve.y) for curve in charts[1].curves[:2]]
        for what, ours, expected in zip(("greatest fall", "won back after a fall"), *dips):
            text = f"{name}: mode coverage, {what} (expected: perfect classifiers)"
            figure.compare(text, ours, expected=expected, why=_LEARNED)
        figure.charts += charts
    return figure


# -------------------------------------------------------------------------------------------------
# Runs on m random Gaussians, which two figures show.


class _RandomRuns(NamedTuple):
    epsilons: Sequence[float]
    components: Sequence[int]
    # Mean and deviation of the repeats: of components, and within them of epsilons.
    nll: list[list[tuple[float, float]]]
    coverage: list[list[tuple[float, float]]]
    contender_nll: list[list[tuple[float, float]]]


@functools.cache
def _random_runs(quick: bool, seed: int) -> _RandomRuns:
    epsilons = (0.5, 2) if quick else (0.05, 0.25, 0.5, 1, 1.5, 2)
    made = _RandomRuns(epsilons, (1, 10) if quick else range(1, 11), [], [], [])
    for count in made.components:
        parts = random_gaussians(count, seed + count)
        known = Known.against_normal(parts, quick)
        # Of repeats, and within them of epsilons.
        fits, of_contender = [], []
        for repeat in range(2 if quick else _REPEATS):
            own = seed + 100 * count + repeat
            runs = boosting_runs(known, own, quick)
            dpb = BernsteinContender(parts, *_BOX, own, quick)
            fits.append([known.fit(known.law(runs.boosted(epsilon))[0]) for epsilon in epsilons])
            of_contender.append([dpb.fit(epsilon, own).nll for epsilon in epsilons])
        made.nll.append([mean_and_deviation([one.nll for one in of_one]) for of_one in zip(*fits)])
        made.coverage.append([mean_and_deviation([one.coverage for one in of_one]) for of_one in zip(*fits)])
        made.contender_nll.append([mean_and_deviation(of_one) for of_one in zip(*of_contender)])
    return made


def _random_charts(
    runs: _RandomRuns,
    values: list[list[tuple[float, float]]],
    what: str,
    mean_reaches: Sequence[float],
    deviation_reaches: Sequence[float],
) -> list[LineChart]:
    """Mean and deviation, a curve for each number of components."""
    charts = []
    labels = ((f"{what}: mean of the repeats", what, mean_reaches), (f"{what}: standard deviation", "deviation", deviation_reaches))
    for kind, (title, axis, reaches) in enumerate(labels):
        curves = [
            Curve(f"m = {count}", runs.epsilons, [one[kind] for one in of_count], shade=place / (len(values) - 1))
            for place, (count, of_count) in enumerate(zip(runs.components, values))
        ]
        ends = [end(curve.y) for curve in curves for end in (min, max)]
        if max(ends) - min(ends) < 1e-4:  # one level line would look like a mistake
            title += f" (every line at {max(ends):.4g})"
        charts.append(LineChart(title, "epsilon", axis, curves, y_reaches=reaches))
    return charts


def random_coverage(quick: bool, seed: int) -> Figure:
    """Mode coverage of random Gaussians."""
    runs = _random_runs(quick, seed)
    figure = Figure(
        [
            "One to ten Gaussians of variance .01 with means uniform on [0, 1]: how much of P lies where "
            "the boosted density has its densest 95 %. Four repeats: for each number m of Gaussians they "
            "are the same in all; samples and learning differ.",
            "Here all of P is covered, by every law: it lies within the densest 95 % of N(0, 1), from "
            "-1.96 to 1.96, and boosting only adds to it; so all lines lie on each other. Published: "
            "deviations are tiny for epsilon above .25 or m above 1, and coverage that dips; neither "
            "domain nor formula gives a dip.",
            LEARNED_FROM,
        ],
        in_a_row=2,
    )
    figure.charts += _random_charts(runs, runs.coverage, "mode coverage", (0, 1), (0, 0.1))
    greatest = max(
        deviation
        for count, of_count in zip(runs.components, runs.coverage)
        for epsilon, (_, deviation) in zip(runs.epsilons, of_count)
        if epsilon > 0.25 or count > 1
    )
    figure.compare("greatest deviation for epsilon > .25 or m > 1 (published: tiny)", greatest)
    return figure


def random_likelihood(quick: bool, seed: int) -> Figure:
    """Likelihood of random Gaussians."""
    runs = _random_runs(quick, seed)
    figure = Figure(
        [
            "The same runs: the negative log-likelihood of boosting (MBDE, above) and of the Bernstein "
            "mechanism (DPB, below, epsilon for each record). For each m the Gaussians are the same in "
            "all repeats; samples, learning and noise differ.",
            "Published: MBDE falls with epsilon, DPB does not, and its deviation is about 100 times as "
            "large. Here DPB hardly falls from epsilon .5 on, and its deviation is as many times larger "
            "only at small epsilon: it is that of the noise, which shrinks as 1/epsilon, while that of "
            "MBDE, which is of samples and learning, grows.",
            LEARNED_FROM,
            BERNSTEIN,
        ],
        in_a_row=2,
    )
    figure.charts += _random_charts(runs, runs.nll, "MBDE, negative log-likelihood", (), (0,))
    figure.charts += _random_charts(runs, runs.contender_nll, "DPB, negative log-likelihood", (), (0,))
    for place, epsilon in enumerate(runs.epsilons):
        deviations = [sum(one[place][1] for one in of) for of in (runs.contender_nll, runs.nll)]
        figure.compare(
            f"deviation of DPB over that of MBDE, mean over m, epsilon {epsilon:g}",
            deviations[0] / deviations[1],
            published=100,
            why="K, h and box are not published",
        )
    return figure


# -------------------------------------------------------------------------------------------------
# Laws in the plane.


def _add_contours(
    figure: Figure, parts: dict[str, Any], name: str, span: float, epsilons: Sequence[float], quick: bool, seed: int
) -> None:
    """The laws of one P for several epsilons as contours, in rows: P and three of DPB, the start and
    three of MBDE."""
    in_a_row = 3
    pixels = 61 if quick else 241
    known = Known.against_normal(parts, quick)
    runs = boosting_runs(known, seed, quick)
    dpb = BernsteinContender(parts, -span, span, seed, quick)
    for first in range(0, len(epsilons), in_a_row):
        some = epsilons[first : first + in_a_row]
        figure.charts.append(heat_map(f"{name}: P", span, pixels, known.truth.densities, steps=12))
        figure.charts += [
            dpb.map(epsilon, seed, f"DPB, epsilon {epsilon:g} per record", pixels, steps=12) for epsilon in some
        ]
        figure.charts.append(heat_map("start: N(0, I)", span, pixels, known.reference.densities, steps=12))
        for epsilon in some:
            boosted = runs.boosted(epsilon)
            figure.charts.append(known.map(boosted, f"MBDE, epsilon {epsilon:g}", span, pixels, steps=12))
            figure.compare(
                f"{name}, MBDE, negative log-likelihood, epsilon {epsilon:g} (expected: perfect classifiers)",
                known.fit(known.law(boosted)[0]).nll,
                expected=known.fit(perfectly_boosted(known.p, known.h, epsilon)).nll,
                why=_LEARNED,
            )
            what = f"{name}, DPB, negative log-likelihood, epsilon {epsilon:g} per record"
            figure.compare(what, dpb.fit(epsilon, seed).nll)
    figure.in_a_row = min(in_a_row, len(epsilons)) + 1


def ring_contours(quick: bool, seed: int) -> Figure:
    """A ring of eight Gaussians, found by DPB and by boosting."""
    epsilons = (1, 10) if quick else (0.1, 0.5, 1, 2, 5, 10)
    figure = Figure(
        [
            "Eight Gaussians on a circle, and contours of what is made of them. Rows in turns: the "
            "Bernstein mechanism (DPB), epsilon for each record, and below it boosting from N(0, I) "
            "(MBDE), epsilon for all of the data together, first a ring, then its modes. Each panel has "
            "its own colours, from 0 to its greatest density. Published: MBDE is smoother.",
            "No paper gives the ring's radius. Radius 1 with deviation .1 lies where N(0, I) has its "
            "mass, and is drawn on [-2.5, 2.5]^2 so that it can be seen; radius 3 with deviation .3 fills "
            "the published picture's [-6, 6]^2 and lies where N(0, I) has little, so that modes are found "
            "only at large epsilon.",
            LEARNED_FROM,
            BERNSTEIN,
        ]
    )
    _add_contours(figure, ring(8, 1, 0.1**2), "radius 1", 2.5, epsilons, quick, seed)
    _add_contours(figure, ring(8, 3, 0.3**2), "radius 3", 6, epsilons, quick, seed)
    return figure


def plane_contours(quick: bool, seed: int) -> Figure:
    """Random Gaussians in the plane."""
    numbers = _core.SeededNumbers(seed).uniforms(15).reshape(5, 3)
    parts = mixture((6 * numbers[:, :2] - 3).tolist(), (0.1 + 0.4 * numbers[:, 2]).tolist())
    figure = Figure(
        [
            "Five Gaussians with means uniform in [-3, 3]^2 and variances from .1 to .5: a P that N(0, I) "
            "is no good start for. Rows in turns: the Bernstein mechanism (DPB), epsilon for each record, "
            "and below it boosting (MBDE), epsilon for all of the data together. Each panel has its own "
            "colours, from 0 to its greatest density.",
            "Published: MBDE is better. It is smoother here, too; but by its likelihood DPB is nearer to "
            "P at each of these epsilon, which for it protect one record of 10 000. No member of the "
            "mollifier is near to P before epsilon is large: Q0 has too little mass where P lies.",
            LEARNED_FROM,
            BERNSTEIN,
        ]
    )
    epsilons = (5,) if quick else (0.5, 1, 2, 4, 7, 10)
    _add_contours(figure, parts, "random Gaussians", 5, epsilons, quick, seed)
    return figure


# -------------------------------------------------------------------------------------------------
# The ring, and what contenders make of it.


def _kernel_nll(sample: Points, truth: Points, span: float) -> float:
    """-E_P ln of the kernel density of a sample, its width cross-validated, at points of P."""
    width = 2 * span * cross_validated_width((sample.astype(float) + span) / (2 * span))
    densities = np.zeros(len(truth))
    for first in range(0, len(truth), 100):
        part = truth[first : first + 100].astype(float)
        squares = ((part[:, None, :] - sample.astype(float)[None, :, :]) ** 2).sum(axis=2)
        densities[first : first + 100] = np.exp(squares / (-2 * width**2)).mean(axis=1)
    peak = 1 / (2 * math.pi * width**2)
    return float(-np.log(np.maximum(peak * densities, np.finfo(float).tiny)).mean())


def modes_hit(points: Points, parts: dict[str, Any]) -> int:
    """How many components have 1 % of the points within 3 deviations."""
    hit = 0
    for mean, variance in zip(parts["means"], parts["variance"]):
        near = ((points - np.array(mean)) ** 2).sum(axis=1) < 9 * variance
        hit += int(near.mean() >= 0.01)
    return hit


def _scatter(points: Points, title: str, span: float) -> HeatMap:
    """How many points each pixel holds."""
    pixels = 125
    counts = np.histogram2d(points[:, 1], points[:, 0], bins=pixels, range=[[-span, span]] * 2)[0]
    unit = f"points in a square of side {2 * span / pixels:g}"
    return HeatMap(f"{title}, {len(points)} points", -span, span, counts, unit=unit)


def contenders(quick: bool, seed: int) -> Figure:
    """Boosting and its contenders on a ring."""
    span, pixels, delta = 2.5, (61 if quick else 241), 0.1
    parts = ring(8, 1, 0.1**2)
    known = Known.against_normal(parts, quick)
    dpb = BernsteinContender(parts, -span, span, seed, quick)
    boosted = boosting_runs(known, seed, quick).boosted(1)
    figure = Figure(
        [
            "A ring of eight Gaussians, what boosting (MBDE) makes of it with epsilon 1 for everything "
            "that one output may tell about all of the data, and what the Bernstein mechanism (DPB) makes "
            "of it with epsilon 400 for each record. Published: both densities look alike, although the "
            "second epsilon is 400 times the first. So it is here: as drawn DPB is a little farther from "
            "P, and with its best K and h it is as near at an epsilon of about 400, too (table). At an "
            "equal epsilon of 1 it is much farther.",
            "Then: points made by a generative adversarial network (DPGAN) whose critic learns from "
            "clipped and noised gradients, batches of 128, 10 000 steps of the generator, delta .1. "
            "Published: its modes collapse, and DPB and MBDE are significantly better. So it is here. But "
            "the same network learns no more without any noise: with the weights' bound and the rate that "
            "are usual for it, it is the schedule that fails. With larger ones and smaller batches, the "
            "last two panels, it spreads over most modes without noise, though as a blob that tells none "
            "from another, and over fewer with noise (table, means of eight runs; panels are of the first).",
            "Its paper's noise for epsilon 1 accounts for one step of the generator; the table says what "
            "all steps cost at most, where each record is in a batch by chance, as here. What no paper "
            "gives is chosen here: noise of two dimensions, two hidden layers of 25, RMSProp at 5e-5, "
            "five steps of the critic, its weights bounded by .01, gradients by 1. The last two panels "
            "have 2000 records, batches of 24, 250 steps, a rate of .0015, weights bounded by .1, and "
            "noise of .5.",
            LEARNED_FROM,
            BERNSTEIN,
            "The table ends with DPB alone, in one dimension: three Gaussians in the box [-1, 2], in nats "
            'of the box scaled to [0, 1], bandwidth .01. There "expected" is what a reference computation '
            "gave, which is another program with other points and noise. At epsilon .1 and .01 one draw "
            "of the noise moves the likelihood by .11 and .5, so that a single number cannot be met to "
            ".01: those expected lie in the middle half of what one draw gives.",
        ],
        in_a_row=4,
    )
    figure.charts.append(heat_map("P", span, pixels, known.truth.densities))
    figure.charts.append(known.map(boosted, "MBDE, epsilon 1", span, pixels))
    figure.charts.append(dpb.map(400, seed, "DPB, epsilon 400 per record", pixels))
    numbers = _core.SeededNumbers(seed)
    records = points_of(known.truth, 1000 if quick else 10_000, numbers)
    truth = points_of(known.truth, 1000, numbers)
    gan = PrivateGan(batch=32, generator_steps=100) if quick else PrivateGan()
    faster = PrivateGan(batch=24, generator_steps=250, rate=1.5e-3, weight_bound=0.1)

    gan.noise = gan.papers_noise(len(records), 1, delta)
    gan_epsilon = gan.epsilon(len(records), delta)
    with_noise = private_gan_sample(records, gan, len(records), seed)
    gan.noise = 0
    without = private_gan_sample(records, gan, len(records), seed)
    figure.charts += [_scatter(with_noise, "DPGAN", span), _scatter(without, "without noise", span)]
    # How many modes one run hits is chance, above all of the first weights.
    seeds = range(seed, seed + (2 if quick else 8))
    few = [points_of(known.truth, 2000, _core.SeededNumbers(one)) for one in seeds]
    faster_modes = []
    for name, faster.noise in (("larger rate, no noise", 0), ("larger rate, noise", 0.5)):
        runs = [private_gan_sample(source, faster, 2000, one) for source, one in zip(few, seeds)]
        figure.charts.append(_scatter(runs[0], name, span))
        faster_modes.append(mean_and_deviation([modes_hit(made, parts) for made in runs]))
    of_truth = _kernel_nll(points_of(known.truth, len(records), numbers), truth, span)
    of_boosting = known.fit(known.law(boosted)[0]).nll
    modes = len(parts["means"])
    rates = "noise is not why: rates and bounds are not published"
    compare = figure.compare
    compare(
        "DPGAN, modes with 1 % of its points within 3 deviations (expected: all; published: it loses some)",
        modes_hit(with_noise, parts), expected=modes, why=rates,
    )
    what = "the same network without noise, modes (expected: all)"
    compare(what, modes_hit(without, parts), expected=modes, why=rates)
    what = "negative log-likelihood of a kernel density of its points (expected: as many points of P)"
    compare(f"DPGAN, {what}", _kernel_nll(with_noise, truth, span), expected=of_truth, why=rates)
    what = "the same network without noise, negative log-likelihood (expected: as many points of P)"
    compare(what, _kernel_nll(without, truth, span), expected=of_truth, why=rates)
    what = "the network with a larger rate and no noise, modes (expected: all)"
    chance = f"noise is why; mean of {len(seeds)} runs"
    compare(what, faster_modes[0][0], expected=modes, why=chance, spread=faster_modes[0][1])
    what = (
        f"the same with noise that costs epsilon {faster.epsilon(2000, delta):.2g} at delta .1, modes "
        "(expected: all)"
    )
    compare(what, faster_modes[1][0], expected=modes, why=chance, spread=faster_modes[1][1])
    compare(
        "DPGAN, epsilon at delta .1 (published: its source's formula)",
        gan_epsilon,
        published=1,
        why="the formula accounts for one step of the generator, ours for all, and is an upper bound",
    )
    compare(
        "MBDE, negative log-likelihood (expected: perfect classifiers)",
        of_boosting,
        expected=known.fit(perfectly_boosted(known.p, known.h, 1)).nll,
        why=_LEARNED,
    )
    compare("DPB, negative log-likelihood, epsilon 400 per record", dpb.fit(400, seed).nll)
    compare("DPB, negative log-likelihood, no noise at all", dpb.fit(None, 0).nll)
    compare("DPB, negative log-likelihood, epsilon 1 per record", dpb.fit(1, seed).nll)
    compare(
        "DPB, K and h by an oracle: epsilon per record that brings it as near as MBDE at epsilon 1 "
        "(published: they look alike at 400)",
        dpb.oracle_epsilon(of_boosting, seed),
        published=400,
        why="K, h, box and radius are not published",
    )
    figure.comparisons += expected_likelihoods(seed, quick)
    return figure


# -------------------------------------------------------------------------------------------------
# Closed forms.


def cost_of_groups(quick: bool, seed: int) -> Figure:
    """What it costs to protect groups."""
    sizes = [10 ** (step / 4) for step in range(17)]
    shades = [
        Curve(f"integral privacy, {outputs} output{'' if outputs == 1 else 's'}", sizes, [outputs] * 17, shade=shade)
        for outputs, shade in ((1, 0.4), (10, 0.8), (100, 1.0))
    ]
    # DPB has the colour that it has wherever it is drawn beside boosting.
    curves = [Curve("private per record (DPB): g times epsilon", sizes, sizes, colour=3), *shades]
    title = "privacy loss against the size of the group"
    return Figure(
        [
            "What does it cost to protect not one record but every group of g records? A sampler that is "
            "differentially private per record pays g times its epsilon (here epsilon is 1 for one "
            "record). A member of a mollifier is released with an epsilon that holds for groups of any "
            "size, up to the whole table; it pays for each of its k outputs instead, k times epsilon. So "
            "it is the cheaper one for groups of more than k records. Closed forms; nothing is run."
        ],
        [LineChart(title, "records in the group", "epsilon", curves, log_x=True, log_y=True)],
    )


def mollifiers(quick: bool, seed: int) -> Figure:
    """Members of two mollifiers."""
    cells = 400
    x = (np.arange(cells) + 0.5) / cells
    # The weight, mean and deviation of each mode.
    examples: tuple[list[tuple[float, float, float]], ...] = (
        [(1, 0.5, 0.15)],
        [(1, 0.25, 0.08), (0.6, 0.75, 0.1)],
        [(1, 0.12, 0.05), (1, 0.5, 0.06), (0.8, 0.88, 0.05)],
    )
    figure = Figure(
        [
            "Members of two mollifiers on [0, 1], the sets of densities that may stand for private ones: "
            "three densities with one, two and three modes, scaled and shifted until they fit epsilon 1 "
            "(solid) and epsilon 0.2 (dashed). Modes stay where they are; gradients shrink.",
            "For epsilon 0.2, the pale stripe is where every member of any mollifier of densities on "
            "[0, 1] must lie, from e^-0.2 to e^0.2. To lie in the darker one, from e^-0.1 to e^0.1, is "
            "enough.",
        ],
        in_a_row=1,
    )
    chart = LineChart(
        "densities that may be sampled from", "x", "density", [],
        [
            Stripe(math.exp(-0.2), math.exp(0.2), "necessary at epsilon 0.2: e^-0.2 to e^0.2"),
            Stripe(math.exp(-0.1), math.exp(0.1), "sufficient at epsilon 0.2: e^-0.1 to e^0.1"),
        ],
    )
    uniform = np.full(cells, 1 / cells)
    for epsilon in (1.0, 0.2):
        members = []
        for place, modes in enumerate(examples):
            masses = sum(weight * np.exp(((x - mean) / width) ** 2 / -2) / width for weight, mean, width in modes)
            member = _core.scaled_and_shifted(np.asarray(masses), uniform, epsilon) * cells
            members.append(member)
            name = f"epsilon {epsilon:g}, {place + 1} mode{'s' if place else ''}"
            chart.curves.append(Curve(name, x.tolist(), member.tolist(), dashed=epsilon < 1, colour=place))
        figure.compare(
            f"least density, epsilon {epsilon:g} (expected: the bound)",
            float(np.min(members)), expected=math.exp(-epsilon / 2),
            why="only one of the two bounds has to be reached",
        )
        what = f"greatest density, epsilon {epsilon:g} (expected: the bound)"
        figure.compare(what, float(np.max(members)), expected=math.exp(epsilon / 2))
    figure.charts.append(chart)
    return figure


FIGURES: dict[str, tuple[str, str, Callable[[bool, int], Figure]]] = {
    "husain-contenders": (
        "Husain et al. 2020, Figure 1 right; 2019, Figure 1", "Boosting and its contenders on a ring", contenders
    ),
    "husain-groups": ("Husain et al. 2019, Figure 1 left", "What it costs to protect groups", cost_of_groups),
    "husain-mollifiers": (
        "Husain et al. 2020, Figure 2 left; 2019, Figure 3 left", "Members of two mollifiers", mollifiers
    ),
    "husain-ring": (
        "Husain et al. 2020, Figure 3; 2019, Figure 4",
        "A ring of eight Gaussians, found by DPB and by boosting",
        ring_contours,
    ),
    "husain-fit": ("Husain et al. 2020, Figure 4; 2019, Figure 5", "How well boosting finds P", fit),
    "husain-random-coverage": (
        "Husain et al. 2020, Figure 5; 2019, Figure 6", "Mode coverage of random Gaussians", random_coverage
    ),
    "husain-random-likelihood": (
        "Husain et al. 2020, appendix, Figure 1; 2019, Figure 7", "Likelihood of random Gaussians", random_likelihood
    ),
    "husain-random-plane": ("Husain et al. 2019, Figure 8", "Random Gaussians in the plane", plane_contours),
}
