"""Files that are made of public tables: lists of candidates, and references."""

from __future__ import annotations

import json
import os
from hashlib import sha256
from typing import Any

from mollify import _core
from mollify._answer import Answer
from mollify._checks import path_text, whole_number
from mollify._data import is_parquet, source_of
from mollify._domain import Domain, DomainLike, as_domain
from mollify._files import inputs_of, writable, write_whole
from mollify._refusal import refusal


def _file(what: str, public: Any, domain: Domain) -> tuple[str, bytes | None]:
    """The name of a public table, and its text unless it is a file."""
    if isinstance(public, (str, os.PathLike)) and not is_parquet(public):
        return path_text(what, public), None
    return f"{what} (in memory)", source_of(public, list(domain), what=what).csv_text(list(domain))


def _answer(said: dict[str, Any], words: str) -> Answer:
    return Answer(json.dumps(said), words + "\n")


def candidates(
    domain: DomainLike,
    out: str | os.PathLike[str],
    candidates: int = 65536,
    *,
    reference: Any = None,
    overwrite: bool = False,
) -> Answer:
    """Write a public list of records to choose from, for
    ``Local(candidates_file=out)``.

    Everybody who releases with one list reports which of its records was drawn. Make
    the list before any private data is opened.

    Parameters
    ----------
    domain : Domain, mapping or path
        What a record can contain: a `Domain`, its columns or its file. Its seed fixes
        the list.
    out : path
        The CSV file to write.
    candidates : int
        Number of records, from 1 to 16777216. Default: 65536.
    reference : table or path
        Public records that the list is drawn after, or the path of a measure as JSON
        (``NAME.json``, from `reference`) on a domain of numbers. Default: records of
        equal density.
    overwrite : bool
        Replaces a file that exists. Default: False.

    Returns
    -------
    Answer
        ``"out"``, ``"candidates"`` (their number) and the file's ``"sha256"``.

    Raises
    ------
    InvalidInput
        If `candidates` is out of range, the reference cannot be read or has values that
        the domain doesn't declare, or the file exists.

    Examples
    --------
    >>> age = {"type": "integer", "min": 0, "max": 99, "null": "0", "outside": "clip"}
    >>> candidates({"age": age}, "build/ages.csv", 100, overwrite=True)["candidates"]
    100
    """
    known = as_domain(domain)
    inputs = inputs_of({"domain": known, "reference": reference})
    path = writable(path_text("out", out), overwrite, inputs, "out")
    if is_parquet(path):
        raise refusal(
            "wrong-kind-of-file",
            f"{path} ends in .parquet, but candidates are written as CSV. Use a name that ends in .csv.",
            "out",
            file=path,
        )
    name, text = (None, None) if reference is None else _file("reference", reference, known)
    listed, content = _core.candidates(known._inside, whole_number("candidates", candidates, (1, 2**24)), name, text)
    write_whole(path, content, overwrite=overwrite, inputs=inputs)
    digest = sha256(content.encode()).hexdigest()
    words = f"{listed} candidates in {path}, SHA-256 {digest}"
    return _answer({"out": path, "candidates": listed, "sha256": digest}, words)


def reference(
    public: Any,
    domain: DomainLike,
    out: str | os.PathLike[str],
    *,
    components: int = 8,
    overwrite: bool = False,
) -> Answer:
    """Write a Gaussian mixture that is fitted to PUBLIC records, for
    `candidates(reference=...)`.

    The records must be public: the mixture goes out with everything that is measured
    against it.

    Parameters
    ----------
    public : table or path
        A public table or the path of a CSV or Parquet file.
    domain : Domain, mapping or path
        What a record can contain, numbers and integers alone: a `Domain`, its columns
        or its file.
    out : path
        The JSON file to write.
    components : int
        Number of Gaussians at most, from 1 to 1000. Default: 8.
    overwrite : bool
        Replaces a file that exists. Default: False.

    Returns
    -------
    Answer
        ``"out"`` and ``"components"``, the number of Gaussians in the mixture.

    Raises
    ------
    InvalidInput
        If `components` is out of range, the domain has other columns, the records have
        values that it doesn't declare, or the file exists.
    """
    known = as_domain(domain)
    inputs = inputs_of({"domain": known, "public": public})
    path = writable(path_text("out", out), overwrite, inputs, "out")
    name, text = _file("public", public, known)
    found, content = _core.fitted_reference(
        known._inside, whole_number("components", components), name, text
    )
    write_whole(path, content, overwrite=overwrite, inputs=inputs)
    return _answer({"out": path, "components": found}, f"{found} components in {path}")
