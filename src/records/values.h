// Blocks of borrowed columns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <variant>

#include "core/random.h"
#include "domain/same_value.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Some rows of some columns, borrowed.

class Values;

/// Values that are written as places in a list of few. A place beyond the list is a null.
///
/// In one visit of a source, a list at the address of the block before is the same: facts about a
/// list are found out once.
struct Dictionary {
  std::span<const std::uint32_t> places;
  const Values* values;  ///< not a dictionary itself
};

/// The values of one column in consecutive rows, of one type, and which of them are null. Borrowed:
/// it is valid as long as what it was made from.
///
/// The meaning of a value is explained at `Value`.
class Values {
 public:
  using Data = std::variant<std::size_t,                        // so many nulls
                            std::span<const std::int64_t>,      // integers
                            std::span<const double>,            // numbers
                            std::span<const std::uint8_t>,      // truths: 0 is false
                            std::span<const std::string_view>,  // texts, of any bytes
                            Moments,                            // days or instants
                            Dictionary>;

  /// No rows.
  Values() = default;
  /// `valid` has a byte for each row, 0 where the value is null, or none if no value is.
  explicit Values(Data data, std::span<const std::uint8_t> valid = {})
      : data_(data), valid_(valid) {}

  [[nodiscard]] std::size_t size() const noexcept;
  [[nodiscard]] const Data& data() const noexcept { return data_; }
  [[nodiscard]] std::span<const std::uint8_t> valid() const noexcept { return valid_; }

  /// Rows begin ... begin + count - 1. Requires begin + count <= size().
  [[nodiscard]] Values slice(std::size_t begin, std::size_t count) const noexcept;

  /// One value, looked up in the list if it is a place. Requires row < size().
  [[nodiscard]] Value operator[](std::size_t row) const noexcept;

 private:
  Data data_ = std::size_t{0};
  std::span<const std::uint8_t> valid_;
};

/// Consecutive rows: one `Values` for each column that was asked for, each of `rows` rows.
struct Block {
  std::size_t rows = 0;
  std::span<const Values> columns;
  /// How many records each row represents; empty where each is one (Source::has_counts).
  std::span<const std::uint64_t> counts = {};
  /// The weight of each row, in steps; empty where rows have none (Source::weights).
  std::span<const std::uint64_t> weights = {};

  /// What a row counts as: its weight, or its number of records.
  [[nodiscard]] std::uint64_t amount(std::size_t row) const noexcept {
    if (!weights.empty()) return weights[row];
    return counts.empty() ? 1 : counts[row];
  }
};

/// Number of rows in a block: few enough to stay in the processor's nearest memory.
inline constexpr std::size_t kRowsPerBlock = 2048;

// -----------------------------------------------------------------------------------------------
// A place among records whose number has more than 64 bits.

/// A uniform integer below `bound`, which must not be 0.
///
/// Proof. Of more than 64 bits the bound is above H 2^64, H the high word of bound - 1. The value
/// (uniform below H + 1) 2^64 + word is uniform below (H + 1) 2^64, and is drawn anew until it is
/// below the bound: fewer than two times on average. QED
[[nodiscard]] inline uint128 wide_below(uint128 bound, SecureRandom& random) {
  if (bound <= std::numeric_limits<std::uint64_t>::max()) {
    return random.below(static_cast<std::uint64_t>(bound));
  }
  const auto high = static_cast<std::uint64_t>((bound - 1) >> 64U);
  uint128 value = bound;
  while (value >= bound) value = uint128{random.below(high + 1)} << 64U | random.word();
  return value;
}

}  // namespace mollify
