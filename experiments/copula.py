"""Three ways to release skewed numbers whose rows share one model, beside the table they were made from. NOT PRIVATE.

Usage: python copula.py MOLLIFY [RUNS]

RAND is seven numbers a person-year of data/rand_hie.csv, in the cells that the domain declares. *factor* is a table of its
own making: 5000 rows of 20 log-normal columns, whose logarithms have correlation .5, in ten cells each. Total variation of
single columns and of pairs of columns; means of RUNS releases of as many rows as there are.
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


WAYS = {
    "`gaussian-model`": ("numbers", ["gaussian-model"]),
    "`marginals`": ("cells", ["marginals"]),
    "`marginals --copula`": ("cells", ["marginals", "--copula"]),
}


def measured(command, data, all_edges, runs):
    """For each epsilon and way of releasing the means of the three distances, as texts."""
    folder = pathlib.Path(tempfile.mkdtemp())
    table = columns_of(data, all_edges)
    count = len(next(iter(table.values())))
    lines = {
        "cells": lambda edges: f"edges: {list(edges)}",
        "numbers": lambda edges: f"min: {edges[0]}, max: {edges[-1]}",
    }
    for name, line_of in lines.items():
        columns = [f"  {column}: {{type: number, {line_of(edges)}, null: {edges[0]}}}" for column, edges in all_edges.items()]
        (folder / f"{name}.yaml").write_text("columns:\n" + "\n".join(columns) + "\n")

    def shown(found):
        one, two, worst = (sum(each) / len(found) for each in zip(*found))
        return [f"{one:.4f}", f"{two:.4f}", f"{worst:.3f}"]

    independent = {name: random.sample(values, count) for name, values in table.items()}
    yield "-", "independent columns, no noise", shown([distances(all_edges, table, independent)])
    for epsilon in ("0.05", "0.1", "0.5", "1", "5"):
        for what, (domain, options) in WAYS.items():
            found = []
            for _ in range(runs):
                words = [command, "sample", *options, "--accept-error", "--data", data, "--epsilon", epsilon]
                words += ["--delta", "1e-6", "--domain", str(folder / f"{domain}.yaml"), "--count", str(count)]
                subprocess.run(
                    [*words, "--out", str(folder / "rows.csv"), "--overwrite"], check=True, stderr=subprocess.DEVNULL
                )
                found.append(distances(all_edges, table, columns_of(folder / "rows.csv", all_edges)))
            yield epsilon, what, shown(found)


def main(command, runs):
    rand = pathlib.Path(__file__).resolve().parent.parent / "data/rand_hie.csv"
    factor = pathlib.Path(tempfile.mkdtemp()) / "factor.csv"
    write_factor(factor)
    print("| ε | rows | RAND: one-way mean | two-way mean | worst | factor: one-way mean | two-way mean | worst |")
    print("|---|---|---|---|---|---|---|---|", flush=True)
    for one, other in zip(measured(command, rand, EDGES, runs), measured(command, factor, FACTOR_EDGES, runs)):
        print("|", " | ".join([*one[:2], *one[2], *other[2]]), "|", flush=True)


main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 3)
