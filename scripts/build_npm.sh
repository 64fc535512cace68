#!/usr/bin/env bash
# Builds the npm package into build/npm/package: WebAssembly of the device library's sources (src/device/), a module for
# each entry point with what it exports and no more. Tools are those that python/requirements.txt and npm/requirements.txt
# pin, in an environment of their own.
set -euo pipefail
cd "$(dirname "$0")/.."

tools=build/npm-tools
[[ -x $tools/bin/python ]] || python3 -m venv "$tools"
"$tools/bin/pip" install --quiet --disable-pip-version-check -r npm/requirements.txt

# CMake wants a compiler to be one program.
work=$PWD/build/npm
mkdir -p "$work/package"
for name in c++ ar ranlib; do
  printf '#!/bin/sh\nexec "%s" -m ziglang %s "$@"\n' "$PWD/$tools/bin/python" "$name" >"$work/zig-$name"
  chmod +x "$work/zig-$name"
done
flags='-target wasm32-wasi -msimd128 -flto -g0'
cmake -S . -B "$work/library" -G Ninja -DMOLLIFY_DEVICE_ONLY=ON -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_SYSTEM_NAME=Generic -DCMAKE_TRY_COMPILE_TARGET_TYPE=STATIC_LIBRARY \
  -DCMAKE_CXX_COMPILER="$work/zig-c++" -DCMAKE_AR="$work/zig-ar" -DCMAKE_RANLIB="$work/zig-ranlib" \
  -DCMAKE_CXX_FLAGS="$flags -DMOLLIFY_DOUBLES_ONLY" -Wno-dev >"$work/configure.log"
cmake --build "$work/library" >"$work/build.log" || {
  cat "$work/build.log" >&2
  exit 1
}
library=$work/library/src/device/libmollify_device.a

# module NAME FUNCTION...: package/NAME.wasm, which exports these of the C interface.
module() {
  local name=$1 exports=(malloc free mollify_device_last_error mollify_device_last_error_code) function
  shift
  for function; do exports+=("mollify_device_$function"); done
  # shellcheck disable=SC2086
  "$work/zig-c++" $flags -std=c++20 -Os -fno-exceptions -fno-rtti -mexec-model=reactor -s -Wl,--gc-sections \
    "${exports[@]/#/-Wl,--export=}" npm/memory.cpp -Wl,--whole-archive "$library" -Wl,--no-whole-archive -o "$work/package/$name.wasm"
  chmod 644 "$work/package/$name.wasm"
}
module response new_response response_{kept,other,total,epsilon} respond
module sampler new_sampler sampler_epsilon draw draw_outcomes

rm -f "$work/package"/*.{js,ts,md,json}
# Comments and indents are for readers of this repository; pages load what is left.
for script in npm/*.js; do sed -E '/^ *\/\/ /d; s/^ +//; /^$/d' "$script" >"$work/package/${script##*/}"; done
cp npm/*.d.ts npm/package.json npm/README.md LICENSE NOTICE "$work/package/"
