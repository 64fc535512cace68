"""The package: typed, quick to import, alone in its corner of nanobind's registry."""

import doctest
import inspect
import os
import platform
import pydoc
import re
import shutil
import subprocess
import sys
from importlib import resources
from pathlib import Path

import pytest

import mollify as mo
from column_types import COLUMNS
from mollify._methods import METHODS


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


def test_stub_is_the_compiled_modules(tmp_path):
    made = tmp_path / "_core.pyi"
    patterns = Path(__file__).parent.parent / "stub_patterns.txt"
    generator = [sys.executable, "-P", "-m", "nanobind.stubgen", "-q", "-D", "-m", "mollify._core"]
    subprocess.run([*generator, "-p", patterns, "-o", made], check=True)
    written = resources.files("mollify").joinpath("_core.pyi").read_text()
    assert written == made.read_text(), "write it anew by scripts/refresh_signatures.py"


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
            "method = mo.Integral({'a': mo.categorical(['x', 'y'])}, epsilon=1, count=3)",
            "print(len(method.sample(table)))",
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


def test_runs_where_glibc_is_2_34():
    """Whatever is newer (std::hypot, say) would keep the wheel from computers that it is to serve."""
    if shutil.which("nm") is None or platform.libc_ver() > ("glibc", "2.36"):
        pytest.skip("needs nm, and a glibc for which old versions are still bound")
    from mollify import _core

    for file in (_core.__file__, os.path.join(os.path.dirname(_core.__file__), "bin", "mollify")):
        said = subprocess.run(["nm", "-D", file], capture_output=True, text=True, check=True).stdout
        needed = {tuple(map(int, one.split("."))) for one in re.findall(r"@GLIBC_([0-9.]+)", said)}
        assert max(needed) <= (2, 34), file


def test_pandas_needs_no_pyarrow():
    said = python(
        "import sys",
        "sys.modules['pyarrow'] = None  # as if it were not installed",
        "import pandas as pd, mollify as mo",
        "frame = pd.DataFrame({'a': ['x', None, 3], 'b': [1, None, 7], 'c': pd.Categorical(['u', 'v', None]),",
        "                      'd': pd.array([True, None, False]), 'e': pd.to_datetime(['2026-01-02'] * 3)})",
        "domain = {'a': mo.categorical(['x', 'y']), 'b': mo.integer(0, 9), 'c': mo.categorical(['u', 'v']),",
        "          'd': mo.boolean(), 'e': mo.date('2026-01-01', '2026-01-31')}",
        "method = mo.Integral(domain, epsilon=90)",
        "released = method.sample(frame[:1])",
        "print(*[str(column[0]) for column in released.to_dict().values()])",
        "print(*[str(kind) for kind in method.sample(frame).to_pandas().dtypes])",
    )
    assert said.splitlines() == ["x 1 u True 2026-01-02", "category Int64 category boolean datetime64[s]"]


def test_dir_has_the_public_names():
    assert set(dir(mo)) == {*mo.__all__, "boosting", "nonprivate", "spark"}
    assert all(getattr(mo, name) is not None for name in dir(mo))
    with pytest.raises(AttributeError, match=r"no attribute 'check'\. A method has it, such as mo\.Local\(\.\.\.\)\.check\(\.\.\.\)\.$"):
        mo.check
    with pytest.raises(AttributeError, match="no attribute 'chek'$"):
        mo.chek


def help_lines(kind):
    """The lines of help. From Python 3.13 on, a long signature has a line for each parameter, which is left out here."""
    text = pydoc.plain(pydoc.render_doc(kind))
    return re.sub(r"\(\n(?:[ |]+[*\w/][^\n]*\n)+?[ |]+\)", "(...)", text).splitlines()


@pytest.mark.parametrize("kind", METHODS.values(), ids=METHODS)
def test_help_of_a_method_is_short(kind):
    """It leaves out defaults and dunders, and what help(mo.Method) explains."""
    lines = help_lines(kind)
    print(len(lines), max(map(len, lines)))
    assert len(lines) <= 140 and max(map(len, lines)) <= 90
    assert "plan_of(" in "\n".join(lines) and "help(mo.Method)" in "\n".join(lines)
    assert not [line for line in lines if "__" in line]
    assert str(inspect.signature(mo.Method.check)).endswith("most=None) -> Answer")


@pytest.mark.parametrize("kind", [mo.Domain, mo.Records, mo.Release, mo.Sampler], ids=lambda kind: kind.__name__)
def test_help_lists_public_names(kind):
    lines = help_lines(kind)
    assert len(lines) <= 125 and not [line for line in lines if "__" in line and "__arrow" not in line]


def test_help_has_40_lines():
    for name, one, _ in docstrings():
        assert len((inspect.getdoc(one) or "").splitlines()) <= 40, name


def documented():
    """What people call with several parameters."""
    kinds = [mo.Local, mo.Integral, mo.IntegralModel, mo.Central, mo.Gaussian, mo.GaussianModel, mo.Marginals]
    functions = [mo.advise, mo.amplify, mo.risk, mo.estimate, mo.verify, mo.generate, mo.candidates, mo.reference, mo.read_labelled, mo.write_labelled]
    methods = [mo.Method.sample, mo.Method.check, mo.Method.compare, mo.Local.tune, mo.Central.plan, mo.Marginals.plan]
    return [*kinds, *functions, *methods, mo.Domain.draft, mo.Labelled.domain, mo.Sampler.draw, mo.Sampler.draw_units]


@pytest.mark.parametrize("called", documented(), ids=lambda called: called.__qualname__)
def test_every_parameter_is_documented(called):
    text = inspect.getdoc(called)
    said = text.partition("Parameters\n----------\n")[2].partition("\n\n")[0]
    named = set(re.findall(r"\w+", " ".join(re.findall(r"^\w[\w, ]*", said, re.M))))
    assert set(inspect.signature(called).parameters) - {"self"} <= named
    errors = inspect.getdoc(mo.Method) if inspect.isclass(called) else text  # what all methods raise is written once
    assert "Raises\n------\n" in errors or called in (mo.Sampler.draw, mo.Sampler.draw_units)


def docstrings():
    """All public docstrings, with the columns that help() indents them by."""
    for name in mo.__all__:
        one = getattr(mo, name)
        if name.startswith("__") or not (inspect.isclass(one) or inspect.isroutine(one)):
            continue
        yield name, one, 4
        if inspect.isclass(one):
            for inside, value in vars(one).items():
                if not inside.startswith("_") and (inspect.isroutine(value) or isinstance(value, (property, classmethod))):
                    yield f"{name}.{inside}", value, 8


def test_help_fits_88_columns():
    for name, one, indent in docstrings():
        for line in (inspect.getdoc(one) or "").splitlines():
            assert len(line) + indent <= 88, f"{name}: {line}"


OTHERS = [mo.report, mo.mbde, mo.Domain, mo.Sampler, mo.RandomizedResponse, mo.Model.sample]


@pytest.mark.parametrize("called", [*documented(), *COLUMNS.values(), *OTHERS], ids=lambda called: called.__qualname__)
def test_every_parameter_has_a_type(called):
    said = inspect.getdoc(called).partition("Parameters\n----------\n")[2].partition("\n\n")[0]
    named = [line for line in said.splitlines() if not line.startswith(" ")]
    names = re.findall(r"\w+", " ".join(line.partition(" : ")[0] for line in named))
    assert set(inspect.signature(called).parameters) - {"self"} == set(names)
    assert all(" : " in line for line in named), named


def test_examples_in_docstrings_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "build").mkdir()
    ran = 0
    for name in mo.__all__:
        for test in doctest.DocTestFinder().find(getattr(mo, name), name, module=False, globs=dict(vars(mo))):
            found = doctest.DocTestRunner().run(test)
            assert found.failed == 0
            ran += found.attempted
    assert ran > 25
