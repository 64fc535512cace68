"""The collector's addresses."""

from __future__ import annotations

import asyncio
import json
import logging
import re
import time
import traceback
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from mollify_collector.questions import Refused
from mollify_collector.store import Asked, Report, Store
from mollify_collector.writer import Busy, Writer

log = logging.getLogger("mollify_collector")
Result = TypeVar("Result")

MOST_BYTES = 1024
"""A report has fewer than 200 bytes."""
SECONDS_FOR_A_BODY = 10
_RELOAD = 2.0
_ESTIMATE_AGAIN = 2.0
_SHARE_FOR_ESTIMATES = 0.05
"""The part of the time that estimates of a question may take."""

_ID = re.compile(r"[0-9a-f]{32}")
_DIGEST = re.compile(r"[0-9a-f]{64}")
_KEYS = {"id", "certificate", "outcome"}

HEADERS = {
    # Styles, scripts and WebAssembly come from this address, and nothing from elsewhere.
    "content-security-policy": "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; "
    "img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
}
_RAW_HEADERS = [(name.encode(), value.encode()) for name, value in HEADERS.items()]


class Unfit(Exception):
    """A request that is refused, with its status and a sentence for its sender."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status


@dataclass
class Question:
    """All versions of a question, and its newest estimate."""

    versions: list[Asked]
    estimate: dict[str, Any] = field(default_factory=dict)
    estimated_at: float = -1e9
    estimate_took: float = 0.0
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    @property
    def newest(self) -> Asked:
        return self.versions[-1]


class Collector:
    """The state behind the addresses. What it holds in memory grows with questions and outcomes, and
    not with reports.
    """

    def __init__(self, open_store: Callable[[], Store]) -> None:
        self._open = open_store
        self._reader = ThreadPoolExecutor(1, "reader")
        self._estimator = ThreadPoolExecutor(1, "estimator")
        self._store: Store | None = None
        self.writer = Writer(open_store)
        self.questions: dict[str, Question] = {}

    async def read(self, ask: Callable[[Store], Result]) -> Result:
        def asked() -> Result:
            if self._store is None:
                self._store = self._open()
            return ask(self._store)

        return await asyncio.get_running_loop().run_in_executor(self._reader, asked)

    async def reload(self) -> None:
        """Takes over questions that were published or closed since."""
        found: dict[str, list[Asked]] = {}
        for one in await self.read(lambda store: store.asked()):
            found.setdefault(one.name, []).append(one)
        for name, versions in found.items():
            self.questions.setdefault(name, Question(versions)).versions = versions

    async def begin(self) -> None:
        """Waits for a database that does not answer yet."""
        while True:
            try:
                return await self.reload()
            except Refused:
                raise
            except Exception as error:
                log.error("the database does not answer: %s", error)
                await asyncio.sleep(1)

    async def keep_reloading(self) -> None:
        while True:
            await asyncio.sleep(_RELOAD)
            try:
                await self.reload()
            except Exception as error:
                log.error("questions were not read again: %s", type(error).__name__)

    def question(self, request: Request) -> Question:
        found = self.questions.get(request.path_params["name"])
        if found is None:
            raise Unfit(404, "No question has this name.")
        return found

    async def estimate(self, question: Question) -> dict[str, Any]:
        """An estimate that is a few seconds old at most, and older only if it takes long."""
        async with question.lock:
            age = time.monotonic() - question.estimated_at
            if age > max(_ESTIMATE_AGAIN, question.estimate_took / _SHARE_FOR_ESTIMATES):
                counts = await self.read(lambda store: [store.counts(one.version) for one in question.versions])
                if not question.estimate or [sum(one.values()) for one in counts] != question.estimate["counted"]:
                    from mollify_collector.estimates import estimate

                    began = time.monotonic()
                    question.estimate = await asyncio.get_running_loop().run_in_executor(
                        self._estimator, estimate, question.versions, counts
                    )
                    question.estimate_took = time.monotonic() - began
                question.estimated_at = time.monotonic()
        return question.estimate


# -----------------------------------------------------------------------------------------------
# Reports.


async def take_report(request: Request) -> Response:
    collector: Collector = request.app.state.collector
    question = collector.question(request)
    if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
        # Browsers send this type for other sites' pages only if the collector names the site.
        raise Unfit(415, "A report has the header content-type: application/json.")
    report = report_of(await _body(request), question.versions)
    try:
        await collector.writer.add(report)
    except Busy:
        raise Unfit(503, "The report was not counted. Send it again with its id.") from None
    return Response(status_code=204)


def report_of(body: bytes, versions: Sequence[Asked]) -> Report:
    """Refuses what no device can have drawn by a version of the question."""
    try:
        given = json.loads(body)
    except (ValueError, RecursionError):
        raise Unfit(400, "The body must be JSON.") from None
    if not isinstance(given, dict) or given.keys() != _KEYS:
        raise Unfit(400, 'A report is an object with "id", "certificate" and "outcome".')
    identity, digest, outcome = given["id"], given["certificate"], given["outcome"]
    if not isinstance(identity, str) or not _ID.fullmatch(identity):
        raise Unfit(400, "id must be 32 digits of 0 to 9 and a to f: 16 random bytes.")
    asked = next((one for one in versions if one.published.digest == digest), None)
    if asked is None:
        raise Unfit(409, "No version of this question has a certificate with this SHA-256. Fetch the question again.")
    if not asked.is_open:
        raise Unfit(410, "The question is closed.")
    if type(outcome) is not int or not 0 <= outcome < asked.published.outcomes:
        raise Unfit(422, f"outcome must be a whole number from 0 to {asked.published.outcomes - 1}.")
    return Report(asked.question, asked.version, identity, outcome)


async def _body(request: Request) -> bytes:
    body = b""
    try:
        async with asyncio.timeout(SECONDS_FOR_A_BODY):
            async for part in request.stream():
                body += part
                if len(body) > MOST_BYTES:
                    raise Unfit(413, f"A report has at most {MOST_BYTES} bytes.")
    except TimeoutError:
        raise Unfit(408, "The body did not arrive in time.") from None
    return body


# -----------------------------------------------------------------------------------------------
# What is published.


async def show_questions(request: Request) -> Response:
    collector: Collector = request.app.state.collector
    return JSONResponse([_published(one.newest) for one in collector.questions.values()])


async def show_question(request: Request) -> Response:
    collector: Collector = request.app.state.collector
    return JSONResponse(_published(collector.question(request).newest))


async def show_certificate(request: Request) -> Response:
    collector: Collector = request.app.state.collector
    digest = request.path_params["digest"]
    for one in collector.question(request).versions:
        if one.published.digest == digest:
            return Response(
                one.published.certificate.encode(),
                media_type="application/json",
                headers={"cache-control": "public, max-age=31536000, immutable"},
            )
    raise Unfit(404, "No version of this question has a certificate with this SHA-256.")


async def show_estimate(request: Request) -> Response:
    collector: Collector = request.app.state.collector
    return JSONResponse(await collector.estimate(collector.question(request)))


async def show_results(request: Request) -> Response:
    from mollify_collector.pages import results

    collector: Collector = request.app.state.collector
    return _page(results(await collector.estimate(collector.question(request))))


async def show_answer(request: Request) -> Response:
    from mollify_collector.pages import answer

    collector: Collector = request.app.state.collector
    return _page(answer(collector.question(request).newest))


async def show_index(request: Request) -> Response:
    from mollify_collector.pages import index

    collector: Collector = request.app.state.collector
    return _page(index([one.newest for one in collector.questions.values()]))


async def show_health(request: Request) -> Response:
    collector: Collector = request.app.state.collector
    await collector.reload()
    return JSONResponse({"questions": len(collector.questions)})


def _published(asked: Asked) -> dict[str, Any]:
    version = asked.published
    return {
        "question": asked.name,
        "version": asked.number,
        "open": asked.is_open,
        "spec": json.loads(version.spec),
        "certificate_sha256": version.digest,
        "outcomes": version.outcomes,
        "columns": [{"name": one.name, "cells": one.cells} for one in version.columns],
    }


def _page(text: str) -> Response:
    return Response(text, media_type="text/html", headers={"cache-control": "no-store"})


# -----------------------------------------------------------------------------------------------
# The application.


class _Guarded:
    """Adds the headers of every answer. After a failure the sender gets its status alone."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", []), *_RAW_HEADERS]
            await send(message)

        try:
            await self._app(scope, receive, guarded)
        except Exception as error:
            # Where it happened, and not its sentence: a sentence may quote a request.
            places = "".join(traceback.format_tb(error.__traceback__))
            log.error("a request failed: %s\n%s", type(error).__name__, places)


async def _refuse(request: Request, error: Exception) -> Response:
    assert isinstance(error, Unfit)
    headers = {"retry-after": "1"} if error.status == 503 else {}
    return JSONResponse({"error": str(error)}, error.status, headers)


def application(open_store: Callable[[], Store], origins: Sequence[str] = ()) -> ASGIApp:
    """The service. `origins` are other sites whose pages may send reports."""
    collector = Collector(open_store)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        app.state.collector = collector
        await collector.begin()
        tasks = [asyncio.create_task(collector.writer.run()), asyncio.create_task(collector.keep_reloading())]
        yield
        for task in tasks:
            task.cancel()

    middleware = []
    if origins:
        middleware.append(
            Middleware(CORSMiddleware, allow_origins=list(origins), allow_methods=["GET", "POST"], allow_headers=["content-type"], max_age=86400)
        )
    app = Starlette(
        routes=[
            Route("/questions/{name}/reports", take_report, methods=["POST"]),
            Route("/questions/{name}/certificates/{digest}", show_certificate),
            Route("/questions/{name}/estimate", show_estimate),
            Route("/questions/{name}/results", show_results),
            Route("/questions/{name}/answer", show_answer),
            Route("/questions/{name}", show_question),
            Route("/questions", show_questions),
            Route("/health", show_health),
            Route("/", show_index),
            Mount("/static", StaticFiles(directory=Path(__file__).parent / "static")),
        ],
        middleware=middleware,
        exception_handlers={Unfit: _refuse},
        lifespan=lifespan,
    )
    return _Guarded(app)
