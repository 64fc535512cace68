export { MollifyError } from "./module.js";

/** Where a ledger is kept. Write your own for another place. */
export interface LedgerStorage {
  /**
   * Calls `change` with the kept text (undefined at first) and keeps what it returns, before the promise
   * resolves. No other update may come in between. If `change` throws, keeps the old text and rejects.
   */
  update(change: (kept: string | undefined) => string): Promise<void>;
}

/**
 * What a device has given away, for each question and in all, against its total. Sums are exact decimals.
 *
 * A question is charged when it is enrolled: epsilon for each draw that it may ever make. Later answers
 * cost nothing more. So charges, refusals and silence depend on public numbers alone.
 */
export class Ledger {
  private constructor();
  /** Opens the ledger, or makes one with this total. A ledger keeps the total that it was made with. */
  static open(options: { total: number | string; storage: LedgerStorage }): Promise<Ledger>;
  /**
   * Charges epsilon times `draws` (1), or throws "budget-exceeded" and charges nothing. Enrolling a question
   * again with the same numbers costs nothing.
   */
  enroll(question: string, options: { epsilon: number | string; draws?: number }): Promise<void>;
  /**
   * The device's answer. The first call of a later period draws, while draws are left; all other calls
   * repeat the last answer. `draw` makes the report; if it throws, no draw is used up.
   *
   * Periods are public numbers, such as the month. A period that starts because the data changed shows the
   * change, and no epsilon bounds that (docs/theory/repeated-answers.md).
   */
  answer<Answer extends number | string>(question: string, options: { period?: number; draw: () => Answer }): Promise<Answer>;
  /** Each question: epsilon of a draw, most draws, what was charged for all of them, and draws made so far. */
  charges(): Promise<{ question: string; epsilon: string; draws: number; charged: string; drawn: number }[]>;
  /** The sum of all charges. */
  spent(): Promise<string>;
  remaining(): Promise<string>;
}

/** Whether the device answers on this day: each answers on one day of `days`, by its public name. */
export function isTurn(device: string, day: number, days: number): boolean;

/** For tests, and for devices that forget: the ledger ends with the object. */
export function memoryStorage(): LedgerStorage;
/** A database of the site. Its transactions keep pages and workers apart. */
export function indexedDBStorage(name: string): LedgerStorage;
