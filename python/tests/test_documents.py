"""The documents' Python is run, and says what it does."""

import re
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

pytest.importorskip("pandas")
pytest.importorskip("polars")

ROOT = Path(__file__).parents[2]


def blocks(page):
    return re.findall(r"^```python\n(.*?)^```", (ROOT / page).read_text(), re.M | re.S)


def pages():
    """The pages for users that hold Python; test_spark.py runs the page that needs Java."""
    for page in sorted([ROOT / "README.md", *ROOT.glob("docs/*/*.md")]):
        name = str(page.relative_to(ROOT))
        if any(found := blocks(name)) and "pyspark" not in found[0]:
            yield name


@pytest.mark.parametrize("page", list(pages()))
def test_blocks_run(page, monkeypatch):
    monkeypatch.chdir(ROOT)
    (ROOT / "build").mkdir(exist_ok=True)
    found = blocks(page)
    assert found
    exec(compile("\n".join(found), page, "exec"), {"__name__": "__main__"})


ONLY = """
import importlib.abc, sys

class Others(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name.partition(".")[0] in {others}:
            raise ModuleNotFoundError("quickstart does not install " + name, name=name)

sys.meta_path.insert(0, Others())
"""


def normal(name):
    return re.split(r"[^\w.-]", name.strip())[0].replace("_", "-").lower()


def other_packages():
    """What is installed here, and not by `quickstart`, which names its packages in one line."""
    named = re.search(r'^  "\$\{install\[@\]\}" (.*)$', (ROOT / "quickstart").read_text(), re.M)[1].split()
    brought = set()
    waiting = [*named, "mollify-dp"]
    while waiting:
        name = normal(waiting.pop())
        if name not in brought:
            brought.add(name)
            waiting += [one for one in metadata.requires(name) or () if "extra ==" not in one]
    owners = metadata.packages_distributions()
    return {package for package, by in owners.items() if not brought & {normal(one) for one in by}} - {"mollify"}


def first_examples():
    """The first Python block of each page for users; what needs Java or an extra says so before."""
    for page in sorted([ROOT / "README.md", *ROOT.glob("docs/start/*.md"), *ROOT.glob("docs/guides/*.md")]):
        name = str(page.relative_to(ROOT))
        needs_extra = "mollify-dp[" in page.read_text().partition("```python")[0]
        if (found := blocks(name)) and "pyspark" not in found[0] and not needs_extra:
            yield name, found[0]


@pytest.mark.parametrize(("page", "block"), list(first_examples()))
def test_first_examples_run_with_what_quickstart_installs(page, block):
    (ROOT / "build").mkdir(exist_ok=True)
    code = ONLY.replace("{others}", repr(other_packages())) + block
    done = subprocess.run([sys.executable, "-P", "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_the_site_has_every_public_name():
    import mollify

    said = (ROOT / "docs" / "reference" / "api.md").read_text()
    shown = set(re.findall(r"^\.\. auto(?:class|function|exception):: mollify\.(\w+)$", said, re.M))
    assert shown | {"nonprivate", "__version__"} >= set(mollify.__all__)
    assert ".. automodule:: mollify.nonprivate\n" in said


def test_readme_shows_the_example_that_quickstart_runs():
    for page in ("README.md", "docs/index.md"):
        assert blocks(page) == [(ROOT / "examples" / "release_schools.py").read_text()]


ENTERED = {
    "categorical": (["a", None], ["b", "x"]),
    "ordinal": (["a", None], ["b", "x"]),
    "boolean": ([True, None], [1.0, 0.0]),
    "boolean with values": (["yes", None], [1.0, "x"]),
    "integer": ([1, 2], [1.0, None]),
    "number": ([1.5, None], ["1", "many"]),
    "date": (["2026-01-02", None], ["2026-01-02T00:00:00", "soon"]),
    "datetime": (["2026-01-02T03:04:05", None], ["2026-01-02", "soon"]),
}


def test_released_types_are_those_of_the_guide_whatever_is_entered():
    import mollify as mo
    import pandas as pd

    days = {"min": "2026-01-01", "max": "2026-12-31", "bins": 4}
    declared = {
        "categorical": mo.categorical(["a", "b"], outside="a", null="category"),
        "ordinal": mo.ordinal(["a", "b"], outside="a", null="category"),
        "boolean": mo.boolean(outside=False, null=False),
        "boolean with values": mo.boolean(["non", "oui"], outside="non", null="non"),
        "integer": mo.integer(0, 9, bins=2, outside="clip", null="category"),
        "number": mo.number(0, 9, bins=2, outside="clip", null="category"),
        "date": mo.date(**days, outside="clip", null="category"),
        "datetime": mo.datetime(**days, outside="clip", null="category"),
    }
    page = (ROOT / "docs/guides/describe-your-data.md").read_text()
    table = page[page.index("in Polars |") :]
    for names, pandas_type, polars_type, pythons in re.findall(r"^\| (`.*`) \| `(.*)` \| `(.*)` \| `(.*)` \|$", table, re.M):
        for name in names.replace("`", "").split(", "):
            for entered in ENTERED.pop(name):
                method = mo.Integral(mo.Domain({"it": declared[name]}), epsilon=1, count=5, accept_error=True)
                for frame in ({"it": entered}, pd.DataFrame({"it": entered})):
                    release = method.sample(frame)
                    assert str(release.to_pandas()["it"].dtype) == pandas_type
                    assert str(release.to_polars()["it"].dtype).startswith(polars_type)
                    assert {type(one["it"]).__name__ for one in release} <= {pythons.removeprefix("datetime."), "NoneType"}
    assert not ENTERED, "the guide has every type"
