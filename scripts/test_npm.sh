#!/usr/bin/env bash
# Builds the npm package and tests it as a stranger gets it: `npm pack`, installed in a clean folder, is used by
# tsc --strict, Node, Deno and Chromium. Sizes are those that npm/README.md states; MOLLIFY_WRITE=1 writes them there. It needs the
# release build, whose command makes the certificate of examples/prio3.mjs.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/build_npm.sh
repository=$PWD
export PATH=$repository/build/npm-tools/bin:$PATH REPOSITORY=$repository npm_config_update_notifier=false
python=$repository/build/npm-tools/bin/python
packed=$repository/build/npm/packed
rm -rf "$packed"
mkdir -p "$packed/project"
npm pack --silent --pack-destination "$packed" ./build/npm/package >"$packed/name"
cd "$packed/project"
cp "$repository"/npm/tests/* "$repository/examples/prio3.mjs" .
printf '{"private": true, "type": "module"}\n' >package.json
npm install --silent --no-audit --no-fund "$packed"/mollify-dp-*.tgz typescript@5.9.3 @divviup/prio3@0.8.0

"$python" sizes.py "$repository" node_modules/mollify-dp
node_modules/.bin/tsc --strict --noEmit --target es2022 --module nodenext use.ts
node --test --test-reporter=tap *.test.mjs | sed 's/^# pass \([0-9]*\)$/\1 passed/'
deno run --quiet --no-remote --no-config --node-modules-dir=manual --allow-read in_deno.mjs
"$python" in_chromium.py .
