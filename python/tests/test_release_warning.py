"""What is mostly noise says so, in every model, before anything is charged."""

import json
import pickle
import re
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

import mollify as mo
from by_word import by_word
from mollify.adapters.language import TokenSampler

ROWS = {"a": [1, 2, 3, 4] * 125, "b": [1, 1, 2, 3] * 125, "unit": list(range(500))}
SAID = {"outside": "clip", "null": 1}  # so that the domain warns of nothing
CELLS = {"a": mo.integer(1, 96, **SAID)}
FEW = {"a": mo.integer(1, 12, **SAID)}
PAIRS = {"a": mo.integer(1, 6, **SAID), "b": mo.integer(1, 4, **SAID)}
POINTS = {"a": mo.number(-5, 5, **SAID), "b": mo.number(-5, 5, **SAID)}

RULED = {
    "local": (FEW, dict(method="local", unit="unit"), 0.1, 1),
    "integral": (CELLS, dict(method="integral", count=1000), 2, 3800),
    "central": (CELLS, dict(method="central", count=5, delta=1e-6), 0.001, 0.3),
    "shared": (POINTS, dict(method="gaussian-model", count=5, delta=1e-6), 0.05, None),
    "marginals": (PAIRS, dict(method="marginals", count=5, delta=1e-6), 0.001, 0.12),
}


@pytest.mark.parametrize("name", RULED)
def test_refuses_what_cannot_be_told_apart_and_warns_of_noise(name):
    domain, asked, indistinct, noisy = RULED[name]
    with pytest.raises(mo.InvalidInput, match="cannot be told apart from public noise") as refused:
        by_word(domain, epsilon=indistinct, **asked).sample(ROWS)
    assert "add accept_error=True to release anyway" in str(refused.value)
    with pytest.warns(mo.ReleaseWarning, match="cannot be told apart from public noise"):
        by_word(domain, epsilon=indistinct, accept_error=True, **asked).sample(ROWS)
    made = dict(epsilon=noisy) if noisy else dict(epsilon=indistinct, accept_error=True)
    with pytest.warns(mo.ReleaseWarning, match="noise") as said:
        release = by_word(domain, **made, **asked).sample(ROWS)
    assert release.warnings == [str(one.message) for one in said]
    noise = next(one.message.message for one in said if one.message.code in ("mostly-noise", "indistinct-from-noise"))
    numbers = {one.name: one.value for one in noise.quantities}
    assert 0 < numbers["error"] and 0 < numbers["reference"] <= 1
    assert pickle.loads(pickle.dumps(noise)).quantities == noise.quantities
    assert {one.name: one.value for one in refused.value.quantities}["reference"] > 0
    assert all(one.filename == __file__ for one in said)
    assert 0 < release.total_variation <= 1
    assert release.why and release.notes
    back = pickle.loads(pickle.dumps(release))
    assert (back.why, back.notes, back.warnings) == (release.why, release.notes, release.warnings)
    assert back.total_variation == release.total_variation


def _before(given):
    """What is said before anything is drawn. The measured error comes later, and is paid for."""
    return [str(one) for one in given if one.code != "as-if-independent"]


@pytest.mark.parametrize("name", RULED)
def test_says_the_same_whatever_the_data_are(name):
    domain, asked, indistinct, noisy = RULED[name]
    made = dict(epsilon=noisy) if noisy else dict(epsilon=indistinct, accept_error=True)
    said = []
    for value in (1, 4, None, 10**6):
        rows = {"a": [value] * 500, "b": [value] * 500, "unit": list(range(500))}
        with pytest.warns(mo.ReleaseWarning) as given:
            by_word(domain, **made, **asked).sample(rows)
        said.append(_before([one.message for one in given]))
    assert all(one == said[0] for one in said)


def test_charges_nothing_where_a_warning_is_an_error(tmp_path):
    ledger = mo.Ledger(tmp_path / "ledger.db")
    ledger.declare("rows", epsilon=2, scope="table")
    with warnings.catch_warnings():
        warnings.simplefilter("error", mo.ReleaseWarning)
        with pytest.raises(mo.ReleaseWarning):
            mo.Integral(FEW, epsilon=1, count=1).sample(ROWS, ledger=ledger, data_set="rows")
    assert ledger.balance("rows").remaining.epsilon == 2


def test_is_silent_of_a_good_release():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        release = mo.Integral(FEW, epsilon=4, count=1).sample(ROWS)
    assert release.warnings == []


def test_says_what_a_large_epsilon_means_once():
    with pytest.warns(mo.ReleaseWarning, match="odds of a guess") as said:
        mo.Integral(FEW, epsilon=12, count=1).sample(ROWS)
    assert len(said) == 1
    for make in (
        lambda epsilon: mo.Sampler(k=12, epsilon=epsilon),
        lambda epsilon: mo.RandomizedResponse(k=12, epsilon=epsilon),
    ):
        with pytest.warns(mo.ReleaseWarning, match="odds of a guess") as said:
            make(12)
        assert len(said) == 1
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            make(9)


def test_says_what_a_large_mu_or_an_amplified_epsilon_means_once():
    mu = "mu 3 is epsilon 1.* at delta 1e-6 and allows that the output multiplies the odds of a guess"
    reports = dict(n=10, k=3, delta=1e-6)
    for make, match in (
        (lambda: mo.Sampler("gaussian-curve", k=12, mu=3), mu),
        (lambda: mo.Integral(FEW, mu=3, count=1).sample(ROWS), mu),
        (lambda: mo.amplify(epsilon0=20, **reports), "epsilon 20 .* odds of a guess"),
    ):
        with pytest.warns(mo.ReleaseWarning, match=match) as said:
            make()
        assert len(said) == 1
        assert said[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mo.Sampler("gaussian-curve", k=12, mu=1)
        mo.amplify(epsilon0=9, **reports)


NOISY = {
    "sampler": (lambda: mo.Sampler(k=1000, epsilon=0.01), "record is .*; epsilon=[0-9.]+ would do"),
    "response": (lambda: mo.RandomizedResponse(k=100, epsilon=0.001), "mo.estimate finds the .*; epsilon=.* would do"),
}


@pytest.mark.parametrize("name", NOISY)
def test_says_that_one_draw_is_noise(name):
    make, helps = NOISY[name]
    with pytest.warns(mo.ReleaseWarning, match="one draw cannot be told apart from public noise: .*" + helps) as said:
        made = make()
    assert [one.filename for one in said] == [__file__]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pickle.loads(pickle.dumps(made))  # it has warned already
        mo.RandomizedResponse(k=12, epsilon=1)
        TokenSampler(epsilon=0.1)  # a public model is near a private one
    with pytest.warns(mo.ReleaseWarning, match="odds of a guess") as said:
        TokenSampler(epsilon=12)
    assert [one.filename for one in said] == [__file__]


def line():
    """Of the caller."""
    return sys._getframe(1).f_lineno


def test_points_at_the_line_that_asked():
    noisy = dict(method="integral", epsilon=1, count=1)
    found = pytest.importorskip("opendp.prelude")
    found.enable_features("contrib", "honest-but-curious")
    from mollify.adapters.opendp import measurement
    from sklearn.pipeline import make_pipeline

    synthesizer = mo.Synthesizer(by_word(FEW, **noisy))
    measured = measurement(by_word(FEW, **noisy))
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        lines = [line() + i for i in range(1, 9)]
        by_word(FEW, **noisy).sample(ROWS)
        synthesizer.fit(ROWS)
        make_pipeline(synthesizer).fit(ROWS)
        measured(ROWS)
        mo.Sampler(k=12, epsilon=12)
        mo.Sampler(k=1000, epsilon=0.01)
        mo.RandomizedResponse(k=100, epsilon=0.001)
        mo.Domain({"a": mo.integer(1, 2)})
    codes = ["mostly-noise"] * 4 + ["large-epsilon"] + ["indistinct-from-noise"] * 2
    kinds = [*map(mo.ReleaseWarning.__getitem__, codes), mo.DomainWarning["undeclared-values"]]
    assert [(one.category, one.filename, one.lineno) for one in said] == [
        (kind, __file__, at) for kind, at in zip(kinds, lines)
    ]


def test_says_how_few_rows_or_outcomes_are_too_few_where_it_is_protected():
    model = dict(method="marginals", count=5, delta=1e-6, neighbours="add-remove")
    said = []
    for rows in (ROWS, {"a": [1, 2], "b": [4, 4]}):
        with pytest.warns(mo.ReleaseWarning, match="mostly noise if the table has fewer than") as given:
            release = by_word(PAIRS, epsilon=0.001, **model).sample(rows)
        said.append(_before([one.message for one in given]))
        assert release.total_variation is None
        assert "protected" in release.notes[0]
    assert said[0] == said[1], "how many rows there are is told by nothing"
    with pytest.raises(mo.InvalidInput, match="cannot be told apart .* of 1000000 records"):
        by_word(PAIRS, epsilon="1e-6", **model | {"delta": None}).sample(ROWS)

    found = dict(method="central", count=5, delta=1e-6)
    with pytest.raises(mo.InvalidInput, match="no support is found of fewer than 5528 records"):
        by_word(CELLS, epsilon=0.01, support="width=5", **found).sample(ROWS)
    with pytest.warns(mo.ReleaseWarning, match="mostly noise if the support that is found has more"):
        release = by_word({"a": mo.integer(1, 600, **SAID)}, epsilon=1, support="heavy", **found).sample(ROWS)
    facts = release.certificate.to_dict()
    assert 0.5 < facts["accuracy"]["total_variation"] < 1
    assert release.total_variation == facts["measured"]["accuracy"]["total_variation"]


UNITS = dict(method="local", unit="unit", epsilon=3)
FINITE = dict(method="central", count=5, epsilon=4, delta=1e-6)
GAUSSIAN = dict(method="gaussian", count=5, epsilon=4, delta=1e-6)
TABLE = dict(method="marginals", count=5, epsilon=8, delta=1e-6)
BITS = {"a": mo.integer(1, 2, **SAID), "b": mo.integer(1, 2, **SAID)}
EVERY = {
    "minimax": (FEW, UNITS | {"mechanism": "minimax"}),
    "relative": (FEW, UNITS | {"mechanism": "relative"}),
    "class": (FEW, UNITS | {"mechanism": "class", "c1": 0.5, "c2": 4}),
    "neighbourhood": (FEW, UNITS | {"mechanism": "neighbourhood", "gamma": 2}),
    "public-kernel": (FEW, UNITS | {"mechanism": "public-kernel", "reference": {"a": [1, 2]}}),
    "randomized-response": (FEW, UNITS | {"mechanism": "randomized-response"}),
    "mixture": (FEW, UNITS | {"mechanism": "mixture"}),
    "gaussian-curve": (FEW, dict(method="integral", mu=2, mechanism="gaussian-curve")),
    **{mechanism: (FEW, UNITS | {"mechanism": mechanism}) for mechanism in ("naive", "convex", "scale-and-shift")},
    "a roster": (FEW, UNITS | {"units": list(range(500))}),
    "a reference": (FEW, UNITS | {"reference": {"a": [1, 2, 3]}}),
    "a typical band": (FEW, UNITS | {"band": "typical"}),
    "several draws": (FEW, UNITS | {"epsilon": 9, "count": 3}),
    "a grid": (POINTS, dict(method="integral", epsilon=4, space="grid", cells=4)),
    "candidates": (POINTS, dict(method="integral", epsilon=4, space="candidates", candidates=20)),
    **{
        score: (POINTS, dict(method="integral", epsilon=4, space="grid", cells=4, score=score))
        for score in ("kernel", "histogram", "gaussian-mixture")
    },
    **{
        score: (POINTS, dict(method="integral", epsilon=4, space="candidates", candidates=20, score=score))
        for score in ("ratio", "mbde")
    },
    "empirical": (FEW, dict(method="integral", epsilon=4, score="empirical")),
    "likelihood": (PAIRS, dict(method="integral-model", epsilon=8, candidates=50, count=20)),
    **{
        mechanism: (FEW, FINITE | {"mechanism": mechanism})
        for mechanism in ("auto", "subsampled-rr", "reveal-or-obscure", "ds-roo", "subset-rr", "histogram")
    },
    "shuffled-rr": (FEW, FINITE | {"mechanism": "shuffled-rr", "count": 500}),
    "poisson-rr": (FEW, FINITE | {"mechanism": "poisson-rr", "count": None, "rate": 0.01}),
    "product": (BITS, FINITE | {"mechanism": "product", "delta": None}),
    "product in rho": (BITS, dict(method="central", count=5, mechanism="product", rho=1)),
    "units of a table": (FEW, FINITE | {"unit": "unit"}),
    **{
        support: (CELLS, FINITE | {"support": support})
        for support in ("width=5", "subgaussian=2", "heavy", "bounded", "contiguous")
    },
    "gaussian": (POINTS, GAUSSIAN | {"mean_bound": 1, "covariance_bound": 1}),
    "gaussian with a covariance": (POINTS, GAUSSIAN | {"mean_bound": 1, "covariance": np.eye(2)}),
    "gaussian without a bound": (POINTS, GAUSSIAN | {"covariance_bound": 2}),
    "shared": (POINTS, GAUSSIAN | {"method": "gaussian-model", "epsilon": 50}),
    "marginals": (PAIRS, TABLE),
    "marginals of units": (PAIRS, TABLE | {"unit": "unit"}),
    "add-remove": (PAIRS, TABLE | {"neighbours": "add-remove"}),
    "copula": (PAIRS, TABLE | {"copula": True}),
    "private bins": ({"a": mo.number(0, 9, bins="private", **SAID), "b": PAIRS["b"]}, TABLE),
}


@pytest.mark.parametrize("name", EVERY)
def test_says_what_is_known_of_every_release(name):
    domain, asked = EVERY[name]
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always", mo.ReleaseWarning)
        release = by_word(domain, accept_error=True, **asked).sample(ROWS)
    assert release.warnings == [str(one.message) for one in said]
    assert release.why and all(release.why.split())
    assert release.notes and all(release.notes)
    if name == "add-remove":
        assert release.total_variation is None and "fewer than" in release.warnings[-1]
    elif name == "heavy":
        assert release.total_variation is None, "how many outcomes there are is not known"
    else:
        assert 0 <= release.total_variation <= 1


def test_every_name_of_a_mechanism_and_a_score_is_among_them():
    schema = (Path(__file__).parents[2] / "schema/release-spec.schema.json").read_text()
    names = {
        name
        for key in ("mechanism", "scorer")
        for listed in re.findall(rf'"{key}": {{[^}}]*?"enum": (\[[^\]]*\])', schema)
        for name in json.loads(listed)
    }
    assert len(names) > 20
    assert names <= EVERY.keys()


def test_analyses_warn_as_the_command_does():
    public = {"a": [1, 2, 3], "unit": [1, 2, 2]}
    method = mo.Local(FEW, unit="unit", epsilon=12)
    for call in (lambda: method.compare(ROWS), lambda: method.tune(public), lambda: mo.Integral(FEW, epsilon=12).compare(ROWS)):
        with pytest.warns(mo.ReleaseWarning, match="odds of a guess") as said:
            call()
        assert {one.filename for one in said} == {__file__}
        assert len({str(one.message) for one in said}) == len(said)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mo.Integral(FEW, epsilon=4).compare(ROWS)


def test_what_the_domain_has_warned_of_is_not_said_again():
    with pytest.warns(mo.DomainWarning):
        domain = mo.Domain({"a": mo.integer(1, 12)})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mo.Integral(domain, epsilon=4).compare(ROWS)
