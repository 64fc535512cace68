#!/usr/bin/env bash
# Tests the wheel of build/wheels at the border to other packages: with the oldest versions that mollify takes
# (python/oldest.txt), and with the newest versions that pip finds. CONTRIBUTING.md says when to run it: ./run-tests
# does not, because what it finds changes with the day.
#
#   scripts/test_package_versions.sh [NEWEST_PYTHON]      (default: python3; the oldest are tested on python3)
set -euo pipefail
cd "$(dirname "$0")/.."

# What reads, writes, draws or calls by another package. Left to the pinned packages are the other tests: most need NumPy
# at most, and pictures of the pages are the pinned Altair's alone.
tests=(adapters analysis column_kinds decimals domain labelled lists messages model nul package_versions plot public_files
  r_files random_tables read_once records release release_warning report same_cells sampler spark spark_draws synthesizer totality)

# test_with NAME PYTHON PIP_ARGUMENT...: whether all succeeds
test_with() {
  local environment=build/python-$1
  "$2" -m venv --clear "$environment" &&
    "$environment/bin/pip" install --quiet --disable-pip-version-check --no-compile "${@:3}" build/wheels/*.whl &&
    echo "== $1 packages on $("$environment/bin/python" -V)" &&
    "$environment/bin/pip" freeze --disable-pip-version-check &&
    PYTHONPYCACHEPREFIX=$PWD/$environment/cache "$environment/bin/python" -P -m pytest -q -rs "${tests[@]}"
}

tests=("${tests[@]/#/python/tests/test_}")
tests=("${tests[@]/%/.py}")
failed=0
test_with oldest python3 -r python/oldest.txt || failed=1
# None older than its pin, which one that is newer may want: SDMetrics from 0.26 on takes no pandas 3.
mapfile -t newest < <(sed -E '/^#/d; s/==/>=/' python/requirements.txt)
test_with newest "${1-python3}" "${newest[@]}" || failed=1
# anonymeter takes NumPy 1 alone, so no environment of the pinned packages has it.
tests=(python/tests/by_anonymeter.py)
test_with judges python3 anonymeter==1.1.0 pytest==9.2.0 || failed=1
exit "$failed"
