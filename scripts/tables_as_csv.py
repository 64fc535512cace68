#!/usr/bin/env python3
"""Writes the Markdown tables of a text as CSV files, so that a page can link a long table instead of showing it.

usage: tables_as_csv.py TEXT FOLDER NAME...    the first table becomes FOLDER/NAME.csv, and so on; - skips a table
"""

import csv
import itertools
import pathlib
import re
import sys


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


def main():
    text, folder, *names = sys.argv[1:]
    found = list(tables(pathlib.Path(text).read_text(encoding="utf-8")))
    if not names or len(found) < len(names):
        sys.exit(f"{text} has {len(found)} tables, and {len(names)} names are given")
    for name, rows in zip(names, found):
        if name != "-":
            with (pathlib.Path(folder) / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
                csv.writer(file, lineterminator="\n").writerows([distinct(rows[0]), *rows[1:]])


if __name__ == "__main__":
    main()
