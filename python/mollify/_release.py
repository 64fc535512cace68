"""From private records to released ones and their certificate."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from mollify import _core
from mollify._data import column_source, source_of
from mollify._domain import Domain, DomainLike, as_domain
from mollify._ledger import Ledger
from mollify._model import Model
from mollify._parameters import number, require_without_nul, whole_number
from mollify._privacy import Privacy, of_json, outward
from mollify._records import Records
from mollify._threads import thread_count
from mollify._warning import warn


class Certificate:
    """What goes out with a release: its spec, what follows from it, and what it promises.

    Nothing in it depends on private data. Immutable.
    """

    def __init__(self, json_text: str, *, name: str = "the certificate") -> None:
        self.json = json_text
        self._name = name
        try:
            self._facts = json.loads(json_text)
        except (ValueError, RecursionError):
            self._facts = None
        if not isinstance(self._facts, dict) or "spec" not in self._facts:
            raise _core.InvalidInput(f"{name} must be a certificate of a release, a JSON object")

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Certificate:
        """Reads a file; `InvalidInput` for what is no certificate."""
        require_without_nul("a path", os.fspath(path))
        try:
            with open(path, encoding="utf-8") as file:
                text = file.read()
        except (OSError, UnicodeDecodeError) as error:
            reason = error.strerror if isinstance(error, OSError) else "it is no text"
            raise _core.InvalidInput(f"{os.fspath(path)} cannot be read: {reason}") from None
        return cls(text, name=os.fspath(path))

    def write(self, path: str | os.PathLike[str]) -> None:
        """Writes a file, which appears whole or not at all."""
        beside = f"{os.fspath(path)}.part"
        with open(beside, "w", encoding="utf-8") as file:
            file.write(self.json)
        os.replace(beside, path)

    def to_dict(self) -> dict[str, Any]:
        """All of it, as Python's objects."""
        facts: dict[str, Any] = json.loads(self.json)
        return facts

    @property
    def total(self) -> Privacy:
        """What all of the release promises together."""
        return of_json(self._facts["privacy"])

    @property
    def mechanism(self) -> str:
        """What drew the records."""
        return str(self._facts["mechanism"])

    @property
    def spec(self) -> dict[str, Any]:
        """The whole public side of the release."""
        spec: dict[str, Any] = self.to_dict()["spec"]
        return spec

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Certificate) and self.json == other.json

    def __hash__(self) -> int:
        return hash(self.json)

    def __repr__(self) -> str:
        return f"Certificate({self.mechanism}, {self.total})"

    def __reduce__(self) -> tuple[type[Certificate], tuple[str]]:
        return Certificate, (self.json,)


class Release(Records):
    """Released records and their certificate."""

    certificate: Certificate

    why: str
    """Why this mechanism and these parameters, in one sentence."""

    total_variation: float | None
    """How far each record's distribution may be from the data's.

    Of methods local and integral it is the worst case. Of method central it holds for any data, with
    `support` if the whole domain is needed. Of marginals and a shared Gaussian it is what noise is
    expected to do. None with ``neighbours="add-remove"``, because it would tell the number of rows; a
    warning then names the number of rows below which the release is mostly noise."""

    notes: list[str]
    """What else to know about it, in sentences."""

    warnings: list[str]
    """What was said as `ReleaseWarning` before it was made."""

    model: Model | None
    """What the records were drawn from, of method "marginals": `mollify.generate` draws more."""

    def __init__(
        self,
        table: _core.Table,
        certificate: Certificate,
        report: Mapping[str, Any],
        model: Model | None = None,
    ) -> None:
        super().__init__(table)
        self.certificate = certificate
        self.model = model
        self.why = report["why"]
        self.total_variation = report["total_variation"]
        self.notes = list(report["notes"])
        self.warnings = list(report["warnings"])

    @property
    def mechanism(self) -> str:
        """What drew the records."""
        return self.certificate.mechanism

    @property
    def guarantee(self) -> Privacy:
        """What all of the release promises together."""
        return self.certificate.total

    @property
    def represents(self) -> list[str]:
        """Whether released shares stand for shares of rows or of units, in sentences."""
        return list(self.certificate.to_dict()["represents"])

    @property
    def promised(self) -> list[str]:
        """What the release promises, in sentences."""
        return list(self.certificate.to_dict()["promised"])

    @property
    def not_promised(self) -> list[str]:
        """What it does not."""
        return list(self.certificate.to_dict()["not_promised"])

    def dp_event(self) -> Any:
        """The release as an event of Google's dp_accounting, for its accountants.

        A pure release is randomized response between two values, which no epsilon-DP mechanism
        passes in any composition [Kairouz et al. 2015]; for accountants with the neighbours of
        `REPLACE_ONE`, because `REPLACE_SPECIAL` would count too little. One in rho is zCDP, one in mu
        the Gaussian mechanism. One with a delta is no event: see `privacy_loss`. Of neighbours
        "add-remove" it is what replacing one costs.
        """
        from dp_accounting import dp_event

        total = self._replacing_up()
        if total.rho is not None:
            return dp_event.ComposedDpEvent([dp_event.ZCDpEvent(total.rho)])
        if total.mu is not None:
            return dp_event.ComposedDpEvent([dp_event.GaussianDpEvent(1 / total.mu)])
        if total.delta:
            raise _core.InvalidInput(
                f"a release with {total} is no event of dp_accounting; its privacy_loss is one of its "
                "distributions"
            )
        # Rounded down: less noise is the safe side.
        noise = math.nextafter(2 / (1 + math.exp(total.epsilon or 0)) * (1 - 2**-50), 0)
        # Single events: of the self-composed form its accountants ignore the count for these.
        return dp_event.ComposedDpEvent([dp_event.RandomizedResponseDpEvent(noise, 2)])

    def _replacing_up(self) -> Privacy:
        """The guarantee, or where it is about a row's being there at all, about another in its place."""
        if self.certificate.spec.get("neighbours") != "add-remove":
            return self.guarantee
        return outward(_core.replacing_up(self.guarantee._inside()))

    def privacy_loss(self) -> Any:
        """The release as a privacy loss distribution of dp_accounting; InvalidInput for rho.

        Of neighbours "add-remove" it is that of replacing one.
        """
        from dp_accounting.pld import common, privacy_loss_distribution

        total = self._replacing_up()
        if total.mu is not None:
            return privacy_loss_distribution.from_gaussian_mechanism(1 / total.mu)
        if total.epsilon is None:
            raise _core.InvalidInput(f"a release with {total} has no privacy loss distribution")
        return privacy_loss_distribution.from_privacy_parameters(
            common.DifferentialPrivacyParameters(total.epsilon, total.delta or 0)
        )

    def __repr__(self) -> str:
        return f"Release({len(self)} records by {self.mechanism} with {self.guarantee})"

    def __reduce__(self) -> tuple[Any, ...]:
        names = ("why", "total_variation", "notes", "warnings")
        report = {name: getattr(self, name) for name in names}
        return _restore, (self._table.columns(), self.certificate, report, self.model)


def _restore(
    columns: list[Any], certificate: Certificate, report: Mapping[str, Any], model: Model | None
) -> Release:
    return Release(_core.Table(columns), certificate, report, model)


class _Inputs:
    """What a spec names: files as they are, and what lies in memory as the text of a file."""

    def __init__(
        self,
        domain: Domain,
        unit: str | None = None,
        data: object = None,
        units_column: str | None = None,
    ) -> None:
        self.domain = domain
        self.unit = unit
        self.units_column = units_column
        self.data = data
        self.texts: dict[str, bytes] = {}

    def named(self, part: str, given: Any) -> str:
        if isinstance(given, (str, os.PathLike)):
            return str(os.fspath(given))
        if given is self.data and given is not None:
            raise _core.InvalidInput(f"{part} must be public, but is the private data itself")
        if part == "candidates_file":
            raise _core.InvalidInput(
                "candidates_file must be the path of a file of candidates, but is of type "
                f"{type(given).__name__}"
            )
        name = f"{part} (in memory)"
        self.texts[name] = self._text(part, given)
        return name

    def _text(self, part: str, given: Any) -> bytes:
        if part == "covariance":
            return _covariance_text(list(self.domain), given)
        if part == "units":
            if self.unit is None:
                raise _core.InvalidInput("units needs unit, the column that names them")
            column = self.units_column or self.unit
            if isinstance(given, Mapping) or hasattr(given, "columns"):
                return source_of(given, [column], what=part).csv_text()
            return column_source(given, column, what=part).csv_text()
        return source_of(given, list(self.domain), what=part).csv_text()


def _covariance_text(names: list[str], matrix: Any) -> bytes:
    import csv
    import io

    import numpy as np

    if hasattr(matrix, "loc") and hasattr(matrix, "columns"):  # a data frame: by names
        names = [str(name) for name in matrix.columns]
        if [str(name) for name in matrix.index] != names:
            raise _core.InvalidInput("a covariance must have its columns' names as its index too")
    try:
        numbers = np.asarray(matrix, dtype=np.float64)
    except (TypeError, ValueError):
        raise _core.InvalidInput("a covariance must be a matrix of numbers") from None
    if numbers.shape != (len(names), len(names)):
        raise _core.InvalidInput(
            f"a covariance must have a row and a column for each of {', '.join(names)}, "
            f"but has shape {numbers.shape}"
        )
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(["", *names])
    for name, row in zip(names, numbers.tolist()):
        rows.writerow([name, *map(repr, row)])
    return text.getvalue().encode()


def _value(name: str, kind: str, given: Any, inputs: _Inputs) -> Any:
    """What a part of a spec holds, for JSON."""
    if kind == "file":
        named = inputs.named(name, given)
        require_without_nul(name, named)
        return {"file": named}
    if kind == "truth":
        return bool(given)
    if kind == "texts":
        return [given] if isinstance(given, str) else [str(one) for one in given]
    if kind == "text":
        return str(given)
    if kind == "whole number":
        return whole_number(name, given)
    if kind == "number":
        return number(name, given)
    # A decimal number, as it is typed.
    return given if isinstance(given, str) else str(getattr(given, "item", lambda: given)())


def _spec(domain: Domain, asked: Mapping[str, Any], inputs: _Inputs) -> str:
    """The spec of what was asked for, part by part; the library knows which there are."""
    spec: dict[str, Any] = {"method": asked["method"], "domain": domain._part()}
    for flag, place, kind in _core.spec_parts():
        name = flag.replace("-", "_")
        given = asked.get(name)
        if name == "domain" or given is None or given is False:
            continue
        part = spec
        *above, last = place.strip("/").split("/")
        for key in above:
            part = part.setdefault(key, {})
        part[last] = _value(name, kind, given, inputs)
        for one in part[last] if kind == "texts" else [part[last]]:
            if isinstance(one, str):
                require_without_nul(name, one)
    return json.dumps(spec, allow_nan=True)


def sample(
    data: Any,
    domain: DomainLike,
    *,
    method: str,
    epsilon: float | str | None = None,
    delta: float | str | None = None,
    rho: float | str | None = None,
    mu: float | str | None = None,
    count: int | None = None,
    unit: str | None = None,
    units: Any = None,
    units_column: str | None = None,
    lists: Sequence[str] = (),
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
    covariance: Any = None,
    covariance_bound: float | None = None,
    mean_bound: float | None = None,
    log: Sequence[str] | None = None,
    paper_variance: bool = False,
    neighbours: str | None = None,
    copula: bool = False,
    rate: float | None = None,
    support: str | None = None,
    accept_large_delta: bool = False,
    accept_error: bool = False,
    counts: str | None = None,
    threads: int | None = None,
    ledger: Ledger | str | os.PathLike[str] | None = None,
    data_set: str | None = None,
) -> Release:
    """Releases records drawn from private data. The names are those of `mollify sample`.

    Nothing in the data can make it raise, print, or change the shape of what it returns.

    Parameters
    ----------
    data
        The private table: what has ``__arrow_c_stream__`` (Polars, pyarrow, DuckDB, ...), a Polars
        lazy frame, a pandas data frame, a mapping from names to columns, an array of records, one of
        (n, d) whose columns are the domain's and then that of `unit`, or the path of a CSV file.
    domain
        What a record can be; public, as are all parameters below.
    method
        "local" (with `unit`: each unit's rows are one distribution, and each unit releases `count`
        records), "integral" (the whole table is protected at once), "integral-model" (the same; one of
        `candidates` public models is released, and `count` rows of it are free; with `trees` every
        second one is a tree of columns), "central" (independent records of a finite domain; each row
        or unit is protected, like by the following), "gaussian" (independent rows of numbers),
        "gaussian-model" (any number of rows of one noisy mean and covariance) or "marginals" (any
        number of rows of a model that is learned from noisy counts: `Release.model`).
    epsilon, delta, rho, mu
        The budget of all of it. A text is taken exactly as it is typed.
    count
        Records: for each unit, or in all. Default: 1 of methods "local", "integral" and
        "integral-model".
    unit, units, units_column
        The column that names the unit of each row; all units, as a list, a column, a table or a
        file, which protects who is in the data; the table's column that names them (default: `unit`).
    lists
        Columns of Python objects each of which is a list, of a unit's values: they are side by side
        in as many records as the longest has, or in one of nulls. Of other columns the type tells.
    mechanism, band, c1, c2, gamma, reference
        The mechanism; `reference` is a table of public records in the domain.
    space, cells, candidates, fresh, trees, candidates_file, score
        What a release chooses from; `candidates_file` is a file that `mollify candidates` wrote.
    covariance, covariance_bound, mean_bound, log, paper_variance
        Of method "gaussian", `log` of "gaussian-model" too; `covariance` is a (d, d) array in the
        domain's order, a data frame or a file.
    neighbours, reference, copula
        Of method "marginals". Neighbours "replace" (the default) or "add-remove", where the number of
        rows is protected too. `reference` is a table of public records that the model begins at. With
        `copula` columns are joined by their rank correlations alone.
    rate, support
        Of method "central".
    accept_large_delta, accept_error
        Answers that are refused as dangerous unless they are meant: a delta of 1/n or more, and a
        release that cannot be told apart from public noise.
    counts
        The column of `data` with the number of records that each row stands for: for tables that
        were counted elsewhere. Default: each row is one record. A count that is null, negative or no
        whole number is 0. A row counts as 2^40 records at most, and one outcome of a unit or a table
        as 2^53. Method central without a unit refuses a table of more than 2^40 records. Not where
        records are scored, nor for Gaussian samples.
    threads
        That share the work, from 1 to 1024; what is promised does not depend on it. Default: as
        many as the machine runs at once.
    ledger, data_set
        Where the release is charged before it is drawn, and as what.

    Returns
    -------
    Release

    Raises
    ------
    InvalidInput
        In one sentence, for what is wrong in public; nothing is released or charged then.

    Warns
    -----
    ReleaseWarning
        If the release is mostly noise or otherwise dangerous; nothing is charged before.
    """
    asked = dict(locals())
    domain = as_domain(domain)
    if count is None and not protects_rows(method):
        asked["count"] = 1
    inputs = _Inputs(domain, unit, data, units_column)
    spec = _spec(domain, asked, inputs)
    if (ledger is None) != (data_set is None):
        raise _core.InvalidInput("a release is charged to a ledger with a data_set, but one is missing")
    charged = ledger if ledger is None or isinstance(ledger, Ledger) else Ledger(ledger)
    if counts is not None and not isinstance(counts, str):
        raise TypeError(f"counts must be the name of a column, but is of type {type(counts).__name__}")
    listed = [lists] if isinstance(lists, str) else list(lists)
    for name in listed:
        if name not in domain:
            raise _core.InvalidInput(f'lists must name columns of the domain, but "{name}" is none')
    columns = [*domain, *(one for one in (unit, counts) if one is not None)]
    source = source_of(data, columns, listed, thread_count(threads))
    if counts is not None:
        source = source.with_counts(counts)
    prepared = _core.prepare_for(spec, source, inputs.texts)
    report = prepared.report()
    warn(report["warnings"])  # where a warning is an error, nothing is charged
    table, certificate, drawn_from = _core.release(
        prepared,
        source,
        None if charged is None else charged._inside,
        data_set or "",
        thread_count(threads),
    )
    kept = None if drawn_from is None else Model.parse(drawn_from)
    return Release(table, Certificate(certificate), report, kept)


def protects_rows(method: str) -> bool:
    """Whether each row or unit of a table is protected, so that a count is no matter of its own."""
    return method not in ("local", "integral", "integral-model")


def prepared(domain: Domain, records: int | None, **asked: Any) -> dict[str, Any]:
    """The certificate that `sample` would give, by its facts; `records` where their number counts."""
    if asked.get("count") is None and not protects_rows(asked["method"]):
        asked["count"] = 1
    inputs = _Inputs(domain, asked.get("unit"), None, asked.get("units_column"))
    spec = _spec(domain, asked, inputs)
    facts: dict[str, Any] = json.loads(_core.prepare(spec, records, inputs.texts))
    return facts


class Verification(NamedTuple):
    """What checking a certificate found; it is true if all of it holds."""

    holds: bool
    verdict: str
    """"holds", "DOES NOT HOLD", or "not checked: this is not the release's domain"."""
    domain_matches: bool
    list_matches: bool | None
    """Of releases from candidates, models or around public records; None where it cannot be told."""
    ranges_match: bool | None
    design_matches: bool | None
    """None, like the next three, if it was not looked at."""
    guarantee_holds: bool | None
    total_holds: bool | None
    accuracy_matches: bool | None
    epsilon_realised_up: float
    """Of one draw, from the integers and rounded up; 0 where rows are protected."""

    def __bool__(self) -> bool:
        return self.holds


def verify(
    certificate: Certificate | Release | str | os.PathLike[str],
    domain: DomainLike,
    *,
    candidates_file: Any = None,
    reference: Any = None,
) -> Verification:
    """Computes a certificate again, in integers.

    `certificate` is one, a release, or a file; `candidates_file` and `reference` are what the
    release was made with. Raises `InvalidInput` for what is no certificate, and where its
    words say something else than its numbers.
    """
    domain = as_domain(domain)
    if isinstance(certificate, Release):
        certificate = certificate.certificate
    if not isinstance(certificate, Certificate):
        certificate = Certificate.read(certificate)
    inputs = _Inputs(domain)
    listed = None if candidates_file is None else inputs.named("candidates_file", candidates_file)
    public = None if reference is None else inputs.named("reference", reference)
    report = _core.verify(
        certificate.json, certificate._name, domain._inside, listed, public, inputs.texts
    )
    return Verification(**report)
