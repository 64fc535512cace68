// The ledger's own code on every history of a device: exact laws, in integers.
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import test from "node:test";
import { pathToFileURL } from "node:url";

import { Ledger, MollifyError, memoryStorage } from "mollify-dp/ledger";
import { RandomizedResponse } from "mollify-dp/response";

// All ways to choose one of `size` numbers `length` times.
const all = (size, length) => length === 0 ? [[]]
  : all(size, length - 1).flatMap((one) => Array.from({ length: size }, (_, i) => [...one, i]));

// What a device sends for `history` if its draws come out as `outcomes`, with the weight of that, and its books.
async function sent({ response, draws, periods, history, outcomes }) {
  const ledger = await Ledger.open({ total: 100, storage: memoryStorage() });
  await ledger.enroll("mood", { epsilon: response.epsilon, draws });
  let weight = 1n, drawn = 0;
  const reports = [], books = [];
  for (const [day, value] of history.entries()) {
    reports.push(await ledger.answer("mood", { period: periods[day], draw: () => {
      const outcome = outcomes[drawn++];
      weight *= outcome === value ? response.kept : response.other;
      return outcome;
    } }));
    books.push(await ledger.charges(), await ledger.spent(), await ledger.remaining());
  }
  return { key: reports.join(), weight, drawn, books: JSON.stringify(books) };
}

test("two histories differ by epsilon for each draw on which their values differ, and by nothing else", async () => {
  for (const [outcomes, draws, periods] of
    [[2, 2, [0, 0, 1, 1]], [2, 4, [0, 1, 2, 3]], [2, 2, [0, 1, 2, 3]], [2, 3, [5, 4, 6, 9]], [3, 2, [0, 1, 1, 2]]]) {
    const response = await RandomizedResponse.create({ outcomes, epsilon: 1 });
    const { kept, other } = response;
    const days = []; // on which a draw is due, by public numbers alone
    for (let day = 0, last = -1; day < periods.length; ++day) {
      if (periods[day] > last && days.length < draws) days.push(day), last = periods[day];
    }
    const histories = all(outcomes, periods.length);
    const laws = [];
    const books = new Set();
    for (const history of histories) {
      const law = new Map();
      for (const chosen of all(outcomes, days.length)) {
        const one = await sent({ response, draws, periods, history, outcomes: chosen });
        assert.equal(one.drawn, days.length);
        law.set(one.key, (law.get(one.key) ?? 0n) + one.weight);
        books.add(one.books);
      }
      laws.push(law);
    }
    // Charges and what remains depend neither on the values nor on what was drawn.
    assert.equal(books.size, 1);
    assert.equal(JSON.parse([...books][0])[1], `${draws}`);
    for (const [i, history] of histories.entries()) {
      for (const [j, changed] of histories.entries()) {
        const differ = BigInt(days.filter((day) => history[day] !== changed[day]).length);
        let [above, below] = [0n, 1n];
        for (const [key, weight] of laws[i]) {
          if (weight * below > above * laws[j].get(key)) [above, below] = [weight, laws[j].get(key)];
        }
        assert.equal(above * other ** differ, below * kept ** differ);
      }
    }
  }
});

test("a period that starts when the value changes shows the change", async () => {
  const response = await RandomizedResponse.create({ outcomes: 2, epsilon: 1 });
  const reports = async (history) => {
    const periods = history.map((_, day) => history.slice(1, day + 1).filter((value, i) => value !== history[i]).length);
    const keys = new Set();
    for (const outcomes of all(2, 1 + periods.at(-1))) {
      keys.add((await sent({ response, draws: 4, periods, history, outcomes })).key);
    }
    return keys;
  };
  assert.deepEqual(await reports([0, 0]), new Set(["0,0", "1,1"]));
  assert.ok((await reports([0, 1])).has("0,1")); // which a device whose value stays never sends
});

test("a collector that asks again, renames its question or raises epsilon gets no more than the total", async () => {
  const ledger = await Ledger.open({ total: 2, storage: memoryStorage() });
  let drawn = 0;
  const codes = [];
  for (const name of ["mood", "mood 2", "mood 3"]) {
    for (const epsilon of [1, 4]) {
      await ledger.enroll(name, { epsilon }).catch((error) => {
        assert.ok(error instanceof MollifyError);
        codes.push(error.code);
      });
    }
    for (const period of [0, 1, 2, 1e9]) await ledger.answer(name, { period, draw: () => ++drawn }).catch(() => {});
  }
  assert.deepEqual(codes, ["question-exists", "question-exists", "budget-exceeded", "budget-exceeded"]);
  assert.equal(drawn, 2);
  assert.deepEqual([await ledger.spent(), await ledger.remaining()], ["2", "0"]);
  assert.deepEqual(await ledger.charges(), ["mood", "mood 2"].map((question) =>
    ({ question, epsilon: "1", draws: 1, charged: "1", drawn: 1 })));
});

test("the program of the guide sends a draw a week, and one by turns", async () => {
  const guide = await readFile(`${process.env.REPOSITORY}/docs/guides/ask-every-day.md`, "utf8");
  const [, imports, program] = /```js\n((?:import .*\n)*)([^]*?)```/.exec(guide);
  await writeFile("guide.mjs", `${imports.replace("indexedDBStorage", "memoryStorage")}
    export async function open(run) { const storage = memoryStorage(); for (const day of Array(60).keys()) await run(storage, day); }
    export async function once(storage, day, week, mood, sleep, device, send) {
    ${program.replace('indexedDBStorage("answers")', "storage")} }`);
  const { open, once } = await import(pathToFileURL(resolve("guide.mjs")));
  const sent = { mood: [], sleep: [] };
  await open((storage, day) => once(storage, day, Math.floor(day / 7), day % 3, 1, "device 1",
    (question, report) => sent[question].push(report)));
  assert.deepEqual([sent.mood.length, sent.sleep.length], [60, 2]);
  for (const [day, report] of sent.mood.entries()) assert.equal(report, sent.mood[Math.min(21, day - day % 7)]);
  assert.equal(sent.sleep[0], sent.sleep[1]);
});
