#include "accounting/subset_blanket.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "accounting/directed_rounding.h"
#include "accounting/mean_excess.h"
#include "accounting/privacy_blanket.h"

namespace mollify {

double subset_odds_down(const ShuffledSubset& response, double epsilon) {
  const double n = static_cast<double>(response.records);
  const double m = static_cast<double>(response.chosen);
  const double more = std::max(0.0, std::nextafter(exp_down(epsilon) - 1.0, 0.0));
  // Two roundings, each by half a unit in the last place.
  const double odds = 1.0 + std::nextafter(std::nextafter(more * (n / m), 0.0), 0.0);
  return std::max(1.0, std::nextafter(odds, 0.0));
}

double subset_odds_up(const ShuffledSubset& response, double epsilon) {
  const double n = static_cast<double>(response.records);
  const double m = static_cast<double>(response.chosen);
  const double more = std::nextafter(exp_up(epsilon) - 1.0, HUGE_VAL);
  const double product = std::nextafter(std::nextafter(more * (n / m), HUGE_VAL), HUGE_VAL);
  return std::nextafter(1.0 + product, HUGE_VAL);
}

DeltaBounds subset_blanket(const ShuffledSubset& response, double epsilon, double interest) {
  validate(response);
  require_total_epsilon(epsilon);
  if (response.chosen == response.records) {
    return privacy_blanket({response.records, response.outcomes, response.epsilon0}, epsilon,
                           interest);
  }
  const double e = subset_odds_down(response, epsilon);
  const double e0 = exp_up(response.epsilon0);
  if (response.outcomes == 1 || e >= e0) return {0.0, 0.0};
  const double n = static_cast<double>(response.records);
  const double m = static_cast<double>(response.chosen);
  const double k = static_cast<double>(response.outcomes);
  const double q = m / n;
  const double others = (n - m) / n;
  const double more = e - 1.0;
  const double one = 1.0 / (e0 + (k - 1.0));
  // Sums of negative numbers, so that nothing cancels.
  const std::array<Atom, 3> losses = {{{-((e0 - 1.0) + q * more * e0 + others * more), one},
                                       {-more, (k - 2.0) * one},
                                       {-others * more, (e0 - 1.0) * one}}};
  const MeanExcess joint = mean_excess({e0 - e, one}, losses, response.chosen, interest * n);
  if (joint.upper <= interest * n) return {0.0, div_up(joint.upper, n)};
  const DeltaBounds apart = privacy_blanket({response.chosen, response.outcomes, response.epsilon0},
                                            std::max(0.0, ln_down(e)), interest * n / m);
  return {std::min(-div_up(mul_up(-apart.lower, m), n), div_down(std::max(0.0, joint.lower), n)),
          std::min({1.0, div_up(mul_up(apart.upper, m), n), div_up(joint.upper, n)})};
}

}  // namespace mollify
