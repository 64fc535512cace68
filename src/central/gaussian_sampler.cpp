#include "central/gaussian_sampler.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "central/coarse_centre.h"
#include "central/public_normals.h"
#include "kernel/core/invalid_input.h"
#include "kernel/noise/clipped_sum.h"
#include "kernel/noise/discrete_gaussian.h"
#include "kernel/noise/euclidean_laplace.h"
#include "kernel/order/shuffle.h"

namespace mollify {
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
    // What is missing counts as the origin.
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

/// Draws Y, the noise that privacy rests on.
std::function<void(std::span<std::int64_t>, SecureRandom&)> lattice_noise(
    const GaussianDesign& design) {
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

GaussianRuns::GaussianRuns(const GaussianDesign& design, std::vector<double> centre)
    : roles_(centre_role(design)),
      steps_in_one_(std::ldexp(1, -design.step_exponent)),
      centre_(std::move(centre)),
      scores_(design.request.dimension),
      runs_(design.request.outputs, ClippedSum(design.request.dimension, design.lattice_radius)) {}

void GaussianRuns::add(GaussianRole role, std::span<const double> row) {
  if (role >= roles_) return;
  for (std::size_t j = 0; j < scores_.size(); ++j) {
    scores_[j] = (row[j] - centre_[j]) * steps_in_one_;
  }
  runs_[role / 2].add(scores_, role % 2 == 0 ? 1 : -1);
}

std::vector<std::int64_t> GaussianRuns::sums() const {
  std::vector<std::int64_t> all;
  for (const ClippedSum& run : runs_) all.insert(all.end(), run.sum().begin(), run.sum().end());
  return all;
}

GaussianSampler::GaussianSampler(GaussianDesign design, Whitening whitening)
    : design_(std::move(design)), whitening_(std::move(whitening)) {
  if (whitening_.dimension() != design_.request.dimension) {
    throw InvalidInput(fmt::format("the whitening is of {} dimensions, but the design of {}",
                                   whitening_.dimension(), design_.request.dimension));
  }
  check_gaussian_design(design_);
  // Both refuse what they cannot serve: now, not after data have been seen.
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
  sums.resize(m * d);
  const auto draw_noise = lattice_noise(design_);
  const double cell =
      std::ldexp(1 / static_cast<double>(design_.weights.divisor), design_.step_exponent);
  const double deviation = std::sqrt(design_.public_variance);
  PublicNormals normals(random);
  std::vector<std::int64_t> noise(d);
  std::vector<double> outputs(m * d), released(m * d);
  for (std::size_t run = 0; run < m; ++run) {
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

}  // namespace mollify
