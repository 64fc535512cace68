"""Pages: the questions, and what is estimated of one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from mollify_collector.store import Asked

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<link rel="icon" href="/static/icon.svg">
<link rel="stylesheet" href="/static/collector.css">
{head}</head>
<body>
<main>
<h1>{title}</h1>
{body}</main>
</body>
</html>
"""

_REFRESH = """<script type="module" src="/static/results.js"></script>
<noscript><meta http-equiv="refresh" content="10"></noscript>
"""


def index(questions: Sequence[Asked]) -> str:
    """All questions."""
    rows = "".join(
        f'<li><a href="/questions/{one.name}/results">{one.name}</a>{"" if one.is_open else " (closed)"}</li>\n'
        for one in questions
    )
    return _page("Questions", f"<ul>\n{rows}</ul>\n" if rows else "<p>No question is published yet.</p>\n")


def results(found: Mapping[str, Any]) -> str:
    """An estimate, which the page asks for again every few seconds."""
    title = f"Results: {found['question']}"
    if not found["reports"]:
        return _page(title, "<p>No report has come in yet. This page refreshes.</p>\n", _REFRESH)
    reports = f"{found['reports']:,} report{'s' if found['reports'] > 1 else ''}".replace(",", " ")
    body = f"<p>{reports}. This page refreshes.</p>\n"
    body += "".join(_column(one) for one in found["columns"])
    for one in found["means"]:
        if one["mean"] is not None:
            body += (
                f"<p>Mean of {escape(one['column'])}: {one['mean']:.4g}, from {one['lower']:.4g} to {one['upper']:.4g}. "
                f"Each value counts as the middle of its range, at most {one['half_cell']:.4g} away.</p>\n"
            )
    body += (
        f"<p>All ranges together hold the real shares with probability {found['confidence']:g}, if you look once. "
        "Every report was random before it left its device, so an estimate can be below 0 % or above 100 %.</p>\n"
    )
    return _page(title, body, _REFRESH)


def _column(column: Mapping[str, Any]) -> str:
    rows = "".join(_row(one) for one in column["values"])
    return (
        f'<table>\n<caption>{escape(column["name"])}</caption>\n'
        '<thead><tr><th scope="col">answer</th><th scope="col">share, and its range</th></tr></thead>\n'
        f"<tbody>\n{rows}</tbody>\n</table>\n"
    )


def _row(value: Mapping[str, Any]) -> str:
    share, lower, upper = (100 * value[key] for key in ("probability", "lower", "upper"))
    return (
        f'<tr><th scope="row">{escape(value["value"])}</th>'
        f'<td>{share:.1f} % <span class="quiet">{lower:.1f} to {upper:.1f} %</span>'
        '<svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">'
        f'<rect class="range" x="{lower:.2f}" y="2" width="{upper - lower:.2f}" height="6"/>'
        f'<rect class="share" x="{min(max(share, 0), 99.2):.2f}" y="0" width="0.8" height="10"/></svg></td></tr>\n'
    )


def _page(title: str, body: str, head: str = "") -> str:
    return _PAGE.format(title=escape(title), body=body, head=head)
