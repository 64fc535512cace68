"""Times `mollify estimate` on many reports over many outcomes, made here by randomized response.

usage: estimate_many.py MOLLIFY [--reports N] [--outcomes K]

Prints processor seconds and the greatest memory of the command's own process: for a file with a row for each report, one with a
row for each outcome and its count, two releases of different budgets together, and all facts as JSON. Numbers and words are
estimated. Ends with status 1 if the first two need more than 10 s or 1 GB.
"""

import argparse
import collections
import itertools
import math
import os
import pathlib
import random
import subprocess
import sys
import tempfile

MOST_SECONDS, MOST_MEGABYTES = 10, 1000


def made(command):
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def reports_of(number, outcomes, epsilon, seed):
    """A few frequent outcomes and a long tail, through randomized response. Not private, and not secure: for timing."""
    kept = math.expm1(epsilon) / (math.exp(epsilon) + outcomes - 1)
    rng = random.Random(seed)
    ends = list(itertools.accumulate(1 / (place + 1) ** 1.1 for place in range(outcomes)))
    for _ in range(0, number, 100_000):
        for one in rng.choices(range(outcomes), cum_weights=ends, k=min(number, 100_000)):
            yield one if rng.random() < kept else int(rng.random() * outcomes)


class Releases:
    """Reports and certificates of one kind of column."""

    def __init__(self, mollify, folder, column, word, asked):
        self.mollify, self.folder, self.word = mollify, folder, word
        self.domain = folder / "domain.yaml"
        self.domain.write_text(f"columns:\n  answer: {column}\n")
        (folder / "one.csv").write_text(f"id,answer\n1,{word(0)}\n")
        for epsilon in (8, 10):
            made([mollify, "sample", "local", "--data", folder / "one.csv", "--domain", self.domain, "--unit", "id", "--epsilon",
                  str(epsilon), "--mechanism", "randomized-response", "--out", folder / f"one{epsilon}.csv"])  # fmt: skip
            counts = collections.Counter()
            with open(folder / f"rows{epsilon}.csv", "w") as file:
                file.write("answer\n")
                for report in reports_of(asked.reports // (1 if epsilon == 8 else 10), asked.outcomes, epsilon, epsilon):
                    counts[report] += 1
                    file.write(f"{word(report)}\n")
            with open(folder / f"counts{epsilon}.csv", "w") as file:
                file.write("answer,n\n")
                file.writelines(f"{word(report)},{count}\n" for report, count in counts.items())

    def given(self, form, epsilon):
        return ["--released", self.folder / f"{form}{epsilon}.csv", "--certificate", self.folder / f"one{epsilon}.csv.certificate.json"]

    def measured(self, *flags):
        with open(self.folder / "out", "w") as out:
            child = subprocess.Popen([self.mollify, "estimate", "--domain", self.domain, *flags], stdout=out)
            _, status, used = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode:
            sys.exit(f"estimate {flags}: status {child.returncode}")
        return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("mollify", type=os.path.abspath)
    parser.add_argument("--reports", type=int, default=10**7)
    parser.add_argument("--outcomes", type=int, default=10**6)
    asked = parser.parse_args()
    columns = {
        "numbers": (f"{{type: integer, min: 0, max: {asked.outcomes - 1}, null: 0, outside: clip}}", str),
        "words": (f"{{type: categorical, values: [{', '.join(f'w{place}' for place in range(asked.outcomes))}], null: w0}}", "w{}".format),
    }
    kept = True
    print("| column | reports | time | memory |\n|---|---|---|---|")
    for name, (column, word) in columns.items():
        with tempfile.TemporaryDirectory() as folder:
            releases = Releases(asked.mollify, pathlib.Path(folder), column, word, asked)
            counted = ["--counts-column", "n"]
            for form, limited, flags in (
                ("a row for each", True, releases.given("rows", 8)),
                ("a row for each outcome", True, releases.given("counts", 8) + counted),
                ("two releases", False, releases.given("counts", 8) + releases.given("counts", 10) + counted),
                ("a row for each, --json", False, [*releases.given("rows", 8), "--json"]),
            ):
                seconds, megabytes = releases.measured(*flags)
                kept = kept and not (limited and (seconds > MOST_SECONDS or megabytes > MOST_MEGABYTES))
                print(f"| {name} | {form} | {seconds:.1f} s | {megabytes:.0f} MB |", flush=True)
    sys.exit(not kept)


main()
