"""One static page about a release: public facts only; and one for the data holder, NOT PRIVATE."""

from __future__ import annotations

import html
import os
from collections.abc import Iterable, Sequence
from typing import Any

from mollify import _core
from mollify._answer import Answer, Comparison
from mollify._files import write_whole
from mollify._html import table
from mollify._release import Release

_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 52rem; margin: 2rem auto; padding: 0 1rem;
       color: #1b1f24; background: #fff }
h1, td { overflow-wrap: anywhere }
.wide { overflow-x: auto }
table { border-collapse: collapse } td, th { text-align: left; padding: .2rem 1rem .2rem 0; vertical-align: top }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums }
pre { overflow: auto; background: #f4f5f7; padding: 1rem; font-size: 13px }
.warning { position: sticky; top: 0; background: #8b1a1a; color: #fff; padding: .5rem 1rem; font-weight: bold }
@media print { .warning { position: fixed; left: 0; right: 0 } body { margin-top: 4rem } }
"""
_MOST_ROWS = 40
_MOST_WORDS = 20
_BINS = 12
_COLOURS = ("#8b1a1a", "#1a5d8b", "#a5adb8")


def _page(title: str, parts: Iterable[str], *, private: bool = False) -> str:
    # Nothing runs and nothing is fetched: the policy says so to the browser.
    policy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
    warning = '<p class="warning">NOT PRIVATE: for the data holder only</p>' if private else ""
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"/>\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}"/>\n'
        f"<title>{html.escape(title)}</title><style>{_STYLE}</style></head>\n<body>{warning}\n"
        f"<h1>{html.escape(title)}</h1>\n" + "\n".join(parts) + "\n</body></html>\n"
    )


def _list(items: Iterable[str]) -> str:
    return "<ul>" + "".join(f"<li>{html.escape(item)}</li>" for item in items) + "</ul>"


def _table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    return f'<div class="wide">{table(head, rows)}</div>'


def _bars(rows: Sequence[tuple[str, dict[str, float]]], colours: dict[str, str]) -> str:
    """A bar of each colour for each row, the longest over the whole width, and its number."""
    greatest = max((mass for _, masses in rows for mass in masses.values()), default=0) or 1
    height, left, width, right = 14, 220, 510, 58
    step = height * len(colours) + 8
    drawn = []
    for place, (name, masses) in enumerate(rows):
        top = place * step
        drawn.append(
            f'<text x="{left - 8}" y="{top + step / 2:.0f}" text-anchor="end" font-size="13">'
            f"{html.escape(name)}</text>"
        )
        for line, (kind, colour) in enumerate(colours.items()):
            length = masses[kind] / greatest * width
            drawn.append(
                f'<rect x="{left}" y="{top + line * height}" width="{length:.2f}" '
                f'height="{height - 2}" fill="{colour}"><title>{kind} {masses[kind]:.6g}</title></rect>'
                f'<text x="{left + length + 6:.2f}" y="{top + (line + 1) * height - 4}" '
                f'font-size="11">{masses[kind]:{".4g" if masses[kind] < 1 else ".0f"}}</text>'
            )
    legend = " ".join(
        f'<svg width="12" height="12"><rect width="12" height="12" fill="{colour}"/></svg> {kind}'
        for kind, colour in colours.items()
    )
    told = f"<p>{legend}</p>" if len(colours) > 1 else ""
    return (
        f'{told}<svg role="img" aria-label="{html.escape(", ".join(colours))}" viewBox="0 0 {left + width + right} {len(rows) * step}" '
        f'width="100%">{"".join(drawn)}</svg>'
    )


def _counts(release: Release) -> list[str]:
    """Bars of how often each word was released, or numbers in ranges of equal width."""
    import numpy as np

    drawn = []
    for name, kind, values, valid, words, _ in release._table.columns():
        there = valid != 0
        if kind in ("integer", "number") and there.any():
            numbers = values[there]
            found, seen = np.unique(numbers, return_counts=True)
            if len(found) <= _MOST_WORDS:
                rows = [(f"{value:.6g}", float(count)) for value, count in zip(found, seen)]
            else:
                seen, ends = np.histogram(numbers, _BINS)
                rows = [
                    (f"{low:.4g} to {high:.4g}", float(count))
                    for low, high, count in zip(ends, ends[1:], seen)
                ]
        else:
            if kind == "truth":
                words, values = ["false", "true"], values.astype(int)
            if kind not in ("truth", "text") or not 0 < len(words) <= _MOST_WORDS:
                continue
            rows = [
                (str(word), float(((values == place) & there).sum()))
                for place, word in enumerate(words)
            ]
        if not there.all():
            rows.append(("(null)", float((~there).sum())))
        bars = _bars([(label, {"released": count}) for label, count in rows], {"released": _COLOURS[1]})
        drawn.append(f"<h3>{html.escape(name)}</h3>{bars}")
    return drawn


def _expected(facts: dict[str, Any]) -> list[tuple[str, object]]:
    """What rows of one model have in common, and what is expected of them, from public facts."""
    accuracy = facts.get("accuracy") or {}
    models = "best_models" in accuracy
    if not models and facts["mechanism"] not in ("marginals", "shared-gaussian"):
        return []
    known: list[tuple[str, object]] = [
        ("the released records", "all drawn from one model: where it errs, all err together")
    ]
    if "expected_noise" in accuracy:
        noise = accuracy["expected_noise"]
        distance = noise["one_way"]
        told = f"{distance['mean']:.3g} on average, {distance['worst']:.3g} at worst"
        known.append((f"noise of one column, expected, in {noise['in']}", told))
        pairs = [
            f"{one['noise']:.3g} in {one['groups']}x{one['groups']} cells"
            for one in noise.get("measured_pair", [])
        ]
        if pairs:
            name = f"noise of a measured pair of columns, expected, in {noise['in']}"
            known.append((name, ", ".join(pairs)))
    if "two_way" in accuracy:
        known.append(_two_way(accuracy["two_way"]))
    if "expected_total_variation" in accuracy:
        told = f"{accuracy['expected_total_variation']:.3g}"
        known.append(("total variation of the model from the data's Gaussian, expected", told))
    if models:
        told = f"{accuracy['best_models']} likeliest of {facts['facts']['outcomes']}"
        known.append((f"probability that the model is among the {told}", accuracy["best_models_probability"]))
    return known


def _release_page(release: Release) -> str:
    facts = release.certificate.to_dict()
    rows = release._first_rows()
    known: list[tuple[str, object]] = [("mechanism", release.mechanism), ("promised", str(release.guarantee))]
    known += [(name, str(value)) for name, value in facts["facts"].items()]
    expected = _expected(facts)
    if release.total_variation is not None and not expected:
        known.append(("total variation of a record", f"{release.total_variation:.6g}"))
    known += expected
    parts = [
        _table(["", ""], known),
        "<h2>What the records stand for</h2>" + _list(release.represents),
        "<h2>Promised</h2>" + _list(release.promised),
        "<h2>Not promised</h2>" + _list(release.not_promised),
    ]
    if release.warnings:
        parts.append("<h2>Warnings</h2>" + _list(release.warnings))
    parts.append(f"<h2>Why this mechanism</h2><p>{html.escape(release.why)}</p>")
    drawn = _counts(release)
    if drawn:
        parts.append("<h2>What was released, by column</h2>" + "".join(drawn))
    parts.append(f"<h2>{len(release)} records</h2>" + _table(release.columns, rows))
    if len(release) > len(rows):
        parts.append(f"<p>The first {len(rows)}.</p>")
    parts.append(f"<h2>Certificate</h2><pre>{html.escape(release.certificate.json)}</pre>")
    return _page(f"{len(release)} released records", parts)


def _masses_page(comparison: Comparison) -> str:
    kinds = dict(zip(("truth", "law", "reference"), _COLOURS))
    outcomes = sorted(comparison["outcomes"], key=lambda one: -float(one["truth"]))[:_MOST_ROWS]
    rows = [
        (str(one["outcome"]), {kind: float(one[kind]) for kind in kinds}) for one in outcomes
    ]
    divergences = [
        (name, *comparison[part].values())
        for name, part in (("truth from the law", "law"), ("truth from the reference", "reference"))
    ]
    distances = {
        "kl": "Kullback-Leibler",
        "tv": "total variation",
        "hellinger2": "squared Hellinger",
        "chi2": "chi-squared",
    }
    parts = [
        _table(["", *(distances.get(name, name) for name in comparison["law"])], divergences),
        f"<h2>The {len(rows)} most frequent outcomes</h2>",
        _bars(rows, kinds),
    ]
    return _page("Law, truth and reference", parts, private=True)


def _two_way(distance: dict[str, float]) -> tuple[str, str]:
    """What was measured of two columns together, as a line of a table."""
    told = f"usually at most {distance['usual']:.3g}"
    if "at_worst" in distance:
        told += f", {distance['at_worst']:.3g} if columns of many values depend closely on each other"
    return "total variation of two columns together, on measured tables", f"{told}, on average over pairs"


def _columns_page(comparison: Comparison) -> str:
    """Each column's shares, and how far the others are from the truth of two columns together."""
    kinds = dict(zip(comparison["columns"][0]["shares"], _COLOURS))
    known = [("mechanism", comparison["mechanism"]), ("spent", comparison["total"])]
    if "expected_noise" in comparison:
        known.append(_two_way(comparison["expected_noise"]["two_way"]))
    parts = [_table(["", ""], known)]
    if len(comparison["columns"]) > 1:
        pairs = [
            (kind, one["mean_tv"], one["worst_tv"], one["worst"])
            for kind, one in comparison["pairs"].items()
        ]
        head = ["from the truth", "mean", "worst", "which is of"]
        parts.append("<h2>Total variation of two columns together</h2>" + _table(head, pairs))
    for column in comparison["columns"]:
        shares = column["shares"]
        order = sorted(range(len(column["levels"])), key=lambda i: -float(shares["truth"][i]))
        shown = sorted(order[:_MOST_WORDS])
        rows = [
            (column["levels"][i], {kind: float(shares[kind][i]) for kind in kinds}) for i in shown
        ]
        rest = f"<p>The {_MOST_WORDS} most frequent of {len(order)}.</p>" if len(shown) < len(order) else ""
        parts.append(f"<h3>{html.escape(column['name'])}</h3>{_bars(rows, kinds)}{rest}")
    return _page("Truth beside what is released, column by column", parts, private=True)


def _numbers_page(comparison: Comparison) -> str:
    """Of Gaussian samples: what tells of each column, in its logarithm where one is taken."""
    truth, law = comparison["truth"], comparison["law"]
    rows = []
    for i, name in enumerate(comparison["columns"]):
        for what, word in (("means", "mean of"), ("deviations", "standard deviation of")):
            rows.append((f"{word} {name}", truth[what][i], law[what][i]))
        for part, word in (("0.05", "1 in 20 is below,"), ("0.5", "half is below,"), ("0.95", "1 in 20 is above,")):
            rows.append((f"{word} {name}", truth["quantiles"][part][i], law["quantiles"][part][i]))
    known = [("mechanism", comparison["mechanism"]), ("spent", comparison["total"])]
    accuracy = comparison.to_dict().get("accuracy")
    if accuracy:
        found = accuracy["total_variation"]
        known.append(("total variation of the model from the data's Gaussian, expected", f"{found['expected']:.3g}"))
        known.append((f"the same in {found['releases']} simulated releases", f"{found['least']:.3g} to {found['greatest']:.3g}"))
        known.append(("every column and correlation is as that needs", "yes" if accuracy["is_met"] else "NO"))
    heading = "Column by column"
    if comparison["logarithms"]:
        heading += ", in logarithms where they are taken"
    parts = [_table(["", ""], known), f"<h2>{heading}</h2>" + _table(["", "truth", "law"], rows)]
    if comparison["notes"]:
        parts.append("<h2>Notes</h2>" + _list(comparison["notes"]))
    return _page("Law and truth of a Gaussian sample", parts, private=True)


def _comparison_page(comparison: Comparison) -> str | None:
    if isinstance(comparison.get("outcomes"), list) and "law" in comparison:
        return _masses_page(comparison)
    columns = comparison.get("columns")
    if str(comparison.get("method")).startswith("gaussian") and "law" in comparison:
        return _numbers_page(comparison)
    if isinstance(columns, list) and columns and "shares" in columns[0]:
        return _columns_page(comparison)
    return None


def report(about: Release | Answer, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
    """Write one static HTML page, without scripts and without anything that is fetched.

    Of a release it holds public facts only: what is promised, the mechanism, the first records, the
    certificate. Of an answer of `mollify.nonprivate.compare` it shows truth and what is released side
    by side: outcome by outcome, or of a table of many columns and of Gaussian samples column by
    column; that page is NOT PRIVATE and says so on every screen.

    Raises `InvalidInput` if the file exists, unless `overwrite` is true.
    """
    page = None
    if isinstance(about, Release):
        page = _release_page(about)
    elif isinstance(about, Comparison):
        page = _comparison_page(about)
    if page is None:
        raise _core.InvalidInput(
            "a report is about a release or a comparison whose outcomes or columns are listed, "
            f"but is asked for about {type(about).__name__}"
        )
    write_whole(path, page, overwrite=overwrite)
