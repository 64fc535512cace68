"""A release in the shape of scikit-learn's estimators."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from mollify import _core
from mollify._domain import DomainLike, as_domain
from mollify._ledger import Ledger
from mollify._release import Release, sample

if TYPE_CHECKING:
    import pandas


class Synthesizer:
    """Releases a fixed number of records when it is fitted, and hands these out.

    Fitting is the release: all of the budget is spent then, `sample` costs nothing and refuses when
    all records are handed out. There is no `random_state`, and no score of private records.

    Parameters
    ----------
    domain
        What a record can be.
    epsilon, delta, count, model, mechanism, unit, units, ledger, data_set
        As for `mollify.sample`.

    Attributes
    ----------
    release_ : Release
        All records, with their certificate.
    n_features_in_ : int
    """

    def __init__(
        self,
        domain: DomainLike,
        *,
        epsilon: float = 1.0,
        delta: float | None = None,
        count: int = 100,
        model: str = "central",
        mechanism: str | None = None,
        unit: str | None = None,
        units: Any = None,
        ledger: Ledger | str | os.PathLike[str] | None = None,
        data_set: str | None = None,
    ) -> None:
        self.domain = domain
        self.epsilon = epsilon
        self.delta = delta
        self.count = count
        self.model = model
        self.mechanism = mechanism
        self.unit = unit
        self.units = units
        self.ledger = ledger
        self.data_set = data_set

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters by their names."""
        return {name: getattr(self, name) for name in Synthesizer.__init__.__annotations__ if name != "return"}

    def set_params(self, **parameters: Any) -> Synthesizer:
        """Sets some of them; `InvalidInput` for a name that is none."""
        known = self.get_params()
        for name, value in parameters.items():
            if name not in known:
                raise _core.InvalidInput(
                    f"a Synthesizer has the parameters {', '.join(known)}, but {name} is none"
                )
            setattr(self, name, value)
        return self

    def fit(self, X: Any, y: object = None) -> Synthesizer:
        """Releases from a private table, or an array of (n, d) whose columns are the domain's."""
        parameters = self.get_params()
        domain = as_domain(parameters.pop("domain"))
        shape: tuple[int, ...] = getattr(X, "shape", ())
        if not hasattr(X, "columns") and len(shape) == 2:
            if shape[1] != len(domain):
                raise _core.InvalidInput(
                    f"X must have {len(domain)} columns, those of the domain, but has {shape[1]}"
                )
            X = {name: X[:, place] for place, name in enumerate(domain)}
        self.release_: Release = sample(X, domain, **parameters)
        self.n_features_in_ = len(domain)
        self._handed_out = 0
        return self

    def sample(self, n_samples: int = 1) -> pandas.DataFrame:
        """The next records, as a pandas data frame; `InvalidInput` where so many are not left."""
        if not hasattr(self, "release_"):
            raise _core.InvalidInput("a Synthesizer must be fitted before it has records")
        left = len(self.release_) - self._handed_out
        if not 0 <= n_samples <= left:
            raise _core.InvalidInput(
                f"{left} of {len(self.release_)} records are left, but {n_samples} are asked for; "
                "more records are another release"
            )
        begin = self._handed_out
        self._handed_out += n_samples
        return self.release_.to_pandas().iloc[begin : begin + n_samples].reset_index(drop=True)

    def __repr__(self) -> str:
        return f"Synthesizer({self.count} records, {self.model}, epsilon {self.epsilon:g})"
