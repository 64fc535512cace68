"""What is computed from public numbers and released records."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from mollify import _core
from mollify._command import Answer, arguments_of
from mollify._data import source_of
from mollify._domain import Domain, DomainLike, as_domain
from mollify._release import Certificate, Release
from mollify._sampler import Sampler

if TYPE_CHECKING:
    import pandas

class Estimate(Mapping[str, Any]):
    """What released records tell of the population: what `mollify estimate --json` prints.

    A mapping: ``estimate["means"]``.
    """

    def __init__(self, json_text: str) -> None:
        self.json = json_text
        self._parts: dict[str, Any] = json.loads(json_text)

    def __getitem__(self, name: str) -> Any:
        return self._parts[name]

    def __iter__(self) -> Any:
        return iter(self._parts)

    def __len__(self) -> int:
        return len(self._parts)

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

    def to_dict(self) -> dict[str, Any]:
        """All of it, as Python's objects."""
        parts: dict[str, Any] = json.loads(self.json)
        return parts

    def __repr__(self) -> str:
        return f"Estimate({', '.join(self._parts)})"

    def __reduce__(self) -> tuple[type[Estimate], tuple[str]]:
        return Estimate, (self.json,)


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
        known = Domain.parse(named["text"]) if "text" in named else Domain.read(named["file"])
    else:
        known = as_domain(domain)
    return Estimate(
        _core.estimate(
            certificate.json,
            certificate._name,
            known._inside,
            source_of(released, list(known)),
            float(confidence),
            method,
            bool(pairs),
        )
    )


def _asked(command: str, domain: DomainLike | None, parameters: dict[str, Any]) -> Answer:
    held = {} if domain is None else {"--domain": as_domain(domain).yaml().encode()}
    for name in ("reference", "public_units"):
        given = parameters.get(name)
        if given is not None and not isinstance(given, (str, os.PathLike)):
            unit = parameters.get("unit")
            wanted = [] if domain is None else [*as_domain(domain), *([unit] if unit else [])]
            held["--" + name.replace("_", "-")] = source_of(given, wanted).csv_text()
            del parameters[name]
    progress = bool(parameters.pop("progress", False))
    return Answer([command, *arguments_of(parameters)], held, progress=progress)


def advise(domain: DomainLike | None = None, **parameters: Any) -> Answer:
    """Which release serves a question, what to expect of it, and the commands to run.

    Parameters are those of `mollify advise`: ``purpose`` ("records", "estimates", "sample",
    "table"), ``protect`` ("person", "row", "table"), ``n``, ``columns`` (how many values each has,
    instead of a domain), ``count``, ``epsilon``, ``alpha`` and others. Reads nothing private.
    Printed as the command prints it, and a mapping.
    """
    return _asked("advise", domain, parameters)


def plan(domain: DomainLike | None = None, **parameters: Any) -> Answer:
    """What a release can do, or needs, before any data is opened.

    Parameters are those of `mollify plan`: ``model``, ``epsilon``, ``delta``, ``count``, ``alpha``,
    ``n``, ``k``, ``region`` and others; ``progress=True`` shows a bar (tqdm). Printed as the command prints it, and a mapping.
    """
    return _asked("plan", domain, parameters)


def amplify(**parameters: Any) -> Answer:
    """How private shuffled reports are, in proved numbers.

    ``k`` and three of ``n``, ``epsilon0``, ``epsilon`` and ``delta``: the fourth is found; ``rate``
    and ``chosen`` as in `mollify amplify`.
    """
    return _asked("amplify", None, parameters)


def risk(sampler: Sampler) -> Answer:
    """How far the law of a draw can be from the truth, at worst. Nothing private is read."""
    asked = dict(sampler._parameters)
    reference, location = asked.pop("reference"), asked.pop("location")
    if location is not None:
        del asked["mechanism"]
        asked["band"] = f"location={location!r}"
    held = {"--reference": json.dumps(reference).encode()} if reference else {}
    outcomes = asked.pop("outcomes")
    if not reference:
        asked["k"] = outcomes
    return Answer(["risk", *arguments_of(asked)], held)


def tune(public_units: Any, domain: DomainLike, *, unit: str, **parameters: Any) -> Answer:
    """Where the band lies best, from PUBLIC example units.

    The units must be public: whatever is chosen by looking at private ones tells of them.
    Parameters are those of `mollify tune`; ``progress=True`` shows a bar (tqdm).
    """
    return _asked("tune", domain, {"public_units": public_units, "unit": unit} | parameters)
