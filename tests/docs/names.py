"""Checks that what the Markdown files name exists: files and folders, and tests (`Suite.Name`, and
`test_file.test_name` of Python); and the C++ files that comments of C++ name.

usage: names.py REPOSITORY
"""

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


def main():
    repository = pathlib.Path(sys.argv[1]).resolve()
    files, tests, pages, comments = set(), set(), [], []
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
        if path.suffix == ".py" and place.startswith("python/tests/"):
            tests |= {f"{path.stem}.{name}" for name in re.findall(r"^def (test_\w+)", text, re.M)}
        if path.suffix == ".md" and place.startswith(("docs/", "src/", "README", "CONTRIBUTING")):
            pages.append((place, FENCE.sub("", text)))
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
    print("\n".join(missing))
    print(f"{named} names, {len(missing)} of nothing")
    return 1 if missing or named < 50 else 0


sys.exit(main())
