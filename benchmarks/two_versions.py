"""Times this version and an older one in turn, and prints their times and the ratio, by every measure that both have.

usage: two_versions.py OLDER [--rounds N] [--only WORDS]      (default: 3 rounds, all programs)

OLDER is a checkout of an earlier commit with its release build, benchmarks and build/python-speed; this checkout needs the same. Runs
each program of the one and of the other in turn, N times, and keeps the least processor time of each case: so load that
comes and goes makes both slower. Cases whose programs differ between the versions count by their name.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent.parent
GOOGLE = ("kernel", "front", "records", "scorers", "grid", "amplification", "training")
SECONDS = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0}
TABLES = {
    "growth": ["build/release/benchmarks/benchmark_growth", "1e6"],
    "releases": ["build/python-speed/bin/python", "-P", "benchmarks/releases.py", "build/release/src/cli/mollify", "0.1"],
    "python": ["build/python-speed/bin/python", "-P", "benchmarks/python_speed.py", "1000000"],
}


def output(tree, words):
    return subprocess.run([str(tree / words[0]), *words[1:]], check=True, cwd=tree, stdout=subprocess.PIPE, text=True).stdout


def of_google(tree, name):
    words = [f"build/release/benchmarks/benchmark_{name}", "--benchmark_format=json", "--benchmark_min_time=0.1"]
    for case in json.loads(output(tree, words))["benchmarks"]:
        if not case.get("error_occurred"):
            yield case["name"], case["cpu_time"] * SECONDS[case["time_unit"]]


def of_tables(tree, name):
    """The times of Markdown tables, and the time of one where they have a rate."""
    heads = []
    for line in output(tree, TABLES[name]).splitlines():
        cells = [cell.strip() for cell in line.split("|")[1:-1]]
        if cells[:1] == ["what"]:
            heads = cells
        for head, cell in list(zip(heads, cells))[1:]:
            head = cells[1] if heads[1:] == ["measure", "value"] else head
            what = re.sub(r" \(\d+ MB\)", "", cells[0])  # a size that not every version prints
            if time := re.fullmatch(r"(\d*\.?\d+) (ns|µs|ms|s)", cell):
                yield f"{what}: {head}", float(time[1]) * SECONDS[time[2]]
            elif rate := re.fullmatch(r"(\d*\.?\d+) million", cell):
                yield f"{what}: one", 1e-6 / float(rate[1])


def short(seconds):
    factor, unit = next((pair for pair in ((1, "s"), (1e-3, "ms"), (1e-6, "µs")) if seconds >= pair[0]), (1e-9, "ns"))
    return f"{seconds / factor:.3g} {unit}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("older", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", nargs="*", default=[*GOOGLE, *TABLES])
    given = parser.parse_args()
    trees = given.older.resolve(), HERE
    print("| program | case | before | now | times as long |\n|---|---|---|---|---|")
    for name in given.only:
        least = {}, {}
        for _ in range(given.rounds):
            for times, tree in zip(least, trees):
                for case, seconds in (of_google if name in GOOGLE else of_tables)(tree, name):
                    times[case] = min(seconds, times.get(case, seconds))
        before, now = least
        for case in before:
            if case in now and before[case] > 0:
                ratio = now[case] / before[case]
                print(f"| {name} | {case} | {short(before[case])} | {short(now[case])} | {ratio:.2f} |", flush=True)
        if not before.keys() & now.keys():
            sys.exit(f"program {name} has no case in common")


if __name__ == "__main__":
    main()
