// The installed package in Node: node --test, in a folder where `npm pack` was installed.
// REPOSITORY is the checkout, for golden draws.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import test from "node:test";
import { Worker } from "node:worker_threads";

import { MollifyError, RandomizedResponse, Sampler } from "mollify-dp";

const golden = (await readFile(`${process.env.REPOSITORY}/tests/data/device_draws.txt`, "utf8")).trimEnd().split("\n");

async function withEntropy(getRandomValues, run) {
  const kept = Object.getOwnPropertyDescriptor(globalThis, "crypto");
  Object.defineProperty(globalThis, "crypto", { value: getRandomValues && { getRandomValues }, configurable: true });
  try {
    return await run();
  } finally {
    Object.defineProperty(globalThis, "crypto", kept);
  }
}

const refusal = (code, message) => (error) => {
  assert.ok(error instanceof MollifyError && error instanceof Error);
  assert.deepEqual([error.name, error.code, error.message], ["MollifyError", code, message]);
  return true;
};

// ---- The integers of the server (tests/device/golden_draws.c in JavaScript) -----------------------

let state = 1n;
function next() {
  state = BigInt.asUintN(64, state * 6364136223846793005n + 1442695040888963407n);
  return Number(state >> 33n);
}

function score(kind) {
  const some = next();
  if (kind === 0) return some % 1000;
  if (kind === 1) return some % 7 === 0 ? (1 + some % 5) * 2 ** -(some % 900) : 0;
  if (kind === 2) return some % 11 === 0 ? NaN : some % 13 === 0 ? -1 : some % 97;
  if (kind === 3) return some % 19 === 0 ? Infinity : some % 23;
  if (kind === 4) return (1 + some % 1000) * 2 ** (some % 1900 - 950);
  if (kind === 5) return (1 + some % 3) * 2 ** -1074;
  return 0;
}

function line(what, released) {
  let digest = 14695981039346656037n;
  for (const outcome of released) digest = BigInt.asUintN(64, (digest ^ BigInt(outcome)) * 1099511628211n);
  return `${what}: ${released.slice(0, 12).join(" ")} ... ${digest.toString(16).padStart(16, "0")}`;
}

const MOST = 6000;

async function respond(k, epsilon, lines) {
  const response = await RandomizedResponse.create({ outcomes: k, epsilon });
  const bits = Buffer.alloc(8);
  bits.writeDoubleBE(response.epsilon);
  lines.push(`response ${k} ${epsilon}: ${response.kept} ${response.other} ${response.total} ${bits.toString("hex")}`);
  lines.push(line("  reports", response.reports(Uint32Array.from({ length: MOST }, () => next() % (k + 1)))));
}

async function sample(k, epsilon, band, location, hasReference, lines) {
  const reference = Float64Array.from({ length: k }, () => 1 + next() % 50 / 8);
  const sampler = await Sampler.create({ outcomes: k, epsilon, band, location, reference: hasReference && reference });
  lines.push(`sampler ${k} ${epsilon} ${band}${hasReference ? " reference" : ""}`);
  const rows = Math.min(50, Math.floor(MOST / k));
  let scores = new Float64Array(MOST);
  for (let kind = 0; kind <= 6; ++kind) {
    for (let i = 0; i < rows * k; ++i) scores[i] = score(kind);
    lines.push(line(`  rows of kind ${kind}`, sampler.drawRows(scores.subarray(0, rows * k))));
    lines.push(line(`  narrow rows of kind ${kind}`, sampler.drawRows(Float32Array.from(scores).subarray(0, rows * k))));
  }
  for (const count of [1, 40, 300]) {
    const outcomes = [];
    for (let i = 0; i < count; ++i) {
      outcomes.push(next() % (k + Math.floor(k / 5) + 1));
      scores[i] = score(2);
    }
    const weights = scores.subarray(0, count);
    lines.push(line("  a person's records", sampler.drawOutcomes(outcomes, { draws: 30 })));
    lines.push(line("  with weights", sampler.drawOutcomes(outcomes, { draws: 3, weights })));
  }
  lines.push(line("  without records", sampler.drawOutcomes([], { draws: MOST })));
}

test("the published modules draw the server's integers from the server's words", async () => {
  const lines = [];
  await withEntropy((bytes) => bytes.fill(7), async () => {
    await respond(1, "1", lines);
    await respond(2, "1e-6", lines);
    await respond(2, "0.1", lines);
    await respond(14, "2", lines);
    await respond(14, "2.0000000000000000000000000000000000001", lines);
    await respond(1000, "4", lines);
    await respond(16777216, "30.5", lines);
    await sample(1, "1", "minimax", 0, false, lines);
    await sample(2, "0.5", "minimax", 0, false, lines);
    await sample(12, "2", "minimax", 0, false, lines);
    await sample(12, "2", "relative", 0, true, lines);
    await sample(56, "4", "location", 0.25, true, lines);
    await sample(1000, "0.1", "relative", 0, false, lines);
    await sample(2000, "12", "minimax", 0, true, lines);
    await sample(5000, "1", "relative", 0, true, lines);
    await sample(6000, "3", "minimax", 0, false, lines);
  });
  assert.deepEqual(lines, golden);
});

// ---- Entropy --------------------------------------------------------------------------------------

const NO_ENTROPY = ["no-entropy", "the operating system gives no entropy, so nothing was released"];
const BROKEN = {
  missing: undefined,
  "a function that throws": () => {
    throw new Error("quota");
  },
  "a function that does nothing": (bytes) => bytes,
};

for (const [name, broken] of Object.entries(BROKEN)) {
  test(`no entropy, no report: ${name}`, async () => {
    await withEntropy(broken, async () => {
      const response = await RandomizedResponse.create({ outcomes: 4, epsilon: 1 });
      assert.throws(() => response.report(1), refusal(...NO_ENTROPY));
      assert.throws(() => response.reports(new Uint32Array(40000)), refusal(...NO_ENTROPY));
      const sampler = await Sampler.create({ outcomes: 4, epsilon: 1 });
      assert.throws(() => sampler.draw([1, 2, 3, 4]), refusal(...NO_ENTROPY));
      assert.throws(() => sampler.drawOutcomes([1], { draws: 2 }), refusal(...NO_ENTROPY));
    });
  });
}

test("entropy is asked for in blocks that the browser allows, and objects do not share it", async () => {
  const sizes = [];
  const own = globalThis.crypto;
  await withEntropy((bytes) => (sizes.push(bytes.length), own.getRandomValues(bytes)), async () => {
    const [one, other] = [await RandomizedResponse.create({ outcomes: 1000, epsilon: 1 }),
      await RandomizedResponse.create({ outcomes: 1000, epsilon: 1 })];
    assert.notDeepEqual(one.reports(new Uint32Array(100)), other.reports(new Uint32Array(100)));
  });
  assert.ok(sizes.filter((size) => size === 32).length === 2, `${sizes}`);
  assert.ok(sizes.every((size) => size <= 65536), `${sizes}`);
});

// ---- Private values never refuse, public ones refuse in the server's words --------------------------

test("private values of any kind are reported", async () => {
  const response = await RandomizedResponse.create({ outcomes: 3, epsilon: 30 });
  // At epsilon 30 another value comes once in 10^13 times.
  assert.deepEqual([...response.reports([0, 1, 2, 3, -1, 1.5, NaN, Infinity, 4294967297, undefined, "2"])],
    [0, 1, 2, 0, 0, 0, 0, 0, 0, 0, 0]);
  assert.deepEqual([...response.reports(Uint8Array.of(2, 1, 200))], [2, 1, 0]);
  assert.deepEqual([...response.reports(new Uint32Array(0))], []);
  assert.equal(response.report(2), 2);
  const sampler = await Sampler.create({ outcomes: 3, epsilon: 30, band: "relative" });
  for (const scores of [[0, 0, 0], [NaN, -1, Infinity], [1e-320, 0, 1e308], [undefined, "x", null]]) {
    assert.ok(sampler.draw(scores) < 3);
  }
  assert.deepEqual([...sampler.drawOutcomes([2, 2, 7, -1, 0.5, NaN], { draws: 4 })], [2, 2, 2, 2]);
  assert.equal(sampler.drawOutcomes([1, 2], { weights: [1] })[0], 1);
});

test("public values are refused in the server's words", async () => {
  const response = (options) => RandomizedResponse.create({ outcomes: 3, epsilon: 1, ...options });
  const sampler = (options) => Sampler.create({ outcomes: 3, epsilon: 1, ...options });
  for (const make of [response, sampler]) {
    for (const k of [0, 16777217, 2.5, -1, 4294967299, NaN]) {
      await assert.rejects(make({ outcomes: k }),
        refusal("out-of-range", `the number of outcomes must be from 1 to 16777216, but is ${k}`));
    }
    await assert.rejects(make({ epsilon: "1e-7" }),
      refusal("out-of-range", "epsilon of one draw must be at least 1e-6, but is 1e-7"));
    await assert.rejects(make({ epsilon: 0 }),
      refusal("out-of-range", "epsilon must be finite and positive, but is 0"));
    for (const [text, code] of [["nan", "out-of-range"], [-1, "out-of-range"], ["two"], [""], ["-0"], ["-inf", "out-of-range"]]) {
      await assert.rejects(make({ epsilon: text }),
        refusal(code ?? "malformed-text", `epsilon must be a decimal number of at least 0, but is "${text}"`));
    }
  }
  await assert.rejects(sampler({ band: "narrow" }),
    refusal("unknown-name", 'band must be minimax, relative or location, but is "narrow"'));
  await assert.rejects(sampler({ band: "location", location: 2 }),
    refusal("out-of-range", "location must be above 0 and below 1, but is 2"));
  await assert.rejects(sampler({ band: "location", location: 0.1 }),
    refusal("out-of-range", "band location must lie between e^-epsilon = 0.367879 and 1, but is 0.1"));
  await assert.rejects(sampler({ reference: [1, 0, 1] }),
    refusal("not-a-distribution", "the reference mass of outcome 1 must be finite and positive, but is 0"));
  await assert.rejects(sampler({ reference: [1, 1] }),
    refusal("wrong-shape", "the reference must have one mass for each of the 3 outcomes, but has 2"));
  const made = await sampler({});
  assert.throws(() => made.draw([1, 2]),
    refusal("wrong-shape", "scores must be 3 numbers or rows of 3 numbers, but have shape (2,)"));
  assert.throws(() => made.drawRows([1, 2, 3, 4]),
    refusal("wrong-shape", "scores must be 3 numbers or rows of 3 numbers, but have shape (4,)"));
});

// ---- Loading --------------------------------------------------------------------------------------

test("the module may be given as bytes, compiled, or by its place", async () => {
  const place = new URL(import.meta.resolve("mollify-dp/response.wasm"));
  const bytes = await readFile(place);
  for (const wasm of [bytes, place, new WebAssembly.Module(bytes)]) {
    const response = await RandomizedResponse.create({ outcomes: 2, epsilon: 30, wasm });
    assert.equal(response.report(1), 1);
  }
  await assert.rejects(RandomizedResponse.create({ outcomes: 2, epsilon: 1, wasm: new Uint8Array(9) }),
    (error) => error instanceof MollifyError && error.code === "no-webassembly" && error.cause !== undefined);
  const { length } = WebAssembly.Module.imports(new WebAssembly.Module(bytes));
  assert.equal(length, 1);
});

test("a worker draws", async () => {
  const worker = new Worker(`
    const { parentPort } = require("node:worker_threads");
    import("mollify-dp/response").then(async ({ RandomizedResponse }) => {
      parentPort.postMessage((await RandomizedResponse.create({ outcomes: 3, epsilon: 30 })).report(2));
    });`, { eval: true });
  assert.equal(await new Promise((resolve, reject) => worker.once("message", resolve).once("error", reject)), 2);
  await worker.terminate();
});

test("many objects and a large one find memory", async () => {
  for (let i = 0; i < 300; ++i) await RandomizedResponse.create({ outcomes: 2, epsilon: 1 });
  const sampler = await Sampler.create({ outcomes: 1000000, epsilon: 1 });
  assert.equal(sampler.drawOutcomes(new Uint32Array(1000), { draws: 100 }).length, 100);
  const scores = new Float64Array(1000000);
  for (let i = 0; i < 5; ++i) assert.ok(sampler.draw(scores) < 1000000);
});

test("reports have the stated odds (false alarm 1e-6)", async () => {
  const response = await RandomizedResponse.create({ outcomes: 5, epsilon: "1.5" });
  const n = 400000;
  const counts = new Array(5).fill(0);
  for (const value of response.reports(new Uint32Array(n).fill(3))) ++counts[value];
  let distance = 0;
  counts.forEach((count, value) => {
    const expected = n * Number(value === 3 ? response.kept : response.other) / Number(response.total);
    distance += (count - expected) ** 2 / expected;
  });
  // The chi-squared distribution with 4 degrees of freedom is above 33.4 once in 10^6 times.
  assert.ok(distance < 33.4, `n = ${n}, counts ${counts}, distance ${distance}`);
});
