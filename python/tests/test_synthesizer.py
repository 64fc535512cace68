"""The estimator's protocol, and dp_accounting's events."""

import collections
import math
import warnings

import pytest

import mollify as mo
from by_word import by_word

np = pytest.importorskip("numpy")
pandas = pytest.importorskip("pandas")


def test_hands_out_what_was_released_and_then_refuses(domain):
    made = mo.Synthesizer(mo.Integral(domain, epsilon=1, count=5, accept_error=True))
    with pytest.raises(mo.InvalidInput, match="Call fit\\(table\\) first"):
        made.sample(1)
    X = np.array([[0, 1, 3, 1.5]] * 20, object)
    assert made.fit(X) is made
    frame = pandas.concat([made.sample(2), made.sample(3), made.sample(0)])
    assert frame.reset_index(drop=True).equals(made.release_.to_pandas())
    assert made.n_features_in_ == 4
    with pytest.raises(mo.InvalidInput, match="0 of 5 records are left"):
        made.sample(1)
    for wrong in (-1, 2.0, "a"):
        with pytest.raises(mo.InvalidInput, match="n_samples must be a whole number"):
            made.sample(wrong)
    with pytest.raises(mo.InvalidInput, match="4 columns"):
        made.fit(X[:, :3])
    made.fit(pandas.DataFrame(X, columns=list(domain)))
    assert len(made.sample(5)) == 5


def test_draws_more_from_a_released_model():
    domain = {
        "ward": mo.categorical(["north", "south"], null="north"),
        "born": mo.date("1990-01-01", "1999-12-31", bins="year", null="category"),
    }
    data = {"ward": ["north", "south"] * 200, "born": [None, "1995-06-01"] * 200}
    made = mo.Synthesizer(mo.Marginals(domain, epsilon=100, delta=1e-6, count=5)).fit(data)
    assert made.sample(3).equals(made.release_.to_pandas().iloc[:3])
    frame = made.sample(1000)
    assert len(frame) == 1000
    assert frame.dtypes.equals(made.release_.to_pandas().dtypes)
    assert frame.iloc[:2].equals(made.release_.to_pandas().iloc[3:].reset_index(drop=True))
    assert len(made.sample(7)) == 7
    assert len(made.release_) == 5


def test_parameters_are_set_and_told(domain):
    made = mo.Synthesizer(mo.Integral(domain, epsilon=2))
    assert made.get_params()["method"] == mo.Integral(domain, epsilon=2)
    other = mo.Integral(domain, epsilon=3)
    assert made.set_params(method=other, data_set="x").get_params()["method"] is other
    assert mo.Synthesizer(**made.get_params()).get_params() == made.get_params()
    with pytest.raises(mo.InvalidInput, match="random_state"):
        made.set_params(random_state=1)


def numbers(names):
    domain = {name: mo.number(-10, 10, bins=2, null=-10) for name in names}
    return mo.Integral(domain, epsilon=1, count=3, accept_error=True)


def test_passes_the_checks_of_scikit_learn():
    checks = pytest.importorskip("sklearn.utils.estimator_checks")
    made = mo.Synthesizer(numbers)
    with warnings.catch_warnings():  # that it does not inherit from scikit-learn's classes
        warnings.simplefilter("ignore")
        # Whether there are rows may be private, so an array without rows is not refused.
        known = {"check_estimators_empty_data_messages": "the number of rows may be private"}
        found = checks.check_estimator(made, on_skip=None, expected_failed_checks=known)
    statuses = {one["check_name"]: one["status"] for one in found}
    # One that says it is random is not asked to repeat itself, and no other kinds of arrays are here.
    assert {name for name, status in statuses.items() if status != "passed"} <= {
        "check_pipeline_consistency",
        "check_array_api_input",
        "check_estimators_empty_data_messages",
    }
    assert sum(status == "passed" for status in statuses.values()) > 30


def test_is_fitted_by_tables_of_every_kind(domain, tmp_path):
    columns = {name: ["1", "0"] for name in domain}
    frame = pandas.DataFrame(columns)
    frame.to_csv(tmp_path / "table.csv", index=False)
    rows = [["1", 0, [2], None], [1.5, "x", {}, 3]]
    for X in (columns, frame, tmp_path / "table.csv", rows, frame.to_records(index=False)):
        made = mo.Synthesizer(mo.Integral(domain, epsilon=1, count=2, accept_error=True)).fit(X)
        assert len(made.sample(2)) == 2
    by_names = mo.Synthesizer(numbers).fit(frame)
    assert list(by_names.sample(1).columns) == list(domain)
    assert list(by_names.feature_names_in_) == list(domain)
    with pytest.raises(mo.InvalidInput, match="names of columns"):
        mo.Synthesizer(numbers).fit(tmp_path / "table.csv")
    with pytest.raises(mo.InvalidInput, match="^method is missing: give a Synthesizer a method"):
        mo.Synthesizer().fit(frame)


class Hostile(list):
    """A row that raises whatever is asked of it."""

    def __iter__(self):
        raise RuntimeError("a private value speaks")

    __getitem__ = __len__ = __iter__


BAD_ROWS = [None, "text", b"xy", 7, [], ["male"], ["male", 1, 3, 1.5, "more"], Hostile(), object(), {"sex": []}, {}, ()]


@pytest.mark.parametrize("bad", BAD_ROWS, ids=lambda bad: type(bad).__name__)
def test_one_bad_row_changes_nothing(domain, bad, recwarn):
    """Wherever the row is: a list of rows is private, except its length."""
    made = mo.Synthesizer(mo.Integral(domain, epsilon=1, count=5, accept_error=True))
    good = [["male", 1, 3, 1.5]] * 5
    expected = made.fit(good).release_
    for rows in ([bad, *good], [*good, bad], [bad, None], (bad, *good), collections.deque([bad, *good])):
        found = made.fit(rows).release_
        assert found.certificate.json == expected.certificate.json and found.columns == expected.columns
        assert made.n_features_in_ == 4 and len(made.sample(5)) == 5
    assert not [one for one in recwarn if "private" in str(one.message)]


def test_rows_are_read_by_place_and_by_name():
    domain = mo.Domain({"x": mo.categorical(["a", "b"], null="category"), "y": mo.integer(0, 9, null=0)})
    method = mo.Integral(domain, epsilon=90, count=1)
    for rows, cell in (
        ([["b", 7]], ("b", 7)),
        ([("b", 7, "more"), ["b", 7]], ("b", 7)),
        ([np.array(["b", 7], object)], ("b", 7)),
        ([np.array([("b", 7)], [("x", "U1"), ("y", "i8")])[0]], ("b", 7)),
        ([{"y": 7, "x": "b"}], ("b", 7)),
        ([{"y": 7}], (None, 7)),
        ([["b"], ["b", None]], ("b", 0)),
        ([None], (None, 0)),
    ):
        made = mo.Synthesizer(method).fit(rows[:1] * 9 + rows[1:])
        assert tuple(made.release_[0].values()) == cell, rows
    one = mo.Synthesizer(mo.Integral({"y": mo.integer(0, 9, null=0)}, epsilon=90, count=1)).fit([7] * 9)
    assert one.release_[0] == {"y": 7}


def test_rows_of_one_length_are_an_array(domain):
    made = mo.Synthesizer(mo.Integral(domain, epsilon=1, count=5, accept_error=True))
    for rows in ([["male", 1, 3]] * 5, [("male", 1, 3, 1.5, 0)]):
        with pytest.raises(mo.InvalidInput, match=f"^X must have the domain's 4 columns, but has {len(rows[0])}$"):
            made.fit(rows)


def test_rows_have_no_names_for_a_function():
    with pytest.raises(mo.InvalidInput, match="X is a list of rows, which has none"):
        mo.Synthesizer(numbers).fit([[1.0, 2.0], None])


def test_an_array_without_rows_is_released(domain):
    made = mo.Synthesizer(mo.Integral(domain, epsilon=1, count=5, accept_error=True))
    for X in (np.empty((0, 4)), [], (), pandas.DataFrame(columns=list(domain))):
        assert len(made.fit(X).sample(5)) == 5


def release(domain, **options):
    return mo.Integral(domain, **options).sample({name: ["1"] * 9 for name in domain})


def composed(accountant, event, how):
    """The event three times, in each of the ways that dp_accounting has."""
    from dp_accounting import dp_event

    if how == "again":
        for _ in range(3):
            accountant.compose(event)
    elif how == "count":
        accountant.compose(event, 3)
    elif how == "self":
        accountant.compose(dp_event.SelfComposedDpEvent(event, 3))
    else:
        accountant.compose(dp_event.ComposedDpEvent([event] * 3))
    return accountant


@pytest.mark.parametrize("how", ["again", "count", "self", "list"])
@pytest.mark.parametrize("budget", [{"epsilon": 1.5}, {"mu": 1.5}, {"rho": 0.3}], ids=str)
def test_dp_accounting_composes_every_event(domain, budget, how):
    """By every accountant and under every relation, three times cost no less than three times."""
    pytest.importorskip("dp_accounting")
    from dp_accounting import NeighboringRelation, dp_event
    from dp_accounting.pld import PLDAccountant
    from dp_accounting.privacy_accountant import UnsupportedEventError
    from dp_accounting.rdp import RdpAccountant

    if "rho" in budget:
        made = mo.Marginals(domain, count=1, accept_error=True, **budget)
        released = made.sample({name: ["1"] * 9 for name in domain})
    else:
        released = release(domain, **budget)
    delta = 1e-6
    least = {
        "epsilon": 4.5,
        "mu": mo.Privacy(mu=1.5 * math.sqrt(3)).epsilon_up(delta),
        "rho": RdpAccountant().compose(dp_event.ZCDpEvent(0.9)).get_epsilon(delta),
    }[next(iter(budget))]
    taken = []
    for word, accountant in {"pld": PLDAccountant, "rdp": RdpAccountant}.items():
        for relation in NeighboringRelation:
            event = released.dp_event(word)
            try:
                found = composed(accountant(neighboring_relation=relation), event, how)
            except UnsupportedEventError:
                assert relation != NeighboringRelation.ADD_OR_REMOVE_ONE or "rho" in budget
                continue
            taken.append((word, relation))
            at = 0 if word == "pld" and "epsilon" in budget else delta
            assert found.get_epsilon(at) >= least - 1e-9
            if relation == NeighboringRelation.ADD_OR_REMOVE_ONE and word == "pld":
                assert found.get_epsilon(delta) <= least + 1e-3
    assert ("rdp", NeighboringRelation.ADD_OR_REMOVE_ONE) in taken


def test_dp_accounting_finds_what_is_promised(domain):
    """Composition is no worse than the sum, and not better than randomized response allows."""
    pytest.importorskip("dp_accounting")
    from dp_accounting.pld import PLDAccountant

    pure = release(domain, epsilon=1)
    accountant = PLDAccountant()
    accountant.compose(pure.dp_event())
    assert accountant.get_epsilon(0) == pytest.approx(1, abs=1e-3)
    assert accountant.get_epsilon(0) >= pure.guarantee.epsilon
    accountant.compose(pure.dp_event(), 9)
    assert accountant.get_epsilon(0) == pytest.approx(10, abs=1e-3)
    assert 1 < accountant.get_epsilon(1e-6) <= 10.01
    assert release(domain, mu=1).dp_event().noise_multiplier == pytest.approx(1)
    assert pure.privacy_loss().get_delta_for_epsilon(1.001) == pytest.approx(0, abs=1e-9)
    with pytest.raises(mo.InvalidInput, match='accountant must be "pld" or "rdp", but is'):
        pure.dp_event("renyi")


def test_dp_accounting_is_told_what_replacing_one_costs(domain):
    pytest.importorskip("dp_accounting")
    data = {name: ["1"] * 9 for name in domain}
    options = {"method": "marginals", "count": 1, "accept_error": True}

    def hidden(**budget):
        return by_word(domain, neighbours="add-remove", **options, **budget).sample(data)

    twice = by_word(domain, **options, epsilon=2).sample(data).dp_event()
    assert hidden(epsilon=1).dp_event() == twice
    assert hidden(rho=0.25).dp_event().rho == 1
    loss = hidden(epsilon=1, delta=1e-6).privacy_loss()
    assert loss.get_delta_for_epsilon(2.001) == pytest.approx(1e-6 * (1 + math.e), rel=1e-3)


def test_releases_every_family_and_a_lazy_frame():
    polars = pytest.importorskip("polars")
    domain = {"a": mo.number(0, 9, bins=3, null=0), "b": mo.number(0, 9, bins=3, null=0)}
    table = {"a": [1.0, 2.0, 8.0] * 500, "b": [3.0, 7.0, 5.0] * 500}
    lazy = polars.DataFrame(table).lazy()
    for options in (
        {"method": "marginals"},
        {"method": "marginals", "copula": True},
        {"method": "gaussian-model", },
    ):
        made = mo.Synthesizer(by_word(domain, epsilon=2, delta=1e-7, count=20, **options)).fit(lazy)
        assert len(made.sample(20)) == 20
        assert list(made.feature_names_in_) == ["a", "b"]
