#include "laboratory/law/law.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/refusal.h"
#include "kernel/search.h"
#include "methods/divergence/f_divergence.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// The law over public candidates that represent a continuous space, for analysis.

CandidateLaw::CandidateLaw(const Measure& p, const Measure& reference, std::size_t count,
                           double floor, double epsilon)
    : p_(&p),
      reference_(&reference),
      floor_(floor),
      band_(make_band({.outcome_count = count, .floor = floor, .epsilon = epsilon})),
      table_(band_),
      masses_(count) {
  refuse_if(p.dimension() != reference.dimension(), "wrong-shape", "reference",
            "the reference must have the density's {} dimensions, but has {}", p.dimension(),
            reference.dimension());
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

// -----------------------------------------------------------------------------------------------
// The band sampler of a continuous space.

namespace {

constexpr double kLeastCellMass = 0x1p-80;

std::vector<double> masses_on(const Measure& reference, const Grid& grid) {
  refuse_if(reference.dimension() != grid.dimension(), "wrong-shape", "reference",
            "the reference must have the grid's {} dimensions, but has {}", grid.dimension(),
            reference.dimension());
  std::vector<double> masses(grid.cell_count());
  reference.cell_masses(grid, masses);
  for (double& mass : masses) mass = std::max(mass, kLeastCellMass);
  return masses;
}

}  // namespace

GridSampler::GridSampler(std::shared_ptr<const Measure> reference, Grid grid, double floor,
                         double epsilon)
    : reference_(std::move(reference)),
      grid_(std::move(grid)),
      reference_masses_(masses_on(*reference_, grid_)),
      band_(make_band({.reference = reference_masses_, .floor = floor, .epsilon = epsilon})) {}

GridRelease::GridRelease(const GridSampler& sampler)
    : sampler_(&sampler), masses_(sampler.grid().cell_count()), table_(sampler.band()) {}

void GridRelease::assign(const Measure& p) {
  if (p.dimension() != sampler_->grid().dimension()) {
    refuse_input("wrong-shape", "density",
                 "the density must have the grid's {} dimensions, but has {}",
                 sampler_->grid().dimension(), p.dimension());
  }
  p.cell_masses(sampler_->grid(), masses_);
  project(table_, masses_);
}

void GridRelease::assign(std::span<const double> cell_masses) {
  project(table_, cell_masses);  // refuses any other number of them
  std::copy(cell_masses.begin(), cell_masses.end(), masses_.begin());
}

void GridRelease::simulate(SeededRandom& random, std::span<double> point) const {
  const Box cell = sampler_->grid().cell(table_.outcome_at(random.below(table_.band().total())));
  sampler_->reference().simulate_inside(random, cell, point);
}

double GridRelease::density(std::span<const double> point) const {
  const Box box = sampler_->grid().box();
  for (std::size_t axis = 0; axis < box.size(); ++axis) {
    if (!box[axis].contains(point[axis])) return 0;
  }
  const std::size_t cell = sampler_->grid().cell_of(point);
  const double probability = static_cast<double>(table_.numerators()[cell]) /
                             static_cast<double>(sampler_->band().total());
  return probability * (sampler_->reference().density(point) / sampler_->reference_masses()[cell]);
}

double GridRelease::scale() const { return scale_of(table_, masses_); }

// -----------------------------------------------------------------------------------------------
// The divergences in which privacy is stated.

namespace {

/// e^v − 1 − v.
double exponential_remainder(double v) {
  if (std::abs(v) >= 0.25) return std::expm1(v) - v;
  // v²/2·(1 + v/3·(1 + v/4·(…))): the terms left out are below 2^−56 of the first.
  double nested = 1.0;
  for (int n = 14; n >= 3; --n) nested = 1.0 + v / n * nested;
  return 0.5 * v * v * nested;
}

double max_log_ratio(std::span<const double> p, std::span<const double> q) {
  double largest = -kInfinity;
  for (std::size_t i = 0; i < p.size(); ++i) {
    if (p[i] <= 0.0) continue;
    if (q[i] <= 0.0) return kInfinity;
    largest = std::max(largest, log_ratio(p[i], q[i], p[i] - q[i]));
  }
  return largest;
}

/// (Σ P^α Q^{1−α} − 1)/(α − 1) for distributions, as a sum of second-order terms.
///
/// Σ P^α Q^{1−α} − 1 = Σ Q·(x^α − 1 − α(x−1)) because P and Q have equal mass, and with
/// v = (α−1)·ln x the bracket over (α−1) is (x ln x − x + 1) + x·(e^v − 1 − v)/(α−1).
double scaled_power_sum(double alpha, std::span<const double> p, std::span<const double> q) {
  const double order = alpha - 1.0;
  CompensatedSum sum;
  for (std::size_t i = 0; i < p.size(); ++i) {
    if (p[i] <= 0.0) {
      sum += q[i];
    } else if (q[i] <= 0.0) {
      sum += order > 0.0 ? kInfinity : p[i] * (alpha / -order);
    } else {
      sum += relative_entropy_term(p[i], q[i], p[i] - q[i]);
      sum += p[i] * (exponential_remainder(order * log_ratio(p[i], q[i], p[i] - q[i])) / order);
    }
  }
  return sum.value();
}

/// ln Σ P^α Q^{1−α}, safe from overflow.
double log_power_sum(double alpha, std::span<const double> p, std::span<const double> q) {
  const auto exponent = [&](std::size_t i) {
    return alpha * std::log(p[i]) + (1.0 - alpha) * std::log(q[i]);
  };
  double largest = -kInfinity;
  for (std::size_t i = 0; i < p.size(); ++i) {
    if (p[i] > 0.0 && q[i] > 0.0) largest = std::max(largest, exponent(i));
  }
  if (std::isinf(largest)) return largest;
  CompensatedSum sum;
  for (std::size_t i = 0; i < p.size(); ++i) {
    if (p[i] > 0.0 && q[i] > 0.0) sum += std::exp(exponent(i) - largest);
  }
  return largest + std::log(sum.value());
}

}  // namespace

double renyi(double alpha, std::span<const double> p, std::span<const double> q) {
  require_same_outcomes(p, q);
  if (!(alpha >= 0.0)) {  // infinity is one
    refuse_input("out-of-range", "order", {}, {{"given", alpha}, {"least", 0}},
                 "the order of a Rényi divergence must be at least 0, but is {}", alpha);
  }
  if (alpha == 1.0) return kullback_leibler(p, q);
  if (std::isinf(alpha)) return max_log_ratio(p, q);
  if (alpha == 0.0) {
    CompensatedSum inside;
    CompensatedSum outside;
    for (std::size_t i = 0; i < p.size(); ++i) {
      if (p[i] > 0.0) {
        inside += q[i];
      } else {
        outside += q[i];
      }
    }
    return outside.value() < 0.5 ? -std::log1p(-outside.value()) : -std::log(inside.value());
  }
  if (alpha > 1.0 && std::isinf(max_log_ratio(p, q))) return kInfinity;
  const double excess = (alpha - 1.0) * scaled_power_sum(alpha, p, q);
  // Beyond these limits the first form has overflowed or would cancel against the one.
  if (std::isfinite(excess) && excess > -0.5) return std::log1p(excess) / (alpha - 1.0);
  return log_power_sum(alpha, p, q) / (alpha - 1.0);
}

double hockey_stick(double gamma, std::span<const double> p, std::span<const double> q) {
  require_same_outcomes(p, q);
  refuse_outside(kNotNegative, gamma, "gamma",
                 "gamma of a hockey-stick divergence must be finite and not negative, but is {}",
                 gamma);
  CompensatedSum sum;
  for (std::size_t i = 0; i < p.size(); ++i) sum += std::max(0.0, std::fma(-gamma, q[i], p[i]));
  return sum.value();
}

// -----------------------------------------------------------------------------------------------
// What a table says about the scale of its projection.

std::vector<double> probabilities(const Table& table) {
  const auto whole = static_cast<double>(table.band().total());
  std::vector<double> found;
  found.reserve(table.numerators().size());
  for (const std::uint64_t n : table.numerators()) found.push_back(static_cast<double>(n) / whole);
  return found;
}

double scale_of(const Table& table, std::span<const double> scores) {
  const Band& band = table.band();
  const auto whole = static_cast<double>(band.total());
  // The rest of N after rounding lies on outcomes at their bounds, too. They weigh little, for an
  // outcome counts by how far inside its bounds it lies, and none this close counts at all.
  constexpr double kHair = 1e-8;
  double score = 0;
  double probability = 0;
  double greatest = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const auto n = static_cast<double>(table.numerators()[i]);
    const double above = n / static_cast<double>(band.lower(i)) - 1;
    const double below = 1 - n / static_cast<double>(band.upper(i));
    const double inside = std::min(above, below);
    if (inside > kHair) {
      score += inside * scores[i];
      probability += inside * (n / whole);
    } else if (below <= kHair) {
      // With a greater r this outcome would leave its upper bound.
      greatest = std::min(greatest, scores[i] / (n / whole));
    }
  }
  return score > 0 ? score / probability : greatest;
}

}  // namespace mollify
