"""One static page about a release: public facts only; and one for the data holder, NOT
PRIVATE.
"""

from __future__ import annotations

import html
import json
import os
from collections.abc import Iterable, Sequence
from typing import Any

from mollify import _core
from mollify._analysis import Estimate
from mollify._answer import Answer, Comparison
from mollify._checks import path_text
from mollify._data import source_of
from mollify._column_map import STYLE as MAP_STYLE
from mollify._domain import Domain, DomainLike, _restore, _yaml, as_domain
from mollify._files import inputs_of, write_whole
from mollify._holder_page import STYLE as HOLDER_STYLE, holder_parts
from mollify._html import COLOURS, bars, bars_and_more, folded, table, wide
from mollify._method_base import Plan
from mollify._plot import WORDS
from mollify._released import moments_in_python, released
from mollify._refusal import refusal
from mollify._release import Release
from mollify._table_page import STYLE, reader_parts

_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 52rem; margin: 2rem auto; padding: 0 1rem;
       color: #1b1f24; background: #fff }
h1, h3, td, th, summary { overflow-wrap: anywhere }
summary { cursor: pointer } summary h2, summary h3 { display: inline }
details { margin: .6rem 0 }
.bars { width: 100%; table-layout: fixed } .bars th, .bars td { vertical-align: middle; line-height: 1.2 }
.bars th { width: 32%; font-weight: normal; text-align: right } .bars td { padding: .2rem 4.5rem .2rem 0 }
.bar { display: flex; align-items: center; white-space: nowrap } .bar span { height: .8rem; flex: none }
.bar i { font-style: normal; font-size: 12px; line-height: 1rem; padding-left: .4rem }
.key { display: inline-block; width: .8rem; height: .8rem }
.wide { overflow-x: auto }
.records table { width: max-content }
.records td, .records th { overflow-wrap: break-word; max-width: 16rem }
table { border-collapse: collapse } td, th { text-align: left; padding: .2rem 1rem .2rem 0; vertical-align: top }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums }
td.number { white-space: nowrap }
pre { overflow: auto; background: #f4f5f7; padding: 1rem; font-size: 13px }
.warning { position: sticky; top: 0; background: #8b1a1a; color: #fff; padding: .5rem 1rem; font-weight: bold }
.cards td, .cards th { overflow-wrap: break-word }
@media (max-width: 44rem) {
  .cards thead { display: none } .cards, .cards tbody, .cards tr, .cards td { display: block } .wide table.cards { width: auto }
  .cards tr { border-top: 1px solid #d5d9df; padding: .3rem 0 } .cards td, .cards td.number { text-align: left; padding: 0; white-space: normal }
  .cards td:empty { display: none } .cards td[data-name]::before { content: attr(data-name) ": "; color: #57606a } .cards td:first-child { font-weight: bold } .cards td:first-child::before { content: none }
  .bars th { font-size: 14px }
}
@media print {
  body { font-size: 11pt; margin: 0 auto } h2, h3, summary, thead { break-after: avoid } tr, svg { break-inside: avoid }
  .bar span, .off span, .key, .warning, .lead { -webkit-print-color-adjust: exact; print-color-adjust: exact }
  .wide { overflow: visible } pre { white-space: pre-wrap; overflow-wrap: anywhere }
  .private { padding-top: 3.5rem; -webkit-box-decoration-break: clone; box-decoration-break: clone }
  .private .warning { position: fixed; top: 0; left: 0; right: 0; margin: 0 }
}
"""
_MOST_ROWS = 40
_MOST_WORDS = 20
_MOST_OPEN = 8
_MOST_COLUMNS = 8
_BINS = 12


def _page(title: str, parts: Iterable[str], *, private: bool = False) -> str:
    # Nothing runs and nothing is fetched: the policy says so to the browser.
    policy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
    warning = '<p class="warning">NOT PRIVATE: for the data holder only</p>' if private else ""
    kind = "private" if private else "public"
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"/><meta name="viewport" content="width=device-width, initial-scale=1"/>\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}"/>\n'
        f"<title>{html.escape(title)}</title><style>{_STYLE}{MAP_STYLE}{HOLDER_STYLE}{STYLE}</style></head>\n"
        f'<body class="{kind}">{warning}\n<h1>{html.escape(title)}</h1>\n' + "\n".join(parts) + "\n</body></html>\n"
    )


def _list(items: Iterable[str]) -> str:
    return "<ul>" + "".join(f"<li>{html.escape(item)}</li>" for item in items) + "</ul>"


def _records(names: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """A table of a few columns, and tables of the others where somebody opens them.

    A table scrolls inside the page, so that no word or date is broken.
    """
    drawn = []
    for first in range(0, len(names), _MOST_COLUMNS):
        last = min(first + _MOST_COLUMNS, len(names))
        part = table(names[first:last], [row[first:last] for row in rows])
        inside = f'<div class="wide records">{part}</div>'
        few = len(names) <= _MOST_COLUMNS
        heading = f"Columns {first + 1} to {last} of {len(names)}"
        drawn.append(inside if few else folded(heading, inside, is_open=first == 0))
    return "".join(drawn)


def _long_table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """The first rows, and the others where somebody opens them."""
    shown = wide(head, rows[:_MOST_ROWS])
    if len(rows) > _MOST_ROWS:
        rest = rows[_MOST_ROWS:]
        shown += folded(f"{len(rest)} more", wide(head, rest))
    return shown


def domain_of(release: Release) -> Domain | None:
    """The release's own, where its certificate holds it or names a file that is still
    what it was.
    """
    part = release.certificate.spec["domain"]
    try:
        if "text" in part:
            return _restore(part["text"], None)
        with open(part["file"], encoding="utf-8") as file:
            found = _restore(file.read(), part["file"])
    except (_core.InvalidInput, OSError, UnicodeDecodeError, KeyError):
        return None
    return found if found.hash == part.get("sha256") else None


def _counts(release: Release, domain: Domain | None) -> list[str]:
    """Bars of each column: how often each value or cell of the domain was released."""
    colours = {"released": COLOURS[1]}
    columns = _domain_counts(release, domain) if domain is not None else _own_counts(release)
    drawn = []
    for place, (name, rows) in enumerate(columns):
        drawn_bars = bars_and_more([(label, {"released": count}) for label, count in rows], colours)
        if domain is not None and _has_groups(domain, name, rows):
            drawn_bars = "<p>Each bar counts neighbouring bins or values together. Bars can hold different numbers of them.</p>" + drawn_bars
        drawn.append(folded(f"<h3>{html.escape(name)}</h3>", drawn_bars, is_open=place < _MOST_OPEN))
    return drawn


def _has_groups(domain: Domain, name: str, rows: Sequence[tuple[str, float]]) -> bool:
    """Whether bars of a column count several of its cells together, between two of its values."""
    if domain.columns[name]["type"] in ("categorical", "boolean"):
        return False
    alone = _restore(_yaml({name: domain.columns[name]}, 0), None)  # warns of nothing again
    return alone.is_enumerable and alone.outcome_count > len(rows)


def _domain_counts(release: Release, domain: Domain) -> list[tuple[str, list[tuple[str, float]]]]:
    rows = source_of(release._file or release.to_dict(), list(domain))
    found = []
    for column in json.loads(_core.level_counts(domain._inside, rows)):
        counts = list(zip(column["levels"], map(float, column["counts"])))
        others = column.get("others", {})
        if others.get("levels"):
            counts.append((f"{others['levels']} other values", float(others["count"])))
        found.append((column["name"], counts))
    return found


def _own_counts(release: Release) -> list[tuple[str, list[tuple[str, float]]]]:
    """Without a domain: words and booleans by themselves, numbers and times in ranges of
    equal width.
    """
    import numpy as np

    found = []
    for name, kind, values, valid, words, form, *_ in released(release._table):
        there = valid != 0
        if kind in ("integer", "number", "day", "instant"):

            def shown(numbers: Any, kind: str = kind, form: int | str | None = form) -> list[str]:
                if kind in ("integer", "number"):
                    return [f"{number:.6g}" for number in numbers]
                whole = np.asarray(numbers).astype("int64")
                return [one.isoformat() for one in moments_in_python(whole, kind, form)]

            numbers = values[there]
            once, seen = np.unique(numbers, return_counts=True)
            if len(once) <= _MOST_WORDS:
                labels = shown(once)
            else:
                seen, ends = np.histogram(numbers, _BINS)
                texts = shown(ends)
                labels = [f"{low} to {high}" for low, high in zip(texts, texts[1:])]
        else:
            if kind == "truth":
                words, values = ["false", "true"], values.astype(int)
            if not words:  # names of units, each of one record
                continue
            labels = [str(word) for word in words]
            seen = np.bincount(values[there], minlength=len(words))
        rows = [(label, float(count)) for label, count in zip(labels, seen)]
        if not there.all():
            rows.append(("(null)", float((~there).sum())))
        found.append((name, rows))
    return found


def _expected(facts: dict[str, Any]) -> list[tuple[str, object]]:
    """The noise that rows of one model share, and their expected error, from public
    facts.
    """
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
        known.append(("total variation of the model from the data's Gaussian, by noise alone", told))
    if models:
        told = f"{accuracy['best_models']} likeliest of {facts['facts']['k']}"
        known.append((f"probability that the model is among the {told}", accuracy["best_models_probability"]))
    return known


def _times(share: float) -> str:
    """ "14 of 100", "1 of 219"."""
    return f"{100 * share:.0f} of 100" if share > 0.095 else f"1 of {1 / max(share, 1e-9):.3g}"


def _error(release: Release, facts: dict[str, Any]) -> list[str]:
    """The error that was measured, or that public facts let expect, in a sentence."""
    accuracy = facts.get("accuracy") or {}
    most = release.total_variation
    measured = release.model and release.model.error
    if measured:
        least, greatest = (f"{100 * bound:.2g}" for bound in measured["interval"])
        told = f"{_times(measured['two_way'])} rows would have to change for two columns together to be as in the table, on average over pairs (95 %: {least} to {greatest} of 100)"
        if measured["independent"]:
            told += f". If columns were independent, it would be {_times(measured['independent']['two_way'])}"
        return [f"<p><strong>Measured error: {html.escape(told)}.</strong></p>"]
    if "two_way" in accuracy:
        least, greatest = (_times(accuracy["two_way"][end]) for end in ("least", "most"))
        told = f"{least} to {greatest} rows would have to change for two columns together to be as in the table, on average over pairs"
    elif "expected_total_variation" in accuracy:
        return ["<p><strong>Error: unknown, because no public fact says how Gaussian the data are. The holder can compare.</strong></p>"]
    elif most is None or "best_models" in accuracy:
        return []
    elif facts["spec"]["method"] in ("local", "integral"):
        told = f"for the worst data {_times(most)} records would have to change to be as ones drawn from them, for most data fewer"
    elif facts["spec"]["method"] == "gaussian":
        told = f"if the data are Gaussian, {_times(most)} records would have to change to be as new rows"
    else:
        told = f"{_times(most)} records would have to change to be as ones drawn from the data"
    return [f"<p><strong>Expected error: {html.escape(told)}.</strong></p>"]


def _release_page(
    release: Release,
    domain: Domain | None,
    title: str | None,
    contact: str | None,
    questions: Sequence[str] | None,
) -> str:
    facts = release.certificate.to_dict()
    rows = release._first_rows()
    known: list[tuple[str, object]] = [("mechanism", release.mechanism), ("promised", str(release.guarantee))]
    known += [
        (name, str(value)) for name, value in facts["facts"].items() if not isinstance(value, dict)
    ]
    expected = _expected(facts)
    if release.total_variation is not None and not expected:
        known.append(("total variation of a record", f"{release.total_variation:.6g}"))
    known += expected
    model = release.model
    is_counted = model is not None and bool(model.measurements)
    parts = [
        *(reader_parts(release, model, contact, questions) if model is not None and is_counted else []),
        *_error(release, facts),
        folded("Facts for specialists", wide(["", ""], known)) if is_counted else wide(["", ""], known),
        "<h2>What the shares mean</h2>" + _list(release.represents),
        "<h2>Promised</h2>" + _list(release.promised),
        "<h2>Not promised</h2>" + _list(release.not_promised),
    ]
    if release.warnings:
        parts.append("<h2>Warnings</h2>" + _list(release.warnings))
    parts.append(f"<h2>Why this mechanism</h2><p>{html.escape(release.why)}</p>")
    drawn = _counts(release, domain)
    if drawn:
        parts.append("<h2>What was released, by column</h2>" + "".join(drawn))
    parts.append(f"<h2>{len(release)} records</h2>" + _records(release.columns, rows))
    if len(release) > len(rows):
        parts.append(f"<p>The first {len(rows)}.</p>")
    certificate = f"<pre>{html.escape(release.certificate.json)}</pre>"
    parts.append(folded("<h2>Certificate</h2>", certificate))
    return _page(title or f"{len(release)} released records", parts)


def _masses_page(comparison: Comparison) -> str:
    kinds = dict(zip(("truth", "law", "reference"), COLOURS))
    outcomes = sorted(comparison["outcomes"], key=lambda one: -float(one["truth"]))[:_MOST_ROWS]
    rows = [(str(one["outcome"]), {kind: float(one[kind]) for kind in kinds}) for one in outcomes]
    divergences = [
        (f"real data from the {WORDS.get(part, part)}", *comparison[part].values())
        for part in ("law", "reference")
    ]
    distances = {
        "kl": "Kullback-Leibler",
        "tv": "total variation",
        "hellinger2": "squared Hellinger",
        "chi2": "chi-squared",
    }
    parts = [
        wide(["", *(distances.get(name, name) for name in comparison["law"])], divergences),
        f"<h2>The {len(rows)} most frequent outcomes</h2>",
        bars(rows, kinds),
    ]
    return _page("Real data, release and reference", parts, private=True)


def _two_way(distance: dict[str, float]) -> tuple[str, str]:
    """The measured shares of two columns together, as a line of a table."""
    told = f"{distance['least']:.3g} if columns hardly depend on each other, up to {distance['most']:.3g}"
    return "total variation of two columns together, expected", f"{told}, on average over pairs"


def _spent(comparison: Comparison) -> list[tuple[str, object]]:
    """The release's facts; empty if released rows were compared."""
    names = {"mechanism": "mechanism", "total": "spent"}
    return [(name, comparison[part]) for part, name in names.items() if part in comparison]


def _numbers_page(comparison: Comparison) -> str:
    """Of Gaussian samples: each column's mean, deviation and quantiles, and pairs of
    columns.
    """
    truth, law, distances = comparison["truth"], comparison["law"], comparison["distances"]
    rows: list[tuple[object, ...]] = []
    for i, column in enumerate(distances["columns"]):
        name = column["column"]
        logarithm = "ln " if comparison["columns"][i] in comparison["logarithms"] else ""
        for what, word in (("means", "mean of"), ("deviations", "standard deviation of")):
            off = law[what][i] - truth[what][i]
            relative = off / truth["deviations"][i] if truth["deviations"][i] else 0.0
            rows.append((f"{word} {logarithm}{name}", truth[what][i], law[what][i], off, relative))
        words = ("1 in 20 is below,", "1 in 4 is below,", "half is below,", "1 in 4 is above,", "1 in 20 is above,")
        for one, word in zip(column["quantiles"], words):
            rows.append((f"{word} {name}", one["truth"], one["law"], one["difference"], one["deviations"]))
    shapes = [(one["column"], one["tv"], distances["column_tv_by_chance"]) for one in distances["columns"]]
    pairs = [
        (
            ", ".join(one["columns"]),
            one["rank_correlation"]["truth"],
            one["rank_correlation"]["law"],
            one["tv"]["law"],
            one["tv"]["independent"],
        )
        for one in distances["pairs"]
    ]
    known = _spent(comparison)
    accuracy = comparison.to_dict().get("accuracy")
    if accuracy:
        found = accuracy["total_variation"]
        known.append(("total variation of the model from the data's Gaussian, expected", f"{found['expected']:.3g}"))
        known.append((f"the same in {found['releases']} simulated releases", f"{found['least']:.3g} to {found['greatest']:.3g}"))
        known.append(("every column and correlation is as that needs", "yes" if accuracy["is_met"] else "NO"))
    agree = "The shapes of columns differ." if distances["has_other_shape"] else "The shapes of columns agree."
    head = ["", "real data", "release", "off by", "in standard deviations"]
    parts = [
        f"<p><strong>{agree}</strong></p>" + (wide(["", ""], known) if known else ""),
        "<h2>Column by column</h2>" + _long_table(head, rows),
        "<h2>Shapes of columns</h2>" + _long_table(["", "total variation", "by chance"], shapes),
    ]
    if pairs:
        head = ["", "rank correlation, real data", "release", "total variation in quartiles", "if columns were independent"]
        parts.append("<h2>Two columns together</h2>" + _long_table(head, pairs))
    if comparison["notes"]:
        parts.append("<h2>Notes</h2>" + _list(comparison["notes"]))
    return _page("The real data and a Gaussian release", parts, private=True)


def _comparison_page(comparison: Comparison) -> str | None:
    if "outcomes" in comparison and "law" in comparison:
        return _masses_page(comparison)
    columns = comparison.get("columns")
    if str(comparison.get("method")).startswith("gaussian") and "law" in comparison:
        return _numbers_page(comparison)
    if isinstance(columns, list) and columns and "shares" in columns[0]:
        known = _spent(comparison)
        if "expected_noise" in comparison:
            known.append(_two_way(comparison["expected_noise"]["two_way"]))
        return _page("The real table next to the released rows", holder_parts(comparison, known), private=True)
    return None


def report(
    about: Release | Answer,
    path: str | os.PathLike[str],
    *,
    domain: DomainLike | None = None,
    title: str | None = None,
    contact: str | None = None,
    questions: Sequence[str] | None = None,
    overwrite: bool = False,
) -> None:
    """Write one static HTML page, without scripts and without anything that is fetched.

    The page of a release holds public facts only: the promise, the expected error, the
    mechanism, how often each value of each column was released, the first
    records, and the certificate. For a synthetic table (`Marginals`), the page begins
    with what its reader needs: what the table is good for, its questions and their
    answers with error bars, and a map of the pairs of columns that were counted.
    The page of a comparison shows the real data and the
    release side by side, outcome by outcome or column by column. It is NOT PRIVATE and
    says so on every screen.

    Parameters
    ----------
    about : Release or Comparison
        A release, or the answer of a method's `compare` or of
        `mollify.nonprivate.compare`.
    path : path
        The file to write, whose name ends in .html or .htm.
    domain : Domain, mapping or path
        Columns of a release are counted in its cells. Default: the release's own
        domain, if its certificate holds it or its file is still there; otherwise
        numbers and times are counted in ranges of equal width.
    title : str
        Heading of a release's page. Default: the number of records.
    contact : str
        Who can check a conclusion on the real table. Default: nobody is named.
    questions : list of str
        More questions of a synthetic table (`Model.estimate`), after those that it was
        released for. Default: none.
    overwrite : bool
        Replaces a file that exists. Default: False.

    Raises
    ------
    InvalidInput
        If `about` is something else, a text of `questions` is not a question, `domain`
        is not the release's, the file's name ends otherwise, or the file exists.
    """
    page = None
    if isinstance(about, Release):
        known = domain_of(about) if domain is None else as_domain(domain)
        if known is not None and not set(known) <= set(about.columns):
            raise refusal(
                "certificate-mismatch",
                f"domain must be the release's, whose columns are {', '.join(about.columns)}",
                "domain",
            )
        page = _release_page(about, known, title, contact, questions)
    elif isinstance(about, Comparison):
        page = _comparison_page(about)
    if page is None:
        refused = type(about).__name__
        words = f"about must be a Release or a comparison whose outcomes or columns are listed, but is of type {refused}"
        if isinstance(about, (Estimate, Plan)):
            words += f". {refused}.plot() draws it, and print shows it in words"
        raise refusal("wrong-type", words, "about")
    name = path_text("a file to write", path)
    if not name.lower().endswith((".html", ".htm")):
        raise refusal("wrong-kind-of-file", f"{name} is not an HTML file. Use a file name that ends in .html or .htm.", "path", file=name)
    inputs = [*getattr(about, "_inputs", ()), *inputs_of({"domain": domain})]
    write_whole(path, page, overwrite=overwrite, inputs=inputs)
