"""For the data holder only: what is computed from private data without protection. NOT PRIVATE.

Nothing here may be shown to those from whom the data are to be hidden, and whatever of a release is
chosen by looking at it tells of the data.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from mollify import _core
from mollify._analysis import asked
from mollify._command import Answer, arguments_of
from mollify._domain import DomainLike
from mollify._parameters import whole_number
from mollify._sampler import Sampler, _numbers

__all__ = ["check", "compare", "law"]


def check(
    data: Any,
    domain: DomainLike,
    *,
    unit: str | None = None,
    units: Any = None,
    units_column: str | None = None,
    counts_column: str | None = None,
    reference: Any = None,
    most: int = 1000,
) -> Answer:
    """Names every value of private data that its domain does not declare. NOT PRIVATE.

    A release maps such values silently, because refusing would tell of them; this is for the data
    holder, before a release. Of the answer, ``"findings"`` is how many there are, and ``"listed"``
    the first `most`, by the lines that a file would have: the first record is line 2. Where all
    columns are numbers without bins, ``"notes"`` says which look log-normal.

    Parameters
    ----------
    data, domain, unit, units, units_column
        As for `mollify.sample`.
    counts_column
        Column with the number of records that each row stands for; what is no number is named too.
    reference
        A public table or file: how many of its records the data has too.
    most
        Lists at most so many.

    Raises
    ------
    InvalidInput
        For what is wrong in public.
    """
    parameters = dict(locals()) | {"most": whole_number("most", most)}
    return asked("check", parameters, Answer)


def compare(
    data: Any,
    domain: DomainLike,
    *,
    released: Any = None,
    method: str | None = None,
    epsilon: float | str | None = None,
    delta: float | str | None = None,
    rho: float | str | None = None,
    mu: float | str | None = None,
    count: int | None = None,
    unit: str | None = None,
    units: Any = None,
    units_column: str | None = None,
    mechanism: str | None = None,
    band: str | None = None,
    c1: float | None = None,
    c2: float | None = None,
    gamma: float | None = None,
    reference: Any = None,
    space: str | None = None,
    cells: int | None = None,
    candidates: int | None = None,
    fresh: bool = False,
    trees: bool = False,
    candidates_file: Any = None,
    score: str | None = None,
    neighbours: str | None = None,
    copula: bool = False,
    covariance: Any = None,
    covariance_bound: float | None = None,
    mean_bound: float | None = None,
    log: Sequence[str] | None = None,
    paper_variance: bool = False,
    rate: float | None = None,
    support: str | None = None,
    accept_large_delta: bool = False,
    accept_error: bool = False,
    progress: bool = False,
) -> Answer:
    """How close the law of a release is to the truth, beside its reference. NOT PRIVATE.

    Of the answer, ``"law"`` and ``"reference"`` are divergences, and ``"outcomes"`` the masses. The
    parameters are those of `mollify.sample`; `progress` shows a bar (tqdm). With `released`, a release
    or its rows, these are compared instead of a release to come.

    Each of ``"columns"`` has its levels, the ``"shares"`` and ``"means"`` of each law, in which a
    number is the middle of its bin, and for integers and numbers ``"without_bins"``: the ``"mean"``
    and the ``"deviation"`` of the table's own numbers, ``"mean_in_bins"``, what the bins alone make
    of that mean, and ``"is_moved"``, whether that is more than a tenth of the deviation away.

    Of methods "gaussian" and "gaussian-model", ``"notes"`` says which columns look log-normal. Of the
    second, ``"accuracy"`` tells of each column in ``"spreads"`` how many standard deviations its range
    reaches to both sides of its mean, ``"deviations_below"`` and ``"deviations_above"``, and
    whether the expected total variation holds for it, ``"is_met"``; and in ``"total_variation"``
    the ``"least"`` and the ``"greatest"`` of some simulated ``"releases"``, from the Gaussian of the
    table.

    Raises
    ------
    InvalidInput
        For what is wrong in public.
    """
    return asked("compare", locals(), Answer)


def law(sampler: Sampler, p: Any, *, normalise: bool = False) -> Answer:
    """The exact law of a draw from a given distribution: (k,) masses that sum to 1. NOT PRIVATE.

    With `normalise` they are divided by their sum.

    Of the answer, ``"outcomes"`` has the numerator of each outcome over ``"N"``; they sum to it.
    """
    if not isinstance(sampler, Sampler):
        raise _core.InvalidInput(f"sampler must be a Sampler, but is of type {type(sampler).__name__}")
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
