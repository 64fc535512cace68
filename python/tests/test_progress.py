"""Lines of progress."""

import time

import pytest

import mollify as mo
from mollify._progress import line, steps


def test_steps_become_a_line(capfd):
    with line("tune", True) as shown:
        shown("units", 30, 120)
        time.sleep(0.02)
        shown("units", 60, 120)
    shown = capfd.readouterr().err
    assert "tune: 30 of 120 units" in shown
    assert "tune: 60 of 120 units, " in shown
    assert shown.endswith(" left\n")
    with line("tune", False) as nothing:
        assert nothing is None


def test_analyses_show_a_line_only_when_asked(capfd):
    method = mo.Integral({"a": mo.boolean()}, epsilon=1)
    asked = method.compare({"a": [True]}, progress=True)
    assert asked["law"] == method.compare({"a": [True]})["law"]
    assert capfd.readouterr().err == ""  # it took no second
    assert list(steps([1, 2], "points", False)) == [1, 2]
    assert capfd.readouterr().err == ""
    assert list(steps([1, 2], "points", True)) == [1, 2]
    assert "points: 2 of 2 done" in capfd.readouterr().err


def test_a_refusal_is_the_same_beside_a_line():
    said = []
    for progress in (False, True):
        with pytest.raises(mo.InvalidInput) as refused:
            mo.Integral({"a": mo.boolean()}, epsilon=1).compare({"a": [True]}, epsilon=[-1], progress=progress)
        said.append(str(refused.value))
    assert said[0] == said[1]
    assert "epsilon" in said[0]


def test_a_computation_that_takes_seconds_shows_a_line(capfd):
    """A second passes before anything is shown."""
    table = {"u": list(range(400)), "a": [0.5] * 400}
    mo.Local({"a": mo.number(0, 1)}, unit="u", epsilon=1).tune(table, progress=True)
    assert "units" in capfd.readouterr().err
