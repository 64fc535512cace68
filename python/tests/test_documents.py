"""The documents' Python is run, and says what it does."""

import re
from pathlib import Path

import pytest

pytest.importorskip("pandas")
pytest.importorskip("polars")

ROOT = Path(__file__).parents[2]


def blocks(page):
    return re.findall(r"^```python\n(.*?)^```", (ROOT / page).read_text(), re.M | re.S)


@pytest.mark.parametrize("page", ["README.md", "docs/guide/python.md"])
def test_blocks_run(page, monkeypatch):
    monkeypatch.chdir(ROOT)
    (ROOT / "build").mkdir(exist_ok=True)
    found = blocks(page)
    assert found
    exec(compile("\n".join(found), page, "exec"), {"__name__": "__main__"})


def test_the_site_has_every_public_name():
    import mollify

    said = (ROOT / "docs" / "api.md").read_text()
    shown = set(re.findall(r"^\.\. auto(?:class|function|exception):: mollify\.(\w+)$", said, re.M))
    assert shown | {"nonprivate", "__version__"} >= set(mollify.__all__)
    assert ".. automodule:: mollify.nonprivate\n" in said


def test_readme_shows_the_example_that_quickstart_runs():
    assert blocks("README.md") == [(ROOT / "examples" / "release_schools.py").read_text()]
