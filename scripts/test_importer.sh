#!/usr/bin/env bash
# Tests what reads other programs' arrays under AddressSanitizer (GCC's): the Python package's module,
# and of the library the modules that read and write records, compiled with it upon the release build
# (build/release). Takes the environment of scripts/test_python.sh, and builds nothing else again.
set -euo pipefail
cd "$(dirname "$0")/.."

environment=$PWD/build/python-tests
installed=$PWD/build/release/installed
package=$PWD/build/python-sanitized/package
[[ -x $environment/bin/python && -d $installed ]] || {
  echo 'scripts/build_wheel.sh and scripts/test_python.sh come first.' >&2
  exit 1
}
cmake -G Ninja -S python -B build/python-sanitized -DCMAKE_BUILD_TYPE=Release -DMOLLIFY_SANITIZE_READERS=ON \
  -DCMAKE_PREFIX_PATH="$installed" -DPython_EXECUTABLE="$PWD/build/python-tools/bin/python" >build/python-sanitized.log
cmake --build build/python-sanitized
# The installed package, but for its module.
rm -rf "$package"
mkdir -p "$package"
cp -r python/mollify "$package/"
cp build/python-sanitized/_core.abi3.so "$package/mollify/"
mkdir "$package/mollify/bin"
ln -s "$installed/bin/mollify" "$package/mollify/bin/"

# What is imported was compiled for scripts/test_python.sh.
export PYTHONPYCACHEPREFIX=$PWD/build/python-cache
# Python itself ends with memory that it never frees, so leaks are not looked for. Exceptions are only
# seen if their library is there as early as the sanitizer.
preloaded="$(g++ -print-file-name=libasan.so) $(g++ -print-file-name=libstdc++.so)"
sanitized_python() {
  PYTHONPATH=$package LD_PRELOAD=$preloaded ASAN_OPTIONS=detect_leaks=0 "$environment/bin/python" -P "$@"
}
# What it is to find, it finds: numbers that end before the column does.
short='
import numpy
from mollify import _core
columns = _core.Columns()
columns.add_numbers("a", "g", 1100, numpy.zeros(8000, numpy.uint8), None)
columns.source(1100).csv_text(["a"])'
seen=$(sanitized_python -c "$short" 2>&1) || true
[[ $seen == *'AddressSanitizer: heap-buffer-overflow'* ]] || {
  echo "The sanitizer saw no read beyond an end: $seen" >&2
  exit 1
}
sanitized_python -m pytest -q \
  python/tests/test_decimals.py python/tests/test_lists.py python/tests/test_random_tables.py python/tests/test_totality.py
