#!/usr/bin/env bash
# Builds the Python package's wheel into build/wheels, upon the release build (build/release), with
# the tools that python/requirements.txt pins, in an environment of their own; --tools fetches these
# alone.
set -euo pipefail
cd "$(dirname "$0")/.."

tools=build/python-tools
# Always at one place, so that nothing is compiled again.
[[ -x $tools/bin/python ]] || python3 -m venv "$tools"
"$tools/bin/pip" install --quiet --disable-pip-version-check -c python/requirements.txt scikit-build-core nanobind
[[ ${1-} == --tools ]] && exit
installed=$PWD/build/release/installed
cmake --install build/release --prefix "$installed" >build/python-install.log
rm -rf build/wheels
CMAKE_PREFIX_PATH=$installed "$tools/bin/pip" wheel --quiet --disable-pip-version-check --no-deps \
  --no-build-isolation --wheel-dir build/wheels .
ls build/wheels
