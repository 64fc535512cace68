#include "estimate/band_bounds.h"

#include <algorithm>

namespace mollify {
namespace {

constexpr double kBoundOutward = 1e-9;

double upper_bound(double x, const EventEdges& inside, const EventEdges& outside, double e) {
  const double least = std::max(inside.lower, 1 - outside.upper);
  const double greatest = std::min(1 - outside.lower, inside.upper);
  const double full = std::min(greatest, std::max(least, inside.lower + inside.least_gap));
  if (x >= full || full <= least) return 1;
  const double above_edge = std::max(0.0, 1 - least - outside.lower) / (e - 1);
  const double f = std::min(1.0, least / (1 - outside.lower + above_edge));
  return f + (1 - f) * std::max(0.0, x - least) / (full - least);
}

}  // namespace

void EventEdges::add(const Band& band, std::size_t outcome) {
  const auto whole = static_cast<double>(band.total());
  const double low = static_cast<double>(band.lower(outcome)) / whole;
  const double high = static_cast<double>(band.upper(outcome)) / whole;
  lower += low;
  upper += high;
  least_gap = std::min(least_gap, high - low);
}

ConfidenceInterval band_bounds(const ConfidenceInterval& law, const EventEdges& inside,
                               const EventEdges& outside, double e) {
  const double lower = 1 - upper_bound(1 - law.lower, outside, inside, e);
  const double upper = upper_bound(law.upper, inside, outside, e);
  return {std::max(0.0, lower - kBoundOutward), std::min(1.0, upper + kBoundOutward)};
}

double greatest_edge_ratio(const Band& band) {
  double greatest = 1;
  for (std::size_t i = 0; i < (band.is_uniform() ? 1 : band.outcome_count()); ++i) {
    if (band.lower(i) == 0) continue;
    greatest =
        std::max(greatest, static_cast<double>(band.upper(i)) / static_cast<double>(band.lower(i)));
  }
  return greatest;
}

}  // namespace mollify
