#!/usr/bin/env bash
# Tests the collector with the wheel of build/wheels in an environment of its own: pytest, of which nothing may be
# skipped, and mypy's strict check. One test sends reports for some seconds; collector/tests/load.py does for a minute.
set -euo pipefail
cd "$(dirname "$0")/.."

environment=build/collector-tests
python3 -m venv --clear "$environment"
pip=("$environment/bin/pip" install --quiet --no-compile --disable-pip-version-check)
"${pip[@]}" -r collector/requirements.txt
"${pip[@]}" -c python/requirements.txt pytest mypy playwright
scripts/build_collector.sh
"${pip[@]}" --no-deps build/wheels/*.whl build/collector-wheels/*.whl
said=build/collector-tests.log
"$environment/bin/python" -P -m pytest -q -rs -c collector/pyproject.toml collector/tests | tee "$said"
if grep -qE '[0-9]+ skipped' "$said"; then
  echo 'Tests were skipped: their programs are in scripts/debian.sh.' >&2
  exit 1
fi
"$environment/bin/python" -m mypy --strict --cache-dir build/mypy-collector collector/mollify_collector
