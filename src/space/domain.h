// The public domain: what a record can be.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "space/column.h"

namespace mollify {

/// A product of columns. Public and immutable.
///
/// A record is a vector of digits, one cell of each column. If there are at most 2^24 such vectors
/// the domain is enumerable, and a record is also one outcome 0 … size() - 1: the mixed-radix
/// number whose first column is the most significant digit, so that outcomes in ascending order are
/// records in lexicographic order of their columns.
class Domain {
 public:
  static constexpr std::uint32_t kMaxOutcomes = std::uint32_t{1} << 24U;

  /// `seed` fixes the public candidates of samplers that use them; it is part of the domain so
  /// that it is chosen before any data is opened.
  /// Throws InvalidInput unless there is at least one column and names are distinct.
  [[nodiscard]] static Domain make(std::vector<Column> columns, std::uint64_t seed = 0);

  /// The number of digit vectors; exact up to 2^53, and possibly infinite.
  [[nodiscard]] double product() const noexcept { return product_; }
  [[nodiscard]] bool is_enumerable() const noexcept { return product_ <= kMaxOutcomes; }
  /// Throws InvalidInput, saying that `what` needs it, unless the domain is enumerable.
  void require_enumerable(std::string_view what) const;

  /// The number of outcomes. Requires is_enumerable(), as all that speaks of outcomes does.
  [[nodiscard]] std::uint32_t size() const noexcept { return size_; }
  [[nodiscard]] const std::vector<Column>& columns() const noexcept { return columns_; }
  /// The columns' names.
  [[nodiscard]] std::vector<std::string> names() const;
  [[nodiscard]] std::uint64_t seed() const noexcept { return seed_; }

  /// The outcome of a private record. Total: defined for any fields, of any content and of any
  /// number; fields come in the columns' order, missing ones are nulls, further ones are ignored.
  [[nodiscard]] std::uint32_t encode(std::span<const std::string_view> fields) const noexcept;

  /// The digits of a private record, one for each column; total like `encode`, for every domain.
  /// Requires digits.size() == columns().size().
  void encode_digits(std::span<const std::string_view> fields,
                     std::span<std::uint32_t> digits) const noexcept;

  /// The outcome's digit for one column. Requires outcome < size() and column < columns().size().
  [[nodiscard]] std::uint32_t digit(std::uint32_t outcome, std::size_t column) const noexcept {
    return outcome / strides_[column] % columns_[column].size();
  }

  /// Writes a record of the outcome to `fields`, one text for each column; where an outcome stands
  /// for several values, one of them is drawn uniformly.
  ///
  /// `random.below(bound)`, or `random(bound)`, must return an unbiased integer in [0, bound): on a
  /// release path it is a SecureRandom. For every draw, encode of what is written is the outcome.
  /// Requires outcome < size().
  template <class Random>
  void decode(std::uint32_t outcome, Random&& random, std::vector<std::string>& fields) const {
    write_fields([&](std::size_t i) { return digit(outcome, i); }, random, fields);
  }

  /// The same for a record given by its digits, for every domain. Requires one digit for each
  /// column, each below that column's size.
  template <class Random>
  void write_digits(std::span<const std::uint32_t> digits, Random&& random,
                    std::vector<std::string>& fields) const {
    write_fields([&](std::size_t i) { return digits[i]; }, random, fields);
  }

  /// `random.below(bound)` or `random(bound)`, whichever it has.
  template <class Random>
  [[nodiscard]] static std::uint64_t integer_below(Random& random, std::uint64_t bound) {
    if constexpr (requires { random.below(bound); }) {
      return random.below(bound);
    } else {
      return random(bound);
    }
  }

  /// A line with version and seed, then one line for each column. Domains with the same text have
  /// the same seed and encode and decode alike; a domain's hash is computed from it.
  [[nodiscard]] std::string canonical_text() const;
  /// Its name in certificates: SHA-256 of that text, as 64 hexadecimal digits.
  [[nodiscard]] std::string hash() const;

  /// One sentence or two on the columns that do not declare what becomes of other values, and of
  /// missing ones, with the words to write; empty if all of them do. Public.
  [[nodiscard]] std::string undeclared_words() const;

  friend bool operator==(const Domain& left, const Domain& right) {
    return left.canonical_text() == right.canonical_text();
  }

 private:
  template <class Digit, class Random>
  void write_fields(Digit digit_of, Random& random, std::vector<std::string>& fields) const {
    fields.resize(columns_.size());
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      fields[i].clear();
      const std::uint32_t value = digit_of(i);
      const std::uint64_t points = columns_[i].points(value);
      columns_[i].write(value, points == 1 ? 0 : integer_below(random, points), fields[i]);
    }
  }

  Domain(std::vector<Column> columns, std::uint64_t seed, double product);

  std::vector<Column> columns_;
  std::vector<std::uint32_t> strides_;
  std::uint64_t seed_;
  double product_;
  std::uint32_t size_;
};

}  // namespace mollify
