"""Answers about rows themselves, by the definitions of `Model.estimate`. NOT PRIVATE."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

from mollify import _core
from mollify._data import source_of
from mollify._domain import Domain, _restore, _yaml
from mollify._model import Model, TableAnswer
from mollify._plot import WORDS
from mollify._spec import json_of, texts_of

_FINE = 4096
_MOST_CELLS = 2**20
_MOST_COUNTED = 2**24
_MOST_TRIPLE = 1000
"""Cells of three columns that a formula's equations may need together."""
_DIGITS = 12
"""Digits after the point. A share of 0 has rounding beyond them."""
_NO_NOISE = 1e-9
"""The variance of a count without noise: none may be 0."""


def _tokens(question: str) -> list[str]:
    """Names and values, quoted ones with a quote before them, and all other signs."""
    found, place = [], 0
    while place < len(question):
        end = place + 1
        if question[place] == '"':
            while end < len(question) and question[end : end + 1] != '"' or question[end : end + 2] == '""':
                end += 2 if question[end : end + 2] == '""' else 1
            found.append('"' + question[place + 1 : end].replace('""', '"'))
            end += 1
        elif _is_of_a_name(question[place]):
            while end < len(question) and _is_of_a_name(question[end]):
                end += 1
            found.append(question[place:end])
        elif not question[place].isspace():
            found.append(question[place])
        place = end
    return found


def _is_of_a_name(sign: str) -> bool:
    return sign.isalnum() or sign in "_.-"


def columns_of(question: str, known: Sequence[str]) -> list[str]:
    """The columns that a question names, in the domain's order."""
    tokens = _tokens(question)
    names = {
        token.removeprefix('"')
        for before, token, after in zip(["", *tokens], tokens, [*tokens[1:], ""])
        if before != "=" and after != "("
    }
    return [name for name in known if name in names]


def _size(name: str, column: Mapping[str, Any]) -> int:
    return int(_restore(_yaml({name: column}, 0), None).outcome_count)


def _with_fine_bins(name: str, column: Mapping[str, Any], most: int) -> Mapping[str, Any]:
    """Cuts each of the column's own bins into equally many, `most` in all at most."""
    if column["type"] not in ("integer", "number") or "values" in column or most <= _size(name, column):
        return column
    edges = column.get("edges") or [column["min"], column["max"]]
    fine = {key: value for key, value in column.items() if key not in ("bins", "edges", "min", "max")}
    if column["type"] == "integer":
        fine |= {"min": edges[0], "max": edges[-1]} | ({"bins": most} if edges[-1] - edges[0] >= most else {})
    else:
        parts = max(1, most // (len(edges) - 1))
        inner = [low + (high - low) * part / parts for low, high in itertools.pairwise(edges) for part in range(parts)]
        fine["edges"] = [*inner, edges[-1]]
    try:
        _size(name, fine)
    except _core.InvalidInput:
        return column
    return fine


def _declared(question: str, domain: Domain) -> dict[str, Mapping[str, Any]]:
    """The question's columns. One whose mean or quantile is asked for has finer bins."""
    declared: dict[str, Mapping[str, Any]] = {}
    for name in columns_of(question, list(domain)):
        declared[name] = domain.columns[name]
    if not declared:  # refused soon, with the domain's names
        return dict(list(domain.columns.items())[:1])
    first, _, asked = [*_tokens(question), "", "", ""][:3]
    for name in [asked.removeprefix('"')] if first in ("mean", "quantile") else []:
        if name not in declared:
            continue
        others = math.prod(_size(other, declared[other]) for other in declared if other != name)
        declared[name] = _with_fine_bins(name, declared[name], min(_FINE, _MOST_CELLS // others))
    return declared


class Rows:
    """A table whose rows are counted as they are, each unit's rows together as one.

    Rules between columns are not applied: these are the numbers of the table.
    """

    def __init__(self, table: Any, what: str, parts: Mapping[str, Any] | None = None) -> None:
        self._table = table
        self._what = what
        self._has_weights = (parts or {}).get("weights") is not None
        self._parts = {name: value for name, value in (parts or {}).items() if name in ("unit", "units", "units_column")}

    def _counts(self, declared: Mapping[str, Mapping[str, Any]], columns: Sequence[str]) -> Any:
        import numpy as np

        domain = _restore(_yaml({name: declared[name] for name in declared if name in columns}, 0), None)
        parts = self._parts | {"epsilon": 1, "count": 1, "accept_error": True}
        texts = texts_of(self._parts)
        counter = _core.RecordCounter(_core.PreparedRelease(json_of("local", domain, parts, _core.spec_parts()), None, texts))
        unit = self._parts.get("unit")
        units = [unit] if isinstance(unit, str) else list(unit or ())
        counter.add(source_of(self._table, [*domain, *units], what=self._what))
        _, _, _, outcomes, ends, counts = counter.take()
        weights = counts.astype(np.float64)
        if units:  # each weighs as much as another
            lengths = np.diff(ends) // counts.itemsize
            of = np.repeat(np.arange(len(lengths)), lengths)
            weights /= np.bincount(of, weights)[of]
        return np.bincount(outcomes, weights, minlength=int(domain.outcome_count))

    def _model(self, question: str, declared: Mapping[str, Mapping[str, Any]]) -> Model:
        """Of the question's columns alone: exact counts in place of noisy ones."""
        names = list(declared)
        together = [tuple(names)]
        if "~" in question:
            threes = itertools.combinations(names, 3)
            small = [three for three in threes if math.prod(_size(name, declared[name]) for name in three) <= _MOST_TRIPLE]
            together = [*itertools.combinations(names, 2), *small]
        tables: list[dict[str, Any]] = [
            {"columns": list(one), "at": [names.index(name) for name in one], "groups": [None] * len(one)}
            | {"counts": self._counts(declared, one).tolist(), "variance": _NO_NOISE, "parts": 1}
            for one in together
        ]
        rows = sum(tables[0]["counts"])
        known = _restore(_yaml(declared, 0), None)
        sizes = [_size(name, declared[name]) for name in names]
        made = {
            "format": "mollify model 1",
            "domain_sha256": known.hash,
            "domain": known.yaml(),
            "columns": [{"groups": [0] * size, "shares": [1.0] * size} for size in sizes],
            "graph": {"version": 1, "sizes": [1] * len(sizes), "total": 1.0, "potentials": []},
            "measurements": {"noise": "none", "step": 1.0, "records": rows, "tables": tables},
        }
        return Model.parse(json.dumps(made))

    def answers(self, questions: Sequence[str], domain: Domain) -> list[TableAnswer]:
        """An answer to each; one of too many cells, or about weighted rows, has ``"refused"``.

        Raises `InvalidInput` for a text that is not a question about the domain.
        """
        found = []
        for question in questions:
            declared = _declared(question, domain)
            sizes = sorted((_size(name, column) for name, column in declared.items()), reverse=True)
            refused = ""
            if self._has_weights:
                refused = "rows have weights, and are counted as one each here"
            elif math.prod(sizes[:2] if "~" in question else sizes) > _MOST_COUNTED:
                refused = "its columns have too many values together"
            if refused:
                found.append(TableAnswer(json.dumps({"question": question, "refused": refused}), refused))
            else:
                found += self._model(question, declared).estimate([question])
        return found


def _joined(question: str, of: Mapping[str, TableAnswer]) -> dict[str, Any]:
    """The answers of several to one question, a row for each number."""
    numbers: dict[tuple[str, str | None, str], dict[str, Any]] = {}
    for name in sorted(of, key=("model", "truth", "released").index):  # a model puts rare values together
        for row in of[name].rows:
            found = numbers.setdefault((row["part"], row["group"], row["of"]), dict.fromkeys(of))
            found[name] = row["estimate"] if name == "model" or row["estimate"] is None else round(row["estimate"], _DIGITS) + 0.0
            if name == "model":
                found |= {"lower": row["lower"], "upper": row["upper"]}
    rows = [{"part": part, "of": what, "group": group} | found for (part, group, what), found in numbers.items()]
    refused = {name: answer["refused"] for name, answer in of.items() if "refused" in answer}
    return {"question": question, "rows": rows, "refused": refused}


def _words(found: Mapping[str, Any], kinds: Sequence[str]) -> str:
    names = [WORDS.get(kind, kind) for kind in kinds]
    lines = ["", found["question"], f"{'':32}" + "".join(f" {name:>12}" for name in names) + (f" {'95 %: from':>12} {'to':>12}" if "model" in kinds else "")]
    for row in found["rows"]:
        numbers = [row[kind] for kind in kinds] + ([row.get("lower"), row.get("upper")] if "model" in kinds else [])
        name = row["of"] if row["group"] is None else f"{row['group']}: {row['of']}"
        lines.append(f"  {name:30}" + "".join(f" {'-' if one is None else format(one, '.4g'):>12}" for one in numbers))
    lines += [f"  no answer from the {WORDS.get(name, name)}: {why}" for name, why in found["refused"].items()]
    return "\n".join(lines) + "\n"


def with_questions(
    answer: tuple[str, str], questions: Sequence[str], real: Rows, released: Rows, model: Model | None, domain: Domain
) -> tuple[str, str]:
    """A comparison's JSON and words, with the questions' answers from the real rows, the released
    ones, and the model.
    """
    counted = model is not None and model.measurements is not None
    known = model.domain if model is not None else domain
    asked = model.estimate(list(questions)) if model is not None and counted else None
    of: dict[str, Sequence[TableAnswer]] = {"truth": real.answers(questions, known), "released": released.answers(questions, known)}
    if asked is not None:
        of["model"] = asked
    found = [_joined(question, {name: answers[i] for name, answers in of.items()}) for i, question in enumerate(questions)]
    text, words = answer
    return json.dumps(json.loads(text) | {"questions": found}), words + "".join(_words(one, list(of)) for one in found)
