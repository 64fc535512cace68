"""Nothing acknowledged is lost or counted twice: a short run of load.py, with kill -9."""

import pytest

import load


@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
def test_killed_under_load(database, capsys):
    assert load.main([database, "--rate", "500", "--seconds", "4", "--kills", "2"]) == 0
    assert "2000 reports" in capsys.readouterr().out
