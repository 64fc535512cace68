#include "mollify/divergence/convex_projection.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "mollify/divergence/compensated_sum.h"
#include "mollify/kernel/invalid_input.h"

namespace mollify {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// Enough for the multiplicative steps to bring back a row that the start leaves out.
constexpr double kUniformShare = 0x1p-10;
// Below this a mixture's mass is too small to divide by.
constexpr double kLeastMass = 0x1p-900;

void require_rows(std::span<const double> p, const DistributionRows& rows,
                  std::span<const double> start) {
  if (rows.rows == 0 || rows.outcomes == 0 || rows.values.size() != rows.rows * rows.outcomes) {
    throw InvalidInput(
        fmt::format("the generating distributions must fill rows times outcomes with both "
                    "positive, but {} values were given for {} times {}",
                    rows.values.size(), rows.rows, rows.outcomes));
  }
  if (p.size() != rows.outcomes || start.size() != rows.rows) {
    throw InvalidInput(fmt::format(
        "P must have {} entries and the start {}, as the generating distributions do, but have {} "
        "and {}",
        rows.outcomes, rows.rows, p.size(), start.size()));
  }
  for (std::size_t m = 0; m < rows.rows; ++m) {
    CompensatedSum sum;
    for (const double value : rows.values.subspan(m * rows.outcomes, rows.outcomes)) {
      if (!(value >= 0.0)) {
        throw InvalidInput(fmt::format(
            "generating distribution {} must not have negative entries, but has {}", m, value));
      }
      sum += value;
    }
    if (!(std::abs(sum.value() - 1.0) <= 1e-9)) {
      throw InvalidInput(fmt::format("generating distribution {} must sum to one, but sums to {}",
                                     m, sum.value()));
    }
  }
}

/// A distribution made of whatever was given; false if nothing in it is finite and positive.
bool make_distribution(std::vector<double>& values) {
  double largest = 0.0;
  for (double& value : values) {
    if (!(value > 0.0) || std::isinf(value)) value = 0.0;
    largest = std::max(largest, value);
  }
  if (!(largest > 0.0)) return false;
  double sum = 0.0;
  for (double& value : values) {
    value /= largest;
    sum += value;
  }
  for (double& value : values) value /= sum;
  return true;
}

double dot(const double* a, const double* b, std::size_t size) {
  // Independent partial sums, so that the additions need not wait for one another.
  std::array<double, 8> partial{};
  std::size_t i = 0;
  for (; i + 8 <= size; i += 8) {
    for (std::size_t lane = 0; lane < 8; ++lane) partial[lane] += a[i + lane] * b[i + lane];
  }
  double sum = 0.0;
  for (; i < size; ++i) sum += a[i] * b[i];
  for (const double lane : partial) sum += lane;
  return sum;
}

/// The programme restricted to the outcomes that P has and some row reaches.
class Programme {
 public:
  Programme(std::span<const double> p, const DistributionRows& rows) : rows_(rows.rows) {
    std::vector<double> cleaned(p.begin(), p.end());
    if (!make_distribution(cleaned)) return;
    std::vector<double> reach(rows.outcomes, 0.0);
    for (std::size_t m = 0; m < rows.rows; ++m) {
      const double* row = rows.values.data() + m * rows.outcomes;
      for (std::size_t x = 0; x < rows.outcomes; ++x) reach[x] = std::max(reach[x], row[x]);
    }
    std::vector<std::size_t> kept;
    for (std::size_t x = 0; x < rows.outcomes; ++x) {
      if (cleaned[x] > 0.0 && reach[x] > kLeastMass) {
        kept.push_back(x);
        p_.push_back(cleaned[x]);
      }
    }
    if (!make_distribution(p_)) return;
    matrix_.resize(rows_ * kept.size());
    for (std::size_t m = 0; m < rows_; ++m) {
      for (std::size_t j = 0; j < kept.size(); ++j) {
        matrix_[m * kept.size() + j] = rows.values[m * rows.outcomes + kept[j]];
      }
    }
  }

  bool empty() const { return matrix_.empty(); }

  /// Q_θ on the kept outcomes.
  void mixture(const std::vector<double>& theta, std::vector<double>& q) const {
    q.assign(p_.size(), 0.0);
    for (std::size_t m = 0; m < rows_; ++m) {
      if (theta[m] == 0.0) continue;
      const double weight = theta[m];
      const double* row = matrix_.data() + m * p_.size();
      for (std::size_t j = 0; j < q.size(); ++j) q[j] += weight * row[j];
    }
  }

  /// Σ P ln(P/Q), infinite where Q is too small to work with.
  double divergence(const std::vector<double>& q) const {
    CompensatedSum sum;
    for (std::size_t j = 0; j < q.size(); ++j) {
      if (!(q[j] > kLeastMass)) return kInfinity;
      sum += p_[j] * std::log(p_[j] / q[j]);
    }
    return sum.value();
  }

  /// g_m; its θ-average is one, and at the optimum none exceeds one.
  void gradient(const std::vector<double>& q, std::vector<double>& ratio,
                std::vector<double>& g) const {
    ratio.resize(q.size());
    for (std::size_t j = 0; j < q.size(); ++j) ratio[j] = p_[j] / q[j];
    g.resize(rows_);
    for (std::size_t m = 0; m < rows_; ++m) {
      g[m] = dot(ratio.data(), matrix_.data() + m * q.size(), q.size());
    }
  }

 private:
  std::size_t rows_;
  std::vector<double> p_;
  std::vector<double> matrix_;
};

/// θ·g^power, normalised; false if the arithmetic left nothing usable.
bool step(const std::vector<double>& theta, const std::vector<double>& g, double largest,
          double power, std::vector<double>& next) {
  next.resize(theta.size());
  for (std::size_t m = 0; m < theta.size(); ++m) {
    next[m] = theta[m] * std::pow(g[m] / largest, power);
  }
  return make_distribution(next);
}

}  // namespace

ConvexProjection project_on_convex_hull(std::span<const double> p, const DistributionRows& rows,
                                        std::span<const double> start,
                                        const ConvexProjectionLimits& limits) {
  require_rows(p, rows, start);
  const double uniform = 1.0 / static_cast<double>(rows.rows);
  ConvexProjection result;
  result.weights.assign(start.begin(), start.end());
  if (!make_distribution(result.weights)) result.weights.assign(rows.rows, uniform);
  const Programme programme(p, rows);
  if (programme.empty()) {
    result.weights.assign(rows.rows, uniform);
    return result;
  }

  std::vector<double> q, ratio, g, candidate, candidate_q;
  programme.mixture(result.weights, q);
  const double start_divergence = programme.divergence(q);
  const std::vector<double> start_weights = result.weights;

  std::vector<double> theta = start_weights;
  for (double& weight : theta) weight = (1.0 - kUniformShare) * weight + kUniformShare * uniform;
  programme.mixture(theta, q);
  double divergence = programme.divergence(q);
  double power = 1.0;
  double gap = kInfinity;
  for (;; ++result.iterations) {
    programme.gradient(q, ratio, g);
    const double largest = *std::max_element(g.begin(), g.end());
    if (!std::isfinite(largest) || !(largest > 0.0)) break;
    gap = std::max(0.0, largest - 1.0);
    if (gap <= limits.gap || result.iterations >= limits.iterations) break;

    power = std::max(1.0, 1.5 * power);
    bool moved = false;
    while (!moved) {
      if (!step(theta, g, largest, power, candidate)) break;
      programme.mixture(candidate, candidate_q);
      const double reached = programme.divergence(candidate_q);
      if (reached < divergence || (power == 1.0 && reached == divergence)) {
        moved = true;
        divergence = reached;
      } else if (power == 1.0) {
        break;  // the EM step gains nothing any more: rounding is all that is left
      } else {
        power = std::max(1.0, 0.25 * power);
      }
    }
    if (!moved) break;
    theta.swap(candidate);
    q.swap(candidate_q);
  }
  if (divergence <= start_divergence) {
    result.weights = theta;
    result.gap = gap;
  } else {
    programme.mixture(start_weights, q);
    programme.gradient(q, ratio, g);
    const double largest = *std::max_element(g.begin(), g.end());
    result.gap = std::isfinite(largest) ? std::max(0.0, largest - 1.0) : kInfinity;
  }
  return result;
}

}  // namespace mollify
