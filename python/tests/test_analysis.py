"""What is told of the population, and beforehand: the command's own answers."""

import dataclasses
import inspect
import json
import math
import pickle
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import mollify as mo
from by_word import plan_by_word
from mollify import _core
from mollify._methods import METHODS

ROOT = Path(__file__).parents[2]


def command(*arguments):
    done = subprocess.run(
        [sys.executable, "-m", "mollify", *map(str, arguments)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_estimates_are_the_commands(schools, tmp_path):
    pytest.importorskip("pandas")
    release = mo.Local(
        schools / "schools.yaml",
        unit="school",
        units=schools / "schools_roster.csv",
        mechanism="randomized-response",
        epsilon=3,
    ).sample(schools / "schools.csv")
    found = mo.estimate(release)
    release.to_pandas().to_csv(tmp_path / "r.csv", index=False)
    release.certificate.write(tmp_path / "r.json")
    flags = ("--released", tmp_path / "r.csv", "--certificate", tmp_path / "r.json")
    told = command("estimate", "--json", *flags)
    assert found.json == told
    assert str(found) == repr(pickle.loads(pickle.dumps(found))) == command("estimate", *flags)
    assert found.to_dict() == json.loads(told)
    assert found["linear"]
    assert found["records"] == 160
    again = mo.estimate(tmp_path / "r.csv", tmp_path / "r.json", schools / "schools.yaml")
    assert again.json == told
    assert mo.estimate(pickle.loads(pickle.dumps(release))).json == told
    frame = found.to_pandas("sex")
    assert list(frame["outcome"]) == ["female", "male"]
    assert frame["probability"].sum() == pytest.approx(1)
    assert (frame["lower"] <= frame["upper"]).all()
    assert len(found.to_pandas()) == 12
    with pytest.raises(mo.InvalidInput):
        found.to_pandas("ses")


def test_numbers_of_numpy_are_numbers():
    numpy = pytest.importorskip("numpy")
    asked = mo.Local.plan_of(k=12, epsilon=[0.5, 2])
    assert mo.Local.plan_of(k=numpy.int8(12), epsilon=numpy.array([0.5, 2])).json == asked.json


def test_estimates_refuse_values_that_no_release_has(tmp_path):
    """Released records are public: they are refused, as by the command, and not mapped."""
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    domain = {"city": mo.categorical(["Ghent", "Lille"], null="Lille", outside="Ghent"), "age": mo.integer(0, 9, null=0)}
    data = {"who": ["a"], "city": ["Ghent"], "age": [1]}
    method = mo.Local(domain, unit="who", units=["a", "b", "c"], epsilon=4, mechanism="randomized-response")
    release = method.sample(data)
    good = {name: release[name] for name in domain}
    assert mo.estimate(good, release.certificate, domain)["records"] == 3
    for column, value in (("city", "Lile"), ("age", 10), ("age", 0.5)):
        bad = good | {column: [*good[column][:2], value]}
        table = pandas.DataFrame(bad)
        table.to_csv(tmp_path / "bad.csv", index=False)
        for form in (bad, table, polars.DataFrame(bad, strict=False)):
            with pytest.raises(mo.InvalidInput, match=rf'^released \(in memory\) row 2, counted from 0, column "{column}" must be'):
                mo.estimate(form, release.certificate, domain)
        with pytest.raises(mo.InvalidInput, match=rf'bad\.csv line 4 column "{column}" must be'):
            mo.estimate(tmp_path / "bad.csv", release.certificate, domain)


def test_estimates_take_counted_records(tmp_path):
    domain = mo.Domain({"city": mo.categorical(["Ghent", "Lille"], null="Lille", outside="Ghent")})
    certificate = mo.Local(domain, epsilon=1, mechanism="randomized-response").sample({"city": []}).certificate
    rows = mo.estimate({"city": ["Ghent"] * 7 + ["Lille"] * 3}, certificate)
    counted = {"city": ["Ghent", "Lille", "Ghent"], "n": [5, 3, 2]}
    assert mo.estimate(counted, certificate, counts_column="n").json == rows.json
    (tmp_path / "r.csv").write_text("n,city\n5,Ghent\n3,Lille\n2,Ghent\n")
    assert mo.estimate(tmp_path / "r.csv", certificate, counts_column="n").json == rows.json
    for wrong in ("m", "city", 3):
        with pytest.raises((mo.InvalidInput, TypeError)):
            mo.estimate(counted, certificate, counts_column=wrong)


def test_estimates_take_several_releases(tmp_path):
    """The command's numbers, in every form that a release has."""
    table = {"who": list(range(400)), "city": ["Ghent", "Lille", "Lille", None] * 100}
    domain = mo.Domain({"city": mo.categorical(["Ghent", "Lille"], null="Ghent")})
    releases = [
        mo.Local(domain, unit="who", mechanism="randomized-response", epsilon=epsilon).sample(table)
        for epsilon in (1, 3)
    ]
    found = mo.estimate(releases, bad_reports=3)
    assert found["records"] == 800
    assert [one["epsilon"] for one in found["releases"]] == [1, 3]
    assert sum(one["weight"] for one in found["releases"]) == pytest.approx(1)
    assert found["share_moved_up"] > 0
    tables = [release.to_dict() for release in releases]
    certificates = [release.certificate for release in releases]
    assert mo.estimate(tables, certificates, domain, bad_reports=3).json == found.json
    alike = mo.estimate(releases, weighting="reports")
    assert [one["weight"] for one in alike["releases"]] == [0.5, 0.5]
    with pytest.raises(mo.InvalidInput, match="there are 1 certificates and 2 records"):
        mo.estimate(tables, certificates[:1])
    with pytest.raises(mo.InvalidInput, match="no list of records"):
        mo.estimate(tables[0], certificates)


def test_estimates_refuse_what_is_not_the_releases(domain, schools):
    data = {name: [] for name in domain} | {"unit": []}
    release = mo.Local(domain, unit="unit", units=["a", "b"], epsilon=1).sample(data)
    assert not mo.estimate(release)["linear"]  # a band: bounds alone
    for wrong in (
        lambda: mo.estimate(release.to_dict()),
        lambda: mo.estimate(release, domain=schools / "schools.yaml"),
        lambda: mo.estimate(release, method="best"),
        lambda: mo.estimate(release, confidence=2),
        lambda: mo.estimate({name: [] for name in domain}, release.certificate),
    ):
        with pytest.raises(mo.InvalidInput):
            wrong()


def test_plans_are_the_commands(schools, tmp_path):
    asked = {"method": "central", "epsilon": 1, "delta": 1e-6, "count": 100, "alpha": 0.01}
    plan = plan_by_word(schools / "rand_hie.yaml", **asked)
    flags = [part for name, value in asked.items() if name != "method" for part in (f"--{name}", value)]
    told = command("plan", "central", "--domain", schools / "rand_hie.yaml", *flags)
    assert str(plan) == repr(plan) == told.replace("--unit to mollify sample", "unit to the method")
    assert str(pickle.loads(pickle.dumps(plan))) == str(plan)
    assert plan.to_dict() == json.loads(
        command("plan", "central", "--domain", schools / "rand_hie.yaml", "--json", *flags)
    )
    region = mo.Local.plan_of(schools / "rand_hie.yaml", epsilon=4, region=["hlth=poor", "physlm=true"])
    assert region["region"]["reference_mass"] == 1 / 8
    with pytest.raises(mo.InvalidInput):
        mo.Central.plan_of()
    matrix = [[1, 0.5], [0.5, 2]]
    numbers = {"x": mo.number(0, 9, null=0), "y": mo.number(0, 9, null=0)}
    asked = {"method": "gaussian", "rho": 0.5, "count": 1, "n": 10**6}
    covariance = tmp_path / "covariance.csv"
    covariance.write_text(",x,y\nx,1,0.5\ny,0.5,2\n")
    planned = plan_by_word(numbers, covariance=matrix, covariance_bound=4, **asked)
    of_file = plan_by_word(numbers, covariance=covariance, covariance_bound=4, **asked)
    assert planned.to_dict() == of_file.to_dict()
    with pytest.raises(mo.InvalidInput, match="domain is missing: reference in memory is read by"):
        mo.Local.plan_of(k=2, epsilon=1, reference={"x": [1]})


def flags(*words):
    """The flags that a command's help lists, by their names in Python, where a file of questions is a list."""
    listed, _, more = command(*words, "--help").partition("\nMore flags:\n")
    found = re.findall(r"^  --([a-z0-9-]+)", listed, re.MULTILINE)
    found += re.findall(r"--([a-z0-9-]+)", more.partition("\n\n")[0])
    return {flag.replace("-", "_") for flag in found} - {"help", "json", "questions_file"}


def keywords(function, *others):
    return set(inspect.signature(function).parameters) - {"self", "progress", *others}


@pytest.mark.parametrize("kind", METHODS.values(), ids=METHODS)
def test_signatures_are_the_commands_flags(kind):
    """Each parameter of a method is one of its class, and no other is."""
    assert keywords(kind.plan_of) == flags("plan", kind.word)
    parts = {flag.replace("-", "_") for flag, _, _, words in _core.request_parts("plan") if kind.word in words}
    assert keywords(kind.plan_of) == parts
    assert keywords(kind) | {"data"} == flags("compare", kind.word) - {"released", "model"}
    released = {"mechanism", "epsilon"}
    assert keywords(kind.compare) - released == {"data"}
    for function in (kind.plan, kind.check, kind.compare, kind.sample):
        text = inspect.getdoc(function)
        assert not [name for name in keywords(function) if not re.search(rf"\b{name}\b", text)]
    text = inspect.getdoc(kind) + inspect.getdoc(kind.plan_of)
    assert not [name for name in keywords(kind.plan_of) if not re.search(rf"\b{name}\b", text)]
    with pytest.raises(TypeError, match="sideways"):
        kind(sideways=1)


def test_signatures_of_functions_are_the_commands_flags():
    assert keywords(mo.advise, "units") == flags("advise")
    assert keywords(mo.amplify) == flags("amplify")
    weights = {"weights", "greatest_weight", "weight_step", "invalid_weight", "mean_weight"}
    own = keywords(mo.Local) - {"units", "units_column", "accept_error"} - weights
    chosen = {"mechanism", "band", "gamma", "mu", "channel"}
    assert keywords(mo.Local.tune) | (own - chosen) == flags("tune") - {"trees"}
    of_method = {"domain", "unit", "units", "units_column"} | weights - {"mean_weight"}
    counted = keywords(mo.Local.check) | of_method
    assert counted == flags("check")
    assert keywords(mo.nonprivate.compare) == flags("compare")


def test_bands_are_found_and_written_once(schools, tmp_path):
    polars = pytest.importorskip("polars")
    units = polars.read_csv(schools / "schools.csv").head(300)
    band = tmp_path / "band.json"
    method = mo.Local(schools / "schools.yaml", unit="school", epsilon=2)
    found = method.tune(units, best=True, out=band)
    written = band.read_bytes()
    assert str(found)
    assert band.read_bytes() == written
    with pytest.raises(mo.InvalidInput):
        method.tune(units, data=units)
    with pytest.raises(mo.InvalidInput, match="so mechanism, gamma must not be given"):
        dataclasses.replace(method, mechanism="neighbourhood", gamma=2).tune(units)
    dataclasses.replace(method, band=f"file={band}").sample(schools / "schools.csv")


def test_advice_for_days():
    """More draws cost more, and by turns a day has a thirtieth of the devices."""
    found = mo.advise(purpose="estimates", protect="person", columns=[2], n=50_000, days=30, draws=3, epsilon=1)
    ways = {way["way"]: way for way in found["repeated"]["ways"]}
    assert list(ways) == ["daily", "periods", "kept", "rotation", "shuffled"]
    assert ways["daily"]["error"] > ways["periods"]["error"] > ways["kept"]["error"]
    assert ways["rotation"]["devices"] == 50_000 // 30
    assert ways["rotation"]["error"] < ways["daily"]["error"]
    assert "by turns" in str(found)
    with pytest.raises(mo.InvalidInput, match="days is for devices"):
        mo.advise(purpose="records", protect="person", n=5000, columns=[2], days=30)


def test_advice():
    found = mo.advise(purpose="records", protect="person", n=5000, columns=[4, 10])
    assert (found["method"], found["k"], found["count"]) == ("local", 40, 1)
    assert [one["epsilon"] for one in found["budgets"]] == [0.5, 1, 2, 4, 8]
    assert found.calls[1:3] == [
        'method = mo.Local(domain, unit="PERSON", units=units, epsilon=8, count=1)',
        "method.check(data)",
    ]
    assert found.method is None, "there is no domain"
    assert "\n  ".join(["run", *found.calls]) in str(found)
    assert "--" not in str(found)
    of_domain = mo.advise(
        {"sex": mo.categorical(["f", "m"], null="f")}, purpose="estimates", protect="person", n=5000
    )
    assert of_domain["k"] == 2
    assert "mo.estimate(release)" in of_domain.calls
    written = of_domain.calls.index('release.write("RELEASED.csv")')
    assert of_domain.calls[written + 1] == 'release.certificate.write("CERTIFICATE.json")'
    labels = [line[:11] for line in str(of_domain).split("\n") if re.match(r"(method|mechanism) ", line)]
    assert labels == ["method     ", "mechanism  "]
    row = next(line for line in str(of_domain).split("\n") if line.startswith("method"))
    assert row[11:14] == "mo." and row[31] == " " and row[32] != " "
    assert "/proc" not in of_domain.json
    assert of_domain.method is None, "no column names the persons"
    asked = {"purpose": "estimates", "protect": "person", "n": 5000, "unit": "who am i"}
    advised = mo.advise({"sex": mo.categorical(["f", "m"], null="f", outside="f")}, units=["a"], **asked)
    parts = {"unit": "who am i", "units": ["a"], "mechanism": "randomized-response"}
    assert advised.method == mo.Local(advised.method.domain, epsilon=advised["epsilon"], count=1, **parts)
    assert len(advised.method.sample({"sex": ["f"], "who am i": ["a"]})) == 1
    assert pickle.loads(pickle.dumps(advised)).method == advised.method
    with pytest.raises(mo.InvalidInput, match="mo.Central"):
        mo.advise(purpose="sample", method="central", n=5000, columns=[4])
    with pytest.raises(mo.InvalidInput, match="columns"):
        mo.advise(purpose="records", protect="person", n=5000, columns=[0])


def test_advice_for_questions():
    domain = {"sex": mo.categorical(["f", "m"], null="f", outside="f"), "age": mo.integer(0, 99, null=0, outside="clip")}
    asked = ["sex:age weight 2", "mean(age) by sex error 1.5"]
    found = mo.advise(domain, purpose="table", protect="row", n=5000, questions=asked)
    assert [one["asked"] for one in found["questions"]] == [0.01, 1.5]
    assert all(one["standard_error"] <= one["asked"] for one in found["questions"])
    assert found.method.questions == ("sex:age weight 2", "mean(age) by sex")
    assert found.method.plan(n=5000)["answers"][0]["questions"][0]["standard_error"] == found["questions"][0]["standard_error"]
    assert any("questions=" in call for call in found.calls)
    one = mo.advise(domain, purpose="table", protect="row", n=5000, questions="share(sex)")
    assert one["epsilon"] < found["epsilon"]
    with pytest.raises(mo.InvalidInput, match="or give alpha for all questions"):
        mo.advise(domain, purpose="table", protect="row", n=5000, questions="mean(age)")


def test_one_plan_at_several_budgets():
    several = mo.Local.plan_of(k=12, alpha=0.1, epsilon=[1, 2])
    assert str(several)
    with pytest.raises(mo.InvalidInput, match="several: 1,2"):
        several.plot()


def test_amplify_risk_and_tune(schools):
    found = mo.amplify(n=1000, k=10, epsilon0=2, delta=1e-6)
    assert "epsilon = 0.27" in str(found)
    assert mo.risk(mo.Sampler(k=3, epsilon=1)).to_dict()
    risk = mo.risk(mo.RandomizedResponse(k=3, epsilon=1))["risk"]
    assert risk["tv"] == pytest.approx(2 / (2 + math.e))
    assert mo.risk(mo.Sampler("location", reference=[1, 2], location=0.5, epsilon=1)).to_dict()
    tuned = mo.Local(schools / "schools.yaml", unit="school", epsilon=2).tune(schools / "schools.csv")
    assert "least mean KL: band relative" in str(tuned)


def test_laws_are_to_the_integer():
    """The law of a point in a band over two outcomes, and numerators that sum to N."""
    sampler = mo.Sampler("relative", reference=[1, 2, 3], epsilon=1)
    law = mo.nonprivate.law(sampler, [1, 0, 0])
    assert sum(int(one["numerator"]) for one in law["outcomes"]) == int(law["N"])
    assert "NOT PRIVATE" in law["notice"]
    assert "NOT PRIVATE" in str(law)
    with pytest.raises(mo.InvalidInput):
        mo.nonprivate.law(sampler, [1, 0])


def test_laws_compare_with_another_and_by_other_divergences():
    """As the command's --other, --renyi and --hockey-stick: by hand for two outcomes."""
    sampler, p = mo.Sampler(k=2, epsilon=1), np.array([0.9, 0.1])
    found = mo.nonprivate.law(sampler, p, other=[0.4, 0.6], renyi=3, hockey_stick=1.2)
    law = np.array([one["probability"] for one in found["outcomes"]])
    ceiling = math.e / (math.e + 1)
    assert law == pytest.approx([ceiling, 1 - ceiling], abs=1e-9)
    assert found["divergence"]["renyi"] == {"order": 3, "value": pytest.approx(math.log((p**3 / law**2).sum()) / 2)}
    assert found["divergence"]["hockey_stick"] == {"factor": 1.2, "value": pytest.approx(p[0] - 1.2 * law[0])}
    other = found["other"]
    assert other["tv_of_inputs"] == pytest.approx(0.5) and other["tv_of_laws"] == pytest.approx(ceiling - 0.4, abs=1e-9)
    assert other["tv_of_laws"] <= other["bound"]
    assert "the other has r" in str(found) and "hockey stick of factor 1.2" in str(found)
    for wrong in ({"other": [1, 0, 0]}, {"other": [0.5, 0.4]}, {"renyi": -1}, {"hockey_stick": math.inf}):
        with pytest.raises(mo.InvalidInput):
            mo.nonprivate.law(sampler, p, **wrong)
    with pytest.raises(mo.InvalidInput, match="not a band"):
        mo.nonprivate.law(mo.Sampler(k=2, epsilon=1, mechanism="mixture"), p, other=[0.5, 0.5])


ENVELOPE = {"type": "gaussian_mixture_envelope", "radius": 1, "variance": 1, "dimension": 1, "box": [[-4, 4]]}


def test_the_law_of_a_density_is_the_commands(tmp_path):
    """Park's class of mixtures on a line: the divergences of the reference file's first client (tests/data), and what the
    command's --at, --region, --other, --renyi and --hockey-stick print."""
    of_one = json.loads((ROOT / "tests/data/gaussian_mixture_1d.json").read_text())["eps"]["1.0"]
    client = of_one["clients"][0]
    density = {
        "type": "gaussian_mixture", "means": [[mean] for mean in client["mu"]], "weights": client["w"], "variance": 1,
        "box": [[-4, 4]],
    }  # fmt: skip
    found = mo.nonprivate.law_of_density(density, ENVELOPE, epsilon=1)
    assert "NOT PRIVATE" in str(found) and found["band"] == "minimax" and found["k"] == 2**16
    assert found["c2"] == pytest.approx(1.7976118727565433) and found["r"] == pytest.approx(client["r"], abs=1e-6)
    assert found["divergence"]["tv"] == pytest.approx(client["minimax"]["TV"], abs=1e-6)
    path = tmp_path / "p.json"
    path.write_text(json.dumps(density))
    normal = {"type": "gaussian", "mean": [0], "variance": 1, "box": [[-4, 4]]}
    more = mo.nonprivate.law_of_density(
        path, ENVELOPE, epsilon=1, cells=4000, other=normal, at=[[0.0], [1.5]], region=["-1:1", "-4:4"], renyi=1.0,
        hockey_stick=1,
    )  # fmt: skip
    assert [one["point"] for one in more["at"]] == [[0.0], [1.5]]
    assert more["regions"][1] == {"box": "-4:4", "p": pytest.approx(1), "reference": pytest.approx(1), "law": pytest.approx(1)}
    assert more["divergence"]["renyi"]["value"] == pytest.approx(more["divergence"]["kl"])
    assert more["divergence"]["hockey_stick"]["value"] == pytest.approx(more["divergence"]["tv"])
    assert 0 < more["other"]["tv_of_laws"] <= more["other"]["bound"]
    listed = mo.nonprivate.law_of_density(density, normal, epsilon=1, candidates=2000, band="location=0.5")
    assert listed["k"] == 2000 and listed["lower"] == 0.5
    for wrong in ({"cells": 10, "candidates": 10}, {"at": [[1, 2]]}, {"at": [1]}, {"region": "1"}, {"band": "best"}, {"c2": 0.5}):
        with pytest.raises(mo.InvalidInput):
            mo.nonprivate.law_of_density(density, ENVELOPE, epsilon=1, **wrong)
    for wrong in ({"band": ["minimax"]}, {"region": 5}, {"c1": "no"}):
        with pytest.raises(mo.InvalidInput, match=f"{next(iter(wrong))} must be"):
            mo.nonprivate.law_of_density(density, ENVELOPE, epsilon=1, **wrong)
    for reference in ({"type": "gaussian"}, 3, "nosuch.json", {"type": "uniform", "box": [[-1, 1]]}):
        with pytest.raises(mo.InvalidInput):
            mo.nonprivate.law_of_density(density, reference, epsilon=1)


def test_a_density_is_a_reference_of_a_grid(tmp_path):
    """Park's Theorem III.3 in one parameter: c2 and the band follow from the envelope, in memory or in a file."""
    domain = {"x": mo.number(-4, 4, outside="clip", null=0)}
    rows = {"x": np.random.default_rng(4).normal(0.5, 1, 2000)}
    path = tmp_path / "envelope.json"
    path.write_text(json.dumps(ENVELOPE))
    for reference in (ENVELOPE, path):
        method = mo.Local(domain, epsilon=1, count=50, reference=reference, cells=1000, accept_error=True)
        plan = method.plan()
        assert plan["mechanism"] == "class"
        release = method.sample(rows)
        spec = release.certificate.to_dict()["spec"]
        assert spec["c2"] == pytest.approx(1.7976118727565433, rel=1e-8) and spec["space"] == {"cells": 1000}
        assert len(release["x"]) == 50 and mo.verify(release, domain).holds
        assert method.check(rows)["findings"] == 0
        assert pickle.loads(pickle.dumps(method)) == method
    with pytest.raises(mo.InvalidInput, match="is a density"):
        mo.Local(domain, epsilon=1, reference=ENVELOPE, space="candidates").sample(rows)
    with pytest.raises(mo.InvalidInput, match="at most 1048576 cells, but there are 2097152: give fewer by cells"):
        mo.Local(domain, epsilon=1, reference=ENVELOPE, cells=2**21).plan()
    # Data on few cells are not in the declared class, so nothing is said of them.
    release = mo.Local(domain, epsilon=3, reference=ENVELOPE).sample(rows)
    assert not [one for one in mo.verify(release, domain).warnings if "few of" in one]


def test_the_data_holder_is_told_what_is_amiss(schools, tmp_path):
    pandas = pytest.importorskip("pandas")
    frame = pandas.read_csv(schools / "schools.csv")
    roster = pandas.read_csv(schools / "schools_roster.csv")
    method = mo.Local(schools / "schools.yaml", epsilon=1, unit="school", units=roster)
    good = method.check(frame)
    assert good["findings"] == 0
    assert good["records"] == len(frame)
    frame.loc[3, "sex"] = "neither"
    bad = method.check(frame)
    (found,) = bad["listed"]
    assert (found["row"], found["column"], found["value"]) == (3, "sex", "neither")
    assert json.loads(bad.json) == bad.to_dict() and frame.iloc[found["row"]]["sex"] == "neither"
    assert "NOT PRIVATE" in str(bad) and "rows are counted from 0\nrow 3: sex must" in str(bad)
    frame.to_csv(tmp_path / "bad.csv", index=False)
    of_file = method.check(tmp_path / "bad.csv")
    assert of_file["listed"][0]["line"] == 5 and "bad.csv:5: sex" in str(of_file)


def test_check_counts_first_and_prints_forty_rows():
    """As the command does: counts of each column, then few rows, while a program gets more."""
    method = mo.Integral({"v10": mo.categorical(["a", "b"]), "w": mo.categorical(["a"])}, epsilon=1)
    found = method.check({"v10": ["c"] * 60, "w": [*["b"] * 40, *["a"] * 20]})
    printed = str(found).splitlines()[2:]
    assert printed[:3] == ["v10: 60 values become null (default)", "w: 40 values become null (default)", "rows are counted from 0"]
    assert len([line for line in printed if line.startswith("row ")]) == 40 and "... and 60 more (see most)" in printed
    assert len(found["listed"]) == 100
    few = method.check({"v10": ["c"] * 60, "w": ["a"] * 60}, most=2)
    assert len(few["listed"]) == 2 and str(few).count("\nrow ") == 2


def test_check_names_the_rows_of_a_frame():
    """A line break in a text is no row, and a count is read as in a file."""
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({"a": ["x", "y\nx", "z"], "n": [2.0, 1.5, None], "who": [1.0, None, 1.0]})
    domain = {"a": mo.categorical(["x"], null="x", outside="x")}
    options = {"unit": "who", "units": polars.DataFrame({"who": [1]})}
    found = mo.Local(domain, epsilon=1, **options).check(frame, counts_column="n")
    assert found["records"] == 3
    named = {(one["row"], one["column"], one["value"], one["becomes"]) for one in found["listed"]}
    assert named == {
        (1, "a", "y\vx", "x"),
        (2, "a", "z", "x"),
        (1, "n", "1.5", "0"),
        (2, "n", "", "0"),
        (1, "who", "", ""),
    }


def test_comparisons_are_the_commands(schools):
    polars = pytest.importorskip("polars")
    told = command(
        *("compare", "local", "--data", schools / "schools.csv", "--domain", schools / "schools.yaml"),
        *("--unit", "school", "--units", schools / "schools_roster.csv", "--epsilon", 2, "--count", 1),
    )
    found = mo.Local(
        schools / "schools.yaml",
        unit="school",
        units=polars.read_csv(schools / "schools_roster.csv"),
        epsilon=2,
    ).compare(polars.read_csv(schools / "schools.csv"))
    assert str(found) == told
    with pytest.raises(mo.InvalidInput) as refused:
        mo.Integral(schools / "schools.yaml", epsilon=2).compare({"sex": []})
    assert "/proc" not in str(refused.value)


def test_released_rows_are_compared_from_memory_as_from_a_file(schools, tmp_path):
    polars = pytest.importorskip("polars")
    data, domain = schools / "schools.csv", schools / "schools.yaml"
    release = mo.Central(domain, epsilon=1, delta=1e-6, count=100).sample(data)
    polars.DataFrame(release).write_csv(tmp_path / "rows.csv")
    from_file = mo.nonprivate.compare(tmp_path / "rows.csv", data, domain).to_dict()
    from_memory = mo.nonprivate.compare(release, data, domain).to_dict()
    assert from_memory.pop("released") == "released"
    assert from_file.pop("released") == str(tmp_path / "rows.csv")
    assert from_memory == from_file
    assert from_file["columns"]
