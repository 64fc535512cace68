"""The error that a release by marginals measures of its rows, next to the real one: a table of docs/evidence/tables.md.

    build/peers/bin/python experiments/measured_error.py build/release/src/cli/mollify [OPTIONS]

NOT PRIVATE: it compares releases with the tables they were made from. experiments/marginals.py names the
tables and packages; pupils are data/schools.csv. The budget's share for the measurement was chosen with these
tables in view. Each budget is released with delta = 1e-6 and without, by both relations of neighbours, with as many
rows as the table has. Distances are total variation of two columns together. The last columns count releases whose
measured mean is within a fifth of the real one, and whose interval has it; and the share of pairs within their bounds.
"""

import argparse
import itertools
import json
import os
import pathlib
import subprocess
import tempfile

import marginals
import numpy as np
import pandas as pd
import yaml


def pupils():
    frame = pd.read_csv(marginals.DATA / "schools.csv")
    table = marginals.Table()
    table.add_values("sex", frame["sex"], ["female", "male"])
    table.add_values("minority", frame["minority"].astype(bool), [False, True])
    table.add_cells("ses", frame["ses"], np.linspace(-4, 3, 15))
    table.add_cells("math", frame["math"], np.linspace(-3, 25, 15))
    return table


TABLES = {**marginals.TABLES, "pupils": pupils}


def run(program, folder, table, words):
    """The files of a release, or what a plan prints."""
    columns = {
        name: {"type": "integer", "min": 0, "max": size - 1, "bins": size, "null": 0}
        if table.ordered[name]
        else {"type": "categorical", "values": list(range(size)), "null": "0"}
        for name, size in table.sizes.items()
    }
    (folder / "domain.yaml").write_text(yaml.safe_dump({"columns": columns}, sort_keys=False))
    return subprocess.run([program, *words, "--domain", folder / "domain.yaml"], check=True, capture_output=True, text=True).stdout


def pairs_off(rows, truth, sizes):
    found = []
    for i, j in itertools.combinations(range(len(sizes)), 2):
        one, other = (np.bincount(codes[:, i] * sizes[j] + codes[:, j], minlength=sizes[i] * sizes[j]) / len(codes) for codes in (rows, truth))
        found.append(np.abs(one - other).sum() / 2)
    return np.array(found)


def measured(program, table, budget, runs):
    sizes, truth = list(table.sizes.values()), table.codes.to_numpy()
    real, stated, near, held, bounds = [], [], 0, 0, []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        table.codes.to_csv(folder / "data.csv", index=False)
        answer = json.loads(run(program, folder, table, ["plan", "marginals", "--n", str(len(truth)), *budget, "--json"]))
        before = answer["answers"][0]["two_way"]
        for _ in range(runs):
            out = ["--out", folder / "out.csv", "--model-out", folder / "model.json", "--overwrite"]
            run(program, folder, table, ["sample", "marginals", "--accept-error", "--data", folder / "data.csv", "--count", str(len(truth)), *out, *budget])
            off = pairs_off(pd.read_csv(folder / "out.csv")[list(table.sizes)].to_numpy(), truth, sizes)
            error = json.loads((folder / "model.json").read_text())["measurements"]["error"]
            real.append(off.mean())
            stated.append(error["two_way"])
            near += abs(stated[-1] - real[-1]) <= real[-1] / 5
            held += error["interval"][0] <= real[-1] <= error["interval"][1]
            bounds += [most["at_most"] >= one for one, most in zip(off, error.get("pairs", []))]
    return real, stated, before, near, held, bounds


def main():
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("program", help="the command mollify")
    options.add_argument("--table", nargs="+", choices=list(TABLES), default=list(TABLES))
    options.add_argument("--epsilon", nargs="+", type=float, default=[0.5, 1, 3])
    options.add_argument("--runs", type=int, default=5)
    asked = options.parse_args()
    program, all_near, all_held, all_bounds, releases = os.path.abspath(asked.program), 0, 0, [], 0
    marginals.print_head("table", "epsilon", "delta", "neighbours", "real", "measured", "least", "most", "within a fifth", "interval held", "bounds held")
    for name in asked.table:
        table = TABLES[name]()
        for epsilon, delta, neighbours in itertools.product(asked.epsilon, ("1e-6", ""), ("replace", "add-remove")):
            budget = ["--epsilon", str(epsilon), *(["--delta", delta] if delta else []), "--neighbours", neighbours]
            real, stated, before, near, held, bounds = measured(program, table, budget, asked.runs)
            figures = [f"{figure:.4f}" for figure in (np.mean(real), np.mean(stated), before["least"], before["most"])]
            told = f"{np.mean(bounds):.3f}" if bounds else ""
            marginals.print_line(name, f"{epsilon:g}", delta or "0", neighbours, *figures, f"{near} of {asked.runs}", f"{held} of {asked.runs}", told)
            all_near, all_held, releases = all_near + near, all_held + held, releases + asked.runs
            all_bounds += bounds
    share = f"{np.mean(all_bounds):.3f} of {len(all_bounds)}"
    marginals.print_line("all", "", "", "", "", "", "", "", f"{all_near} of {releases}", f"{all_held} of {releases}", share)


if __name__ == "__main__":
    main()
