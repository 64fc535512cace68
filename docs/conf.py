"""The site of these documents, of the headers and of the docstrings: scripts/build_site.sh."""

import os
import re
from pathlib import Path

import mollify
from docutils import nodes  # type: ignore[import-untyped]

project = "mollify"
author = "the mollify authors"
copyright = "the mollify authors"  # noqa: A001
release = version = mollify.__version__

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.viewcode"]
root_doc = "index"
source_suffix = {".md": "myst-nb", ".ipynb": "myst-nb"}
html_theme = "furo"
smartquotes = False  # flags begin with two hyphens
default_role = "code"
pygments_dark_style = "github-dark"
html_title = "mollify"
html_static_path = ["style"]
html_css_files = ["site.css"]
html_theme_options = {"navigation_with_keys": True}

myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence"]

nb_execution_mode = "force"  # a cache would know the notebooks, but not the package
nb_execution_timeout = 120
nb_execution_raise_on_error = True

autodoc_member_order = "bysource"
autodoc_typehints = "description"
autodoc_typehints_description_target = "documented_params"  # the others would be listed without words
napoleon_numpy_docstring = True
napoleon_google_docstring = False

# The pages are written for readers of the repository; a site needs a table of contents besides. Pages that lie outside of
# docs/ are moved into it (site_pages.py), and links to other files there become their names.
PARTS = {
    "Start": "start/first-records start/what-epsilon-protects start/choose-a-method",
    "Guides": "guides/describe-your-data guides/one-record-per-person guides/sample-of-a-table guides/synthetic-table guides/analyse-a-table guides/survey-file guides/rows-of-numbers "
    "guides/hide-a-whole-table guides/estimate-a-population guides/find-frequent-words guides/collector guides/plan-a-budget guides/track-a-budget guides/on-a-device guides/ask-every-day guides/python guides/spark",
    "Gallery": "gallery/three-attacks gallery/one-record-of-each gallery/choosing-epsilon gallery/estimating-a-population "
    "gallery/words-of-a-language-model",
    "Reference": "reference/domain reference/rules reference/times reference/units reference/weights reference/released-types reference/mechanisms reference/spec reference/model-file generated/commands reference/api "
    "reference/cpp-and-c reference/collector reference/messages reference/glossary",
    "Theory": "theory/threat-model theory/hostile-parties theory/privacy-kernel theory/band theory/best-band theory/central theory/shuffle-accounting theory/repeated-answers theory/marginals theory/learning-marginals theory/weights "
    "theory/graphical-models theory/gaussian-samplers theory/gaussian-proofs theory/release-keys theory/estimation theory/proved "
    "theory/errata theory/experiments theory/coverage theory/reproduction",
    "Evidence": "evidence/tables evidence/drafts evidence/single-records evidence/devices evidence/speed evidence/speed-inside",
    "Project": "README project/contributing project/architecture project/porting project/devices project/data project/changelog "
    "project/bibliography",
}
HEADERS = "domain release answers verify sampler privacy distributed program laboratory mollify_c"


def _contents(pages: str, **options: str) -> str:
    lines = [f":{name}: {value}".rstrip() for name, value in options.items()]
    return "\n".join(["", "```{toctree}", *lines, "", *pages.split(), "```", ""])


def _complete(app: object, name: str, source: list[str]) -> None:
    docs = Path(__file__).parent
    here = (docs / name).parent
    outside = {"CONTRIBUTING.md": "project/contributing.md", "CHANGELOG.md": "project/changelog.md",
               "data/README.md": "project/data.md", "README.md": "index.md"}

    def named(link: re.Match[str]) -> str:
        path, _, heading = link[2].partition("#")
        target = Path(os.path.normpath(here / path))
        if re.match(r"[a-z]+:|#", link[2]) or target.is_relative_to(docs):
            return link[0]
        place = str(target.relative_to(docs.parent))
        if place in outside:
            return f"[{link[1]}]({os.path.relpath(docs / outside[place], here)}{'#' * bool(heading)}{heading})"
        return f"`{place}`" if link[1] == f"`{place}`" else f"{link[1]} (`{place}`)"

    source[0] = re.sub(r"(?<!!)\[([^\]]*)\]\(([^)\s]+)\)", named, source[0])
    if name == root_doc:
        source[0] += "".join(_contents(pages, hidden="", glob="", caption=part) for part, pages in PARTS.items())
    if name == "reference/cpp-and-c":
        pages = " ".join(f"/generated/{header}" for header in HEADERS.split())
        source[0] += "\n## Every name\n" + _contents(pages, maxdepth="1")


def _mend(app: object, tree: nodes.document) -> None:
    """Sphinx writes two hyphens behind a parameter's name, which stay hyphens without smart quotes. Long code breaks (site.css)."""
    for code in tree.findall(nodes.literal):
        code["classes"] += ["long"] * any(len(word) > 20 for word in code.astext().split())
    for words in [node for node in tree.findall(nodes.Text) if " -- " in node and isinstance(node.parent, nodes.paragraph)]:
        words.parent.replace(words, nodes.Text(words.replace(" -- ", " – ")))


def setup(app: object) -> None:
    app.connect("source-read", _complete)  # type: ignore[attr-defined]
    app.connect("doctree-read", _mend)  # type: ignore[attr-defined]
