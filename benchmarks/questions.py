"""What questions cost: a release with and without them, and each answer, by the command.

usage: questions.py MOLLIFY [COLUMNS [ROWS]]      (default: 100 columns, 20000 rows)

Seconds of processor time by one thread, the least of three runs in turn. A release with questions may take a third longer
than one without, and an answer a second: otherwise the exit status is 1. Columns have 2 to 20 values, and each depends on
the one before it.
"""

import pathlib
import random
import resource
import subprocess
import sys
import tempfile

MOST_TIMES, MOST_SECONDS = 4 / 3, 1.0
QUESTIONS = (
    "share(c1) by c2",
    "mean(c3) by c4",
    "c5:c6:c7",
    "c8 ~ c9 + c10 + c11",
    "c12 = 1 ~ c13 + c14 + c16",
    "quantile(c3, .9) by c4",
    "table(c17, c18)",
    "mean(c15) weight 4",
)


def seconds(words, folder):
    """Of one run, which must end well."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    ended = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    if ended.returncode != 0:
        sys.exit(f"{' '.join(map(str, words))}\n{ended.stderr}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def write_table(folder, columns, rows):
    numbers = random.Random(1)
    sizes = [2 if i % 4 == 0 else 3 if i % 4 in (1, 2) else 20 for i in range(columns)]
    domain = "".join(f"  c{i}: {{type: integer, min: 0, max: {size - 1}, null: 0}}\n" for i, size in enumerate(sizes))
    (folder / "d.yaml").write_text("columns:\n" + domain)
    with (folder / "t.csv").open("w") as file:
        file.write(",".join(f"c{i}" for i in range(columns)) + "\n")
        for _ in range(rows):
            row, last = [], 0
            for size in sizes:
                last = last % size if numbers.random() < 0.3 else numbers.randrange(size)
                row.append(str(last))
            file.write(",".join(row) + "\n")


def main():
    mollify = str(pathlib.Path(sys.argv[1]).resolve())
    columns, rows = (int(given) if given else usual for given, usual in zip([*sys.argv[2:], "", ""], (100, 20000)))
    asked = [word for one in QUESTIONS for word in ("--questions", one)]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        write_table(folder, columns, rows)
        release = [mollify, "sample", "marginals", "--data", "t.csv", "--domain", "d.yaml", "--epsilon", "1", "--delta", "1e-6"]
        release += ["--count", str(rows), "--out", "o.csv", "--certificate", "c.json", "--model-out", "m.json", "--overwrite", "--threads", "1"]
        plain, with_questions = [], []
        for _ in range(3):
            plain.append(seconds(release, folder))
            with_questions.append(seconds(release + asked, folder))
        times = min(with_questions) / min(plain)
        print(f"release of {columns} columns, {rows} rows: {min(plain):.2f} s, with questions {min(with_questions):.2f} s, {times:.2f} times")
        is_good = times <= MOST_TIMES
        for one in QUESTIONS:
            took = min(seconds([mollify, "answer", "--model", "m.json", one], folder) for _ in range(3))
            is_good = is_good and took <= MOST_SECONDS
            print(f"{took:8.2f} s  {one}")
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main())
