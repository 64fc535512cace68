#!/usr/bin/env bash
# Draws toy units by one release key on this processor and on an emulated one, and compares the two. Fails unless equal
# integers of a unit's output distribution gave equal words and records, and other integers gave other words.
#     scripts/compare_processors.sh [UNITS [PROCESSOR [WAY...]]]      (1000 units, Nehalem, all ways to draw)
# Ten minutes on one core. ratio and mbde learn from 64 samples there, and with all samples of a release
# (-as-released) for one unit in 500, because the emulator takes half a minute for each.
# Debian 12: apt-get install qemu-user. Without AVX and FMA, as on Nehalem, the C library and networks compute otherwise.
set -euo pipefail
cd "$(dirname "$0")/.."
units=${1:-1000}
processor=${2:-Nehalem}
shift $(($# > 2 ? 2 : $#))
cmake --build build/dev --target keyed_records >/dev/null
program=build/dev/tests/keyed_records
here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT
"$program" "$here/key" "$units" "$@" >"$here/native"
"$program" "$here/key" "$units" "$@" >"$here/again"
cmp "$here/native" "$here/again"
qemu-x86_64 -cpu "$processor" "$program" "$here/key" "$units" "$@" >"$here/emulated"
# A line is: the way, the unit, the hash of the integers, the words, the records.
paste -d ' ' "$here/native" "$here/emulated" | awk '
  {
    half = NF / 2
    if ($1 != $(half + 1) || $2 != $(half + 2)) { print "the two have other units"; exit failed = 2 }
    if (!($1 in units)) ways[++count] = $1
    ++units[$1]
    same_records = 1
    for (i = 5; i <= half; ++i) same_records = same_records && $i == $(half + i)
    same_words = $4 == $(half + 4)
    if ($3 == $(half + 3)) { ++equal[$1]; if (!same_words || !same_records) { ++unlike[$1]; failed = 1 } }
    else { ++other[$1]; if (same_words) { ++shared[$1]; failed = 1 } }
  }
  END {
    if (failed == 2) exit 2
    printf "%-30s %7s %15s %24s %15s %20s\n", "drawn by", "units", "equal integers", "other words or records",
      "other integers", "of these equal words"
    for (i = 1; i <= count; ++i) {
      way = ways[i]
      printf "%-30s %7d %15d %24d %15d %20d\n", way, units[way], equal[way], unlike[way], other[way], shared[way]
    }
    exit failed
  }'
