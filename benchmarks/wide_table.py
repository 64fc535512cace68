"""Writes a public table of many columns for the growth of method marginals: F.csv and D.yaml.

    python benchmarks/wide_table.py ROWS FOLDER

30 columns of ten values each. With probability .3 a value is the one of the column before it, otherwise
any of the ten, so that neighbouring columns depend on each other. Needs NumPy.
"""

import sys
from pathlib import Path

import numpy as np

COLUMNS, VALUES, REPEATED, BLOCK = 30, 10, 0.3, 100_000


def main(rows: int, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    names = [f"c{i}" for i in range(COLUMNS)]
    lines = [f"  {name}: {{type: integer, min: 0, max: {VALUES - 1}}}\n" for name in names]
    (folder / "D.yaml").write_text("columns:\n" + "".join(lines))
    random = np.random.default_rng(1)
    with (folder / "F.csv").open("wb") as file:
        file.write((",".join(names) + "\n").encode())
        for begin in range(0, rows, BLOCK):
            count = min(BLOCK, rows - begin)
            digits = random.integers(0, VALUES, (count, COLUMNS), np.uint8)
            same = random.random((count, COLUMNS), np.float32) < REPEATED
            for i in range(1, COLUMNS):
                digits[:, i] = np.where(same[:, i], digits[:, i - 1], digits[:, i])
            text = np.full((count, 2 * COLUMNS), ord(","), np.uint8)
            text[:, ::2] = digits + ord("0")
            text[:, -1] = ord("\n")
            file.write(text.tobytes())


if __name__ == "__main__":
    main(int(sys.argv[1]), Path(sys.argv[2]))
