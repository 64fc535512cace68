"""Released records as a table, and the files they are written to."""

import datetime
import io
import os
import pickle

import pytest

import mollify as mo

DOMAIN = mo.Domain(
    {
        "city": mo.categorical(["Ghent", "Lille", "Trier"], null="category", outside="Ghent"),
        "age": mo.integer(0, 99, bins=10, null="50", outside="clip"),
        "height": mo.number(0, 1, bins=4, null="0.5", outside="clip"),
        "is_member": mo.boolean(null="category", outside="null"),
        "day": mo.date("2020-01-01", "2020-12-31", bins="month", null="2020-01-01", outside="clip"),
    }
)


def rows(count=400):
    return {
        "city": ["Lille", "Ghent", None, "Trier"] * (count // 4),
        "age": [12, 47, 47, 93] * (count // 4),
        "height": [0.1, 0.9, 0.4, 0.4] * (count // 4),
        "is_member": [True, None, False, True] * (count // 4),
        "day": [datetime.date(2020, 5, 3), datetime.date(2020, 11, 30)] * (count // 2),
    }


@pytest.fixture(scope="module")
def release():
    return mo.Marginals(DOMAIN, epsilon=20, count=40, accept_error=True).sample(rows())


def test_is_a_sequence_of_records(release):
    assert release.shape == (40, 5)
    assert len(list(release)) == len(release) == 40
    cells = release.to_dict()
    for place, record in enumerate(release):
        assert record == release[place] == {name: values[place] for name, values in cells.items()}
    assert release[-1] == release[39]
    for name in release.columns:
        assert release[name] == cells[name]


@pytest.mark.parametrize("zone", ["+05:30", "Z", None])
def test_values_are_pythons(zone):
    """In a record, a column, a dict, and the tables that other libraries make of them."""
    first = {"word": "a", "yes": True, "age": 41, "size": 0.25, "day": datetime.date(2025, 7, 8)}
    first["at"] = datetime.datetime(2025, 7, 8, 23, 59, 58)
    if zone is not None:
        first["at"] = datetime.datetime.fromisoformat(f"2025-07-08T23:59:58{zone}".replace("Z", "+00:00"))
    mapped = {"null": "category", "outside": "null"}
    domain = {
        "word": mo.categorical(["a", "b"], **mapped),
        "yes": mo.boolean(**mapped),
        "age": mo.integer(41, 42, **mapped),
        "size": mo.number(0, 1, bins=1, spikes=[0.25], **mapped),
        "day": mo.date("2025-07-08", "2025-07-09", **mapped),
        "at": mo.datetime("2025-07-08T23:59:58", "2025-07-08T23:59:59", bins=2, zone=zone, **mapped),
    }
    method = mo.Integral(domain, epsilon=600)
    records = [method.sample({name: [one] for name, one in row.items()}) for row in (first, dict.fromkeys(first))]
    for record, wanted in zip(records, (first, dict.fromkeys(first))):
        for found in (record[0], next(iter(record)), {name: record[name][0] for name in record.columns}):
            assert found == wanted
            assert [type(one) for one in found.values()] == [type(one) for one in wanted.values()]
        assert record.to_arrow().to_pylist() == record.to_polars().to_dicts() == [wanted]
        assert pickle.loads(pickle.dumps(record))[0] == method.sample(record)[0] == wanted
    frame = records[0].to_pandas()
    assert (frame["day"][0].date(), frame["at"][0].to_pydatetime()) == (first["day"], first["at"])
    assert first in records[0]


def test_print_shows_the_first_records(release):
    assert str(release) == f"{release!r}\n{release[:10].to_csv()}"
    assert str(release[:2]).splitlines()[0] == "Records(2 of city, age, height, is_member, day)"


def test_slices_are_tables(release):
    some = release[3:20:4]
    assert isinstance(some, mo.Records)
    assert list(some) == list(release)[3:20:4]
    assert list(release[::-1]) == list(release)[::-1]
    assert list(release.head(2)) == list(release)[:2]
    assert len(release[40:]) == 0
    assert some.to_pandas().to_dict("list").keys() == release.to_pandas().to_dict("list").keys()


def test_unknown_places_and_names_raise_as_elsewhere(release):
    for place in (40, -41):
        with pytest.raises(IndexError, match="there are 40 records"):
            release[place]
    with pytest.raises(KeyError, match="the columns are city, age, height, is_member, day"):
        release["cities"]
    with pytest.raises(TypeError):
        release[1.5]
    with pytest.raises(AttributeError, match=r"no attribute 'describe'\. to_pandas\(\) and to_polars\(\) make a data frame"):
        release.describe()


@pytest.mark.parametrize("name", ["records.csv", "RECORDS.PARQUET"])
def test_a_file_holds_what_its_name_says(release, tmp_path, name):
    polars = pytest.importorskip("polars")
    pytest.importorskip("pyarrow")
    path = tmp_path / name
    release.write(path)
    assert path.read_bytes()[:4] == (b"PAR1" if "PARQUET" in name else b"city")
    read = polars.read_parquet(path) if "PARQUET" in name else polars.read_csv(path)
    assert read.height == 40 and read["age"].to_list() == release["age"]
    before = path.read_bytes()
    for write in (release.write, release.to_parquet if "PARQUET" in name else release.to_csv):
        with pytest.raises(mo.InvalidInput, match=r"exists\. Pass overwrite=True to replace it\."):
            write(path)
    assert path.read_bytes() == before
    release[:1].write(path, overwrite=True)
    assert len(path.read_bytes()) < len(before)
    assert [one.name for one in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize("name", ["records", "records.txt", "records.csv.gz"])
def test_other_names_are_refused(release, tmp_path, name):
    with pytest.raises(mo.InvalidInput, match=r"Use a file name that ends in \.csv or \.parquet\."):
        release.write(tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_csv_without_a_path_is_a_text(release, tmp_path):
    release.to_csv(tmp_path / "all.csv")
    assert release.to_csv() == (tmp_path / "all.csv").read_text()


def test_parquet_is_read_as_the_table_that_wrote_it(tmp_path):
    """Private data, public records and data to check: the same as from memory."""
    polars = pytest.importorskip("polars")
    pytest.importorskip("pyarrow")
    table = polars.DataFrame(rows()).with_columns(polars.lit(1).alias("left_alone"))
    table.write_parquet(tmp_path / "rows.parquet")
    method = mo.Integral(DOMAIN, epsilon=5, count=1, reference=tmp_path / "rows.parquet", accept_error=True)
    assert method == mo.Integral(DOMAIN, epsilon=5, count=1, reference=table.drop("left_alone"), accept_error=True)
    plain = mo.Integral(DOMAIN, epsilon=5, count=1, accept_error=True)
    assert plain.check(tmp_path / "rows.parquet")["findings"] == plain.check(table)["findings"]
    assert len(plain.sample(tmp_path / "rows.parquet")) == 1


def test_a_file_that_is_not_parquet_is_refused(tmp_path):
    pytest.importorskip("pyarrow")
    method = mo.Integral(DOMAIN, epsilon=5, count=1)
    with pytest.raises(mo.InvalidInput, match=r"none\.parquet cannot be read: there is no such file in "):
        method.sample(tmp_path / "none.parquet")
    (tmp_path / "text.parquet").write_text("city\nLille\n")
    with pytest.raises(mo.InvalidInput, match=r"text\.parquet cannot be read: it is not a Parquet file"):
        method.sample(tmp_path / "text.parquet")


def test_nothing_public_is_overwritten_unasked(release, tmp_path):
    path = tmp_path / "file.html"
    path.write_text("mine")
    writes = [release.certificate.write, release.model.write, DOMAIN.write, lambda at, **how: mo.report(release, at, **how)]
    for write in writes:
        with pytest.raises(mo.InvalidInput, match="exists"):
            write(path)
        assert path.read_text() == "mine"
        write(path, overwrite=True)
        assert path.read_text() != "mine"
        path.write_text("mine")


def writes_of(release):
    """Everything that a release writes, each with a name that it takes."""
    return (
        (release.write, "a.csv"),
        (release.to_csv, "a.csv"),
        (release[:2].to_csv, "a.csv"),
        (release.to_parquet, "a.parquet"),
        (release.certificate.write, "a.json"),
        (release.model.write, "a.json"),
        (lambda at, **how: mo.report(release, at, **how), "a.html"),
    )


def test_only_regular_files_are_replaced(release, tmp_path):
    """Made here, because a test that fails must not replace a device of the machine."""
    pytest.importorskip("pyarrow")
    for write, name in (*writes_of(release), (DOMAIN.write, "a.yaml")):
        path = tmp_path / name
        for make, remove in ((os.mkfifo, os.unlink), (os.mkdir, os.rmdir)):
            make(path)
            mode = path.stat().st_mode
            for overwrite in (False, True):
                with pytest.raises(mo.InvalidInput, match=f"{name} is not a regular file, so it is not replaced"):
                    write(path, overwrite=overwrite)
            assert path.stat().st_mode == mode
            remove(path)
    assert not list(tmp_path.iterdir())


def test_a_symbolic_link_stays_and_its_target_is_written(release, tmp_path):
    (tmp_path / "folder").mkdir()
    target, link, loop = tmp_path / "folder" / "target.csv", tmp_path / "link.csv", tmp_path / "loop.csv"
    link.symlink_to("folder/target.csv")
    for _ in range(2):
        release.to_csv(link, overwrite=True)
        assert link.is_symlink() and not target.is_symlink()
        assert target.read_text() == release.to_csv()
        target.write_text("mine")
    with pytest.raises(mo.InvalidInput, match=r"link\.csv exists\."):
        release.to_csv(link)
    assert target.read_text() == "mine"
    loop.symlink_to(loop)
    with pytest.raises(mo.InvalidInput, match=r"loop\.csv cannot be written: Too many levels"):
        release.to_csv(loop, overwrite=True)
    assert sorted(one.name for one in tmp_path.iterdir()) == ["folder", "link.csv", "loop.csv"]
    assert [one.name for one in target.parent.iterdir()] == ["target.csv"]


def refuses_to_write_over(writes, read):
    """Each of the writes, given a link to a file that was read; `read` has what each file is."""
    before = {name: name.read_bytes() for name in read}
    for write, name in writes:
        for path, what in read.items():
            link = path.with_name(name)
            link.symlink_to(path)
            for overwrite in (False, True):
                with pytest.raises(mo.InvalidInput, match=f"{name} is the {what} file, which was read. Use another"):
                    write(link, overwrite=overwrite)
            link.unlink()
    assert {name: name.read_bytes() for name in read} == before


def test_a_release_is_not_written_over_what_it_was_made_from(release, tmp_path, monkeypatch):
    pytest.importorskip("pyarrow")
    monkeypatch.chdir(tmp_path)
    DOMAIN.write("secret_domain.yaml")
    release.to_csv("secret_rows.csv")
    release[::-1].to_parquet("secret_public.parquet")
    mo.Ledger("secret_ledger.db").declare("people", epsilon=100)
    method = mo.Marginals(
        "secret_domain.yaml", epsilon=20, count=40, accept_error=True, reference="secret_public.parquet"
    )
    made = method.sample("secret_rows.csv", ledger="secret_ledger.db", data_set="people")
    read = {"rows.csv": "private", "domain.yaml": "domain", "ledger.db": "ledger", "public.parquet": "reference"}
    writes = [*writes_of(made), (made.model.sample(3).to_csv, "a.csv"), (made[["city"]].to_csv, "a.csv")]
    refuses_to_write_over(writes, {tmp_path / f"secret_{name}": what for name, what in read.items()})
    with pytest.raises(mo.InvalidInput, match="is the private file"):
        made.to_csv("secret_rows.csv", overwrite=True)
    for one in (made, made.certificate, made.model, made[:2]):
        assert b"secret_rows" not in pickle.dumps(one) and "secret" not in repr(one)
    assert "secret_rows" not in made.certificate.json
    made.to_csv("other.csv")


def test_no_file_that_a_method_reads_is_written_over(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    domain = mo.Domain({"x": mo.number(0, 1, null="0", outside="clip"), "y": mo.number(0, 1, null="0", outside="clip")})
    rows = {"u": [1, 1, 2, 2], "x": [0.1, 0.2, 0.3, 0.6], "y": [0.1, 0.2, 0.3, 0.5]}
    (tmp_path / "roster.csv").write_text("u\n1\n2\n")
    (tmp_path / "covariance.csv").write_text(",x,y\nx,1,0\ny,0,1\n")
    mo.candidates(domain, "list.csv", 100)
    method = mo.Local(domain, unit="u", units="roster.csv", epsilon=8, candidates_file="list.csv", accept_error=True)
    read = {tmp_path / "roster.csv": "units", tmp_path / "list.csv": "candidates"}
    refuses_to_write_over([(method.sample(rows).to_csv, "a.csv")], read)
    few = mo.Domain({"x": mo.number(0, 1, bins=4, null="0", outside="clip")})
    mo.Local(few, unit="u", epsilon=4).tune(rows, best=True, out="band.json")
    method = mo.Local(few, unit="u", epsilon=4, band="file=band.json")
    refuses_to_write_over([(method.sample(rows).to_csv, "a.csv")], {tmp_path / "band.json": "band"})
    method = mo.Gaussian(domain, epsilon=4, delta=1e-6, count=2, covariance="covariance.csv", accept_error=True)
    many = {name: values * 100 for name, values in rows.items()}
    refuses_to_write_over([(method.sample(many).to_csv, "a.csv")], {tmp_path / "covariance.csv": "covariance"})


def test_no_public_file_is_written_over_by_what_is_made_of_it(release, tmp_path):
    release[["age", "height"]].to_csv(tmp_path / "public.csv")
    domain = mo.Domain.draft(tmp_path / "public.csv")
    refuses_to_write_over([(domain.write, "a.yaml")], {tmp_path / "public.csv": "public"})
    domain.write(tmp_path / "domain.yaml")
    written, public = tmp_path / "domain.yaml", tmp_path / "public.csv"
    for make, what in (
        (lambda at, **how: mo.candidates(written, at, 10, reference=public, **how), "reference"),
        (lambda at, **how: mo.reference(public, written, at, **how), "public"),
    ):
        refuses_to_write_over([(make, "a.csv")], {written: "domain", public: what})
    release.model.write(tmp_path / "model.json")
    rows = mo.generate(tmp_path / "model.json", 3)
    refuses_to_write_over([(rows.to_csv, "a.csv"), (rows[:1].to_csv, "a.csv")], {tmp_path / "model.json": "model"})
    units = {"u": [1, 1, 2, 2], "age": [1, 2, 3, 4], "height": [0.1, 0.2, 0.3, 0.4]}
    private = tmp_path / "units.csv"
    private.write_text("u,age,height\n" + "".join(f"{','.join(map(str, row))}\n" for row in zip(*units.values())))
    method = mo.Local(written, unit="u", epsilon=4)
    tuned = (lambda at, **how: method.tune(private, best=True, out=at, **how), "a.json")
    refuses_to_write_over([tuned], {private: "public_units", written: "domain"})


def test_a_report_of_private_rows_is_not_written_over_them(tmp_path):
    DOMAIN.write(tmp_path / "domain.yaml")
    table = mo.Records(mo.Marginals(DOMAIN, epsilon=20, count=400, accept_error=True).sample(rows())._table)
    table.to_csv(tmp_path / "private.csv")
    method = mo.Marginals(tmp_path / "domain.yaml", epsilon=20, count=40, accept_error=True)
    read = {tmp_path / "private.csv": "private", tmp_path / "domain.yaml": "domain"}
    for compared in (
        method.compare(tmp_path / "private.csv"),
        mo.nonprivate.compare(table, tmp_path / "private.csv", tmp_path / "domain.yaml"),
    ):
        refuses_to_write_over([(lambda at, **how: mo.report(compared, at, **how), "a.html")], read)
        assert not pickle.loads(pickle.dumps(compared))._inputs


def test_columns_are_taken_by_a_list_of_names(release):
    some = release[["age", "city"]]
    assert isinstance(some, mo.Records) and some.columns == ["age", "city"] and len(some) == 40
    assert some["age"] == release["age"] and some[3] == {name: release[3][name] for name in ("age", "city")}
    assert "city" in release and "town" not in release
    assert release[5] in release and {"city": "Rome"} not in release
    with pytest.raises(KeyError, match="the columns are city, age"):
        release[["age", "town"]]
    with pytest.raises(KeyError, match=r'no column is "ciyt" \(did you mean "city"\?\): the columns are city, age'):
        release["ciyt"]
    for key in (True, 1.5, None, [], [1], ("city",)):
        with pytest.raises(TypeError, match="a place, a slice, a column's name or a list of names, but not by"):
            release[key]


@pytest.mark.parametrize("overwrite", [False, True])
def test_a_name_of_another_format_is_refused(release, tmp_path, overwrite):
    for write, name, said in (
        (release.to_csv, "a.parquet", "ends in .parquet, but to_csv writes CSV. Use to_parquet, or a name that ends in .csv."),
        (release.to_parquet, "a.csv", "ends in .csv, but to_parquet writes Parquet. Use to_csv, or a name that ends in .parquet."),
        (
            lambda at, **how: mo.candidates(DOMAIN, at, 10, **how),
            "a.PARQUET",
            "ends in .parquet, but candidates are written as CSV. Use a name that ends in .csv.",
        ),
    ):
        with pytest.raises(mo.InvalidInput) as refused:
            write(tmp_path / name, overwrite=overwrite)
        assert str(refused.value) == f"{tmp_path / name} {said}"
    assert not list(tmp_path.iterdir())


def test_a_seed_out_of_range_is_told_the_range(release):
    for most, call in (
        (2**64 - 1, lambda at: release.model.sample(2, seed=at)),
        (2**64 - 1, lambda at: mo.generate(release.model, 2, seed=at)),
        (2**63 - 1, lambda at: mo.Domain(DOMAIN.columns, seed=at)),
    ):
        for seed in (2**70, most + 1, -1, 1.5, True):
            with pytest.raises(mo.InvalidInput, match=f"^seed must be a whole number from 0 to {most}, but is {seed}$"):
                call(seed)
        call(most)
    assert mo.Domain(DOMAIN.columns, seed=2**63 - 1).seed == 2**63 - 1


def test_a_certificate_is_checked_in_every_form(release, tmp_path):
    release.certificate.write(tmp_path / "c.json")
    facts = release.certificate.to_dict()
    files = (tmp_path / "c.json", str(tmp_path / "c.json"))
    for form in (release, release.certificate, facts, release.certificate.json, *files):
        assert mo.verify(form, DOMAIN).holds
    for wrong in (3, None, io.StringIO("{}")):
        with pytest.raises(mo.InvalidInput, match="must be a Release, a Certificate, its dict, its JSON or the path"):
            mo.verify(wrong, DOMAIN)
    for form, said in (
        ({}, "the dict is not a certificate, because it has no format: release.certificate is the certificate"),
        ({"format": "mollify certificate 1"}, 'the dict must have the format "mollify certificate 2", but has "mollify certificate 1"'),
        ("{}", "the text is not a certificate, because it has no format: release.certificate is the certificate"),
    ):
        with pytest.raises(mo.InvalidInput) as refused:
            mo.verify(form, DOMAIN)
        assert str(refused.value) == said


def test_a_missing_package_names_its_extra(release, monkeypatch, tmp_path):
    import sys

    for package, extra, use in (
        ("pyarrow", "parquet", release.to_arrow),
        ("pandas", "pandas", release.to_pandas),
        ("polars", "polars", release.to_polars),
        ("dp_accounting", "dp-accounting", release.dp_event),
        ("pyarrow", "parquet", lambda: release.to_parquet(tmp_path / "a.parquet")),
    ):
        with monkeypatch.context() as patched:
            for name in [one for one in sys.modules if one.partition(".")[0] == package]:
                patched.delitem(sys.modules, name)
            patched.setitem(sys.modules, package, None)
            with pytest.raises(ImportError, match=rf'pip install "mollify-dp\[{extra}\]"'):
                use()
    assert not list(tmp_path.iterdir())


def test_what_cannot_be_written_leaves_nothing(release, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for write, name in ((release.to_csv, "none/a.csv"), (release.to_parquet, "none/a.parquet")):
        with pytest.raises(mo.InvalidInput, match="must have a name"):
            write("")
        with pytest.raises(mo.InvalidInput, match=f"{name} cannot be written: make the folder none first"):
            write(name)
    release.write(b"a.csv")
    assert [one.name for one in tmp_path.iterdir()] == ["a.csv"]


def test_a_text_is_no_consent():
    for given in ("no", 1, [False]):
        with pytest.raises(mo.InvalidInput, match="accept_error must be True or False"):
            mo.Integral(DOMAIN, epsilon=1, count=1, accept_error=given)
