// Public candidates: records that a release chooses among.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/random.h"

namespace mollify {

class Domain;

// -----------------------------------------------------------------------------------------------
// Reproducible randomness for analysis and tests. NOT PRIVATE.

/// The ChaCha20 stream of a seed. NOT PRIVATE: anyone who knows the seed knows the draws.
///
/// It is not a SecureRandom, and nothing that releases takes it: a release with a seed does not
/// compile (tests/misuse). It drives what is named `simulate`, lists of public candidates, and rows
/// of a model that is published (write_rows).
///
/// **Fixed for ever**, because such lists and rows are drawn again by others: the key is the seed
/// in its first eight bytes and zeros, and batch b, blocks 0 to 15 under the nonce (b, 0, 0), gives
/// words 128 b to 128 b + 127, all little-endian.
class SeededRandom {
 public:
  explicit SeededRandom(std::uint64_t seed) : seed_(seed) {}

  /// The next word of the stream.
  std::uint64_t word() {
    if (position_ == kWords) refill();
    return words_[position_++];
  }

  /// A uniform integer below `bound`, which must not be 0.
  std::uint64_t below(std::uint64_t bound) { return uniform_below(*this, bound); }

 private:
  static constexpr std::size_t kWords = 128;

  void refill();

  std::uint64_t seed_;
  std::uint32_t batch_ = 0;
  std::size_t position_ = kWords;
  std::uint64_t words_[kWords];
};

// -----------------------------------------------------------------------------------------------
// The records that candidates are drawn from when there is no public reference.

/// Independent columns, each uniform over its values. Public and immutable.
///
/// The null category and each missing code of an ordered column is as likely as one of its cells,
/// and never less than one of ten and these: cells are many where bins are not declared, and nulls
/// would never be seen.
///
/// **Fixed for ever**: lists of candidates are shared by their seed. For each column of the domain
/// in turn, `draw` takes one integer below min(cells, 10) + n if the column is ordered and has n > 0
/// missing codes and nulls. An integer below n is one of these, in their order. For another, `draw`
/// takes one more, below the number of cells (of any other column: of its outcomes).
class UniformRecords {
 public:
  explicit UniformRecords(const Domain& domain);

  [[nodiscard]] std::size_t columns() const noexcept { return columns_.size(); }

  /// Draws one record's digits; `digits` has one place for each column.
  template <class Random>
  void draw(Random& random, std::span<std::uint32_t> digits) const {
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const Choice& column = columns_[i];
      const std::uint64_t one = column.codes_and_nulls > 0 ? random.below(column.among) : 0;
      digits[i] = static_cast<std::uint32_t>(
          one < column.codes_and_nulls ? column.cells + one : random.below(column.cells));
    }
  }

  /// True if all records are equally likely, that is if no number may be null.
  [[nodiscard]] bool is_flat() const noexcept { return flat_; }

  /// The share of records that are null there. Requires a null category.
  [[nodiscard]] double null_share(std::size_t column) const noexcept {
    return 1.0 /
           (columns_[column].codes_and_nulls > 0 ? columns_[column].among : columns_[column].cells);
  }

  /// The record's density where a number's values have length one in all, and the values of every
  /// other column count one each; up to the factor of the latter's number.
  [[nodiscard]] double density(std::span<const std::uint32_t> digits) const noexcept;

 private:
  struct Choice {
    std::uint32_t cells;
    std::uint32_t codes_and_nulls;  // nulls and missing codes with outcomes of their own
    std::uint32_t among;            // each is one of this many
    double if_null;                 // density, against the column's other values together
    double if_value;
  };

  std::vector<Choice> columns_;
  bool flat_ = true;
};

// -----------------------------------------------------------------------------------------------
// A public list of records to choose from.

/// N records of a domain, drawn from a public reference h, and h's density at each. A release over
/// them draws an index, so it is exactly as private as the band over N outcomes, in any dimension
/// and for any types; its law tends to the sampler's over h as N grows (docs/theory/band.md).
///
/// All of it is public: never make one from private records. 4 bytes a digit.
class Candidates {
 public:
  static constexpr std::uint64_t kMost = std::uint64_t{1} << 24U;
  static constexpr std::uint64_t kUsual = 65'536;

  /// Throws InvalidInput unless count is from 1 to kMost.
  static void require_count(std::uint64_t count);

  /// The list that everybody with this domain and this number has: UniformRecords in the order of
  /// the SeededRandom of the domain's seed. A shorter list is the beginning of a longer one.
  /// **Fixed for ever**, like UniformRecords. Throws InvalidInput unless count is from 1 to kMost.
  [[nodiscard]] static Candidates seeded(const Domain& domain, std::uint64_t count);

  /// New ones that nobody has seen, from the same reference.
  [[nodiscard]] static Candidates fresh(const Domain& domain, std::uint64_t count,
                                        SecureRandom& random);

  /// Records whose digits lie end to end, and the reference's density at each, or nothing if they
  /// were drawn evenly. Throws InvalidInput unless there are from 1 to kMost records, every digit
  /// is one of its column's, and densities, if given, are positive, finite and one for each.
  [[nodiscard]] static Candidates of(const Domain& domain, std::vector<std::uint32_t> digits,
                                     std::vector<float> densities = {});

  [[nodiscard]] std::size_t size() const noexcept { return digits_.size() / columns_; }
  [[nodiscard]] std::size_t columns() const noexcept { return columns_; }
  /// The digits of one record. Requires index < size().
  [[nodiscard]] std::span<const std::uint32_t> operator[](std::size_t index) const noexcept {
    return std::span(digits_).subspan(index * columns_, columns_);
  }
  /// All digits, a record after the other.
  [[nodiscard]] std::span<const std::uint32_t> digits() const noexcept { return digits_; }
  /// The reference's density at each record, up to a factor; empty if it is the same at all.
  [[nodiscard]] std::span<const float> densities() const noexcept { return densities_; }

 private:
  Candidates(std::size_t columns, std::vector<std::uint32_t> digits, std::vector<float> densities)
      : columns_(columns), digits_(std::move(digits)), densities_(std::move(densities)) {}

  template <class Random>
  [[nodiscard]] static Candidates uniform(const Domain& domain, std::uint64_t count,
                                          Random& random);

  std::size_t columns_;
  std::vector<std::uint32_t> digits_;
  std::vector<float> densities_;
};

// -----------------------------------------------------------------------------------------------
// How lists of candidates are written.

inline constexpr std::string_view kCandidatesFormat = "mollify candidates 1";

/// Passes the file of a list to `take`, in parts. The format, in ASCII with line feeds:
///
///     mollify candidates 1
///     domain 9f2c...                      the domain's hash
///     records 65536 columns 3 densities   the last word only where there are any
///     17,1048575,2,0x1.8p-3               a line for each record: its digits, and its density
///
/// Digits say which cell of a column is meant, so that a file of them names no value of its own; a
/// density is a hexadecimal number, exact and the same from every library.
void write_candidates(const Candidates& candidates, const Domain& domain,
                      const std::function<void(std::string_view)>& take);

/// SHA-256 of that file, in 64 hexadecimal digits: what `sha256sum` says of it.
[[nodiscard]] std::string candidates_hash(const Candidates& candidates, const Domain& domain);

}  // namespace mollify
