# Sourced by quickstart and run-tests: the packages they need from Debian or Ubuntu, and how to get them.
# Names without a version are the distribution's default. A|B is the package A or, if the distribution has no A, B.

build_packages=(
  g++ cmake ninja-build pkgconf
  libboost-dev libcctz-dev libcli11-dev libcsv-dev libeigen3-dev libfmt-dev libsodium-dev libyaml-cpp-dev nlohmann-json3-dev tzdata
  python3-dev python3-venv
)
quick_test_packages=(libgmock-dev libgtest-dev librapidcheck-dev libgmp-dev libmpfr-dev libbenchmark-dev)
# Format and findings differ between versions of Clang, so its version is fixed.
full_test_packages=(
  coq libcoq-stdlib ocaml-nox
  clang-14 clang-format-14 clang-tidy-14 libclang-rt-14-dev
  'chromium|chromium-browser' default-jdk-headless postgresql
  # Other targets of the device library; scripts/get_zig.sh has more.
  g++-aarch64-linux-gnu g++-arm-linux-gnueabihf nodejs qemu-user
)

is_installed() { [[ $(dpkg-query --show --showformat='${db:Status-Status}' "$1" 2>/dev/null) == installed ]]; }

# install_missing PACKAGE...: prints which packages are missing, and installs these packages only.
install_missing() {
  local package name names missing=() chosen=() unknown=() as_root=()
  if ! command -v dpkg-query >/dev/null; then
    echo "This script installs packages with apt on Debian or Ubuntu. On other systems, install the counterparts of:" >&2
    echo "  $*" >&2
    echo "and build with cmake --preset release (CONTRIBUTING.md)." >&2
    return 1
  fi
  for package in "$@"; do
    IFS='|' read -ra names <<<"$package"
    for name in "${names[@]}"; do
      is_installed "$name" && continue 2
    done
    missing+=("$package")
  done
  ((${#missing[@]})) || return 0
  if ((EUID)); then
    if ! command -v sudo >/dev/null; then
      echo "These packages are missing: ${missing[*]}. Install them, or run this script as root or with sudo." >&2
      return 1
    fi
    as_root=(sudo)
  fi
  echo "Installing with apt-get: ${missing[*]}"
  "${as_root[@]}" apt-get -qq update </dev/null || return 1
  for package in "${missing[@]}"; do
    IFS='|' read -ra names <<<"$package"
    for name in "${names[@]}"; do
      if [[ -n $(apt-cache madison "$name" 2>/dev/null) ]]; then
        chosen+=("$name")
        continue 2
      fi
    done
    unknown+=("$package")
  done
  if ((${#unknown[@]})); then
    echo "$(source /etc/os-release && echo "$PRETTY_NAME") has no package ${unknown[*]}." >&2
    return 1
  fi
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get -qq -y -o=Dpkg::Use-Pty=0 install --no-install-recommends "${chosen[@]}" </dev/null
}

# Compiles again only what changed since the last time, where ccache happens to be there.
if command -v ccache >/dev/null; then
  export CMAKE_CXX_COMPILER_LAUNCHER=${CMAKE_CXX_COMPILER_LAUNCHER-ccache}
fi
export CMAKE_BUILD_PARALLEL_LEVEL=${CMAKE_BUILD_PARALLEL_LEVEL:-$(nproc)}
