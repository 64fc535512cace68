"""Checks that figures are measured where users are: through Python, the command or the public C++ headers.

Each row of the README's table of measured figures must be here with the row of docs/evidence/speed.csv that it repeats, whose
program must need nothing of mollify but that interface. docs/evidence/speed.md must list what its programs measure
through, and name no program that looks inside the library. Each figure of this page and of speed-inside.md must be one,
rounded, that a program which its section names has in speed.csv, speed-once.csv or amplification.csv.

usage: figures.py REPOSITORY
"""

import csv
import pathlib
import re
import sys

# The README's row: program, what and measure in docs/evidence/speed.csv.
FIGURES = {
    "real \u03b5 if you ask for 0.1 over 10 000 possible records": ("python", "Sampler(k=10_000, epsilon=0.1)", "real epsilon"),
    "one draw over 100 possible records": ("python", "Sampler.draw of rows of 100 floats", "a row, in batches"),
    "one draw over 131 072": ("python", "Sampler.draw of rows of 131072 floats", "a row, in batches"),
    "a private next token of 131 072": ("python", "TokenSampler, a token of 131 072 in float32", "time"),
    "a sample of 10^6 of 10^7 rows of a CSV file":
        ("releases", "a CSV file of 10000000 rows, 1000 outcomes: a tenth as many records, central", "time"),
}  # fmt: skip
CLOSE = 1.3  # times that a figure may be more or less than the last measurement
UNITS = {"s": 1.0, "ms": 1e-3, "µs": 1e-6, "ns": 1e-9, "min": 60.0}
NUMBER = r"\d*\.?\d+(?:e[-+]?\d+)?"
# Numbers with one unit, such as 2.1, 1.9 and 1.9 s.
NUMBERS = re.compile(rf"(?<![\w.])({NUMBER}(?:(?:, | to | and ){NUMBER})*)(?: ?(ns|µs|ms|s|min|MB|GB|million|percent)(?!\w))?(?![\w⁰¹²³⁴-⁹])")
FIGURE = re.compile(r"(\d*\.?\d+)(?: to (\d*\.?\d+))? ?(ns|µs|ms|s)?(?![\w.])")
SPEED = re.compile(r"[\d.]*\d ?(?:ns|µs|ms|s|[kMG]B)(?!\w)|[\d.]*\d [a-z]* ?a second")


def interface(program):
    """What a program measures mollify through; None if it looks inside."""
    text = program.read_text()
    if program.suffix == ".cpp":
        quoted = re.findall(r'^#include "(.*)"', text, re.M)
        return "C++" if quoted and all(header.startswith("mollify/") for header in quoted) else None
    through = []
    if re.search(r"^(?:import|from) mollify\b", text, re.M):
        through.append("Python")
    if re.search(r'"sample", |\bMOLLIFY\b', text):
        through.append("the command")
    return " and ".join(through) or None


def programs(repository):
    """Each program whose figures docs/evidence/speed.md shows, by its name: what it measures through."""
    sys.path.insert(0, str(repository / "scripts"))
    import made_from

    for name, page, _, path in made_from.lines():
        if page == "speed.md":
            source = repository / path
            yield name, interface(source.with_suffix(".py") if source.suffix == ".sh" else source)


def figures(text):
    """Each number with a unit or a decimal point: as it is written, and its unit."""
    for numbers, unit in NUMBERS.findall(text):
        for number in re.findall(NUMBER, numbers):
            if unit or "." in number:
                yield number, unit


def is_of(number, unit, rows):
    """Whether a row measured this figure, or names it as a condition."""
    half = 0.5 * 10.0 ** -len(number.partition(".")[2]) * (1 + 1e-9)
    factor = UNITS.get(unit, 1.0)
    for how, what, value in rows:
        zero = "0?" if number.startswith(".") else ""
        if re.search(rf"(?<![\d.]){zero}{re.escape(number)} ?{unit}(?!\w)", f"{how} {what}"):
            return True
        for measured, of in figures(value.replace("size^", "")):
            same = of == unit or (of in UNITS and unit in UNITS)
            if same and abs(float(measured) * UNITS.get(of, 1.0) / factor - float(number)) <= half:
                return True
    return False


def ends(text):
    """The least and the greatest of what a text begins with, such as 47 to 53 µs, in seconds if it is a time."""
    found = FIGURE.search(text)
    if not found:
        return None
    least, most, unit = found.groups()
    return float(least) * UNITS.get(unit, 1), float(most or least) * UNITS.get(unit, 1)


def faults_of_readme(text, through, rows):
    table = re.search(r"^\| measured \|.*\n\|[-|]+\n((?:\|.*\n)+)", text, re.M)
    prose = re.sub(r"^```.*?^```", "", text.replace(table[0], ""), flags=re.M | re.S)
    for speed in SPEED.findall(prose):
        yield f"README.md states {speed} outside its table of measured figures"
    for line in table[1].splitlines():
        what, figure, by = (cell.strip() for cell in line.strip("|").split("|"))
        if what not in FIGURES:
            yield f'README.md: no program measures "{what}" through a public interface: add it to tests/docs/figures.py'
            continue
        program, *row = FIGURES[what]
        if through.get(program) is None or by != through[program]:
            yield f'README.md: "{what}" is measured through {through.get(program)} by program {program}, not through {by}'
        elif (program, *row) not in rows:
            yield f"docs/evidence/speed.csv has no row {program}, {', '.join(row)}: scripts/make_pages.sh measured {program} makes it"
        else:
            stated, measured = ends(figure), ends(rows[(program, *row)])
            if not stated or stated[0] < measured[0] / CLOSE or stated[1] > measured[1] * CLOSE:
                yield f'README.md states {figure} for "{what}", and docs/evidence/speed.csv {rows[(program, *row)]}'


def faults_of_page(text, through):
    listed = {
        name: by for names, by in re.findall(r"^\| ((?:`\w+`(?:, )?)+) \| ([\w+ ]+) \|$", text, re.M)
        for name in re.findall(r"`(\w+)`", names)
    }  # fmt: skip
    if listed != through:
        yield f"docs/evidence/speed.md must list what its programs measure through: {through}, and lists {listed}"
    for name in re.findall(r"[Pp]rograms? `(\w+)`", text):
        if through.get(name) is None:
            yield f"docs/evidence/speed.md names {name}, which measures the library from inside: docs/evidence/speed-inside.md is for that"


def measurements(evidence):
    """For each program of the CSV files, such as `growth`: how it ran, what it measured, and the value."""
    found = {}
    for name in ("speed", "speed-once"):
        for program, how, what, measure, value in list(csv.reader((evidence / f"{name}.csv").read_text().splitlines()))[1:]:
            mark = f"`{program}`" if name == "speed" else program
            found.setdefault(mark, []).append((f"{program} {how}", f"{what} {measure}", value))
    heads, *cases = csv.reader((evidence / "amplification.csv").read_text().splitlines())
    found["`amplification`"] = [("", head, value) for case in cases for head, value in zip(heads, case)]
    return found


def faults_of_figures(name, text, measured):
    """Figures of a page without a row. What comes before its first section may state figures of all programs."""
    count = 0
    for place, section in enumerate(re.split(r"^## ", text, flags=re.M)):
        named = [program for program in measured if not place or program in section]
        rows = [row for program in named for row in measured[program]]
        for number, unit in figures(re.sub(r"`[^`\n]+`|\]\([^)]*\)", "", section)):
            count += 1
            if not is_of(number, unit, rows):
                where = f"under {section.splitlines()[0]}" if place else "first"
                yield f"docs/evidence/{name} states {f'{number} {unit}'.strip()} {where}, and no row of a program named there has it"
    if count < 40:
        yield f"docs/evidence/{name} has {count} figures: this test no longer reads them"


def faults_of_versions(text, cases):
    """The page must count and name the cases of versions.csv that take more than a twentieth longer."""
    longer = [case for case in cases if float(case["times as long"]) > 1.05]
    shorter = sum(float(case["times as long"]) < 0.95 for case in cases)
    flat = " ".join(text.split())
    for words in (f"Of {len(cases)} times ", f"in turn, {len(longer)} are more", f"and {shorter} more than a twentieth shorter"):
        if words not in flat:
            yield f'docs/evidence/speed.md must say "{words.strip()}", as versions.csv has it'
    for case in longer:
        name = case["case"].split(": ")[0]
        if not all(word in flat for word in re.findall(r"[\w/]+", name)[:2]):
            yield f"docs/evidence/speed.md must name {name}, which takes {case['times as long']} times as long as before"


def main():
    repository = pathlib.Path(sys.argv[1]).resolve()
    through = dict(programs(repository))
    evidence = repository / "docs/evidence"
    speed = csv.reader((evidence / "speed.csv").read_text().splitlines())
    rows = {(program, what, measure): value for program, _, what, measure, value in speed}
    measured = measurements(evidence)
    pages = {name: (evidence / name).read_text() for name in ("speed.md", "speed-inside.md")}
    faults = [
        *faults_of_readme((repository / "README.md").read_text(), through, rows),
        *faults_of_page(pages["speed.md"], through),
        *faults_of_versions(pages["speed.md"], list(csv.DictReader((evidence / "versions.csv").read_text().splitlines()))),
        *(fault for name, text in pages.items() for fault in faults_of_figures(name, text, measured)),
    ]
    print("\n".join(faults))
    print(f"{len(FIGURES)} figures of the README, {len(through)} programs, {len(faults)} faults")
    return 1 if faults else 0


sys.exit(main())
