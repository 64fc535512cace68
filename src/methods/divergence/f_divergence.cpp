#include "methods/divergence/f_divergence.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/refusal.h"
#include "core/ranges.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// f-divergences between two distributions on the same finite set of outcomes.

void require_same_outcomes(std::span<const double> p, std::span<const double> q) {
  if (p.size() == q.size()) return;
  refuse_input("wrong-shape", {},
               "P and Q must be distributions on the same outcomes, but have {} and {}", p.size(),
               q.size());
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

// -----------------------------------------------------------------------------------------------
// A public reference on finitely many outcomes, as far as risks and plans depend on it.

ReferenceMasses::ReferenceMasses(std::uint64_t outcomes, std::vector<double> masses)
    : outcomes_(outcomes), masses_(std::move(masses)) {}

ReferenceMasses ReferenceMasses::uniform(std::uint64_t outcomes) {
  constexpr std::uint64_t kLargest = std::uint64_t{1} << 53;
  require_between({"the number of outcomes k", "k", "outcomes"}, outcomes, 1, kLargest);
  return {outcomes, {}};
}

ReferenceMasses ReferenceMasses::given(std::span<const double> masses) {
  std::vector<double> positive;
  CompensatedSum sum;
  for (std::size_t i = 0; i < masses.size(); ++i) {
    if (!(masses[i] >= 0.0) || std::isinf(masses[i])) {
      refuse_input("not-a-distribution", "reference",
                   "the reference mass of outcome {} must be finite and not negative, but is {}", i,
                   masses[i]);
    }
    if (masses[i] > 0.0) positive.push_back(masses[i]);
    sum += masses[i];
  }
  const double total = sum.value();
  refuse_if(!(std::abs(total - 1.0) <= 1e-9), "not-a-distribution", "reference",
            "the reference masses must sum to one, but sum to {}", total);
  if (std::all_of(positive.begin(), positive.end(),
                  [&](double mass) { return mass == positive.front(); })) {
    return {positive.size(), {}};
  }
  for (double& mass : positive) mass /= total;
  const std::uint64_t outcomes = positive.size();
  return {outcomes, std::move(positive)};
}

double ReferenceMasses::smallest_mass() const {
  return is_uniform() ? mass(0) : *std::min_element(masses_.begin(), masses_.end());
}

ReferenceMasses ReferenceMasses::merged_in_pairs() const {
  if (is_uniform() && outcomes_ % 2 == 0) return uniform(outcomes_ / 2);
  if (outcomes_ == 1) return *this;
  // An odd uniform number of outcomes leaves one unpaired, but storing 2^53 masses to say so is
  // not worth it: the plan that asks speaks of half as many outcomes.
  if (is_uniform()) return uniform(outcomes_ / 2 + 1);
  std::vector<double> merged;
  merged.reserve(masses_.size() / 2 + 1);
  for (std::size_t i = 0; i < masses_.size(); i += 2) {
    merged.push_back(masses_[i] + (i + 1 < masses_.size() ? masses_[i + 1] : 0.0));
  }
  return given(merged);
}

// -----------------------------------------------------------------------------------------------
// How near single draws must be if many of them together are near.

namespace {

constexpr std::uint64_t kMostCoins = std::uint64_t{1} << 20U;

void require_coins(std::uint64_t m) {
  require_between({"the number of draws", "count", "draws"}, m, 1, kMostCoins);
}

/// ln of the probability of k hits without the binomial coefficient; 0 ln 0 is 0.
double log_of_hits(double hits, double misses, double p) {
  const double of_hits = hits == 0 ? 0 : hits * std::log(p);
  return of_hits + (misses == 0 ? 0 : misses * std::log1p(-p));
}

}  // namespace

double binomial_total_variation(std::uint64_t m, double p, double q) {
  require_coins(m);
  require_between("p", p, 0, 1);
  require_between("q", q, 0, 1);
  const auto count = static_cast<double>(m);
  CompensatedSum sum;
  for (std::uint64_t k = 0; k <= m; ++k) {
    const auto hits = static_cast<double>(k);
    const double choices =
        std::lgamma(count + 1) - std::lgamma(hits + 1) - std::lgamma(count - hits + 1);
    const double of_p = std::exp(choices + log_of_hits(hits, count - hits, p));
    const double of_q = std::exp(choices + log_of_hits(hits, count - hits, q));
    sum += std::max(of_p - of_q, 0.0);
  }
  return std::min(sum.value(), 1.0);
}

double joint_total_variation_least(std::uint64_t m, double alpha) {
  require_coins(m);
  require_between("alpha", alpha, 0, 1);
  const auto apart = [&](double p) { return binomial_total_variation(m, p + alpha, p); };
  constexpr int kParts = 64;
  double best = 0;
  double least = std::numeric_limits<double>::infinity();
  const double whole = 1 - alpha;
  for (int i = 0; i <= kParts; ++i) {
    const double p = whole * i / kParts;
    const double value = apart(p);
    if (value < least) {
      least = value;
      best = p;
    }
  }
  double low = std::max(0.0, best - whole / kParts);
  double high = std::min(whole, best + whole / kParts);
  while (high - low > 1e-7) {
    const double third = (high - low) / 3;
    const double left = apart(low + third);
    const double right = apart(high - third);
    least = std::min({least, left, right});
    (left < right ? high : low) = left < right ? high - third : low + third;
  }
  return least;
}

double single_total_variation_most(std::uint64_t m, double joint) {
  require_coins(m);
  require_between("joint", joint, 0, 1);
  double low = 0;
  double high = joint;  // m draws are at least as far apart as one
  while (high - low > 1e-6 * high && high > 1e-15) {
    const double middle = (low + high) / 2;
    (joint_total_variation_least(m, middle) <= joint ? low : high) = middle;
  }
  return low;
}

}  // namespace mollify
