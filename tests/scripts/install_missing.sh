#!/usr/bin/env bash
# Tests install_missing of scripts/debian.sh with an apt that knows these packages only: a distribution's other name is
# taken, nothing is installed if one package is unknown, and nothing is asked if all are there.
set -euo pipefail
cd "$(dirname "$0")/../.."
source scripts/debian.sh

apt=$(mktemp -d)
trap 'rm -rf "$apt"' EXIT
cat >"$apt/dpkg-query" <<'END'
#!/bin/sh
case $* in *' g++') printf installed ;; *) exit 1 ;; esac
END
cat >"$apt/apt-cache" <<'END'
#!/bin/sh
case $2 in chromium-browser | cmake | libfmt-dev) echo "$2 | 1.0 | somewhere" ;; esac
END
cat >"$apt/apt-get" <<'END'
#!/bin/sh
echo "apt-get $*" >>"$(dirname "$0")/asked"
END
printf '#!/bin/sh\nexec "$@"\n' >"$apt/sudo"
chmod +x "$apt"/*
PATH=$apt:$PATH

# expect STATUS WHAT-APT-INSTALLS PACKAGE...
expect() {
  local status=0 installs=$2
  : >"$apt/asked"
  install_missing "${@:3}" >"$apt/said" 2>&1 || status=$?
  local asked
  asked=$(sed -n 's/.* install --no-install-recommends //p' "$apt/asked")
  if [[ $status != "$1" || $asked != "$installs" ]]; then
    echo "install_missing ${*:3}: status $status, installs \"$asked\", says \"$(cat "$apt/said")\"" >&2
    exit 1
  fi
}
expect 0 '' g++
[[ ! -s $apt/asked ]]
expect 0 'cmake libfmt-dev' g++ cmake libfmt-dev
expect 0 'chromium-browser' 'chromium|chromium-browser'
expect 0 'cmake' 'clang|cmake'
expect 0 '' 'chromium|g++'
expect 1 '' cmake clang-format-14
grep -q 'has no package clang-format-14\.' "$apt/said"
echo 'install_missing: 6 cases passed'
