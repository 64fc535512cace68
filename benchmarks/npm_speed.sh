#!/usr/bin/env bash
# Sizes and speeds of the npm package beside @divviup/dap, hash-wasm's argon2, plain JavaScript, the native device library
# and multi-freq-ldpy, in one run. Needs npm's and PyPI's registries.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/build_npm.sh
work=$PWD/build/npm/speed
mkdir -p "$work/project"
cmake -S . -B "$work/library" -DMOLLIFY_DEVICE_ONLY=ON -DCMAKE_BUILD_TYPE=Release >"$work/build.log"
cmake --build "$work/library" >>"$work/build.log"
"${CC:-cc}" -O2 -Iinclude -c benchmarks/device_draws.c -o "$work/device_draws.o"
"${CXX:-c++}" "$work/device_draws.o" "$work/library/src/device/libmollify_device.a" -o "$work/device_draws"

[[ -x $work/python/bin/python ]] || python3 -m venv "$work/python"
"$work/python/bin/pip" install --quiet --disable-pip-version-check multi-freq-ldpy==0.2.5

export PATH=$PWD/build/npm-tools/bin:$PATH
packed=$(npm pack --silent --pack-destination "$work" ./build/npm/package)
cp benchmarks/npm_speed.mjs "$work/project/"
cd "$work/project"
printf '{"private": true, "type": "module"}\n' >package.json
npm install --silent --no-audit --no-fund "$work/$packed" @divviup/dap@0.9.1 hash-wasm@4.13.0 esbuild@0.25.12 ||
  { echo 'The npm registry does not answer: nothing was compared.' >&2; exit 1; }
node npm_speed.mjs "$work/device_draws" "$work/python/bin/python"
