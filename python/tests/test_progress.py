"""Bars of progress: the command's line on a terminal becomes one, and all else it says is heard."""

import os

import pytest

import mollify as mo
from mollify._progress import Terminal, steps

pytest.importorskip("tqdm")


def test_a_line_of_the_commands_becomes_a_bar(capfd):
    terminal = Terminal("tune")
    os.write(terminal.descriptor, b"\r\x1b[K30 of 120 units, 15 a second, 6 s left")
    os.write(terminal.descriptor, b"\r\x1b[K120 of 120 units, 15 a second, 0 s left; done\r\x1b[K")
    os.write(terminal.descriptor, b"mollify: it was refused\n")
    assert terminal.close() == "mollify: it was refused\n"
    shown = capfd.readouterr().err
    assert "tune" in shown
    assert "120/120" in shown


def test_analyses_show_a_bar_only_when_asked(capfd):
    method = mo.Integral({"a": mo.boolean()}, epsilon=1)
    asked = method.compare({"a": [True]}, progress=True)
    assert asked["law"] == method.compare({"a": [True]})["law"]
    assert capfd.readouterr().err == ""  # it took no second
    assert list(steps([1, 2], "points", False)) == [1, 2]
    assert capfd.readouterr().err == ""
    assert list(steps([1, 2], "points", True)) == [1, 2]
    assert "2/2" in capfd.readouterr().err


def test_a_refusal_is_the_same_beside_a_bar():
    said = []
    for progress in (False, True):
        with pytest.raises(mo.InvalidInput) as refused:
            mo.Integral({"a": mo.boolean()}, epsilon=1).compare({"a": [True]}, epsilon=[-1], progress=progress)
        said.append(str(refused.value))
    assert said[0] == said[1]
    assert "epsilon" in said[0]
