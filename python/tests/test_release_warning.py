"""What is mostly noise says so, in every model, before anything is charged."""

import pickle
import warnings

import pytest

import mollify as mo

ROWS = {"a": [1, 2, 3, 4] * 125, "b": [1, 1, 2, 3] * 125, "unit": list(range(500))}
SAID = {"outside": "clip", "null": 1}  # so that the domain warns of nothing
CELLS = {"a": mo.integer(1, 96, **SAID)}
FEW = {"a": mo.integer(1, 12, **SAID)}
PAIRS = {"a": mo.integer(1, 6, **SAID), "b": mo.integer(1, 4, **SAID)}
POINTS = {"a": mo.number(-5, 5, **SAID), "b": mo.number(-5, 5, **SAID)}

RULED = {
    "local": (FEW, dict(model="local", unit="unit"), 0.1, 1),
    "integral": (CELLS, dict(model="integral", count=1000), 2, 3800),
    "central": (CELLS, dict(model="central", count=5, delta=1e-6), 0.001, 0.3),
    "shared": (POINTS, dict(model="central", family="gaussian", shared=True, count=5, delta=1e-6), 0.6, None),
    "marginals": (PAIRS, dict(model="central", family="marginals", count=5, delta=1e-6), 0.001, 0.2),
}


@pytest.mark.parametrize("name", RULED)
def test_refuses_what_cannot_be_told_apart_and_warns_of_noise(name):
    domain, asked, indistinct, noisy = RULED[name]
    with pytest.raises(mo.InvalidInput, match="cannot be told apart from public noise") as refused:
        mo.sample(ROWS, domain, epsilon=indistinct, **asked)
    assert "accept it (accept_error)" in str(refused.value)
    with pytest.warns(mo.ReleaseWarning, match="cannot be told apart from public noise"):
        mo.sample(ROWS, domain, epsilon=indistinct, accept_error=True, **asked)
    made = dict(epsilon=noisy) if noisy else dict(epsilon=indistinct, accept_error=True)
    with pytest.warns(mo.ReleaseWarning, match="noise") as said:
        release = mo.sample(ROWS, domain, **made, **asked)
    assert release.warnings == [str(one.message) for one in said]
    assert all(one.filename == __file__ for one in said)
    assert 0 < release.total_variation <= 1
    assert release.why and release.notes
    back = pickle.loads(pickle.dumps(release))
    assert (back.why, back.notes, back.warnings) == (release.why, release.notes, release.warnings)
    assert back.total_variation == release.total_variation


@pytest.mark.parametrize("name", RULED)
def test_says_the_same_whatever_the_data_are(name):
    domain, asked, indistinct, noisy = RULED[name]
    made = dict(epsilon=noisy) if noisy else dict(epsilon=indistinct, accept_error=True)
    said = []
    for value in (1, 4, None, 10**6):
        rows = {"a": [value] * 500, "b": [value] * 500, "unit": list(range(500))}
        with pytest.warns(mo.ReleaseWarning) as given:
            mo.sample(rows, domain, **made, **asked)
        said.append([str(one.message) for one in given])
    assert all(one == said[0] for one in said)


def test_charges_nothing_where_a_warning_is_an_error(tmp_path):
    ledger = mo.Ledger(tmp_path / "ledger.db")
    ledger.declare("rows", epsilon=2, scope="table")
    with warnings.catch_warnings():
        warnings.simplefilter("error", mo.ReleaseWarning)
        with pytest.raises(mo.ReleaseWarning):
            mo.sample(ROWS, FEW, model="integral", epsilon=1, count=1, ledger=ledger, data_set="rows")
    assert ledger.balance("rows").remaining.epsilon == 2


def test_is_silent_of_a_good_release():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        release = mo.sample(ROWS, FEW, model="integral", epsilon=4, count=1)
    assert release.warnings == []


def test_says_what_a_large_epsilon_means_once():
    with pytest.warns(mo.ReleaseWarning, match="odds of a guess") as said:
        mo.sample(ROWS, FEW, model="integral", epsilon=12, count=1)
    assert len(said) == 1
    for make in (
        lambda epsilon: mo.Sampler(outcomes=12, epsilon=epsilon),
        lambda epsilon: mo.RandomizedResponse(k=12, epsilon=epsilon),
    ):
        with pytest.warns(mo.ReleaseWarning, match="odds of a guess") as said:
            make(12)
        assert len(said) == 1
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            make(9)
