"""Single draws: private scores or values in, released outcomes out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mollify import _core
from mollify._arrays import in_rows, public_numbers
from mollify._checks import Public, number, optional_number, thread_count, whole_number
from mollify._parameters import hinted, no_seed
from mollify._privacy import Privacy, outward
from mollify._private_numbers import private_bits, private_numbers, private_outcomes
from mollify._progress import line
from mollify._refusal import WayOut, refusal
from mollify._release_key import ReleaseKey, identity_bytes
from mollify._warning import messages, warn

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy import uint32, uint64
    from numpy.typing import ArrayLike, NDArray


@hinted(no_seed)
class Sampler(metaclass=Public):
    """A local mechanism over k outcomes. Immutable, safe to share between threads; it
    releases the GIL, and pickles by its public parameters.

    Each draw promises `guarantee` to the owner of the scores, against any other scores.
    Draws from one owner's scores add up. The distribution of a draw lies between public
    integer bounds, so no rounding error and no score breaks the promise.

    Parameters
    ----------
    mechanism : str
        "minimax" (the default), "relative", "class", "neighbourhood", "public-kernel",
        "randomized-response", "mixture", "gaussian-curve", "naive", "convex",
        "scale-and-shift" or "location".
    k : int
        Number of outcomes, 1 to 2^24. Default: as `reference` or `channel` has.
    epsilon : float
        Of one draw, from 1e-6; above 30 it counts as 30. Not for "gaussian-curve".
    mu : float
        Mu of one draw, above 0, for "gaussian-curve".
    reference : (k,) array of numbers
        Positive public masses, not necessarily normalised. Default: uniform.
    channel : (rows, k) array of numbers
        Positive public masses, a row for each input, for "naive" (k rows) and "convex".
        Default: Laplace noise between outcomes that are equal cells of an interval.
    c1, c2 : float
        For "class", c1 from 0 to 1, c2 above 1: c1 h <= p <= c2 h is declared of all p.
    gamma : float
        For "neighbourhood", above 1: h / gamma <= p <= gamma h is declared of every p.
    location : float
        For "location", 0 to 1: an outcome's least probability against the reference's.

    Raises
    ------
    InvalidInput
        If parameters are missing, out of range, or not the mechanism's.

    Warns
    -----
    ReleaseWarning
        If epsilon (or mu, at a delta of 1e-6) is 10 or more, or a draw is mostly noise.
    """

    def __init__(
        self,
        mechanism: str = "minimax",
        *,
        k: int | None = None,
        epsilon: float | None = None,
        mu: float | None = None,
        reference: ArrayLike | None = None,
        channel: ArrayLike | None = None,
        c1: float | None = None,
        c2: float | None = None,
        gamma: float | None = None,
        location: float | None = None,
    ) -> None:
        numbers = {"c1": c1, "c2": c2, "gamma": gamma, "location": location}
        masses: list[float] = []
        if reference is not None:
            array = public_numbers("the masses of reference", reference, "fiu")
            if array.ndim != 1:
                raise refusal(
                    "wrong-shape",
                    f"a reference must have one mass for each outcome, but has shape {array.shape}",
                    "reference",
                )
            masses = [float(mass) for mass in array]
            k = len(masses) if k is None else k
        rows: list[float] = []
        if channel is not None:
            array = public_numbers("the masses of channel", channel, "fiu")
            if array.ndim != 2:
                raise refusal(
                    "wrong-shape",
                    f"a channel must have rows of one mass for each outcome, but has shape {array.shape}",
                    "channel",
                )
            rows = [float(mass) for mass in array.ravel()]
            k = array.shape[1] if k is None else k
        if k is None:
            raise refusal("missing-parameter", "k is missing: give k, a reference or a channel", "k", ways_out=[WayOut("set", "k"), WayOut("set", "reference"), WayOut("set", "channel")])
        self._parameters: dict[str, Any] = {
            "mechanism": mechanism,
            "k": whole_number("k", k),
            "reference": masses,
            "channel": rows,
            "epsilon": optional_number("epsilon", epsilon),
            "mu": optional_number("mu", mu),
            "numbers": {name: number(name, one) for name, one in numbers.items() if one is not None},
        }
        public = _core.SamplerParameters(**self._parameters)
        self._inside = _core.Sampler(public)
        warn(messages(public.warnings()))

    @property
    def k(self) -> int:
        """Number of outcomes."""
        return self._inside.k

    @property
    def guarantee(self) -> Privacy:
        """The privacy that each draw keeps."""
        return outward(self._inside.guarantee())

    def epsilon_realised_up(self) -> float:
        """A bound, from the public integers and rounded up, on what one draw realises.
        O(k).
        """
        return self._inside.epsilon_realised_up()

    def draw(self, scores: ArrayLike) -> Any:
        """Draw once for each row of scores.

        Parameters
        ----------
        scores : (k,) or (n, k) array of numbers
            Private and not necessarily normalised. NaN, negative values and other
            objects count as 0, and a row without any weight releases from the
            reference. Any type of number and any array with DLPack or a buffer is
            read; bfloat16, too. Arrays in C's order are read where they are.

        Returns
        -------
        numpy.uint32 or (n,) array of numpy.uint32
            An outcome, 0 ... k - 1, for each row. O(k) each.
        """
        released = self._inside.draw(scores)
        if released is not None:
            return released
        array, is_bfloat16 = private_bits("scores", scores, width=self.k)
        if array.ndim not in (1, 2) or array.shape[-1] != self.k:
            raise refusal(
                "wrong-shape",
                f"scores must be {self.k} numbers or rows of {self.k} numbers, "
                f"but have shape {array.shape}",
                "scores",
            )
        return self._inside.draw(in_rows(array), is_bfloat16)

    def draw_units(
        self,
        outcomes: ArrayLike,
        offsets: ArrayLike | None = None,
        *,
        units: ArrayLike | None = None,
        n: int | None = None,
        weights: ArrayLike | None = None,
        key: ReleaseKey | None = None,
        identities: Iterable[object] | None = None,
        threads: int | None = 1,
        progress: bool = False,
    ) -> NDArray[uint32]:
        """Draw once for each unit's records.

        Parameters
        ----------
        outcomes : (m,) array of int
            Private outcomes of all records. 1.0 is 1, and other values are skipped.
        offsets : (n + 1,) array of int
            Where each unit's records begin, and the last ones end, from 0 to m. Give
            `offsets`, or `units` and `n`.
        units : (m,) array of int
            The private unit of each record, from 0 to n - 1, in any order. Records
            of other units are skipped.
        n : int
            Number of units, with `units`.
        weights : (m,) array of numbers
            Private weights. Default: each record counts 1.
        key : ReleaseKey
            The release's key, with `identities`. The draws can then be made again, with
            the same result, in any parts, on any worker and in any order of a unit's
            records. Default: each call is a release of its own, of the operating
            system's entropy.
        identities : list of n str, bytes or int
            The name of each unit, different over all of the release; 7 is the same as
            "7" and "7.0". A unit's place in a list or a partition is not an identity.
        threads : int
            Number of threads, from 1 (the default) to 1024. None: as many as the
            machine runs at once.
        progress : bool
            Shows on standard error how many units are done, and the time left, when a
            second has passed. Default: False.

        Returns
        -------
        (n,) array of numpy.uint32
            An outcome for each unit. If k is above 4096, a unit costs time in its own
            records alone.
        """
        import numpy as np

        columns = [private_outcomes("outcomes", outcomes, self.k, is_flat=True)]
        size = None if n is None else whole_number("n", n)
        if units is not None:
            columns.append(private_outcomes("units", units, size or 0, is_flat=True))
        if weights is not None:
            columns.append(private_numbers("weights", weights, is_flat=True))
        if any(column.ndim != 1 or len(column) != len(columns[0]) for column in columns):
            raise refusal(
                "wrong-shape",
                "outcomes, units and weights must be of one length, but have shapes "
                + ", ".join(str(column.shape) for column in columns),
                "outcomes",
            )
        chosen = columns[0]
        # Values that are not outcomes become one that is skipped.
        records = np.where((chosen >= 0) & (chosen < self.k), chosen, 0xFFFFFFFF)
        records = np.ascontiguousarray(records.astype(np.uint32))
        counted = None if weights is None else np.ascontiguousarray(columns[-1].astype(np.float64))
        if (offsets is None) == (units is None):
            raise refusal("missing-parameter", "give offsets, or units and n, to say whose each record is", "offsets", ways_out=[WayOut("set", "offsets"), WayOut("set", "units")])
        if offsets is not None:
            places = np.clip(public_numbers("offsets", offsets, "iu"), 0, None).astype(np.uint64)
            if places.ndim != 1 or len(places) == 0:
                raise refusal(
                    "wrong-shape",
                    f"offsets must be one more than there are units, but have shape {places.shape}",
                    "offsets",
                )
            return self._draw_units(records, places, counted, key, identities, threads, progress)
        if size is None:
            raise refusal("missing-parameter", "n is missing: units needs n, the number of units", "n", ways_out=[WayOut("set", "n")])
        numbers = np.where((columns[1] >= 0) & (columns[1] < size), columns[1], size)
        order = np.argsort(numbers, kind="stable")
        sizes = np.bincount(numbers.astype(np.int64), minlength=size + 1)[:size]
        places = np.concatenate([[0], np.cumsum(sizes)]).astype(np.uint64)
        counted = None if counted is None else counted[order]
        return self._draw_units(records[order], places, counted, key, identities, threads, progress)

    def _draw_units(
        self,
        outcomes: NDArray[uint32],
        offsets: NDArray[uint64],
        weights: NDArray[Any] | None,
        key: ReleaseKey | None,
        identities: Iterable[object] | None,
        threads: int | None,
        progress: bool,
    ) -> NDArray[uint32]:
        import numpy as np

        places = np.ascontiguousarray(offsets)
        if (key is None) != (identities is None):
            lacking = "key" if key is None else "identities"
            raise refusal("missing-parameter", "key and identities belong together: give both or neither", lacking, ways_out=[WayOut("set", lacking)])
        if key is not None and not isinstance(key, ReleaseKey):
            raise refusal("wrong-type", f"key must be a ReleaseKey, but is of type {type(key).__name__}", "key")
        used = thread_count(threads)
        with line("draw_units", progress) as shown:
            if key is None or identities is None:
                return self._inside.draw_units(outcomes, places, weights, used, shown)
            units = identity_bytes(identities)
            return self._inside.draw_units_by_key(
                outcomes, places, weights, key._inside, units, used, shown
            )

    def __repr__(self) -> str:
        mechanism = self._parameters["mechanism"]
        return f"Sampler({mechanism!r}, k={self.k}, {self.guarantee})"

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (self._parameters,)


def _restore(parameters: dict[str, Any]) -> Sampler:
    sampler = Sampler.__new__(Sampler)  # which has warned already
    sampler._parameters = parameters
    sampler._inside = _core.Sampler(_core.SamplerParameters(**parameters))
    return sampler


@hinted(no_seed)
class RandomizedResponse:
    """k-ary randomized response with exact integer probabilities. Immutable, safe to
    share.

    Reports a value of 0 ... k - 1 as itself with probability `kept` / `total`, and as
    each other one with `other` / `total`, with the first at most e^epsilon times the
    second: decided in integers [Kairouz et al. 2016].

    Parameters
    ----------
    k : int
        Number of values, from 1 to 2^24.
    epsilon : float
        Epsilon of one report, from 1e-6; above 30 it counts as 30.

    Warns
    -----
    ReleaseWarning
        If epsilon is 10 or more: what that means in odds. If one report cannot be told
        apart from noise: how large its error is, and what would do.
    """

    def __init__(self, *, k: int, epsilon: float) -> None:
        self._parameters: dict[str, Any] = {
            "k": whole_number("k", k),
            "epsilon": number("epsilon", epsilon),
        }
        self._inside = _core.RandomizedResponse(**self._parameters)
        warn(messages(_core.SamplerParameters("randomized-response", *self._parameters.values()).warnings()))

    @property
    def k(self) -> int:
        """Number of values."""
        return self._inside.k

    @property
    def epsilon(self) -> float:
        """Epsilon that each report keeps."""
        return self._inside.epsilon

    @property
    def kept(self) -> int:
        """Numerator of the probability that a report is the value itself; `total` is
        the denominator.
        """
        return self._inside.kept

    @property
    def other(self) -> int:
        """Numerator of the probability that a report is one certain other value."""
        return self._inside.other

    @property
    def total(self) -> int:
        """Denominator of these probabilities."""
        return self._inside.total

    def draw(self, values: ArrayLike) -> Any:
        """Draw a report for each value.

        Parameters
        ----------
        values : array of int
            Private integers, of any shape; 1.0 is 1, and every value outside of 0 ... k
            - 1 counts as 0. int64, int32, uint32 and uint8 are not copied.

        Returns
        -------
        array of numpy.uint32
            Of the same shape; for a single value a number.
        """
        import numpy as np

        array = private_outcomes("values", values, self.k)
        if array.dtype not in (np.int64, np.int32, np.uint32, np.uint8):
            if array.dtype == np.uint64:
                array = np.where(array < self.k, array, 0)
            array = array.astype(np.int64)
        released = self._inside.draw(np.ascontiguousarray(array).reshape(-1))
        return released[0] if array.ndim == 0 else released.reshape(array.shape)

    def __repr__(self) -> str:
        return f"RandomizedResponse(k={self.k}, epsilon={self.epsilon:g})"

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore_response, (self._parameters,)


def _restore_response(parameters: dict[str, Any]) -> RandomizedResponse:
    response = RandomizedResponse.__new__(RandomizedResponse)  # which has warned already
    response._parameters = parameters
    response._inside = _core.RandomizedResponse(**parameters)
    return response
