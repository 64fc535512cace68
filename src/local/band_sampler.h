// The local sampler of a band: minimax, relative mollifier, density class and neighbourhood alike.
#pragma once

#include "kernel/core/band.h"
#include "kernel/core/table.h"
#include "local/sampler.h"

namespace mollify {

/// The integers of a table's law. Valid as long as the table is.
[[nodiscard]] inline LawIntegers integers_of(const Table& table) {
  return {.numerators = table.numerators(), .band = &table.band()};
}

/// Fills `released` with independent draws from a table.
void draw_all(const Table& table, SecureRandom& random, std::span<std::uint32_t> released);

/// Releases from clip(P/r, b h, b E h), the projection of P on a band, exactly in integers.
///
/// Domains of at most kDense outcomes use a Table, larger ones a SparseTable, so that a unit costs
/// time in its own distinct outcomes; the choice depends on k alone, which is public. The guarantee
/// is epsilon-LDP by the theorems of Band, Table and SparseTable.
class BandSampler final : public LocalSampler {
 public:
  static constexpr std::size_t kDense = 4096;

  explicit BandSampler(const Band& band) : band_(band) {}

  [[nodiscard]] const Band* band() const override { return &band_; }

  [[nodiscard]] std::size_t outcome_count() const override { return band_.outcome_count(); }
  [[nodiscard]] Privacy guarantee() const override { return Privacy::pure(band_.epsilon()); }
  void draw_by_law(const ScoredOutcomes& p, const LawWords& words,
                   std::span<std::uint32_t> released) const override;
  /// From a Table, which has an integer for each outcome, for every k.
  void draw_rows(std::span<const double> weights, SecureRandom& random,
                 std::span<std::uint32_t> released) const override;
  void draw_rows(std::span<const float> weights, SecureRandom& random,
                 std::span<std::uint32_t> released) const override;
  [[nodiscard]] Law law(const ScoredOutcomes& p) const override;

  /// ln of the greatest upper_i / lower_i; of Ebar where a SparseTable is used, whose unscored
  /// outcomes have no bounds of their own. O(k).
  [[nodiscard]] double epsilon_realised_up() const override;
  /// By Band's theorem: it makes its upper bounds of its lower ones, so there is no other band.
  [[nodiscard]] bool guarantee_holds() const override { return true; }
  void for_each_public_integer(const std::function<void(uint128)>& take) const override;

 private:
  Band band_;
};

}  // namespace mollify
