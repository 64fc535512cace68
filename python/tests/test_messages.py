"""Wrong arguments are refused in Python's words: no flag and no command is named."""

import dataclasses
import re
import sys

import pytest

import mollify as mo

from wrong_calls import DOMAIN, METHODS, NUMBERS, POINTS, TABLE, wrong_calls


@pytest.mark.filterwarnings("ignore:.*may take longer than two seconds:RuntimeWarning")
def test_no_refusal_names_a_flag_or_a_command(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    refused = 0
    for name, call in wrong_calls():
        try:
            call()
        except (mo.InvalidInput, TypeError, KeyError) as error:
            said = str(error)
        else:
            pytest.fail(f"{name} is not refused")
        refused += 1
        assert "--" not in said, f"{name}: {said}"
        assert len(said) > 10, name
        assert "nanobind" not in said and "incompatible function arguments" not in said, f"{name}: {said}"
    print(f"{refused} wrong calls")
    assert not (tmp_path / "x.db").exists()
    assert not (tmp_path / "nosuch.db").exists()


def refusal(call):
    with pytest.raises(mo.InvalidInput) as refused:
        call()
    return str(refused.value)


def test_a_plan_says_which_numbers_it_needs():
    said = refusal(lambda: mo.Central(DOMAIN, epsilon=1, count=3).plan())
    assert said.startswith("n and alpha are missing. Give n, the public number of rows or units")


@pytest.mark.parametrize("kind", [mo.Central, mo.GaussianModel, mo.Marginals])
def test_a_plan_says_whose_data_its_method_protects(kind):
    domain, _, usual = METHODS[kind]
    alone = " ".join(str(kind(domain, **usual).plan(n=900)).split())
    assert alone.endswith("to protect whole persons, give unit to the method and count persons here")
    together = " ".join(str(kind(domain, unit="u", **usual).plan(n=900)).split())
    assert together.endswith('all rows of each unit of "u" are protected together, and n counts units, not rows')
    assert "each row is protected" not in together


def test_amplify_says_at_once_what_is_missing():
    needs = "amplify needs k and exactly three of n, epsilon0, epsilon and delta, and finds the fourth. You gave "
    for given, words in (
        ({}, "none of them."), ({"k": 3}, "k."), ({"n": 9, "epsilon": 1}, "n and epsilon."),
        ({"n": 9, "epsilon0": 1, "delta": 1e-6}, "n, epsilon0 and delta."),
        ({"k": 3, "n": 9, "epsilon": 1, "epsilon0": 1, "delta": 1e-6}, "k, n, epsilon0, epsilon and delta."),
    ):  # fmt: skip
        assert refusal(lambda g=given: mo.amplify(**g)) == needs + words


def test_a_picture_without_its_package_names_the_extra(monkeypatch, tmp_path):
    pytest.importorskip("altair")
    monkeypatch.setitem(sys.modules, "vl_convert", None)  # as if it were not installed
    charts = [mo.Local.plan_of(k=5, epsilon=1).plot()]
    ledger = mo.Ledger(tmp_path / "l.db")
    ledger.declare("a", epsilon=1)
    charts.append(ledger.plot("a"))
    for chart in charts:
        for name in ("a.png", "a.svg"):
            with pytest.raises(ImportError, match=r'^vl-convert is missing: pip install "mollify-dp\[plot\]"$'):
                chart.save(tmp_path / name)
        chart.save(tmp_path / "a.html")
        assert "save" not in chart.to_dict()


def test_verification_has_no_epsilon_of_a_draw_where_rows_are_protected():
    for kind, number in ((mo.Marginals, False), (mo.Central, False), (mo.Local, True)):
        domain, table, usual = METHODS[kind]
        found = mo.verify(kind(domain, **usual).sample(table), domain)
        assert found.holds and (found.epsilon_realised_up is not None) == number


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: mo.Local(DOMAIN, epsilon=1, unit=["u", "u"]), 'unit must name each column once, but has "u" twice'),
        (lambda: mo.Local(DOMAIN, epsilon=1, mechanism=["naive"]), "mechanism must be one text, but is ['naive']"),
        (lambda: mo.Local(DOMAIN, epsilon=[1, 2]), "epsilon must be one number, but is [1, 2]. plan_of and compare take several epsilons."),
        (lambda: mo.Local.plan_of(DOMAIN, epsilon=[]), "epsilon must be a budget or a list of budgets, but is []"),
        (lambda: mo.Local.plan_of(DOMAIN, epsilon=1, region=3), "region must be a text or a list of texts, but is 3"),
        (lambda: mo.Marginals.plan_of(epsilon=1, n=9), "domain is missing: Marginals.plan_of needs a Domain, its columns or its file"),
        (lambda: mo.Domain.draft(TABLE, columns=[]), "columns must name a column of the table. Leave it out to draft all columns."),
        (lambda: mo.Integral(DOMAIN, epsilon=9).sample(TABLE, lists=["q"]), 'lists must name columns of the domain, which are sex, age, but has "q"'),
        (lambda: mo.mbde(model="/nosuch/m.json"), "/nosuch/m.json cannot be read: there is no folder /nosuch"),
        (lambda: mo.verify("/nosuch/c.json", DOMAIN), "/nosuch/c.json cannot be read: there is no folder /nosuch"),
        (lambda: mo.Marginals(DOMAIN, epsilon=1), "count is missing: how many records to release"),
        (lambda: mo.Central(DOMAIN, epsilon=1), "count is missing: how many records to release"),
        (lambda: mo.GaussianModel(NUMBERS, epsilon=1), "count is missing: how many records to release"),
        (lambda: mo.Gaussian(NUMBERS, epsilon=1), "count is missing: how many records to release"),
        (lambda: mo.mbde(POINTS, NUMBERS, epsilon=1, width="x"), "width must be a whole number, but is 'x'"),
        (lambda: mo.candidates(DOMAIN, "nosuch/c.csv"), "nosuch/c.csv cannot be written: make the folder nosuch first"),
        (lambda: mo.generate(None, 3), "model must be the model of a release by mo.Marginals or mo.IntegralModel (release.model) or its file, but is None"),
    ],
)  # fmt: skip
def test_a_refusal_says_what_to_give(call, said):
    assert refusal(call) == said


def test_a_file_that_is_not_there_is_refused_with_its_folder_and_the_nearest_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "first.json").touch()
    said = refusal(lambda: mo.verify("frst.json", DOMAIN))
    assert said == f'frst.json cannot be read: there is no such file in {tmp_path}/ (did you mean "first.json"?)'


def test_a_missing_name_of_the_package_suggests_one():
    with pytest.raises(AttributeError) as missing:
        mo.marginals
    assert missing.value.name == "marginals" and missing.value.obj is mo


def test_privacy_says_what_it_takes():
    assert mo.Privacy(epsilon="1") == mo.Privacy(epsilon=1)
    assert refusal(mo.Privacy).endswith("You gave none of them.")
    assert refusal(lambda: mo.Privacy(epsilon=1, rho=1)).endswith("You gave epsilon and rho.")
    assert refusal(lambda: mo.Privacy(epsilon=-1)) == "epsilon must be finite and at least 0, but is -1"


def test_a_refused_release_leaves_no_ledger(tmp_path):
    path = tmp_path / "new.db"
    said = refusal(lambda: mo.Integral(DOMAIN, epsilon=9).sample(TABLE, ledger=path, data_set="a"))
    assert "does not exist" in said and "declare" in said
    assert not path.exists()


def test_an_unknown_data_set_is_refused_with_those_that_the_ledger_has(tmp_path):
    ledger = mo.Ledger(tmp_path / "l.db")
    (tmp_path / "l.db").touch()
    assert refusal(lambda: ledger.balance("a")) == f'the ledger {ledger.path} has no data set named "a". It is empty.'
    ledger.declare("people", epsilon=1)
    ledger.declare("visits", epsilon=1)
    for call in (ledger.balance, ledger.history, ledger.plot):
        said = refusal(lambda: call("peopel"))
        assert said.endswith('has no data set named "peopel" (did you mean "people"?). It has "people", "visits".')
    assert ledger.balance("people").total == mo.Privacy(epsilon=1)


def test_a_ledger_without_its_data_set_says_which_is_missing(tmp_path):
    ledger = mo.Ledger(tmp_path / "l.db")
    method = mo.Central(DOMAIN, epsilon=1, count=2, accept_error=True)
    assert refusal(lambda: method.sample(TABLE, ledger=ledger)).startswith("data_set is missing")
    assert refusal(lambda: method.sample(TABLE, data_set="a")).startswith("ledger is missing")


def test_a_scope_that_a_release_does_not_protect_has_a_way_out(tmp_path):
    ledger = mo.Ledger(tmp_path / "l.db")
    ledger.declare("a", epsilon=9, delta=1e-5, scope="unit=u")
    method = mo.Central(DOMAIN, epsilon=1, delta=1e-6, count=2, accept_error=True)
    way = 'protects no more than each row. Give the method unit="u", or a charge scope="unit=u".'
    for call in (
        lambda: method.sample(TABLE, ledger=ledger, data_set="a"),
        lambda: ledger.charge("a", mo.Privacy(epsilon=1)),
    ):
        assert refusal(call).endswith(way)
    dataclasses.replace(method, unit="u").sample(TABLE, ledger=ledger, data_set="a")


def test_refusals_name_methods_by_their_classes():
    said = refusal(lambda: mo.Gaussian(NUMBERS, epsilon=1, delta=1e-6, count=2).sample(POINTS))
    assert "use mo.GaussianModel" in said and "method gaussian-model" not in said
    said = refusal(lambda: mo.Central(DOMAIN, epsilon=1e-4, count=2).sample(TABLE))
    assert said.endswith("add accept_error=True to release anyway")


def test_what_is_no_table_no_method_and_no_path_is_named(tmp_path):
    release = mo.Local(DOMAIN, unit="u", units=[1, 2], epsilon=8).sample(TABLE)
    assert refusal(lambda: mo.estimate(5)).startswith("released must be a table: a data frame")
    assert refusal(lambda: mo.estimate(TABLE)).startswith("certificate is missing: records that are not a Release")
    for answer in (mo.estimate(release), mo.Local.plan_of(k=5, epsilon=1)):
        name = type(answer).__name__
        said = refusal(lambda: mo.report(answer, tmp_path / "a.html"))
        assert said.endswith(f"but is of type {name}. {name}.plot() draws it, and print shows it in words")
    assert refusal(lambda: mo.report(5, tmp_path / "a.html")).endswith("listed, but is of type int")
    for wrong in (5, mo.Marginals, lambda names: names):
        said = refusal(lambda: mo.Synthesizer(wrong).fit(TABLE))
        assert said.startswith("method must be a method, such as mo.Central(domain, ...), or a function that makes one")
    made = mo.Synthesizer(mo.Local(DOMAIN, epsilon=8)).fit(TABLE)
    for wrong in (-1, 1.5):
        said = refusal(lambda: made.sample(wrong))
        assert said == f"n_samples must be a whole number from 0 to 100000000, but is {wrong}"
    assert refusal(lambda: mo.candidates(DOMAIN, 100)) == "out must be a path, but is 100"
    assert refusal(lambda: mo.reference(POINTS, NUMBERS, 100)) == "out must be a path, but is 100"
    for call in (release.to_csv, release.to_parquet, release.write, release.certificate.write):
        assert refusal(lambda: call(5)) == "a file to write must be a path, but is 5"
    for call in (mo.Domain.read, mo.Model.read, mo.Certificate.read, mo.Ledger):
        assert refusal(lambda: call(5)).endswith("file must be a path, but is 5")


def test_a_missing_column_is_named_with_those_that_are_there():
    for table in ({"sexe": ["f"], "age": [1]}, {"q": [1]}):
        said = refusal(lambda t=table: mo.Integral(DOMAIN, epsilon=9).sample(t))
        assert 'has no column "sex"' in said


@pytest.mark.parametrize("frame", [dict, "pandas", "polars", "pyarrow"])
def test_sentences_about_tables_in_memory_name_no_file_and_no_line(frame):
    def made(columns):
        if frame == "pyarrow":
            return pytest.importorskip("pyarrow").table(columns)
        return columns if frame is dict else pytest.importorskip(frame).DataFrame(columns)

    data, lacking = made(TABLE), made({"q": ["f"]})
    usual = {"unit": "u", "epsilon": 2, "accept_error": True}
    method, release = mo.Local(DOMAIN, **usual), mo.Local(DOMAIN, unit="u", units=[1, 2], epsilon=8).sample(TABLE)
    undeclared = made({"sex": ["f", "q"], "age": [1, 2]})
    said = [str(method.check(data)), str(method.check(data, reference=undeclared)), str(method.compare(data))]
    for call in (
        lambda: method.check(lacking), lambda: method.sample(lacking), lambda: method.compare(lacking),
        lambda: mo.Local(DOMAIN, units=lacking, **usual), lambda: mo.Local(DOMAIN, reference=lacking, **usual).sample(data),
        lambda: mo.Local(DOMAIN, units=made({"u": ["1", "1"]}), **usual).sample(data),
        lambda: mo.Local(DOMAIN, reference=undeclared, **usual).sample(data),
        lambda: mo.estimate(lacking, release.certificate), lambda: mo.estimate(undeclared, release.certificate),
        lambda: method.tune(lacking), lambda: method.tune(made(TABLE), data=data), lambda: method.tune(data, data=data),
        lambda: mo.reference(made({"x": [3.0], "y": [1.0]}), NUMBERS, "r.json"), lambda: mo.reference(lacking, NUMBERS, "r.json"),
    ):  # fmt: skip
        said.append(refusal(call))
    for sentence in said:
        assert not re.search(r"\bfile\b|\blines?\b|\bheader\b|\.csv\b", sentence), sentence


def test_a_refused_number_says_its_range():
    with pytest.raises(mo.InvalidInput) as refused:
        mo.Sampler(epsilon=2.0, k=0)
    assert refused.value.quantities == (("given", 0, "outcomes"), ("least", 1, "outcomes"), ("most", 2**24, "outcomes"))
    with pytest.raises(mo.InvalidInput) as refused:
        mo.Sampler(epsilon=2.0, k="x")
    assert refused.value.quantities == ()
