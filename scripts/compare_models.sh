#!/usr/bin/env bash
# Compares the C++ with its proved models on many random cases, each time with other words, and prints how many.
# 10^8 take days of one core: stop it when you like, and begin again with another seed.
#
#   scripts/compare_models.sh [BUILD_FOLDER [CASES [FIRST_SEED]]]      build/release, 100000000, 2
set -euo pipefail
cd "$(dirname "$0")/.."
program=${1:-build/release}/tests/proof_tests
cases=${2:-100000000} seed=${3:-2} done=0
while ((done < cases)); do
  log=$(MOLLIFY_PROOF_TIMES=4 MOLLIFY_PROOF_SEED=$seed nice -n 19 "$program") || {
    echo "$log"
    echo "the models differ at seed $seed"
    exit 1
  }
  done=$((done + $(sed -n 's/^\([0-9]*\) cases$/\1/p' <<<"$log" | awk '{ sum += $1 } END { print sum }')))
  echo "$done cases agree, up to seed $seed"
  seed=$((seed + 1))
done
