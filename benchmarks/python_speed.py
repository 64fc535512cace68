"""How fast the Python package is: seconds of one core, side by side in one run.

usage: python benchmarks/python_speed.py [ROWS [BENCHMARK_FRONT]]     (default: 10 000 000)

Next to draws on arrays it measures C++, if its program benchmark_front is given. benchmarks/python_speed.sh builds and
runs it all.

Releases by unit from three categorical columns, in every form; randomized response and samplers on
arrays, beside multi-freq-ldpy where that is installed. Each number is the best of three runs, of what
was seen to answer right first: every form is read as the same cells and gives the same certificate, and
draws follow their exact laws (each such check fails wrongly with probability 1e-6).
"""

import json
import math
import subprocess
import sys
import time

import mollify as mo
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

SURE = 4.9  # standard deviations that a count is away with probability 1e-6


def best(work):
    """The least processor time of three runs, in seconds."""
    times = []
    for _ in range(3):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def in_cpp(program, name):
    """The least processor time of three runs of the same in C++, in seconds; None without it."""
    if program is None:
        return None
    said = subprocess.run(
        [program, f"--benchmark_filter=^{name}$", "--benchmark_repetitions=3", "--benchmark_format=json"],
        **{"capture_output": True, "check": True},
    ).stdout
    runs = [run for run in json.loads(said)["benchmarks"] if run["run_type"] == "iteration"]
    return min(run["cpu_time"] for run in runs) / 1000


def print_line(what, measure, value):
    print(f"| {what} | {measure} | {value} |", flush=True)


def print_against(what, seconds, other):
    if other is not None:
        print_line(what, "times as long as in C++", f"{seconds / other:.2f}")


def assert_count(seen, draws, probability):
    """That so many of the draws came out as something of this probability does."""
    deviation = math.sqrt(draws * probability * (1 - probability))
    assert abs(seen - draws * probability) <= SURE * deviation + 1, (seen, draws, probability)


def assert_law(sampler, scores):
    """That draws from one row of scores follow its exact law."""
    draws = 100_000
    law = mo.nonprivate.law(sampler, scores, normalise=True)
    counts = np.bincount(sampler.draw(np.tile(scores, (draws, 1))), minlength=sampler.outcomes)
    expected = np.array([draws * int(one["numerator"]) / int(law["N"]) for one in law["outcomes"]])
    freedom = sampler.outcomes - 1
    seen = ((counts - expected) ** 2 / expected).sum()
    # The quantile of chi-squared at 1 - 1e-6 by Wilson and Hilferty's cube, 4.76 deviations up.
    most = freedom * (1 - 2 / (9 * freedom) + 4.76 * math.sqrt(2 / (9 * freedom))) ** 3
    assert seen <= most, (seen, most)


def release(data, domain, roster):
    made = mo.Local(domain, unit="unit", units=roster, epsilon=2, accept_error=True).sample(data)
    assert len(made) == len(roster)
    return made


def assert_same(domain, roster, rows=10_000):
    """That every form is read as the same records, those that it was made of, and promises the same."""
    seen = {}
    for name, data in frames(rows):
        told = mo.Central(domain, epsilon=1, count=1, accept_error=True).compare(data)
        seen[name] = told["columns"], release(data, domain, roster).certificate
    first = seen["NumPy, objects"]
    assert all(one == first for one in seen.values()), seen
    objects = next(frames(rows))[1]
    for column in first[0]:
        truth = [(objects[column["name"]] == level).mean() for level in column["levels"]]
        assert np.allclose(column["shares"]["truth"], truth, rtol=0, atol=1e-12)


def frames(rows):
    random = np.random.default_rng(0)
    words = np.array(["female", "male", "north", "south", "east", "west"], object)
    codes = {name: random.integers(0, 6, rows, np.int32) for name in "abc"}
    units = random.integers(0, 1000, rows)
    texts = {name: words[places] for name, places in codes.items()} | {"unit": units}
    yield "NumPy, objects", texts
    yield "NumPy, texts", texts | {name: texts[name].astype("U6") for name in "abc"}
    yield "pandas, texts (Arrow inside)", pd.DataFrame(texts).astype(dict.fromkeys("abc", "str"))
    categories = {name: pd.Categorical.from_codes(codes[name], words) for name in "abc"}
    yield "pandas, categories", pd.DataFrame(categories | {"unit": units})
    arrow = {
        name: pd.array(pa.DictionaryArray.from_arrays(codes[name], words), pd.ArrowDtype(pa.dictionary(pa.int32(), pa.string())))
        for name in "abc"
    }
    yield "pandas, categories of Arrow's", pd.DataFrame(arrow | {"unit": units})
    polars = pl.DataFrame({name: pl.Series(column.tolist()) for name, column in texts.items()})
    yield "Polars, texts", polars
    yield "Polars, categories", polars.with_columns(pl.col("a", "b", "c").cast(pl.Categorical))


def main():
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000_000
    program = sys.argv[2] if len(sys.argv) > 2 else None
    words = ["female", "male", "north", "south", "east", "west"]
    domain = mo.Domain({name: mo.categorical(words, outside=words[0]) for name in "abc"})
    roster = [str(unit) for unit in range(1000)]
    assert_same(domain, roster)
    print("| what | measure | value |\n|---|---|---|")
    for name, data in frames(rows):
        seconds = best(lambda data=data: release(data, domain, roster))
        print_line(name, "cells a second", f"{3 * rows / seconds / 1e6:.3g} million")

    for k in (10, 1000):
        values = np.random.default_rng(0).integers(0, k, rows)
        response = mo.RandomizedResponse(k=k, epsilon=2)
        assert_count((response.draw(values) == values).sum(), rows, response.kept / response.total)
        seconds = best(lambda: response.draw(values))
        other = in_cpp(program, f"Responses/{k}")
        per_value = None if other is None else other * rows / 10_000_000
        print_line(f"RandomizedResponse.draw, k = {k}", "draws a second", f"{rows / seconds / 1e6:.3g} million")
        print_against(f"RandomizedResponse.draw, k = {k}", seconds, per_value)
        try:
            from multi_freq_ldpy.pure_frequency_oracles.GRR import GRR_Client
        except ImportError:
            continue
        few = values[:100_000].tolist()
        kept = sum(GRR_Client(one, k, 2.0) == one for one in few)  # and it is compiled
        assert_count(kept, len(few), math.exp(2) / (math.exp(2) + k - 1))
        seconds = best(lambda: [GRR_Client(one, k, 2.0) for one in few])
        print_line(f"multi-freq-ldpy's client, k = {k}", "draws a second", f"{len(few) / seconds / 1e6:.3g} million")

    sampler = mo.Sampler(outcomes=100, epsilon=1)
    scores = np.random.default_rng(0).exponential(size=(10_000, 100))
    assert_law(sampler, scores[0])
    seconds = best(lambda: [sampler.draw(scores) for _ in range(100)]) / 100
    print_line("Sampler.draw of 10 000 rows of 100 doubles", "rows a second", f"{10_000 / seconds / 1e6:.3g} million")
    print_against("Sampler.draw of 10 000 rows of 100 doubles", seconds, in_cpp(program, "Front<double>"))

    bare, whole = (
        min(
            float(
                subprocess.run(
                    [sys.executable, "-c", f"{code}\nimport time\nprint(time.process_time())"],
                    capture_output=True,
                    check=True,
                ).stdout
            )
            for _ in range(3)
        )
        for code in ("", "import mollify")
    )
    print_line("import mollify", "time", f"{1000 * (whole - bare):.0f} ms")


if __name__ == "__main__":
    main()
