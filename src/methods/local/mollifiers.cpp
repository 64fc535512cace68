#include "methods/local/mollifiers.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/refusal.h"
#include "core/band.h"
#include "kernel/search.h"
#include "methods/divergence/f_divergence.h"
#include "methods/local/mechanism.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// The sampler of a finitely generated convex mollifier.

namespace {

std::vector<std::uint32_t> every_row(std::size_t count) {
  std::vector<std::uint32_t> rows(count);
  std::iota(rows.begin(), rows.end(), std::uint32_t{0});
  return rows;
}

}  // namespace

ConvexMollifierSampler::ConvexMollifierSampler(MatrixChannel generators, double epsilon)
    : generators_(std::move(generators)), epsilon_(ExpBound(epsilon).epsilon()) {
  refuse_if(
      !generators_.satisfies(ExpBound(epsilon)), "out-of-range", "channel",
      "the generators must be within a factor e^{:g} of one another at every outcome, but are not",
      epsilon);
  const double total = static_cast<double>(generators_.total());
  rows_.reserve(generators_.input_count() * generators_.outcome_count());
  for (std::size_t x = 0; x < generators_.input_count(); ++x) {
    for (std::size_t j = 0; j < generators_.outcome_count(); ++j) {
      rows_.push_back(static_cast<double>(generators_.entry(x, j)) / total);
    }
  }
}

std::vector<double> ConvexMollifierSampler::projection_weights(const ScoredOutcomes& p) const {
  std::vector<double> masses(outcome_count());
  const std::vector<std::uint64_t> weights = InputWeights(p, outcome_count()).dense();
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  if (sum > 0) {
    std::transform(weights.begin(), weights.end(), masses.begin(),
                   [&](std::uint64_t weight) { return static_cast<double>(weight) / sum; });
  }
  // One generator for each outcome is a channel, and P's own weights are the naive sampler A_R: to
  // start there is never to end up worse.
  const std::vector<double> start = generators_.input_count() == outcome_count()
                                        ? masses
                                        : std::vector<double>(generators_.input_count(), 1.0);
  return project_on_convex_hull(masses, {rows_, generators_.input_count(), outcome_count()}, start)
      .weights;
}

void ConvexMollifierSampler::draw_by_law(const ScoredOutcomes& p, const LawWords& words,
                                         std::span<std::uint32_t> released) const {
  const std::vector<std::uint32_t> rows = every_row(generators_.input_count());
  const InputWeights input({rows, projection_weights(p)}, rows.size());
  SecureRandom& random = words(input.integers());
  for (std::uint32_t& outcome : released) {
    const std::uint32_t row = input.empty() ? 0 : input.draw(random);
    outcome = static_cast<std::uint32_t>(generators_.draw(row, random));
  }
}

Law ConvexMollifierSampler::law(const ScoredOutcomes& p) const {
  const std::vector<std::uint32_t> rows = every_row(generators_.input_count());
  std::vector<std::uint64_t> weights =
      InputWeights({rows, projection_weights(p)}, rows.size()).dense();
  if (std::all_of(weights.begin(), weights.end(), [](std::uint64_t w) { return w == 0; })) {
    weights[0] = 1;
  }
  return law_of(generators_, weights);
}

void ConvexMollifierSampler::for_each_public_integer(
    const std::function<void(uint128)>& take) const {
  take(outcome_count());
  for (std::size_t x = 0; x < generators_.input_count(); ++x) {
    for (std::size_t j = 0; j < outcome_count(); ++j) take(generators_.entry(x, j));
  }
}

// -----------------------------------------------------------------------------------------------
// The member of a finitely generated convex mollifier that is closest to P.

namespace {

// Enough for the multiplicative steps to bring back a row that the start leaves out.
constexpr double kUniformShare = 0x1p-10;
// Below this a mixture's mass is too small to divide by.
constexpr double kLeastReach = 0x1p-900;

void require_rows(std::span<const double> p, const DistributionRows& rows,
                  std::span<const double> start) {
  refuse_if(rows.rows == 0 || rows.outcomes == 0 || rows.values.size() != rows.rows * rows.outcomes,
            "wrong-shape", "channel",
            "the generating distributions must fill rows times outcomes with both positive, but {} "
            "values were given for {} times {}",
            rows.values.size(), rows.rows, rows.outcomes);
  refuse_if(p.size() != rows.outcomes || start.size() != rows.rows, "wrong-shape", "channel",
            "P must have {} entries and the start {}, as the generating distributions do, but have "
            "{} and {}",
            rows.outcomes, rows.rows, p.size(), start.size());
  for (std::size_t m = 0; m < rows.rows; ++m) {
    CompensatedSum sum;
    for (const double value : rows.values.subspan(m * rows.outcomes, rows.outcomes)) {
      refuse_if(!(value >= 0.0), "not-a-distribution", "channel",
                "generating distribution {} must not have negative entries, but has {}", m, value);
      sum += value;
    }
    if (!(std::abs(sum.value() - 1.0) <= 1e-9)) {
      refuse_input("not-a-distribution", "channel",
                   "generating distribution {} must sum to one, but sums to {}", m, sum.value());
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
  // Independent partial sums, so that the additions do not have to wait for one another.
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
      if (cleaned[x] > 0.0 && reach[x] > kLeastReach) {
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
      if (!(q[j] > kLeastReach)) return kInfinity;
      sum += p_[j] * std::log(p_[j] / q[j]);
    }
    return sum.value();
  }

  /// g_m; its θ-average is one, and at the optimum none exceeds one.
  void gradient(const std::vector<double>& q, std::vector<double>& g) const {
    std::vector<double> ratio(q.size());
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

/// An iterate with all that is known of it.
struct Iterate {
  std::vector<double> theta;
  std::vector<double> q;
  double divergence = kInfinity;
  std::vector<double> g;
  double gap = kInfinity;
};

/// Fills in everything that follows from theta.
void complete(const Programme& programme, Iterate& iterate) {
  programme.mixture(iterate.theta, iterate.q);
  iterate.divergence = programme.divergence(iterate.q);
  iterate.gap = kInfinity;
  if (std::isinf(iterate.divergence)) return;
  programme.gradient(iterate.q, iterate.g);
  const double largest = *std::max_element(iterate.g.begin(), iterate.g.end());
  if (std::isfinite(largest)) iterate.gap = std::max(0.0, largest - 1.0);
}

/// next.theta = θ·g^power, normalised; false if the arithmetic left nothing usable.
bool take_step(const Iterate& from, double power, Iterate& next) {
  next.theta.resize(from.theta.size());
  for (std::size_t m = 0; m < from.theta.size(); ++m) {
    // Divided by the largest g, so that no power overflows.
    next.theta[m] = from.theta[m] * std::pow(from.g[m] / (1.0 + from.gap), power);
  }
  return make_distribution(next.theta);
}

/// Whether a step helped. KL is flat to second order at its minimum while the gap is not, so once
/// two values of KL cannot be told apart the gap decides.
bool better(const Iterate& next, const Iterate& now) {
  const double resolution =
      8.0 * std::numeric_limits<double>::epsilon() * (1.0 + std::abs(now.divergence));
  if (next.divergence < now.divergence - resolution) return true;
  return next.divergence <= now.divergence + resolution && next.gap < now.gap;
}

}  // namespace

ConvexProjection project_on_convex_hull(std::span<const double> p, const DistributionRows& rows,
                                        std::span<const double> start,
                                        const ConvexProjectionLimits& limits) {
  require_rows(p, rows, start);
  const double uniform = 1.0 / static_cast<double>(rows.rows);
  ConvexProjection result;
  const Programme programme(p, rows);
  if (programme.empty()) {
    result.weights.assign(rows.rows, uniform);
    return result;
  }
  Iterate first;
  first.theta.assign(start.begin(), start.end());
  if (!make_distribution(first.theta)) first.theta.assign(rows.rows, uniform);
  complete(programme, first);

  Iterate now = first;
  for (double& weight : now.theta) {
    weight = (1.0 - kUniformShare) * weight + kUniformShare * uniform;
  }
  complete(programme, now);
  Iterate next;
  double power = 1.0;
  while (std::isfinite(now.gap) && now.gap > limits.gap && result.iterations < limits.iterations) {
    ++result.iterations;
    if (!take_step(now, power, next)) break;
    complete(programme, next);
    if (better(next, now)) {
      std::swap(now, next);
      power *= 2.0;
    } else if (power > 1.0) {
      power = std::max(1.0, 0.25 * power);
    } else {
      break;  // not even the EM step gains anything: only rounding is left
    }
  }
  const Iterate& best = now.divergence <= first.divergence ? now : first;
  result.weights = best.theta;
  result.gap = best.gap;
  return result;
}

// -----------------------------------------------------------------------------------------------
// The Laplace mechanism on an interval, as a public integer matrix between its cells.

namespace {

/// 1 - e^-x for x >= 0, of +, - and x alone, which IEEE 754 rounds alike everywhere.
double same_decay(double x) {
  int halvings = 0;
  for (; x > 0x1p-4; ++halvings) x /= 2;
  double sum = 1;
  for (int term = 12; term > 1; --term) sum = 1 - x / term * sum;
  double decay = x * sum;
  for (; halvings > 0; --halvings) decay *= 2 - decay;
  return decay;
}

}  // namespace

MatrixChannel laplace_channel(std::size_t cells, double epsilon) {
  constexpr std::size_t kMostCells = 4096;
  refuse_outside({.least = 1, .most = static_cast<double>(kMostCells)}, static_cast<double>(cells),
                 "cells", "a Laplace channel must have from 1 to {} cells, but is given {}",
                 kMostCells, cells);
  // Lengths in cells: the centres are k - 1 apart.
  const double range = cells == 1 ? 1 : static_cast<double>(cells - 1);
  const double rate = ExpBound(epsilon).epsilon() / range;
  // Of cells so many apart: 2 sinh(rate / 2) e^(-rate apart), and what is left of its own.
  const double own = same_decay(rate / 2);
  const double step = (1 - own) * (1 - own);
  std::vector<double> masses{2 * own};
  double mass = same_decay(rate) / (1 - own);
  while (masses.size() < cells) masses.push_back(mass *= step);
  std::vector<double> rows;
  rows.reserve(cells * cells);
  for (std::size_t i = 0; i < cells; ++i) {
    for (std::size_t j = 0; j < cells; ++j) rows.push_back(masses[i < j ? j - i : i - j]);
  }
  return MatrixChannel::make(rows, cells, epsilon);
}

// -----------------------------------------------------------------------------------------------
// Scale-and-shift mollification.

void scale_and_shift(std::span<double> masses, std::span<const double> reference, double epsilon) {
  refuse_if(masses.size() != reference.size() || masses.empty(), "wrong-shape", "reference",
            "{} masses need a reference of as many, but it has {}", masses.size(),
            reference.size());
  double whole = 0;
  for (const double mass : reference) {
    refuse_if(!(mass > 0) || !std::isfinite(mass), "not-a-distribution", "reference",
              "a reference's masses must be finite and positive, but one is {:g}", mass);
    whole += mass;
  }
  double greatest = 0;
  for (double& mass : masses) {
    if (!(mass >= 0) || !std::isfinite(mass)) mass = 0;
    greatest = std::max(greatest, mass);
  }
  if (greatest == 0) {
    std::copy(reference.begin(), reference.end(), masses.begin());
    return;
  }
  double sum = 0;
  for (double& mass : masses) sum += mass /= greatest;  // no sum can overflow
  double most = 1;
  double least = 1;
  for (std::size_t i = 0; i < masses.size(); ++i) {
    const double f = masses[i] / sum / (reference[i] / whole);
    most = std::max(most, f);
    least = std::min(least, f);
  }
  const double half = ExpBound(epsilon).epsilon() / 2;
  double scale = 1;
  if (most > 1) scale = std::min(scale, std::expm1(half) / (most - 1));
  if (least < 1) scale = std::min(scale, -std::expm1(-half) / (1 - least));
  for (std::size_t i = 0; i < masses.size(); ++i) {
    const double h = reference[i] / whole;
    masses[i] = h + scale * (masses[i] / sum - h);
  }
}

ScaleAndShiftSampler::ScaleAndShiftSampler(std::vector<double> reference, double epsilon)
    : reference_(std::move(reference)),
      outcomes_(every_row(reference_.size())),
      sampler_(make_band({.outcome_count = reference_.size(),
                          .reference = reference_,
                          .floor = relative_floor(epsilon),
                          .epsilon = epsilon})) {}

std::vector<double> ScaleAndShiftSampler::squeezed(const ScoredOutcomes& p) const {
  std::vector<double> masses(reference_.size());
  const std::size_t count = std::min(p.outcomes.size(), p.weights.size());
  for (std::size_t j = 0; j < count; ++j) {
    if (p.outcomes[j] < masses.size()) masses[p.outcomes[j]] += p.weights[j];
  }
  scale_and_shift(masses, reference_, sampler_.band()->epsilon());
  return masses;
}

void ScaleAndShiftSampler::draw_by_law(const ScoredOutcomes& p, const LawWords& words,
                                       std::span<std::uint32_t> released) const {
  const std::vector<double> masses = squeezed(p);
  sampler_.draw_by_law({outcomes_, masses}, words, released);
}

Law ScaleAndShiftSampler::law(const ScoredOutcomes& p) const {
  const std::vector<double> masses = squeezed(p);
  return sampler_.law({outcomes_, masses});
}

}  // namespace mollify
