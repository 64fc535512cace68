#include "laboratory/law/candidate_law.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "kernel/core/exp_bound.h"
#include "kernel/core/invalid_input.h"
#include "kernel/search/band_spec.h"
#include "kernel/search/projection.h"
#include "laboratory/law/table_scale.h"
#include "space/seeded_random.h"

namespace mollify {

CandidateLaw::CandidateLaw(const Measure& p, const Measure& reference, std::size_t count,
                           double floor, double epsilon)
    : p_(&p),
      reference_(&reference),
      floor_(floor),
      band_(make_band({.outcome_count = count, .floor = floor, .epsilon = epsilon})),
      table_(band_),
      masses_(count) {
  if (p.dimension() != reference.dimension()) {
    throw InvalidInput(
        fmt::format("the reference must have the density's {} dimensions, but has {}",
                    p.dimension(), reference.dimension()));
  }
  SeededRandom random(kList);
  std::vector<double> point(p.dimension());
  double sum = 0;
  for (double& mass : masses_) {
    reference.simulate(random, point);
    mass = p.density(point) / reference.density(point);
    sum += mass;
  }
  mean_score_ = sum / static_cast<double>(count);
  project(table_, masses_);
  if (sum > 0) {
    for (double& mass : masses_) mass /= sum;
  }
}

std::vector<double> CandidateLaw::probabilities() const { return mollify::probabilities(table_); }

double CandidateLaw::scale() const { return scale_of(table_, masses_) * mean_score_; }

double CandidateLaw::density(std::span<const double> point) const {
  const double h = reference_->density(point);
  const double upper = floor_ * std::exp(ExpBound(band_.epsilon()).epsilon());
  return std::clamp(p_->density(point) / scale(), floor_ * h, upper * h);
}

}  // namespace mollify
