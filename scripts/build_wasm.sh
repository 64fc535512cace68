#!/usr/bin/env bash
# Builds WebAssembly's modules of the device library into build/wasm: response.wasm (randomized response) and
# sampler.wasm (samplers over outcomes), and prints their sizes. Needs Zig: scripts/get_zig.sh, or zig in the path.
#
# A module exports what the npm package calls of mollify/device.h, malloc, free and its memory. It imports
# wasi_snapshot_preview1.random_get alone. Call _initialize once. SIMD is needed: Node 16, and browsers since 2023.
set -euo pipefail
cd "$(dirname "$0")/.."

zig=zig
[[ -x build/zig/bin/python ]] && zig='build/zig/bin/python -m ziglang'
out=build/wasm
mkdir -p $out/objects
sources=(npm/memory.cpp src/core/*.cpp src/device/*.cpp src/kernel/{channels,naturals,order,search,search_lanes}.cpp src/base/decimal_text.cpp
  src/methods/local/{band_draw,floors}.cpp)
# Nothing has passes over floats, and the definitions are those of src/device/CMakeLists.txt.
options=(-target wasm32-wasi -flto -g0 -std=c++20 "${MOLLIFY_WASM_OPTIMISE:--Os}" -msimd128 -ffp-contract=off -fno-exceptions -fno-rtti
  -DNDEBUG -ffunction-sections -fdata-sections -fvisibility=hidden -Dmollify=mollify_on_device -DMOLLIFY_LANES=kBaseline
  -DMOLLIFY_BASELINE_ONLY -DMOLLIFY_DOUBLES_ONLY -Isrc -Iinclude)
objects=()
for source in "${sources[@]}"; do
  object=$out/objects/$(tr / _ <<<"$source").o
  objects+=("$object")
  [[ $object -nt $source && -z ${MOLLIFY_WASM_FRESH-} ]] || $zig c++ "${options[@]}" -c "$source" -o "$object"
done

# module NAME FUNCTION...
module() {
  local name=$1 function exports=()
  shift
  for function in malloc free mollify_device_{last_error,last_error_code} "$@"; do exports+=("-Wl,--export=$function"); done
  $zig c++ -target wasm32-wasi -flto -msimd128 -mexec-model=reactor -Os -s -Wl,--gc-sections "${exports[@]}" "${objects[@]}" -o $out/"$name".wasm
  chmod 644 $out/"$name".wasm
  printf '%s: %d bytes, %d by gzip\n' "$name" "$(stat -c %s $out/"$name".wasm)" "$(gzip -9c $out/"$name".wasm | wc -c)"
}
module response mollify_device_{new_response,response_kept,response_other,response_total,response_epsilon,respond}
module sampler mollify_device_{new_sampler,sampler_epsilon,draw,draw_outcomes}
