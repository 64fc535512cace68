"""Checks that one kind of text has one spelling of the privacy parameters: ε, δ, ρ and μ in documents;
epsilon, delta, rho and mu in code and its comments.

usage: spelling.py REPOSITORY
"""

import pathlib
import re
import sys

from tracked import text_files

CODE = (".h", ".cpp", ".inc", ".c", ".cmake", ".py", ".sh")
# Blocks, names and places, and tables that are made of the sentences of the code's help.
CITED = re.compile(r"^<!-- made by .*?^<!-- end -->$|^```.*?^```|^    .*?$|`[^`]+`|\]\([^)]*\)", re.M | re.S)


def main():
    repository = pathlib.Path(sys.argv[1]).resolve()
    faults = []
    files = 0
    for path, text in text_files(repository):
        place = str(path.relative_to(repository))
        files += 1
        if path.suffix == ".md":
            text = CITED.sub("", text)
            wrong = r"\b(?:epsilon|delta|rho)\b"
        elif path.suffix in CODE and place.startswith(("src/", "include/", "tests/", "benchmarks/", "fuzz/", "examples/", "python/")):
            wrong = "[εδρμ]"
        else:
            continue
        if path != pathlib.Path(__file__).resolve():
            faults += [f"{place}: {word}" for word in re.findall(wrong, text)]
    print("\n".join(faults))
    print(f"{files} files, {len(faults)} faults")
    return 1 if faults or files < 100 else 0


sys.exit(main())
