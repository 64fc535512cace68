"""Tables in HTML: of pages, and of notebooks."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence


def shown(number: float) -> str:
    """Four digits, which a page has room for; and all before the point."""
    return f"{number:.4g}" if isinstance(number, float) and abs(number) < 1e4 else f"{number:.0f}"


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A row of cells for each row; without any name, no head. A null's cell is empty."""

    def cell(value: object) -> str:
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return f'<td class="number">{shown(value)}</td>'
        if isinstance(value, bool):
            value = str(value).lower()
        return f"<td>{html.escape('' if value is None else str(value))}</td>"

    cells = [list(map(cell, row)) for row in rows]
    kinds = [' class="number"' if "number" in one[:20] else "" for one in cells[0]] if cells else []
    header = "".join(
        f"<th{kinds[i] if kinds else ''}>{html.escape(name)}</th>" for i, name in enumerate(head)
    )
    body = "".join(f"<tr>{''.join(row)}</tr>" for row in cells)
    top = f"<thead><tr>{header}</tr></thead>" if any(head) else ""
    return f"<table>{top}<tbody>{body}</tbody></table>"
