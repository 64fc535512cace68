#!/usr/bin/env bash
# Installs Zig, which compiles the device library for WebAssembly, musl, macOS and Windows, into build/zig from PyPI.
set -euo pipefail
cd "$(dirname "$0")/.."
[[ -x build/zig/bin/python ]] || python3 -m venv build/zig
build/zig/bin/pip install --quiet --disable-pip-version-check ziglang==0.17.1
