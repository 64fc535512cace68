"""Three ways to release skewed numbers whose rows share one model, beside the table they were made from. NOT PRIVATE.

Usage: python copula.py MOLLIFY (DATA.csv | factor) [RUNS]

Of rand_hie.csv seven numbers a person-year, in the cells that the domain declares; "factor" is a table of its own making:
5000 rows of 20 log-normal columns, whose logarithms have correlation .5, in ten cells each. Total variation of single
columns and of pairs of columns; means of RUNS releases of as many rows as there are.
"""

import bisect
import csv
import itertools
import math
import pathlib
import random
import subprocess
import sys
import tempfile

EDGES = {
    "age": range(0, 66, 5),
    "educdec": [0, 2.5, 5, 7.5, 10, 12.5, 15, 17.5, 20, 25],
    "income": range(0, 30001, 2000),
    "disea": range(0, 61, 4),
    "mhi": range(0, 101, 10),
    "mdvis": [0, 1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 80],
    "meddol": [0, 1, 10, 25, 50, 75, 100, 150, 200, 300, 500, 800, 1200, 2000, 4000, 40000],
}


FACTOR_EDGES = {f"c{i}": [0, 0.28, 0.43, 0.59, 0.78, 1, 1.29, 1.69, 2.32, 3.6, 100] for i in range(20)}


def write_factor(path):
    lines = [",".join(FACTOR_EDGES)]
    for _ in range(5000):
        common = random.gauss(0, 1)
        lines.append(",".join(f"{math.exp((common + random.gauss(0, 1)) * math.sqrt(0.5)):.3f}" for _ in FACTOR_EDGES))
    path.write_text("\n".join(lines) + "\n")


def columns_of(path, names):
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    return {name: [float(row[name] or 0) for row in rows] for name in names}


def shares(first, second):
    counts = {}
    for pair in zip(first, second):
        counts[pair] = counts.get(pair, 0) + 1 / len(first)
    return counts


def total_variation(truth, released):
    return sum(abs(truth.get(cell, 0) - released.get(cell, 0)) for cell in truth.keys() | released.keys()) / 2


def distances(all_edges, table, rows):
    binned = [
        {name: [bisect.bisect_right(edges[1:-1], value) for value in one[name]] for name, edges in all_edges.items()}
        for one in (table, rows)
    ]
    ones = [total_variation(*(shares(one[name], one[name]) for one in binned)) for name in all_edges]
    pairs = [
        total_variation(*(shares(one[first], one[second]) for one in binned))
        for first, second in itertools.combinations(all_edges, 2)
    ]
    return sum(ones) / len(ones), sum(pairs) / len(pairs), max(pairs)


def main(command, data, runs):
    folder = pathlib.Path(tempfile.mkdtemp())
    all_edges = EDGES
    if data == "factor":
        all_edges, data = FACTOR_EDGES, str(folder / "factor.csv")
        write_factor(pathlib.Path(data))
    table = columns_of(data, all_edges)
    count = len(next(iter(table.values())))
    lines = {
        "cells": lambda edges: f"edges: {list(edges)}",
        "numbers": lambda edges: f"min: {edges[0]}, max: {edges[-1]}",
    }
    for name, line_of in lines.items():
        columns = [f"  {column}: {{type: number, {line_of(edges)}}}" for column, edges in all_edges.items()]
        (folder / f"{name}.yaml").write_text("columns:\n" + "\n".join(columns) + "\n")
    ways = {
        "`gaussian-model`": ("numbers", ["gaussian-model"]),
        "`marginals`": ("cells", ["marginals"]),
        "`marginals --copula`": ("cells", ["marginals", "--copula"]),
    }

    def line(epsilon, what, found):
        means = [sum(one) / len(found) for one in zip(*found)]
        print(f"| {epsilon} | {what} | {means[0]:.4f} | {means[1]:.4f} | {means[2]:.3f} |", flush=True)

    print("| ε | rows | one-way mean | two-way mean | worst |\n|---|---|---|---|---|")
    independent = {name: random.sample(values, count) for name, values in table.items()}
    line("-", "independent columns, no noise", [distances(all_edges, table, independent)])
    for epsilon in ("0.05", "0.1", "0.5", "1", "5"):
        for what, (domain, options) in ways.items():
            found = []
            for _ in range(runs):
                words = [command, "sample", *options, "--data", data, "--epsilon", epsilon]
                words += ["--delta", "1e-6", "--domain", str(folder / f"{domain}.yaml"), "--count", str(count)]
                subprocess.run(
                    [*words, "--out", str(folder / "rows.csv"), "--overwrite"], check=True, stderr=subprocess.DEVNULL
                )
                found.append(distances(all_edges, table, columns_of(folder / "rows.csv", all_edges)))
            line(epsilon, what, found)


main(sys.argv[1], sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else 3)
