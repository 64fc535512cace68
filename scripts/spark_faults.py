#!/usr/bin/env python3
"""A release on a small Spark cluster in which tasks are speculated and an executor is killed.

usage: python scripts/spark_faults.py      (in an environment with mollify-dp[spark]; about five minutes)

A master and two workers run on this machine, under two addresses, because Spark does not speculate
on one host. The first attempt of each task that draws is slow, so that it is speculated; while it
runs, one executor is killed. Of data that are equal each time, each unit must be released once, and
later actions must read the same records. Of data that differ each time, that or nothing.
"""

import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import pyspark

HOME = Path(pyspark.__file__).parent
HOSTS = ("127.0.0.1", "127.0.0.2")
MASTER = "spark://127.0.0.1:17077"
SETTINGS = {
    "spark.executor.memory": "600m",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.shuffle.partitions": "4",
    "spark.sql.adaptive.enabled": "false",
    "spark.speculation": "true",
    "spark.speculation.interval": "50ms",
    "spark.speculation.quantile": "0.25",
    "spark.speculation.multiplier": "1.1",
    "spark.speculation.minTaskRuntime": "0ms",
}


def daemon(name, host, *more):
    return subprocess.Popen(
        [HOME / "bin" / "spark-class", f"org.apache.spark.deploy.{name}", "--host", host, *more],
        env=os.environ | {"SPARK_HOME": str(HOME), "SPARK_LOCAL_HOSTNAME": host},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def executors(application):
    """Process ids of the application's executors, by host: others may run on this machine."""
    found = {}
    for command in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = command.read_bytes().split(b"\0")
        except OSError:
            continue
        if b"org.apache.spark.executor.CoarseGrainedExecutorBackend" not in words:
            continue
        if words[words.index(b"--app-id") + 1].decode() == application:
            host = words[words.index(b"--hostname") + 1].decode()
            found[host] = int(command.parent.name)
    return found


def main():
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["SPARK_LOCAL_IP"] = HOSTS[0]
    daemons = [daemon("master.Master", HOSTS[0], "--port", "17077", "--webui-port", "0")]
    try:
        time.sleep(5)
        for host in HOSTS:
            daemons.append(
                daemon("worker.Worker", host, "--cores", "2", "--memory", "700m", "--webui-port", "0", MASTER)
            )
        with tempfile.TemporaryDirectory() as marks:
            released(marks)
    finally:
        for one in daemons:
            os.killpg(one.pid, signal.SIGTERM)


def released(marks):
    import mollify as mo
    from mollify import spark as mollify_spark
    from pyspark.sql import SparkSession
    from pyspark.sql import functions as F

    builder = SparkSession.builder.master(MASTER)
    for name, value in SETTINGS.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")

    class Slow(mollify_spark.DrawUnits):
        """The first attempt of each task waits."""

        def __call__(self, batches):
            from pyspark import TaskContext

            context = TaskContext.get()
            part, attempt = context.partitionId(), context.attemptNumber()
            wait = attempt == 0 and part % 2 == 0
            Path(f"{marks}/part {part} stage {context.stageId()} attempt {attempt}").touch()
            for number, rows in enumerate(super().__call__(batches)):
                if wait and number == 0:
                    time.sleep(20)
                yield rows

    mollify_spark.DrawUnits = Slow
    equal = session.range(0, 20_000, numPartitions=4).select(
        (F.col("id") % 500).alias("unit"), (F.xxhash64("id") % 3).cast("string").alias("word")
    )

    def chosen(batches):
        import numpy as np
        import pyarrow as pa

        for batch in batches:
            words = np.random.default_rng().integers(-2, 3, batch.num_rows).astype(str)
            yield pa.record_batch([batch.column(0), pa.array(words)], names=["unit", "word"])

    other = equal.mapInArrow(chosen, "unit bigint, word string")
    domain = mo.Domain({"word": mo.categorical(["-2", "-1", "0", "1", "2"])})
    method = mo.Local(domain, unit="unit", units=[str(one) for one in range(500)], epsilon=1)

    def kill():
        while not any(Path(marks).iterdir()):
            time.sleep(0.1)
        time.sleep(3)
        process = executors(session.sparkContext.applicationId)[HOSTS[1]]
        os.kill(process, signal.SIGKILL)
        print(f"killed the executor on {HOSTS[1]}")

    with tempfile.TemporaryDirectory() as stored:
        for data, folder in ((equal, None), (equal, f"{stored}/equal"), (other, None), (other, f"{stored}/other")):
            killer = threading.Thread(target=kill)
            killer.start()
            release = None
            try:
                release = mollify_spark.sample(data, method, folder=folder)
            except Exception as error:
                # What is lost would be other rows, and Spark has results of the rows that are lost.
                assert data is other and "indeterminate output" in str(error), error
            killer.join()
            attempts = sorted(one.name for one in Path(marks).iterdir())
            print("attempts of the tasks that draw:", *attempts, sep="\n  ")
            for mark in Path(marks).iterdir():
                mark.unlink()
            if release is None:
                print("Spark gave up, and nothing is released")
                continue
            first, later = (sorted(map(tuple, release.dataframe.select("*").collect())) for _ in range(2))
            assert any(not one.endswith("attempt 0") for one in attempts), "nothing was tried twice"
            assert [row[0] for row in first] == sorted(map(str, range(500))) and later == first
            print(f"500 rows, one of each unit, the same later; stored in {folder or 'the driver'}")
    session.stop()


if __name__ == "__main__":
    main()
