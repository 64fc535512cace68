"""Pages as a reader gets them."""

import json
import re
import shutil
from collections import Counter
from pathlib import Path

import mollify as mo
import pytest
from conftest import Running
from playwright import sync_api

from mollify_collector.pages import results
from mollify_collector.questions import read
from mollify_collector.store import open_store

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
    value = {"value": bad, "shown": bad, "probability": 0.5, "lower": 0.4, "upper": 0.6, "standard_error": 0.01}
    mean = {"column": bad, "mean": 1.0, "lower": 0.0, "upper": 2.0, "half_cell": 0.5, "standard_error": 0.1}
    found = {"question": bad, "reports": 7, "confidence": 0.95, "columns": [{"name": bad, "values": [value]}], "means": [mean]}
    text = results(found)
    assert bad not in text
    assert text.count("&lt;script&gt;") == 4  # title, heading, caption and row


def test_of_many_shares_the_greatest_are_shown():
    values = [{"value": str(i), "shown": f"v{i}.", "probability": i / 1e4, "lower": 0.0, "upper": 1.0, "standard_error": 0.1} for i in range(100)]
    text = results({"question": "way", "reports": 7, "confidence": 0.95, "columns": [{"name": "way", "values": values}], "means": []})
    assert [f"v{i}." in text for i in range(100)] == [i >= 60 for i in range(100)]
    assert "The 40 greatest of 100 shares" in text


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
    page.get_by_role("link", name="results").click()
    assert page.title() == "Results: way"
    assert said == []
    page.close()


@pytest.fixture
def answering(browser, running):
    """A page of a browser that has not answered yet, what it requested since, and what the browser said."""
    context = browser.new_context(viewport={"width": 360, "height": 740})
    page = context.new_page()
    said, asked = [], []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda request: asked.append(request.url.split("/", 3)[3]))
    page.goto(f"http://127.0.0.1:{running.service.port}/questions/way/answer")
    page.wait_for_function("() => !document.getElementById('draw').disabled")
    asked.clear()
    yield page, asked, said
    context.close()


def _count(running):
    store = open_store(running.address)
    counts = store.counts(store.asked()[0].version)
    store.close()
    return counts


def test_a_person_answers_and_nothing_leaves_before_it_is_sent(answering, running):
    page, asked, said = answering
    before = _count(running)
    page.get_by_label("bus, train").check()
    page.get_by_label("30 to 59").check()
    page.get_by_role("button", name="Draw my report").click()
    page.wait_for_selector("#shown:not([hidden])")
    report = json.loads(page.locator("#body").inner_text())
    version = running.get("/questions/way")
    assert report["certificate"] == version["certificate_sha256"]
    assert page.locator("#record td").nth(0).inner_text() == "bus, train"
    way, minutes = divmod(report["outcome"], 3)
    assert page.locator("#record td").nth(1).inner_text() == version["columns"][0]["cells"][way]
    assert page.locator("#record td").nth(3).inner_text() == version["columns"][1]["cells"][minutes].replace("..", " to ")
    # The page shows what mollify's integers give.
    response = mo.RandomizedResponse(k=12, epsilon=3)
    assert f"about {100 * response.kept / response.total:.0f} send" in page.locator("#odds").inner_text()
    assert f"{response.kept / response.other:.1f} times" in page.locator("#ratio").inner_text()
    assert [cell.inner_text() for cell in page.locator("#guesses td").all()] == ["2 %", "65 %", "95 %"]
    assert page.get_by_label("bus, train").is_disabled()
    assert asked == []
    assert _count(running) == before
    assert page.evaluate("document.documentElement.scrollWidth") <= 360

    page.get_by_role("button", name="Send this report").click()
    page.wait_for_selector("#results:not([hidden])")
    assert asked == ["questions/way/reports", "questions/way/results"]
    assert Counter(_count(running)) - Counter(before) == {report["outcome"]: 1}
    assert page.locator("#estimate table").count() == 2
    assert page.locator("#status").inner_text() == "Your report is counted."
    assert said == []


def test_a_reload_and_a_lost_answer_send_one_report(answering, running):
    page, asked, said = answering
    before = _count(running)
    page.get_by_label("foot").check()
    page.get_by_label("0 to 29").check()
    page.get_by_role("button", name="Draw my report").click()
    report = page.locator("#body").inner_text()
    page.reload()
    page.wait_for_selector("#shown:not([hidden])")
    assert page.locator("#body").inner_text() == report
    assert not page.get_by_role("button", name="Draw my report").is_visible()
    # The collector counts the report, and its answer is lost on the way.
    page.route("**/reports", lambda route: (route.fetch(), route.abort()))
    page.get_by_role("button", name="Send this report").click()
    page.wait_for_function("() => document.getElementById('status').innerText.includes('Send it again')")
    page.unroute("**/reports")
    page.get_by_role("button", name="Send this report").click()
    page.wait_for_selector("#results:not([hidden])")
    assert sum(_count(running).values()) == sum(before.values()) + 1
    page.reload()
    page.wait_for_selector("#shown:not([hidden])")
    assert page.locator("#body").inner_text() == report
    assert [one for one in said if "ERR_FAILED" not in one] == []


def test_by_keyboard_alone(answering, running):
    page, asked, said = answering
    before = sum(_count(running).values())
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowDown")  # the second way
    page.keyboard.press("Tab")
    page.keyboard.press("Space")  # the first time
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_selector("#shown:not([hidden])")
    assert page.evaluate("document.activeElement.innerText") == "Your report"
    assert [page.locator("#record td").nth(place).inner_text() for place in (0, 2)] == ["bicycle", "0 to 29"]
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") == "send"
    page.keyboard.press("Enter")
    page.wait_for_selector("#results:not([hidden])")
    assert page.evaluate("document.activeElement.innerText") == "What all reports show"
    assert sum(_count(running).values()) == before + 1
    assert said == []


def test_what_a_screen_reader_finds(answering):
    page, asked, said = answering
    for name in ("way", "minutes"):
        assert page.get_by_role("group", name=name).count() == 1
    assert page.get_by_role("radio").count() == 4 + 3
    assert page.get_by_role("button").count() == 1
    assert page.locator("html").get_attribute("lang") == "en"
    unnamed = page.evaluate("[...document.querySelectorAll('input, select, button')].filter(one => !one.labels?.length && !one.innerText).length")
    assert unnamed == 0


SENTENCES = Path(__file__).resolve().parents[1] / "sentences.spec.json"


@pytest.fixture(scope="module")
def asking_for_words(tmp_path_factory):
    """A collector with the question `glad`, whose 24 answers are sentences."""
    folder = tmp_path_factory.mktemp("words")
    address = str(folder / "collector.sqlite")
    store = open_store(address)
    store.publish("glad", read(SENTENCES.read_text()))
    store.close()
    running = Running(address, folder)
    yield running
    running.service.kill()


@pytest.fixture(params=["light", "dark"])
def writing(browser, asking_for_words, request):
    """Its page, the bodies of its requests since, and what the browser said."""
    context = browser.new_context(viewport={"width": 360, "height": 740}, color_scheme=request.param)
    page = context.new_page()
    said, sent = [], []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda request: sent.append((request.url.split("/", 3)[3], request.post_data)))
    page.goto(f"http://127.0.0.1:{asking_for_words.service.port}/questions/glad/answer")
    page.wait_for_function("() => !document.getElementById('draw').disabled")
    sent.clear()
    yield page, sent, said
    context.close()


WRITTEN = "We went swimming in the lake!"


def test_a_person_writes_and_the_words_stay(writing, asking_for_words):
    page, sent, said = writing
    before = _count(asking_for_words)
    page.get_by_label("What made you glad today?").press_sequentially(WRITTEN)
    chosen = page.get_by_label("The public answer nearest to yours")
    assert chosen.evaluate("one => one.selectedOptions[0].text") == "I did sport or went swimming"
    assert "I did sport or went swimming" in page.get_by_role("status").inner_text()
    page.get_by_role("button", name="Draw my report").click()
    page.wait_for_selector("#shown:not([hidden])")
    cells = asking_for_words.get("/questions/glad")["columns"][0]["cells"]
    report = json.loads(page.locator("#body").inner_text())
    assert page.locator("#record td").nth(0).inner_text() == f"“{WRITTEN}”, as: I did sport or went swimming"
    assert page.locator("#record td").nth(1).inner_text() == cells[report["outcome"]]
    response = mo.RandomizedResponse(k=24, epsilon=4)
    assert f"about {100 * response.kept / response.total:.0f} send" in page.locator("#odds").inner_text()
    assert page.locator("#written0").is_disabled()
    assert sent == []
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    page.get_by_role("button", name="Send this report").click()
    page.wait_for_selector("#results:not([hidden])")
    assert [path for path, _ in sent] == ["questions/glad/reports", "questions/glad/results"]
    assert json.loads(sent[0][1]) == report
    assert "swimming in the lake" not in page.evaluate("JSON.stringify(localStorage)") + str(sent)
    assert Counter(_count(asking_for_words)) - Counter(before) == {report["outcome"]: 1}
    assert said == []
    page.reload()
    page.wait_for_selector("#shown:not([hidden])")
    assert page.locator("#record td").nth(0).inner_text() == "not kept"


def test_words_that_are_near_to_none_and_another_choice(writing):
    page, sent, said = writing
    page.get_by_label("What made you glad today?").fill("日本語")
    assert "No sentence of the list is near" in page.get_by_role("status").inner_text()
    page.get_by_role("button", name="Draw my report").click()
    assert not page.locator("#shown").is_visible()  # the browser asks for a choice
    page.get_by_label("The public answer nearest to yours").select_option(label="I slept well")
    page.get_by_role("button", name="Draw my report").click()
    page.wait_for_selector("#shown:not([hidden])")
    assert page.locator("#record td").nth(0).inner_text() == "“日本語”, as: I slept well"
    assert sent == [] and said == []


def test_a_sentence_by_keyboard_and_screen_reader(writing):
    page, sent, said = writing
    assert page.get_by_role("textbox", name="What made you glad today?", description=re.compile("stay on this device")).count() == 1
    assert page.get_by_role("combobox", name="The public answer nearest to yours").count() == 1
    # What a browser checks for spelling, it may send to its maker.
    assert page.locator("#written0").get_attribute("spellcheck") == "false"
    page.keyboard.press("Tab")
    page.keyboard.type("a long hike")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") == "column0"
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_selector("#shown:not([hidden])")
    assert page.locator("#record td").nth(0).inner_text() == "“a long hike”, as: I went for a walk or a hike"
    assert sent == [] and said == []


def test_the_nearest_sentence(writing):
    page, sent, said = writing
    found = page.evaluate("""async () => {
      const {nearestOf} = await import("/static/nearest.js");
      const {cells} = JSON.parse(document.getElementById("question").textContent).columns[0];
      const nearest = nearestOf(cells);
      const ofTwo = nearestOf(["the cat", "the dog", "the dog"]);
      return {
        own: cells.every((cell, place) => nearest(cell).place === place && Math.abs(nearest(cell).nearness - 1) < 1e-9),
        written: ["I MET FRIENDS!", "Ï wörked in the gárden", "got a job"].map((text) => cells[nearest(text).place]),
        none: ["", "?!", "zzz"].map((text) => nearest(text).place),
        first: ofTwo("dog").place,
        rare: ofTwo("the dog's cat").place,
      };
    }""")
    assert found == {
        "own": True,
        "written": ["I met friends or family", "I worked in the garden", "I passed an examination or got a job"],
        "none": [-1, -1, -1],
        "first": 1,
        "rare": 0,
    }


def test_reports_of_the_page_are_as_likely_as_mollify_states(answering):
    """4000 draws of the page's own code: the kept share misses its probability by more than 5.3 deviations
    once in 10^7 times.
    """
    page, asked, said = answering
    kept = page.evaluate("""async () => {
      const {RandomizedResponse} = await import("/static/device/response.js");
      const response = await RandomizedResponse.create({outcomes: 12, epsilon: "3"});
      let kept = 0;
      for (let i = 0; i < 4000; ++i) kept += response.report(i % 12) === i % 12;
      return kept;
    }""")
    response = mo.RandomizedResponse(k=12, epsilon=3)
    share = response.kept / response.total
    assert abs(kept - 4000 * share) < 5.3 * (4000 * share * (1 - share)) ** 0.5
