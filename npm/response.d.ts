export { MollifyError } from "./module.js";
import type { Wasm } from "./module.js";

/** What a report is made by: public numbers, alike on every device. */
export interface ResponseOptions {
  /** How many values there are: 1 to 2^24. */
  outcomes: number;
  /** What each report may reveal, from 1e-6; above 30 it counts as 30. A text is read exactly. */
  epsilon: number | string;
  /** The module `mollify-dp/response.wasm`, if your build moves it. Compile it once for many objects. */
  wasm?: Wasm;
}

/**
 * k-ary randomized response: one private value in, one report out.
 *
 * A report is the value itself with probability `kept / total`, and each other value with probability
 * `other / total`. These integers keep kept <= e^epsilon other.
 *
 * @example
 * const response = await RandomizedResponse.create({ outcomes: 14, epsilon: 2 });
 * send(response.report(3));
 */
export class RandomizedResponse {
  private constructor();
  /** Loads the module. Throws a MollifyError for public numbers that cannot be used. */
  static create(options: ResponseOptions): Promise<RandomizedResponse>;
  readonly outcomes: number;
  /** The epsilon that each report keeps: at most the one you asked for. */
  readonly epsilon: number;
  readonly kept: bigint;
  readonly other: bigint;
  readonly total: bigint;
  /** Reports one value, 0 to outcomes - 1. Anything else counts as 0: no private value is refused. */
  report(value: number): number;
  /** One report for each value. Each costs epsilon. A Uint32Array is fastest. */
  reports(values: ArrayLike<number>): Uint32Array;
}
