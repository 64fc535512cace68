"""What the default of nulls costs, beside `null: VALUE`. NOT PRIVATE.

Usage: python null_default.py MOLLIFY [RUNS]

Releases of the README and of three guides, with their domains as they are, which declare what a null becomes, and without
these keys. No value of the tables is null. Each figure is what `mollify compare` finds: the mean total variation of two
columns, and the greatest share of nulls in a column; for method marginals, which is simulated, the mean of RUNS.
"""

import csv
import json
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

DATA = pathlib.Path(__file__).parent.parent / "data"
UNIT = ["--unit", "school"]
COUNT = ["--delta", "1e-6", "--count", "100"]

RELEASES = {
    "README: a record of each school, epsilon 2": ("local", "schools", [*UNIT, "--epsilon", "2"]),
    "One record per person: epsilon 4": ("local", "schools", [*UNIT, "--epsilon", "4"]),
    "A sample of a table: epsilon 0.5": ("central", "schools", [*COUNT, "--epsilon", "0.5"]),
    "A synthetic table: epsilon 1": ("marginals", "schools_table", ["--delta", "1e-6", "--epsilon", "1"]),
}


def compared(mollify, method, domain, flags):
    """The mean total variation of pairs, and the greatest share of nulls."""
    command = [mollify, "compare", method, "--data", DATA / "schools.csv", "--domain", domain, *flags, "--json"]
    found = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    law = "law" if "law" in found["pairs"] else "released"
    nulls = [
        share
        for column in found["columns"]
        for level, share in zip(column["levels"], column["shares"][law])
        if level == "-"
    ]
    return found["pairs"][law]["mean_tv"], max(nulls, default=0)


def main():
    mollify = sys.argv[1]
    runs = int(sys.argv[2]) if len(sys.argv) > 2 else 20
    write = csv.writer(sys.stdout, lineterminator="\n")
    write.writerow(["release", "off with null: VALUE", "off by default", "false nulls by default"])
    with tempfile.TemporaryDirectory() as folder:
        for name, (method, stem, flags) in RELEASES.items():
            declared = DATA / f"{stem}.yaml"
            default = pathlib.Path(folder) / f"{stem}.yaml"
            default.write_text(re.sub(r", null: [^,}]*", "", declared.read_text()))
            times = runs if method == "marginals" else 1
            of = {
                domain: [compared(mollify, method, domain, flags) for _ in range(times)] for domain in (declared, default)
            }
            off = {domain: statistics.mean(one for one, _ in found) for domain, found in of.items()}
            nulls = statistics.mean(share for _, share in of[default])
            write.writerow([name, f"{off[declared]:.2g}", f"{off[default]:.2g}", f"{nulls:.2g}"])


if __name__ == "__main__":
    main()
