"""Charts, by altair where it is installed (the extra `plot`)."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, Any

from mollify._checks import wrong_value
from mollify._files import optional
from mollify._parameters import unknown_name
from mollify._progress import steps
from mollify._refusal import WayOut, refusal

if TYPE_CHECKING:
    import altair

_COLOURS = {"truth": "#8b1a1a", "law": "#1a5d8b", "reference": "#a5adb8"} | {
    "released": "#1a5d8b",
    "independent": "#a5adb8",
    "uniform": "#a5adb8",
}
_MOST_OUTCOMES = 40
_DASHES = ([1, 0], [9, 3], [6, 6], [3, 9])
"""Of one period, so that of lines that coincide each is seen in the gaps of the next."""
_DISTANCES = {
    "tv": "total variation",
    "kl": "Kullback-Leibler divergence",
    "hellinger2": "squared Hellinger distance",
    "chi2": "chi-squared divergence",
}


WORDS = {"truth": "real data", "law": "release"}
"""The names in a comparison that charts and pages show in other words."""


def savable(chart: Any) -> Any:
    """The chart, whose `save` names the extra that brings what PNG and SVG need."""
    object.__setattr__(chart, "save", partial(_save, chart, chart.save))
    return chart


def _save(chart: Any, save: Callable[..., None], fp: Any, format: str | None = None, **options: Any) -> None:
    if (format or str(fp).rpartition(".")[2]) in ("png", "svg", "pdf"):
        optional("vl_convert", "plot")
    save(fp, format, **options)


def _chart(rows: Sequence[Mapping[str, Any]], title: str, private: bool) -> Any:
    alt = optional("altair", "plot")
    words = ["NOT PRIVATE: for the data holder only"] if private else []
    colour = "#8b1a1a" if private else "black"
    heading = alt.TitleParams(title, subtitle=words, subtitleColor=colour, anchor="start")
    return alt.Chart(alt.Data(values=[dict(row) for row in rows]), title=heading)


def masses(
    outcomes: Sequence[Mapping[str, Any]], kinds: Sequence[str], title: str
) -> altair.Chart:
    """A bar of each kind for each outcome, the most frequent first. NOT PRIVATE."""
    alt = optional("altair", "plot")
    shown = sorted(outcomes, key=lambda one: -float(one[kinds[0]]))[:_MOST_OUTCOMES]
    rows = [
        {"outcome": str(one["outcome"]), "of": WORDS.get(kind, kind), "probability": float(one[kind])}
        for one in shown
        for kind in kinds
    ]
    words = [WORDS.get(kind, kind) for kind in kinds]
    scale = alt.Scale(domain=words, range=[_COLOURS[kind] for kind in kinds])
    return (  # type: ignore[no-any-return]
        _chart(rows, title, private=True)
        .mark_bar()
        .encode(
            x=alt.X("probability:Q"),
            y=alt.Y("outcome:N", sort=[str(one["outcome"]) for one in shown], title=None, axis=_whole(alt)),
            yOffset=alt.YOffset("of:N", sort=words),
            color=alt.Color("of:N", scale=scale, sort=words, title=None),
            tooltip=["outcome:N", "of:N", "probability:Q"],
        )
    )


def column_distance(column: Mapping[str, Any], kind: str) -> float:
    """How far a compared column's shares are from the real ones, in total variation."""
    real, other = column["shares"]["truth"], column["shares"][kind]
    return sum(abs(float(a) - float(b)) for a, b in zip(real, other)) / 2


def pair_map(columns: Sequence[Mapping[str, Any]], kind: str, distances: Sequence[float]) -> altair.Chart:
    """Columns against columns, in the colour of their total variation from the real data;
    and a bar for each column, the worst first. NOT PRIVATE.
    """
    alt = optional("altair", "plot")
    names = [str(column["name"]) for column in columns]
    known = dict(zip(itertools.combinations(range(len(names)), 2), distances))
    rows = [
        {"column": name, "other": other}
        | {"total variation": column_distance(columns[i], kind) if i == j else known[min(i, j), max(i, j)]}
        for i, name in enumerate(names)
        for j, other in enumerate(names)
    ]
    side = max(4, min(20, 600 // len(names)))
    axis = alt.Axis(labelLimit=140, labelOverlap=True)
    base = _chart(rows, "How far columns and pairs of columns are from the real data", private=True)
    heading = base.title
    base.title = alt.Undefined
    squares = base.mark_rect().encode(
        x=alt.X("other:N", sort=names, title=None, axis=axis),
        y=alt.Y("column:N", sort=names, title=None, axis=axis),
        color=alt.Color("total variation:Q", scale=alt.Scale(domainMin=0, range=["#f7eeee", "#6d0f0f"])),
        tooltip=["column:N", "other:N", "total variation:Q"],
    )
    bars = base.transform_filter("datum.column == datum.other").mark_bar(color=_COLOURS["truth"]).encode(
        x=alt.X("total variation:Q"),
        y=alt.Y("column:N", sort="-x", title=None, axis=axis),
        tooltip=["column:N", "total variation:Q"],
    )
    sized = [chart.properties(width=width, height=alt.Step(side)) for chart, width in ((squares, alt.Step(side)), (bars, 200))]
    return alt.hconcat(*sized).properties(title=heading)  # type: ignore[no-any-return]


def _whole(alt: Any) -> Any:
    """An axis whose labels are never cut short."""
    return alt.Axis(labelLimit=0)


def intervals(
    columns: Mapping[str, Sequence[Mapping[str, Any]]], title: str
) -> altair.FacetChart:
    """The estimate of each value and its interval, a panel for each column."""
    alt = optional("altair", "plot")
    rows = [
        {"column": name, "place": place} | dict(one)
        for name, values in columns.items()
        for place, one in enumerate(values)
    ]
    y = alt.Y("outcome:N", sort=alt.SortField("place"), title=None, axis=_whole(alt))
    tooltip = ["column:N", "outcome:N", "probability:Q", "lower:Q", "upper:Q"]
    base = alt.Chart().encode(y=y, tooltip=tooltip)
    bars = base.mark_rule(color=_COLOURS["law"]).encode(
        x=alt.X("lower:Q", title="share", scale=alt.Scale(nice=False)), x2="upper:Q"
    )
    points = base.mark_point(filled=True, color=_COLOURS["law"], opacity=1).encode(x="probability:Q")
    header = alt.Header(labelLimit=0, labelAngle=0, labelAnchor="start", labelOrient="top", title=None)
    chart = alt.layer(bars, points, data=alt.Data(values=rows), width=400, height=alt.Step(18))
    panels = chart.facet(row=alt.Row("column:N", sort=list(columns), header=header))
    return panels.resolve_scale(y="independent").properties(  # type: ignore[no-any-return]
        title=alt.TitleParams(title, anchor="start")
    )


def lines(
    rows: Sequence[Mapping[str, Any]],
    *,
    x: str,
    y: str,
    kind: str,
    title: str,
    logarithmic: Sequence[str] = (),
    private: bool = False,
) -> altair.Chart:
    """A line of each kind."""
    alt = optional("altair", "plot")
    scales = {
        axis: alt.Scale(type="log", nice=False) if axis in logarithmic else alt.Scale()
        for axis in (x, y)
    }
    kinds = list(dict.fromkeys(str(row[kind]) for row in rows))
    dash = alt.Scale(domain=kinds, range=[_DASHES[place % len(_DASHES)] for place in range(len(kinds))])
    places = sorted({row[x] for row in rows})
    axis = alt.Axis(values=places, format="~g", labelFlush=False) if len(places) <= 10 else alt.Axis()
    return (  # type: ignore[no-any-return]
        _chart(rows, title, private)
        .mark_line(point=True)
        .encode(
            x=alt.X(x, type="quantitative", scale=scales[x], axis=axis),
            y=alt.Y(y, type="quantitative", scale=scales[y]),
            color=alt.Color(kind, type="nominal", sort=kinds, title=None, legend=alt.Legend(labelLimit=0)),
            strokeDash=alt.StrokeDash(kind, type="nominal", scale=dash, legend=None),
            tooltip=[f"{kind}:N", f"{x}:Q", f"{y}:Q"],
        )
    )


def spent(rows: Sequence[Mapping[str, Any]], parameter: str, title: str) -> altair.LayerChart:
    """Steps of the spent budget, and a line at the total."""
    alt = optional("altair", "plot")
    time = alt.X("time:T", title="time of the release", **_times(alt, [row["time"] for row in rows]))
    base = _chart(rows, title, private=False)
    steps = base.mark_line(interpolate="step-after", point=True, color=_COLOURS["law"]).encode(
        x=time,
        y=alt.Y("spent:Q", title=f"{parameter} spent in all; dashed: the total"),
        tooltip=["number:Q", "time:T", "mechanism:N", "spent:Q", "total:Q"],
    )
    total = base.mark_line(interpolate="step-after", strokeDash=[6, 4], color=_COLOURS["truth"])
    return alt.layer(steps, total.encode(x=time, y="total:Q"))  # type: ignore[no-any-return]


def _times(alt: Any, texts: Sequence[str]) -> dict[str, Any]:
    """The scale and the axis of times, whose labels have the date, and the second in a
    range of hours.
    """
    times = sorted(datetime.fromisoformat(text.replace("Z", "+00:00")) for text in texts)
    if not times or times[-1] - times[0] >= timedelta(days=3):
        return {"axis": alt.Axis(format="%Y-%m-%d", tickCount=4, labelFlush=False)}
    room = max(timedelta(seconds=4) - (times[-1] - times[0]), timedelta(0)) / 2
    first, last = (round(time.timestamp()) * 1000 for time in (times[0] - room, times[-1] + room))
    ticks = [first, (first + last) // 2000 * 1000, last]  # whole seconds, as the ledger has
    axis = alt.Axis(format="%Y-%m-%d %H:%M:%S", values=ticks, labelFlush=False)
    return {"scale": alt.Scale(domain=[first, last]), "axis": axis}


def _budgets(epsilon: float) -> list[float]:
    """A budget, and others from an eighth to eight times of it."""
    return [epsilon * 2**step for step in range(-3, 4)]


def plan(
    asked: Mapping[str, Any],
    epsilon: float | None,
    again: Callable[[float], Mapping[str, Any]],
    progress: bool,
) -> altair.Chart:
    """A plan's results: error against epsilon, or against n if a curve was asked
    for."""
    method = asked["method"]
    expected = method in ("gaussian", "gaussian-model", "marginals")
    what = "Total variation of a record"
    if method == "marginals":
        what = "Total variation that noise gives rows, of two columns together"
    elif method == "gaussian-model":
        what = "Total variation of the model from the data's Gaussian"

    def answer(plan: Mapping[str, Any]) -> Mapping[str, Any]:
        # These have a list of them, because a budget that is sought has two forms.
        return plan["answers"][0] if expected else plan

    first = answer(asked)
    if "curve" in first:
        rows = [
            {"n": point["n"], "mechanism": name, "total variation": alpha}
            for point in first["curve"]
            for name, alpha in (
                point["alpha"] if isinstance(point["alpha"], dict) else {method: point["alpha"]}
            ).items()
            if alpha
        ]
        return lines(
            rows,
            x="n",
            y="total variation",
            kind="mechanism",
            title=f"{what} against the number of records",
            logarithmic=("n", "total variation"),
        )
    rows = []
    if first.get("unknown") == "alpha" and epsilon is not None:
        for budget in steps(_budgets(epsilon), "plans", progress):
            found = answer(again(budget))
            named = found.get("mechanisms") or [{"mechanism": method} | dict(found)]
            rows += [
                {"epsilon": budget, "mechanism": one["mechanism"], "total variation": one["alpha"]}
                for one in named
                if one.get("alpha")
            ]
    if not rows:
        raise refusal(
            "no-chart",
            "a plan is drawn if it finds the total variation at an epsilon. Give epsilon, and leave out alpha.",
            "epsilon",
            ways_out=[WayOut("set", "epsilon")],
        )
    return lines(
        rows,
        x="epsilon",
        y="total variation",
        kind="mechanism",
        title=f"{what}, {'as expected' if expected else 'at worst'}, against epsilon",
        logarithmic=("epsilon", "total variation"),
    )


def error(
    epsilon: float | None,
    again: Callable[[float], Mapping[str, Any]],
    distance: str,
    progress: bool,
) -> altair.Chart:
    """How far the real data are from the release at other epsilons, and from the reference. NOT PRIVATE.

    If rows share one model: of two columns together, on average.
    """
    if distance not in _DISTANCES:
        said = f"distance must be one of {', '.join(_DISTANCES)}, but is {wrong_value(distance)}"
        raise unknown_name(said, distance, _DISTANCES, "distance")
    if epsilon is None:
        raise refusal("no-chart", "error against epsilon needs a release whose budget is epsilon, but this one has another budget", "epsilon")

    def distances(found: Mapping[str, Any]) -> dict[str, Any]:
        pairs = found.get("pairs", {})
        if "released" in pairs and distance == "tv":
            return {kind: one["mean_tv"] for kind, one in pairs.items()}
        named = {kind: found.get(kind) for kind in ("law", "reference", "uniform")}
        return {
            kind: one[distance]
            for kind, one in named.items()
            if isinstance(one, dict) and distance in one
        }

    name = _DISTANCES[distance]
    rows = []
    for budget in steps(_budgets(epsilon), "comparisons", progress):
        for kind, value in distances(again(budget)).items():
            rows.append({"epsilon": budget, "of": WORDS.get(kind, kind), name: value})
    if not rows:
        raise refusal("no-chart", f"there is no {name} against epsilon in this comparison")
    return lines(
        [row for row in rows if row[name] is not None],
        x="epsilon",
        y=name,
        kind="of",
        title="Distance from the real data, against epsilon",
        logarithmic=("epsilon",),
        private=True,
    )
