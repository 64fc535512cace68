#!/usr/bin/env bash
# Builds the collector's wheel into build/collector-wheels. It holds the part of the npm package by which its page
# draws reports.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/get_zig.sh
scripts/build_wasm.sh
source=build/collector-source
rm -rf "$source" build/collector-wheels
cp -r collector "$source"
rm -rf "$source/tests"
mkdir "$source/mollify_collector/static/device"
cp npm/{response,module}.js build/wasm/response.wasm "$source/mollify_collector/static/device/"
[[ -x build/python-tools/bin/python ]] || python3 -m venv build/python-tools
build/python-tools/bin/pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir build/collector-wheels "$source"
