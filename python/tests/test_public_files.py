"""What is made of public data: drafted domains, lists of candidates, fitted references."""

import json
import subprocess
import sys

import numpy as np
import pytest

import mollify as mo


pandas = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")

ROWS = 4000


def wide_table():
    """A public table of 36 columns of all kinds, as programs hold them."""
    rng = np.random.default_rng(7)
    table = {}
    for i in range(10):
        table[f"word{i}"] = [f"w{j}" for j in rng.integers(0, 3 + 3 * i, ROWS)]
        table[f"cost{i}"] = np.where(rng.random(ROWS) < 0.4, 0, np.round(rng.lognormal(i / 2, 1, ROWS), 2))
        table[f"count{i}"] = np.where(rng.random(ROWS) < 0.1, np.nan, rng.poisson(3 ** (i / 2), ROWS))
    for i in range(3):
        table[f"yes{i}"] = rng.random(ROWS) < 0.3
        table[f"day{i}"] = np.datetime64("2020-01-01") + rng.integers(0, 900, ROWS)
    return pandas.DataFrame(table)


def test_a_draft_of_many_columns_is_released_by_marginals():
    table = wide_table()
    domain = mo.Domain.draft(table)
    assert list(domain) == list(table.columns)
    kinds = {name: column["type"] for name, column in domain.columns.items()}
    assert {kinds[f"count{i}"] for i in range(10)} == {"integer"}
    assert {kinds[f"cost{i}"] for i in range(10)} == {"number"}
    assert {kinds[f"yes{i}"] for i in range(3)} == {"boolean"}
    assert {kinds[f"day{i}"] for i in range(3)} == {"date"}
    assert all(domain.columns[f"cost{i}"]["spikes"] == [0] for i in range(10))
    assert all("null" in column and "outside" in column for column in domain.columns.values())
    assert any("This domain is for mo.Marginals" in note for note in domain.notes)
    method = mo.Marginals(domain, epsilon=4, delta=1e-6, count=500)
    assert method.check(table)["findings"] == 0
    release = method.sample(table)
    assert release.shape == (500, 36)
    frame = release.to_pandas()
    assert 0.3 < (frame["cost5"] == 0).mean() < 0.5


def test_drafts_are_the_same_of_every_table(tmp_path):
    table = {"sex": ["f", "m", None, "f"], "age": [31.0, 42.0, None, 53.0], "u": ["a", "b", "c", "d"]}
    path = tmp_path / "pub.csv"
    with np.errstate(invalid="ignore"):  # NumPy 1.24 warns of NaN that pandas writes
        pandas.DataFrame(table).to_csv(path, index=False)
    drafts = [
        mo.Domain.draft(one)
        for one in (table, pandas.DataFrame(table), pl.DataFrame(table, strict=False), pl.LazyFrame(table), path)
    ]
    assert len(set(drafts)) == 1
    assert drafts[0].columns["age"] == {"type": "integer", "min": 31, "max": 53, "null": "category", "outside": "clip"}
    assert list(mo.Domain.draft(table, columns=["age", "sex"])) == ["age", "sex"]
    assert list(mo.Domain.draft(table, exclude="u")) == ["sex", "age"]
    drafts[0].write(tmp_path / "d.yaml")
    assert (tmp_path / "d.yaml").read_text().startswith("# Drafted from the public data (4 records)")
    assert mo.Domain.read(tmp_path / "d.yaml") == drafts[0]


@pytest.mark.filterwarnings("error::mollify.DomainWarning")
def test_a_draft_warns_of_what_it_leaves_out():
    table = {"a": ["x", "y"], "e": [None, None]}
    with pytest.warns(mo.DomainWarning, match='Column "e" is left out: it holds nulls only'):
        mo.Domain.draft(table)
    with pytest.raises(mo.InvalidInput, match='the public data has no column "q"'):
        mo.Domain.draft(table, columns=["q"])
    with pytest.raises(mo.InvalidInput, match="public must be a table"):
        mo.Domain.draft(3)
    with pytest.raises(mo.InvalidInput, match="names for its columns"):
        mo.Domain.draft(np.zeros((3, 2)))


DOMAIN = {"x": mo.number(-4, 4, null="0", outside="clip"), "y": mo.number(-4, 4, null="0", outside="clip")}


def numbers():
    rng = np.random.default_rng(1)
    return {"x": np.clip(rng.normal(size=2000), -4, 4), "y": np.clip(rng.normal(1, 0.5, 2000), -4, 4)}


def test_candidates_are_the_commands(tmp_path):
    domain = mo.Domain(DOMAIN, seed=3)
    domain.write(tmp_path / "d.yaml")
    made = mo.candidates(domain, tmp_path / "c.txt", 500)
    assert made["candidates"] == 500
    asked = subprocess.run(
        [sys.executable, "-P", "-m", "mollify", "candidates", "--domain", "d.yaml", "--candidates", "500", "--out", "e.txt", "--json"],
        cwd=tmp_path, capture_output=True, check=True, text=True,
    )
    assert json.loads(asked.stdout)["sha256"] == made["sha256"]
    assert (tmp_path / "c.txt").read_bytes() == (tmp_path / "e.txt").read_bytes()
    with pytest.raises(mo.InvalidInput, match="overwrite=True"):
        mo.candidates(domain, tmp_path / "c.txt", 500)
    table = numbers() | {"u": np.arange(2000) % 20}
    method = mo.Local(domain, unit="u", epsilon=4, mechanism="relative", candidates_file=tmp_path / "c.txt")
    assert len(method.sample(table)) == 20


def test_a_reference_draws_candidates(tmp_path):
    made = mo.reference(numbers(), DOMAIN, tmp_path / "r.json", components=2)
    assert made["components"] == 2
    assert json.loads((tmp_path / "r.json").read_text())["type"] == "gaussian_mixture"
    for one in (tmp_path / "r.json", numbers()):
        like = mo.candidates(DOMAIN, tmp_path / "like.txt", 1000, reference=one, overwrite=True)
        assert like["candidates"] == 1000
    with pytest.raises(mo.InvalidInput, match="components must be from 1 to 1000"):
        mo.reference(numbers(), DOMAIN, tmp_path / "s.json", components=0)
    with pytest.raises(mo.InvalidInput, match="candidates must be a whole number from 1"):
        mo.candidates(DOMAIN, tmp_path / "s.txt", 0)
    assert not (tmp_path / "s.json").exists()
