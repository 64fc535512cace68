"""A referee by simulation: the whole release, made again of tables that its model draws."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from typing import Any

from mollify import _core
from mollify._answer import Answer
from mollify._checks import is_one, number, whole_number, wrong_value
from mollify._data import source_of
from mollify._domain import Domain
from mollify._progress import steps
from mollify._records import Records
from mollify._refusal import WayOut, refusal
from mollify._spec import Inputs, given_name, texts_of

# With so few errors, the least and the greatest hold another one with 95 %.
_FEWEST = 39


class Simulation(Answer):
    """What `Model.simulate` found: a mapping, which prints as a table."""

    @property
    def rows(self) -> list[dict[str, Any]]:
        """Each number with its errors, as a flat dict: ``pandas.DataFrame(found.rows)``.

        - `of` and `estimate`: its name, and the number in the released rows.
        - `bias`, `standard_error`, `lower` and `upper`: about the released table. The
          interval has 95 %.
        - `population_bias`, `population_standard_error`, `population_lower` and
          `population_upper`: about the population that the table's rows are a random
          sample of.
        - `releases`: how many simulated releases have the number. None of the others is
          known if there are fewer than 39.
        """
        return [
            {"of": one["of"], "estimate": one["estimate"]}
            | dict(one["table"])
            | {f"population_{name}": value for name, value in one["population"].items()}
            | {"releases": one["releases"]}
            for one in self["answers"]
        ]


def simulate(
    model: _core.Model,
    domain: Domain,
    function: Callable[[Records], Any],
    certificate: Any,
    estimate: Any,
    releases: int,
    reference: Any,
    progress: bool,
) -> Simulation:
    """`certificate` is one; `estimate` is the rows that were released, or the number."""
    if not callable(function):
        raise refusal("wrong-type", f"function must be a function of released rows, but is {wrong_value(function)}", "function")
    whole_number("releases", releases, (_FEWEST, 100_000))
    measured = json.loads(model.text()).get("measurements")
    if certificate.spec["method"] != "marginals" or measured is None:
        raise refusal("not-for-this-method", "only releases by Marginals are simulated, with the noisy counts in their model", "certificate")
    _require_together(model, domain, certificate)
    spec, texts = _spec_of(certificate.spec, domain, reference)
    if estimate is None:
        raise refusal(
            "missing-parameter",
            "estimate is missing: give what the function finds in the rows that were released, or the release itself as certificate.",
            "estimate",
            ways_out=[WayOut("set", "estimate"), WayOut("set", "certificate")],
        )
    of_rows = isinstance(estimate, Records)
    known = _numbers_of(function(estimate), "function returns") if of_rows else _numbers_of(estimate, "estimate")
    if not known:
        raise refusal("wrong-type", "function finds no number in the released rows, so there is nothing to simulate", "function" if of_rows else "estimate")
    count = _table_rows(measured)
    released: list[dict[str, float]] = []
    real: list[dict[str, float]] = []
    for _ in steps(range(releases), "simulate", progress):
        table = Records(_core.generate(model, count, {}, None, None))
        source = source_of(table, list(domain))
        rows, *_rest = _core.release(_core.prepare_for(spec, source, texts), source, None, "", 0, None, [])
        released.append(_numbers_of(function(Records(rows)), "function returns"))
        real.append(_numbers_of(function(table), "function returns"))
    answers = [_answer(name, number, released, real) for name, number in known.items()]
    return Simulation(json.dumps({"interval": "basic bootstrap", "releases": releases, "answers": answers}), _words(answers, releases))


def _require_together(model: _core.Model, domain: Domain, certificate: Any) -> None:
    found = _core.verify(certificate.json, certificate._name, domain._inside, None, None, {}, None, model.text())
    if not json.loads(found)["model_matches"]:
        raise refusal("certificate-mismatch", f"{certificate._name} is of another release than this model. Give the certificate that came with the model.", "certificate")


def _spec_of(spec: dict[str, Any], domain: Domain, reference: Any) -> tuple[str, dict[str, bytes]]:
    """The release's spec, and the texts of its public files."""
    for part, what in (("unit", "which rows belong together"), ("weights", "the weights of rows")):
        if part in spec:
            raise refusal("not-for-this-release", f"a release with {part} is not simulated, because no model holds {what}", "certificate")
    if "reference" not in spec:
        return json.dumps(spec), {}
    if reference is None:
        raise refusal(
            "missing-parameter",
            "reference is missing: the release began at public records. Give reference, these records or their file.",
            "reference",
            ways_out=[WayOut("set", "reference")],
        )
    held = Inputs(domain).read("reference", reference)
    spec["reference"] |= {"file": given_name("reference", held)}
    return json.dumps(spec), texts_of({"reference": held})


def _table_rows(measured: Mapping[str, Any]) -> int:
    """The public number of rows, or what noisy counts say of it."""
    if measured.get("records") is not None:
        return int(measured["records"])
    weights = [(1 / (one["variance"] * len(one["counts"])), sum(one["counts"])) for one in measured["tables"]]
    rows = sum(weight * rows for weight, rows in weights) / sum(weight for weight, _ in weights)
    return max(1, round(float(rows * measured.get("step", 1))))


def _numbers_of(found: Any, what: str) -> dict[str, float]:
    """A number, or numbers by their names; what is None or not finite is left out."""
    items = getattr(found, "items", None)
    named = dict(items()) if callable(items) else {"": found}
    numbers = {}
    for name, one in named.items():
        if one is None:
            continue
        parameter = what.split()[0]
        if isinstance(one, (str, bytes)) or not is_one(one):
            must = "must be" if what == parameter else "must return"
            shown = wrong_value(found) if found is one else f"a mapping with {wrong_value(one)}"
            raise refusal("wrong-type", f"{parameter} {must} a number or a mapping from names to numbers, but {what.removeprefix(parameter).strip() or 'is'} {shown}", parameter)
        value = number(parameter, one)
        if math.isfinite(value):
            numbers[str(name)] = value
    return numbers


def _answer(
    name: str, estimate: float, released: list[dict[str, float]], real: list[dict[str, float]]
) -> dict[str, Any]:
    """The estimate is off from the real number as simulated releases are from theirs."""
    both = [(one[name], other[name]) for one, other in zip(released, real, strict=True) if name in one and name in other]
    found = {"of": name, "estimate": estimate, "releases": len(both)}
    # The model's own number is what the tables that it draws have on average.
    mean = sum(other for _, other in both) / max(len(both), 1)
    for target, errors in (("table", [one - other for one, other in both]), ("population", [one - mean for one, _ in both])):
        found[target] = _bar(estimate, sorted(errors))
    return found


def _bar(estimate: float, errors: list[float]) -> dict[str, float | None]:
    """The basic bootstrap's [Davison, Hinkley 1997]."""
    if len(errors) < _FEWEST:
        return dict.fromkeys(("bias", "standard_error", "lower", "upper"))
    bias = sum(errors) / len(errors)
    deviation = math.sqrt(sum((one - bias) ** 2 for one in errors) / (len(errors) - 1))
    return {
        "bias": bias,
        "standard_error": deviation,
        "lower": estimate - _quantile(errors, 0.975),
        "upper": estimate - _quantile(errors, 0.025),
    }


def _quantile(ascending: list[float], share: float) -> float:
    """The k-th of n has the share k / (n + 1)."""
    place = min(max(share * (len(ascending) + 1), 1), len(ascending))
    below = int(place)
    above = min(below + 1, len(ascending))
    return ascending[below - 1] + (place - below) * (ascending[above - 1] - ascending[below - 1])


def _words(answers: list[dict[str, Any]], releases: int) -> str:
    columns = ("estimate", "bias", "std error", "95 %: from", "to", "population:", "to")
    lines = [("", *columns)]
    for one in answers:
        table, population = one["table"], one["population"]
        numbers = [one["estimate"], table["bias"], table["standard_error"]]
        numbers += [bar[end] for bar in (table, population) for end in ("lower", "upper")]
        lines.append(("  " + one["of"], *("-" if value is None else f"{value:.4g}" for value in numbers)))
    widths = [max(len(line[at]) for line in lines) for at in range(len(columns) + 1)]
    shown = ["  ".join([line[0].ljust(widths[0]), *(line[at].rjust(widths[at]) for at in range(1, len(widths)))]).rstrip() for line in lines]
    return "\n".join([
        f"{releases} simulated releases",
        *shown,
        "  95 % intervals of the basic bootstrap. They hold as far as the model is right:",
        "  no simulated table has a dependence that the model does not have.",
        "",
    ])
