"""Pages as a reader gets them."""

import shutil

import pytest
from playwright import sync_api

from mollify_collector.pages import results

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")


@pytest.fixture(scope="module")
def browser():
    with sync_api.sync_playwright() as found:
        opened = found.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield opened
        opened.close()


def opened(browser, address, scheme="light", width=360):
    """A page, and what the browser says of it."""
    page = browser.new_page(viewport={"width": width, "height": 740}, color_scheme=scheme)
    said = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.goto(address)
    return page, said


def test_words_of_a_question_are_text():
    bad = '<script>alert("a")</script>'
    value = {"value": bad, "probability": 0.5, "lower": 0.4, "upper": 0.6, "standard_error": 0.01}
    mean = {"column": bad, "mean": 1.0, "lower": 0.0, "upper": 2.0, "half_cell": 0.5, "standard_error": 0.1}
    found = {"question": bad, "reports": 7, "confidence": 0.95, "columns": [{"name": bad, "values": [value]}], "means": [mean]}
    text = results(found)
    assert bad not in text
    assert text.count("&lt;script&gt;") == 5  # title, heading, caption, row and mean


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_results_refresh_in_a_browser(browser, running, scheme):
    assert running.report("way", 3) == 204
    page, said = opened(browser, f"http://127.0.0.1:{running.service.port}/questions/way/results", scheme)
    try:
        before = page.locator("main p").first.inner_text()
        assert page.locator("table").count() == 2
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
        for outcome in range(12):
            assert running.report("way", outcome) == 204
        page.wait_for_function("said => document.querySelector('main p').innerText !== said", arg=before, timeout=20_000)
        assert page.get_by_role("row").count() == 2 + 4 + 3
        assert said == []
    finally:
        page.close()


def test_all_questions(browser, running):
    page, said = opened(browser, f"http://127.0.0.1:{running.service.port}/")
    page.get_by_role("link", name="way").click()
    assert page.title() == "Results: way"
    assert said == []
    page.close()
