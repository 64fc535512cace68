"""Every refusal has its facts for programs: what it concerns, the numbers that decide, and what to do."""

import json
import re
import subprocess
import sys

import pytest
from wrong_calls import DOMAIN, NUMBERS, TABLE, wrong_calls

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


@pytest.mark.filterwarnings("ignore:.*may take longer than two seconds:RuntimeWarning")
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
        (lambda model: model.sample(0), "count", (("given", 0, "records"), ("least", 1, "records"), ("most", 10**8, "records"))),
        (lambda model: model.sample(1, seed=-1), "seed", (("given", -1, ""), ("least", 0, ""), ("most", 2**64 - 1, ""))),
        (
            lambda model: mo.Local(DOMAIN, epsilon=8).sample(TABLE, threads=0), "threads",
            (("given", 0, "threads"), ("least", 1, "threads"), ("most", 1024, "threads")),
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
    words = mo.Domain({"sex": mo.categorical(["female", "male"], null="male", outside="male")})
    model = mo.Marginals(words, epsilon=8, count=3, accept_error=True).sample({"sex": ["male"] * 99}).model
    error = refused(lambda: model.sample(1, given={"sex": "femal"}))
    assert error.ways_out == (mo.WayOut("set", "given", '{"sex":"female"}'),)


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


NOT = {"empty.json": "", "text.json": "x", "object.json": "{}", "format.json": '{"format": "mollify certificate 2"}', "model.json": '{"format": "mollify model 1"}'}


@pytest.mark.parametrize(
    ("call", "parameter"),
    [
        (lambda file: mo.estimate(TABLE, file), "certificate"),
        (lambda file: mo.verify(file, DOMAIN), "certificate"),
        (lambda file: mo.Certificate.read(file), "path"),
        (lambda file: mo.generate(file, 3), "model"),
        (lambda file: mo.Model.read(file), "path"),
        (lambda file: mo.Domain.read(file), "path"),
        (lambda file: mo.Domain.draft(file), "public"),
        (lambda file: mo.Local(file, epsilon=1), "domain"),
        (lambda file: mo.Central.plan_of(file, epsilon=1, n=9), "domain"),
        (lambda file: mo.Local(DOMAIN, epsilon=8).sample(file), "data"),
        (lambda file: mo.Local(DOMAIN, epsilon=8).check(file), "data"),
        (lambda file: mo.Local(DOMAIN, epsilon=8).compare(file), "data"),
        (lambda file: mo.Local(DOMAIN, epsilon=8, unit="u").tune(file), "public_units"),
        (lambda file: mo.Local(DOMAIN, epsilon=8, reference=file).sample(TABLE), "reference"),
        (lambda file: mo.Local(DOMAIN, epsilon=8, unit="u", units=file).sample(TABLE), "units"),
        (lambda file: mo.reference(file, NUMBERS, "r.json"), "public"),
        (lambda file: mo.candidates(DOMAIN, "c.csv", 9, reference=file), "reference"),
        (lambda file: mo.nonprivate.compare(file, TABLE, DOMAIN), "released"),
        (lambda file: mo.nonprivate.compare(TABLE, file, DOMAIN), "data"),
    ],
)
def test_a_missing_file_is_named_by_the_parameter_of_the_call(call, parameter, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    error = refused(lambda: call("nosuch.csv" if parameter != "certificate" else "nosuch.json"))
    assert (error.code, error.parameter) == ("unreadable-file", parameter), str(error)
    assert error.ways_out == (mo.WayOut("set", parameter),)


def test_a_file_that_is_no_certificate_has_the_code_of_the_command(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    mo.Domain(DOMAIN).write("d.yaml")
    for name, text in NOT.items():
        (tmp_path / name).write_text(text)
        command = [sys.executable, "-m", "mollify", "verify", "--certificate", name, "--domain", "d.yaml", "--json"]
        said = json.loads(subprocess.run(command, text=True, capture_output=True).stdout)["error"]
        error = refused(lambda n=name: mo.verify(n, DOMAIN))
        assert (error.code, error.parameter, error.file) == (said["code"], "certificate", name)
        assert error.ways_out == (mo.WayOut("set", "certificate"),)
        assert said["ways_out"] == [{"action": "set", "part": "certificate", "value": ""}]


@pytest.mark.parametrize(
    ("call", "parameter"),
    [
        (lambda table: mo.Local(DOMAIN, epsilon=8).sample(table), "data"),
        (lambda table: mo.Local(DOMAIN, epsilon=8).check(table), "data"),
        (lambda table: mo.Local(DOMAIN, epsilon=8).compare(table), "data"),
        (lambda table: mo.Local(DOMAIN, epsilon=8, unit="u").tune(table), "public_units"),
        (lambda table: mo.Local(DOMAIN, epsilon=8, reference=table).sample(TABLE), "reference"),
        (lambda table: mo.nonprivate.compare(table, TABLE, DOMAIN), "released"),
        (lambda table: mo.nonprivate.compare(TABLE, table, DOMAIN), "data"),
    ],
)
def test_a_missing_column_is_named_by_the_parameter_of_its_table(call, parameter):
    error = refused(lambda: call({"u": [1], "age": [3]}))
    assert (error.code, error.parameter, error.column) == ("missing-column", parameter, "sex"), str(error)
    assert error.ways_out == (mo.WayOut("set", parameter),)


def test_the_words_of_a_call_are_its_own():
    for call, facts in (
        (lambda: mo.Sampler("relative", k=3, epsilon=1, mu=2), ("contradicting-parameters", "mu", ["leave mu"])),
        (lambda: mo.Local(DOMAIN, epsilon=1, mu=2).plan(), ("contradicting-parameters", "mu", ["leave mu", "leave epsilon"])),
        (
            lambda: mo.Local(DOMAIN, epsilon=1, rho=1),
            ("not-for-this-method", "rho", ["leave rho", "use mo.Central", "use mo.Gaussian", "use mo.GaussianModel", "use mo.Marginals"]),
        ),
        (lambda: mo.Local(DOMAIN, epsilon=1, cells=9).plan(), ("not-for-this-domain", "cells", ["leave cells"])),
        (lambda: mo.Local(DOMAIN, epsilon=1).plan(region={"sex": "f"}), ("wrong-type", "region", ["set region"])),
        (lambda: mo.Local(DOMAIN, epsilon=1).plan(region=[3]), ("wrong-type", "region", ["set region"])),
        (lambda: mo.reference(TABLE, DOMAIN, "r.json"), ("not-for-this-domain", "domain", ["set domain"])),
        (lambda: mo.Domain.draft(TABLE, columns=["sex"], exclude=["sex"]), ("contradicting-parameters", "exclude", ["leave exclude", "set columns"])),
        (lambda: mo.Domain({"a": mo.number(0, float("inf"))}), ("out-of-range", "max", ["declare max"])),
        (lambda: mo.Domain({"a": mo.integer(0, 90, step=10, null=5)}), ("unknown-value", "null", ["declare null 10"])),
        (lambda: mo.Domain({"a": mo.integer(0, 9, missing=[])}), ("empty-input", "missing", ["declare missing", "leave missing"])),
        (lambda: mo.Marginals(NUMBERS, epsilon=1, count=3).plan(n=99), ("too-many-outcomes", "domain", ["declare bins", "declare edges"])),
        (lambda: mo.Records(3), ("wrong-type", "table", ["set table"])),
        (lambda: mo.advise(DOMAIN, purpose="records", protect="person", n=9, unit=""), ("malformed-text", "unit", ["set unit"])),
    ):
        error = refused(call)
        ways = [" ".join(part for part in way if part) for way in error.ways_out]
        assert (error.code, error.parameter, ways) == facts, str(error)


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
