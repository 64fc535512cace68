// The device's ledger in Node. IndexedDB is tested in Chromium.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { promisify } from "node:util";

import { Ledger, MollifyError, isTurn, memoryStorage } from "mollify-dp/ledger";
import { fileStorage } from "mollify-dp/ledger-file";

const refusal = (code, pattern) => (error) => {
  assert.ok(error instanceof MollifyError);
  assert.equal(error.code, code);
  assert.match(error.message, pattern);
  return true;
};

async function inFolder(run) {
  const folder = await mkdtemp(join(tmpdir(), "mollify-ledger-"));
  try {
    await run(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

test("sums are exact decimals", async () => {
  const ledger = await Ledger.open({ total: "0.3", storage: memoryStorage() });
  for (const name of ["a", "b", "c"]) await ledger.enroll(name, { epsilon: 0.1 });
  assert.deepEqual([await ledger.spent(), await ledger.remaining()], ["0.3", "0"]);
  await assert.rejects(ledger.enroll("d", { epsilon: "1e-1000" }), refusal("budget-exceeded", /epsilon 0 remains/));
  const other = await Ledger.open({ total: "1e2", storage: memoryStorage() });
  await other.enroll("a", { epsilon: "2.50", draws: 3 });
  await other.enroll("b", { epsilon: "1e-30" });
  assert.deepEqual([await other.spent(), await other.remaining()],
    ["7.500000000000000000000000000001", "92.499999999999999999999999999999"]);
  await assert.rejects(other.enroll("c", { epsilon: "92.4999999999999999999999999999991" }),
    refusal("budget-exceeded", /question "c" costs epsilon 92.4999999999999999999999999999991/));
  assert.equal(await other.spent(), "7.500000000000000000000000000001");
});

test("a question is charged once, and keeps its numbers", async () => {
  const ledger = await Ledger.open({ total: 5, storage: memoryStorage() });
  for (const name of ["mood", "__proto__", "toString"]) {
    await ledger.enroll(name, { epsilon: 0.5, draws: 2 });
    await ledger.enroll(name, { epsilon: "0.50", draws: 2 });
    await assert.rejects(ledger.enroll(name, { epsilon: 0.5, draws: 3 }), refusal("question-exists", /2 draws/));
  }
  assert.equal(await ledger.spent(), "3");
  await assert.rejects(ledger.answer("sleep", { draw: () => 1 }), refusal("unknown-name", /"sleep"/));
});

test("an answer is kept for its period, and after the last draw for ever", async () => {
  const ledger = await Ledger.open({ total: 2, storage: memoryStorage() });
  await ledger.enroll("mood", { epsilon: 1, draws: 2 });
  let drawn = 0;
  const answers = [];
  for (const period of [0, 0, 1, 1, 0, 2, 7]) {
    answers.push(await ledger.answer("mood", { period, draw: () => ++drawn }));
  }
  assert.deepEqual([answers, drawn, await ledger.spent()], [[1, 1, 2, 2, 2, 2, 2], 2, "2"]);
});

test("if a draw fails, nothing is used up", async () => {
  const ledger = await Ledger.open({ total: 1, storage: memoryStorage() });
  await ledger.enroll("mood", { epsilon: 1 });
  const draw = () => {
    throw new MollifyError("no-entropy", "none");
  };
  await assert.rejects(ledger.answer("mood", { draw }), refusal("no-entropy", /none/));
  assert.equal(await ledger.answer("mood", { draw: () => 3 }), 3);
});

test("public numbers that cannot be used are refused", async () => {
  const storage = memoryStorage();
  await assert.rejects(Ledger.open({ total: "much", storage }), refusal("malformed-text", /the total .* "much"/));
  const ledger = await Ledger.open({ total: 1, storage });
  await Ledger.open({ total: "1.0", storage });
  await assert.rejects(Ledger.open({ total: 2, storage }), refusal("total-exists", /epsilon 1, not 2/));
  for (const epsilon of [NaN, -1, ".", "", "1e1101"]) {
    await assert.rejects(ledger.enroll("a", { epsilon }), refusal("malformed-text", /epsilon must be/));
  }
  await assert.rejects(ledger.enroll("a", { epsilon: "0.00" }), refusal("out-of-range", /positive/));
  for (const draws of [0, 1.5, NaN]) {
    await assert.rejects(ledger.enroll("a", { epsilon: 1, draws }), refusal("out-of-range", /draws/));
  }
  await ledger.enroll("a", { epsilon: 1 });
  await assert.rejects(ledger.answer("a", { period: -1, draw: () => 1 }), refusal("out-of-range", /period/));
});

test("a file keeps the ledger, and a damaged one is no new one", async () => {
  await inFolder(async (folder) => {
    const path = join(folder, "ledger.json");
    const ledger = await Ledger.open({ total: 3, storage: fileStorage(path) });
    await ledger.enroll("mood", { epsilon: 1 });
    assert.equal(await ledger.answer("mood", { draw: () => "blue" }), "blue");
    const again = await Ledger.open({ total: 3, storage: fileStorage(path) });
    assert.equal(await again.answer("mood", { period: 9, draw: () => "red" }), "blue");
    assert.equal(await again.spent(), "1");
    assert.deepEqual(await readdir(folder), ["ledger.json"]);
    const kept = await readFile(path, "utf8");
    for (const damaged of ["", kept.slice(0, -3), "{}", "null"]) {
      await writeFile(path, damaged);
      await assert.rejects(Ledger.open({ total: 3, storage: fileStorage(path) }), refusal("ledger-damaged", /damaged/));
      await assert.rejects(again.answer("mood", { draw: () => 1 }), refusal("ledger-damaged", /damaged/));
    }
    await writeFile(path, kept);
    await writeFile(`${path}.lock`, "1\n");
    await assert.rejects(Ledger.open({ total: 3, storage: fileStorage(path, { wait: 50 }) }),
      refusal("ledger-in-use", /remove .*ledger\.json\.lock/));
  });
});

test("programs that write at once charge each question once", async () => {
  await inFolder(async (folder) => {
    const path = join(folder, "ledger.json");
    const program = `
      import { Ledger } from "mollify-dp/ledger";
      import { fileStorage } from "mollify-dp/ledger-file";
      const ledger = await Ledger.open({ total: 10, storage: fileStorage(process.argv[1], { wait: 60000 }) });
      let refused = 0;
      for (let i = 0; i < 5; ++i) {
        await ledger.enroll(process.argv[2] + i, { epsilon: 1 }).catch((error) => { refused += error.code === "budget-exceeded"; });
        await ledger.enroll("shared", { epsilon: "0.5" }).catch((error) => { refused += error.code === "budget-exceeded"; });
      }
      console.log(await ledger.answer("shared", { draw: () => process.pid }));`;
    const runs = await Promise.all(["a", "b", "c"].map((name) =>
      promisify(execFile)(process.execPath, ["--input-type=module", "-e", program, path, name])));
    assert.equal(new Set(runs.map(({ stdout }) => stdout)).size, 1);
    const ledger = await Ledger.open({ total: 10, storage: fileStorage(path) });
    assert.deepEqual([await ledger.spent(), await ledger.remaining()], ["9.5", "0.5"]);
  });
});

test("each device has one day of thirty, and days have their share", () => {
  const counts = new Array(30).fill(0);
  for (let device = 0; device < 30000; ++device) {
    const days = Array.from({ length: 30 }, (_, day) => day).filter((day) => isTurn(`device ${device}`, day, 30));
    assert.equal(days.length, 1);
    assert.ok(isTurn(`device ${device}`, days[0] + 300, 30));
    ++counts[days[0]];
  }
  // A fixed rule on fixed names, so these counts are always the same.
  assert.ok(Math.min(...counts) > 850 && Math.max(...counts) < 1150, `${counts}`);
  assert.throws(() => isTurn("a", -1, 30), refusal("out-of-range", /day/));
});
