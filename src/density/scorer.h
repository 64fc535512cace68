// The shape of everything that scores public candidates by private rows.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "density/mixed_points.h"

namespace mollify {

/// Gives each public candidate a score from private rows: how likely the rows' distribution is to
/// produce it.
///
/// A scorer is made from public candidates once and may then be shared by threads; `score` changes
/// nothing. It is free to be wrong, for the kernel bounds what scores can do
/// (docs/theory/privacy-kernel.md), but it is total: any values in rows, NaN and infinities
/// included, give scores that are finite and not negative.
class Scorer {
 public:
  virtual ~Scorer() = default;
  Scorer(const Scorer&) = delete;
  Scorer& operator=(const Scorer&) = delete;

  /// Writes a score for each candidate, in the order of the candidates. Without rows all scores are
  /// zero. Throws InvalidInput if the rows have other columns than the candidates, or `scores`
  /// another size: both are public.
  void score(const MixedPoints& rows, std::span<float> scores) const;

  /// Whether scores are relative to the law that the candidates were drawn from (p/h: what the
  /// kernel takes). Otherwise they are densities p on mixed points, still to be divided by h.
  [[nodiscard]] virtual bool scores_are_ratios() const noexcept { return false; }

  [[nodiscard]] std::span<const MixedColumn> columns() const noexcept { return columns_; }

 protected:
  explicit Scorer(const MixedPoints& candidates);

  /// Throws InvalidInput as `score` does.
  void check_shapes(const MixedPoints& rows, std::span<const float> scores) const;

 private:
  /// The scores from at least one row, shapes being right.
  virtual void score_rows(const MixedPoints& rows, std::span<float> scores) const = 0;

  std::vector<MixedColumn> columns_;
  std::size_t candidate_count_;
};

}  // namespace mollify
