#!/usr/bin/env bash
# Makes what the documents show again: the outputs of commands, the tables of the code, the pictures and the measured tables.
#
# usage: make_pages.sh                      all of it, some hours on an idle machine
#        make_pages.sh pages | pictures     what commands print and the code's tables; the pictures. Minutes
#        make_pages.sh measured [NAME...]   the tables of docs/evidence, all or the named ones, into build/measured/NAME.txt and,
#                                           if the whole table is a file of docs/evidence, into that file
#
# Read the difference before you commit it: releases are random. What a page shows of a table is put there by hand, because the
# page also names the machine and the finding. PYTHON is a Python that has the package, pandas and altair
# (default: the one of scripts/test_python.sh).
set -euo pipefail
cd "$(dirname "$0")/.."
python=${PYTHON:-build/python-tests/bin/python}
cli=build/release/src/cli
experiments=build/release/experiments
benchmarks=build/release/benchmarks

# name, page, minutes on one idle core, its tables that become CSV files of docs/evidence, command
measured() {
  cat <<END
central_table|tables.md|2|central-table|$experiments/central_table data/rand_hie.csv
gaussian_table|tables.md|5|gaussian-rows|$experiments/gaussian_table data
shared_gaussian|tables.md|60|gaussian-shared|$experiments/shared_gaussian 40
gaussian_class|single-records.md|5|gaussian-class|$experiments/gaussian_class
candidate_error|single-records.md|1|candidates|$experiments/candidate_error
grid_convergence|single-records.md|2|grid-1d grid-2d|scripts/grid-convergence $cli
models|single-records.md|5|models|$experiments/models data
model_fit|tables.md|5||$experiments/model_fit data/rand_hie.csv data/rand_hie_table.yaml
marginals|tables.md|10||$experiments/marginals data/rand_hie.csv data/rand_hie_table.yaml 3
marginal_noise|tables.md|10|stated kinds|$experiments/marginal_noise 2 data/rand_hie.csv data/rand_hie_table.yaml
copula|tables.md|5||$python -P experiments/copula.py $cli/mollify data/rand_hie.csv
copula_factor|tables.md|5||$python -P experiments/copula.py $cli/mollify factor
boosting|single-records.md|60||$python -P experiments/boosting_comparison.py
kernel|speed.md|10||$benchmarks/benchmark_kernel
records|speed.md|10||$benchmarks/benchmark_records
scorers|speed.md|10||$benchmarks/benchmark_scorers
amplification|speed.md|2||$benchmarks/benchmark_amplification
front|speed.md|5||$benchmarks/benchmark_front
grid|speed.md|2||$benchmarks/benchmark_grid
training|speed.md|10||$benchmarks/benchmark_training
python_speed|speed.md|10||$python -P benchmarks/python_speed.py
spark_speed|speed.md|20||$python -P benchmarks/spark_speed.py
larger_than_memory|speed.md|60||$python -P benchmarks/larger_than_memory.py
growth|speed.md|60||$benchmarks/benchmark_growth docs/evidence
END
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
  python3 -B scripts/draw_pictures.py --check
}

measure() {
  programs -DMOLLIFY_BUILD_EXPERIMENTS=ON -DMOLLIFY_BUILD_BENCHMARKS=ON
  mkdir -p build/measured
  local name page minutes tables command
  while IFS='|' read -r name page minutes tables command; do
    if (($#)) && [[ " $* " != *" $name "* ]]; then continue; fi
    echo "$name (docs/evidence/$page), about $minutes minutes: $command" >&2
    bash -c "$command" >"build/measured/$name.txt" </dev/null
    # shellcheck disable=SC2086  # names, one for each table
    [[ -z $tables ]] || python3 -B scripts/tables_as_csv.py "build/measured/$name.txt" docs/evidence $tables
  done < <(measured)
}

case ${1-all} in
  all) pages && pictures && measure ;;
  pages) pages ;;
  pictures) pictures ;;
  measured) measure "${@:2}" ;;
  *) sed -n '2,11s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
esac
