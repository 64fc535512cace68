"""The installed package in Chromium: a page with a strict content security policy, one that forbids WebAssembly, and a
worker.

usage: in_chromium.py FOLDER    (which has node_modules)
"""

import functools
import http.server
import pathlib
import shutil
import sys
import threading

from playwright.sync_api import sync_playwright

STRICT = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; worker-src 'self'"
POLICIES = {"strict": STRICT, "forbidden": STRICT.replace(" 'wasm-unsafe-eval'", ""), "open": None}
PAGE = b'<!doctype html><meta charset="utf-8"><title>page</title><script type="module" src="/page.js"></script>'
SCRIPT = """
import { MollifyError, RandomizedResponse } from "/node_modules/mollify-dp/response.js";
import { Sampler } from "/node_modules/mollify-dp/sampler.js";
import { Ledger, indexedDBStorage } from "/node_modules/mollify-dp/ledger.js";
const said = {};
try {
  const start = performance.now();
  const response = await RandomizedResponse.create({ outcomes: 3, epsilon: 30 });
  said.report = response.report(2);
  said.milliseconds = performance.now() - start;
  const values = new Uint32Array(1000000).fill(1);
  const before = performance.now();
  said.sum = response.reports(values).reduce((a, b) => a + b, 0);
  said.perSecond = 1e6 / (performance.now() - before) * 1000;
  said.draw = (await Sampler.create({ outcomes: 3, epsilon: 30, band: "relative" })).drawOutcomes([1])[0];
  await RandomizedResponse.create({ outcomes: 0, epsilon: 1 }).catch((error) => { said.refusal = error.message; });
  const open = () => Ledger.open({ total: 2, storage: indexedDBStorage("devices") });
  const ledgers = [await open(), await open()];
  await Promise.all(ledgers.map((ledger) => ledger.enroll("mood", { epsilon: "0.1" })));
  const answers = await Promise.all(ledgers.map((ledger, i) => ledger.answer("mood", { draw: () => i })));
  said.kept = answers[0] === answers[1];
  await ledgers[0].enroll("sleep", { epsilon: 2 }).catch((error) => { said.over = error.code; });
  said.spent = await ledgers[1].spent();
  const worker = new Worker("/worker.js", { type: "module" });
  said.worker = await new Promise((resolve) => { worker.onmessage = ({ data }) => resolve(data); });
} catch (error) {
  said.code = error instanceof MollifyError ? error.code : String(error);
  said.message = error.message;
}
globalThis.said = said;
document.documentElement.dataset.done = "";
"""
WORKER = """
import { RandomizedResponse } from "/node_modules/mollify-dp/response.js";
postMessage((await RandomizedResponse.create({ outcomes: 3, epsilon: 30 })).report(1));
"""


class Handler(http.server.SimpleHTTPRequestHandler):
    extensions_map = {**http.server.SimpleHTTPRequestHandler.extensions_map, ".js": "text/javascript"}
    policy = None

    def do_GET(self):
        name = self.path.lstrip("/")
        if name in POLICIES:
            type(self).policy = POLICIES[name]
        texts = {"page.js": SCRIPT.encode(), "worker.js": WORKER.encode(), **dict.fromkeys(POLICIES, PAGE)}
        if name not in texts:
            return super().do_GET()
        self.send_response(200)
        self.send_header("Content-Type", "text/javascript" if name.endswith(".js") else "text/html")
        self.end_headers()
        return self.wfile.write(texts[name])

    def end_headers(self):
        if self.policy:
            self.send_header("Content-Security-Policy", self.policy)
        super().end_headers()

    def log_message(self, *args):
        pass


def main():
    folder = pathlib.Path(sys.argv[1]).resolve()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    with sync_playwright() as found:
        browser = found.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        said = {}
        for name in POLICIES:
            page = browser.new_page()
            page.goto(f"http://127.0.0.1:{server.server_port}/{name}")
            page.wait_for_selector("html[data-done]", state="attached", timeout=60_000)
            said[name] = page.evaluate("said")
            page.close()
        browser.close()
    for name in ("strict", "open"):
        answers = said[name]
        print(name, answers)
        times = {key: answers.pop(key) for key in ("milliseconds", "perSecond")}
        assert answers == {
            "report": 2,
            "sum": 1_000_000,
            "draw": 1,
            "refusal": "the number of outcomes must be from 1 to 16777216, but is 0",
            "worker": 1,
            "kept": True,
            "over": "budget-exceeded",
            "spent": "0.1",
        }, answers
        assert times["milliseconds"] > 0
    print("forbidden", said["forbidden"])
    assert said["forbidden"]["code"] == "no-webassembly" and "'wasm-unsafe-eval'" in said["forbidden"]["message"]


if __name__ == "__main__":
    main()
