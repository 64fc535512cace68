"""Pages: well-formed, without scripts, nothing private in a release's."""

import json
import re
import warnings
import xml.etree.ElementTree as tree

import pytest

import mollify as mo
from by_word import by_word, plan_by_word


def parsed(path):
    """A page is XML too, so an unclosed element or a bare < is found."""
    text = path.read_text()
    tree.fromstring(text.removeprefix("<!DOCTYPE html>\n"))
    assert "default-src 'none'" in text
    assert not re.search(r"<script|javascript:|src=|href=|https?://| on\w+=", text)
    return text


def test_a_releases_page_holds_public_facts(tmp_path):
    domain = mo.Domain({"a": mo.categorical(["<b>&", '"x"'], null="<b>&")})
    private = {"a": ["a secret value"] * 7}
    release = mo.Integral(domain, epsilon=1, count=30, accept_error=True).sample(private)
    mo.report(release, path=tmp_path / "r.html")
    page = parsed(tmp_path / "r.html")
    assert "30 released records" in page
    assert "&lt;b&gt;&amp;" in page or "&quot;x&quot;" in page
    assert "secret" not in page
    assert "NOT PRIVATE" not in page
    assert release.promised[0].split(",")[0] in page


def test_a_comparisons_page_is_marked(schools, tmp_path):
    found = mo.Local(schools / "schools.yaml", unit="school", epsilon=2).compare(schools / "schools.csv")
    mo.report(found, path=tmp_path / "c.html")
    page = parsed(tmp_path / "c.html")
    assert '<p class="warning">NOT PRIVATE' in page
    assert page.count('<div class="bar">') == 3 * 12


WARDS = {
    "ward": mo.categorical(["north", "south"], null="category"),
    "dose": mo.number(0, 8, bins=4, spikes=[0], null=0),
    "age": mo.integer(0, 99, bins=5, null=0),
}
BINNED = {"dose": WARDS["dose"], "age": WARDS["age"]}
NUMBERS = {"dose": mo.number(0, 8, null=0), "age": mo.number(0, 99, null=0)}
MARGINALS = {"method": "marginals", "epsilon": 2, "delta": 1e-7}
GAUSSIAN = {"method": "gaussian-model", "epsilon": 2, "delta": 1e-7}
MODELS = {"method": "integral-model", "candidates": 500, "epsilon": 5}


@pytest.fixture(scope="module")
def wards():
    rows = range(2000)
    return {
        "ward": [("north", "south", None)[i % 3] for i in rows],
        "dose": [(i % 3) * 2.5 for i in rows],
        "age": [20 + 7 * i % 60 for i in rows],
    }


def words(page):
    return " ".join(tree.fromstring(page.removeprefix("<!DOCTYPE html>\n")).itertext())


@pytest.mark.parametrize(
    "domain, options, drawn, told",
    [
        (WARDS, MARGINALS, 3, "two columns together, expected {least} if columns hardly depend on each other, up to {most}, on average"),
        (WARDS, MARGINALS | {"neighbours": "add-remove"}, 3, "expected, in records"),
        (BINNED, MARGINALS | {"copula": True}, 2, "rank correlation"),
        (NUMBERS, GAUSSIAN, 2, "from the data's Gaussian, by noise alone {model}"),
        (WARDS, MODELS, 3, "the model is among the {best} likeliest of 500"),
    ],
    ids=["marginals", "add-remove", "copula", "shared-gaussian", "models"],
)
def test_a_page_says_that_records_share_one_model(tmp_path, wards, domain, options, drawn, told):
    release = by_word(domain, count=300, **options).sample(wards)
    mo.report(release, path=tmp_path / "r.html")
    page = parsed(tmp_path / "r.html")
    text = words(page)
    assert "all drawn from one model: where it errs, all err together" in text
    accuracy = release.certificate.to_dict().get("accuracy", {})
    two_way = accuracy.get("two_way", {"least": 0, "most": 0})
    least, most = (f"{two_way[end]:.3g}" for end in ("least", "most"))
    model = accuracy.get("expected_total_variation", 0)
    best = accuracy.get("best_models", 0)
    assert told.format(least=least, most=most, model=f"{model:.3g}", best=best) in text
    assert page.count('<table class="bars"') == drawn
    if options is MARGINALS:
        asked = {key: options[key] for key in ("method", "epsilon", "delta")}
        plan = plan_by_word(domain, n=2000, **asked)["answers"][0]
        assert plan["two_way"] == two_way


@pytest.mark.parametrize(
    "domain, options, bars, told",
    [
        (WARDS, MARGINALS, 2 * (3 + 5 + 5), "hardly depend"),
        (WARDS, MODELS, 2 * (3 + 5 + 5), "if columns were independent"),
        (NUMBERS, GAUSSIAN, 0, "every column and correlation is as that needs"),
        ({"ward": WARDS["ward"]}, {"method": "central", "epsilon": 2}, 2 * 3, "The column of the released rows is"),
    ],
    ids=["marginals", "models", "shared-gaussian", "finite"],
)
def test_comparisons_by_columns_have_a_page_that_is_marked(
    tmp_path, wards, domain, options, bars, told
):
    found = by_word(domain, count=1, **options).compare({name: wards[name] for name in domain})
    mo.report(found, path=tmp_path / "c.html")
    page = parsed(tmp_path / "c.html")
    assert '<p class="warning">NOT PRIVATE' in page
    assert told in words(page)
    assert page.count('<div class="bar">') == bars


LABEL = "a label of sixty characters, as surveys print their questions"[:60]
EVERY = {
    "words": mo.categorical([LABEL, "short"], outside=LABEL, null="category"),
    "grade": mo.ordinal(["low", "high"], outside="low", null="low"),
    "member": mo.boolean(outside="false", null="category"),
    "age": mo.integer(edges=[0, 18, 65, 111], outside="clip", null="category"),
    "children": mo.integer(0, 99, outside="clip", null=0),
    "income": mo.number(0, 1000, bins=4, spikes=[0], outside="clip", null=0),
    "weight": mo.number(0, 200, bins=60, outside="clip", null=70),
    "born": mo.date("1990-01-01", "1999-12-31", bins="year", outside="clip", null="category"),
    "seen": mo.datetime("2024-01-01T00:00:00", "2024-12-31T23:59:59", bins="quarter", outside="clip", null="2024-01-01T00:00:00"),
    "called": mo.datetime("2024-01-01T00:00:00Z", "2024-12-31T23:59:59Z", zone="Z", bins=3, outside="clip", null="2024-01-01T00:00:00Z"),
    "code": mo.categorical([str(i) for i in range(60)], outside="0", null="0"),
}


def bars_of(page):
    """Of each column its labels and counts."""
    found = {}
    for details in tree.fromstring(page.removeprefix("<!DOCTYPE html>\n")).iter("details"):
        heading = details.find("summary/h3")
        if heading is None:
            continue
        rows = [row for row in details.iter("tr")]
        found[heading.text] = [("".join(row.find("th").itertext()), int("".join(row.find("td").itertext()))) for row in rows]
    return found


@pytest.fixture(scope="module")
def everything():
    rows = range(500)
    data = {
        "words": [(LABEL, "short", None)[i % 3] for i in rows],
        "grade": [("low", "high")[i % 2] for i in rows],
        "member": [(True, False, None)[i % 3] for i in rows],
        "age": [None if i % 9 == 0 else i % 100 for i in rows],
        "children": [i % 5 for i in rows],
        "income": [0 if i % 2 else i % 1000 for i in rows],
        "weight": [40 + i % 80 for i in rows],
        "born": [None if i % 7 == 0 else f"{1990 + i % 10}-06-01" for i in rows],
        "seen": [f"2024-{1 + i % 12:02}-15T12:00:00" for i in rows],
        "called": [f"2024-{1 + i % 12:02}-15T12:00:00Z" for i in rows],
        "code": [str(i % 60) for i in rows],
    }
    return mo.Marginals(EVERY, epsilon=8, delta=1e-6, count=200, accept_error=True).sample(data)


def test_a_page_shows_every_type_of_column_in_the_domains_cells(tmp_path, everything):
    mo.report(everything, tmp_path / "r.html")
    page = parsed(tmp_path / "r.html")
    bars = bars_of(page)
    assert list(bars) == list(EVERY)
    for name, rows in bars.items():
        assert sum(count for _, count in rows) == 200, name
    labels = {name: [label for label, _ in rows] for name, rows in bars.items()}
    assert labels["words"] == [LABEL, "short", "(null)"]
    assert labels["age"] == ["0..17", "18..64", "65..111", "(null)"][:2] + [labels["age"][2], "(null)"]
    assert labels["income"][0] == "0.00" and len(labels["income"]) == 5
    assert labels["born"][0] == "1990-01-01..1990-12-31" and len(labels["born"]) == 11
    assert labels["seen"][1] == "2024-04-01T00:00:00..2024-06-30T23:59:59"
    assert len(labels["called"]) == 3
    # 100 numbers of children, and 60 bins of weights, in 16 groups.
    assert len(labels["children"]) == len(labels["weight"]) == 16
    assert labels["children"][0] == "0..6"
    # What is long is folded: 20 of 60 codes are shown.
    assert len(labels["code"]) > 20 and "more</summary>" in page
    measured = everything.model.error
    assert f"(95 %: {100 * measured['interval'][0]:.2g} to " in words(page)
    assert "Measured error: " in words(page)


    # Labels show what a bar counts where it is more than one cell.
    for details in tree.fromstring(page.removeprefix("<!DOCTYPE html>\n")).iter("details"):
        heading = details.find("summary/h3")
        if heading is not None:
            said = "counts neighbouring bins or values together" in "".join(details.itertext())
            assert said == (heading.text in ("children", "weight")), heading.text


def test_a_page_shows_records_of_many_columns_in_tables_of_few(tmp_path, everything):
    mo.report(everything, tmp_path / "r.html")
    page = parsed(tmp_path / "r.html")
    tables = re.findall(r'<div class="wide records"><table><thead><tr>(.*?)</tr>', page)
    assert [one.count("<th") for one in tables] == [8, 3]
    assert "Columns 1 to 8 of 11" in page and "Columns 9 to 11 of 11" in page
    assert ".records td, .records th { overflow-wrap: break-word" in page, "a word is not broken"


def test_a_page_takes_the_domain_that_is_given_or_none(tmp_path, everything, schools):
    import pickle

    gone = pickle.loads(pickle.dumps(everything))
    facts = gone.certificate.to_dict()
    facts["spec"]["domain"] = {"file": "gone.yaml", "sha256": mo.Domain(EVERY).hash}
    gone.certificate = mo.Certificate(json.dumps(facts))
    mo.report(gone, tmp_path / "own.html")
    own = bars_of(parsed(tmp_path / "own.html"))
    assert list(own) == list(EVERY), "without a domain, too, days and times are there"
    assert any(" to " in label and label.startswith("2024-") for label, _ in own["seen"])
    mo.report(gone, tmp_path / "given.html", domain=EVERY)
    assert bars_of(parsed(tmp_path / "given.html"))["born"][0][0] == "1990-01-01..1990-12-31"
    with pytest.raises(mo.InvalidInput, match="domain must be the release's"):
        mo.report(gone, tmp_path / "wrong.html", domain=schools / "schools.yaml")


@pytest.mark.parametrize("name", ["r.txt", "r.yaml", "r.csv", "r"])
def test_refuses_a_name_that_is_no_pages(tmp_path, everything, name):
    (tmp_path / name).write_text("mine")
    with pytest.raises(mo.InvalidInput, match=r"is not an HTML file. Use a file name that ends in \.html or \.htm\.$"):
        mo.report(everything, tmp_path / name, overwrite=True)
    assert (tmp_path / name).read_text() == "mine"
    mo.report(everything, tmp_path / "r.HTM")


def test_refuses_what_has_no_page(tmp_path):
    with pytest.raises(mo.InvalidInput):
        mo.report(mo.Local.plan_of(k=4, epsilon=1), path=tmp_path / "p.html")
    assert list(tmp_path.iterdir()) == []


def test_a_page_warns_of_no_domain(tmp_path):
    """A report does not repeat the warnings of its domain."""
    with pytest.warns(mo.DomainWarning, match="declares no outside"):
        domain = mo.Domain({"age": mo.integer(0, 9)})
    release = mo.Integral(domain, epsilon=8, count=30, accept_error=True).sample({"age": [3] * 90})
    with warnings.catch_warnings():
        warnings.simplefilter("error", mo.DomainWarning)
        mo.report(release, path=tmp_path / "r.html")


def test_a_readers_page_says_what_is_kept_and_what_is_not(tmp_path):
    rows = range(3000)
    data = {"id": [i // 3 for i in rows], "a": [i % 4 for i in rows], "b": [i % 4 for i in rows], "c": [i % 7 for i in rows]}
    domain = mo.Domain({name: mo.integer(0, 9, outside="clip", null=0) for name in "abc"}, rules=["a <= 8"])
    asked = {"epsilon": 4, "delta": 1e-6, "count": 300, "questions": "a:b", "accept_error": True}
    pages = {}
    for unit in (None, "id"):
        release = mo.Marginals(domain, unit=unit, **asked).sample(data)
        mo.report(release, tmp_path / "r.html", contact="the office", questions=["mean(c)"], overwrite=True)
        page = parsed(tmp_path / "r.html")
        assert 'name="viewport" content="width=device-width' in page, "a phone does not shrink the page"
        pages[unit] = words(page)
        for told in ("These rows are not real persons", "What is not kept", "Rules that all rows keep", "a <= 8", "the office", "mollify verify", "How it was made", "as good as a sample of", "mean(c)"):
            assert told in pages[unit], told
    assert "Which rows belong to one person." in pages["id"] and "how one row of a person" in pages["id"]
    assert "protects one row, not all rows of a person" in pages[None]
    assert "if any one row's values were others, no result would become more than 54.6 times likelier" in pages[None]
    missing = mo.Marginals(domain, unit="id", neighbours="add-remove", **asked).sample(data)
    mo.report(missing, tmp_path / "r.html", overwrite=True)
    assert "if any one person were missing, no result" in words(parsed(tmp_path / "r.html"))


def test_a_holders_page_lists_columns_and_pairs_the_worst_first(tmp_path):
    rows = range(4000)
    data = {"a": [i % 5 for i in rows], "b": [i % 5 for i in rows], "c": [i % 2 for i in rows]}
    released = {"a": [i % 5 for i in rows], "b": [i * 7 % 3 for i in rows], "c": [i * 3 % 5 % 2 for i in rows]}
    domain = {name: mo.integer(0, 4, outside="clip", null=0) for name in "abc"}
    found = mo.nonprivate.compare(released, data, domain, questions=["share(b)", "mean(a) by c"])
    mo.report(found, tmp_path / "c.html")
    page = parsed(tmp_path / "c.html")
    assert '<p class="warning">NOT PRIVATE' in page
    columns = re.findall(r"<summary><h3>(\w)</h3>", page)
    off = {column["name"]: sum(abs(x - y) for x, y in zip(column["shares"]["truth"], column["shares"]["released"])) / 2 for column in found["columns"]}
    assert columns == sorted(off, key=off.get, reverse=True)
    worst = found["pairs"]["released"]
    first = re.search(r"worst pairs</h3>.*?<tbody><tr><td>(.*?)</td><td>(.*?)</td>", page).groups()
    assert first == (worst["worst"].replace(", ", " with "), f"{worst['worst_tv']:.3f}")
    assert len(worst["tv"]) == 3 and max(worst["tv"]) == worst["worst_tv"]
    assert sum(worst["tv"]) / 3 == pytest.approx(worst["mean_tv"])
    assert page.count("<rect ") == 9
    assert "share(b)" in page and "mean(a) by c" in page
    assert "95 % interval" not in page, "rows alone have none"


def test_a_holders_page_answers_questions_three_ways(tmp_path, wards):
    method = mo.Marginals(WARDS, epsilon=8, delta=1e-6, count=2000, questions=["share(ward)", "mean(dose) by ward"])
    release = method.sample(wards)
    found = mo.nonprivate.compare(release, wards, WARDS, questions="mean(age)")
    assert [one["question"] for one in found["questions"]] == ["share(ward)", "mean(dose) by ward", "mean(age)"]
    for one in found["questions"]:
        assert one["refused"] == {}
        for row in one["rows"]:
            assert None not in (row["truth"], row["released"], row["model"])
            assert row["lower"] <= row["model"] <= row["upper"]
    mean = found["questions"][2]["rows"][0]
    assert mean["truth"] == pytest.approx(sum(wards["age"]) / 2000, rel=1e-9)
    mo.report(found, tmp_path / "c.html")
    text = words(parsed(tmp_path / "c.html"))
    assert "intervals hold the real number" in text
    assert str(found).count("real data") >= 3


def test_a_holders_page_says_what_counts_do_not_answer(tmp_path):
    domain = {f"c{i}": mo.integer(0, 9, outside="clip", null=0) for i in range(12)}
    table = {f"c{i}": [row * (i + 1) % 10 for row in range(500)] for i in range(12)}
    release = mo.Marginals(domain, epsilon=0.01, delta=1e-6, count=10, accept_error=True).sample(table)
    assert release.model.not_measured, "so little budget pays for no pair"
    first, second = release.model.not_measured[0]
    found = mo.nonprivate.compare(release, table, domain, questions=[f"{first}:{second}", "share(c0)"])
    assert list(found["questions"][0]["refused"]) == ["model"]
    assert all(row["truth"] is not None for row in found["questions"][0]["rows"])
    mo.report(found, tmp_path / "c.html")
    assert "No answer from the noisy counts" in words(parsed(tmp_path / "c.html"))
