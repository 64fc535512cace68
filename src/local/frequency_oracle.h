// What the best known reports for estimation alone would reach.
#pragma once

#include <algorithm>
#include <cmath>

namespace mollify {

/// Reports are sets of d of the k outcomes, with the value inside with probability
/// d E / (d E + k - d), else without it, all such sets alike: epsilon-LDP, and with d the whole
/// number from 1 nearest to k / (E + 1) the least mean squared error that is known for estimating k
/// frequencies [Ye, Barg 2018; Wang et al. 2019]. No report is a record.
///
/// Returned is n times the variance of the estimated frequency of an outcome,
///   f (1 - f) / (p - s)^2,  p = d E / (d E + k - d),  s = (p (d - 1) + (1 - p) d) / (k - 1),
/// where f = s + frequency (p - s) is how often it is in the set. k at least 2; d = 1 is randomized
/// response.
[[nodiscard]] inline double subset_report_variance(double k, double epsilon, double d,
                                                   double frequency = 0) {
  const double e = std::exp(epsilon);
  const double p = d * e / (d * e + k - d);
  const double s = (p * (d - 1) + (1 - p) * d) / (k - 1);
  const double f = s + frequency * (p - s);
  return f * (1 - f) / ((p - s) * (p - s));
}

/// The same with the best d.
[[nodiscard]] inline double subset_selection_variance(double k, double epsilon,
                                                      double frequency = 0) {
  const double d = std::max(1.0, std::round(k / (std::exp(epsilon) + 1)));
  return subset_report_variance(k, epsilon, d, frequency);
}

}  // namespace mollify
