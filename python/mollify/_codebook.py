"""The metadata of labelled files, and the columns of a domain that follow from them.

SPSS, Stata, SAS and R files hold more than values: labels of codes, codes that mean "no answer", formats
and levels of measurement. `Codebook` is one column of these, whatever the program, and `draft` turns it
into the settings of a domain's column. Nothing here sees a value of the table, except `clean`, which
changes values as the metadata alone decide.
"""

from __future__ import annotations

import dataclasses
import math
import numbers
import operator
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from numpy.typing import NDArray

Code = float | str
"""A code of a column of numbers, or of a column of texts."""

TAGS = "abcdefghijklmnopqrstuvwxyz_"
"""Tagged missing values of Stata (.a to .z) and SAS (.A to .Z and ._)."""

FIRST_TAG = 2147483622.0
"""The number of .a, as Stata stores .a in a long; .b is the next number."""

FIRST_TAGGED_DAY = "9999-12-01"
"""The day of .a in columns of days and times; .b is the next day."""

MOST_LISTED = 10
"""The most whole numbers of a range of missing codes that are all codes, with and without a label."""

MOST_VALUES = 2**24
"""The most values of a domain's column."""

MOST_MARKS = 3
"""The most labels that mark points of a measure; more labels make a category."""


def tag_code(letter: str) -> float:
    """The number of a tagged missing value."""
    return FIRST_TAG + TAGS.index(letter.lower())


def tag_of(code: Code) -> str | None:
    """The letter of a tagged missing value's number; None for every other code."""
    place = code - FIRST_TAG if isinstance(code, float) else -1
    return TAGS[int(place)] if place in range(len(TAGS)) else None


def plain(code: Code) -> Any:
    """A code as a domain writes it: 3, and not 3.0."""
    return int(code) if isinstance(code, float) and code.is_integer() else code


# ----------------------------------------------------------------------------------------------
# Formats.


class Moment(NamedTuple):
    """How numbers count days or times."""

    type: str
    """"date" or "datetime"."""
    unit: str
    """The unit that is counted: "second", "millisecond", "day", "week", "month", "quarter" or "half"."""
    epoch: str
    """The day whose number is 0."""
    bins: str | None = None
    """The period that the format shows; it hides where in the period a day lies."""
    step: str | None = None
    """The period that a time's format shows."""


class Digits(NamedTuple):
    """How many digits a format of numbers shows after the point."""

    decimals: int | None
    """None if the format shows as many as a number has."""


class Parts(NamedTuple):
    """The numbers of the days of a week, or of the months of a year."""

    names: tuple[str, ...]


Format = Moment | Digits | Parts

_WEEKDAYS = Parts(("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"))
_MONTHS = Parts(("January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
                 "December"))  # fmt: skip
_SPSS_EPOCH, _OTHER_EPOCH = "1582-10-14", "1960-01-01"
_SPSS_PERIODS = {"DATE": None, "ADATE": None, "EDATE": None, "SDATE": None, "JDATE": None, "MOYR": "month", "QYR": "quarter", "WKYR": "week"}
_SPSS_NUMBERS = ("F", "COMMA", "DOT", "DOLLAR", "PCT", "N", "Z", "CCA", "CCB", "CCC", "CCD", "CCE", "TIME", "DTIME", "MTIME")
_STATA_PERIODS = {"d": ("day", None), "w": ("week", "week"), "m": ("month", "month"), "q": ("quarter", "quarter"), "h": ("half", "quarter")}
_SAS_DAYS = {"DATE", "JULIAN", "JULDAY", "WORDDATE", "WORDDATX", "WEEKDATE", "WEEKDATX", "NLDATE", "E8601DA", "B8601DA", "IS8601DA"} | {
    order + separator for order in ("DDMMYY", "MMDDYY", "YYMMDD") for separator in ("", *"BCDNPS")
}
_SAS_PERIODS = {"MONYY": "month", "YYMM": "month", "MMYY": "month", "YYMON": "month", "YYQ": "quarter", "YYQR": "quarter", "YEAR": "year"}
_SAS_TIMES = {"DATETIME", "DATEAMPM", "MDYAMPM", "NLDATM", "IS8601DT"} | {f"{kind}8601D{part}" for kind in "EB" for part in "TNZX"}
_SAS_NUMBERS = {
    "", "F", "COMMA", "COMMAX", "DOLLAR", "DOLLARX", "EURO", "EUROX", "NUMX", "NLNUM", "NLMNY", "Z", "PERCENT", "TIME", "TOD", "HHMM", "MMSS",
    "HOUR", "E8601TM", "B8601TM",
}  # fmt: skip


def _spss(name: str, width: int, decimals: int) -> Format | None:
    if name in _SPSS_PERIODS:
        return Moment("date", "second", _SPSS_EPOCH, _SPSS_PERIODS[name])
    if name in ("DATETIME", "YMDHMS"):
        shows_seconds = width >= (20 if name == "DATETIME" else 19)
        return Moment("datetime", "second", _SPSS_EPOCH, step=None if shows_seconds else "minute")
    if name in ("WKDAY", "MONTH"):
        return _WEEKDAYS if name == "WKDAY" else _MONTHS
    if name in _SPSS_NUMBERS:
        return Digits(decimals)
    return Digits(None) if name == "E" else None


def _stata(text: str) -> Format | None:
    body = text.removeprefix("%").removeprefix("-")
    kind, shown = (body[1:2], body[2:]) if body[:1] == "t" else (body[:1], "")
    if kind in _STATA_PERIODS:
        unit, bins = _STATA_PERIODS[kind]
        return Moment("date", unit, _OTHER_EPOCH, bins)
    if kind in ("c", "C"):
        step = None if not shown or "S" in shown.upper() else "minute" if "MM" in shown else "hour" if "H" in shown.upper() else "day"
        return Moment("datetime", "millisecond", _OTHER_EPOCH, step=step)
    if body[:2] == "ty":
        return Digits(0)
    digits, kind = body.removesuffix("c")[:-1].replace(",", "."), body.removesuffix("c")[-1:]
    decimals = digits.partition(".")[2]
    if kind in ("e", "f", "g") and decimals.isdigit():
        return Digits(int(decimals) if kind == "f" else None)
    return None


def _sas(name: str, width: int, decimals: int) -> Format | None:
    if name in _SAS_DAYS:
        return Moment("date", "day", _OTHER_EPOCH)
    if name in _SAS_PERIODS:
        return Moment("date", "day", _OTHER_EPOCH, _SAS_PERIODS[name])
    if name in _SAS_TIMES:
        return Moment("datetime", "second", _OTHER_EPOCH, step="minute" if name == "DATETIME" and 13 <= width < 16 else None)
    if name in _SAS_NUMBERS:
        return Digits(decimals + 2 if name == "PERCENT" else decimals)
    return Digits(None) if name == "BEST" else None


def format_of(text: str | None, program: str) -> Format | None:
    """The meaning of a format; None if it is not known, such as a SAS format that a catalogue defines."""
    if not text:
        return Digits(None)
    if program == "Stata":
        return _stata(text)
    name = text.upper().rstrip("0123456789.")
    width, _, decimals = text[len(name) :].partition(".")
    return (_spss if program == "SPSS" else _sas)(name, int(width or 0), int(decimals or 0))


# ----------------------------------------------------------------------------------------------
# Days and times.

_MONTHS_IN = {"month": 1, "quarter": 3, "half": 6}
_FAR = 9e16  # seconds; NumPy counts as far, and every domain ends before


def moments_of(numbers: NDArray[Any], how: Moment) -> NDArray[Any]:
    """Days and times in seconds. A day that lies too far stays far, on its side."""
    import numpy as np

    known = np.isfinite(numbers) | np.isinf(numbers)
    count = np.where(known, numbers, 0.0)
    if how.unit in _MONTHS_IN:
        months = np.clip(np.floor(count) * _MONTHS_IN[how.unit], -1e9, 1e9).astype("int64")
        found = (np.datetime64(how.epoch, "M") + months).astype("datetime64[s]")
    elif how.unit == "week":  # Stata's years have 52 weeks, and the last is longer
        weeks = np.clip(np.floor(count), -1e9, 1e9).astype("int64")
        years = (np.datetime64(how.epoch, "Y") + weeks // 52).astype("datetime64[D]")
        found = (years + 7 * (weeks % 52)).astype("datetime64[s]")
    else:
        scale = {"second": 1.0, "millisecond": 1e-3, "day": 86400.0}[how.unit]
        with np.errstate(over="ignore"):
            seconds = np.clip(np.floor(count * scale), -_FAR, _FAR).astype("int64")
        found = np.datetime64(how.epoch, "s") + seconds
    result: NDArray[Any] = np.where(known, found, np.datetime64("NaT", "s"))
    return result


def _period_start(moments: NDArray[Any], bins: str | None) -> Any:
    """The first day of the period that a format shows, for such days are in a file of this format."""
    import numpy as np

    if bins == "week":  # weeks begin with the year, in SPSS and in Stata
        days, years = moments.astype("datetime64[D]"), moments.astype("datetime64[Y]").astype("datetime64[D]")
        weeks = np.minimum((days - years).astype("int64") // 7, 51)
        return (years + 7 * weeks).astype("datetime64[s]")
    if bins == "quarter":
        months = moments.astype("datetime64[M]").astype("int64")
        return (months // 3 * 3).astype("datetime64[M]").astype("datetime64[s]")
    return moments.astype({"month": "datetime64[M]", "year": "datetime64[Y]"}.get(bins or "", "datetime64[s]")).astype("datetime64[s]")


def numbers_of(moments: NDArray[Any], how: Moment) -> NDArray[Any]:
    """The reverse of `moments_of`: numbers, and NaN in place of NaT."""
    import numpy as np

    known = ~np.isnat(moments)
    found = _period_start(np.where(known, moments, np.datetime64(how.epoch, "s")), how.bins)
    if how.unit in _MONTHS_IN:
        months = found.astype("datetime64[M]").astype("int64") - np.datetime64(how.epoch, "M").astype("int64")
        count = (months // _MONTHS_IN[how.unit]).astype("float64")
    elif how.unit == "week":
        years = found.astype("datetime64[Y]")
        days = (found.astype("datetime64[D]") - years.astype("datetime64[D]")).astype("int64")
        past = years.astype("int64") - np.datetime64(how.epoch, "Y").astype("int64")
        count = (past * 52 + days // 7).astype("float64")
    else:
        seconds = (found - np.datetime64(how.epoch, "s")).astype("int64").astype("float64")
        count = seconds * {"second": 1.0, "millisecond": 1e3, "day": 1 / 86400}[how.unit]
    result: NDArray[Any] = np.where(known, count, np.nan)
    return result


# ----------------------------------------------------------------------------------------------
# One column.


MEASURED = 6
"""Numbers that are shown with as many digits after the point are measured, as in drafts."""


@dataclass(frozen=True)
class Codebook:
    """The metadata of a column."""

    name: str
    title: str
    """The label of the column, such as its question; may be empty."""
    storage: str
    """"text", "whole" (integers), "single" (32-bit numbers) or "number"."""
    format: Format | None
    shown_as: str
    """The format's text; may be empty."""
    level: str
    """"nominal", "ordinal", "scale" or "unknown"."""
    labels: Mapping[Code, str] = field(default_factory=dict)
    """Labels of all codes, by ascending code."""
    ranges: tuple[tuple[Code, Code], ...] = ()
    """Ranges of missing codes, with both ends."""
    has_tags: bool = False
    """Whether the file's numbers can be tagged missing values, as in Stata and SAS."""
    zone: str = ""
    """The zone of times that are instants, as in R; empty for times of a clock."""

    @property
    def missing(self) -> dict[Code, str]:
        """The missing codes with a value of their own, ascending, with their labels: each single code, each code of
        a range that has a label, and all whole numbers of a short range.
        """
        found: dict[Code, str] = {}
        for low, high in self.ranges:
            if low == high:
                found[low] = ""
            elif isinstance(low, float) and isinstance(high, float) and high - low < MOST_LISTED:
                found |= {float(code): "" for code in range(math.ceil(low), math.floor(high) + 1)}
        found |= {code: "" for code in self.labels if self.is_missing(code)}
        return {code: self.labels.get(code, "") or "missing" for code in sorted(found, key=_order)}

    @property
    def valid(self) -> dict[Code, str]:
        """The labelled codes that are not missing, ascending."""
        return {code: label for code, label in self.labels.items() if not self.is_missing(code)}

    def is_tag(self, code: Code) -> bool:
        return self.has_tags and tag_of(code) is not None

    def is_missing(self, code: Code) -> bool:
        if self.is_tag(code):
            return True
        if isinstance(code, str):
            return (code, code) in self.ranges
        return any(low <= code <= high for low, high in self.ranges if not isinstance(low, str) and not isinstance(high, str))

    @property
    def decimals(self) -> int | None:
        """Digits after the point; 0 for integers, None if nobody knows, and if six or more are shown: then the numbers
        are measured, and not written in steps.
        """
        if self.storage == "whole":
            return 0
        shown = self.format.decimals if isinstance(self.format, Digits) else None
        return shown if shown is not None and shown < MEASURED else None

    def clean(self, values: list[Any]) -> Any:
        """The column's values for a release. Missing codes stay; what else lies in a range of missing codes, and a
        tagged missing value without a label, has no code of its own and becomes a null.
        """
        import numpy as np

        if self.storage == "text":
            return [None if one is None else one.rstrip(" ") for one in values]
        letters = [one if isinstance(one, str) else "" for one in values] if any(isinstance(one, str) for one in values) else []
        numbers = np.array([math.nan if letter else one for letter, one in zip(letters, values)] if letters else values, "float64")
        if self.storage == "single":  # the shortest text of a 32-bit number, as its writer saw it
            known = np.isfinite(numbers)
            numbers[known] = numbers[known].astype("float32").astype(str).astype("float64")
        named = self.missing
        lost = np.zeros(len(numbers), bool)
        for low, high in self.ranges:
            lost |= (numbers >= low) & (numbers <= high)
        numbers[lost & ~np.isin(numbers, list(named))] = np.nan
        codes = {letter: tag_code(letter) for letter in set(letters) - {""}}
        for place, letter in enumerate(letters):
            if letter and codes[letter] in named:
                numbers[place] = codes[letter]
        if not isinstance(self.format, Moment):
            return numbers
        return _on_clock(self.moments(numbers), self.zone) if self.zone else self.moments(numbers)

    def moments(self, numbers: Any) -> Any:
        """Numbers of the file as days or times, in seconds. Requires a format of days or times."""
        import numpy as np

        assert isinstance(self.format, Moment)
        found = moments_of(numbers, self.format)
        for code in filter(self.is_tag, self.labels):
            found[numbers == code] = np.datetime64(FIRST_TAGGED_DAY, "s") + np.timedelta64(int(float(code) - FIRST_TAG), "D")
        return found.astype("datetime64[D]").astype("datetime64[s]") if self.format.type == "date" else found

    def day_codes(self) -> dict[float, str]:
        """The missing codes of a column of days or times, as days or times."""
        import numpy as np

        codes = [code for code in self.missing if isinstance(code, float)]
        assert isinstance(self.format, Moment)
        if not codes:
            return {}
        kind = "datetime64[D]" if self.format.type == "date" else "datetime64[s]"
        return dict(zip(codes, self.moments(np.array(codes)).astype(kind).astype(str).tolist()))


def _on_clock(instants: NDArray[Any], zone: str) -> Any:
    """Instants as pandas has them on a zone's clock, which reaches from year 1 to 9999."""
    import numpy as np
    import pandas

    near = np.clip(instants, np.datetime64("0001-01-02T00:00:00"), np.datetime64("9999-12-30T00:00:00"))
    known = pandas.DatetimeIndex(near).tz_localize("UTC")
    return known if zone == "Z" else known.tz_convert(zone)


def _order(code: Code) -> tuple[bool, Code]:
    return isinstance(code, str), code


# ----------------------------------------------------------------------------------------------
# What a domain's column follows from it.

_REST = {"null": "category", "outside": "null"}
"""Codes without a label become null."""


class Draft(NamedTuple):
    """A column of a domain, as far as metadata decide it."""

    settings: dict[str, Any]
    open: str
    """The missing settings and how to give them; empty if the column is complete."""
    note: str
    """The part of the metadata that decided, in a sentence."""


def types_of(column: Codebook) -> tuple[str, ...]:
    """The types that a caller may choose for a column by their name."""
    if isinstance(column.format, Moment):
        return (column.format.type,)
    return ("categorical", "ordinal") if column.storage == "text" else ("categorical", "ordinal", "integer", "number")


def draft(column: Codebook, kind: str | None = None) -> Draft:
    """The settings that follow from metadata. `kind` is one of `types_of`, if the caller knows better."""
    if column.storage == "text":
        return _words(column, kind)
    if isinstance(column.format, Moment):
        return _moments(column, column.format)
    if isinstance(column.format, Parts) and kind in (None, "ordinal", "categorical"):
        names: dict[Code, str] = {float(place): name for place, name in enumerate(column.format.names, 1)}
        named = dataclasses.replace(column, labels=names | dict(column.labels))
        return _category(named, kind or "ordinal", f"its format {column.shown_as} has {len(names)} values")
    is_chosen = kind is not None
    kind = kind or {"nominal": "categorical", "ordinal": "ordinal", "scale": "number"}.get(column.level, "")
    why = f"its level is {column.level}" if column.level != "unknown" else ""
    if not kind:
        kind, why = ("categorical", _count(column.valid)) if _is_category(column.valid) else ("number", _count(column.valid))
    if kind in ("number", "integer"):
        return _measure(column, why)
    made = _category(column, kind, why)
    codes = [code for code in column.valid if isinstance(code, float) and code.is_integer()]
    if not is_chosen and kind == "ordinal" and 2 <= len(column.valid) == len(codes) <= MOST_MARKS and codes[-1] - codes[0] > 2 * (len(codes) - 1):
        # If labels name the ends and the middle of a scale alone, the codes between them would become null.
        return made._replace(open=f"{why}, but labels name few of its codes: give the list of all codes, or \"{kind}\" if these are all")
    return made


def _count(labels: Mapping[Code, str]) -> str:
    return f"{len(labels) or 'no'} code{'s that are' if len(labels) != 1 else ' that is'} not missing {'have' if len(labels) != 1 else 'has'} a label"


def _is_category(labels: Mapping[Code, str]) -> bool:
    """Labels without a level make a category if they are many, or if they are two or more that name at least half
    of the whole numbers between them: otherwise they mark points of a measure, such as its ends.
    """
    codes = [code for code in labels if isinstance(code, float)]
    if len(codes) < 2 or len(codes) > MOST_MARKS:
        return len(codes) > MOST_MARKS
    return all(map(float.is_integer, codes)) and 2 * len(codes) >= codes[-1] - codes[0] + 1


def _words(column: Codebook, kind: str | None) -> Draft:
    kind = kind if kind in ("ordinal", "categorical") else "ordinal" if column.level == "ordinal" else "categorical"
    values = [*column.valid, *column.missing]
    settings = {"type": kind, "values": values, "verbatim": True, **_REST}
    why = f"it holds texts, and {_count(column.valid)}"
    return Draft(settings, "" if len(column.valid) > 1 else "texts without labels: give the list of its words", why)


def _category(column: Codebook, kind: str, why: str) -> Draft:
    valid, missing = [plain(code) for code in column.valid], column.missing
    if kind == "ordinal" and missing:  # a missing code has no place in the order
        whole = all(isinstance(one, int) for one in valid)
        settings = {"type": "integer" if whole else "number", "values": valid, "missing": _named(missing), **_REST}
    else:
        settings = {"type": kind, "values": [*valid, *map(plain, missing)], **_REST}
    lacks = "" if valid else f"{why or kind}, and no code has a label: give the list of its codes, or the least and the greatest one"
    return Draft(settings, lacks, why)


def _measure(column: Codebook, why: str) -> Draft:
    decimals = column.decimals
    settings: dict[str, Any] = {"type": "integer" if decimals == 0 else "number"}
    if decimals:
        settings["step"] = float(f"1e-{decimals}")
    if column.valid:
        settings["spikes"] = [plain(code) for code in column.valid]
    if column.missing:
        settings["missing"] = _named(column.missing)
    settings |= {"null": "category", "outside": "clip"}
    kind = "an integer" if decimals == 0 else f"a number with {decimals} decimal{'s' if decimals > 1 else ''}" if decimals else "a number"
    other = ", or \"categorical\" if its labels name all its values" if column.valid else ""
    return Draft(settings, f"{kind}: give the least and the greatest one{other}", why)


def _moments(column: Codebook, how: Moment) -> Draft:
    settings: dict[str, Any] = {"type": how.type}
    settings |= {key: value for key, value in (("bins", how.bins), ("step", how.step), ("zone", column.zone)) if value}
    missing: dict[str, str] = {}
    for code, day in column.day_codes().items():  # two codes may be times of one day
        label = _one_line(column.missing[code])
        missing[day] = f"{missing[day]} or {label}" if day in missing else label
    if missing:
        settings["missing"] = missing
    settings |= {"null": "category", "outside": "clip"}
    return Draft(settings, f"a {how.type}: give the first and the last day", f"its format is {column.shown_as}")


def _named(missing: Mapping[Code, str]) -> dict[Any, str]:
    return {plain(code): _one_line(label) for code, label in missing.items()}


def _one_line(label: str) -> str:
    """A label as a domain takes it, without control characters."""
    return " ".join("".join(" " if ord(one) < 32 or ord(one) == 127 else one for one in label).split()) or "missing"


# ----------------------------------------------------------------------------------------------
# What the caller adds.

_NUMBERS = ("integer", "number")
_MOMENTS = ("date", "datetime")

def with_bounds(settings: Mapping[str, Any], least: Any, greatest: Any, missing: Iterable[Code]) -> dict[str, Any]:
    """The settings between these bounds; of categories the whole numbers from one to the other."""
    if settings["type"] in (*_NUMBERS, *_MOMENTS) and "values" not in settings:
        return finished(dict(settings) | {"min": least, "max": greatest})
    whole = range(operator.index(least), operator.index(greatest) + 1)
    return with_values(settings, list(whole[: MOST_VALUES + 1]), missing)  # a domain refuses more


def with_values(settings: Mapping[str, Any], values: list[Any], missing: Iterable[Code]) -> dict[str, Any]:
    """The settings with these values in place of all others, except the missing codes."""
    made = dict(settings)
    if made["type"] in _NUMBERS:
        made = {key: one for key, one in made.items() if key not in ("step", "spikes")}
        return made | {"values": values, "outside": "null"}
    return made | {"values": [*values, *(plain(one) for one in missing if plain(one) not in values)]}


def merged(settings: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """A declaration of the caller, with what the metadata add to it: missing codes, steps, labelled points."""
    kind, old = given.get("type"), settings["type"]
    keys = ["null"]
    if kind in _NUMBERS and old in _NUMBERS:
        keys += ["missing", "outside"]
        if "values" not in given:
            keys += ["spikes", *(["step"] if kind == old else [])]
    elif kind in _MOMENTS and kind == old:
        keys += ["missing", "outside", "step", "bins", "zone"]
    elif kind in ("categorical", "ordinal"):
        keys += ["outside"]
        return dict(given) | {key: value for key, value in _REST.items() if key not in given}
    kept = {key: settings[key] for key in keys if key in settings and key not in given}
    if "values" in given and "outside" in kept:
        kept["outside"] = "null"
    return finished(dict(given) | kept)


def finished(made: dict[str, Any]) -> dict[str, Any]:
    """Settings that a domain takes: spikes only next to cells and inside of them, and a step that can write both the
    numbers and the missing codes.
    """
    ends = made.get("edges") or [made.get("min"), made.get("max")]
    least, greatest = ends[0], ends[-1]
    has_ends = all(isinstance(one, numbers.Real) and math.isfinite(one) for one in (least, greatest))
    if made["type"] in _NUMBERS and "spikes" in made:
        inside = [one for one in made["spikes"] if has_ends and least <= one <= greatest]
        made.pop("spikes")
        if inside and ("bins" in made and made["bins"] != "private" or "edges" in made):
            made["spikes"] = inside
    codes = [abs(code) for code in made.get("missing", ()) if isinstance(code, (int, float))]
    if made["type"] == "number" and codes and "step" not in made and "values" not in made and has_ends and greatest > least:
        fine = max(math.floor(math.log10(greatest - least)) - 6, math.ceil(math.log10(max(*codes, abs(least), abs(greatest)) / 2**52)))
        made["step"] = float(f"1e{fine}")
    return made
