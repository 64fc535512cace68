"""What is told of the population, and beforehand: the command's own answers."""

import inspect
import json
import math
import pickle
import re
import subprocess
import sys

import pytest

import mollify as mo
from mollify._command import in_python


def command(*arguments):
    done = subprocess.run(
        [sys.executable, "-m", "mollify", *map(str, arguments)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_estimates_are_the_commands(schools, tmp_path):
    pytest.importorskip("pandas")
    release = mo.sample(
        schools / "schools.csv",
        schools / "schools.yaml",
        method="local",
        unit="school",
        units=schools / "schools_roster.csv",
        mechanism="randomized-response",
        epsilon=3,
    )
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
    asked = mo.plan(method="local", k=12, epsilon=[0.5, 2])
    assert mo.plan(method="local", k=numpy.int8(12), epsilon=numpy.array([0.5, 2])).json == asked.json


def test_estimates_refuse_what_is_not_the_releases(domain, schools):
    data = {name: [] for name in domain} | {"unit": []}
    release = mo.sample(data, domain, method="local", unit="unit", units=["a", "b"], epsilon=1)
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


METHODS = ["local", "integral", "integral-model", "central", "gaussian", "gaussian-model", "marginals"]


def test_plans_are_the_commands(schools, tmp_path):
    asked = {"method": "central", "epsilon": 1, "delta": 1e-6, "count": 100, "alpha": 0.01}
    plan = mo.plan(schools / "rand_hie.yaml", **asked)
    flags = [part for name, value in asked.items() if name != "method" for part in (f"--{name}", value)]
    told = command("plan", "central", "--domain", schools / "rand_hie.yaml", *flags)
    assert str(plan) == repr(plan) == told
    assert plan.to_dict() == json.loads(
        command("plan", "central", "--domain", schools / "rand_hie.yaml", "--json", *flags)
    )
    region = mo.plan(schools / "rand_hie.yaml", method="local", epsilon=4, region=["hlth=poor", "physlm=true"])
    assert region["region"]["reference_mass"] == 1 / 8
    with pytest.raises(mo.InvalidInput):
        mo.plan(method="central")
    matrix = [[1, 0.5], [0.5, 2]]
    numbers = {"x": mo.number(0, 9), "y": mo.number(0, 9)}
    asked = {"method": "gaussian", "rho": 0.5, "count": 1, "n": 10**6}
    covariance = tmp_path / "covariance.csv"
    covariance.write_text(",x,y\nx,1,0.5\ny,0.5,2\n")
    planned = mo.plan(numbers, covariance=matrix, covariance_bound=4, **asked)
    of_file = mo.plan(numbers, covariance=covariance, covariance_bound=4, **asked)
    assert planned.to_dict() == of_file.to_dict()
    with pytest.raises(mo.InvalidInput, match="reference in memory needs a domain"):
        mo.plan(method="local", k=2, epsilon=1, reference={"x": [1]})


@pytest.mark.parametrize(
    "function",
    [mo.plan, mo.advise, mo.tune, mo.amplify, mo.nonprivate.compare, mo.nonprivate.check],
    ids=lambda function: function.__name__,
)
def test_signatures_are_the_commands_flags(function):
    methods: list[list[str]] = [[]]
    if function in (mo.plan, mo.nonprivate.compare):
        methods += [[name] for name in METHODS]
    told = {
        flag
        for method in methods
        for flag in re.findall(r"^  --([a-z0-9-]+)", command(function.__name__, *method, "--help"), re.MULTILINE)
    }
    if len(methods) > 1:
        told.add("method")
    parameters = inspect.signature(function).parameters
    named = {name.replace("_", "-") for name in parameters if name != "progress"}
    assert named == told - {"json"}
    text = inspect.getdoc(function)
    if function is not mo.nonprivate.compare:  # whose parameters are those of `sample`
        assert not [name for name in parameters if not re.search(rf"\b{name}\b", text)]
    with pytest.raises(TypeError, match="sideways"):
        function(sideways=1)


def test_bands_are_found_and_written_once(schools, tmp_path):
    polars = pytest.importorskip("polars")
    units = polars.read_csv(schools / "schools.csv").head(300)
    band = tmp_path / "band.json"
    found = mo.tune(units, schools / "schools.yaml", unit="school", epsilon=2, best=True, out=band)
    written = band.read_bytes()
    assert str(found)
    assert band.read_bytes() == written
    with pytest.raises(mo.InvalidInput):
        mo.tune(units, schools / "schools.yaml", unit="school", epsilon=2, data=units)


def test_advice():
    found = mo.advise(purpose="records", protect="person", n=5000, columns=[4, 10])
    assert (found["method"], found["outcomes"], found["count"]) == ("local", 40, 1)
    assert [one["epsilon"] for one in found["budgets"]] == [0.5, 1, 2, 4, 8]
    assert "mollify sample local" in found["commands"][2]
    assert found.calls[1:3] == [
        'mo.nonprivate.check(data, domain, unit="PERSON")',
        'release = mo.sample(data, domain, method="local", unit="PERSON", units=units, epsilon=8, count=1)',
    ]
    assert "\n  ".join(["run", *found.calls]) in str(found)
    assert "--" not in str(found)
    of_domain = mo.advise(
        {"sex": mo.categorical(["f", "m"])}, purpose="estimates", protect="person", n=5000
    )
    assert of_domain["outcomes"] == 2
    assert "mo.estimate(release)" in of_domain.calls
    assert "/proc" not in of_domain.json
    with pytest.raises(mo.InvalidInput, match="columns"):
        mo.advise(purpose="records", protect="person", n=5000, columns=[0])


def test_what_is_for_the_data_holder_is_named_where_it_is():
    said = in_python("mollify check --data-set names them; mollify sample --unit")
    assert said == "mo.nonprivate.check data_set names them; mo.sample unit"


def test_one_plan_at_several_budgets():
    several = mo.plan(method="local", k=12, alpha=0.1, epsilon=[1, 2])
    assert str(several)
    with pytest.raises(mo.InvalidInput, match="several: 1,2"):
        several.plot()


def test_amplify_risk_and_tune(schools):
    found = mo.amplify(n=1000, k=10, epsilon0=2, delta=1e-6)
    assert "epsilon = 0.27" in str(found)
    assert mo.risk(mo.Sampler(outcomes=3, epsilon=1)).to_dict()
    risk = mo.risk(mo.RandomizedResponse(k=3, epsilon=1))["risk"]
    assert risk["tv"] == pytest.approx(2 / (2 + math.e))
    assert mo.risk(mo.Sampler("location", reference=[1, 2], location=0.5, epsilon=1)).to_dict()
    tuned = mo.tune(schools / "schools.csv", schools / "schools.yaml", unit="school", epsilon=2)
    assert "least mean KL: --band relative" in str(tuned)


def test_laws_are_to_the_integer():
    """The law of a point in a band over two outcomes, and numerators that sum to N."""
    sampler = mo.Sampler("relative", reference=[1, 2, 3], epsilon=1)
    law = mo.nonprivate.law(sampler, [1, 0, 0])
    assert sum(int(one["numerator"]) for one in law["outcomes"]) == int(law["N"])
    assert "NOT PRIVATE" in law["notice"]
    assert "NOT PRIVATE" in str(law)
    with pytest.raises(mo.InvalidInput):
        mo.nonprivate.law(sampler, [1, 0])


def test_the_data_holder_is_told_what_is_amiss(schools):
    pandas = pytest.importorskip("pandas")
    frame = pandas.read_csv(schools / "schools.csv")
    roster = pandas.read_csv(schools / "schools_roster.csv")
    options = {"unit": "school", "units": roster}
    good = mo.nonprivate.check(frame, schools / "schools.yaml", **options)
    assert good["findings"] == 0
    assert good["records"] == len(frame)
    frame.loc[3, "sex"] = "neither"
    bad = mo.nonprivate.check(frame, schools / "schools.yaml", **options, most=5)
    (found,) = bad["listed"]
    assert (found["line"], found["column"], found["value"]) == (5, "sex", "neither")
    assert "NOT PRIVATE" in str(bad)


def test_check_names_the_rows_of_a_frame():
    """A line break in a text is no row, and a count is read as in a file."""
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({"a": ["x", "y\nx", "z"], "n": [2.0, 1.5, None], "who": [1.0, None, 1.0]})
    domain = {"a": mo.categorical(["x"], null="x", outside="x")}
    options = {"counts_column": "n", "unit": "who", "units": polars.DataFrame({"who": [1]})}
    found = mo.nonprivate.check(frame, domain, **options)
    assert found["records"] == 3
    named = {(one["line"], one["column"], one["value"], one["becomes"]) for one in found["listed"]}
    assert named == {
        (3, "a", "y\vx", "x"),
        (4, "a", "z", "x"),
        (3, "n", "1.5", "0"),
        (4, "n", "", "0"),
        (3, "who", "", ""),
    }


def test_comparisons_are_the_commands(schools):
    polars = pytest.importorskip("polars")
    told = command(
        *("compare", "local", "--data", schools / "schools.csv", "--domain", schools / "schools.yaml"),
        *("--unit", "school", "--units", schools / "schools_roster.csv", "--epsilon", 2),
    )
    found = mo.nonprivate.compare(
        polars.read_csv(schools / "schools.csv"),
        schools / "schools.yaml",
        method="local",
        unit="school",
        units=polars.read_csv(schools / "schools_roster.csv"),
        epsilon=2,
    )
    assert str(found) == told
    with pytest.raises(mo.InvalidInput) as refused:
        mo.nonprivate.compare({"sex": []}, schools / "schools.yaml", method="integral", epsilon=2)
    assert "/proc" not in str(refused.value)


def test_released_rows_are_compared_from_memory_as_from_a_file(schools, tmp_path):
    polars = pytest.importorskip("polars")
    data, domain = schools / "schools.csv", schools / "schools.yaml"
    release = mo.sample(data, domain, method="central", epsilon=1, delta=1e-6, count=100)
    polars.DataFrame(release).write_csv(tmp_path / "rows.csv")
    from_file = mo.nonprivate.compare(data, domain, released=tmp_path / "rows.csv").to_dict()
    from_memory = mo.nonprivate.compare(data, domain, released=release).to_dict()
    assert from_memory.pop("released") == "released"
    assert from_file.pop("released") == str(tmp_path / "rows.csv")
    assert from_memory == from_file
    assert from_file["columns"]
