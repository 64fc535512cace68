"""What the collector keeps: questions, the ids of reports, and a count of each outcome.

A report is its id and one more in the count of an outcome, both in one transaction. So a report that
comes again is not counted again, and nothing kept joins an id to its outcome. Both databases are used
by the same interface; several collectors may share one.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from mollify_collector.questions import Column, Refused, Version

if TYPE_CHECKING:
    import psycopg

SCHEMA = 1
"""The tables' layout. A database with another one is refused."""


@dataclass(frozen=True)
class Report:
    """One more of an outcome of a version, once for each id and question."""

    question: int
    version: int
    id: str
    outcome: int


@dataclass(frozen=True)
class Asked:
    """A version as the database has it. The versions of a question are numbered from 1."""

    question: int
    name: str
    version: int
    number: int
    is_open: bool
    published: Version


class Store(Protocol):
    """A database. Its connection belongs to the thread that made it."""

    def add(self, reports: Sequence[Report]) -> None:
        """Counts reports. When it returns, they outlast the end of this process, of the database and of
        the machine's power.
        """

    def publish(self, name: str, version: Version) -> Asked: ...
    def close_question(self, name: str) -> None: ...
    def asked(self) -> list[Asked]: ...
    def counts(self, version: int) -> dict[int, int]: ...
    def totals(self, question: int) -> tuple[int, int]:
        """How many ids there are, and how many reports are counted. The two are always equal."""

    def close(self) -> None: ...


def open_store(address: str) -> Store:
    """The database at an address: postgresql://..., or the path of SQLite's file."""
    if address.startswith(("postgresql://", "postgres://")):
        return _PostgreSQL(address)
    return _SQLite(address)


class _Tables:
    """What both databases do alike. `?` stands for a value."""

    _id_type: str
    _key_type: str
    _without_row_ids = ""

    def _run(self, statement: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        raise NotImplementedError

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        raise NotImplementedError
        yield

    def _lay_out(self) -> None:
        tables = {
            "collector": "schema INTEGER NOT NULL",
            "questions": f"question {self._key_type}, name TEXT NOT NULL UNIQUE, is_open BOOLEAN NOT NULL",
            "versions": f"version {self._key_type}, question INTEGER NOT NULL REFERENCES questions, "
            "number INTEGER NOT NULL, digest TEXT NOT NULL, spec TEXT NOT NULL, certificate TEXT NOT NULL, "
            "columns TEXT NOT NULL, UNIQUE (question, number), UNIQUE (question, digest)",
            "reports": f"question INTEGER NOT NULL, id {self._id_type} NOT NULL, PRIMARY KEY (question, id)",
            "counts": "version INTEGER NOT NULL REFERENCES versions, outcome INTEGER NOT NULL, "
            "reports BIGINT NOT NULL, PRIMARY KEY (version, outcome)",
        }
        with self._transaction():
            for name, columns in tables.items():
                self._run(
                    f"CREATE TABLE IF NOT EXISTS {name} ({columns})"
                    + (self._without_row_ids if name in ("reports", "counts") else "")
                )
            found = self._run("SELECT schema FROM collector")
            if not found:
                self._run("INSERT INTO collector VALUES (?)", [SCHEMA])
            elif found != [(SCHEMA,)]:
                raise Refused(f"The database has layout {found[0][0]} of another version of the collector; this one needs {SCHEMA}.")

    def publish(self, name: str, version: Version) -> Asked:
        columns = json.dumps([[one.name, one.cells, one.fields, one.has_words] for one in version.columns])
        with self._transaction():
            earlier = [one for one in self.asked() if one.name == name]
            for one in earlier:
                if one.published.digest == version.digest:
                    return one
                if one.published.columns != version.columns:
                    raise Refused(
                        f'Version {one.number} of question "{name}" has other columns or values, so its reports can\'t be '
                        "joined with this version's: publish this spec under another name."
                    )
            if not earlier:
                self._run("INSERT INTO questions (name, is_open) VALUES (?, ?)", [name, True])
            [(question,)] = self._run("SELECT question FROM questions WHERE name = ?", [name])
            self._run(
                "INSERT INTO versions (question, number, digest, spec, certificate, columns) VALUES (?, ?, ?, ?, ?, ?)",
                [question, len(earlier) + 1, version.digest, version.spec, version.certificate, columns],
            )
            return next(one for one in self.asked() if one.name == name and one.published.digest == version.digest)

    def close_question(self, name: str) -> None:
        with self._transaction():
            if not self._run("SELECT 1 FROM questions WHERE name = ?", [name]):
                raise Refused(f'No question is named "{name}".')
            self._run("UPDATE questions SET is_open = ? WHERE name = ?", [False, name])

    def asked(self) -> list[Asked]:
        """All versions of all questions, in order."""
        found = self._run(
            "SELECT question, name, version, number, is_open, spec, certificate, columns "
            "FROM versions JOIN questions USING (question) ORDER BY name, number"
        )
        return [
            Asked(question, name, version, number, bool(is_open), Version(spec, certificate, _columns(columns)))
            for question, name, version, number, is_open, spec, certificate, columns in found
        ]

    def counts(self, version: int) -> dict[int, int]:
        return dict(self._run("SELECT outcome, reports FROM counts WHERE version = ? ORDER BY outcome", [version]))

    def totals(self, question: int) -> tuple[int, int]:
        [(ids, counted)] = self._run(
            "SELECT (SELECT count(*) FROM reports WHERE question = ?), (SELECT COALESCE(sum(reports), 0) "
            "FROM counts JOIN versions USING (version) WHERE question = ?)",
            [question, question],
        )
        return ids, int(counted)


class _SQLite(_Tables):
    """A file, with a write-ahead log that is on the disk before a transaction counts as done."""

    _id_type = "TEXT"
    _key_type = "INTEGER PRIMARY KEY"
    _without_row_ids = " WITHOUT ROWID"

    # Each is one step of SQLite, which leaves the interpreter to the requests for as long as it takes.
    _COUNT = """
        INSERT INTO counts (version, outcome, reports)
        SELECT value ->> 1, value ->> 3, count(*) FROM json_each(?) WHERE NOT EXISTS
          (SELECT 1 FROM reports WHERE question = value ->> 0 AND id = value ->> 2)
        GROUP BY 1, 2
        ON CONFLICT (version, outcome) DO UPDATE SET reports = counts.reports + excluded.reports"""
    _KEEP = "INSERT OR IGNORE INTO reports (question, id) SELECT value ->> 0, value ->> 2 FROM json_each(?) ORDER BY 1, 2"

    def __init__(self, path: str) -> None:
        try:
            self._connection = sqlite3.connect(path, timeout=30, isolation_level=None, cached_statements=32)
        except sqlite3.OperationalError as error:
            raise Refused(f"The database {path} can't be opened: {error}.") from None
        for setting in ("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON"):
            self._run(f"PRAGMA {setting}")
        self._lay_out()

    def _run(self, statement: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        return self._connection.execute(statement, values).fetchall()

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._run("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._run("ROLLBACK")
            raise
        self._run("COMMIT")

    def add(self, reports: Sequence[Report]) -> None:
        batch = json.dumps([[one.question, one.version, one.id, one.outcome] for one in _once(reports)])
        with self._transaction():
            self._run(self._COUNT, [batch])
            self._run(self._KEEP, [batch])

    def close(self) -> None:
        self._connection.close()


class _PostgreSQL(_Tables):
    """A server. A lost connection fails what was asked, and the next use makes another."""

    _id_type = "UUID"
    _key_type = "INTEGER GENERATED ALWAYS AS IDENTITY PRIMARY KEY"

    _ADD = """
        WITH batch AS (
          SELECT * FROM unnest(%s::int[], %s::int[], %s::uuid[], %s::int[]) AS _ (question, version, id, outcome)
        ), kept AS (
          INSERT INTO reports (question, id) SELECT question, id FROM batch ORDER BY 1, 2
          ON CONFLICT DO NOTHING RETURNING question, id
        )
        INSERT INTO counts (version, outcome, reports)
        SELECT version, outcome, count(*) FROM batch JOIN kept USING (question, id) GROUP BY 1, 2 ORDER BY 1, 2
        ON CONFLICT (version, outcome) DO UPDATE SET reports = counts.reports + excluded.reports"""

    def __init__(self, address: str) -> None:
        import psycopg

        # A server may be set to answer before its disk has a transaction.
        def connect() -> psycopg.Connection[Any]:
            return psycopg.connect(address, autocommit=True, connect_timeout=10, options="-c synchronous_commit=on")

        self._connect = connect
        self._kept = connect()
        self._lay_out()

    @property
    def _connection(self) -> psycopg.Connection[Any]:
        if self._kept.closed:
            self._kept = self._connect()
        return self._kept

    def _run(self, statement: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        cursor = self._connection.execute(statement.replace("?", "%s").encode(), values)
        return cursor.fetchall() if cursor.description else []

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with self._connection.transaction():
            # One collector at a time publishes or lays out tables. Counting needs no such lock.
            self._run("SELECT pg_advisory_xact_lock(7061626)")
            yield

    def add(self, reports: Sequence[Report]) -> None:
        batch = _once(reports)
        columns = [[getattr(one, name) for one in batch] for name in ("question", "version", "id", "outcome")]
        self._connection.execute(self._ADD, columns)

    def close(self) -> None:
        self._kept.close()


def _once(reports: Iterable[Report]) -> list[Report]:
    """The first report of each id: within a batch no table can tell."""
    first: dict[tuple[int, str], Report] = {}
    for one in reports:
        first.setdefault((one.question, one.id), one)
    return list(first.values())


def _columns(text: str) -> tuple[Column, ...]:
    # Earlier databases do not have the last part.
    return tuple(Column(name, tuple(cells), tuple(fields), *words) for name, cells, fields, *words in json.loads(text))
