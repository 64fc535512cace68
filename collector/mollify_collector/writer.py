"""Reports on their way into the database: those that wait are written together.

A report is acknowledged after the commit. While one batch is written the next one gathers, so a batch
is as large as the database is slow.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from mollify_collector.store import Report, Store

log = logging.getLogger("mollify_collector")

MOST_WAITING = 20_000
_BATCH = 5_000
_PAUSE = 0.2
"""Seconds before the next try of a database that failed."""


class Busy(Exception):
    """Nothing is known of the report: it is to be sent again."""


class Writer:
    """Adds reports to a store, from a thread of its own. Memory is bounded by `MOST_WAITING`."""

    def __init__(self, open_store: Callable[[], Store]) -> None:
        self._open = open_store
        self._store: Store | None = None
        self._thread = ThreadPoolExecutor(1, "writer")
        self._waiting: list[tuple[Report, asyncio.Future[None]]] = []
        self._some = asyncio.Event()

    async def add(self, report: Report) -> None:
        """Returns when the report is counted for good. Raises `Busy` if it might not be."""
        if len(self._waiting) >= MOST_WAITING:
            raise Busy
        done = asyncio.get_running_loop().create_future()
        self._waiting.append((report, done))
        self._some.set()
        await done

    async def run(self) -> None:
        """Writes until it is cancelled."""
        loop = asyncio.get_running_loop()
        while True:
            await self._some.wait()
            batch, self._waiting = self._waiting[:_BATCH], self._waiting[_BATCH:]
            if not self._waiting:
                self._some.clear()
            failed = await loop.run_in_executor(self._thread, self._write, [report for report, _ in batch])
            for _, done in batch:
                if done.done():  # its sender has gone
                    continue
                if failed:
                    done.set_exception(Busy())
                else:
                    done.set_result(None)
            if failed:
                await asyncio.sleep(_PAUSE)

    def _write(self, reports: list[Report]) -> bool:
        try:
            if self._store is None:
                self._store = self._open()
            self._store.add(reports)
            return False
        except Exception as error:
            # A database's sentence may quote an id, so only its kind is logged.
            log.error("%d reports were not written: %s", len(reports), type(error).__name__)
            return True
