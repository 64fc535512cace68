"""The part of a release's page that the reader of a synthetic table needs first."""

from __future__ import annotations

import html
import itertools
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from mollify._column_map import column_map
from mollify._html import shown, table

if TYPE_CHECKING:
    from mollify._model import Model, TableAnswer
    from mollify._release import Release

STYLE = """
.lead { background: #f4f5f7; padding: .8rem 1rem } .contact { border-left: 4px solid #1a5d8b; padding-left: 1rem }
.reader table { width: max-content } .reader td, .reader th { overflow-wrap: break-word; max-width: 22rem }
@media print { .reader table { width: auto } }
"""
_MEAN_SIZE = math.sqrt(2 / math.pi)
_CLOSE, _FAIR = 0.02, 0.05
_MOST_LISTED = 8
_COLOURS = {"close": "#1a5d8b", "fair": "#7fb0cf", "coarse": "#c9dbe6", "not counted": "#ffffff"}


class _Counts:
    """What a model's noisy counts say of columns and pairs, without their numbers."""

    def __init__(self, model: Model) -> None:
        facts = json.loads(model.text)["measurements"]
        self.names: list[str] = list(model.domain)
        self.step = facts["step"]
        tables = facts["tables"]
        of_columns = [each for each in tables if len(each["at"]) == 1]
        rows = facts.get("records")
        self.rows: float = rows if rows is not None else sum(of_columns[0]["counts"]) * self.step
        self.columns: dict[int, tuple[float, int]] = {}
        """Of each column: the variance of a share, and how many values it has."""
        self.pairs: dict[tuple[int, int], float] = {}
        """Of each pair: by how much its noisy shares are off, in total variation."""
        self.at_most: dict[tuple[int, int], float] = {}
        """Of each pair, if known: the bound of 95 % of what the released rows are off."""
        error = facts.get("error") or {"at": []}
        for pair, each in zip(itertools.combinations(error["at"], 2), error.get("pairs", [])):
            self.at_most[pair] = each["at_most"]
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
    itself = "a column itself"

    def look(i: int, j: int) -> str:
        return itself if i == j else counts.kind(i, j)

    def words(i: int, j: int) -> str:
        if i == j:
            return counts.names[i]
        most = counts.at_most.get((min(i, j), max(i, j)))
        bound = ", how far off is unknown" if most is None else f", at most {_percent(most)} off (95 %)"
        return f"{counts.names[i]} with {counts.names[j]}: {counts.kind(i, j)}{bound}"

    label = "Which pairs of columns were counted, and how closely"
    return column_map(counts.names, look, {itself: "#1b1f24", **_COLOURS}, words, label)


def _interval(bar: Mapping[str, Any] | None) -> str:
    if not bar or bar.get("lower") is None:
        return "unknown"
    return f"{shown(bar['lower'])} to {shown(bar['upper'])}"


def _answer(answer: TableAnswer) -> str:
    heading = f"<h3>{html.escape(str(answer['question']))}</h3>"
    if "refused" in answer:
        return heading + f"<p>No answer: {html.escape(str(answer['refused']))}.</p>"
    rows: list[Sequence[object]] = []
    for part in ("answers", "differences"):
        for one in answer.get(part, []):
            what = one["of"] if "group" not in one else f"{one['group']}: {one['of']}"
            estimate = "unknown" if one["estimate"] is None else shown(one["estimate"])
            rows.append([what, estimate, _interval(one["table"]), _interval(one["population"])])
    head = ["", "estimate", "in the table, 95 %", "in the population, 95 %"]
    notes = []
    if answer.get("target") == "pairs":
        notes.append("The coefficients are those that pairs of columns determine. If three of the columns interact, the table's own differ.")
    if answer.get("of_bins"):
        notes.append("A number counts as the middle of its bin: coefficients of the numbers themselves may lie outside the intervals.")
    if answer.get("counted_together"):
        notes.append(f"Counted together: {'; '.join(answer['counted_together'])}.")
    said = f"<p>{html.escape(' '.join(notes))}</p>" if notes else ""
    return heading + f'<div class="wide reader">{table(head, rows, kind="cards")}</div>' + said


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
            off = f"±\u00a0{100 * 1.96 * math.sqrt(variance):.2g}"
            rows.append([f"{at + 1}. {name}", cells, off, _percent(counts.sample_share(at)), told])
        else:
            rows.append([f"{at + 1}. {name}", "", "follows from another column", "", told])
    head = ["column", "values", "a share in points, 95 %", "as good as a sample of", "counted together with"]
    return f'<div class="wide">{table(head, rows, kind="cards")}</div>'


def _not_kept(counts: _Counts, facts: Mapping[str, Any]) -> list[str]:
    """Facts of the real table that the released rows do not have, in sentences."""
    names = counts.names
    lost = [pair for pair in itertools.combinations(range(len(names)), 2) if pair not in counts.pairs]
    said = []
    if lost:
        listed = ", ".join(f"{names[i]} with {names[j]}" for i, j in lost[:_MOST_LISTED])
        more = f" and {len(lost) - _MOST_LISTED} more" if len(lost) > _MOST_LISTED else ""
        said.append(f"How columns of a pair that was not counted depend on each other, except through other columns: {listed}{more}.")
    said.append("Patterns that show only in three or more columns together. How far three columns together are off is unknown.")
    said.append("Rare values and rare combinations: noise hides them.")
    said.append("The place of a number inside its bin, and the order of the rows.")
    if facts["spec"].get("unit"):
        said.append(
            "Which rows belong to one person. A released row belongs to nobody. Each real person counted once, however many rows they had: "
            "the rows of a person shared the person's weight. So shares are shares of persons, and how one row of a person "
            "depends on the person's other rows is lost."
        )
    else:
        said.append(
            "Which rows belong together. If a person or a household has several rows in the real table, the released rows do not show it, and "
            "the promise protects one row, not all rows of a person."
        )
    return said


def _how(counts: _Counts, facts: Mapping[str, Any], rows: int, unit: str) -> list[str]:
    """How the table was made, in sentences."""
    counted = sum(1 for at in counts.columns)
    promised = facts["privacy"]
    said = [
        f"A program counted how often each value of {counted} columns occurs, and how often each two values of {len(counts.pairs)} pairs of columns occur together.",
        "It changed each count by a random number, which it did not keep.",
        f"It found a model that agrees with the changed counts as well as one can, and drew {rows} rows from it. The real rows were not used again.",
    ]
    if promised.get("epsilon") is not None and promised["epsilon"] < 20:
        factor = math.exp(promised["epsilon"])
        changed = f"any one {unit} were missing" if facts["spec"].get("neighbours") == "add-remove" else f"any one {unit}'s values were others"
        said.append(
            f"So a real {unit} leaves little trace: if {changed}, no result would become more than {factor:.3g} times "
            f"likelier{' or rarer, except with a tiny probability' if promised.get('delta') else ' or rarer'}."
        )
    return said


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
    if facts["spec"].get("weights"):
        made_of = f"rows that weigh {counts.rows:.0f} together"
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
    off = model.error
    if off and off["independent"]:
        said = (
            f"To have two columns together as in the real table, {_percent(off['two_way'])} of the rows would have to change, on average over pairs. "
            f"If columns were independent, it would be {_percent(off['independent']['two_way'])}."
        )
        parts.append(f"<p>{said}</p>")
    for one in release.warnings:
        said = "the rows may show no dependence between columns but noise" if one.code == "as-if-independent" else str(one)
        parts.append(f"<p><strong>Warning: {html.escape(said)}.</strong></p>")
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
    parts.append("<h2>What is not kept</h2>" + _list(_not_kept(counts, facts)))
    rules = list(model.domain.rules)
    if rules:
        parts.append("<h2>Rules that all rows keep</h2>" + _list(map(_rule, rules)))
    parts.append(
        "<h2>Check it</h2><p>The certificate below states what was promised. Ask for its file, the domain's file, the model's file and the rows. With them, "
        "<code>mollify verify</code> computes the promise again, and tests that the certificate belongs to the model and the rows. "
        "<code>mollify answer</code> gives more answers with error bars from the model's file. Neither needs the real table.</p>"
    )
    if contact:
        parts.append(f'<p class="contact"><strong>To have a conclusion checked on the real table, ask:</strong> {html.escape(contact)}</p>')
    parts.append("<h2>How it was made</h2>" + _list(_how(counts, facts, len(release), unit)))
    return parts


def _list(items: Iterable[str]) -> str:
    return "<ul>" + "".join(f"<li>{html.escape(item)}</li>" for item in items) + "</ul>"


def _rule(rule: str | Mapping[str, Any]) -> str:
    """A rule in words."""
    if isinstance(rule, str):
        return rule
    if "follows" in rule:
        return str(rule.get("name") or f"{rule['column']} follows from {rule['follows']}")
    return f"{rule['name']}: {rule['rule']}" if "name" in rule else str(rule["rule"])
