"""Checks the form of the pages: how long they are, how wide their code is, how guides open and how they end.

usage: pages.py REPOSITORY
"""

import pathlib
import re
import sys

FENCE = re.compile(r"^```\w.*?^```$", re.M | re.S)
GENERATED = re.compile(r"^<!-- made by .*?^<!-- end -->$", re.M | re.S)
# Pages that a newcomer does not need, and their most words, without generated tables. docs/project/bibliography.md lists papers and has no limit.
LIMITS = {"docs/reference/*.md": 1200, "docs/theory/*.md": 2000, "docs/evidence/*.md": 1500, "docs/project/[!b]*.md": 900,
          "docs/README.md": 900, "CHANGELOG.md": 900, "data/README.md": 900, "CONTRIBUTING.md": 500}
ENDS = ("**Judge it:**", "**Track its cost:**", "**Why it is private:**")


def words(text):
    """The words of prose and tables, without code and the targets of links."""
    prose = re.sub(r"\]\([^)]*\)", "]", FENCE.sub("", text))
    return sum(1 for word in prose.split() if re.search(r"\w", word))


def faults_of(place, text, most_words, most_lines):
    if words(text) > most_words:
        yield f"{place} has {words(text)} words of prose, and may have {most_words}"
    if most_lines and text.count("\n") > most_lines:
        yield f"{place} has {text.count(chr(10))} lines, and may have {most_lines}"
    for block in FENCE.findall(text):
        if block.startswith("```cpp"):  # clang-format's 100 columns
            continue
        for line in block.splitlines():
            if len(line) > 90:
                yield f"{place}: code of {len(line)} columns, and 90 is the limit: {line[:40]} ..."
            if "2>/dev/null" in line:
                yield f"{place}: {line.strip()} throws warnings away"


def faults_of_guide(place, text):
    opening = text.split("\n\n")[1]
    if not opening.startswith("This guide is for you if ") or "At the end" not in opening:
        yield f"{place} must open with who it is for and what they have at the end"
    if not (block := FENCE.search(text)) or text.count("\n", 0, block.start()) > 20:
        yield f"{place} must have a block that runs among its first 20 lines"
    ending = text.rpartition("\n## Next\n")[2]
    for mark in ENDS:
        if mark not in ending:
            yield f"{place} must end with {mark}"


def main():
    repository = pathlib.Path(sys.argv[1]).resolve()
    faults = list(faults_of("README.md", (repository / "README.md").read_text(), 900, 130))
    for places, most in LIMITS.items():
        for page in sorted(repository.glob(places)):
            faults += faults_of(str(page.relative_to(repository)), GENERATED.sub("", page.read_text()), most, None)
    path = 0  # words on a newcomer's way, with the longest guide
    guides = sorted((repository / "docs/guides").glob("*.md"))
    for page in sorted((repository / "docs/start").glob("*.md")):
        place, text = str(page.relative_to(repository)), page.read_text()
        faults += faults_of(place, text, 800, 150)
        path += words(text)
    for page in guides:
        place, text = str(page.relative_to(repository)), page.read_text()
        faults += [*faults_of(place, text, 800, 150), *faults_of_guide(place, text)]
    path += words((repository / "README.md").read_text()) + max(words(page.read_text()) for page in guides)
    if path > 3500:
        faults.append(f"README, the Start pages and the longest guide have {path} words, and may have 3500")
    print("\n".join(faults))
    print(f"{len(guides)} guides, {path} words on a newcomer's way, {len(faults)} faults")
    return 1 if faults or len(guides) < 5 else 0


sys.exit(main())
