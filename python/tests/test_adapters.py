"""Other libraries' shapes: OpenDP's measurements, SDMetrics' metadata."""

import math

import pytest

import mollify as mo

SMALL = {"a": mo.categorical(["x", "y"])}


@pytest.fixture
def opendp():
    found = pytest.importorskip("opendp.prelude")
    found.enable_features("contrib", "honest-but-curious")
    return found


def test_measurements_promise_what_releases_do(opendp):
    from mollify.adapters.opendp import measurement

    table = {"a": ["x", "y", "x"] * 1000}
    pure = measurement(SMALL, model="integral", epsilon=1, count=3)
    assert [pure.map(changes) for changes in (0, 1, 5)] == [0, 1, 1]
    release = pure(table)
    assert len(release) == 3
    assert release.guarantee == mo.Privacy(epsilon=1)
    assert pure.check(1, 1.0)

    options = {"model": "central", "epsilon": 1, "delta": 1e-6, "count": 3}
    approximate = measurement(SMALL, records=3000, **options)
    assert approximate.map(1) == (1, 1e-6)
    epsilon, delta = approximate.map(2)
    assert 2 <= epsilon < 2 + 1e-9
    assert 1e-6 * (1 + math.e) <= delta < 1e-6 * (1 + math.e) * (1 + 1e-9)
    assert approximate(table).guarantee == mo.Privacy(epsilon=1, delta=1e-6)
    with pytest.raises(opendp.OpenDPException, match="3000 records"):
        approximate({"a": ["x"] * 2000})

    local = measurement(SMALL, model="local", unit="u", units=["1", "2"], epsilon=2)
    assert local.map(3) == pytest.approx(6)
    assert len(local({"a": ["x"], "u": ["1"]})) == 2


def test_measurements_refuse_what_opendp_does_itself(opendp, tmp_path):
    from mollify.adapters.opendp import measurement

    with pytest.raises(mo.InvalidInput, match="ledger"):
        measurement(SMALL, model="integral", epsilon=1, ledger=mo.Ledger(tmp_path / "b.db"))
    with pytest.raises(mo.InvalidInput, match="mu"):
        measurement(SMALL, model="integral", mu=1)
    with pytest.raises(mo.InvalidInput, match="epsilon"):
        measurement(SMALL, model="integral", epsilon=-1)


def test_sdmetrics_is_told_what_columns_are(schools):
    domain = mo.Domain(
        {
            "s": mo.ordinal(["a", "b"]),
            "w": mo.boolean(["nein", "ja"]),
            "b": mo.boolean(),
            "i": mo.integer(0, 9),
            "x": mo.number(0, 1, bins=4),
            "d": mo.date("2020-01-01", "2020-12-31"),
            "t": mo.datetime("2020-01-01T00:00:00", "2020-12-31T00:00:00", zone="Z"),
        }
    )
    columns = domain.to_sdmetrics()["columns"]
    assert list(columns) == list(domain)
    assert [column["sdtype"] for column in columns.values()] == [
        *("categorical", "categorical", "boolean", "numerical", "numerical", "datetime", "datetime")
    ]
    reports = pytest.importorskip("sdmetrics.reports.single_table")
    pandas = pytest.importorskip("pandas")
    read = mo.Domain.read(schools / "schools.yaml")
    release = mo.sample(schools / "schools.csv", read, model="integral", epsilon=5, count=200)
    real = pandas.read_csv(schools / "schools.csv")[list(read)].astype({"minority": "boolean"})
    report = reports.QualityReport()
    report.generate(real, release.to_pandas(), read.to_sdmetrics(), verbose=False)
    assert 0.3 < report.get_score() <= 1
