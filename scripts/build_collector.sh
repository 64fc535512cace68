#!/usr/bin/env bash
# Builds the collector's wheel into build/collector-wheels. Its page draws reports by the npm package
# (scripts/build_npm.sh), which it holds.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/build_npm.sh >build/collector-npm.log
source=build/collector-source
rm -rf "$source" build/collector-wheels
cp -r collector "$source"
rm -rf "$source/tests"
mkdir "$source/mollify_collector/static/device"
cp build/npm/package/{response.js,module.js,response.wasm} "$source/mollify_collector/static/device/"
[[ -x build/python-tools/bin/python ]] || python3 -m venv build/python-tools
build/python-tools/bin/pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir build/collector-wheels "$source"
