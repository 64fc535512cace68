"""Answers that are computed from public numbers and released records."""

from __future__ import annotations

import inspect
import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from mollify import _core, _plot
from mollify._answer import Answer
from mollify._certificate import Certificate, as_certificate
from mollify._checks import listed, wrong_value
from mollify._data import source_of
from mollify._domain import Domain, DomainLike, _restore, as_domain
from mollify._files import optional
from mollify._method_base import Method
from mollify._methods import METHODS
from mollify._parameters import hinted, unknown_name
from mollify._refusal import WayOut, refusal
from mollify._release import Release
from mollify._sampler import RandomizedResponse, Sampler
from mollify._spec import Held, Inputs, question_of
from mollify._warning import messages, told, warn

if TYPE_CHECKING:
    import altair
    import pandas


class Estimate(Answer):
    """The population that released records come from: the text of `mollify estimate`,
    and a mapping: ``estimate["means"]``.
    """

    def plot(
        self, against: str | None = None, *, distance: str = "tv", progress: bool = False
    ) -> altair.Chart:
        """Draw the shares of each column's values with their intervals (altair; the extra
        `plot`). It takes no parameter: `to_pandas` takes a column.
        """
        if against is not None:
            raise refusal(
                "superfluous-parameter",
                "the chart of an estimate shows all columns with their intervals: leave out `against`, "
                f"which is {wrong_value(against)}. to_pandas takes a column.",
                "against",
                ways_out=[WayOut("leave", "against")],
            )
        return super().plot(distance=distance, progress=progress)

    def to_pandas(self, column: str | None = None) -> pandas.DataFrame:
        """Every outcome's probability and its interval in a row, or the values of one
        column.
        """
        rows = self._parts["estimates"]
        if column is not None:
            tables = self._columns()
            if column not in tables:
                said = f'no column of the release is "{column}". Its columns are {", ".join(tables)}'
                raise unknown_name(said, column, tables, "column", "unknown-column", column=column)
            rows = tables[column]
        frame: pandas.DataFrame = optional("pandas", "pandas").DataFrame(rows)
        return frame

    def _columns(self) -> dict[str, list[dict[str, Any]]]:
        """The estimates of each column's values."""
        tables = {tuple(one["columns"]): one["estimates"] for one in self._parts["marginals"]}
        tables[tuple(self._parts["columns"])] = self._parts["estimates"]
        return {name: tables[name,] for name in self._parts["columns"]}

    def _chart(self, against: str | None, distance: str, progress: bool) -> altair.Chart:
        title = f"Estimated shares; all intervals hold together with probability {self['confidence']}"
        return _plot.intervals(self._columns(), title)  # type: ignore[return-value]


def estimate(
    released: Any,
    certificate: Certificate
    | Mapping[str, Any]
    | str
    | os.PathLike[str]
    | Sequence[Certificate | Mapping[str, Any] | str | os.PathLike[str]]
    | None = None,
    domain: DomainLike | None = None,
    *,
    confidence: float = 0.95,
    method: str = "unbiased",
    pairs: bool = False,
    counts_column: str | None = None,
    bad_reports: int = 0,
    weighting: str = "precision",
) -> Estimate:
    """Estimate the distribution of the population that records were drawn from, with
    intervals.

    Reads no private data, so it costs no budget.

    Parameters
    ----------
    released : Release, table or path, or a list of them
        Records in any form that `sample` takes. Several releases have the same columns.
    certificate : Certificate, dict, str or path, or a list of them
        Of each release. Required for records that are no `Release`.
    domain : Domain, mapping or path
        Of all releases. Default: the domain that a certificate holds or names.
    confidence : float
        All intervals hold together with at least this probability, above 0.5 and below
        1. Default: 0.95.
    method : str
        "unbiased" (the default), "simplex" (the nearest distribution) or
        "maximum-likelihood" (of one mechanism and budget).
    pairs : bool
        Estimates two-way tables of all pairs of columns too. Default: False.
    counts_column : str
        Column with how many records a row counts as. Default: one.
    bad_reports : int
        How many records may be anything: intervals hold with them. Default: 0.
    weighting : str
        How the populations of several releases count: "precision" (by their public
        variances, the default) or "reports" (each record alike).

    Returns
    -------
    Estimate
        The estimates, as a mapping that prints as a table; `Estimate.plot` draws them.

    Raises
    ------
    InvalidInput
        For a certificate that does not hold, for a domain or a number of records that
        is not the release's, and for releases that have nothing to estimate, or are not
        of the same columns.
    """
    question = question_of("estimate", locals())
    given = _records_and_certificates(released, certificate)
    known = [_domain_of(stated) if domain is None else as_domain(domain) for _, stated in given]
    releases = []
    for (records, stated), own in zip(given, known):
        source = source_of(records, [*own, *filter(None, [counts_column])], what="released")
        releases.append((stated.json, stated._name, own._inside, source))
    return Estimate(*told(_core.estimate(releases, question), known[0]))


def _records_and_certificates(released: Any, certificate: Any) -> list[tuple[Any, Certificate]]:
    """Each release's records with its certificate."""
    is_list = isinstance(released, (list, tuple))
    if is_list and certificate is None and released and all(isinstance(one, Release) for one in released):
        certificate = [one.certificate for one in released]
    if isinstance(certificate, (list, tuple)):
        if not is_list or len(released) != len(certificate) or not certificate:
            many = f"{len(released)} records" if is_list else "no list of records"
            raise refusal(
                "contradicting-parameters",
                f"a list of certificates needs a list of as many released records, but there are {len(certificate)} "
                f"certificates and {many}",
                "certificate",
            )
        return [(records, as_certificate(own)) for records, own in zip(released, certificate)]
    if certificate is None and isinstance(released, Release):
        certificate = released.certificate
    if certificate is None:
        source_of(released, [], what="released")  # which refuses what is no table
        raise refusal(
            "missing-parameter",
            "certificate is missing: records that are not a Release need the certificate that came with them",
            "certificate",
        )
    return [(released, as_certificate(certificate))]


def _domain_of(certificate: Certificate) -> Domain:
    """The domain that a certificate holds or names."""
    named = certificate.spec["domain"]
    return _restore(named["text"], None) if "text" in named else Domain.read(named["file"])


class Advice(Answer):
    """The answer of `mollify.advise`: a mapping, which prints with the calls to make."""

    method: Method | None = None
    """The advised method, ready to use. None if no budget is enough, or if the question
    had no domain, no `unit` of persons, or no `covariance` for `Gaussian`. It has
    `units` only if the question had them.
    """

    @property
    def calls(self) -> list[str]:
        """What to run, line by line: `data` is the private table, `domain` and `units`
        are public.
        """
        return list(self["commands"])


def advise(
    domain: DomainLike | None = None,
    *,
    purpose: str,
    protect: str | None = None,
    method: type[Method] | None = None,
    n: int | None = None,
    columns: Sequence[int] | None = None,
    count: int | None = None,
    days: int | None = None,
    draws: int | None = None,
    unit: str | Sequence[str] | None = None,
    units: Any = None,
    epsilon: float | None = None,
    delta: float | None = None,
    alpha: float | None = None,
    covariance: Any = None,
    questions: str | Sequence[str] | None = None,
    log: str | Sequence[str] | None = None,
    accept_large_delta: bool = False,
) -> Advice:
    """Find the method that suits a question, what to expect of it, and the calls to
    make.

    Reads nothing private. ``advise(...).method.sample(data)`` is the advised release.

    Parameters
    ----------
    domain, columns : Domain, mapping or path, or list of int
        What a record can contain, or how many values each column has.
    purpose : str
        "records" (a realistic one of each person), "estimates" (of the population),
        "sample" (a small table) or "table" (a whole one).
    protect, method : str, class
        "person" (all of a person's rows), "row" (each) or "table" (any group of rows);
        or a class, such as `Central`.
    n, count : int
        Number of persons, or rows; of records to release, of each person or in all.
    days, draws : int
        Days of asking each person, and fresh answers; ``"repeated"`` compares ways.
    unit : str or list of str
        Column that names the person of each row, or several that do so together.
    units : list, column, table or path
        All persons, which must be public: this protects who is in the data.
    epsilon : float
        The budget, from 1e-6. Default: the least that suits.
    delta : float
        Probability that `epsilon` fails, 0 to below 1/n. Default: the method's own.
    alpha : float
        Good error, between 0 and 1: total variation, or a share's standard error.
    questions : str or list of str
        Of a table; each can end in its own error: ``"mean(income) by sex error 9"``.
    covariance, log : array, data frame or path; str or list of str
        As for `Gaussian` and `GaussianModel`.
    accept_large_delta : bool
        Goes on if `delta` is 1/n or more. Default: False.

    Raises
    ------
    InvalidInput
        For parameters that are out of range, missing, or do not go together.
    """
    asked = dict(locals())
    if method is not None and not (isinstance(method, type) and issubclass(method, Method)):
        raise refusal("wrong-type", f"method must be a class, such as mo.Central, but is {wrong_value(method)}", "method")
    known = None if domain is None else as_domain(domain)
    matrix = None if covariance is None else Inputs(known).read("covariance", covariance)
    texts = {} if known is None else {"domain": known.yaml().encode()}
    if isinstance(matrix, Held):
        texts["covariance"] = matrix.text
    asked |= {
        "method": None if method is None else method.word,
        "domain": None if known is None else "domain",
        "covariance": "covariance" if isinstance(matrix, Held) else matrix,
    }
    answer = _core.advise(question_of("advise", asked), texts)
    found = Advice(*answer)
    parts = found["parts"]
    if not parts or known is None:
        return found
    own: dict[str, Any] = {}
    if "unit" in parts:
        own |= {"unit": unit, "units": units}
    if found["method"] == "gaussian":
        own["covariance"] = covariance
    if all(own[name] is not None for name in ("unit", "covariance") if name in own):
        found.method = METHODS[found["method"]](known, **parts | own)
    return found


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
    """Compute how private shuffled reports are, in proved numbers.

    Every record goes through k-ary randomized response, and all reports leave shuffled.
    Printed as the command prints it, and a mapping.

    Parameters
    ----------
    k : int
        Number of outcomes, from 2.
    n : int
        Number of records. Give three of `n`, `epsilon0`, `epsilon` and `delta`, and the
        fourth is found.
    epsilon0 : float
        Epsilon of one report, above 0 and at most 100.
    epsilon : float
        Epsilon of all reports together, above 0.
    delta : float
        Delta of all reports together, above 0 and below 1/n.
    rate : float
        Each record is first kept with this probability, above 0 to 1. Default: 1.
    chosen : int
        Number of records first chosen without replacement, 1 to `n`. Default: all.
    accept_large_delta : bool
        Goes on if `delta` is 1/n or more. Default: False.

    Returns
    -------
    Answer
        All four numbers, and their meaning in odds.

    Raises
    ------
    InvalidInput
        For parameters that are out of range, missing, or do not go together.

    Warns
    -----
    ReleaseWarning
        If epsilon of all reports is 10 or more: what that means in odds. If `delta` is
        near 1/n.
    """
    asked = dict(locals())
    four = ("n", "epsilon0", "epsilon", "delta")
    given = [name for name in four if asked[name] is not None]
    if k is None or len(given) != 3:
        said = listed([*([] if k is None else ["k"]), *given] or ["none of them"])
        lacking = ["k"] if k is None else []
        lacking += [name for name in four if name not in given and len(given) < 3]
        ways = [WayOut("set", name) for name in lacking] + [WayOut("leave", name) for name in given if len(given) > 3]
        raise refusal(
            "missing-parameter" if k is None or len(given) < 3 else "contradicting-parameters",
            "amplify needs k and exactly three of n, epsilon0, epsilon and delta, and finds the fourth. "
            f"You gave {said}.",
            ways[0].part,
            ways_out=ways,
        )
    answer = Answer(*_core.amplify(question_of("amplify", asked)))
    warn(messages(answer["warnings"]))
    return answer


def _of_a_sampler(owner: type | None, function: str, name: str) -> tuple[str, list[str]]:
    if name in inspect.signature(Sampler).parameters:
        return "Give it what draws: mo.risk(mo.Sampler(k=12, epsilon=2)), of 12 outcomes.", []
    return "", []


@hinted(_of_a_sampler)
def risk(sampler: Sampler | RandomizedResponse) -> Answer:
    """Compute how far the distribution of a draw can be from the data's, at worst.
    Nothing private is read.

    Parameters
    ----------
    sampler : Sampler or RandomizedResponse
        What draws.

    Returns
    -------
    Answer
        Its ``"risk"`` has the divergences, as far as they are known for the mechanism.

    Raises
    ------
    InvalidInput
        If `sampler` is something else.
    """
    if not isinstance(sampler, (Sampler, RandomizedResponse)):
        raise refusal(
            "wrong-type",
            "sampler must be a Sampler or a RandomizedResponse, but is of type "
            + type(sampler).__name__,
            "sampler",
        )
    parameters = sampler._parameters
    if isinstance(sampler, RandomizedResponse):
        public = _core.SamplerParameters("randomized-response", *parameters.values())
    else:
        public = _core.SamplerParameters(**parameters)
    return Answer(*_core.risk(public))
