"""Private bins of one column, beside private quantiles of others and the bins of an older build. NOT PRIVATE.

Usage: python private_bins.py MOLLIFY [RUNS] [OLDER]

Numbers whose range is up to 10^13 times their size. All spend epsilon 2 for a replaced row, without delta, on one column:

- `mollify sample`: as many rows as there are, in `bins: private`; OLDER: the same by another build's command.
- *recursive*: 15 quantiles by recursive medians [Kaplan et al. 2022], numbers even between them.
- *unbounded*: 15 quantiles, each by growing a bound by a hundredth until enough values are below it [Durfee 2023], numbers
  even between them.

Each figure is the worst of RUNS releases: how far the median, the 90 % quantile and the mean are from the table's, as parts
of these, and the standard deviation as a multiple.
"""

import bisect
import csv
import math
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile

ROWS = 20_000
EPSILON = 2
QUANTILES = 15

CASES = {
    "log-normal, median 20, in 0 to 10^9": (0, 10**9, lambda: 20 * math.exp(random.gauss(0, 0.985))),
    "log-normal, median .002, in 0 to 10^9": (0, 10**9, lambda: 0.002 * math.exp(random.gauss(0, 0.985))),
    "log-normal, median -20, in -10^9 to 10^9": (-(10**9), 10**9, lambda: -20 * math.exp(random.gauss(0, 0.985))),
    "normal (50, 5), in 0 to 10^7": (0, 10**7, lambda: random.gauss(50, 5)),
    "Pareto 1.5 from 1 000, in 0 to 10^9": (0, 10**9, lambda: 1000 * random.paretovariate(1.5)),
    "even from 0 to 100, in 0 to 100": (0, 100, lambda: random.uniform(0, 100)),
    "always 42, in 0 to 100": (0, 100, lambda: 42),
}


def laplace(scale):
    return random.choice((-1, 1)) * random.expovariate(1 / scale)


def recursive(values, low, high):
    """Medians of halves, by algorithm 1 of the paper; levels share epsilon."""
    levels = math.ceil(math.log2(QUANTILES + 1))
    epsilon = EPSILON / levels / 2  # of a level; a replaced row moves two halves

    def quantile(part, rank, low, high):
        """The exponential mechanism over the gaps between values, by the logarithms of their masses (Gumbel)."""
        ends = [low, *part, high]
        best, chosen = -math.inf, low
        for i in range(len(ends) - 1):
            width = ends[i + 1] - ends[i]
            if width <= 0:
                continue
            score = math.log(width) - epsilon / 2 * abs(i - rank) - math.log(random.expovariate(1))
            if score > best:
                best, chosen = score, random.uniform(ends[i], ends[i + 1])
        return chosen

    def search(part, low, high, depth):
        if depth == 0:
            return []
        middle = quantile(part, len(part) / 2, low, high)
        cut = bisect.bisect_left(part, middle)
        return [
            *search(part[:cut], low, middle, depth - 1),
            middle,
            *search(part[cut:], middle, high, depth - 1),
        ]

    return [low, *search(values, low, high, levels), high]


def unbounded(values, low, high):
    """Durfee 2023: the sparse vector technique over bounds that grow by a factor, from either side of 0."""
    epsilon = EPSILON / QUANTILES / 2

    def above(ordered, count, greatest):
        """The first bound with about so many values below it."""
        target = count + laplace(2 / epsilon)
        bound, step = 0.0, 0
        while bound < greatest:
            if bisect.bisect_right(ordered, bound) + laplace(4 / epsilon) >= target:
                return bound
            bound = 1.01**step * 1e-4 - 1e-4
            step += 1
        return greatest

    found = []
    mirrored = sorted(-value for value in values)
    for i in range(1, QUANTILES + 1):
        count = len(values) * i / (QUANTILES + 1)
        bound = above(values, count, high)
        if bound == 0 and low < 0:
            bound = -above(mirrored, len(values) - count, -low)
        found.append(bound)
    return [low, *sorted(found), high]


def even_between(quantiles):
    places = [random.random() * (QUANTILES + 1) for _ in range(ROWS)]
    return [
        quantiles[int(place)] + (place - int(place)) * (quantiles[int(place) + 1] - quantiles[int(place)])
        for place in places
    ]


def sampled(mollify, values, low, high):
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "data.csv").write_text("x\n" + "".join(f"{value}\n" for value in values))
        (folder / "domain.yaml").write_text(
            f"columns: {{x: {{type: number, min: {low}, max: {high}, bins: private, outside: clip, null: '{high}'}}}}\n"
        )
        order = [mollify, "sample", "marginals", "--data", "data.csv", "--domain", "domain.yaml", "--epsilon"]
        order += [str(EPSILON), "--count", str(ROWS), "--accept-error", "--out", "out.csv"]
        subprocess.run(order, cwd=folder, check=True, capture_output=True)
        with (folder / "out.csv").open() as file:
            return [float(row["x"]) for row in csv.DictReader(file)]


def main():
    runs = int(sys.argv[2]) if len(sys.argv) > 2 else 20
    ways = {"bins: private": lambda *given: sampled(pathlib.Path(sys.argv[1]).resolve(), *given)}
    if len(sys.argv) > 3:
        ways["an older build"] = lambda *given: sampled(pathlib.Path(sys.argv[3]).resolve(), *given)
    ways["recursive"] = lambda *given: even_between(recursive(*given))
    ways["unbounded"] = lambda *given: even_between(unbounded(*given))
    print("| values | way | median | 90 % quantile | mean | standard deviation |\n|---|---|---|---|---|---|")
    for name, (low, high, draw) in CASES.items():
        tables = [sorted(draw() for _ in range(ROWS)) for _ in range(runs)]
        for way, release in ways.items():
            worst = [0.0, 0.0, 0.0, 1.0]
            for values in tables:
                released = sorted(release(values, low, high))
                for i, place in enumerate((ROWS // 2, ROWS * 9 // 10)):
                    worst[i] = max(worst[i], abs(released[place] / values[place] - 1))
                mean = statistics.fmean(values)
                worst[2] = max(worst[2], abs(statistics.fmean(released) / mean - 1))
                deviation = statistics.pstdev(values)
                if deviation > 0:
                    times = statistics.pstdev(released) / deviation
                    worst[3] = max(worst[3], times, key=lambda one: abs(math.log(max(one, 1e-9))))
            print(f"| {name} | {way} | {' | '.join(f'{one:.3g}' for one in worst)} |", flush=True)


if __name__ == "__main__":
    main()
