"""Labelled files of SPSS, Stata and SAS become a private table and a domain, and releases become such files."""

import datetime
import math
import os
import sys

import numpy as np
import pytest

import mollify as mo
from mollify import _codebook, _labelled

pd = pytest.importorskip("pandas")
pyreadstat = pytest.importorskip("pyreadstat")

NAN = math.nan
DAY, TIME = datetime.date(2020, 3, 1), datetime.datetime(2020, 3, 1, 12, 30)
ENOUGH = {"epsilon": 1000, "accept_error": True}


def sav(folder, values, name="it.sav", **metadata):
    path = folder / name
    pyreadstat.write_sav(pd.DataFrame(values), path, **metadata)
    return path


def objects(values):
    return pd.Series(values, dtype=object)


def released(domain, data, count=400):
    """A release of 50 copies of each row, which makes noise small. If its 400 records were independent, a share of 0.25
    would be off by 0.11 with a probability of 1e-6, and smaller shares less; a method draws them more evenly.
    """
    many = pd.concat([data] * 50, ignore_index=True) if isinstance(data, pd.DataFrame) else data
    return mo.Marginals(domain, count=count, **ENOUGH).sample(many)


def shares(values):
    found = pd.Series(values).value_counts(dropna=False, normalize=True)
    return {None if isinstance(one, float) and math.isnan(one) else one: share for one, share in found.items()}


def months(days):
    return [None if pd.isna(one) else (one.year, one.month) for one in days]


def moments(days):
    return [None if pd.isna(one) else pd.Timestamp(one) for one in days]


@pytest.fixture
def survey(tmp_path):
    """An SPSS file with columns of all kinds, 60 rows."""
    return sav(
        tmp_path,
        {
            "agree": [1.0, 2, 3, 4, 5, 97, 98, 99, NAN, 1] * 6,
            "region": [10.0, 20, 30, 10, 20, 30, 10, 20, 55, NAN] * 6,
            "age": [20.0, 30, 40, 50, 60, 70, -1, -2, -7, NAN] * 6,
            "income": [1.25, 2.5, 9999.99, 3, 4, 5, 6, 7, 8, NAN] * 6,
            "plan": ["a", "b", "XX", "c", "", "a", "b", "a", "b", "a"] * 6,
            "town": ["Ghent", "Lille"] * 30,
            "day": [DAY, DAY, DAY, DAY, None] * 12,
            "at": [TIME] * 60,
            "month": [13797302400.0] * 60,
            "weekday": [1.0, 7, NAN] * 20,
            "rating": [0.0, 10, 5, 7, 3, 8] * 10,
        },
        column_labels={"agree": "How far do you agree?"},
        variable_value_labels={
            "agree": {5: "fully", 1: "not at all", 2: "hardly", 3: "partly", 4: "mostly", 97: "refused", 98: "does not know"},
            "region": {20: "other", 10: "North", 30: "other"},
            "age": {-1: "refused", -2: "not asked"},
            "plan": {"b": "Basic", "a": "All", "XX": "unreadable"},
            "rating": {0: "worst", 10: "best"},
        },
        missing_ranges={"agree": [{"lo": 97, "hi": 99}], "age": [{"lo": -math.inf, "hi": -1}], "income": [9999.99], "plan": ["XX"]},
        variable_measure={"agree": "ordinal", "region": "nominal", "age": "scale", "income": "scale", "plan": "nominal", "rating": "scale"},
        variable_format={"age": "F3.0", "income": "F8.2", "month": "MOYR8", "weekday": "WKDAY9", "at": "DATETIME17", "rating": "F2.0"},
    )


ADDED = {
    "age": (0, 120), "income": mo.number(0, 100, bins=4), "town": ["Ghent", "Lille"], "day": (datetime.date(2020, 1, 1), "2020-12-31"),
    "at": mo.datetime("2020-01-01", "2020-12-31", bins="month"), "month": ("2019-01-01", "2020-12-31"), "rating": mo.integer(0, 10, bins=3),
}  # fmt: skip


def test_metadata_make_the_columns(survey):
    labelled = mo.read_labelled(survey)
    rest = {"null": "category", "outside": "null"}
    clip = {"null": "category", "outside": "clip"}
    assert labelled.columns == {
        "agree": {"type": "integer", "values": [1, 2, 3, 4, 5], "missing": {97: "refused", 98: "does not know", 99: "missing"}, **rest},
        "region": {"type": "categorical", "values": [10, 20, 30], **rest},
        "age": {"type": "integer", "missing": {-2: "not asked", -1: "refused"}, **clip},
        "income": {"type": "number", "step": 0.01, "missing": {9999.99: "missing"}, **clip},
        "plan": {"type": "categorical", "values": ["a", "b", "XX"], "verbatim": True, **rest},
        "town": {"type": "categorical", "values": [], "verbatim": True, **rest},
        "day": {"type": "date", **clip},
        "at": {"type": "datetime", "step": "minute", **clip},
        "month": {"type": "date", "bins": "month", **clip},
        "weekday": {"type": "ordinal", "values": [1, 2, 3, 4, 5, 6, 7], **rest},
        "rating": {"type": "integer", "spikes": [0, 10], **clip},
    }
    assert list(labelled.open) == ["age", "income", "town", "day", "at", "month", "rating"]
    assert labelled.open["age"] == "an integer: give the least and the greatest one"
    assert labelled.titles == {"agree": "How far do you agree?"}
    assert labelled.missing["agree"] == {97: "refused", 98: "does not know", 99: "missing"}
    assert "public only if the codebook" in labelled.notes[0]


def test_the_table_keeps_missing_codes(survey):
    data = mo.read_labelled(survey).data
    assert data["agree"].dropna().tolist()[:8] == [1, 2, 3, 4, 5, 97, 98, 99]
    age = data["age"].tolist()[:10]
    assert age[6:8] == [-1, -2]
    assert math.isnan(age[8]) and math.isnan(age[9])  # -7 lies in the range of missing codes, without a label
    assert 9999.99 in data["income"].tolist() and "XX" in data["plan"].tolist()
    assert data["day"].dtype == data["at"].dtype == "datetime64[s]"


def test_a_domain_completes_what_is_open(survey):
    labelled = mo.read_labelled(survey)
    domain = labelled.domain(**ADDED)
    assert list(domain) == list(labelled.columns)
    assert domain.columns["income"]["missing"] and domain.columns["income"]["step"] == 0.01 and domain.columns["income"]["bins"] == 4
    assert domain.columns["rating"]["spikes"] == [0, 10]
    assert domain.notes[0] == labelled.notes[0] and len(domain.notes) == 12
    release = released(domain, labelled.data)
    found = shares(release["agree"])
    assert set(found) == {1, 2, 3, 4, 5, 97, 98, 99, None} and abs(found[97] - 0.1) < 0.075
    assert set(release["age"]) <= {*range(121), -1, -2, None} and abs(shares(release["age"])[None] - 0.2) < 0.11
    assert all(one.second == 0 for one in release["at"] if one)
    assert set(release["region"]) == {10, 20, 30, None}  # 55 has no label
    assert {one for one in release["income"] if one is not None and one > 100} == {9999.99}


def test_what_stays_open_is_refused(survey):
    labelled = mo.read_labelled(survey)
    with pytest.raises(mo.InvalidInput) as refused:
        labelled.domain(age=(0, 120))
    assert refused.value.code == "missing-parameter"
    assert '"income" (a number with 2 decimals: give the least and the greatest one)' in str(refused.value) and "and 1 more" in str(refused.value)
    assert list(labelled.domain(columns=["region", "agree"])) == ["region", "agree"]
    assert list(labelled.domain(ADDED, exclude=["town"], age=None)) == [one for one in labelled.columns if one not in ("age", "town")]
    with pytest.raises(mo.InvalidInput, match='has no column "agre" .did you mean "agree"') as refused:
        labelled.domain(agre=(0, 1))
    assert refused.value.code == "unknown-column"
    for wrong in (3, {1, 2}, "word", "date"):
        with pytest.raises(mo.InvalidInput, match="^age "):
            labelled.domain(ADDED, age=wrong)
    with pytest.raises(mo.InvalidInput, match='day can have the type date, but is "ordinal"'):
        labelled.domain(ADDED, day="ordinal")
    with pytest.raises(mo.InvalidInput, match="town must be bounds"):
        labelled.domain(ADDED, town=3)
    for part in ("columns", "exclude"):
        with pytest.raises(mo.InvalidInput, match=f"{part} must be a list of names, but is 3"):
            labelled.domain(ADDED, **{part: 3})
    with pytest.raises(mo.InvalidInput, match="columns must be added by their names in a mapping, but you gave 3"):
        labelled.domain(3)
    with pytest.raises(mo.InvalidInput, match="encoding must be a text, but is 3"):
        mo.read_labelled(survey, encoding=3)


def test_a_caller_who_knows_better(survey):
    labelled = mo.read_labelled(survey)
    domain = labelled.domain(ADDED, region="ordinal", rating="categorical", weekday="categorical", plan=["c", "a"])
    assert domain.columns["region"] == {"type": "ordinal", "values": ["10", "20", "30"], "null": "category", "outside": "null"}
    assert domain.columns["rating"]["values"] == ["0", "10"]
    assert domain.columns["weekday"]["type"] == "categorical" and len(domain.columns["weekday"]["values"]) == 7
    assert domain.columns["plan"]["values"] == ["c", "a", "XX"]
    frame = labelled.with_labels(released(domain, labelled.data))
    assert frame["rating"].dtype.categories.tolist() == ["worst", "best"] and frame["region"].dtype.ordered
    assert frame["plan"].dtype.categories.tolist() == ["[c]", "All", "unreadable"]


def test_metadata_alone_decide(tmp_path, survey):
    """The same metadata with other values give the same columns."""
    frame, found = pyreadstat.read_sav(survey, user_missing=True, disable_datetime_conversion=True)
    for name in frame:
        frame[name] = ["z"] * 60 if found.readstat_variable_types[name] == "string" else [123456.5] * 60
    other = sav(
        tmp_path, frame, "other.sav", column_labels=found.column_names_to_labels, variable_value_labels=found.variable_value_labels,
        missing_ranges=found.missing_ranges, variable_measure=found.variable_measure,
        variable_format={name: one for name, one in found.original_variable_types.items() if one[0] != "A"},
    )  # fmt: skip
    one, two = mo.read_labelled(survey), mo.read_labelled(other)
    assert (one.columns, one.open, one.labels, one.missing, one.titles) == (two.columns, two.open, two.labels, two.missing, two.titles)
    assert one.domain(ADDED) == two.domain(ADDED)


def metadata_of(path):
    reader = pyreadstat.read_dta if path.suffix == ".dta" else pyreadstat.read_sav
    found = reader(path, metadataonly=True)[1]
    parts = ("column_names_to_labels", "variable_value_labels", "missing_ranges", "variable_measure", "original_variable_types", "readstat_variable_types")
    return {part: getattr(found, part) for part in parts}


@pytest.mark.parametrize("suffix", [".sav", ".zsav"])
def test_spss_round_trip(survey, tmp_path, suffix):
    labelled = mo.read_labelled(survey)
    domain = labelled.domain(ADDED)
    release = released(domain, labelled.data)
    path = tmp_path / f"released{suffix}"
    mo.write_labelled(release, path, like=labelled)
    before, after = metadata_of(survey), metadata_of(path)
    before["original_variable_types"] |= {name: after["original_variable_types"][name] for name in ("plan", "town")}  # widths of texts
    assert before == after
    again = mo.read_labelled(path)
    assert (again.columns, again.open, again.labels, again.missing) == (labelled.columns, labelled.open, labelled.labels, labelled.missing)
    for name in ("agree", "region", "age", "income", "plan", "town", "weekday", "rating", "day", "at"):
        found = [None if one == "" or pd.isna(one) else one for one in again.data[name].tolist()]
        assert found == (moments(release[name]) if name in ("day", "at") else release[name]), name
    assert set(again.data["month"].dropna().dt.day) == {1}
    assert months(again.data["month"]) == months(release["month"])
    with pytest.raises(mo.InvalidInput) as refused:
        mo.write_labelled(release, path, like=labelled)
    assert refused.value.code == "file-exists"
    mo.write_labelled(release[["age", "plan"]][:3], path, like=labelled, overwrite=True)
    assert list(mo.read_labelled(path).data) == ["age", "plan"] and len(mo.read_labelled(path).data) == 3
    with pytest.raises(mo.InvalidInput) as refused:
        mo.write_labelled(release, survey, like=labelled, overwrite=True)
    assert refused.value.code == "same-file"


def test_labels_in_place_of_codes(survey):
    labelled = mo.read_labelled(survey)
    release = released(labelled.domain(ADDED), labelled.data)
    frame = labelled.with_labels(release)
    region, agree = frame["region"].dtype, frame["agree"].dtype
    assert region.categories.tolist() == ["North", "other [20]", "other [30]"] and not region.ordered
    assert agree.categories.tolist() == ["not at all", "hardly", "partly", "mostly", "fully", "refused", "does not know", "missing"]
    assert shares(frame["agree"])["refused"] == shares(release["agree"])[97]
    assert frame["age"].dtype == "Int64" and not agree.ordered
    assert frame["plan"].dtype.categories.tolist() == ["All", "Basic", "unreadable"]
    with pytest.raises(mo.InvalidInput):
        labelled.with_labels(frame)


# ---- which columns are categories


def column(labels=(), ranges=(), level="unknown", storage="number", shown="", program="SPSS"):
    text = storage == "text"
    kept = {code if text else float(code): label for code, label in dict(labels).items()}
    made = _codebook.Codebook("x", "", storage, None if text else _codebook.format_of(shown, program), shown, level, kept, tuple(ranges), program != "SPSS")
    return _codebook.draft(made)


@pytest.mark.parametrize(
    ("labels", "kind"),
    [
        ({1: "male", 2: "female"}, "categorical"),
        ({0: "no", 1: "yes"}, "categorical"),
        ({1: "yes", 3: "no"}, "categorical"),
        ({0: "none"}, "number"),
        ({0: "worst", 10: "best"}, "number"),
        ({0: "none", 50: "half", 96: "96 or more"}, "number"),
        ({4: "Afghanistan", 8: "Albania", 12: "Algeria", 894: "Zambia"}, "categorical"),
        ({}, "number"),
        ({-9: "refused"}, "number"),
    ],
)
def test_labels_without_a_level(labels, kind):
    found = column(labels, [(-9.0, -9.0)])
    assert found.settings["type"] == kind
    assert bool(found.open) == (kind == "number")
    assert "label" in found.note


def test_labels_of_texts():
    found = column({"b": "Basic", "a": "All", "X": "unreadable"}, [("X", "X")], storage="text")
    assert found.settings["values"] == ["b", "a", "X"] and not found.open
    assert column({"a": "All", "X": "unreadable"}, [("X", "X")], storage="text").open == "texts without labels: give the list of its words"


def test_a_level_decides_before_labels():
    both = {1: "male", 2: "female"}
    assert column(both, level="scale").settings == {"type": "number", "spikes": [1, 2], "null": "category", "outside": "clip"}
    assert '"categorical" if its labels name all its values' in column(both, level="scale").open
    assert column(both, level="ordinal").settings["type"] == "ordinal"
    assert column({0: "worst", 10: "best"}, level="nominal").settings["values"] == [0, 10]
    assert "give the list of its codes" in column({}, level="nominal").open
    assert column({0.5: "half", 1: "one"}, [(9.0, 9.0)], level="ordinal").settings == {
        "type": "number", "values": [0.5, 1], "missing": {9: "missing"}, "null": "category", "outside": "null"
    }  # fmt: skip


@pytest.mark.parametrize(
    ("ranges", "labels", "missing"),
    [
        ([(97.0, 99.0)], {}, [97, 98, 99]),
        ([(97.0, 99.0)], {98: "refused"}, [97, 98, 99]),
        ([(-math.inf, -1.0)], {-1: "refused", -8: "other", 3: "three"}, [-8, -1]),
        ([(90.0, math.inf), (0.0, 0.0)], {90: "none"}, [0, 90]),
        ([(96.5, 99.5)], {}, [97, 98, 99]),
        ([(0.0, 100.0)], {}, []),
    ],
)
def test_ranges_of_missing_codes(ranges, labels, missing):
    found = column(labels, ranges, level="scale")
    assert list(found.settings.get("missing", {})) == missing


@pytest.mark.parametrize(
    ("program", "shown", "meaning"),
    [
        ("SPSS", "F8.2", 2), ("SPSS", "F3", 0), ("SPSS", "COMMA10.1", 1), ("SPSS", "E10.3", None), ("SPSS", "PCT5", 0), ("SPSS", "TIME8", 0),
        ("SPSS", "DATE11", ("date", None, None)), ("SPSS", "MOYR8", ("date", "month", None)), ("SPSS", "QYR8", ("date", "quarter", None)),
        ("SPSS", "DATETIME20", ("datetime", None, None)), ("SPSS", "DATETIME17", ("datetime", None, "minute")), ("SPSS", "YMDHMS16", ("datetime", None, "minute")),
        ("Stata", "%9.2f", 2), ("Stata", "%12.0fc", 0), ("Stata", "%-9.0g", None), ("Stata", "%9.0f", 0), ("Stata", "%10.3e", None),
        ("Stata", "%td", ("date", None, None)), ("Stata", "%d", ("date", None, None)), ("Stata", "%tdD_m_Y", ("date", None, None)),
        ("Stata", "%tm", ("date", "month", None)), ("Stata", "%tq", ("date", "quarter", None)), ("Stata", "%th", ("date", "quarter", None)),
        ("Stata", "%tw", ("date", "week", None)), ("Stata", "%ty", 0), ("Stata", "%tc", ("datetime", None, None)),
        ("Stata", "%tcCCYY-NN-DD_HH:MM", ("datetime", None, "minute")), ("Stata", "%tcCCYY-NN-DD_HH:MM:SS", ("datetime", None, None)),
        ("SAS", "BEST12.", None), ("SAS", "8.2", 2), ("SAS", "F8", 0), ("SAS", "COMMA10.2", 2), ("SAS", "PERCENT8.1", 3), ("SAS", "DATE9", ("date", None, None)),
        ("SAS", "YYMMDD10", ("date", None, None)), ("SAS", "E8601DA", ("date", None, None)), ("SAS", "MONYY7", ("date", "month", None)),
        ("SAS", "DATETIME20.", ("datetime", None, None)), ("SAS", "DATETIME13", ("datetime", None, "minute")), ("SAS", "TIME20.3", 3), ("SAS", "MYFMT", "unknown"),
    ],
)  # fmt: skip
def test_formats(program, shown, meaning):
    found = _codebook.format_of(shown, program)
    if isinstance(found, _codebook.Moment):
        found = (found.type, found.bins, found.step)
    elif isinstance(found, _codebook.Digits):
        found = found.decimals
    else:
        found = "unknown"
    assert found == meaning


@pytest.mark.parametrize("unit", ["second", "millisecond", "day", "week", "month", "quarter", "half"])
def test_days_are_counted_as_in_the_file(unit):
    bins = {"week": "week", "month": "month", "quarter": "quarter"}.get(unit)
    how = _codebook.Moment("date", unit, "1960-01-01", bins)
    size = {"second": 86400, "millisecond": 86400000}.get(unit, 1)
    numbers = np.array([*range(-700, 700), math.nan]) * size
    found = _codebook.numbers_of(_codebook.moments_of(numbers, how), how)
    assert np.array_equal(found, numbers, equal_nan=True)
    known = {"week": (52, "1961-01-01"), "month": (720, "2020-01-01"), "quarter": (-1, "1959-10-01"), "half": (121, "2020-07-01"), "day": (21975, "2020-03-01")}
    if unit in known:
        count, day = known[unit]
        assert str(_codebook.moments_of(np.array([float(count)]), how)[0])[:10] == day


def test_days_with_missing_codes(tmp_path):
    """A code is a number of seconds, here 1970-01-15, and in a format of months no first day of one."""
    code, day = 12220588800.0, 13797302400.0
    path = sav(tmp_path, {"day": [code, day, NAN], "month": [code, day, NAN]}, variable_format={"day": "DATE11", "month": "MOYR8"},
               missing_ranges={"day": [code], "month": [code]}, variable_value_labels={"day": {code: "unknown"}})  # fmt: skip
    labelled = mo.read_labelled(path)
    assert labelled.columns["day"]["missing"] == {"1970-01-15": "unknown"} and labelled.columns["month"]["missing"] == {"1970-01-15": "missing"}
    domain = labelled.domain(day=("2019-01-01", "2021-12-31"), month=("2019-01-01", "2021-12-31"))
    for place, wanted in enumerate([code, day, None]):
        release = mo.Integral(domain, epsilon=600).sample(labelled.data[place : place + 1])
        mo.write_labelled(release, tmp_path / f"{place}.sav", like=labelled)
        found, metadata = pyreadstat.read_sav(tmp_path / f"{place}.sav", user_missing=True, disable_datetime_conversion=True)
        assert metadata.missing_ranges["month"] == [{"lo": code, "hi": code}]
        assert [None if pd.isna(one) else one for one in found["day"]] == [wanted]
        if wanted == code:
            assert found["month"].tolist() == [code]


def test_a_file_without_rows(tmp_path):
    labelled = mo.read_labelled(sav(tmp_path, {"x": np.array([], "float64"), "day": np.array([], "float64")}, variable_format={"day": "DATE11"}))
    assert len(labelled.data) == 0 and list(labelled.data) == ["x", "day"] and list(labelled.open) == ["x", "day"]


def test_far_days_stay_on_their_side(tmp_path):
    """pyreadstat itself refuses such a file."""
    path = sav(tmp_path, {"at": [1e300, -1e300, 13797302400.0, NAN]}, variable_format={"at": "DATETIME20"})
    labelled = mo.read_labelled(path)
    method = mo.Integral(labelled.domain(at=mo.datetime("2000-01-01", "2030-12-31", bins="year")), epsilon=600)
    found = [method.sample(labelled.data[place : place + 1])["at"][0] for place in range(4)]
    assert [None if one is None else one.year for one in found] == [2030, 2000, 2020, None]


# ---- Stata


def dta(folder, values, name="it.dta", **metadata):
    path = folder / name
    pyreadstat.write_dta(pd.DataFrame(values), path, **metadata)
    return path


@pytest.fixture
def stata(tmp_path):
    return dta(
        tmp_path,
        {
            "job": objects([1, 2, "a", "b", None, 2, 1, 3, 1, 2] * 6),
            "pay": objects([10.5, "c", 20.25, None, 30.0, 40.0] * 10),
            "kids": np.array([0, 1, 2, 3, 4, 5] * 10, "int32"),
            "size": np.array([1.5, 2.5, 3.5] * 20),
            "day": [DAY] * 60,
            "month": np.array([720.0, 721, 722] * 20),
            "name": ["ann", "bob", "cy"] * 20,
        },
        column_labels={"job": "Do you work?"},
        variable_value_labels={"job": {2: "no", 1: "yes", 3: "sometimes", "a": "refused"}, "pay": {"c": "secret"}, "kids": {5: "five or more"}},
        missing_user_values={"job": ["a", "b"], "pay": ["c"]},
        variable_format={"month": "%tm", "size": "%9.1f"},
    )


STATA = {"pay": mo.number(0, 50, bins=5), "kids": mo.integer(0, 5), "size": (0, 5), "day": ("2020-01-01", "2020-12-31"), "name": ["ann", "bob", "cy"],
         "month": ("2019-01-01", "2021-12-31")}  # fmt: skip


def test_stata_tagged_missings(stata, tmp_path):
    labelled = mo.read_labelled(stata)
    assert labelled.columns["job"]["values"] == [1, 2, 3, 2147483622]
    assert labelled.columns["pay"]["missing"] == {2147483624: "secret"}
    assert labelled.columns["kids"] == {"type": "integer", "spikes": [5], "null": "category", "outside": "clip"}
    assert labelled.columns["month"]["bins"] == "month" and labelled.columns["size"]["step"] == 0.1
    job = labelled.data["job"].tolist()[:5]
    assert job[:3] == [1, 2, 2147483622] and math.isnan(job[3])  # .b has no label
    release = released(labelled.domain(STATA), labelled.data)
    assert abs(shares(release["job"])[2147483622] - 0.1) < 0.075 and abs(shares(release["job"])[None] - 0.2) < 0.11
    assert shares(release["pay"])[2147483624] > 0.07
    assert set(release["kids"]) <= set(range(6))
    frame = labelled.with_labels(release)
    assert frame["job"].dtype.categories.tolist() == ["yes", "no", "sometimes", "refused"]

    path = tmp_path / "released.dta"
    mo.write_labelled(release, path, like=labelled)
    before, after = metadata_of(stata), metadata_of(path)
    assert before["original_variable_types"].pop("name") and after["original_variable_types"].pop("name")
    assert before == after
    raw, found = pyreadstat.read_dta(path, user_missing=True)
    assert found.missing_user_values == {"job": ["a"], "pay": ["c"]} and "a" in raw["job"].tolist()
    again = mo.read_labelled(path)
    assert (again.columns, again.labels, again.missing) == (labelled.columns, labelled.labels, labelled.missing)
    for name in ("job", "pay", "kids", "size", "name"):
        assert [None if pd.isna(one) or one == "" else one for one in again.data[name].tolist()] == release[name], name
    assert months(again.data["month"]) == months(release["month"])


def test_stata_release_of_nulls_alone_keeps_its_columns(stata, tmp_path):
    """pyreadstat takes the type of a column from its values."""
    labelled = mo.read_labelled(stata)
    domain = labelled.domain(STATA, columns=["job", "kids"])
    release = mo.Integral(domain, epsilon=600).sample(pd.DataFrame({"job": [NAN], "kids": [NAN]}))
    assert release[0] == {"job": None, "kids": None}
    path = tmp_path / "nulls.dta"
    mo.write_labelled(release, path, like=labelled)
    again = mo.read_labelled(path)
    for name in ("job", "kids"):
        assert again.columns[name] == labelled.columns[name] and again.labels[name] == labelled.labels[name]


def test_stata_days_with_tagged_missings(tmp_path):
    path = dta(tmp_path, {"day": objects([21975.0, "a", 21976.0, None] * 20)}, variable_value_labels={"day": {"a": "unknown"}}, missing_user_values={"day": ["a"]},
               variable_format={"day": "%td"})  # fmt: skip
    labelled = mo.read_labelled(path)
    assert labelled.columns["day"]["missing"] == {"9999-12-01": "unknown"}
    release = released(labelled.domain(day=("2020-01-01", "2020-12-31")), labelled.data)
    assert abs(shares(release["day"])[datetime.date(9999, 12, 1)] - 0.25) < 0.11
    mo.write_labelled(release, tmp_path / "released.dta", like=labelled)
    again = mo.read_labelled(tmp_path / "released.dta")
    assert again.columns == labelled.columns and moments(again.data["day"]) == moments(release["day"])


def test_32_bit_numbers_keep_their_shortest_text():
    made = _codebook.Codebook("x", "", "single", _codebook.Digits(None), "", "unknown")
    assert made.clean([3.200000047683716, None, 0.10000000149011612])[[0, 2]].tolist() == [3.2, 0.1]


# ---- from one program to another


def test_spss_to_stata(survey, tmp_path):
    labelled = mo.read_labelled(survey)
    release = released(labelled.domain(ADDED, income=None, at=None), labelled.data)
    path = tmp_path / "released.dta"
    mo.write_labelled(release, path, like=labelled)
    again = mo.read_labelled(path)
    assert again.labels["agree"] == {1: "not at all", 2: "hardly", 3: "partly", 4: "mostly", 5: "fully", 2147483622: "refused", 2147483623: "does not know", 2147483624: "missing"}
    assert again.labels["region"] == labelled.labels["region"]
    wanted = [{97: 2147483622, 98: 2147483623, 99: 2147483624}.get(one, one) for one in release["agree"]]
    assert [None if pd.isna(one) else one for one in again.data["agree"].tolist()] == wanted
    assert again.columns["day"]["type"] == "date" and again.columns["month"]["bins"] == "month" and again.columns["age"]["type"] == "integer"
    assert moments(again.data["day"]) == moments(release["day"])


def test_stata_to_spss(stata, tmp_path):
    labelled = mo.read_labelled(stata)
    release = released(labelled.domain(STATA), labelled.data)
    path = tmp_path / "released.sav"
    mo.write_labelled(release, path, like=labelled)
    again = mo.read_labelled(path)
    assert again.labels == labelled.labels and again.columns["job"] == labelled.columns["job"] and again.missing == labelled.missing
    for name in ("job", "pay", "kids", "name"):
        assert [None if pd.isna(one) or one == "" else one for one in again.data[name].tolist()] == release[name], name
    assert moments(again.data["day"]) == moments(release["day"])


def test_missing_codes_without_labels_reach_stata(tmp_path):
    path = sav(tmp_path, {"x": [1.0, 2, 98, 99] * 15, "y": [0.5, 1.5, -5, 2] * 15}, missing_ranges={"x": [{"lo": 97, "hi": 99}], "y": [-5]})
    labelled = mo.read_labelled(path)
    release = released(labelled.domain(x=(1, 2), y=(0, 3)), labelled.data)
    mo.write_labelled(release, tmp_path / "x.dta", like=labelled)
    again = mo.read_labelled(tmp_path / "x.dta").data
    tags = {97: 2147483622, 98: 2147483623, 99: 2147483624}
    assert {98, 99} < set(release["x"]) and -5 in release["y"]
    assert [None if pd.isna(one) else one for one in again["x"]] == [tags.get(one, one) for one in release["x"]]
    assert (again["y"] == 2147483622).tolist() == [one == -5 for one in release["y"]]


def test_a_number_without_a_format_gets_no_step_in_spss(tmp_path):
    labelled = mo.read_labelled(dta(tmp_path, {"x": [0.1234567, 1.7654321] * 30}))
    assert "step" not in labelled.columns["x"]
    release = released(labelled.domain(x=mo.number(values=[0.1234567, 1.7654321])), labelled.data)
    mo.write_labelled(release, tmp_path / "x.sav", like=labelled)
    again = mo.read_labelled(tmp_path / "x.sav")
    assert again.columns["x"] == labelled.columns["x"]
    assert [None if pd.isna(one) else one for one in again.data["x"]] == release["x"]
    assert any(round(one, 4) != one for one in release["x"] if one is not None)


def test_with_labels_leaves_codes_out_of_a_measure(tmp_path):
    path = sav(
        tmp_path,
        {"lo": [1.0, 2, -5, 3] * 15, "size": [0.5, 1.5, -9, 2] * 15, "day": [13797302400.0, 13797302400 + 86400, 13500000000 // 86400 * 86400, NAN] * 15},
        variable_value_labels={"lo": {-5: "refused"}},
        missing_ranges={"lo": [-5], "size": [-9], "day": [13500000000 // 86400 * 86400]},
        variable_format={"lo": "F3.0", "size": "F8.2", "day": "DATE11"},
    )
    labelled = mo.read_labelled(path)
    release = released(labelled.domain(lo=(1, 3), size=(0, 3), day=("2019-01-01", "2020-12-31")), labelled.data)
    frame = labelled.with_labels(release)
    assert release["lo"].count(-5) > 0 and release["size"].count(-9) > 0
    assert frame["lo"].isna().tolist() == [one in (None, -5) for one in release["lo"]] and frame["lo"].dtype == "Int64"
    assert 1 <= frame["lo"].mean() <= 3 and frame["size"].min() >= 0
    assert frame["size"].isna().tolist() == [one in (None, -9) for one in release["size"]]
    early = [one is None or one.year < 2019 for one in release["day"]]
    assert frame["day"].isna().tolist() == early and sum(early) > release["day"].count(None)


def test_what_a_file_cannot_hold_is_refused(tmp_path):
    path = dta(tmp_path, {"x": np.array([1, 2], "int32")}, variable_value_labels={"x": {1: "é" * 70, 2: "b"}})
    labelled = mo.read_labelled(path)
    release = released(labelled.domain(), labelled.data, count=4)
    with pytest.raises(mo.InvalidInput, match="label of code 1 of column \"x\" has 140 bytes, and a file of SPSS holds 120. Write a .dta file"):
        mo.write_labelled(release, tmp_path / "r.sav", like=labelled)
    mo.write_labelled(release, tmp_path / "r.dta", like=labelled)
    assert mo.read_labelled(tmp_path / "r.dta").labels == labelled.labels
    halves = mo.read_labelled(sav(tmp_path, {"x": [0.5, 1.0]}, variable_value_labels={"x": {0.5: "half", 1: "one"}}, variable_measure={"x": "ordinal"}))
    release = released(halves.domain(), halves.data, count=4)
    with pytest.raises(mo.InvalidInput, match="not whole, and Stata has no such labels"):
        mo.write_labelled(release, tmp_path / "h.dta", like=halves)
    words = released(mo.Domain({"x": mo.categorical(["one", "two"], null="one", outside="one")}), {"x": ["one"] * 9}, count=4)
    with pytest.raises(mo.InvalidInput, match='column "x" of the records does not have the type'):
        mo.write_labelled(words, tmp_path / "w.sav", like=halves)
    for name in ("r.csv", "r.sas7bdat"):
        with pytest.raises(mo.InvalidInput, match="its name must end in .sav, .zsav, .dta"):
            mo.write_labelled(release, tmp_path / name, like=halves)
    assert not list(tmp_path.glob("*.part"))
    with pytest.raises(mo.InvalidInput, match="like must be what read_labelled gives"):
        mo.write_labelled(release, tmp_path / "w.sav", like=halves.data)


def test_other_columns_are_written_too(tmp_path):
    """Such as a unit, which is not a column of the domain."""
    labelled = mo.read_labelled(sav(tmp_path, {"x": [1.0, 2.0], "unit": ["a", "b"]}, variable_value_labels={"x": {1: "one", 2: "two"}}))
    release = released(mo.Domain({"x": mo.categorical([1, 2], null=1, outside=1), "new": mo.date("2020-01-01", "2020-01-09", null="2020-01-01", outside="clip"),
                                  "n": mo.integer(0, 3, null=0, outside="clip"), "word": mo.categorical(["u", "v"], null="u", outside="u")}),
                       {"x": [1, 2] * 9, "new": ["2020-01-02"] * 18, "n": [1, 2] * 9, "word": ["u", "v"] * 9}, count=9)  # fmt: skip
    for name in ("r.sav", "r.dta"):
        mo.write_labelled(release, tmp_path / name, like=labelled)
        again = mo.read_labelled(tmp_path / name)
        assert again.data["n"].tolist() == release["n"] and again.data["word"].tolist() == release["word"]
        assert [one.date() for one in again.data["new"]] == release["new"] and again.columns["n"]["type"] == "integer"


# ---- SAS


def test_sas_transport_file(tmp_path):
    frame = pd.DataFrame({"q1": [1.0, 2, NAN, 1], "s": ["a", "bb", "", "a"], "d": [DAY] * 4, "t": [TIME] * 4})
    pyreadstat.write_xport(frame, tmp_path / "it.xpt", file_format_version=5, variable_format={"q1": "8.1"})
    labelled = mo.read_labelled(tmp_path / "it.xpt")
    assert {name: one["type"] for name, one in labelled.columns.items()} == {"q1": "number", "s": "categorical", "d": "date", "t": "datetime"}
    release = released(labelled.domain(q1=[1, 2], s=["a", "bb"], d=("2020-01-01", "2020-12-31"), t=mo.datetime("2020-01-01", "2020-12-31", bins="month")), labelled.data, count=20)
    assert set(release["q1"]) <= {1, 2, None} and shares(release["d"])[DAY] > 0.5
    mo.write_labelled(release, tmp_path / "it.sav", like=labelled)
    assert mo.read_labelled(tmp_path / "it.sav").data["q1"].dropna().tolist() == [one for one in release["q1"] if one is not None]
    with pytest.raises(mo.InvalidInput, match="catalog is for .sas7bdat files"):
        mo.read_labelled(tmp_path / "it.xpt", catalog=tmp_path / "it.sas7bcat")


def test_sas_catalogue(tmp_path, monkeypatch):
    """No program writes .sas7bdat files except SAS. pyreadstat reads such files and catalogues as here."""

    class Found:
        column_names = ["sex", "code", "age"]
        column_names_to_labels = {"sex": "Sex", "code": None, "age": None}
        readstat_variable_types = {"sex": "double", "code": "string", "age": "double"}
        original_variable_types = {"sex": "SEXF", "code": "$C", "age": "AGEF"}
        variable_value_labels, missing_ranges = {}, {}
        variable_measure = {"sex": "unknown", "code": "unknown", "age": "unknown"}

    class Catalogue:
        value_labels = {"SEXF": {2.0: "female", 1.0: "male", "A": "refused"}, "$C": {"2": "two", "1": "one"}}

    rows = {"sex": [1.0, 2.0, "A", "B", None], "code": ["1", "2", "1", "3", ""], "age": [1.0, 2.0, 3.0, None, "Z"]}
    monkeypatch.setattr(pyreadstat, "read_sas7bdat", lambda *_, **asked: (None if asked.get("metadataonly") else rows, Found))
    monkeypatch.setattr(pyreadstat, "read_sas7bcat", lambda *_, **asked: (None, Catalogue))
    for name in ("it.sas7bdat", "it.sas7bcat"):
        (tmp_path / name).write_bytes(b"SAS")
    labelled = mo.read_labelled(tmp_path / "it.sas7bdat", catalog=tmp_path / "it.sas7bcat")
    assert labelled.columns["sex"]["values"] == [1, 2, 2147483622] and labelled.columns["code"]["values"] == ["1", "2"]
    assert labelled.labels["sex"] == {1: "male", 2: "female", 2147483622: "refused"}
    assert labelled.data["sex"].dropna().tolist() == [1, 2, 2147483622] and labelled.data["age"].isna().sum() == 2
    assert list(labelled.open) == ["age"]
    plain = mo.read_labelled(tmp_path / "it.sas7bdat")
    assert [name for name, note in zip(plain.columns, plain.notes[1:]) if "catalog=" in note] == ["sex", "code", "age"]


# ---- refusals


@pytest.mark.parametrize(
    ("name", "content", "code", "words"),
    [
        ("it.sav", b"a,b\n1,2\n", "malformed-file", "must be a file of SPSS, but is damaged or of another format"),
        ("it.dta", b"anna,s3cret\n1,2\n", "malformed-file", "must be a file of Stata, but is damaged or of another format"),
        ("it.sas7bdat", b"", "malformed-file", "must be a file of SAS, but is damaged or of another format"),
        ("it.csv", b"a\n1\n", "wrong-kind-of-file", "its name must end in .sav, .zsav, .dta, .sas7bdat, .xpt"),
        ("it.por", b"", "wrong-kind-of-file", "Save it as .sav in SPSS"),
        ("it.rda", b"", "wrong-kind-of-file", "In R, write one table by saveRDS(table, file)"),
        ("it.sav", None, "unreadable-file", "there is no such file"),
    ],
)
def test_bad_files(tmp_path, name, content, code, words):
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(mo.InvalidInput) as refused:
        mo.read_labelled(tmp_path / name)
    assert refused.value.code == code and words in str(refused.value) and "s3cret" not in str(refused.value)


def test_a_folder_a_cut_file_and_a_wrong_encoding(survey, tmp_path):
    (tmp_path / "folder.sav").mkdir()
    with pytest.raises(mo.InvalidInput, match="cannot be read"):
        mo.read_labelled(tmp_path / "folder.sav")
    (tmp_path / "cut.sav").write_bytes(survey.read_bytes()[:600])
    with pytest.raises(mo.InvalidInput, match="damaged"):
        mo.read_labelled(tmp_path / "cut.sav")
    with pytest.raises(mo.InvalidInput) as refused:
        mo.read_labelled(survey, encoding="no-such-encoding")
    assert refused.value.parameter == "encoding"


@pytest.mark.parametrize("package", ["pyreadstat", "pandas"])
def test_without_the_extra(survey, monkeypatch, package):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ImportError, match=rf'{package} is missing: pip install "mollify-dp\[labelled\]"'):
        mo.read_labelled(survey)


def test_the_command_names_the_reader(survey):
    """Both in a release and in a check, for a path in Python too."""
    method = mo.Integral({"x": mo.boolean(null=False, outside=False)}, epsilon=1, accept_error=True)
    with pytest.raises(mo.InvalidInput, match="mollify.read_labelled"):
        method.sample(survey)


def test_a_text_in_another_encoding(tmp_path):
    path = dta(tmp_path, {"x": ["é", "b"]})
    path.write_bytes(path.read_bytes().replace("é".encode(), b"\xe9 "))
    with pytest.raises(mo.InvalidInput, match='Pass their encoding, such as encoding="WINDOWS-1252"'):
        mo.read_labelled(path)
    assert mo.read_labelled(path, encoding="WINDOWS-1252").data["x"].tolist() == ["é", "b"]


def test_shown(survey):
    labelled = mo.read_labelled(survey)
    assert repr(labelled) == f"Labelled({os.fspath(survey)}: 11 columns, 7 of them open)"
    assert _labelled._SHOWN == 5


def test_labels_of_the_ends_leave_a_column_open(tmp_path):
    path = sav(tmp_path, {"often": [1.0, 2, 3, 4, 5]}, variable_value_labels={"often": {1: "never", 5: "always"}}, variable_measure={"often": "ordinal"})
    labelled = mo.read_labelled(path)
    assert "labels name few of its codes" in labelled.open["often"]
    with pytest.raises(mo.InvalidInput, match="often"):
        labelled.domain()
    assert labelled.domain(often=[1, 2, 3, 4, 5]).columns["often"]["values"] == ["1", "2", "3", "4", "5"]
    assert labelled.domain(often="ordinal").columns["often"]["values"] == ["1", "5"]


def test_labels_of_the_ends_and_the_middle_leave_a_column_open(tmp_path):
    """Seven of ten answers would become null, if three labels were all codes."""
    marks = {1: "left", 4: "centre", 7: "right"}
    labels = {"wing": marks, "part": {0: "none", 2: "half", 4: "all"}}
    path = sav(tmp_path, {name: [1.0, 2, 4, 7] for name in labels}, variable_value_labels=labels, variable_measure=dict.fromkeys(labels, "ordinal"))
    labelled = mo.read_labelled(path)
    assert list(labelled.open) == ["wing"] and "labels name few of its codes" in labelled.open["wing"]
    assert labelled.domain(wing=(1, 7)).columns["wing"]["values"] == list(map(str, range(1, 8)))


def test_notes_of_a_domain_follow_what_the_caller_declares(survey):
    """They are comments of the domain's file, so they must not tell what the metadata alone would have made."""
    labelled = mo.read_labelled(survey)
    domain = labelled.domain(**ADDED | {"age": mo.number(0, 120, bins=6), "rating": (0, 10)})
    notes = dict(zip(domain, domain.notes[1:]))
    assert notes["age"] == 'Column "age" is number, as you declared it. Its metadata show whole numbers, and released ones have decimals: mo.integer makes whole ones.'
    assert notes["rating"] == 'Column "rating" is integer, as you declared it.'
    assert notes["agree"] == labelled.notes[1]


@pytest.mark.parametrize("zone", ["Europe/Berlin", "+05:30", None])
def test_a_file_shows_times_as_their_clock(tmp_path, survey, zone):
    """Files of SPSS and Stata have no zones, and a program of the real file reads the clock of its column."""
    labelled = mo.read_labelled(survey)
    domain = mo.Domain({"at": mo.datetime("2020-06-01T12:00:00", "2020-06-01T12:00:09", zone=zone, outside="clip")})
    release = released(domain, {"at": ["2020-06-01T12:00:05"] * 400})
    for name in ("it.sav", "it.dta"):
        mo.write_labelled(release, tmp_path / f"new{name}", like=labelled)
        written = pyreadstat.read_sav(tmp_path / f"new{name}") if name == "it.sav" else pyreadstat.read_dta(tmp_path / f"new{name}")
        assert written[0]["at"].dt.strftime("%H:%M:%S").tolist() == [one.strftime("%H:%M:%S") for one in release["at"]]


def test_stata_has_26_missing_codes(tmp_path):
    codes = {float(-code): f"reason {code}" for code in range(1, 31)}
    path = sav(
        tmp_path, {"age": [20.0, 30, -1, -30]}, variable_value_labels={"age": codes}, missing_ranges={"age": [{"lo": -30, "hi": -1}]}, variable_measure={"age": "scale"}
    )
    labelled = mo.read_labelled(path)
    domain = labelled.domain(age=(0, 99))
    release = released(domain, labelled.data)
    with pytest.raises(mo.InvalidInput, match="has 30 missing codes, and Stata has 26"):
        mo.write_labelled(release, tmp_path / "it.dta", like=labelled)
    assert not (tmp_path / "it.dta").exists()


def test_what_pyreadstat_reads_is_pointed_to_read_labelled(survey):
    """A table with its metadata, the metadata, and a labelled file as a whole are neither a table nor a domain."""
    frame, metadata = pyreadstat.read_sav(survey)
    method = mo.Marginals({"town": mo.categorical(["Ghent"])}, epsilon=1, count=10)
    calls = [method.sample, method.check, method.compare, mo.Domain.draft, mo.Domain, lambda given: mo.Marginals(given, epsilon=1, count=10)]
    for call in calls:
        for given in ((frame, metadata), [frame, metadata], metadata):
            with pytest.raises(mo.InvalidInput, match=r"metadata of pyreadstat\. Read the file by labelled = mo\.read_labelled\(path\), and give labelled\.data"):
                call(given)
        with pytest.raises(mo.InvalidInput, match=r"what read_labelled gives: give labelled\.data as the table, and labelled\.domain\(\)"):
            call(mo.read_labelled(survey))
    with pytest.raises(mo.InvalidInput, match="path must be a path, but is of type tuple$"):
        mo.read_labelled((frame, metadata))
    with pytest.raises(mo.InvalidInput) as refused:
        method.sample((frame, None))
    assert "pyreadstat" not in str(refused.value)
