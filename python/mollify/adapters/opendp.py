"""A release as a measurement of OpenDP's."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from mollify._files import optional
from mollify._method_base import Method
from mollify._parameters import checked
from mollify._privacy import of_json
from mollify._refusal import refusal
from mollify._release import Release

if TYPE_CHECKING:
    import opendp.prelude


_OF_TABLES = ("integral", "integral-model")


def _changed(spec: Mapping[str, Any]) -> str:
    """The unit of distances between tables."""
    if spec["method"] in _OF_TABLES:
        return "tables that are changed"
    if spec["method"] == "local":
        return "units whose records are changed"
    who = "units" if "unit" in spec else "records"
    hidden = spec.get("neighbours") == "add-remove"
    return f"{who} that are {'added or removed' if hidden else 'replaced'}"


@checked
def measurement(
    method: Method,
    *,
    n: int | None = None,
    counts_column: str | None = None,
    lists: Sequence[str] = (),
    threads: int | None = None,
) -> opendp.prelude.Measurement:
    """A method's release as a measurement: private tables in, releases out.

    OpenDP's features ``contrib`` and ``honest-but-curious`` must be enabled, the second
    because OpenDP cannot check what another library computes. Every call is a release,
    with its budget.

    Parameters
    ----------
    method
        What releases. Its budget must not be in mu: OpenDP has no measure for it.
    n
        For `Central`, `Gaussian`, `GaussianModel` and `Marginals`: how many rows, or
        units, every table has that the measurement is given; left out with
        ``neighbours="add-remove"``.
    counts_column, lists, threads
        As for `Method.sample`.

    Returns
    -------
    opendp.Measurement
        Its inputs are whatever `Method.sample` reads. Its distances count units whose
        records are changed (method local), tables that are changed (integral), or
        records, with `unit` units, that are replaced (central), or with
        ``neighbours="add-remove"`` added or removed. Its measure is the max-divergence,
        for a budget in rho the zero-concentrated divergence, and with a delta the
        approximate max-divergence.

    Raises
    ------
    InvalidInput
        For a wrong public parameter, in one sentence.

    Notes
    -----
    There is no ledger: OpenDP does the accounting. A group of k costs k epsilon, or k^2
    rho [Bun and Steinke 2016], or k epsilon and (1 + e^epsilon + ... + e^((k-1)
    epsilon)) delta, each rounded up.
    """
    optional("opendp", "opendp")
    import opendp.prelude as dp

    facts = method._certificate(n)
    total = of_json(facts["privacy"])
    if total.mu is not None:
        raise refusal("not-for-this-budget", "a measurement must promise epsilon or rho, but is asked for mu", "mu")
    fixed = facts["facts"].get("records")

    def function(table: Any) -> Release:
        release = method.sample(table, counts_column=counts_column, lists=lists, threads=threads)
        held = release.certificate.to_dict()["facts"].get("records")
        if held != fixed:  # both are public
            raise refusal(
                "wrong-shape",
                f"the table must have the {fixed} records that the measurement is for, but has {held}",
            )
        return release

    def bound(changes: Any) -> int:
        """Two changes of a table are one change."""
        return min(int(changes), 1) if facts["spec"]["method"] in _OF_TABLES else int(changes)

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
    """Their product, no less than the exact one however its factors were rounded;
    itself for one.
    """
    return factor * cost if factor in (0, 1) else factor * cost * (1 + 2**-40)
