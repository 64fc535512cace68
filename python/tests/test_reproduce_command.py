"""The command that draws the papers' figures, and what C++ computes for them."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("altair")
pytest.importorskip("vl_convert")
pytest.importorskip("PIL")

from mollify import _core, reproduce
from mollify.boosting import BoostedDensity
from mollify.boosting.cell_masses import measure
from mollify.reproduce import __main__ as command
from mollify.reproduce import densities, page

ROOT = Path(__file__).parents[2]


def row(figure: page.Figure, what: str) -> page.PublishedNumber:
    return next(one for one in figure.comparisons if one.what == what)


# -------------------------------------------------------------------------------------------------
# The command.


def test_the_command_leaves_numbers_pictures_and_a_page(tmp_path, capsys) -> None:
    names = ["park-2", "park-3", "husain-groups"]
    assert command.main([*names, "--out", str(tmp_path), "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["notice"].startswith("NOT PRIVATE")
    assert [one["figure"] for one in answer["figures"]] == names
    assert all((tmp_path / file).exists() for one in answer["figures"] for file in one["files"])
    assert answer["figures"][0]["comparisons"][0]["published"] == 0.2809
    shown = (tmp_path / "index.html").read_text()
    assert "NOT PRIVATE" in shown and 'id="park-2"' in shown and 'id="park-4"' not in shown


def test_the_command_gives_the_same_files_for_the_same_seed(tmp_path, capsys) -> None:
    for folder in ("first", "second"):
        assert command.main(["husain-random-plane", "--quick", "--out", str(tmp_path / folder)]) == 0
        assert capsys.readouterr().out.startswith("NOT PRIVATE")
    files = sorted(path.name for path in (tmp_path / "first").iterdir())
    assert len(files) == 4
    for name in files:
        assert (tmp_path / "first" / name).read_bytes() == (tmp_path / "second" / name).read_bytes()


def test_a_density_of_ones_own_is_drawn(tmp_path, capsys) -> None:
    ring = ROOT / "examples" / "densities" / "ring_of_eight.json"
    assert command.main(["--density", str(ring), "--quick", "--out", str(tmp_path)]) == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "index.html", "own-panels.csv", "own-published.csv", "own.svg"
    ]
    bump = {"type": "gaussian", "mean": [0.5], "variance": 0.04}
    figure = reproduce.own(bump, quick=True)
    curves = figure.charts[1].curves
    for curve in curves:  # boosting leaves some mass where P has none
        inside = np.trapezoid(curve.y, curve.x)
        assert 0.9 < inside < 1 + 1e-3 and (curve.name.startswith("MBDE") or inside > 0.99), curve.name
    dpb, ours = (row(figure, what).ours for what in (
        "DPB, negative log-likelihood, epsilon 10 per record", "MBDE, ours, negative log-likelihood, epsilon 10"
    ))
    entropy = 0.5 * math.log(2 * math.pi * math.e * 0.04)
    assert entropy - 0.01 < dpb < 1.2 and entropy < ours < 1.2
    for wrong, said in (
        ({"type": "gaussian", "mean": [0, 0, 0], "variance": 1}, "has 3 dimensions. Give a density of one or two."),
        ({"type": "gaussian", "mean": [9], "variance": 1}, "Scale it to lie within -7 and 7"),
        ("nowhere.json", "nowhere.json"),
    ):
        with pytest.raises(_core.InvalidInput, match=said):
            reproduce.own(wrong)


def test_the_command_takes_the_beginning_of_names() -> None:
    assert reproduce.chosen(["park", "park-4"]) == [f"park-{number}" for number in range(1, 8)]
    assert reproduce.chosen([]) == list(reproduce.FIGURES) and len(reproduce.FIGURES) == 18


@pytest.mark.command
@pytest.mark.parametrize(
    "given, said",
    [
        (["monte"], 'There is no figure "monte". `python -m mollify.reproduce --list` prints all names.'),
        (["par"], 'There is no figure "par". Did you mean "park"?'),
        (["park-44"], 'There is no figure "park-44". Did you mean "park-4"?'),
        (["--seed", "-1"], "--seed is -1. Give a whole number from 0 to 2^64 - 1."),
        (["park-2", "--out", __file__], f'--out "{__file__}" is not a folder that can be made'),
    ],
)
def test_the_command_refuses(given, said, capsys) -> None:
    assert command.main(given) == 2
    assert capsys.readouterr().err.startswith(f"mollify.reproduce: {said}")


def test_the_guide_shows_what_the_list_prints() -> None:
    ended = subprocess.run(
        [sys.executable, "-P", "-m", "mollify.reproduce", "--list"], capture_output=True, text=True, check=True
    )
    guide = (ROOT / "docs" / "theory" / "reproduction.md").read_text()
    assert f"$ python -m mollify.reproduce --list\n{ended.stdout}" in guide


# -------------------------------------------------------------------------------------------------
# What C++ computes for all this.


def test_measures_are_what_their_json_says() -> None:
    parts = densities.mixture([[0.0, 1.0], [2.0, 0.0]], [1.0, 0.25], [3, 1])
    found = measure(parts)
    assert found.dimension == 2 and math.isinf(found.class_bound())
    points = np.array([[0.5, 0.5], [2.0, 0.1]])
    density = sum(
        weight / 4 * np.exp(-((points - mean) ** 2).sum(axis=1) / (2 * variance)) / (2 * math.pi * variance)
        for weight, mean, variance in ((3, [0, 1], 1), (1, [2, 0], 0.25))
    )
    assert found.densities(points) == pytest.approx(density, rel=1e-12)
    edges = np.linspace(-8, 10, 181)
    masses = found.cell_masses(np.concatenate([edges, edges]), [181, 181]).reshape(180, 180)
    assert masses.sum() == pytest.approx(1, abs=1e-12)
    middles = (edges[:-1] + edges[1:]) / 2
    assert (masses.sum(axis=1) * middles).sum() == pytest.approx(0.5, abs=1e-9)
    numbers = _core.SeededNumbers(1)
    sample = found.sample(4000, numbers).reshape(-1, 2)
    # Variance 1.5625 and .95 about the mean: 4.9 standard errors.
    assert abs(sample[:, 0].mean() - 0.5) < 4.9 * math.sqrt(1.5625 / 4000)
    assert (found.sample(2, _core.SeededNumbers(1)) == sample[:2].ravel()).all()


def test_seeded_numbers_are_uniform_and_normal() -> None:
    numbers = _core.SeededNumbers(3)
    assert numbers.word() != numbers.word()
    uniforms, normals = numbers.uniforms(100_000), numbers.normals(100_000)
    # 4.9 standard errors.
    assert abs(uniforms.mean() - 0.5) < 4.9 / math.sqrt(12e5) and 0 < uniforms.min() < uniforms.max() < 1
    assert abs(normals.mean()) < 4.9 / math.sqrt(1e5) and abs((normals**2).mean() - 1) < 4.9 * math.sqrt(2e-5)


def test_wrong_arrays_are_refused() -> None:
    normal = densities.normal(2)
    with pytest.raises(_core.InvalidInput, match="points must have 2 coordinates, but have 3"):
        normal.densities(np.zeros((1, 3)))
    with pytest.raises(_core.InvalidInput, match="a grid needs ascending edges along each of the measure's 2 axes"):
        normal.cell_masses(np.linspace(0, 1, 5), [5])
    with pytest.raises(_core.InvalidInput, match="type"):
        measure({"type": "nothing"})
    with pytest.raises(_core.InvalidInput, match="classifier must be probability, logit, sign, sigmoid or equation-15"):
        BoostedDensity(1, "anyhow")
    with pytest.raises(_core.InvalidInput):
        _core.projected_on_band(np.ones(2) / 2, np.ones(2), np.ones(2))
