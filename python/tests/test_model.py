"""Rows from the model of a release."""

import pickle
import subprocess
import sys

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
    measured = release.certificate.to_dict()["measured"]
    assert measured["words"].startswith("noise of the ")
    listed = {tuple(pair["columns"]) for pair in measured["pairs"]}
    listed |= {tuple(pair) for pair in measured["not_measured"]["pairs"]}
    assert measured["not_measured"]["count"] == len(measured["not_measured"]["pairs"])
    assert listed == {("ward", "age"), ("ward", "born"), ("age", "born")}
    model = release.model
    assert model.domain == mo.Domain(DOMAIN)
    path = tmp_path / "model.json"
    model.write(path)
    assert mo.Model.read(path) == model == pickle.loads(pickle.dumps(release)).model
    assert [each.name for each in tmp_path.iterdir()] == ["model.json"]
    data = {"ward": ["north"], "age": [1], "born": [None]}
    assert mo.Integral(DOMAIN, epsilon=1, candidates=10).sample(data).model is None


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
        ({"born": pandas.Timestamp("1995-02-03")}, "born", lambda one: one.startswith("1995-")),
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
        (1, {"town": "x"}, 'the model has no column "town"; it has ward, age, born'),
        (1, {"ward": "west"}, 'ward in given must be one of 3 declared values, but is "west"'),
        (1, {"age": None}, 'age in given must be'),
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
