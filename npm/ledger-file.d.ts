import type { LedgerStorage } from "./ledger.js";

/** A file, for Node. `wait` is how many milliseconds to wait for other programs (5000). */
export function fileStorage(path: string, options?: { wait?: number }): LedgerStorage;
