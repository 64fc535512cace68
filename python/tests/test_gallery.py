"""The gallery's notebooks run from the first cell to the last, and show what they say."""

import json
from pathlib import Path

import pytest

pytest.importorskip("pandas")
pytest.importorskip("altair")

GALLERY = sorted((Path(__file__).parents[2] / "docs" / "gallery").glob("*.ipynb"))


def test_there_are_notebooks():
    assert len(GALLERY) == 5


@pytest.mark.parametrize("path", GALLERY, ids=lambda path: path.stem)
def test_runs(path, monkeypatch, capsys):
    monkeypatch.chdir(path.parent)
    book = json.loads(path.read_text(encoding="utf-8"))
    names = {"__name__": "__main__"}
    for number, cell in enumerate(book["cells"]):
        if cell["cell_type"] != "code":
            continue
        assert cell["outputs"] == [], "outputs are made when the site is built"
        exec(compile("".join(cell["source"]), f"{path.name} cell {number}", "exec"), names)
    assert capsys.readouterr().out
