import { open, readFile, rename, unlink } from "node:fs/promises";
import { dirname } from "node:path";

import { MollifyError } from "./module.js";

async function write(path, flags, text) {
  const file = await open(path, flags, 0o600);
  try {
    if (text !== undefined) await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

export function fileStorage(path, { wait = 5000 } = {}) {
  const lock = `${path}.lock`;
  return {
    async update(change) {
      for (const end = Date.now() + wait; ;) {
        try {
          await write(lock, "wx", `${process.pid}\n`);
          break;
        } catch (error) {
          if (error.code !== "EEXIST") throw error;
          if (Date.now() > end) {
            throw new MollifyError("ledger-in-use", `the ledger ${path} is in use; if no program uses it, remove ${lock}`);
          }
          await new Promise((resolve) => setTimeout(resolve, 10));
        }
      }
      try {
        const kept = await readFile(path, "utf8").catch((error) => {
          if (error.code === "ENOENT") return undefined;
          throw error;
        });
        const next = change(kept);
        if (next === kept) return;
        await write(`${path}.new`, "w", next);
        await rename(`${path}.new`, path);
        await write(dirname(path), "r");
      } finally {
        await unlink(lock);
      }
    },
  };
}
