"""Figures as data, and their files: numbers as CSV, a picture as SVG, and one page with all figures."""

from __future__ import annotations

import base64
import csv
import html
import io
import itertools
import math
import textwrap
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mollify._files import optional

Numbers = NDArray[np.float64]

# -------------------------------------------------------------------------------------------------
# What a figure is made of.


@dataclass
class Curve:
    """Points of one curve, in order."""

    name: str
    x: Sequence[float]
    y: Sequence[float]
    spread: Sequence[float] = ()
    """Half of the bar drawn about each point; empty: no bars."""
    dashed: bool = False
    colour: int | None = None
    """Number of a colour; None: the curve's place among the curves."""
    shade: float | None = None
    """For curves that are in an order: from 0, the first, to 1. Replaces the colour."""


@dataclass
class LineChart:
    """Curves over numbers."""

    title: str
    x_label: str
    y_label: str
    curves: list[Curve]
    stripes: Sequence[tuple[float, float, str]] = ()
    """Low, high and name of horizontal stripes behind the curves."""
    log_x: bool = False
    log_y: bool = False
    y_reaches: Sequence[float] = ()
    """Values that the axis of y contains, whatever the curves do."""


@dataclass
class Bars:
    """One bar in each group."""

    name: str
    values: Sequence[float]
    published: Sequence[float] = ()
    """The published number of each group, drawn as a diamond; empty: none."""
    colour: int | None = None


@dataclass
class BarChart:
    """Groups of bars."""

    title: str
    x_label: str
    y_label: str
    groups: Sequence[str]
    bars: list[Bars]


@dataclass
class HeatMap:
    """Values on a square raster of the plane; the colours begin at 0."""

    title: str
    low: float
    high: float
    values: Numbers
    """A row for each y, ascending; within it a value for each x, ascending."""
    most: float = 0
    """Value of the last colour; 0: the greatest value."""
    steps: int = 0
    """Number of colours, so that their borders are contours; 0: a smooth scale."""
    unit: str = "density"


@dataclass
class PublishedNumber:
    """A number that a paper prints, the number to expect, and the number that came out."""

    what: str
    published: float | None = None
    expected: float | None = None
    """By a closed form, an integral, perfect classifiers or another program, as `what` says."""
    ours: float | None = None
    why: str = ""
    """Why the numbers differ, if they differ by more than rounding."""
    spread: float | None = None
    """Standard deviation of one repeat, if `ours` is a mean."""


@dataclass
class Figure:
    """A figure or a table of a paper."""

    text: list[str]
    """Paragraphs for a reader who doesn't have the paper."""
    charts: list[LineChart | BarChart | HeatMap] = field(default_factory=list)
    in_a_row: int = 3
    comparisons: list[PublishedNumber] = field(default_factory=list)
    columns: Sequence[str] = ()
    rows: list[list[str]] = field(default_factory=list)
    """A table of text, below `columns`."""
    published: str = "published"
    """What the column of published numbers is called."""
    name: str = ""
    paper: str = ""
    title: str = ""

    def compare(self, what: str, ours: float | None, **parts: Any) -> None:
        """Adds a comparison."""
        self.comparisons.append(PublishedNumber(what, ours=ours, **parts))


def heat_map(title: str, span: float, pixels: int, values: Callable[[Numbers], Numbers], **parts: Any) -> HeatMap:
    """A map of [-span, span]^2; `values` of the points, a row of x and y each."""
    points = raster(span, pixels)
    return HeatMap(title, -span, span, values(points).reshape(pixels, pixels), **parts)


def raster(span: float, pixels: int) -> Numbers:
    """The middles of all pixels of [-span, span]^2 in the order of a map's values."""
    middles = -span + (np.arange(pixels) + 0.5) * (2 * span / pixels)
    y, x = np.meshgrid(middles, middles, indexing="ij")
    return np.stack([x.ravel(), y.ravel()], axis=1)


# -------------------------------------------------------------------------------------------------
# Pictures.

_INK, _SOFT = "#1f2933", "#55626e"
# Told apart by people of any colour vision [Okabe and Ito's palette].
_COLOURS = "#0072b2 #d55e00 #009e73 #cc79a7 #56b4e9 #e69f00 #5b4fa2 #8a6d3b #444444 #b2182b".split()
_ORDERED = "#1b1e5a #44277e #70308f #9a3389 #bf3b73 #da4f57 #e76e3c #ea8f2b #d9a820 #a8a632".split()
_STRIPES = ("#dbe7f5", "#b3cdea")
# From dark blue over green to yellow, each colour lighter than the one before.
_HEAT = [(13, 20, 60), (38, 68, 134), (33, 122, 140), (62, 170, 112), (170, 208, 64), (253, 240, 150)]


def _colour(series: Curve | Bars, place: int) -> str:
    if isinstance(series, Curve) and series.shade is not None:
        return _ORDERED[round(series.shade * (len(_ORDERED) - 1))]
    return _COLOURS[(place if series.colour is None else series.colour) % len(_COLOURS)]


def _legend(names: Sequence[str], symbol: str) -> Any:
    columns = 1 if max(map(len, names)) > 20 else 3
    return optional("altair", "plot").Legend(
        orient="bottom", columns=columns, title=None, labelLimit=400, symbolType=symbol, symbolStrokeWidth=3
    )


def _title(chart: LineChart | BarChart | HeatMap, width: int) -> list[str]:
    """In as few lines as are no wider than the chart, with its axis, and about equally long."""
    wide = (width + 50) // 7
    fewest = len(textwrap.wrap(chart.title, wide))
    wrapped = [textwrap.wrap(chart.title, one) for one in range(10, wide + 1)]
    return min(wrapped, key=lambda lines: (len(lines) != fewest, max(map(len, lines))))


def _lines(chart: LineChart) -> Any:
    alt = optional("altair", "plot")
    names = [curve.name for curve in chart.curves]
    colours = [_colour(curve, place) for place, curve in enumerate(chart.curves)]
    rows = [
        {"x": x, "y": y, "of": curve.name, "low": y - spread, "high": y + spread}
        for curve in chart.curves
        for x, y, spread in zip(curve.x, curve.y, curve.spread or [0.0] * len(curve.x))
        if math.isfinite(y)
    ]
    for value in chart.y_reaches:
        rows.append({"x": chart.curves[0].x[0], "reached": value})
    x_scale = alt.Scale(type="log", nice=False) if chart.log_x else alt.Scale(nice=False, zero=False)
    y_scale = alt.Scale(type="log") if chart.log_y else alt.Scale(zero=False)
    x = alt.X("x:Q", title=chart.x_label, scale=x_scale)
    y = alt.Y("y:Q", title=chart.y_label, scale=y_scale)
    names += [name for _, _, name in chart.stripes]
    legend = _legend(names, "stroke")
    colour = alt.Color("of:N", scale=alt.Scale(domain=names, range=[*colours, *_STRIPES]), legend=legend)
    dashes = [[5, 4] if one.dashed else [1, 0] for one in chart.curves] + [[1, 0] for _ in chart.stripes]
    dash = alt.StrokeDash("of:N", scale=alt.Scale(domain=names, range=dashes), legend=legend)
    base = alt.Chart(alt.Data(values=rows)).transform_filter("isValid(datum.y)")
    layers = []
    if chart.stripes:
        bands = [{"of": name, "low": low, "high": high} for low, high, name in chart.stripes]
        layers.append(
            alt.Chart(alt.Data(values=bands))
            .mark_rect()
            .encode(y=alt.Y("low:Q", title=chart.y_label, scale=y_scale), y2="high:Q", color=colour)
        )
    layers.append(
        base.mark_line(strokeWidth=2, point=len(chart.curves[0].x) <= 30).encode(
            x=x, y=y, color=colour, strokeDash=dash
        )
    )
    if any(curve.spread for curve in chart.curves):
        layers.append(base.mark_rule().encode(x=x, y=alt.Y("low:Q", title=chart.y_label), y2="high:Q", color=colour))
    if chart.y_reaches:
        reached = alt.Chart(alt.Data(values=rows)).transform_filter("isValid(datum.reached)")
        layers.append(reached.mark_point(opacity=0).encode(x=x, y=alt.Y("reached:Q", title=chart.y_label)))
    return alt.layer(*layers).properties(title=_title(chart, 330), width=330, height=220)


def _bars(chart: BarChart) -> Any:
    alt = optional("altair", "plot")
    names = [bars.name for bars in chart.bars]
    colours = [_colour(bars, place) for place, bars in enumerate(chart.bars)]
    top = max(value for bars in chart.bars for value in [*bars.values, *bars.published])
    rows = []
    for bars in chart.bars:
        for place, (group, value) in enumerate(zip(chart.groups, bars.values)):
            published = bars.published[place] if bars.published else None
            # A bar that is too low to be seen is written out.
            words = f"{value:.2g}" if value < 0.012 * top else ""
            rows.append({"group": group, "of": bars.name, "value": value, "published": published, "words": words})
    base = alt.Chart(alt.Data(values=rows)).encode(
        x=alt.X("group:N", title=chart.x_label, sort=list(chart.groups), axis=alt.Axis(labelAngle=0)),
        xOffset=alt.XOffset("of:N", sort=names),
    )
    y = alt.Y("value:Q", title=chart.y_label)
    colour = alt.Color("of:N", scale=alt.Scale(domain=names, range=colours), sort=names, legend=_legend(names, "square"))
    layers = [base.mark_bar().encode(y=y, color=colour)]
    written = base.transform_filter("datum.words != ''")
    layers.append(written.mark_text(angle=270, align="left", dx=8, fontSize=9, color=_INK).encode(y=y, text="words:N"))
    if any(bars.published for bars in chart.bars):
        marks = base.transform_filter("isValid(datum.published)")
        layers.append(
            marks.mark_point(
                shape="diamond", filled=True, fill=_INK, stroke="white", strokeWidth=1, size=45, opacity=1
            ).encode(y=alt.Y("published:Q", title=chart.y_label))
        )
    width = max(290, 18 * len(chart.groups) * len(chart.bars))
    return alt.layer(*layers).properties(title=_title(chart, width), width=width, height=220)


def _heat_colours(count: int) -> NDArray[np.uint8]:
    places = np.linspace(0, len(_HEAT) - 1, count)
    parts = np.array(_HEAT, dtype=float).T
    mixed = [np.interp(places, np.arange(len(_HEAT)), part) for part in parts]
    colours: NDArray[np.uint8] = np.rint(np.stack(mixed, axis=1)).astype(np.uint8)
    return colours


def _map(chart: HeatMap) -> Any:
    from PIL import Image

    alt = optional("altair", "plot")
    values = np.where(np.isfinite(chart.values), chart.values, 0)
    most = chart.most or float(values.max()) or 1.0
    count = chart.steps or 256
    places = np.clip(np.floor(values / most * count), 0, count - 1).astype(np.intp)
    picture = io.BytesIO()
    Image.fromarray(_heat_colours(count)[places[::-1]]).save(picture, format="PNG")
    url = "data:image/png;base64," + base64.b64encode(picture.getvalue()).decode()
    side, middle = 230, (chart.low + chart.high) / 2
    shown = alt.Scale(domain=[chart.low, chart.high], nice=False)
    place = {"x": middle, "y": middle, "url": url, "value": 0}
    base = alt.Chart(alt.Data(values=[place])).encode(
        x=alt.X("x:Q", scale=shown, axis=alt.Axis(grid=False, tickCount=5)),
        y=alt.Y("y:Q", scale=shown, axis=alt.Axis(grid=False, tickCount=5)),
    )
    colours = ["#" + bytes(colour).hex() for colour in _heat_colours(len(_HEAT))]
    scale = alt.Scale(domain=[0, most], range=colours)
    legend = alt.Legend(
        orient="bottom", title=chart.unit, gradientLength=side, gradientThickness=8, format=".3~g",
        values=[0, most], titleFontWeight="normal",
    )
    image = base.mark_image(width=side, height=side, aspect=False).encode(url="url:N")
    unseen = base.mark_point(opacity=0).encode(color=alt.Color("value:Q", scale=scale, legend=legend))
    return alt.layer(image, unseen).properties(title=_title(chart, side), width=side, height=side)


def picture(figure: Figure) -> str:
    """The charts of a figure as SVG: rows of charts below the figure's title."""
    alt = optional("altair", "plot")
    draw: dict[type, Callable[[Any], Any]] = {LineChart: _lines, BarChart: _bars, HeatMap: _map}
    drawn = [draw[type(chart)](chart) for chart in figure.charts]
    apart = dict.fromkeys(("color", "strokeDash", "x", "y", "xOffset"), "independent")
    rows = [
        alt.hconcat(*drawn[first : first + figure.in_a_row]).resolve_scale(**apart)
        for first in range(0, len(drawn), figure.in_a_row)
    ]
    marks = any(isinstance(chart, BarChart) and any(bars.published for bars in chart.bars) for chart in figure.charts)
    notice = [f"{figure.paper} - computed by mollify.reproduce, NOT PRIVATE"]
    notice += ["diamonds: published numbers"] if marks else []
    heading = alt.TitleParams(figure.title, subtitle=notice, anchor="start", fontSize=18, subtitleColor=_SOFT, offset=16)
    whole = (
        alt.vconcat(*rows, title=heading, background="#fffefb", padding=18)
        .resolve_scale(**apart)
        .configure(font="Helvetica, Arial, sans-serif")
        .configure_axis(labelColor=_SOFT, titleColor=_INK, titleFontWeight="normal", gridColor="#e6e9eb")
        .configure_title(color=_INK)
    )
    text = io.StringIO()
    whole.save(text, format="svg")
    # Names inside, such as "clip7", count on from one picture of a process to the next.
    names: dict[str, str] = {}
    words = ["".join(word) for _, word in itertools.groupby(text.getvalue(), lambda one: one.isalnum() or one == "_")]
    for word in words:
        stem = word.rstrip("0123456789")
        if stem in ("clip", "gradient_") and stem != word:
            names.setdefault(word, f"{stem}{len(names)}")
    return "".join(names.get(word, word) for word in words)


# -------------------------------------------------------------------------------------------------
# Numbers.


def _text(value: float | None, digits: int = 10) -> str:
    return "" if value is None else f"{value:.{digits}g}"


def _csv(rows: Iterable[Sequence[object]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def _series(chart: LineChart | BarChart) -> Iterable[Sequence[object]]:
    if isinstance(chart, LineChart):
        for curve in chart.curves:
            spreads = [_text(spread, 4) for spread in curve.spread] or [""] * len(curve.x)
            for x, y, spread in zip(curve.x, curve.y, spreads):
                yield chart.title, curve.name, _text(x), _text(y), spread, ""
        return
    for bars in chart.bars:
        published = [_text(one) for one in bars.published] or [""] * len(bars.values)
        for group, value, mark in zip(chart.groups, bars.values, published):
            yield chart.title, bars.name, group, _text(value, 17), "", mark


def _panels(maps: Iterable[HeatMap]) -> Iterable[Sequence[object]]:
    for chart in maps:
        count = len(chart.values)
        middles = chart.low + (np.arange(count) + 0.5) * ((chart.high - chart.low) / count)
        yield ["panel", "y", *(f"x={middle:.5g}" for middle in middles)]
        for middle, row in zip(middles, chart.values):
            yield [chart.title, f"{middle:.5g}", *(f"{value:.4g}" for value in row)]


def files(figure: Figure) -> dict[str, str]:
    """The files of a figure by name: numbers of its charts or its table, of its maps and its
    comparisons as CSV, and the picture."""
    found: dict[str, str] = {}
    charts = [chart for chart in figure.charts if not isinstance(chart, HeatMap)]
    if figure.columns:
        found[f"{figure.name}.csv"] = _csv([figure.columns, *figure.rows])
    elif charts:
        head = ("chart", "series", "x", "y", "spread", "published")
        found[f"{figure.name}.csv"] = _csv([head, *(row for chart in charts for row in _series(chart))])
    maps = [chart for chart in figure.charts if isinstance(chart, HeatMap)]
    if maps:
        found[f"{figure.name}-panels.csv"] = _csv(_panels(maps))
    if figure.comparisons:
        head = ("what", figure.published, "expected", "ours", "spread", "why")
        rows = [
            (one.what, *map(_text, (one.published, one.expected, one.ours, one.spread)), one.why)
            for one in figure.comparisons
        ]
        found[f"{figure.name}-published.csv"] = _csv([head, *rows])
    if figure.charts:
        found[f"{figure.name}.svg"] = picture(figure)
    return found


# -------------------------------------------------------------------------------------------------
# The page.

_STYLE = """
body { font: 16px/1.5 Helvetica, Arial, sans-serif; color: #1f2933; background: #f4f5f2; margin: 0 auto;
       max-width: 1180px; padding: 24px; }
section { background: #fffefb; border: 1px solid #d5dade; border-radius: 14px; padding: 8px 24px 20px; margin: 24px 0; }
.source { color: #55626e; margin: 0 0 8px; } nav .source { font-size: 14px; }
.notice { background: #fdeee3; border-left: 5px solid #b4470b; padding: 8px 14px; }
img { max-width: 100%; height: auto; } dt { font-weight: 600; } dd { margin: 0; }
table { border-collapse: collapse; margin: 12px 0; font-size: 14px; }
th { text-align: left; border-bottom: 2px solid #94a0ab; } tr + tr td { border-bottom: 1px solid #e6e9eb; }
td, th { padding: 3px 12px 3px 0; vertical-align: top; }
td.n { font-variant-numeric: tabular-nums; white-space: nowrap; }
nav ol { columns: 2; column-gap: 32px; margin: 0; } nav li { break-inside: avoid; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 4px 16px; margin: 8px 0; }
summary { cursor: pointer; color: #2255b5; margin: 8px 0; }
"""

_WORDS = {
    "P, Q, Q0": "P is the private distribution. Q is the distribution that is sampled instead. Q0 is a public distribution "
    "to start from.",
    "epsilon": "Whatever the private data are, no output becomes more than e^epsilon times as likely: a smaller epsilon is "
    'more private. Epsilon protects everybody\'s data together, except where it says "per record": then all n records '
    "together have n times that epsilon.",
    "mollifier": "A set of distributions. Any two of them differ by at most a factor of e^epsilon everywhere, so one point "
    "drawn from the member nearest to P is private.",
    "MBDE": "Mollified boosted density estimation: classifiers learn to tell samples of P from samples of Q, and Q is bent "
    "by what they learn, within a mollifier about Q0.",
    "DPB": "The differentially private Bernstein mechanism: a density made of polynomials with noise on their "
    "coefficients, epsilon per record.",
    "DPGAN": "A generative adversarial network that learns from noisy gradients.",
    "minimax": "The mechanism with the least possible worst case over all P at this epsilon.",
    "negative log-likelihood": "-E_P ln Q in nats. Less is better; the least value, the entropy of P, is reached by Q = P.",
    "mode coverage": "The share of P that lies where Q has its densest 95 %.",
    "divergences": "Kullback-Leibler (KL, in nats), total variation and squared Hellinger (both at most 1): how far Q is "
    "from P. 0: not at all.",
    "published, expected, here": "In tables: the number that a paper prints or its code computes; the number to expect by "
    "a closed form or an integral, or else by what the row names; the number of this run, with the standard deviation of "
    "one repeat after \u00b1. The table says why numbers differ by more than rounding.",
}


def _grouped(digits: str) -> str:
    """Many digits in threes, with a narrow space between."""
    return f"{int(digits):,}".replace(",", "&#8239;")


def _number(value: float | None, spread: float | None = None) -> str:
    if value is None:
        return '<td class="n">-</td>'
    text = f"{value:.5g}"
    if 1e5 <= value < 1e15:
        text = _grouped(f"{float(text):.0f}")
    return f'<td class="n">{text}{"" if spread is None else f" &#177; {spread:.2g}"}</td>'


def _cell(text: str) -> str:
    return f'<td class="n">{_grouped(text)}</td>' if text.isdecimal() else f"<td>{html.escape(text)}</td>"


def _table(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    lines = ["<tr>" + "".join(f"<th>{html.escape(head)}</th>" for head in heads) + "</tr>"]
    lines += ["<tr>" + "".join(row) + "</tr>" for row in rows]
    return "<table>\n" + "\n".join(lines) + "\n</table>\n"


def _comparisons(rows: Sequence[PublishedNumber], published: str) -> str:
    if not rows:
        return ""
    table = _table(
        ["number", published, "expected", "here", "why they differ"],
        [
            [
                f"<td>{html.escape(row.what)}</td>", _number(row.published), _number(row.expected),
                _number(row.ours, row.spread), f"<td>{html.escape(row.why)}</td>",
            ]
            for row in rows
        ],
    )
    # A long table is folded.
    if len(rows) <= 15:
        return table
    return f"<details>\n<summary>{len(rows)} numbers, one by one</summary>\n{table}</details>\n"


def page(figures: Sequence[tuple[Figure, Iterable[str]]], notice: str) -> str:
    """index.html: each figure with its text, its picture, its numbers and links to its files."""
    links = "".join(
        f'<li><a href="#{one.name}">{html.escape(one.title)}</a> '
        f'<span class="source">{html.escape(one.paper)}</span></li>\n'
        for one, _ in figures
    )
    words = "".join(f"<dt>{word}</dt><dd>{html.escape(meaning)}</dd>\n" for word, meaning in _WORDS.items())
    parts = [
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n',
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n',
        f"<title>The papers' figures and tables</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n",
        f"<h1>The papers' figures and tables</h1>\n<p class=\"notice\">{html.escape(notice)}</p>\n",
        f"<nav>\n<ol>\n{links}</ol>\n</nav>\n",
        f"<section>\n<h2>Words</h2>\n<dl>\n{words}</dl>\n</section>\n",
    ]
    for figure, names in figures:
        title = html.escape(figure.title)
        parts.append(
            f'<section id="{figure.name}">\n<h2>{title}</h2>\n<p class="source">'
            f"{html.escape(figure.paper)} &#183; python -m mollify.reproduce {figure.name}</p>\n"
        )
        parts += [f"<p>{html.escape(paragraph)}</p>\n" for paragraph in figure.text]
        if figure.charts:
            parts.append(f'<img src="{figure.name}.svg" alt="{title}">\n')
        if figure.columns:
            parts.append(_table(figure.columns, [map(_cell, row) for row in figure.rows]))
        parts.append(_comparisons(figure.comparisons, figure.published))
        linked = " ".join(f'<a href="{name}">{name}</a>' for name in names)
        parts.append(f'<p class="source">{linked}</p>\n</section>\n')
    return "".join(parts) + "</body>\n</html>\n"
