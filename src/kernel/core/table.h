// The table: an exact, private output law inside a public band.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "band.h"
#include "fit.h"
#include "secure_random.h"

namespace mollify {

namespace detail {

/// The i with n_0 + ... + n_(i-1) <= position < n_0 + ... + n_i, for numerators n whose blocks of
/// kBlock have these sums; position must be below the sum of all. O(size / 256 + 256).
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
/// (kernel/search/projection.h).
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
    require_count(scores.size());
    fit(bounds_of(*band_), scores, search, written());
  }

  [[nodiscard]] const Band& band() const { return *band_; }

  /// n_i: the probability of outcome i is n_i / band().total(). NOT PRIVATE.
  [[nodiscard]] std::span<const std::uint64_t> numerators() const {
    return {numerators_.get(), band_->outcome_count()};
  }

  /// The outcome i with n_0 + ... + n_(i-1) <= position < n_0 + ... + n_i; position must be below
  /// band().total(). So each outcome i has exactly n_i positions. O(k / 256 + 256). NOT PRIVATE.
  [[nodiscard]] std::size_t outcome_at(std::uint64_t position) const {
    return detail::run_at(numerators(), block_sums_, position);
  }

  /// One outcome, that of a uniform position. Every draw spends epsilon. For many draws from one
  /// table, see AliasTable.
  [[nodiscard]] std::size_t draw(SecureRandom& random) const {
    return outcome_at(random.below(band_->total()));
  }

 private:
  /// Numerators that hold whatever was in the memory: fit writes every one.
  explicit Table(const Band* band)
      : band_(band),
        numerators_(std::make_unique_for_overwrite<std::uint64_t[]>(band->outcome_count())),
        block_sums_((band->outcome_count() + kBlock - 1) / kBlock) {}
  [[nodiscard]] Numerators written() {
    return {{numerators_.get(), band_->outcome_count()}, block_sums_};
  }
  void require_count(std::size_t count) const;

  const Band* band_;
  std::unique_ptr<std::uint64_t[]> numerators_;
  std::vector<std::uint64_t> block_sums_;
};

}  // namespace mollify
