"""Wrong parameters are named with the nearest one and all that there are; sentences name Python's parameters."""

import inspect
import json
import pickle
import re

import numpy as np
import pytest

import mollify as mo
from mollify import nonprivate

DOMAIN = {
    "sex": mo.categorical(["f", "m"], null="f", outside="f"),
    "age": mo.integer(0, 99, bins=10, null="0", outside="clip"),
}
NUMBERS = {name: mo.number(0, 1, null="0", outside="clip") for name in ("x", "y")}
FLAG = r"(?<![\w-])--[a-z]"
BUDGET = {"epsilon": 4, "delta": 1e-6, "count": 5, "accept_error": True}
ROWS = 400
TABLE = {"u": [i // 4 for i in range(ROWS)], "sex": ["f", "m"] * (ROWS // 2), "age": [i % 100 for i in range(ROWS)]}
POINTS = {"u": TABLE["u"], "x": np.linspace(0, 1, ROWS), "y": np.linspace(0, 1, ROWS) ** 2}

METHODS = [
    (mo.Local, DOMAIN, TABLE, {"epsilon": 8, "unit": "u"}),
    (mo.Local, NUMBERS, POINTS, {"epsilon": 8, "candidates": 100, "accept_error": True}),
    (mo.Integral, DOMAIN, TABLE, {"epsilon": 8, "count": 2}),
    (mo.IntegralModel, DOMAIN, TABLE, {"epsilon": 8, "accept_error": True}),
    (mo.Central, DOMAIN, TABLE, BUDGET),
    (mo.Central, DOMAIN, TABLE, BUDGET | {"unit": "u"}),
    (mo.Gaussian, NUMBERS, POINTS, BUDGET | {"covariance": np.eye(2)}),
    (mo.Gaussian, NUMBERS, POINTS, {"rho": 2, "count": 5, "covariance_bound": 2, "accept_error": True}),
    (mo.GaussianModel, NUMBERS, POINTS, BUDGET),
    (mo.Marginals, DOMAIN, TABLE, BUDGET),
    (mo.Marginals, DOMAIN, TABLE, BUDGET | {"unit": "u"}),
    (mo.Marginals, DOMAIN, TABLE, BUDGET | {"neighbours": "add-remove", "copula": True}),
]


def wrong(call):
    with pytest.raises(TypeError) as refused:
        call()
    assert isinstance(refused.value, mo.InvalidInput) and refused.value.code and refused.value.ways_out
    assert refused.value.__suppress_context__ or refused.value.__context__ is None, "the sentence alone is shown"
    return str(refused.value)


@pytest.mark.parametrize(
    ("call", "begins"),
    [
        (lambda: mo.Local(DOMAIN, eps=1), 'Local has no parameter "eps" (did you mean "epsilon"?). Its parameters are domain, epsilon, mu,'),
        (lambda: mo.Local.plan_of(aplha=0.1), 'Local.plan_of has no parameter "aplha" (did you mean "alpha"?). Its parameters are domain, k,'),
        (lambda: mo.integer(0, 9, bin=2), 'integer has no parameter "bin" (did you mean "bins"?). Its parameters are min, max, bins,'),
        (lambda: mo.advise(DOMAIN, purpos="table"), 'advise has no parameter "purpos" (did you mean "purpose"?).'),
        (lambda: mo.Sampler(k=3, eps=1), 'Sampler has no parameter "eps" (did you mean "epsilon"?).'),
        (lambda: mo.mbde(TABLE, DOMAIN, epsilo=1), 'mbde has no parameter "epsilo" (did you mean "epsilon"?). Its parameters are data,'),
        (lambda: mo.mbde(TABLE, DOMAIN, width=3, qqq=1), 'mbde has no parameter "qqq". Its parameters are data,'),
        (lambda: mo.nonprivate.law(3, [1], normalize=True), 'law has no parameter "normalize" (did you mean "normalise"?).'),
        (lambda: mo.Domain.draft({"a": [1]}, exclud=[]), 'Domain.draft has no parameter "exclud" (did you mean "exclude"?).'),
        (lambda: mo.Local(DOMAIN, epsilon=1, delta=1e-6), 'Local has no parameter "delta". Central, Gaussian, GaussianModel and Marginals have one.'),
        (lambda: mo.Local.plan_of(DOMAIN, n=3), 'Local.plan_of has no parameter "n". Central, Gaussian, GaussianModel and Marginals have one.'),
        (lambda: mo.Central(DOMAIN, epsilon=1, trees=True), 'Central has no parameter "trees". IntegralModel has one.'),
        (lambda: mo.Integral(DOMAIN, epsilon=1).sample(TABLE, count=2), 'Integral.sample has no parameter "count". It is a parameter of Integral itself.'),
        (lambda: mo.Local(DOMAIN, 1), "Local takes domain without a name, but you gave 2 values. Name the others, such as epsilon="),
        (lambda: mo.Marginals(count=1, epsilon=1), "domain is missing: Marginals needs domain."),
        (lambda: mo.risk(k=12, epsilon=2), 'risk has no parameter "k". Give it what draws: mo.risk(mo.Sampler(k=12, epsilon=2)), of 12 outcomes.'),
        (lambda: mo.reference(), "public, domain and out are missing: reference needs public, domain and out."),
        (lambda: mo.verify(), "certificate and domain are missing: verify needs certificate and domain."),
    ],
)  # fmt: skip
def test_a_wrong_parameter_is_named_with_those_that_there_are(call, begins):
    assert wrong(call).startswith(begins)


def test_a_seed_is_for_rows_of_a_released_model():
    method = mo.Marginals(DOMAIN, epsilon=8, count=2, accept_error=True)
    for call in (
        lambda: mo.Local(DOMAIN, epsilon=1, seed=3),
        lambda: method.sample(TABLE, seed=3),
        lambda: mo.Synthesizer(method, random_state=3),
        lambda: mo.Synthesizer(method).fit(TABLE).sample(2, seed=3),
        lambda: mo.Sampler(k=3, epsilon=1, seed=3),
    ):
        said = wrong(call)
        assert "A release takes no seed, because anyone who guessed it could subtract the noise." in said
        assert "model.sample(n, seed=...) draws the same rows of a released model again." in said


def public_calls():
    """All public functions, and classes with their methods."""
    for name in mo.__all__:
        one = getattr(mo, name)
        if inspect.isfunction(one):
            yield name, one
        elif inspect.isclass(one) and not issubclass(one, (Warning, Exception, tuple)):
            for base in one.__mro__:
                if base.__module__.startswith("mollify"):
                    for inside, value in vars(base).items():
                        value = getattr(value, "__func__", value)
                        if inspect.isfunction(value) and (inside == "__init__" or inside[0] != "_"):
                            yield f"{name}.{inside}", value
    for name in nonprivate.__all__:
        yield name, getattr(nonprivate, name)


@pytest.mark.parametrize(("name", "called"), list(public_calls()), ids=lambda one: one if isinstance(one, str) else "")
def test_every_public_call_refuses_an_unknown_name(name, called):
    signature = inspect.signature(called)
    if name == "Synthesizer.set_params":  # whose names are those of __init__
        with pytest.raises(mo.InvalidInput, match='^Synthesizer has no parameter "qqq". Its parameters are method'):
            mo.Synthesizer().set_params(qqq=1)
        return
    if name == "Labelled.domain":  # whose names are columns; test_labelled.py has a wrong one
        return
    is_method = "self" in signature.parameters or "cls" in signature.parameters
    owner = getattr(mo, name.partition(".")[0], None)
    instance = [owner.__new__(owner)] if is_method and owner is not None else []
    said = wrong(lambda: called(*instance, qqq=1))
    who = name.removesuffix(".__init__")
    assert said.startswith(f'{who} has no parameter "qqq". It')
    if not any(one.kind is one.VAR_KEYWORD for one in signature.parameters.values()):
        for parameter in set(signature.parameters) - {"self", "cls"}:
            assert parameter in said


@pytest.mark.parametrize(
    "call",
    [
        lambda: mo.Central.plan(n=3),
        lambda: mo.Local.sample("x.csv"),
        lambda: mo.Local.check(),
        lambda: mo.Ledger.declare(),
        lambda: mo.Synthesizer.fit(),
    ],
)
def test_a_method_of_an_object_is_not_called_on_its_class(call):
    with pytest.raises(TypeError, match="^[a-z]+ was called on a class: make an object of it first, and call its [a-z]+.$"):
        call()


def test_a_type_error_from_inside_stays_what_it_is():
    def make(names):
        raise TypeError("mine")

    with pytest.raises(TypeError, match="^mine$"):
        mo.Synthesizer(make).fit({"a": [1]})


def test_signatures_and_names_stay():
    assert str(inspect.signature(mo.Domain.draft)) == "(public, *, columns=None, exclude=()) -> Domain"
    assert inspect.signature(mo.Domain.draft).parameters["columns"].annotation == "Sequence[str] | None"
    assert list(inspect.signature(mo.Local).parameters)[:3] == ["domain", "epsilon", "mu"]
    assert "self" not in inspect.signature(mo.Local.plan_of).parameters
    assert mo.advise.__module__ == "mollify._analysis" and mo.advise.__doc__.startswith("Find the method")
    for one in (mo.advise, mo.Local.plan_of, mo.Domain.read):
        assert pickle.loads(pickle.dumps(one)) == one


def texts(given):
    """All texts in it, however deep, with the names of mappings."""
    if isinstance(given, str):
        yield given
    elif isinstance(given, dict):
        for name, one in given.items():
            yield from texts(name)
            yield from texts(one)
    elif isinstance(given, (list, tuple)):
        for one in given:
            yield from texts(one)


def shown(method, table, tmp_path):
    """Every text that Python shows of a method and of its release."""
    release = method.sample(table)
    yield from (method.__doc__, repr(method), str(release), release._repr_html_())
    for part in ("why", "notes", "warnings", "promised", "not_promised", "represents"):
        yield from texts(getattr(release, part))
    mo.report(release, tmp_path / "a.html", overwrite=True)
    yield (tmp_path / "a.html").read_text().partition("<h2>Certificate</h2>")[0].partition("<body>")[2]
    asked = {"n": ROWS} if "n" in inspect.signature(method.plan).parameters else {}
    for answer in (method.plan(**asked), method.check(table), method.compare(table), *estimates(release)):
        yield str(answer)
        yield from texts(answer.to_dict())


def estimates(release):
    try:
        yield mo.estimate(release)
    except mo.InvalidInput as refused:
        assert not re.search(FLAG, str(refused))


@pytest.mark.filterwarnings("always")
@pytest.mark.parametrize(("kind", "domain", "table", "parts"), METHODS, ids=lambda one: getattr(one, "word", ""))
def test_no_text_names_a_flag(kind, domain, table, parts, tmp_path, recwarn):
    found = list(shown(kind(domain, **parts), table, tmp_path))
    found += [str(one.message) for one in recwarn]
    assert len(found) > 20
    for text in found:
        assert not re.search(FLAG, text), text


@pytest.mark.parametrize("purpose", ["records", "estimates", "sample", "table"])
@pytest.mark.parametrize("protect", ["person", "row", "table"])
def test_no_advice_names_a_flag(purpose, protect):
    for domain in (DOMAIN, NUMBERS):
        for more in ({}, {"epsilon": 2}, {"epsilon": 2, "unit": "u"}):
            try:
                answer = mo.advise(domain, purpose=purpose, protect=protect, n=2000, count=20, **more)
            except mo.InvalidInput as refused:
                assert not re.search(FLAG, str(refused))
            else:
                for text in (str(answer), *texts(answer.to_dict()), *answer.calls):
                    assert not re.search(FLAG, text), text


def test_a_certificate_is_the_commands_however_python_shows_it():
    release = mo.Marginals(DOMAIN, **BUDGET).sample(TABLE)
    assert any("give --unit" in one for one in json.loads(release.certificate.json)["not_promised"])
    assert any("give unit" in one for one in release.not_promised)
