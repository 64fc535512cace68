#include "local/band_tuning.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "kernel/search/band_spec.h"
#include "kernel/search/projection.h"

namespace mollify {
namespace {

/// Applies `combine` to each of the four divergences.
template <class Combine>
DivergenceReport combined(const DivergenceReport& a, const DivergenceReport& b, Combine combine) {
  return {combine(a.kl, b.kl), combine(a.tv, b.tv), combine(a.hellinger2, b.hellinger2),
          combine(a.chi2, b.chi2)};
}

}  // namespace

BandTuning::BandTuning(std::span<const double> floors, std::size_t outcome_count,
                       std::span<const double> reference, double epsilon)
    : sums_(floors.size()), p_(outcome_count), q_(outcome_count) {
  for (const double floor : floors) {
    bands_.push_back(make_band({.outcome_count = outcome_count,
                                .reference = reference,
                                .floor = floor,
                                .epsilon = epsilon}));
    tables_.emplace_back(bands_.back());
  }
}

void BandTuning::add(std::span<const float> scores) {
  std::transform(scores.begin(), scores.end(), p_.begin(), [](float score) {
    return score > 0 && std::isfinite(score) ? static_cast<double>(score) : 0.0;
  });
  const double sum = std::accumulate(p_.begin(), p_.end(), 0.0);
  if (!(sum > 0)) return;
  for (double& mass : p_) mass /= sum;
  for (std::size_t i = 0; i < tables_.size(); ++i) {
    project(tables_[i], p_);
    const auto numerators = tables_[i].numerators();
    const double total = static_cast<double>(bands_[i].total());
    std::transform(numerators.begin(), numerators.end(), q_.begin(),
                   [total](std::uint64_t n) { return static_cast<double>(n) / total; });
    const DivergenceReport found = divergence_report(p_, q_);
    sums_[i].mean = combined(sums_[i].mean, found, std::plus<>());
    sums_[i].worst =
        combined(sums_[i].worst, found, [](double a, double b) { return std::max(a, b); });
  }
  ++units_;
}

std::vector<BandTuning::Result> BandTuning::results() const {
  std::vector<Result> results = sums_;
  const double units = static_cast<double>(std::max<std::uint64_t>(units_, 1));
  for (Result& result : results) {
    result.mean = combined(result.mean, {}, [units](double sum, double) { return sum / units; });
  }
  return results;
}

}  // namespace mollify
