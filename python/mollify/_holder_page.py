"""The holder's page, NOT PRIVATE: the real table next to the released rows."""

from __future__ import annotations

import html
import itertools
from collections.abc import Mapping, Sequence
from typing import Any

from mollify._answer import Comparison
from mollify._column_map import column_map
from mollify._html import COLOURS, MOST_BARS, bars_and_more, folded, shown, table, wide
from mollify._plot import WORDS, column_distance

STYLE = """
.off { white-space: nowrap } .off span { display: inline-block; height: .7rem; background: #8b1a1a; margin-right: .4rem; vertical-align: baseline }
summary .off { font-size: 14px; padding-left: .6rem } .worst th { overflow-wrap: normal } .worst td:first-child { max-width: 24rem }
"""
_IF = {"independent": "if columns were independent", "uniform": "if all values were equally frequent"}
_SAID = {"truth": "real data", "released": "released rows", "model": "noisy counts"}
_STEPS = {0.01: "#f3e6e6", 0.02: "#e5bcbc", 0.05: "#cf8383", 0.1: "#b04545"}
_WORST = "#6d0f0f"
_MOST_PAIRS = 12
_MOST_LEVELS = 1000
_MOST_OPEN = 8


def _step(distance: float) -> str:
    """The least of a map's steps that a distance is below."""
    for step in _STEPS:
        if distance < step:
            return f"below {step:g}"
    return f"{step:g} or more"


def _colours() -> dict[str, str]:
    kinds = {f"below {step:g}": colour for step, colour in _STEPS.items()}
    return kinds | {f"{list(_STEPS)[-1]:g} or more": _WORST}


def _small_bar(distance: float, worst: float) -> str:
    width = 0 if worst <= 0 else 6 * distance / worst
    return f'<span class="off"><span style="width:{width:.2f}rem"></span>{distance:.3f}</span>'


def _number(value: Any) -> str:
    return "–" if value is None else shown(value)


def _question(found: Mapping[str, Any]) -> str:
    """A question's answers from the real rows, the released ones, and the model with its interval."""
    kinds = [kind for kind in _SAID if any(kind in row for row in found["rows"])]
    head = ["", *(_SAID[kind] for kind in kinds), *(["95 % interval", "holds real"] if "model" in kinds else [])]
    rows, verdicts = [], []
    for row in found["rows"]:
        cells = [row["of"] if row["group"] is None else f"{row['group']}: {row['of']}", *(_number(row[kind]) for kind in kinds)]
        if "model" in kinds:
            low, high, real = row.get("lower"), row.get("upper"), row["truth"]
            verdict = "" if None in (low, high, real) else "yes" if low <= real <= high else "NO"
            verdicts.append(verdict)
            cells += ["–" if None in (low, high) else f"{shown(low)} to {shown(high)}", verdict]
        rows.append(cells)
    drawn = f"<h3>{html.escape(found['question'])}</h3>"
    if rows:
        drawn += f'<div class="wide reader">{table(head, rows, kind="cards")}</div>'
    if any(verdicts):
        drawn += f"<p>{verdicts.count('yes')} of {len(verdicts) - verdicts.count('')} intervals hold the real number.</p>"
    for kind, why in found["refused"].items():
        drawn += f"<p>No answer from the {_SAID[kind]}: {html.escape(why)}.</p>"
    return drawn


def _lead(comparison: Comparison, kind: str) -> str:
    rows = comparison.get("released_records", comparison.get("simulated_records"))
    told = [f"{comparison['records']} real records, and {rows} released rows."] if "records" in comparison else []
    if comparison.get("pairs") and len(comparison["columns"]) > 1:
        pairs = comparison["pairs"]
        told.append(
            f"<strong>Two columns of the released rows are {pairs[kind]['mean_tv']:.3f} from the real table's in total variation, on average over pairs</strong>"
        )
        chance = comparison.get("tv_by_chance")
        told[-1] += f" ({chance:.3f} by chance alone, if rows were drawn from the real table)." if chance is not None else "."
        told += [f"It would be {one['mean_tv']:.3f} {_IF.get(name, name)}." for name, one in pairs.items() if name != kind]
    else:
        told.append(f"<strong>The column of the released rows is {column_distance(comparison['columns'][0], kind):.3f} from the real table's in total variation.</strong>")
    told.append("A total variation of .05 means: 5 of 100 rows would have to change.")
    return f'<p class="lead">{" ".join(told)}</p>'


def holder_parts(comparison: Comparison, known: Sequence[tuple[str, object]]) -> list[str]:
    """How far the release is from the real table, the holder's questions from both, a map of
    pairs, the worst of them, and all columns, worst first.
    """
    columns = comparison["columns"]
    names = [column["name"] for column in columns]
    kind = next(name for name in columns[0]["shares"] if name != "truth")
    off = [column_distance(column, kind) for column in columns]
    pairs = dict(zip(itertools.combinations(range(len(names)), 2), comparison["pairs"][kind]["tv"]))
    others = {name: one["tv"] for name, one in comparison["pairs"].items() if name != kind}

    def distance(i: int, j: int) -> float:
        return off[i] if i == j else pairs[min(i, j), max(i, j)]

    def words(i: int, j: int) -> str:
        return f"{names[i] if i == j else f'{names[i]} with {names[j]}'}: {distance(i, j):.3f}"

    parts = [_lead(comparison, kind)] + ([wide(["", ""], known)] if known else [])
    if comparison.get("questions"):
        parts.append("<h2>Questions</h2>")
        parts += [_question(found) for found in comparison["questions"]]
    if len(names) > 1:
        parts.append("<h2>Pairs of columns</h2><p>The total variation between the real table and the released rows, of two columns together and, on the diagonal, of one.</p>")
        parts.append(column_map(names, lambda i, j: _step(distance(i, j)), _colours(), words, "How far each pair of columns is from the real table"))
        worst = sorted(range(len(pairs)), key=lambda place: -comparison["pairs"][kind]["tv"][place])[:_MOST_PAIRS]
        places = list(pairs)
        rows = [
            (f"{names[places[at][0]]} with {names[places[at][1]]}", f"{pairs[places[at]]:.3f}", *(f"{one[at]:.3f}" for one in others.values()))
            for at in worst
        ]
        head = ["", WORDS.get(kind, kind), *(_IF.get(name, name) for name in others)]
        parts.append(f"<h3>The {len(rows)} worst pairs</h3>" + f'<div class="wide worst">{table(head, rows)}</div>')
    parts.append("<h2>Columns, the worst first</h2>")
    for place, at in enumerate(sorted(range(len(names)), key=lambda i: (-off[i], i))):
        heading = f"<h3>{html.escape(names[at])}</h3> {_small_bar(off[at], max(off))}"
        parts.append(folded(heading, _shares(columns[at], kind), is_open=place < _MOST_OPEN))
    return parts


def _shares(column: Mapping[str, Any], kind: str) -> str:
    """Bars of a column's most frequent values, real and released."""
    shares = column["shares"]
    order = sorted(range(len(column["levels"])), key=lambda i: -float(shares["truth"][i]))
    order = sorted(order[:MOST_BARS]) + sorted(order[MOST_BARS:_MOST_LEVELS])  # in the domain's order
    levels = list(column["levels"])
    levels[-1:] = ["(null)"] if levels[-1:] == ["-"] else levels[-1:]
    rows = [(levels[i], {name: float(shares[name][i]) for name in ("truth", kind)}) for i in order]
    drawn = bars_and_more(rows, dict(zip(("truth", kind), COLOURS)))
    if len(order) < len(column["levels"]):
        drawn += f"<p>The {len(order)} most frequent of {len(column['levels'])}.</p>"
    return drawn
