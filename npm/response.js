import { Instance, copyOutcomes, requireCount } from "./module.js";
export { MollifyError } from "./module.js";

const BLOCK = 16384;

export class RandomizedResponse {
  #instance;
  #block;

  static async create({ outcomes, epsilon, wasm = new URL("./response.wasm", import.meta.url) }) {
    requireCount("outcomes", outcomes);
    const response = new RandomizedResponse();
    const instance = response.#instance = await Instance.of(wasm, "response", (made) => [outcomes, made.text(epsilon)]);
    response.outcomes = outcomes;
    for (const name of ["epsilon", "kept", "other", "total"]) response[name] = instance.get(`response_${name}`);
    response.#block = instance.allocate(4 * BLOCK);
    return response;
  }

  report(value) {
    return this.reports([value])[0];
  }

  reports(values) {
    const released = new Uint32Array(values.length);
    for (let from = 0; from < released.length; from += BLOCK) {
      const size = Math.min(BLOCK, released.length - from);
      const block = this.#instance.array(Uint32Array, this.#block, size);
      if (values instanceof Uint32Array) block.set(values.subarray(from, from + size));
      else copyOutcomes(block, values, from, this.outcomes);
      this.#instance.do("respond", this.#block, size, this.#block);
      released.set(block, from);
    }
    return released;
  }
}
