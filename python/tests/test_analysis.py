"""What is told of the population, and beforehand: the command's own answers."""

import json
import pickle
import subprocess
import sys

import pytest

import mollify as mo


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
        model="local",
        unit="school",
        units=schools / "schools_roster.csv",
        mechanism="randomized-response",
        epsilon=3,
    )
    found = mo.estimate(release)
    release.to_pandas().to_csv(tmp_path / "r.csv", index=False)
    release.certificate.write(tmp_path / "r.json")
    told = command(
        *("estimate", "--json", "--released", tmp_path / "r.csv"),
        *("--certificate", tmp_path / "r.json"),
    )
    assert found.json == told
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


def test_estimates_refuse_what_is_not_the_releases(domain, schools):
    data = {name: [] for name in domain} | {"unit": []}
    release = mo.sample(data, domain, model="local", unit="unit", units=["a", "b"], epsilon=1)
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
