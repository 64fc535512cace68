#!/usr/bin/env python3
"""Reads the same CSV files by mollify, pyarrow, Polars and DuckDB, on one core and on two.

Two files are made: `columns`, ten columns of which a category, an integer and a number are used, and
`numbers`, twenty columns of six digits, all used. mollify encodes the used columns as outcomes and
counts them, or reads doubles; the others read the same columns into memory with their types given.
What each has read is compared first, count by count and sum by sum. Then all take turns,
`--repetitions` times, and the least wall time and the least processor time count: importing a package
is none of them, though starting mollify's program is of its processor time. Where other programs run,
look at processor time, which the table shows. pyarrow, polars and duckdb come from Python's index.

    benchmarks/csv_readers.py --ours build/release/benchmarks/read_csv_once
"""

import argparse
import importlib.metadata
import json
import math
import os
import random
import resource
import subprocess
import sys
import tempfile
import time

COLORS = ["red", "green", "blue", "cyan", "pink", "grey", "teal"]
WIDTH = 20


def write_columns(path, rows):
    generator = random.Random(1)
    with open(path, "w", encoding="ascii") as file:
        file.write("id,name,color,city,age,code,when,rate,on,note\n")
        for _ in range(rows):
            draw = generator.randrange
            file.write(f"{1000000 + draw(100000)},person {draw(100000)},{COLORS[draw(7)]},city{draw(1000)},"
                       f"{draw(100)},{draw(10000000)},2026-11-22,{draw(10000) / 1000:.3f},"
                       f"{'true' if draw(2) else 'false'},no remark\n")


def write_numbers(path, rows):
    generator = random.Random(2)
    with open(path, "w", encoding="ascii") as file:
        file.write(",".join(f"x{i}" for i in range(WIDTH)) + "\n")
        for _ in range(rows):
            file.write(",".join(f"{8 * generator.random() - 4:.6g}" for _ in range(WIDTH)) + "\n")


def ours(program):
    def read(kind, path, threads):
        run = subprocess.run([program, kind, path, str(threads)], check=True, text=True, stdout=subprocess.PIPE)
        result = json.loads(run.stdout)
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return (result["seconds"], used.ru_utime + used.ru_stime), result["counts" if kind == "columns" else "sums"]

    return read


def timed(read):
    start = time.perf_counter(), time.process_time()
    table = read()
    return (time.perf_counter() - start[0], time.process_time() - start[1]), table


def summary(kind, table):
    """The outcomes' counts or the columns' sums of an Arrow table."""
    if kind == "numbers":
        return [math.fsum(table.column(f"x{i}").to_pylist()) for i in range(WIDTH)]
    counts = [0] * (7 * 20 * 10)
    places = {color: place for place, color in enumerate(COLORS)}
    columns = [table.column(name).to_pylist() for name in ("color", "age", "rate")]
    for color, age, rate in zip(*columns):
        counts[(places[color] * 20 + age // 5) * 10 + int(rate)] += 1
    return counts


def with_pyarrow(kind, path, threads):
    import pyarrow
    import pyarrow.csv as csv

    pyarrow.set_cpu_count(threads)
    types = ({"color": pyarrow.string(), "age": pyarrow.int64(), "rate": pyarrow.float64()} if kind == "columns"
             else {f"x{i}": pyarrow.float64() for i in range(WIDTH)})
    return timed(lambda: csv.read_csv(
        path, read_options=csv.ReadOptions(use_threads=threads > 1),
        convert_options=csv.ConvertOptions(include_columns=list(types), column_types=types)))


def with_polars(kind, path, threads):  # its threads are those of POLARS_MAX_THREADS
    import polars

    types = ({"color": polars.String, "age": polars.Int64, "rate": polars.Float64} if kind == "columns"
             else {f"x{i}": polars.Float64 for i in range(WIDTH)})
    seconds, frame = timed(lambda: polars.read_csv(
        path, columns=list(types), schema_overrides=types))
    return seconds, frame.to_arrow()


def with_duckdb(kind, path, threads):
    import duckdb

    connection = duckdb.connect(config={"threads": threads})
    names = (["id", "name", "color", "city", "age", "code", "when", "rate", "on", "note"] if kind == "columns"
             else [f"x{i}" for i in range(WIDTH)])
    types = {name: {"age": "BIGINT", "rate": "DOUBLE"}.get(name, "VARCHAR" if kind == "columns" else "DOUBLE")
             for name in names}
    wanted = "color, age, rate" if kind == "columns" else "*"
    return timed(lambda: connection.sql(
        f"select {wanted} from read_csv('{path}', header=true, auto_detect=false, columns={types})"
    ).to_arrow_table())


def agree(kind, left, right):
    if kind == "columns":
        return left == right
    return all(math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-6) for a, b in zip(left, right, strict=True))


def run_one_reader(arguments):
    """In a program of its own, for the cores and Polars' threads are those of a program."""
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:arguments.threads])
    read = {"mollify": ours(arguments.ours), "pyarrow": with_pyarrow, "Polars": with_polars,
            "DuckDB": with_duckdb}[arguments.reader]
    seconds, answer = read(arguments.kind, arguments.path, arguments.threads)
    if arguments.summary and arguments.reader != "mollify":
        answer = summary(arguments.kind, answer)
    print(json.dumps([seconds, answer if arguments.summary else None]))


def read_by(reader, kind, path, threads, options, with_summary):
    command = [sys.executable, __file__, "--ours", options.ours, "--reader", reader, "--kind", kind, "--path", path,
               "--threads", str(threads)] + (["--summary"] if with_summary else [])
    environment = {**os.environ, "POLARS_MAX_THREADS": str(threads)}
    result = subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE, env=environment)
    return json.loads(result.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ours", required=True, help="the program read_csv_once")
    parser.add_argument("--rows", type=int, default=1_000_000, help="of `columns`; a fifth of them of `numbers`")
    parser.add_argument("--repetitions", type=int, default=7)
    parser.add_argument("--reader", help=argparse.SUPPRESS)
    parser.add_argument("--kind", help=argparse.SUPPRESS)
    parser.add_argument("--path", help=argparse.SUPPRESS)
    parser.add_argument("--threads", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--summary", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.reader:
        run_one_reader(options)
        return
    readers = ["mollify", "pyarrow", "Polars", "DuckDB"]
    versions = [".".join(importlib.metadata.version(reader.lower()).split(".")[:2]) for reader in readers[1:]]
    print(f"| MB a second | mollify | {' | '.join(map(' '.join, zip(readers[1:], versions)))} |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for kind, write, rows in [("columns", write_columns, options.rows),
                                  ("numbers", write_numbers, options.rows // 5)]:
            path = os.path.join(folder, kind + ".csv")
            write(path, rows)
            size = os.path.getsize(path)
            answers = {reader: read_by(reader, kind, path, 1, options, True)[1] for reader in readers}
            for reader in readers[1:]:
                if not agree(kind, answers["mollify"], answers[reader]):
                    sys.exit(f"{reader} has read other {kind} than mollify")
            for threads in range(1, min(2, len(os.sched_getaffinity(0))) + 1):
                times = {reader: [] for reader in readers}
                for _ in range(options.repetitions):
                    for reader in readers:
                        times[reader].append(read_by(reader, kind, path, threads, options, False)[0])
                rates = [f"{size / 1e6 / min(processor for _, processor in times[reader]):.0f}" for reader in readers]
                what = "three columns of ten" if kind == "columns" else "twenty columns of numbers"
                by = "one core" if threads == 1 else "two threads, both their time"
                print(f"| {by}: {what} | {' | '.join(rates)} |", flush=True)
                for reader in readers:
                    print(f"{kind}, {size / 1e6:.0f} MB, {threads} of threads, {reader}: by the clock "
                          f"{min(wall for wall, _ in times[reader]):.3f} s", file=sys.stderr)


if __name__ == "__main__":
    main()
