"""Peak memory of releases from tables that come as streams.

usage: python benchmarks/larger_than_memory.py [ROWS [UNITS]]      (10^8 rows of 10^5 units)

DuckDB makes a table and writes it as Parquet; each release then reads it once, in a process of its own:
through DuckDB, from the file and as DuckDB makes the rows, and through Polars from the file. Beside each
stands what its process had before it read anything, with the release's imports done.
"""

import os
import resource
import subprocess
import sys
import tempfile
import time

import mollify as mo

WORDS = {"sex": ["female", "male"], "region": ["north", "east", "south"], "minority": ["no", "yes"]}
READERS = ("duckdb, rows as they are made", "duckdb, Parquet", "polars, Parquet")
MODELS = ("local by unit", "central by unit", "integral")


def peak_megabytes():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def made_rows(rows, units):
    """The same rows each time, from hashes of their numbers, in SQL."""
    columns = [f"(hash(i) % {units})::int as unit"]
    for seed, (name, words) in enumerate(WORDS.items(), 1):
        columns.append(f"({words})[1 + (hash(i + {seed} * {rows}) % {len(words)})::int] as {name}")
    return f"select {', '.join(columns)} from range({rows}) t(i)"


def streamed(reader, path, rows, units):
    if reader.startswith("polars"):
        import polars as pl

        return pl.scan_parquet(path).collect_batches(lazy=True)
    import duckdb

    return duckdb.sql(made_rows(rows, units) if "made" in reader else f"select * from '{path}'")


def release(reader, model, path, rows, units):
    domain = mo.Domain({name: mo.categorical(words, outside=words[0], null=words[0]) for name, words in WORDS.items()})
    roster = [str(unit) for unit in range(units)]
    method = {
        "local by unit": mo.Local(domain, unit="unit", units=roster, epsilon=2),
        "central by unit": mo.Central(domain, unit="unit", units=roster, epsilon=1, delta=1e-9, count=100),
        "integral": mo.Integral(domain, epsilon=2, count=3),
    }[model]
    stream = streamed(reader, path, rows, units)
    before = peak_megabytes()
    start = time.perf_counter()
    released = method.sample(stream)
    seconds = time.perf_counter() - start
    assert len(released) == {"local by unit": units, "central by unit": 100, "integral": 3}[model]
    print(f"| {reader}, {model} | {before:.0f} MB | {peak_megabytes():.0f} MB | {seconds:.0f} s |", flush=True)


def main():
    numbers = [int(one) for one in sys.argv[1:3]]
    rows, units = [*numbers, 100_000_000, 100_000][:2] if len(numbers) != 1 else [numbers[0], 100_000]
    import duckdb

    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/table.parquet"
        duckdb.sql(f"copy ({made_rows(rows, units)}) to '{path}'")
        size = os.path.getsize(path) / 2**20
        print(f"{rows} rows of {units} units, {size:.0f} MB of Parquet\n")
        print("| what | memory before | peak | time |\n|---|---|---|---|", flush=True)
        for reader in READERS:
            for model in MODELS:
                asked = [sys.executable, "-P", __file__, "--one", reader, model, path, str(rows), str(units)]
                subprocess.run(asked, check=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        release(*sys.argv[2:5], *map(int, sys.argv[5:7]))
    else:
        main()
