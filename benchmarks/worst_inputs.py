"""Searches for the public input that costs plan, verify and advise most.

usage: worst_inputs.py MOLLIFY [--tries N] [--seed S] [--only WORDS] [--limit SECONDS]

Each family of commands has a table of flags with the values that they may have. N commands are drawn from it (default: 60): the
first half at random, the other half by changing one or two flags of the costliest so far. Seconds are processor time, and MB the
greatest memory, of the command's own process. A command is ended after SECONDS of processor time (default: 60) or at 8 GB. A
family of `verify --certificate` draws the flags of `sample`, and measures the certificate's check alone.

Prints each command that needs more than 2 s or 500 MB as soon as it is found, whether a note announces it on a terminal, and the
costliest of each family by time and by memory. Ends with status 1 if a command needs more. Some 11 MB are Python's own, before
the command begins.
"""

import argparse
import math
import os
import pathlib
import random
import resource
import select
import shlex
import subprocess
import sys
import tempfile

MOST_SECONDS, MOST_MEGABYTES = 2, 500
MECHANISMS = (
    "minimax relative class neighbourhood public-kernel randomized-response mixture gaussian-curve naive convex scale-and-shift all"
).split()


def one_of(*values):
    return lambda rng: rng.choice(values)


def between(low, high, whole=False):
    """Evenly in the logarithm, and often an end."""

    def draw(rng):
        value = rng.choice([low, high]) if rng.random() < 0.25 else math.exp(rng.uniform(math.log(low), math.log(high)))
        return max(low, min(high, round(value))) if whole else float(f"{value:.4g}")

    return draw


def whole(low, high):
    return between(low, high, True)


def maybe(draw, share=0.5):
    return lambda rng: draw(rng) if rng.random() < share else None


def typical(rng):
    """The band of a prior."""
    strength = between(1e-3, 1e12)(rng)
    return rng.choice(["typical", f"typical={strength:g}", f"typical={strength:g},{whole(1, 2**40)(rng)}"])


SWITCH = one_of(None, "")
EPSILON = between(1e-6, 30)
DELTA = one_of(None, 1e-100, 1e-12, 1e-9, 1e-6, 1e-3, 0.4)
OUTCOMES = whole(1, 2**24)
COUNT = whole(1, 10**6)
RECORDS = whole(1, 2**39)


def domain(columns, values):
    """A domain's columns, the values of each, and their type."""
    return lambda rng: (columns(rng), values(rng), rng.choice(["integer", "number", "categorical", "mixed"]))


def with_rules(rng):
    """A domain whose columns may be null, what its rules say, and how many they are."""
    kind = rng.choice(["integer", "date", "categorical"])
    many = whole(2, 1000) if kind == "categorical" else whole(2, 2**16)
    columns, values = whole(2, 60)(rng), many(rng)
    forms = ["implies", "any-of-all", "in"] + (["chain", "star", "either"] if kind != "categorical" else [])
    return columns, values, kind, rng.choice(forms + (["sum"] if kind == "integer" else [])), whole(1, 200)(rng), rng.random() < 0.5


SMALL = domain(whole(1, 60), whole(2, 64))
WIDE = domain(whole(1, 300), whole(2, 300))
LARGE = domain(whole(1, 4), whole(2, 2**20))

# Words of the command, and flags with what draws their value: None leaves one out, and "" is a flag without a value.
LOCAL = {
    "epsilon": EPSILON, "mu": maybe(between(1e-6, 8), 0.1), "count": maybe(whole(1, 10**4)), "mechanism": maybe(one_of(*MECHANISMS)),
    "band": maybe(one_of("minimax", "relative", "location=0.5", typical), 0.3), "alpha": maybe(between(1e-6, 0.99), 0.3),
    "c1": maybe(between(1e-3, 1), 0.2), "c2": maybe(between(1, 1e3), 0.2), "gamma": maybe(between(1, 1e3), 0.2),
}  # fmt: skip
SPACE = {
    "space": maybe(one_of("categories", "grid", "candidates")), "candidates": maybe(whole(1, 2**24)), "cells": maybe(whole(1, 2**24)),
    "score": maybe(one_of("kernel", "empirical", "histogram", "gaussian-mixture", "ratio", "mbde")), "fresh": SWITCH,
}  # fmt: skip
ROWS = {
    "n": RECORDS, "epsilon": EPSILON, "delta": DELTA, "alpha": maybe(between(1e-6, 0.99), 0.3), "curve": SWITCH,
    "accept-large-delta": one_of(""),
}  # fmt: skip
GAUSSIAN = {"rho": maybe(between(1e-6, 100), 0.2)}
TYPICAL = {"epsilon": EPSILON, "count": maybe(whole(1, 10**4), 0.2), "band": typical}
RELEASED = {"accept-error": one_of(""), "accept-large-delta": one_of("")}
FAMILIES = {
    "plan local --k": LOCAL | {"k": OUTCOMES},
    "plan local --domain": LOCAL | SPACE | {"domain": SMALL},
    "plan local --domain, large": LOCAL | SPACE | {"domain": LARGE},
    "plan local --band typical --k": TYPICAL | {"k": OUTCOMES},
    "plan local --band typical --domain": TYPICAL | SPACE | {"domain": SMALL},
    "plan integral --band typical --k": TYPICAL | {"k": OUTCOMES},
    "plan integral --band typical --domain": TYPICAL | SPACE | {"domain": SMALL},
    "plan integral --k": LOCAL | {"k": OUTCOMES},
    "plan integral --domain": LOCAL | SPACE | {"domain": SMALL},
    "plan integral-model": {flag: LOCAL[flag] for flag in ("epsilon", "mu", "mechanism", "alpha", "c1", "c2", "gamma")}
    | {"domain": SMALL, "candidates": maybe(whole(1, 2**24)), "trees": SWITCH},
    "plan integral-model, large": {"epsilon": EPSILON, "domain": LARGE, "candidates": maybe(whole(1, 10**5)), "trees": SWITCH},
    "plan central": ROWS | {"k": OUTCOMES, "count": maybe(COUNT), "strong": SWITCH},
    "plan central, small": ROWS
    | {"n": whole(50, 10**4), "k": whole(2, 1000), "count": whole(1, 10**3), "epsilon": between(0.01, 5), "alpha": one_of(None)},
    "plan central --support": ROWS
    | {
        "k": maybe(OUTCOMES), "count": maybe(COUNT), "domain": LARGE, "strong": SWITCH,
        "support": one_of("contiguous", "bounded", "heavy", "width=10", "width=100000", "subgaussian=2"),
    },
    "plan gaussian": ROWS
    | GAUSSIAN
    | {
        "dimension": whole(1, 30), "count": maybe(COUNT), "strong": SWITCH, "mean-bound": maybe(between(0.1, 1e6)),
        "mean-range": maybe(between(0.1, 1e6)), "covariance-bound": maybe(between(1, 1e6)), "paper-variance": SWITCH,
    },
    "plan gaussian-model": ROWS | GAUSSIAN | {"dimension": whole(1, 30)},
    "plan marginals": ROWS
    | GAUSSIAN
    | {"domain": WIDE, "copula": SWITCH, "neighbours": one_of(None, "replace", "add-remove")},
    "plan marginals, rules": {"n": whole(100, 10**6), "epsilon": between(0.1, 10), "delta": one_of(1e-9), "domain": with_rules},
    "plan central, rules": {"n": whole(100, 10**6), "epsilon": between(0.1, 10), "delta": one_of(1e-9), "count": one_of(10), "domain": with_rules},
    "verify --k": {flag: LOCAL[flag] for flag in ("epsilon", "mu", "mechanism", "band", "c1", "c2", "gamma")}
    | {"k": OUTCOMES, "inputs": maybe(whole(1, 10**4), 0.3)},
    "verify --certificate, local": {flag: LOCAL[flag] for flag in ("epsilon", "mu", "mechanism", "c1", "c2", "gamma")}
    | SPACE
    | {"band": maybe(typical), "domain": SMALL, "accept-error": one_of("")},
    "verify --certificate, integral": TYPICAL | SPACE | {"domain": LARGE, "accept-error": one_of("")},
    "verify --certificate, integral-model": {
        "epsilon": EPSILON, "domain": SMALL, "candidates": maybe(whole(1, 2**20)), "trees": SWITCH, "accept-error": one_of(""),
    },
    "verify --certificate, central": RELEASED | {"epsilon": EPSILON, "delta": DELTA, "domain": LARGE, "count": whole(1, 10**3)},
    "verify --certificate, gaussian": RELEASED
    | {"epsilon": EPSILON, "delta": DELTA, "domain": domain(whole(1, 30), whole(2, 64)), "count": whole(1, 10**3)},
    "verify --certificate, marginals": RELEASED
    | {"epsilon": EPSILON, "delta": DELTA, "domain": domain(whole(1, 40), whole(2, 64)), "count": whole(1, 10**3), "copula": SWITCH},
    "advise --columns": {
        "purpose": one_of("records", "estimates", "sample", "table"), "protect": one_of("person", "row", "table"), "n": RECORDS,
        "columns": one_of("2", "1000", "16777216", "10,10", "4096,4096", ",".join(["10"] * 7), ",".join(["10"] * 30), ",".join(["2"] * 24)),
        "count": maybe(COUNT), "epsilon": maybe(EPSILON), "delta": DELTA, "alpha": maybe(between(1e-6, 0.99)),
        "accept-large-delta": one_of(""),
    },
    "advise --domain": {
        "purpose": one_of("records", "estimates", "sample", "table"), "protect": one_of("person", "row", "table"), "n": RECORDS,
        "method": maybe(one_of("local", "integral", "integral-model", "central", "gaussian", "gaussian-model", "marginals"), 0.7),
        "domain": one_of(SMALL, WIDE, LARGE), "count": maybe(COUNT), "epsilon": maybe(EPSILON), "delta": DELTA,
        "alpha": maybe(between(1e-6, 0.99)), "accept-large-delta": one_of(""),
    },
}  # fmt: skip

# A flag that excludes others, so that more of what is drawn is a command.
EXCLUDES = {
    "mu": ["epsilon"], "rho": ["epsilon", "delta"], "band": ["mechanism"], "mean-range": ["mean-bound", "covariance-bound"],
    "method": ["protect"],
}  # fmt: skip


def draw(family, rng, flag):
    value = FAMILIES[family][flag](rng)
    while callable(value):
        value = value(rng)
    return value


def rules_of(columns, values, kind, form, count):
    """Texts of rules about columns c0, c1, ..."""

    def value(i):
        return f"v{i % values}" if kind == "categorical" else f"{i % values}" if kind == "integer" else f"20{i % 20:02}-01-{1 + i % 28:02}"

    def pair(i):
        return f"c{i % columns}", f"c{(i + 1 + i // columns % (columns - 1)) % columns}"

    def one(i):
        a, b = pair(i)
        if form == "implies":
            return f"if {a} == {value(i)} then {b} != {value(i * 7)}"
        if form == "in":
            return f"if {a} in [{', '.join(dict.fromkeys(value(i * 13 + j) for j in range(100)))}] then {b} is null"
        if form == "any-of-all":
            parts = [pair(i + 2 * j) for j in range(12)]
            return " or ".join(f"({x} == {value(i)} and {y} == {value(i)})" for x, y in parts)
        if form == "either":
            return f"{a} < {b} or {b} < {pair(i + 1)[0]}" if columns > 2 else f"{a} < {b} or {b} < {value(i)}"
        if form == "star":
            return f"c0 <= c{1 + i % (columns - 1)}"
        if form == "sum":
            return f"c{i % columns} <= {' + '.join(f'c{(i + 1 + j) % columns}' for j in range(max(2, columns - 1)))}"
        return f"c{i % (columns - 1)} <= c{i % (columns - 1) + 1}"

    return list(dict.fromkeys(one(i) for i in range(count)))


def write_domain(folder, columns, values, kind, form=None, count=0, nulls=False):
    path = pathlib.Path(folder) / f"{kind}-{columns}-{values}{f'-{form}-{count}-{nulls}' if form else ''}.yaml"
    if path.exists():
        return path
    if form:
        types = {
            "integer": f"type: integer, min: 0, max: {values - 1}, outside: clip",
            "date": f"type: date, min: 2000-01-01, max: 2020-12-31, bins: {min(values, 7000)}, outside: clip",
            "categorical": f"type: categorical, values: [{', '.join(f'v{i}' for i in range(values))}], outside: v0",
        }
        null = "" if nulls else f", null: {dict(integer='0', date='2000-01-01', categorical='v0')[kind]}"
        lines = [f"  c{i}: {{{types[kind]}{null}}}" for i in range(columns)]
        lines += ["rules:", *(f'  - "{rule}"' for rule in rules_of(columns, values, kind, form, count))]
        path.write_text("columns:\n" + "\n".join(lines) + "\n")
        return path
    types = {
        "integer": f"{{type: integer, min: 0, max: {values - 1}, null: 0, outside: clip}}",
        "number": f"{{type: number, min: 0, max: 9, bins: {values}, null: 0, outside: clip}}",
        "categorical": "{type: categorical, values: [" + ", ".join(f"v{i}" for i in range(min(values, 1000))) + "], null: v0, outside: v0}",
    }
    kinds = list(types) if kind == "mixed" else [kind]
    path.write_text("columns:\n" + "".join(f"  c{i}: {types[kinds[i % len(kinds)]]}\n" for i in range(columns)))
    return path


def write_table(folder, columns):
    path = pathlib.Path(folder) / f"{columns}.csv"
    row = ["0"] * columns
    path.write_text("\n".join(",".join(line) for line in ([f"c{i}" for i in range(columns)], *[row] * 200)) + "\n")
    return path


def words(family, chosen, folder, begin=None):
    """The command's words."""
    left_out = {other for flag, others in EXCLUDES.items() if chosen.get(flag) is not None for other in others}
    found = begin or [one for one in family.split(" --")[0].split(",")[0].split()]
    for flag, value in chosen.items():
        if value is None or flag in left_out:
            continue
        value = str(write_domain(folder, *value)) if flag == "domain" else value
        found += [f"--{flag}"] if value == "" else [f"--{flag}", str(value)]
    return found


def certified(mollify, family, chosen, most_seconds, folder):
    """The words of verify for such a release's certificate, or none if the release fails, and the release's own words."""
    table, certificate = write_table(folder, chosen["domain"][0]), pathlib.Path(folder) / "certificate.json"
    certificate.unlink(missing_ok=True)
    begin = ["sample", family.split(", ")[1], "--data", str(table), "--certificate", str(certificate)]
    release = words(family, chosen, folder, begin + ["--out", f"{folder}/released.csv", "--overwrite"])
    cost(mollify, release, most_seconds)
    check = ["verify", "--certificate", str(certificate), "--domain", str(write_domain(folder, *chosen["domain"]))]
    return (check if certificate.exists() else None), release


def limited(most_seconds):
    def limit():
        resource.setrlimit(resource.RLIMIT_CPU, (most_seconds, most_seconds + 1))
        resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))

    return limit


def cost(mollify, arguments, most_seconds):
    """Seconds and MB of the command, and its exit status."""
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    child = subprocess.Popen([mollify, *arguments], preexec_fn=limited(most_seconds), **quiet)
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, child.returncode


def is_announced(mollify, arguments):
    """Whether the command prints a note on a terminal before it takes long."""
    terminal, side = os.openpty()
    child = subprocess.Popen([mollify, *arguments], stdout=subprocess.DEVNULL, stderr=side, preexec_fn=limited(3))
    os.close(side)
    try:
        return bool(select.select([terminal], [], [], 1)[0]) and b"may take longer" in os.read(terminal, 4096)
    except OSError:  # it ended
        return False
    finally:
        child.kill()
        child.wait()
        os.close(terminal)


def search(mollify, family, tries, most_seconds, rng, folder):
    """The costliest by seconds and by MB: each a cost and its words."""
    best = {}
    answered = 0
    for attempt in range(tries):
        if attempt < tries // 2 or not best:
            chosen = {flag: draw(family, rng, flag) for flag in FAMILIES[family]}
        else:
            chosen = dict(best[attempt % 2][3])
            for flag in rng.sample(list(chosen), min(len(chosen), rng.choice([1, 2]))):
                chosen[flag] = draw(family, rng, flag)
        if "--certificate" in family:
            asked, shown = certified(mollify, family, chosen, most_seconds, folder)
        else:
            asked = shown = words(family, chosen, folder)
        seconds, megabytes, status = cost(mollify, asked, most_seconds) if asked else (0, 0, 2)
        answered += status in (0, 1)
        if seconds > MOST_SECONDS or megabytes > MOST_MEGABYTES:
            known = "with" if is_announced(mollify, asked) else "WITHOUT"
            name = shlex.join(shown).replace(folder + "/", "")
            print(f"    {seconds:.2f} s, {megabytes:.0f} MB, {known} a note: {name}", flush=True)
        for i, amount in enumerate((seconds, megabytes)):
            if i not in best or amount > best[i][0]:
                best[i] = (amount, status, shown, chosen)
    return best, answered


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("mollify")
    parser.add_argument("--tries", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="")
    parser.add_argument("--limit", type=int, default=60)
    given = parser.parse_args()
    beyond = 0
    print(f"{'family':40} {'answered':>8} {'seconds':>8} {'MB':>6}")
    with tempfile.TemporaryDirectory() as folder:
        for family in FAMILIES:
            if not family.startswith(given.only):
                continue
            rng = random.Random(f"{given.seed} {family}")
            best, answered = search(given.mollify, family, given.tries, given.limit, rng, folder)
            print(f"{family:40} {answered:>4}/{given.tries:<3} {best[0][0]:>8.2f} {best[1][0]:>6.0f}")
            for i, (unit, most) in enumerate((("s", MOST_SECONDS), ("MB", MOST_MEGABYTES))):
                amount, status, arguments, _ = best[i]
                mark = "BEYOND " if amount > most else ""
                beyond += amount > most
                print(f"    {mark}{amount:.4g} {unit}, status {status}: {shlex.join(arguments).replace(folder + '/', '')}", flush=True)
    sys.exit(1 if beyond else 0)


if __name__ == "__main__":
    main()
