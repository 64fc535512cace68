"""Next tokens of language models: any arrays of private and of public scores."""

from __future__ import annotations

import math
import os
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from mollify import _core
from mollify._checks import number, whole_number
from mollify._ledger import Ledger, existing
from mollify._parameters import check_class
from mollify._privacy import Privacy
from mollify._private_numbers import private_numbers
from mollify._refusal import refusal
from mollify._sampler import _numbers
from mollify._warning import messages, warn

if TYPE_CHECKING:
    from numpy import uint32
    from numpy.typing import ArrayLike, NDArray


@check_class
class TokenSampler:
    """Tokens drawn from a private model's scores, each within a band around a public
    model's.

    The private model may have been trained on private data or have read a private
    prompt; it may be anything. Each token promises epsilon against any other scores
    whatsoever, and tokens add up: `spent` is what all draws so far cost together, and a
    ledger is charged before each.

    Parameters
    ----------
    epsilon
        Of one token, from 1e-6; above 30 it counts as 30.
    top
        Number of tokens to choose from, the likeliest of the public model. With fewer
        of them more of epsilon goes into the choice. Default: all.
    separate
        Whether each row of a batch reads private data of its own, so that what rows
        cost does not add up. Default: all rows read one private model.
    ledger, data_set, scope
        Ledger, name and scope of the charge: "row", "unit=COLUMN" or
        "table".
    """

    def __init__(
        self,
        *,
        epsilon: float,
        top: int | None = None,
        separate: bool = False,
        ledger: Ledger | str | os.PathLike[str] | None = None,
        data_set: str | None = None,
        scope: str = "table",
    ) -> None:
        # Refuses a wrong epsilon. A Sampler would call a token noise, but a public model is near.
        _core.Sampler(_core.SamplerParameters("minimax", 2, number("epsilon", epsilon)))
        warn(messages(_core.epsilon_warnings(Privacy(float(epsilon))._inside())))
        if top is not None and whole_number("top", top) < 1:
            raise refusal("out-of-range", f"top must be at least 1, but is {top}", "top")
        if (ledger is None) != (data_set is None):
            raise refusal("missing-parameter", "tokens are charged to a ledger with a data_set, but one is missing", "data_set")
        self.epsilon = float(epsilon)
        self.top = top
        self.separate = separate
        self.scope = scope
        self._ledger = ledger if ledger is None or isinstance(ledger, Ledger) else existing(ledger)
        self._data_set = data_set
        self._tokens = 0

    @property
    def tokens(self) -> int:
        """How many were drawn whose costs add up."""
        return self._tokens

    @property
    def spent(self) -> Privacy | None:
        """The draws' total promise, rounded up; None before the first."""
        return Privacy(epsilon=self._cost(self._tokens)) if self._tokens else None

    def draw(self, private: ArrayLike, public: ArrayLike) -> NDArray[uint32]:
        """One token for each row.

        Parameters
        ----------
        private
            (batch, vocabulary) logits; no value is refused, and NaN counts as
            impossible.
        public
            (batch, vocabulary) logits that depend on nothing private, except earlier
            releases. A token of -inf is never drawn.

        Returns
        -------
        (batch,) array of numpy.uint32
            O(vocabulary) each.
        """
        import numpy as np

        open_scores = _numbers("public", public, "fiub").astype(np.float64)
        width = open_scores.shape[-1] if open_scores.ndim else None
        scores = private_numbers("private", private, width=width).astype(np.float64)
        if scores.ndim != 2 or scores.shape != open_scores.shape:
            raise refusal(
                "wrong-shape",
                "private and public must be of one shape (batch, vocabulary), but have shapes "
                f"{scores.shape} and {open_scores.shape}",
            )
        rows = [self._row(row) for row in open_scores]
        self._charge(1 if self.separate else len(rows))
        tokens = np.empty(len(rows), np.uint32)
        for place, (allowed, sampler) in enumerate(rows):
            chosen = scores[place, allowed]
            with np.errstate(all="ignore"):
                greatest = np.max(chosen, where=~np.isnan(chosen), initial=-np.inf)
                weights = np.where(chosen == greatest, 1.0, np.exp(chosen - greatest))
            weights[chosen == -np.inf] = 0.0  # all of them: then the public model is drawn from
            tokens[place] = allowed[sampler.draw(weights.reshape(1, -1))[0]]
        return tokens

    def force(self, private: ArrayLike, public: ArrayLike) -> NDArray[Any]:
        """The draw as (batch, vocabulary) scores: 0 at the token that was drawn, -inf
        elsewhere.

        For loops that draw for themselves, such as a logits processor's: they can but
        take it.
        """
        import numpy as np

        tokens = self.draw(private, public)
        scores = np.full(np.shape(public), -np.inf)
        scores[np.arange(len(tokens)), tokens] = 0.0
        return scores

    def __repr__(self) -> str:
        return f"TokenSampler(epsilon {self.epsilon:g} a token, {self._tokens} drawn)"

    def _row(self, logits: NDArray[Any]) -> tuple[NDArray[Any], _core.Sampler]:
        """Possible tokens, and the sampler of one of them."""
        import numpy as np

        if np.any(np.isnan(logits) | (logits == np.inf)) or not np.any(np.isfinite(logits)):
            raise refusal(
                "out-of-range",
                "public logits must be numbers or -inf, and not all -inf, but a row is otherwise",
            )
        order = np.argsort(-logits, kind="stable")
        count = int(np.count_nonzero(np.isfinite(logits)))
        allowed = np.sort(order[: count if self.top is None else min(count, self.top)])
        masses = np.exp(np.maximum(logits[allowed] - np.max(logits), -40.0))
        parameters = ("relative", len(masses), self.epsilon, None, masses.tolist())
        return allowed, _core.Sampler(_core.SamplerParameters(*parameters))

    def _charge(self, tokens: int) -> None:
        if self._ledger is not None and self._data_set is not None and tokens > 0:
            cost = Privacy(epsilon=self._cost(tokens))
            self._ledger.charge(
                self._data_set, cost, scope=self.scope, mechanism="relative", count=tokens
            )
        self._tokens += tokens

    def _cost(self, tokens: int) -> float:
        """The cost of that many, no less than the exact product of epsilon's decimal.
        """
        exact = Decimal(repr(self.epsilon)) * tokens
        cost = float(exact)
        return cost if Decimal(repr(cost)) >= exact else math.nextafter(cost, math.inf)
