"""Checks that what the Markdown files name exists: files and folders, and tests (`Suite.Name`, and
`test_file.test_name` of Python); and the C++ files that comments of C++ name. The tables of docs/theory/coverage/ must also name
a test in each row, or say why none.

usage: names.py REPOSITORY
"""

import csv
import fnmatch
import pathlib
import re
import sys

from tracked import text_files

FENCE = re.compile(r"^```.*?^```", re.M | re.S)
FILE = re.compile(r"[\w*./-]+\.(?:h|cpp|inc|c|py|cmake|sh|md|svg|yaml|json|csv)|[\w-]+(?:/[\w-]+)*/")
IN_COMMENT = re.compile(r"//.*")
SOURCE = re.compile(r"[\w/]+\.(?:h|cpp)\b")
TEST = re.compile(r"[A-Z]\w+\.(?:[A-Z]\w+|\*)|test_\w+\.test_\w+")
UNTESTED = ("used in the proof of ", "not claimed", "not computed", "a schematic drawing")
HEAD = ["result", "computed by", "compared with", "test"]
FEWEST_ROWS = 89


def faults_of_coverage(place, text):
    """A row names tests in its last cell; a row without any begins its third cell by saying why."""
    head, *rows = csv.reader(text.splitlines())
    if head != HEAD:
        yield f"{place}: the columns must be {', '.join(HEAD)}"
    for row in rows:
        names = re.findall(r"`([^`]+)`", row[3])
        if len(row) != len(HEAD) or not all(TEST.fullmatch(name) for name in names):
            yield f"{place}: {row}: not a result, what computes it, what it is compared with, and tests"
        elif not names and not row[2].startswith(UNTESTED):
            yield f"{place}: {row[0]}: names no test, and does not begin with one of {UNTESTED}"


def main():
    repository = pathlib.Path(sys.argv[1]).resolve()
    files, tests, pages, comments, faults, rows = set(), set(), [], [], [], 0
    for path, text in text_files(repository):
        place = str(path.relative_to(repository))
        files.add("/" + place)
        for folder in path.relative_to(repository).parents:
            files.add(f"/{folder}/")
        if path.suffix in {".h", ".cpp"}:
            comments += [(place, name) for said in IN_COMMENT.findall(text) for name in SOURCE.findall(said)]
        if path.suffix == ".cpp" and place.startswith("tests/"):
            for suite, name in re.findall(r"^\w*TEST\w*\(\s*(\w+),\s*(\w+)", text, re.M):
                tests |= {f"{suite}.{name}", f"{suite}.*"}
        if path.suffix == ".py" and place.startswith(("python/tests/", "collector/tests/")):
            tests |= {f"{path.stem}.{name}" for name in re.findall(r"^def (test_\w+)", text, re.M)}
        if path.suffix == ".md" and place.startswith(("docs/", "src/", "README", "CONTRIBUTING")):
            pages.append((place, FENCE.sub("", text)))
    for path in sorted(repository.glob("docs/theory/coverage/*.csv")):
        place, text = str(path.relative_to(repository)), path.read_text()
        pages.append((place, text))
        faults += faults_of_coverage(place, text)
        rows += text.count("\n") - 1
    if rows < FEWEST_ROWS:
        faults.append(f"docs/theory/coverage/ has {rows} rows, and must have {FEWEST_ROWS}")
    files |= {"/" + str(path.relative_to(repository)) for path in (repository / "data").glob("*.csv")}
    files |= {"/" + str(path.relative_to(repository)) for path in repository.glob("docs/pictures/*")}
    missing = []
    named = 0
    for place, text in pages:
        for name in re.findall(r"`([^`\n]+)`", text):
            if TEST.fullmatch(name):
                found = name in tests
            elif FILE.fullmatch(name) and not name.startswith("build/") and not re.match(r"[A-Z]\.\w+$", name):
                found = any(fnmatch.fnmatch(file, f"*/{name}") for file in files)
            else:
                continue
            named += 1
            if not found:
                missing.append(f"{place}: `{name}`: there is no such thing")
    for place, name in comments:
        named += 1
        if not any(file.endswith(f"/{name}") for file in files):
            missing.append(f"{place}: {name}: there is no such file")
    missing += faults
    print("\n".join(missing))
    print(f"{named} names, {len(missing)} of nothing")
    return 1 if missing or named < 50 else 0


sys.exit(main())
