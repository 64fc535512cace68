// How often intervals of `mollify estimate` hold, for reports that the npm package draws in Node. NOT PRIVATE.
//
//     node experiments/coverage_in_node.mjs MOLLIFY PACKAGE [REPETITIONS]
//
// PACKAGE is the folder of the built package. In each repetition 2000 devices with known answers report by randomized
// response, and the command estimates the shares from the counts. A repetition holds if all intervals hold the real
// shares. The claim is 95 of 100 repetitions. Fails if so few hold as happens once in 10^6 times when the claim is true.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [mollify, packaged, repetitions = "300"] = process.argv.slice(2);
const { RandomizedResponse } = await import(pathToFileURL(resolve(packaged, "response.js")));
const DEVICES = 2000, CONFIDENCE = 0.95, FALSE_ALARM = 1e-6;
const runs = Number(repetitions);
const folder = mkdtempSync(join(tmpdir(), "coverage-"));
process.on("exit", () => rmSync(folder, { recursive: true }));
const file = (name, text) => {
  const path = join(folder, name);
  if (text !== undefined) writeFileSync(path, text);
  return path;
};
const run = (...words) => execFileSync(mollify, words, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });

/** The least number of repetitions that hold, except with probability `FALSE_ALARM`. */
function leastThatHold(n, p) {
  let sum = 0, logarithm = n * Math.log(1 - p);
  for (let held = 0; held <= n; ++held) {
    sum += Math.exp(logarithm);
    if (sum > FALSE_ALARM) return held;
    logarithm += Math.log((n - held) / (held + 1) * p / (1 - p));
  }
  return n;
}

const least = leastThatHold(runs, CONFIDENCE);
let failed = false;
console.log("| answers | ε | rarest answer | repetitions | all intervals hold | single intervals that hold | mean half width |");
console.log("|---|---|---|---|---|---|---|");
for (const [k, epsilon, skew] of [[2, "1", 1], [4, "1", 2], [14, "2", 1.5], [14, "4", 3]]) {
  const names = Array.from({ length: k }, (_, i) => `v${i}`);
  const domain = file("domain.yaml", `columns:\n  value: {type: categorical, values: [${names}], outside: v0, null: v0}\n`);
  run("sample", "local", "--data", file("one.csv", "value\nv0\n"), "--domain", domain, "--epsilon", epsilon, "--mechanism",
    "randomized-response", "--out", file("out.csv"), "--overwrite", "--accept-error");
  // Answer i is i^-skew as frequent as the first.
  const weights = names.map((_, i) => (i + 1) ** -skew);
  const total = weights.reduce((a, b) => a + b);
  const answers = [];
  for (let device = 0, i = 0, until = weights[0] / total; device < DEVICES; ++device) {
    while (i < k - 1 && (device + 0.5) / DEVICES > until) until += weights[++i] / total;
    answers.push(i);
  }
  const shares = names.map((_, i) => answers.filter((answer) => answer === i).length / DEVICES);
  const response = await RandomizedResponse.create({ outcomes: k, epsilon });
  let all = 0, single = 0, width = 0;
  for (let repetition = 0; repetition < runs; ++repetition) {
    const counts = new Array(k).fill(0);
    for (const report of response.reports(answers)) ++counts[report];
    const released = file("counts.csv", ["value,reports", ...names.map((name, i) => `${name},${counts[i]}`), ""].join("\n"));
    const { estimates } = JSON.parse(run("estimate", "--released", released, "--certificate", file("out.csv.certificate.json"),
      "--counts-column", "reports", "--confidence", `${CONFIDENCE}`, "--json"));
    const held = estimates.filter(({ lower, upper }, i) => lower <= shares[i] && shares[i] <= upper).length;
    all += held === k;
    single += held;
    width += estimates.reduce((sum, { lower, upper }) => sum + (upper - lower) / 2, 0);
  }
  failed ||= all < least;
  console.log(`| ${k} | ${epsilon} | ${(100 * Math.min(...shares)).toFixed(1)} % | ${runs} | ${(100 * all / runs).toFixed(1)} % | ` +
    `${(100 * single / runs / k).toFixed(2)} % | ${(width / runs / k).toFixed(4)} |`);
}
process.exitCode = failed ? 1 : 0;
