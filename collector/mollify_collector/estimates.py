"""The estimate of a question from the counts of all its versions."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import mollify as mo

from mollify_collector.questions import counted, tables
from mollify_collector.store import Asked

CONFIDENCE = 0.95


def estimate(versions: Sequence[Asked], counts: Sequence[Mapping[int, int]]) -> dict[str, Any]:
    """The shares of all devices that reported, each counting once, whichever version it had.

    mollify estimates each version. A share of all is the mean of the versions' shares, weighted by
    their reports, and so are the ends of its interval. The versions share the probability of an error,
    so all intervals together hold with `CONFIDENCE`.
    """
    reports = [sum(one.values()) for one in counts]
    total = sum(reports)
    found: dict[str, Any] = {
        "question": versions[0].name,
        "confidence": CONFIDENCE,
        "reports": total,
        "counted": reports,
        "versions": [
            {"version": one.number, "certificate_sha256": one.published.digest, "reports": number}
            for one, number in zip(versions, reports)
        ],
        "columns": [],
        "means": [],
    }
    parts = [place for place, number in enumerate(reports) if number]
    if not parts:
        return found
    confidence = 1 - (1 - CONFIDENCE) / len(parts)
    weights = [reports[place] / total for place in parts]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", mo.ReleaseWarning)  # the operator read it on publishing
        of_versions = [counted(versions[place].published, counts[place], confidence) for place in parts]
    shares = [tables(one) for one in of_versions]
    for column in versions[0].published.columns:
        rows = [_joined([one[column.name][cell] for one in shares], weights, "probability") for cell in range(len(column.cells))]
        found["columns"].append(
            {"name": column.name, "values": [{"value": cell, "shown": shown} | row for cell, shown, row in zip(column.cells, column.shown, rows)]}
        )
    for place, mean in enumerate(of_versions[0]["means"]):
        joined = _joined([one["means"][place] for one in of_versions], weights, "mean")
        found["means"].append({"column": mean["column"], "half_cell": mean["half_cell"]} | joined)
    return found


def _joined(rows: Sequence[Mapping[str, Any]], weights: Sequence[float], name: str) -> dict[str, float | None]:
    joined: dict[str, float | None] = {}
    for key in (name, "lower", "upper"):
        joined[key] = _weighted([row[key] for row in rows], weights)
    squares = [None if row["standard_error"] is None else row["standard_error"] ** 2 for row in rows]
    variance = _weighted(squares, [weight**2 for weight in weights])
    joined["standard_error"] = None if variance is None else variance**0.5
    return joined


def _weighted(numbers: Sequence[float | None], weights: Sequence[float]) -> float | None:
    terms = [number * weight for number, weight in zip(numbers, weights) if number is not None]
    return sum(terms) if len(terms) == len(numbers) else None
