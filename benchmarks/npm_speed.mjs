// What npm_speed.sh runs: sizes and speeds of mollify-dp beside peers, each answer checked before it is timed.
// usage: node npm_speed.mjs NATIVE_PROGRAM PYTHON    (in a folder where the packages are installed)
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { performance } from "node:perf_hooks";
import { brotliCompressSync, gzipSync } from "node:zlib";

import { build } from "esbuild";
import { RandomizedResponse, Sampler } from "mollify-dp";

const row = (...cells) => console.log(`| ${cells.join(" | ")} |`);
const kilobytes = (bytes) => (bytes / 1000).toFixed(1);

function sizeRow(name, parts) {
  const sum = (compress) => parts.reduce((total, part) => total + compress(part).length, 0);
  row(name, kilobytes(sum((part) => gzipSync(part, { level: 9 }))), kilobytes(sum((part) => brotliCompressSync(part))));
}

async function bundled(entry) {
  const { outputFiles } = await build({ stdin: { contents: entry, resolveDir: "." }, bundle: true, minify: true,
    format: "esm", platform: "browser", write: false, logLevel: "error", external: ["node:*"] });
  return Buffer.from(outputFiles[0].contents);
}

console.log("Sizes in kB, gzip and brotli:");
for (const name of ["response", "sampler"]) {
  const files = ["module.js", `${name}.js`, `${name}.wasm`];
  sizeRow(`mollify-dp/${name}`, files.map((file) => readFileSync(`node_modules/mollify-dp/${file}`)));
}
sizeRow("hash-wasm, argon2", [readFileSync("node_modules/hash-wasm/dist/argon2.umd.min.js")]);
sizeRow("@divviup/dap, bundled", [await bundled('export { Task } from "@divviup/dap";')]);

// What people write: doubles decide, and each word decides one report.
function plainResponse(k, epsilon) {
  const kept = Math.exp(epsilon) / (Math.exp(epsilon) + k - 1);
  const words = new Uint32Array(16384);
  let used = words.length;
  const uniform = () => {
    if (used === words.length) {
      crypto.getRandomValues(words);
      used = 0;
    }
    return words[used++] / 2 ** 32;
  };
  return (values) => values.map((value) => {
    if (uniform() < kept) return value;
    const other = Math.floor(uniform() * (k - 1));
    return other < value ? other : other + 1;
  });
}

/** The best of seven runs, in millions of draws a second. */
function speed(draws, run) {
  let best = Infinity;
  for (let i = 0; i < 7; ++i) {
    const start = performance.now();
    run();
    best = Math.min(best, performance.now() - start);
  }
  return draws / best / 1000;
}

const [k, epsilon, n] = [14, 2, 2_000_000];
const values = Uint32Array.from({ length: n }, (_, i) => i % k);
const response = await RandomizedResponse.create({ outcomes: k, epsilon });
const plain = plainResponse(k, epsilon);
const expected = Number(response.kept) / Number(response.total);
for (const reports of [response.reports(values), plain(values)]) {
  const share = reports.reduce((sum, value, i) => sum + (value === values[i]), 0) / n;
  // Five standard deviations: exceeded once in 10^6 runs.
  if (Math.abs(share - expected) > 5 * Math.sqrt(expected * (1 - expected) / n)) throw new Error(`kept ${share}`);
}
const scores = Float64Array.from({ length: 100 * 2000 }, (_, i) => (i * 7919) % 97);
const sampler = await Sampler.create({ outcomes: 100, epsilon });
const native = JSON.parse(execFileSync(process.argv[2], { encoding: "utf8" }));
// One call for each report is the package's own way; numba compiles it before it is timed.
const multiFreq = Number(execFileSync(process.argv[3], ["-c", `
import time
from multi_freq_ldpy.pure_frequency_oracles.GRR import GRR_Client
values = [i % ${k} for i in range(100_000)]
def run():
    start = time.perf_counter()
    reports = [GRR_Client(value, ${k}, float(${epsilon})) for value in values]
    return time.perf_counter() - start, sum(map(int.__eq__, reports, values)) / len(values)
run()
best, kept = min(run() for _ in range(7))
# Five standard deviations.
assert abs(kept - ${expected}) < 5 * (0.25 / len(values)) ** 0.5, kept
print(len(values) / best / 1e6)
`], { encoding: "utf8" }));
const respond = speed(n, () => response.reports(values));
const draw = speed(2000, () => sampler.drawRows(scores));

console.log(`\nMillions of draws a second (Node ${process.versions.node}, one core, best of seven):`);
row("mollify-dp, randomized response", respond.toFixed(1));
row("device library, native, randomized response", native.respond.toFixed(1));
row("plain JavaScript, randomized response in doubles", speed(n, () => plain(values)).toFixed(1));
row("multi-freq-ldpy 0.2.5, from Python", multiFreq.toFixed(2));
row("mollify-dp, 100 outcomes", draw.toFixed(3));
row("device library, native, 100 outcomes", native.draw.toFixed(3));
row("share of native speed, 100 outcomes", (draw / native.draw).toFixed(2));

console.log("\nFirst report, in ms after the import of mollify-dp/response in a fresh process (five times):");
const first = `import { RandomizedResponse } from "mollify-dp/response";
const start = performance.now();
(await RandomizedResponse.create({ outcomes: 14, epsilon: 2 })).report(3);
console.log((performance.now() - start).toFixed(1));`;
row(...Array.from({ length: 5 }, () =>
  execFileSync(process.execPath, ["--input-type=module", "-e", first], { encoding: "utf8" }).trim()));
