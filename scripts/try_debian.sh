#!/usr/bin/env bash
# Runs ./quickstart and ./run-tests --quick of the last commit on another release of Debian, in a chroot:
#
#   scripts/try_debian.sh RELEASE [FOLDER]     RELEASE is trixie or sid, for example; the chroot's folder is
#                                              build/debian/RELEASE unless you name one
#
# Needs root, debootstrap and 4 GB of disk. Later runs use the chroot again, and compile only what changed.
set -euo pipefail
cd "$(dirname "$0")/.."
if (($# < 1 || $# > 2)); then
  sed -n '2,7s/^# \{0,1\}//p' "$0" >&2
  exit 2
fi
release=$1
root=$(realpath -m "${2-build/debian/$1}")

if [[ ! -e $root/made ]]; then
  mkdir -p "$root/etc/dpkg/dpkg.cfg.d"
  echo force-unsafe-io >"$root/etc/dpkg/dpkg.cfg.d/unsafe-io"  # a lost chroot is made again
  debootstrap --variant=minbase --include=ca-certificates,ccache "$release" "$root"
  touch "$root/made"
fi
# pip asks the registry that this computer asks, by the certificates that this computer trusts.
cp -L /etc/resolv.conf "$root/etc/"
cp -L /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/"
if [[ -e /etc/pip.conf ]]; then cp /etc/pip.conf "$root/etc/"; fi
rm -rf "$root/mollify"
mkdir "$root/mollify"
git archive HEAD | tar x -C "$root/mollify"

# What is mounted and what runs in the chroot ends with the last command.
unshare --mount --pid --fork --kill-child bash -euc '
  mount -t proc proc "$1/proc"
  mount --rbind /dev "$1/dev"
  exec chroot "$1" env -i HOME=/root LANG=C.UTF-8 PATH=/usr/sbin:/usr/bin:/sbin:/bin ${2:+"CMAKE_BUILD_PARALLEL_LEVEL=$2"} \
    bash -euc "cd /mollify; ./quickstart; ./run-tests --quick"
' try_debian "$root" "${CMAKE_BUILD_PARALLEL_LEVEL-}"
