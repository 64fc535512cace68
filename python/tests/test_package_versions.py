"""Other packages that are too old are refused where they are used, in one sentence."""

import importlib.metadata
import re
import tomllib

import pytest

import mollify as mo
from conftest import ROOT
from mollify import _files

DOMAIN = mo.Domain({"x": mo.number(0, 3, bins=3)})
METHOD = mo.Integral(DOMAIN, epsilon=2, accept_error=True)


def test_the_versions_agree():
    """The package's extras, what the code refuses, and the oldest versions that a script tests."""
    wanted = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    stated = {}
    for one in wanted["dependencies"] + sum(wanted["optional-dependencies"].values(), []):
        name, version = re.match(r"([\w-]+)>=([\d.]+)", one).groups()
        assert stated.setdefault(name, version) == version, name
    tested = dict(re.findall(r"^([\w-]+)==([\d.]+)$", (ROOT / "python/oldest.txt").read_text(), re.M))
    for package, oldest in _files.OLDEST.items():
        name = _files._DISTRIBUTIONS.get(package, package)
        stated.setdefault(name, ".".join(map(str, oldest)))
        assert stated[name] == ".".join(map(str, oldest)), name
    for name, version in stated.items():
        assert re.fullmatch(re.escape(version) + r"(\.0)*", tested[name]), name


def as_if(monkeypatch, package, version):
    known = importlib.metadata.version

    def told(name):
        return version if name == _files._DISTRIBUTIONS.get(package, package) else known(name)

    monkeypatch.setattr(importlib.metadata, "version", told)
    monkeypatch.setattr(_files, "require_version", _files.require_version.__wrapped__)
    from mollify import _data

    monkeypatch.setattr(_data, "require_version", _files.require_version)


def uses():
    def frame(name):
        return lambda: METHOD.sample(pytest.importorskip(name).DataFrame({"x": [1.0, 2.0]}))

    def pyarrow():
        return pytest.importorskip("pyarrow").table({"x": [1.0, 2.0]})

    def duckdb():
        # Of the module's own connection: DuckDB 1.3 closes others with their last name.
        return pytest.importorskip("duckdb").sql("select 1.0::double as x")

    def measurement():
        from mollify.adapters import opendp

        pytest.importorskip("opendp.prelude").enable_features("contrib", "honest-but-curious")
        return opendp.measurement(METHOD)

    def release():
        return METHOD.sample({"x": [1.0, 2.0]})

    yield "pandas", frame("pandas")
    yield "pandas", lambda: METHOD.check(pytest.importorskip("pandas").DataFrame({"x": [1.0]}))
    yield "pandas", lambda: METHOD.sample({"x": pytest.importorskip("pandas").Series([1.0])})
    yield "pandas", lambda: release().to_pandas()
    yield "polars", frame("polars")
    yield "polars", lambda: METHOD.sample(pytest.importorskip("polars").LazyFrame({"x": [1.0, 2.0]}))
    yield "polars", lambda: release().to_polars()
    yield "pyarrow", lambda: METHOD.sample(pyarrow())
    yield "pyarrow", lambda: METHOD.sample({"x": pyarrow()["x"]})
    yield "pyarrow", lambda: release().to_arrow()
    yield "duckdb", lambda: METHOD.sample(duckdb())
    yield "dp_accounting", lambda: release().dp_event()
    yield "opendp", measurement
    yield "altair", lambda: METHOD.compare({"x": [1.0, 2.0]}).plot()


@pytest.mark.parametrize(("package", "use"), list(uses()), ids=lambda one: one if isinstance(one, str) else "")
def test_an_old_package_is_refused_where_it_is_used(package, use, monkeypatch):
    pytest.importorskip(package)
    use()
    as_if(monkeypatch, package, "0.0.9")
    name, needed = _files._DISTRIBUTIONS.get(package, package), ".".join(map(str, _files.OLDEST[package]))
    sentence = (
        f"{name} 0.0.9 is too old: mollify needs {name} {needed} or newer. "
        f'Run pip install --upgrade "{name}>={needed}".'
    )
    with pytest.raises(ImportError) as refused:
        use()
    assert str(refused.value) == sentence


@pytest.mark.parametrize("version", ["99.0", "99.0.0rc1", "2026.1.1.dev3+abc"])
def test_a_newer_version_of_any_form_is_taken(version, monkeypatch):
    as_if(monkeypatch, "pandas", version)
    _files.require_version("pandas")
    _files.require_version("no_such_package")
