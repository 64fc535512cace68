"""Statements of the papers that are enumerated on small domains, and their formulas by hand (docs/theory/coverage.md)."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

import mollify as mo
from mollify._methods import METHODS

pytestmark = pytest.mark.filterwarnings("ignore::mollify.ReleaseWarning")
KINDS = ("kl", "tv", "hellinger2", "chi2")


def simplex(k, steps):
    """Every distribution on k outcomes whose masses are multiples of 1/steps."""
    for bars in itertools.combinations(range(steps + k - 1), k - 1):
        ends = (-1, *bars, steps + k - 1)
        yield [(ends[i + 1] - ends[i] - 1) / steps for i in range(k)]


def masses(sampler, p):
    law = mo.nonprivate.law(sampler, p, normalise=True)
    return [Fraction(int(one["numerator"]), int(law["N"])) for one in law["outcomes"]]


# -------------------------------------------------------------------------------------------------
# [Park et al. 2024].


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0])
def test_no_private_sampler_beats_the_minimax_risk(epsilon):
    """Theorem III.1's converse. A sampler that keeps epsilon releases outcome i with at least some lo_i and at most e^epsilon
    lo_i, so of a point mass at i with at most min(e^epsilon lo_i, 1 - the other lo). Here are all lo on a grid."""
    k, e = 3, math.exp(epsilon)
    risk = mo.risk(mo.Sampler(k=k, epsilon=epsilon))["risk"]
    even, reached, tried = 1 / (e + k - 1), math.inf, 0
    for shares in [*simplex(k, 30), [1 / k] * k]:
        for total in np.linspace(1 / e, 1, 20).tolist() + [k * even]:
            least = [share * total for share in shares]
            kept = min(min(e * one, 1 - total + one) for one in least)
            tried += 1
            if kept <= 0:
                continue
            worst = (-math.log(kept), 1 - kept, 1 - math.sqrt(kept), 1 / kept - 1)
            assert all(one >= risk[kind] * (1 - 1e-12) for one, kind in zip(worst, KINDS))
            reached = min(reached, worst[1])
    assert tried > 10_000 and reached == pytest.approx(risk["tv"], rel=1e-12), "the proposed sampler is among them"


def test_the_minimax_risk_behaves_as_stated():
    """Section III and Appendix E: less for a greater epsilon, more for more outcomes; nothing is left for a great epsilon, and
    for a tiny one every law is the reference. The class of densities: none once it is a mollifier itself."""

    def risks(*how, kind, **parameters):
        return mo.risk(mo.Sampler(*how, **parameters))["risk"][kind]

    epsilons = (0.01, 0.1, 0.5, 1, 2, 5, 15, 30)
    for kind in KINDS:
        assert (np.diff([risks(k=5, epsilon=one, kind=kind) for one in epsilons]) < 0).all()
        assert (np.diff([risks(k=k, epsilon=1.0, kind=kind) for k in (2, 3, 5, 10, 100, 10_000)]) > 0).all()
        of_class = [risks("class", reference=[1] * 4, c1=0.5, c2=2.5, epsilon=one, kind=kind) for one in epsilons]
        assert (np.diff(of_class) <= 0).all() and (np.diff(of_class[:5]) < 0).all()
        assert of_class[4] == 0 or math.exp(epsilons[4]) * 0.5 >= 2.5, "c2 <= e^epsilon c1"
        assert of_class[3] > 0 and math.e * 0.5 < 2.5
        assert risks(k=5, epsilon=30.0, kind=kind) < 1e-11
    tiny = masses(mo.Sampler(k=5, epsilon=1e-6), [0.6, 0.1, 0, 0.3, 0])
    assert all(float(one) == pytest.approx(0.2, rel=1e-6) for one in tiny)
    given = masses(mo.Sampler("relative", reference=[1, 2, 5], epsilon=1e-6), [0, 1, 0])
    assert [float(one) for one in given] == pytest.approx([0.125, 0.25, 0.625], rel=1e-6)


def test_the_scale_lies_between_its_ends():
    """Theorems III.1 and III.3, Proposition C.2: r_P from 1 to (e^epsilon + k - 1)/e^epsilon, and of a class from c1/b to
    c2/(b e^epsilon)."""
    for epsilon in (0.1, 1.0, 4.0):
        e, k = math.exp(epsilon), 4
        for p in simplex(k, 6):
            r = mo.nonprivate.law(mo.Sampler(k=k, epsilon=epsilon), p)["r"]
            assert 1 - 1e-9 <= r <= (e + k - 1) / e + 1e-9
            if not all(0.5 / k <= mass <= 2 / k for mass in p):
                continue
            law = mo.nonprivate.law(mo.Sampler("class", reference=[1] * k, c1=0.5, c2=2.0, epsilon=epsilon), p)
            b = 1 / (1 + (1 - 0.5) / (2 - 0.5) * (e - 1))
            if 2 > 0.5 * e:
                assert 0.5 / b - 1e-9 <= law["r"] <= 2 / (b * e) + 1e-9


@pytest.mark.parametrize("epsilon", [0.5, 2.0])
def test_the_projection_is_never_farther_than_the_mixture(epsilon):
    """Section III-C: of every P on a grid, for every divergence; strictly nearer for some."""
    projection, mixture = mo.Sampler(k=3, epsilon=epsilon), mo.Sampler("mixture", k=3, epsilon=epsilon)
    nearer = 0
    for p in simplex(3, 12):
        ours, linear = (mo.nonprivate.law(one, p)["divergence"] for one in (projection, mixture))
        for kind in KINDS:
            assert ours[kind] <= linear[kind] * (1 + 1e-9) + 1e-9
        nearer += ours["kl"] < 0.9 * linear["kl"]
    assert nearer > 40


def test_the_uniform_reference_is_the_baselines_best():
    """Appendix F-A: the relative mollifier's worst case, over references, is least for the uniform one."""
    random = np.random.default_rng(20261126)
    for k, epsilon in itertools.product((2, 5), (0.1, 1.0, 5.0)):
        even = mo.risk(mo.Sampler("relative", k=k, reference=[1] * k, epsilon=epsilon))["risk"]
        for _ in range(40):
            other = mo.risk(mo.Sampler("relative", reference=random.dirichlet([3] * k).tolist(), epsilon=epsilon))["risk"]
            assert all(other[kind] >= even[kind] * (1 - 1e-12) for kind in KINDS)


# -------------------------------------------------------------------------------------------------
# [Husain et al. 2020].


def test_plug_in_estimates_come_near_the_projection():
    """Equation 8 with the shares of n records in P's place: its law is at most TV(estimate, P)/r from P's law [Park et al.
    2024, Proposition IV.1], so it comes near as fast as the estimate does. That every estimate is private is enumerated by
    LocalSamplerConformance."""
    random, p = np.random.default_rng(20), np.array([0.3, 0.25, 0.2, 0.15, 0.1])
    sampler = mo.Sampler("relative", k=5, epsilon=1.0)
    aim = np.array([float(one) for one in masses(sampler, p)])
    means = []
    for n in (10, 100, 1000, 10_000):
        apart = []
        for counts in random.multinomial(n, p, 60):
            found = mo.nonprivate.law(sampler, counts, normalise=True, other=p)
            law = np.array([one["probability"] for one in found["outcomes"]])
            apart.append(abs(law - aim).sum() / 2)
            assert found["other"]["tv_of_laws"] == pytest.approx(apart[-1], abs=1e-9)
            assert apart[-1] <= found["other"]["bound"] + 1e-9
            assert found["other"]["bound"] == pytest.approx(abs(counts / n - p).sum() / 2 / max(found["r"], found["other"]["r"]))
        means.append(np.mean(apart))
    print("mean total variation of the plug-in laws from P's:", [f"{one:.4f}" for one in means])
    assert all(2 < before / after < 5 for before, after in zip(means, means[1:])), "as one over the root of n"


def test_a_reference_of_public_records_brings_the_law_nearer():
    """Section 3: Q0 is learned from public records, (count + 1)/(n + k) here as `--reference` has it. Private P that are like
    them are nearer to their law, the more records there are; P that are not are farther."""
    random, base = np.random.default_rng(21), np.array([0.5, 0.25, 0.15, 0.06, 0.03, 0.01])
    like, unlike = random.dirichlet(40 * base, 100), random.dirichlet(40 * base[::-1], 100)

    def mean_kl(reference, ps):
        sampler = mo.Sampler("relative", reference=reference, epsilon=1.0)
        return np.mean([mo.nonprivate.law(sampler, p, normalise=True)["divergence"]["kl"] for p in ps])

    even = [mean_kl([1] * 6, ps) for ps in (like, unlike)]
    learned = {n: [mean_kl(random.multinomial(n, base) + 1, ps) for ps in (like, unlike)] for n in (10, 100, 10_000)}
    print(f"mean KL by an even reference {even[0]:.4f}; by n public records", {n: f"{one[0]:.4f}" for n, one in learned.items()})
    assert even[0] > learned[10][0] > learned[100][0] and learned[10_000][0] < even[0] / 10
    assert learned[10_000][1] > 2 * even[1]


def test_a_member_of_a_mollifier_of_its_own_is_released_as_it_is():
    """After Theorem 6: P lies in the relative mollifier of some epsilon_P. From there on the projection is P itself, and below
    it is not. Boosting by exact log-ratios ends at Q0 (P/Q0)^s, s = 1 - (1 - theta_1)(1 - theta_2)(1 - theta_3), which no
    epsilon makes P."""
    from mollify.boosting.density import perfectly_boosted

    random, reference = np.random.default_rng(22), np.array([0.4, 0.3, 0.2, 0.1])
    for own in (0.3, 1.0):
        p = reference * np.exp(random.uniform(-1, 1, 4))
        p /= p.sum()
        tilt = np.log(p / reference)
        while abs(tilt).max() > own / 2:  # towards the reference until it is a member
            p = 0.9 * p + 0.1 * reference
            tilt = np.log(p / reference)
        own = 2 * abs(tilt).max()
        for epsilon in (own * (1 + 1e-6), 2 * own, 8.0):
            law = np.array([float(one) for one in masses(mo.Sampler("relative", reference=reference, epsilon=epsilon), p)])
            assert law == pytest.approx(p, abs=1e-10)
            theta = epsilon / (epsilon + 4 * math.log(2))
            share = 1 - math.prod(1 - theta**t for t in (1, 2, 3))
            by_hand = reference * np.exp(share * tilt)
            boosted = perfectly_boosted(p, reference, epsilon, "logit")
            assert boosted == pytest.approx(by_hand / by_hand.sum(), rel=1e-9)
            assert (p * np.log(p / boosted)).sum() > 0 and share < 1
        below = mo.nonprivate.law(mo.Sampler("relative", reference=reference, epsilon=0.9 * own), p)
        assert below["divergence"]["kl"] > 1e-6


# -------------------------------------------------------------------------------------------------
# [Husain et al. 2019].


@pytest.mark.parametrize(
    "how", [("minimax", {"k": 5}), ("relative", {"reference": [1, 2, 3, 4, 5]}), ("scale-and-shift", {"k": 5})]
)
def test_no_decision_depends_on_the_data_by_more_than_epsilon(how):
    """Lemma 9 of the first version: all 2^k sets of outcomes, all pairs of inputs, in fractions."""
    epsilon, (mechanism, parts) = 1.0, how
    inputs = [*np.eye(5).tolist(), [1, 1, 0, 0, 0], [0, 0, 1, 1e-9, 1], [1e9, 1, 1, 1, 1], [5, 4, 3, 2, 1], [1] * 5]
    laws = [masses(mo.Sampler(mechanism, **parts, epsilon=epsilon), p) for p in inputs]
    most = Fraction(0)
    for size in range(1, 6):
        for decision in itertools.combinations(range(5), size):
            shares = [sum(law[outcome] for outcome in decision) for law in laws]
            most = max(most, max(shares) / min(shares))
    assert most <= Fraction(math.exp(epsilon)) and float(most) > 0.99 * math.exp(epsilon)


def test_groups_cost_what_the_figure_draws():
    """Figure 1 left: g times epsilon per record, k times epsilon for k outputs."""
    pytest.importorskip("altair")
    from mollify import reproduce

    of_records, *of_outputs = reproduce.figure("husain-groups").charts[0].curves
    assert list(of_records.y) == list(of_records.x) and len(of_records.x) == 17
    for curve, outputs in zip(of_outputs, (1, 10, 100), strict=True):
        assert curve.name.split(", ")[1].startswith(f"{outputs} ") and set(curve.y) == {outputs}


# -------------------------------------------------------------------------------------------------
# [Cheu, Nayak 2024].


def closed_form(n, k, epsilon0, delta):
    """Lemma 12, where its condition holds."""
    odds = math.exp(epsilon0)
    if epsilon0 > math.log(n / (16 * math.log(4 / delta))):
        return None
    z = odds + k - 1
    root = 4 * math.sqrt(2 * (k + 1) * math.log(4 / delta)) / math.sqrt(z * k * n)
    return math.log1p((odds - 1) * (root + 4 * (k + 1) / (k * n)))


def test_the_closed_form_is_that_of_lemma_twelve():
    compared = 0
    for n, k, epsilon0, delta in itertools.product((10_000, 1_000_000), (2, 20, 300), (0.5, 6.0), (1e-8,)):
        by_hand = closed_form(n, k, epsilon0, delta)
        if by_hand is not None:
            found = mo.amplify(n=n, k=k, epsilon0=epsilon0, delta=delta)
            assert found["closed_form"] == pytest.approx(by_hand, rel=1e-9)
            assert found["epsilon_upper"] <= by_hand
            compared += 1
    assert compared > 8


def test_the_papers_shuffled_records_are_the_least_of_the_closed_form():
    """Theorems 2 and 14: the odds that leave each report within alpha, or alpha/m for a joint law, and the least n for which
    the closed form keeps epsilon."""
    plan = METHODS["central"].plan_of
    for k, alpha, m, strong in ((20, 0.1, 100, False), (20, 0.1, 100, True), (5, 0.01, 10, False)):
        n = int(plan(k=k, alpha=alpha, count=m, strong=strong, epsilon=1.0, delta=1e-10)["papers_records"]["shuffled-rr"])
        of_each = alpha / m if strong else alpha
        epsilon0 = math.log((k - 1) * (1 / of_each - 1))
        enough, fewer = (closed_form(records, k, epsilon0, 1e-10) for records in (n, round(n * (1 - 1e-3)) - 1))
        assert enough is not None and enough <= 1 + 1e-9
        assert fewer is None or fewer > 1, (k, alpha, m, strong)


def test_single_samples_need_the_records_of_theorem_eleven():
    """(k - 1)/(alpha epsilon), of which mollify needs fewer; m times that for weak samples (Lemma 8), and for strong ones at
    alpha/m (Lemma 9 and Corollary 10)."""
    plan = METHODS["central"].plan_of
    for k, alpha, epsilon, m in itertools.product((3, 20), (0.1, 0.01), (0.5, 1.0), (1, 10, 100)):
        for strong in (False, True):
            found = plan(k=k, alpha=alpha, count=m, strong=strong, epsilon=epsilon)
            of_each = alpha / m if strong else alpha
            assert found["papers_records"]["subsampled-rr"] == pytest.approx(m * (k - 1) / (of_each * epsilon), abs=m)
            single = plan(k=k, alpha=of_each, count=1, epsilon=epsilon)["n"]
            ways = {one["mechanism"]: one for one in found["mechanisms"]}
            assert m * (single - 1) < ways["subsampled-rr"]["n"] <= m * single
            assert found["n"] <= found["papers_records"]["subsampled-rr"]


def clip_radius(d, bound, mean, n, beta):
    return mean + math.sqrt(bound) * (math.sqrt(d) + math.sqrt(2 * math.log(n / beta)))


@pytest.mark.parametrize("d, bound, mean, rho, alpha", [(5, 4, 10, 0.5, 0.1), (1, 2, 5, 1.0, 0.05), (20, 4, 0, 0.5, 0.2)])
def test_the_papers_records_for_bounded_covariance_are_those_of_theorem_thirty(d, bound, mean, rho, alpha):
    """rho = 2 B^2 max a_i^2/s^2 with half of alpha for clipping and half for the noise's shape, s^2 sqrt(d/8); n is even."""
    plan = METHODS["gaussian"].plan_of
    answer = plan(dimension=d, covariance_bound=float(bound), mean_bound=float(mean), rho=rho, alpha=alpha, count=1)
    n = int(answer["answers"][0]["papers_records"])

    def spent(records):
        weight = 1 / records + math.sqrt((1 - 1 / records) / records)
        variance = alpha / 2 / math.sqrt(d / 8)
        return 2 * (clip_radius(d, bound, mean, records, alpha / 2) * weight) ** 2 / variance

    assert spent(n) <= rho * (1 + 1e-9)
    assert spent(n - 2) > rho * (1 - 1e-9)
