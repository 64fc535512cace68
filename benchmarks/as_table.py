"""Runs a program of benchmarks/ and prints its times as the rows of docs/evidence/speed.csv, or of a table of its own.

usage: as_table.py FOLDER NAME [ARGUMENT...]      runs FOLDER/benchmark_NAME, such as benchmark_kernel

Each time is the least processor time of three repetitions. A row that covers several cases has the least and the most.
"""

import json
import re
import subprocess
import sys

# A row: what, measure, a pattern of the cases, and what of them is shown: their time, their rate, or a counter.
SHAPES = "minimax, epsilon 0.1 to 5, three shapes of scores"
SYMMETRIC = "bands symmetric about the reference (`--mechanism relative`)"
SPARSE = "10 000 units of 100 rows over 2^20 outcomes"
DENSE = "a unit with a score for each of {} outcomes: table and draw"
TOKEN = "a private next token: 131 072 outcomes, a new band from a reference in floats, memory kept"
RANDOM = "random 64-bit words"
BALL = "clipped sum of vectors of 100 coordinates"
ROWS = {
    "kernel": [
        (f"table and draw, 100 outcomes ({SHAPES})", "rate", r"table_and_draw<double>/100/\d/\d+/0", "rate"),
        (f"table and draw, 100 outcomes ({SHAPES})", "time", r"table_and_draw<double>/100/\d/\d+/0", "time"),
        (f"table and draw, 100 outcomes, {SYMMETRIC}", "rate", r"table_and_draw<double>/100/\d/\d+/1", "rate"),
        (f"table and draw, 100 outcomes, {SYMMETRIC}", "time", r"table_and_draw<double>/100/\d/\d+/1", "time"),
        ("table and draw, 100 outcomes, by 50 bisections in doubles", "rate", "bisection_and_draw<double>/100", "rate"),
        (f"table and draw, 131 072 outcomes, floats ({SHAPES})", "time", r"table_and_draw<float>/131072/\d/\d+/0", "time"),
        (f"table and draw, 131 072 outcomes, floats, {SYMMETRIC}", "time", r"table_and_draw<float>/131072/\d/\d+/1", "time"),
        ("table and draw, 1 048 576 outcomes, floats, minimax, epsilon 1", "time", "table_and_draw<float>/1048576/.*", "time"),
        *((TOKEN, part, f"next_token/131072/{i}", "time") for i, part in enumerate(("the band", "table and draw", "all"))),
        *((DENSE.format(k), kind, f"dense_unit/{k}/{i}", "time")
          for k in (100, 1000, 4096) for i, kind in enumerate(("even reference", "uneven reference"))),
        *((SPARSE, kind, f"ten_thousand_sparse_units/{i}", "time") for i, kind in enumerate(("even reference", "uneven reference"))),
        ("randomized response, 2 to 2^20 outcomes", "rate", r"randomized_response/\d+", "rate"),
        (RANDOM, "rate", "random_words", "rate"),
        (RANDOM, "time", "random_words", "time"),
        (RANDOM, "rate of libsodium", "random_words_of_libsodium", "rate"),
        (RANDOM, "rate of getrandom", "random_words_of_the_operating_system", "rate"),
        ("discrete Laplace, scale 1/3 to 10^9", "rate", "discrete_laplace/.*", "rate"),
        ("discrete Gaussian, σ 1 to 10^9", "rate", "discrete_gaussian/.*", "rate"),
        *((f"Euclidean Laplace, b = 10^6, {d} dimensions", "time", f"euclidean_laplace/{d}", "time") for d in (3, 10, 20, 100, 1000)),
        *((f"Euclidean Laplace by rejection, in doubles, {d} dimensions", measure, f"euclidean_laplace_by_plain_rejection/{d}", of)
          for d in (3, 10, 20) for measure, of in (("time", "time"), ("share kept", "kept"))),
        (BALL, "coordinates a second if all are inside the ball", "clipped_sum/all_inside", "rate"),
        (BALL, "coordinates a second if all are clipped", "clipped_sum/all_clipped", "rate"),
        ("10^6 records are shuffled and thinned", "rate", "shuffle_and_thin", "rate"),
    ],
    "records": [
        ("10^7 rows by Arrow to outcomes (central)", "cells a second", "BM_ArrowOutcomes", "cells"),
        ("10^7 rows by Arrow to 100 000 units' tallies, ids integers (local)", "cells a second", "BM_ArrowUnits", "cells"),
        ("10^6 rows by CSV to outcomes", "cells a second", "BM_CsvOutcomes", "cells"),
        ("10^6 rows by CSV to tallies", "cells a second", "BM_CsvUnits", "cells"),
        ("CSV of ten columns, the texts of three", "bytes a second", "BM_CsvThreeTextsOfTen", "bytes_per_second"),
        ("CSV of ten columns, three to outcomes: a category, an integer, a number", "bytes a second", "BM_CsvThreeOfTen", "bytes_per_second"),
        *((f"CSV of twenty columns of numbers of {digits} digits to {to}", "bytes a second", f"{name}/{digits}", "bytes_per_second")
          for digits in (6, 17) for to, name in (("doubles", "BM_CsvNumbers"), ("cells", "BM_CsvNumbersToCells"))),
    ],
    "front": [
        *((f"a unit with {d} distinct records, {1000 * d} outcomes", how, f"{name}/{d}", "time of one")
          for d in (5, 10, 100) for how, name in (("by entropy", "UnitsByEntropy"), ("by key", "UnitsByKey"))),
        *((f"randomized response of 10^7 values, k = {k}", "rate", f"Responses/{k}", "rate") for k in (10, 1000)),
        *((f"rows of {k} {kind}s", how, f"Rows<{kind}, {is_batch}>/{k}", "time of one")
          for kind in ("double", "float") for k in (2, 10, 100, 1000, 10_000, 65_536, 131_072)
          for how, is_batch in (("a row, in batches", "true"), ("one row at a time", "false"))),
        *((f"a token of 131 072, {words}", how, f"Tokens<{name}>/{batch}", "time of one")
          for name, words in (("kFloat32", "float32"), ("kBfloat16", "bfloat16"), ("kTop1000", "float32, top 1000"))
          for how, batch in (("one by one", 1), ("in a batch of 32", 32))),
    ],
    "grid": [
        *((f"one dimension, three components, 2^{e}", "time", f"one_dimensional_client/{1 << e}", "time") for e in (12, 16)),
        *((f"ring of three, 2^{e}", "time", f"ring_of_three/{1 << e}", "time") for e in (18, 20)),
    ],
    "scorers": [
        *((f"kernel, {shape} rows", f"{n} rows", f"product_kernel/{n}/{i}", "time")
          for i, shape in enumerate(("uniform", "smooth", "clustered")) for n in (100, 1000, 100_000)),
        *((f"{name}, clustered rows", f"{n} rows", f"other_scorers/{i}/{n}", "time")
          for i, name in ((3, "gaussian-mixture"), (2, "histogram"), (1, "empirical")) for n in (100, 100_000)),
        ("making a kernel scorer of new candidates, which sorts them", "time", "candidates_of_product_kernel", "time"),
    ],
    "training": [
        ("the papers' network on the ring, 20 000 samples", "multiply-adds a second", "network", "multiply_adds_per_second"),
        ("the core's peak by the same program", "multiply-adds a second", "network", "peak"),
        ("the papers' network on the ring, 20 000 samples", "share of the peak", "network", "share_of_peak"),
    ],
}  # fmt: skip
SECONDS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}


def scaled(values, unit):
    """The least and the most of them, with a unit that suits the most."""
    names = {"s": ((1, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns")),
             "B": ((1e9, "GB a second"), (1e6, "MB a second")),
             "/s": ((1e9, "thousand million a second"), (1e6, "million a second"), (1e3, "thousand a second"), (1, "a second")),
             "": ((1, ""),)}[unit]  # fmt: skip
    factor, name = next((pair for pair in names if max(values) >= pair[0]), names[-1])
    ends = [f"{value / factor:.3g}" if value / factor < 1000 else f"{value / factor:.0f}" for value in (min(values), max(values))]
    return f"{ends[0] if ends[0] == ends[1] else ' to '.join(ends)} {name}".strip()


def shown(cases, of):
    if of == "time":
        return scaled([case["cpu_time"] * SECONDS[case["time_unit"]] for case in cases], "s")
    if of == "time of one":
        return scaled([1 / case["items_per_second"] for case in cases], "s")
    if of == "rate":
        return scaled([case["items_per_second"] for case in cases], "/s")
    unit = "B" if of.startswith("bytes") else "" if of in ("kept", "share_of_peak") else "/s"
    return scaled([case[of] for case in cases], unit)


def of_amplification(cases):
    """A row for each problem: its facts, and the time of the upper bound alone, of both bounds, and of an inversion."""
    print("| n | k | rate | epsilon0 | epsilon | delta | upper | both | inversion | slack | gap |\n|" + "---|" * 11)
    for place in range(8):
        one, both, inverse = (cases.get(f"{name}/{place}") for name in ("one_delta", "both_bounds", "greatest_epsilon0"))
        facts = [f"{one[key]:g}" for key in ("records", "outcomes", "rate", "epsilon0", "epsilon")]
        times = [shown([case], "time") if case else "" for case in (one, both, inverse)]
        print("|", " | ".join([*facts, f"{one['delta']:.1e}", *times, f"{one['slack']:.1e}", f"{one['gap']:.1e}"]), "|")


def main():
    folder, name, *more = sys.argv[1:]
    asked = [f"{folder}/benchmark_{name}", "--benchmark_format=json", "--benchmark_repetitions=3", "--benchmark_min_time=0.1", *more]
    said = json.loads(subprocess.run(asked, check=True, stdout=subprocess.PIPE).stdout)
    cases = {}
    for case in said["benchmarks"]:
        if case.get("error_occurred"):
            sys.exit(f"{case['name']}: {case['error_message']}")
        least = cases.get(case["run_name"])
        if case["run_type"] == "iteration" and (least is None or case["cpu_time"] < least["cpu_time"]):
            cases[case["run_name"]] = case
    if name == "amplification":
        of_amplification(cases)
        return
    print("| what | measure | value |\n|---|---|---|")
    for what, measure, pattern, of in ROWS[name]:
        found = [case for key, case in cases.items() if re.fullmatch(pattern, key)]
        if not found:
            sys.exit(f"benchmark_{name} has no case {pattern}")
        print(f"| {what} | {measure} | {shown(found, of)} |")


main()
