"""Checks that every source that is cited stands in docs/project/bibliography.md, in the one form of a key, and that
what stands there is cited: [Park et al. 2024, Theorem III.1].

usage: citations.py REPOSITORY
"""

import pathlib
import re
import sys

from tracked import text_files

NAME = r"(?:van )?[A-ZÀ-Ý][\w'-]+"
KEY = re.compile(rf"{NAME}(?:, {NAME})*(?: et al\.)?,? (?:19|20)\d\d\b(?![.-])")
SHORT = re.compile(r"\[(?:[A-Z]\w{0,4}\d\d|[A-Z]{3,5} \d+\.\d)\b[^\]]*\]")
CITING = ("benchmarks", "docs", "examples", "experiments", "fuzz", "include", "python/mollify/reproduce", "README.md", "src", "tests")
MONTH = re.compile(r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June|July|August|September|October|November|December|[QH]\d) \d{4}")
COMMENT = re.compile(r"\n[ \t]*(?:///?<?|#|\*)?[ \t]*")


def main():
    repository = pathlib.Path(sys.argv[1]).resolve()
    bibliography = repository / "docs/project/bibliography.md"
    keys = set(re.findall(r"^\| \[([^\]]+)\] \|", bibliography.read_text(), re.M))
    faults, cited = [], set()
    for path, text in text_files(repository):
        place = str(path.relative_to(repository))
        if not place.startswith(CITING) or path in (bibliography, pathlib.Path(__file__).resolve()):
            continue
        joined = MONTH.sub("", COMMENT.sub(" ", text))
        for key in KEY.findall(joined):
            if key in keys:
                cited.add(key)
            else:
                faults.append(f"{place}: {key} does not stand in docs/project/bibliography.md")
        faults += [f"{place}: {short} is not a key" for short in SHORT.findall(joined)]
    faults += [f"docs/project/bibliography.md: nothing cites {key}" for key in sorted(keys - cited)]
    print("\n".join(faults))
    print(f"{len(keys)} keys, {len(faults)} faults")
    return 1 if faults or len(keys) < 20 else 0


sys.exit(main())
