import { Instance, MollifyError, copyOutcomes, requireCount } from "./module.js";
export { MollifyError };

export class Sampler {
  #instance;

  static async create({ outcomes, epsilon, band = "minimax", location = 0, reference,
    wasm = new URL("./sampler.wasm", import.meta.url) }) {
    requireCount("outcomes", outcomes);
    if (reference && reference.length !== outcomes) {
      throw new MollifyError("wrong-shape", `the reference must have one mass for each of the ${outcomes} outcomes, ` +
        `but has ${reference.length}`);
    }
    const sampler = new Sampler();
    sampler.#instance = await Instance.of(wasm, "sampler", (made) => [outcomes, made.text(epsilon), made.text(band),
      location, reference ? made.copy(Float64Array, reference) : 0]);
    sampler.outcomes = outcomes;
    sampler.epsilon = sampler.#instance.get("sampler_epsilon");
    return sampler;
  }

  draw(scores) {
    return this.#draw(scores, scores.length === this.outcomes)[0];
  }

  drawRows(scores) {
    return this.#draw(scores, scores.length % this.outcomes === 0);
  }

  #draw(scores, fits) {
    const k = this.outcomes;
    if (!fits) {
      throw new MollifyError("wrong-shape", `scores must be ${k} numbers or rows of ${k} numbers, ` +
        `but have shape (${scores.length},)`);
    }
    const released = new Uint32Array(scores.length / k);
    const most = Math.ceil(8192 / k);
    for (let from = 0; from < released.length; from += most) {
      const rows = Math.min(most, released.length - from);
      released.set(this.#drawn(scores, from * k, rows * k, rows, (given, place) => ["draw", given, rows, place]), from);
    }
    return released;
  }

  drawOutcomes(outcomes, { draws = 1, weights } = {}) {
    requireCount("draws", draws);
    const count = Math.min(outcomes.length, weights?.length ?? Infinity);
    const values = this.#instance.allocate(4 * count + 1);
    copyOutcomes(this.#instance.array(Uint32Array, values, count), outcomes, 0, this.outcomes);
    try {
      return this.#drawn(weights ?? [], 0, weights ? count : 0, draws, (given, place) =>
        ["draw_outcomes", values, weights ? given : 0, count, draws, place]);
    } finally {
      this.#instance.free(values, 4 * count);
    }
  }

  // Copies `count` numbers into the instance, calls what `call` names, and returns what it released.
  #drawn(numbers, from, count, draws, call) {
    const instance = this.#instance;
    const bytes = 8 * count + 4 * draws;
    const place = instance.allocate(bytes);
    const given = instance.array(Float64Array, place, count);
    for (let i = 0; i < count; ++i) given[i] = numbers[from + i];
    try {
      instance.do(...call(place, place + 8 * count));
      return instance.array(Uint32Array, place + 8 * count, draws).slice();
    } finally {
      instance.free(place, bytes);
    }
  }
}
