"""Every public function, class and method refuses wrong values in a sentence, with a code, what it concerns and a way
out. No error of the compiled module or of NumPy comes through. The names are found, not listed."""

import contextlib
import inspect
import io
import warnings

import numpy as np
import pytest

import mollify as mo
from column_types import COLUMNS, KINDS, settings

pandas = pytest.importorskip("pandas")

DOMAIN = {
    "sex": mo.categorical(["f", "m"], null="f", outside="f"),
    "age": mo.integer(0, 99, null="0", outside="clip"),
}
NUMBERS = {name: mo.number(0, 1, null="0", outside="clip") for name in ("x", "y")}
TABLE = {"u": [1, 1, 2], "sex": ["f", "m", "f"], "age": [1, 2, 3]}
SECRET = "Mallory"
PRIVATE = pandas.DataFrame({"name": [SECRET] * 20})  # whose place somebody mistook
WRONG = [
    PRIVATE, (PRIVATE, None),
    None, 3, -1, 2**70, 1.5, float("nan"), float("inf"), "foo", "", b"x", [], ["a", 3], {}, {"a": 1}, object(), True,
    np.array([1, 2]), 1 + 2j, (1,), np.float64("nan"), len, type,
]  # fmt: skip

COUNTED = {"epsilon": 9, "delta": 1e-6, "count": 2, "accept_error": True}
USUAL = {
    "Sampler": {"k": 3, "epsilon": 1},
    "RandomizedResponse": {"k": 3, "epsilon": 1},
    "Privacy": {"epsilon": 1},
    "Local": {"domain": DOMAIN, "epsilon": 1, "accept_error": True, "unit": "u"},
    "Integral": {"domain": DOMAIN, "epsilon": 9, "accept_error": True},
    "IntegralModel": {"domain": DOMAIN, "epsilon": 9, "accept_error": True},
    "Central": {"domain": DOMAIN, **COUNTED},
    "Gaussian": {"domain": NUMBERS, **COUNTED, "covariance": [[1.0, 0.0], [0.0, 1.0]]},
    "GaussianModel": {"domain": NUMBERS, **COUNTED},
    "Marginals": {"domain": DOMAIN, **COUNTED},
    "advise": {"domain": DOMAIN, "purpose": "records", "protect": "row", "n": 10},
    "amplify": {"k": 3, "n": 100, "epsilon0": 1, "delta": 1e-9},
    **{kind: settings(form["examples"][0]) for kind, form in KINDS.items()},
    "candidates": {"domain": DOMAIN, "out": "c.csv", "count": 3},
    "reference": {"public": TABLE, "domain": DOMAIN, "out": "r.json"},
    "Domain": {"columns": DOMAIN},
    "Local.plan_of": {"k": 5, "epsilon": 1},
    "Sampler.draw": {"scores": [1, 2, 3]},
    "Sampler.draw_units": {"outcomes": [1, 2], "offsets": [0, 1, 2]},
    "RandomizedResponse.draw": {"values": [1]},
    "Ledger.declare": {"data_set": "b", "epsilon": 1},
    "Ledger.charge": {"data_set": "a", "cost": mo.Privacy(epsilon=0.01)},
    "Ledger.balance": {"data_set": "a"},
    "Ledger.history": {"data_set": "a"},
    "Local.tune": {"data": TABLE, "out": "band.json"},
    "Synthesizer.fit": {"X": TABLE},
}
# Calls that take anything, that only hold what they are given, or that follow a protocol of Python's or a library's.
LEFT = {"InvalidInput", "Message", "ReleaseWarning", "DomainWarning", "WayOut", "Quantity", "Method", "Plan", "Answer", "Advice", "Estimate",
        "Balance", "TableAnswer", "Simulation", "Verification", "mbde", "Release", "Records", "Certificate", "Model"}  # fmt: skip


def parameters(call):
    try:
        return list(inspect.signature(call).parameters)
    except (TypeError, ValueError):
        return []


@pytest.fixture(scope="module")
def objects(tmp_path_factory):
    folder = tmp_path_factory.mktemp("objects")
    release = mo.Local(DOMAIN, unit="u", units=[1, 2], epsilon=8).sample(TABLE)
    local = mo.Local(DOMAIN, unit="u", epsilon=1, accept_error=True)
    ledger = mo.Ledger(folder / "ledger.db")
    ledger.declare("a", epsilon=1)
    model = mo.Marginals(DOMAIN, epsilon=8, count=3, accept_error=True).sample(TABLE).model
    return [
        release, model, release.certificate, ledger, mo.Sampler(k=3, epsilon=1), mo.RandomizedResponse(k=3, epsilon=1),
        mo.Domain(DOMAIN), local, mo.verify(release, DOMAIN), local.plan(), local.compare(TABLE), mo.estimate(release),
        mo.Synthesizer(local), mo.Privacy(epsilon=1), mo.ReleaseKey(),
    ]  # fmt: skip


def calls(objects):
    """Names, calls, and their usual parameters."""
    release, model = objects[:2]
    usual = USUAL | {
        "estimate": {"released": release},
        "generate": {"model": model, "count": 2},
        "report": {"about": release, "path": "r.html"},
        "risk": {"sampler": objects[4]},
        "verify": {"certificate": release, "domain": DOMAIN},
        "compose": {"releases": [release]},
        "Ledger": {"path": "l.db"},
        "Synthesizer": {"method": objects[7]},
        "Model.sample": {"n": 2},
        "Model.estimate": {"question": "share(sex)"},
        "Local.sample": {"data": TABLE},
        "Local.check": {"data": TABLE},
        "Local.compare": {"data": TABLE},
    }
    for name in mo.__all__:
        one = getattr(mo, name)
        if name in COLUMNS:
            yield name, lambda one=one, **given: mo.Domain({"a": one(**given)}), parameters(one), usual.get(name, {})
        elif callable(one) and name not in LEFT:
            yield name, one, parameters(one), usual.get(name, {})
    for thing in objects:
        kind = type(thing)
        for name in dir(kind):
            if name.startswith("_") or isinstance(inspect.getattr_static(kind, name), property):
                continue
            call, whole = getattr(thing, name), f"{kind.__name__}.{name}"
            if "mollify" in (getattr(call, "__module__", None) or ""):
                yield whole, call, parameters(call), usual.get(whole, {})


def test_wrong_values_are_refused_with_code_concern_and_way_out(objects, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    warnings.simplefilter("ignore")
    faults, tried, refused = [], 0, 0
    for name, call, known, usual in calls(objects):
        for parameter in known:
            for value in WRONG:
                tried += 1
                try:
                    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
                        call(**usual | {parameter: value})
                except mo.InvalidInput as error:
                    refused += 1
                    # A sentence about a key of a column, or about a file's syntax, names it.
                    is_named = parameter in ("null", "outside") or error.code == "malformed-file"
                    concerns = error.parameter or error.column or error.file or is_named
                    if not (error.code and concerns and (error.ways_out or error.file or error.column or is_named)):
                        faults.append(f"{name}({parameter}={value!r}): {error.code} {concerns} {error.ways_out}: {error}")
                    if SECRET in str(error):
                        faults.append(f"{name}({parameter}=...) quotes its table: {error}")
                except ImportError:  # of a package that is not there
                    pass
                except Exception as error:
                    faults.append(f"{name}({parameter}={value!r}): {type(error).__name__}: {error}")
    print(f"{tried} calls, {refused} refused")
    assert not faults, "\n".join(faults)
    assert refused > 1000
