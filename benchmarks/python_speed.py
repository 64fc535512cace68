"""How fast the Python package is: seconds of one core, side by side in one run.

usage: python benchmarks/python_speed.py [ROWS [BENCHMARKS]]     (default: 10 000 000)

Next to draws it measures C++ (benchmark_front) and the kernel alone (benchmark_kernel), if the folder of these
programs is given. benchmarks/python_speed.sh builds and runs it all.

Releases by unit from three categorical columns, in every form; randomized response, rows of scores and next
tokens, beside multi-freq-ldpy where that is installed. Each number is the least of several runs, of what
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
from ml_dtypes import bfloat16
from mollify.adapters.language import TokenSampler

SURE = 4.9  # standard deviations that a count is away with probability 1e-6


def best(work, runs=3):
    """The least processor time of some runs, in seconds."""
    times = []
    for _ in range(runs):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def in_cpp(folder, program, name):
    """The least processor time of an item of a benchmark in C++, in seconds; None without the programs."""
    if folder is None:
        return None
    said = subprocess.run(
        [f"{folder}/benchmark_{program}", f"--benchmark_filter=^{name}$", "--benchmark_repetitions=15", "--benchmark_min_time=0.02",
         "--benchmark_format=json"],
        capture_output=True, check=True,
    ).stdout  # fmt: skip
    runs = [run for run in json.loads(said)["benchmarks"] if run["run_type"] == "iteration"]
    return min(1 / run["items_per_second"] for run in runs)


def print_line(what, measure, value):
    print(f"| {what} | {measure} | {value} |", flush=True)


def print_against(what, seconds, other, measure="times as long as in C++"):
    if other is not None:
        print_line(what, measure, f"{seconds / other:.2f}")


def short(seconds):
    return f"{seconds * 1e6:.3g} µs" if seconds >= 1e-6 else f"{seconds * 1e9:.3g} ns"


def assert_count(seen, draws, probability):
    """That so many of the draws came out as something of this probability does."""
    deviation = math.sqrt(draws * probability * (1 - probability))
    assert abs(seen - draws * probability) <= SURE * deviation + 1, (seen, draws, probability)


def assert_law(sampler, scores, draw):
    """That 20 000 draws of what draw(number) gives follow the sampler's exact law from these scores, in 20 parts of k."""
    law = mo.nonprivate.law(sampler, scores, normalise=True)
    total, draws, parts = int(law["N"]), 20_000, min(20, sampler.k)
    part = np.arange(sampler.k) * parts // sampler.k
    numerators = np.array([float(one["numerator"]) for one in law["outcomes"]])
    expected = draws / total * np.bincount(part, numerators)
    counts = np.zeros(parts)
    while counts.sum() < draws:
        drawn = draw(min(draws, max(1, 2**22 // sampler.k)))[: int(draws - counts.sum())]
        counts += np.bincount(part[drawn], minlength=parts)
    freedom = parts - 1
    seen = ((counts - expected) ** 2 / expected).sum()
    # The quantile of chi-squared at 1 - 1e-6 by Wilson and Hilferty's cube, 4.76 deviations up.
    most = freedom * (1 - 2 / (9 * freedom) + 4.76 * math.sqrt(2 / (9 * freedom))) ** 3
    assert seen <= most, (seen, most)


def measure_rows(folder):
    """Rows of scores: in batches, and one row at a time, next to the kernel's own table and draw."""
    for kind, name in ((np.float64, "double"), (np.float32, "float")):
        for k in (2, 10, 100, 1000, 10_000, 65_536, 131_072):
            sampler = mo.Sampler(k=k, epsilon=2)
            scores = np.random.default_rng(0).random((256 if k < 1000 else 4, k)).astype(kind)
            rows = len(scores)
            assert_law(sampler, scores[0], lambda n, one=scores[0], draw=sampler.draw: draw(np.tile(one, (n, 1))))
            times = max(1, 20_000 // rows) if k <= 1000 else 20
            # In turn, so that both see the machine alike.
            kernel, batches, ones = None, math.inf, math.inf
            for _ in range(3):
                found = in_cpp(folder, "kernel", f"table_and_draw<{name}>/{k}/0/20/0")
                kernel = found if kernel is None else min(kernel, found)
                batches = min(batches, best(lambda: [sampler.draw(scores) for _ in range(times)], 7) / times / rows)
                ones = min(ones, best(lambda: [sampler.draw(one) for _ in range(times) for one in scores], 7) / times / rows)
            what = f"Sampler.draw of rows of {k} {name}s"
            print_line(what, "a row, in batches", short(batches))
            print_against(what, batches, kernel, "times as long as the kernel's table and draw")
            print_line(what, "more if one row at a time", short(max(0, ones - batches)))


class Shared:
    """An array of a library that shares it by DLPack alone."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


def measure_types_of_rows():
    """Rows of other types, in other memory and without any weight, as multiples of float32's time in the same run."""
    kinds = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "bool", "float16", "float64", bfloat16)
    for k in (1000, 65_536):
        sampler = mo.Sampler(k=k, epsilon=2)
        floats = np.random.default_rng(0).random((256 if k == 1000 else 4, k), np.float32)
        rows = {np.dtype(kind).name: (floats if np.dtype(kind).kind in "fV" else 100 * floats).astype(kind) for kind in kinds}
        rows["bool"] = floats > 0.5
        rows["int64 beyond 2^24"] = (floats * 2**40).astype(np.int64)
        rows["zeros"], rows["NaN"] = np.zeros_like(floats), np.full_like(floats, np.nan)
        rows["float32 by DLPack"], rows["float32 in columns"] = Shared(floats), np.asfortranarray(floats)
        for name in ("int32", "uint64", "float16", "float32 by DLPack"):
            given = rows[name].array if isinstance(rows[name], Shared) else rows[name]
            assert_law(sampler, given[0].astype(float), lambda n, rows=rows[name]: one_row(sampler, rows, n))
        times = 40 if k == 1000 else 20
        for name, given in rows.items():
            usual = other = math.inf
            for _ in range(3):  # in turn, so that both see the machine alike
                usual = min(usual, best(lambda: [sampler.draw(floats) for _ in range(times)]))
                other = min(other, best(lambda given=given: [sampler.draw(given) for _ in range(times)]))
            print_line(f"Sampler.draw of rows of {k}, {name}", "times as long as float32", f"{other / usual:.2f}")


def one_row(sampler, rows, draws):
    """Draws from the first of these rows."""
    first = rows.array[:1] if isinstance(rows, Shared) else rows[:1]
    many = np.repeat(first, draws, axis=0)
    return sampler.draw(Shared(many) if isinstance(rows, Shared) else many)


def measure_tokens(folder):
    """Next tokens of 131 072 from the logits of four tokens in turn, and from a batch of 32, next to the kernel's own band,
    table and draw."""
    random = np.random.default_rng(12)
    public = 3 * random.standard_normal((32, 131_072), np.float32)
    private = public + random.standard_normal(public.shape, np.float32)
    near = np.exp(public[0].astype(np.float64) - public[0].max())
    scores = np.exp(private[0].astype(np.float64) - private[0].max())
    relative = mo.Sampler("relative", reference=near, epsilon=4)
    every = TokenSampler(epsilon=4)
    assert_law(relative, scores, lambda n: every.draw(np.tile(private[:1], (n, 1)), np.tile(public[:1], (n, 1))))
    kernel = in_cpp(folder, "kernel", "next_token/131072/2")
    for kind in (np.float32, np.float16, bfloat16):
        logits, references = private.astype(kind), public.astype(kind)
        for top in (None, 1000, 20_000, 100_000, 131_071):
            sampler = TokenSampler(epsilon=4, top=top)
            turn = [(logits[i : i + 1], references[i : i + 1]) for i in range(4)]
            seconds = best(lambda: [sampler.draw(*one) for one in turn], 25) / 4
            what = f"TokenSampler, a token of 131 072 in {np.dtype(kind).name}" + (f", top={top}" if top else "")
            print_line(what, "time", short(seconds))
            if top is None:
                every_token = seconds
            else:
                print_line(what, "times as long as all tokens", f"{seconds / every_token:.2f}")
            if top is None and folder is not None:
                kernel = min(kernel, in_cpp(folder, "kernel", "next_token/131072/2"))
                print_against(what, seconds, kernel, "times as long as the kernel's band, table and draw")
            # One at a time of all 32, because their logits do not fit a cache.
            alone = best(lambda: [sampler.draw(logits[i : i + 1], references[i : i + 1]) for i in range(32)], 7)
            together = best(lambda: sampler.draw(logits, references), 7)
            print_line(what, "32 in a batch, times as long as one by one", f"{together / alone:.2f}")


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
    folder = sys.argv[2] if len(sys.argv) > 2 else None
    words = ["female", "male", "north", "south", "east", "west"]
    domain = mo.Domain({name: mo.categorical(words, outside=words[0], null=words[0]) for name in "abc"})
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
        other = in_cpp(folder, "front", f"Responses/{k}")
        print_line(f"RandomizedResponse.draw, k = {k}", "draws a second", f"{rows / seconds / 1e6:.3g} million")
        print_against(f"RandomizedResponse.draw, k = {k}", seconds / rows, other)
        try:
            from multi_freq_ldpy.pure_frequency_oracles.GRR import GRR_Client
        except ImportError:
            continue
        few = values[:100_000].tolist()
        kept = sum(GRR_Client(one, k, 2.0) == one for one in few)  # and it is compiled
        assert_count(kept, len(few), math.exp(2) / (math.exp(2) + k - 1))
        seconds = best(lambda: [GRR_Client(one, k, 2.0) for one in few])
        print_line(f"multi-freq-ldpy's client, k = {k}", "draws a second", f"{len(few) / seconds / 1e6:.3g} million")

    measure_rows(folder)
    measure_types_of_rows()
    measure_tokens(folder)
    realised = mo.Sampler(k=10_000, epsilon=0.1).epsilon_realised_up()
    assert 0.0999 < realised <= 0.1
    print_line("Sampler(k=10_000, epsilon=0.1)", "real epsilon", repr(realised))

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
