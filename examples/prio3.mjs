// Reports of randomized response as measurements of Prio3Histogram: two helpers add up what devices report, and neither
// sees any single report. The noise is each device's own, so its epsilon holds even if both helpers conspire.
//
// usage: node prio3.mjs CERTIFICATE COUNTS.csv    (mollify-dp and @divviup/prio3 0.8.0 are installed)
//
// The certificate is of a release by randomized response over one column, `way`, with the four values below. COUNTS.csv
// becomes the input of `mollify estimate --counts-column reports`.
import { createHash, randomBytes } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";

import { Prio3Histogram } from "@divviup/prio3";
import { RandomizedResponse } from "mollify-dp/response";

const WAYS = ["foot", "bicycle", "bus", "car"];
const ANSWERS = [2, 0, 3, 1, 3, 0, 3, 0]; // private: device i answers ANSWERS[i % 8]
const DEVICES = 400;

const text = readFileSync(process.argv[2], "utf8");
const { mechanism, facts, spec } = JSON.parse(text);
if (mechanism !== "randomized-response" || facts.k !== WAYS.length) {
  throw new Error(`the certificate must be of randomized-response over ${WAYS.length} outcomes`);
}
const certificate = createHash("sha256").update(text).digest("hex");

// What all parties know. Two helpers run; a chunk of about the root of the length makes proofs shortest.
const vdaf = new Prio3Histogram({ shares: 2, length: WAYS.length, chunkLength: Math.ceil(Math.sqrt(WAYS.length)) });

// ---- A device -------------------------------------------------------------------------------------

const response = await RandomizedResponse.create({ outcomes: facts.k, epsilon: spec.privacy.epsilon });

/** One message for each helper. A share alone is a random number, and the digest names what the report keeps. */
async function messages(answer) {
  const id = randomBytes(vdaf.nonceSize);
  const report = response.report(answer);
  const { publicShare, inputShares } = await vdaf.shard(report, id, randomBytes(vdaf.randSize));
  return inputShares.map((inputShare) => ({ id, certificate, publicShare, inputShare }));
}

// ---- Two helpers ----------------------------------------------------------------------------------

const verifyKey = randomBytes(vdaf.verifyKeySize); // theirs, and no device's

/** Each helper's part of the sum, and how many reports are in it. A report that is not one of the outcomes is left out. */
async function aggregate(sent) {
  const kept = [[], []];
  for (const both of sent) {
    if (both.some((message) => message.certificate !== certificate)) continue;
    try {
      const begun = await Promise.all(both.map(({ id, publicShare, inputShare }, helper) =>
        vdaf.prepareInit(verifyKey, helper, null, id, publicShare, inputShare)));
      const message = await vdaf.unshardPreparationShares(null, begun.map((one) => one.preparationShare));
      const shares = begun.map((one) => vdaf.prepareNext(one.preparationState, message).outputShare);
      shares.forEach((share, helper) => kept[helper].push(share));
    } catch (error) {
      if (error.message !== "Verify error") throw error;
    }
  }
  return { parts: kept.map((shares) => vdaf.aggregate(null, shares)), count: kept[0].length };
}

// ---- The collector --------------------------------------------------------------------------------

const sent = await Promise.all(Array.from({ length: DEVICES }, (_, i) => messages(ANSWERS[i % ANSWERS.length])));
// A device that cheats: what its second helper got is another device's.
sent.push([sent[0][0], { ...sent[1][1], id: sent[0][0].id }]);

const { parts, count } = await aggregate(sent);
const histogram = vdaf.unshard(null, parts, count);
writeFileSync(process.argv[3], ["way,reports", ...WAYS.map((way, i) => `${way},${histogram[i]}`), ""].join("\n"));
console.log(`${count} of ${sent.length} reports are valid; certificate ${certificate.slice(0, 8)}`);
