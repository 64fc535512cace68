"""Checks the lines that divide a source into sections: a line of dashes stands alone, and the heading is the
comment below it. A formatter that joins the two leaves a heading that nobody can read.

usage: headings.py REPOSITORY
"""

import pathlib
import re
import sys

from tracked import text_files

JOINED = re.compile(r"^\s*(?://|#) ?-{20,} *[^-\s]")


def main():
    repository = pathlib.Path(sys.argv[1]).resolve()
    faults, seen = [], 0
    for path, text in text_files(repository):
        if path.suffix not in (".h", ".cpp", ".inc", ".py", ".c"):
            continue
        for number, line in enumerate(text.split("\n"), 1):
            seen += bool(re.match(r"^\s*// -{20,}$", line))
            if JOINED.match(line):
                faults.append(f"{path.relative_to(repository)}:{number}: a heading is joined to the line above it")
    formats = (repository / ".clang-format").read_text()
    if "ReflowComments: false" not in formats:
        faults.append(".clang-format reflows comments, which joins headings and breaks tables")
    print("\n".join(faults))
    print(f"{seen} headings, {len(faults)} faults")
    return 1 if faults or seen < 100 else 0


sys.exit(main())
