"""Pages: well-formed, without scripts, nothing private in a release's."""

import re
import xml.etree.ElementTree as tree

import pytest

import mollify as mo


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
    release = mo.sample(private, domain, model="integral", epsilon=1, count=30)
    mo.report(release, path=tmp_path / "r.html")
    page = parsed(tmp_path / "r.html")
    assert "30 released records" in page
    assert "&lt;b&gt;&amp;" in page or "&quot;x&quot;" in page
    assert "secret" not in page
    assert "NOT PRIVATE" not in page
    assert release.promised[0].split(",")[0] in page


def test_a_comparisons_page_is_marked(schools, tmp_path):
    found = mo.nonprivate.compare(
        schools / "schools.csv", schools / "schools.yaml", unit="school", epsilon=2
    )
    mo.report(found, path=tmp_path / "c.html")
    page = parsed(tmp_path / "c.html")
    assert '<p class="warning">NOT PRIVATE' in page
    assert page.count("<rect x=") == 3 * 12


def test_refuses_what_has_no_page(tmp_path):
    with pytest.raises(mo.InvalidInput):
        mo.report(mo.plan(k=4, epsilon=1), path=tmp_path / "p.html")
    assert list(tmp_path.iterdir()) == []
