"""Next tokens of language models: any arrays of private and of public scores."""

from __future__ import annotations

import math
import os
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from mollify import _core
from mollify._arrays import in_rows, public_numbers
from mollify._checks import number, out_of_range, whole_number
from mollify._ledger import Ledger, existing
from mollify._parameters import check_class
from mollify._privacy import Privacy
from mollify._private_numbers import private_bits
from mollify._refusal import refusal
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
        if top is not None and (given := whole_number("top", top)) < 1:
            raise out_of_range("top", given, "at least 1", least=1)
        self._inside = _core.TokenSampler(number("epsilon", epsilon), top or 0)
        # A Sampler would call a token noise, but a public model is near.
        warn(messages(_core.epsilon_warnings(Privacy(float(epsilon))._inside())))
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

        Any array with DLPack or a buffer is read, and bfloat16 as well; arrays in C's
        order are not copied. If no number is a double, nor an integer that is not a
        float, exponentials have single precision.

        Returns
        -------
        (batch,) array of numpy.uint32
            O(vocabulary) each.
        """
        return self._drawn(private, public)[0]

    def force(self, private: ArrayLike, public: ArrayLike) -> NDArray[Any]:
        """The draw as (batch, vocabulary) scores: 0 at the token that was drawn, -inf
        elsewhere.

        For loops that draw for themselves, such as a logits processor's: they can but
        take it.
        """
        import numpy as np

        tokens, shape = self._drawn(private, public)
        scores = np.full(shape, -np.inf)
        scores[np.arange(len(tokens)), tokens] = 0.0
        return scores

    def _drawn(self, private: ArrayLike, public: ArrayLike) -> tuple[NDArray[uint32], tuple[int, ...]]:
        """The tokens, and the shape of the logits."""
        open_logits, is_open_bfloat16 = public_numbers("public", public, "fiub", keeps_bfloat16=True)
        width = open_logits.shape[-1] if open_logits.shape else None
        logits, is_bfloat16 = private_bits("private", private, width=width)
        if len(logits.shape) != 2 or logits.shape != open_logits.shape:
            raise refusal(
                "wrong-shape",
                "private and public must be of one shape (batch, vocabulary), but have shapes "
                f"{logits.shape} and {open_logits.shape}",
            )
        read = _core.Logits(in_rows(logits), is_bfloat16)
        open_read = _core.Logits(in_rows(open_logits), is_open_bfloat16)
        tokens = 1 if self.separate else logits.shape[0]
        if self._ledger is not None:
            self._inside.check(open_read)  # what is refused must not be charged
            self._charge(self._ledger, tokens)
        drawn = self._inside.draw(read, open_read)
        self._tokens += tokens
        return drawn, logits.shape

    def __repr__(self) -> str:
        return f"TokenSampler(epsilon {self.epsilon:g} a token, {self._tokens} drawn)"

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_inside": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._inside = _core.TokenSampler(self.epsilon, self.top or 0)

    def _charge(self, ledger: Ledger, tokens: int) -> None:
        if self._data_set is not None and tokens > 0:
            cost = Privacy(epsilon=self._cost(tokens))
            ledger.charge(self._data_set, cost, scope=self.scope, mechanism="relative", count=tokens)

    def _cost(self, tokens: int) -> float:
        """The cost of that many, no less than the exact product of epsilon's decimal.
        """
        exact = Decimal(repr(self.epsilon)) * tokens
        cost = float(exact)
        return cost if Decimal(repr(cost)) >= exact else math.nextafter(cost, math.inf)
