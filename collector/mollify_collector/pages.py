"""Pages: the questions, and what is estimated of one."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from mollify_collector.questions import Column
from mollify_collector.store import Asked

_MOST_BUTTONS = 12
_MOST_ROWS = 40

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
    rows = ""
    for one in questions:
        answer = f'<a href="/questions/{one.name}/answer">answer</a>' if one.is_open else "closed"
        rows += f'<li>{one.name}: {answer}, <a href="/questions/{one.name}/results">results</a></li>\n'
    return _page("Questions", f"<ul>\n{rows}</ul>\n" if rows else "<p>No question is published yet.</p>\n")


def answer(asked: Asked) -> str:
    """The page on which a person answers. It draws the report in the browser (static/answer.js), and
    holds all that it needs for this, so that it asks for nothing before the report is sent.
    """
    version = asked.published
    fields = "".join(_choice(place, one) for place, one in enumerate(version.columns))
    data = {
        "name": asked.name,
        "certificate": version.certificate,
        "columns": [{"name": one.name, "cells": one.shown} for one in version.columns],
    }
    text = json.dumps(data).replace("<", "\\u003c")
    return _page(asked.name, _ANSWER.format(fields=fields, question=text), _ANSWER_HEAD)


_ANSWER_HEAD = """<script type="module" src="/static/answer.js"></script>
"""

_ANSWER = """<p>Your answers stay on this device. It draws a random report from them, shows it to you, and sends it only if you say so.</p>
<noscript><p>This page needs JavaScript, because the report is drawn on your device.</p></noscript>
<p id="failed" role="alert"></p>
<form>
{fields}<button id="draw" disabled>Draw my report</button>
<p class="quiet">A report is drawn once. After that your answers can't be changed.</p>
</form>
<section id="shown" hidden>
<h2>Your report</h2>
<p id="again" hidden>This browser has drawn a report before. It never draws a second one, because each would reveal more.</p>
<table>
<thead><tr><th scope="col">question</th><th scope="col">your answer</th><th scope="col">in the report</th></tr></thead>
<tbody id="record"></tbody>
</table>
<p>This leaves your device, and nothing else:</p>
<pre id="body"></pre>
<h3>How random it is</h3>
<p id="odds"></p>
<h3>What a guesser gains</h3>
<p><span id="ratio"></span> So this is how often a guess of your answers is right, at most:</p>
<table>
<thead><tr><th scope="col">without your report</th><th scope="col">with your report</th></tr></thead>
<tbody id="guesses"></tbody>
</table>
<p>The collector also sees your address and the time, as every site does.</p>
<button id="send">Send this report</button>
<p id="status" role="status"></p>
</section>
<section id="results" hidden>
<h2>What all reports show</h2>
<div id="estimate"></div>
<p><a href="results">See the results change</a></p>
</section>
<script type="application/json" id="question">{question}</script>
"""


# A browser may send what it checks for spelling to its maker.
_WRITTEN = """<p class="field"><label for="written{place}">{name}</label>
<textarea id="written{place}" rows="3" maxlength="500" spellcheck="false" autocomplete="off" autocapitalize="sentences"
aria-describedby="hint{place}"></textarea>
<span class="quiet" id="hint{place}">Write your answer, or choose below. Your words stay on this device. The report names one of {size} public answers.</span></p>
<p class="field"><label for="column{place}">The public answer nearest to yours</label>
{select}
<span class="quiet" id="near{place}" role="status"></span></p>
"""


def _choice(place: int, column: Column) -> str:
    name = f"column{place}"
    if len(column.cells) <= _MOST_BUTTONS:
        choices = "".join(
            f'<label><input type="radio" name="{name}" value="{cell}" required> {escape(shown)}</label>\n'
            for cell, shown in enumerate(column.shown)
        )
        return f"<fieldset>\n<legend>{escape(column.name)}</legend>\n{choices}</fieldset>\n"
    choices = "".join(f'<option value="{cell}">{escape(shown)}</option>\n' for cell, shown in enumerate(column.shown))
    select = f'<select id="{name}" name="{name}" required><option value="">choose</option>\n{choices}</select>'
    if not column.has_words:
        return f'<p class="field"><label for="{name}">{escape(column.name)}</label>\n{select}</p>\n'
    return _WRITTEN.format(place=place, name=escape(column.name), size=len(column.cells), select=select)


def results(found: Mapping[str, Any]) -> str:
    """An estimate, which the page asks for again every few seconds."""
    title = f"Results: {found['question']}"
    if not found["reports"]:
        return _page(title, "<p>No report has come in yet. This page refreshes.</p>\n", _REFRESH)
    reports = f"{found['reports']:,} report{'s' if found['reports'] > 1 else ''}".replace(",", " ")
    body = f'<p>{reports}. <span class="refreshes">This page refreshes.</span></p>\n'
    means = {one["column"]: one for one in found["means"]}
    body += "".join(_column(one, means.get(one["name"])) for one in found["columns"])
    body += (
        f"<p>All ranges together hold the real shares with probability {found['confidence']:g}, if you look once. "
        "Every report was random before it left its device, so an estimate can be below 0 % or above 100 %.</p>\n"
    )
    return _page(title, body, _REFRESH)


def _column(column: Mapping[str, Any], mean: Mapping[str, Any] | None) -> str:
    values = column["values"]
    below = ""
    if len(values) > _MOST_ROWS:
        values = sorted(values, key=lambda one: -one["probability"])[:_MOST_ROWS]
        below = f"<p>The {_MOST_ROWS} greatest of {len(column['values'])} shares.</p>\n"
    rows = "".join(_row(one) for one in values)
    if mean and mean["mean"] is not None:
        below += (
            f"<p>Mean: {mean['mean']:.4g}, from {mean['lower']:.4g} to {mean['upper']:.4g}, wherever in its range each value is. "
            f"The estimate takes the middle of each range, at most {mean['half_cell']:.4g} away.</p>\n"
        )
    return (
        f'<table>\n<caption>{escape(column["name"])}</caption>\n'
        '<thead><tr><th scope="col">answer</th><th scope="col">share, and its range</th></tr></thead>\n'
        f"<tbody>\n{rows}</tbody>\n</table>\n{below}"
    )


def _row(value: Mapping[str, Any]) -> str:
    share, lower, upper = (100 * value[key] for key in ("probability", "lower", "upper"))
    return (
        f'<tr><th scope="row">{escape(value["shown"])}</th>'
        f'<td>{share:.1f} % <span class="quiet">{lower:.1f} to {upper:.1f} %</span>'
        '<svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">'
        f'<rect class="range" x="{lower:.2f}" y="2" width="{upper - lower:.2f}" height="6"/>'
        f'<rect class="share" x="{min(max(share, 0), 99.2):.2f}" y="0" width="0.8" height="10"/></svg></td></tr>\n'
    )


def _page(title: str, body: str, head: str = "") -> str:
    return _PAGE.format(title=escape(title), body=body, head=head)
