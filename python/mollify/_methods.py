"""The methods of a release, one class each, with that method's own parameters."""

from __future__ import annotations

import inspect
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from mollify import _core
from mollify._answer import Answer
from mollify._checks import listed
from mollify._domain import DomainLike
from mollify._files import inputs_of, writable, write_whole
from mollify._method_base import Method, Plan
from mollify._parameters import hinted, no_seed
from mollify._progress import line
from mollify._refusal import WayOut, refusal
from mollify._spec import question_of, table, texts_of
from mollify._warning import told

Number = float | str
"""A number of a budget; a text is taken exactly as it is typed."""


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class _Scored(Method):
    """Methods that draw from scores of outcomes, and protect a whole table."""

    protects_rows: ClassVar[bool] = False

    epsilon: Number | None = None
    mu: Number | None = None
    count: int = 1
    mechanism: str | None = None
    band: str | None = None
    c1: float | None = None
    c2: float | None = None
    gamma: float | None = None
    reference: Any = None
    accept_error: bool = False

    def plan(self, *, region: str | Sequence[str] | None = None) -> Plan:
        """Compute what this release can do, before any data is opened.

        Parameters
        ----------
        region : str or list of str
            "COLUMN=VALUE[,VALUE]", or several, which narrow it: the plan bounds its
            probability too.

        Raises
        ------
        InvalidInput
            If a region is not of the domain.
        """
        return self._plan(region=region)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class _OfOutcomes(_Scored):
    """Methods whose outcomes are possible records."""

    channel: Any = None
    space: str | None = None
    cells: int | None = None
    candidates: int | None = None
    fresh: bool = False
    candidates_file: Any = None
    score: str | None = None
    weights: str | None = None
    greatest_weight: Number | None = None
    weight_step: Number | None = None
    invalid_weight: Number | None = None
    mean_weight: Number | None = None

    @classmethod
    def plan_of(
        cls,
        domain: DomainLike | None = None,
        *,
        k: int | None = None,
        alpha: float | None = None,
        epsilon: Number | Sequence[float] | None = None,
        mu: Number | None = None,
        count: int | None = None,
        region: str | Sequence[str] | None = None,
        mechanism: str | None = None,
        band: str | None = None,
        c1: float | None = None,
        c2: float | None = None,
        gamma: float | None = None,
        reference: Any = None,
        channel: Any = None,
        space: str | None = None,
        cells: int | None = None,
        candidates: int | None = None,
        fresh: bool = False,
        candidates_file: Any = None,
        score: str | None = None,
        weights: str | None = None,
        greatest_weight: Number | None = None,
        weight_step: Number | None = None,
        invalid_weight: Number | None = None,
        mean_weight: Number | None = None,
    ) -> Plan:
        """Plan a release with one open number, and find that number.

        It reads nothing private. The class documents the other parameters.

        Parameters
        ----------
        domain, k
            What a record can contain, or a number of outcomes.
        alpha
            Total variation of an output's distribution from the data's, above 0 and
            below 1. Leave out the budget, the domain or `count`, and it is found.
        epsilon
            One budget, or several: then there is a plan for each.
        region
            "COLUMN=VALUE[,VALUE]", or several, which narrow it: bounds on its
            probability. Without a domain: its reference mass.
        mechanism
            One of the class's, or "all" for a plan of every mechanism.
        weights, greatest_weight, weight_step, invalid_weight, mean_weight
            Change nothing here.
        """
        return cls._plan_of(locals())


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Local(_OfOutcomes):
    """Release `count` records of each unit, drawn from an estimate of the unit's rows.

    Epsilon protects each unit's whole data. Without `unit` the table is one unit.
    ``help(mo.Method)`` explains `sample`, `check`, `compare` and `spec`.

    Parameters
    ----------
    domain, epsilon, mu, unit, units, units_column, reference, accept_error : see Method
    weights, greatest_weight, weight_step, invalid_weight, mean_weight : see `Marginals`
    count : int
        Records of each unit, 1 (default) to 10^8, of one budget; each takes 30 at most.
    mechanism : str
        "minimax", "relative", "class", "neighbourhood", "public-kernel", "mixture",
        "randomized-response", "gaussian-curve", "naive", "convex", "scale-and-shift",
        or as other parameters suggest (default: "minimax").
    band : str
        "minimax", "relative", "location=B" (0 to 1), "typical", or
        "typical=STRENGTH,RECORDS" (above 0) or "file=F" of `Local.tune`.
    c1, c2, gamma : float
        Limits of the private density against the reference: for "class" c1 (0 to 1) and
        c2 (above 1), for "neighbourhood" 1/gamma and gamma (above 1).
    channel : array or path
        For "naive" and "convex": (rows, outcomes) positive public masses, or a JSON
        array of rows. Default: Laplace noise on one column of numbers.
    space, cells, candidates : str, int, int
        "categories", "grid" of `cells` or a list of `candidates` (default: 65536 each).
    fresh, candidates_file : bool, path
        New candidates for each unit (default: False), or a list of `mo.candidates`.
    score : str
        How rows become an estimate: "kernel" (the default), "empirical", "histogram",
        "gaussian-mixture", "ratio" or "mbde".

    Examples
    --------
    >>> import mollify as mo
    >>> method = mo.Local({"a": mo.boolean()}, unit="u", epsilon=4)
    >>> len(method.sample({"u": [1, 1, 2], "a": [True, False, True]}))
    2
    """

    word: ClassVar[str] = "local"

    unit: str | Sequence[str] | None = None
    units: Any = None
    units_column: str | Sequence[str] | None = None

    def tune(
        self,
        public_units: Any,
        *,
        best: bool = False,
        divergence: str | None = None,
        out: str | os.PathLike[str] | None = None,
        overwrite: bool = False,
        data: Any = None,
        progress: bool = False,
    ) -> Answer:
        """Find where the band lies best, from PUBLIC example units.

        For each band: how far the units' estimates are from the distributions that the
        band releases from. A choice that looks at private units would reveal something
        about them.

        Parameters
        ----------
        public_units : table or path
            Units like yours.
        best : bool
            Finds the best band there is for these units, with the limit that no sampler
            beats on them. Default: False.
        divergence : str
            The measure that bands are compared by: "kl" (the default), "tv",
            "hellinger2" or "chi2".
        out : path
            Where the best band goes, for ``band="file=..."``. Default: nowhere.
        overwrite : bool
            Replaces a file that exists. Default: False.
        data : table or path
            The private table, opened only to make sure that the units are not from it.
        progress : bool
            Shows how many units are done, and the time left. Default: False.

        Raises
        ------
        InvalidInput
            If the method has a `mechanism`, `band`, `gamma` or `mu`, if parameters are
            missing or do not go together, and if the units are the private ones.
        ReleaseWarning
            Only warned of: the epsilon of a draw is 10 or more.
        """
        chosen = ("mechanism", "band", "gamma", "mu", "channel")
        fixed = [name for name in chosen if getattr(self, name) is not None]
        if fixed:
            raise refusal(
                "superfluous-parameter",
                f"tune chooses where the band lies, so {', '.join(fixed)} must not be given",
                fixed[0],
                ways_out=[WayOut("leave", one) for one in fixed],
            )
        if data is not None and data is public_units:
            raise refusal("public-is-private", "public_units must be public, but is the private data itself", "public_units")
        inputs = [*self._inputs(data), *inputs_of({"public_units": public_units})]
        path = None if out is None else writable(out, overwrite, inputs, "out")
        columns = self._columns()
        tables = {"public_units": table(public_units, columns, "public_units")}
        if data is not None:
            tables["data"] = table(data, columns, "data")
            if tables["data"] == tables["public_units"]:
                raise refusal("public-is-private", "public_units must be public, but is the private table itself", "public_units")
        question = question_of("tune", tables | {"divergence": divergence, "best": best, "out": path})
        with line("tune", progress) as shown:
            found = _core.tune(self._spec, question, self._texts | texts_of(tables), shown)
        *answer, band = told(found, self._domain)
        if path is not None:
            write_whole(path, band, overwrite=overwrite, inputs=inputs)
        return Answer(*answer)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Integral(_OfOutcomes):
    """Release a few records of a table, and protect the whole table at once.

    Every further record costs.
    ``help(mo.Method)`` explains `sample`, `check`, `compare` and `spec`.

    Parameters
    ----------
    domain, epsilon, mu, reference, accept_error : see `Method`
        The budget is for all records together. A draw counts 30 at most.
    count : int
        Number of records, from 1 (the default) to 10^8. Each one costs.
    weights, greatest_weight, weight_step, invalid_weight, mean_weight : see `Marginals`
        What each row counts as. They change neither the error nor the budget.
    mechanism, band, c1, c2, gamma, channel : see `Local`
        How a record is drawn.
    space, cells, candidates, fresh, candidates_file, score : see `Local`
        Which records are possible, and how rows become an estimate.

    Examples
    --------
    >>> import mollify as mo
    >>> method = mo.Integral({"a": mo.boolean()}, count=3, epsilon=6)
    >>> len(method.sample({"a": [True, False]}))
    3
    """

    word: ClassVar[str] = "integral"


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class IntegralModel(_Scored):
    """Release one of many public models of a table, from which any number of rows is
    free.

    Epsilon protects the whole table at once, and so any group of its rows.
    ``help(mo.Method)`` explains `sample`, `check`, `compare` and `spec`.

    Parameters
    ----------
    domain, epsilon, mu, reference, accept_error : see `Method`
        The budget is for the model. It counts 30 at most.
    count : int
        Number of rows of the model, from 1 (the default) to 10^8. They cost nothing.
    candidates : int
        Number of public models to choose from. Default: 20000.
    trees : bool
        Makes every second model a tree of columns instead of a product; best with a
        `reference`, whose tree it is. Default: False.
    mechanism : str
        "relative" (the default), "class" or "neighbourhood".
    band, c1, c2, gamma : see `Local`
        How the model is drawn.

    Examples
    --------
    >>> import mollify as mo
    >>> domain = {"a": mo.boolean()}
    >>> method = mo.IntegralModel(domain, count=5, epsilon=6, accept_error=True)
    >>> len(method.sample({"a": [True, False]}))
    5
    """

    word: ClassVar[str] = "integral-model"

    candidates: int | None = None
    trees: bool = False

    @classmethod
    def plan_of(
        cls,
        domain: DomainLike | None = None,
        *,
        alpha: float | None = None,
        epsilon: Number | Sequence[float] | None = None,
        mu: Number | None = None,
        region: str | Sequence[str] | None = None,
        candidates: int | None = None,
        trees: bool = False,
        mechanism: str | None = None,
        band: str | None = None,
        c1: float | None = None,
        c2: float | None = None,
        gamma: float | None = None,
        reference: Any = None,
    ) -> Plan:
        """Plan a release with one open number, and find that number.

        It reads nothing private. The class documents the other parameters.

        Parameters
        ----------
        domain
            What a record can contain.
        alpha
            Total variation of an output's distribution from the data's, above 0 and
            below 1. Leave out the budget, and it is found.
        epsilon
            One budget, or several: then there is a plan for each.
        region
            "COLUMN=VALUE[,VALUE]", or several, which narrow it: bounds on its
            probability.
        """
        return cls._plan_of(locals())


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class _OfRows(Method):
    """Methods that protect each row or unit of a table."""

    epsilon: Number | None = None
    delta: Number | None = None
    rho: Number | None = None
    unit: str | Sequence[str] | None = None
    units: Any = None
    units_column: str | Sequence[str] | None = None
    accept_large_delta: bool = False
    accept_error: bool = False


class _OfRecords(_OfRows):
    """Methods that release independent records."""

    def plan(
        self,
        *,
        n: int | None = None,
        alpha: float | None = None,
        strong: bool = False,
        curve: bool = False,
    ) -> Plan:
        """Compute what this release can do, or needs, before any data is opened.

        Parameters
        ----------
        n : int
            Number of rows or units, which is public. Leave it out to find it from
            `alpha`.
        alpha : float
            Total variation of an output's distribution from the data's, above 0 and
            below 1. Leave it out to find it from `n`.
        strong : bool
            `alpha` bounds all outputs together. Default: False.
        curve : bool
            Prints total variation against `n` as well. Default: False.

        Raises
        ------
        InvalidInput
            If both `n` and `alpha` are missing or given, or one is out of range.
        """
        return self._plan(n=n, alpha=alpha, strong=strong, curve=curve)


class _OfModels(_OfRows):
    """Methods that release rows of a model."""

    def plan(
        self,
        *,
        n: int | None = None,
        alpha: float | None = None,
        curve: bool = False,
    ) -> Plan:
        """Compute what this release can do, or needs, before any data is opened.

        Parameters
        ----------
        n : int
            Number of rows or units, which is public. Leave it out to find it from
            `alpha`.
        alpha : float
            Total variation of a row's distribution from the data's, above 0 and below
            1. Leave it out to find it from `n`.
        curve : bool
            Prints total variation against `n` as well. Default: False.

        Raises
        ------
        InvalidInput
            If both `n` and `alpha` are missing or given, or one is out of range.
        """
        return self._plan(n=n, alpha=alpha, curve=curve)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Central(_OfRecords):
    """Release independent records of a table over a finite domain, and protect each row
    or unit.

    Epsilon and delta protect each row, or each unit, against being replaced by any
    other. The number of rows or units is public.
    ``help(mo.Method)`` explains `sample`, `check`, `compare` and `spec`.

    Parameters
    ----------
    domain, epsilon, delta, rho, accept_large_delta, accept_error : see `Method`
        The budget is for all records together.
    unit, units, units_column : see `Method`
        Whose rows are protected together.
    weights, greatest_weight, weight_step, invalid_weight, mean_weight : see `Marginals`
        What each row counts as. With weights the mechanism is "histogram".
    count : int
        Number of records in all, from 1 to 10^8. Required, except with `rate`.
    mechanism : str
        "auto" (the default: the least total variation), "subsampled-rr",
        "reveal-or-obscure", "ds-roo", "subset-rr", "shuffled-rr", "poisson-rr",
        "histogram" or "product".
    rate : float
        Looks at each row with this probability, above 0 and at most 1, and releases as
        many records as come, instead of `count`; for mechanism "poisson-rr".
    support : str
        What is known of where the records lie in a large domain of integers:
        "contiguous", "bounded", "heavy", "width=W" or "subgaussian=S". Half of the
        budget finds the place.

    Examples
    --------
    >>> import mollify as mo
    >>> method = mo.Central({"a": mo.boolean()}, count=2, epsilon=4)
    >>> len(method.sample({"a": [True] * 500}))
    2
    """

    word: ClassVar[str] = "central"
    _unplanned: ClassVar[Sequence[str]] = ("rate",)

    count: int | None = None
    mechanism: str | None = None
    rate: float | None = None
    support: str | None = None
    weights: str | None = None
    greatest_weight: Number | None = None
    weight_step: Number | None = None
    invalid_weight: Number | None = None
    mean_weight: Number | None = None

    @classmethod
    def plan_of(
        cls,
        domain: DomainLike | None = None,
        *,
        k: int | None = None,
        n: int | None = None,
        alpha: float | None = None,
        weights: str | None = None,
        greatest_weight: Number | None = None,
        weight_step: Number | None = None,
        invalid_weight: Number | None = None,
        mean_weight: Number | None = None,
        count: int | None = None,
        epsilon: Number | Sequence[float] | None = None,
        delta: Number | None = None,
        support: str | None = None,
        mechanism: str | None = None,
        strong: bool = False,
        curve: bool = False,
        accept_large_delta: bool = False,
    ) -> Plan:
        """Plan a release with one open number, and find that number.

        It reads nothing private. The class documents the other parameters.

        Parameters
        ----------
        domain
            What a record can contain; or give `k`.
        n, alpha
            Number of rows or units, which is public, and total variation of an output's
            distribution from the data's, between 0 and 1. Leave out one of them, the
            budget, the domain, `count` or `delta`, and it is found.
        epsilon
            One budget, or several: then there is a plan for each.
        k
            Number of outcomes, instead of a domain. With `support` how many the support
            has, next to each other if it is "bounded" or "contiguous"; "width=W" and
            "subgaussian=S" include it.
        mechanism
            One of the class's. Default: a plan of every mechanism.
        strong
            `alpha` bounds all outputs together.
        curve
            Prints total variation against `n` as well.
        accept_large_delta
            Goes on even if `delta` is 1/n or more.
        """
        return cls._plan_of(locals())


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Gaussian(_OfRecords):
    """Release independent rows of numbers, each from a Gaussian of public covariance
    with noise of its own.

    Epsilon and delta, or rho, protect each row or unit, whatever the data are. The
    accuracy needs data that are Gaussian.
    ``help(mo.Method)`` explains `sample`, `check`, `compare` and `spec`.

    Parameters
    ----------
    domain, epsilon, delta, rho, accept_large_delta, accept_error : see `Method`
        The budget is for all rows together.
    unit, units, units_column : see `Method`
        Whose rows are protected together.
    count : int
        Number of records in all, from 1 to 10^8.
    covariance : array, data frame or path
        Public covariance, (d, d) in the domain's order; of logarithms for `log`.
        Default: 1 for each column, independent; `covariance_bound` is required then.
    covariance_bound : float
        The covariance is between `covariance` and this many times it, from 1; with
        `rho` or `delta`. Default: 1.
    mean_bound : float
        The mean is within this many standard deviations of the middle of the declared
        ranges, above 0. Default: a part of the rows finds it first.
    log : str or list of str
        Columns whose logarithms are Gaussian; their `min` is above 0. Default: none.
    paper_variance : bool
        With `epsilon` alone: the published variance of the noise, not the corrected
        one. Default: False.

    Examples
    --------
    >>> import mollify as mo
    >>> domain = {"a": mo.number(-9, 9, null=0)}
    >>> method = mo.Gaussian(domain, count=2, epsilon=2, covariance=[[1.0]])
    >>> len(method.sample({"a": [0.5] * 1000}))
    2
    """

    word: ClassVar[str] = "gaussian"

    count: int | None = None
    covariance: Any = None
    covariance_bound: float | None = None
    mean_bound: float | None = None
    log: str | Sequence[str] | None = None
    paper_variance: bool = False

    @classmethod
    def plan_of(
        cls,
        domain: DomainLike | None = None,
        *,
        dimension: int | None = None,
        mean_range: float | None = None,
        n: int | None = None,
        alpha: float | None = None,
        count: int | None = None,
        epsilon: Number | Sequence[float] | None = None,
        delta: Number | None = None,
        rho: Number | None = None,
        strong: bool = False,
        curve: bool = False,
        covariance: Any = None,
        covariance_bound: float | None = None,
        mean_bound: float | None = None,
        log: str | Sequence[str] | None = None,
        paper_variance: bool = False,
        accept_large_delta: bool = False,
    ) -> Plan:
        """Plan a release with one open number, and find that number.

        It reads nothing private. The class documents the other parameters.

        Parameters
        ----------
        domain
            What a record can contain; or give `dimension`.
        n, alpha
            Number of rows or units, which is public, and total variation of an output's
            distribution from the data's, between 0 and 1. Leave out one of them, the
            budget, the domain, `count` or `delta`, and it is found.
        epsilon
            One budget, or several: then there is a plan for each.
        dimension, mean_range
            Number of coordinates, instead of a domain, and how many standard deviations
            wide the range is that contains each coordinate of the mean.
        strong
            `alpha` bounds all outputs together.
        curve
            Prints total variation against `n` as well.
        accept_large_delta
            Goes on even if `delta` is 1/n or more.
        """
        return cls._plan_of(locals())


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class GaussianModel(_OfModels):
    """Release one noisy mean and covariance of a table of numbers, from which any
    number of rows is free.

    Epsilon and delta, or rho, protect each row or unit, whatever the data are. The
    accuracy needs data that are Gaussian.
    ``help(mo.Method)`` explains `sample`, `check`, `compare` and `spec`.

    Parameters
    ----------
    domain, epsilon, delta, rho, accept_large_delta, accept_error : see `Method`
        The budget is for the model.
    unit, units, units_column : see `Method`
        Whose rows are protected together.
    count : int
        Number of rows of the model, from 1 to 10^8. They cost nothing.
    log : str or list of str
        Columns whose logarithms are Gaussian; their `min` is above 0. Default: none.

    Examples
    --------
    >>> import mollify as mo
    >>> domain = {"a": mo.number(-9, 9, null=0)}
    >>> method = mo.GaussianModel(domain, count=5, epsilon=2, delta=1e-6)
    >>> len(method.sample({"a": [0.5, 1.5] * 500}))
    5
    """

    word: ClassVar[str] = "gaussian-model"

    count: int | None = None
    log: str | Sequence[str] | None = None

    @classmethod
    def plan_of(
        cls,
        domain: DomainLike | None = None,
        *,
        dimension: int | None = None,
        n: int | None = None,
        alpha: float | None = None,
        epsilon: Number | Sequence[float] | None = None,
        delta: Number | None = None,
        rho: Number | None = None,
        curve: bool = False,
        log: str | Sequence[str] | None = None,
        accept_large_delta: bool = False,
    ) -> Plan:
        """Plan a release with one open number, and find that number.

        It reads nothing private. The class documents the other parameters.

        Parameters
        ----------
        domain
            What a record can contain; or give `dimension`.
        n, alpha
            Number of rows or units, which is public, and total variation of an output's
            distribution from the data's, between 0 and 1. Leave out one of them, the
            budget, the domain or `delta`, and it is found.
        epsilon
            One budget, or several: then there is a plan for each.
        dimension
            Number of coordinates, instead of a domain.
        curve
            Prints total variation against `n` as well.
        accept_large_delta
            Goes on even if `delta` is 1/n or more.
        """
        return cls._plan_of(locals())


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Marginals(_OfModels):
    """Release a model of a table of many columns, from which any number of rows is
    free.

    Epsilon and delta, or rho, protect each row or unit.
    ``help(mo.Method)`` explains `sample`, `check`, `compare` and `spec`.

    Parameters
    ----------
    domain, epsilon, delta, rho, accept_large_delta, accept_error : see `Method`
        The budget is for the model.
    unit, units, units_column : see `Method`
        Whose rows are protected together.
    weights : str
        Column with the weight of each row; weights and their total are private.
    greatest_weight, weight_step : float or str
        Public: greatest weight of a row, or of all rows of a unit (1e-9 to 1e12), and
        the step that weights count in (default: about a thousandth of it).
    invalid_weight, mean_weight : float or str
        Weight of a row without a valid one (default: 0), and the mean weight that
        stated errors suppose (default: 1, or less), both up to `greatest_weight`.
    count : int
        Number of rows of the model, from 1 to 10^8. They cost nothing.
    reference : table or path
        Public records in the domain, at which the model begins. Default: none.
    neighbours : str
        "replace" (the default): a row or unit may be any other, and their number is
        public. "add-remove": it may be missing, and their number is protected too.
    copula : bool
        Joins columns by their rank correlations alone: for few rows or a small budget.
    questions : str or list of str
        Public questions (`Model.estimate`): their pairs of columns are measured first.

    Examples
    --------
    >>> import mollify as mo
    >>> domain = {"a": mo.boolean(), "b": mo.boolean()}
    >>> method = mo.Marginals(domain, count=5, epsilon=4)
    >>> len(method.sample({"a": [True] * 500, "b": [False] * 500}))
    5
    """

    word: ClassVar[str] = "marginals"

    count: int | None = None
    reference: Any = None
    neighbours: str | None = None
    copula: bool = False
    questions: str | Sequence[str] | None = None
    weights: str | None = None
    greatest_weight: Number | None = None
    weight_step: Number | None = None
    invalid_weight: Number | None = None
    mean_weight: Number | None = None

    @classmethod
    def plan_of(
        cls,
        domain: DomainLike | None = None,
        *,
        n: int | None = None,
        alpha: float | None = None,
        epsilon: Number | Sequence[float] | None = None,
        delta: Number | None = None,
        weights: str | None = None,
        greatest_weight: Number | None = None,
        weight_step: Number | None = None,
        invalid_weight: Number | None = None,
        mean_weight: Number | None = None,
        rho: Number | None = None,
        curve: bool = False,
        unit: str | Sequence[str] | None = None,
        neighbours: str | None = None,
        copula: bool = False,
        questions: str | Sequence[str] | None = None,
        accept_large_delta: bool = False,
    ) -> Plan:
        """Plan a release with one open number, and find that number.

        It reads nothing private. The class documents the other parameters.

        Parameters
        ----------
        domain
            What a record can contain.
        n, alpha
            Number of rows or units, which is public, and total variation of an output's
            distribution from the data's, between 0 and 1. Leave out one of them or the
            budget, and it is found.
        epsilon
            One budget, or several: then there is a plan for each.
        curve
            Prints total variation against `n` as well.
        accept_large_delta
            Goes on even if `delta` is 1/n or more.
        """
        return cls._plan_of(locals())


METHODS: dict[str, type[Method]] = {
    one.word: one
    for one in (Local, Integral, IntegralModel, Central, Gaussian, GaussianModel, Marginals)
}
"""The classes by their words in a spec."""


def _hint(owner: type | None, function: str, name: str) -> tuple[str, list[str]]:
    """The call that has a parameter which this call of a method lacks."""

    def takes(kind: type | None, called: str) -> bool:
        return name in inspect.signature(getattr(kind, called)).parameters

    if (found := no_seed(owner, function, name))[0]:
        return found
    if owner and function not in ("__init__", "plan_of"):
        return (f"It is a parameter of {owner.__name__} itself." if takes(owner, "__init__") else ""), []
    others = [one.__name__ for one in METHODS.values() if takes(one, function)]
    return (f"{listed(others)} {'have' if others[1:] else 'has'} one." if others else ""), others


hinted(_hint)(Method)
