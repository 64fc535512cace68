"""`mollify-dp report`: the page of a release, from its files."""

import subprocess
import sys

import mollify as mo

DOMAIN = {
    "ward": mo.categorical(["north", "south"], null="north", outside="north"),
    "age": mo.integer(0, 9, null="category", outside="clip"),
}


def written(folder, **options):
    """The files of a release, as flags."""
    rows = {"ward": ["north", "south"] * 500, "age": [i % 7 for i in range(1000)]}
    domain = mo.Domain(DOMAIN)
    domain.write(folder / "domain.yaml")
    method = mo.Marginals(folder / "domain.yaml", epsilon=2, delta=1e-6, count=40, questions=["mean(age) by ward"], **options)
    release = method.sample(rows)
    release.write(folder / "rows.csv")
    release.certificate.write(folder / "certificate.json")
    release.model.write(folder / "model.json")
    return release, {"--released": folder / "rows.csv", "--certificate": folder / "certificate.json", "--model": folder / "model.json", "--out": folder / "page.html"}


def run(flags, *more):
    words = [str(word) for pair in flags.items() for word in pair]
    return subprocess.run([sys.executable, "-m", "mollify", "report", *words, *more], capture_output=True, text=True, check=False)


def test_a_page_from_files_is_the_page_of_the_release(tmp_path):
    release, flags = written(tmp_path)
    ended = run(flags, "--title", "Wards & ages", "--contact", "desk@example.org", "--questions", "share(ward)")
    assert ended.returncode == 0, ended.stderr
    page = flags["--out"].read_text()
    mo.report(release, tmp_path / "own.html", title="Wards & ages", contact="desk@example.org", questions=["share(ward)"])
    own = (tmp_path / "own.html").read_text()
    for part in ("<h1>Wards &amp; ages</h1>", "desk@example.org", "<h3>mean(age) by ward</h3>", "<h3>share(ward)</h3>", "Measured error"):
        assert part in page and part in own
    # Everything up to the first records, whose numbers are texts here. Promises are in the command's words.
    end = "<h2>40 records</h2>"
    assert page.partition(end)[0].replace("--unit", "unit") == own.partition(end)[0]
    assert run(flags).returncode == 2, "the page exists"
    assert run(flags, "--overwrite").returncode == 0


def test_files_of_two_releases_are_refused(tmp_path):
    (tmp_path / "other").mkdir()
    _, flags = written(tmp_path)
    _, other = written(tmp_path / "other")
    for name, said in (("--model", "names another model"), ("--certificate", "names another model")):
        ended = run(flags | {name: other[name]})
        assert (ended.returncode, said in ended.stderr) == (2, True), ended.stderr
    lines = flags["--released"].read_text().splitlines(keepends=True)
    flags["--released"].write_text("".join(lines[:-1]))
    ended = run(flags)
    assert "another number of rows" in ended.stderr
    missing = flags | {"--released": tmp_path / "none.csv"}
    assert run(missing).returncode == 2
    assert not flags["--out"].exists()


def test_without_a_model_the_page_has_the_promise_alone(tmp_path):
    _, flags = written(tmp_path)
    del flags["--model"]
    assert run(flags).returncode == 0
    page = flags["--out"].read_text()
    assert "<h2>Promised</h2>" in page
    assert "Questions and answers" not in page
