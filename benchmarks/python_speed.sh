#!/usr/bin/env bash
# Prints how fast the Python package is, beside C++, the kernel and multi-freq-ldpy, on one core in one run:
#
#   benchmarks/python_speed.sh [ROWS]     (default: 10 000 000; takes some minutes)
#
# Builds what it lacks: the release build with benchmarks, the wheel, and an environment of its own.
set -euo pipefail
cd "$(dirname "$0")/.."

source scripts/debian.sh
environment=build/python-speed
cmake --preset release -DMOLLIFY_BUILD_BENCHMARKS=ON >build/python-speed.log
cmake --build --preset release >>build/python-speed.log
scripts/build_wheel.sh >>build/python-speed.log
[[ -x $environment/bin/python ]] || python3 -m venv "$environment"
"$environment/bin/pip" install --quiet --disable-pip-version-check -c python/requirements.txt \
  ml_dtypes multi-freq-ldpy==0.2.5 pandas polars pyarrow build/wheels/*.whl
"$environment/bin/pip" install --quiet --disable-pip-version-check --no-deps --force-reinstall build/wheels/*.whl
taskset -c 0 "$environment/bin/python" -P benchmarks/python_speed.py "${1-10000000}" \
  build/release/benchmarks
