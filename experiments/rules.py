"""Released rows with and without rules: how many break each rule, and how near they are. NOT PRIVATE.

Usage: python rules.py MOLLIFY [NATIONAL2019 [RUNS]]

Three tables: persons of a census (NATIONAL2019, the file national2019.csv of NIST's SDNist 2.5, with the rules of its
questionnaire), the RAND Health Insurance Experiment, where an insurance plan says the coinsurance, and made-up staff with days in
an order and a sum of amounts. Each rule is checked by a function of this program, on the released texts. Total variation is the mean
over all pairs, and over all triples, of RUNS releases.
"""

import collections
import csv
import datetime
import itertools
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile

DATA = pathlib.Path(__file__).parent.parent / "data"
EPSILONS = ["0.5", "1", "3"]


def categories(name, values, null=None):
    listed = ", ".join(f'"{value}"' for value in values)
    return f"  {name}: {{type: categorical, values: [{listed}], null: {null or 'category'}}}\n"


def census_education(row):
    return 99 if row["EDU"] == "N" else int(row["EDU"])


CENSUS = (
    "columns:\n"
    '  AGEP: {type: integer, min: 0, max: 99, outside: clip, null: "0"}\n'
    + categories("DEYE", "12", '"2"')
    + categories("DVET", "N0123456", "N")
    + categories("EDU", ["N", *map(str, range(1, 13))], "N")
    + categories("HOUSING_TYPE", "123", '"1"')
    + categories("MSP", "N123456", "N")
    + categories("OWN_RENT", "012", '"0"')
    + categories("PINCP_DECILE", "N0123456789", "N")
    + categories("RAC1P", "123456789", '"1"')
    + categories("SEX", "12", '"1"')
)
CENSUS_RULES = """rules:
  - if AGEP < 15 then DVET == N and MSP == N and PINCP_DECILE == N and EDU != 12
  - if AGEP < 5 then EDU in [N, 1, 2, 3, 4]
  - if AGEP < 3 then EDU == N
  - if AGEP > 15 then MSP != N and PINCP_DECILE != N and EDU != N
  - if HOUSING_TYPE in [2, 3] then OWN_RENT == 0
  - if HOUSING_TYPE == 1 then OWN_RENT in [1, 2]
"""
CENSUS_CHECKS = {
    "under 15: no service, marriage, income, degree": lambda r: int(r["AGEP"]) >= 15
    or (r["DVET"] == r["MSP"] == r["PINCP_DECILE"] == "N" and census_education(r) != 12),
    "under 5: EDU below 5": lambda r: int(r["AGEP"]) >= 5 or census_education(r) in (99, 1, 2, 3, 4),
    "under 3: no EDU": lambda r: int(r["AGEP"]) >= 3 or r["EDU"] == "N",
    "over 15: marriage, income and EDU": lambda r: int(r["AGEP"]) <= 15
    or (r["MSP"] != "N" and r["PINCP_DECILE"] != "N" and r["EDU"] != "N"),
    "group quarters are not owned": lambda r: r["HOUSING_TYPE"] == "1" or r["OWN_RENT"] == "0",
    "housing is owned or rented": lambda r: r["HOUSING_TYPE"] != "1" or r["OWN_RENT"] in "12",
}

COINSURANCE = {
    **dict.fromkeys(["1", "11", "13"], "0"), **dict.fromkeys(["2", "3", "4"], "100"),
    **dict.fromkeys(["5", "6", "7", "17", "18", "19"], "25"), **dict.fromkeys(["8", "9", "10"], "50"),
    **dict.fromkeys(["14", "15", "16"], "95"),
}  # fmt: skip
RAND = (
    "columns:\n"
    + categories("plan", sorted(COINSURANCE, key=int))
    + categories("coins", ["0", "25", "50", "95", "100"])
    + categories("sex", ["male", "female"])
    + categories("hlth", ["poor", "fair", "good", "excellent"])
    + categories("physlm", ["false", "true"])
    + categories("site", "123456")
    + categories("year", "12345")
)
RAND_RULES = "rules:\n  - {column: coins, follows: plan, map: {%s}}\n" % ", ".join(
    f'"{plan}": "{share}"' for plan, share in COINSURANCE.items()
)
RAND_CHECKS = {"the plan says the coinsurance": lambda r: COINSURANCE.get(r["plan"], "") == r["coins"]}

STAFF = """columns:
  birth: {type: date, min: 1950-01-01, max: 2005-12-31, bins: year, null: 1950-01-01, outside: clip}
  hired: {type: date, min: 1970-01-01, max: 2024-12-31, bins: 50, null: 1970-01-01, outside: clip}
  left: {type: date, min: 1970-01-01, max: 2024-12-31, bins: 50, null: category, outside: clip}
  status: {type: categorical, values: [active, gone], null: active}
  base: {type: integer, min: 1000, max: 9000, bins: 30, null: "1000", outside: clip}
  bonus: {type: integer, min: 0, max: 5000, bins: 20, spikes: [0], null: "0", outside: clip}
  total: {type: integer, min: 1000, max: 14000, bins: 30, null: "1000", outside: clip}
"""
STAFF_RULES = """rules:
  - hired >= birth + 16 years
  - left >= hired
  - left is null exactly when status == active
  - total == base + bonus
"""


def sixteen_years_later(day):
    return day.replace(year=day.year + 16, day=28 if (day.month, day.day) == (2, 29) and day.year % 4 else day.day)


def day_of(text):
    return datetime.date.fromisoformat(text)


STAFF_CHECKS = {
    "hired from 16 years on": lambda r: day_of(r["hired"]) >= sixteen_years_later(day_of(r["birth"])),
    "left after hired": lambda r: r["left"] == "" or r["left"] >= r["hired"],
    "left exactly where gone": lambda r: (r["left"] == "") == (r["status"] == "active"),
    "total is base and bonus": lambda r: int(r["total"]) == int(r["base"]) + int(r["bonus"]),
}


def staff(rows=20000):
    draw = random.Random(5)
    last = datetime.date(2024, 12, 31)
    for _ in range(rows):
        birth = datetime.date(1950, 1, 1) + datetime.timedelta(draw.randrange(20000))
        hired = min(birth + datetime.timedelta(5860 + int(draw.expovariate(1 / 3000))), last)
        hired = max(hired, datetime.date(1970, 1, 1))
        left = hired + datetime.timedelta(30 + int(draw.expovariate(1 / 1500)))
        gone = draw.random() < 0.4 and left <= last
        base = int(min(9000, max(1000, draw.lognormvariate(8, 0.4))))
        bonus = 0 if draw.random() < 0.5 else int(min(5000, draw.expovariate(1 / 600)))
        yield [birth, hired, left if gone else "", "gone" if gone else "active", base, bonus, base + bonus]


def coarse(name, text):
    """Days as years, amounts as thousands: what pairs and triples of staff are compared by."""
    if name in ("birth", "hired", "left"):
        return text[:3]
    return text if name == "status" else int(text) // 1000


def distance(columns, real, released):
    together = []
    for names in columns:
        one = collections.Counter(tuple(row[name] for name in names) for row in real)
        two = collections.Counter(tuple(row[name] for name in names) for row in released)
        cells = set(one) | set(two)
        together.append(sum(abs(one[cell] / len(real) - two[cell] / len(released)) for cell in cells) / 2)
    return statistics.mean(together)


def main():
    mollify = sys.argv[1]
    national = sys.argv[2] if len(sys.argv) > 2 else ""
    runs = int(sys.argv[3]) if len(sys.argv) > 3 else 5
    print("| table | epsilon | rules | two-way | three-way | rule | rows that break it |\n|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        with (folder / "staff.csv").open("w") as file:
            csv.writer(file).writerows([["birth", "hired", "left", "status", "base", "bonus", "total"], *staff()])
        tables = {
            "RAND": (DATA / "rand_hie.csv", RAND, RAND_RULES, RAND_CHECKS, lambda _, text: text),
            "staff": (folder / "staff.csv", STAFF, STAFF_RULES, STAFF_CHECKS, coarse),
        }
        if national:
            tables["national2019"] = (national, CENSUS, CENSUS_RULES, CENSUS_CHECKS, lambda _, text: text)
        for table, (path, columns, rules, checks, cell) in tables.items():
            with open(path, encoding="utf-8") as file:
                real = list(csv.DictReader(file))
            names = [line.split(":")[0].strip() for line in columns.splitlines()[1:]]
            cells = [{name: cell(name, row[name]) for name in names} for row in real]
            for epsilon, ruled in itertools.product(EPSILONS, [False, True]):
                domain = folder / "domain.yaml"
                domain.write_text(columns + (rules if ruled else ""))
                broken, pairs, triples = collections.Counter(), [], []
                for _ in range(runs):
                    out = folder / "released.csv"
                    subprocess.run(
                        [mollify, "sample", "marginals", "--data", path, "--domain", domain, "--epsilon", epsilon]
                        + ["--delta", "1e-6", "--neighbours", "add-remove", "--count", str(len(real)), "--out", out]
                        + ["--overwrite"],
                        check=True, capture_output=True,
                    )  # fmt: skip
                    with out.open() as file:
                        released = list(csv.DictReader(file))
                    for rule, holds in checks.items():
                        broken[rule] += sum(not holds(row) for row in released) / len(released) / runs
                    drawn = [{name: cell(name, row[name]) for name in names} for row in released]
                    pairs.append(distance(list(itertools.combinations(names, 2)), cells, drawn))
                    triples.append(distance(list(itertools.combinations(names, 3)), cells, drawn))
                for rule in checks:
                    print(
                        f"| {table} | {epsilon} | {'yes' if ruled else 'no'} | {statistics.mean(pairs):.4f} "
                        f"| {statistics.mean(triples):.4f} | {rule} | {broken[rule]:.5f} |",
                        flush=True,
                    )


if __name__ == "__main__":
    main()
