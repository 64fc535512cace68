"""Releases: the same from whatever holds the data, and the command's."""

import dataclasses
import inspect
import json
import pickle
import re
import subprocess
import sys

import numpy as np
import pytest

import mollify as mo
from by_word import by_word
from mollify import _core
from mollify._methods import METHODS

pandas = pytest.importorskip("pandas")
polars = pytest.importorskip("polars")
pyarrow = pytest.importorskip("pyarrow")
duckdb = pytest.importorskip("duckdb")
nanoarrow = pytest.importorskip("nanoarrow")


def run(*arguments):
    return subprocess.run(
        [sys.executable, "-m", "mollify", *map(str, arguments)], capture_output=True, text=True
    )


def test_certificate_is_the_commands_byte_for_byte(schools, tmp_path, monkeypatch):
    monkeypatch.chdir(schools.parent)
    done = run(
        *("sample", "local", "--epsilon", "2", "--count", "1", "--unit", "school"),
        *("--data", "data/schools.csv", "--domain", "data/schools.yaml"),
        *("--units", "data/schools_roster.csv", "--out", tmp_path / "r.csv"),
        *("--certificate", tmp_path / "r.json"),
    )
    assert done.returncode == 0, done.stderr
    release = mo.Local(
        "data/schools.yaml",
        unit="school",
        units="data/schools_roster.csv",
        epsilon=2,
    ).sample("data/schools.csv")
    assert release.certificate.json == (tmp_path / "r.json").read_text()
    release.certificate.write(tmp_path / "s.json")
    assert mo.Certificate.read(tmp_path / "s.json") == release.certificate
    assert mo.verify(tmp_path / "s.json", "data/schools.yaml").holds


def test_command_comes_with_the_package():
    assert run("--version").stdout.strip() == mo.__version__
    assert run("sample", "sideways").returncode == 2


def tables(schools):
    frame = pandas.read_csv(schools / "schools.csv")
    yield "path", schools / "schools.csv"
    yield "pandas", frame
    yield "pandas, nullable", frame.convert_dtypes()
    yield "pandas, Arrow inside", frame.convert_dtypes(dtype_backend="pyarrow")
    yield "pandas, categories", frame.astype({"sex": "category", "school": "category"})
    yield "pandas, objects", frame.astype(object)
    yield "NumPy, dict", {name: frame[name].to_numpy() for name in frame}
    yield "NumPy, texts of fixed width", {
        name: frame[name].to_numpy().astype("U" if name != "math" else float) for name in frame
    }
    yield "NumPy, records", frame.to_records()
    yield "lists", {name: frame[name].tolist() for name in frame}
    yield "Polars", polars.read_csv(schools / "schools.csv")
    yield "Polars, series", dict(polars.read_csv(schools / "schools.csv").to_dict())
    yield "pyarrow", pyarrow.Table.from_pandas(frame)
    yield "pyarrow, reader", pyarrow.Table.from_pandas(frame).to_reader(max_chunksize=100)
    yield "pyarrow, dictionary", pyarrow.table(
        {name: pyarrow.array(frame[name]).dictionary_encode() for name in frame}
    )
    yield "nanoarrow", nanoarrow.ArrayStream(pyarrow.Table.from_pandas(frame))
    yield "DuckDB", duckdb.read_csv(str(schools / "schools.csv"))


def test_reads_the_same_from_everything(schools, tmp_path):
    """All cells are the same: at a great epsilon, a school of one pupil releases that pupil's.

    Another cell has a probability below 16 exp(-80) for each school: together below 1e-30.
    """
    domain = mo.Domain.read(schools / "schools.yaml")
    roster = pandas.read_csv(schools / "schools_roster.csv")["school"].tolist()
    first = pandas.read_csv(schools / "schools.csv").groupby("school").head(1)
    first.to_csv(tmp_path / "schools.csv", index=False)
    known = first.set_index("school")
    expected = None
    for name, data in tables(tmp_path):
        release = mo.Local(domain, unit="school", units=roster, epsilon=80).sample(data)
        assert len(release) == 160, name
        assert release.columns == ["school", "sex", "minority", "math"], name
        frame = release.to_pandas()
        truth = known.loc[frame["school"].astype(int)]
        assert frame["sex"].tolist() == truth["sex"].tolist(), name
        assert frame["minority"].tolist() == [bool(one) for one in truth["minority"]], name
        certificate = release.certificate.json
        assert expected in (None, certificate), name
        expected = certificate


def columns_of_a_point(kind):
    """Three values of one column in every form there is."""
    forms = {
        "integer": [
            [3, None, 11],
            ["3", "", "11"],
            [3.0, float("nan"), 11.0],
            [3, pandas.NA, 10**30],
            np.array([3.0, np.nan, np.inf], "f4"),
            np.ma.array(np.array([3, 5, 11], "u1"), mask=[0, 1, 0]),
            np.array(["3", "", "11"]),
            np.array([b"3", b"", b"11"]),
            np.array([3.0, np.nan, 11], dtype=np.longdouble),
            np.array([3, 0, 11], ">i4")[[0, 1, 2]] if False else np.ma.array(
                np.array([3, 0, 11], ">i4"), mask=[0, 1, 0]
            ),
            pandas.Series([3, None, 11]),
            pandas.Series([3, None, 11], dtype="Int8"),
            pandas.Series([3, None, 11], dtype="category"),
            pandas.Series(["11", None, 3], dtype="category")[::-1],
            pandas.Series(pandas.Categorical(["3", None, 11], categories=[object(), 11, "3"])),
            pandas.Series(["3", None, "11"]),
            pandas.Series(["3", None, "11"], dtype=object),
            pandas.Series([3, None, 11], dtype=pandas.ArrowDtype(pyarrow.int16())),
            pandas.array([3, None, 11], dtype=pandas.SparseDtype("float")),
            polars.Series([3, None, 11]),
            polars.Series(["3", None, "11"]),
            pyarrow.array([3, None, 11], pyarrow.uint64()),
            pyarrow.chunked_array([[3], [None, 11]]),
        ],
        "truth": [
            [True, None, False],
            ["true", "", "false"],
            [1, None, 0],
            ["yes", None, "no"],
            [np.True_, pandas.NA, np.False_],
            np.ma.array([True, True, False], mask=[0, 1, 0]),
            pandas.Series([True, None, False]),
            pandas.Series([True, None, False], dtype="category"),
            pandas.Series([True, None, False], dtype="boolean"),
            polars.Series([True, None, False]),
            pyarrow.array([True, None, False]),
        ],
    }
    return forms[kind]


@pytest.mark.parametrize("kind", ["integer", "truth"])
def test_a_value_is_one_value_in_every_form(kind):
    """An integral release at the greatest epsilon from one row is that row, but for a chance of
    11 / e^30 < 1e-11 a draw: 1e-6 in all is far above what all of these draws may fail by."""
    column = {
        "integer": mo.integer(0, 9, null="category"),
        "truth": mo.boolean(null="category"),
    }[kind]
    domain = mo.Domain({"a": column})
    expected = {"integer": [3, None, 9], "truth": [True, None, False]}[kind]
    for form in columns_of_a_point(kind):
        for row, value in enumerate(expected):
            data = {"a": form[row : row + 1]}
            release = mo.Integral(domain, epsilon=30).sample(data)
            assert release.to_dict()["a"] == [value], (type(form), form, row)


def test_a_number_has_one_text_in_every_form():
    """Whether objects or arrays hold it: so units and categories are found again."""
    numbers = [1e5, 1e-4, 123456.5, 1e16, 1e-5, -2.0, 5e-324, 1.7976931348623157e308, float("inf")]
    words = mo.Domain({"a": mo.categorical([*numbers, "else"], outside="else", null="else")}).columns["a"]["values"]
    domain = mo.Domain({"a": mo.categorical(words, outside="else", null="else")})
    for number, word in zip(numbers, words):
        for form in ([number], np.array([number]), np.array([number], object), polars.Series([number])):
            release = mo.Integral(domain, epsilon=60).sample({"a": form})
            assert release.to_dict()["a"] == [word], (number, type(form))


def test_notebooks_are_shown_the_first_records():
    domain = {"<b>": mo.categorical(["<i>&"], null="<i>&")}
    release = mo.Integral(domain, epsilon=1, count=12).sample({"<b>": ["<i>&"]})
    shown = release._repr_html_()
    assert shown.count("<td>&lt;i&gt;&amp;</td>") == 10
    assert "<th>&lt;b&gt;</th>" in shown
    assert "12 records by minimax with epsilon 1" in shown
    assert list(release.head(2).to_dict().values()) == [["<i>&"] * 2]


def test_dates_are_their_texts():
    words = ["2024-02-29", "2024-02-29T12:34:56", "2024-02-29T12:34:56.000007"]
    domain = mo.Domain({"a": mo.categorical([*words, "else"], null="category", outside="else")})
    import datetime as dt

    instants = [
        np.datetime64("2024-02-29"),
        np.datetime64("2024-02-29T12:34:56"),
        np.datetime64("2024-02-29T12:34:56.000007"),
    ]
    utc = dt.timezone.utc
    plain = [
        dt.date(2024, 2, 29),
        dt.datetime(2024, 2, 29, 12, 34, 56),
        dt.datetime(2024, 2, 29, 12, 34, 56, 7),
    ]
    east = dt.timezone(dt.timedelta(hours=2))
    for place, word in enumerate(words):
        forms = [(word, form) for form in (np.array([instants[place]]), [instants[place]], [plain[place]])]
        if place > 0:
            moment = pandas.Timestamp(instants[place])
            here = moment.tz_localize(utc).tz_convert(east)
            forms += [
                (word, form)
                for form in (pandas.Series([moment]), [moment], np.array([moment], "datetime64[ns]"))
            ]
            there = (pandas.Series([here]), [here], [here.to_pydatetime()], polars.Series([here]))
            forms += [(word, form) for form in there]
        for expected, form in forms:
            release = mo.Integral(domain, epsilon=30).sample({"a": form})
            assert release.to_dict()["a"] == [expected], (type(form), form)
    for form in ([np.datetime64("NaT", "s")], np.array(["NaT"], "datetime64[s]"), [pandas.NaT]):
        release = mo.Integral(domain, epsilon=30).sample({"a": form})
        assert release.to_dict()["a"] == [None]


def test_goes_out_with_the_domains_types(domain, tmp_path):
    data = {"sex": ["male"], "minority": [True], "visits": [3], "math": [1.0], "unit": ["a"]}
    release = mo.Local(domain, unit="unit", units=["a", "b"], epsilon=1).sample(data)
    frame = release.to_pandas()
    assert [str(kind) for kind in frame.dtypes] == [
        "string",
        "category",
        "boolean",
        "Int64",
        "float64",
    ]
    assert list(frame["sex"].cat.categories) == ["female", "male"]
    assert list(frame["unit"]) == ["a", "b"]
    assert list(release.to_polars().columns) == ["unit", *domain]
    table = pyarrow.table(release)
    assert table.num_rows == 2
    assert table.to_pydict() == release.to_dict()
    assert pyarrow.table(release).equals(table)  # as often as one likes
    release.write(tmp_path / "r.csv")
    lines = (tmp_path / "r.csv").read_text().splitlines()
    assert lines[0] == "unit,sex,minority,visits,math"
    assert lines[1].startswith("a,") and len(lines) == 3
    again = pickle.loads(pickle.dumps(release))
    assert again.to_dict() == release.to_dict()
    assert again.certificate == release.certificate
    assert pyarrow.table(again).equals(table)


def test_public_inputs_lie_in_memory_or_in_files(schools):
    """The same certificate, but for the names: the hash is that of the same bytes."""
    domain = mo.Domain.read(schools / "rand_hie.yaml")
    options = {"method": "integral", "epsilon": 4, "count": 2}
    data = schools / "rand_hie.csv"
    file = by_word(domain, reference=schools / "rand_hie_reference.csv", **options).sample(data)
    table = polars.read_csv(schools / "rand_hie_reference.csv", infer_schema=False)
    memory = by_word(domain, reference=table, **options).sample(data)
    in_file, in_memory = file.certificate.to_dict(), memory.certificate.to_dict()
    assert in_memory["spec"]["reference"]["sha256"] == in_file["spec"]["reference"]["sha256"]
    assert in_memory["design"] == in_file["design"]
    assert mo.verify(memory, domain)


def test_covariances_are_arrays_frames_or_files(schools):
    domain = mo.Domain.read(schools / "rand_hie_expenses.yaml")
    path = schools / "rand_hie_expenses_covariance.csv"
    frame = pandas.read_csv(path, index_col=0)
    designs = [
        mo.Gaussian(
            domain,
            rho=0.5,
            count=3,
            covariance=covariance,
            log=["year1", "year2", "year3"],
        ).sample(schools / "rand_hie_expenses.csv").certificate.to_dict()["design"]
        for covariance in (path, frame, frame.to_numpy())
    ]
    assert designs[0] == designs[1] == designs[2]


def test_a_shared_gaussian_gives_any_number_of_rows(schools):
    years = ["year1", "year2", "year3"]
    release = mo.GaussianModel(
        schools / "rand_hie_expenses.yaml",
        rho=0.5,
        count=5000,
        log=years,
    ).sample(schools / "rand_hie_expenses.csv")
    rows = np.log(release.to_pandas()[years].to_numpy())
    truth = pandas.read_csv(schools / "rand_hie_expenses.csv")[years].clip(0.01, 1e6)
    logs = np.log(truth.to_numpy())
    assert rows.shape == (5000, 3)
    # Noise and 5000 draws are far below these.
    assert np.abs(rows.mean(axis=0) - logs.mean(axis=0)).max() < 0.2
    assert np.abs(np.corrcoef(rows.T) - np.corrcoef(logs.T)).max() < 0.15
    assert release.mechanism == "shared-gaussian"
    assert release.certificate.to_dict()["accuracy"]["covariance_error"] < 0.05
    assert mo.verify(release, schools / "rand_hie_expenses.yaml")



def test_says_what_it_promises(schools):
    release = mo.Central(
        schools / "schools.yaml",
        epsilon=1,
        delta=1e-6,
        count=2,
    ).sample(schools / "schools.csv")
    assert release.mechanism == "subset-rr"
    assert release.mechanism in release.why
    assert release.guarantee == mo.Privacy(epsilon=1, delta=1e-6)
    assert 0 < release.total_variation < 0.001
    assert release.promised and release.not_promised


def test_a_decimal_is_taken_as_typed(domain):
    data = {name: [] for name in domain}
    for typed in (0.1, "0.1", np.float64(0.1)):
        release = mo.Integral(domain, epsilon=typed, accept_error=True).sample(data)
        assert release.certificate.spec["privacy"]["epsilon"] == "0.1"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"epsilon": -1}, "epsilon must be finite and positive, but is -1"),
        ({"epsilon": "much"}, "epsilon must be a number"),
        ({"epsilon": [1]}, "epsilon must be"),
        ({"epsilon": 1, "count": 1.5}, "count must be a whole number"),
        ({"epsilon": 1, "count": -1}, "count must be 0 or more, but is -1"),
        ({"epsilon": 1, "units": ["a"], "method": "local"}, "units needs unit"),
        ({"epsilon": 1, "candidates_file": {"sex": []}}, "candidates_file must be the path of a file"),
        ({"epsilon": 1, "reference": 3}, "reference must be a table"),
        ({"epsilon": 1, "reference": [0.5, 0.5]}, "reference must be a table"),
        ({"epsilon": 1, "unit": "a", "units": {"u", "v"}, "method": "local"}, "units must be a list"),
        ({"epsilon": 0.001, "method": "central", "count": 1}, "add accept_error=True to release anyway"),
        ({}, "the budget is missing: give epsilon or mu"),
        ({"epsilon": 1, "unit": "z", "method": "local"}, "; it has "),
    ],
)
def test_refuses_in_one_sentence_with_pythons_names(domain, options, said):
    data = {name: [None] for name in domain}
    with pytest.raises(mo.InvalidInput) as refused:
        by_word(domain, **{"method": "integral"} | options).sample(data)
    assert said in str(refused.value)
    assert "--" not in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_ledger_needs_a_data_set(domain):
    with pytest.raises(mo.InvalidInput, match="data_set"):
        mo.Integral(domain, epsilon=1).sample({name: [None] for name in domain}, ledger="x.db")


def test_refuses_what_is_no_table(domain):
    for data in (3, None, [1, 2], {"sex": 3}, np.zeros(3), {"sex": np.zeros(1, complex)}, object()):
        with pytest.raises(mo.InvalidInput):
            mo.Integral(domain, epsilon=1).sample(data)
    with pytest.raises(mo.InvalidInput, match="equal length"):
        mo.Integral(domain, epsilon=1).sample({name: [None] * i for i, name in enumerate(domain)})
    with pytest.raises(mo.InvalidInput, match="more than one|only once|once|two"):
        frame = pandas.DataFrame([[1, 2, 3, 4, 5]], columns=[*domain, "sex"])
        mo.Integral(domain, epsilon=1).sample(frame)


def test_refuses_private_data_as_a_public_input(domain):
    data = {name: [None] for name in domain}
    with pytest.raises(mo.InvalidInput, match="must be public"):
        mo.Integral(domain, epsilon=1, reference=data).sample(data)


TYPES = {
    "text": "str | None",
    "texts": "str | Sequence[str] | None",
    "columns": "str | Sequence[str] | None",
    "whole number": "int | None",
    "number": "float | None",
    "decimal number": "Number | None",
    "truth": "bool",
    "file": "Any",
}


@pytest.mark.parametrize("kind", METHODS.values(), ids=METHODS)
def test_every_part_of_a_spec_is_a_parameter_of_its_methods(kind):
    """Where one is missing, scripts/refresh_signatures.py adds it."""
    kinds = {
        flag.replace("-", "_"): TYPES.get(part) for flag, _, part, methods in _core.spec_parts() if kind.word in methods
    }
    assert set(inspect.signature(kind).parameters) == set(kinds)
    for field in dataclasses.fields(kind):
        if field.init and field.name != "domain":
            assert field.type in (kinds[field.name], kinds[field.name].removesuffix(" | None")), field.name
    text = inspect.getdoc(kind)
    assert not [name for name in kinds if not re.search(rf"\b{name}\b", text)]


def test_every_method_has_a_class():
    assert set(METHODS) == {word for *_, methods in _core.spec_parts() for word in methods}
    assert all(getattr(mo, kind.__name__) is kind for kind in METHODS.values())


def test_verify_says_what_does_not_hold(schools, domain, tmp_path):
    release = mo.Integral(schools / "schools.yaml", epsilon=1, count=1).sample(schools / "schools.csv")
    other = mo.verify(release, domain)
    assert not other
    assert not other.domain_matches
    assert other.guarantee_holds is None
    assert other.verdict == "not checked: this is not the release's domain"
    broken = json.loads(release.certificate.json)
    broken["design"]["integers_sha256"] = "0" * 64
    forged = mo.verify(mo.Certificate(json.dumps(broken)), schools / "schools.yaml")
    assert not forged
    assert forged.warnings == other.warnings == []
    assert forged.verdict == "DOES NOT HOLD"
    with pytest.raises(mo.InvalidInput):
        mo.verify(schools / "schools.yaml", domain)
    with pytest.raises(mo.InvalidInput):
        mo.Certificate("{}")
    nested = '{"spec": ' + "[" * 100_000 + "]" * 100_000 + "}"
    with pytest.raises(mo.InvalidInput, match="the certificate must be JSON nested at most 64 deep"):
        mo.Certificate(nested)
    (tmp_path / "nested.json").write_text(nested)
    with pytest.raises(mo.InvalidInput, match="nested.json must be JSON nested at most 64 deep"):
        mo.verify(tmp_path / "nested.json", schools / "schools.yaml")


@pytest.mark.parametrize("zone", ["+01:00", "Z", "-03:30", None])
def test_days_and_times_come_back_as_such(zone):
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("polars")
    last = "2026-12-31T23:59:59"
    domain = mo.Domain(
        {
            "day": mo.date("1900-01-01", "2026-12-31", bins="month", null="category"),
            "time": mo.datetime("2026-01-01T00:00:00", last, bins="week", zone=zone, null="category"),
        }
    )
    options = {"method": "integral", "epsilon": 2, "count": 100, "candidates": 20, "accept_error": True}
    release = by_word(domain, **options).sample({name: ["x"] for name in domain})
    release = pickle.loads(pickle.dumps(release))
    frame, polar, texts = release.to_pandas(), release.to_polars(), release.to_dict()
    assert str(frame["day"].dtype) == "datetime64[s]"
    in_utc = "" if zone is None else "[UTC]"
    assert [str(kind) for kind in pyarrow.table(release).schema.types] == [
        "date32[day]",
        "timestamp[us" + (", tz=UTC]" if zone else "]"),
    ]
    for name in domain:
        assert frame[name].isna().tolist() == [text is None for text in texts[name]]
        # The same moments, whoever reads them.
        read = pandas.Series(pandas.to_datetime(texts[name], utc=name == "time" and zone is not None))
        assert (frame[name].dropna() == read.dropna()).all()
        theirs = pandas.Series(pandas.to_datetime(polar[name].to_list())).dropna()
        assert (theirs == read.dropna()).all()


def test_moments_are_the_same_whoever_hands_them_over():
    import datetime as dt

    domain = mo.Domain(
        {"at": mo.datetime("2026-01-01", "2026-01-04T23:59:59", bins="day", zone="+05:30", null="2026-01-01")}
    )
    instant = dt.datetime(2026, 1, 2, 20, tzinfo=dt.timezone.utc)  # half past one there, a day later
    series = pandas.Series([instant])
    forms = [
        [instant],
        series,
        series.dt.tz_convert("Asia/Kolkata"),
        polars.Series([instant]),
        pyarrow.array([instant]),
        ["2026-01-03T01:30:00"],
    ]
    for form in forms:
        release = mo.Integral(domain, epsilon=60).sample({"at": form})
        # Handed back as it comes out, it is the same again.
        for again in (release, release.to_pandas(), release.to_polars(), release.to_dict()):
            twice = mo.Integral(domain, epsilon=60).sample(again)
            assert twice[0]["at"].date() == dt.date(2026, 1, 3), (type(form), type(again))


def test_counts_are_the_table_of_which_each_row_is_a_record():
    domain = {"city": mo.categorical(["Ghent", "Lille", "Trier"], null="Ghent")}
    counted = {"city": ["Lille", "Trier", "Ghent", "Lille"], "n": [3, 2, 0, 1]}
    records = {"city": ["Lille"] * 4 + ["Trier"] * 2}
    asked = dict(method="central", epsilon=1, count=3, accept_error=True)
    by_counts = by_word(domain, **asked).sample(counted, counts_column="n")
    assert len(by_counts) == 3
    assert by_counts.certificate.json == by_word(domain, **asked).sample(records).certificate.json
    # A count that is none is 0, and never raises.
    odd = {"city": ["Lille"] * 5, "n": [6.0, float("nan"), -1.0, 0.5, float("-inf")]}
    assert len(by_word(domain, **asked).sample(odd, counts_column="n")) == 3
    with pytest.raises(mo.InvalidInput, match="with how many records a row counts as"):
        by_word(domain, **asked).sample(counted, counts_column="m")
    with pytest.raises(mo.InvalidInput, match='counts column must not be a column of the domain, but "city" is'):
        by_word(domain, **asked).sample(counted, counts_column="city")
    with pytest.raises(mo.InvalidInput, match='counts column must not be the unit column, but "n" is both'):
        by_word(domain, unit="n", **asked).sample(counted, counts_column="n")
    # Counts are private: none makes a release refuse.
    many = by_word(domain, **asked).sample({"city": ["Lille"] * 2, "n": [2**60, 1]}, counts_column="n")
    assert many.certificate.to_dict()["facts"]["records"] == 2**40
    with pytest.raises(mo.InvalidInput, match="counts_column must be the name of a column, but is of type int"):
        by_word(domain, **asked).sample(counted, counts_column=3)
    with pytest.raises(mo.InvalidInput, match="needs a row for each record"):
        mo.Integral({"x": mo.number(0, 1, null=0)}, epsilon=1).sample({"x": [0.5], "n": [1]}, counts_column="n")


@pytest.mark.parametrize(
    "asked",
    [
        {"delta": 1e-5, "epsilon": 1, "accept_error": True},
        {"method": "marginals", "epsilon": 1},
        {"method": "gaussian-model", "rho": 1},
    ],
)
def test_units_of_a_stream_are_counted_and_charged_once(asked, tmp_path):
    of_numbers = asked.get("method") == "gaussian-model"
    domain = {"x": mo.number(0, 9, null=0)} if of_numbers else {"x": mo.categorical(["a", "b", "c"], null="a")}
    values = [1.0, 2.0, 3.0] if of_numbers else ["a", "b", "c"]
    table = {"x": values * 1000, "u": [str(i // 3) for i in range(3000)]}
    arrow = pyarrow.table(table)
    forms = [
        table,
        polars.DataFrame(table),
        polars.LazyFrame(table),
        arrow,
        arrow.to_batches()[0],
        arrow.to_reader(max_chunksize=100),
        duckdb.from_arrow(arrow),
    ]
    ledger = mo.Ledger(tmp_path / "ledger")
    ledger.declare("d", **{"rho": 100} if of_numbers else {"epsilon": 100, "delta": 0.1}, scope="unit=u")
    certificates = set()
    for charged, form in enumerate(forms, 1):
        release = by_word(
            domain,
            unit="u",
            count=3,
            **{"method": "central"} | asked,
        ).sample(form, ledger=ledger, data_set="d")
        assert len(release) == 3
        assert ledger.balance("d").releases == charged
        certificate = release.certificate.to_dict()
        certificate.pop("measured", None)  # the hash of the model, which is drawn
        certificates.add(json.dumps(certificate))
    assert len(certificates) == 1
    assert json.loads(certificates.pop())["facts"]["records"] == 1000


def test_threads_change_no_promise():
    domain = {"city": mo.categorical(["Ghent", "Lille", "Trier"], null="Ghent")}
    data = {"who": list(range(1000)) * 2, "city": ["Lille"] * 1500 + ["Trier"] * 500}
    asked = dict(method="local", unit="who", epsilon=2)
    certificates = {
        by_word(domain, **asked).sample(data, threads=threads).certificate.json
        for threads in (None, 1, 2, 7)
    }
    assert len(certificates) == 1
    for wrong in (0, -1, 1025, "two"):
        with pytest.raises(mo.InvalidInput, match="threads must be a whole number from 1 to 1024"):
            by_word(domain, **asked).sample(data, threads=wrong)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"method": "gaussian", "epsilon": 1, "count": 1}, "or use mo.GaussianModel, which learns it"),
        ({"method": "central", "epsilon": 0.001, "count": 1}, "add accept_error=True to release anyway"),
        ({"method": "central", "epsilon": 1, "delta": 0.9, "count": 1}, "add accept_large_delta=True to release anyway"),
        ({"method": "central", "epsilon": 1, "count": 1, "units": ["a"]}, "units needs unit"),
    ],
)
def test_sentences_speak_of_what_python_has(options, said):
    with pytest.raises(mo.InvalidInput) as refused:
        by_word({"a": mo.categorical(["x", "y"], null="x")}, **options).sample({"a": ["x"] * 2})
    sentence = str(refused.value)
    assert said in sentence
    assert "--" not in sentence
    assert " in a spec" not in sentence


def test_an_array_has_the_domains_columns_in_their_order(tmp_path):
    domain = {"a": mo.integer(0, 1, null=0), "b": mo.integer(2, 3, null=2)}
    array = np.array([[0, 3]] * 4000)
    released = mo.Integral(domain, epsilon=30, count=1).sample(array).to_dict()
    assert released == {"a": [0], "b": [3]}
    with_unit = np.array([[0, 3, unit] for unit in (7, 8) for _ in range(99)])
    units = mo.Local(domain, unit="u", units=[7, 8, 9], epsilon=1).sample(with_unit)
    assert units.to_dict()["u"] == ["7", "8", "9"]
    for wrong in (array[:, :1], array[0], with_unit):
        with pytest.raises(mo.InvalidInput, match="a column for each of a, b, in this order"):
            mo.Integral(domain, epsilon=1, count=1).sample(wrong)


def test_verify_warns_as_the_release_and_its_domain_do(tmp_path):
    domain = mo.Domain({"a": mo.integer(0, 9, null=0)})
    release = mo.Integral(domain, epsilon=12, count=1).sample({"a": [1, 2]})
    found = mo.verify(release, domain)
    assert found.holds
    assert found.warnings[: len(release.warnings)] == release.warnings
    assert "the domain declares no outside" in found.warnings[-1]


def test_rows_count_by_weight():
    """Case 19 of the cases about values: no weight of most rows is a whole number."""
    table = {"g": ["a"] * 900 + ["b"] * 80 + ["c"] * 20, "w": [1.25] * 900 + [2.0] * 80 + [None] * 20}
    weights = {"weights": "w", "greatest_weight": 3, "invalid_weight": 3}
    domain = {"g": mo.categorical(["a", "b", "c"], null="a")}
    for kind, asked in [
        (mo.Central, {"epsilon": 100}), (mo.Marginals, {"epsilon": 100}), (mo.Integral, {"epsilon": 300_000}), (mo.Local, {"epsilon": 300_000})
    ]:
        method = kind(domain, count=10_000, accept_error=True, **asked, **weights)
        assert method.spec["weights"] == {"column": "w", "greatest": "3", "invalid": "3"}
        rows = list(method.sample(table)["g"])
        # Five deviations of 10 000 draws: false alarms are below 1e-6.
        assert [rows.count(one) / len(rows) for one in "abc"] == pytest.approx([.836, .119, .045], abs=.025), kind
        assert method.compare(table)["columns"][0]["shares"]["truth"] == pytest.approx([.836, .119, .045], abs=.001)
        assert [(one["values"], one["become"]) for one in method.check(table)["mapped"]] == [(20, "3")]
        assert mo.verify(method.sample(table), domain).holds
    assert mo.Marginals(domain, epsilon=1, count=1, **weights).plan(n=1000)["answers"][0]["weights"]["sensitivity"] == 6
    with pytest.raises(mo.InvalidInput, match="greatest_weight is missing"):
        mo.Central(domain, epsilon=1, count=1, weights="w")
    with pytest.raises(mo.InvalidInput, match="counts_column"):
        mo.Central(domain, epsilon=1, count=1, accept_error=True, **weights).sample(table | {"n": [1] * 1000}, counts_column="n")
    released = mo.Marginals(domain, epsilon=100, count=5000, **weights).sample(table)
    assert mo.nonprivate.compare(released, table, domain, **weights)["tv"] < .03


def test_lists_of_weights_and_of_counts_are_refused_by_their_type():
    """A list would let one row count without a bound."""
    polars = pytest.importorskip("polars")
    domain = {"g": mo.categorical(["a", "b"], null="a")}
    asked = {"epsilon": 1, "delta": 1e-6, "count": 2, "accept_error": True}
    frame = polars.DataFrame({"g": ["a", "b"], "w": [[1.0], [3.0] * 9], "n": [[1], [3] * 9]})
    for table in (frame, frame.to_arrow()):
        for kind in (mo.Marginals, mo.Central):
            method = kind(domain, **asked, weights="w", greatest_weight=3)
            with pytest.raises(mo.InvalidInput, match='"w" of .* must hold the weight of each row, but holds lists'):
                method.sample(table)
        with pytest.raises(mo.InvalidInput, match='"n" of .* holds lists, each of a unit'):
            mo.Central(domain, **asked).sample(table, counts_column="n")
