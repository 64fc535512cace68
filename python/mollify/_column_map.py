"""A map of columns against columns, as a picture that needs no program."""

from __future__ import annotations

import html
from collections.abc import Callable, Mapping, Sequence

STYLE = """
.map { max-width: 100%; height: auto } @media print { .map { min-width: 0 !important; max-width: 16cm } } .map text { font: 11px system-ui, sans-serif; fill: #1b1f24 }
.keys { line-height: 1.9 } .keys > span { white-space: nowrap; margin-right: .8rem } .keys .key { border: 1px solid #888 }
"""
_MOST_NAMED = 40
_MOST_LETTERS = 18
_LEAST_WIDTH = 480
"""In pixels: a map that is smaller than this on a phone has names that nobody can read, so it scrolls."""
_MOST_DESCRIBED = 60
"""Squares of more columns have no texts of their own, or a page would take megabytes."""


def shortened(name: str) -> str:
    return name if len(name) <= _MOST_LETTERS else name[: _MOST_LETTERS - 1] + "…"


def column_map(
    names: Sequence[str], look: Callable[[int, int], str], colours: Mapping[str, str], words: Callable[[int, int], str], label: str
) -> str:
    """Columns against columns, each square in the colour of its kind, and a key.

    Of more than 40 columns every tenth has its number in place of names.
    """
    number = len(names)
    side = 22 if number <= 24 else 16 if number <= _MOST_NAMED else 12 if number <= 60 else 4
    named = number <= _MOST_NAMED
    left = 20 + 6.4 * max(map(len, map(shortened, names))) if named else 36
    top = left * 0.82 + 10 if named else 26
    drawn, paths = [], dict.fromkeys(colours, "")
    for i, name in enumerate(names):
        short = html.escape(shortened(name))
        middle = i * side + side / 2
        if named:
            drawn.append(f'<text x="{left - 6:.0f}" y="{top + middle + 4:.0f}" text-anchor="end">{short}</text>')
            drawn.append(f'<text transform="translate({left + middle + 4:.0f} {top - 6:.0f}) rotate(-55)">{short}</text>')
        elif (i + 1) % 10 == 0:
            drawn.append(f'<text x="{left - 6:.0f}" y="{top + middle + 4:.0f}" text-anchor="end">{i + 1}</text>')
            drawn.append(f'<text x="{left + middle:.0f}" y="{top - 6:.0f}" text-anchor="middle">{i + 1}</text>')
        for j in range(number):
            x, y, found = left + j * side, top + i * side, look(i, j)
            if number > _MOST_DESCRIBED:
                paths[found] += f"M{x:.0f} {y:.0f}h{side}v{side}h-{side}z"
                continue
            drawn.append(
                f'<rect x="{x:.0f}" y="{y:.0f}" width="{side - 1}" height="{side - 1}" fill="{colours[found]}" '
                f'stroke="#d5d9df" stroke-width=".5"><title>{html.escape(words(i, j))}</title></rect>'
            )
    drawn += [f'<path fill="{colours[found]}" d="{path}"/>' for found, path in paths.items() if path]
    width, height = left + number * side + (left * 0.6 if named else 12), top + number * side + 8
    keys = "".join(f'<span><span class="key" style="background:{colour}"></span> {html.escape(found)}</span> ' for found, colour in colours.items())
    return (
        f'<p class="keys">{keys}</p><div class="wide"><svg class="map" style="min-width:{min(width, _LEAST_WIDTH):.0f}px" viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" role="img" '
        f'aria-label="{html.escape(label)}">{"".join(drawn)}</svg></div>'
    )
