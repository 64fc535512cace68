"""Numbers inside bins: columns of released rows next to the table's, for one or two builds of mollify. NOT PRIVATE.

    python experiments/shapes.py MOLLIFY [OLDER] [--runs 8] [--epsilon 1 3] [--setup NAMES] [--table NAMES]

MOLLIFY and OLDER are commands; both are given the same tables. delta is 1e-6, a neighbour adds or removes a row, and ten
times as many rows are released as the table has, so that chance of drawing rows counts little.

Tables: *survey*, 20 000 drawn rows with a region, a sex, and three heavy-tailed numbers that depend on one another:

- income: log-normal with a Pareto tail, rounded to 100 or 1000; one row in twenty is 0, a declared spike;
- amount: log-normal with a Pareto tail, in cents, many at .99 and at round numbers;
- duration: days, Poisson mixture with a Pareto tail, many at multiples of 7.

*firms*, 20 000 drawn rows with a branch and three more such numbers:

- savings: a mixture of two log-normals, in whole units; one row in three is 0, a declared spike;
- claim: Pareto with index 1.5, in cents, up to a bound that about 8 rows reach;
- visit: minutes, gamma, three in ten at multiples of 15 or 60.

*ends*, 20 000 drawn rows with a sex and four even numbers that begin and end sharply:

- age: whole years from 18 to 64, edges 0, 18, 30, 45, 65, 101;
- score: 50 to 100, four bins from 0 to 100;
- hour: 9 to 17, edges 0, 6, 9, 12, 15, 18, 24;
- wage: 12 to 40, any number, ten bins from 0 to 100. Its ends are inside bins.

*RAND*: the 14 columns of data/rand_hie_table.yaml. Medical expenses (meddol) are measured, with 0 as a spike.

Setups, for the heavy-tailed numbers:

- wide: edges 0, 1, 2, 5, 10 ... times a unit up to about the 98th percentile of such tables, then one bin up to the bound;
- edges: the same up to the bound;
- equal: thirty bins of equal width, if asked for;
- drafted: what `mollify domain` makes of 2000 other rows, up to the bound;
- private: `bins: private`.

Table *ends* has setup `edges` alone, with its own edges.

Each figure is a mean over releases. Sizes of errors: of the standard deviation and the mean relative to the table's; of
the 99 % quantile and the Wasserstein distance in the table's standard deviations; total variation of columns in bins of
setup `edges`. The deviation and the mean are ratios to the table's, minus 1; their sizes are means of sizes.
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import pandas as pd
import yaml

DATA = pathlib.Path(__file__).resolve().parent.parent / "data"
ROWS, TIMES = 20_000, 10
ZEROS = ("income", "meddol", "savings")  # whose many zeros are public, as a spike


def survey(rows, random):
    region = random.choice(5, rows, p=[0.4, 0.25, 0.2, 0.1, 0.05])
    sex = random.integers(0, 2, rows)
    level = random.normal(0, 1, rows) + 0.3 * region - 0.4 * sex
    income = np.exp(10 + 0.55 * level + random.normal(0, 0.4, rows))
    rich = random.random(rows) < 0.03
    income[rich] = 90_000 * (1 + random.pareto(2.5, rich.sum()))
    income = np.where(random.random(rows) < 0.5, np.round(income, -3), np.round(income, -2))
    income[random.random(rows) < 0.05] = 0
    amount = np.exp(3 + 0.4 * level + random.normal(0, 0.9, rows))
    large = random.random(rows) < 0.03
    amount[large] = 300 * (1 + random.pareto(2.5, large.sum()))
    kind = random.random(rows)
    amount = np.where(kind < 0.3, np.floor(amount) + 0.99, np.where(kind < 0.4, np.round(amount / 5) * 5, np.round(amount, 2)))
    days = random.poisson(random.gamma(1.2, 9 * np.exp(0.3 * level), rows))
    long = random.random(rows) < 0.04
    days[long] = (60 * (1 + random.pareto(2.2, long.sum()))).astype(int)
    days = np.where(random.random(rows) < 0.25, np.round(days / 7).astype(int) * 7, days)
    return pd.DataFrame({
        "region": region, "sex": sex, "income": np.clip(income, 0, 1_000_000).astype(int),
        "amount": np.clip(amount, 0, 20_000).round(2), "duration": np.clip(days, 0, 3650),
    })  # fmt: skip


class Survey:
    numbers = {"income": (1_000_000, 5_000, 200_000, "integer", 100), "amount": (20_000, 5, 500, "number", 0.01),
               "duration": (3650, 2, 100, "integer", 1)}  # fmt: skip

    def __init__(self, random):
        self.rows, self.other = survey(ROWS, random), survey(2000, random)

    def others(self):
        return {"region": {"type": "categorical", "values": list(range(5))}, "sex": {"type": "categorical", "values": [0, 1]}}


def firms(rows, random):
    branch = random.choice(4, rows, p=[0.5, 0.3, 0.15, 0.05])
    savings = np.exp(np.where(random.random(rows) < 0.7, random.normal(6, 1.5, rows), random.normal(9, 1, rows)) + 0.2 * branch)
    savings[random.random(rows) < 1 / 3] = 0
    claim = 150 * (1 + 0.3 * branch) * (1 + random.pareto(1.5, rows))
    visit = random.gamma(0.8, 45 * (1 + 0.2 * branch))
    kind = random.random(rows)
    visit = np.where(kind < 0.2, np.round(visit / 15) * 15, np.where(kind < 0.3, np.round(visit / 60) * 60, np.round(visit)))
    return pd.DataFrame({
        "branch": branch, "savings": np.clip(savings, 0, 5_000_000).astype(int), "claim": np.clip(claim, 0, 50_000).round(2),
        "visit": np.clip(visit, 0, 1440).astype(int),
    })  # fmt: skip


class Firms:
    numbers = {"savings": (5_000_000, 50, 50_000, "integer", 1), "claim": (50_000, 50, 5_000, "number", 0.01),
               "visit": (1440, 2, 200, "integer", 1)}  # fmt: skip

    def __init__(self, random):
        self.rows, self.other = firms(ROWS, random), firms(2000, random)

    def others(self):
        return {"branch": {"type": "categorical", "values": list(range(4))}}


class Ends:
    numbers = {"age": (101, None, None, "integer", 1), "score": (100, None, None, "integer", 1),
               "hour": (24, None, None, "integer", 1), "wage": (100, None, None, "number", 1)}  # fmt: skip
    edges = {"age": [0, 18, 30, 45, 65, 101], "score": [0, 25, 50, 75, 100], "hour": [0, 6, 9, 12, 15, 18, 24], "wage": list(range(0, 101, 10))}

    def __init__(self, random):
        self.rows = self.other = pd.DataFrame({
            "sex": random.integers(0, 2, ROWS), "age": random.integers(18, 65, ROWS), "score": random.integers(50, 101, ROWS),
            "hour": random.integers(9, 18, ROWS), "wage": random.uniform(12, 40, ROWS),
        })  # fmt: skip

    def others(self):
        return {"sex": {"type": "categorical", "values": [0, 1]}}


class Rand:
    numbers = {"meddol": (100_000, 10, 2_000, "number", 0.01)}

    def __init__(self, random):
        self.domain = yaml.safe_load((DATA / "rand_hie_table.yaml").read_text())["columns"]
        whole = pd.read_csv(DATA / "rand_hie.csv")[list(self.domain)]
        whole["meddol"] = whole["meddol"].round(2)
        self.rows, self.other = whole, whole.iloc[::10]

    def others(self):
        return {name: column for name, column in self.domain.items() if name != "meddol"}


TABLES = {"survey": Survey, "firms": Firms, "ends": Ends, "RAND": Rand}


def series(unit, bound):
    edges, power = [0], 1
    while True:
        for times in (1, 2, 5):
            if unit * times * power >= bound:
                return [*edges, bound]
            edges.append(unit * times * power)
        power *= 10


def edges_of(table, name):
    bound, unit, *_ = table.numbers[name]
    return table.edges[name] if unit is None else series(unit, bound)


def declared(setup, name, given, table, mollify, folder):
    bound, unit, late, kind, step = given
    shared = {"type": kind, "outside": "clip", "null": "0"}
    if name in ZEROS:
        shared["spikes"] = [0]
    if setup != "drafted" and step != 1:
        shared["step"] = step
    if setup == "wide":
        return {**shared, "edges": [edge for edge in series(unit, bound) if edge < late] + [late, bound]}
    if setup == "edges":
        return {**shared, "edges": edges_of(table, name)}
    if setup == "equal":
        return {**shared, "min": 0, "max": bound, "bins": 30}
    if setup == "private":
        return {**shared, "min": 0, "max": bound, "bins": "private"}
    public = folder / f"public-{name}.csv"
    rows = pd.concat([table.other[[name]], pd.DataFrame({name: [bound]})])
    rows.to_csv(public, index=False)
    out = folder / f"drafted-{name}.yaml"
    subprocess.run([mollify, "domain", "--public", public, "--out", out, "--overwrite"], check=True, capture_output=True)
    made = yaml.safe_load(out.read_text())["columns"][name]
    return {**{key: value for key, value in made.items() if key not in (None, "null", "missing")}, "outside": "clip", "null": str(bound)}


def release(mollify, table, columns, epsilon, folder):
    (folder / "domain.yaml").write_text(yaml.safe_dump({"columns": columns}, sort_keys=False))
    order = [mollify, "sample", "marginals", "--accept-error", "--neighbours", "add-remove", "--data", folder / "data.csv"]
    order += ["--domain", folder / "domain.yaml", "--epsilon", str(epsilon), "--delta", "1e-6", "--count", str(TIMES * len(table.rows))]
    done = subprocess.run([*order, "--out", folder / "out.csv", "--overwrite"], capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    return pd.read_csv(folder / "out.csv")


def figures(released, real, edges):
    released, real = np.sort(released), np.sort(real)
    deviation, mean = real.std(), real.mean()
    places = (np.arange(len(released)) * len(real) / len(released)).astype(int)
    cells = [np.histogram(one, bins=[*edges[:-1], edges[-1] + 1e-9])[0] / len(one) for one in (released, real)]
    sd, average = released.std() / deviation - 1, released.mean() / mean - 1
    quantile = np.quantile(released, 0.99) - np.quantile(real, 0.99)
    return [sd, abs(sd), abs(quantile) / deviation, average, abs(average), np.abs(released - real[places]).mean() / deviation,
            np.abs(cells[0] - cells[1]).sum() / 2]  # fmt: skip


def print_line(*cells):
    print("|", " | ".join(cells), "|", flush=True)


def main():
    options = argparse.ArgumentParser()
    options.add_argument("builds", nargs="+", help="commands: mollify, and an older one")
    options.add_argument("--runs", type=int, default=8)
    options.add_argument("--epsilon", type=float, nargs="+", default=[1, 3])
    options.add_argument("--setup", nargs="+", default=["wide", "edges", "drafted", "private"])
    options.add_argument("--table", nargs="+", default=list(TABLES))
    asked = options.parse_args()
    builds = dict(zip(("new", "older"), asked.builds, strict=False))
    print_line("table", "column", "setup", "epsilon", "build", "deviation", "size of it", "99 % quantile", "mean", "size of mean", "Wasserstein", "in bins")
    print_line(*["---"] * 12)
    for name in asked.table:
        for epsilon in asked.epsilon:
            for setup in ["edges"] if name == "ends" else asked.setup:
                found = {}
                for run in range(asked.runs):
                    table = TABLES[name](np.random.default_rng(run))
                    with tempfile.TemporaryDirectory() as made:
                        folder = pathlib.Path(made)
                        table.rows.to_csv(folder / "data.csv", index=False)
                        columns = table.others()
                        for column, given in table.numbers.items():
                            columns[column] = declared(setup, column, given, table, asked.builds[0], folder)
                        for build, mollify in builds.items():
                            rows = release(mollify, table, columns, epsilon, folder)
                            for column in table.numbers:
                                one = figures(rows[column].to_numpy(), table.rows[column].to_numpy(), edges_of(table, column))
                                found.setdefault((column, build), []).append(one)
                for (column, build), each in sorted(found.items()):
                    print_line(name, column, setup, f"{epsilon:g}", build, *(f"{one:.3f}" for one in np.mean(each, axis=0)))


if __name__ == "__main__":
    main()
