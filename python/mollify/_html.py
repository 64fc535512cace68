"""Tables and bars in HTML: of pages, and of notebooks."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence

from mollify._plot import WORDS

COLOURS = ("#8b1a1a", "#1a5d8b", "#a5adb8")
"""Of the real data, the release, and what both are compared with."""
MOST_BARS = 20


def shown(number: float) -> str:
    """Four digits, which a page has room for; and all before the point."""
    return f"{number:.4g}" if isinstance(number, float) and abs(number) < 1e4 else f"{number:.0f}"


def table(head: Sequence[str], rows: Iterable[Sequence[object]], *, kind: str = "") -> str:
    """A row of cells for each row; without any name, no head. A null's cell is empty.

    A table of the kind "cards" shows each row as a card on a narrow screen, where each of its cells has its name.
    """

    def cell(value: object, name: str) -> str:
        label = f' data-name="{html.escape(name)}"' if kind == "cards" and name else ""
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return f'<td class="number"{label}>{shown(value)}</td>'
        if isinstance(value, bool):
            value = str(value).lower()
        return f"<td{label}>{html.escape('' if value is None else str(value))}</td>"

    cells = [[cell(value, name) for value, name in zip(row, head)] for row in rows]
    kinds = [' class="number"' if "number" in one[:20] else "" for one in cells[0]] if cells else []
    header = "".join(
        f"<th{kinds[i] if kinds else ''}>{html.escape(name)}</th>" for i, name in enumerate(head)
    )
    body = "".join(f"<tr>{''.join(row)}</tr>" for row in cells)
    top = f"<thead><tr>{header}</tr></thead>" if any(head) else ""
    return f"<table{f' class={chr(34)}{kind}{chr(34)}' if kind else ''}>{top}<tbody>{body}</tbody></table>"


def wide(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    return f'<div class="wide">{table(head, rows)}</div>'


def folded(heading: str, inside: str, *, is_open: bool = False) -> str:
    state = ' open="open"' if is_open else ""
    return f"<details{state}><summary>{heading}</summary>{inside}</details>"


def bars(rows: Sequence[tuple[str, dict[str, float]]], colours: dict[str, str]) -> str:
    """A bar of each colour for each row, the longest over the whole width, and its
    number.

    Labels are cells of a table, which wrap, so that none is ever cut.
    """
    greatest = max((mass for _, masses in rows for mass in masses.values()), default=0) or 1
    drawn = []
    for name, masses in rows:
        drawn_bars = "".join(
            f'<div class="bar"><span style="width:{masses[kind] / greatest * 100:.2f}%;background:{colour}" '
            f'title="{WORDS.get(kind, kind)} {masses[kind]:.6g}"></span><i>{masses[kind]:{".4g" if masses[kind] < 1 else ".0f"}}</i></div>'
            for kind, colour in colours.items()
        )
        label = html.escape(name).replace("..", "..<wbr/>")
        drawn.append(f"<tr><th>{label}</th><td>{drawn_bars}</td></tr>")
    words = [WORDS.get(kind, kind) for kind in colours]
    keys = [f'<span class="key" style="background:{colour}"></span> {word}' for word, colour in zip(words, colours.values())]
    legend = f"<p>{' '.join(keys)}</p>" if len(keys) > 1 else ""
    return (
        f'{legend}<table class="bars" aria-label="{html.escape(", ".join(words))}">'
        f'<tbody>{"".join(drawn)}</tbody></table>'
    )


def bars_and_more(rows: Sequence[tuple[str, dict[str, float]]], colours: dict[str, str]) -> str:
    """Bars of the first rows, and of the others where somebody opens them."""
    shown = bars(rows[:MOST_BARS], colours)
    if len(rows) > MOST_BARS:
        rest = rows[MOST_BARS:]
        shown += folded(f"{len(rest)} more", bars(rest, colours))
    return shown
