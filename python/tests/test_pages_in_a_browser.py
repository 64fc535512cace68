"""Pages as Chromium shows them. Skipped where the browser, or playwright, is not installed."""

import shutil

import pytest

import mollify as mo

api = pytest.importorskip("playwright.sync_api")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
pytestmark = [
    pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium"),
    pytest.mark.filterwarnings("default"),
]


@pytest.fixture(scope="module")
def browser():
    with api.sync_playwright() as found:
        opened = found.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield opened
        opened.close()


def opened(browser, path, width):
    """The page, after nothing was fetched, complained of or wider than the window."""
    page = browser.new_page(viewport={"width": width, "height": 700})
    asked, said = [], []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.goto(path.as_uri())
    assert asked == [path.as_uri()]
    assert said == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    return page


def test_a_releases_page(browser, schools, tmp_path):
    release = mo.Integral(
        schools / "schools.yaml",
        epsilon=3,
        count=50,
        accept_error=True,
    ).sample(schools / "schools.csv")
    mo.report(release, path=tmp_path / "r.html")
    for width in (360, 1200):
        page = opened(browser, tmp_path / "r.html", width)
        assert page.title() == "50 released records"
        assert page.locator("table.bars").count() == 3  # sex, minority and math
        assert page.locator("text=NOT PRIVATE").count() == 0
        bars = page.locator(".bar span").all()
        assert sum(bar.bounding_box()["width"] > 1 for bar in bars) >= 2


def test_a_comparisons_page_says_so_on_every_screen(browser, schools, tmp_path):
    found = mo.Local(schools / "schools.yaml", unit="school", epsilon=2).compare(schools / "schools.csv")
    mo.report(found, path=tmp_path / "c.html")
    page = opened(browser, tmp_path / "c.html", 1200)
    warning = page.locator(".warning")
    height = page.evaluate("document.documentElement.scrollHeight")
    for top in range(0, height, 350):
        page.evaluate(f"window.scrollTo(0, {top})")
        box = warning.bounding_box()
        assert box["width"] > 300
        assert 0 <= box["y"] < 100
        assert "NOT PRIVATE" in warning.inner_text()
    # Longest first, and nothing runs: the policy forbids it.
    lengths = [bar.bounding_box()["width"] for bar in page.locator(".bar span").all()]
    assert lengths[0] == max(lengths)
    ran = page.evaluate(
        "() => { const s = document.createElement('script'); s.text = 'window.ran = 1';"
        " document.body.append(s); return window.ran === 1 }"
    )
    assert not ran


def test_pages_of_rows_that_share_one_model(browser, schools, tmp_path):
    method = mo.Marginals(schools / "rand_hie_table.yaml", epsilon=1, delta=1e-6, count=200)
    mo.report(method.sample(schools / "rand_hie.csv"), path=tmp_path / "r.html")
    mo.report(method.compare(schools / "rand_hie.csv"), path=tmp_path / "c.html")
    for name, private in (("r.html", 0), ("c.html", 1)):
        for width in (360, 1200):
            page = opened(browser, tmp_path / name, width)
            assert page.locator("table.bars").count() == 14
            assert page.locator(".warning").count() == private
            told = page.locator("td", has_text="two columns together, on measured tables")
            assert told.is_visible()
