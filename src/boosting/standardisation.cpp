#include "boosting/standardisation.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>

#include "density/points.h"

namespace mollify::detail {
namespace {

/// Mean over finite values of value (power 1) or of its squared distance from `centre` (power 2).
struct Mean {
  double value;
  bool exists;
};

template <class Term>
Mean mean_of(std::span<const float> values, Term term) {
  double sum = 0;
  std::size_t count = 0;
  for (const float value : values) {
    if (!std::isfinite(value)) continue;
    sum += term(static_cast<double>(value));
    ++count;
  }
  return {count == 0 ? 0 : sum / static_cast<double>(count), count > 0};
}

template <class Term>
double balanced_mean(std::span<const float> p, std::span<const float> q, Term term) {
  const Mean of_p = mean_of(p, term);
  const Mean of_q = mean_of(q, term);
  return of_p.exists && of_q.exists ? of_p.value / 2 + of_q.value / 2 : of_p.value + of_q.value;
}

}  // namespace

Standardisation standardisation_of(const Points& p, const Points& q) {
  Standardisation result;
  for (std::size_t f = 0; f < p.dimension(); ++f) {
    const double mean = balanced_mean(p.values(f), q.values(f), [](double value) { return value; });
    const double variance = balanced_mean(
        p.values(f), q.values(f), [&](double value) { return (value - mean) * (value - mean); });
    const double factor = variance > 0 ? 1 / std::sqrt(variance) : 0;
    constexpr double kMost = std::numeric_limits<float>::max();
    result.centres.push_back(static_cast<float>(mean));
    result.factors.push_back(static_cast<float>(std::min(factor, kMost)));
  }
  return result;
}

void standardise(std::span<const float> values, float centre, float factor, float* to) {
  for (const float value : values) {
    const float standard = (value - centre) * factor;
    *to++ = std::isfinite(standard) ? standard : 0.0F;
  }
}

}  // namespace mollify::detail
