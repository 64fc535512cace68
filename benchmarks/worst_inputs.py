"""Searches for the public input that costs plan, verify and advise most.

usage: worst_inputs.py MOLLIFY [--tries N] [--seed S] [--only WORDS] [--limit SECONDS]

Each family of commands has a table of flags with the values that they may have. N commands are drawn from it (default: 60): the
first half at random, the other half by changing one or two flags of the costliest so far. Seconds are processor time, and MB the
greatest memory, of the command's own process. A command is ended after SECONDS of processor time (default: 60) or at 8 GB.

Prints each command that needs more than 2 s or 500 MB as soon as it is found, and the costliest of each family by time and by
memory. Ends with status 1 if a command needs more. Some 11 MB are Python's own, before the command begins.
"""

import argparse
import math
import os
import pathlib
import random
import resource
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


SWITCH = one_of(None, "")
EPSILON = between(1e-6, 30)
DELTA = one_of(None, 1e-100, 1e-12, 1e-9, 1e-6, 1e-3, 0.4)
OUTCOMES = whole(1, 2**24)
COUNT = whole(1, 10**6)
RECORDS = whole(1, 2**39)


def domain(columns, values):
    """A domain's columns, the values of each, and their type."""
    return lambda rng: (columns(rng), values(rng), rng.choice(["integer", "number", "categorical", "mixed"]))


SMALL = domain(whole(1, 60), whole(2, 64))
WIDE = domain(whole(1, 300), whole(2, 300))
LARGE = domain(whole(1, 4), whole(2, 2**20))

# Words of the command, and flags with what draws their value: None leaves one out, and "" is a flag without a value.
LOCAL = {
    "epsilon": EPSILON, "mu": maybe(between(1e-6, 8), 0.1), "count": maybe(whole(1, 10**4)), "mechanism": maybe(one_of(*MECHANISMS)),
    "band": maybe(one_of("minimax", "relative", "location=0.5", "typical"), 0.2), "alpha": maybe(between(1e-6, 0.99), 0.3),
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
FAMILIES = {
    "plan local --k": LOCAL | {"k": OUTCOMES},
    "plan local --domain": LOCAL | SPACE | {"domain": SMALL},
    "plan local --domain, large": LOCAL | SPACE | {"domain": LARGE},
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
    "verify --k": {flag: LOCAL[flag] for flag in ("epsilon", "mu", "mechanism", "band", "c1", "c2", "gamma")}
    | {"k": OUTCOMES, "inputs": maybe(whole(1, 10**4), 0.3)},
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
    return value(rng) if callable(value) else value


def write_domain(folder, columns, values, kind):
    path = pathlib.Path(folder) / f"{kind}-{columns}-{values}.yaml"
    if path.exists():
        return path
    types = {
        "integer": f"{{type: integer, min: 0, max: {values - 1}, null: 0, outside: clip}}",
        "number": f"{{type: number, min: 0, max: 9, bins: {values}, null: 0, outside: clip}}",
        "categorical": "{type: categorical, values: [" + ", ".join(f"v{i}" for i in range(min(values, 1000))) + "], null: v0, outside: v0}",
    }
    kinds = list(types) if kind == "mixed" else [kind]
    path.write_text("columns:\n" + "".join(f"  c{i}: {types[kinds[i % len(kinds)]]}\n" for i in range(columns)))
    return path


def words(family, chosen, folder):
    """The command's words."""
    left_out = {other for flag, others in EXCLUDES.items() if chosen.get(flag) is not None for other in others}
    found = [one for one in family.split(",")[0].split() if not one.startswith("--")]
    for flag, value in chosen.items():
        if value is None or flag in left_out:
            continue
        value = str(write_domain(folder, *value)) if flag == "domain" else value
        found += [f"--{flag}"] if value == "" else [f"--{flag}", str(value)]
    return found


def cost(mollify, arguments, most_seconds):
    """Seconds and MB of the command, and whether it ended with an answer."""

    def limit():
        resource.setrlimit(resource.RLIMIT_CPU, (most_seconds, most_seconds + 1))
        resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))

    child = subprocess.Popen([mollify, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=limit)
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, child.returncode


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
        arguments = words(family, chosen, folder)
        seconds, megabytes, status = cost(mollify, arguments, most_seconds)
        answered += status in (0, 1)
        if seconds > MOST_SECONDS or megabytes > MOST_MEGABYTES:
            print(f"    {seconds:.2f} s, {megabytes:.0f} MB: {shlex.join(arguments).replace(folder + '/', '')}", flush=True)
        for i, amount in enumerate((seconds, megabytes)):
            if i not in best or amount > best[i][0]:
                best[i] = (amount, status, arguments, chosen)
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
    print(f"{'family':28} {'answered':>8} {'seconds':>8} {'MB':>6}")
    with tempfile.TemporaryDirectory() as folder:
        for family in FAMILIES:
            if not family.startswith(given.only):
                continue
            rng = random.Random(f"{given.seed} {family}")
            best, answered = search(given.mollify, family, given.tries, given.limit, rng, folder)
            print(f"{family:28} {answered:>4}/{given.tries:<3} {best[0][0]:>8.2f} {best[1][0]:>6.0f}")
            for i, (unit, most) in enumerate((("s", MOST_SECONDS), ("MB", MOST_MEGABYTES))):
                amount, status, arguments, _ = best[i]
                mark = "BEYOND " if amount > most else ""
                beyond += amount > most
                print(f"    {mark}{amount:.4g} {unit}, status {status}: {shlex.join(arguments).replace(folder + '/', '')}", flush=True)
    sys.exit(1 if beyond else 0)


if __name__ == "__main__":
    main()
