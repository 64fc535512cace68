#!/usr/bin/env bash
# Builds the npm package into build/npm/package: the modules of scripts/build_wasm.sh, and the scripts of npm/. The tools of
# npm/requirements.txt, with which it is tested, go into an environment of their own.
set -euo pipefail
cd "$(dirname "$0")/.."

tools=build/npm-tools
[[ -x $tools/bin/python ]] || python3 -m venv "$tools"
"$tools/bin/pip" install --quiet --disable-pip-version-check -c python/requirements.txt -r npm/requirements.txt
scripts/get_zig.sh
scripts/build_wasm.sh

package=build/npm/package
rm -rf "$package"
mkdir -p "$package"
# Comments and indents are for readers of this repository; pages load what is left.
for script in npm/*.js; do sed -E '/^ *\/\/ /d; s/^ +//; /^$/d' "$script" >"$package/${script##*/}"; done
cp build/wasm/*.wasm npm/*.d.ts npm/package.json npm/README.md LICENSE NOTICE "$package/"
