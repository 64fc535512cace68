#!/usr/bin/env python3
"""Sends reports to a collector at a fixed rate, ends it with kill -9 at random times, and counts after.

Each report is sent until it is acknowledged, and some again after that. Some reports are such as no
device can draw. In the end the database must hold each id once, and each outcome as often as it was
sent. A database of PostgreSQL is stopped without shutdown in turn with the collector. Prints the counts
and exits with 1 if they differ.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter, deque
from dataclasses import dataclass, field
from pathlib import Path

from mollify_collector.questions import read
from mollify_collector.store import open_store

QUESTION = "load"
SENT_AGAIN = 0.02
UNFIT = 0.01
CONNECTIONS = 64


class PostgreSQL:
    """A server of its own in a folder, without a port. Root runs it as Debian's user postgres."""

    def __init__(self, folder: Path, core: int | None) -> None:
        programs = sorted(Path("/usr/lib/postgresql").glob("*/bin")) or [Path(shutil.which("initdb") or "initdb").parent]
        self._programs, self._folder, self._core = programs[-1], folder, core
        folder.mkdir()
        if not os.geteuid():
            shutil.chown(folder, "postgres")
        self._run("initdb", "--no-sync", "--auth", "trust", "--username", "collector", "--no-instructions", "-D", str(folder / "data"))
        self.address = f"postgresql://collector@/postgres?host={folder}"

    def start(self) -> None:
        options = f"-c listen_addresses= -c unix_socket_directories={self._folder}"
        self._run("pg_ctl", "-D", str(self._folder / "data"), "-l", str(self._folder / "log"), "-o", options, "-w", "start")

    def stop(self, how: str = "immediate") -> None:
        self._run("pg_ctl", "-D", str(self._folder / "data"), "-m", how, "-w", "stop")

    def _run(self, program: str, *arguments: str) -> None:
        command = [str(self._programs / program), *arguments]
        if not os.geteuid():
            command = ["runuser", "-u", "postgres", "--", *command]
        if self._core is not None:
            command = ["taskset", "-c", str(self._core), *command]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd="/")


class Service:
    """The collector in a process of its own."""

    def __init__(self, database: str, log: Path, core: int | None, *options: str) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.log = log
        self._command = [sys.executable, "-m", "mollify_collector", "--database", database, "serve", "--port", str(self.port), *options]
        if core is not None:
            self._command = ["taskset", "-c", str(core), *self._command]
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(self._command, stdout=log, stderr=log)

    def wait(self, seconds: float = 60) -> None:
        """Returns when it answers."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            with contextlib.suppress(OSError):
                socket.create_connection(("127.0.0.1", self.port)).close()
                return
            time.sleep(0.05)
        raise TimeoutError(f"the collector did not start: {self.log.read_text()}")

    def kill(self) -> None:
        if self._process:
            self._process.send_signal(signal.SIGKILL)
            self._process.wait()

    def end(self) -> None:
        """As a supervisor asks it to."""
        assert self._process
        self._process.terminate()
        self._process.wait()

    def seconds_of_processor(self) -> float:
        """What the running process has used."""
        assert self._process
        fields = Path(f"/proc/{self._process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def bytes_of_memory(self) -> int:
        assert self._process
        status = Path(f"/proc/{self._process.pid}/status").read_text()
        return 1024 * int(status.split("VmRSS:")[1].split()[0])


@dataclass
class Load:
    """What was sent, and what came back."""

    port: int
    digests: list[str]
    outcomes: int
    waiting: deque[tuple[bytes, int, float]] = field(default_factory=deque)
    sent: dict[str, tuple[int, int]] = field(default_factory=dict)
    acknowledged: int = 0
    tries: int = 0
    again: int = 0
    refused: int = 0
    waits: list[float] = field(default_factory=list)
    is_over: bool = False

    def add(self) -> None:
        """One more report that is due now."""
        identity, version, outcome = random.randbytes(16).hex(), random.randrange(len(self.digests)), random.randrange(self.outcomes)
        status = 204
        digest = self.digests[version]
        if random.random() < UNFIT:
            if random.random() < 0.5:
                outcome, status = outcome + self.outcomes, 422
            else:
                digest, status = "0" * 64, 409
        else:
            self.sent[identity] = version, outcome
        body = json.dumps({"id": identity, "certificate": digest, "outcome": outcome}).encode()
        head = f"POST /questions/{QUESTION}/reports HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        self.waiting.append((head.encode() + body, status, time.monotonic()))

    async def send(self) -> None:
        """One device after the other, over one connection."""
        writer = None
        while not (self.is_over and not self.waiting):
            if not self.waiting:
                await asyncio.sleep(0.002)
                continue
            request, expected, due = self.waiting.popleft()
            try:
                if writer is None:
                    reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
                self.tries += 1
                writer.write(request)
                async with asyncio.timeout(20):
                    head = await reader.readuntil(b"\r\n\r\n")
                    status = int(head[9:12])
                    if status != 204:
                        length = int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0])
                        await reader.readexactly(length)
            except (OSError, EOFError, TimeoutError):
                self.waiting.append((request, expected, due))
                if writer is not None:
                    writer.close()
                writer = None
                await asyncio.sleep(0.05)
                continue
            if status == 503:
                self.waiting.append((request, expected, due))
                await asyncio.sleep(0.05)
                continue
            if status != expected:
                raise AssertionError(f"status {status} instead of {expected}: {request!r}")
            if due:
                self.waits.append(time.monotonic() - due)
                self.refused += status != 204
                self.acknowledged += status == 204
                if status == 204 and random.random() < SENT_AGAIN:
                    self.again += 1
                    self.waiting.append((request, 204, 0.0))
        if writer is not None:
            writer.close()


async def run(database: str, rate: int, seconds: float, kills: int, core: int | None, folder: Path) -> bool:
    """Whether the counts are right."""
    server = PostgreSQL(folder / "postgresql", core) if database == "postgresql" else None
    if server:
        server.start()
    address = server.address if server else str(folder / "collector.sqlite")
    store = open_store(address)
    for epsilon in ("2", "3"):
        text = "columns:\n  way: {type: categorical, values: [foot, bicycle, bus, car], outside: clip, null: foot}\n  far: {type: boolean, null: false}\n"
        spec = {"method": "local", "domain": {"text": text}, "privacy": {"epsilon": epsilon}, "mechanism": "randomized-response"}
        store.publish(QUESTION, read(json.dumps(spec)))
    asked = store.asked()
    store.close()
    service = Service(address, folder / "log", core)
    load = Load(service.port, [one.published.digest for one in asked], asked[0].published.outcomes)
    try:
        service.start()
        await asyncio.to_thread(service.wait)
        senders = [asyncio.create_task(load.send()) for _ in range(CONNECTIONS)]
        began = time.monotonic()
        times = deque(sorted(random.uniform(0.05, 0.95) * seconds for _ in range(kills)))
        killed, stopped, processor = 0, 0, 0.0
        restarted: asyncio.Task[None] | None = None
        while (passed := time.monotonic() - began) < seconds:
            while len(load.sent) < rate * passed:
                load.add()
            if times and passed > times[0] and (restarted is None or restarted.done()):
                times.popleft()
                if server and killed > stopped:
                    stopped += 1
                    restarted = asyncio.create_task(asyncio.to_thread(_restart_database, server))
                else:
                    killed += 1
                    processor += service.seconds_of_processor()
                    service.kill()
                    service.start()
            failed = [one for one in senders if one.done()]
            if failed:
                failed[0].result()
            await asyncio.sleep(0.005)
        while len(load.sent) < rate * seconds:
            load.add()
        load.is_over = True
        if restarted:
            await restarted
        async with asyncio.timeout(max(5 * seconds, 120)):
            await asyncio.gather(*senders)
        took = time.monotonic() - began
        processor += service.seconds_of_processor()
        memory = service.bytes_of_memory()
        service.kill()
    except BaseException:
        print(service.log.read_text()[-4000:], file=sys.stderr)
        raise
    finally:
        service.kill()
        if server:
            with contextlib.suppress(subprocess.CalledProcessError):
                server.stop()
    if server:
        server.start()
    try:
        store = open_store(address)
        expected = Counter(load.sent.values())
        found = Counter({(place, outcome): count for place, one in enumerate(asked) for outcome, count in store.counts(one.version).items()})
        ids, total = store.totals(asked[0].question)
        store.close()
    finally:
        if server:
            server.stop("fast")
    waits = sorted(load.waits)
    print(f"{database}: {len(load.sent)} reports in {took:.1f} s, {len(load.sent) / took:.0f} a second; "
          f"{processor:.1f} s of processor; {memory / 2**20:.0f} MiB")
    print(f"kill -9 of the collector: {killed}; stops of the database: {stopped}")
    print(f"acknowledged {load.acknowledged}; sent again after that {load.again}; requests {load.tries}; refused as unfit {load.refused}")
    print(f"seconds until the acknowledgement: median {waits[len(waits) // 2]:.3f}, 99 of 100 within {waits[len(waits) * 99 // 100]:.3f}, greatest {waits[-1]:.3f}")
    print(f"in the database: {ids} ids, {total} counted")
    right = found == expected and ids == total == len(load.sent) == load.acknowledged
    if not right:
        print(f"WRONG: counted and not sent {found - expected}, sent and not counted {expected - found}")
    return right


def _restart_database(server: PostgreSQL) -> None:
    server.stop()
    server.start()


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("database", choices=["sqlite", "postgresql"])
    parser.add_argument("--rate", type=int, default=2000, help="reports a second (default: 2000)")
    parser.add_argument("--seconds", type=float, default=60, help="(default: 60)")
    parser.add_argument("--kills", type=int, default=8, help="(default: 8)")
    parser.add_argument("--core", type=int, help="the one core of collector and database (default: all)")
    asked = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        right = asyncio.run(run(asked.database, asked.rate, asked.seconds, asked.kills, asked.core, Path(folder)))
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
