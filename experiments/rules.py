"""Released rows with and without rules: how many break each rule, and how near they are. NOT PRIVATE.

Usage: python rules.py MOLLIFY [NATIONAL2019 [RUNS]]

Three tables: persons of a census (NATIONAL2019, the file national2019.csv of NIST's SDNist 2.5), the RAND Health Insurance
Experiment, where an insurance plan says the coinsurance, and made-up staff with days in an order and a sum of amounts. The census
comes with the ten columns that NIST's reports use, and with the 18 columns of all 26 rules that SDNist counts; N in a column of
numbers is a null there. Each rule is checked by a function of this program, on the released texts. Total variation is the mean over
all pairs, and over all triples except those of 18 columns, of RUNS releases.
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
# The names of SDNist's metrics/inconsistency.py.
CENSUS_CHECKS = {
    "child_DVET": lambda r: int(r["AGEP"]) >= 15 or r["DVET"] == "N",
    "child_MSP": lambda r: int(r["AGEP"]) >= 15 or r["MSP"] == "N",
    "child_PINCP_DECILE": lambda r: int(r["AGEP"]) >= 15 or r["PINCP_DECILE"] == "N",
    "child_phd": lambda r: int(r["AGEP"]) >= 15 or r["EDU"] != "12",
    "adult_N": lambda r: int(r["AGEP"]) <= 15 or "N" not in (r["MSP"], r["PINCP_DECILE"], r["EDU"]),
    "toddler_diploma": lambda r: int(r["AGEP"]) >= 5 or r["EDU"] in ("N", "1", "2", "3", "4"),
    "infant_EDU": lambda r: int(r["AGEP"]) >= 3 or r["EDU"] == "N",
    "gq_own_jail": lambda r: (r["HOUSING_TYPE"], r["OWN_RENT"]) not in (("2", "1"), ("2", "2"), ("3", "2")),
    "gq_own_dorm": lambda r: (r["HOUSING_TYPE"], r["OWN_RENT"]) != ("3", "1"),
    "house_OWN_RENT": lambda r: r["HOUSING_TYPE"] != "1" or r["OWN_RENT"] != "0",
}


def whole_census(path):
    """Its rows, columns, rules and checks; the code book of industries is what occurs."""
    numbers = ("NOC", "NPF", "PINCP", "POVPIP")
    with open(path, encoding="utf-8") as file:
        rows = [{**row, **{name: "" for name in numbers if row[name] == "N"}} for row in csv.DictReader(file)]
    book = {row["INDP"]: row["INDP_CAT"] for row in rows}
    columns = (
        CENSUS
        + categories("DPHY", "N12", "N")
        + categories("DREM", "N12", "N")
        + categories("INDP", sorted(book), "N")
        + categories("INDP_CAT", ["N", *map(str, range(19))], "N")
        + "  NOC: {type: integer, min: 0, max: 15, null: category, outside: clip}\n"
        "  NPF: {type: integer, min: 1, max: 20, null: category, outside: clip}\n"
        "  PINCP: {type: integer, null: category, outside: clip, edges: ["
        "-20000, 0, 5000, 10000, 20000, 30000, 40000, 60000, 80000, 120000, 300001, 1500001], spikes: [0]}\n"
        "  POVPIP: {type: integer, min: 0, max: 501, null: category, outside: clip, bins: 20, spikes: [501]}\n"
    )
    rules = CENSUS_RULES + (
        "  - if AGEP < 15 then PINCP is null\n"
        "  - if AGEP < 15 then INDP == N\n"
        "  - if AGEP < 15 then INDP_CAT == N\n"
        "  - if AGEP > 15 then PINCP is not null and DPHY != N and DREM != N\n"
        "  - if AGEP < 5 then DPHY == N and DREM == N\n"
        "  - MSP == N exactly when PINCP_DECILE == N\n"
        "  - MSP == N exactly when PINCP is null\n"
        "  - if PINCP > 300000 then POVPIP is not null and POVPIP == 501 and PINCP_DECILE not in [0, 1]\n"
        "  - NPF > NOC\n"
        "  - if HOUSING_TYPE in [2, 3] then NPF is null and NOC is null\n"
        "  - if OWN_RENT == 0 then NPF is null and NOC is null\n"
        "  - if HOUSING_TYPE == 1 then NOC is not null\n"
        "  - {column: INDP_CAT, follows: INDP, map: {%s}}\n" % ", ".join(f'"{code}": "{group}"' for code, group in book.items())
    )

    def child(row):
        return int(row["AGEP"]) < 15

    def toddler(row):
        return int(row["AGEP"]) < 5

    def wealthy(row):
        return row["PINCP"] != "" and float(row["PINCP"]) > 300000

    def group_quarters(row):
        return row["HOUSING_TYPE"] in ("2", "3")

    checks = {
        **CENSUS_CHECKS,
        "adult_N": lambda r: int(r["AGEP"]) <= 15
        or ("N" not in (r["MSP"], r["PINCP_DECILE"], r["EDU"], r["DPHY"], r["DREM"]) and r["PINCP"] != ""),
        "child_PINCP": lambda r: not child(r) or r["PINCP"] == "",
        "child_INDP": lambda r: not child(r) or r["INDP"] == "N",
        "child_INDP_CAT": lambda r: not child(r) or r["INDP_CAT"] == "N",
        "adult_child": lambda r: (r["MSP"] == "N") == (r["PINCP_DECILE"] == "N") == (r["PINCP"] == ""),
        "toddler_DPHY": lambda r: not toddler(r) or r["DPHY"] == "N",
        "toddler_DREM": lambda r: not toddler(r) or r["DREM"] == "N",
        "wealthy_poor_POVPIP": lambda r: not wealthy(r) or r["POVPIP"] == "501",
        "wealthy_poor_DECILE": lambda r: not wealthy(r) or r["PINCP_DECILE"] not in ("0", "1"),
        "invalid_INDP": lambda r: r["INDP"] in book,
        "invalid_INDP_CAT": lambda r: book.get(r["INDP"]) == r["INDP_CAT"],
        "too_many_children": lambda r: "" in (r["NOC"], r["NPF"]) or int(r["NOC"]) < int(r["NPF"]),
        "gq_h_family_NPF": lambda r: not group_quarters(r) or r["NPF"] == "",
        "gq_h_family_NOC": lambda r: not group_quarters(r) or r["NOC"] == "",
        "gq_ro_family_NPF": lambda r: r["OWN_RENT"] != "0" or r["NPF"] == "",
        "gq_ro_family_NOC": lambda r: r["OWN_RENT"] != "0" or r["NOC"] == "",
        "house_NOC": lambda r: r["HOUSING_TYPE"] != "1" or r["NOC"] != "",
    }
    return rows, columns, rules, checks


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


def coarse_census(name, text):
    """Incomes by powers of two, poverty ratios by fifties."""
    if name not in ("PINCP", "POVPIP") or text == "":
        return text
    return int(text) // 50 if name == "POVPIP" else max(0, int(float(text))).bit_length()


class Shares:
    """How often the values of some columns occur together."""

    def __init__(self, rows, names, cell):
        self.columns = {name: [cell(name, row[name]) for row in rows] for name in names}
        self.rows, self.found = len(rows), {}

    def of(self, names):
        if names not in self.found:
            self.found[names] = collections.Counter(zip(*(self.columns[name] for name in names)))
        return self.found[names]


def distance(ways, real, released):
    """Mean total variation over all sets of `ways` columns."""
    together = []
    for names in itertools.combinations(real.columns, ways):
        one, two = real.of(names), released.of(names)
        together.append(sum(abs(one[cell] / real.rows - two[cell] / released.rows) for cell in one.keys() | two.keys()) / 2)
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
            rows, *ruled = whole_census(national)
            with (folder / "census.csv").open("w") as file:
                table = csv.DictWriter(file, rows[0])
                table.writeheader()
                table.writerows(rows)
            tables["national2019, 18 columns"] = (folder / "census.csv", *ruled, coarse_census)
        for table, (path, columns, rules, checks, cell) in tables.items():
            with open(path, encoding="utf-8") as file:
                real = list(csv.DictReader(file))
            names = [line.split(":")[0].strip() for line in columns.splitlines()[1:]]
            cells = Shares(real, names, cell)
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
                    whole = sum(not all(holds(row) for holds in checks.values()) for row in released)
                    broken["any"] += whole / len(released) / runs
                    drawn = Shares(released, names, cell)
                    pairs.append(distance(2, cells, drawn))
                    if len(names) <= 10:
                        triples.append(distance(3, cells, drawn))
                three = f"{statistics.mean(triples):.4f}" if triples else "-"
                for rule in broken:
                    print(
                        f"| {table} | {epsilon} | {'yes' if ruled else 'no'} | {statistics.mean(pairs):.4f} "
                        f"| {three} | {rule} | {broken[rule]:.5f} |",
                        flush=True,
                    )


if __name__ == "__main__":
    main()
