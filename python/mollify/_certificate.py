"""The public file of a release."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any

from mollify import _core
from mollify._checks import path_text
from mollify._files import Inputs as InputFiles, unreadable, write_whole
from mollify._privacy import Privacy, of_json
from mollify._refusal import WayOut, refusal


class Certificate:
    """The public file of a release: its spec, the mechanism that follows, and the
    promise.

    Nothing in it depends on private data. Immutable.
    """

    _inputs: InputFiles = ()

    def __init__(self, json_text: str, *, name: str = "the certificate") -> None:
        self.json = json_text
        self._name = name
        try:
            self._facts = json.loads(json_text)
        except (ValueError, RecursionError):
            self._facts = None
        if not isinstance(self._facts, dict) or "spec" not in self._facts:
            try:  # the library says what else it is
                _core.require_certificate(json_text, name)
            except _core.InvalidInput as refused:
                refused.parameter = "certificate"
                refused.ways_out = refused.ways_out or (WayOut("set", "certificate"),)
                raise

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Certificate:
        """Reads a file; `InvalidInput` if it is not a certificate."""
        name = path_text("a certificate's file", path)
        try:
            with open(name, encoding="utf-8") as file:
                text = file.read()
        except (OSError, UnicodeDecodeError) as error:
            raise unreadable(name, error, "it is not text") from None
        try:
            return cls(text, name=name)
        except _core.InvalidInput as refused:
            refused.file = name
            raise

    def write(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Write a file, which appears whole or not at all.

        Raises `InvalidInput` if it exists, unless `overwrite` is true.
        """
        write_whole(path, self.json, overwrite=overwrite, inputs=self._inputs)

    def to_dict(self) -> dict[str, Any]:
        """All of it, as Python's objects."""
        facts: dict[str, Any] = json.loads(self.json)
        return facts

    @property
    def total(self) -> Privacy:
        """What all of the release promises together."""
        return of_json(self._facts["privacy"])

    @property
    def mechanism(self) -> str:
        """What drew the records."""
        return str(self._facts["mechanism"])

    @property
    def spec(self) -> dict[str, Any]:
        """The whole public side of the release."""
        spec: dict[str, Any] = self.to_dict()["spec"]
        return spec

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Certificate) and self.json == other.json

    def __hash__(self) -> int:
        return hash(self.json)

    def __repr__(self) -> str:
        return f"Certificate({self.mechanism}, {self.total})"

    def __reduce__(self) -> tuple[type[Certificate], tuple[str]]:
        return Certificate, (self.json,)


def as_certificate(given: object) -> Certificate:
    """A certificate, given as itself, its release, its dict, its JSON or its file."""
    of_release = getattr(given, "certificate", None)
    if isinstance(of_release, Certificate):
        return of_release
    if isinstance(given, Certificate):
        return given
    if isinstance(given, Mapping):
        try:
            text = json.dumps(dict(given))
        except (TypeError, ValueError) as error:
            raise refusal(
                "wrong-kind-of-file",
                f"the dict must be a certificate, but is not JSON ({error}). Pass Certificate.to_dict().",
                "certificate",
            ) from None
        return Certificate(text, name="the dict")
    if isinstance(given, str) and given.lstrip().startswith("{"):
        return Certificate(given, name="the text")
    if isinstance(given, (str, os.PathLike)):
        return Certificate.read(given)
    raise refusal(
        "wrong-type",
        "certificate must be a Release, a Certificate, its dict, its JSON or the path of its file, "
        f"but is of type {type(given).__name__}",
        "certificate",
    )
