// The graphical model's speed, on fourteen columns whose junction tree has some 10^5 cells. Each
// benchmark first proves that its answer is right, then times it. Run it alone on a quiet machine:
// taskset -c 0 benchmark_graphical

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include <benchmark/benchmark.h>

#include "graphical/fit.h"
#include "graphical/graphical_model.h"

namespace {

using mollify::Clique;
using mollify::ColumnSizes;
using mollify::GraphicalModel;
using mollify::ModelRows;
using mollify::NoisyMarginal;
using mollify::RandomWords;
using mollify::RowSampling;

constexpr double kRows = 20'000;
constexpr double kDeviation = 30;
const ColumnSizes kSizes{18, 2, 3, 5, 6, 13, 10, 15, 13, 15, 10, 10, 8, 15};

/// Noisy marginals of each column, of a chain of pairs, and of `more` pairs across it.
std::vector<NoisyMarginal> measurements(std::size_t more) {
  std::vector<Clique> cliques;
  for (std::size_t c = 0; c < kSizes.size(); ++c) cliques.push_back({c});
  for (std::size_t c = 1; c < kSizes.size(); ++c) cliques.push_back({c - 1, c});
  for (std::size_t c = 2; c < 2 + more; ++c) cliques.push_back({c - 2, c});
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  std::vector<NoisyMarginal> result;
  for (const Clique& clique : cliques) {
    std::vector<double> counts(mollify::cell_count(kSizes, clique));
    double sum = 0;
    for (double& count : counts) sum += count = std::exp(normal(random));
    for (double& count : counts) count = kRows * count / sum + kDeviation * normal(random);
    result.push_back({clique, std::move(counts), kDeviation});
  }
  return result;
}

/// Whether a model's marginals are those of the minimum, within the fit's share of the noise.
bool is_fitted(const GraphicalModel& model, const std::vector<NoisyMarginal>& measured,
               mollify::FitOptions options) {
  const double tolerance = options.tolerance;
  options.tolerance = tolerance / 100;
  options.most_steps = 10'000;
  const GraphicalModel minimum = fit(kSizes, measured, kRows, options, &model);
  double squares = 0;
  double cells = 0;
  for (const NoisyMarginal& measurement : measured) {
    const std::vector<double> p = model.marginal(measurement.clique);
    const std::vector<double> best = minimum.marginal(measurement.clique);
    for (std::size_t i = 0; i < p.size(); ++i) {
      const double off = kRows * (p[i] - best[i]) / kDeviation;
      squares += off * off;
      cells += 1;
    }
  }
  return std::sqrt(squares / cells) < tolerance;
}

void fit_one_more_pair(benchmark::State& state) {
  const std::vector<NoisyMarginal> all = measurements(12);
  std::vector<NoisyMarginal> fewer = all;
  fewer.pop_back();
  const mollify::FitOptions options;
  const GraphicalModel start = fit(kSizes, fewer, kRows, options);
  if (!is_fitted(fit(kSizes, all, kRows, options, &start), all, options)) {
    state.SkipWithError("the fit is not at its minimum");
    return;
  }
  for (auto _ : state) {
    benchmark::DoNotOptimize(fit(kSizes, all, kRows, options, &start));
  }
  state.counters["cells"] = static_cast<double>(start.tree().cells());
}

void fit_from_nothing(benchmark::State& state) {
  const std::vector<NoisyMarginal> all = measurements(12);
  const mollify::FitOptions options;
  if (!is_fitted(fit(kSizes, all, kRows, options), all, options)) {
    state.SkipWithError("the fit is not at its minimum");
    return;
  }
  for (auto _ : state) benchmark::DoNotOptimize(fit(kSizes, all, kRows, options));
}

void all_pairs(benchmark::State& state) {
  const GraphicalModel model = fit(kSizes, measurements(12), kRows);
  for (const auto& pair : model.pair_marginals()) {
    const std::vector<double> one = model.marginal(pair.clique);
    for (std::size_t i = 0; i < one.size(); ++i) {
      if (!(std::abs(one[i] - pair.probabilities[i]) < 1e-12)) {
        state.SkipWithError("a pair's marginal is not what elimination gives");
        return;
      }
    }
  }
  for (auto _ : state) benchmark::DoNotOptimize(model.pair_marginals());
}

void rows(benchmark::State& state, RowSampling sampling) {
  constexpr std::size_t kCount = 20'000;
  const GraphicalModel model = fit(kSizes, measurements(12), kRows);
  std::mt19937_64 random(2);
  const RandomWords words = [&] { return random(); };
  const std::vector<double> p = model.marginal({5});
  std::vector<double> counts(p.size());
  for (const std::uint32_t value : model.sample(kCount, words, sampling)[5]) counts[value] += 1;
  for (std::size_t v = 0; v < p.size(); ++v) {
    // Seven standard deviations.
    if (std::abs(counts[v] - kCount * p[v]) > 7 * std::sqrt(kCount * p[v]) + 7) {
      state.SkipWithError("the rows do not have the model's counts");
      return;
    }
  }
  for (auto _ : state) benchmark::DoNotOptimize(model.sample(kCount, words, sampling));
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kCount));
}

BENCHMARK(fit_one_more_pair)->Unit(benchmark::kMillisecond);
BENCHMARK(fit_from_nothing)->Unit(benchmark::kMillisecond);
BENCHMARK(all_pairs)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(rows, independent, RowSampling::kIndependent)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(rows, rounded, RowSampling::kRounded)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(rows, matched, RowSampling::kMatched)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
