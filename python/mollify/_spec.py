"""A spec made of Python's parameters: its JSON, and public inputs in memory as the
texts of files."""

from __future__ import annotations

import json
import math
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from mollify import _core
from mollify._checks import is_one, number, out_of_range, path_text, require_without_nul, type_name, whole_number, wrong_value
from mollify._data import column_source, is_parquet, source_of
from mollify._domain import Domain, _listed
from mollify._refusal import WayOut, refusal


def unit_columns(given: Any) -> list[str]:
    """The names of the columns that name a unit: none, one or several."""
    if given is None:
        return []
    if isinstance(given, Iterable) and not isinstance(given, str):
        names = list(given)
        for one in names:
            if not is_one(one):
                raise refusal("wrong-type", f"unit must be names of columns, but one is of type {type_name(one)}", "unit")
        return list(map(str, names))
    return [str(given)]


class Held:
    """A public table in memory, as the text of a CSV file, or a density, as JSON. It doesn't change with the object it
    was made from."""

    def __init__(self, text: bytes, given: object = None, ending: str = "") -> None:
        self.text = text
        self.ending = ending
        self._given = given

    def was(self, table: object) -> bool:
        """Whether it was made from this very object; False for a copy that was unpickled."""
        return table is not None and table is self._given

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Held) and (self.text, self.ending) == (other.text, other.ending)

    def __hash__(self) -> int:
        return hash(self.text)

    def __repr__(self) -> str:
        if self.ending:
            return "<a density in memory>"
        lines = self.text.count(b"\n")
        return f"<{lines - 1} rows in memory>"

    def __reduce__(self) -> tuple[type[Held], tuple[bytes, None, str]]:
        return Held, (self.text, None, self.ending)


class Inputs:
    """Reads public tables for one domain and the columns of one unit."""

    def __init__(
        self,
        domain: Domain | None,
        unit: str | Sequence[str] | None = None,
        units_column: str | Sequence[str] | None = None,
    ) -> None:
        self.domain = domain
        self.unit = unit_columns(unit)
        self.units_columns = unit_columns(units_column) or self.unit

    def read(self, part: str, given: Any) -> str | Held:
        """The path of a file, or the text of a table in memory."""
        if isinstance(given, (str, os.PathLike)):
            require_without_nul(part, str(os.fspath(given)), part)
            path = path_text(part, given)
            return Held(self._text(part, path), given) if is_parquet(path) else path
        if isinstance(given, Held):
            return given
        if part == "reference" and isinstance(given, Mapping) and isinstance(given.get("type"), str):
            try:
                return Held(json.dumps(dict(given)).encode(), given, ".json")
            except (TypeError, ValueError) as error:
                raise refusal(
                    "wrong-type", f"reference must be made of numbers, texts and lists: {error}", "reference"
                ) from None
        if part == "candidates_file":
            raise refusal(
                "wrong-type",
                "candidates_file must be the path of a file of candidates, but is of type "
                f"{type(given).__name__}",
                "candidates_file",
            )
        return Held(self._text(part, given), given)

    def _text(self, part: str, given: Any) -> bytes:
        if self.domain is None:
            raise refusal("missing-parameter", f"domain is missing: {part} in memory is read by the domain's columns. Give domain, or the path of a file.", "domain", ways_out=[WayOut("set", "domain")])
        if part == "channel":
            return _channel_text(given)
        if part == "covariance":
            return _covariance_text(list(self.domain), given)
        table = _collected(part, given)
        if part != "units":
            return source_of(table, list(self.domain), what=part).csv_text(list(self.domain))
        if not self.unit:
            raise refusal("missing-parameter", "units needs unit, the column that names them", "unit", ways_out=[WayOut("set", "unit")])
        columns = self.units_columns
        if len(columns) > 1 or isinstance(table, (str, Mapping)) or hasattr(table, "columns"):
            text = source_of(table, columns, what=part).csv_text(columns)
            for column in columns:
                _require_units_column(text, column)
            return text
        return column_source(table, columns[0], what=part).csv_text(columns)


def _require_units_column(text: bytes, column: str) -> None:
    """The library would advise on the first line of a file."""
    import csv
    import io

    names = next(csv.reader(io.TextIOWrapper(io.BytesIO(text), "utf-8", "replace", newline="")), [])
    if column not in names:
        raise refusal(
            "missing-column",
            f'units has no column "{column}", which names the units; it has {", ".join(names) or "no columns"}. '
            "If another column names them, give units_column.",
            "units",
            column=column,
            ways_out=[WayOut("set", "units_column")],
        )


def _collected(part: str, given: Any) -> Any:
    """A data frame of Spark's, in this process's memory; anything else is as it was."""
    spark = sys.modules.get("pyspark.sql")
    if spark is None or not isinstance(given, spark.DataFrame):
        return given
    table = given.toArrow()
    # Spark's rows have no order, and a roster needs one: the same wherever it is read.
    order = [(column, "ascending") for column in table.column_names]
    return table.sort_by(order) if part == "units" else table


def _channel_text(rows: Any) -> bytes:
    import numpy as np

    try:
        numbers = np.asarray(rows, dtype=np.float64)
    except (TypeError, ValueError):
        raise refusal("wrong-shape", "channel must be rows of numbers, all of one length", "channel") from None
    if numbers.ndim != 2:
        raise refusal(
            "wrong-shape",
            f"channel must have rows of one mass for each outcome, but has shape {numbers.shape}",
            "channel",
        )
    return json.dumps(numbers.tolist()).encode()


def _covariance_text(names: list[str], matrix: Any) -> bytes:
    import csv
    import io

    import numpy as np

    if hasattr(matrix, "loc") and hasattr(matrix, "columns"):  # a data frame: by names
        names = [str(name) for name in matrix.columns]
        if [str(name) for name in matrix.index] != names:
            raise refusal("wrong-shape", "covariance must have its columns' names as its index too", "covariance")
    try:
        numbers = np.asarray(matrix, dtype=np.float64)
    except (TypeError, ValueError):
        raise refusal("wrong-type", "covariance must be a matrix of numbers", "covariance") from None
    if numbers.shape != (len(names), len(names)):
        raise refusal(
            "wrong-shape",
            f"covariance must have a row and a column for each of {', '.join(names)}, "
            f"but has shape {numbers.shape}",
            "covariance",
        )
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(["", *names])
    for name, row in zip(names, numbers.tolist()):
        rows.writerow([name, *map(repr, row)])
    return text.getvalue().encode()


def table(given: Any, columns: Sequence[str], what: str) -> str | Held:
    """Any table or file that an analysis reads."""
    if isinstance(given, (str, os.PathLike)) and not is_parquet(given):
        return str(os.fspath(given))
    return Held(source_of(given, columns, what=what).csv_text(list(columns)), given)


def given_name(part: str, given: str | Held) -> str:
    """How the library calls a table: its file, or what `texts_of` has it by."""
    return name_in_memory(part, given) if isinstance(given, Held) else given


def name_in_memory(part: str, held: Held) -> str:
    """How a spec and a certificate call a table or density that is in no file."""
    return f"{part} (in memory){held.ending}"


def texts_of(files: Mapping[str, Any]) -> dict[str, bytes]:
    """The texts of tables in memory, by the names that a spec has for them."""
    return {name_in_memory(part, one): one.text for part, one in files.items() if isinstance(one, Held)}


def part_value(name: str, kind: str, given: Any) -> Any:
    """The value of a spec's part, for JSON."""
    if kind in ("file", "domain"):
        return {"file": given_name(name, given)}
    if kind == "truth":
        truth = getattr(given, "item", lambda: given)()  # NumPy's too
        if not isinstance(truth, bool):
            raise refusal("wrong-type", f"{name} must be True or False, but is {wrong_value(given)}", name)
        return truth
    if kind == "texts":
        if isinstance(given, str):
            return [given]
        texts = list(given) if isinstance(given, Iterable) and not isinstance(given, (bytes, Mapping)) else [None]
        if not all(isinstance(one, str) for one in texts):
            raise refusal("wrong-type", f"{name} must be a text or a list of texts, but is {wrong_value(given)}", name)
        return [str(one) for one in texts]
    if kind == "columns":
        return given if isinstance(given, str) else unit_columns(given)
    if kind == "text":
        if isinstance(given, Iterable) and not isinstance(given, str):
            raise refusal("wrong-type", f"{name} must be one text, but is {wrong_value(given)}", name)
        return str(given)
    if kind == "whole number":
        return whole_number(name, given)
    if kind == "whole numbers":
        return [whole_number(f"each of {name}", one) for one in _listed(name, given)]
    if kind == "number":
        value = number(name, given)
        if not math.isfinite(value):  # JSON has no such numbers
            raise out_of_range(name, value, "finite")
        return value
    if not is_one(given) and not callable(getattr(given, "item", None)):
        several = " plan_of and compare take several epsilons." if isinstance(given, (list, tuple)) else ""
        raise refusal("wrong-type", f"{name} must be one number, but is {wrong_value(given)}.{several}", name)
    # A decimal number, as it is typed.
    return given if isinstance(given, str) else str(getattr(given, "item", lambda: given)())


Parts = list[tuple[str, str, str, list[str]]]
"""The library's table of parts: of each its flag, its place, its kind, and the methods that have it."""


def json_of(
    method: str | None, domain: Domain | None, parts: Mapping[str, Any], known: Parts
) -> str:
    """The JSON object of a method's parts, each at its place; without a method of parts alone."""
    spec: dict[str, Any] = {} if method is None else {"method": method}
    if domain is not None:
        spec["domain"] = domain._part()
    for flag, place, kind, _ in known:
        name = flag.replace("-", "_")
        given = parts.get(name)
        if given is None or given is False:
            continue
        part = spec
        *above, last = place.strip("/").split("/")
        for key in above:
            part = part.setdefault(key, {})
        part[last] = part_value(name, kind, given)
        for one in part[last] if isinstance(part[last], list) else [part[last]]:
            if isinstance(one, str):
                require_without_nul(name, one)
    return json.dumps(spec, allow_nan=True)


def question_of(request: str, given: Mapping[str, Any]) -> str:
    """The question of a request, such as "amplify": its parts of all that is given."""
    return json_of(None, None, given, _core.request_parts(request))


def public_files() -> list[str]:
    """The parts of a spec that are public tables or files."""
    return [flag.replace("-", "_") for flag, _, kind, _ in _core.spec_parts() if kind == "file"]
