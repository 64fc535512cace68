#!/usr/bin/env bash
# Draws toy units by one release key on this processor and on an emulated one, and compares the two: a unit drawn by equal
# words must have equal records. Fails if one has not.
#     scripts/compare_processors.sh [UNITS [PROCESSOR [WAY...]]]      (1000 units, Nehalem, all ways to draw)
# Scorers that train a network draw for a hundredth of the units, because each takes half a minute or more.
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
# A line is: the way, the unit, the words, the records.
paste -d ' ' "$here/native" "$here/emulated" | awk '
  {
    half = NF / 2
    if ($1 != $(half + 1) || $2 != $(half + 2)) { print "the two have other units"; exit failed = 2 }
    same = 1
    for (i = 4; i <= half; ++i) same = same && $i == $(half + i)
    if (!($1 in units)) ways[++count] = $1
    ++units[$1]
    if ($3 == $(half + 3)) { ++equal[$1]; if (!same) { ++faults[$1]; failed = 1 } }
    else { ++other[$1]; if (same) ++alike[$1] }
  }
  END {
    if (failed == 2) exit 2
    printf "%-30s %8s %12s %22s %26s %s\n", "drawn by", "units", "equal words", "of these other records",
      "independent words", "of these equal records"
    for (i = 1; i <= count; ++i) {
      way = ways[i]
      printf "%-30s %8d %12d %22d %26d %d\n", way, units[way], equal[way], faults[way], other[way], alike[way]
    }
    exit failed
  }'
