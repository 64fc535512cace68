#include "tuning/band_contest.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "kernel/core/exp_bound.h"
#include "tuning/band_objective.h"

namespace mollify {
namespace {

constexpr std::array<double, 7> kShares = {0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5};

std::vector<double> even_masses(std::size_t k) {
  return std::vector<double>(k, 1 / static_cast<double>(k));
}

std::vector<double> reference_from(const UnitMasses& units) {
  std::vector<double> mean = units.mean();
  for (double& mass : mean) mass = 0.99 * mass + 0.01 / static_cast<double>(mean.size());
  return mean;
}

std::vector<double> scaled(std::vector<double> masses, double factor) {
  for (double& mass : masses) mass *= factor;
  return masses;
}

std::vector<double> between(const std::vector<double>& from, const std::vector<double>& to,
                            double share) {
  std::vector<double> mixed(from.size());
  for (std::size_t i = 0; i < from.size(); ++i) mixed[i] = (1 - share) * from[i] + share * to[i];
  return mixed;
}

}  // namespace

BandContest band_contest(const UnitMasses& units, double epsilon, BandDivergence divergence,
                         const std::function<void(std::size_t)>& done) {
  const double e = std::exp(ExpBound(epsilon).epsilon());
  const std::size_t k = units.outcome_count();
  const std::vector<double> even = even_masses(k);
  BandContest contest;
  contest.minimax =
      BandObjective(units, e, divergence)
          .value(std::vector<double>(k, 1 / (e + static_cast<double>(k) - 1) * (1 - 1e-12)));
  contest.even = best_location(units, even, epsilon, divergence);
  contest.from_units = best_location(units, reference_from(units), epsilon, divergence);
  const auto searched = [&](std::size_t searches) {
    return [&done, searches](double) {
      if (done) done(searches);
    };
  };
  contest.best = best_band(units, epsilon, divergence, {}, searched(0));
  if (done) done(1);

  if (units.size() >= kHeldOutParts) {
    std::array<double, kShares.size()> by_share{};
    double even_sum = 0;
    double from_units_sum = 0;
    for (std::size_t part = 0; part < kHeldOutParts; ++part) {
      const UnitMasses seen = units.without(part, kHeldOutParts);
      const UnitMasses unseen = units.only(part, kHeldOutParts);
      const BandObjective measured(unseen, e, divergence);
      const double weight = static_cast<double>(unseen.size()) / static_cast<double>(units.size());
      const std::vector<double> even_lower =
          scaled(even, best_location(seen, even, epsilon, divergence).location);
      const std::vector<double> reference = reference_from(seen);
      even_sum += weight * measured.value(even_lower);
      from_units_sum +=
          weight * measured.value(scaled(
                       reference, best_location(seen, reference, epsilon, divergence).location));
      const BestBand found = best_band(seen, epsilon, divergence, {}, searched(part + 1));
      for (std::size_t i = 0; i < kShares.size(); ++i) {
        by_share[i] += weight * measured.value(between(found.lower, even_lower, kShares[i]));
      }
      if (done) done(part + 2);
    }
    contest.even_held_out = even_sum;
    contest.from_units_held_out = from_units_sum;
    contest.best_held_out = by_share[0];
    const auto* const least = std::min_element(by_share.begin(), by_share.end());
    contest.share = kShares[static_cast<std::size_t>(least - by_share.begin())];
    contest.written_held_out = *least;
  }
  contest.written = between(contest.best.lower, scaled(even, contest.even.location), contest.share);
  return contest;
}

}  // namespace mollify
