// The speed of accounting for shuffled reports. Each benchmark first checks its answer, then times
// it. Run it alone on a quiet machine: taskset -c 0 benchmark_amplification
// --benchmark_repetitions=5

#include <cmath>
#include <cstdint>

#include <benchmark/benchmark.h>

#include "accounting/shuffling.h"

namespace {

using mollify::DeltaBounds;
using mollify::ShuffledResponse;

struct Problem {
  ShuffledResponse response;
  double epsilon;
};

/// About the greatest epsilon0 for epsilon = 1, delta = 1e-6, and small budgets.
constexpr Problem kProblems[] = {
    {{10'000, 20, 5.55}, 1.0},
    {{100'000, 20, 7.87}, 1.0},
    {{100'000, 20, 1.27}, 0.01},
    {{100'000, 1000, 10.38, 0.1}, 1.0},
    {{1'000'000'000, 20, 16.97}, 1.0},
    {{1'000'000'000, 20, 3.5}, 0.001},
    {{1'000'000'000, 1'000'000, 16.5}, 1.0},
    {{1'000'000'000, 1'000'000, 21.26, 0.001}, 1.0},
};

/// delta between 1e-12 and 1e-3, certified to within 1e-3 of what is attained.
bool is_right(const DeltaBounds& delta) {
  return delta.upper > 1e-12 && delta.upper < 1e-3 && delta.lower <= delta.upper &&
         delta.lower > (1 - 1e-3) * delta.upper;
}

void report(benchmark::State& state, const Problem& problem) {
  const DeltaBounds blanket = privacy_blanket(problem.response, problem.epsilon);
  const DeltaBounds both = shuffle_delta(problem.response, problem.epsilon);
  state.counters["records"] = static_cast<double>(problem.response.records);
  state.counters["outcomes"] = static_cast<double>(problem.response.outcomes);
  state.counters["rate"] = problem.response.rate;
  state.counters["epsilon0"] = problem.response.epsilon0;
  state.counters["epsilon"] = problem.epsilon;
  state.counters["delta"] = both.upper;
  state.counters["slack"] = (blanket.upper - blanket.lower) / blanket.upper;
  state.counters["gap"] = both.upper / both.lower - 1;
  if (!is_right(both)) state.SkipWithError("the bounds are not what they should be");
}

void one_delta(benchmark::State& state) {
  const Problem& problem = kProblems[state.range(0)];
  report(state, problem);
  for (auto _ : state) {
    benchmark::DoNotOptimize(privacy_blanket(problem.response, problem.epsilon));
  }
}
BENCHMARK(one_delta)->DenseRange(0, 7)->Unit(benchmark::kMillisecond);

void both_bounds(benchmark::State& state) {
  const Problem& problem = kProblems[state.range(0)];
  report(state, problem);
  for (auto _ : state) {
    benchmark::DoNotOptimize(shuffle_delta(problem.response, problem.epsilon));
  }
}
BENCHMARK(both_bounds)->DenseRange(0, 7)->Unit(benchmark::kMillisecond);

void greatest_epsilon0(benchmark::State& state) {
  const Problem& problem = kProblems[state.range(0)];
  double delta = 1e-6;
  const auto solve = [&] {
    delta = std::nextafter(delta, 0.0);  // answers to the same question are kept
    return mollify::shuffle_epsilon0_down(problem.response.records, problem.response.outcomes,
                                          problem.epsilon, delta, problem.response.rate);
  };
  ShuffledResponse found = problem.response;
  found.epsilon0 = solve();
  if (!(shuffle_delta(found, problem.epsilon).upper <= 1e-6)) {
    state.SkipWithError("the inversion is not on the safe side");
  }
  for (auto _ : state) benchmark::DoNotOptimize(solve());
}
BENCHMARK(greatest_epsilon0)->DenseRange(0, 4)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
