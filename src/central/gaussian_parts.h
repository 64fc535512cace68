// Gaussian samples of a table that lies in parts, on workers that share nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "central/gaussian_sampler.h"
#include "kernel/core/secure_random.h"
#include "records/release_key.h"

namespace mollify {

/// So many rows of a part have this role.
struct RoleShare {
  GaussianRole role;
  std::uint64_t rows;
};

/// What all parts are asked. Secret: who knows the key knows the rows' roles.
struct GaussianPass {
  enum class Kind : std::uint8_t {
    kRows,    ///< how many rows each part has
    kCentre,  ///< the rows of the centre's role, whitened
    kRuns,    ///< the sums of all runs
  };
  Kind kind = Kind::kRows;
  std::vector<std::vector<RoleShare>> roles{};  ///< of each part; none while rows are counted
  std::vector<double> centre{};                 ///< of kRuns
};

/// One part's answer to a pass.
///
/// A part is a multiset of rows in an order that follows from its rows alone (equal ones may stand
/// in any). A row's role is then a function of the key, of the part's number and of its rows: the
/// same however often it is asked for. Rows beyond those counted before have no role; of those that
/// lack, each counts as the origin.
class GaussianPart {
 public:
  /// `key` is of this release alone. All must outlive the part.
  GaussianPart(const GaussianSampler& sampler, const GaussianPass& pass, const ReleaseKey& key,
               std::size_t number);

  /// The next rows, row-major, any doubles. Each is whitened alone, so that it becomes the same
  /// integers wherever it stands.
  void add(std::span<const double> rows);

  /// Where the integers of `take` stand among those of the pass.
  [[nodiscard]] std::uint64_t begin() const noexcept { return begin_; }
  /// Of all rows; once. Of kCentre the bits of doubles.
  [[nodiscard]] std::vector<std::int64_t> take();

 private:
  void add_whitened(std::span<const double> row);

  const GaussianSampler& sampler_;
  GaussianPass::Kind kind_;
  std::uint64_t begin_ = 0;
  std::vector<GaussianRole> roles_;  // of its rows
  std::size_t rows_ = 0;
  std::vector<double> whitened_;
  std::vector<std::int64_t> found_;
  std::optional<GaussianRuns> runs_;
};

/// Draws as GaussianSampler::draw does, from answers: `ask` gives the integers of all parts, each
/// added modulo 2^64 at its place and every part once.
///
/// Theorem. The outputs have the law of GaussianSampler::draw on the table of all rows, so they
/// keep the design's guarantee: docs/theory/gaussian-proofs.md. O(n log m) here for n rows, and for
/// a coarse centre its rows in memory.
[[nodiscard]] std::vector<double> draw_from_parts(
    const GaussianSampler& sampler, const ReleaseKey& key,
    const std::function<std::vector<std::int64_t>(const GaussianPass&)>& ask, SecureRandom& random);

}  // namespace mollify
