"""Spark beside the native release of the same table, in one run.

usage: python benchmarks/spark_speed.py [ROWS [UNITS]]     (default: 10 000 000 and 100 000)
       python benchmarks/spark_speed.py --generated ROWS [UNITS]

One local release by unit of three categorical columns, from a Parquet file, on local[2]. The session
is there before time is taken, and so are its Python workers. With --generated, Spark makes the rows
itself and the memory of its Python workers is watched; there is no native release beside it.
"""

import os
import sys
import tempfile
import threading
import time
from pathlib import Path

os.environ["PYSPARK_PYTHON"] = sys.executable

import mollify as mo
from mollify import spark
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

WORDS = {"sex": ["female", "male"], "region": ["north", "east", "south"], "minority": ["no", "yes"]}


def generated(session, rows, units):
    """The same rows each time, from hashes of their numbers."""
    frame = session.range(0, rows, numPartitions=max(2, rows // 1_000_000))

    def choice(seed, count):
        return F.pmod(F.xxhash64("id", F.lit(seed)), F.lit(count))

    columns = [choice(0, units).cast("int").alias("unit")]
    for seed, (name, words) in enumerate(WORDS.items(), 1):
        texts = F.array(*map(F.lit, words))
        columns.append(F.get(texts, choice(seed, len(words)).cast("int")).alias(name))
    return frame.select(*columns)


class Watch(threading.Thread):
    """The most memory that a Python worker below this process has, and the JVM, in megabytes."""

    def __init__(self):
        super().__init__(daemon=True)
        self.most = {"python": 0.0, "java": 0.0}

    def run(self):
        while True:
            for status in Path("/proc").glob("[0-9]*/status"):
                try:
                    facts = dict(line.split(":", 1) for line in status.read_text().splitlines())
                    command = status.with_name("cmdline").read_text()
                except (OSError, ValueError):
                    continue
                kind = "python" if "pyspark.daemon" in command else "java"
                if kind == "java" and "SparkSubmit" not in command:
                    continue
                memory = int(facts.get("VmHWM", "0 kB").split()[0]) / 1024
                self.most[kind] = max(self.most[kind], memory)
            time.sleep(0.2)


def processor_seconds():
    """Of this process, of the JVM and of the Python workers."""
    ticks, parents = {}, {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            facts = stat.read_text().rsplit(")", 1)[1].split()
        except (OSError, IndexError):
            continue
        process = int(stat.parent.name)
        parents[process] = int(facts[1])
        ticks[process] = sum(map(int, facts[11:15]))  # of its own and of children that ended

    def is_ours(process):
        while process in parents and process != os.getpid():
            process = parents[process]
        return process == os.getpid()

    return sum(ticks[one] for one in ticks if is_ours(one)) / os.sysconf("SC_CLK_TCK")


def timed(work):
    start, processor = time.perf_counter(), processor_seconds()
    result = work()
    return time.perf_counter() - start, processor_seconds() - processor, result


def print_line(name, times):
    """Of several runs all times, because the first is slower."""
    wall, processor = (", ".join(f"{one:.1f}" for one in each) for each in zip(*times))
    print(f"| {name} | {wall} s | {processor} s | |")


def print_memory(watch):
    print(f"| most memory of a Python worker | | | {watch.most['python']:.0f} MB |")
    print(f"| JVM, of 2 GB | | | {watch.most['java']:.0f} MB |")


def main():
    arguments = [one for one in sys.argv[1:] if one != "--generated"]
    only_generated = "--generated" in sys.argv
    rows = int(arguments[0]) if arguments else 10_000_000
    units = int(arguments[1]) if len(arguments) > 1 else 100_000
    domain = mo.Domain({name: mo.categorical(words, outside=words[0], null=words[0]) for name, words in WORDS.items()})
    roster = [str(unit) for unit in range(units)]
    method = mo.Local(domain, unit="unit", units=roster, epsilon=2)

    def started():
        builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
        builder = builder.config("spark.ui.showConsoleProgress", "false")
        builder = builder.config("spark.driver.memory", "2g")
        session = builder.config("spark.sql.shuffle.partitions", "8").getOrCreate()
        session.sparkContext.setLogLevel("ERROR")
        return session

    _, _, session = timed(started)
    print("| what | by the clock | of processors | memory |\n|---|---|---|---|")

    def on_spark(frame):
        release = spark.sample(frame, method)
        release.dataframe.write.format("noop").mode("overwrite").save()
        return release

    on_spark(generated(session, 1000, units))  # workers are started, classes loaded
    watch = Watch()
    watch.start()
    if only_generated:
        print_line(f"{rows} rows that Spark makes", [timed(lambda: on_spark(generated(session, rows, units)))[:2]])
        print_memory(watch)
        return
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/table"
        generated(session, rows, units).write.parquet(path)
        import pyarrow.dataset

        def native():
            stream = pyarrow.dataset.dataset(path).scanner().to_reader()
            return method.sample(stream)

        works = {"`Local.sample`, one thread": native,
                 "`mollify.spark.sample`, two cores": lambda: on_spark(session.read.parquet(path))}
        times = {name: [] for name in works}
        for _ in range(3):
            for name, work in works.items():
                times[name].append(timed(work)[:2])
        for name, several in times.items():
            print_line(name, several)
        print_memory(watch)


if __name__ == "__main__":
    main()
