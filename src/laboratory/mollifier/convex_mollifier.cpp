#include "laboratory/mollifier/convex_mollifier.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "kernel/core/invalid_input.h"
#include "laboratory/mollifier/convex_projection.h"
#include "local/channel_sampler.h"
#include "local/input_weights.h"

namespace mollify {
namespace {

std::vector<std::uint32_t> every_row(std::size_t count) {
  std::vector<std::uint32_t> rows(count);
  std::iota(rows.begin(), rows.end(), std::uint32_t{0});
  return rows;
}

}  // namespace

ConvexMollifierSampler::ConvexMollifierSampler(MatrixChannel generators, double epsilon)
    : generators_(std::move(generators)), epsilon_(ExpBound(epsilon).epsilon()) {
  if (!generators_.satisfies(ExpBound(epsilon))) {
    throw InvalidInput(fmt::format(
        "the generators must be within a factor e^{:g} of one another at every outcome, "
        "but are not",
        epsilon));
  }
  const double total = static_cast<double>(generators_.total());
  rows_.reserve(generators_.input_count() * generators_.outcome_count());
  for (std::size_t x = 0; x < generators_.input_count(); ++x) {
    for (std::size_t j = 0; j < generators_.outcome_count(); ++j) {
      rows_.push_back(static_cast<double>(generators_.entry(x, j)) / total);
    }
  }
}

std::vector<double> ConvexMollifierSampler::projection_weights(const ScoredOutcomes& p) const {
  std::vector<double> masses(outcome_count());
  const std::vector<std::uint64_t> weights = InputWeights(p, outcome_count()).dense();
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  if (sum > 0) {
    std::transform(weights.begin(), weights.end(), masses.begin(),
                   [&](std::uint64_t weight) { return static_cast<double>(weight) / sum; });
  }
  // One generator for each outcome is a channel, and P's own weights are the naive sampler A_R: to
  // start there is never to end up worse.
  const std::vector<double> start = generators_.input_count() == outcome_count()
                                        ? masses
                                        : std::vector<double>(generators_.input_count(), 1.0);
  return project_on_convex_hull(masses, {rows_, generators_.input_count(), outcome_count()}, start)
      .weights;
}

void ConvexMollifierSampler::draw_by_law(const ScoredOutcomes& p, const LawWords& words,
                                         std::span<std::uint32_t> released) const {
  const std::vector<std::uint32_t> rows = every_row(generators_.input_count());
  const InputWeights input({rows, projection_weights(p)}, rows.size());
  SecureRandom& random = words(input.integers());
  for (std::uint32_t& outcome : released) {
    const std::uint32_t row = input.empty() ? 0 : input.draw(random);
    outcome = static_cast<std::uint32_t>(generators_.draw(row, random));
  }
}

Law ConvexMollifierSampler::law(const ScoredOutcomes& p) const {
  const std::vector<std::uint32_t> rows = every_row(generators_.input_count());
  std::vector<std::uint64_t> weights =
      InputWeights({rows, projection_weights(p)}, rows.size()).dense();
  if (std::all_of(weights.begin(), weights.end(), [](std::uint64_t w) { return w == 0; })) {
    weights[0] = 1;
  }
  return law_of(generators_, weights);
}

double ConvexMollifierSampler::epsilon_realised_up() const {
  return greatest_column_ratio_up(generators_);
}

bool ConvexMollifierSampler::guarantee_holds() const {
  return generators_.satisfies(ExpBound(epsilon_));
}

void ConvexMollifierSampler::for_each_public_integer(
    const std::function<void(uint128)>& take) const {
  take(outcome_count());
  for (std::size_t x = 0; x < generators_.input_count(); ++x) {
    for (std::size_t j = 0; j < outcome_count(); ++j) take(generators_.entry(x, j));
  }
}

}  // namespace mollify
