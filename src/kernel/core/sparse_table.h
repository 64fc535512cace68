// A table whose cost is that of the outcomes with a score, not that of all outcomes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "band.h"
#include "fit.h"
#include "secure_random.h"
#include "table.h"

namespace mollify {

/// The law of one release when all but m of the k outcomes have score zero, as for the empirical
/// distribution of one person's records.
///
/// Definition. Scored outcomes have integer numerators n_j, as in Table. The others together have
/// the integer numerator Z = N - sum n_j and share it in proportion to their lower bounds: outcome
/// i has probability (Z / N) (lower_i / C), C being the sum of their lower bounds.
///
/// Theorem. For any outcomes, scores and search, lower_i / N <= P(i) <= Ebar lower_i / N for every
/// outcome i, and `draw` returns i with probability exactly P(i), so Band's theorem holds for these
/// laws too, and for one of these beside a Table of the same band. Proof. The table is made with
/// the unscored outcomes as one, bounded by C and min(N, floor(Ebar C)). These bounds leave room
/// for N as the band's do, because floor(Ebar C) is at least the sum of what it stands for.
/// Numerators end inside their bounds: C <= Z <= Ebar C. Multiply by lower_i / (C N). If C is 0, so
/// is Z. A draw that falls into Z is followed by a second integer draw below C, uniform, over the
/// band's public prefix sums. QED
///
/// Time O(m) to make; a draw takes O(m / 256 + 256) and, when it falls on an unscored outcome, a
/// binary search more. A table holds private data and refers to its band, which must outlive it.
class SparseTable {
 public:
  /// A table without scores: it releases the reference.
  explicit SparseTable(const Band& band);
  explicit SparseTable(Band&&) = delete;

  /// Remakes the table by a search as for `fit`. `outcomes` are ascending and below k, `scores` any
  /// numbers, one for each. These are private data, so nothing throws: an outcome out of range, or
  /// not above the last one taken, is passed over (`project` sorts outcomes first).
  template <class Search>
  void assign(std::span<const std::uint32_t> outcomes, std::span<const double> scores,
              Search search) {
    take(outcomes, scores);
    fit(bounds(), std::span<const double>(scores_), search, {numerators_, block_sums_});
  }

  [[nodiscard]] const Band& band() const { return *band_; }

  /// The scored outcomes, ascending. NOT PRIVATE.
  [[nodiscard]] std::span<const std::uint32_t> outcomes() const { return outcomes_; }
  /// Their numerators over N, and last the unscored outcomes' Z (0 if there are none). NOT PRIVATE.
  [[nodiscard]] std::span<const std::uint64_t> numerators() const { return numerators_; }
  /// C: the sum of the unscored outcomes' lower bounds.
  [[nodiscard]] std::uint64_t unscored_lower() const { return lowers_.back(); }

  /// The outcome that `draw` returns for two uniform integers: `position` below the total, and, if
  /// that falls on the unscored outcomes, `unscored_position` below unscored_lower(). NOT PRIVATE.
  [[nodiscard]] std::size_t outcome_at(std::uint64_t position,
                                       std::uint64_t unscored_position) const {
    const std::size_t slot = locate(position);
    return slot < outcomes_.size() ? outcomes_[slot] : locate_unscored(unscored_position);
  }

  [[nodiscard]] std::size_t draw(SecureRandom& random) const {
    const std::size_t slot = locate(random.below(band_->total()));
    if (slot < outcomes_.size()) return outcomes_[slot];
    return locate_unscored(random.below(unscored_lower()));
  }

 private:
  /// Takes over the outcomes with their scores and bounds; the numerators wait for fit.
  void take(std::span<const std::uint32_t> outcomes, std::span<const double> scores);
  [[nodiscard]] Bounds bounds() const;
  [[nodiscard]] std::size_t locate(std::uint64_t position) const {
    return detail::run_at(numerators_, block_sums_, position);
  }
  [[nodiscard]] std::size_t locate_unscored(std::uint64_t position) const;

  const Band* band_;
  std::vector<std::uint32_t> outcomes_;
  std::vector<double> scores_;                // of the scored outcomes, then 0 for the others
  std::vector<std::uint64_t> lowers_;         // of the scored outcomes, then C
  std::vector<std::uint64_t> scored_before_;  // sums of lowers_ over the scored outcomes before
  std::vector<std::uint64_t> numerators_;
  std::vector<std::uint64_t> block_sums_;
};

}  // namespace mollify
