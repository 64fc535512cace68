"""Draws that may be repeated: one secret for all workers of one release."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from typing import NoReturn

from mollify import _core
from mollify._refusal import refusal


class ReleaseKey:
    """The secret of one release: 32 bytes of the operating system's entropy, never
    chosen.

    A draw by a key is the same however often, in whatever order and on whichever worker
    it is computed: it is one release, and computing it again costs nothing. Other
    records of the same unit, other units and other samplers have independent words, and
    so has a worker whose processor makes other integers of equal records. Take a new
    key for each release.

    A key is never printed and never pickled. It is wiped with the last object that has
    it.
    """

    def __init__(self) -> None:
        self._inside = _core.ReleaseKey()

    def bytes_for_workers(self) -> bytes:
        """The bytes that a worker needs to draw for the same release.

        Warning
        -------
        Anyone who has these bytes and the released records can test guesses of the
        private
        records as if nothing protected them. Hand them to the workers of this release
        alone, in the way that the private records take, and keep them nowhere: in no
        file, log or table.
        """
        return self._inside.bytes_for_workers()

    @classmethod
    def of_worker_bytes(cls, handed: bytes) -> ReleaseKey:
        """The key of the bytes that `bytes_for_workers` gave.

        Raises
        ------
        InvalidInput
            For anything else: nobody chooses a key.
        """
        if not isinstance(handed, (bytes, bytearray, memoryview)):
            raise refusal(
                "wrong-type",
                "a release key must be the bytes that another one gave for its workers, but is of type "
                f"{type(handed).__name__}",
                "handed",
            )
        key = cls.__new__(cls)
        key._inside = _core.ReleaseKey.of_worker_bytes(bytes(handed))
        return key

    def __repr__(self) -> str:
        return "ReleaseKey(secret)"

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            "a release key is not pickled: hand its bytes_for_workers() to the workers of this "
            "release alone"
        )


def _whole_number(identity: object) -> int | None:
    """None for any other object, whatever its methods raise: identities are private."""
    try:
        return None if isinstance(identity, bool) else operator.index(identity)  # type: ignore[arg-type]
    except BaseException:
        return None


def identity_bytes(identities: Iterable[object]) -> list[bytes]:
    """The text of each unit's id, in UTF-8: 7 and "7" are one unit, as in tables."""
    # The letters of one text are no units.
    if not isinstance(identities, Iterable) or isinstance(identities, (str, bytes, bytearray)):
        raise refusal(
            "wrong-type",
            f"identities must be a list of units, but are of type {type(identities).__name__}",
            "identities",
        )
    texts = []
    for identity in identities:
        if isinstance(identity, bytes):
            texts.append(identity)
        elif isinstance(identity, str):
            texts.append(identity.encode("utf-8", "surrogatepass"))
        elif (number := _whole_number(identity)) is not None:
            texts.append(str(number).encode())
        else:
            raise refusal(
                "wrong-type",
                "the identity of a unit must be a text, bytes or a whole number, but one is of "
                f"type {type(identity).__name__}",
                "identities",
            )
    return texts
