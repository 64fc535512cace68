"""What is computed from public numbers and released records."""

from __future__ import annotations

import json
import os
import re
from typing import TYPE_CHECKING, Any, TypeVar

from mollify import _core
from mollify._command import Answer, arguments_of, in_python
from mollify._data import source_of
from mollify._domain import Domain, DomainLike, as_domain
from mollify._parameters import number
from mollify._release import Certificate, Release
from mollify._sampler import Sampler

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
        known = Domain.parse(named["text"]) if "text" in named else Domain.read(named["file"])
    else:
        known = as_domain(domain)
    held = {
        "--certificate": certificate.json.encode(),
        "--domain": known.yaml().encode(),
        "--released": source_of(released, list(known)).csv_text(),
    }
    asked = {"confidence": number("confidence", confidence), "method": method, "pairs": bool(pairs)}
    return Estimate(["estimate", *arguments_of(asked)], held)


def _asked(
    command: str, domain: DomainLike | None, parameters: dict[str, Any], kind: type[_Kind]
) -> _Kind:
    held = {} if domain is None else {"--domain": as_domain(domain).yaml().encode()}
    for name in ("reference", "public_units"):
        given = parameters.get(name)
        if given is not None and not isinstance(given, (str, os.PathLike)):
            unit = parameters.get("unit")
            wanted = [] if domain is None else [*as_domain(domain), *([unit] if unit else [])]
            held["--" + name.replace("_", "-")] = source_of(given, wanted).csv_text()
            del parameters[name]
    progress = bool(parameters.pop("progress", False))
    return kind([command, *arguments_of(parameters)], held, progress=progress)


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
        return in_python(text.replace(commands, calls))


def _calls(command: str) -> list[str]:
    """Python's for a command that was advised."""
    name, *parts = command.removeprefix("mollify ").split(" --")
    given = dict(part.partition(" ")[::2] for part in parts)
    if name == "domain":
        return ['domain = mo.Domain.read("DOMAIN.yaml")  # `mollify-dp domain` drafts one']
    if name == "generate":
        return [f"mo.generate(release.model, {given['count']})"]
    if name == "estimate":
        return ["mo.estimate(release)"]
    if name == "verify":
        return ["mo.verify(release, domain)"]
    arguments = ["data", "domain"]
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


def advise(domain: DomainLike | None = None, **parameters: Any) -> Advice:
    """Which release serves a question, what to expect of it, and the calls to make.

    Parameters are those of `mollify advise`: ``purpose`` ("records", "estimates", "sample",
    "table"), ``protect`` ("person", "row", "table"), ``n``, ``columns`` (how many values each has,
    instead of a domain), ``count``, ``epsilon``, ``alpha`` and others. Reads nothing private.
    Printed as the command prints it, but for the calls, and a mapping.
    """
    return _asked("advise", domain, parameters, Advice)


def plan(domain: DomainLike | None = None, **parameters: Any) -> Answer:
    """What a release can do, or needs, before any data is opened.

    Parameters are those of `mollify plan`: ``model``, ``epsilon``, ``delta``, ``count``, ``alpha``,
    ``n``, ``k``, ``region`` and others; ``progress=True`` shows a bar (tqdm). Printed as the command prints it, and a mapping.
    """
    return _asked("plan", domain, parameters, Answer)


def amplify(**parameters: Any) -> Answer:
    """How private shuffled reports are, in proved numbers.

    ``k`` and three of ``n``, ``epsilon0``, ``epsilon`` and ``delta``: the fourth is found; ``rate``
    and ``chosen`` as in `mollify amplify`.
    """
    return _asked("amplify", None, parameters, Answer)


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
    asked = {"public_units": public_units, "unit": unit} | parameters
    return _asked("tune", domain, asked, Answer)
