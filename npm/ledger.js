import { MollifyError } from "./module.js";
export { MollifyError };

// ---- Decimal numbers: digits times a power of ten, exactly ----------------------------------------

const MOST_POWER = 1100;

function decimal(words, value) {
  const [, whole, part = "", power = "0"] = /^(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/.exec(`${value}`) ?? [];
  if (!whole && !part || `${value}`.length > MOST_POWER || Math.abs(power) > MOST_POWER) {
    throw new MollifyError("malformed-text",
      `${words} must be a decimal number of at least 0, but is "${`${value}`.slice(0, 60)}"`);
  }
  return { digits: BigInt(whole + part), power: Number(power) - part.length };
}

function atPower({ digits, power }, least) {
  return digits * 10n ** BigInt(power - least);
}

function sum(a, b) {
  const power = Math.min(a.power, b.power);
  return { digits: atPower(a, power) + atPower(b, power), power };
}

function difference(a, b) {
  return sum(a, { digits: -b.digits, power: b.power });
}

function text({ digits, power }) {
  if (power >= 0) return `${digits * 10n ** BigInt(power)}`;
  const all = `${digits}`.padStart(1 - power, "0");
  return `${all.slice(0, power)}.${all.slice(power)}`.replace(/\.?0+$/, "");
}

// ---- The ledger -----------------------------------------------------------------------------------

function parse(kept) {
  try {
    const state = JSON.parse(kept);
    if (state.format === "mollify device ledger 1") return state;
  } catch {
    // As for another format.
  }
  throw new MollifyError("ledger-damaged", "the device's ledger is damaged, so nothing is released");
}

function spentOf(state) {
  return Object.values(state.questions).reduce((all, { charged }) => sum(all, decimal("a charge", charged)),
    { digits: 0n, power: 0 });
}

export class Ledger {
  #storage;

  static async open({ total, storage }) {
    const given = text(decimal("the total", total));
    await storage.update((kept) => {
      if (kept === undefined) {
        return JSON.stringify({ format: "mollify device ledger 1", total: given, questions: {} });
      }
      const state = parse(kept);
      if (state.total === given) return kept;
      throw new MollifyError("total-exists", `the device's ledger has a total of epsilon ${state.total}, not ${given}`);
    });
    const ledger = new Ledger();
    ledger.#storage = storage;
    return ledger;
  }

  // Runs `change` on the state, keeps what it made of it, and returns what it returned.
  async #update(change) {
    let answer;
    await this.#storage.update((kept) => {
      const state = parse(kept ?? "");
      answer = change(state);
      return JSON.stringify(state);
    });
    return answer;
  }

  async enroll(question, { epsilon, draws = 1 }) {
    const one = decimal("epsilon", epsilon);
    if (one.digits === 0n) throw new MollifyError("out-of-range", "epsilon must be finite and positive, but is 0");
    if (!Number.isSafeInteger(draws) || draws < 1) {
      throw new MollifyError("out-of-range", `the number of draws must be at least 1, but is ${draws}`);
    }
    const charge = { digits: one.digits * BigInt(draws), power: one.power };
    await this.#update(({ questions, total }, spent = spentOf({ questions })) => {
      if (Object.hasOwn(questions, question)) {
        const old = questions[question];
        if (old.epsilon === text(one) && old.draws === draws) return;
        throw new MollifyError("question-exists", `question "${question}" is enrolled with epsilon ${old.epsilon} and ` +
          `${old.draws} draws; give another question another name`);
      }
      const remains = difference(decimal("the total", total), spent);
      if (difference(remains, charge).digits < 0n) {
        throw new MollifyError("budget-exceeded", `the total of this device is epsilon ${total}: epsilon ` +
          `${text(remains)} remains, and question "${question}" costs epsilon ${text(charge)}`);
      }
      Object.defineProperty(questions, question, { enumerable: true, value:
        { epsilon: text(one), draws, charged: text(charge), drawn: 0, period: -1 } });
    });
  }

  async answer(question, { period = 0, draw }) {
    if (!Number.isSafeInteger(period) || period < 0) {
      throw new MollifyError("out-of-range", `period must be a whole number from 0, but is ${period}`);
    }
    return this.#update(({ questions }) => {
      if (!Object.hasOwn(questions, question)) {
        throw new MollifyError("unknown-name", `question "${question}" is not enrolled in this device's ledger`);
      }
      const kept = questions[question];
      if (period > kept.period && kept.drawn < kept.draws) {
        const answer = draw();
        if (typeof answer !== "number" && typeof answer !== "string") {
          throw new MollifyError("malformed-text", "an answer must be a number or a text");
        }
        Object.assign(kept, { answer, period, drawn: kept.drawn + 1 });
      }
      return kept.answer;
    });
  }

  async charges() {
    return this.#update(({ questions }) => Object.entries(questions).map(([question, { epsilon, draws, charged, drawn }]) =>
      ({ question, epsilon, draws, charged, drawn })));
  }

  async spent() {
    return this.#update((state) => text(spentOf(state)));
  }

  async remaining() {
    return this.#update((state) => text(difference(decimal("the total", state.total), spentOf(state))));
  }
}

// FNV-1a with a last mixing (MurmurHash3's): public, and alike everywhere. It hides nothing.
export function isTurn(device, day, days) {
  if (!Number.isSafeInteger(day) || day < 0 || !Number.isSafeInteger(days) || days < 1) {
    throw new MollifyError("out-of-range", `day must be from 0 and days from 1, but are ${day} and ${days}`);
  }
  let hash = 2166136261;
  for (const byte of new TextEncoder().encode(device)) hash = Math.imul(hash ^ byte, 16777619);
  hash = Math.imul(hash ^ hash >>> 16, 0x85ebca6b);
  hash = Math.imul(hash ^ hash >>> 13, 0xc2b2ae35);
  return ((hash ^ hash >>> 16) >>> 0) % days === day % days;
}

// ---- Where a ledger is kept -----------------------------------------------------------------------

export function memoryStorage() {
  let kept;
  return {
    async update(change) {
      kept = change(kept);
    },
  };
}

export function indexedDBStorage(name) {
  const opened = new Promise((resolve, reject) => {
    const request = indexedDB.open(name, 1);
    request.onupgradeneeded = () => request.result.createObjectStore("ledger");
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
  opened.catch(() => {});
  return {
    async update(change) {
      const database = await opened;
      await new Promise((resolve, reject) => {
        // One transaction at a time writes, in all pages and workers of the site.
        const transaction = database.transaction("ledger", "readwrite", { durability: "strict" });
        const store = transaction.objectStore("ledger");
        let failure;
        store.get("state").onsuccess = ({ target }) => {
          try {
            store.put(change(target.result), "state");
          } catch (error) {
            failure = error;
            transaction.abort();
          }
        };
        transaction.oncomplete = resolve;
        transaction.onabort = () => reject(failure ?? transaction.error);
      });
    },
  };
}
