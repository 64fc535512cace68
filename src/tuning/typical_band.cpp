#include "tuning/typical_band.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "kernel/core/exp_bound.h"
#include "space/seeded_random.h"
#include "tuning/best_band.h"

namespace mollify {
namespace {

/// The fixed stream that the prior is drawn by, as the standard's distributions ask for words.
class Words {
 public:
  using result_type = std::uint64_t;
  static constexpr result_type min() { return 0; }
  static constexpr result_type max() { return std::numeric_limits<result_type>::max(); }
  result_type operator()() { return random_.word(); }

 private:
  SeededRandom random_{1};
};

/// Weights in proportion to a draw of the prior. Gamma of a shape below one as that of one more
/// times a power, in logarithms, because the powers underflow where shapes are small.
void draw_weights(Words& words, double shape, std::vector<double>& weights) {
  std::gamma_distribution<double> gamma(shape + 1);
  std::uniform_real_distribution<double> uniform(0x1p-53, 1);
  double greatest = -std::numeric_limits<double>::infinity();
  for (double& weight : weights) {
    weight = std::log(gamma(words)) + std::log(uniform(words)) / shape;
    greatest = std::max(greatest, weight);
  }
  for (double& weight : weights) weight = std::exp(weight - greatest);
}

}  // namespace

double typical_location(std::size_t outcome_count, double epsilon, const DirichletPrior& prior) {
  const auto k = static_cast<double>(outcome_count);
  const double capped = ExpBound(epsilon).epsilon();
  if (outcome_count == 1) return std::exp(-capped / 2);
  const double shape = prior.strength.value_or(k) / k;
  const auto count = static_cast<std::size_t>(std::clamp(0x1p20 / k, 64.0, 1024.0));
  Words words;
  UnitMasses units(outcome_count);
  std::vector<double> weights(outcome_count);
  for (std::size_t unit = 0; unit < count; ++unit) {
    draw_weights(words, shape, weights);
    if (prior.records) {
      std::discrete_distribution<std::size_t> record(weights.begin(), weights.end());
      // More records than this tell no more.
      const std::uint64_t records = std::min<std::uint64_t>(*prior.records, std::uint64_t{1} << 20);
      std::vector<double> counts(outcome_count);
      for (std::uint64_t i = 0; i < records; ++i) ++counts[record(words)];
      units.add(std::span<const double>(counts));
    } else {
      units.add(std::span<const double>(weights));
    }
  }
  const std::vector<double> even(outcome_count, 1 / k);
  const double found =
      best_location(units, even, epsilon, BandDivergence::kKullbackLeibler).location;
  // Three digits are as good, and more would depend on the processor.
  const double rounded = std::stod(fmt::format("{:.3g}", found));
  const double least = std::exp(-capped);
  return rounded > least && rounded < 1
             ? rounded
             : std::clamp(found, std::nextafter(least, 1.0), 1 - 0x1p-53);
}

}  // namespace mollify
