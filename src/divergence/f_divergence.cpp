#include "divergence/f_divergence.h"

#include <cmath>
#include <cstddef>

#include <fmt/format.h>

#include "divergence/compensated_sum.h"
#include "divergence/divergence_terms.h"
#include "kernel/core/invalid_input.h"

namespace mollify {

void require_same_outcomes(std::span<const double> p, std::span<const double> q) {
  if (p.size() == q.size()) return;
  throw InvalidInput(
      fmt::format("P and Q must be distributions on the same outcomes, but have {} and {}",
                  p.size(), q.size()));
}

double kullback_leibler(std::span<const double> p, std::span<const double> q) {
  require_same_outcomes(p, q);
  CompensatedSum sum;
  for (std::size_t i = 0; i < p.size(); ++i) sum += relative_entropy_term(p[i], q[i], p[i] - q[i]);
  return sum.value();
}

double total_variation(std::span<const double> p, std::span<const double> q) {
  require_same_outcomes(p, q);
  CompensatedSum sum;
  for (std::size_t i = 0; i < p.size(); ++i) sum += std::abs(p[i] - q[i]);
  return 0.5 * sum.value();
}

double squared_hellinger(std::span<const double> p, std::span<const double> q) {
  require_same_outcomes(p, q);
  CompensatedSum sum;
  for (std::size_t i = 0; i < p.size(); ++i) sum += squared_hellinger_term(p[i], q[i], p[i] - q[i]);
  return sum.value();
}

double chi_squared(std::span<const double> p, std::span<const double> q) {
  require_same_outcomes(p, q);
  CompensatedSum sum;
  for (std::size_t i = 0; i < p.size(); ++i) sum += chi_squared_term(q[i], p[i] - q[i]);
  return sum.value();
}

DivergenceReport divergence_report(std::span<const double> p, std::span<const double> q) {
  return {kullback_leibler(p, q), total_variation(p, q), squared_hellinger(p, q),
          chi_squared(p, q)};
}

std::string DivergenceReport::text() const {
  std::string words;
  for (const DivergenceName& one : kDivergenceNames) {
    words += fmt::format("{}{} {:.6g}", words.empty() ? "" : ", ", one.words, this->*one.value);
  }
  return words;
}

}  // namespace mollify
