"""Days and times keep their meaning: their own clock, named zones, and other spellings."""

import datetime as dt
import os
import zoneinfo

import numpy as np
import pytest

import mollify as mo

pandas = pytest.importorskip("pandas")
polars = pytest.importorskip("polars")
pyarrow = pytest.importorskip("pyarrow")
csv = pytest.importorskip("pyarrow.csv")

MAPPED = {"null": "category", "outside": "clip"}
MONTHS = mo.date("2023-01-01", "2023-12-31", bins="month", **MAPPED)
YEAR = mo.datetime("2023-01-01", "2023-12-31", bins="month", **MAPPED)


def outcomes(data, column, rows=1):
    """The share of each outcome of the column \"x\" in the table, or in how many of the rows it is."""
    compared = mo.Integral({"x": column}, epsilon=1).compare(data)
    return {one["outcome"]: round(one["truth"] * rows, 9) for one in compared["outcomes"] if one["truth"] > 0}


def tables(times, tmp_path):
    """Aware times in every container that keeps their clock."""
    frame = pandas.DataFrame({"x": pandas.Series(times)})
    zone = frame["x"].dt.tz
    yield frame
    for unit in ("s", "ms", "us"):
        yield frame.assign(x=frame["x"].dt.as_unit(unit))
    yield frame.astype(object)
    yield {"x": [one.to_pydatetime() for one in frame["x"]]}
    yield {"x": [one.isoformat() for one in frame["x"]]}
    yield frame.assign(x=frame["x"].astype(str))
    frame.to_csv(tmp_path / "pandas.csv", index=False)
    yield tmp_path / "pandas.csv"
    if not isinstance(zone, zoneinfo.ZoneInfo):
        return
    yield frame.assign(x=frame["x"].astype(pandas.ArrowDtype(pyarrow.timestamp("us", zone.key))))
    in_polars = polars.DataFrame({"x": polars.Series(times, dtype=polars.Datetime("us", zone.key))})
    yield in_polars
    yield in_polars.lazy()
    in_polars.write_csv(tmp_path / "polars.csv")
    yield tmp_path / "polars.csv"
    table = pyarrow.table({"x": pyarrow.array(times, pyarrow.timestamp("us", zone.key))})
    yield table
    yield table.to_reader()
    csv.write_csv(table, tmp_path / "arrow.csv")
    yield tmp_path / "arrow.csv"


def clock_of(name):
    if name == "rules":  # without a name
        return pytest.importorskip("dateutil.tz").gettz("Europe/Berlin")
    if name.startswith("+"):
        return dt.timezone(dt.timedelta(hours=int(name)))
    return zoneinfo.ZoneInfo(name)


@pytest.mark.parametrize("zone", ["Europe/Berlin", "America/New_York", "Asia/Kolkata", "+5", "rules"])
@pytest.mark.parametrize("hour", [0, 20])
def test_a_time_is_the_day_that_its_own_clock_shows(zone, hour, tmp_path):
    times = [dt.datetime(2023, month, 1, hour, 30, tzinfo=clock_of(zone)) for month in range(1, 13)]
    for column in (MONTHS, YEAR):
        for place, table in enumerate(tables(times * 5, tmp_path)):
            found = outcomes(table, column, 60)
            assert list(found.values()) == [5] * 12, (place, found)


def test_released_months_of_berlin_keep_their_shares():
    times = pandas.date_range("2023-01-01", "2023-12-31", freq="MS", tz="Europe/Berlin").repeat(200)
    # Noise would release a null now and then if nulls were a value of their own.
    months = mo.date("2023-01-01", "2023-12-31", bins="month", null="2023-01-01")
    method = mo.Central(mo.Domain({"x": months}), epsilon=4, delta=1e-6, count=1200, accept_error=True)
    released = method.sample(pandas.DataFrame({"x": times})).to_dict()["x"]
    # Six deviations of 1200 draws of one in twelve are 58.
    counts = np.bincount([one.month for one in released], minlength=13)[1:]
    assert abs(counts - 100).max() < 58, counts


def test_a_stated_zone_converts(tmp_path):
    """Midnight in Berlin is the day before in New York and in UTC."""
    times = [dt.datetime(2023, month, 1, tzinfo=zoneinfo.ZoneInfo("Europe/Berlin")) for month in range(2, 13)]
    for zone in ("America/New_York", "Z", "-05:00"):
        seconds = mo.datetime("2023-01-01", "2023-11-30", bins="month", zone=zone, **MAPPED)
        for column in (MONTHS | {"zone": zone}, seconds):
            for table in tables(times, tmp_path):
                assert list(outcomes(table, column, 11).values()) == [1] * 11
    for table in tables(times, tmp_path):
        first = mo.date("2023-02-01", "2023-12-01", bins="month", zone="Europe/Berlin", **MAPPED)
        assert list(outcomes(table, first, 11).values()) == [1] * 11


@pytest.fixture
def shop():
    """Opens at nine, in summer too."""
    column = mo.datetime("2023-01-01", "2023-12-31", bins="month", step="hour", zone="Europe/Berlin", **MAPPED)
    hours = pandas.date_range("2023-01-01T09:00", "2023-12-31T09:00", freq="D")
    return column, pandas.DataFrame({"x": hours.tz_localize("Europe/Berlin")})


def test_a_released_time_has_its_zone_everywhere(shop, tmp_path):
    column, private = shop
    release = mo.Central(mo.Domain({"x": column}), epsilon=50, delta=1e-6, count=300, accept_error=True).sample(private)
    values = release.to_dict()["x"]
    berlin = zoneinfo.ZoneInfo("Europe/Berlin")
    assert all(one.tzinfo == berlin for one in values)
    assert {one.utcoffset() for one in values} == {dt.timedelta(hours=1), dt.timedelta(hours=2)}
    assert all(one.minute == one.second == 0 for one in values)
    frame, in_polars = release.to_pandas(), release.to_polars()
    assert str(frame["x"].dt.tz) == "Europe/Berlin"
    assert in_polars["x"].dtype == polars.Datetime("us", "Europe/Berlin")
    assert pyarrow.table(release).schema.field("x").type == pyarrow.timestamp("us", "Europe/Berlin")
    assert frame["x"].tolist() == in_polars["x"].to_list() == values
    release.to_csv(tmp_path / "shop.csv")
    lines = (tmp_path / "shop.csv").read_text().splitlines()
    assert lines[1:] == [one.isoformat() for one in values]
    found = outcomes({"x": values}, column)
    for table in (frame, in_polars, pyarrow.table(release), tmp_path / "shop.csv"):
        assert outcomes(table, column) == found


def test_nine_is_nine_in_summer(shop):
    column, private = shop
    at_nine = column | {"bins": 365 * 24}
    for table in (private, private.assign(x=private["x"].dt.tz_convert("UTC"))):
        found = outcomes(table, at_nine)
        assert len(found) == 365
        assert all("T09:00:00+0" in one for one in map(str, found)), found


@pytest.mark.parametrize("name", ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Beirut"])
def test_every_minute_is_on_the_clock_that_python_shows(name):
    """Each day of the clock has as many minutes as zoneinfo counts."""
    minutes = pandas.date_range("2026-01-01", "2027-01-01", freq="min", inclusive="left", tz="UTC")
    shown = minutes.tz_convert(zoneinfo.ZoneInfo(name))
    expected = shown.tz_localize(None).normalize().value_counts().sort_index().tolist()
    column = mo.datetime("2025-12-31", "2027-01-01", bins="day", zone=name, **MAPPED)
    for times in (minutes, shown):
        found = outcomes(pandas.DataFrame({"x": times}), column, len(minutes))
        assert list(found.values()) == pytest.approx(expected, abs=1e-3)


FORMATS = {
    "%Y%m%d": ["20230110", "20230211", "20231231"],
    "%d.%m.%Y": ["10.01.2023", "11.02.2023", "31.12.2023"],
    "%m/%d/%Y": ["01/10/2023", "02/11/2023", "12/31/2023"],
    "%d-%b-%Y": ["10-Jan-2023", "11-Feb-2023", "31-Dec-2023"],
    "%Y-%m": ["2023-01", "2023-02", "2023-12"],
    "excel": ["44936", "44968", "45291"],
    "unix": ["1673308800", "1676073600", "1703980800"],
}


@pytest.mark.parametrize("form", FORMATS)
def test_days_in_a_format_are_read_alike_everywhere(form, tmp_path):
    texts = FORMATS[form]
    days = [dt.date(2023, 1, 10), dt.date(2023, 2, 11), dt.date(2023, 12, 31)]
    column = mo.date("2023-01-01", "2023-12-31", bins="month", format=form, **MAPPED)
    written = tmp_path / "data.csv"
    written.write_text("x\n" + "\n".join(texts) + "\n")
    given = [written, {"x": texts}, {"x": days}, pandas.DataFrame({"x": texts}), polars.DataFrame({"x": texts})]
    given += [pandas.DataFrame({"x": pandas.to_datetime(days)}), polars.DataFrame({"x": days}), pyarrow.table({"x": days})]
    if texts[0].isdigit():
        numbers = [int(one) for one in texts]
        given += [{"x": numbers}, pandas.DataFrame({"x": numbers}), pandas.DataFrame({"x": [float(one) for one in numbers]})]
        given += [pandas.DataFrame({"x": pandas.array(numbers, "Int64")}), polars.DataFrame({"x": numbers}), pyarrow.table({"x": numbers})]
    for place, table in enumerate(given):
        assert list(outcomes(table, column, 3).values()) == [1, 1, 1], place
    release = mo.Central(mo.Domain({"x": column}), epsilon=50, delta=1e-6, count=60, accept_error=True).sample({"x": texts * 200})
    values = release.to_dict()["x"]
    assert {one.month for one in values} == {1, 2, 12}
    release.to_csv(tmp_path / "released.csv")
    released = (tmp_path / "released.csv").read_text().splitlines()[1:]
    if form == "%Y-%m":
        assert {one.day for one in values} == {1}
    if form.startswith("%"):
        assert released == [one.strftime(form) for one in values]
    else:
        begin, unit = {"excel": (dt.date(1899, 12, 30), 1), "unix": (dt.date(1970, 1, 1), 86400)}[form]
        assert released == [str((one - begin).days * unit) for one in values]
    assert outcomes(tmp_path / "released.csv", column) == outcomes({"x": values}, column)


def test_other_spellings_than_the_format_are_unreadable():
    column = mo.date("2023-01-01", "2023-12-31", bins="month", format="%d.%m.%Y", null="category", outside="null")
    found = outcomes({"x": ["03/10/2023", "20230310", "10.3.23", "10.03.2023", None]}, column, 5)
    assert sorted(found.values()) == [1, 4]


@pytest.mark.parametrize(
    ("settings", "parameter", "meant"),
    [
        ({"zone": "Europe/Berlim"}, "zone", "Europe/Berlin"),
        ({"format": "YYYYMMDD"}, "format", "%Y%m%d"),
        ({"format": "%d.%m.%Y", "min": "03/10/2023"}, "min", None),
    ],
    ids=str,
)
def test_wrong_declarations_name_their_key_and_a_way_out(settings, parameter, meant):
    with pytest.raises(mo.InvalidInput) as refused:
        mo.Domain({"x": mo.date(**({"min": "2023-01-01", "max": "2023-12-31"} | settings))})
    assert refused.value.parameter == parameter
    assert refused.value.column == "x"
    if meant is not None:
        assert [one.value for one in refused.value.ways_out] == [meant]


def test_a_column_of_an_unknown_zone_is_refused_by_its_type():
    schema = pyarrow.schema([pyarrow.field("x", pyarrow.timestamp("us", "Mars/Olympus"))])
    table = pyarrow.Table.from_arrays([pyarrow.array([0, 1]).cast(pyarrow.timestamp("us")).cast(schema.field("x").type)], schema=schema)
    with pytest.raises(mo.InvalidInput, match="timestamps of a zone that this machine does not know"):
        mo.Integral({"x": MONTHS}, epsilon=1).sample(table)
    other = table.append_column("y", pyarrow.array([True, False]))
    assert mo.Integral({"y": mo.boolean(**MAPPED)}, epsilon=1).sample(other)


def test_a_draft_writes_formats():
    days = pandas.date_range("2021-01-01", "2023-12-31", freq="D")
    frame = pandas.DataFrame({"a": days.strftime("%Y%m%d").astype(int), "b": days.strftime("%d.%m.%Y"), "c": days.strftime("%Y-%m")})
    columns = mo.Domain.draft(frame).columns
    assert {name: (one["type"], one.get("format")) for name, one in columns.items()} == {
        "a": ("date", "%Y%m%d"), "b": ("date", "%d.%m.%Y"), "c": ("date", "%Y-%m")
    }


@pytest.mark.parametrize("zone", ["Europe/Berlin", "America/New_York"])
def test_duckdb_shows_the_clock_of_its_session(zone):
    duckdb = pytest.importorskip("duckdb")
    session = duckdb.connect()
    session.execute(f"set timezone = '{zone}'")
    months = ", ".join(f"(timestamptz '2023-{month:02}-01 00:00:00')" for month in range(1, 13))
    relation = session.sql(f"select x from (values {months}) as t(x)")
    assert list(outcomes(relation, MONTHS, 12).values()) == [1] * 12


def test_python_brings_zone_data(monkeypatch):
    """Only where the system has none, and nobody names a folder."""
    pytest.importorskip("tzdata")
    monkeypatch.setenv("TZDIR", "/elsewhere")
    mo._find_zone_data()
    assert os.environ["TZDIR"] == "/elsewhere"
    monkeypatch.delenv("TZDIR")
    mo._find_zone_data()
    assert ("TZDIR" in os.environ) != os.path.exists("/usr/share/zoneinfo/UTC")
    monkeypatch.delenv("TZDIR", raising=False)
    monkeypatch.setattr(os.path, "exists", lambda _: False)
    mo._find_zone_data()
    assert os.path.isfile(os.path.join(os.environ["TZDIR"], "Europe", "Berlin"))


def test_codes_of_days_are_read_alike(tmp_path):
    column = mo.date("20230101", "20231231", bins="year", format="%Y%m%d", missing={99991231: "unknown"}, **MAPPED)
    (tmp_path / "data.csv").write_text("x\n20230310\n99991231\n\n")
    given = [tmp_path / "data.csv", {"x": ["20230310", "99991231", None]}, {"x": [20230310, 99991231, None]}]
    given += [pandas.DataFrame(given[2]), polars.DataFrame(given[2]), polars.DataFrame(given[1])]
    given += [{"x": [dt.date(2023, 3, 10), dt.date(9999, 12, 31), None]}]
    for place, table in enumerate(given):
        assert list(outcomes(table, column, 3).values()) == [1, 1, 1], place
