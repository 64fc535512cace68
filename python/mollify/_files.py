"""Files that appear whole or not at all, in the format that their name says, and packages that are optional."""

from __future__ import annotations

import contextlib
import functools
import importlib
import itertools
import os
import stat
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from mollify import _core
from mollify._checks import path_text
from mollify._parameters import near
from mollify._refusal import WayOut, refusal


Inputs = Sequence[tuple[str, str]]
"""Files that were read, each with what it is. They are never written over."""


OLDEST = {
    "altair": (5, 1),
    "dp_accounting": (0, 5, 1),
    "duckdb": (1, 3, 2),
    "opendp": (0, 14),
    "pandas": (2, 2),
    "polars": (1, 39),
    "pyarrow": (18,),
    "pyreadstat": (1, 3, 1),
    "pyspark": (4, 0),
    "rdata": (1, 0),
    "sklearn": (1, 6),
}
"""The oldest versions that are tested (scripts/test_package_versions.sh)."""

_DISTRIBUTIONS = {"sklearn": "scikit-learn", "dp_accounting": "dp-accounting"}


def optional(name: str, extra: str) -> Any:
    """An optional package; ImportError names the extra that brings it, or the version that is needed."""
    package = name.partition(".")[0]
    require_version(package)
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise ImportError(f'{package.replace("_", "-")} is missing: pip install "mollify-dp[{extra}]"') from error


@functools.cache
def require_version(package: str) -> None:
    """ImportError if a package is there, but is older than any that is tested."""
    from importlib import metadata

    distribution = _DISTRIBUTIONS.get(package, package)
    try:
        found = metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return
    oldest = OLDEST.get(package, ())
    digits = ("".join(itertools.takewhile(str.isdigit, part)) for part in found.split(".")[: len(oldest)])
    if tuple(int(part or 0) for part in digits) < oldest:
        needed = ".".join(map(str, oldest))
        raise ImportError(
            f"{distribution} {found} is too old: mollify needs {distribution} {needed} or newer. "
            f'Run pip install --upgrade "{distribution}>={needed}".'
        )


def inputs_of(given: Mapping[str, object]) -> Inputs:
    """The files among what was read, by what they are: texts, paths, domains, and tables in memory of a file."""
    files = []
    for what, one in given.items():
        for inside in ("_path", "_given"):
            if type(one).__module__.partition(".")[0] == "mollify":
                one = getattr(one, inside, one)
        if isinstance(one, (str, os.PathLike)):
            files.append((f"the {what} file", os.path.abspath(os.fsdecode(one))))
    return files


def writable(path: str | os.PathLike[str], overwrite: bool, inputs: Inputs = (), part: str = "path") -> str:
    """The path; `InvalidInput` if something is there that must not be replaced. `part` is the parameter."""
    name = path_text("a file to write", path)

    def refused(code: str, sentence: str, *ways: WayOut) -> _core.InvalidInput:
        return refusal(code, f"{name} {sentence}", part, file=name, ways_out=[*ways, WayOut("set", part)])

    try:
        there = os.stat(name)
    except FileNotFoundError:
        folder = os.path.dirname(name) or "."
        if not os.path.isdir(folder):
            raise refused("unwritable-file", f"cannot be written: make the folder {folder} first") from None
        return name
    except OSError as error:
        raise refused("unwritable-file", f"cannot be written: {error.strerror}") from None
    if not stat.S_ISREG(there.st_mode):
        raise refused("unwritable-file", "is not a regular file, so it is not replaced. Use another file name.")
    for what, read in inputs:
        with contextlib.suppress(OSError):
            if os.path.samestat(there, os.stat(read)):
                raise refused("same-file", f"is {what}, which was read. Use another file name.")
    if not overwrite:
        raise refused("file-exists", "exists. Pass overwrite=True to replace it.", WayOut("set", "overwrite", "True"))
    return name


def write_whole(path: str | os.PathLike[str], content: bytes | str, *, overwrite: bool, inputs: Inputs = ()) -> None:
    """Write a file that appears whole or not at all. A symbolic link stays, and its target is written."""
    name = writable(path, overwrite, inputs)
    target = os.path.realpath(name)
    beside = f"{target}.part"
    try:
        with open(beside, "wb") as file:
            file.write(content.encode("utf-8", "surrogateescape") if isinstance(content, str) else content)
        os.replace(beside, target)
    except OSError as error:
        with contextlib.suppress(OSError):
            os.remove(beside)
        raise refusal("unwritable-file", f"{name} cannot be written: {error.strerror}", "path", file=name) from None


def why_not_there(path: str) -> str:
    """Why no file has this name, as the library says it."""
    folder, name = os.path.split(path)
    folder = folder or "."
    if not os.path.isdir(folder):
        return f"there is no folder {folder}"
    names: list[str] = []
    with contextlib.suppress(OSError):
        names = sorted(one for one in os.listdir(folder) if one != name)
    nearest = near(name, names)
    return f"there is no such file in {os.path.join(os.path.realpath(folder), '')}{nearest}"


def unreadable(path: str, error: Exception, otherwise: str, part: str = "path") -> _core.InvalidInput:
    """The refusal of a file that could not be read."""
    reason = otherwise
    if isinstance(error, OSError) and error.errno:
        reason = why_not_there(path) if isinstance(error, FileNotFoundError) else os.strerror(error.errno)
    return refusal("unreadable-file", f"{path} cannot be read: {reason}", part, file=path)


def table_format(path: str | os.PathLike[str]) -> Literal["csv", "parquet"]:
    """The format that a table's file name says; `InvalidInput` for any other name."""
    name = path_text("a file to write", path)
    if name.lower().endswith(".csv"):
        return "csv"
    if name.lower().endswith(".parquet"):
        return "parquet"
    raise refusal("wrong-kind-of-file", f"{name} is neither CSV nor Parquet. Use a file name that ends in .csv or .parquet.", "path", file=name)
