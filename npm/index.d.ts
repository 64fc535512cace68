export { MollifyError } from "./module.js";
export type { Wasm } from "./module.js";
export { RandomizedResponse } from "./response.js";
export type { ResponseOptions } from "./response.js";
export { Sampler } from "./sampler.js";
export type { SamplerOptions } from "./sampler.js";
