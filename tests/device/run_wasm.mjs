// Runs a program of WebAssembly and answers its calls for entropy: with frozen words, or not at all.
//
//   node run_wasm.mjs PROGRAM.wasm [none]
import {readFile} from 'node:fs/promises';
import {WASI} from 'node:wasi';

const [program, entropy] = process.argv.slice(2);
const wasi = new WASI({version: 'preview1', args: [program], returnOnExit: true});
const imports = wasi.getImportObject();
let memory;
imports.wasi_snapshot_preview1.random_get = (place, size) => {
  if (entropy === 'none') return 29;  // an error of input and output
  new Uint8Array(memory.buffer, place, size).fill(7);
  return 0;
};
const {instance} = await WebAssembly.instantiate(await readFile(program), imports);
memory = instance.exports.memory;
process.exitCode = wasi.start(instance);
