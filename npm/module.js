export class MollifyError extends Error {
  name = "MollifyError";
  constructor(code, message, cause) {
    super(message, { cause });
    this.code = code;
  }
}

async function read(url) {
  if (url.protocol === "file:") {
    return (await import(/* webpackIgnore: true */ "node:fs/promises")).readFile(url);
  }
  const answer = await fetch(url);
  if (!answer.ok) throw new MollifyError("unreadable-file", `${url}: ${answer.status}`);
  return answer.arrayBuffer();
}

async function moduleOf(source) {
  if (source instanceof WebAssembly.Module) return source;
  const bytes = source instanceof URL ? await read(source) : source;
  try {
    return await WebAssembly.compile(bytes);
  } catch (cause) {
    throw new MollifyError("no-webassembly", "WebAssembly cannot be compiled; a content security policy needs " +
      "'wasm-unsafe-eval'", cause);
  }
}

const outOfMemory = (cause) => new MollifyError("no-memory", "memory is exhausted", cause);

// An object of the device library in an instance of its own, whose memory goes when the object does.
export class Instance {
  #calls;
  #failure;
  #object = [];

  // `make` returns the parameters of the constructor, all except the object's place.
  static async of(source, name, make) {
    const instance = new Instance();
    // WASI's way: 0, or the number of a failing device. The module asks for 65536 bytes at most (core/entropy.cpp).
    const random_get = (place, size) => {
      try {
        const bytes = instance.array(Uint8Array, place, size).fill(0);
        globalThis.crypto.getRandomValues(bytes);
        // A function that does nothing leaves zeros; entropy does so once in 2^256 times.
        return size < 32 || bytes.some(Boolean) ? 0 : 29;
      } catch {
        return 29;
      }
    };
    const made = await WebAssembly.instantiate(await moduleOf(source), { wasi_snapshot_preview1: { random_get } });
    instance.#calls = made.exports;
    made.exports._initialize();
    const out = instance.allocate(4);
    instance.do(`new_${name}`, ...make(instance), out);
    instance.#object = [...instance.array(Uint32Array, out, 1)];
    return instance;
  }

  // A trap, of which the only cause is memory, ends the instance.
  #call(name, ...parameters) {
    if (this.#failure) throw this.#failure;
    try {
      return this.#calls[name](...parameters);
    } catch (cause) {
      throw this.#failure = outOfMemory(cause);
    }
  }

  get(name, ...parameters) {
    return this.#call(`mollify_device_${name}`, ...this.#object, ...parameters);
  }

  #text(name) {
    const bytes = this.array(Uint8Array, this.get(name));
    return new TextDecoder().decode(bytes.subarray(0, bytes.indexOf(0)));
  }

  // Calls a function that returns a status.
  do(name, ...parameters) {
    if (this.get(name, ...parameters)) throw new MollifyError(this.#text("last_error_code"), this.#text("last_error"));
  }

  array(Type, place, length) {
    return new Type(this.#calls.memory.buffer, place, length);
  }

  allocate(bytes) {
    const place = this.#call("malloc", bytes) >>> 0;
    if (!place) throw outOfMemory();
    return place;
  }

  // A private copy ends here.
  free(place, bytes) {
    this.array(Uint8Array, place, bytes).fill(0);
    this.#call("free", place);
  }

  copy(Type, values) {
    const place = this.allocate(Type.BYTES_PER_ELEMENT * values.length);
    this.array(Type, place, values.length).set(values);
    return place;
  }

  text(value) {
    return this.copy(Uint8Array, new TextEncoder().encode(value + "\0"));
  }
}

export function requireCount(words, value) {
  if (Number.isInteger(value) && value > 0 && value <= 16777216) return;
  throw new MollifyError("out-of-range", `the number of ${words} must be from 1 to 16777216, but is ${value}`);
}

// What is no outcome becomes `otherwise`: values are private, and none is refused.
export function copyOutcomes(to, values, from, otherwise) {
  for (let i = 0; i < to.length; ++i) {
    const value = values[from + i];
    to[i] = Number.isInteger(value) && value >= 0 && value < otherwise ? value : otherwise;
  }
}
