"""What releases of real tables say of themselves, next to what is true: a table of docs/evidence/tables.md.

    build/python-tests/bin/python experiments/real_tables.py build/release/src/cli/mollify [--only TEXT] [--least ROWS] [--list FILE]

NOT PRIVATE: it compares releases with the tables they were made from. Every table of the packages of experiments/drafts.py
with at least 1000 rows and two columns that a draft keeps is released once by marginals at epsilon = 1 and delta = 1e-6, with
as many rows as it has, from a domain that was drafted from itself: real tables of packages are public tables here. No
constant of the program was set with these tables in view. Distances are total variation of two columns together, over the
domain's cells, and `mollify compare --released` measures them.

A table is refused, or warned of, or released without a warning. The last columns count, among released tables, those whose
measured mean is within a fifth of the real one, those whose interval has it, the share of pairs within their bounds, and the
tables without a warning that are farther off than independent columns.
"""

import argparse
import collections
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import drafts
import numpy as np

EPSILON, DELTA = "1", "1e-6"
GROUPS = ((5000, None), (2000, 5000), (1000, 2000))


def run(program, *words):
    return subprocess.run([program, *map(str, words), "--json"], capture_output=True, text=True)


def with_own_cells(text):
    """Integers that are cells declare it: else the comparison may cut a wide range where the data lie, and the release does not."""

    def declared(match):
        return f"{match[0]}    bins: {min(250, int(match[2]) - int(match[1]) + 1)}\n"

    return re.sub(r"    type: integer\n    min: (-?\d+)\n    max: (-?\d+)\n(?!    (?:bins|edges|values|step|spikes|missing):)", declared, text)


def found_of(program, folder, frame):
    """What a release of the table says, and what is true; nothing if fewer than two columns can be drafted."""
    data, domain, rows, model = (folder / name for name in ("data.csv", "domain.yaml", "rows.csv", "model.json"))
    frame.to_csv(data, index=False)
    drafted = run(program, "domain", "--public", data, "--out", domain, "--overwrite")
    if drafted.returncode:
        return None
    domain.write_text(with_own_cells(domain.read_text()))
    release = ["--data", data, "--domain", domain, "--epsilon", EPSILON, "--delta", DELTA, "--count", len(frame)]
    released = run(program, "sample", "marginals", *release, "--out", rows, "--model-out", model, "--overwrite")
    if released.returncode:
        code = json.loads(released.stderr.strip().splitlines()[-1]).get("code", "") if released.stderr.strip().startswith("{") else released.stderr
        found = {"status": "refused", "codes": [code]}
        released = run(program, "sample", "marginals", *release, "--accept-error", "--out", rows, "--model-out", model, "--overwrite")
        if released.returncode:
            return {"status": "other", "codes": [code]}
    else:
        codes = [one["code"] for one in json.loads(released.stdout).get("warnings", [])]
        found = {"status": "warned" if codes else "silent", "codes": codes}
    compared = json.loads(run(program, "compare", "--released", rows, "--data", data, "--domain", domain).stdout)
    if "released" not in compared.get("pairs", {}):
        return None
    error = json.loads(model.read_text())["measurements"].get("error")
    if error is None:  # one column, or nothing that depends
        return None
    off = np.array(compared["pairs"]["released"]["tv"])
    return found | {
        "columns": len(compared["columns"]), "real": off.mean(), "independent": compared["pairs"]["independent"]["mean_tv"],
        "chance": compared["tv_by_chance"], "stated": error["two_way"], "interval": error["interval"],
        "bounds": [most["at_most"] >= one for one, most in zip(off, error.get("pairs", []))],
    }  # fmt: skip


def print_group(least, most, all_):
    statuses = collections.Counter(one["status"] for one in all_)
    released = [one for one in all_ if "real" in one and one["status"] != "refused"]
    refused = [one for one in all_ if one["status"] == "refused" and "real" in one]
    near = sum(abs(one["stated"] - one["real"]) <= one["real"] / 5 for one in released)
    held = sum(one["interval"][0] <= one["real"] <= one["interval"][1] for one in released)
    bounds = [bound for one in released for bound in one["bounds"]]
    farther = sum(one["real"] > one["independent"] for one in released if one["status"] == "silent")
    cells = (
        f"{least} to {most}" if most else f"{least} and more", len(all_), statuses["silent"], statuses["warned"], statuses["refused"],
        f"{np.median([one['real'] for one in released]):.4f}", f"{np.median([one['independent'] for one in released]):.4f}",
        f"{near} of {len(released)}", f"{held} of {len(released)}", f"{np.mean(bounds):.3f} of {len(bounds)}", farther,
        f"{sum(one['real'] < one['independent'] for one in refused)} of {len(refused)}",
    )  # fmt: skip
    print("|", " | ".join(map(str, cells)), "|", flush=True)


def main():
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("program", help="the command mollify")
    options.add_argument("--only", default="", help="tables whose names contain it")
    options.add_argument("--list", type=pathlib.Path, help="writes a line for each table")
    options.add_argument("--least", type=int, default=GROUPS[-1][0], help="rows that a table has at least")
    asked = options.parse_args()
    drafts.install()
    program, all_ = os.path.abspath(asked.program), []
    with tempfile.TemporaryDirectory() as name:
        for title, frame in drafts.tables(asked.only):
            if len(frame) < asked.least or frame.columns.size < 2:
                continue
            found = found_of(program, pathlib.Path(name), frame)
            if found is None:
                continue
            all_.append(found | {"table": title, "rows": len(frame)})
            print(title, len(frame), found["status"], f"{found.get('real', 0):.4f}", file=sys.stderr, flush=True)
            if asked.list:
                with open(asked.list, "a") as file:
                    file.write(json.dumps(all_[-1], default=float) + "\n")
    head = ("rows", "tables", "no warning", "warned", "refused", "real", "independent", "within a fifth", "interval held", "bounds held",
            "no warning, farther than independent", "refused, nearer than independent")  # fmt: skip
    print("|", " | ".join(head), "|\n|", " | ".join("---" for _ in head), "|")
    for least, most in GROUPS:
        group = [one for one in all_ if least <= one["rows"] < (most or 10**9)]
        if group:
            print_group(least, most, group)


if __name__ == "__main__":
    main()
