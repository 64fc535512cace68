"""The table of docs/evidence/tables.md that shows what `mollify plan central` promises, from public facts alone.

usage: central_plans.py MOLLIFY
"""

import json
import subprocess
import sys

MECHANISMS = ("subsampled-rr", "ds-roo", "subset-rr", "shuffled-rr", "poisson-rr", "histogram")
CASES = (
    (1000, 20, (1, 10, 100), 0), (10_000, 20, (1, 100, 1000, 10_000), 1e-6), (100_000, 1000, (1000, 10_000, 100_000), 1e-6),
)  # fmt: skip


def main(command):
    print(f"| n | k | m | δ | {' | '.join(MECHANISMS)} |\n|{'---|' * (4 + len(MECHANISMS))}")
    for n, k, counts, delta in CASES:
        for m in counts:
            asked = [command, "plan", "central", "--json", "--epsilon", "1", "--n", n, "--k", k, "--count", m, "--delta", delta]
            plan = json.loads(subprocess.run(map(str, asked), check=True, capture_output=True).stdout)
            found = {one["mechanism"]: f"{one['alpha']:.3g}" for one in plan["mechanisms"] if "alpha" in one}
            print(f"| {n} | {k} | {m} | {delta:g} | {' | '.join(found.get(one, '') for one in MECHANISMS)} |")


main(sys.argv[1])
