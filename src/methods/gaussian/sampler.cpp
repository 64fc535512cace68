#include "methods/gaussian/sampler.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include <Eigen/Core>
#include <boost/math/tools/minima.hpp>
#include <fmt/format.h>

#include "accounting/composition.h"
#include "accounting/lattice.h"
#include "base/directed_rounding.h"
#include "base/progress.h"
#include "core/invalid_input.h"
#include "kernel/clipped_sums.h"
#include "kernel/noise.h"
#include "kernel/order.h"
#include "methods/gaussian/centre.h"
#include "methods/gaussian/tested.h"
#include "records/keyed_units.h"
#include "scores/linear_algebra.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// The public change of coordinates after which a covariance is the identity.

namespace {

using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Enough for the product to be fast, few enough to stay in the cache.
constexpr std::size_t kBlockRows = 256;

Eigen::Index signed_size(std::size_t size) { return static_cast<Eigen::Index>(size); }

Eigen::Map<const Rows> matrix(std::span<const double> numbers, std::size_t columns) {
  return {numbers.data(), signed_size(numbers.size() / columns), signed_size(columns)};
}

void check_dimension(std::size_t dimension) {
  require_between("the number of dimensions", dimension, 1, 1024);
}

void check_size(const char* what, std::size_t size, std::size_t expected) {
  if (size != expected) {
    throw InvalidInput(fmt::format("{} must have {} numbers, but has {}", what, expected, size));
  }
}

/// Square, finite, of positive variances and symmetric.
void check_entries(std::size_t d, std::span<const double> covariance) {
  check_size("covariance", covariance.size(), d * d);
  for (std::size_t i = 0; i < d; ++i) {
    for (std::size_t j = 0; j < d; ++j) {
      if (!std::isfinite(covariance[i * d + j])) {
        throw InvalidInput(fmt::format("covariance must be finite, but its entry ({}, {}) is {}",
                                       i + 1, j + 1, covariance[i * d + j]));
      }
    }
    if (!(covariance[i * d + i] > 0)) {
      throw InvalidInput(
          fmt::format("covariance must be positive definite, but its entry ({}, {}) is {}", i + 1,
                      i + 1, covariance[i * d + i]));
    }
  }
  for (std::size_t i = 0; i < d; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const double above = covariance[j * d + i], below = covariance[i * d + j];
      const double unit = std::sqrt(covariance[i * d + i]) * std::sqrt(covariance[j * d + j]);
      if (!(std::abs(above - below) <= 1e-9 * unit)) {
        throw InvalidInput(fmt::format(
            "covariance must be symmetric, but its entry ({}, {}) is {} and its entry ({}, {}) is "
            "{}",
            j + 1, i + 1, above, i + 1, j + 1, below));
      }
    }
  }
}

/// The eigenvalues of the correlations must be positive and not too far apart.
void check_definite(const Eigen::VectorXd& of_correlations, const Eigen::MatrixXd& covariance) {
  const double least = of_correlations.minCoeff(), greatest = of_correlations.maxCoeff();
  if (!(least > 0)) {
    const double of_covariance = eigenvalues(covariance).minCoeff();
    if (of_covariance > 0) {  // the columns' units differ so much that rounding hides it
      throw InvalidInput(fmt::format(
          "covariance must be positive definite, but the least eigenvalue of its correlations is "
          "{:.6g}",
          least));
    }
    throw InvalidInput(fmt::format(
        "covariance must be positive definite, but its least eigenvalue is {:.6g}", of_covariance));
  }
  if (!(greatest <= least * Whitening::kGreatestCondition)) {
    throw InvalidInput(fmt::format(
        "covariance must not be nearly singular, but the eigenvalues of its correlations reach "
        "from {:.6g} to {:.6g}, and their ratio may be at most {:g}",
        least, greatest, Whitening::kGreatestCondition));
  }
}

}  // namespace

Whitening Whitening::identity(std::size_t dimension) {
  check_dimension(dimension);
  Whitening result;
  result.origin_.assign(dimension, 0);
  return result;
}

Whitening Whitening::from_covariance(std::size_t dimension, std::span<const double> covariance,
                                     std::span<const double> origin) {
  Whitening result = identity(dimension);
  check_entries(dimension, covariance);
  if (!origin.empty()) {
    check_size("the origin", origin.size(), dimension);
    for (const double coordinate : origin) {
      if (!std::isfinite(coordinate)) {
        throw InvalidInput(fmt::format("the origin must be finite, but has a {}", coordinate));
      }
    }
    std::copy(origin.begin(), origin.end(), result.origin_.begin());
  }

  const Eigen::MatrixXd given = matrix(covariance, dimension);
  const Eigen::MatrixXd sigma = given / 2 + given.transpose() / 2;
  const Eigen::VectorXd deviations = sigma.diagonal().cwiseSqrt();
  const Eigen::VectorXd inverse = deviations.cwiseInverse();
  const EigenSystem correlations =
      eigen_system(inverse.asDiagonal() * sigma * inverse.asDiagonal());
  check_definite(correlations.values, sigma);

  result.forward_.resize(dimension * dimension);
  result.backward_.resize(dimension * dimension);
  const Eigen::Index d = signed_size(dimension);
  // A^T = D^-1 C^(-1/2), and its inverse is C^(1/2) D.
  Eigen::Map<Rows>(result.forward_.data(), d, d) =
      inverse.asDiagonal() * correlations.inverse_root();
  Eigen::Map<Rows>(result.backward_.data(), d, d) = correlations.root() * deviations.asDiagonal();
  return result;
}

void Whitening::apply(std::span<const double> rows, std::span<double> whitened) const {
  const std::size_t d = dimension();
  const Eigen::Map<const Eigen::RowVectorXd> origin(origin_.data(), signed_size(d));
  for (std::size_t begin = 0; begin < rows.size(); begin += kBlockRows * d) {
    const std::size_t size = std::min(kBlockRows * d, rows.size() - begin);
    const Rows centred = matrix(rows.subspan(begin, size), d).rowwise() - origin;
    Eigen::Map<Rows> out(whitened.data() + begin, centred.rows(), centred.cols());
    if (forward_.empty()) {
      out = centred;
    } else {
      out.noalias() = centred * matrix(forward_, d);
    }
  }
}

void Whitening::undo(std::span<const double> whitened, std::span<double> rows) const {
  const std::size_t d = dimension();
  const Eigen::Map<const Eigen::RowVectorXd> origin(origin_.data(), signed_size(d));
  for (std::size_t begin = 0; begin < whitened.size(); begin += kBlockRows * d) {
    const std::size_t size = std::min(kBlockRows * d, whitened.size() - begin);
    const Eigen::Map<const Rows> block = matrix(whitened.subspan(begin, size), d);
    Eigen::Map<Rows> out(rows.data() + begin, block.rows(), block.cols());
    if (backward_.empty()) {
      out = block.rowwise() + origin;
    } else {
      out = (block * matrix(backward_, d)).rowwise() + origin;
    }
  }
}

std::vector<RealRange> Whitening::ranges_of_box(std::span<const double> low,
                                                std::span<const double> high) const {
  const std::size_t d = dimension();
  check_size("the lower ends of the ranges", low.size(), d);
  check_size("the upper ends of the ranges", high.size(), d);
  for (std::size_t j = 0; j < d; ++j) {
    if (!(std::isfinite(low[j]) && std::isfinite(high[j]) && low[j] < high[j])) {
      throw InvalidInput(fmt::format(
          "the range of column {} must go from a finite number up to a greater one, but goes from "
          "{} to {}",
          j + 1, low[j], high[j]));
    }
  }
  std::vector<RealRange> ranges(d);
  for (std::size_t j = 0; j < d; ++j) {
    for (std::size_t k = 0; k < d; ++k) {
      const double factor = forward_.empty() ? (j == k ? 1 : 0) : forward_[k * d + j];
      const double one = factor * (low[k] - origin_[k]), other = factor * (high[k] - origin_[k]);
      ranges[j].low += std::min(one, other);
      ranges[j].high += std::max(one, other);
    }
  }
  return ranges;
}

// -----------------------------------------------------------------------------------------------
// Samples of a Gaussian of private mean, in the central model.

namespace {

/// The public multiset of roles in a uniformly random order, a role for each of the n rows.
std::vector<GaussianRole> random_roles(const GaussianDesign& design, SecureRandom& random) {
  std::vector<GaussianRole> roles;
  roles.reserve(design.request.records);
  const std::vector<std::uint64_t> counts = role_counts(design);
  for (std::size_t role = 0; role < counts.size(); ++role) {
    roles.insert(roles.end(), counts[role], static_cast<GaussianRole>(role));
  }
  shuffle(roles, random);
  return roles;
}

/// Calls `visit` with each of the first n rows, whitened, and its number.
///
/// Rows are whitened in blocks that depend on their numbers alone, all of one size: whatever blocks
/// a reader makes of a file, whose borders may depend on how long its numbers are written, a row
/// becomes the same doubles. So replacing a record changes one row here, to the last bit.
void visit_whitened(const NumericTable& table, const Whitening& whitening, std::uint64_t records,
                    const std::function<void(std::uint64_t, std::span<const double>)>& visit) {
  constexpr std::size_t kRows = 256;
  const std::size_t d = whitening.dimension();
  std::vector<double> block(kRows * d), whitened(kRows * d);
  std::uint64_t done = 0;
  std::size_t filled = 0;  // numbers in the block
  const auto flush = [&] {
    // Missing rows count as the origin.
    for (std::size_t i = filled; i < block.size(); ++i) block[i] = whitening.origin()[i % d];
    filled = 0;
    whitening.apply(block, whitened);
    for (std::size_t row = 0; row < kRows && done < records; ++row, ++done) {
      visit(done, std::span<const double>(whitened).subspan(row * d, d));
    }
  };
  table.visit([&](std::span<const double> rows) {
    while (!rows.empty() && done < records) {
      const std::size_t taken = std::min(rows.size(), block.size() - filled);
      std::copy_n(rows.begin(), taken, block.begin() + static_cast<std::ptrdiff_t>(filled));
      rows = rows.subspan(taken);
      filled += taken;
      if (filled == block.size()) flush();
    }
  });
  while (done < records) flush();
}

bool is_pure(const GaussianDesign& design) {
  return design.guarantee.notion == Privacy::Notion::kPure;
}

double step_of(const GaussianDesign& design) { return std::ldexp(1, design.step_exponent); }

/// Draws Y, the noise that privacy depends on; nothing for a tested run.
std::function<void(std::span<std::int64_t>, SecureRandom&)> lattice_noise(
    const GaussianDesign& design) {
  if (design.threshold > 0) {
    static_cast<void>(DiscreteLaplace(design.noise));
    return {};
  }
  if (is_pure(design)) {
    return [law = EuclideanLaplace(design.request.dimension, design.noise)](
               std::span<std::int64_t> noise, SecureRandom& random) { law.draw(noise, random); };
  }
  return [law = DiscreteGaussian(design.noise)](std::span<std::int64_t> noise,
                                                SecureRandom& random) { law.draw(noise, random); };
}

}  // namespace

GaussianRole centre_role(const GaussianDesign& design) {
  return static_cast<GaussianRole>(2 * design.request.outputs);
}

std::vector<std::uint64_t> role_counts(const GaussianDesign& design) {
  std::vector<std::uint64_t> counts;
  for (std::uint64_t run = 0; run < design.request.outputs; ++run) {
    counts.push_back(design.weights.plus_records);
    counts.push_back(design.weights.minus_records);
  }
  counts.push_back(design.centre ? design.centre->request.records : 0);
  std::uint64_t unused = design.request.records;
  for (const std::uint64_t count : counts) unused -= count;
  counts.push_back(unused);
  return counts;
}

std::size_t run_integers(const GaussianDesign& design) {
  const std::size_t d = design.request.dimension;
  return design.threshold > 0 ? ClippedMoments::entry_count(d) : d;
}

GaussianRuns::GaussianRuns(const GaussianDesign& design, std::vector<double> centre)
    : roles_(centre_role(design)),
      steps_in_one_(std::ldexp(1, -design.step_exponent)),
      centre_(std::move(centre)),
      scores_(design.request.dimension) {
  const auto [d, runs] = std::pair(design.request.dimension, design.request.outputs);
  if (design.threshold > 0) {
    tested_runs_.assign(runs, ClippedMoments(d, design.lattice_radius, 1));
  } else {
    runs_.assign(runs, ClippedSum(d, design.lattice_radius));
  }
}

void GaussianRuns::add(GaussianRole role, std::span<const double> row) {
  if (role >= roles_) return;
  for (std::size_t j = 0; j < scores_.size(); ++j) {
    scores_[j] = (row[j] - centre_[j]) * steps_in_one_;
  }
  if (!tested_runs_.empty()) {
    tested_runs_[role / 2].add(scores_);
  } else {
    runs_[role / 2].add(scores_, role % 2 == 0 ? 1 : -1);
  }
}

std::vector<std::int64_t> GaussianRuns::sums() const {
  std::vector<std::int64_t> all;
  for (const ClippedSum& run : runs_) all.insert(all.end(), run.sum().begin(), run.sum().end());
  for (const ClippedMoments& run : tested_runs_) {
    const std::vector<std::int64_t> entries = run.entries();
    all.insert(all.end(), entries.begin(), entries.end());
  }
  return all;
}

GaussianSampler::GaussianSampler(GaussianDesign design, Whitening whitening)
    : design_(std::move(design)), whitening_(std::move(whitening)) {
  if (whitening_.dimension() != design_.request.dimension) {
    throw InvalidInput(fmt::format("the whitening is of {} dimensions, but the design of {}",
                                   whitening_.dimension(), design_.request.dimension));
  }
  check_gaussian_design(design_);
  // Both refuse impossible requests now, not after data have been seen.
  static_cast<void>(lattice_noise(design_));
  if (design_.centre) static_cast<void>(CoarseCentre(*design_.centre));
}

std::vector<double> GaussianSampler::draw(const NumericTable& table, SecureRandom& random) const {
  const std::size_t d = design_.request.dimension;
  const std::uint64_t n = design_.request.records;
  if (table.dimension() != d) {
    throw InvalidInput(
        fmt::format("the table has {} columns, but the design is for {}", table.dimension(), d));
  }
  const std::vector<GaussianRole> roles = random_roles(design_, random);

  std::vector<double> centre(d, 0);
  if (design_.centre) {
    CoarseCentre part(*design_.centre);
    visit_whitened(table, whitening_, n, [&](std::uint64_t row, std::span<const double> values) {
      if (roles[row] == centre_role(design_)) part.add(values);
    });
    centre = part.find(random);
  }

  GaussianRuns runs(design_, centre);
  visit_whitened(table, whitening_, n, [&](std::uint64_t row, std::span<const double> values) {
    runs.add(roles[row], values);
  });
  return release(runs.sums(), centre, random);
}

std::vector<double> GaussianSampler::release(std::vector<std::int64_t> sums,
                                             std::span<const double> centre,
                                             SecureRandom& random) const {
  const std::size_t d = design_.request.dimension;
  const std::size_t m = design_.request.outputs;
  const std::size_t width = run_integers(design_);
  sums.resize(m * width);
  const auto draw_noise = lattice_noise(design_);
  const double cell =
      std::ldexp(1 / static_cast<double>(design_.weights.divisor), design_.step_exponent);
  const double deviation = std::sqrt(design_.public_variance);
  PublicNormals normals(random);
  std::vector<std::int64_t> noise(d);
  std::vector<double> outputs(m * d), released(m * d);
  for (std::size_t run = 0; run < m; ++run) {
    keep_going();
    if (design_.threshold > 0) {
      const auto moments = std::span<const std::int64_t>(sums).subspan(run * width, width);
      const auto point = draw_tested_run(tested_run(design_), moments, random);
      for (std::size_t j = 0; j < d; ++j) {
        const double cells = point ? static_cast<double>((*point)[j]) * step_of(design_) : 0;
        outputs[run * d + j] = centre[j] + cells + (point ? deviation : 1) * normals.draw();
      }
      continue;
    }
    draw_noise(noise, random);
    for (std::size_t j = 0; j < d; ++j) {
      // From S + Y modulo 2^64 on, all is post-processing, in floating point.
      const auto on_lattice = static_cast<double>(static_cast<std::int64_t>(
          static_cast<std::uint64_t>(sums[run * d + j]) + static_cast<std::uint64_t>(noise[j])));
      if (deviation > 0) {
        outputs[run * d + j] = centre[j] + cell * on_lattice + deviation * normals.draw();
      } else {
        const double dither = static_cast<double>(random.word() >> 11) * 0x1p-53 - 0.5;
        outputs[run * d + j] = centre[j] + cell * (on_lattice + dither);
      }
    }
  }
  whitening_.undo(outputs, released);
  return released;
}

// -----------------------------------------------------------------------------------------------
// Gaussian samples of a table that lies in parts, on workers that share nothing.

namespace {

std::uint64_t rows_of_role(std::span<const RoleShare> shares, GaussianRole role) {
  std::uint64_t rows = 0;
  for (const RoleShare& share : shares) rows += share.role == role ? share.rows : 0;
  return rows;
}

/// Deals the roles of all n rows out to parts of these sizes, without replacement; the last part is
/// for rows which are nowhere.
std::vector<std::vector<RoleShare>> dealt_roles(const GaussianDesign& design,
                                                std::span<const std::int64_t> rows,
                                                SecureRandom& random) {
  RecordsLeft left(role_counts(design));
  std::vector<std::vector<RoleShare>> dealt;
  std::vector<GaussianRole> taken;
  for (std::size_t part = 0; part <= rows.size(); ++part) {
    const std::uint64_t wanted =
        part == rows.size()
            ? left.size()
            : std::min(left.size(),
                       static_cast<std::uint64_t>(std::max<std::int64_t>(0, rows[part])));
    taken.clear();
    for (std::uint64_t i = 0; i < wanted; ++i) {
      taken.push_back(static_cast<GaussianRole>(left.take(random)));
    }
    std::sort(taken.begin(), taken.end());
    std::vector<RoleShare>& shares = dealt.emplace_back();
    for (const GaussianRole role : taken) {
      if (shares.empty() || shares.back().role != role) shares.push_back({role, 0});
      ++shares.back().rows;
    }
  }
  return dealt;
}

}  // namespace

GaussianPart::GaussianPart(const GaussianSampler& sampler, const GaussianPass& pass,
                           const ReleaseKey& key, std::size_t number)
    : sampler_(sampler), kind_(pass.kind), whitened_(sampler.design().request.dimension) {
  if (kind_ == GaussianPass::Kind::kRows) {
    begin_ = number;
    return;
  }
  const GaussianDesign& design = sampler.design();
  if (kind_ == GaussianPass::Kind::kRuns) runs_.emplace(design, pass.centre);
  for (std::size_t before = 0;
       kind_ == GaussianPass::Kind::kCentre && before < std::min(number, pass.roles.size());
       ++before) {
    begin_ += rows_of_role(pass.roles[before], centre_role(design)) * whitened_.size();
  }
  if (number >= pass.roles.size()) return;
  for (const RoleShare& share : pass.roles[number]) {
    roles_.insert(roles_.end(), share.rows, share.role);
  }
  KeyedUnits words(key, "the roles of rows");
  words.begin(std::to_string(number), {}, {});
  shuffle(roles_, words.before_law());
}

void GaussianPart::add(std::span<const double> rows) {
  const std::size_t d = whitened_.size();
  if (kind_ == GaussianPass::Kind::kRows) {
    rows_ += rows.size() / d;
    return;
  }
  for (; !rows.empty() && rows_ < roles_.size(); rows = rows.subspan(d)) {
    sampler_.whitening().apply(rows.first(d), whitened_);
    add_whitened(whitened_);
  }
}

void GaussianPart::add_whitened(std::span<const double> row) {
  const GaussianRole role = roles_[rows_++];
  if (runs_) {
    runs_->add(role, row);
  } else if (role == centre_role(sampler_.design())) {
    for (const double value : row) found_.push_back(std::bit_cast<std::int64_t>(value));
  }
}

std::vector<std::int64_t> GaussianPart::take() {
  if (kind_ == GaussianPass::Kind::kRows) return {static_cast<std::int64_t>(rows_)};
  std::fill(whitened_.begin(), whitened_.end(), 0.0);
  while (rows_ < roles_.size()) add_whitened(whitened_);
  return runs_ ? runs_->sums() : std::move(found_);
}

std::vector<double> draw_from_parts(
    const GaussianSampler& sampler, const ReleaseKey& key,
    const std::function<std::vector<std::int64_t>(const GaussianPass&)>& ask,
    SecureRandom& random) {
  const GaussianDesign& design = sampler.design();
  const std::size_t d = design.request.dimension;
  GaussianPass pass;
  pass.roles = dealt_roles(design, ask(pass), random);
  // Rows that are nowhere, were the data changed since they were counted, are a part of this one's.
  const auto answer = [&](std::size_t size) {
    std::vector<std::int64_t> found = ask(pass);
    found.resize(size);
    GaussianPart nowhere(sampler, pass, key, pass.roles.size() - 1);
    const std::vector<std::int64_t> more = nowhere.take();
    for (std::size_t i = 0; i < more.size(); ++i) {
      std::int64_t& sum = found[nowhere.begin() + i];
      sum = static_cast<std::int64_t>(static_cast<std::uint64_t>(sum) +
                                      static_cast<std::uint64_t>(more[i]));
    }
    return found;
  };
  pass.centre.assign(d, 0);
  if (design.centre) {
    pass.kind = GaussianPass::Kind::kCentre;
    CoarseCentre centre(*design.centre);
    std::vector<double> rows;
    for (const std::int64_t bits : answer(design.centre->request.records * d)) {
      rows.push_back(std::bit_cast<double>(bits));
    }
    centre.add(rows);
    pass.centre = centre.find(random);
  }
  pass.kind = GaussianPass::Kind::kRuns;
  return sampler.release(answer(design.request.outputs * run_integers(design)), pass.centre,
                         random);
}

// -----------------------------------------------------------------------------------------------
// From the records of one run to its clipping, its lattice and its noise.

namespace {

using Notion = Privacy::Notion;

/// The lattice is finer than the records' deviations by this much at least, where that can be.
constexpr int kCoarsestStep = -4;
/// Deviations of discrete Gaussian noise in cells: as many as its variance of at most 2^60 allows,
/// with room for rounding.
constexpr int kSigmaBits = 29;
/// Sums of n clipped records of a Gaussian must not leave 64 bits.
constexpr double kGreatestSum = 0x1p61;

double ratio_down(Ratio ratio) {
  return div_down(integer_down(ratio.numerator), integer_up(ratio.denominator));
}

/// 2 L, exactly.
double sensitivity_of(const GaussianDesign& design) {
  return static_cast<double>(2 * design.lattice_radius);
}

/// A delta that any machine finds to be kept.
double delta_with_room(double variance, double sensitivity, std::size_t dimension, double epsilon) {
  return div_up(lattice_gaussian_delta_up(variance, sensitivity, dimension, epsilon),
                kRoomForRounding);
}

/// The least epsilon that serves: within 2^-20 of it, and at most the budget's.
double least_epsilon(const Privacy& budget, const std::function<bool(double)>& serves) {
  double low = 0, high = budget.epsilon;
  if (serves(low)) return low;
  for (int i = 0; i < 40 && high - low > high * 0x1p-20; ++i) {
    const double middle = (low + high) / 2;
    (serves(middle) ? high : low) = middle;
  }
  return high;
}

/// The records of a run, around the point that they are clipped around.
WhitenedRecords records_of(const GaussianDesign& design) {
  return {design.request.dimension, design.mean_radius, design.request.covariance_bound};
}

/// The probability that any record of a run is further from that point.
double clip_error_up(const GaussianDesign& design, double radius) {
  return any_clip_probability_up(records_of(design), design.run_records, radius);
}

/// A radius at which clipping is negligible.
double ample_radius(const GaussianDesign& design) {
  return clip_radius_up(records_of(design), design.run_records, kNegligibleClipping);
}

/// One at which it is not: below, clipping alone takes more than `most`, and from 0.5 on nothing is
/// promised.
double scant_radius(const GaussianDesign& design, double most = 1) {
  return clip_radius_up(records_of(design), design.run_records, std::min(most, 0.5));
}

/// Rounding a record to the lattice moves it by at most that.
double half_diagonal(const GaussianDesign& design) {
  return std::sqrt(static_cast<double>(design.request.dimension)) / 2;
}

/// Sets L for the radius B with a given step, and B to the radius that L certainly covers.
void set_radius(GaussianDesign& design, double radius) {
  design.lattice_radius = static_cast<std::uint64_t>(
      std::clamp(std::ceil(radius / step_of(design) + half_diagonal(design)), 1.0, 0x1p40));
}
void settle_clip(GaussianDesign& design) {
  const double cells = static_cast<double>(design.lattice_radius) - half_diagonal(design);
  design.clip_radius = std::max(0.0, step_of(design) * cells * (1 - 0x1p-50));
  design.total_variation.clip =
      design.clip_radius > 0 ? clip_error_up(design, design.clip_radius) : 1;
}

/// The noise's scale or variance, in cells.
double noise_of(const GaussianDesign& design) {
  return static_cast<double>(design.noise.numerator) /
         static_cast<double>(design.noise.denominator);
}

/// The radius between `least` and `greatest` with about the least total, to `bits` digits.
double best_radius(double least, double greatest, int bits,
                   const std::function<double(double)>& total) {
  const auto logarithm = [&](double log_radius) {
    return std::log(std::max(total(std::exp(log_radius)), 1e-300));
  };
  std::uintmax_t most = 40;
  return std::exp(boost::math::tools::brent_find_minima(logarithm, std::log(least),
                                                        std::log(greatest), bits, most)
                      .first);
}

// Pure.

double laplace_shape_up(const GaussianDesign& design, double scale_of_mean) {
  const std::size_t d = design.request.dimension;
  // The public variance is a double: a relative error of 2^-52 in each of d variances.
  const double rounding = static_cast<double>(d) * 0x1p-48;
  if (design.request.paper_variance) {
    return gaussian_laplace_total_variation(d, scale_of_mean, 1) + rounding;
  }
  return moment_matched_total_variation(d, scale_of_mean) + rounding;
}

bool design_pure_run(GaussianDesign& design, double most) {
  const double epsilon = design.request.budget.epsilon;
  const auto n = static_cast<double>(design.run_records);
  const auto d = static_cast<double>(design.request.dimension);
  if (design.run_records < 2) return false;
  design.weights = {design.run_records, 0, design.run_records};

  // The place where the noise alone has all the variance, with room for the lattice's rounding; the
  // paper adds its own variance to it.
  const double fewest_cells = std::min({0x1p30, 0x1p37 * epsilon, kGreatestSum / n});
  const double room = std::max(1e-9, 8 * (half_diagonal(design) + 1) / fewest_cells);
  if (room > 0.5) return false;
  const double greatest_scale =
      design.request.paper_variance ? 1 : std::sqrt((1 - 1 / n) / (d + 1)) * (1 - room);
  const double greatest = std::min(epsilon * n / 2 * greatest_scale, ample_radius(design));
  const double least = scant_radius(design, most);
  if (!(greatest > least)) return false;
  const auto shape = [&](double b) { return laplace_shape_up(design, 2 * b / (epsilon * n)); };
  // A wider radius needs more noise, so this is the least that noise takes.
  if (most < 1 && shape(least) > most) return false;
  // If a radius within `most` is enough, the search has ended once it has seen one that stays so on
  // the lattice.
  std::optional<double> enough;
  double radius = best_radius(least, greatest, 12, [&](double b) {
    if (enough) return std::abs(std::log(b / *enough));
    const double total = clip_error_up(design, b) + shape(b);
    if (most < 1 && total <= 0.99 * most) enough = b;
    return total;
  });
  if (enough) radius = *enough;

  const double cells = std::floor(
      std::min({std::max(0x1p30, 0x1p6 * radius), 0x1p40, 0x1p37 * epsilon, kGreatestSum / n}));
  if (cells < 4 * half_diagonal(design)) return false;
  design.step_exponent = static_cast<int>(std::ceil(std::log2(radius / (cells / 2)))) - 1;
  set_radius(design, radius);
  design.noise = Ratio::at_least("the scale of the noise", div_up(sensitivity_of(design), epsilon));
  return settle_run(design);
}

bool settle_pure_run(GaussianDesign& design) {
  const auto n = static_cast<double>(design.run_records);
  const auto d = static_cast<double>(design.request.dimension);
  const double scale = noise_of(design);
  const double cell = step_of(design) / n;
  const double scale_of_mean = scale * cell;
  const double taken = design.request.paper_variance ? 0 : (d + 1) * scale_of_mean * scale_of_mean;
  design.public_variance = 1 - 1 / n - taken;
  if (!(design.public_variance > 0)) return false;

  const double deviation = std::sqrt(design.public_variance);
  design.total_variation.shape = std::min(1.0, laplace_shape_up(design, scale_of_mean));
  const std::size_t dimension = design.request.dimension;
  design.total_variation.lattice =
      std::min(1.0, add_up(record_rounding_error_up(dimension, 1 / n, step_of(design), deviation),
                           lattice_laplace_error_up(dimension, scale, deviation / cell, 0)));
  return true;
}

// Gaussian noise.

/// How large the sensitivity may be for noise of deviation 1 (2^29 cells): sqrt(2 rho), or what the
/// analytic Gaussian allows.
double sensitivity_share(const GaussianRequest& request) {
  const Privacy& budget = request.budget;
  if (budget.notion == Notion::kConcentrated) return std::sqrt(2 * budget.rho);
  const double sigma = std::ldexp(1, kSigmaBits);
  const auto serves = [&](double share) {
    return delta_with_room(sigma * sigma, sigma * share, request.dimension, budget.epsilon) <=
           budget.delta;
  };
  double low = 0, high = 1e-12;
  while (high < 1000 && serves(high)) {
    low = high;
    high *= 2;
  }
  for (int i = 0; i < 60 && high - low > high * 1e-13; ++i) {
    const double middle = (low + high) / 2;
    (serves(middle) ? low : high) = middle;
  }
  return low;
}

/// Total variation between y + N(0, t^2 I), y discrete Gaussian of deviation sigma on Z^d, and N(0,
/// (sigma^2 + t^2) I). For one coordinate the density at x is that of N(0, sigma^2 + t^2) times the
/// sum over z of the density of N(c, w^2), w^2 = sigma^2 t^2 / (sigma^2 + t^2), over the sum of
/// that of N(0, sigma^2): both are 1 within the ripple at w^2, which is below 1/4 for w >= 1.
double smoothed_gaussian_error_up(std::size_t dimension, double sigma, double deviation) {
  const double narrow = 1 / (1 / (sigma * sigma) + 1 / (deviation * deviation));
  if (!(narrow >= 1)) return 1;
  const double ripple = lattice_ripple_up(narrow * (1 - 0x1p-40));
  return std::min(1.0, std::expm1(3 * static_cast<double>(dimension) * ripple));
}

/// Lowers L until the integers keep the budget, which rounding may have passed by a little.
bool lower_radius_to_budget(GaussianDesign& design) {
  for (int i = 0; i < 100 && design.lattice_radius > 0; ++i) {
    if (is_within(run_guarantee(design), design.request.budget)) return true;
    design.lattice_radius -= 1 + (design.lattice_radius >> 40);
  }
  return false;
}

/// Covariance known: all variance of the mean that is missing to I is noise, private as far as the
/// kernel can draw it. B is as large as the budget allows and clipping needs.
bool design_known_run(GaussianDesign& design) {
  const std::uint64_t count = design.run_records;
  const auto n = static_cast<double>(count);
  if (count < 2) return false;
  design.weights = {count, 0, count};
  design.step_exponent =
      std::min(static_cast<int>(std::ceil(std::log2(n))) - kSigmaBits, kCoarsestStep);
  const double cell = step_of(design) / n;
  const double wanted = 1 - 1 / n;
  double sigma = std::sqrt(wanted) / cell;
  if (sigma <= std::ldexp(1, kSigmaBits)) {
    // n (n - 1) / g^2 cells.
    design.noise = Ratio::at_least("the variance of the noise",
                                   std::ldexp(n * (n - 1), -2 * design.step_exponent));
  } else {
    sigma = std::ldexp(1, kSigmaBits - 1);
    design.noise = Ratio::at_least("the variance of the noise", sigma * sigma);
  }

  const double most = std::floor(sensitivity_share(design.request) * sigma / 2);
  set_radius(design, ample_radius(design));
  if (!(static_cast<double>(design.lattice_radius) <= most)) {
    design.lattice_radius = static_cast<std::uint64_t>(most);
  }
  return lower_radius_to_budget(design) && settle_run(design);
}

bool settle_known_run(GaussianDesign& design) {
  const std::size_t d = design.request.dimension;
  const auto n = static_cast<double>(design.run_records);
  const double cell = step_of(design) / n;
  const double wanted = 1 - 1 / n;
  const double sigma = std::sqrt(noise_of(design));
  // Noise of the lattice is all that is missing, or less than a quarter of it.
  const double taken = noise_of(design) * cell * cell;
  design.public_variance = taken < wanted / 2 ? wanted - taken : 0;
  if (design.public_variance == 0 && std::abs(taken - wanted) > wanted * 0x1p-40) return false;

  // The variances are right except for the rounding of doubles.
  design.total_variation.shape = static_cast<double>(d) * 0x1p-48;
  const double noise =
      design.public_variance > 0
          ? smoothed_gaussian_error_up(d, sigma, std::sqrt(design.public_variance) / cell)
          : lattice_gaussian_error_up(d, sigma * sigma, 0);
  design.total_variation.lattice = std::min(
      1.0, add_up(record_rounding_error_up(d, 1 / n, step_of(design), std::sqrt(wanted)), noise));
  return true;
}

/// Weights 1/D and -1/D whose squares sum to at most `squares`, over as many of the records as
/// allow it and have the parity of D.
std::optional<GaussianWeights> signed_weights(std::uint64_t records, std::uint64_t divisor,
                                              double squares) {
  const auto d = static_cast<double>(divisor);
  std::uint64_t used = std::min(records, static_cast<std::uint64_t>(squares * d * d * (1 + 1e-12)));
  if ((used + divisor) % 2 != 0) --used;
  if (used <= divisor) return std::nullopt;
  return GaussianWeights{(used + divisor) / 2, (used - divisor) / 2, divisor};
}

/// Total variation between N(0, A Sigma + s^2 I) and N(0, Sigma) for I <= Sigma <= K I.
///
/// In the eigenvectors of Sigma the variances have ratios from A + s^2/K to A + s^2. KL divergence
/// is half the sum of r - 1 - ln r, which is convex; Pinsker. The other bound, for A <= 1:
/// N(0, A Sigma + s^2 I) is within TV(N(0, A I), N(0, I)) of N(0, Sigma + s^2 I), and that, as
/// N(0, Sigma - I) is added to both, within TV(N(0, (1 + s^2) I), N(0, I)) of N(0, Sigma).
double covariance_shape_up(std::size_t dimension, double squares, double noise, double bound) {
  const auto d = static_cast<double>(dimension);
  const auto divergence = [](double ratio) { return ratio - 1 - std::log(ratio); };
  const double ends = std::max(divergence(squares + noise), divergence(squares + noise / bound));
  const double pinsker = std::sqrt(d * std::max(0.0, ends)) / 2 * (1 + 0x1p-40);
  const double steps = scaled_gaussian_total_variation(dimension, 1 + noise) +
                       scaled_gaussian_total_variation(dimension, squares);
  return std::min({1.0, pinsker + d * 0x1p-26, steps + d * 0x1p-48});
}

/// Covariance between I and K I, with weights whose squares make about `wanted_squares` of it: the
/// noise, as small as the budget allows, comes on top.
bool design_weighted_run(GaussianDesign& design, double share, double radius,
                         std::uint64_t wanted_divisor, double wanted_squares) {
  const std::optional<GaussianWeights> weights =
      signed_weights(design.run_records, wanted_divisor, wanted_squares);
  if (!weights) return false;
  design.weights = *weights;
  design.run_records = weights->plus_records + weights->minus_records;
  const auto divisor = static_cast<double>(weights->divisor);

  // Sigma is at most 2^29 cells, and sums of records stay within 64 bits.
  const double cells =
      std::floor(std::min({share * std::ldexp(1, kSigmaBits) / 2, kGreatestSum / divisor, 0x1p40}));
  if (cells < 4 * half_diagonal(design)) return false;
  design.step_exponent =
      static_cast<int>(std::ceil(std::log2(radius / (cells - half_diagonal(design) - 1))));
  set_radius(design, radius);
  const double sigma = sensitivity_of(design) / share;
  double variance = sigma * sigma;
  for (int i = 0; i < 20; ++i) {  // beyond what rounding can be off
    variance *= 1 + std::ldexp(1, i - 45);
    design.noise = Ratio::at_least("the variance of the noise", variance);
    if (is_within(run_guarantee(design), design.request.budget)) break;
  }
  return is_within(run_guarantee(design), design.request.budget) && settle_run(design);
}

bool settle_weighted_run(GaussianDesign& design) {
  const std::size_t d = design.request.dimension;
  const auto divisor = static_cast<double>(design.weights.divisor);
  const double squares = static_cast<double>(design.run_records) / (divisor * divisor);
  const double variance = noise_of(design);
  const double deviation = std::sqrt(variance) * step_of(design) / divisor;
  design.public_variance = 0;
  design.total_variation.shape =
      covariance_shape_up(d, squares, deviation * deviation, design.request.covariance_bound);
  design.total_variation.lattice =
      std::min(1.0, add_up(record_rounding_error_up(d, squares, step_of(design), deviation),
                           lattice_gaussian_error_up(d, variance, 0)));
  return true;
}

/// First squares that sum to 1, as in the papers; then, knowing about how large the noise s^2 is,
/// less by (1 + 1/K) s^2 / 2, so that it is as much too little for the greatest covariance as it is
/// too much for the least [ours]. D = sqrt(n / squares) is an integer, rounded up (all records are
/// used, and squares fall short by up to 2/sqrt(n)) or down (about 2 sqrt(n) records are not used):
/// 1/D is about the papers' greatest weight, 1/n + 1/sqrt(n), or less.
bool design_bounded_run(GaussianDesign& design) {
  const double share = sensitivity_share(design.request);
  if (!(share > 0)) return false;
  const double bound = design.request.covariance_bound;
  const auto n = static_cast<double>(design.run_records);
  const double least = scant_radius(design), greatest = ample_radius(design);
  // s^2 = A (2 B / share)^2 / (records used) and A = 1 - (1 + 1/K) s^2 / 2.
  const auto balanced = [&](double radius, double used) {
    const double deviation = 2 * radius / share;
    return 1 / (1 + (1 + 1 / bound) / 2 * deviation * deviation / used);
  };
  std::optional<GaussianDesign> best;
  double squares = 1;
  for (const bool is_balanced : {false, true}) {
    // The least total is flat around its place: few digits of the radius do.
    const double radius = best_radius(least, greatest, 7, [&](double b) {
      const double deviation = 2 * b / (share * std::sqrt(n / squares));
      return clip_error_up(design, b) +
             covariance_shape_up(design.request.dimension, squares, deviation * deviation, bound);
    });
    if (is_balanced) squares = balanced(radius, n);
    const double root = std::sqrt(n / squares);
    for (const double divisor : {std::floor(root), std::ceil(root)}) {
      double wanted = squares;
      for (int i = 0; is_balanced && i < 2; ++i) {  // whole records of one parity: up to 2 fewer
        wanted = balanced(radius, std::max(1.0, std::min(n, wanted * divisor * divisor) - 2));
      }
      GaussianDesign next = design;
      if (design_weighted_run(next, share, radius, static_cast<std::uint64_t>(divisor), wanted) &&
          (!best || next.total_variation_up() < best->total_variation_up())) {
        best = std::move(next);
      }
    }
    squares = balanced(radius, n);
  }
  if (!best) return false;
  design = *std::move(best);
  return true;
}

}  // namespace

Privacy weaker(const Privacy& a, const Privacy& b) {
  return Privacy::of(a.notion, std::max(a.parameter(), b.parameter()), std::max(a.delta, b.delta));
}

bool settle_run(GaussianDesign& design) {
  const GaussianRequest& request = design.request;
  const GaussianWeights& weights = design.weights;
  const bool bounded = request.covariance_bound > 1;
  const bool sums_fit =
      static_cast<double>(weights.divisor) * static_cast<double>(design.lattice_radius) <=
      kGreatestSum;
  if (design.run_records < 2 || !sums_fit || (!bounded && weights.minus_records > 0)) return false;
  settle_clip(design);
  if (request.budget.notion == Notion::kPure) return settle_pure_run(design);
  if (design.threshold > 0) return bounded && settle_tested_run(design);
  return bounded ? settle_weighted_run(design) : settle_known_run(design);
}

namespace {

/// The better of two ways.
bool design_run_of_bounded_covariance(GaussianDesign& design) {
  GaussianDesign tested = design;
  const bool passes = design.request.budget.notion == Notion::kApproximate &&
                      design_tested_run(tested) && settle_run(tested);
  const bool serves = design_bounded_run(design);
  if (passes && (!serves || tested.total_variation_up() < design.total_variation_up())) {
    design = std::move(tested);
  }
  return passes || serves;
}

}  // namespace

/// All but the centre, for a mean within mean_radius; whether there is such a design.
bool design_run(GaussianDesign& design, double most) {
  const GaussianRequest& request = design.request;
  const bool serves =
      request.budget.notion == Notion::kPure
          ? design_pure_run(design, most < 1 ? most - design.total_variation.centre : 1)
      : request.covariance_bound > 1 ? design_run_of_bounded_covariance(design)
                                     : design_known_run(design);
  if (!serves) return false;
  design.guarantee = run_guarantee(design);
  if (design.centre) design.guarantee = weaker(design.guarantee, design.centre->guarantee);
  const double left = design.total_variation_up();
  return most < 1 ? left <= most : left < 1;
}

Privacy run_guarantee(const GaussianDesign& design) {
  const double sensitivity = sensitivity_of(design);
  const double noise = ratio_down(design.noise);
  const Privacy& budget = design.request.budget;
  switch (budget.notion) {
    case Notion::kPure:
      return Privacy::pure(div_up(sensitivity, noise));
    case Notion::kConcentrated:
      return Privacy::concentrated(lattice_gaussian_rho_up(noise, sensitivity));
    case Notion::kApproximate:
    case Notion::kGaussian:
      break;
  }
  if (design.threshold > 0) {
    const auto keeps = [&](double epsilon) {
      return tested_run_keeps(tested_run(design), epsilon, budget.delta * kRoomForRounding);
    };
    const double epsilon = least_epsilon(budget, keeps);
    return Privacy::approximate(epsilon, keeps(epsilon) ? budget.delta : 1);
  }
  const auto delta = [&](double epsilon) {
    return delta_with_room(noise, sensitivity, design.request.dimension, epsilon);
  };
  const double epsilon =
      least_epsilon(budget, [&](double wanted) { return delta(wanted) <= budget.delta; });
  return Privacy::approximate(epsilon, delta(epsilon));
}

bool run_keeps(const GaussianDesign& design, const Privacy& said) {
  const double sensitivity = sensitivity_of(design);
  const double noise = ratio_down(design.noise);
  switch (said.notion) {
    case Notion::kPure:
      return div_up(sensitivity, noise) <= said.epsilon;
    case Notion::kConcentrated:
      return lattice_gaussian_rho_up(noise, sensitivity) <= said.rho;
    case Notion::kApproximate:
      if (design.threshold > 0) {
        return tested_run_keeps(tested_run(design), said.epsilon, said.delta);
      }
      return lattice_gaussian_delta_up(noise, sensitivity, design.request.dimension,
                                       said.epsilon) <= said.delta;
    case Notion::kGaussian:
      break;
  }
  return false;
}

bool is_within(const Privacy& guarantee, const Privacy& budget) {
  if (guarantee.notion != budget.notion) return false;
  if (budget.notion == Notion::kConcentrated) return guarantee.rho <= budget.rho;
  return guarantee.epsilon <= budget.epsilon && guarantee.delta <= budget.delta;
}

}  // namespace mollify
