"""R's .rds files become a private table and a domain, as the files do that R writes for SPSS.

R 4.2 and haven 2.5 made SURVEY, by this script:

library(haven)
n <- 6
d <- data.frame(sex = factor(c("f", "m", NA, "f", "m", "f"), levels = c("m", "f", "x")))
d$health <- factor(c("good", "poor", "fair", "good", "poor", "fair"), levels = c("poor", "fair", "good", "best"), ordered = TRUE)
d$smoker <- c(TRUE, FALSE, NA, TRUE, FALSE, TRUE)
d$age <- c(20L, 30L, NA, 40L, 41L, 42L)
d$income <- c(1.5, NA, NaN, Inf, -Inf, 7)
d$town <- c("Ghent", "K\\u00f6ln", NA, "Ghent", "Ghent", "K\\u00f6ln")
d$day <- as.Date(c("2020-03-01", NA, "2020-03-03", "2020-03-04", "2020-03-05", "2020-03-06"))
d$at <- as.POSIXct("2020-10-25 00:30:00", tz = "Europe/Berlin") + 3600 * (0:5)
d$local <- structure(as.numeric(d$at), class = c("POSIXct", "POSIXt"))
d$agree <- labelled_spss(c(1, 5, 97, 98, NA, 3), c("not at all" = 1, fully = 5, refused = 97), na_values = 97, na_range = c(98, 99), label = "How far do you agree?")
d$score <- labelled(c(1, 2, tagged_na("a"), tagged_na("b"), NA, 3), c(low = 1, refused = tagged_na("a")))
d$code <- labelled(c("a", "b", "c", "a", "b", "c"), c(Alpha = "a", Beta = "b"))
d$price <- structure(c(1.25, 2.5, 3, 4, 5, 6), format.spss = "F8.2")
d$parts <- I(list(1, 2, 3, 4, 5, 6))
saveRDS(d, "survey.rds", compress = "xz")
"""

import base64
import math

import numpy as np
import pytest

import mollify as mo
from mollify import _codebook, _r_files

pd = pytest.importorskip("pandas")
pyreadstat = pytest.importorskip("pyreadstat")
pytest.importorskip("rdata")

SURVEY = """
/Td6WFoAAAFpIt42AgAhARYAAAB0L+Wj4Ai7ArFdACwCfBn5r/QdO56YNX7q0PQhTbNFUsa9mj0Wfmn8Hgd2K5kwGpIY8TvZu4iXIB6/c723syQujWYfQZ4YlmRWaPPFJk
DFMO8XSX+0A+Xy8Qg+z/6eQieudLDoJUaBb5g0McLr1bLURFnivqJSJUoWeOOP2Q0lg6RJOswjKI+eA45D2ndr6FbezU3IX/oay6/SSbzt9H2RW40p4anjOeU/6C3G4ocy
Q7gn7EbFwCkPLSuRWmPsawU2Fe6vVaqo0y6DG+gGyQWYHXa36Ui2ZrgZgbDKPG8uBB/Oj3HiJwxTbKL8MckgrX6lEB2h2y8VJdMxYPwbTMqpdIOoCeP0oJ1nH0IPJo7nPw
ayS/j9TYRR3EN2vgbWcDmi6J9IX7PyFSyGtrM+Mk2H5yX9DE6yxCyXEUUDZRpE71jXe2+N42hllzNErx1Vztdt6hazzFGefuq1GVLnXCggMu9wfhlo6A8YEWgUVp327h/r
eboGlUj2/iv9NjVaUb9600VBT3mvSIIj0xrLHvWgYkQchMGa5FZihAii3JZcN/3YxbVLtQqAKUfh/T8t3S47842tcfV0R8pnrNECwwMEr6x54mU7la0UQresOHoE7a5Tox
fTPY3Q1u92tQZPIpOZBU7ziRKMpV888qq9InCpJzStPdMRQkuJtLu5gMZuQvGlyiqwFW2+CVXMnwz0znNU1XjlxpRulJusBpqQ+URRGd/ugzdlW+IvskSghNvSkzVZVR+C
AoVayOSxLN6CKfT4bMgoEe3fxStznZ+YpJCSkhVL/XCjnzF+l16CHaanFi+YM+bOEaqxqyjyoTINTnWYIGVZMsP3EaJX+jz7OZmMfGeLTBLGkNOYNfE56rhgitWCogkRYj
grRiKY3WT+5xHQ05OrmgaMqTo3nkZaEOBHA1Ip8N7d+xYU969oAAAAAEERMrMAAckFvBEAALQsEnc+MA2LAgAAAAABWVo=
"""
VECTOR = """
/Td6WFoAAAFpIt42AgAhARYAAAB0L+Wj4ACEAE9dACwCfBn5r/QdO56YNX7q0PQhTbNFUsTU1gy0osCkR2YyajC4VMBvu5x4D2f8vi27WY3HXHauSqXEncrt399c0fNz1n
l0mir2WKmpRTLKwAAAABhls8EAAWeFAQAAALizHhc+MA2LAgAAAAABWVo=
"""
REST, CLIP = {"null": "category", "outside": "null"}, {"null": "category", "outside": "clip"}
NAN = math.nan


def rds(folder, text, name="survey.rds"):
    (folder / name).write_bytes(base64.b64decode(text))
    return folder / name


@pytest.fixture
def survey(tmp_path):
    return mo.read_labelled(rds(tmp_path, SURVEY))


def test_classes_and_labels_make_the_columns(survey):
    assert survey.columns == {
        "sex": {"type": "categorical", "values": [1, 2, 3], **REST},
        "health": {"type": "ordinal", "values": [1, 2, 3, 4], **REST},
        "smoker": {"type": "categorical", "values": [0, 1], **REST},
        "age": {"type": "integer", **CLIP},
        "income": {"type": "number", **CLIP},
        "town": {"type": "categorical", "values": [], "verbatim": True, **REST},
        "day": {"type": "date", **CLIP},
        "at": {"type": "datetime", "zone": "Europe/Berlin", **CLIP},
        "local": {"type": "datetime", "zone": "Z", **CLIP},
        "agree": {"type": "number", "spikes": [1, 5], "missing": {97: "refused", 98: "missing", 99: "missing"}, **CLIP},
        "score": {"type": "number", "spikes": [1], "missing": {2147483622: "refused"}, **CLIP},
        "code": {"type": "categorical", "values": ["a", "b"], "verbatim": True, **REST},
        "price": {"type": "number", "step": 0.01, **CLIP},
    }
    assert survey.labels["sex"] == {1: "m", 2: "f", 3: "x"}
    assert survey.labels["health"] == {1: "poor", 2: "fair", 3: "good", 4: "best"}
    assert survey.labels["smoker"] == {0: "FALSE", 1: "TRUE"}
    assert survey.titles == {"agree": "How far do you agree?"}
    assert list(survey.open) == ["age", "income", "town", "day", "at", "local", "agree", "score", "price"]
    assert "no zone that is known, so its times are on the clock of UTC" in survey.notes[9] and "clock" not in survey.notes[8]
    assert survey.notes[-1] == 'Column "parts" is left out: a domain has no type for R\'s type list of class AsIs.'


def test_the_table_has_the_values(survey):
    data = survey.data
    expected = {
        "sex": [2, 1, NAN, 2, 1, 2], "health": [3, 1, 2, 3, 1, 2], "smoker": [1, 0, NAN, 1, 0, 1], "age": [20, 30, NAN, 40, 41, 42],
        "income": [1.5, NAN, NAN, math.inf, -math.inf, 7], "agree": [1, 5, 97, 98, NAN, 3], "score": [1, 2, 2147483622, NAN, NAN, 3],
        "price": [1.25, 2.5, 3, 4, 5, 6],
    }  # fmt: skip
    for name, values in expected.items():
        np.testing.assert_array_equal(data[name].to_numpy(), values)
    assert data["town"].fillna("").tolist() == ["Ghent", "Köln", "", "Ghent", "Ghent", "Köln"]
    assert data["day"].dt.day.fillna(0).tolist() == [1, 0, 3, 4, 5, 6]
    # Two o'clock is there twice in the night when summer ends.
    assert [one.isoformat()[11:] for one in data["at"]][1:4] == ["01:30:00+02:00", "02:30:00+02:00", "02:30:00+01:00"]
    assert data["local"].tolist() == [one.tz_convert("UTC") for one in data["at"]]


def test_a_release_goes_back_to_words_and_files(survey, tmp_path):
    days = ("2020-03-01", "2020-03-31")
    domain = survey.domain(
        age=(0, 99), income=mo.number(0, 10, bins=5), town=["Ghent", "Köln"], day=days, at=mo.datetime("2020-10-25", "2020-10-26", bins="day"),
        local=None, agree=mo.integer(1, 5), score=None, price=(0, 9),
    )  # fmt: skip
    assert domain.columns["at"]["zone"] == "Europe/Berlin"
    many = pd.concat([survey.data] * 100, ignore_index=True)
    method = mo.Marginals({name: domain.columns[name] for name in ("sex", "health", "at")}, epsilon=1000, count=300, accept_error=True)
    assert method.check(many)["mapped"] == []
    release = method.sample(many)
    words = survey.with_labels(release)
    assert list(words["health"].cat.categories)[:4] == ["poor", "fair", "good", "best"] and words["health"].cat.ordered
    assert abs((words["sex"] == "f").mean() - 0.5) < 0.15
    mo.write_labelled(release, tmp_path / "new.sav", like=survey)
    again = mo.read_labelled(tmp_path / "new.sav")
    for name in ("sex", "health"):
        assert again.columns[name] == survey.columns[name] and again.labels[name] == survey.labels[name]
    clocks = [one and one.replace(tzinfo=None).isoformat() for one in release["at"]]
    assert [None if one is pd.NaT else one.isoformat() for one in again.data["at"]] == clocks


def test_other_files_are_refused(tmp_path):
    for name, content, said in (
        ("vector.rds", base64.b64decode(VECTOR), r"must hold a data frame, but holds something else\. In R, .*saveRDS\(as\.data\.frame"),
        ("text.rds", b"hello", "must be a file of R, but is damaged"),
        ("empty.rds", b"", "must be a file of R, but is damaged"),
        ("half.rds", base64.b64decode(SURVEY)[:400], "must be a file of R, but is damaged"),
        ("all.RData", b"", r"In R, write one table by saveRDS\(table, file\)"),
    ):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(mo.InvalidInput, match=said) as refused:
            mo.read_labelled(tmp_path / name)
        assert refused.value.parameter == "path" and refused.value.file == str(tmp_path / name)
    with pytest.raises(mo.InvalidInput, match="no such file"):
        mo.read_labelled(tmp_path / "missing.rds")
    labelled = mo.read_labelled(rds(tmp_path, SURVEY))
    release = mo.Integral({"smoker": mo.boolean([0, 1])}, epsilon=9, count=9, accept_error=True).sample({"smoker": [0] * 90})
    with pytest.raises(mo.InvalidInput, match="In R, haven::read_sav reads a .sav file"):
        mo.write_labelled(release, tmp_path / "new.rds", like=labelled)


def vector(kind, values, **attributes):
    return _r_files._Vector(kind, np.array(values), {name: _r_files._Vector("STR", one, {}) for name, one in attributes.items()})


def test_any_number_is_a_time_or_a_null():
    """A private value stops no release: it goes to an end of the calendar."""
    numbers = [1e300, NAN, -math.inf, math.inf, -0.5]
    at = _r_files._book("at", vector("REAL", numbers, **{"class": ["POSIXct"], "tzone": ["America/New_York"]}))
    found = at.clean(numbers)
    in_utc = found.tz_convert("UTC")  # pandas 2.2.0 ends the program for the year 1 on a clock of a zone
    assert [one.year for one in in_utc[[0, 2, 3, 4]]] == [9999, 1, 9999, 1969] and in_utc[1] is pd.NaT
    day = _r_files._book("day", vector("REAL", numbers, **{"class": ["Date"]})).clean(numbers)
    assert str(day[4])[:10] == "1969-12-31" and np.isnat(day[1])
    domain = {"at": mo.datetime("2020-01-01", "2020-01-31", bins="day", zone="America/New_York", outside="clip")}
    assert mo.Integral(domain, epsilon=1).check(pd.DataFrame({"at": found}))["records"] == 5


def test_classes_that_r_stores_as_other_numbers():
    large = np.array([1, 2**40, -(2**63)], "int64").view("float64")
    whole = vector("REAL", large, **{"class": ["integer64"]})
    assert _r_files._book("x", whole).storage == "whole"
    np.testing.assert_array_equal(_codebook.Codebook.clean(_r_files._book("x", whole), _r_files._values(whole)), [1, 2**40, NAN])
    unknown = vector("REAL", [0.0], **{"class": ["POSIXct"], "tzone": ["Mars/Olympus"]})
    assert _r_files._book("x", unknown).zone == "Z"
    assert "as.POSIXct" in _r_files._unsuitable(vector("VEC", [], **{"class": ["POSIXlt", "POSIXt"]}))
    assert _r_files._unsuitable(_r_files._Vector("REAL", np.zeros(4), {"dim": vector("INT", [2, 2])})) == "it is a matrix"
    assert _r_files._book("x", vector("INT", [1], **{"class": ["factor"], "levels": ["a", None]})).labels == {1.0: "a", 2.0: "NA"}
