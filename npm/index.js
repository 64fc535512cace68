export { MollifyError, RandomizedResponse } from "./response.js";
export { Sampler } from "./sampler.js";
