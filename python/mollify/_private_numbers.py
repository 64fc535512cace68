"""Private numbers in arrays of any kind.

Total: only the type of an array and its shape are refused, which are public. A list has
no type,
an array of objects none that tells, and one null makes floats or objects of integers in many a
library; so everything in these is read, number by number if necessary, and other values
are NaN.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mollify._private_objects import asking_objects
from mollify._refusal import refusal

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


def private_numbers(what: str, given: ArrayLike) -> NDArray[Any]:
    """Of booleans, integers or floats, as they are or as doubles."""
    import numpy as np

    with asking_objects():
        if isinstance(given, (list, tuple)):
            array = _of_list(what, given)
        else:
            array = np.asarray(given)
            if array.dtype.kind == "O":
                read = np.fromiter(map(_number, array.ravel().tolist()), np.float64, array.size)
                array = read.reshape(array.shape)
    if array.dtype.kind not in "iubf":
        raise refusal("wrong-type", f"{what} must be numbers, but are of type {array.dtype}")
    if isinstance(given, np.ma.MaskedArray):
        array = np.where(np.ma.getmaskarray(given), np.nan, array.astype(np.float64))
    return array


def private_outcomes(what: str, given: ArrayLike, count: int) -> NDArray[Any]:
    """Integers; values outside 0 ... count - 1 may become others that are outside: 1.0
    is 1."""
    import numpy as np

    array = private_numbers(what, given)
    if array.dtype.kind in "iub":
        return array
    with np.errstate(all="ignore"):
        is_one = (array >= 0) & (array < count) & (array == np.floor(array))
        return np.where(is_one, array, -1).astype(np.int64)


def _of_list(what: str, given: list[Any] | tuple[Any, ...]) -> NDArray[Any]:
    """Of numbers, or of rows of one length."""
    import numpy as np

    try:
        array = np.asarray(given)
        if array.dtype.kind in "iubf":
            return array
    except BaseException:  # of objects, which NumPy asks what they are
        pass
    if not given or any(type(row) not in (list, tuple) for row in given):
        return np.fromiter(map(_number, given), np.float64, len(given))
    rows = [_of_list(what, row) for row in given]
    if any(row.shape != rows[0].shape for row in rows):
        raise refusal("wrong-shape", f"{what} must be an array, or rows of one length")
    return np.stack(rows)


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
