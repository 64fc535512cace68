"""The package: typed, quick to import, alone in its corner of nanobind's registry."""

import subprocess
import sys
from importlib import resources

import pytest

import mollify as mo


def python(*code):
    return subprocess.run(
        [sys.executable, "-c", "\n".join(code)], capture_output=True, text=True, check=True
    ).stdout


def test_import_is_light():
    """Other libraries are imported when they are needed."""
    loaded = python(
        "import sys, mollify",
        "print([name for name in sys.modules if '.' not in name])",
    )
    for heavy in ("numpy", "pandas", "polars", "pyarrow"):
        assert f"'{heavy}'" not in loaded


def test_is_typed():
    package = resources.files("mollify")
    assert package.joinpath("py.typed").is_file()
    assert package.joinpath("_core.pyi").is_file()


def test_everything_public_is_documented():
    for name in mo.__all__:
        if not name.startswith("__"):
            assert getattr(mo, name).__doc__, name


def test_lives_beside_another_package_of_nanobinds():
    pytest.importorskip("duckdb")
    for order in ("import duckdb, mollify", "import mollify, duckdb"):
        said = python(
            order,
            "import mollify as mo",
            "table = duckdb.sql(\"select 'x' as a from range(10)\")",
            "print(len(mo.sample(table, {'a': mo.categorical(['x', 'y'])}, model='integral',"
            " epsilon=1, count=3)))",
            "print(duckdb.sql('select 7').fetchall()[0][0])",
        )
        assert said.split() == ["3", "7"]
