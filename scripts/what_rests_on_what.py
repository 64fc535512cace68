#!/usr/bin/env python3
"""Counts the code that the privacy of each mechanism depends on, as src/kernel/README.md prints it.

usage: what_rests_on_what.py REPOSITORY [--write | --check]

Prints the tables; --write puts them into the page, --check fails where the page has others. Lines are of
code, neither blank nor comments; headers count.
"""

import pathlib
import re
import sys

PAGE = "src/kernel/README.md"

RANDOM = ["core/wide.h", "core/random", "core/entropy", "core/chacha20_lanes", "core/lanes.h"]
BAND = ["core/invalid_input.h", "core/ranges.h", "core/band"]
FIT = ["core/numerators", "core/numerators_lanes"]
TABLE = RANDOM + BAND + FIT + ["core/table"]
COIN = ["kernel/naturals", "kernel/coins"]
ENUMERATED = "argued; small cases enumerated"

# What a mechanism's promise rests on, all of each chapter counted, what floating point decides in it, and how it is proved.
MECHANISMS = [
    ("a table's draw", TABLE, "none: e^ε is found in integers and rounded down by 2^−40",
     "by machine"),
    ("a table's draw by a release's key", TABLE + ["records/keyed_units"], "none",
     "by machine; argued for the words"),
    ("randomized response and any other channel's draw; many draws of one table",
     RANDOM + BAND + FIT + ["core/table", "kernel/order", "kernel/channels"], "none",
     "by machine; argued for the staircase; small cases enumerated"),
    ("discrete Laplace, discrete Gaussian, Euclidean Laplace noise", RANDOM + COIN + ["kernel/order", "kernel/noise"], "none",
     ENUMERATED),
    ("exponential choice", RANDOM + COIN, "none", ENUMERATED),
    ("clipped sums", ["kernel/naturals", "kernel/clipped_sums"], "none", ENUMERATED),
    ("shuffling; records without replacement; thinning", RANDOM + ["kernel/order"], "none",
     "by machine for shuffles; else argued; small cases enumerated"),
]

# To be read in this order. Headers come before sources, which only make their theorems true.
READING = [
    ("what a band promises", ["core/invalid_input.h", "core/ranges.h", "core/band"]),
    ("numerators that keep it, whatever the scores", ["core/numerators", "core/lanes.h", "core/numerators_lanes"]),
    ("a law, and a position in it", ["core/table"]),
    ("a uniform position", ["core/wide.h", "core/random", "core/entropy", "core/chacha20_lanes"]),
]


def code_lines(path):
    lines = path.read_text().splitlines()
    return sum(1 for line in lines if line.strip() and not line.strip().startswith("//"))


def files(source, name):
    found = [source / name] if "." in name else [source / (name + end) for end in (".h", ".cpp")]
    found = [path for path in found if path.exists()]
    if not found:
        sys.exit(f"{name} is not there: mend the lists of {pathlib.Path(__file__).name}")
    return found


def counted(source, names):
    paths = [path for name in dict.fromkeys(names) for path in files(source, name)]
    return sum(map(code_lines, paths)), sum(len(path.read_text().splitlines()) for path in paths)


def short(names):
    """core: band, fit; kernel: noise"""
    modules = {}
    for name in dict.fromkeys(names):
        module, _, file = name.rpartition("/")
        modules.setdefault(module, []).append(f"`{file.split('.')[0]}`")
    return "; ".join(f"{module}: {', '.join(file)}" for module, file in modules.items())


def tables(repository):
    source = repository / "src"
    lines = ["| ε, δ or ρ of | depends on | lines of code | floating point that decides | proof |",
             "|---|---|---|---|---|"]
    for mechanism, names, floating, proof in MECHANISMS:
        lines.append(f"| {mechanism} | {short(names)} | {counted(source, names)[0]} | {floating} | {proof} |")
    core = sorted({path.relative_to(source).as_posix() for path in (source / "core").iterdir()})
    code, with_comments = counted(source, core)
    lines += ["", f"All of `core/` is {code} lines of code, {with_comments} with their proofs.", ""]
    lines += ["| read | files | lines of code | with their proofs |", "|---|---|---|---|"]
    for subject, names in READING:
        code, with_comments = counted(source, names)
        lines.append(f"| {subject} | {short(names)} | {code} | {with_comments} |")
    code, with_comments = counted(source, [name for _, names in READING for name in names])
    lines.append(f"| **all of it** | | **{code}** | **{with_comments}** |")
    return "\n".join(lines)


def main():
    repository = pathlib.Path(sys.argv[1])
    page = repository / PAGE
    made = tables(repository)
    text = page.read_text()
    between = re.compile(r"(<!-- what_rests_on_what.py -->\n).*?(<!-- end -->)", re.S)
    if "--write" in sys.argv:
        page.write_text(between.sub(lambda match: match[1] + made + "\n" + match[2], text))
    elif "--check" in sys.argv:
        found = between.search(text)
        if not found or found[0] != f"{found[1]}{made}\n{found[2]}":
            sys.exit(f"{PAGE} has other tables: run scripts/what_rests_on_what.py . --write")
    else:
        print(made)


if __name__ == "__main__":
    main()
