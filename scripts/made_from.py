#!/usr/bin/env python3
"""Which picture or measured table is made of which files, and whether one of these changed since.

usage: made_from.py --check     fails if a picture is older than its data or its script, or if no line of make_pages.sh makes a
                                table of docs/evidence; warns of tables that an earlier program made
       made_from.py NAME        notes that the tables of this line of make_pages.sh have just been made

docs/pictures/made-from.json holds for each product the SHA-256 of its sources when it was made. Dates do not survive Git,
and digests do.
"""

import csv
import hashlib
import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
RECORD = ROOT / "docs/pictures/made-from.json"
EVIDENCE = ROOT / "docs/evidence"
# Figures of earlier versions, of other machines and of single looks, which no command can make again. The file names the
# origin of each.
MADE_ONCE = {"speed-once"}
CHARTS = ("scripts/draw_charts.py",)
SOURCES = {
    "docs/pictures/releases.csv": (
        "scripts/release_for_pictures.py", "data/schools.csv", "data/schools.yaml", "data/schools_roster.csv", "data/schools_table.yaml",
        "data/rand_hie_expenses.csv", "data/rand_hie_expenses.yaml"),
    "docs/pictures/marginals.svg": (*CHARTS, "docs/evidence/synthetic.csv", "docs/evidence/peers.csv"),
    "docs/pictures/growth.svg": (*CHARTS, "docs/evidence/growth.csv"),
    "docs/pictures/candidates.svg": (*CHARTS, "docs/evidence/candidates.csv"),
}


def lines():
    """For each line of `measured` in make_pages.sh: its name, page, tables and program."""
    text = (ROOT / "scripts/make_pages.sh").read_text()
    for line in re.search(r"^measured\(\) \{\n  cat <<END\n(.*?)^END$", text, re.M | re.S)[1].splitlines():
        name, page, _, tables, command = line.split("|")
        program = re.sub(r"\$google (\w+)", r"benchmarks/\1.cpp", command)
        program = re.sub(r"\$(experiments|benchmarks)/(?:benchmark_)?(\w+)", r"\1/\2.cpp", program)
        yield name, page, tables.split(), re.search(r"\b(?:experiments|benchmarks|scripts)/[\w.-]+", program)[0]


def faults_of_tables():
    """CSV files that no line makes, and what a line names that is not there."""
    speed = {row[0] for row in csv.reader((EVIDENCE / "speed.csv").read_text().splitlines()[1:])}
    made = set()
    for name, page, tables, program in lines():
        if not tables:
            yield f"the line {name} of scripts/make_pages.sh makes no table"
        for table in tables:
            if table == "+speed":
                table = "speed"
                if name not in speed:
                    yield f"docs/evidence/speed.csv has no row of {name}"
                speed.discard(name)
            elif table in made:
                yield f"two lines of scripts/make_pages.sh make {table}"
            made.add(table)
            if not (EVIDENCE / f"{table}.csv").is_file():
                yield f"the line {name} of scripts/make_pages.sh makes {table}, but docs/evidence/{table}.csv is missing"
            if f"({table}.csv)" not in (EVIDENCE / page).read_text():
                yield f"docs/evidence/{page} has no link to {table}.csv"
        if not (ROOT / program).is_file():
            yield f"the line {name} of scripts/make_pages.sh runs {program}, which is missing"
    for path in sorted(EVIDENCE.glob("*.csv")):
        if path.stem not in made | MADE_ONCE:
            yield f"docs/evidence/{path.name} is made by no line of scripts/make_pages.sh"
    for name in sorted(speed):
        yield f"the rows of {name} in docs/evidence/speed.csv are made by no line of scripts/make_pages.sh"


def digest(sources):
    return hashlib.sha256(b"\0".join((ROOT / name).read_bytes() for name in sources)).hexdigest()


def sources():
    """Pictures' sources, and the program of each line."""
    return SOURCES | {name: (program,) for name, _, _, program in lines()}


def record(product):
    """Notes that the product has just been made."""
    recorded = json.loads(RECORD.read_text()) if RECORD.exists() else {}
    recorded[product] = digest(sources()[product])
    RECORD.write_text(json.dumps(recorded, indent=2, sort_keys=True) + "\n")


def check():
    recorded = json.loads(RECORD.read_text())
    faults = [f"{product} is older than its data or its script: scripts/make_pages.sh pictures makes it again"
              for product, files in SOURCES.items() if recorded.get(product) != digest(files)]
    faults += faults_of_tables()
    for name, _, tables, program in lines():
        if recorded.get(name) != digest((program,)):
            print(f"warning: the present {program} did not make {' '.join(tables)}: scripts/make_pages.sh measured {name} makes them again")
    print("\n".join(faults))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(check() if sys.argv[1:] == ["--check"] else record(*sys.argv[1:]))
