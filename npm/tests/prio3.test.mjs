// examples/prio3.mjs: reports of the installed package go through Prio3Histogram, and the command of the release build
// makes their certificate and estimates from the sum.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import test from "node:test";

const mollify = (...words) => execFileSync(`${process.env.REPOSITORY}/build/release/src/cli/mollify`, words, { encoding: "utf8" });

test("two helpers add up reports, leave out a cheat's, and the estimate is near (false alarm 1e-6)", () => {
  writeFileSync("way.yaml", "columns:\n  way: {type: categorical, values: [foot, bicycle, bus, car], outside: foot, null: foot}\n");
  writeFileSync("one.csv", "way\nfoot\n");
  mollify("sample", "local", "--data", "one.csv", "--domain", "way.yaml", "--epsilon", "2", "--mechanism", "randomized-response",
    "--out", "one.released.csv", "--overwrite");
  const certificate = "one.released.csv.certificate.json";
  const digest = createHash("sha256").update(readFileSync(certificate)).digest("hex");
  const said = execFileSync(process.execPath, ["prio3.mjs", certificate, "counts.csv"], { encoding: "utf8" });
  assert.equal(said, `400 of 401 reports are valid; certificate ${digest.slice(0, 8)}\n`);
  const counts = readFileSync("counts.csv", "utf8").trimEnd().split("\n").slice(1).map((line) => Number(line.split(",")[1]));
  assert.equal(counts.reduce((a, b) => a + b), 400);
  const { estimates } = JSON.parse(mollify("estimate", "--released", "counts.csv", "--certificate", certificate,
    "--counts-column", "reports", "--json"));
  estimates.forEach(({ probability, standard_error }, i) => {
    const real = [3, 1, 1, 3][i] / 8;
    // Four shares, each 5.2 deviations away once in 10^6.7 times.
    assert.ok(Math.abs(probability - real) < 5.2 * standard_error, `${probability} +- ${standard_error}, really ${real}`);
  });
});
