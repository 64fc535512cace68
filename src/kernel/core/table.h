// The table: an exact, private output law inside a public band.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernel/core/band.h"
#include "kernel/core/secure_random.h"
#include "kernel/core/seeded_random.h"

namespace mollify {

/// The law of one release over the k outcomes of a band: integer numerators n_i over N.
///
/// Theorem. For any band and any k scores whatsoever, after `assign`
///   lower_i <= n_i <= upper_i for every i, and sum n_i = N exactly,
/// and `draw` returns i with probability exactly n_i / N, given uniform words. By Band's theorem
/// two tables of one band, made from any two score vectors, differ in the probability of any event
/// by a factor of at most e^epsilon.
///
/// The scores are private and may be wrong: they decide how useful the law is, never how private.
/// n follows clip(t score_i, lower_i, upper_i), the f-divergence projection of the scores'
/// distribution on the band for every f at once [Park et al. 2024, Prop. III.4], to 1e-9 relative
/// or two parts of N, whichever is larger. NaN and negative scores count as zero, and so may scores
/// below 2^-500 of the greatest; beside infinite scores all finite ones do. Where the outcomes with
/// a score are all at their upper bounds, those without share what is left in proportion to the
/// reference [MATH 1.1]; so scores without any positive one give the reference.
///
/// A table holds private data. It refers to its band, which must outlive it. 8 bytes an outcome.
class Table {
 public:
  /// A table that releases the reference until `assign` is called. O(k).
  explicit Table(const Band& band);
  Table(const Band& band, std::span<const double> scores) : Table(band) { assign(scores); }
  explicit Table(Band&&) = delete;
  Table(Band&&, std::span<const double>) = delete;

  /// Remakes the table from k scores, in about five passes over them. Their number is public: any
  /// other than k throws InvalidInput. Their values never throw.
  void assign(std::span<const double> scores);
  void assign(std::span<const float> scores);

  const Band& band() const { return *band_; }

  /// n_i: the probability of outcome i is n_i / band().total(). NOT PRIVATE.
  std::span<const std::uint64_t> numerators() const { return numerators_; }

  /// The outcome whose run of the numerators' cumulative sum holds `position`, which must be below
  /// band().total(): each outcome i has exactly n_i positions. O(k / 256 + 256). NOT PRIVATE.
  std::size_t outcome_at(std::uint64_t position) const;

  /// One outcome, that of a uniform position. For many from one table, see AliasTable.
  std::size_t draw(SecureRandom& random) const { return outcome_at(random.below(band_->total())); }

  /// One outcome for analysis. NOT PRIVATE.
  std::size_t simulate(SeededRandom& random) const {
    return outcome_at(random.below(band_->total()));
  }

 private:
  const Band* band_;
  std::vector<std::uint64_t> numerators_;
  std::vector<std::uint64_t> block_sums_;
};

}  // namespace mollify
