"""Promises of releases, and their cost together."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any

from mollify import _core
from mollify._checks import listed, number, out_of_range
from mollify._refusal import WayOut, refusal


class Privacy:
    """A privacy guarantee: a notion and its parameters. Immutable.

    Which inputs are neighbours depends on the release. Parameters that the notion
    doesn't have are None.

    Parameters
    ----------
    epsilon : float
        From 0: epsilon-differential privacy.
    delta : float
        From 0 to 1, with `epsilon`: (epsilon, delta)-differential privacy.
    rho : float
        From 0: zero-concentrated differential privacy.
    mu : float
        From 0: Gaussian differential privacy.

    Raises
    ------
    InvalidInput
        Unless you give `epsilon`, `epsilon` and `delta`, `rho`, or `mu`, in range.

    Examples
    --------
    >>> Privacy(epsilon=1, delta=1e-6).notion
    'approximate'
    """

    __slots__ = ("_parts",)
    _parts: tuple[float | None, float | None, float | None, float | None]

    def __init__(
        self,
        epsilon: float | None = None,
        delta: float | None = None,
        rho: float | None = None,
        mu: float | None = None,
    ) -> None:
        named = {"epsilon": epsilon, "delta": delta, "rho": rho, "mu": mu}
        given = [name for name, part in named.items() if part is not None]
        if given not in (["epsilon"], ["epsilon", "delta"], ["rho"], ["mu"]):
            raise refusal(
                "contradicting-parameters" if given else "missing-parameter",
                "Privacy takes epsilon, epsilon and delta, rho, or mu. "
                f"You gave {listed(given or ['none of them'])}.",
                given[-1] if given else "epsilon",
                ways_out=[WayOut("leave", one) for one in given[1:]] or [WayOut("set", "epsilon")],
            )
        for name, part in named.items():
            if part is None or 0 <= number(name, part) <= (1.0 if name == "delta" else sys.float_info.max):
                continue
            if name == "delta":
                raise out_of_range(name, number(name, part), "from 0 to 1", least=0, most=1)
            raise out_of_range(name, number(name, part), "finite and at least 0", least=0)
        self._parts = tuple(float(part) if isinstance(part, str) else part for part in named.values())  # type: ignore[assignment]

    @property
    def epsilon(self) -> float | None:
        """Epsilon of the notions "pure" and "approximate", or None."""
        return self._parts[0]

    @property
    def delta(self) -> float | None:
        """Delta of the notion "approximate", or None."""
        return self._parts[1]

    @property
    def rho(self) -> float | None:
        """Rho of the notion "concentrated", or None."""
        return self._parts[2]

    @property
    def mu(self) -> float | None:
        """Mu of the notion "gaussian", or None."""
        return self._parts[3]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Privacy) and self._parts == other._parts

    def __hash__(self) -> int:
        return hash(self._parts)

    def __repr__(self) -> str:
        named = zip(("epsilon", "delta", "rho", "mu"), self._parts)
        return f"Privacy({', '.join(f'{name}={part!r}' for name, part in named if part is not None)})"

    def __reduce__(self) -> tuple[Any, ...]:
        return Privacy, self._parts

    @property
    def notion(self) -> str:
        """"pure", "approximate", "concentrated" or "gaussian"."""
        if self.epsilon is not None:
            return "approximate" if self.delta else "pure"
        return "concentrated" if self.rho is not None else "gaussian"

    def epsilon_up(self, delta: float) -> float:
        """Compute the least epsilon that is proved at this delta, or infinity.
        """
        return _core.epsilon_up(self._inside(), float(delta))

    def delta_up(self, epsilon: float) -> float:
        """Compute the least delta that is proved at this epsilon."""
        return _core.delta_up(self._inside(), float(epsilon))

    def rho_up(self) -> float:
        """Compute rho, rounded up. Raises `InvalidInput` for a guarantee with a delta,
        which has none.
        """
        return _core.rho_up(self._inside())

    def __str__(self) -> str:
        return self._inside().text()

    def _inside(self) -> _core.Privacy:
        notion = getattr(_core.Notion, self.notion)
        return _core.Privacy(notion, *(float(part or 0) for part in self._parts))


def outward(inside: _core.Privacy) -> Privacy:
    """The privacy that C++ states."""
    notion = inside.notion
    if notion == _core.Notion.concentrated:
        return Privacy(rho=inside.rho)
    if notion == _core.Notion.gaussian:
        return Privacy(mu=inside.mu)
    return Privacy(epsilon=inside.epsilon, delta=inside.delta or None)


def of_json(part: dict[str, Any]) -> Privacy:
    """The privacy that a certificate states."""
    return Privacy(**{name: part[name] for name in ("epsilon", "delta", "rho", "mu") if name in part})


def compose(releases: Iterable[Any]) -> Privacy:
    """Compute what all releases made from the same data keep together, rounded to the
    safe side.

    `releases` are releases, or what they promise (`Privacy`). The sum of epsilon and
    delta, or of rho, where a pure release counts epsilon^2 / 2. Raises `InvalidInput`
    where no sum is known.
    """
    promises = []
    if not isinstance(releases, Iterable):
        raise refusal("wrong-type", f"releases must be a list of releases, but is of type {type(releases).__name__}", "releases")
    for one in releases:
        promise = getattr(one, "guarantee", one)
        if not isinstance(promise, Privacy):
            raise refusal(
                "wrong-type",
                f"releases must be releases or what they promise, but one is of type {type(one).__name__}",
                "releases",
            )
        promises.append(promise._inside())
    return outward(_core.composed_up(promises))
