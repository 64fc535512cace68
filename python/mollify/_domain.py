"""All possible records: public, and declared before any data is opened."""

from __future__ import annotations

import datetime as dt
import decimal
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from mollify import _core
from mollify._checks import Public, about_labelled, path_text, type_name, whole_number, wrong_value
from mollify._data import EVERY_COLUMN, enum_words, is_parquet, null_objects, parquet_table, source_of, unordered_levels, whole_table
from mollify._files import Inputs, inputs_of, write_whole
from mollify._refusal import WayOut, refusal
from mollify._warning import CodedWarning, Message, messages, warn

Column = dict[str, Any]
"""The settings of a column, as a domain file has them: `{"type": "boolean"}`."""


Rule = str | tuple[str, str] | Mapping[str, Any]
"""A text, a name with a text, or the rule as a domain file has it."""

Missing = Mapping[Any, str] | Iterable[Any]
"""Codes, or labels by code."""


def _column(kind: str, **settings: object) -> Column:
    return {"type": kind} | {name: value for name, value in settings.items() if value is not None}


def _listed(name: str, given: Any) -> list[Any]:
    """Public values in their order, which is part of a domain: a set has another one
    each time.
    """
    if isinstance(given, (str, bytes, set, frozenset)) or not isinstance(given, Iterable):
        raise refusal("wrong-type", f"{name} must be a list, but is {wrong_value(given)}", name)
    listed = list(given)
    for one in listed:
        if isinstance(one, (list, tuple, dict, set, frozenset)):
            raise refusal("wrong-type", f"{name} must be single values, but one is of type {type(one).__name__}", name)
    if any(map(is_null, listed)):
        raise refusal(
            "contradicting-parameters",
            f'{name} must be without nulls, for which there is null="category", but has one',
            name,
            ways_out=[WayOut("set", "null", "category")],
        )
    return listed


def _lists(**given: Iterable[object] | None) -> dict[str, list[Any] | None]:
    return {name: None if one is None else _listed(name, one) for name, one in given.items()}


def _words_of(values: Iterable[object], verbatim: bool | None) -> list[Any]:
    """Verbatim codes are texts: a number has another text in a frame than in its CSV file."""
    listed = _listed("values", values)
    for one in listed:
        if verbatim and not isinstance(one, str):
            raise refusal("wrong-type", f"values must be texts if verbatim is True, but one is {wrong_value(one)}", "values", ways_out=[WayOut("leave", "verbatim")])
    return listed


def categorical(
    values: Iterable[object],
    *,
    verbatim: bool | None = None,
    null: object = None,
    outside: object = None,
) -> Column:
    """Declare a column of words.

    Parameters
    ----------
    values : list of str, numbers or booleans
        1 to 2^24 different ones. A value means its text, and a number every text that
        writes it: 1, 1.0 and 01.
    verbatim : bool
        True: values are codes that match letter for letter, so that 0412 and 412 are
        two. Default: False.
    null : object
        What nulls become: one of the values, or ``"category"`` for a value of their
        own. Default: ``"category"``.
    outside : object
        What everything else becomes: one of the values, or ``"null"`` if `null` is
        ``"category"``. Default: what nulls become.

    Returns
    -------
    dict
        The column, for the mapping that `Domain` takes.

    Raises
    ------
    InvalidInput
        If `values` is not a list or holds a null. `Domain` refuses everything else.
    """
    return _column("categorical", values=_words_of(values, verbatim), verbatim=verbatim, null=null, outside=outside)


def ordinal(
    values: Iterable[object],
    *,
    verbatim: bool | None = None,
    null: object = None,
    outside: object = None,
) -> Column:
    """Declare a column of words in a meaningful order, such as low, middle, high.

    Parameters
    ----------
    values : list of str or numbers
        1 to 2^24 different ones, in their order.
    verbatim : bool
        As for `categorical`.
    null, outside : object
        As for `categorical`.
    """
    return _column("ordinal", values=_words_of(values, verbatim), verbatim=verbatim, null=null, outside=outside)


def boolean(
    values: tuple[str, str] | list[str] | None = None,
    *,
    null: object = None,
    outside: object = None,
) -> Column:
    """Declare a column of booleans.

    Parameters
    ----------
    values : list of two str
        The words for false and for true. Default: those in use, such as false, no, 0.
    null, outside : bool or str
        As for `categorical`.
    """
    words = None if values is None else _listed("values", values)
    return _column("boolean", values=words, null=null, outside=outside)


def integer(
    min: int | None = None,
    max: int | None = None,
    *,
    bins: int | Literal["private"] | None = None,
    edges: Iterable[int] | None = None,
    values: Iterable[int] | None = None,
    spikes: Iterable[int] | None = None,
    step: int | None = None,
    missing: Missing | None = None,
    null: object = None,
    outside: object = None,
) -> Column:
    """Declare a column of integers.

    Parameters
    ----------
    min, max : int
        The least and the greatest one; both are values. There are fewer than 2^63 of
        them.
    bins : int or "private"
        Number of groups of near-equal size. "private": a release of `Marginals` finds
        up to 32 groups where values lie, for a part of its budget. Default: each
        integer by itself.
    edges : list of int
        Where groups begin, and where the last one ends, in place of `min`, `max` and
        `bins`: ``[0, 18, 65, 110]`` is 0 to 17, 18 to 64 and 65 to 110. Default: none.
    values : list of int
        The only integers of the column, ascending, in place of all else. Others become
        the nearest one. Default: none.
    spikes : list of int
        Integers that many values are, ascending: each has a cell of its own, next to
        the cells of `bins` or `edges`. Default: none.
    step : int
        All values are multiples of it. Default: 1.
    missing : list or dict
        Codes outside of the range that mean "no value". As a list, ``[-9, -8]``, they
        are nulls. With labels, ``{-9: "refused"}``, each is a value of its own.
        Default: none.
    null : int or str
        What nulls become: one of the integers, or ``"category"`` for a value of their
        own. Default: ``"category"``.
    outside : int or str
        What everything else becomes: ``"clip"`` (the default: a number becomes the
        nearest integer, and other text what nulls become), one of the integers, or
        ``"null"`` if `null` is ``"category"``.
    """
    lists = _lists(edges=edges, values=values, spikes=spikes)
    return _column("integer", min=min, max=max, bins=bins, **lists, step=step, missing=missing, null=null, outside=outside)


def number(
    min: float | None = None,
    max: float | None = None,
    *,
    bins: int | Literal["private"] | None = None,
    edges: Iterable[float] | None = None,
    values: Iterable[float] | None = None,
    spikes: Iterable[float] | None = None,
    step: float | None = None,
    missing: Missing | None = None,
    null: object = None,
    outside: object = None,
) -> Column:
    """Declare a column of numbers.

    Parameters
    ----------
    min, max : float
        The least and the greatest one.
    bins : int or "private"
        Number of cells of equal width, or as for `integer`. Default: numbers are
        released to about six digits.
    edges : list of float
        Where cells begin, and where the last one ends, in place of `min`, `max` and
        `bins`. Default: none.
    values : list of float
        The only numbers of the column, ascending, in place of all else. Others become
        the nearest one. Default: none.
    spikes : list of float
        Numbers that many values are exactly, ascending: each has a cell of its own,
        next to the cells of `bins` or `edges`. Default: none.
    step : float
        All values are multiples of it, such as 0.01, and a number means the nearest
        one. Default: as many decimals as the cells need.
    missing : list or dict
        As for `integer`.
    null, outside : float or str
        As for `integer`.
    """
    lists = _lists(edges=edges, values=values, spikes=spikes)
    return _column("number", min=min, max=max, bins=bins, **lists, step=step, missing=missing, null=null, outside=outside)


def date(
    min: object = None,
    max: object = None,
    *,
    bins: int | str | None = None,
    values: Iterable[object] | None = None,
    spikes: Iterable[object] | None = None,
    zone: str | None = None,
    format: str | None = None,
    missing: Missing | None = None,
    null: object = None,
    outside: object = None,
) -> Column:
    """Declare a column of days.

    Parameters
    ----------
    min, max : str or datetime.date
        The first and the last day, such as ``"2026-01-31"``; both are values.
    bins : str or int
        "day" (the default), "week" (from Monday), "month", "quarter", "year", or the
        number of groups.
    values : list of str or datetime.date
        The only days of the column, ascending, in place of all but `zone` and
        `format`. Others become the nearest one. Default: none.
    spikes : list of str or datetime.date
        Days that many values are, ascending, each in a cell of its own. Default: none.
    zone : str
        ``"Europe/Berlin"``, ``"Z"`` or ``"+01:00"``: a time with another offset or zone
        is the day that this clock shows. Default: the day that its own clock shows.
    format : str
        How texts and whole numbers write days, such as ``"%d.%m.%Y"``, ``"%Y%m%d"``,
        ``"%b %Y"`` or ``"%Y-%m"``; ``"excel"`` for days since 1899-12-30, or ``"unix"``
        for seconds since 1970. Released files are written like this too, and frames get
        days. Default: ISO 8601, ``"2026-01-31"``.
    missing : list or dict
        As for `integer`.
    null, outside : str or datetime.date
        As for `integer`.
    """
    lists = _lists(values=values, spikes=spikes)
    return _column("date", min=min, max=max, bins=bins, **lists, zone=zone, format=format, missing=missing, null=null, outside=outside)


def datetime(
    min: object = None,
    max: object = None,
    *,
    bins: int | str | None = None,
    values: Iterable[object] | None = None,
    spikes: Iterable[object] | None = None,
    step: Literal["second", "minute", "hour", "day"] | None = None,
    zone: str | None = None,
    format: str | None = None,
    missing: Missing | None = None,
    null: object = None,
    outside: object = None,
) -> Column:
    """Declare a column of times, to the second.

    Parameters
    ----------
    min, max : str, datetime.date or datetime.datetime
        The first and the last second, such as ``"2026-01-31T12:34:56"``; both are
        values. A day as `max`, ``"2026-01-31"`` or a `datetime.date`, is its last
        second. A `datetime.datetime` or `pandas.Timestamp` is a time, so midnight is
        the first second of its day; `Domain` warns of this.
    bins : str or int
        As for `date`.
    values : list of str or datetime.datetime
        The only times of the column, ascending, in place of all but `zone` and
        `format`. Others become the nearest one. Default: none.
    spikes : list of str or datetime.datetime
        Times that many values are, ascending, each in a cell of its own. Default: none.
    step : str
        "minute", "hour" or "day": all times are whole ones, and a time means the one
        that has begun. Default: "second".
    zone : str
        The column's clock: a zone with its summer time, such as ``"Europe/Berlin"``,
        or an offset from UTC, ``"Z"`` or ``"+01:00"``. Times with another offset or
        zone are converted, and times without one are on that clock. Default: a time is
        what its own clock shows, whatever its offset is.
    format : str
        How texts write times, such as ``"%d.%m.%Y %H:%M"``. Otherwise as for `date`.
    missing : list or dict
        As for `integer`.
    null, outside : str or datetime.datetime
        As for `integer`.
    """
    lists = _lists(values=values, spikes=spikes)
    return _column("datetime", min=min, max=max, bins=bins, **lists, step=step, zone=zone, format=format, missing=missing, null=null, outside=outside)


def follows(column: str, source: str, map: Mapping[Any, Any], *, name: str | None = None) -> dict[str, Any]:
    """Declare that a column's value follows from another column's value.

    Parameters
    ----------
    column : str
        The column that follows, such as ``"region"``. Method `Marginals` spends no
        budget on it.
    source : str
        The column that it follows from, such as ``"city"``.
    map : mapping
        The value of `column` for every value of `source`; None for a null. A null
        follows from a null.
    name : str
        What messages call the rule. Default: ``"region follows from city"``.

    Returns
    -------
    dict
        The rule, for the list that `Domain` takes.

    Raises
    ------
    InvalidInput
        If `map` is not a mapping. `Domain` refuses everything else.

    Examples
    --------
    >>> follows("region", "city", {"Lyon": "south", "Metz": "east"})["map"]["Metz"]
    'east'
    """
    if not isinstance(map, Mapping):
        raise refusal("wrong-type", f"map must be a mapping from the values of a column, but is of type {type(map).__name__}", "map")
    named = {} if name is None else {"name": name}
    return named | {"column": column, "follows": source, "map": dict(map)}


def _names(parameter: str, given: Any) -> list[str]:
    """Of columns; a single text is one name."""
    names = [given] if isinstance(given, str) else [str(name) for name in _listed(parameter, given)]
    for name in names:
        if any("\ud800" <= letter <= "\udfff" for letter in name):
            raise refusal("malformed-text", f"a name in {parameter} must be UTF-8 text, but is {name!r}", parameter)
    return names


_WORDS = {"null": "category", "outside": "clip"}


def scalar_text(value: object) -> str:
    """A value as a file would hold it: 1.0 is 1, as it is in data."""
    if getattr(getattr(value, "dtype", None), "kind", "") == "M":  # whose item may be a number
        value = str(value)
    item = getattr(value, "item", None)  # NumPy's scalars
    if callable(item):
        value = item()
    if isinstance(value, bool):
        value = "true" if value else "false"
    if isinstance(value, float):
        value = repr(value + 0.0).removesuffix(".0")
    iso = getattr(value, "isoformat", None)  # days and times
    if callable(iso):
        value = iso()
    return str(value)


def is_null(value: object) -> bool:
    """Whether a public value is a null of Python, NumPy or pandas: NaN and NaT are not even themselves."""
    if any(value is null for null in (None, *null_objects())):
        return True
    is_number = isinstance(value, (float, decimal.Decimal)) or getattr(value, "ndim", None) == 0
    return is_number and bool(value != value)


def _text(value: object) -> str:
    """A scalar in YAML that is read back as this value's text. JSON's strings are
    YAML's.
    """
    return json.dumps(scalar_text(value), ensure_ascii=False)


def _setting(name: str, value: Any) -> str:
    if getattr(value, "ndim", 0):  # an array is a list
        if not callable(getattr(value, "tolist", None)):
            raise refusal("wrong-type", f"{name} must be a value or a list, but is of type {type_name(value)}", name)
        value = value.tolist()
    if name in _WORDS and value == _WORDS[name]:
        return f"{name}: {value}"
    if value is None:
        return f"{name}: null"
    if isinstance(value, Mapping) and name == "missing":
        return f"{name}: {{{', '.join(f'{_text(code)}: {_text(label)}' for code, label in value.items())}}}"
    if isinstance(value, Mapping):  # a value that would be a word of the format
        value = value.get("value")
    if isinstance(value, (list, tuple)):
        return f"{name}: [{', '.join(map(_text, value))}]"
    return f"{name}: {_text(value)}"


def _rule_setting(key: Any, value: Any) -> str:
    def text(one: Any) -> str:
        if isinstance(one, (list, tuple, dict, set, frozenset)):
            raise refusal("wrong-type", f"a rule must hold single values, but one is of type {type(one).__name__}", "rules")
        return "null" if is_null(one) else _text(one)

    if isinstance(value, Mapping):
        return f"{text(key)}: {{{', '.join(f'? {text(one)} : {text(other)}' for one, other in value.items())}}}"
    return f"{text(key)}: {text(value)}"


def _rule_lines(rules: Iterable[Rule]) -> list[str]:
    lines = []
    for rule in rules:
        if isinstance(rule, (list, tuple)) and len(rule) == 2:
            rule = dict(zip(("name", "rule"), rule, strict=True))
        if not isinstance(rule, (str, Mapping)):
            raise refusal(
                "wrong-type",
                "rules must be texts, pairs of a name and a text, or made by mollify.follows, "
                f"but one is of type {type(rule).__name__}",
                "rules",
            )
        if isinstance(rule, str):
            lines.append(f"  - {_text(rule)}")
        else:
            lines.append(f"  - {{{', '.join(_rule_setting(key, value) for key, value in rule.items())}}}")
    return ["rules:", *lines] if lines else []


def _yaml(columns: Mapping[str, Mapping[str, Any]], seed: int, rules: Iterable[Rule] = ()) -> str:
    lines = [f"seed: {seed}"] if seed else []
    lines.append("columns:" if columns else "columns: {}")
    for name, column in columns.items():
        if not isinstance(column, Mapping):
            raise refusal(
                "wrong-type",
                f'column "{name}" must be declared as by mollify.number or the others, but is {wrong_value(column)}',
                column=name,
            )
        settings = ", ".join(_setting(key, value) for key, value in column.items())
        lines += [f"  ? {_text(name)}", f"  : {{{settings}}}"]  # so a name may be of any length
    lines += _rule_lines(rules)
    return "\n".join(lines) + "\n"


def _midnights(columns: Mapping[str, Mapping[str, Any]]) -> Iterable[Message]:
    """Says of columns of times that they end at the first second of a day, if a program may have meant the whole day."""
    for name, column in columns.items():
        last = column.get("max")
        day = _day_of_midnight(last) if column.get("type") == "datetime" and column.get("step") != "day" else ""
        if day:
            said = (
                f"column \"{name}\": max is {scalar_text(last)}, the first second of that day, because {type(last).__name__} is a time. "
                f"For the whole day, write \"{day}\"."
            )
            yield Message(said, "ends-at-midnight", "warning", [WayOut("set", "max", day)])


def _day_of_midnight(moment: Any) -> str:
    """The day of an object that is a midnight; empty for all else, such as days and texts."""
    if getattr(getattr(moment, "dtype", None), "kind", "") == "M":
        text = str(moment)
        day, _, time = text.partition("T")
        return day if time and not time.strip("0:.") else ""
    if isinstance(moment, dt.datetime) and not is_null(moment) and moment.time() == dt.time():
        return moment.date().isoformat()
    return ""


class DomainWarning(CodedWarning):
    """A domain leaves open what values beyond a bound become, it ends at a midnight, or
    its draft needs a look.

    A value beyond a bound becomes the nearest one, unless ``outside`` is declared. A
    release never reports this, because that would reveal private data. Declare
    ``outside`` for numbers, days and times.
    """


class Domain(metaclass=Public):
    """A product of columns, each of finitely many values. Immutable.

    Parameters
    ----------
    columns : mapping
        Settings of each column by its name, as `categorical`, `integer` and the others
        make them, or as a domain file writes them.
    rules : list
        Texts such as ``"if age < 15 then income is null"``, pairs of a name and a text,
        and what `follows` makes (docs/reference/rules.md). Default: none.
    seed : int
        Fixes the public candidates of releases: 0 (the default) to 2^63 - 1.

    Raises
    ------
    InvalidInput
        In one sentence, for columns and rules that cannot be.

    Warns
    -----
    DomainWarning
        If a column of numbers, days or times does not declare ``outside``; `read` and
        `parse` warn too. If `max` of a column of times is a midnight as an object.
    """

    notes: tuple[str, ...] = ()
    """What `draft` says about the domain and about each of its columns, a sentence or two each."""

    _inside: _core.Domain
    _path: str | None
    _inputs: Inputs = ()

    def __init__(self, columns: Mapping[str, Mapping[str, Any]], *, rules: Iterable[Rule] = (), seed: int = 0) -> None:
        if not isinstance(columns, Mapping):
            raise refusal(
                "wrong-type",
                "columns must be a mapping from names to declared columns (Domain.read reads a file), "
                f"but are of type {type(columns).__name__}{about_labelled(columns)}",
                "columns",
            )
        if isinstance(rules, (str, Mapping, set, frozenset)) or not isinstance(rules, Iterable):
            raise refusal("wrong-type", f"rules must be a list of rules, but is of type {type(rules).__name__}", "rules")
        fixed = whole_number("seed", seed, (0, 2**63 - 1))
        self._inside = _core.Domain.parse(_yaml(columns, fixed, rules), "")
        self._path = None
        self._warn(_midnights(columns))

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Domain:
        """Read a domain file (YAML). Raises `InvalidInput` for anything else."""
        made = cls.__new__(cls)
        made._path = path_text("a domain's file", path)
        made._inside = _core.Domain.read(made._path)
        made._warn()
        return made

    @classmethod
    def parse(cls, yaml: str) -> Domain:
        """Read the text of a domain file. Raises `InvalidInput` for anything else."""
        if not isinstance(yaml, str):
            raise refusal("wrong-type", f"yaml must be the text of a domain file, but is of type {type(yaml).__name__}", "yaml")
        made = _restore(yaml, None)
        made._warn()
        return made

    @classmethod
    def draft(
        cls,
        public: Any,
        *,
        columns: Sequence[str] | None = None,
        exclude: Sequence[str] = (),
    ) -> Domain:
        """Draft a domain from PUBLIC data, in which every value of the data lies.
        Review it before use.

        A domain is public, so never draft it from private data. The draft declares
        ``null`` and ``outside`` for every column. Its `notes` say what was left out and
        why. Categories and enums keep unused levels, and ordered ones become ordinals.

        Parameters
        ----------
        public : table or path
            A public table: a data frame, Arrow data, a mapping from names to columns,
            or the path of a CSV or Parquet file.
        columns : list of str
            Names of the columns to draft, in this order. Default: all columns, except
            those that may tell who somebody is.
        exclude : list of str
            Names of columns to leave out. Default: none.

        Returns
        -------
        Domain
            Up to 20 numbers are listed, or 600 on a grid such as multiples of 5. Other
            columns are cut into cells until the mean is right, and frequent values
            become ``spikes``.

        Raises
        ------
        InvalidInput
            If the table or a named column cannot be read, or no row or column is left.

        Warns
        -----
        DomainWarning
            For each column that was left out, or that needs a look.

        Examples
        --------
        >>> domain = Domain.draft({"sex": ["f", "m", "f"], "age": [31, 42, 53]})
        >>> domain.columns["age"]["max"]
        53
        """
        file, text = "the public data", None
        words: dict[str, list[str]] = {}
        unread: list[tuple[str, str]] = []
        levels: dict[str, list[Any]] = {}
        if isinstance(public, (str, os.PathLike)) and not is_parquet(public):
            file = path_text("public", public)
        else:
            table = parquet_table(path_text("public", public), EVERY_COLUMN) if isinstance(public, (str, os.PathLike)) else public
            table = whole_table(table, "public")
            levels = unordered_levels(table)
            source = source_of(table, EVERY_COLUMN, what="public", left_out=unread)
            words = source.ordered_words() | enum_words(table)
            text = source.csv_text([])
            unread += source.unread([])
            if not text.strip() and unread:
                reasons = "; ".join(f'"{name}": {reason}' for name, reason in unread[:5])
                raise refusal("empty-input", f"the public data must have a column to draft a domain from, but none is left: {reasons}", "public")
            if not text.strip():
                raise refusal("empty-input", "the public data has no columns. Give a table with the columns to draft.", "public")
        chosen = [] if columns is None else _names("columns", columns)
        if columns is not None and not chosen:
            raise refusal("empty-input", "columns must name a column of the table. Leave it out to draft all columns.", "columns", ways_out=[WayOut("leave", "columns")])
        yaml, notes, seen = _core.draft_domain(file, chosen, _names("exclude", exclude), text, unread, words)
        made, kept = _with_levels(_restore(yaml, None), levels)
        made.notes = (*notes, *seen, *kept)
        made._inputs = inputs_of({"public": public})
        warn([Message(one, "draft-note", "note") for one in notes[2:]], DomainWarning)
        return made

    def _warn(self, more: Iterable[Message] = ()) -> None:
        warn([*messages(self._inside.warnings()), *more], DomainWarning)

    def yaml(self) -> str:
        """The text of a domain file; `parse` makes an equal domain of it."""
        return self._inside.yaml()

    def write(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Write a domain file, with the notes of a draft as comments. Raises
        `InvalidInput` if the file exists, unless `overwrite` is true.
        """
        # A note may quote names that are not text.
        comments = "".join(f"# {note}\n" for note in self.notes).encode("utf-8", "replace").decode()
        write_whole(path, comments + self.yaml(), overwrite=overwrite, inputs=self._inputs)

    @property
    def columns(self) -> dict[str, Column]:
        """The settings of each column by its name, for `Domain`."""
        return {column.pop("name"): column for column in json.loads(self._inside.json())["columns"]}

    @property
    def rules(self) -> tuple[str | dict[str, Any], ...]:
        """The rules as declared, for `Domain`. A rule with a name is a dict."""
        return tuple(json.loads(self._inside.json()).get("rules", ()))

    @property
    def seed(self) -> int:
        """Number that fixes the public candidates of releases that use them."""
        return int(json.loads(self._inside.json()).get("seed", 0))

    @property
    def hash(self) -> str:
        """SHA-256, in hexadecimal digits, of the domain's meaning, as certificates have."""
        return self._inside.hash()

    @property
    def outcome_count(self) -> float:
        """Number of possible records: exact up to 2^53, and possibly infinite."""
        return self._inside.outcome_count()

    @property
    def is_enumerable(self) -> bool:
        """Whether there are at most 2^24 possible records, so that each is an outcome."""
        return self._inside.is_enumerable()

    def rules_for_validate(self) -> str:
        """Write the rules for R's package validate. Raises `InvalidInput` without rules."""
        return self._inside.rules_for_validate()

    def to_sdmetrics(self) -> dict[str, Any]:
        """Metadata for SDMetrics, whose reports compare released with real records.

        Such a report is NOT PRIVATE. Give it the release with the types of the real
        table, ``release.to_pandas(like=frame)``. The reports of ``sdmetrics.reports``
        take it as ``{"tables": {name: domain.to_sdmetrics()}}`` with a dictionary of
        tables, the older ones of a single table as it is.
        """
        kinds: dict[str, Column] = {
            "categorical": {"sdtype": "categorical"},
            "ordinal": {"sdtype": "categorical"},
            "boolean": {"sdtype": "boolean"},
            "integer": {"sdtype": "numerical", "computer_representation": "Int64"},
            "number": {"sdtype": "numerical", "computer_representation": "Float"},
            "date": {"sdtype": "datetime", "datetime_format": "%Y-%m-%d"},
            "datetime": {"sdtype": "datetime", "datetime_format": "%Y-%m-%dT%H:%M:%S"},
        }
        columns = {}
        for name, column in self.columns.items():
            columns[name] = dict(kinds[column["type"]])
            if column["type"] == "datetime" and "zone" in column:
                columns[name]["datetime_format"] += "%z"
            if column["type"] == "boolean" and column.get("values", ["false", "true"]) != ["false", "true"]:
                columns[name] = {"sdtype": "categorical"}
        return {"columns": columns}

    def __iter__(self) -> Any:
        return iter(self._inside.column_names())

    def __len__(self) -> int:
        return len(self._inside.column_names())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Domain) and self.hash == other.hash

    def __hash__(self) -> int:
        return int(self.hash[:15], 16)

    def __repr__(self) -> str:
        count = self.outcome_count
        outcomes = f"{count:.0f}" if count < 2**53 else f"{count:.4g}"
        known = len(self.rules)
        rules = f", {known} rule{'s' if known > 1 else ''}" if known else ""
        return f"Domain({', '.join(self)}: {outcomes} outcomes{rules})"

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (self.yaml(), self._path)

    def _part(self) -> dict[str, str]:
        """As a spec has it: the file where there is one, which must then still be what
        it was.
        """
        if self._path is None:
            return {"text": self.yaml()}
        return {"file": self._path, "sha256": self.hash}


def _restore(yaml: str, path: str | None) -> Domain:
    """A domain that was made before, and warned then."""
    domain = Domain.__new__(Domain)
    domain._inside = _core.Domain.parse(yaml, "the domain")
    domain._path = path
    return domain


def _with_levels(domain: Domain, levels: Mapping[str, Sequence[Any]]) -> tuple[Domain, list[str]]:
    """A drafted domain that holds all levels of categories, and a sentence for each column that got more."""
    columns, notes = domain.columns, []
    for name in filter(levels.__contains__, domain):
        texts = [scalar_text(level) for level in levels[name] if not is_null(level)]
        made, count = _with_texts(columns[name], texts)
        if count == 0:
            continue
        said = f'Column "{name}": its type lists {len(texts)} levels, and no row has {count} of them. '
        try:
            Domain({name: made})
        except _core.InvalidInput as error:
            notes.append(f"{said}The draft leaves them out: {error}.")
            continue
        columns[name] = made
        notes.append(f"{said}The draft keeps all.")
    return (_restore(_yaml(columns, domain.seed), None) if notes else domain), notes


def _with_texts(column: Column, texts: Sequence[str]) -> tuple[Column, int]:
    """A drafted column with the values that these texts write, and how many of them it did not have."""
    kind = column["type"]
    texts_of_values = list(map(scalar_text, column.get("values", ["false", "true"] if kind == "boolean" else [])))
    if kind in ("categorical", "boolean"):
        lacking: list[Any] = [text for text in texts if text not in texts_of_values]
        as_words = column if kind == "categorical" else categorical([], null="category", outside="null")
        return as_words | {"values": sorted([*texts_of_values, *lacking])}, len(lacking)
    values: list[Any] = list(texts)
    if kind in ("integer", "number"):
        values = [int(text) if text.lstrip("-").isdigit() else float(text) for text in texts]
    else:
        length = len("2026-01-31" if kind == "date" else "2026-01-31T12:34:56")
        values = [text[:length] for text in texts if len(text) <= len("2026-01-31T12:34:56")]  # others have a zone
    old = column.get("values")
    if old is None and kind == "integer" and not column.keys() & {"bins", "edges"}:
        old = range(column["min"], column["max"] + 1)
    if old is not None:
        lacking = [value for value in values if value not in old]
        kept = {key: one for key, one in column.items() if key not in ("min", "max")}
        return kept | {"values": sorted([*old, *lacking])}, len(lacking)
    ends = column.get("edges") or [column["min"], column["max"]]
    lacking = [value for value in values if not ends[0] <= value <= ends[-1]]
    ends = [min(ends[0], *lacking, ends[0]), *ends[1:-1], max(ends[-1], *lacking, ends[-1])]
    return column | ({"edges": ends} if "edges" in column else {"min": ends[0], "max": ends[-1]}), len(lacking)


DomainLike = Domain | Mapping[str, Mapping[str, Any]] | str | os.PathLike[str]
"""A domain, its columns, or its file."""


def as_domain(domain: DomainLike) -> Domain:
    """A domain, given as itself, its columns, or its file."""
    if isinstance(domain, Domain):
        return domain
    if isinstance(domain, (str, os.PathLike)):
        return Domain.read(domain)
    if isinstance(domain, Mapping):
        return Domain(domain)
    raise refusal(
        "wrong-type",
        "a domain must be a Domain, a mapping from names to declared columns, or the path of its file, "
        f"but is of type {type(domain).__name__}{about_labelled(domain)}",
        "domain",
    )
