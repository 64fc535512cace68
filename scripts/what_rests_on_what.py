#!/usr/bin/env python3
"""Counts what the privacy of each mechanism rests on, as docs/theory/privacy-kernel.md prints it.

usage: what_rests_on_what.py REPOSITORY [--write | --check]

Prints the tables; --write puts them into the page, --check fails where the page has others. Lines are of
code, neither blank nor comments; headers count.
"""

import pathlib
import re
import sys

PAGE = "docs/theory/privacy-kernel.md"

RANDOM = ["core/random.h", "core/random.h", "kernel/core/secure_random", "kernel/core/chacha20",
          "kernel/core/chacha20_lanes", "core/lanes.h"]
EPSILON = ["core/invalid_input.h", "kernel/core/exp_bound"]
FIT = ["kernel/core/band", "kernel/core/fit", "core/lanes.h", "kernel/core/fit_lanes"]
TABLE = RANDOM + EPSILON + FIT + ["kernel/core/table"]
COIN = ["kernel/noise/exp_minus", "kernel/noise/natural", "kernel/noise/bernoulli_exp", "kernel/noise/ratio"]
LAPLACE = RANDOM + COIN + ["kernel/noise/discrete_laplace"]
GAUSSIAN = LAPLACE + ["kernel/noise/discrete_gaussian"]

# What a mechanism's promise rests on, and what floating point decides in it.
MECHANISMS = [
    ("a table's draw", TABLE, "one exp, rounded down by 2^−40"),
    ("a table's draw by a release's key",
     TABLE + ["core/table.h", "records/release_key", "records/keyed_units.h", "records/keyed_units"], "the same"),
    ("many draws of one table", TABLE + ["kernel/channel/alias_table"], "the same"),
    ("a draw from many outcomes, few with a score", TABLE + ["kernel/core/sparse_table"], "the same"),
    ("randomized response", RANDOM + EPSILON + ["kernel/core/band", "kernel/core/randomized_response"], "the same"),
    ("mixture channel", RANDOM + EPSILON + ["kernel/core/band", "kernel/channel/mixture_channel"], "the same"),
    ("staircase channel", RANDOM + EPSILON + ["kernel/core/band", "kernel/channel/staircase_channel"], "the same"),
    ("matrix channel", RANDOM + EPSILON + ["kernel/core/band", "kernel/channel/matrix_channel"], "the same"),
    ("discrete Laplace noise", LAPLACE, "none"),
    ("discrete Gaussian noise", GAUSSIAN, "none"),
    ("Euclidean Laplace noise", LAPLACE + ["kernel/naturals.h", "kernel/noise/euclidean_laplace"], "none"),
    ("exponential choice", RANDOM + COIN + ["kernel/noise/exponential_choice"], "none"),
    ("clipped sums", ["core/random.h", "kernel/naturals.h", "kernel/noise/clipped_sum"], "none"),
    ("shuffling", RANDOM + ["kernel/order/shuffle"], "none"),
    ("records without replacement; thinning", RANDOM + ["kernel/order/subsample", "kernel/order/geometric_gap"], "none"),
]

# To be read in this order. Headers come before sources, which only make their theorems true.
READING = [
    ("what a band promises", ["core/random.h", "core/invalid_input.h", "kernel/core/exp_bound",
                              "kernel/core/band"]),
    ("numerators that keep it, whatever the scores", ["kernel/core/fit", "core/lanes.h", "kernel/core/fit_lanes"]),
    ("a law, and a position in it", ["kernel/core/table"]),
    ("a uniform position", ["core/random.h", "kernel/core/secure_random", "kernel/core/chacha20",
                            "kernel/core/chacha20_lanes", "core/lanes.h"]),
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
    """kernel/core/: band, fit; kernel/noise/: ratio"""
    rooms = {}
    for name in dict.fromkeys(names):
        room, _, file = name.rpartition("/")
        rooms.setdefault(room, []).append(f"`{file.split('.')[0]}`")
    return "; ".join(f"{room}: {', '.join(file)}" for room, file in rooms.items())


def tables(repository):
    source = repository / "src"
    lines = ["| ε, δ or ρ of | rests on | lines of code | floating point that it rests on |", "|---|---|---|---|"]
    for mechanism, names, floating in MECHANISMS:
        lines.append(f"| {mechanism} | {short(names)} | {counted(source, names)[0]} | {floating} |")
    core = sorted({path.relative_to(source).as_posix() for path in (source / "kernel/core").iterdir()})
    code, with_comments = counted(source, core)
    lines += ["", f"All of `kernel/core/` is {code} lines of code, {with_comments} with their proofs.", ""]
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
