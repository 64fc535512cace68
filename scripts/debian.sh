# Sourced by quickstart and run-tests: the Debian 12 packages they need, and how to get them.

build_packages=(
  g++ cmake ninja-build pkg-config
  libboost-dev libcli11-dev libcsv-dev libeigen3-dev libfmt-dev libsodium-dev libyaml-cpp-dev nlohmann-json3-dev
  python3-dev python3-venv
)
test_packages=(
  libgmock-dev libgtest-dev librapidcheck-dev libgmp-dev libmpfr-dev libbenchmark-dev
  clang-14 clang-format-14 clang-tidy-14 libclang-rt-14-dev
  chromium openjdk-17-jre-headless
)

# install_missing PACKAGE...: installs what is not there yet, says so first, and touches nothing else.
install_missing() {
  local package missing=() as_root=()
  if ! command -v dpkg-query >/dev/null; then
    echo "This script installs packages with apt on Debian 12; elsewhere, install the counterparts of:" >&2
    echo "  $*" >&2
    echo "and build with cmake --preset release (CONTRIBUTING.md)." >&2
    return 1
  fi
  for package in "$@"; do
    [[ $(dpkg-query --show --showformat='${db:Status-Status}' "$package" 2>/dev/null) == installed ]] ||
      missing+=("$package")
  done
  ((${#missing[@]})) || return 0
  if ((EUID)); then
    if ! command -v sudo >/dev/null; then
      echo "These packages are missing, and installing them takes root or sudo: ${missing[*]}" >&2
      return 1
    fi
    as_root=(sudo)
  fi
  echo "Installing with apt-get: ${missing[*]}"
  "${as_root[@]}" apt-get -qq update </dev/null &&
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
      apt-get -qq -y -o=Dpkg::Use-Pty=0 install --no-install-recommends "${missing[@]}" </dev/null
}

# Compiles again only what changed since the last time, where ccache happens to be there.
if command -v ccache >/dev/null; then
  export CMAKE_CXX_COMPILER_LAUNCHER=${CMAKE_CXX_COMPILER_LAUNCHER-ccache}
fi
export CMAKE_BUILD_PARALLEL_LEVEL=${CMAKE_BUILD_PARALLEL_LEVEL:-$(nproc)}
