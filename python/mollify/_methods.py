"""The methods of a release, one class each, with that method's own parameters."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

from mollify import _core
from mollify._answer import Answer
from mollify._domain import DomainLike
from mollify._files import writable, write_whole
from mollify._method_base import Method, Plan
from mollify._progress import line
from mollify._spec import given_name, table, texts_of

Number = float | str
"""A number of a budget; a text is taken exactly as it is typed."""


class _Scored(Method):
    """The plans of methods that draw from scores of outcomes."""

    def plan(self, *, region: str | Sequence[str] | None = None) -> Plan:
        """What this release can do, before any data is opened.

        Parameters
        ----------
        region
            "COLUMN=VALUE[,VALUE]", or several, which narrow it: bounds on its probability.
        """
        return self._plan(region=region)

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
        space: str | None = None,
        cells: int | None = None,
        candidates: int | None = None,
        fresh: bool = False,
        candidates_file: Any = None,
        score: str | None = None,
    ) -> Plan:
        """Plans a release of which a number is still open, and finds that number.

        It reads nothing private. Parameters that are not listed here are those of the class.

        Parameters
        ----------
        domain
            What a record can contain; or give `k`.
        k
            Number of outcomes, instead of a domain.
        alpha
            Total variation of an output's law from the data's, between 0 and 1. Leave out the budget, the
            domain or `count`, and it is found.
        epsilon
            One budget, or several: then there is a plan for each.
        region
            "COLUMN=VALUE[,VALUE]", or several, which narrow it: bounds on its probability. Without a
            domain: its reference mass.
        mechanism
            One of the class's, or "all" for a plan of every mechanism.
        """
        return cls._plan_of(locals())


@dataclass(frozen=True, eq=False, repr=False)
class Local(_Scored):
    """Each unit's rows are one distribution, and each unit releases `count` records.

    Epsilon protects each unit's whole data. Without `unit` the table is one unit.

    Parameters
    ----------
    domain
        What a record can contain: a `Domain`, its columns or its file.
    count
        Number of records for each unit. Every further record of a unit costs.
    epsilon, mu
        The budget of all draws of a unit: epsilon from 1e-6, or Gaussian privacy. A text is taken exactly
        as it is typed.
    unit, units, units_column
        The column that names the unit of each row. All units (a list, a column, a table or a file), which
        protects who is in the data. The column of `units` that names them (default: like `unit`).
    mechanism
        "minimax", "relative", "class", "neighbourhood", "public-kernel", "randomized-response",
        "mixture" or "gaussian-curve". Default: as the following parameters suggest, or "minimax".
    band
        Where the band lies, instead of a mechanism: "minimax", "relative", "location=B", "typical",
        "typical=STRENGTH,RECORDS" or "file=F" (from `Local.tune`).
    c1, c2
        The least and the greatest density of the private distribution against the reference.
    gamma
        The private distribution is within this factor of the reference.
    reference
        A table or a file of public records in the domain.
    space
        "categories", "grid" or "candidates". Default: as the domain suggests.
    cells, candidates
        How many cells a grid has, and how many public records a release chooses from.
    fresh
        Draws new candidates for each unit, instead of one shared list.
    candidates_file
        A file that ``mollify-dp candidates`` wrote.
    score
        How rows become an estimate: "kernel", "empirical", "histogram", "gaussian-mixture", "ratio" or
        "mbde".
    accept_error
        Releases even records that cannot be told apart from public noise.

    Raises
    ------
    InvalidInput
        If parameters are missing, out of range or contradict each other.
    """

    word: ClassVar[str] = "local"
    protects_rows: ClassVar[bool] = False

    _: KW_ONLY
    epsilon: Number | None = None
    mu: Number | None = None
    count: int = 1
    unit: str | None = None
    units: Any = None
    units_column: str | None = None
    mechanism: str | None = None
    band: str | None = None
    c1: float | None = None
    c2: float | None = None
    gamma: float | None = None
    reference: Any = None
    space: str | None = None
    cells: int | None = None
    candidates: int | None = None
    fresh: bool = False
    candidates_file: Any = None
    score: str | None = None
    accept_error: bool = False

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
        """Finds where the band lies best, from PUBLIC example units.

        For each band: how far the units' estimates are from the laws they would be released from. The
        units must be public: a choice that looks at private units reveals something about them.

        Parameters
        ----------
        public_units
            A table or a file of units like yours.
        best
            Finds the best band there is for these units, with the limit that no sampler beats on them.
        divergence
            The measure that bands are compared by: "kl" (the default), "tv", "hellinger2" or "chi2".
        out, overwrite
            Where the best band goes, for ``band="file=..."``; `overwrite` replaces a file.
        data
            The private table, opened only to make sure that the units are not from it.
        progress
            Shows on standard error how many units are done, and the time left, when a second has passed.

        Raises
        ------
        InvalidInput
            If the method has a `mechanism`, `band`, `gamma` or `mu`, which are the answer or are not
            compared; if parameters are missing or do not go together; if the units are the private ones.
        """
        fixed = [name for name in ("mechanism", "band", "gamma", "mu") if getattr(self, name) is not None]
        if fixed:
            raise _core.InvalidInput(
                f"tune chooses where the band lies, so {', '.join(fixed)} must not be given"
            )
        if data is not None and data is public_units:
            raise _core.InvalidInput("public_units must be public, but is the private data itself")
        path = None if out is None else writable(out, overwrite)
        columns = self._columns()
        tables = {"public_units": table(public_units, columns, "public_units")}
        if data is not None:
            tables["data"] = table(data, columns, "data")
        named = {part: given_name(part, one) for part, one in tables.items()}
        with line("tune", progress) as shown:
            *answer, band = _core.tune(
                self._spec,
                named["public_units"],
                divergence,
                bool(best),
                path,
                named.get("data"),
                self._texts | texts_of(tables),
                shown,
            )
        if path is not None:
            write_whole(path, band, overwrite=overwrite)
        return Answer(*answer)


@dataclass(frozen=True, eq=False, repr=False)
class Integral(_Scored):
    """The whole table is protected at once by epsilon, and so is any group of its rows.

    Every further record costs.

    Parameters
    ----------
    domain
        What a record can contain: a `Domain`, its columns or its file.
    count
        Number of records.
    epsilon, mu
        The budget of the whole release: epsilon from 1e-6, or Gaussian privacy. A text is taken
        exactly as it is typed.
    mechanism
        "minimax", "relative", "class", "neighbourhood", "public-kernel", "randomized-response",
        "mixture" or "gaussian-curve". Default: as the following parameters suggest, or "minimax".
    band
        Where the band lies, instead of a mechanism: "minimax", "relative", "location=B", "typical",
        "typical=STRENGTH,RECORDS" or "file=F" (from `Local.tune`).
    c1, c2
        The least and the greatest density of the private distribution against the reference.
    gamma
        The private distribution is within this factor of the reference.
    reference
        A table or a file of public records in the domain.
    space
        "categories", "grid" or "candidates". Default: as the domain suggests.
    cells, candidates
        How many cells a grid has, and how many public records a release chooses from.
    fresh
        Draws new candidates for each unit, instead of one shared list.
    candidates_file
        A file that ``mollify-dp candidates`` wrote.
    score
        How rows become an estimate: "kernel", "empirical", "histogram", "gaussian-mixture", "ratio" or
        "mbde".
    accept_error
        Releases even records that cannot be told apart from public noise.

    Raises
    ------
    InvalidInput
        If parameters are missing, out of range or contradict each other.
    """

    word: ClassVar[str] = "integral"
    protects_rows: ClassVar[bool] = False

    _: KW_ONLY
    epsilon: Number | None = None
    mu: Number | None = None
    count: int = 1
    mechanism: str | None = None
    band: str | None = None
    c1: float | None = None
    c2: float | None = None
    gamma: float | None = None
    reference: Any = None
    space: str | None = None
    cells: int | None = None
    candidates: int | None = None
    fresh: bool = False
    candidates_file: Any = None
    score: str | None = None
    accept_error: bool = False


@dataclass(frozen=True, eq=False, repr=False)
class IntegralModel(Method):
    """One of many public models of the table is released, and any number of its rows is free.

    Epsilon protects the whole table at once, and so any group of its rows.

    Parameters
    ----------
    domain
        What a record can contain: a `Domain`, its columns or its file.
    count
        Number of rows that are drawn from the model.
    epsilon, mu
        The budget of the whole release: epsilon from 1e-6, or Gaussian privacy. A text is taken
        exactly as it is typed.
    candidates
        Number of public models that a release chooses from. Default: 20000.
    trees
        Makes every second model a tree of columns instead of a product; works best with a reference,
        whose tree it is.
    mechanism
        "minimax", "relative", "class", "neighbourhood", "public-kernel", "randomized-response",
        "mixture" or "gaussian-curve". Default: as the following parameters suggest, or "minimax".
    band
        Where the band lies, instead of a mechanism: "minimax", "relative", "location=B", "typical",
        "typical=STRENGTH,RECORDS" or "file=F" (from `Local.tune`).
    c1, c2
        The least and the greatest density of the private distribution against the reference.
    gamma
        The private distribution is within this factor of the reference.
    reference
        A table or a file of public records in the domain.
    accept_error
        Releases even records that cannot be told apart from public noise.

    Raises
    ------
    InvalidInput
        If parameters are missing, out of range or contradict each other.
    """

    word: ClassVar[str] = "integral-model"
    protects_rows: ClassVar[bool] = False

    _: KW_ONLY
    epsilon: Number | None = None
    mu: Number | None = None
    count: int = 1
    candidates: int | None = None
    trees: bool = False
    mechanism: str | None = None
    band: str | None = None
    c1: float | None = None
    c2: float | None = None
    gamma: float | None = None
    reference: Any = None
    accept_error: bool = False

    def plan(self, *, region: str | Sequence[str] | None = None) -> Plan:
        """What this release can do, before any data is opened.

        Parameters
        ----------
        region
            "COLUMN=VALUE[,VALUE]", or several, which narrow it: bounds on its probability.
        """
        return self._plan(region=region)

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
        """Plans a release of which a number is still open, and finds that number.

        It reads nothing private. Parameters that are not listed here are those of the class.

        Parameters
        ----------
        domain
            What a record can contain.
        alpha
            Total variation of an output's law from the data's, between 0 and 1. Leave out the budget, and
            it is found.
        epsilon
            One budget, or several: then there is a plan for each.
        region
            "COLUMN=VALUE[,VALUE]", or several, which narrow it: bounds on its probability.
        """
        return cls._plan_of(locals())


class _OfRecords(Method):
    """The plans of methods that release independent records of a table whose rows are protected."""

    def plan(
        self,
        *,
        n: int | None = None,
        alpha: float | None = None,
        strong: bool = False,
        curve: bool = False,
    ) -> Plan:
        """What this release can do, or needs, before any data is opened.

        Parameters
        ----------
        n, alpha
            Number of rows or units, which is public, and total variation of an output's law from the
            data's, between 0 and 1. Give one, and the other is found.
        strong
            `alpha` bounds all outputs together.
        curve
            Prints total variation against `n` as well.
        """
        return self._plan(n=n, alpha=alpha, strong=strong, curve=curve)


class _OfModels(Method):
    """The plans of methods that release rows of a model of a table whose rows are protected."""

    def plan(
        self,
        *,
        n: int | None = None,
        alpha: float | None = None,
        curve: bool = False,
    ) -> Plan:
        """What this release can do, or needs, before any data is opened.

        Parameters
        ----------
        n, alpha
            Number of rows or units, which is public, and total variation of a row's law from the data's,
            between 0 and 1. Give one, and the other is found.
        curve
            Prints total variation against `n` as well.
        """
        return self._plan(n=n, alpha=alpha, curve=curve)


@dataclass(frozen=True, eq=False, repr=False)
class Central(_OfRecords):
    """Independent records of a finite domain.

    Epsilon and delta protect each row, or each unit, against being replaced by any other. The number
    of rows or units is public.

    Parameters
    ----------
    domain
        What a record can contain: a `Domain`, its columns or its file.
    count
        Number of records in all; left out for a `rate`.
    epsilon, delta, rho
        The budget of the whole release: epsilon, with delta or without, or zero-concentrated privacy. A
        text is taken exactly as it is typed.
    unit, units, units_column
        The column that names the unit of each row. All units (a list, a column, a table or a file), which
        protects who is in the data. The column of `units` that names them (default: like `unit`).
    mechanism
        "auto" (the default: the mechanism with the least total variation), "subsampled-rr",
        "reveal-or-obscure", "ds-roo", "subset-rr", "shuffled-rr", "poisson-rr", "histogram" or "product".
    rate
        Looks at each record with this probability and releases as many as come, instead of `count`; for
        mechanism "poisson-rr".
    support
        What is known of where the records lie in a large domain of integers: "contiguous", "bounded",
        "heavy", "width=W" or "subgaussian=S"; half of the budget finds it.
    accept_large_delta, accept_error
        Releases even if `delta` is 1/n or more, or if the records cannot be told apart from public noise.

    Raises
    ------
    InvalidInput
        If parameters are missing, out of range or contradict each other.
    """

    word: ClassVar[str] = "central"
    _unplanned: ClassVar[Sequence[str]] = ("rate", "support")

    _: KW_ONLY
    count: int | None = None
    epsilon: Number | None = None
    delta: Number | None = None
    rho: Number | None = None
    unit: str | None = None
    units: Any = None
    units_column: str | None = None
    mechanism: str | None = None
    rate: float | None = None
    support: str | None = None
    accept_large_delta: bool = False
    accept_error: bool = False

    @classmethod
    def plan_of(
        cls,
        domain: DomainLike | None = None,
        *,
        k: int | None = None,
        n: int | None = None,
        alpha: float | None = None,
        count: int | None = None,
        epsilon: Number | Sequence[float] | None = None,
        delta: Number | None = None,
        strong: bool = False,
        curve: bool = False,
        accept_large_delta: bool = False,
    ) -> Plan:
        """Plans a release of which a number is still open, and finds that number.

        It reads nothing private. Parameters that are not listed here are those of the class.

        Parameters
        ----------
        domain
            What a record can contain; or give `k`.
        n, alpha
            Number of rows or units, which is public, and total variation of an output's law from the
            data's, between 0 and 1. Leave out one of them, the budget, the domain, `count` or `delta`,
            and it is found.
        epsilon
            One budget, or several: then there is a plan for each.
        k
            Number of outcomes, instead of a domain.
        strong
            `alpha` bounds all outputs together.
        curve
            Prints total variation against `n` as well.
        accept_large_delta
            Goes on even if `delta` is 1/n or more.
        """
        return cls._plan_of(locals())


@dataclass(frozen=True, eq=False, repr=False)
class Gaussian(_OfRecords):
    """Independent rows of numbers, each from a Gaussian of public covariance with noise of its own.

    Epsilon and delta, or rho, protect each row or unit, whatever the data are. The accuracy needs data
    that are Gaussian.

    Parameters
    ----------
    domain
        What a record can contain: a `Domain`, its columns or its file.
    count
        Number of records in all.
    epsilon, delta, rho
        The budget of the whole release: epsilon, with delta or without, or zero-concentrated privacy. A
        text is taken exactly as it is typed.
    unit, units, units_column
        The column that names the unit of each row. All units (a list, a column, a table or a file), which
        protects who is in the data. The column of `units` that names them (default: like `unit`).
    covariance
        The public covariance: a (d, d) array in the domain's order, a data frame or a file; of logarithms
        for columns in `log`.
    covariance_bound
        The covariance lies between `covariance` (default: 1 for each column, and independent) and this
        many times it; with `rho` or `delta`.
    mean_bound
        The mean lies within this many standard deviations of the middle of the declared ranges. Default: a
        part of the rows finds it first.
    log
        Columns whose logarithms are Gaussian.
    paper_variance
        With `epsilon` alone: the published variance of the noise, not the corrected variance.
    accept_large_delta, accept_error
        Releases even if `delta` is 1/n or more, or if the records cannot be told apart from public noise.

    Raises
    ------
    InvalidInput
        If parameters are missing, out of range or contradict each other.
    """

    word: ClassVar[str] = "gaussian"

    _: KW_ONLY
    count: int
    epsilon: Number | None = None
    delta: Number | None = None
    rho: Number | None = None
    unit: str | None = None
    units: Any = None
    units_column: str | None = None
    covariance: Any = None
    covariance_bound: float | None = None
    mean_bound: float | None = None
    log: str | Sequence[str] | None = None
    paper_variance: bool = False
    accept_large_delta: bool = False
    accept_error: bool = False

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
        """Plans a release of which a number is still open, and finds that number.

        It reads nothing private. Parameters that are not listed here are those of the class.

        Parameters
        ----------
        domain
            What a record can contain; or give `dimension`.
        n, alpha
            Number of rows or units, which is public, and total variation of an output's law from the
            data's, between 0 and 1. Leave out one of them, the budget, the domain, `count` or `delta`,
            and it is found.
        epsilon
            One budget, or several: then there is a plan for each.
        dimension, mean_range
            Number of coordinates, instead of a domain, and how many standard deviations wide the range is
            that contains each coordinate of the mean.
        strong
            `alpha` bounds all outputs together.
        curve
            Prints total variation against `n` as well.
        accept_large_delta
            Goes on even if `delta` is 1/n or more.
        """
        return cls._plan_of(locals())


@dataclass(frozen=True, eq=False, repr=False)
class GaussianModel(_OfModels):
    """Any number of rows of numbers from one noisy mean and covariance.

    Epsilon and delta, or rho, protect each row or unit, whatever the data are. The accuracy needs data
    that are Gaussian.

    Parameters
    ----------
    domain
        What a record can contain: a `Domain`, its columns or its file.
    count
        Number of records in all.
    epsilon, delta, rho
        The budget of the whole release: epsilon, with delta or without, or zero-concentrated privacy. A
        text is taken exactly as it is typed.
    unit, units, units_column
        The column that names the unit of each row. All units (a list, a column, a table or a file), which
        protects who is in the data. The column of `units` that names them (default: like `unit`).
    log
        Columns whose logarithms are Gaussian.
    accept_large_delta, accept_error
        Releases even if `delta` is 1/n or more, or if the records cannot be told apart from public noise.

    Raises
    ------
    InvalidInput
        If parameters are missing, out of range or contradict each other.
    """

    word: ClassVar[str] = "gaussian-model"

    _: KW_ONLY
    count: int
    epsilon: Number | None = None
    delta: Number | None = None
    rho: Number | None = None
    unit: str | None = None
    units: Any = None
    units_column: str | None = None
    log: str | Sequence[str] | None = None
    accept_large_delta: bool = False
    accept_error: bool = False

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
        """Plans a release of which a number is still open, and finds that number.

        It reads nothing private. Parameters that are not listed here are those of the class.

        Parameters
        ----------
        domain
            What a record can contain; or give `dimension`.
        n, alpha
            Number of rows or units, which is public, and total variation of an output's law from the
            data's, between 0 and 1. Leave out one of them, the budget, the domain or `delta`,
            and it is found.
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


@dataclass(frozen=True, eq=False, repr=False)
class Marginals(_OfModels):
    """Any number of rows of a model that is learned from noisy counts of columns and pairs.

    Epsilon and delta, or rho, protect each row or unit. For tables of many columns.

    Parameters
    ----------
    domain
        What a record can contain: a `Domain`, its columns or its file.
    count
        Number of records in all.
    epsilon, delta, rho
        The budget of the whole release: epsilon, with delta or without, or zero-concentrated privacy. A
        text is taken exactly as it is typed.
    unit, units, units_column
        The column that names the unit of each row. All units (a list, a column, a table or a file), which
        protects who is in the data. The column of `units` that names them (default: like `unit`).
    reference
        A table or a file of public records that the model begins at.
    neighbours
        "replace" (the default): a row or unit may be any other, and their number is public. "add-remove": it
        may be missing, so their number is protected too.
    copula
        Joins columns by their rank correlations alone: for numbers, ordered columns and columns of two
        values, few rows or a small budget.
    accept_large_delta, accept_error
        Releases even if `delta` is 1/n or more, or if the records cannot be told apart from public noise.

    Raises
    ------
    InvalidInput
        If parameters are missing, out of range or contradict each other.
    """

    word: ClassVar[str] = "marginals"

    _: KW_ONLY
    count: int
    epsilon: Number | None = None
    delta: Number | None = None
    rho: Number | None = None
    unit: str | None = None
    units: Any = None
    units_column: str | None = None
    reference: Any = None
    neighbours: str | None = None
    copula: bool = False
    accept_large_delta: bool = False
    accept_error: bool = False

    @classmethod
    def plan_of(
        cls,
        domain: DomainLike | None = None,
        *,
        n: int | None = None,
        alpha: float | None = None,
        epsilon: Number | Sequence[float] | None = None,
        delta: Number | None = None,
        rho: Number | None = None,
        curve: bool = False,
        neighbours: str | None = None,
        copula: bool = False,
        accept_large_delta: bool = False,
    ) -> Plan:
        """Plans a release of which a number is still open, and finds that number.

        It reads nothing private. Parameters that are not listed here are those of the class.

        Parameters
        ----------
        domain
            What a record can contain.
        n, alpha
            Number of rows or units, which is public, and total variation of an output's law from the
            data's, between 0 and 1. Leave out one of them or the budget,
            and it is found.
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
