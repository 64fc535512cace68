"""The charts of docs/pictures are of the numbers of docs/evidence."""

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("altair")


def test_charts_are_of_the_measured_numbers() -> None:
    script = Path(__file__).parents[2] / "scripts" / "draw_charts.py"
    ended = subprocess.run([sys.executable, script, "--check"], capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
