// What tsc --strict must take, and what it must refuse.
import { MollifyError, RandomizedResponse, Sampler, type ResponseOptions } from "mollify-dp";
import { RandomizedResponse as Alone } from "mollify-dp/response";
import { Sampler as SamplerAlone } from "mollify-dp/sampler";

const options: ResponseOptions = { outcomes: 14, epsilon: "2" };
const response: Alone = await RandomizedResponse.create(options);
const one: number = response.report(3);
const many: Uint32Array = response.reports(new Uint32Array([one]));
const kept: bigint = response.kept;
const sampler: SamplerAlone = await Sampler.create({ outcomes: 3, epsilon: 1, band: "location", location: 0.5 });
const drawn: number = sampler.draw(new Float32Array(3)) + sampler.drawRows([1, 2, 3])[0]!;
sampler.drawOutcomes([1, 2], { draws: 2, weights: [1, 2] });
try {
  await RandomizedResponse.create({ outcomes: 0, epsilon: 1, wasm: new URL("https://example.org/response.wasm") });
} catch (error) {
  if (error instanceof MollifyError) console.log(error.code.length, error.message, drawn, many, kept);
}

// @ts-expect-error: a private value is a number
response.report("3");
// @ts-expect-error: epsilon is missing
await RandomizedResponse.create({ outcomes: 2 });
// @ts-expect-error: not a band
await Sampler.create({ outcomes: 2, epsilon: 1, band: "narrow" });
// @ts-expect-error: only `create` makes one
new RandomizedResponse();
// @ts-expect-error: reports are not for changing
response.epsilon = 3;

import { Ledger, indexedDBStorage, isTurn, memoryStorage, type LedgerStorage } from "mollify-dp/ledger";
import { fileStorage } from "mollify-dp/ledger-file";
const places: LedgerStorage[] = [memoryStorage(), indexedDBStorage("a"), fileStorage("a.json", { wait: 10 })];
const ledger = await Ledger.open({ total: "3", storage: places[0]! });
await ledger.enroll("mood", { epsilon: 1, draws: 2 });
const repeated: number = await ledger.answer("mood", { period: 1, draw: () => response.report(3) });
const spent: string = await ledger.spent();
if (isTurn("device", 3, 30)) console.log(repeated, spent);
// @ts-expect-error: an answer is a number or a text
await ledger.answer("mood", { draw: () => ({}) });
