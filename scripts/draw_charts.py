#!/usr/bin/env python3
"""Draws the charts of docs/pictures from the numbers of docs/evidence, by altair and vl-convert.

usage: draw_charts.py [--check]    writes them, or fails if the charts there are of other numbers
"""

import csv
import hashlib
import io
import json
import pathlib
import sys
import textwrap

import altair as alt
import made_from

DOCS = pathlib.Path(__file__).resolve().parent.parent / "docs"
FOLDER = DOCS / "pictures"
COLOURS = {"mollify": "#17733b", "MST": "#b4470b", "AIM": "#2255b5", "one thread": "#0072b2", "two threads": "#d55e00",
           "smooth, 1-D": "#17733b", "smooth, 10-D": "#2255b5", "worst case": "#b4470b"}
SOFT = "#55626e"


def series(rows, x, y, kinds, format="~s", **size):
    """A line of each kind through its points, on logarithmic axes."""
    colour = alt.Color("kind:N", title=None, sort=kinds, legend=alt.Legend(orient="bottom"),
                       scale=alt.Scale(domain=kinds, range=[COLOURS[kind] for kind in kinds]))
    axis = alt.Axis(format=format, tickCount=3)
    return alt.Chart(alt.Data(values=rows)).mark_line(point=True).encode(
        x=alt.X("x:Q", title=x, scale=alt.Scale(type="log", nice=False), axis=axis),
        y=alt.Y("y:Q", title=y, scale=alt.Scale(type="log", nice=False, padding=10), axis=axis), color=colour,
    ).properties(**size)


def titled(chart, title):
    """A chart as wide as the pictures, with letters as large as theirs."""
    heading = alt.TitleParams(textwrap.wrap(title, 55), anchor="start", fontSize=16)
    return chart.properties(title=heading, background="#fffefb", padding=16).configure(
        font="DejaVu Sans, Helvetica, Arial, sans-serif").configure_axis(
        gridColor="#e6e9eb", titleFontWeight="normal", titleFontSize=15, labelFontSize=15).configure_legend(
        labelFontSize=15).configure_text(fontSize=15)


def marginals():
    """Two-way total variation of released rows against epsilon, beside other tools, for each table."""
    words = {"marginals": "mollify", "MST": "MST", "AIM": "AIM"}
    # Neither has noise, so neither depends on epsilon.
    lines = {"independent columns, no noise": "independent columns", "a bootstrap of the table": "bootstrap",
             "the best tree of pairs, no noise": "best tree, no noise"}
    tables = {}
    for name in ("synthetic", "peers"):
        with (DOCS / "evidence" / f"{name}.csv").open(encoding="utf-8") as file:
            for row in csv.DictReader(file):
                if row["two-way mean"] == "not measured" or row["table"] == "national2019":  # at two epsilons only
                    continue
                points, rules = tables.setdefault(row["table"], ([], []))
                y = float(row["two-way mean"].split()[0])
                if row["rows"] in lines:
                    rules.append({"x": 5, "y": y, "words": lines[row["rows"]]})
                elif row["rows"] in words and float(row["epsilon"]) <= 5:
                    points.append({"x": float(row["epsilon"]), "y": y, "kind": words[row["rows"]]})
    charts = []
    for name, (points, rules) in tables.items():
        drawn = series(points, "ε", "", ["mollify", "MST", "AIM"], format="~g", width=300, height=190)
        rule = alt.Chart(alt.Data(values=rules)).encode(y="y:Q")
        words_at = rule.mark_text(align="left", dx=6, color=SOFT).encode(x="x:Q", text="words:N")
        charts.append(alt.layer(rule.mark_rule(color=SOFT, strokeDash=[2, 5]), drawn, words_at).properties(title=alt.TitleParams(name, fontSize=15)))
    return titled(alt.vconcat(*charts).resolve_scale(x="shared", y="shared"), "How far rows are from the table: mean total variation of pairs of columns")


def growth():
    """Time and memory of a release against size."""
    found = {}
    with (DOCS / "evidence" / "growth.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            point = {"x": float(row["x"]), "y": float(row["y"]), "kind": row["series"]}
            found.setdefault(row["of"], {}).setdefault(row["what"], []).append(point)
    # A chart's subject begins with what grows.
    drawn = [
        series(points, what.split()[0].strip(","), "seconds" if of == "seconds" else "memory, bytes", ["one thread", "two threads"],
               width=180, height=150, title=alt.TitleParams(textwrap.wrap(what.replace("10 000", "10\u00a0000"), 24), fontSize=15))
        for of, charts in found.items() for what, points in charts.items()
    ]
    grid = alt.concat(*drawn, columns=2).resolve_scale(x="independent", y="independent")
    return titled(grid, "How time and memory grow")


def candidates():
    """How far a release from candidates is from the best one, against their number."""
    kinds = {("smooth", "1"): "smooth, 1-D", ("smooth", "10"): "smooth, 10-D",
             ("extreme, on mass 0.25", "any"): "worst case"}
    charts = []
    with (DOCS / "evidence" / "candidates.csv").open(encoding="utf-8") as file:
        found = [row for row in csv.DictReader(file) if (row["P"], row["dimensions"]) in kinds]
    for lists, title in (("fresh lists", "each unit has a list of its own"), ("one list", "all units share one list")):
        points = [{"x": float(row["candidates"]), "y": float(row[lists].split()[0]),
                   "kind": kinds[row["P"], row["dimensions"]]} for row in found]
        charts.append(series(points, "candidates", "total variation", [*kinds.values()], format="~g",
                             width=160, height=180, title=alt.TitleParams(textwrap.wrap(title, 18), fontSize=15)))
    return titled(alt.hconcat(*charts).resolve_scale(y="shared"), "What a list of candidates costs, at ε = 1")


def main():
    stale = []
    for name, chart in {"marginals.svg": marginals(), "growth.svg": growth(), "candidates.svg": candidates()}.items():
        path = FOLDER / name
        # Fonts of the machine move letters a little, so the chart itself is compared, not its letters.
        digest = hashlib.sha256(json.dumps(chart.to_dict(), sort_keys=True).encode()).hexdigest()
        mark = f"<!-- sha256 of the chart: {digest} -->\n"
        if "--check" in sys.argv[1:]:
            if not path.is_file() or not path.read_text(encoding="utf-8").endswith(mark):
                stale.append(name)
            continue
        text = io.StringIO()
        chart.save(text, format="svg")
        path.write_text(text.getvalue() + mark, encoding="utf-8")
        made_from.record(f"docs/pictures/{name}")
    for name in stale:
        print(f"docs/pictures/{name} is not what scripts/draw_charts.py draws: run it")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
