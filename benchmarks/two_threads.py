#!/usr/bin/env python3
"""How much sooner two threads are done than one, by the clock: on a quiet machine.

A local release by unit of a CSV file of 10^7 rows and 10 000 units, and one of 256 units of 100 rows
that are scored at 65 536 candidates. Each runs by one thread and by two in turn, `--repetitions`
times; the least wall times count, and the ratio of the two.

    benchmarks/two_threads.py --program build/release/src/cli/mollify
"""

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time

UNITS = 10_000
SCORED_UNITS = 256


def write_rows(path, rows, units, value):
    """Rows of a unit each, `value` of them; many at a time, because that takes Python long enough."""
    generator = random.Random(1)
    block = [value(generator) for _ in range(100_000)]
    with open(path, "w", encoding="ascii") as file:
        file.write("unit,value,more\n")
        for begin in range(0, rows, len(block)):
            many = min(len(block), rows - begin)
            first = generator.randrange(units)
            file.write("".join(f"{(first + 7919 * i) % units},{block[i]},text\n" for i in range(many)))


def write_public(folder, name, units, column):
    with open(f"{folder}/{name}.yaml", "w", encoding="ascii") as file:
        file.write(f"columns:\n  value: {column}\n")
    with open(f"{folder}/{name}_units.csv", "w", encoding="ascii") as file:
        file.write("unit\n" + "".join(f"{unit}\n" for unit in range(units)))


def seconds(program, folder, name, threads, more):
    start = time.perf_counter()
    run = subprocess.run(
        [program, "sample", "local", "--data", f"{folder}/{name}.csv",
         "--domain", f"{folder}/{name}.yaml", "--unit", "unit", "--units", f"{folder}/{name}_units.csv",
         "--epsilon", "2", "--count", "1", "--threads", str(threads), "--out", f"{folder}/{name}_{threads}.csv",
         "--overwrite", "--accept-error", *more],
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if run.returncode != 0:
        sys.exit(run.stderr)
    return time.perf_counter() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--program", required=True, help="the command mollify")
    parser.add_argument("--rows", type=int, default=10_000_000, help="of the CSV file")
    parser.add_argument("--repetitions", type=int, default=3)
    given = parser.parse_args()
    print("| what | one thread | two threads | times as fast |\n|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        write_rows(f"{folder}/rows.csv", given.rows, UNITS, lambda generator: generator.randrange(1000))
        write_public(folder, "rows", UNITS, "{type: integer, min: 0, max: 999, null: 0}")
        write_rows(f"{folder}/scored.csv", 100 * SCORED_UNITS, SCORED_UNITS,
                   lambda generator: f"{generator.gauss(500, 100):.6g}")
        write_public(folder, "scored", SCORED_UNITS, "{type: number, min: 0, max: 999, null: 0}")
        size = os.path.getsize(f"{folder}/rows.csv") / 1e6
        for name, what, more in (
            ("rows", f"{given.rows} rows of CSV ({size:.0f} MB), {UNITS} units", []),
            ("scored", f"65536 candidates, {SCORED_UNITS} units of 100 rows",
             ["--space", "candidates", "--candidates", "65536"]),
        ):
            least = {1: float("inf"), 2: float("inf")}
            for _ in range(given.repetitions):
                for threads in least:
                    least[threads] = min(least[threads], seconds(given.program, folder, name, threads, more))
            print(f"| {what} | {least[1]:.2f} s | {least[2]:.2f} s | {least[1] / least[2]:.2f} |", flush=True)


if __name__ == "__main__":
    main()
