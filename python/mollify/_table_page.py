"""The part of a release's page that the reader of a synthetic table needs first."""

from __future__ import annotations

import html
import itertools
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from mollify._html import table

if TYPE_CHECKING:
    from mollify._model import Model, TableAnswer
    from mollify._release import Release

STYLE = """
.map { max-width: 100%; height: auto } .map text { font: 11px system-ui, sans-serif; fill: #1b1f24 }
.lead { background: #f4f5f7; padding: .8rem 1rem } .contact { border-left: 4px solid #1a5d8b; padding-left: 1rem }
.reader table { width: max-content } .reader td, .reader th { overflow-wrap: break-word; max-width: 24rem }
@media (max-width: 44rem) { .reader table { width: auto } .reader td, .reader th { padding-right: .5rem } }
@media print { .reader table { width: auto } details > * { display: block } .map { max-width: 16cm } h2 { break-after: avoid } table, svg { break-inside: avoid } }
"""
_MEAN_SIZE = math.sqrt(2 / math.pi)
_CLOSE, _FAIR = 0.02, 0.05
_COLOURS = {"close": "#1a5d8b", "fair": "#7fb0cf", "coarse": "#c9dbe6", "not counted": "#ffffff"}
_MOST_NAMED = 40
_MOST_LETTERS = 18


class _Counts:
    """What a model's noisy counts say of columns and pairs, without their numbers."""

    def __init__(self, model: Model) -> None:
        facts = json.loads(model.text)["measurements"]
        self.names = list(model.domain)
        self.step = facts["step"]
        tables = facts["tables"]
        of_columns = [each for each in tables if len(each["at"]) == 1]
        rows = facts.get("records")
        self.rows: float = rows if rows is not None else sum(of_columns[0]["counts"]) * self.step
        self.columns: dict[int, tuple[float, int]] = {}
        """Of each column: the variance of a share, and how many values it has."""
        self.pairs: dict[tuple[int, int], float] = {}
        """Of each pair: by how much its noisy shares are off, in total variation."""
        precisions: dict[int, float] = {}
        for each in of_columns:
            (at,) = each["at"]
            cells = len(each["counts"])
            known = self.columns.get(at, (0.0, 0))
            if cells >= known[1]:
                precisions[at] = (precisions.get(at, 0.0) if cells == known[1] else 0.0) + 1 / each["variance"]
                self.columns[at] = (self.step**2 / precisions[at] / self.rows**2, cells)
        for each in tables:
            sizes = [self._cells(at, groups) for at, groups in zip(each["at"], each["groups"])]
            for (i, one), (j, other) in itertools.combinations(enumerate(each["at"]), 2):
                cells = sizes[i] * sizes[j]
                summed = len(each["counts"]) / cells
                noise = _MEAN_SIZE * math.sqrt(each["variance"] * summed) * self.step * cells / 2 / self.rows
                self.pairs[one, other] = min(noise, self.pairs.get((one, other), math.inf))

    def _cells(self, at: int, groups: Sequence[Sequence[int]] | None) -> int:
        return self.columns[at][1] if groups is None else 1 + max(run[0] for run in groups)

    def kind(self, one: int, other: int) -> str:
        noise = self.pairs.get((min(one, other), max(one, other)))
        if noise is None:
            return "not counted"
        return "close" if noise <= _CLOSE else "fair" if noise <= _FAIR else "coarse"

    def sample_share(self, at: int) -> float:
        """A random sample of this share of all rows has shares as far off, for a value
        that is as frequent as the column's others.
        """
        variance, cells = self.columns[at]
        even = 1 / max(cells, 2)
        return 1 / (1 + self.rows * variance / (even * (1 - even)))


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %" if share >= 0.095 else f"{100 * share:.1f} %"


def _map(counts: _Counts) -> str:
    """Columns against columns: how closely their pair was counted."""
    number = len(counts.names)
    side = 22 if number <= 24 else 12 if number <= 60 else 6
    named = number <= _MOST_NAMED
    left, top = (150, 110) if named else (40, 30)
    drawn = []
    for i, name in enumerate(counts.names):
        short = html.escape(name if len(name) <= _MOST_LETTERS else name[: _MOST_LETTERS - 1] + "…")
        middle = i * side + side / 2
        if named:
            drawn.append(f'<text x="{left - 6}" y="{top + middle + 4}" text-anchor="end">{short}</text>')
            drawn.append(f'<text transform="translate({left + middle + 4} {top - 6}) rotate(-55)">{short}</text>')
        elif (i + 1) % 10 == 0:
            drawn.append(f'<text x="{left - 6}" y="{top + middle + 4}" text-anchor="end">{i + 1}</text>')
            drawn.append(f'<text x="{left + middle}" y="{top - 6}" text-anchor="middle">{i + 1}</text>')
        for j, other in enumerate(counts.names):
            kind = "column" if i == j else counts.kind(i, j)
            colour = "#1b1f24" if i == j else _COLOURS[kind]
            words = name if i == j else f"{name} with {other}: {kind}"
            drawn.append(
                f'<rect x="{left + j * side}" y="{top + i * side}" width="{side - 1}" height="{side - 1}" '
                f'fill="{colour}" stroke="#d5d9df" stroke-width=".5"><title>{html.escape(words)}</title></rect>'
            )
    width, height = left + number * side + 70, top + number * side + 10
    keys = " ".join(
        f'<span class="key" style="background:{colour};border:1px solid #888"></span> {word}'
        for word, colour in {"a column itself": "#1b1f24", **_COLOURS}.items()
    )
    return (
        f"<p>{keys}</p>"
        f'<div class="wide"><svg class="map" viewBox="0 0 {width} {height}" width="{width}" role="img" '
        f'aria-label="Which pairs of columns were counted, and how closely">{"".join(drawn)}</svg></div>'
    )


def _interval(bar: Mapping[str, Any] | None) -> str:
    if not bar or bar.get("lower") is None:
        return "unknown"
    return f"{bar['lower']:.4g} to {bar['upper']:.4g}"


def _answer(answer: TableAnswer) -> str:
    heading = f"<h3>{html.escape(str(answer['question']))}</h3>"
    if "refused" in answer:
        return heading + f"<p>No answer: {html.escape(str(answer['refused']))}.</p>"
    rows: list[Sequence[object]] = []
    for part in ("answers", "differences"):
        for one in answer.get(part, []):
            what = one["of"] if "group" not in one else f"{one['group']}: {one['of']}"
            estimate = "unknown" if one["estimate"] is None else f"{one['estimate']:.4g}"
            rows.append([what, estimate, _interval(one["table"]), _interval(one["population"])])
    head = ["", "estimate", "in the table, 95 %", "in the population, 95 %"]
    return heading + f'<div class="wide reader">{table(head, rows)}</div>'


def _columns_table(counts: _Counts) -> str:
    rows: list[Sequence[object]] = []
    for at, name in enumerate(counts.names):
        partners = sorted(
            (noise, counts.names[pair[0] if pair[1] == at else pair[1]])
            for pair, noise in counts.pairs.items()
            if at in pair
        )
        told = ", ".join(other for _, other in partners) or "none"
        if at in counts.columns:
            variance, cells = counts.columns[at]
            off = f"{100 * 1.96 * math.sqrt(variance):.2g} points of 100"
            rows.append([str(at + 1), name, cells, off, _percent(counts.sample_share(at)), told])
        else:
            rows.append([str(at + 1), name, "", "follows from another column", "", told])
    head = ["", "column", "values", "a share is within (95 %)", "as good as a sample of", "counted together with"]
    return f'<div class="wide reader">{table(head, rows)}</div>'


def reader_parts(
    release: Release, model: Model, contact: str | None, questions: Iterable[str] | None
) -> list[str]:
    """What the table is, what it is good for, its questions with answers, and how good
    each column and pair is.
    """
    counts = _Counts(model)
    facts = release.certificate.to_dict()
    unit = "person" if facts["spec"].get("unit") else "row"
    asked = [*facts["spec"].get("questions", []), *(questions or ())]
    shares = sorted(counts.sample_share(at) for at in counts.columns)
    usual = _percent(shares[len(shares) // 2])
    named = len(counts.names)
    possible = named * (named - 1) // 2
    made_of = f"{counts.rows:.0f} {unit}s" if facts["facts"].get("records") else f"a protected number of {unit}s"
    parts = [
        '<div class="lead"><p><strong>These rows are not real persons.</strong> '
        f"A program drew {len(release)} rows from a statistical model. The model was made of counts of the real table "
        f"({made_of}), and each count was changed by random noise. The noise limits what anyone can find out about one {unit}, "
        "whatever they know already: the promise is below.</p></div>",
        "<h2>What it is good for</h2>",
        table(
            ["good for", "not good for"],
            [
                ["shares of one column", "finding a real person, or checking a fact about one"],
                ["the questions below, with their error bars", "error bars computed from the rows themselves"],
                [f"the {len(counts.pairs)} of {possible} pairs of columns that were counted", "pairs that were not counted: they are the model's guess"],
                ["writing and testing programs, teaching", "rare combinations, and what only three columns show together"],
            ],
        ),
        f"<p>A share of one column is about as good as in a random sample of {usual} of the {unit}s (half of the columns are better).</p>",
    ]
    if asked:
        answers = model.estimate(list(dict.fromkeys(asked)))
        parts.append("<h2>Questions and answers</h2>")
        parts.append(
            "<p>The answers are made of the noisy counts, and not of the released rows. Each interval holds the real number in 95 of 100 releases. "
            "The population's interval is for conclusions beyond the table, if its rows are a random sample.</p>"
        )
        parts += [_answer(answer) for answer in answers]
    parts.append("<h2>Which pairs of columns were counted</h2>")
    if possible:
        parts.append(
            f"<p>Noise moves the shares of a pair by 2 of 100 at most if it is <em>close</em>, by 5 of 100 if it is <em>fair</em>, and by more if it is <em>coarse</em>. "
            f"{possible - len(counts.pairs)} of {possible} pairs were <em>not counted</em>.</p>"
        )
        parts.append(_map(counts))
    parts.append("<h2>How good each column is</h2>" + _columns_table(counts))
    rules = list(model.domain.rules)
    if rules:
        parts.append("<h2>Rules that all rows keep</h2><ul>" + "".join(f"<li>{html.escape(str(rule))}</li>" for rule in rules) + "</ul>")
    parts.append(
        "<h2>Check it</h2><p>The certificate below states what was promised. With it, the domain's file, the model's file and the rows, anyone can check "
        "the promise: <code>mollify verify</code> computes it again. <code>mollify answer</code> gives more answers with error bars, at no cost.</p>"
    )
    if contact:
        parts.append(f'<p class="contact"><strong>To have a conclusion checked on the real table, ask:</strong> {html.escape(contact)}</p>')
    return parts
