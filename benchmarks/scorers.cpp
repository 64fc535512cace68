// The scorers' speed. Each benchmark first proves that its answer is right, then times it. Run it
// alone on a quiet machine: taskset -c 0 benchmark_scorers

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <sstream>
#include <vector>

#include <benchmark/benchmark.h>

#include "domain/column.h"
#include "methods/local/space.h"
#include "release/spec.h"
#include "scores/kernels.h"
#include "scores/points.h"

namespace {

using mollify::Bandwidths;
using mollify::ColumnKernel;
using mollify::MixedColumn;
using mollify::MixedPoints;
using mollify::ProductKernelScorer;
using mollify::Scale;
using mollify::ScorerKind;

constexpr std::size_t kCandidates = 65536;

/// Four numbers, three categories and one ordered column.
std::vector<MixedColumn> mixed_columns() {
  return {{Scale::kNumber, 0}, {Scale::kCategory, 2}, {Scale::kNumber, 0},   {Scale::kOrdered, 10},
          {Scale::kNumber, 0}, {Scale::kCategory, 5}, {Scale::kCategory, 4}, {Scale::kNumber, 0}};
}

enum Shape { kUniform, kSmooth, kClustered };
constexpr const char* kShapeNames[] = {"uniform", "smooth", "clustered"};

/// Rows of one shape: independent and uniform; one broad normal cluster; or forty narrow ones. In
/// clusters, 70 of 100 levels are the cluster's favourite.
MixedPoints points(Shape shape, std::size_t size, std::uint64_t seed) {
  const std::vector<MixedColumn> columns = mixed_columns();
  const std::size_t clusters = shape == kClustered ? 40 : 1;
  const double deviation = shape == kClustered ? 0.03 : 0.15;
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> unit(0, 1);
  std::normal_distribution<double> normal;
  std::vector<std::vector<double>> centres(clusters, std::vector<double>(columns.size()));
  for (std::vector<double>& centre : centres) {
    for (double& value : centre) value = shape == kSmooth ? 0.5 : unit(random);
  }
  MixedPoints result(columns, size);
  for (std::size_t i = 0; i < size; ++i) {
    const std::vector<double>& centre = centres[random() % clusters];
    for (std::size_t c = 0; c < columns.size(); ++c) {
      double u = unit(random);
      const bool is_number = columns[c].scale == Scale::kNumber;
      if (shape != kUniform) {
        if (is_number) {
          u = std::clamp(centre[c] + deviation * normal(random), 0.0, 1.0);
        } else if (unit(random) < 0.7) {
          u = centre[c];
        }
      }
      result.values(c)[i] = static_cast<float>(
          is_number ? u : std::floor(u * static_cast<double>(columns[c].levels)));
    }
  }
  return result;
}

/// Whether some of the scores are the definition's.
bool are_right(const MixedPoints& candidates, const MixedPoints& rows,
               const std::vector<float>& scores) {
  const Bandwidths bandwidths = mollify::rule_of_thumb(rows);
  std::vector<ColumnKernel> kernels;
  for (std::size_t c = 0; c < rows.columns().size(); ++c) {
    kernels.emplace_back(rows.columns()[c], bandwidths.of_column[c]);
  }
  std::vector<double> peaks(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t c = 0; c < kernels.size(); ++c) {
      peaks[i] += kernels[c].log2_peak(rows.values(c)[i]);
    }
  }
  for (std::size_t j = 0; j < candidates.size(); j += candidates.size() / 16) {
    double sum = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      double logarithm = peaks[i];
      for (std::size_t c = 0; c < kernels.size(); ++c) {
        logarithm -= kernels[c].loss(candidates.values(c)[j], rows.values(c)[i]);
      }
      sum += std::exp2(logarithm);
    }
    const double expected = sum / static_cast<double>(rows.size());
    if (expected > 1e-30 && std::abs(static_cast<double>(scores[j]) / expected - 1) > 1e-4) {
      return false;
    }
  }
  return true;
}

/// 65536 uniform candidates of eight mixed columns by a product kernel.
void product_kernel(benchmark::State& state) {
  const auto size = static_cast<std::size_t>(state.range(0));
  const auto shape = static_cast<Shape>(state.range(1));
  const MixedPoints candidates = points(kUniform, kCandidates, 1);
  const MixedPoints rows = points(shape, size, 2);
  const ProductKernelScorer scorer(candidates);
  std::vector<float> scores(kCandidates);
  scorer.score(rows, scores);
  if (!are_right(candidates, rows, scores)) {
    state.SkipWithError("the scores are wrong");
    return;
  }
  for (auto _ : state) {
    scorer.score(rows, scores);
    benchmark::DoNotOptimize(scores.data());
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(size * kCandidates));
  std::ostringstream text;
  text << size << ' ' << kShapeNames[shape] << " rows, items are pairs";
  state.SetLabel(text.str());
}
BENCHMARK(product_kernel)
    ->ArgsProduct({{100, 1000, 100000}, {kUniform, kSmooth, kClustered}})
    ->Unit(benchmark::kMillisecond);

/// The other scorers; first the mean of their scores is looked at, their own tests know more.
void other_scorers(benchmark::State& state) {
  const ScorerKind kind = static_cast<ScorerKind>(state.range(0));
  const auto size = static_cast<std::size_t>(state.range(1));
  const MixedPoints candidates = points(kUniform, kCandidates, 1);
  const MixedPoints rows = points(kClustered, size, 2);
  const auto scorer = mollify::make_scorer(kind, candidates, 1);
  std::vector<float> scores(kCandidates);
  scorer->score(rows, scores);
  double mean = 0;
  for (const float score : scores) mean += static_cast<double>(score) / kCandidates;
  // The mean over uniform candidates of p/h is 1; there are 400 cells of levels.
  if (!scorer->scores_are_ratios()) mean *= 400;
  if (!(mean > 0.5 && mean < 2)) {
    state.SkipWithError("the scores are wrong");
    return;
  }
  for (auto _ : state) {
    scorer->score(rows, scores);
    benchmark::DoNotOptimize(scores.data());
  }
  std::ostringstream text;
  text << mollify::name_of(kind) << ", " << size << " clustered rows";
  state.SetLabel(text.str());
}
BENCHMARK(other_scorers)->ArgsProduct({{1, 2, 3}, {100, 100000}})->Unit(benchmark::kMillisecond);

void candidates_of_product_kernel(benchmark::State& state) {
  const MixedPoints candidates = points(kUniform, kCandidates, 1);
  for (auto _ : state) {
    const ProductKernelScorer scorer(candidates);
    benchmark::DoNotOptimize(&scorer);
  }
}
BENCHMARK(candidates_of_product_kernel)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
