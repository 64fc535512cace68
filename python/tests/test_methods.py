"""Methods as values: immutable, checked when they are made, and equal if all that is public is."""

import dataclasses
import pickle

import pytest

import mollify as mo
from mollify._methods import METHODS

CITIES = {"city": mo.categorical(["Ghent", "Lille"], null="Ghent", outside="Ghent")}
NUMBERS = {"x": mo.number(0, 9, null=0, outside="clip")}
MADE = {
    "local": lambda: mo.Local(CITIES, unit="who", units=["ann", "bob"], epsilon="2.50"),
    "integral": lambda: mo.Integral(CITIES, epsilon=2, reference={"city": ["Lille"] * 9}),
    "integral-model": lambda: mo.IntegralModel(CITIES, epsilon=2, candidates=10, trees=True),
    "central": lambda: mo.Central(CITIES, epsilon=1, delta=1e-6, count=3),
    "gaussian": lambda: mo.Gaussian(NUMBERS, rho=0.5, count=3, covariance=[[2]], log=["x"]),
    "gaussian-model": lambda: mo.GaussianModel(NUMBERS, epsilon=1, delta=1e-6, count=3),
    "marginals": lambda: mo.Marginals(CITIES, rho=0.5, count=3, neighbours="add-remove"),
}


@pytest.mark.parametrize("word", METHODS)
def test_are_values(word):
    method = MADE[word]()
    again = MADE[word]()
    assert type(method) is METHODS[word]
    assert method == again
    assert len({method, again, pickle.loads(pickle.dumps(method)), dataclasses.replace(method)}) == 1
    assert method.spec["method"] == word
    other = dataclasses.replace(method, count=7)
    assert other != method
    assert other.spec == method.spec | {"count": 7}
    assert repr(method).startswith(f"{type(method).__name__}(Domain(")
    for name in ("count", "domain", "epsilon", "sideways"):
        with pytest.raises(AttributeError):
            setattr(method, name, 9)
    assert method == again


def test_know_what_they_were_made_with():
    roster = {"who": ["ann", "bob"]}
    method = mo.Local(CITIES, unit="who", units=roster, epsilon="2.50")
    assert method.spec["privacy"] == {"epsilon": "2.5"}
    assert method.spec["roster"] == {"file": "units (in memory)"}
    assert repr(method) == (
        "Local(Domain(city: 2 outcomes), epsilon='2.50', unit='who', units=<2 rows in memory>)"
    )
    assert isinstance(method.domain, mo.Domain)
    data = {"who": ["ann"] * 9, "city": ["Lille"] * 9}
    released = method.sample(data)
    roster["who"].append("cyd")  # too late
    assert len(method.sample(data)) == len(released) == 2
    fewer = mo.Local(CITIES, unit="who", units=["ann"], epsilon="2.50")
    assert fewer.spec == method.spec
    assert fewer != method


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: mo.Local(CITIES), "the budget is missing: give epsilon or mu"),
        (lambda: mo.Local(CITIES, epsilon=1, mu=1), "mu"),
        (lambda: mo.Local(CITIES, epsilon=0), "epsilon must be finite and positive, but is 0"),
        (lambda: mo.Local(CITIES, epsilon=1, count=0), "count must be from 1"),
        (lambda: mo.Local(CITIES, epsilon=1, units=["a"]), "units needs unit"),
        (lambda: mo.Integral(CITIES, epsilon=1, mechanism="best"), "mechanism must be minimax"),
        (lambda: mo.IntegralModel(CITIES, epsilon=1, band="typical"), "mo.IntegralModel takes a band"),
        (lambda: mo.Central(CITIES, epsilon=1), "count is missing"),
        (lambda: mo.Central(CITIES, epsilon=1, count=1, mechanism="minimax"), "mechanism must be auto"),
        (lambda: mo.Gaussian(NUMBERS, epsilon=1, count=1), "the covariance is missing"),
        (lambda: mo.Gaussian(NUMBERS, epsilon=1, count=1, covariance=[[1, 2]]), "has shape"),
        (lambda: mo.GaussianModel(NUMBERS, rho=1, delta=1e-6, count=1), "rho includes its own delta"),
        (lambda: mo.Marginals(CITIES, epsilon=1, count=1, neighbours="next"), "neighbours must be"),
        (lambda: mo.Marginals(3, epsilon=1, count=1), "a domain must be"),
    ],
)
def test_check_themselves_when_made(make, said):
    with pytest.raises(mo.InvalidInput) as refused:
        make()
    assert said in str(refused.value)
    assert "--" not in str(refused.value)


def test_of_no_class_are_not_made():
    with pytest.raises(TypeError, match=r"mo\.Local"):
        mo.Method(CITIES)


def test_refuse_the_private_data_among_public_inputs():
    data = {"city": ["Lille"] * 9, "who": ["ann"] * 9}
    method = mo.Local(CITIES, unit="who", units=data, epsilon=1)
    for use in (method.sample, method.check, method.compare):
        with pytest.raises(mo.InvalidInput, match=r"but is the private data itself\. Give a public list of all units: a list,"):
            use(data)
    with pytest.raises(mo.InvalidInput, match=r"^units \(in memory\) row 1, counted from 0, must name a new unit"):
        mo.Local(CITIES, unit="who", units=dict(data), epsilon=1).sample(data)
    with pytest.raises(mo.InvalidInput, match="reference must be public"):
        mo.Integral(CITIES, epsilon=1).check(data, reference=data)


def test_state_the_support_that_was_found():
    days = {"day": mo.integer(0, 99_999, bins=100_000, null=0, outside="clip")}
    rows = {"day": [30_000 + i % 5 for i in range(20_000)]}
    for support in ("width=500", "heavy"):
        release = mo.Central(days, epsilon=2, delta=1e-6, count=5, support=support).sample(rows)
        facts = release.certificate.to_dict()
        found = facts["measured"]["accuracy"]
        assert release.notes[-1] == facts["measured"]["words"]
        assert release.total_variation == found["total_variation"]
        assert found["draw"] < 0.1 < facts["accuracy"]["total_variation"]
        assert mo.verify(release, days).holds
    assert release.total_variation is None, "how many rows are outside of heavy outcomes is private"


def test_plan_what_they_are():
    method = mo.Central(CITIES, epsilon=1, delta=1e-6, count=3)
    of_class = mo.Central.plan_of(CITIES, epsilon=1, delta=1e-6, count=3, n=500)
    assert method.plan(n=500).json == of_class.json
    assert mo.Local(CITIES, unit="who", epsilon=1).plan().json == mo.Local.plan_of(CITIES, epsilon=1, count=1).json
    assert mo.GaussianModel(NUMBERS, epsilon=1, delta=1e-6, count=3).plan(n=10**5)["answers"]
    assert mo.Marginals(CITIES, epsilon=1, count=3).plan(alpha=0.1)
    days = {"day": mo.integer(0, 99_999, bins=100_000, null=0, outside="clip")}
    method = mo.Central(days, epsilon=2, delta=1e-6, count=5, support="width=500")
    assert method.plan(n=20_000)["support"]["k"] == 1500
    heavy = mo.Central.plan_of(k=8, epsilon=2, delta=1e-6, support="heavy", alpha=0.05)
    assert heavy["support"]["k"] == 8
    with pytest.raises(mo.InvalidInput, match="a plan knows nothing of rate"):
        mo.Central(CITIES, epsilon=1, delta=1e-6, rate=0.1).plan(n=500)


def test_compare_several_budgets_and_mechanisms():
    data = {"city": ["Lille"] * 9}
    method = mo.Integral(CITIES, epsilon=1)
    several = method.compare(data, epsilon=[0.5, 1])
    assert str(several)
    assert "randomized-response" in method.compare(data, mechanism="all").json
    assert method.spec["privacy"] == {"epsilon": "1"}
