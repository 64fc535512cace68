// Public distributions to choose one from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "space/domain.h"

namespace mollify {

/// N distributions of independent columns, drawn from a public prior by the domain's seed:
/// everybody with the domain, the number and the reference can make the same. A release over them
/// draws an index, so it is exactly as private as the band over N outcomes; rows of the model that
/// was drawn are free (docs/theory/spaces.md).
///
/// Model i's share of a column's cell is the reference's times -ln u, u uniform, of all cells'
/// together: around a uniform reference that is Dirichlet(1, ..., 1). Shares are whole multiples of
/// 2^-24 of the largest, at least one, so that all are positive.
///
/// Nothing of a model is held: each is made anew when it is visited. All of it is public.
class ProductModels {
 public:
  static constexpr std::uint64_t kMost = std::uint64_t{1} << 24U;
  static constexpr std::uint64_t kUsual = 20'000;
  /// How many shares all models may have together; some seconds to make.
  static constexpr std::uint64_t kMostShares = std::uint64_t{1} << 29U;

  /// `reference` are public records as digits that lie end to end, or nothing for the uniform one:
  /// each column's shares are (records + 1) / (all + cells). Throws InvalidInput, in one sentence,
  /// unless count is from 1 to kMost and all shares are at most kMostShares.
  ProductModels(const Domain& domain, std::uint64_t count,
                std::span<const std::uint32_t> reference = {});

  [[nodiscard]] std::uint64_t size() const noexcept { return count_; }
  [[nodiscard]] const std::vector<std::uint32_t>& columns() const noexcept { return sizes_; }

  /// Calls `visit` with the shares of each model, in order: of the first column's cells, then the
  /// second's; those of a column sum to 1 but for rounding. O(all shares).
  void visit(
      const std::function<void(std::uint64_t index, std::span<const double> shares)>& visit) const;
  /// One model's. Requires index < size(). As long as a visit.
  [[nodiscard]] std::vector<double> shares(std::uint64_t index) const;
  /// SHA-256 of all shares.
  [[nodiscard]] std::string sha256() const;

 private:
  /// Until it returns false.
  void visit_whole(const std::function<bool(std::uint64_t index,
                                            std::span<const std::uint32_t> parts)>& visit) const;
  [[nodiscard]] std::vector<double> shares_of(std::span<const std::uint32_t> parts) const;

  std::vector<std::uint32_t> sizes_;
  std::vector<double> reference_;  // of each cell, up to a factor for each column
  std::uint64_t seed_;
  std::uint64_t count_;
};

}  // namespace mollify
