"""The estimate of a question from the counts of all its versions."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import mollify as mo

from mollify_collector.questions import counted_together, tables
from mollify_collector.store import Asked

CONFIDENCE = 0.95


def estimate(versions: Sequence[Asked], counts: Sequence[Mapping[int, int]]) -> dict[str, Any]:
    """The shares of all devices that reported, each counting once, whichever version it had.

    mollify estimates the versions together, and all intervals together hold with `CONFIDENCE`.
    """
    reports = [sum(one.values()) for one in counts]
    found: dict[str, Any] = {
        "question": versions[0].name,
        "confidence": CONFIDENCE,
        "reports": sum(reports),
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
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", mo.ReleaseWarning)  # the operator read it on publishing
        joined = counted_together([versions[place].published for place in parts], [counts[place] for place in parts], CONFIDENCE)
    shares = tables(joined)
    for column in versions[0].published.columns:
        rows = [{key: one[key] for key in ("probability", "standard_error", "lower", "upper")} for one in shares[column.name]]
        found["columns"].append(
            {"name": column.name, "values": [{"value": cell, "shown": shown} | row for cell, shown, row in zip(column.cells, column.shown, rows)]}
        )
    found["means"] = joined["means"]
    return found
