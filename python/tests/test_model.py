"""Rows from the model of a release."""

import decimal
import itertools
import json
import pickle
import subprocess
import sys
import warnings

import numpy as np
import pytest

import mollify as mo

pandas = pytest.importorskip("pandas")
polars = pytest.importorskip("polars")

DOMAIN = {
    "ward": mo.categorical(["north", "south", "east"]),
    "age": mo.integer(0, 99, bins=10),
    "born": mo.date("1990-01-01", "1999-12-31", bins="year", null="category"),
}


@pytest.fixture(scope="module")
def release():
    data = {
        "ward": ["north", "south"] * 200,
        "age": [15, 75] * 200,
        "born": [None, "1995-06-01"] * 200,
    }
    return mo.Marginals(DOMAIN, epsilon=100, delta=1e-6, count=7).sample(data)


def test_a_release_has_its_model(release, tmp_path):
    assert len(release) == 7
    model = release.model
    assert model.domain == mo.Domain(DOMAIN)
    path = tmp_path / "model.json"
    model.write(path)
    assert mo.Model.read(path) == model == pickle.loads(pickle.dumps(release)).model
    assert [each.name for each in tmp_path.iterdir()] == ["model.json"]
    data = {"ward": ["north"], "age": [1], "born": [None]}
    assert mo.Integral(DOMAIN, epsilon=1, candidates=10).sample(data).model is None


def test_a_model_has_the_counts_that_it_was_made_of(release):
    made = pandas.DataFrame(release.model.measurements)
    assert polars.DataFrame(release.model.measurements).rows() == [tuple(row) for row in made.itertuples(index=False)]
    assert list(made) == ["table", "columns", "cells", "count", "standard_deviation"]
    pairs = {tuple(names.split(", ")) for names in made["columns"] if "," in names}
    assert pairs.isdisjoint(release.model.not_measured)
    assert pairs | set(release.model.not_measured) == {("ward", "age"), ("ward", "born"), ("age", "born")}
    first = made.groupby(["columns", "cells"]).first()
    truth = {"north": 200, "south": 200, "east": 0}
    for ward, count in truth.items():
        row = first.loc["ward", ward]
        assert abs(row["count"] - count) < 7 * row["standard_deviation"] < 30
    assert abs(first.loc["age", "70..79"]["count"] - 200) < 30 > abs(first.loc["born", "null"]["count"] - 200)
    listed = json.loads(release.model.text)["measurements"]
    assert [count for table in listed["tables"] for count in table["counts"]] == list(made["count"] / listed["step"])
    assert [list(pair) for pair in release.model.not_measured] == listed["not_measured"]


def test_a_model_states_the_error_of_the_released_rows():
    rows = {"ward": ["north", "south"] * 2000, "ill": [True, True, False, False] * 1000, "old": [True, False] * 2000}
    domain = {"ward": mo.categorical(["north", "south"]), "ill": mo.boolean(), "old": mo.boolean()}
    frame = pandas.DataFrame(rows)
    for options in ({"delta": 1e-6}, {}):
        release = mo.Marginals(domain, epsilon=20, count=1000, accept_error=True, **options).sample(rows)
        error = release.model.error
        drawn = pandas.DataFrame(release)
        off = {}
        for pair in itertools.combinations(rows, 2):
            one, other = (made.value_counts(list(pair), normalize=True) for made in (frame, drawn))
            off[pair] = one.sub(other, fill_value=0).abs().sum() / 2
        # Of 4000 rows the noise is far below this.
        assert abs(error["two_way"] - sum(off.values()) / 3) < 0.02
        least, most = error["interval"]
        assert 0 <= least <= error["two_way"] <= most < 0.1
        assert error["three_columns"] == "unknown"
        assert (error["pairs"] != "unknown") == bool(options)
        for one in error["pairs"] if options else ():
            assert one["at_most"] > off[tuple(one["columns"])] - 0.03
        # Wards and ages are one column twice, at 1/2 from independence, and illness is independent of both.
        assert abs(error["independent"]["two_way"] - 1 / 6) < 0.02
        assert "as-if-independent" not in [one.code for one in release.warnings]
    alone = mo.Marginals({"ward": domain["ward"]}, epsilon=1, delta=1e-6, count=9, accept_error=True).sample(rows)
    assert alone.model.error is None


def test_rows_that_may_be_no_nearer_than_independent_columns_are_warned_of():
    rows = {"ward": ["north", "south"] * 2000, "ill": [True, True, False, False] * 1000}
    method = mo.Marginals({"ward": mo.categorical(["north", "south"]), "ill": mo.boolean()}, epsilon=5, delta=1e-6, count=1000)
    with pytest.warns(mo.ReleaseWarning["as-if-independent"]):
        release = method.sample(rows)
    assert [one.code for one in release.warnings] == ["as-if-independent"]
    assert "may be as far" in str(release.warnings[0])
    assert [one.code for one in pickle.loads(pickle.dumps(release)).warnings] == ["as-if-independent"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(method.sample(rows)) == 1000, "rows that are paid for are not lost"


def test_counts_of_units_are_in_units():
    data = {"ward": ["north", "south"] * 300, "ill": [True, False] * 300, "who": [i // 6 for i in range(600)]}
    domain = {"ward": mo.categorical(["north", "south"]), "ill": mo.boolean()}
    release = mo.Marginals(domain, unit="who", epsilon=50, delta=1e-6, count=3, accept_error=True).sample(data)
    made = pandas.DataFrame(release.model.measurements)
    of_wards = made[(made["columns"] == "ward") & (made["cells"] == "north")]
    assert (abs(of_wards["count"] - 50) < 7 * of_wards["standard_deviation"]).all()
    assert of_wards["standard_deviation"].max() < 10


def test_other_models_have_no_counts():
    release = mo.IntegralModel(DOMAIN, epsilon=1, candidates=10, accept_error=True).sample(
        {"ward": ["north"], "age": [15], "born": [None]}
    )
    assert release.model.measurements is None
    assert release.model.not_measured == []
    assert release.model.error is None
    assert set(release.certificate.to_dict()["measured"]) == {"model_sha256"}
    assert mo.verify(release, DOMAIN, model=release.model).model_matches


def test_a_certificate_names_its_model(release, tmp_path):
    release.model.write(tmp_path / "model.json")
    for model in (release.model, tmp_path / "model.json", str(tmp_path / "model.json")):
        held = mo.verify(release, DOMAIN, model=model)
        assert held.model_matches and held.holds
    assert mo.verify(release, DOMAIN).model_matches is None
    data = {"ward": ["north"], "age": [15], "born": [None]}
    other = mo.Marginals(DOMAIN, epsilon=100, delta=1e-6, count=7, accept_error=True).sample(data)
    assert not mo.verify(release, DOMAIN, model=other.model)
    changed = json.loads(release.model.text)
    changed["measurements"]["tables"][0]["counts"][0] += 1
    found = mo.verify(release, DOMAIN, model=mo.Model.parse(json.dumps(changed)))
    assert found.model_matches is False and not found.holds
    changed["measurements"]["tables"][0]["counts"][0] = "many"
    with pytest.raises(mo.InvalidInput, match="the model must have finite numbers at /measurements/tables/0/counts"):
        mo.Model.parse(json.dumps(changed))
    with pytest.raises(mo.InvalidInput, match="model must be the model of a release"):
        mo.verify(release, DOMAIN, model=3)
    none = mo.Integral(DOMAIN, epsilon=1, candidates=10).sample(data)
    with pytest.raises(mo.InvalidInput, match="the certificate names no model"):
        mo.verify(none, DOMAIN, model=release.model)


def test_rows_have_the_models_law_and_the_domains_types(release):
    rows = mo.generate(release.model, 1000)
    assert (len(rows), rows.columns) == (1000, list(DOMAIN))
    frame = rows.to_pandas()
    assert [str(kind) for kind in frame.dtypes] == ["category", "Int64", "datetime64[s]"]
    assert polars.DataFrame(rows).schema["born"] == polars.Date
    # Epsilon is 100: what was always together is so nearly always.
    together = (frame["ward"] == "north") == frame["born"].isna()
    print(together.sum(), "of 1000 together")
    assert together.sum() > 900
    assert pickle.loads(pickle.dumps(rows)).to_dict() == rows.to_dict()


def test_a_file_has_the_commands_bytes(tmp_path):
    mapped = {"null": "category", "outside": "null"}
    last = "2025-01-10T00:00:00"
    domain = mo.Domain(
        {
            "word": mo.categorical(["a", "b, c", 'd "e"'], **mapped),
            "order": mo.ordinal([1, 2.5], **mapped),
            "yes": mo.boolean(**mapped),
            "ja": mo.boolean(["nein", "ja"], **mapped),
            "age": mo.integer(-9, 9, **mapped),
            "share": mo.number(-0.3, 0.3, bins=3, **mapped),
            "price": mo.number(edges=[0, 10, 1e6], spikes=[0], **mapped),
            "day": mo.date("2025-01-01", "2025-01-10", **mapped),
            "at": mo.datetime("2025-01-01T00:00:00", last, bins="day", zone="+01:00", **mapped),
            "clock": mo.datetime("2025-01-01T00:00:00", last, bins="day", **mapped),
        }
    )
    data = {name: [None] for name in domain}
    model = mo.Marginals(domain, epsilon=1, count=1, accept_error=True).sample(data).model
    model.write(tmp_path / "m.json")
    domain.write(tmp_path / "d.yaml")

    def command(*asked):
        return subprocess.run([sys.executable, "-m", "mollify", *map(str, asked)], capture_output=True, check=True).stdout

    asked = ("--model", tmp_path / "m.json", "--count", 400, "--seed", 3)
    command("generate", *asked, "--out", tmp_path / "c.csv")
    theirs = (tmp_path / "c.csv").read_bytes()
    for rows in (model.sample(400, seed=3), mo.generate(tmp_path / "m.json", 400, seed=3)):
        for one in (rows, rows[:], rows[list(domain)], pickle.loads(pickle.dumps(rows))):
            one.to_csv(tmp_path / "p.csv", overwrite=True)
            assert (tmp_path / "p.csv").read_bytes() == one.to_csv().encode() == theirs
    assert b" 0 findings" in command("check", "--domain", tmp_path / "d.yaml", "--data", tmp_path / "p.csv")


def test_a_seed_draws_the_same_rows_again(release, tmp_path):
    path = tmp_path / "model.json"
    release.model.write(path)
    for given in (None, {"ward": "south"}):
        rows = release.model.sample(600, given, seed=8).to_dict()
        assert mo.generate(path, 600, given, seed=8).to_dict() == rows
        assert release.model.sample(600, given, seed=9).to_dict() != rows
        assert release.model.sample(600, given).to_dict() != rows
    asked = ["generate", "--model", path, "--count", "600", "--seed", "8", "--given", "ward=south"]
    said = subprocess.run(
        [sys.executable, "-m", "mollify", *asked], capture_output=True, check=True, text=True
    ).stdout
    assert [int(line.split(",")[1]) for line in said.splitlines()[1:]] == rows["age"]
    for wrong in (-1, 1.5, "8", 2**64):
        with pytest.raises(mo.InvalidInput, match="seed must be a whole number"):
            release.model.sample(1, seed=wrong)
    with pytest.raises(TypeError, match="seed"):
        mo.Marginals(DOMAIN, epsilon=1, count=1, seed=8)


@pytest.mark.parametrize(
    ("given", "column", "holds"),
    [
        ({"ward": "south"}, "ward", lambda one: one == "south"),
        ({"age": 75}, "age", lambda one: 70 <= one < 80),
        ({"age": 75.0, "ward": "south"}, "age", lambda one: 70 <= one < 80),
        ({"born": None}, "born", lambda one: one is None),
        ({"born": pandas.Timestamp("1995-02-03")}, "born", lambda one: one.year == 1995),
    ],
)
def test_what_is_given_holds(release, given, column, holds):
    values = mo.generate(release.model, 50, given).to_dict()[column]
    assert len(values) == 50
    assert all(map(holds, values)), values


def test_the_command_reads_the_same_file(release, tmp_path):
    path = tmp_path / "model.json"
    release.model.write(path)
    asked = ["generate", "--model", path, "--count", "3", "--given", "ward=south"]
    said = subprocess.run(
        [sys.executable, "-m", "mollify", *asked], capture_output=True, check=True, text=True
    ).stdout
    assert [line.partition(",")[0] for line in said.splitlines()] == ["ward"] + ["south"] * 3
    assert len(mo.generate(path, 4)) == 4


@pytest.mark.parametrize(
    ("count", "given", "sentence"),
    [
        (0, None, "count must be a whole number from 1 to 100000000, but is 0"),
        (-1, None, "count must be a whole number from 1 to 100000000, but is -1"),
        (1.5, None, "count must be a whole number from 1 to 100000000, but is 1.5"),
        (1, {"town": "x"}, 'the model has no column "town"; it has "ward", "age", "born"'),
        (1, {"ward": "west"}, '"ward" in given must be one of 3 declared values, but is "west"'),
        (1, {"age": "old"}, '"age" in given must be'),
    ],
)
def test_refuses_in_one_sentence(release, count, given, sentence):
    with pytest.raises(mo.InvalidInput) as refused:
        mo.generate(release.model, count, given)
    assert str(refused.value).startswith(sentence)
    assert "\n" not in str(refused.value)


def test_refuses_what_is_no_model(schools, tmp_path):
    for wrong in (schools / "schools.yaml", tmp_path / "none.json"):
        with pytest.raises(mo.InvalidInput):
            mo.Model.read(wrong)
    with pytest.raises(mo.InvalidInput, match="the model is not a model"):
        mo.Model.parse("{}")


NULLS = [None, float("nan"), np.float32("nan"), np.datetime64("NaT"), decimal.Decimal("NaN"), pandas.NA, pandas.NaT]


@pytest.mark.parametrize("null", NULLS, ids=lambda null: f"{type(null).__name__} {null}")
def test_a_null_of_any_library_is_given(release, null):
    """Also a null of a release's own data frame."""
    assert release.model.sample(5, {"born": null})["born"] == [None] * 5
    rows = release.model.sample(9, {"born": null}, seed=3)
    assert rows.to_dict() == release.model.sample(9, {"born": ""}, seed=3).to_dict()
    again = rows.to_pandas()["born"][0]
    assert release.model.sample(9, {"born": again}, seed=3).to_dict() == rows.to_dict()
    for values in ([null, "a"], ["a", null]):
        with pytest.raises(mo.InvalidInput, match=r'values must be without nulls, for which there is null="category"'):
            mo.categorical(values)


def test_a_model_answers_questions(release):
    model = release.model
    answer = model.estimate("mean(age) by ward")
    assert isinstance(answer, mo.TableAnswer)
    assert answer["question"] == "mean(age) by ward"
    assert str(answer).startswith("mean(age) by ward\n")
    frame = pandas.DataFrame(answer.rows)
    assert list(frame.columns) == [
        "part", "of", "group", "estimate", "standard_error", "lower", "upper",
        "population_standard_error", "population_lower", "population_upper",
    ]  # fmt: skip
    known = frame.dropna(subset=["estimate"])
    assert {"answers", "differences"} >= set(known["part"]) and len(known) >= 2
    assert (known["lower"] <= known["estimate"]).all() and (known["estimate"] <= known["upper"]).all()
    assert (known["population_lower"] <= known["lower"]).all()
    both = model.estimate(["share(ward)", "quantile(age, .5)"])
    assert [each["question"] for each in both] == ["share(ward)", "quantile(age, .5)"]
    assert both[0].rows[0]["of"] == "north"
    assert both[1].rows[0]["standard_error"] is None
    assert model.estimate([]) == []


def test_answers_refuse_other_questions(release):
    for question, words in (
        ("share(town)", "no column"),
        ("share ward", "a question must be"),
        ("share(ward = west)", "west"),
        (3, "must be a text or a list of texts"),
        (["share(ward)", None], "must be a text or a list of texts"),
    ):
        with pytest.raises(mo.InvalidInput, match=words):
            release.model.estimate(question)


def test_answers_are_the_commands(release, tmp_path):
    path = tmp_path / "model.json"
    release.model.write(path)
    asked = ["share(ward)", "ward = south ~ age"]
    command = [sys.executable, "-m", "mollify", "answer", "--model", str(path), *asked, "--json"]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert json.loads(printed) == [answer.to_dict() for answer in release.model.estimate(asked)]
