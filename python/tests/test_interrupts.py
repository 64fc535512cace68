"""Ctrl-C stops every long call, and a stopped release says what stays charged."""

import os
import signal
import subprocess
import sys
import time
import warnings

import pytest

import mollify as mo

MOST = 2.0
"""Seconds to a KeyboardInterrupt. 0.5 is what the documents promise of a quiet machine; this is for a loaded one."""

BEGIN = """
import sys, time, warnings
import numpy as np
import mollify as mo
warnings.simplefilter("ignore")
rng = np.random.default_rng(1)
"""
UNITS = """
units = np.repeat(np.arange(3000), 10)
table = {"u": units, "a": rng.normal(size=30000), "b": rng.normal(size=30000)}
domain = {name: mo.number(-9, 9, null="0", outside="clip") for name in "ab"}
"""
WIDE = """
domain = {f"c{i}": mo.integer(0, 15, null="0", outside="clip") for i in range(40)}
table = {name: rng.integers(0, 16, 20_000) for name in domain}
"""
RECORDS = """
columns = [
    (f"c{i}", "text", rng.integers(0, 3, 2_000_000).astype(np.int32), np.ones(2_000_000, np.uint8),
     ["Ghent", "Lille", "Trier"], None, "text", False, True) for i in range(12)
]
records = mo.Records(mo._core.Table(columns))
import polars
"""
LONG = {
    "sample local, fresh candidates": (UNITS, "mo.Local(domain, unit='u', epsilon=2, fresh=True).sample(table)"),
    "sample local, shared candidates": (
        UNITS,
        "mo.Local(domain, unit='u', epsilon=2, candidates=1_000_000).sample(table)",
    ),
    "sample integral-model": (WIDE, "mo.IntegralModel(domain, epsilon=4, trees=True, accept_error=True).sample(table)"),
    "sample marginals": (WIDE, "mo.Marginals(domain, epsilon=2, delta=1e-6, count=10_000_000).sample(table)"),
    "sample gaussian": (
        "domain = {f'c{i}': mo.number(-9, 9, null='0', outside='clip') for i in range(10)}\n"
        "table = {name: rng.normal(size=4_000_000) for name in domain}",
        "mo.Gaussian(domain, epsilon=1, delta=1e-9, count=1000, covariance=np.eye(10)).sample(table)",
    ),
    "generate": (
        WIDE + "model = mo.Marginals(domain, epsilon=8, delta=1e-6, count=1, accept_error=True).sample(table).model",
        "mo.generate(model, 20_000_000)",
    ),
    "compare": (
        UNITS,
        "mo.Local(domain, unit='u', epsilon=2, candidates=1_000_000).compare(table)",
    ),
    "tune": (UNITS, "mo.Local(domain, unit='u', epsilon=2, candidates=100_000).tune(table)"),
    "check": (UNITS + "table = {name: np.tile(values, 200) for name, values in table.items()}",
              "mo.Local(domain, unit='u', epsilon=2).check(table)"),
    "Domain.draft": (
        "table = {f'c{i}': np.round(rng.lognormal(size=3_000_000), 3) for i in range(4)}",
        "mo.Domain.draft(table)",
    ),
    "reference": (
        UNITS + "table = {name: np.tile(np.clip(table[name], -8, 8), 4) for name in 'ab'}",
        "mo.reference(table, domain, 'unwritten.json', components=200)",
    ),
    "plan_of": ("", "mo.Central.plan_of(k=2**20, epsilon=1, delta=1e-9, count=1000, alpha=0.01)"),
    "plan_of, a curve": (
        "",
        "mo.Central.plan_of(n=549755813888, k=4109, epsilon=3.238, delta=1e-100, count=1, curve=True,"
        " accept_large_delta=True)",
    ),
    "plan_of, a centre": (
        "",
        "mo.Gaussian.plan_of(alpha=0.01, dimension=2, covariance_bound=325500, count=1000, epsilon=0.4, delta=1e-12)",
    ),
    "advise": ("", "mo.advise(purpose='sample', protect='row', n=10**9, columns=[2**20], count=1000)"),
    "draw_units": (
        "sampler = mo.Sampler('minimax', k=1000, epsilon=2)\n"
        "records = rng.integers(0, 1000, 4_000_000)\n"
        "names = [str(i) for i in range(1_000_000)]",
        "sampler.draw_units(records, np.arange(0, 4_000_001, 4), key=mo.ReleaseKey(), identities=names)",
    ),
    "Records.to_polars": (RECORDS, "[records.to_polars() for _ in range(4)]"),
    "Records.to_pandas": (RECORDS, "[records.to_pandas() for _ in range(3)]"),
    "draw": (
        "response = mo.RandomizedResponse(k=10, epsilon=1)\nvalues = rng.integers(0, 10, 100_000_000, np.uint8)",
        "response.draw(values)",
    ),
}


def interrupted(setup, call, delay):
    """Seconds from the signal to the KeyboardInterrupt, and its notes."""
    code = f"""{BEGIN}{setup}
print("ready", flush=True)
try:
    {call}
    print("finished")
except KeyboardInterrupt as stopped:
    print(time.monotonic(), getattr(stopped, "__notes__", []))
"""
    child = subprocess.Popen([sys.executable, "-P", "-c", code], stdout=subprocess.PIPE, text=True)
    try:
        assert child.stdout.readline() == "ready\n"
        time.sleep(delay)
        sent = time.monotonic()
        child.send_signal(signal.SIGINT)
        said, _ = child.communicate(timeout=60)
    finally:
        child.kill()
    assert said != "finished\n", "the call is too short for this test"
    at, _, notes = said.partition(" ")
    return float(at) - sent, notes


@pytest.mark.parametrize("name", LONG)
def test_ctrl_c_stops(name):
    setup, call = LONG[name]
    seconds, notes = interrupted(setup, call, 1.0)
    print(f"{name}: {seconds:.3f} s")
    assert seconds < MOST
    assert notes.strip() == "[]"


def test_a_stopped_release_says_what_stays_charged(tmp_path):
    path = os.fspath(tmp_path / "l.db")
    mo.Ledger(path).declare("people", epsilon=10, scope="unit=u")
    setup, call = LONG["sample local, fresh candidates"]
    seconds, notes = interrupted(setup, call.replace("(table)", f"(table, ledger={path!r}, data_set='people')"), 1.5)
    assert seconds < MOST
    assert f"{path} stays charged for this release of" in notes
    assert "epsilon 2. No record was released." in notes
    assert mo.Ledger(path).balance("people").spent == mo.Privacy(epsilon=2)


def test_a_stopped_preparation_charges_nothing(tmp_path):
    """The candidates are made before the charge."""
    path = os.fspath(tmp_path / "l.db")
    mo.Ledger(path).declare("people", epsilon=10, scope="unit=u")
    call = (
        "mo.Local(domain, unit='u', epsilon=2, candidates=16_000_000)"
        f".sample(table, ledger={path!r}, data_set='people')"
    )
    seconds, notes = interrupted(UNITS, call, 0.1)
    assert seconds < MOST
    assert notes.strip() == "[]"
    assert mo.Ledger(path).balance("people").releases == 0


def test_what_takes_long_is_told_beforehand():
    """Where warnings are errors, it does not begin."""
    asked = {"dimension": 30, "epsilon": 0.01, "delta": 1e-9, "covariance_bound": 5, "alpha": 0.1, "count": 1}
    what = "planning in 30 dimensions with a bounded covariance may take longer than two seconds; Ctrl-C ends it"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        began = time.process_time()
        with pytest.raises(RuntimeWarning) as told:
            mo.Gaussian.plan_of(**asked)
    assert str(told.value) == what
    assert time.process_time() - began < 1
    with pytest.warns(RuntimeWarning, match=what):
        (answer,) = mo.Gaussian.plan_of(**asked)["answers"]
        assert answer["n"] > 10**6
