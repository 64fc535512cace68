export { MollifyError } from "./module.js";
import type { Wasm } from "./module.js";

/** What a draw is made by: public numbers, alike on every device. */
export interface SamplerOptions {
  /** How many outcomes there are: 1 to 2^24. */
  outcomes: number;
  /** What each draw may reveal, from 1e-6; above 30 it counts as 30. A text is read exactly. */
  epsilon: number | string;
  /** The public bounds of each outcome's probability ("minimax"). */
  band?: "minimax" | "relative" | "location";
  /** The number b of band "location": between e^-epsilon and 1. */
  location?: number;
  /** A public guess: a positive mass for each outcome (all alike). */
  reference?: ArrayLike<number>;
  /** The module `mollify-dp/sampler.wasm`, if your build moves it. Compile it once for many objects. */
  wasm?: Wasm;
}

/**
 * One private distribution over k outcomes in, one outcome out: the band of method `local`.
 *
 * @example
 * const sampler = await Sampler.create({ outcomes: 3, epsilon: 1 });
 * send(sampler.draw([0.2, 0.7, 0.1]));
 */
export class Sampler {
  private constructor();
  /** Loads the module. Throws a MollifyError for public numbers that cannot be used. */
  static create(options: SamplerOptions): Promise<Sampler>;
  readonly outcomes: number;
  /** The epsilon that each draw keeps: at most the one you asked for. */
  readonly epsilon: number;
  /** Draws an outcome by its private score. Scores that are negative or NaN count as 0. */
  draw(scores: ArrayLike<number>): number;
  /** One draw for each row of scores, rows after rows. A row belongs to one person. */
  drawRows(scores: ArrayLike<number>): Uint32Array;
  /**
   * Draws for one person, whose records are these outcomes, in any order. Each draw costs epsilon.
   * Records that are not outcomes are skipped. A record counts its weight, or 1.
   */
  drawOutcomes(outcomes: ArrayLike<number>, options?: { draws?: number; weights?: ArrayLike<number> }): Uint32Array;
}
