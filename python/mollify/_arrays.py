"""Arrays of numbers of any library, public or private."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mollify import _core
from mollify._checks import type_name
from mollify._refusal import refusal

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

_DEVICES = {2: "a CUDA", 4: "an OpenCL", 7: "a Vulkan", 8: "a Metal", 10: "a ROCm", 14: "a oneAPI"}
"""DLPack's numbers of devices whose memory the processor does not read."""


def is_foreign(given: object) -> bool:
    """Whether it is an array of another library than NumPy, which shares its memory by DLPack."""
    import numpy as np

    return hasattr(type(given), "__dlpack__") and not isinstance(given, np.ndarray)


def bits_or_numbers(array: NDArray[Any]) -> tuple[NDArray[Any], bool]:
    """Numbers as they are, and bfloat16 of ml_dtypes as unsigned integers; and whether they are bfloat16."""
    import numpy as np

    is_bfloat16 = array.dtype.itemsize == 2 and array.dtype.name == "bfloat16"
    return (array.view(np.uint16) if is_bfloat16 else array), is_bfloat16


def shared(what: str, given: Any) -> tuple[NDArray[Any], bool] | None:
    """`bits_or_numbers` of an array of another library, in its own memory.

    None if the library does not share it: NumPy may read it. A type that is not a number and a device
    are refused, because both are public.
    """
    parameter = what.rpartition(" ")[2]
    found = _core.shared_array(given)
    if found is None:
        return None
    array, kind, device = found
    if array is not None:
        return array, kind == "bfloat16"
    if device in (1, 3, 11, 13):
        raise refusal("wrong-type", f"{what} must be numbers, but are of type {kind}", parameter)
    place = f"{_DEVICES.get(device, 'another')} device"
    raise refusal("wrong-type", f"{what} must be in the processor's memory, but are on {place}: copy them to the CPU first", parameter)


def not_an_array(what: str, given: object) -> Any:
    """The refusal of an object that holds numbers in a way that NumPy does not read."""
    parameter = what.rpartition(" ")[2]
    return refusal(
        "wrong-type",
        f"{what} must be an array or a list, but of an object of type {type_name(given)} the numbers cannot be read: "
        "give a NumPy array, or an array on the CPU and without gradients",
        parameter,
    )


def widened(array: NDArray[Any], is_bfloat16: bool) -> NDArray[Any]:
    """bfloat16 as float32, which holds each exactly."""
    import numpy as np

    return (array.astype(np.uint32) << np.uint32(16)).view(np.float32) if is_bfloat16 else array


def in_rows(array: NDArray[Any]) -> NDArray[Any]:
    """As the library reads it: a copy only if its numbers are not in C's order, in this processor's
    own format, or of a type that C has. Numbers of more than 64 bits become doubles."""
    import numpy as np

    kind = array.dtype.newbyteorder("=") if array.dtype.itemsize <= 8 else np.float64
    return np.require(array, kind, ["C", "A"])


def public_numbers(what: str, numbers: ArrayLike, kinds: str, *, keeps_bfloat16: bool = False) -> Any:
    """An array of public numbers whose type is one of these kinds; with `keeps_bfloat16` the two of
    `bits_or_numbers`."""
    import numpy as np

    expected = "numbers" if "f" in kinds else "integers"
    read = shared(what, numbers) if is_foreign(numbers) else None
    if read is None:
        try:
            array = np.asarray(numbers)
        except Exception:  # rows of other lengths, or an array that another library keeps to itself
            if is_foreign(numbers):
                raise not_an_array(what, numbers) from None
            raise refusal("wrong-type", f"{what} must be {expected}, but is of type {type_name(numbers)}", what.rpartition(" ")[2]) from None
        if array.ndim == 0 and array.dtype.kind == "O" and is_foreign(numbers):
            raise not_an_array(what, numbers)
        if array.size == 0 and not isinstance(numbers, np.ndarray):
            array = array.astype(np.float64 if "f" in kinds else np.int64)
        read = bits_or_numbers(array)
    array, is_bfloat16 = read
    if ("f" if is_bfloat16 else array.dtype.kind) not in kinds:
        raise refusal("wrong-type", f"{what} must be {expected}, but are of type {'bfloat16' if is_bfloat16 else array.dtype}", what.rpartition(" ")[2])
    return read if keeps_bfloat16 else widened(array, is_bfloat16)
