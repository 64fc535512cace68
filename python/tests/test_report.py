"""Pages: well-formed, without scripts, nothing private in a release's."""

import re
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
    domain = mo.Domain({"a": mo.categorical(["<b>&", '"x"'])})
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
    assert page.count("<rect x=") == 3 * 12


WARDS = {
    "ward": mo.categorical(["north", "south"], null="category"),
    "dose": mo.number(0, 8, bins=4, spike=0),
    "age": mo.integer(0, 99, bins=5),
}
BINNED = {"dose": WARDS["dose"], "age": WARDS["age"]}
NUMBERS = {"dose": mo.number(0, 8), "age": mo.number(0, 99)}
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
        (WARDS, MARGINALS, 3, "two columns together, on measured tables usually at most {usual}, {worst} if columns of many values depend closely on each other, on average"),
        (WARDS, MARGINALS | {"neighbours": "add-remove"}, 3, "expected, in records"),
        (BINNED, MARGINALS | {"copula": True}, 2, "rank correlation"),
        (NUMBERS, GAUSSIAN, 2, "from the data's Gaussian, expected {model}"),
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
    two_way = accuracy.get("two_way", {"usual": 0, "at_worst": 0})
    usual, worst = two_way["usual"], two_way.get("at_worst", 0)
    model = accuracy.get("expected_total_variation", 0)
    best = accuracy.get("best_models", 0)
    assert told.format(usual=f"{usual:.3g}", worst=f"{worst:.3g}", model=f"{model:.3g}", best=best) in text
    assert page.count('<svg role="img"') == drawn
    if options is MARGINALS:
        asked = {key: options[key] for key in ("method", "epsilon", "delta")}
        plan = plan_by_word(domain, n=2000, **asked)["answers"][0]
        assert plan["two_way"] == two_way


@pytest.mark.parametrize(
    "domain, options, bars, told",
    [
        (WARDS, MARGINALS, 3 * (3 + 5 + 5), "usually"),
        (WARDS, MODELS, 3 * (3 + 5 + 5), "independent"),
        (NUMBERS, GAUSSIAN, 0, "every column and correlation is as that needs"),
        ({"ward": WARDS["ward"]}, {"method": "central", "epsilon": 2}, 3 * 3, "uniform"),
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
    assert page.count("<rect x=") == bars


def test_refuses_what_has_no_page(tmp_path):
    with pytest.raises(mo.InvalidInput):
        mo.report(mo.Local.plan_of(k=4, epsilon=1), path=tmp_path / "p.html")
    assert list(tmp_path.iterdir()) == []
