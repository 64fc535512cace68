#!/usr/bin/env bash
# Tests the wheel of build/wheels in an environment of its own: pytest, and mypy's strict check, of the examples too.
set -euo pipefail
cd "$(dirname "$0")/.."

environment=build/python-tests
python3 -m venv --clear "$environment"
"$environment/bin/pip" install --quiet --disable-pip-version-check -r python/requirements.txt build/wheels/*.whl
# From elsewhere, so that it is the installed package that is imported.
"$environment/bin/python" -P -m pytest -q python/tests
"$environment/bin/python" -m mypy --cache-dir build/mypy python/mollify examples/*.py docs/conf.py
