"""How long sample, plan, verify and compare of method central take together, for tables of 50 to 10 000 rows.

usage: central_four.py MOLLIFY [--hard N] [--seed S]      (default: 300 hard cases)

Times each case through Python, in this process, and through the command MOLLIFY, a process for each of the four. Seconds
are processor time. The cases are a grid of rows, outcomes, released rows and budgets, and N more at random, whose budgets lie
where shuffling helps most, which takes the longest searches. No case is asked twice, because answers are kept. Each certificate
must hold. Prints the rows of docs/evidence/speed.csv, and to standard error the worst case of each way and its four parts.
"""

import argparse
import math
import os
import pathlib
import random
import shlex
import statistics
import subprocess
import sys
import tempfile
import time
import warnings

import mollify as mo
import numpy as np

PARTS = ("sample", "plan", "verify", "compare")
WANTED = 0.3  # seconds


def grid():
    """Cases of rows, outcomes, released rows, epsilon and delta."""
    for n in (50, 300, 2000, 10_000):
        for k in (2, 30, 1000):
            for count in sorted({1, n // 10, n // 2}):
                yield n, k, count, 1.0, 0.01 / n
            yield n, k, n // 4, 0.1, 1e-9


def hard(random):
    n, k = round(math.exp(random.uniform(math.log(50), math.log(10_000)))), round(math.exp(random.uniform(math.log(2), math.log(1000))))
    count = max(1, round(n * math.exp(random.uniform(-4, 0))))
    return n, k, count, float(f"{math.exp(random.uniform(-4, 1)):.3g}"), float(f"{10 ** random.uniform(-12, -2) / n:.2g}")


def by_python(n, k, count, epsilon, delta):
    domain = mo.Domain({"a": mo.integer(0, k - 1, null="0", outside="clip")})
    table = {"a": np.arange(n) % k}
    method = mo.Central(domain, epsilon=epsilon, delta=delta, count=count, accept_error=True)
    made = {}
    works = {
        "sample": lambda: made.setdefault("release", method.sample(table)),
        "plan": lambda: mo.Central.plan_of(n=n, k=k, count=count, epsilon=epsilon, delta=delta),
        "verify": lambda: mo.verify(made["release"], domain).holds or sys.exit("a certificate does not hold"),
        "compare": lambda: method.compare(table),
    }
    seconds = {}
    for part in PARTS:
        start = time.process_time()
        works[part]()
        seconds[part] = time.process_time() - start
    return seconds


def by_command(mollify, folder, n, k, count, epsilon, delta):
    data, domain, out, certificate = (folder / name for name in ("data.csv", "domain.yaml", "out.csv", "certificate.json"))
    data.write_text("a\n" + "".join(f"{i % k}\n" for i in range(n)))
    domain.write_text(f"columns:\n  a: {{type: integer, min: 0, max: {k - 1}, null: 0, outside: clip}}\n")
    asked = ["--epsilon", epsilon, "--delta", delta, "--count", count]
    reads = ["--data", data, "--domain", domain]
    words = {
        "sample": ["sample", "central", *reads, *asked, "--out", out, "--certificate", certificate, "--overwrite", "--accept-error"],
        "plan": ["plan", "central", "--n", n, "--k", k, *asked],
        "verify": ["verify", "--certificate", certificate, "--domain", domain],
        "compare": ["compare", "central", *reads, *asked],
    }
    seconds = {}
    for part in PARTS:
        before = os.times()
        ended = subprocess.run([mollify, *map(str, words[part])], capture_output=True, text=True)
        after = os.times()
        seconds[part] = after.children_user + after.children_system - before.children_user - before.children_system
        if ended.returncode not in (0, 1) or (part == "verify" and ended.returncode):
            sys.exit(f"{shlex.join(map(str, words[part]))}: {ended.stderr}")
    return seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("mollify")
    parser.add_argument("--hard", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    rng = random.Random(given.seed)
    cases = list(dict.fromkeys([*grid(), *(hard(rng) for _ in range(given.hard))]))
    with tempfile.TemporaryDirectory() as folder:
        ways = {
            "Python": by_python,
            "the command": lambda *case: by_command(given.mollify, pathlib.Path(folder), *case),
        }
        print(f"| what | cases | median | most | cases above {WANTED} s |\n|---|---|---|---|---|")
        for way, measured in ways.items():
            found = [(measured(*case), case) for case in cases]
            totals = [sum(seconds.values()) for seconds, _ in found]
            seconds, (n, k, count, epsilon, delta) = max(found, key=lambda one: sum(one[0].values()))
            print(
                f"| sample, plan, verify and compare, through {way} | {len(cases)} | {statistics.median(totals):.3f} s"
                f" | {max(totals):.3f} s | {sum(one > WANTED for one in totals)} |",
                flush=True,
            )
            parts = ", ".join(f"{part} {seconds[part]:.3f}" for part in PARTS)
            print(f"{way}: n {n}, k {k}, count {count}, epsilon {epsilon:g}, delta {delta:g}: {parts}", file=sys.stderr)


if __name__ == "__main__":
    main()
