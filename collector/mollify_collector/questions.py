"""A question as it is published: a spec of method `local`, its certificate, and its outcomes."""

from __future__ import annotations

import hashlib
import json
import re
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import mollify as mo

NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,62}")
"""What a question's name looks like: it is a part of addresses."""

MOST_OUTCOMES = 20_000
_PARTS = {"format", "method", "domain", "count", "privacy", "mechanism"}
_RANGES = ("integer", "number", "date", "datetime")


class Refused(Exception):
    """A question that cannot be collected: one or two sentences for the operator."""


@dataclass(frozen=True)
class Column:
    """A column of the spec's domain: the names of its cells, and a value of each as a text, which is
    empty for null.
    """

    name: str
    cells: tuple[str, ...]
    fields: tuple[str, ...]
    has_words: bool = field(default=False, compare=False)
    """Whether the cells are words or sentences, and not numbers or times."""

    @property
    def shown(self) -> list[str]:
        """The cells in words."""
        return [_in_words(cell, field) for cell, field in zip(self.cells, self.fields)]


@dataclass(frozen=True)
class Version:
    """What is published of one version of a question. An outcome is a number from 0: the cells of all
    columns in order, the last column the fastest.
    """

    spec: str
    certificate: str
    columns: tuple[Column, ...]

    @property
    def digest(self) -> str:
        """The SHA-256 of the certificate's bytes, by which a report names its certificate."""
        return hashlib.sha256(self.certificate.encode()).hexdigest()

    @property
    def outcomes(self) -> int:
        count = 1
        for column in self.columns:
            count *= len(column.cells)
        return count


def read(spec: str) -> Version:
    """Make what is published of a spec, a JSON text as `mollify sample local --print-spec` prints it.

    Opens the domain's file, if the spec names one. Raises `Refused`, or mollify's `InvalidInput`, if
    devices cannot be asked by this spec or their reports show no estimate.
    """
    method, domain = _method_of(spec)
    if domain.rules:
        raise Refused("The domain has rules between columns, and the collector counts columns without rules only.")
    if not domain.is_enumerable or domain.outcome_count > MOST_OUTCOMES:
        raise Refused(
            f"The domain has {domain.outcome_count:.0f} outcomes, and the collector counts {MOST_OUTCOMES} at most: "
            "declare fewer values or bins, or ask fewer columns."
        )
    with warnings.catch_warnings():
        # No single report is read as a record.
        warnings.simplefilter("ignore", mo.ReleaseWarning["indistinct-from-noise"])
        # A device without rows releases from the public reference, so this opens no data.
        release = method.sample({name: [] for name in domain})
    certificate = release.certificate
    found = mo.estimate(release)
    if not found["linear"]:
        raise Refused(
            f"Reports by {certificate.mechanism} have no unbiased estimate: write \"mechanism\": \"randomized-response\"."
        )
    columns = tuple(_column(name, domain.columns[name]["type"], cells) for name, cells in tables(found).items())
    version = Version(json.dumps(method.spec, indent=2), certificate.json, columns)
    _require_own_cells(version)
    return version


def tables(found: Mapping[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """The shares of each column's values in an estimate of mollify."""
    shares = {tuple(one["columns"]): one["estimates"] for one in found["marginals"]}
    shares[tuple(found["columns"])] = found["estimates"]
    return {name: shares[name,] for name in found["columns"]}


def _method_of(text: str) -> tuple[mo.Local, mo.Domain]:
    spec = json.loads(text)
    if not isinstance(spec, dict) or spec.get("method") != "local":
        raise Refused('The spec must be a JSON object with "method": "local".')
    unknown = sorted(spec.keys() - _PARTS)
    if unknown:
        raise Refused(
            f"The spec has {', '.join(unknown)}, but a device has its own rows only. Parts that a question "
            f"can have: {', '.join(sorted(_PARTS))}."
        )
    if spec.get("count", 1) != 1:
        raise Refused(f"The spec has count {spec['count']}, but a device sends one record: leave count out.")
    match spec:
        case {"domain": {"text": str(yaml)}}:
            domain = mo.Domain.parse(yaml)
        case {"domain": {"file": str(file)}}:
            domain = mo.Domain.read(file)
        case _:
            raise Refused('The spec must name its domain: "domain": {"file": "FILE.yaml"}, or {"text": "columns: ..."}.')
    privacy = spec.get("privacy", {})
    return mo.Local(domain, epsilon=privacy.get("epsilon"), mu=privacy.get("mu"), mechanism=spec.get("mechanism")), domain


def _column(name: str, kind: str, cells: Sequence[Mapping[str, Any]]) -> Column:
    names = tuple(cell["outcome"] for cell in cells)
    return Column(name, names, tuple(_field(kind, cell) for cell in names), kind == "categorical")


def _field(kind: str, cell: str) -> str:
    """A value of the cell. A cell of numbers or times is written as its range, "0..24"."""
    if cell == "null":
        return ""
    return cell.split("..")[0] if kind in _RANGES else cell


def _in_words(cell: str, field: str) -> str:
    if not field:
        return "no answer"
    return cell if cell == field else cell.replace("..", " to ")


def _require_own_cells(version: Version) -> None:
    """Counts rows of a column's cells 1, 2, 3, ... times, and looks for these counts in the estimate."""
    step = version.outcomes
    for column in version.columns:
        step //= len(column.cells)
        counts = {cell * step: cell + 1 for cell in range(len(column.cells))}
        shares = [one["probability"] for one in tables(counted(version, counts))[column.name]]
        if any(share >= after for share, after in zip(shares, shares[1:])):
            raise Refused(f"The collector can't count column {column.name}: the values of two cells look the same.")


def counted(version: Version, counts: Mapping[int, int], confidence: float = 0.95) -> mo.Estimate:
    """mollify's estimate from the number of reports of each outcome, which must not all be 0."""
    return counted_together([version], [counts], confidence)


def counted_together(versions: Sequence[Version], counts: Sequence[Mapping[int, int]], confidence: float = 0.95) -> mo.Estimate:
    """mollify's estimate from the reports of several versions together, each report counting alike. Each
    version must have reports.
    """
    counts_column = "reports"
    while any(counts_column == column.name for column in versions[0].columns):
        counts_column += "_"
    return mo.estimate(
        [_table(version, own, counts_column) for version, own in zip(versions, counts)],
        [mo.Certificate(version.certificate) for version in versions],
        confidence=confidence,
        counts_column=counts_column,
        weighting="reports",
    )


def _table(version: Version, counts: Mapping[int, int], counts_column: str) -> dict[str, list[str | int | None]]:
    """A row for each outcome, with its number of reports."""
    columns: dict[str, list[str | int | None]] = {column.name: [] for column in version.columns}
    columns[counts_column] = list(counts.values())
    for outcome in counts:
        for column in reversed(version.columns):
            outcome, cell = divmod(outcome, len(column.cells))
            columns[column.name].append(column.fields[cell] or None)
    return columns
