#!/usr/bin/env python3
"""Writes the Markdown tables of a text as CSV files, so that a page can link a long table instead of showing it.

usage: tables_as_csv.py TEXT FOLDER NAME...

The first table becomes FOLDER/NAME.csv, and so on. +NAME: its cells become the rows of FOLDER/NAME.csv whose first column is
the stem of TEXT. Such a file has the columns program, how it ran, what, measure, value.
"""

import csv
import datetime
import itertools
import os
import pathlib
import re
import sys

HEAD = ["program", "how it ran", "what", "measure", "value"]


def tables(text):
    """The tables of a text: each is a list of rows, the headings first."""
    for is_table, lines in itertools.groupby(text.splitlines(), lambda line: line.startswith("|")):
        if is_table:
            cells = [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]
            yield [row for row in cells if not all(re.fullmatch(":?-+:?", cell) for cell in row)]


def distinct(headings):
    """Headings that repeat, like `year 1: model | table | year 2: model | table`, get the prefix before them."""
    prefix, names = "", []
    for heading in headings:
        before, colon, _ = heading.partition(": ")
        prefix = before + colon if colon else prefix
        names.append(heading if headings.count(heading) == 1 else prefix + heading)
    if len(set(names)) < len(names):
        sys.exit(f"these headings repeat: {headings}")
    return names


def machine():
    """The processor, its load and the month, which a time depends on."""
    facts = dict(re.findall(r"^(.+?)\s*:\s*(.+)$", pathlib.Path("/proc/cpuinfo").read_text(), re.M))
    return (f"{facts['model name']} at {float(facts['cpu MHz']) / 1000:.1f} GHz, {os.cpu_count()} cores, "
            f"load {os.getloadavg()[2]:.0f}, {datetime.date.today():%B %Y}")  # fmt: skip


def merge(path, program, rows):
    """Puts the cells of a table in the place of the program's rows, or at the end."""
    old = list(csv.reader(path.read_text(encoding="utf-8").splitlines()))[1:] if path.exists() else []
    how, head = machine(), distinct(rows[0])
    new = [[program, how, row[0], measure, value] for row in rows[1:] for measure, value in zip(head[1:], row[1:]) if value]
    if head[1:] == ["measure", "value"]:
        new = [[program, how, *row] for row in rows[1:]]
    places = [place for place, row in enumerate(old) if row[0] == program]
    before = places[0] if places else len(old)
    return [HEAD, *old[:before], *new, *(row for row in old[before:] if row[0] != program)]


def main():
    text, folder, *names = sys.argv[1:]
    found = list(tables(pathlib.Path(text).read_text(encoding="utf-8")))
    if not names or len(found) < len(names):
        sys.exit(f"{text} has {len(found)} tables, and {len(names)} names are given")
    for name, rows in zip(names, found):
        path = pathlib.Path(folder) / f"{name.lstrip('+')}.csv"
        made = merge(path, pathlib.Path(text).stem, rows) if name.startswith("+") else [distinct(rows[0]), *rows[1:]]
        with path.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(made)


if __name__ == "__main__":
    main()
