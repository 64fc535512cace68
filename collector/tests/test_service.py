"""The addresses, as devices and as hostile senders use them."""

import asyncio
import hashlib
import http.client
import json
import logging
import random
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import mollify as mo
import pytest
from conftest import Running, spec

from mollify_collector import service
from mollify_collector.questions import counted, read
from mollify_collector.store import Report, open_store

PAGES = ["/", "/questions", "/questions/way", "/questions/way/estimate", "/questions/way/results", "/health"]


def kept(running):
    """How many reports the database holds."""
    store = open_store(running.address)
    ids, counted = store.totals(store.asked()[0].question)
    store.close()
    assert ids == counted
    return ids


def test_a_question_is_published_with_its_certificate(running):
    found = running.get("/questions/way")
    assert found["spec"]["method"] == "local"
    assert found["outcomes"] == 12
    assert [len(one["cells"]) for one in found["columns"]] == [4, 3]
    digest = found["certificate_sha256"]
    status, headers, certificate = running.ask("GET", f"/questions/way/certificates/{digest}")
    assert status == 200
    assert hashlib.sha256(certificate).hexdigest() == digest
    assert mo.verify(mo.Certificate(certificate.decode()), mo.Domain.parse(found["spec"]["domain"]["text"])).holds
    assert "immutable" in headers["cache-control"]
    assert found in running.get("/questions")


def test_devices_draw_report_and_are_estimated(tmp_path):
    """2000 devices; each interval misses with probability 1e-6, by the confidence of the estimate."""
    address = str(tmp_path / "collector.sqlite")
    store = open_store(address)
    asked = store.publish("far", read(spec("1", "columns:\n  far: {type: boolean, outside: clip, null: false}\n")))
    running = Running(address, tmp_path)
    try:
        real = [number % 10 < 3 for number in range(2000)]
        drawn = mo.RandomizedResponse(k=2, epsilon=1).draw([int(one) for one in real])
        digest = running.get("/questions/far")["certificate_sha256"]
        with ThreadPoolExecutor(8) as devices:
            assert set(devices.map(lambda outcome: running.report("far", int(outcome), digest), drawn)) == {204}
        [column] = running.get("/questions/far/estimate")["columns"]
        counts = store.counts(asked.version)
        assert counts == {0: list(drawn).count(0), 1: list(drawn).count(1)}
        assert [one["probability"] for one in column["values"]] == [one["probability"] for one in counted(asked.published, counts)["estimates"]]
        [_, true] = counted(asked.published, counts, 1 - 1e-6)["estimates"]
        assert true["lower"] <= 0.3 <= true["upper"]
    finally:
        running.service.kill()
        store.close()


def test_a_report_that_comes_again_counts_once(running):
    before = kept(running)
    digest, identity = running.get("/questions/way")["certificate_sha256"], random.randbytes(16).hex()
    with ThreadPoolExecutor(16) as threads:
        sent = list(threads.map(lambda _: running.report("way", 5, digest, identity), range(48)))
    assert set(sent) == {204}
    assert kept(running) == before + 1


def _unfit(**changes):
    return json.dumps({"id": "0" * 32, "certificate": "DIGEST", "outcome": 3} | changes)


@pytest.mark.parametrize(
    "body, status",
    [
        (_unfit(outcome=12), 422),
        (_unfit(outcome=-1), 422),
        (_unfit(outcome=10**400), 422),
        (_unfit(outcome=1.0), 422),
        (_unfit(outcome=True), 422),
        (_unfit(outcome="3"), 422),
        (_unfit(outcome=None), 422),
        (_unfit(outcome=[3]), 422),
        (_unfit(certificate="0" * 64), 409),
        (_unfit(certificate=7), 409),
        (_unfit(certificate={"a": 1}), 409),
        (_unfit(id="0" * 31), 400),
        (_unfit(id="0" * 33), 400),
        (_unfit(id="G" * 32), 400),
        (_unfit(id="0" * 32 + "\n"), 400),
        (_unfit(id=7), 400),
        (_unfit(name="Ann"), 400),
        (json.dumps({"id": "0" * 32}), 400),
        ("[]", 400),
        ("null", 400),
        ("", 400),
        ("{", 400),
        (b"\xff\xfe\x00", 400),
        ("[" * 1000, 400),
        ('{"id": NaN}', 400),
        (" " * 1025, 413),
        ("1" * 1_000_000, 413),
    ],
)
def test_what_no_device_can_have_sent(running, body, status):
    before = kept(running)
    if isinstance(body, str):
        body = body.replace("DIGEST", running.get("/questions/way")["certificate_sha256"])
    found, headers, answer = running.post("way", body)
    assert found == status
    assert set(json.loads(answer)) == {"error"}
    assert "Traceback" not in answer.decode()
    assert kept(running) == before


def test_a_body_without_a_length_is_cut_off(running):
    with socket.create_connection(("127.0.0.1", running.service.port), timeout=30) as sender:
        sender.sendall(b"POST /questions/way/reports HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n")
        for _ in range(3):
            sender.sendall(b"200\r\n" + b"x" * 0x200 + b"\r\n")
        assert sender.recv(100).startswith(b"HTTP/1.1 413")


def test_a_body_that_does_not_come_is_given_up(monkeypatch):
    monkeypatch.setattr(service, "SECONDS_FOR_A_BODY", 0.05)

    class Slow:
        async def stream(self):
            yield b"{"
            await asyncio.sleep(5)

    with pytest.raises(service.Unfit) as refused:
        asyncio.run(service._body(Slow()))
    assert refused.value.status == 408


def test_other_names_and_methods(running):
    assert running.ask("POST", "/questions/none/reports", "{}")[0] == 404
    assert running.ask("GET", "/questions/none")[0] == 404
    assert running.ask("GET", "/questions/way/certificates/" + "0" * 64)[0] == 404
    assert running.ask("GET", "/questions/way/reports")[0] == 405
    assert running.ask("POST", "/questions/way", "{}")[0] == 405
    assert running.ask("GET", "/static/../service.py")[0] == 404
    assert running.ask("GET", "/static/%2e%2e/service.py")[0] == 404


def test_headers_of_every_answer(running):
    for path in [*PAGES, "/static/collector.css", "/nothing"]:
        _, headers, _ = running.ask("GET", path)
        for name, value in service.HEADERS.items():
            assert headers[name] == value, path
        assert "access-control-allow-origin" not in headers
        assert "server" not in headers
    policy = service.HEADERS["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe-inline" not in policy
    assert "*" not in policy


def test_other_sites_send_only_where_the_operator_named_them(running, tmp_path):
    asking = {"Origin": "https://a.example", "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "content-type"}
    assert "access-control-allow-origin" not in running.ask("OPTIONS", "/questions/way/reports", headers=asking)[1]
    named = Running(running.address, tmp_path, "--origin", "https://a.example")
    try:
        assert named.ask("OPTIONS", "/questions/way/reports", headers=asking)[1]["access-control-allow-origin"] == "https://a.example"
        other = named.ask("OPTIONS", "/questions/way/reports", headers=asking | {"Origin": "https://b.example"})
        assert other[0] == 400
        assert "access-control-allow-origin" not in other[1]
    finally:
        named.service.kill()


SECRET = "0123456789abcdef"


def test_a_form_of_another_site_sends_nothing(running):
    """A page may send these types anywhere without asking."""
    body = _unfit(certificate=running.get("/questions/way")["certificate_sha256"])
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=b", None):
        headers = {"Content-Type": kind} if kind else {}
        assert running.ask("POST", "/questions/way/reports", body, headers)[0] == 415


def test_so_far_can_bad_devices_move_a_share():
    """m of n devices that send what they like move no share by more than m / (n a), a what randomized response keeps."""
    version = read(spec("2"))
    response = mo.RandomizedResponse(k=version.outcomes, epsilon=2)
    most = (response.kept - response.other) / response.total
    honest = dict(enumerate([40, 7, 11, 30, 25, 9, 14, 14, 22, 8, 16, 4]))
    n, m = sum(honest.values()), 30
    before = counted(version, honest)["estimates"]
    bad = honest | {0: honest[0] - m, 5: honest[5] + m}
    moved = [abs(one["probability"] - was["probability"]) for one, was in zip(counted(version, bad)["estimates"], before)]
    assert max(moved) == pytest.approx(m / (n * most))


class _Broken:
    """A database whose sentences quote what it was given."""

    def add(self, reports):
        raise RuntimeError(f"duplicate key {reports[0].id}")

    def asked(self):
        raise RuntimeError(f"a row of {SECRET}")


def test_a_failure_says_nothing_of_a_report(caplog):
    caplog.set_level(logging.DEBUG)
    sent = []

    async def ask(path):
        async def receive():
            return {"type": "http.request", "body": b"", "more_body": False}

        async def send(message):
            sent.append(message)

        app = service.application(_Broken)
        app._app.state.collector = service.Collector(_Broken)
        scope = {"type": "http", "method": "GET", "path": path, "raw_path": path.encode(), "headers": [], "query_string": b"", "http_version": "1.1", "scheme": "http", "root_path": ""}
        await app(scope, receive, send)

    asyncio.run(ask("/health"))
    assert sent[0]["status"] == 500
    assert sent[1]["body"] == b"Internal Server Error"
    assert "RuntimeError" in caplog.text
    assert SECRET not in caplog.text


def test_a_report_that_could_not_be_written_is_not_acknowledged(caplog):
    from mollify_collector.writer import Busy, Writer

    async def add():
        writer = Writer(_Broken)
        running = asyncio.create_task(writer.run())
        with pytest.raises(Busy):
            await writer.add(Report(1, 1, SECRET * 2, 0))
        running.cancel()

    asyncio.run(add())
    assert SECRET not in caplog.text


def test_more_than_can_wait_is_sent_away(monkeypatch):
    from mollify_collector import writer

    monkeypatch.setattr(writer, "MOST_WAITING", 3)

    async def add():
        full = writer.Writer(_Broken)  # which nobody empties
        waiting = [asyncio.ensure_future(full.add(Report(1, 1, f"{number:032}", 0))) for number in range(3)]
        await asyncio.sleep(0)
        with pytest.raises(writer.Busy):
            await full.add(Report(1, 1, "f" * 32, 0))
        for one in waiting:
            one.cancel()

    asyncio.run(add())


def test_reports_on_their_way_are_counted_when_it_is_asked_to_end(tmp_path):
    address = str(tmp_path / "collector.sqlite")
    store = open_store(address)
    asked = store.publish("way", read(spec()))
    running = Running(address, tmp_path)
    with ThreadPoolExecutor(8) as devices:
        sent = [devices.submit(_status, running, asked.published.digest) for _ in range(400)]
        sent[20].result()
        running.service.end()
        acknowledged = [one.result() for one in sent].count(204)
    ids, counts = store.totals(asked.question)
    store.close()
    assert acknowledged >= 20
    assert ids == counts
    assert acknowledged <= ids <= acknowledged + 8  # an answer may be lost on each connection


def _status(running, digest):
    try:
        return running.report("way", 1, digest)
    except (OSError, http.client.HTTPException):
        return None


def test_the_log_holds_no_reports_and_no_senders(running):
    identity = random.randbytes(16).hex()
    assert running.report("way", 1, identity=identity) == 204
    running.post("way", _unfit(id=identity))
    assert identity not in running.log
    assert "GET" not in running.log
    assert "POST" not in running.log


def test_versions_join_and_a_question_closes(tmp_path):
    address = str(tmp_path / "collector.sqlite")
    command = [sys.executable, "-m", "mollify_collector", "--database", address]

    def run(*arguments):
        return subprocess.run([*command, *arguments], capture_output=True, text=True)

    for number, epsilon in enumerate(("3", "1"), 1):
        (tmp_path / f"{number}.json").write_text(spec(epsilon))
        assert f"version {number} of way" in run("publish", "way", str(tmp_path / f"{number}.json")).stdout
    refused = run("publish", "Not a name", str(tmp_path / "1.json"))
    assert (refused.returncode, "letters" in refused.stderr) == (2, True)
    running = Running(address, tmp_path)
    try:
        digests = [read(spec(epsilon)).digest for epsilon in ("3", "1")]
        assert running.get("/questions/way")["certificate_sha256"] == digests[1]
        for outcome in range(12):
            for digest in (digests[0], digests[0], digests[1]):
                assert running.report("way", outcome if digest == digests[1] else 0, digest) == 204
        found = running.get("/questions/way/estimate")
        assert found["counted"] == [24, 12]
        parts = [counted(read(spec("3")), {0: 24}), counted(read(spec("1")), dict.fromkeys(range(12), 1))]
        for place, column in enumerate(found["columns"]):
            for cell, value in enumerate(column["values"]):
                shares = [one["marginals"][place]["estimates"][cell]["probability"] for one in parts]
                assert value["probability"] == pytest.approx(2 / 3 * shares[0] + 1 / 3 * shares[1])
                assert value["lower"] <= min(max(value["probability"], 0), 1) <= value["upper"]
        assert run("close", "way").returncode == 0
        assert "closed" in run("list").stdout
        running.service.kill()
        running.service.start()
        running.service.wait()
        assert running.report("way", 0, digests[0]) == 410
        assert running.counted("way") == 36
    finally:
        running.service.kill()
