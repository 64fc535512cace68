"""Released records, their certificate, and its verification."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from mollify import _core
from mollify._certificate import Certificate, as_certificate
from mollify._checks import wrong_value
from mollify._data import EVERY_COLUMN, source_of
from mollify._domain import DomainLike, as_domain
from mollify._files import Inputs as InputFiles, optional
from mollify._model import Model, as_model
from mollify._parameters import unknown_name
from mollify._privacy import Privacy, outward
from mollify._records import Records
from mollify._refusal import WayOut, refusal
from mollify._spec import Inputs, given_name, texts_of
from mollify._warning import Message, messages


class Release(Records):
    """Released records and their certificate."""

    certificate: Certificate

    why: str
    """Why this mechanism and these parameters, in one sentence."""

    total_variation: float | None
    """How far each record's distribution may be from the data's.

    Of methods local and integral it is the worst case. Of method central it holds for
    any data, with `support` for the support that was found, or None if nobody knows how
    many rows are outside it: `notes` explains it. Of a shared Gaussian it is
    what noise is expected to do. Of marginals it is the middle of a range that `notes`
    states; `Release.model.error` has the error that was measured.
    None with ``neighbours="add-remove"``, because it would reveal the number of rows; a warning then names the number of rows below which the release is mostly noise.
    """

    notes: list[str]
    """What else to know about it, in sentences."""

    warnings: list[Message]
    """The texts of every `ReleaseWarning` of the release, before and after it, with their codes."""

    represents: list[str]
    """Whether released shares are shares of rows or of units, in sentences."""

    promised: list[str]
    """The release's promises, in sentences. The certificate has them in the words of the command."""

    not_promised: list[str]
    """The limits of the promise, in sentences."""

    _file: str | None = None
    """Where its rows are, if they are not in memory."""

    model: Model | None
    """The model of `Marginals` or `IntegralModel`, whose `Model.sample` draws more rows.
    None for every other method.
    """

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
        self.warnings = messages(report["warnings"])
        known = {one.code for one in self.warnings}
        self.warnings += [one for one in (model.warnings if model is not None else []) if one.code not in known]
        self.represents = list(report["represents"])
        self.promised = list(report["promised"])
        self.not_promised = list(report["not_promised"])
        found = certificate.to_dict().get("measured", {})
        if "accuracy" in found:
            self.total_variation = found["accuracy"]["total_variation"]
            self.notes.append(found["words"])

    def _keep(self, inputs: InputFiles) -> Release:
        """Itself; neither it nor what belongs to it is written over these files."""
        self._inputs = self.certificate._inputs = inputs
        if self.model is not None:
            self.model._inputs = inputs
        return self

    @property
    def mechanism(self) -> str:
        """What drew the records."""
        return self.certificate.mechanism

    @property
    def guarantee(self) -> Privacy:
        """What all of the release promises together."""
        return self.certificate.total

    def dp_event(self, accountant: Literal["pld", "rdp"] = "pld") -> Any:
        """Describe the release as an event of Google's dp_accounting.

        Compose it as often as you release: three releases cost three times, whether
        you call ``compose(event)`` three times or ``compose(event, 3)``. Leave the
        accountant's neighbours as they are by default (``ADD_OR_REMOVE_ONE``): the
        event is then what replacing one record costs here.

        Parameters
        ----------
        accountant : str
            The accountant for an epsilon without delta. "pld" (default):
            ``PLDAccountant``, and the event is discrete Laplace noise of sensitivity 1,
            whose privacy loss no mechanism of that epsilon exceeds. "rdp":
            ``RdpAccountant``, and the event is zCDP. A release in rho is zCDP for both,
            which ``RdpAccountant`` alone takes, and one in mu a Gaussian mechanism.

        Returns
        -------
        dp_accounting.DpEvent
            For neighbours "add-remove", the cost of replacing one record.

        Raises
        ------
        InvalidInput
            For a release with a delta, which has no event: see `privacy_loss`. For
            another accountant.
        """
        if accountant not in ("pld", "rdp"):
            raise unknown_name(f'accountant must be "pld" or "rdp", but is {wrong_value(accountant)}', accountant, ("pld", "rdp"), "accountant")
        dp_event = optional("dp_accounting.dp_event", "dp-accounting")

        total = self._replacing_up()
        if total.mu is not None:
            # Rounded down: less noise is the safe side.
            return dp_event.GaussianDpEvent(math.nextafter(1 / total.mu, 0))
        if total.delta:
            raise refusal(
                "not-for-this-release",
                f"a release with {total} has no event in dp_accounting. Use its privacy_loss().",
                ways_out=[WayOut("run", "privacy_loss")],
            )
        if total.rho is not None or accountant == "rdp":
            return dp_event.ZCDpEvent(total.rho_up())
        # Losses of epsilon and -epsilon alone, as randomized response between two values has
        # them [Kairouz et al. 2015]. That event itself composes wrongly: PLDAccountant ignores
        # how often, and with the neighbours REPLACE_SPECIAL both accountants count too little.
        return dp_event.DiscreteLaplaceDpEvent(total.epsilon, 1)

    def _replacing_up(self) -> Privacy:
        """The guarantee, or where it is about a row's being there at all, about another
        in its place.
        """
        if self.certificate.spec.get("neighbours") != "add-remove":
            return self.guarantee
        return outward(_core.replacing_up(self.guarantee._inside()))

    def privacy_loss(self) -> Any:
        """The release as a privacy loss distribution of dp_accounting; InvalidInput for
        rho.

        For neighbours "add-remove" it is the budget of replacing one.
        """
        common = optional("dp_accounting.pld.common", "dp-accounting")
        losses = optional("dp_accounting.pld.privacy_loss_distribution", "dp-accounting")

        total = self._replacing_up()
        if total.mu is not None:
            return losses.from_gaussian_mechanism(1 / total.mu)
        if total.epsilon is None:
            raise refusal("not-for-this-release", f"a release with {total} has no privacy loss distribution. Use its dp_event().", ways_out=[WayOut("run", "dp_event")])
        return losses.from_privacy_parameters(
            common.DifferentialPrivacyParameters(total.epsilon, total.delta or 0)
        )

    def __repr__(self) -> str:
        return f"Release({len(self)} records by {self.mechanism} with {self.guarantee})"

    def __reduce__(self) -> tuple[Any, ...]:
        names = ("why", "total_variation", "notes", "represents", "promised", "not_promised")
        report = {name: getattr(self, name) for name in names}
        report["warnings"] = [(one.code, one.severity, str(one), one.ways_out, one.quantities) for one in self.warnings]
        return _restore, (self._table.columns(), self.certificate, report, self.model)


def _restore(
    columns: list[Any], certificate: Certificate, report: Mapping[str, Any], model: Model | None
) -> Release:
    return Release(_core.Table(columns), certificate, report, model)


class Verification(NamedTuple):
    """What checking a certificate found; it is true if all of it holds."""

    holds: bool
    verdict: str
    """"holds", "DOES NOT HOLD", or "not checked: this is not the release's domain"."""
    domain_matches: bool
    list_matches: bool | None
    """Of releases from candidates, models or around public records; None if it
    cannot be known.
    """
    ranges_match: bool | None
    design_matches: bool | None
    """None, like the next three, if it was not looked at."""
    guarantee_holds: bool | None
    total_holds: bool | None
    accuracy_matches: bool | None
    rows_match: bool | None
    """Whether the released rows are as many as certified; None if they are not given, or
    if their number is not public.
    """
    values_match: bool | None
    """Whether each released value is one that its column's releases can have; None if the
    rows are not given.
    """
    rules_hold: bool | None
    """Whether each released row keeps every rule; None if the rows are not given, and
    without rules.
    """
    model_matches: bool | None
    """Whether the model is the one that the certificate names, with measurements that the
    release can have paid for; None if the model is not given.
    """
    released: Mapping[str, Any] | None
    """The number of released `rows`, of those `certified`, and the `faults`: for each
    column and rule how many rows are wrong, and the first of them.
    """
    epsilon_realised_up: float | None
    """Epsilon of one draw, from the integers and rounded up; None if rows are protected,
    and if it was not looked at.
    """
    warnings: list[Message]
    """Dangers of the release and of its domain, a sentence each, if the certificate holds."""

    def __bool__(self) -> bool:
        return self.holds


def verify(
    certificate: Certificate | Release | Mapping[str, Any] | str | os.PathLike[str],
    domain: DomainLike,
    *,
    candidates_file: Any = None,
    reference: Any = None,
    released: Any = None,
    model: Model | str | os.PathLike[str] | None = None,
) -> Verification:
    """Compute a certificate again, in integers, and compare. Test released rows.

    Parameters
    ----------
    certificate : Release, Certificate, dict, str or path
        A release, its certificate, the certificate as a dict or as JSON, or its file.
    domain : Domain, mapping or path
        The domain of the release.
    candidates_file : path
        The list of candidates that the release was made with. Default: not checked.
    reference : table or path
        The public records that the release was made with. Default: not checked.
    released : Release, table or path
        The released rows, in any form that `sample` takes. Their number, each value and
        each rule of the domain are tested. Default: not tested.
    model : Model or path
        The model of the release. It must be the one that the certificate names, and its
        measurements ones that the release can have paid for. Default: not compared.

    Returns
    -------
    Verification
        What was found. It is true if all of it holds.

    Raises
    ------
    InvalidInput
        If `certificate` is not a certificate, or if its sentences say something else
        than its numbers. If `released` has other columns than the release.
    """
    domain = as_domain(domain)
    certificate = as_certificate(certificate)
    given = {"candidates_file": candidates_file, "reference": reference}
    inputs = Inputs(domain)
    files = {part: inputs.read(part, one) for part, one in given.items() if one is not None}
    named = {part: given_name(part, one) for part, one in files.items()}
    report = _core.verify(
        certificate.json,
        certificate._name,
        domain._inside,
        named.get("candidates_file"),
        named.get("reference"),
        texts_of(files),
        None if released is None else source_of(released, EVERY_COLUMN, what="released"),
        None if model is None else as_model(model).text,
    )
    facts = json.loads(report)
    facts["epsilon_realised_up"] = facts.get("epsilon_realised")
    facts["warnings"] = messages(facts["warnings"])
    return Verification._make(facts[field] for field in Verification._fields)
