"""The ledger: declared, charged, kept."""

import pickle

import pytest

import mollify as mo

DATA = {"a": ["x"] * 1000}
DOMAIN = {"a": mo.categorical(["x", "y"])}


def release(ledger, epsilon):
    return mo.sample(
        DATA,
        DOMAIN,
        model="central",
        epsilon=epsilon,
        delta=1e-7,
        count=2,
        ledger=ledger,
        data_set="health",
    )


def test_is_charged_before_a_release_and_refuses_what_is_above_the_total(tmp_path):
    ledger = mo.Ledger(tmp_path / "budget.db")
    assert ledger.balances() == []
    ledger.declare("health", epsilon=1, delta=1e-6, scope="row")
    release(ledger, 0.5)
    balance = ledger.balance("health")
    assert balance.releases == 1
    assert balance.total == mo.Privacy(epsilon=1, delta=1e-6)
    # What the release promises, at the delta of the total: a little less than it was allowed.
    assert 0.49 < balance.spent.epsilon <= 0.5
    assert 0.5 <= balance.remaining.epsilon < 0.51
    with pytest.raises(mo.InvalidInput):
        release(tmp_path / "budget.db", 0.6)
    release(pickle.loads(pickle.dumps(ledger)), 0.5)
    assert ledger.balance("health").releases == 2
    assert [one.data_set for one in ledger.balances()] == ["health"]


def test_what_has_no_total_is_refused_in_pythons_words(tmp_path):
    with pytest.raises(mo.InvalidInput) as refused:
        release(tmp_path / "budget.db", 0.5)
    assert str(refused.value).endswith("so nothing would ever be refused: declare one (Ledger.declare)")
    mo.Ledger(tmp_path / "budget.db").declare("other", epsilon=1)
    with pytest.raises(mo.InvalidInput) as refused:
        release(tmp_path / "budget.db", 0.5)
    assert str(refused.value).endswith(
        ", which has totals for other (data_set names one), so nothing would ever be refused: "
        "declare one (Ledger.declare)"
    )


def test_refuses_what_is_no_total(tmp_path):
    ledger = mo.Ledger(tmp_path / "budget.db")
    ledger.declare("a", rho=0.5, scope="unit=person")
    assert ledger.balance("a").total == mo.Privacy(rho=0.5)
    for wrong in (
        {},
        {"epsilon": 1, "rho": 1},
        {"delta": 1e-6},
        {"epsilon": -1},
        {"epsilon": 1, "scope": "city"},
    ):
        with pytest.raises(mo.InvalidInput):
            ledger.declare("b", **wrong)
    with pytest.raises(mo.InvalidInput):
        ledger.declare("a", rho=1)
    ledger.declare("a", rho=1, replace=True)
    (tmp_path / "no.db").write_text("no ledger\n" * 100)
    with pytest.raises(mo.InvalidInput):
        mo.Ledger(tmp_path / "no.db")


def test_charges_refuse_what_is_no_cost(tmp_path):
    ledger = mo.Ledger(tmp_path / "budget.db")
    ledger.declare("a", epsilon=1)
    for cost, count in ((0.5, 1), (mo.Privacy(epsilon=-1), 1), (mo.Privacy(epsilon=1), -1), (mo.Privacy(epsilon=1), "a")):
        with pytest.raises(mo.InvalidInput) as refused:
            ledger.charge("a", cost, count=count)
        assert "\n" not in str(refused.value)
    assert ledger.balance("a").releases == 0


def test_composes_and_converts_to_the_safe_side():
    pure = mo.Privacy(epsilon=1)
    assert mo.compose([pure, pure]) == mo.Privacy(epsilon=2)
    assert mo.compose([mo.Privacy(rho=0.25), mo.Privacy(rho=0.25)]) == mo.Privacy(rho=0.5)
    assert mo.Privacy(rho=0.5).epsilon_up(1e-6) > 0.5
    assert 0 < mo.Privacy(mu=1).delta_up(1) < 1
    assert mo.Privacy(mu=1).rho_up() >= 0.5
    with pytest.raises(mo.InvalidInput):
        mo.Privacy(epsilon=1, delta=1e-6).rho_up()
    with pytest.raises(mo.InvalidInput, match="one is of type float"):
        mo.compose([pure, 0.5])
    for wrong in ({}, {"epsilon": 1, "rho": 1}, {"rho": 1, "delta": 0.1}):
        with pytest.raises(mo.InvalidInput):
            mo.Privacy(**wrong)
