"""Labelled files of SPSS, Stata, SAS and R: their private table, the domain of their metadata, and released
tables as such files.

pyreadstat reads and writes them, except R's, which `mollify._r_files` reads. It is asked for numbers alone: it would refuse a whole file for one day
after the year 9999, and leave out the codes of missing values. The metadata are read first, without the
table, and `mollify._codebook` makes the domain of them.
"""

from __future__ import annotations

import codecs
import math
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from mollify import _core, _r_files
from mollify._checks import Public, listed, path_text, wrong_value
from mollify._codebook import (
    FIRST_TAG,
    MEASURED,
    TAGS,
    Code,
    Codebook,
    Digits,
    Draft,
    Moment,
    draft,
    format_of,
    merged,
    moments_of,
    numbers_of,
    plain,
    tag_code,
    tag_of,
    types_of,
    with_bounds,
    with_values,
)
from mollify._domain import Domain, scalar_text
from mollify._files import Inputs, inputs_of, optional, unreadable, writable, write_whole
from mollify._parameters import unknown_name
from mollify._records import Records
from mollify._refusal import WayOut, refusal
from mollify._released import Released, clock_times, released

if TYPE_CHECKING:
    import pandas

_READERS = {
    ".sav": ("SPSS", "read_sav"),
    ".zsav": ("SPSS", "read_sav"),
    ".dta": ("Stata", "read_dta"),
    ".sas7bdat": ("SAS", "read_sas7bdat"),
    ".xpt": ("SAS", "read_xport"),
    ".rds": ("R", ""),
}
_WRITERS = {".sav": "SPSS", ".zsav": "SPSS", ".dta": "Stata"}
_KEEP_MISSING = ("read_sav", "read_dta", "read_sas7bdat")
"""Readers that leave out missing codes, of values and of metadata, unless `user_missing` is true. Files of the
other readers have no such codes."""

_SHOWN = 5
"""The most columns that a refusal names."""


def _suffix(path: str, known: Iterable[str], verb: str) -> str:
    suffix = os.path.splitext(path)[1].lower()
    if suffix in known:
        return suffix
    said = f"{path} cannot be {verb}: its name must end in {', '.join(known)}."
    if suffix in (".rdata", ".rda", ".rds"):
        said += " In R, write one table by saveRDS(table, file)." if verb == "read" else " In R, haven::read_sav reads a .sav file with its labels."
    if suffix == ".por":
        said += " Save it as .sav in SPSS: this reader loses the missing codes of .por files."
    raise refusal("wrong-kind-of-file", said, "path", file=path)


# ----------------------------------------------------------------------------------------------
# Reading.


def _read(path: str, reader: str, encoding: str | None, part: str = "path", **asked: Any) -> Any:
    """What pyreadstat reads. Its own words might quote the file, so nobody sees them."""
    found = getattr(optional("pyreadstat", "labelled"), reader)
    return _parsed(lambda: found(path, encoding=encoding, **asked), path, encoding, part)


def _parsed(read: Callable[[], Any], path: str, encoding: str | None, part: str = "path") -> Any:
    """What a package reads of a file, or the refusal of the file."""
    if not os.path.isfile(path):
        reason = FileNotFoundError(2, "") if not os.path.exists(path) else OSError(21, "")
        raise unreadable(path, reason, "", part)
    try:
        with open(path, "rb"):
            return read()
    except _core.InvalidInput:
        raise
    except OSError as error:
        raise unreadable(path, error, "", part) from None
    except UnicodeDecodeError:
        raise refusal(
            "malformed-file",
            f'{path} has texts in another encoding than it states. Pass their encoding, such as encoding="WINDOWS-1252".',
            "encoding",
            file=path,
            ways_out=[WayOut("set", "encoding")],
        ) from None
    except ImportError:
        raise
    except Exception:  # pyreadstat has one class for all faults
        if encoding is not None and not _is_encoding(encoding):
            raise refusal("unknown-name", f'encoding must be known, such as "WINDOWS-1252", but is "{encoding}"', "encoding") from None
    program = _READERS.get(os.path.splitext(path)[1].lower(), ("SAS", ""))[0]
    raise refusal("malformed-file", f"{path} must be a file of {program}, but is damaged or of another format", part, file=path)


def _is_encoding(name: str) -> bool:
    try:
        codecs.lookup(name)
    except LookupError:
        return False
    return True


def _key(code: Any, is_text: bool) -> Code:
    if is_text:
        return str(code).rstrip(" ")
    return tag_code(code) if isinstance(code, str) else float(code)


def _codebooks(found: Any, program: str, formats: Mapping[str, Mapping[Any, str]]) -> dict[str, Codebook]:
    """Columns by name. `formats` are the labels of a SAS catalogue's formats."""
    books = {}
    for name in found.column_names:
        kind, shown = found.readstat_variable_types[name], found.original_variable_types.get(name) or ""
        is_text = "string" in kind
        labels = found.variable_value_labels.get(name) or formats.get(shown) or {}
        made: dict[Code, str] = {_key(code, is_text): label or "" for code, label in labels.items()}
        ranges = found.missing_ranges.get(name, ())
        books[name] = Codebook(
            name=name,
            title=found.column_names_to_labels.get(name) or "",
            storage="text" if is_text else "whole" if kind.startswith("int") else "single" if kind == "float" else "number",
            format=None if is_text else format_of(shown, program),
            shown_as=shown,
            level=found.variable_measure.get(name) or "unknown",
            labels={code: made[code] for code in sorted(made)},
            ranges=tuple((_key(one["lo"], is_text), _key(one["hi"], is_text)) for one in ranges),
            has_tags=program != "SPSS" and not is_text,
        )
    return books


def _names(part: str, given: Any) -> list[Any]:
    if isinstance(given, str):
        return [given]
    if not isinstance(given, (list, tuple)):
        raise refusal("wrong-type", f"{part} must be a list of names, but is {wrong_value(given)}", part)
    return list(given)


class Labelled(metaclass=Public):
    """A labelled file: its private table, and the columns that its metadata declare.

    `data` is private. `columns`, `open`, `labels`, `missing`, `titles` and `notes` come
    from the metadata alone, never from values. They are public only if the codebook of
    the file is: then `domain` is too.
    """

    data: pandas.DataFrame
    """The private table, for `sample` and `check`: codes as numbers, days and times as
    such, texts. Codes of missing values stay. A tagged missing value such as .a is the
    number 2147483622 (.b the next), as Stata stores it, and null if it has no label.
    """

    columns: dict[str, dict[str, Any]]
    """The settings of each column, as far as metadata decide them."""

    open: dict[str, str]
    """Columns whose settings metadata do not decide, with what is missing."""

    labels: dict[str, dict[Any, str]]
    """Labels of each column's codes."""

    missing: dict[str, dict[Any, str]]
    """Labels of each column's missing codes."""

    titles: dict[str, str]
    """The label of each column that has one, such as its question."""

    notes: tuple[str, ...]
    """Why each column is declared as it is, a sentence each."""

    def __init__(
        self, path: str, program: str, books: Mapping[str, Codebook], data: pandas.DataFrame, left_out: Mapping[str, str] | None = None
    ) -> None:
        self._path, self._program, self._books, self.data = path, program, dict(books), data
        self._left_out = dict(left_out or {})
        self._drafts = {name: draft(book) for name, book in self._books.items()}
        self.columns = {name: dict(one.settings) for name, one in self._drafts.items()}
        self.open = {name: one.open for name, one in self._drafts.items() if one.open}
        self.labels = {name: {plain(code): label for code, label in book.labels.items()} for name, book in books.items() if book.labels}
        self.missing = {name: {plain(code): label for code, label in book.missing.items()} for name, book in books.items() if book.missing}
        self.titles = {name: book.title for name, book in books.items() if book.title}
        self.notes = tuple(self._notes())

    def _notes(self) -> Iterable[str]:
        yield f"This domain follows from the metadata of {os.path.basename(self._path)}. It is public only if the codebook of the file is."
        for name, one in self._drafts.items():
            said = f'Column "{name}" is {one.settings["type"]}: {one.note}.'
            book = self._books[name]
            if book.format is None and book.storage != "text":
                said += f" Its format {book.shown_as} is not known" + (": pass its catalogue as catalog=." if self._program == "SAS" else ".")
            elif book.storage == "text" and book.shown_as.startswith("$") and self._program == "SAS" and not book.labels:
                said += " If a catalogue defines its format, pass it as catalog=."
            if one.settings.get("outside") == "null" and not one.open:
                said += " Other values become null."
            if book.zone == "Z":
                said += " The file states no zone that is known, so its times are on the clock of UTC."
            yield said
        for name, reason in self._left_out.items():
            yield f'Column "{name}" is left out: {reason}.'

    def domain(
        self,
        given: Mapping[str, Any] | None = None,
        /,
        *,
        columns: Sequence[str] | None = None,
        exclude: Sequence[str] = (),
        **named: Any,
    ) -> Domain:
        """Make the domain of the metadata and of what you add to it.

        It is public only if the codebook of the file is. Add public knowledge alone,
        and nothing that you saw in the table.

        Parameters
        ----------
        given : mapping
            What to add by the name of a column, for names that are no words of Python.
        columns : list of str
            Names of the columns to declare, in this order. Default: all.
        exclude : list of str
            Names of columns to leave out. Default: none.
        named : tuple, list, str, dict or None
            What to add by the name of a column. ``age=(0, 120)`` are the least and the
            greatest value, or the first and the last day. ``town=["Ghent", "Lille"]``
            are all values. ``q1="ordinal"`` is another type. A whole declaration, such
            as ``mo.number(0, 9, bins=3)``, keeps missing codes, steps and nulls of the
            metadata unless it has its own. None leaves the column out.

        Returns
        -------
        Domain
            Its `notes` say for each column what decided.

        Raises
        ------
        InvalidInput
            If a column of `open` is neither completed nor left out, or for a name that
            the file does not have.
        """
        if given is not None and not isinstance(given, Mapping):
            raise refusal("wrong-type", f"columns must be added by their names in a mapping, but you gave {wrong_value(given)}")
        added = {**(given or {}), **named}
        chosen = list(self._books) if columns is None else _names("columns", columns)
        left_out = set(_names("exclude", exclude))
        for part, names in (("columns", chosen), ("exclude", left_out), ("", added)):
            for name in names:
                if name not in self._books:
                    said = f'{self._path} has no column "{name}"'
                    raise unknown_name(said, name, self._books, part or str(name), "unknown-column", column=str(name))
        made: dict[str, Any] = {}
        still_open = []
        for name in chosen:
            if name in left_out or name in added and added[name] is None:
                continue
            one = self._completed(name, added[name]) if name in added else self._drafts[name]
            made[name] = one.settings
            if one.open:
                still_open.append(f'"{name}" ({one.open})')
        if still_open:
            more = f", and {len(still_open) - _SHOWN} more" if len(still_open) > _SHOWN else ""
            raise refusal(
                "missing-parameter",
                f"the metadata do not decide about {', '.join(still_open[:_SHOWN])}{more}. Complete each, such as age=(0, 120), or "
                "leave it out by age=None.",
                "columns",
                ways_out=[WayOut("set", "columns")],
            )
        domain = Domain(made)
        known = dict(zip(self._books, self.notes[1:]))
        domain.notes = (self.notes[0], *(self._declared(name, made[name]) if name in added else known[name] for name in made))
        domain._inputs = inputs_of({"data": self})
        return domain

    def _declared(self, name: str, settings: Mapping[str, Any]) -> str:
        """The note of a column that the caller completed."""
        said = f'Column "{name}" is {settings["type"]}, as you declared it.'
        has_decimals = settings["type"] == "number" and "values" not in settings and settings.get("step", 0) < 1
        if has_decimals and self.columns[name]["type"] == "integer":
            said += " Its metadata show whole numbers, and released ones have decimals: mo.integer makes whole ones."
        return said

    def _completed(self, name: str, given: Any) -> Draft:
        """The draft of a column with what the caller adds."""
        book, one = self._books[name], self._drafts[name]
        if isinstance(given, str):
            if given not in (known := types_of(book)):
                raise unknown_name(f'{name} can have the type {listed(known, "or")}, but is "{given}"', given, known, name, column=name)
            return self._of_type(book, given)
        if isinstance(given, Mapping):
            return one._replace(settings=merged(one.settings, given), open="")
        if isinstance(given, tuple) and len(given) == 2 and book.storage != "text":
            try:
                return one._replace(settings=with_bounds(one.settings, *given, book.missing), open="")
            except TypeError:
                raise refusal("wrong-type", f"{name} must be the least and the greatest whole number, but is {wrong_value(given)}", name, column=name) from None
        if isinstance(given, (tuple, list, range)):
            return one._replace(settings=with_values(one.settings, list(given), book.missing), open="")
        raise refusal(
            "wrong-type",
            f"{name} must be bounds such as (0, 120), a list of values, a type, a declaration such as mo.number(0, 1), or None, but is {wrong_value(given)}",
            name,
            column=name,
        )

    @staticmethod
    def _of_type(book: Codebook, kind: str) -> Draft:
        found = draft(book, kind)
        settings = dict(found.settings)
        if kind == "integer" and settings["type"] == "number":
            settings.pop("step", None)
        if kind in ("integer", "number") and settings["type"] in ("integer", "number") and "values" not in settings:
            settings["type"] = kind
        return found._replace(settings=settings)

    def with_labels(self, records: Records) -> pandas.DataFrame:
        """Give released records as a pandas data frame with labels in place of codes.

        A column whose codes are labelled becomes a categorical, with the labels in the
        order of their codes. It is ordered for an ordinal without missing codes. Codes
        with the same label differ by their number: "other [8]". Numbers and days stay,
        and their missing codes become missing values, so that a mean leaves them out.
        `records` keep the codes.

        Raises `InvalidInput` if `records` are not records.
        """
        pandas = optional("pandas", "labelled")
        frame = _records("records", records).to_pandas()
        for column in released(records._table):
            book = self._books.get(column.name)
            is_listed = column.has_levels or book is not None and "values" in self.columns[column.name]
            if book is None:
                continue
            if not book.valid or not is_listed:
                if not column.has_levels:
                    frame[column.name] = _without_codes(frame[column.name], book)
                continue
            named = {scalar_text(code): label for code, label in (book.valid | book.missing).items()}
            cells = [None if cell is None else scalar_text(cell) for cell in column.cells()]
            levels = list(map(scalar_text, column.levels())) if column.has_levels else list(named)
            if not {*cells, None} <= {*levels, None}:  # the caller's own list of numbers
                continue
            labels = [named.get(level, "") for level in levels]
            words = [label if label and labels.count(label) == 1 else f"{label} [{level}]".strip() for label, level in zip(labels, levels)]
            place = {level: i for i, level in enumerate(levels)}
            codes = [-1 if cell is None else place[cell] for cell in cells]
            is_ordered = (column.ordered or not column.has_levels) and not book.missing
            frame[column.name] = pandas.Categorical.from_codes(codes, categories=words, ordered=is_ordered)
        return frame

    def __repr__(self) -> str:
        return f"Labelled({self._path}: {len(self._books)} columns, {len(self.open)} of them open)"


def read_labelled(
    path: str | os.PathLike[str],
    *,
    catalog: str | os.PathLike[str] | None = None,
    encoding: str | None = None,
) -> Labelled:
    """Read a labelled file of SPSS, Stata, SAS or R: its private table, and the columns
    that its metadata declare.

    The columns follow from the metadata alone, never from values: value labels become
    the values of ordinals and categories in the order of their codes, missing codes
    become ``missing`` with their labels, formats become days, times and steps, and
    levels of measurement become types. They are public only if the codebook is.

    Parameters
    ----------
    path : path
        A file whose name ends in .sav, .zsav, .dta, .sas7bdat, .xpt or .rds.
    catalog : path
        The .sas7bcat file with the formats of a .sas7bdat file. Default: none.
    encoding : str
        The encoding of texts, such as "WINDOWS-1252", if the file states a wrong one.
        Default: the encoding that the file states.

    Returns
    -------
    Labelled
        ``labelled.data`` is the private table, and ``labelled.domain(age=(0, 120))``
        makes the domain with what the metadata leave open.

    Raises
    ------
    InvalidInput
        If the file is missing, damaged or of another kind.
    ImportError
        If pyreadstat, rdata or pandas is missing.
    """
    name = path_text("path", path)
    program, reader = _READERS[_suffix(name, _READERS, "read")]
    if catalog is not None and reader != "read_sas7bdat":
        raise refusal("superfluous-parameter", f"catalog is for .sas7bdat files, but {name} is another file", "catalog")
    pandas = optional("pandas", "labelled")
    if program == "R":
        table = _parsed(lambda: _r_files.table_of(_r_files.parse(name), name, encoding), name, encoding)
        data = pandas.DataFrame({one: book.clean(table.values[one]) for one, book in table.books.items()})
        return Labelled(name, program, table.books, data, table.left_out)
    keeps: dict[str, Any] = {"user_missing": True} if reader in _KEEP_MISSING else {}
    keeps["disable_datetime_conversion"] = True  # of missing codes too
    _, found = _read(name, reader, encoding, metadataonly=True, **keeps)
    formats: Mapping[str, Mapping[Any, str]] = {}
    if catalog is not None:
        formats = _read(path_text("catalog", catalog), "read_sas7bcat", encoding, "catalog")[1].value_labels
    books = _codebooks(found, program, formats)
    values, _ = _read(name, reader, encoding, output_format="dict", **keeps)
    data = pandas.DataFrame({one: book.clean(list(values[one])) for one, book in books.items()})
    return Labelled(name, program, books, data)


def _without_codes(values: pandas.Series[Any], book: Codebook) -> pandas.Series[Any]:
    """A measure with missing values in place of missing codes."""
    import numpy as np

    if isinstance(book.format, Moment):
        days = np.array([*book.day_codes().values()], "datetime64[s]")
        there = values.dt.tz_localize(None) if hasattr(values, "dt") else values
        return values.mask(there.isin(days))
    codes = [code for code in book.missing if isinstance(code, float)]
    return values.mask(values.isin(codes)) if codes else values


# ----------------------------------------------------------------------------------------------
# Writing.


def _records(what: str, given: Any) -> Records:
    if not isinstance(given, Records):
        raise refusal("wrong-type", f"{what} must be released records, but is of type {type(given).__name__}", what)
    return given


def _book_of(column: Released) -> Codebook:
    """The metadata of a column that the labelled file does not have, such as a unit's name."""
    kind = column.value_kind
    storage = {"text": "text", "integer": "whole", "truth": "whole"}.get(kind, "number")
    how = {"day": Moment("date", "day", "1960-01-01"), "instant": Moment("datetime", "millisecond", "1960-01-01")}.get(kind)
    return Codebook(column.name, "", storage, how or Digits(0 if storage == "whole" else None), "", "unknown")


def _numbers(column: Released, book: Codebook) -> Any:
    """A released column as its file counts: an array with NaN for nulls."""
    import numpy as np

    if column.kind in ("day", "instant"):
        how = book.format
        if not isinstance(how, Moment):
            return None
        moments = np.array(clock_times(column), "datetime64[s]")
        found = numbers_of(moments, how)
        for code, at in book.day_codes().items():  # a code stays itself, wherever its period begins
            found[moments == np.datetime64(at, "s")] = code
        return found
    if isinstance(book.format, Moment):
        return None
    try:
        return np.array([math.nan if cell is None else float(cell) for cell in column.cells()], "float64")
    except ValueError:  # words
        return None


def write_labelled(
    records: Records,
    path: str | os.PathLike[str],
    *,
    like: Labelled,
    overwrite: bool = False,
) -> None:
    """Write released records as a file of SPSS or Stata, with the labels, missing codes,
    formats and levels of a labelled file.

    Only the metadata of `like` are written, so that the file reveals no more than the
    records and the codebook. Missing codes of SPSS become Stata's .a, .b, ... in their
    order, and the reverse. Stata has neither levels nor labels of texts, which are left
    out, and cuts the label of a column after 80 letters.

    Parameters
    ----------
    records : Records
        A release, some of its columns, or records of a model.
    path : path
        The file to write; its name ends in .sav, .zsav or .dta.
    like : Labelled
        The file that `read_labelled` read.
    overwrite : bool
        Replaces a file that exists. Default: False.

    Raises
    ------
    InvalidInput
        If a column holds words but its file has numbers there, a label does not fit in
        such a file, or the file exists.
    ImportError
        If pyreadstat or pandas is missing.
    """
    name = path_text("path", path)
    suffix = _suffix(name, _WRITERS, "written")
    if not isinstance(like, Labelled):
        raise refusal("wrong-type", f"like must be what read_labelled gives, but is of type {type(like).__name__}", "like")
    inputs: Inputs = [*_records("records", records)._inputs, *inputs_of({"labelled": like})]
    writable(name, overwrite, inputs)
    parts = (_spss_parts if _WRITERS[suffix] == "SPSS" else _stata_parts)(records, like)
    import tempfile  # takes a quarter of the time of `import mollify`

    pyreadstat, pandas = optional("pyreadstat", "labelled"), optional("pandas", "labelled")
    frame = pandas.DataFrame(parts.pop("data"), columns=records.columns)
    with tempfile.TemporaryDirectory(prefix="mollify") as folder:
        made = os.path.join(folder, f"records{suffix}")
        try:
            if _WRITERS[suffix] == "SPSS":
                pyreadstat.write_sav(frame, made, compress=suffix == ".zsav", **parts)
            else:
                pyreadstat.write_dta(frame, made, **parts)
        except Exception as error:  # of names and labels, which are public
            raise refusal("malformed-text", f"{name} cannot hold these columns: {error}. Write a file of the other program.", "path", file=name) from None
        with open(made, "rb") as file:
            content = file.read()
    write_whole(name, content, overwrite=overwrite, inputs=inputs)


def _written(records: Records, like: Labelled, target: str) -> Iterable[tuple[Released, Codebook, str, Any]]:
    """Each column with its metadata, its format in the target program and its values: numbers in the target's count, or
    texts.
    """
    for column in released(records._table):
        book = like._books.get(column.name) or _book_of(column)
        if book.storage == "text":
            yield column, book, "", ["" if cell is None else scalar_text(cell) for cell in column.cells()]
            continue
        shown = book.shown_as if like._program == target else ""
        if isinstance(book.format, Moment) and not shown:
            book, shown = _counted_as(book, book.format, target)
        numbers = _numbers(column, book)
        if numbers is None:
            raise refusal(
                "wrong-type",
                f'column "{column.name}" of the records does not have the type of its column in {like._path}: declare it by its codes',
                column=column.name,
            )
        yield column, book, shown or _shown(book, target), numbers


def _shown(book: Codebook, target: str) -> str:
    decimals = book.decimals
    if decimals is None:
        return f"F16.{MEASURED}" if target == "SPSS" else "%10.0g"
    return f"F{12}.{decimals}" if target == "SPSS" else f"%12.{decimals}f"


def _counted_as(book: Codebook, how: Moment, target: str) -> tuple[Codebook, str]:
    """A column of days or times as another program counts and shows it; its missing codes become numbers of that count."""
    import dataclasses

    import numpy as np

    if target == "SPSS":
        there = Moment(how.type, "second", "1582-10-14", how.bins)
        shown = {"month": "MOYR8", "quarter": "QYR6"}.get(how.bins or "", "DATE11") if how.type == "date" else "DATETIME20"
    else:
        unit = {"month": "month", "quarter": "quarter"}.get(how.bins or "", "day") if how.type == "date" else "millisecond"
        there = Moment(how.type, unit, "1960-01-01", how.bins if unit != "day" else None)
        shown = {"month": "%tm", "quarter": "%tq", "day": "%td", "millisecond": "%tc"}[unit]
    codes = [code for code in {**book.labels, **book.missing} if isinstance(code, float)]
    counted = dict(zip(codes, numbers_of(moments_of(np.array(codes), how), there).tolist())) if codes else {}
    kept = {code: code if book.is_tag(code) else counted[code] for code in codes}
    labels: dict[Code, str] = {kept[code]: label for code, label in book.labels.items() if isinstance(code, float)}
    ranges = tuple((kept[code], kept[code]) for code in book.missing if isinstance(code, float) and not book.is_tag(code))
    return dataclasses.replace(book, format=there, labels=labels, ranges=ranges), shown


def _too_long(column: str, code: Code, size: int, most: int, program: str) -> Exception:
    return refusal(
        "out-of-range",
        f'the label of code {plain(code)} of column "{column}" has {size} bytes, and a file of {program} holds {most}. Write a .dta file.',
        "path",
        column=column,
    )


def _spss_parts(records: Records, like: Labelled) -> dict[str, Any]:
    """The arguments of `write_sav`."""
    parts: dict[str, Any] = {key: {} for key in ("data", "column_labels", "variable_value_labels", "missing_ranges", "variable_measure", "variable_format")}
    for column, book, shown, values in _written(records, like, "SPSS"):
        name = column.name
        parts["data"][name] = values
        parts["column_labels"][name] = book.title or None
        for code, label in book.labels.items():
            if (size := len(label.encode())) > 120:
                raise _too_long(name, code, size, 120, "SPSS")
        if book.labels:
            parts["variable_value_labels"][name] = dict(book.labels)
        ranges = [{"lo": low, "hi": high} if low != high else low for low, high in book.ranges]
        if any(map(book.is_tag, book.labels)):
            ranges = [{"lo": FIRST_TAG, "hi": FIRST_TAG + len(TAGS) - 1}]
        if ranges:
            parts["missing_ranges"][name] = ranges
        parts["variable_measure"][name] = book.level
        if shown:
            parts["variable_format"][name] = shown
    return parts


def _stata_parts(records: Records, like: Labelled) -> dict[str, Any]:
    """The arguments of `write_dta`."""
    parts: dict[str, Any] = {key: {} for key in ("data", "column_labels", "variable_value_labels", "missing_user_values", "variable_format")}
    for column, book, shown, values in _written(records, like, "Stata"):
        name = column.name
        parts["column_labels"][name] = book.title[:80] or None
        if book.storage == "text":
            parts["data"][name] = values
            continue
        letters = _letters(book)
        if not book.has_tags and len(book.missing) > len(letters):
            raise refusal("out-of-range", f'column "{name}" has {len(book.missing)} missing codes, and Stata has 26. Write a .sav file.', "path", column=name)
        is_whole = book.decimals == 0 and not isinstance(book.format, Moment)
        cells = [letters.get(one, None if math.isnan(one) else int(one) if is_whole else one) for one in values.tolist()]
        is_whole = is_whole and all(isinstance(one, int) and abs(one) < 2**31 - 100 for one in cells if one is not None and not isinstance(one, str))
        has_values = any(one is not None for one in cells)
        if not has_values or not letters and not is_whole:
            parts["data"][name] = values
        else:
            parts["data"][name] = _objects([float(one) if isinstance(one, int) and not is_whole else one for one in cells])
        labels: dict[Any, str] = {}
        for code, label in book.labels.items():
            if code in letters:
                labels[letters[code]] = label
            elif isinstance(code, float) and code.is_integer():
                labels[int(code) if has_values and is_whole else code] = label
            else:
                raise refusal("out-of-range", f'column "{name}" has labels of codes that are not whole, and Stata has no such labels. Write a .sav file.', "path", column=name)
        if not book.has_tags:  # a tag without a label would be read as a null
            labels |= {letters[code]: label for code, label in book.missing.items() if code not in book.labels}
        if labels:
            parts["variable_value_labels"][name] = labels
        if letters:
            parts["missing_user_values"][name] = sorted(letters.values())
        if shown and not (is_whole and like._program != "Stata" and has_values):
            parts["variable_format"][name] = "%12.0f" if is_whole and not has_values else shown
    return parts


def _letters(book: Codebook) -> dict[Code, str]:
    """Stata's tagged missing values of missing codes. Codes of SPSS get letters in their order."""
    if book.has_tags:
        return {code: letter for code in book.labels if book.is_tag(code) and (letter := tag_of(code)) and letter != "_"}
    return dict(zip(book.missing, TAGS[:-1]))


def _objects(cells: list[Any]) -> Any:
    import numpy as np

    made = np.empty(len(cells), object)
    made[:] = cells
    return made
