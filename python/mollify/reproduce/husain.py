"""The figures of [Husain et al. 2020], and of [Husain et al. 2019]."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from mollify import _core
from mollify._refusal import refusal
from mollify.boosting.cell_masses import measure, points_of
from mollify.boosting.density import BoostedDensity, Points
from mollify.reproduce import measured
from mollify.reproduce.contenders import BERNSTEIN, BernsteinContender, cross_validated_width, expected_likelihoods
from mollify.reproduce.densities import (
    Known, Runs, boosting_runs, learned_from, mean_and_deviation, plane_gaussians, projected, random_gaussians, relative_floor,
    ring,
)
from mollify.reproduce.page import Curve, Figure, HeatMap, LineChart, Numbers, heat_map

_REPEATS = 4
_SPAN = 2.5  # half of the side of the ring's pictures
_BOX = (-1.0, 2.0)  # public, of every one-dimensional P
_LEARNED = "networks learn from samples"
_MEASURED = (
    "What is drawn as printed or with unbounded logits is read from a file, for the seed 2026, that `python -m "
    "mollify.reproduce.measured` makes."
)
_CODE = (
    "Unbounded logits are the published code's classifiers. They are learned as printed, from exact samples of Q_(t-1), with "
    "theta_t = (epsilon / (epsilon + 4))^t."
)
_UNBOUNDED = "MBDE, unbounded logits (keeps no epsilon)"
_WAYS = {
    "ours": ("probability", "perfect classifiers"),
    "as printed": ("equation-15", "perfect classifiers of equation 15"),
}
"""How boosting is trained, and the classifiers that it is compared with."""


def _trained(known: Known, seed: int, quick: bool) -> dict[str, Runs]:
    return {whose: boosting_runs(known, seed, quick, whose) for whose in _WAYS}


def _why(whose: str, nll: float, perfect: Sequence[float]) -> str:
    """Why networks are farther from P than perfect classifiers of their kind; `perfect` are the likelihoods of `_WAYS`."""
    if whose == "ours":
        return _LEARNED
    share = 100 * (perfect[1] - perfect[0]) / (nll - perfect[0])
    return f"{_LEARNED}; equation 15 makes {share:.0f} % of the distance from the perfect classifiers of ours"


def _compare_boosting(
    figure: Figure, name: str, known: Known, made: dict[str, BoostedDensity], epsilon: float
) -> dict[str, float]:
    """The likelihoods of networks, which it adds next to those of perfect classifiers of their kind."""
    nlls, perfect = {}, [known.perfect_fits(epsilon, bounding).nll for bounding, _ in _WAYS.values()]
    for (whose, (_, kind)), expected in zip(_WAYS.items(), perfect):
        nlls[whose] = known.fit(known.law(made[whose])[0]).nll
        what = f"{name}MBDE, {whose}, negative log-likelihood, epsilon {epsilon:g} (expected: {kind})"
        figure.compare(what, nlls[whose], expected=expected, why=_why(whose, nlls[whose], perfect))
    return nlls


# -------------------------------------------------------------------------------------------------
# How well boosting finds P, against epsilon.


# Of the fields of `Metrics`.
_METRICS = (
    ("negative log-likelihood", "nats (less is better)", ()),
    ("mode coverage", "share of P covered", (0.0, 1.0)),
    ("the published code's negative log-likelihood, -E_Q ln Q", "nats", ()),
    ("the published code's mode coverage, P and Q exchanged", "share of Q", (0.0, 1.0)),
)
_DENSE = (0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.85, 1, 1.5, 2, 3, 4, 5, 7, 10)
_PERFECT = {
    "perfect classifiers, clipped logits": "logit",
    "perfect classifiers, the published code's logits": "unbounded",
    "perfect classifiers of equation 15": "equation-15",
}


def _fit_charts(name: str, parts: dict[str, Any], epsilons: Sequence[float], quick: bool, seed: int) -> list[LineChart]:
    """The metrics of one domain, and the same metrics with P and Q exchanged."""
    known = Known.against_normal(parts, quick)
    learned: list[list[Sequence[float]]] = [[] for _ in epsilons]
    for repeat in range(1 if quick else _REPEATS):
        runs = boosting_runs(known, seed + repeat, quick)
        for fits, epsilon in zip(learned, epsilons):
            fits.append(known.boosted_fits(runs(epsilon)))
    printed = [measured.printed()[name, epsilon] for epsilon in epsilons]
    laws: dict[str, list[Sequence[float]]] = {
        f"MBDE, {kind}": [known.perfect_fits(one, bounding) for one in epsilons] for bounding, kind in _WAYS.values()
    }
    laws["best law for this epsilon"] = [
        known.fit(projected(known.p, known.h, relative_floor(one), one)) for one in epsilons
    ]
    published = {way: [known.perfect_fits(one, classifier) for one in _DENSE] for way, classifier in _PERFECT.items()}
    charts = []
    for kind, (what, axis, reaches) in enumerate(_METRICS):
        curves = []
        for whose, runs_of in (("ours", learned), ("as printed", printed)):
            means, deviations = zip(*(mean_and_deviation([fit[kind] for fit in fits]) for fits in runs_of))
            curves.append(Curve(f"MBDE, {whose}", epsilons, means, deviations))
        if kind < 2:
            curves += [Curve(who, epsilons, [fit[kind] for fit in fits], dashed=True) for who, fits in laws.items()]
            once = [measured.unbounded()[name, epsilon][0] for epsilon in epsilons if (name, epsilon) in measured.unbounded()]
            curves += [Curve(_UNBOUNDED, epsilons, [fit[kind] for fit in once], colour=9)] if once else []
        else:
            for colour, (way, exchanged) in zip((4, 6, 3), published.items()):
                curves.append(Curve(way, _DENSE, [fit[kind] for fit in exchanged], dashed=True, colour=colour))
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
    """DPB's likelihoods next to MBDE's."""
    epsilons = chart.curves[0].x
    seeds = range(seed, seed + (1 if quick else _REPEATS))
    contenders = [(BernsteinContender(parts, *_BOX, one, quick), one) for one in seeds]
    plain = [[dpb.fit(epsilon, one).nll for dpb, one in contenders] for epsilon in epsilons]
    oracle = [[dpb.oracle_nll(epsilon, one) for dpb, one in contenders] for epsilon in epsilons]
    for name, nlls in (("DPB, epsilon per record", plain), ("DPB, K and h by an oracle", oracle)):
        means, deviations = zip(*map(mean_and_deviation, nlls))
        chart.curves.append(Curve(name, epsilons, means, deviations, dashed=nlls is oracle))


def _compare_unbounded(figure: Figure, name: str, known: Known, curves: dict[str, Curve]) -> None:
    """The published code's likelihoods next to DPB's."""
    curve, dpb = curves[_UNBOUNDED], curves["DPB, epsilon per record"]
    for epsilon, nll, contender in zip(curve.x, curve.y, dpb.y):
        figure.compare(
            f"{name}: negative log-likelihood, unbounded logits, which keep no epsilon, epsilon {epsilon:g} (expected: perfect "
            "classifiers)", nll, expected=known.perfect_fits(epsilon, "unbounded").nll, why=f"{_LEARNED}; DPB: {contender:.3f}",
        )


def fit(quick: bool, seed: int) -> Figure:
    """How well boosting finds P."""
    epsilons = (0.5, 5) if quick else measured.EPSILONS
    figure = Figure(
        [
            "How well boosting finds P as epsilon grows: the negative log-likelihood -E_P ln Q and the share of P "
            'that lies where Q has its densest 95 %, means and deviations of four repeats. "Perfect classifiers" know '
            'P; the "best law" is the member of the same mollifier that is nearest to P, which no boosting can pass.',
            "Below them are the metrics of the published code, which calls them with P and Q exchanged. Its \"mode "
            'coverage" is the share of Q that lies where Q has its densest cells that hold 95 % of P, and its "likelihood" is '
            "-E_Q ln Q. (Its points of Q are those that the last classifier learned from.) That code has no script of a figure, so "
            "whether the published figures show these metrics is not known.",
            "Published: the likelihood falls all the way, sharply below epsilon 2, and coverage falls until epsilon 1 before it "
            "rises. DPB is flat from epsilon 1 on, and MBDE still gains beyond 5; so it is here, and the likelihood falls.",
            "The exchanged metric dips, with perfect classifiers, too: as Q leaves Q0 for P, fewer of its cells "
            "hold 95 % of P, while Q grows there only as epsilon does. The exchanged likelihood falls all the way, except on "
            "the ring of radius 3. The share of P that Q covers has no dip: it rises, or falls and does not rise again (last "
            "rows of each domain). Three Gaussians are also drawn with .01 and .1 read as deviations.",
            "What is printed is farther from P than ours for two reasons. The first is equation 15: of the distance from "
            "perfect classifiers of ours it makes 90 to 95 % on the three Gaussians, 87 to 92 % on the ring of radius 3, 70 to "
            "85 % with .01 and .1 as deviations, and 42 to 65 % on the ring of radius 1. The second is learning. On the ring of "
            "radius 1 the networks end far from perfect classifiers of equation 15, and miss 21 to 36 % of the likelihood that "
            "these gain over N(0, I). Elsewhere they end near, and miss 2 to 11 %.",
            "Published: MBDE beats DPB on the three Gaussians. So does the published code here, whose classifiers are logits as "
            "they are: from epsilon 3 on, and from 1 on with .01 and .1 as deviations. But unbounded logits keep no epsilon. With "
            "classifiers that keep it DPB is nearer at every epsilon; with deviations ours are nearer from epsilon 7 on. DPB's "
            "epsilon protects one record and that of MBDE all of them.",
            '"By an oracle": the best of K in {10, 20, 40, 80} and h in {1, 4}, chosen by looking at P. DPB\'s likelihoods are of P '
            "within its box, [-1, 2].",
            "Coverage: boosting covers the ring of radius 1 at every epsilon, and little of the ring of radius 3, more with every "
            "epsilon; and the three Gaussians, except for 1 part in 80 000 at epsilon .05, and 1 in 1000 at 10. "
            "With a large epsilon the best law is nearer to P and covers less: P's own densest 95 % hold 95 % of P.",
            learned_from(quick),
            _CODE,
            _MEASURED,
            BERNSTEIN,
        ],
        in_a_row=2,
    )
    for name, parts in measured.DOMAINS.items():
        charts = _fit_charts(name, parts, epsilons, quick, seed)
        for place, epsilon in enumerate(epsilons):
            for chart in charts[:2]:
                perfect = [curve.y[place] for curve in chart.curves[2:4]]
                for (whose, (_, kind)), curve, expected in zip(_WAYS.items(), chart.curves, perfect):
                    found = curve.y[place]
                    figure.compare(
                        f"{chart.title}, {whose}, epsilon {epsilon:g} (expected: {kind})", found, expected=expected,
                        why=_why(whose, found, perfect) if chart is charts[0] else _LEARNED, spread=curve.spread[place],
                    )
        if len(parts["means"][0]) == 1:
            _add_contender(charts[0], parts, quick, seed)
            _compare_unbounded(figure, name, Known.against_normal(parts, quick), {one.name: one for one in charts[0].curves})
        dips = [_dip(charts[1].curves[curve].y) for curve in (0, 2)]
        for what, found, expected in zip(("greatest fall", "won back after a fall"), *dips):
            text = f"{name}: mode coverage, {what} (expected: perfect classifiers)"
            figure.compare(text, found, expected=expected, why=_LEARNED)
        for curve in charts[3].curves[2:]:
            lowest = min(range(len(curve.y)), key=curve.y.__getitem__)
            for what, place in (("first", 0), ("lowest", lowest), ("last", len(curve.y) - 1)):
                figure.compare(f"{charts[3].title}, {curve.name}: {what}, epsilon {curve.x[place]:g}", curve.y[place])
        figure.charts += charts
    return figure


# -------------------------------------------------------------------------------------------------
# Runs on m random Gaussians, which two figures show.

_Cells = list[list[tuple[float, float]]]
"""Mean and deviation of the repeats: of components, and within them of epsilons."""


class _RandomRuns(NamedTuple):
    epsilons: Sequence[float]
    components: Sequence[int]
    of: dict[str, list[_Cells]]
    """Of each of `_METRICS`: of "ours", of "as printed" and of "perfect" classifiers, with clipped logits. Of "DPB" the
    likelihood alone."""


@functools.cache
def _random_runs(quick: bool, seed: int) -> _RandomRuns:
    epsilons = (0.5, 2) if quick else measured.RANDOM_EPSILONS
    made = _RandomRuns(epsilons, (1, 10) if quick else measured.RANDOM_COUNTS, {})
    for count in made.components:
        parts = random_gaussians(count, seed + count)
        known = Known.against_normal(parts, quick)
        # Of repeats, and within them of epsilons.
        found: dict[str, list[list[Sequence[float]]]] = {"ours": [], "DPB": []}
        for repeat in range(2 if quick else _REPEATS):
            own = seed + 100 * count + repeat
            runs = boosting_runs(known, own, quick)
            dpb = BernsteinContender(parts, *_BOX, own, quick)
            found["ours"].append([known.boosted_fits(runs(epsilon)) for epsilon in epsilons])
            found["DPB"].append([dpb.fit(epsilon, own)[:1] for epsilon in epsilons])
        printed = [measured.printed()[measured.random_domain(count), epsilon] for epsilon in epsilons]
        found["as printed"] = [list(repeat) for repeat in zip(*printed)]
        found["perfect"] = [[known.perfect_fits(epsilon, "logit") for epsilon in epsilons]]
        for whose, repeats in found.items():
            for kind, cells in enumerate(made.of.setdefault(whose, [[] for _ in repeats[0][0]])):
                cells.append([mean_and_deviation([one[kind] for one in of_one]) for of_one in zip(*repeats)])
    return made


def _random_charts(
    runs: _RandomRuns, values: _Cells, what: str, mean_reaches: Sequence[float], deviation_reaches: Sequence[float] = (0,)
) -> list[LineChart]:
    """Mean and deviation, a curve for each number of components."""
    charts = []
    labels = (
        (f"{what}: mean of the repeats", "mean", mean_reaches),
        (f"{what}: standard deviation", "deviation", deviation_reaches),
    )
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
            "One to ten Gaussians of variance .01 with means uniform on [0, 1], the same in all four repeats: how much of P "
            "lies where the boosted density has its densest 95 %. Here every law covers all of P: it lies within the "
            "densest 95 % of N(0, 1), from -1.96 to 1.96, and boosting only adds to it.",
            "Published: deviations are tiny for epsilon above .25 or m above 1, and coverage dips. The metric of the published code "
            "dips, in which P and Q are exchanged (last rows). With perfect classifiers it falls and then rises: "
            "fewer cells hold 95 % of P as Q leaves N(0, 1). As printed it rises again by epsilon 2 for m = 1 and 2 alone.",
            learned_from(quick),
            _MEASURED,
        ],
        in_a_row=2,
    )
    published = "mode coverage by the published code's metric"
    ours, printed = runs.of["ours"], runs.of["as printed"]
    figure.charts += _random_charts(runs, ours[1], "mode coverage, ours", (0, 1), (0, 0.1))
    figure.charts += _random_charts(runs, printed[1], "mode coverage, as printed", (0, 1), (0, 0.1))
    figure.charts += _random_charts(runs, printed[3], f"{published}, as printed", (0, 1), (0, 0.1))
    perfect = _random_charts(runs, runs.of["perfect"][3], "", (0, 1))[0]
    perfect.title = f"{published}, perfect classifiers"
    figure.charts.append(perfect)
    for name, values in (("ours", ours[1]), ("as printed, with P and Q exchanged", printed[3])):
        # The first of the numbers of components is 1.
        tiny = [one for of_one in values[1:] for _, one in of_one]
        tiny += [one for epsilon, (_, one) in zip(runs.epsilons, values[0]) if epsilon > 0.25]
        figure.compare(f"greatest deviation for epsilon > .25 or m > 1, {name} (published: tiny)", max(tiny))
    return figure


def random_likelihood(quick: bool, seed: int) -> Figure:
    """Likelihood of random Gaussians."""
    runs = _random_runs(quick, seed)
    figure = Figure(
        [
            "These runs: the negative log-likelihood of boosting (MBDE, ours and as printed) and of the Bernstein mechanism (DPB, "
            "last row, epsilon for each record). For each m the Gaussians are the same in all repeats; samples and noise differ.",
            "Published: MBDE falls with epsilon, DPB does not, and its deviation is about 100 times as large. Here DPB hardly "
            "falls from epsilon .5 on. Its deviation comes from the noise, and shrinks as 1/epsilon. MBDE's deviation comes "
            "from samples and learning, and grows. So the ratio passes 100 once: with training as printed between epsilon .25 and "
            ".5, with ours, which learns more, below .25 (table, the median over m).",
            "Published, in the second version of 2019: MBDE gets significantly better than DPB. With classifiers that keep epsilon "
            "DPB is nearer to P for every m and every epsilon here. With the published code's unbounded logits, which keep no "
            "epsilon, MBDE is nearer for most m at epsilon 2 (last rows of the table).",
            learned_from(quick),
            _CODE,
            _MEASURED,
            BERNSTEIN,
        ],
        in_a_row=2,
    )
    for name, whose in (("MBDE, ours", "ours"), ("MBDE, as printed", "as printed"), ("DPB", "DPB")):
        figure.charts += _random_charts(runs, runs.of[whose][0], f"{name}, negative log-likelihood", ())
    for whose in _WAYS:
        for place, epsilon in enumerate(runs.epsilons):
            pairs = [(dpb[place][1], of[place][1]) for dpb, of in zip(runs.of["DPB"][0], runs.of[whose][0])]
            figure.compare(
                f"DPB's deviation divided by MBDE's, {whose}, median over m, epsilon {epsilon:g}",
                float(np.median([noisy / learned for noisy, learned in pairs])), published=100,
                why="K, h and box are not published",
            )
    for place, epsilon in enumerate(runs.epsilons):
        contender = [of[place][0] for of in runs.of["DPB"][0]]
        nlls = {whose: [of[place][0] for of in runs.of[whose][0]] for whose in _WAYS}
        unbounded = [measured.unbounded().get((measured.random_domain(one), epsilon)) for one in runs.components]
        if all(unbounded):
            nlls["unbounded logits, which keep no epsilon"] = [of[0].nll for of in unbounded if of]
        for whose, found in nlls.items():
            figure.compare(
                f"for how many of {len(contender)} m DPB is nearer to P than MBDE, {whose}, epsilon {epsilon:g} (published: MBDE "
                "is better)", sum(dpb < one for dpb, one in zip(contender, found)),
            )
    return figure


# -------------------------------------------------------------------------------------------------
# Laws in the plane.


def _add_contours(
    figure: Figure, parts: dict[str, Any], name: str, span: float, epsilons: Sequence[float], quick: bool, seed: int
) -> None:
    """The laws of one P as contours: P, the start and perfect classifiers in a row; below them a row for each epsilon, of
    DPB, with noise of its own, and of boosting as ours and as printed. All names begin with `name`."""
    pixels = 61 if quick else 241
    known = Known.against_normal(parts, quick)
    dpb = BernsteinContender(parts, -span, span, seed, quick)
    runs = _trained(known, seed, quick)
    title = f"{name}perfect classifiers, epsilon {epsilons[-1]:g}"
    figure.charts += [
        heat_map(f"{name}P", span, pixels, known.truth.densities, steps=12),
        heat_map(f"{name}start, N(0, I)", span, pixels, known.reference.densities, steps=12),
        known.perfect_map(epsilons[-1], title, span, pixels, steps=12),
    ]
    for epsilon in epsilons:
        noise = seed + len(figure.charts)
        figure.charts.append(dpb.map(epsilon, noise, f"{name}DPB, epsilon {epsilon:g} per record", pixels, steps=12))
        made = {whose: of(epsilon) for whose, of in runs.items()}
        for whose, boosted in made.items():
            figure.charts.append(known.map(boosted, f"{name}MBDE, {whose}, epsilon {epsilon:g}", span, pixels, steps=12))
        _compare_boosting(figure, name, known, made, epsilon)
        figure.compare(f"{name}DPB, negative log-likelihood, epsilon {epsilon:g} per record", dpb.fit(epsilon, noise).nll)


def ring_contours(quick: bool, seed: int) -> Figure:
    """A ring of eight Gaussians, found by DPB and by boosting."""
    epsilons = (1, 10) if quick else (0.1, 0.5, 1, 2, 5, 10)
    figure = Figure(
        [
            "Eight Gaussians on a circle, and contours of the densities made of them. A row for each epsilon: the "
            "Bernstein mechanism (DPB), epsilon for each record, and boosting from N(0, I) (MBDE), epsilon for all of the "
            "data together, trained as ours and as printed. Ours finds first a ring, then its modes. Each panel has its own "
            "colours, from 0 to its greatest density. Published: MBDE is smoother.",
            "No paper gives the ring's radius. Radius 1 with deviation .1 lies where N(0, I) has its mass, and is "
            "drawn on [-2.5, 2.5]^2 so that it can be seen; radius 3 with deviation .3 fills the published picture's "
            "[-6, 6]^2 and lies where N(0, I) has little, so that modes are found only at large epsilon.",
            learned_from(quick),
            BERNSTEIN,
        ]
    )
    _add_contours(figure, ring(8, 1, 0.1**2), "radius 1: ", 2.5, epsilons, quick, seed)
    _add_contours(figure, ring(8, 3, 0.3**2), "radius 3: ", 6, epsilons, quick, seed)
    return figure


def plane_contours(quick: bool, seed: int) -> Figure:
    """Random Gaussians in the plane."""
    figure = Figure(
        [
            "Five Gaussians with means uniform in [-3, 3]^2 and variances from .1 to .5: a P that N(0, I) is no good start for. "
            "A row for each epsilon: the Bernstein mechanism (DPB), epsilon for each record, and boosting (MBDE), epsilon for all "
            "of the data together, trained as ours and as printed. Each panel has its own colours, from 0 to its greatest density.",
            "Published: MBDE is better. By its likelihood the published code is, from epsilon 2 on; but its logits are unbounded "
            "and keep no epsilon (last rows of the table, no panels). With classifiers that keep epsilon MBDE is smoother, too, and "
            "DPB is nearer to P at each of these epsilon, which for it protect one record of 10 000. No member of the mollifier is "
            "near to P before epsilon is large: Q0 has too little mass where P lies.",
            learned_from(quick),
            _CODE,
            BERNSTEIN,
        ]
    )
    parts = plane_gaussians(seed)
    _add_contours(figure, parts, "", 5, (5,) if quick else measured.PLANE_EPSILONS, quick, seed)
    # The file's Gaussians are those of its own seed.
    if seed == measured.SEED:
        known = Known.against_normal(parts, quick)
        for epsilon in measured.PLANE_EPSILONS:
            figure.compare(
                f"MBDE, unbounded logits, which keep no epsilon, negative log-likelihood, epsilon {epsilon:g} (expected: perfect "
                "classifiers)", measured.unbounded()[measured.PLANE, epsilon][0].nll,
                expected=known.perfect_fits(epsilon, "unbounded").nll, why=_LEARNED,
            )
    return figure


def own(parts: dict[str, Any], quick: bool, seed: int) -> Figure:
    """DPB and boosting on a density of one or two dimensions."""
    truth = measure(parts)
    if truth.dimension > 2:
        raise refusal("wrong-shape", f"The density has {truth.dimension} dimensions. Give a density of one or two.")
    span = max(map(abs, truth.central_box()))
    if span > 7:
        raise refusal(
            "out-of-range",
            f"The density reaches to {span:g}. Scale it to lie within -7 and 7 on each axis: boosting starts at N(0, I).",
        )
    figure = Figure(
        [
            "A density of your own, what the Bernstein mechanism (DPB) makes of it, epsilon for each record, and what "
            "boosting from N(0, I) (MBDE) makes of it, epsilon for all of the data together.",
            learned_from(quick),
            BERNSTEIN,
        ]
    )
    epsilons = (1, 10) if quick else (0.1, 1, 10)
    if truth.dimension == 2:
        _add_contours(figure, parts, "", span, epsilons, quick, seed)
        return figure
    cells = 400
    x: Numbers = np.linspace(-span, span, 2 * cells + 1)[1::2]
    dpb, known = BernsteinContender(parts, -span, span, seed, quick), Known.against_normal(parts, quick)
    runs = _trained(known, seed, quick)
    for epsilon in epsilons:
        drawn = (("P", truth.densities(x[:, None]), 8), ("DPB, per record", dpb.densities(epsilon, seed, cells), 3))
        curves = [Curve(name, x.tolist(), values.tolist(), colour=colour) for name, values, colour in drawn]
        figure.compare(f"DPB, negative log-likelihood, epsilon {epsilon:g} per record", dpb.fit(epsilon, seed).nll)
        for colour, (whose, of) in enumerate(runs.items()):
            law = known.law(of(epsilon))[0]
            values = np.interp(x, known.middles[:, 0], law / known.volumes)
            curves.append(Curve(f"MBDE, {whose}", x.tolist(), values.tolist(), colour=colour))
            figure.compare(f"MBDE, {whose}, negative log-likelihood, epsilon {epsilon:g}", known.fit(law).nll)
        figure.charts.append(LineChart(f"epsilon {epsilon:g}", "x", "density", curves))
    return figure


# -------------------------------------------------------------------------------------------------
# The ring, and what contenders make of it.


def _kernel_nll(sample: Points, truth: Points, span: float) -> float:
    """-E_P ln of the kernel density of a sample, its width cross-validated, at points of P."""
    width = 2 * span * cross_validated_width((sample.astype(float) + span) / (2 * span))
    squares = ((truth[:, None].astype(float) - sample.astype(float)) ** 2).sum(axis=2)
    densities = np.exp(squares / (-2 * width**2)).mean(axis=1) / (2 * math.pi * width**2)
    return float(-np.log(np.maximum(densities, np.finfo(float).tiny)).mean())


def _scatter(points: Points, title: str, span: float) -> HeatMap:
    """How many points each pixel holds."""
    pixels = 125
    counts = np.histogram2d(points[:, 1], points[:, 0], bins=pixels, range=[[-span, span]] * 2)[0]
    side = 2 * span / pixels
    return HeatMap(f"{title}, {len(points)} points", -span, span, counts, unit=f"points in a square of side {side:g}")


def _add_networks(figure: Figure, quick: bool, seed: int, truth: Points, ours: float) -> None:
    """The network without noise, with printed noise, and with noise that pays for all steps, beside MBDE's likelihood."""
    printed, accounted = "printed noise for epsilon 1", "noise by which all steps cost epsilon 1"
    names = {"none": "no noise", "published": printed, "accounted": accounted}
    of_truth = _kernel_nll(points_of(measure(measured.RING), 1000, _core.SeededNumbers(seed)), truth, _SPAN)
    for noise, name in names.items():
        made = [measured.gan_sample(3 if quick else 100, noise, seed + run) for run in range(1 if quick else 10)]
        figure.charts.append(_scatter(made[0], f"DPGAN, {name}", _SPAN))
        nlls = [_kernel_nll(points[:1000], truth, _SPAN) for points in made]
        mean, deviation = mean_and_deviation(nlls)
        figure.compare(
            f"DPGAN, {name}, negative log-likelihood of a kernel density of 1000 points (expected: 1000 points of P)",
            mean, expected=of_truth, spread=deviation,
            why=f"points lie on thin curves; farther than MBDE, ours: {sum(nll > ours for nll in nlls)} of {len(nlls)} seeds",
        )
    kinds = (
        ("modes with 1 % of its points within 3 deviations", 8, "hit"),
        ("modes told apart, with twice as many points as beside them", 8, "modes"),
        ("share of its points within 3 deviations of a mode", 0.989, "share"),
    )
    for epochs in measured.SEEDS:
        for noise, name in names.items():
            runs = [run for run in measured.gan_runs() if run.epochs == epochs and run.noise == noise]
            for what, expected, field in kinds:
                mean, deviation = mean_and_deviation([getattr(run, field) for run in runs])
                figure.compare(
                    f"DPGAN, {name}, {epochs} epochs: {what} (expected: P)",
                    mean, expected=expected, spread=deviation, why=f"seeds: {len(runs)}",
                )
        how = measured.gan_of(epochs, "published")
        figure.compare(
            f"DPGAN, {epochs} epochs: what its paper calls epsilon 1 costs at delta .1 (published: its formula)",
            how.epsilon(measured.RECORDS, measured.DELTA), published=1,
            why="the formula accounts for one step of the generator, ours for all, and is an upper bound",
        )


def contenders(quick: bool, seed: int) -> Figure:
    """Boosting and its contenders on a ring."""
    pixels = 61 if quick else 241
    known = Known.against_normal(measured.RING, quick)
    dpb = BernsteinContender(measured.RING, -_SPAN, _SPAN, seed, quick)
    figure = Figure(
        [
            "A ring of eight Gaussians, what boosting (MBDE) makes of it with epsilon 1 for everything that one output may tell "
            "about all of the data, and what the Bernstein mechanism (DPB) makes of it with epsilon 400 for each record. "
            "Published: both densities look alike. So it is here: as drawn DPB is a little farther from P, and with its best K "
            "and h it is as near at an epsilon of about 400 (table). At an equal epsilon of 1 it is much farther.",
            "Then: points made by a generative adversarial network (DPGAN) whose critic learns from clipped and noised "
            "gradients, in batches of 128, delta .1. Published: 10 000 epochs, modes collapse, and DPB and MBDE are "
            "significantly better. The noise that is printed for epsilon 1 pays for one step of the generator; all steps of "
            "10 000 epochs cost hundreds of thousands. With this noise both findings fail: most seeds tell all eight modes "
            "apart, as without noise, and are nearer to P than MBDE by the likelihood of a kernel density of their points.",
            "With noise by which all steps cost epsilon 1 they hold in part. Modes are blurred rather than lost: points are "
            "spread over the ring or the disc, so that no mode is told apart, but of 8 modes 7.9 have points after "
            "100 epochs. Their likelihoods differ a lot: on average seeds are farther from P than MBDE, but some are nearer. The noise is found by the "
            "distribution of the privacy loss; Renyi divergences would ask for a quarter more.",
            "Panels and likelihoods are of 100 epochs; modes without noise and with the printed noise also of 1000 (one seed) and 10 000 (three), from a file that "
            "`python -m mollify.reproduce.measured` makes. Our choices: noise of two dimensions, two hidden layers of 64 (tanh), "
            "RMSProp at .001, five steps of the critic for one of the generator, its weights bounded by .3, gradients by 1.",
            learned_from(quick),
            BERNSTEIN,
            "The table ends with DPB alone, in one dimension: three Gaussians in the box [-1, 2], in nats of the box scaled to "
            '[0, 1], bandwidth .01. There "expected" is what another program gave, with other points and noise. At epsilon .1 '
            "and .01 one draw of the noise moves the likelihood by .11 and .5: those expected are in the middle half of draws.",
        ],
        in_a_row=4,
    )
    figure.charts.append(heat_map("P", _SPAN, pixels, known.truth.densities))
    made = {whose: of(1) for whose, of in _trained(known, seed, quick).items()}
    figure.charts += [known.map(boosted, f"MBDE, {whose}, epsilon 1", _SPAN, pixels) for whose, boosted in made.items()]
    ours = _compare_boosting(figure, "", known, made, 1)["ours"]
    figure.charts.append(dpb.map(400, seed, "DPB, epsilon 400 per record", pixels))
    for epsilon, how in ((400, "epsilon 400 per record"), (None, "no noise at all"), (1, "epsilon 1 per record")):
        figure.compare(f"DPB, negative log-likelihood, {how}", dpb.fit(epsilon, seed).nll)
    figure.compare(
        "DPB, K and h by an oracle: epsilon per record that brings it as near as MBDE at epsilon 1 "
        "(published: they look alike at 400)", dpb.oracle_epsilon(ours, seed), published=400,
        why="K, h, box and radius are not published",
    )
    _add_networks(figure, quick, seed, points_of(known.truth, 1000, _core.SeededNumbers(seed + 1)), ours)
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
    # DPB has one colour wherever it is drawn next to boosting.
    curves = [Curve("private per record (DPB): g times epsilon", sizes, sizes, colour=3), *shades]
    title = "privacy loss against the size of the group"
    return Figure(
        [
            "What does it cost to protect not one record but every group of g records? A sampler that is differentially "
            "private per record pays g times its epsilon (here epsilon is 1 for one record). A member of a mollifier is "
            "released with an epsilon that holds for groups of any size, up to the whole table; it pays for each of its k outputs "
            "instead, k times epsilon. So it is cheaper for groups of more than k records. Closed forms; nothing is run."
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
            "For epsilon 0.2, the darker stripe is enough: densities between e^-0.1 and e^0.1 are a mollifier. The paler one, from "
            "e^-0.2 to e^0.2, is published as necessary for every mollifier. That is false: it is necessary if the uniform density "
            "is a member. Members have to be near each other, and not near 1. The last curve is a density that has been scaled and "
            "shifted until it is near the first curve: these two are a mollifier of epsilon 0.2, and both leave the stripe.",
        ],
        in_a_row=1,
    )
    chart = LineChart(
        "densities that may be sampled from", "x", "density", [],
        [
            (math.exp(-0.2), math.exp(0.2), "necessary if 1 is a member at epsilon 0.2: e^-0.2 to e^0.2"),
            (math.exp(-0.1), math.exp(0.1), "sufficient at epsilon 0.2: e^-0.1 to e^0.1"),
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
            float(np.min(members)), expected=math.exp(-epsilon / 2), why="only one of the two bounds has to be reached",
        )
        what = f"greatest density, epsilon {epsilon:g} (expected: the bound)"
        figure.compare(what, float(np.max(members)), expected=math.exp(epsilon / 2))
    peaked = np.asarray(chart.curves[0].y) / cells
    three_modes = np.asarray(chart.curves[2].y) / cells
    other = _core.scaled_and_shifted(three_modes, peaked, 0.2)
    name = "epsilon 0.2, in one mollifier with the first curve"
    chart.curves.append(Curve(name, x.tolist(), (other * cells).tolist(), dashed=True, colour=3))
    figure.compare("a mollifier of epsilon 0.2: greatest density of a member (published: below e^0.2 = 1.22)", float(other.max() * cells))
    figure.compare("the same: greatest |ln| of the ratio of its two members (at most 0.2)", float(np.abs(np.log(other / peaked)).max()))
    figure.charts.append(chart)
    return figure


FIGURES: dict[str, tuple[str, str, Callable[[bool, int], Figure]]] = {
    "husain-contenders": (
        "Husain et al. 2020, Figure 1 right; 2019, Figure 1", "Boosting and its contenders on a ring", contenders
    ),
    "husain-groups": ("Husain et al. 2019, Figure 1 left", "What it costs to protect groups", cost_of_groups),
    "husain-mollifiers": ("Husain et al. 2020, Figure 2 left; 2019, Figure 3 left", "Members of two mollifiers", mollifiers),
    "husain-ring": (
        "Husain et al. 2020, Figure 3; 2019, Figure 4", "A ring of eight Gaussians, found by DPB and by boosting", ring_contours
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
