#include "methods/gaussian/sampler.h"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

#include <Eigen/Core>

#include "base/progress.h"
#include "base/refusal.h"
#include "core/ranges.h"
#include "kernel/noise.h"
#include "kernel/order.h"
#include "methods/gaussian/tested.h"
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
  require_between({"the number of dimensions", "dimension"}, dimension, 1, 1024);
}

void check_size(const Called& what, std::size_t size, std::size_t expected) {
  refuse_if(size != expected, "wrong-shape", what.parameter, "{} must have {} numbers, but has {}",
            what.words, expected, size);
}

/// Square, finite, of positive variances and symmetric.
void check_entries(std::size_t d, std::span<const double> covariance) {
  check_size("covariance", covariance.size(), d * d);
  for (std::size_t i = 0; i < d; ++i) {
    for (std::size_t j = 0; j < d; ++j) {
      if (!std::isfinite(covariance[i * d + j])) {
        refuse_input("not-a-covariance", "covariance",
                     "covariance must be finite, but its entry ({}, {}) is {}", i + 1, j + 1,
                     covariance[i * d + j]);
      }
    }
    if (!(covariance[i * d + i] > 0)) {
      refuse_input("not-a-covariance", "covariance",
                   "covariance must be positive definite, but its entry ({}, {}) is {}", i + 1,
                   i + 1, covariance[i * d + i]);
    }
  }
  for (std::size_t i = 0; i < d; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const double above = covariance[j * d + i], below = covariance[i * d + j];
      const double unit = std::sqrt(covariance[i * d + i]) * std::sqrt(covariance[j * d + j]);
      refuse_if(
          !(std::abs(above - below) <= 1e-9 * unit), "not-a-covariance", "covariance",
          "covariance must be symmetric, but its entry ({}, {}) is {} and its entry ({}, {}) is {}",
          j + 1, i + 1, above, i + 1, j + 1, below);
    }
  }
}

/// The eigenvalues of the correlations must be positive and not too far apart.
void check_definite(const Eigen::VectorXd& of_correlations, const Eigen::MatrixXd& covariance) {
  const double least = of_correlations.minCoeff(), greatest = of_correlations.maxCoeff();
  if (!(least > 0)) {
    const double of_covariance = eigenvalues(covariance).minCoeff();
    if (of_covariance > 0) {  // the columns' units differ so much that rounding hides it
      refuse_input("not-a-covariance", "covariance",
                   "covariance must be positive definite, but the least eigenvalue of its "
                   "correlations is {:.6g}",
                   least);
    }
    refuse_input("not-a-covariance", "covariance",
                 "covariance must be positive definite, but its least eigenvalue is {:.6g}",
                 of_covariance);
  }
  refuse_if(!(greatest <= least * Whitening::kGreatestCondition), "not-a-covariance", "covariance",
            "covariance must not be nearly singular, but the eigenvalues of its correlations reach "
            "from {:.6g} to {:.6g}, and their ratio may be at most {:g}",
            least, greatest, Whitening::kGreatestCondition);
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
    check_size({"the origin", "origin"}, origin.size(), dimension);
    for (const double coordinate : origin) {
      refuse_if(!std::isfinite(coordinate), "out-of-range", "origin",
                "the origin must be finite, but has a {}", coordinate);
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
  check_size({"the lower ends of the ranges", "low"}, low.size(), d);
  check_size({"the upper ends of the ranges", "high"}, high.size(), d);
  for (std::size_t j = 0; j < d; ++j) {
    if (!(std::isfinite(low[j]) && std::isfinite(high[j]) && low[j] < high[j])) {
      refuse_input("not-ascending", {},
                   "the range of column {} must go from a finite number up to a greater one, but "
                   "goes from {} to {}",
                   j + 1, low[j], high[j]);
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
  refuse_if(whitening_.dimension() != design_.request.dimension, "wrong-shape", {},
            "the whitening is of {} dimensions, but the design of {}", whitening_.dimension(),
            design_.request.dimension);
  check_gaussian_design(design_);
  // Both refuse impossible requests now, not after data have been seen.
  static_cast<void>(lattice_noise(design_));
  if (design_.centre) static_cast<void>(CoarseCentre(*design_.centre));
}

std::vector<double> GaussianSampler::draw(const NumericTable& table, SecureRandom& random) const {
  const std::size_t d = design_.request.dimension;
  const std::uint64_t n = design_.request.records;
  refuse_if(table.dimension() != d, "wrong-shape", {},
            "the table has {} columns, but the design is for {}", table.dimension(), d);
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
        const double cells = point ? static_cast<double>((*point)[j]) * design_.step() : 0;
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

}  // namespace mollify
