/** A refusal in the words of the mollify command, or a failure. Nothing was released. */
export class MollifyError extends Error {
  constructor(code: string, message: string, cause?: unknown);
  readonly name: "MollifyError";
  /** A stable name of the reason, such as "out-of-range" or "no-entropy". */
  readonly code: string;
}

/** The module's bytes, the compiled module, or where it is. */
export type Wasm = URL | BufferSource | WebAssembly.Module;
