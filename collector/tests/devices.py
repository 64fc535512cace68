#!/usr/bin/env python3
"""One Chromium answers as many devices through the page's own code, and the estimate is compared with what they answered.

Each device is a visit to the page of a question with empty storage: it chooses, draws, reads its report, and sends it.
Device i's answers follow from i, so that the real shares are known. Prints each share with its interval, and exits with
1 if a report is missing, or if a share is so far from the real one as happens once in 10^6 runs.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import http.client
import json
import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path

from load import Service
from playwright.async_api import Browser, async_playwright

from mollify_collector.questions import read
from mollify_collector.store import open_store

QUESTION = "way"
WAYS, MINUTES = ["foot", "bicycle", "bus, train", "car"], 3
SPEC = json.dumps({
    "method": "local",
    "domain": {"text": f"""columns:
  way: {{type: categorical, values: {json.dumps(WAYS)}, outside: clip, null: foot}}
  minutes: {{type: integer, min: 0, max: 89, bins: {MINUTES}, outside: clip, null: 0}}
"""},
    "privacy": {"epsilon": "3"},
    "mechanism": "randomized-response",
})  # fmt: skip
FALSE_ALARM = 1e-6

# What a person's fingers do, and nothing else: the page's code draws and sends.
ANSWER = """async (answers) => {
  answers.forEach((cell, i) => document.querySelector(`input[name=column${i}][value="${cell}"]`).click());
  document.getElementById("draw").click();
  const until = async (done) => { while (!done()) await new Promise((wake) => setTimeout(wake, 5)); };
  await until(() => !document.getElementById("shown").hidden);
  const drawn = JSON.parse(document.getElementById("body").textContent).outcome;
  document.getElementById("send").click();
  await until(() => !document.getElementById("results").hidden);
  return drawn;
}"""


def answers_of(device: int) -> tuple[int, int]:
    """Half of the devices go on foot, and a rare one by car; who goes by car needs longest."""
    way = (0, 0, 0, 0, 0, 1, 1, 1, 2, 2)[device % 10] if device % 25 else 3
    return way, 2 if way == 3 else device // 10 % MINUTES


async def visit(browser: Browser, address: str, devices: list[int]) -> list[int]:
    """The outcomes that these devices report, one after another."""
    drawn = []
    context = await browser.new_context()
    # A device before it has ever answered.
    await context.add_init_script("localStorage.clear()")
    page = await context.new_page()
    for device in devices:
        await page.goto(address)
        await page.wait_for_selector("#draw:not([disabled])")
        drawn.append(await page.evaluate(ANSWER, list(answers_of(device))))
    return drawn


async def play(port: int, devices: int, tabs: int) -> list[int]:
    async with async_playwright() as found:
        program = shutil.which("chromium") or shutil.which("chromium-browser")
        browser = await found.chromium.launch(executable_path=program, args=["--no-sandbox"])
        address = f"http://127.0.0.1:{port}/questions/{QUESTION}/answer"
        parts = await asyncio.gather(*(visit(browser, address, list(range(tab, devices, tabs))) for tab in range(tabs)))
        await browser.close()
    return [outcome for part in parts for outcome in part]


def estimated(port: int, devices: int) -> dict:
    """The estimate from all reports. The collector makes one now and then, less often if it takes long."""
    until = time.monotonic() + 300
    while True:
        with contextlib.closing(http.client.HTTPConnection("127.0.0.1", port, timeout=60)) as connection:
            connection.request("GET", f"/questions/{QUESTION}/estimate")
            found = json.loads(connection.getresponse().read())
        if found["reports"] == devices or time.monotonic() > until:
            return found
        time.sleep(1)


def compare(found: dict, devices: int) -> bool:
    """Prints, and tells whether all shares are near the real ones."""
    real = [[0] * len(WAYS), [0] * MINUTES]
    for device in range(devices):
        for column, cell in enumerate(answers_of(device)):
            real[column][cell] += 1
    shares = len(WAYS) + MINUTES
    # Shares are sums of many devices' noise, nearly normal.
    most = statistics.NormalDist().inv_cdf(1 - FALSE_ALARM / (2 * shares))
    held, is_near = 0, True
    for column, of_column in zip(found["columns"], real):
        for value, count in zip(column["values"], of_column):
            share = count / devices
            holds = value["lower"] <= share <= value["upper"]
            held += holds
            is_near &= abs(value["probability"] - share) <= most * value["standard_error"]
            print(f"{column['name']} {value['shown']}: really {share:.4f}, estimated {value['probability']:.4f}, "
                  f"from {value['lower']:.4f} to {value['upper']:.4f}{'' if holds else ', MISSED'}")  # fmt: skip
    print(f"{held} of {shares} intervals hold; all together hold with probability {found['confidence']:g}")
    return is_near


def main(words: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--devices", type=int, default=5000)
    parser.add_argument("--tabs", type=int, default=4)
    asked = parser.parse_args(words)
    with tempfile.TemporaryDirectory() as folder:
        database = str(Path(folder) / "collector.sqlite")
        store = open_store(database)
        store.publish(QUESTION, read(SPEC))
        service = Service(database, Path(folder) / "log", None)
        service.start()
        try:
            service.wait()
            began = time.monotonic()
            drawn = asyncio.run(play(service.port, asked.devices, asked.tabs))
            print(f"{len(drawn)} devices answered in {time.monotonic() - began:.0f} s")
            found = estimated(service.port, asked.devices)
            is_near = compare(found, asked.devices)
            counts = store.counts(store.asked()[0].version)
        finally:
            service.kill()
            store.close()
    is_complete = found["reports"] == asked.devices and counts == {one: drawn.count(one) for one in set(drawn)}
    print(f"{found['reports']} reports are counted, {'each as it was shown' if is_complete else 'and others than were shown'}")
    return 0 if is_near and is_complete else 1


if __name__ == "__main__":
    sys.exit(main())
