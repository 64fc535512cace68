#!/usr/bin/env bash
# Tests the wheel of build/wheels in an environment of its own: pytest, of which nothing may be skipped, and mypy's
# strict check, of the examples too.
set -euo pipefail
cd "$(dirname "$0")/.."

environment=build/python-tests
python3 -m venv --clear "$environment"
# What is imported is compiled then, once: to compile all that is installed takes half a minute.
"$environment/bin/pip" install --quiet --no-compile --disable-pip-version-check -r python/requirements.txt \
  build/wheels/*.whl
unset PYTHONDONTWRITEBYTECODE
export PYTHONPYCACHEPREFIX=$PWD/build/python-cache
# From elsewhere, so that it is the installed package that is imported.
said=build/python-tests.log
"$environment/bin/python" -P -m pytest -q -rs python/tests | tee "$said"
if grep -qE '[0-9]+ skipped' "$said"; then
  echo 'Tests were skipped: their packages are pinned in python/requirements.txt, their programs in scripts/debian.sh.' >&2
  exit 1
fi
"$environment/bin/python" -m mypy --cache-dir build/mypy python/mollify examples/*.py docs/conf.py
