"""The referee: releases that are made again of tables that the model draws."""

import json
import math
import warnings

import numpy as np
import pytest

import mollify as mo

pandas = pytest.importorskip("pandas")

DOMAIN = {"ward": mo.categorical(["north", "south"], null="north"), "age": mo.integer(0, 99, bins=10, null="0", outside="clip")}
TABLE = {"ward": ["north", "south"] * 200, "age": [15, 75] * 200}


def method(**others):
    return mo.Marginals(DOMAIN, **({"epsilon": 3, "delta": 1e-6, "count": 300, "accept_error": True, "questions": "ward:age"} | others))


@pytest.fixture(scope="module")
def release():
    return method().sample(TABLE)


def numbers(rows):
    return {"mean": sum(rows["age"]) / len(rows), "north": rows["ward"].count("north") / len(rows)}


def test_a_simulation_has_errors_of_both_kinds(release):
    seen = []

    def function(rows):
        seen.append(len(rows))
        return numbers(rows)

    found = release.model.simulate(function, release, releases=39)
    # The released rows, and then a table of the model and its release in turn.
    assert sorted(seen) == [300] * 40 + [400] * 39
    assert json.loads(found.json)["interval"] == "basic bootstrap"
    frame = pandas.DataFrame(found.rows)
    assert list(frame) == [
        "of", "estimate", "bias", "standard_error", "lower", "upper", "population_bias", "population_standard_error",
        "population_lower", "population_upper", "releases",
    ]  # fmt: skip
    assert dict(zip(frame["of"], frame["estimate"])) == numbers(release)
    assert (frame["releases"] == 39).all() and (frame["standard_error"] > 0).all()
    assert np.allclose(frame["bias"], frame["population_bias"])
    assert (frame["lower"] < frame["upper"]).all() and (frame["population_lower"] < frame["population_upper"]).all()
    lines = str(found).splitlines()
    assert lines[0] == "39 simulated releases" and lines[2].split()[0] == "mean"


def test_a_simulation_reads_files_and_answers_about_estimates(release, tmp_path):
    release.model.write(tmp_path / "model.json")
    release.certificate.write(tmp_path / "certificate.json")
    model = mo.Model.read(tmp_path / "model.json")
    found = model.simulate(lambda rows: rows.to_pandas()["age"].mean(), tmp_path / "certificate.json", estimate=45.5, releases=39)
    (row,) = found.rows
    assert row["of"] == "" and row["estimate"] == 45.5
    assert row["lower"] < 45.5 - row["bias"] < row["upper"]


def test_numbers_that_some_releases_lack_have_no_errors(release):
    left = iter(range(1000))

    def function(rows):
        return {"always": 1, "seldom": None if next(left) % 3 else len(rows), "infinite": 1 if len(rows) == 300 else math.inf}

    rows = {row["of"]: row for row in release.model.simulate(function, release, releases=39).rows}
    always = rows["always"]
    assert always["releases"] == 39 and always["standard_error"] == always["population_bias"] == 0
    assert always["lower"] == always["population_upper"] == 1
    for name in ("seldom", "infinite"):
        assert rows[name]["releases"] < 39 and rows[name]["lower"] is None and rows[name]["population_standard_error"] is None


def test_releases_with_public_records_or_a_protected_number_of_rows_are_simulated():
    known = {"ward": ["north"] * 50, "age": [15] * 50}
    release = method(reference=known, neighbours="add-remove").sample(TABLE)
    sizes = []

    def function(rows):
        sizes.append(len(rows))
        return numbers(rows)

    release.model.simulate(function, release, reference=known, releases=39)
    # As many rows as noisy counts say, which is not what is released.
    assert len(set(sizes)) == 2 and abs(max(sizes) - 400) < 40
    with pytest.raises(mo.InvalidInput, match="reference is missing") as refused:
        release.model.simulate(numbers, release)
    assert refused.value.code == "missing-parameter"
    with pytest.raises(mo.InvalidInput, match="SHA-256"):
        release.model.simulate(numbers, release, reference={"ward": ["south"], "age": [15]})


@pytest.mark.parametrize(
    ("wrong", "code", "sentence"),
    [
        ({"function": 3}, "wrong-type", "function must be a function of released rows, but is 3"),
        ({"function": lambda rows: "x"}, "wrong-type", "function must return a number or a mapping from names to numbers, but returns 'x'"),
        ({"function": lambda rows: None}, "wrong-type", "finds no number"),
        ({"estimate": "y"}, "wrong-type", "estimate must be a number or a mapping from names to numbers, but is 'y'"),
        ({"estimate": {"a": [1]}}, "wrong-type", "but is a mapping with"),
        ({"releases": 38}, "out-of-range", "from 39 to 100000"),
    ],
)
def test_wrong_parameters_are_refused(release, wrong, code, sentence):
    with pytest.raises(mo.InvalidInput) as refused:
        release.model.simulate(**({"function": numbers, "certificate": release} | wrong))
    assert refused.value.code == code and sentence in str(refused.value)


def test_other_releases_are_refused(release):
    with pytest.raises(mo.InvalidInput, match="of another release than this model") as refused:
        release.model.simulate(numbers, method().sample(TABLE))
    assert refused.value.code == "certificate-mismatch"
    with pytest.raises(mo.InvalidInput, match="estimate is missing"):
        release.model.simulate(numbers, release.certificate)
    of_units = method(unit="person").sample(TABLE | {"person": range(400)})
    with pytest.raises(mo.InvalidInput, match="a release with unit is not simulated") as refused:
        of_units.model.simulate(numbers, of_units)
    assert refused.value.code == "not-for-this-release"
    of_tables = mo.IntegralModel(DOMAIN, epsilon=4, accept_error=True).sample(TABLE)
    with pytest.raises(mo.InvalidInput, match="only releases by Marginals") as refused:
        of_tables.model.simulate(numbers, of_tables)
    assert refused.value.code == "not-for-this-method"


def test_no_ledger_is_charged_and_nothing_is_warned_of(tmp_path):
    ledger = mo.Ledger(tmp_path / "spent.db")
    ledger.declare("table", epsilon=10, delta=1e-5)
    with pytest.warns(mo.ReleaseWarning):  # it is mostly noise
        release = method(epsilon=0.01).sample(TABLE, ledger=ledger, data_set="table")
    charged = ledger.history("table")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        release.model.simulate(numbers, release, releases=39)
    assert ledger.history("table") == charged


# If 90 of 100 intervals hold, fewer than 25 of 40 do with a probability of less than 1e-6.
def test_intervals_hold_the_real_share():
    trials, least = 40, 25
    domain = {"ill": mo.boolean(null="false")}
    table = {"ill": [True] * 80 + [False] * 120}
    held = {"": 0, "population_": 0, "naive": 0}
    for _ in range(trials):
        release = mo.Marginals(domain, epsilon=0.1, count=10_000, accept_error=True).sample(table)
        found = release.model.simulate(lambda rows: sum(rows["ill"]) / len(rows), release, releases=39)
        (row,) = found.rows
        for target in ("", "population_"):
            held[target] += row[f"{target}lower"] <= 0.4 <= row[f"{target}upper"]
        error = 1.96 * math.sqrt(row["estimate"] * (1 - row["estimate"]) / len(release))
        held["naive"] += abs(row["estimate"] - 0.4) <= error
        # A share is off by noise of about 0.1.
        assert row["upper"] - row["lower"] < 1.2
    assert min(held[""], held["population_"]) >= least, held
    assert held["naive"] < least, held
