"""A release as a measurement of OpenDP's."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from mollify import _core
from mollify._domain import DomainLike, as_domain
from mollify._privacy import of_json
from mollify._release import Certificate, Release, prepared, sample

if TYPE_CHECKING:
    import opendp.prelude

_CHANGED = {
    "local": "units whose records are changed",
    "integral": "tables that are changed",
    "central": "records that are replaced",
}


def measurement(
    domain: DomainLike, *, model: str, records: int | None = None, **parameters: Any
) -> opendp.prelude.Measurement:
    """`mollify.sample` as a measurement: private tables in, releases out.

    OpenDP's features ``contrib`` and ``honest-but-curious`` must be enabled, the second because
    OpenDP cannot check what another library computes. Every call is a release, with its budget.

    Parameters
    ----------
    domain, model, **parameters
        As for `mollify.sample`; without a ledger, because OpenDP does the accounting.
    records
        For model central: how many there are in every table that it is given.

    Returns
    -------
    opendp.Measurement
        Its inputs are whatever `mollify.sample` reads. Its distances count units whose records are
        changed (model local), tables that are changed (integral) or records that are replaced
        (central). Its measure is the max-divergence, for a budget in rho the zero-concentrated
        divergence, and with a delta the approximate max-divergence.

    Raises
    ------
    InvalidInput
        In one sentence, for what is wrong in public.
    """
    import opendp.prelude as dp

    for name in ("ledger", "data_set"):
        if parameters.get(name) is not None:
            raise _core.InvalidInput(f"{name} must be left out, for OpenDP does the accounting")
    domain = as_domain(domain)
    facts = prepared(domain, records, model=model, **parameters)
    total = of_json(facts["privacy"])
    if total.mu is not None:
        raise _core.InvalidInput("a measurement must promise epsilon or rho, but is asked for mu")
    fixed = facts["facts"].get("records")

    def function(table: Any) -> Release:
        release = sample(table, domain, model=model, **parameters)
        held = release.certificate.to_dict()["facts"].get("records")
        if held != fixed:  # both are public
            raise _core.InvalidInput(
                f"the table must have the {fixed} records that the measurement is for, but has {held}"
            )
        return release

    def bound(changes: Any) -> int:
        """Whoever changes a table twice has changed it."""
        return min(int(changes), 1) if model == "integral" else int(changes)

    if total.rho is not None:
        rho = total.rho
        measure = dp.zero_concentrated_divergence()

        def privacy_map(changes: Any) -> Any:
            # A group of k costs k^2 rho [Bun and Steinke 2016].
            return _up(bound(changes) ** 2, rho)

    elif total.delta:
        epsilon, delta = total.epsilon or 0.0, total.delta
        measure = dp.approximate(dp.max_divergence())

        def privacy_map(changes: Any) -> Any:
            # A group of k costs k epsilon and (1 + e^epsilon + ... + e^((k-1) epsilon)) delta.
            k = bound(changes)
            try:
                factor = math.fsum(math.exp(i * epsilon) for i in range(k))
            except OverflowError:
                factor = math.inf
            return _up(k, epsilon), min(1.0, _up(factor, delta))

    else:
        epsilon = total.epsilon or 0.0
        measure = dp.max_divergence()

        def privacy_map(changes: Any) -> Any:
            return _up(bound(changes), epsilon)

    return dp.m.make_user_measurement(
        dp.user_domain("tables that mollify reads", lambda table: True),
        dp.user_distance(_CHANGED[model]),
        measure,
        function,
        privacy_map,
    )


def _up(factor: float, cost: float) -> float:
    """Their product, no less than the exact one however its factors were rounded; itself for one."""
    return factor * cost if factor in (0, 1) else factor * cost * (1 + 2**-40)
