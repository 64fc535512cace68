"""Private numbers in arrays of any kind.

Total: only the type of an array and its shape are refused, which are public. A list has
no type,
an array of objects none that tells, and one null makes floats or objects of integers in many a
library; so everything in these is read, number by number if necessary, and other values
are NaN.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mollify._arrays import bits_or_numbers, is_foreign, not_an_array, shared, widened
from mollify._private_objects import asking_objects, listed_objects
from mollify._refusal import refusal

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

_HOLDS_NUMBERS = ("__iter__", "__dlpack__", "__arrow_c_array__", "__arrow_c_stream__")
"""What an object has that is not one number."""


def private_numbers(what: str, given: ArrayLike, *, width: int | None = None, is_flat: bool = False) -> NDArray[Any]:
    """Of booleans, integers or floats, as they are or as doubles; of bfloat16 as floats.

    `width` is the public number of numbers in a row, for lists of rows; `is_flat` states that
    there are no rows.
    """
    return widened(*private_bits(what, given, width=width, is_flat=is_flat))


def private_bits(what: str, given: Any, *, width: int | None = None, is_flat: bool = False) -> tuple[NDArray[Any], bool]:
    """`private_numbers` with bfloat16 as unsigned integers, and whether they are bfloat16."""
    import numpy as np

    if type(given) is np.ndarray and given.dtype.kind in "iubf":
        return given, False  # which asks no object
    with asking_objects():
        objects = listed_objects(given)
        read = None
        if objects is not None:
            read = _of_list(objects, width, is_flat), False
        elif is_foreign(given):
            read = shared(what, given)
        if read is None:
            read = bits_or_numbers(_of_array(what, given))
    array, is_bfloat16 = read
    if array.dtype.kind not in "iubf":
        raise refusal("wrong-type", f"{what} must be numbers, but are of type {array.dtype}", what)
    if isinstance(given, np.ma.MaskedArray):
        return np.where(np.ma.getmaskarray(given), np.nan, widened(array, is_bfloat16).astype(np.float64)), False
    return read


def _of_array(what: str, given: Any) -> NDArray[Any]:
    """What NumPy reads, and of its objects the numbers that they mean."""
    import numpy as np

    try:
        array = np.asarray(given)
    except BaseException:
        if is_foreign(given):  # another library keeps it to itself
            raise not_an_array(what, given) from None
        raise
    if array.dtype.kind != "O":
        return array
    if array.ndim == 0 and type(given) is not np.ndarray and any(hasattr(type(given), name) for name in _HOLDS_NUMBERS):
        raise not_an_array(what, given)
    return np.fromiter(map(_number, array.ravel().tolist()), np.float64, array.size).reshape(array.shape)


def private_outcomes(what: str, given: ArrayLike, count: int, *, is_flat: bool = False) -> NDArray[Any]:
    """Integers; values outside 0 ... count - 1 may become others that are outside: 1.0
    is 1."""
    import numpy as np

    array = private_numbers(what, given, is_flat=is_flat)
    if array.dtype.kind in "iub":
        return array
    with np.errstate(all="ignore"):
        is_one = (array >= 0) & (array < count) & (array == np.floor(array))
        return np.where(is_one, array, -1).astype(np.int64)


def _of_list(given: list[Any], width: int | None, is_flat: bool) -> NDArray[Any]:
    """Numbers, or rows of them. Where NumPy sees an array its shape is public. Of other lists the
    objects and their lengths are private: what lacks in a row is NaN, and what is too much is left out.
    """
    import numpy as np

    given = [_read(one) if is_foreign(one) else one for one in given]
    try:
        array = np.asarray(given)
        if array.dtype.kind in "iubf" and not (is_flat and array.ndim > 1):
            return array
    except BaseException:  # of objects, which NumPy asks what they are
        pass
    is_row = [issubclass(type(one), (list, tuple, np.ndarray)) for one in given]
    # Of a list without any row, its length decides, which is public.
    if is_flat or not (any(is_row) or (width is not None and len(given) != width)):
        return np.fromiter(map(_number, given), np.float64, len(given))
    rows = [_row(one) if there else [] for one, there in zip(given, is_row)]
    if width is None:
        width = max(map(len, rows))
    array = np.full((len(rows), width), np.nan)
    for place, row in enumerate(rows):
        array[place, : len(row)] = row[:width]
    return array


def _read(one: Any) -> Any:
    """An array of another library in a list: a row, or a number of its own."""
    try:
        found = shared("a row", one)
        return one if found is None else widened(*found)[()]
    except BaseException:  # of another type, or on another device
        return one


def _row(one: Any) -> list[float]:
    try:
        return [_number(value) for value in one]
    except BaseException:  # of an object that goes through itself in its own way
        return []


def _number(value: Any) -> float:
    """What an object means; NaN for all but numbers and their texts."""
    import numpy as np

    kind = type(value)  # `isinstance` would ask the object
    try:
        if issubclass(kind, (int, float, str, np.bool_, np.integer, np.floating)):
            return float(value)
    except BaseException:
        pass
    return float("nan")
