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
            told = page.locator("td", has_text="two columns together, expected")
            if not private:
                assert not told.is_visible(), "facts for specialists are folded"
                page.locator("summary", has_text="Facts for specialists").click()
            assert told.is_visible()
            assert page.locator("svg.map rect").count() == 14 * 14


def test_pages_of_many_columns_fit_phones_and_paper(browser, tmp_path):
    rows = range(400)
    for columns in (5, 60, 70):
        names = [f"a question of the survey, number {i}" for i in range(columns)]
        domain = {name: mo.boolean(outside="false", null="false") for name in names}
        table = {name: [(row >> place % 7) % 2 == 1 for row in rows] for place, name in enumerate(names)}
        method = mo.Marginals(domain, epsilon=8, delta=1e-6, count=400, accept_error=True, questions=f'"{names[0]}":"{names[1]}"')
        release = method.sample(table)
        mo.report(release, tmp_path / f"r{columns}.html", contact="the office")
        mo.report(mo.nonprivate.compare(release, table, domain), tmp_path / f"c{columns}.html")
        for kind in "rc":
            for width in (390, 820, 1280):
                page = opened(browser, tmp_path / f"{kind}{columns}.html", width)
                squares = page.locator("svg.map rect").count()
                assert squares == (columns**2 if columns <= 60 else 0), "more columns are drawn as one path of each colour"
            page.emulate_media(media="print")
            place = page.evaluate("getComputedStyle(document.querySelector('.key')).printColorAdjust")
            assert place == "exact", "colours are printed"
            if kind == "c":
                assert page.evaluate("getComputedStyle(document.querySelector('.warning')).position") == "fixed"
                assert page.evaluate("getComputedStyle(document.body).boxDecorationBreak || getComputedStyle(document.body).webkitBoxDecorationBreak") == "clone"
