"""How long whole releases by the command take, from files that it makes first.

usage: releases.py MOLLIFY [SCALE]      SCALE is the share of the rows that are made (default: 1; needs 2 GB of disk, and NumPy)

Seconds of processor time by one thread, and the greatest memory, of one run each. The table of many columns has 30 columns
of ten values. With probability .3 a value is the one of the column before it, so that neighbouring columns depend on each
other.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

BLOCK = 100_000
MIXED = ("{type: number, min: 0, max: 9, null: 0}",) * 4 + ("{type: categorical, values: [a, b, c], null: a}",) * 3 + ("{type: integer, min: 0, max: 9, null: 0}",)


def write_domain(path, names, types):
    path.write_text("columns:\n" + "".join(f"  {name}: {one}\n" for name, one in zip(names, types)))


def write_digits(path, rows, columns, values, repeated):
    """Columns of digits."""
    random = np.random.default_rng(1)
    with path.open("wb") as file:
        file.write((",".join(f"c{i}" for i in range(columns)) + "\n").encode())
        for begin in range(0, rows, BLOCK):
            count = min(BLOCK, rows - begin)
            digits = random.integers(0, values, (count, columns), np.uint8)
            same = random.random((count, columns), np.float32) < repeated
            for i in range(1, columns):
                digits[:, i] = np.where(same[:, i], digits[:, i - 1], digits[:, i])
            text = np.full((count, 2 * columns), ord(","), np.uint8)
            text[:, ::2] = digits + ord("0")
            text[:, -1] = ord("\n")
            file.write(text.tobytes())


def write_values(path, rows, units, most):
    """A unit and a value below `most` in each row, and a third column that no domain declares."""
    random = np.random.default_rng(1)
    with path.open("w") as file:
        file.write("unit,value,more\n")
        for begin in range(0, rows, BLOCK):
            count = min(BLOCK, rows - begin)
            pairs = zip(random.integers(0, units, count).tolist(), random.integers(0, most, count).tolist())
            file.write("".join(f"{unit},{value},text\n" for unit, value in pairs))


def write_normals(path, rows, columns):
    """Standard normal numbers of six digits; a hundred thousand different rows, which repeat."""
    random = np.random.default_rng(1)
    block = "".join(",".join(f"{one:.5f}" for one in row) + "\n" for row in random.standard_normal((min(rows, 10_000), columns)))
    with path.open("w") as file:
        file.write(",".join(f"c{i}" for i in range(columns)) + "\n")
        for _ in range(max(1, rows // 10_000)):
            file.write(block)


def write_mixed(path, units):
    """A hundred rows of eight columns for each unit: four numbers, three categories, an integer."""
    random = np.random.default_rng(1)
    with path.open("w") as file:
        file.write("unit," + ",".join(f"c{i}" for i in range(len(MIXED))) + "\n")
        for unit in range(units):
            for _ in range(100):
                numbers = [f"{one:.4f}" for one in random.uniform(0, 9, 4)]
                file.write(",".join([str(unit), *numbers, *("abc"[i] for i in random.integers(0, 3, 3)), str(random.integers(0, 10))]) + "\n")


# A small process runs the command, because a child's greatest memory begins with that of its parent.
RUN = """import json, resource, subprocess, sys
ended = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps([ended.returncode, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024]))"""


def measured(*asked):
    """Seconds of processor time and megabytes of the command."""
    ended = subprocess.run([sys.executable, "-IS", "-c", RUN, *map(str, asked)], capture_output=True, text=True, check=True)
    status, seconds, megabytes = json.loads(ended.stdout)
    if status != 0:
        sys.exit(ended.stderr)
    return seconds, megabytes


def main(command, scale):
    print("| what | time | memory |\n|---|---|---|")

    def line(what, *asked):
        seconds, megabytes = measured(command, *asked)
        print(f"| {what} | {seconds:.2g} s | {megabytes:.0f} MB |", flush=True)

    with tempfile.TemporaryDirectory() as folder:
        data, domain, units, covariance, out = (
            pathlib.Path(folder) / name for name in ("data.csv", "domain.yaml", "units.csv", "covariance.csv", "out.csv")
        )
        released = ("--data", data, "--domain", domain, "--threads", 1, "--out", out, "--overwrite", "--accept-error")

        rows = round(1e6 * scale)
        write_values(data, rows, 10_000, 1000)
        write_domain(domain, ["value"], ["{type: integer, min: 0, max: 999, null: 0}"])
        units.write_text("unit\n" + "".join(f"{unit}\n" for unit in range(10_000)))
        by_unit = ("--unit", "unit", "--units", units, "--epsilon", 2, "--count", 1)
        line(f"a CSV file of {rows} rows, 10 000 units: local", "sample", "local", *released, *by_unit)

        rows = round(1e7 * scale)
        write_values(data, rows, 10_000, 1000)
        line(f"a CSV file of {rows} rows, 1000 outcomes: a tenth as many records, central", "sample", "central", *released,
             "--epsilon", 1, "--delta", f"{0.01 / rows:.1g}", "--count", rows // 10)  # fmt: skip

        rows, names = round(1e6 * scale), [f"c{i}" for i in range(100)]
        write_normals(data, rows, 100)
        write_domain(domain, names, ["{type: number, min: -10, max: 10, null: 0}"] * 100)
        covariance.write_text(",".join(names) + "\n" + "".join(",".join(map(str, row)) + "\n" for row in np.eye(100, dtype=int)))
        gaussian = ("sample", "gaussian", *released, "--covariance", covariance, "--epsilon", 2, "--delta", 1e-8, "--count", 100)
        what = f"a CSV file of {rows} rows and 100 columns ({data.stat().st_size / 1e6:.0f} MB): 100 rows, gaussian"
        line(f"{what}, mean bounded", *gaussian, "--mean-bound", 10)
        line(f"{what}, with a coarse centre", *gaussian)

        many = max(8, round(256 * scale))
        write_mixed(data, many)
        write_domain(domain, [f"c{i}" for i in range(len(MIXED))], MIXED)
        units.write_text("unit\n" + "".join(f"{unit}\n" for unit in range(many)))
        line(f"{many} units of 100 rows and 8 mixed columns at 65 536 candidates: local", "sample", "local", *released, *by_unit,
             "--space", "candidates", "--candidates", 65_536)  # fmt: skip

        write_domain(domain, [f"c{i}" for i in range(30)], ["{type: integer, min: 0, max: 9, null: 0}"] * 30)
        for rows in (round(10**power * scale) for power in (5, 6, 7)):
            write_digits(data, rows, 30, 10, 0.3)
            what = f"a CSV file of {rows} rows and 30 columns"
            for epsilon, words in (("1e-4", "reading and counting (`--epsilon 1e-4`)"), ("1", "marginals, epsilon = 1")):
                line(f"{what}: {words}", "sample", "marginals", *released, "--epsilon", epsilon, "--delta", 1e-8, "--count", 1000)


main(sys.argv[1], float(sys.argv[2]) if len(sys.argv) > 2 else 1)
