// Exact laws of private medians, and all small data sets that they are compared on.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "methods/gaussian/centre.h"

namespace mollify::test {

/// The law of every integer of the range, ascending.
inline std::vector<double> median_law(const PrivateMedian& median, double eta,
                                      const std::vector<std::int64_t>& values) {
  std::vector<double> law;
  double sum = 0;
  for (const PrivateMedian::Interval& interval : median.intervals(values)) {
    const double weight = std::exp(-eta * static_cast<double>(interval.term.distance));
    law.insert(law.end(), interval.term.count, weight);
    sum += weight * static_cast<double>(interval.term.count);
  }
  for (double& probability : law) probability /= sum;
  return law;
}

/// All vectors of n of the choices.
template <class Choice>
std::vector<std::vector<Choice>> data_sets(const std::vector<Choice>& choices, std::size_t n) {
  std::vector<std::vector<Choice>> sets = {{}};
  for (std::size_t i = 0; i < n; ++i) {
    std::vector<std::vector<Choice>> longer;
    for (const auto& set : sets) {
      for (const Choice& choice : choices) {
        longer.push_back(set);
        longer.back().push_back(choice);
      }
    }
    sets = longer;
  }
  return sets;
}

/// Whether exactly one record differs.
template <class Choice>
bool are_neighbours(const std::vector<Choice>& a, const std::vector<Choice>& b) {
  std::size_t different = 0;
  for (std::size_t i = 0; i < a.size(); ++i) different += a[i] == b[i] ? 0u : 1u;
  return different == 1;
}

/// ln p/q over all outcomes.
struct LogRatios {
  double least;
  double greatest;
};

inline LogRatios log_ratios(const std::vector<double>& p, const std::vector<double>& q) {
  LogRatios found{std::log(p[0] / q[0]), std::log(p[0] / q[0])};
  for (std::size_t i = 1; i < p.size(); ++i) {
    const double ratio = std::log(p[i] / q[i]);
    found = {std::min(found.least, ratio), std::max(found.greatest, ratio)};
  }
  return found;
}

inline double renyi_divergence(const std::vector<double>& p, const std::vector<double>& q,
                               double order) {
  double sum = 0;
  for (std::size_t i = 0; i < p.size(); ++i) sum += q[i] * std::pow(p[i] / q[i], order);
  return std::log(sum) / (order - 1);
}

}  // namespace mollify::test
