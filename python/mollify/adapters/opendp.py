"""A release as a measurement of OpenDP's."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from mollify import _core
from mollify._domain import DomainLike, as_domain
from mollify._privacy import of_json
from mollify._release import Release, prepared, sample

if TYPE_CHECKING:
    import opendp.prelude


def _changed(spec: Mapping[str, Any]) -> str:
    """What distances between tables count."""
    if spec["method"] in ("integral", "integral-model"):
        return "tables that are changed"
    if spec["method"] == "local":
        return "units whose records are changed"
    who = "units" if "unit" in spec else "records"
    hidden = spec.get("neighbours") == "add-remove"
    return f"{who} that are {'added or removed' if hidden else 'replaced'}"


def measurement(
    domain: DomainLike,
    *,
    method: str,
    records: int | None = None,
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
) -> opendp.prelude.Measurement:
    """`mollify.sample` as a measurement: private tables in, releases out.

    OpenDP's features ``contrib`` and ``honest-but-curious`` must be enabled, the second because
    OpenDP cannot check what another library computes. Every call is a release, with its budget.

    Parameters
    ----------
    domain
        What a record can be; public, as are all parameters below.
    method
        "local" (with `unit`), "integral" or "central".
    records
        For method central: how many there are in every table that it is given; with
        ``neighbours="add-remove"`` left out.
    epsilon, delta, rho
        The budget of each call; one of the three forms.
    mu
        Is refused: OpenDP has no measure for it.
    count
        Records: for each unit, or in method central in all. Default: 1, but in method central.
    unit, units, units_column, lists
        The column that names the unit of each row; all units, which protects who is in the data;
        the table's column that names them; columns of lists.
    mechanism, band, c1, c2, gamma, reference, space, cells, candidates, fresh, trees
        As for `mollify.sample`.
    candidates_file, score, covariance, covariance_bound, mean_bound, log
        As for `mollify.sample`.
    paper_variance, neighbours, copula, rate, support, accept_large_delta, accept_error
        As for `mollify.sample`.
    counts
        The column that says how many records each row stands for.
    threads
        That share the work, from 1 to 1024. Default: as many as the machine runs at once.

    Returns
    -------
    opendp.Measurement
        Its inputs are whatever `mollify.sample` reads. Its distances count units whose records are
        changed (method local), tables that are changed (integral), or records, with `unit` units,
        that are replaced (central), or with ``neighbours="add-remove"`` added or removed. Its measure is the max-divergence, for a budget in rho the zero-concentrated
        divergence, and with a delta the approximate max-divergence.

    Raises
    ------
    InvalidInput
        In one sentence, for what is wrong in public.

    Notes
    -----
    There is no ledger: OpenDP does the accounting. A group of k costs k epsilon, or k^2 rho [Bun and
    Steinke 2016], or k epsilon and (1 + e^epsilon + ... + e^((k-1) epsilon)) delta, each rounded up.
    """
    parameters = dict(locals())
    for name in ("domain", "method", "records"):
        del parameters[name]
    import opendp.prelude as dp

    domain = as_domain(domain)
    facts = prepared(domain, records, method=method, **parameters)
    total = of_json(facts["privacy"])
    if total.mu is not None:
        raise _core.InvalidInput("a measurement must promise epsilon or rho, but is asked for mu")
    fixed = facts["facts"].get("records")

    def function(table: Any) -> Release:
        release = sample(table, domain, method=method, **parameters)
        held = release.certificate.to_dict()["facts"].get("records")
        if held != fixed:  # both are public
            raise _core.InvalidInput(
                f"the table must have the {fixed} records that the measurement is for, but has {held}"
            )
        return release

    def bound(changes: Any) -> int:
        """Whoever changes a table twice has changed it."""
        return min(int(changes), 1) if method in ("integral", "integral-model") else int(changes)

    if total.rho is not None:
        concentrated = total.rho
        measure = dp.zero_concentrated_divergence()

        def privacy_map(changes: Any) -> Any:
            # A group of k costs k^2 rho [Bun and Steinke 2016].
            return _up(bound(changes) ** 2, concentrated)

    elif total.delta:
        loss, failure = total.epsilon or 0.0, total.delta
        measure = dp.approximate(dp.max_divergence())

        def privacy_map(changes: Any) -> Any:
            # A group of k costs k epsilon and (1 + e^epsilon + ... + e^((k-1) epsilon)) delta.
            k = bound(changes)
            try:
                factor = math.fsum(math.exp(i * loss) for i in range(k))
            except OverflowError:
                factor = math.inf
            return _up(k, loss), min(1.0, _up(factor, failure))

    else:
        pure = total.epsilon or 0.0
        measure = dp.max_divergence()

        def privacy_map(changes: Any) -> Any:
            return _up(bound(changes), pure)

    return dp.m.make_user_measurement(
        dp.user_domain("tables that mollify reads", lambda table: True),
        dp.user_distance(_changed(facts["spec"])),
        measure,
        function,
        privacy_map,
    )


def _up(factor: float, cost: float) -> float:
    """Their product, no less than the exact one however its factors were rounded; itself for one."""
    return factor * cost if factor in (0, 1) else factor * cost * (1 + 2**-40)
