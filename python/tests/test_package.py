"""The package: typed, quick to import, alone in its corner of nanobind's registry."""

import ast
import shutil
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


def test_shows_one_symbol():
    """So nothing of nanobind's, or of the library's, is taken for another package's, or the reverse."""
    from mollify import _core

    if shutil.which("nm") is None:
        pytest.skip("needs nm")
    said = subprocess.run(
        ["nm", "-D", "--defined-only", "--format=posix", _core.__file__],
        **{"capture_output": True, "text": True, "check": True},
    ).stdout
    assert [line.split()[0] for line in said.splitlines()] == ["PyInit__core"]


def test_stubs_name_what_the_compiled_module_has():
    from mollify import _core

    text = resources.files("mollify").joinpath("_core.pyi").read_text()
    stub = {node.name: node for node in ast.parse(text).body if hasattr(node, "name")}
    public = {name for name in dir(_core) if not name.startswith("_")}
    assert set(stub) == public
    for name, node in stub.items():
        if isinstance(node, ast.ClassDef) and name != "InvalidInput":
            named = {
                one.name if hasattr(one, "name") else one.targets[0].id
                for one in node.body
                if isinstance(one, (ast.FunctionDef, ast.Assign))
            }
            made = getattr(_core, name)
            missing = {one for one in vars(made) if not one.startswith("_")} - named
            assert not missing, name
            assert all(hasattr(made, one) for one in named), name
