"""A collector in a process of its own, with either database."""

import http.client
import json
import random
import tempfile
from pathlib import Path

import pytest

from load import PostgreSQL, Service

from mollify_collector.questions import read
from mollify_collector.store import open_store

COLUMNS = """columns:
  way: {type: categorical, values: [foot, bicycle, "bus, train", car], outside: clip, null: foot}
  minutes: {type: integer, min: 0, max: 89, bins: 3, outside: clip, null: 0}
"""


def spec(epsilon="3", columns=COLUMNS, **others):
    return json.dumps(
        {"method": "local", "domain": {"text": columns}, "privacy": {"epsilon": epsilon}, "mechanism": "randomized-response"} | others
    )


class Running:
    """What a device and an operator see of it."""

    def __init__(self, address, folder, *options):
        self.address = address
        self.service = Service(address, folder / "log", None, *options)
        self.service.start()
        self.service.wait()

    def ask(self, method, path, body=None, headers=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.service.port, timeout=30)
        try:
            connection.request(method, path, body, headers or {})
            answer = connection.getresponse()
            return answer.status, dict(answer.getheaders()), answer.read()
        finally:
            connection.close()

    def get(self, path):
        status, _, body = self.ask("GET", path)
        assert status == 200, body
        return json.loads(body)

    def report(self, name, outcome, digest=None, identity=None):
        body = {
            "id": identity or random.randbytes(16).hex(),
            "certificate": digest or self.get(f"/questions/{name}")["certificate_sha256"],
            "outcome": outcome,
        }
        return self.post(name, json.dumps(body))[0]

    def post(self, name, body):
        return self.ask("POST", f"/questions/{name}/reports", body, {"Content-Type": "application/json"})

    def counted(self, name):
        return self.get(f"/questions/{name}/estimate")["reports"]

    @property
    def log(self):
        return self.service.log.read_text()


@pytest.fixture(scope="session")
def postgresql():
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)  # the server's user is another one
        server = PostgreSQL(Path(folder) / "server", None)
        server.start()
        yield server.address
        server.stop()


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request, tmp_path):
    """The address of an empty database."""
    if request.param == "sqlite":
        return str(tmp_path / "collector.sqlite")
    import psycopg

    address = request.getfixturevalue("postgresql")
    name = f"test_{random.randbytes(8).hex()}"
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    return address.replace("/postgres?", f"/{name}?")


@pytest.fixture
def store(database):
    opened = open_store(database)
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def running(tmp_path_factory):
    """With the question `way` of one version, on SQLite."""
    folder = tmp_path_factory.mktemp("collector")
    address = str(folder / "collector.sqlite")
    opened = open_store(address)
    opened.publish("way", read(spec()))
    opened.close()
    running = Running(address, folder)
    yield running
    running.service.kill()
