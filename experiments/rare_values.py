"""Rare values of released columns: how their shares compare with the table's, for one or two builds of mollify. NOT PRIVATE.

    python experiments/rare_values.py MOLLIFY [OLDER] [--runs 24] [--epsilon 1]

A value is rare if its share of the table is .1 to .5 % and its count at least three standard deviations of the noise of a
column's counts. `mollify plan` prints the noise of the first measurement, if a row is replaced, and the cells of columns
say how much a second one lowers that. For each build, table and type of column: how many rare values there are, the
quartiles, the least and the greatest of their mean shares over releases, relative to the table's; the same of values below that; and two-way total
variation, its mean over pairs.

Tables: RAND (data/rand_hie_table.yaml), national2019 where NATIONAL2019 names its file, and *Zipf*: 20 000 rows of columns of 30,
100 and 300 values whose counts fall as 1/rank and 1/rank^2, words and integers, two of them dependent; and *sparse*, where most declared words do not occur.
"""

import argparse
import itertools
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import pandas as pd
import yaml

DATA = pathlib.Path(__file__).resolve().parent.parent / "data"
TIMES = 5
MOST_AGAIN, LEAST_AGAIN = 2.5, 0.1  # parts of a second measurement of columns for each of the first (second_column_parts)


def rand():
    columns = yaml.safe_load((DATA / "rand_hie_table.yaml").read_text())["columns"]
    return pd.read_csv(DATA / "rand_hie.csv")[list(columns)], columns


def national():
    rows = pd.read_csv(os.environ["NATIONAL2019"], dtype=str)
    names = ["AGEP", "DEYE", "DVET", "EDU", "HOUSING_TYPE", "MSP", "OWN_RENT", "PINCP_DECILE", "RAC1P", "SEX", "INDP_CAT", "NPF", "PUMA"]
    rows = rows[names].fillna("N")
    columns = {name: {"type": "categorical", "values": sorted(rows[name].unique())} for name in names}
    columns["AGEP"] = {"type": "integer", "min": 0, "max": 99, "outside": "clip", "null": "0"}
    return rows, columns


def zipf():
    random, rows, columns, table = np.random.default_rng(1), 20_000, {}, {}
    for size in (30, 100, 300):
        for power in (1, 2):
            weights = 1 / np.arange(1, size + 1) ** power
            values = random.choice(size, rows, p=weights / weights.sum())
            kept = random.random(rows) < 0.3
            if table:
                values = np.where(kept, next(reversed(table.values())) % size, values)
            name = f"z{size}_{power}"
            table[name] = values
            words = {"type": "categorical", "values": list(range(size))}
            columns[name] = words if power == 1 else {"type": "integer", "min": 0, "max": size - 1}
            columns[name] |= {"outside": "clip", "null": "0"}
    return pd.DataFrame(table), columns


def sparse():
    """Columns that declare 400 words, 20 to 60 of them in the rows, and three columns that depend on the others."""
    random, rows = np.random.default_rng(2), 20_000
    table, columns = {"sex": random.integers(0, 2, rows)}, {"sex": {"type": "categorical", "values": [0, 1]}}
    for occur in (20, 40, 60):
        weights = np.r_[1 / np.arange(1, occur // 2 + 1), np.full(occur - occur // 2, 0.012)]
        values = random.choice(occur, rows, p=weights / weights.sum())
        table[f"s{occur}"] = np.random.default_rng(occur).permutation(400)[values]
        columns[f"s{occur}"] = {"type": "categorical", "values": list(range(400))}
        table[f"t{occur}"] = np.where(random.random(rows) < 0.7, values % 4, random.integers(0, 4, rows))
        columns[f"t{occur}"] = {"type": "categorical", "values": list(range(4))}
    for column in columns.values():
        column |= {"outside": "clip", "null": "0"}
    return pd.DataFrame(table), columns


TABLES = {"RAND": rand, "national2019": national, "Zipf": zipf, "sparse": sparse}


def coded(rows, columns):
    """Cells of each column as codes from 0, without nulls: those are the first value."""
    made = {}
    for name, column in columns.items():
        values = rows[name]
        if column["type"] == "categorical":
            place = {str(value): i for i, value in enumerate(column["values"])}
            made[name] = values.fillna(column["values"][0]).astype(str).map(place).to_numpy(), len(place)
        elif column["type"] == "boolean":
            made[name] = (values.astype(str).str.lower() == "true").to_numpy().astype(int), 2
        else:
            edges = column.get("edges") or np.linspace(column["min"], column["max"] + (column["type"] == "integer"), (column.get("bins") or column["max"] - column["min"] + 1) + 1)
            numbers = np.nan_to_num(pd.to_numeric(values, errors="coerce").to_numpy(float), nan=edges[0])
            made[name] = np.clip(np.searchsorted(edges, numbers, side="right") - 1, 0, len(edges) - 2), len(edges) - 1
    return made


def shares(codes):
    return {name: np.bincount(cells, minlength=size) / len(cells) for name, (cells, size) in codes.items()}


def two_way(codes, truth):
    found = []
    for a, b in itertools.combinations(truth, 2):
        size = truth[b][1]
        tables = [np.bincount(one[a][0] * size + one[b][0], minlength=truth[a][1] * size) / len(one[a][0]) for one in (codes, truth)]
        found.append(np.abs(tables[0] - tables[1]).sum() / 2)
    return np.mean(found)


def run(mollify, folder, *order):
    done = subprocess.run([mollify, *order], cwd=folder, capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    return done.stdout


def print_line(*cells):
    print("|", " | ".join(cells), "|", flush=True)


def main():
    options = argparse.ArgumentParser()
    options.add_argument("builds", nargs="+", help="commands: mollify, and an older one")
    options.add_argument("--runs", type=int, default=24)
    options.add_argument("--epsilon", type=float, nargs="+", default=[1])
    options.add_argument("--table", nargs="+", default=[one for one in TABLES if one != "national2019" or os.environ.get("NATIONAL2019")])
    options.add_argument("--list", action="store_true", help="also each rare value")
    asked = options.parse_args()
    print_line("table", "epsilon", "build", "columns", "values", "how many", "least", "lower quartile", "median", "upper quartile", "greatest", "columns off", "two-way")
    print_line(*["---"] * 13)
    for table in asked.table:
        rows, columns = TABLES[table]()
        with tempfile.TemporaryDirectory() as folder:
            rows.to_csv(f"{folder}/data.csv", index=False)
            pathlib.Path(folder, "domain.yaml").write_text(yaml.safe_dump({"columns": columns}, sort_keys=False))
            truth = coded(rows, columns)
            real = shares(truth)
            for epsilon in asked.epsilon:
                privacy = ["--domain", "domain.yaml", "--epsilon", str(epsilon), "--delta", "1e-6", "--neighbours", "add-remove"]
                plan = json.loads(run(asked.builds[0], folder, "plan", "marginals", *privacy[:-2], "--n", str(len(rows)), "--json"))
                first = plan["answers"][0]["column_deviation"] / math.sqrt(2)
                again = min(16 * first * np.mean([size for _, size in truth.values()]) / len(rows), MOST_AGAIN)
                deviation = first / math.sqrt(1 + (again if again >= LEAST_AGAIN else 0))
                for build, mollify in zip(("new", "older"), asked.builds, strict=False):
                    sums, apart = {name: 0 for name in real}, []
                    for _ in range(asked.runs):
                        order = ["sample", "marginals", *privacy, "--accept-error", "--data", "data.csv", "--count", str(TIMES * len(rows))]
                        run(mollify, folder, *order, "--out", "out.csv", "--overwrite")
                        codes = coded(pd.read_csv(f"{folder}/out.csv", dtype=str), columns)
                        apart.append(two_way(codes, truth))
                        for name, one in shares(codes).items():
                            sums[name] = sums[name] + one / asked.runs
                    for words in (True, False):
                        names = [name for name, column in columns.items() if (column["type"] == "categorical") == words]
                        if not names:
                            continue
                        for kind in ("rare", "rarer"):
                            ratios = []
                            for name in names:
                                for value, share in enumerate(real[name]):
                                    count = share * len(rows)
                                    is_rare = 0.001 <= share <= 0.005 and count >= 3 * deviation
                                    is_rarer = share > 0 and not is_rare and share < 0.005
                                    if is_rare if kind == "rare" else is_rarer:
                                        ratios.append(sums[name][value] / share)
                                        if asked.list and kind == "rare":
                                            print(f"# {name} {value}: {count:.0f} rows, ratio {ratios[-1]:.2f}")
                            off = np.mean([np.abs(sums[name] - real[name]).sum() / 2 for name in names])
                            if not ratios:
                                continue
                            five = [f"{one:.2f}" for one in np.quantile(ratios, [0, 0.25, 0.5, 0.75, 1])]
                            what = ["words" if words else "numbers", kind, str(len(ratios))]
                            print_line(table, f"{epsilon:g}", build, *what, *five, f"{off:.4f}", f"{np.mean(apart):.4f}")


if __name__ == "__main__":
    main()
