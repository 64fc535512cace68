"""What is computed from public numbers and released records."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from mollify import _core
from mollify._command import Answer, arguments_of, in_python
from mollify._data import source_of
from mollify._domain import Domain, DomainLike, _restore, as_domain
from mollify._parameters import number
from mollify._release import Certificate, Release, _Inputs
from mollify._sampler import RandomizedResponse, Sampler
from mollify._warning import warn

if TYPE_CHECKING:
    import pandas

_Kind = TypeVar("_Kind", bound=Answer)


class Estimate(Answer):
    """What released records tell of the population: what `mollify estimate` prints, and a mapping:
    ``estimate["means"]``.
    """

    def to_pandas(self, column: str | None = None) -> pandas.DataFrame:
        """Every outcome's probability and its interval in a row, or those of one column's values."""
        import pandas as pd

        rows = self._parts["estimates"]
        if column is not None:
            tables = {tuple(one["columns"]): one["estimates"] for one in self._parts["marginals"]}
            tables[tuple(self._parts["columns"])] = rows
            if (column,) not in tables:
                raise _core.InvalidInput(f'the release has no column "{column}"')
            rows = tables[column,]
        return pd.DataFrame(rows)


def estimate(
    released: Any,
    certificate: Certificate | str | os.PathLike[str] | None = None,
    domain: DomainLike | None = None,
    *,
    confidence: float = 0.95,
    method: str = "unbiased",
    pairs: bool = False,
) -> Estimate:
    """The distribution of the population that records were drawn from, with intervals.

    Reads no private data, so it costs no budget.

    Parameters
    ----------
    released
        A release, or its records in any form that `sample` takes.
    certificate
        Of the release; not needed beside one.
    domain
        Of the release; not needed where the certificate holds it or names its file.
    confidence
        All intervals hold together with at least this probability: above 0.5, below 1.
    method
        "unbiased", "simplex" (the nearest distribution) or "maximum-likelihood".
    pairs
        Two-way tables of all pairs of columns too.

    Raises
    ------
    InvalidInput
        For a certificate that does not hold, for a domain or a number of records that is not the
        release's, and for releases of which there is nothing to estimate.
    """
    if certificate is None and isinstance(released, Release):
        certificate = released.certificate
    if certificate is None:
        raise _core.InvalidInput("a certificate is needed beside records, but is not given")
    if not isinstance(certificate, Certificate):
        certificate = Certificate.read(certificate)
    if domain is None:
        named = certificate.spec["domain"]
        known = _restore(named["text"], None) if "text" in named else Domain.read(named["file"])
    else:
        known = as_domain(domain)
    held = {
        "--certificate": certificate.json.encode(),
        "--domain": known.yaml().encode(),
        "--released": source_of(released, list(known), what="released").csv_text(),
    }
    parameters = {"confidence": number("confidence", confidence), "method": method, "pairs": bool(pairs)}
    return Estimate(["estimate", *arguments_of(parameters)], held)


def as_files(
    domain: Domain | None,
    files: Mapping[str, Any],
    unit: str | None,
    units_column: str | None = None,
    counts_column: str | None = None,
) -> tuple[dict[str, bytes], dict[str, Any]]:
    """What lies in memory, by its flag, and what is a file, by its keyword."""
    held: dict[str, bytes] = {}
    named: dict[str, Any] = {}
    for part, given in files.items():
        if given is None or isinstance(given, (str, os.PathLike)):
            named[part] = given
            continue
        if domain is None:
            raise _core.InvalidInput(f"{part} in memory needs a domain, whose columns are read of it")
        inputs = _Inputs(domain, unit, files.get("data") if part != "data" else None, units_column)
        if part in ("data", "public_units"):
            text = source_of(given, [*domain, *filter(None, (unit, counts_column))], what=part).csv_text()
        elif part == "released":
            text = source_of(given, list(domain), what=part).csv_text()
        else:
            text = inputs.texts[inputs.named(part, given)]
        held["--" + part.replace("_", "-")] = text
    return held, named


_FILES = ("data", "released", "units", "public_units", "reference", "covariance", "candidates_file")


def asked(command: str, given: Mapping[str, Any], kind: type[_Kind]) -> _Kind:
    """The command's answer to a function's arguments, which bear the names of its flags."""
    parameters = dict(given)
    domain = parameters.pop("domain", None)
    known = None if domain is None else as_domain(domain)
    progress = bool(parameters.pop("progress", False))
    files = {name: parameters.pop(name) for name in _FILES if name in parameters}
    columns = (parameters.get(name) for name in ("unit", "units_column", "counts_column"))
    held, named = as_files(known, files, *columns)
    if known is not None:
        held["--domain"] = known.yaml().encode()
    method = [] if command == "advise" else [parameters.pop("method", None)]
    words = [command, *(str(one) for one in method if one is not None)]
    return kind([*words, *arguments_of(named | parameters)], held, progress=progress)


class Advice(Answer):
    """What `mollify.advise` says; printed with the calls to make in place of the commands."""

    @property
    def calls(self) -> list[str]:
        """What to run, line by line: `data` is the private table, `domain` and `units` are public."""
        return [line for command in self["commands"] for line in _calls(command)]

    def __str__(self) -> str:
        text = super().__str__()
        commands = "".join(f"  {command}\n" for command in self["commands"])
        calls = "".join(f"  {call}\n" for call in self.calls)
        text = text.replace(commands, calls)
        for way in self["other_ways"]:
            if "command" in way:
                text = text.replace(way["command"], _calls(way["command"])[0])
        return in_python(text)


def _calls(command: str) -> list[str]:
    """Python's for a command that was advised."""
    words, *parts = command.removeprefix("mollify ").split(" --")
    name, *method = words.split(" ")
    given = dict(part.partition(" ")[::2] for part in parts)
    if name == "domain":
        return ['domain = mo.Domain.read("DOMAIN.yaml")  # `mollify-dp domain` drafts one']
    if name == "generate":
        return [f"mo.generate(release.model, {given['count']})"]
    if name == "estimate":
        return ["mo.estimate(release)"]
    if name == "verify":
        return ["mo.verify(release, domain)"]
    arguments = ["data", "domain", *(f"method={json.dumps(one)}" for one in method)]
    for flag, value in given.items():
        keyword = flag.replace("-", "_")
        if flag in ("epsilon", "delta", "rho", "count"):
            arguments.append(f"{keyword}={value}")
        elif flag in ("units", "covariance"):
            arguments.append(f"{keyword}={keyword}")
        elif flag == "log":
            arguments.append(f"{keyword}={json.dumps(value.split(','))}")
        elif flag not in ("data", "domain", "out", "certificate", "model-out"):
            arguments.append(f"{keyword}={json.dumps(value) if value else True}")
    call = f"({', '.join(arguments)})"
    if name == "check":
        return [f"mo.nonprivate.check{call}"]
    return [f"release = mo.{name}{call}", 'release.certificate.write("CERTIFICATE.json")']


def advise(
    domain: DomainLike | None = None,
    *,
    purpose: str | None = None,
    protect: str | None = None,
    method: str | None = None,
    n: int | None = None,
    columns: Sequence[int] | None = None,
    count: int | None = None,
    unit: str | None = None,
    epsilon: float | str | None = None,
    delta: float | str | None = None,
    alpha: float | None = None,
    covariance: Any = None,
    log: Sequence[str] | None = None,
    accept_large_delta: bool = False,
) -> Advice:
    """Which release serves a question, what to expect of it, and the calls to make.

    Reads nothing private. Printed as the command prints it, but for the calls, and a mapping.

    Parameters
    ----------
    domain
        What a record can be; or else `columns`.
    purpose
        "records" (a realistic one of each person), "estimates" (of the population), "sample" (a
        small table) or "table" (a whole one).
    protect
        "person" (everything about each), "row" (each row) or "table" (all of it, and any group).
    method
        One of `sample`'s, instead of `protect`.
    n
        How many persons, or rows.
    columns
        How many values each column has, instead of a domain.
    count
        Records to release: of each person, or in all.
    unit
        The column that names the person of each row.
    epsilon, delta
        The budget, where it is settled.
    alpha
        The error that is still good: total variation, or of estimates the standard error of a share.
    covariance, log
        Of method "gaussian", `log` of "gaussian-model" too: as for `sample`.
    accept_large_delta
        Looks at a `delta` of 1/n or more all the same.

    Raises
    ------
    InvalidInput
        For parameters that are out of range, missing, or do not go together.
    """
    return asked("advise", locals(), Advice)


def plan(
    domain: DomainLike | None = None,
    *,
    method: str | None = None,
    epsilon: float | str | Sequence[float] | None = None,
    delta: float | str | None = None,
    rho: float | str | None = None,
    mu: float | str | None = None,
    count: int | None = None,
    alpha: float | None = None,
    n: int | None = None,
    k: int | None = None,
    region: str | Sequence[str] | None = None,
    mechanism: str | None = None,
    band: str | None = None,
    c1: float | None = None,
    c2: float | None = None,
    gamma: float | None = None,
    reference: Any = None,
    strong: bool = False,
    curve: bool = False,
    space: str | None = None,
    cells: int | None = None,
    candidates: int | None = None,
    fresh: bool = False,
    trees: bool = False,
    candidates_file: Any = None,
    score: str | None = None,
    neighbours: str | None = None,
    copula: bool = False,
    dimension: int | None = None,
    mean_range: float | None = None,
    covariance: Any = None,
    covariance_bound: float | None = None,
    mean_bound: float | None = None,
    log: Sequence[str] | None = None,
    paper_variance: bool = False,
    accept_large_delta: bool = False,
    progress: bool = False,
) -> Answer:
    """What a release can do, or needs, before any data is opened.

    Leave one of its numbers out, and it is found: the budget, how many outcomes or records, the
    total variation. Reads nothing private. Printed as the command prints it, and a mapping.

    Parameters
    ----------
    domain
        What a record can be; or else `k`.
    method
        As for `sample`.
    epsilon, delta, rho, mu
        The budget; several values of `epsilon` are a plan each.
    count
        Records to release: for each unit, or in all.
    alpha
        Total variation of an output's law from the data's. Between 0 and 1.
    n
        Number of records, which is public where rows are protected.
    k
        Number of outcomes, where there is no domain.
    region
        "COLUMN=VALUE[,VALUE]", or several, which narrow it: bounds on its probability. Without a
        domain: its reference mass.
    mechanism, band, c1, c2, gamma, reference
        As for `sample`; "all" is every mechanism, in methods local and integral.
    strong
        `alpha` bounds all outputs together.
    curve
        Total variation against `n` as well.
    space, cells, candidates, fresh, trees, candidates_file, score
        As for `sample`.
    neighbours, copula, covariance, covariance_bound, mean_bound, log, paper_variance
        As for `sample`.
    dimension, mean_range
        Of method "gaussian" without a domain: how many coordinates, and how many standard
        deviations wide the range is that each coordinate of the mean lies in.
    accept_large_delta
        Goes on where `delta` is 1/n or more.
    progress
        Shows a bar (tqdm).

    Raises
    ------
    InvalidInput
        For parameters that are out of range, missing, or do not go together.
    """
    return asked("plan", locals(), Answer)


def amplify(
    *,
    k: int | None = None,
    n: int | None = None,
    epsilon0: float | None = None,
    epsilon: float | None = None,
    delta: float | None = None,
    rate: float | None = None,
    chosen: int | None = None,
    accept_large_delta: bool = False,
) -> Answer:
    """How private shuffled reports are, in proved numbers.

    Every record goes through k-ary randomized response, and all reports leave shuffled. Printed as
    the command prints it, and a mapping.

    Parameters
    ----------
    k
        Number of outcomes.
    n, epsilon0, epsilon, delta
        Number of records, epsilon of one report (up to 100), and epsilon and delta of all together:
        three of the four, and the other is found.
    rate
        Each record is first kept with this probability.
    chosen
        So many of the `n` records are first chosen, without replacement.
    accept_large_delta
        Goes on where `delta` is 1/n or more.

    Raises
    ------
    InvalidInput
        For parameters that are out of range, missing, or do not go together.

    Warns
    -----
    ReleaseWarning
        If epsilon of all reports is 10 or more: what that means in odds. If `delta` is near 1/n.
    """
    answer = asked("amplify", locals(), Answer)
    warn(answer["warnings"])
    return answer


def risk(sampler: Sampler | RandomizedResponse) -> Answer:
    """How far the law of a draw can be from the truth, at worst. Nothing private is read.

    Of the answer, ``"risk"`` has the divergences, as far as they are known for the mechanism.

    Raises
    ------
    InvalidInput
        For what is no sampler.
    """
    if not isinstance(sampler, (Sampler, RandomizedResponse)):
        raise _core.InvalidInput(
            "sampler must be a Sampler or a RandomizedResponse, but is of type "
            + type(sampler).__name__
        )
    parameters = dict(sampler._parameters)
    if isinstance(sampler, RandomizedResponse):
        return Answer(["risk", *arguments_of({"mechanism": "randomized-response"} | parameters)])
    reference, location = parameters.pop("reference"), parameters.pop("location")
    if location is not None:
        del parameters["mechanism"]
        parameters["band"] = f"location={location!r}"
    held = {"--reference": json.dumps(reference).encode()} if reference else {}
    outcomes = parameters.pop("outcomes")
    if not reference:
        parameters["k"] = outcomes
    return Answer(["risk", *arguments_of(parameters)], held)


def tune(
    public_units: Any,
    domain: DomainLike,
    *,
    unit: str,
    epsilon: float | str | None = None,
    count: int | None = None,
    c1: float | None = None,
    c2: float | None = None,
    reference: Any = None,
    best: bool = False,
    divergence: str | None = None,
    out: str | os.PathLike[str] | None = None,
    overwrite: bool = False,
    data: Any = None,
    space: str | None = None,
    cells: int | None = None,
    candidates: int | None = None,
    fresh: bool = False,
    trees: bool = False,
    candidates_file: Any = None,
    score: str | None = None,
    progress: bool = False,
) -> Answer:
    """Where the band lies best, from PUBLIC example units.

    For each band: how far the units' estimates are from the laws they would be released from. The
    units must be public: whatever is chosen by looking at private ones tells of them. Printed as
    the command prints it, and a mapping.

    Parameters
    ----------
    public_units
        A table or a file of units like yours.
    domain
        What a record can be.
    unit
        The column that names the unit of each row.
    epsilon
        Budget of all draws of a unit.
    count
        Draws of each unit. Default: 1.
    c1, c2
        Least and greatest density against the reference.
    reference
        A table or a file of public records in the domain.
    best
        Finds the best band there is for these units, with the limit that no sampler beats on them.
    divergence
        What bands are compared by: "kl" (the default), "tv", "hellinger2" or "chi2".
    out, overwrite
        Where that band goes, for ``sample(band="file=...")``; `overwrite` replaces a file.
    data
        The private table, opened only to make sure that the units are not from it.
    space, cells, candidates, fresh, trees, candidates_file, score
        As for `sample`.
    progress
        Shows a bar (tqdm).

    Raises
    ------
    InvalidInput
        For parameters that are out of range, missing, or do not go together; for units that are
        the private ones.
    """
    return asked("tune", locals(), Answer)
