"""For the data holder only: what is computed from private data without protection. NOT PRIVATE.

Nothing here may be shown to those from whom the data are to be hidden, and whatever of a release is
chosen by looking at it tells of the data.
"""

from __future__ import annotations

import json
from typing import Any

from mollify import _core
from mollify._command import Answer, arguments_of
from mollify._data import source_of
from mollify._domain import DomainLike, as_domain
from mollify._parameters import whole_number
from mollify._release import _Inputs
from mollify._sampler import Sampler, _numbers

__all__ = ["check", "compare", "law"]


def _held(
    data: Any, domain: DomainLike, unit: str | None, files: dict[str, Any]
) -> tuple[dict[str, bytes], dict[str, Any]]:
    """What lies in memory by its flag, and what is a file by its keyword."""
    domain = as_domain(domain)
    held = {"--domain": domain.yaml().encode()}
    named: dict[str, Any] = {"unit": unit}
    inputs = _Inputs(domain, unit, data)
    for part, given in ({"data": data} | files).items():
        if isinstance(given, str) or hasattr(given, "__fspath__"):
            named[part] = given
        elif part == "data":
            held["--data"] = source_of(given, [*domain, *([unit] if unit else [])]).csv_text()
        elif given is not None:
            held["--" + part.replace("_", "-")] = inputs.texts[inputs.named(part, given)]
    return held, named


def check(
    data: Any, domain: DomainLike, *, unit: str | None = None, units: Any = None, most: int = 1000
) -> Answer:
    """Names every value of private data that its domain does not declare. NOT PRIVATE.

    A release maps such values silently, because refusing would tell of them; this is for the data
    holder, before a release. `data`, `units` as for `mollify.sample`. Of the answer, ``"findings"``
    is how many there are, and ``"listed"`` the first `most`, by the lines that a file would have:
    the first record is line 2.
    """
    held, named = _held(data, domain, unit, {"units": units})
    return Answer(["check", *arguments_of(named | {"most": whole_number("most", most)})], held)


def compare(
    data: Any,
    domain: DomainLike,
    *,
    unit: str | None = None,
    units: Any = None,
    reference: Any = None,
    candidates_file: Any = None,
    **parameters: Any,
) -> Answer:
    """How close the law of a local or integral release is to the truth, beside its reference.

    NOT PRIVATE. Parameters are those of `mollify.sample`; ``progress=True`` shows a bar (tqdm). Of the answer, ``"law"`` and
    ``"reference"`` are divergences, and ``"outcomes"`` the masses.
    """
    files = {"units": units, "reference": reference, "candidates_file": candidates_file}
    held, named = _held(data, domain, unit, files)
    progress = bool(parameters.pop("progress", False))
    return Answer(["compare", *arguments_of(named | parameters)], held, progress=progress)


def law(sampler: Sampler, p: Any, *, normalise: bool = False) -> Answer:
    """The exact law of a draw from a given distribution: (k,) masses that sum to 1. NOT PRIVATE.

    With `normalise` they are divided by their sum.

    Of the answer, ``"outcomes"`` has the numerator of each outcome over ``"N"``; they sum to it.
    """
    masses = _numbers("p", p, "fiu")
    if masses.shape != (sampler.outcomes,):
        raise _core.InvalidInput(
            f"p must have a mass for each of {sampler.outcomes} outcomes, but has shape {masses.shape}"
        )
    parameters = dict(sampler._parameters)
    reference, location = parameters.pop("reference"), parameters.pop("location")
    del parameters["outcomes"]
    parameters["normalise"] = bool(normalise)
    held = {"--p": json.dumps(masses.tolist()).encode()}
    if reference:
        held["--reference"] = json.dumps(reference).encode()
    if location is not None:
        del parameters["mechanism"]
        parameters["band"] = f"location={location!r}"
    return Answer(["law", *arguments_of(parameters)], held)
