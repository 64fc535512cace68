#!/usr/bin/env python3
"""Makes the releases that docs/pictures shows next to the real data: writes docs/pictures/releases.csv.

usage: release_for_pictures.py    then run draw_pictures.py. It needs the Python package with pandas.
The records are random, so each run draws other ones.
"""

import csv
import pathlib

import made_from
import mollify as mo
import numpy as np
import pandas as pd

ROOT = pathlib.Path(__file__).resolve().parent.parent
POINTS = 700
THIRDS = ["low", "middle", "high"]


def kinds(frame):
    """Each record as one of twelve words."""
    third = pd.cut(frame["math"], [-3, 6.33335, 15.66665, 25], labels=THIRDS, include_lowest=True)
    group = frame["minority"].astype(str).str.lower().map({"true": "minority", "false": "majority"})
    return frame["sex"].astype(str) + ", " + group + ", " + third.astype(str)


def main():
    data = ROOT / "data"
    pupils = pd.read_csv(data / "schools.csv")
    table = []

    def shares(picture, weighted):
        for label, series, share in weighted:
            table.append([picture, label, series, f"{share:.4f}", ""])

    def both(picture, real, drawn):
        """The shares of each word among real rows, with their weights, and among released records."""
        for label in [f"{sex}, {group}, {third}" for sex in ("female", "male")
                      for group in ("majority", "minority") for third in THIRDS]:
            shares(picture, [(label, "real", real.get(label, 0)), (label, "released", drawn.get(label, 0))])

    method = mo.Local(data / "schools.yaml", unit="school", units=data / "schools_roster.csv", epsilon=2)
    released = method.sample(pupils).to_pandas()
    words = kinds(pupils)
    each = words.groupby(pupils["school"]).value_counts(normalize=True).unstack(fill_value=0).mean()
    both("schools-records", each, kinds(released).value_counts(normalize=True))
    for epsilon in ("0.5", "2", "8"):
        found = mo.Local(data / "schools.yaml", unit="school", units=data / "schools_roster.csv", epsilon=epsilon,
                         accept_error=True).compare(pupils)
        for column in found["columns"][1:]:
            labels = [f"math: {third}" for third in THIRDS] if column["name"] == "math" else ["majority", "minority"]
            for label, real, drawn in zip(labels, column["shares"]["truth"], column["shares"]["law"]):
                shares("schools-epsilon", [(label, "real", real), (label, epsilon, drawn)])
    hundred = mo.Central(data / "schools.yaml", epsilon=0.5, delta=1e-6, count=100).sample(pupils).to_pandas()
    both("sample-of-a-table", words.value_counts(normalize=True), kinds(hundred).value_counts(normalize=True))

    whole = mo.Integral(data / "schools.yaml", epsilon=4, count=2).compare(pupils)
    both("hide-a-whole-table", words.value_counts(normalize=True), dict(zip(
        [f"{sex}, {group}, {third}" for sex in ("female", "male") for group in ("majority", "minority") for third in THIRDS],
        (outcome["law"] for outcome in whole["outcomes"]))))

    method = mo.Local(data / "schools.yaml", unit="school", units=data / "schools_roster.csv", epsilon=3,
                      mechanism="randomized-response")
    estimates = mo.estimate(method.sample(pupils))
    real = {label: share for label, share in each.items()}
    levels = ["female", "male", "majority", "minority", *(f"math: {third}" for third in THIRDS)]
    found = [cell for column in estimates["marginals"] if len(column["columns"]) == 1 for cell in column["estimates"]]
    for label, cell in zip(levels, found, strict=True):
        true = sum(share for word, share in real.items() if label.split(": ")[-1] in word.split(", "))
        for series, value in (("real", true), ("estimate", cell["probability"]), ("lower", cell["lower"]), ("upper", cell["upper"])):
            table.append(["estimate", label, series, f"{value:.4f}", ""])
    for epsilon in (0.25, 0.5, 1, 2, 4, 8):
        errors = {"one record of each (local)": mo.Local(data / "schools.yaml", epsilon=epsilon).plan()["alpha"]}
        for rows in (500, 2000, 7185):
            plan = mo.Central(data / "schools.yaml", epsilon=epsilon, delta=1e-6, count=100, accept_large_delta=True).plan(n=rows)
            errors[f"100 of {rows} rows (central)"] = plan["alpha"]
        for label, error in errors.items():
            table.append(["plan", label, "error", epsilon, f"{max(error, 1e-4):.5f}"])

    def points(picture, columns, real, drawn):
        for series, frame in (("real", real), ("released", drawn)):
            for x, y in frame[columns].sample(min(POINTS, len(frame)), random_state=1).round(3).itertuples(index=False):
                table.append([picture, "", series, x, y])

    rows = mo.Marginals(data / "schools_table.yaml", epsilon=1, delta=1e-6, count=7185).sample(pupils).to_pandas()
    points("synthetic-table", ["ses", "math"], pupils, rows)
    one = mo.Local(data / "schools_mixed.yaml", unit="school", units=data / "schools_roster.csv", epsilon=4).sample(pupils)
    points("one-of-each", ["ses", "math"], pupils.groupby("school").sample(1, random_state=1), one.to_pandas())
    years = ["year1", "year2", "year3"]
    expenses = pd.read_csv(data / "rand_hie_expenses.csv")[years]
    rows = mo.GaussianModel(data / "rand_hie_expenses.yaml", log=years, epsilon=1, delta=1e-6,
                            count=POINTS).sample(expenses).to_pandas()
    declared = expenses.where(expenses >= 0.01, 65)  # as the domain says
    points("rows-of-numbers", years[:2], np.log10(declared), np.log10(rows))
    with (ROOT / "docs/pictures/releases.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["picture", "label", "series", "x", "y"])
        writer.writerows(table)
    made_from.record("docs/pictures/releases.csv")


if __name__ == "__main__":
    main()
