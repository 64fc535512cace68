"""What releases promise, and what they cost together."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from mollify import _core


@dataclass(frozen=True)
class Privacy:
    """A privacy notion and its parameters: of those that the notion does not have, None.

    `epsilon` alone is epsilon-DP, with `delta` (epsilon, delta)-DP, `rho` is zero-concentrated and
    `mu` Gaussian differential privacy. Which inputs are neighbours, the release says.
    """

    epsilon: float | None = None
    delta: float | None = None
    rho: float | None = None
    mu: float | None = None

    def __post_init__(self) -> None:
        given = [self.epsilon is not None, self.rho is not None, self.mu is not None]
        if sum(given) != 1 or (self.delta is not None and self.epsilon is None):
            raise _core.InvalidInput(
                "a promise must be in epsilon (with delta or without), in rho or in mu"
            )

    @property
    def notion(self) -> str:
        """"pure", "approximate", "concentrated" or "gaussian"."""
        if self.epsilon is not None:
            return "approximate" if self.delta else "pure"
        return "concentrated" if self.rho is not None else "gaussian"

    def epsilon_up(self, delta: float) -> float:
        """The least epsilon that is proved for it at this delta; infinite where there is none."""
        return _core.epsilon_up(self._inside(), float(delta))

    def delta_up(self, epsilon: float) -> float:
        """The least delta that is proved for it at this epsilon."""
        return _core.delta_up(self._inside(), float(epsilon))

    def rho_up(self) -> float:
        """Its rho, rounded up; `InvalidInput` for one with a delta, which has none."""
        return _core.rho_up(self._inside())

    def __str__(self) -> str:
        return self._inside().text()

    def _inside(self) -> _core.Privacy:
        notion = getattr(_core.Notion, self.notion)
        parts = (self.epsilon, self.delta, self.rho, self.mu)
        return _core.Privacy(notion, *(float(part or 0) for part in parts))


def outward(inside: _core.Privacy) -> Privacy:
    """The same of what C++ says."""
    notion = inside.notion
    if notion == _core.Notion.concentrated:
        return Privacy(rho=inside.rho)
    if notion == _core.Notion.gaussian:
        return Privacy(mu=inside.mu)
    return Privacy(epsilon=inside.epsilon, delta=inside.delta or None)


def of_json(part: dict[str, Any]) -> Privacy:
    """The same of what a certificate says."""
    return Privacy(**{name: part[name] for name in ("epsilon", "delta", "rho", "mu") if name in part})


def compose(releases: Iterable[Privacy]) -> Privacy:
    """What all releases made from the same data promise together, rounded to the safe side.

    The sum of epsilon and delta, or of rho, where a pure release counts epsilon^2 / 2. Raises
    `InvalidInput` where no sum is known.
    """
    return outward(_core.composed_up([release._inside() for release in releases]))
