"""The site of these documents and of the Python package's docstrings: scripts/build_site.sh."""

import os
import re
from pathlib import Path

import mollify

project = "mollify"
author = "the mollify authors"
copyright = "the mollify authors"  # noqa: A001
release = version = mollify.__version__

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.viewcode"]
root_doc = "README"
source_suffix = {".md": "myst-nb", ".ipynb": "myst-nb"}
html_theme = "furo"
html_title = "mollify"
html_static_path: list[str] = []

myst_heading_anchors = 4

nb_execution_mode = "force"  # a cache would know the notebooks, but not the package
nb_execution_timeout = 120
nb_execution_raise_on_error = True

autodoc_member_order = "bysource"
autodoc_typehints = "description"
autodoc_class_signature = "separated"
napoleon_numpy_docstring = True
napoleon_google_docstring = False

# The pages are written for readers of the repository; a site needs a table of contents besides, and
# has no pages for what lies outside of docs/.
CONTENTS = """
```{toctree}
:hidden:
:caption: Start

start/first-records
start/what-epsilon-protects
start/choose-a-method
```
```{toctree}
:hidden:
:caption: Guides

guides/describe-your-data
guides/one-record-per-person
guides/hide-a-whole-table
guides/sample-of-a-table
guides/synthetic-table
guides/rows-of-numbers
guides/estimate-a-population
guides/plan-a-budget
guides/track-a-budget
guides/python
guides/spark
```
```{toctree}
:hidden:
:caption: Gallery
:glob:

gallery/three-attacks
gallery/*
```
```{toctree}
:hidden:
:caption: Reference
:glob:

reference/domain
reference/mechanisms
reference/spec
reference/cpp-and-c
reference/api
reference/glossary
reference/*
```
```{toctree}
:hidden:
:caption: Theory
:glob:

theory/threat-model
theory/privacy-kernel
theory/band
theory/best-band
theory/*
```
```{toctree}
:hidden:
:caption: Evidence
:glob:

evidence/*
```
```{toctree}
:hidden:
:caption: Project
:glob:

project/*
```
"""


def _complete(app: object, name: str, source: list[str]) -> None:
    docs = Path(__file__).parent
    here = (docs / name).parent

    def named(link: re.Match[str]) -> str:
        target = Path(os.path.normpath(here / link[2].partition("#")[0]))
        if re.match(r"[a-z]+:|#", link[2]) or target.is_relative_to(docs):
            return link[0]
        return f"{link[1]} (`{target.relative_to(docs.parent)}`)"

    source[0] = re.sub(r"(?<!!)\[([^\]]*)\]\(([^)\s]+)\)", named, source[0])
    if name == "README":
        source[0] += CONTENTS


def setup(app: object) -> None:
    app.connect("source-read", _complete)  # type: ignore[attr-defined]
