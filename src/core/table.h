// The table that a draw is made from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "band.h"
#include "numerators.h"
#include "random.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// The table: an exact, private output law inside a public band.

namespace detail {

/// The i with n_0 + ... + n_(i-1) <= position < n_0 + ... + n_i, for numerators n, of which there
/// is at least one, whose blocks of kBlock have these sums. Whatever the position and the sums are,
/// it is the place of a numerator, and nothing beyond is read. O(size / 256 + 256).
[[nodiscard]] std::size_t run_at(std::span<const std::uint64_t> numerators,
                                 std::span<const std::uint64_t> block_sums, std::uint64_t position);

}  // namespace detail

/// The law of one release over the k outcomes of a band: integer numerators n_i over N.
///
/// Theorem. For any band, any k scores and any search whatsoever, after `assign`
///   lower_i <= n_i <= upper_i for every i, and sum n_i = N exactly,
/// and `draw` returns i with probability exactly n_i / N, given uniform words. By Band's theorem
/// two tables of one band, made from any two score vectors, differ in the probability of any event
/// by a factor of at most e^epsilon.
/// Proof. The numerators are fit's. They cut the N positions into runs, of n_i positions for
/// outcome i, in order; `draw` takes a uniform position (uniform_below) and returns whose run holds
/// it. QED
///
/// The scores are private and may be wrong, and so may the search for their scale: they decide how
/// useful the law is, never how private. The search of releases is `project`
/// (kernel/search.h).
///
/// A table holds private data. It refers to its band, which must outlive it. 8 bytes an outcome.
class Table {
 public:
  /// A table that releases the reference, the law in proportion to the lower bounds. O(k).
  explicit Table(const Band& band);
  template <class Score, class Search>
  Table(const Band& band, std::span<const Score> scores, Search search) : Table(&band) {
    assign(scores, search);
  }
  explicit Table(Band&&) = delete;
  template <class Score, class Search>
  Table(Band&&, std::span<const Score>, Search) = delete;

  /// Remakes the table from k scores, doubles or floats, by a search as for `fit`. The number of
  /// scores is public: any other than k throws InvalidInput. Their values never throw.
  template <class Score, class Search>
  void assign(std::span<const Score> scores, Search search) {
    assign(*band_, scores, search);
  }

  /// Remakes the table over another band, which must outlive it, in the memory that it has if that
  /// is enough. The band before does not have to exist any more. If the search throws, or memory
  /// runs out, the table stays as it was.
  template <class Score, class Search>
  void assign(const Band& band, std::span<const Score> scores, Search search) {
    if (band.outcome_count() > room_) {
      *this = Table(band, scores, search);
      return;
    }
    require_count(band, scores.size());
    fit(Bounds(band), scores, search, written(band));
    band_ = &band;
  }
  template <class Score, class Search>
  void assign(Band&&, std::span<const Score>, Search) = delete;

  [[nodiscard]] const Band& band() const { return *band_; }

  /// n_i: the probability of outcome i is n_i / band().total(). NOT PRIVATE.
  [[nodiscard]] std::span<const std::uint64_t> numerators() const {
    return {numerators_.get(), band_->outcome_count()};
  }

  /// The outcome i with n_0 + ... + n_(i-1) <= position < n_0 + ... + n_i; position must be below
  /// band().total(). So each outcome i has exactly n_i positions. O(k / 256 + 256). NOT PRIVATE.
  [[nodiscard]] std::size_t outcome_at(std::uint64_t position) const {
    return detail::run_at(numerators(), std::span(block_sums_).first(blocks_of(*band_)), position);
  }

  /// One outcome, of a uniform position. Every draw spends epsilon. For many draws from one table,
  /// see AliasTable.
  [[nodiscard]] std::size_t draw(SecureRandom& random) const {
    return outcome_at(random.below(band_->total()));
  }

 private:
  /// Numerators that hold whatever was in the memory: fit writes every one.
  explicit Table(const Band* band)
      : band_(band),
        room_(band->outcome_count()),
        numerators_(std::make_unique_for_overwrite<std::uint64_t[]>(room_)),
        block_sums_(blocks_of(*band)) {}
  static std::size_t blocks_of(const Band& band) {
    return (band.outcome_count() + kBlock - 1) / kBlock;
  }
  Numerators written(const Band& band) {
    return {{numerators_.get(), band.outcome_count()},
            std::span(block_sums_).first(blocks_of(band))};
  }
  static void require_count(const Band& band, std::size_t count);

  const Band* band_;
  std::size_t room_;  // number of outcomes that the memory holds
  std::unique_ptr<std::uint64_t[]> numerators_;
  std::vector<std::uint64_t> block_sums_;
};

// -----------------------------------------------------------------------------------------------
// A table that costs time in the outcomes with a score, not in all outcomes.

/// The law of one release when all but m of the k outcomes have score zero, as for the empirical
/// distribution of one person's records.
///
/// Definition. Scored outcomes have integer numerators n_j, as in Table. The others together have
/// the integer numerator Z = N - sum n_j and share it in proportion to their lower bounds: outcome
/// i has probability (Z / N) (lower_i / C), C being the sum of their lower bounds.
///
/// Theorem. For any outcomes, scores and search, lower_i / N <= P(i) <= Ebar lower_i / N for every
/// outcome i, and `draw` returns i with probability exactly P(i), so Band's theorem holds for these
/// laws too, and for one of these and a Table of the same band. Proof. The table is made with the
/// unscored outcomes as one, bounded by C and min(N, floor(Ebar C)). These bounds leave room for N
/// as the band's do, because floor(Ebar C) is at least the sum of its parts. Numerators end inside
/// their bounds: C <= Z <= Ebar C. Multiply by lower_i / (C N). If C is 0, so is Z. A draw that
/// falls into Z is followed by a second integer draw below C, uniform, over the band's public
/// prefix sums. QED
///
/// Time O(m) to make; a draw takes O(m / 256 + 256) and, when it falls on an unscored outcome, a
/// binary search more. A table holds private data and refers to its band, which must outlive it.
class SparseTable {
 public:
  /// A table without scores: it releases the reference.
  explicit SparseTable(const Band& band);
  explicit SparseTable(Band&&) = delete;

  /// Remakes the table by a search as for `fit`. `outcomes` are ascending and below k, `scores` any
  /// numbers, one for each. These are private data, and no value of them throws: an outcome out of
  /// range, or not above the last one taken, is passed over (`project` sorts outcomes first). If
  /// the search throws, or memory runs out, the table stays as it was.
  template <class Search>
  void assign(std::span<const std::uint32_t> outcomes, std::span<const double> scores,
              Search search) {
    const Bounds bounds = take(outcomes, scores);
    fit(bounds, std::span<const double>(next_.scores), search, next_.written());
    std::swap(law_, next_);
  }

  [[nodiscard]] const Band& band() const { return *band_; }

  /// The scored outcomes, ascending. NOT PRIVATE.
  [[nodiscard]] std::span<const std::uint32_t> outcomes() const { return law_.outcomes; }
  /// Their numerators over N, and last the unscored outcomes' Z (0 if there are none). NOT PRIVATE.
  [[nodiscard]] std::span<const std::uint64_t> numerators() const { return law_.numerators; }
  /// C: the sum of the unscored outcomes' lower bounds.
  [[nodiscard]] std::uint64_t unscored_lower() const { return law_.lowers.back(); }

  /// The outcome that `draw` returns for two uniform integers: `position` below the total, and, if
  /// that falls on the unscored outcomes, `unscored_position` below unscored_lower(). NOT PRIVATE.
  [[nodiscard]] std::size_t outcome_at(std::uint64_t position,
                                       std::uint64_t unscored_position) const {
    const std::size_t slot = locate(position);
    return slot < outcomes().size() ? outcomes()[slot] : locate_unscored(unscored_position);
  }

  [[nodiscard]] std::size_t draw(SecureRandom& random) const {
    const std::size_t slot = locate(random.below(band_->total()));
    if (slot < outcomes().size()) return outcomes()[slot];
    return locate_unscored(random.below(unscored_lower()));
  }

 private:
  struct Law {
    std::vector<std::uint32_t> outcomes;
    std::vector<double> scores;                // of the scored outcomes, then 0 for the others
    std::vector<std::uint64_t> lowers;         // of the scored outcomes, then C
    std::vector<std::uint64_t> scored_before;  // sums of lowers over the scored outcomes before
    std::vector<std::uint64_t> numerators;
    std::vector<std::uint64_t> block_sums;

    void resize(std::size_t scored);
    Numerators written() { return {numerators, block_sums}; }
  };

  /// Makes the next law's outcomes with their scores and bounds; its numerators wait for fit.
  Bounds take(std::span<const std::uint32_t> outcomes, std::span<const double> scores);
  [[nodiscard]] std::size_t locate(std::uint64_t position) const {
    return detail::run_at(law_.numerators, law_.block_sums, position);
  }
  [[nodiscard]] std::size_t locate_unscored(std::uint64_t position) const;

  const Band* band_;
  Law law_;
  Law next_;  // in whose memory the next law is made
};

}  // namespace mollify
