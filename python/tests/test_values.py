"""Values keep their meaning: what a released value can be, and what a private value becomes."""

import collections
import datetime

import pytest

import mollify as mo

ROWS = 2000


def released(column, values):
    """A column's released values, at an epsilon at which the domain alone acts."""
    domain = mo.Domain({"x": column})
    method = mo.Central(domain, epsilon=50, delta=1e-6, count=ROWS, accept_error=True)
    return method.sample({"x": values}).to_dict()["x"]


def share(values, one):
    return collections.Counter(values)[one] / len(values)


MAPPED = {"null": "category", "outside": "clip"}


@pytest.mark.parametrize(
    "column",
    [
        mo.integer(200, 500, bins=3, spikes=[200, 301, 404, 500], **MAPPED),
        mo.integer(values=[200, 301, 404, 500], **MAPPED),
        mo.number(200, 500, bins=3, spikes=[200, 301, 404, 500], **MAPPED),
        mo.number(values=[200, 301, 404, 500], **MAPPED),
    ],
    ids=lambda column: f"{column['type']}-{'values' if 'values' in column else 'spikes'}",
)
def test_frequent_codes_keep_their_shares(column):
    private = [200] * 6000 + [301] * 1000 + [404] * 1340 + [500] * 1660
    values = released(column, private)
    assert set(values) <= {200, 301, 404, 500}
    for one in (200, 301, 404, 500):  # six deviations of 2000 draws are .067
        assert share(values, one) == pytest.approx(share(private, one), abs=0.067)


def test_missing_codes_are_no_ends_of_a_range():
    private = [float(i % 100) / 4 for i in range(9000)] + [-9.0] * 500 + [99999.0] * 500
    column = mo.number(0, 25, bins=25, missing={-9: "refused", 99999: "not asked"}, **MAPPED)
    values = released(column, private)
    ordinary = [one for one in values if one not in (-9, 99999)]
    assert all(0 <= one <= 25 for one in ordinary)
    assert sum(ordinary) / len(ordinary) == pytest.approx(12.4, abs=1.2)
    for code in (-9, 99999):
        assert share(values, code) == pytest.approx(0.05, abs=0.03)
    nulls = released(mo.number(0, 25, bins=25, missing=[-9, 99999], **MAPPED), private)
    assert share(nulls, None) == pytest.approx(0.1, abs=0.041)


def test_steps_and_lists_hold_what_a_column_could_hold():
    prices = [round(0.5 + i % 37 * 0.49, 2) for i in range(ROWS)]
    values = released(mo.number(0, 20, bins=20, step=0.01, **MAPPED), prices)
    assert all(round(one, 2) == one for one in values)
    halves = released(mo.number(values=[0.5, 1, 1.5, 2], **MAPPED), [0.5, 1, 1.5, 2] * 500)
    assert set(halves) <= {0.5, 1, 1.5, 2}
    assert sum(halves) / ROWS == pytest.approx(1.25, abs=0.08)
    clock = mo.datetime("2023-05-01T08:00:00", "2023-05-02", bins=12, step="hour", **MAPPED)
    hours = released(clock, [datetime.datetime(2023, 5, 1, 9, 41, 7)] * ROWS)
    assert all(one.minute == one.second == 0 for one in hours)


def test_days_of_their_own_and_the_end_of_the_last_day():
    days = mo.date("2023-01-01", "2023-12-31", bins="year", spikes=["2023-07-01", "2023-12-31"], **MAPPED)
    private = [datetime.date(2023, 7, 1)] * 1000 + [datetime.date(2023, 12, 31)] * 1000
    assert set(released(days, private)) == set(private)
    events = mo.datetime("2023-12-01", "2023-12-31", bins="day", **MAPPED)
    late = released(events, [datetime.datetime(2023, 12, 31, 15)] * ROWS)
    assert {one.date() for one in late} == {datetime.date(2023, 12, 31)}
    assert max(one.hour for one in late) > 12, "drawn from the whole day"


def test_infinite_days_go_to_the_nearest_end():
    column = mo.date("2023-01-01", "2023-12-31", bins="month", **MAPPED)
    late = released(column, ["infinity", "12024-01-01"] * ROWS)
    assert {one.month for one in late} == {12}
    early = released(column, ["-infinity", "0044-03-15 BC"] * ROWS)
    assert {one.month for one in early} == {1}


def test_codes_are_read_letter_for_letter_if_they_are_verbatim():
    private = ["0412"] * 1500 + ["412"] * 500
    column = mo.categorical(["0412", "412"], verbatim=True, **{"null": "category", "outside": "null"})
    assert share(released(column, private), "0412") == pytest.approx(0.75, abs=0.06)
    with pytest.raises(mo.InvalidInput, match="verbatim") as refused:
        mo.Domain({"x": mo.categorical(["0412", "412"])})
    assert refused.value.code == "duplicate-value"
    assert [way.value for way in refused.value.ways_out] == ["true"]


def test_a_draft_of_a_public_table_keeps_its_values():
    public = {
        "status": [200, 301, 404, 500] * 50,
        "price": [4.99, 9.99, 14.99, 49.99] * 50,
        "icd": ["0412", "412", "0340", "340"] * 50,
        "age": ["5-9", "0-4", "10-14", "90+"] * 50,
    }
    columns = mo.Domain.draft(public).columns
    assert columns["status"]["values"] == [200, 301, 404, 500]
    assert columns["price"]["values"] == [4.99, 9.99, 14.99, 49.99]
    assert columns["icd"]["verbatim"] and set(columns["icd"]["values"]) == {"0412", "412", "0340", "340"}
    assert columns["age"]["type"] == "ordinal"
    assert columns["age"]["values"] == ["0-4", "5-9", "10-14", "90+"]
