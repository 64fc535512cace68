"""Every refusal has its facts for programs: what it concerns, the numbers that decide, and what to do."""

import re

import pytest
from wrong_calls import DOMAIN, TABLE, wrong_calls

import mollify as mo
from mollify import _core

FILE_CODES = {"unreadable-file", "unwritable-file", "file-exists", "same-file"}


def refused(call):
    with pytest.raises(mo.InvalidInput) as raised:
        call()
    return raised.value


@pytest.fixture(scope="module")
def model():
    return mo.Marginals(DOMAIN, epsilon=8, count=3, accept_error=True).sample(TABLE).model


@pytest.fixture(scope="module")
def release():
    return mo.Local(DOMAIN, epsilon=8, accept_error=True).sample(TABLE)


def test_all_wrong_calls_have_facts(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    faults, meant = [], 0
    for name, call in wrong_calls():
        try:
            call()
        except mo.InvalidInput as error:
            about = f"{name}: {error.code}: {error}"
            if not (error.parameter or error.column or error.file):
                faults.append(f"about nothing: {about}")
            if error.code == "out-of-range" and [one.name for one in error.quantities[:1]] != ["given"]:
                faults.append(f"no number: {about}")
            if error.code in FILE_CODES and not error.file:
                faults.append(f"no file: {about}")
            if not (error.ways_out or error.column or error.file):
                faults.append(f"no way out: {about}")
            for nearest in re.findall(r'did you mean "([^"]+)"', str(error)):
                meant += 1
                if not any(nearest == way.part or nearest in way.value for way in error.ways_out) and not error.file:
                    faults.append(f'"{nearest}" is no way out: {about}')
        except (KeyError, TypeError):
            pass
    assert not faults, "\n".join(faults)
    assert meant > 10


@pytest.mark.parametrize(
    ("call", "parameter", "quantities"),
    [
        (lambda model: model.sample(0), "count", (("given", 0, ""), ("least", 1, ""), ("most", 10**8, ""))),
        (lambda model: model.sample(1, seed=-1), "seed", (("given", -1, ""), ("least", 0, ""), ("most", 2**64 - 1, ""))),
        (
            lambda model: mo.Local(DOMAIN, epsilon=8).sample(TABLE, threads=0), "threads",
            (("given", 0, ""), ("least", 1, ""), ("most", 1024, "")),
        ),
        (lambda model: mo.Privacy(epsilon=1, delta=2), "delta", (("given", 2, ""), ("least", 0, ""), ("most", 1, ""))),
    ],
)  # fmt: skip
def test_a_number_out_of_range_has_its_limits(model, call, parameter, quantities):
    error = refused(lambda: call(model))
    assert (error.code, error.parameter) == ("out-of-range", parameter)
    assert error.quantities == quantities
    assert error.ways_out == (mo.WayOut("set", parameter),)


def test_a_total_out_of_range_has_its_limits(tmp_path):
    ledger = mo.Ledger(tmp_path / "l.db")
    for total, quantities in (
        ({"epsilon": -1}, (("given", -1, ""), ("least", 0, ""))),
        ({"epsilon": 0}, (("given", 0, ""), ("above", 0, ""))),
        ({"rho": 0}, (("given", 0, ""), ("above", 0, ""))),
        ({"epsilon": 1, "delta": 1}, (("given", 1, ""), ("least", 0, ""), ("below", 1, ""))),
    ):
        error = refused(lambda t=total: ledger.declare("a", **t))
        assert (error.code, error.parameter) == ("out-of-range", list(total)[-1]), str(error)
        assert error.quantities == quantities, str(error)


def test_a_column_that_is_given_is_meant_by_its_nearest_name(model):
    error = refused(lambda: model.sample(1, given={"sx": "f"}))
    assert (error.code, error.parameter, error.column) == ("unknown-column", "given", "sx")
    assert error.ways_out == (mo.WayOut("set", "given", '{"sex":"f"}'),)
    error = refused(lambda: model.sample(1, given={"sex": "x"}))
    assert (error.code, error.parameter, error.column) == ("unknown-value", "given", "sex")
    assert error.ways_out == (mo.WayOut("set", "given"),)


def test_a_file_is_named(release, tmp_path):
    there = tmp_path / "r.csv"
    release.write(there)
    for path, code, part in ((there, "file-exists", "overwrite"), (tmp_path / "none" / "r.csv", "unwritable-file", "path"), (tmp_path / "r.txt", "wrong-kind-of-file", "path")):
        error = refused(lambda p=path: release.write(p))
        assert (error.code, error.parameter, error.file) == (code, "path", str(path))
        assert error.ways_out[0].part == part
    error = refused(lambda: mo.Ledger(tmp_path / "nosuch.db").balance("a"))
    assert (error.code, error.parameter, error.file) == ("unreadable-file", "ledger", str(tmp_path / "nosuch.db"))
    assert error.ways_out == (mo.WayOut("run", "Ledger.declare"), mo.WayOut("set", "ledger"))
    (tmp_path / "c.json").write_text("{}")
    assert refused(lambda: mo.verify(tmp_path / "c.json", DOMAIN)).file == str(tmp_path / "c.json")


@pytest.mark.parametrize(
    ("call", "former", "now"),
    [
        (lambda: mo.Sampler(outcomes=3, epsilon=1), "outcomes", "k"),
        (lambda: mo.Sampler(k=3, epsilon=1).draw_units([0], units=[0], count=1), "count", "n"),
        (lambda: mo.Sampler(k=3, epsilon=1).draw_units([0], [0, 1], key=mo.ReleaseKey(), ids=["a"]), "ids", "identities"),
        (lambda: mo.Local(DOMAIN, epsilon=8).sample(TABLE, counts="n"), "counts", "counts_column"),
        (lambda: mo.Central(DOMAIN, epsilon=8, count=1).plan(rows=9), "rows", "n"),
        (lambda: mo.Local(DOMAIN, epsilon=8, roster=["1"]), "roster", "units"),
    ],
)
def test_a_former_name_is_meant_by_the_new_one(call, former, now):
    error = refused(call)
    assert f'has no parameter "{former}" (did you mean "{now}"?). ' in str(error)
    assert error.ways_out == (mo.WayOut("leave", former), mo.WayOut("set", now))


def test_the_nearest_name_is_the_librarys():
    assert _core.nearest_name(b"sx", [b"age", b"sex"]) == b"sex"
    assert _core.nearest_name(b"zzz", [b"age", b"sex"]) == b""
    assert _core.nearest_parameter(b"counts_colum", [b"count", b"counts_column"]) == b"counts_column"
    assert refused(lambda: mo.Local(**{"\ud800": 1})).parameter == "\ud800"


def test_no_outcomes_are_refused_by_the_name_of_the_parameter():
    for call in (lambda: mo.Sampler(k=0, epsilon=1), lambda: mo.RandomizedResponse(k=0, epsilon=1)):
        assert str(refused(call)) == "k must be from 1 to 16777216, but is 0"


def test_promises_name_functions_of_python(release):
    assert any("`mo.verify` recomputes it" in sentence for sentence in release.promised)
    assert "`mollify verify` recomputes it" in release.certificate.json, "certificates are the same everywhere"
