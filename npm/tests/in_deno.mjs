import { RandomizedResponse, Sampler } from "mollify-dp";

const response = await RandomizedResponse.create({ outcomes: 3, epsilon: 30 });
const sampler = await Sampler.create({ outcomes: 3, epsilon: 30, band: "relative" });
if (response.report(2) !== 2 || sampler.drawOutcomes([1])[0] !== 1) throw new Error("other draws in Deno");
