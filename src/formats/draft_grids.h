// Grids on which the values of a public column lie, although no step of a domain describes them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mollify {

/// A grid of at most this many values is listed, value by value.
inline constexpr std::size_t kMostOnGrid = 600;

/// All places of the coarsest grid on which the different places lie, ascending: 1, 3, 5, …; Mondays.
/// Empty if all are multiples of `step` and of nothing coarser, if so few places may lie on a grid
/// by chance, and if most places of the grid are not among them. Places ascend.
[[nodiscard]] std::vector<std::int64_t> places_on_grid(const std::vector<std::int64_t>& places,
                                                       std::int64_t step);

/// The days since 1970, ascending, on which the different days lie: the same day of each month, or of
/// every third one; the last days of months; the same weekday. Empty as for `places_on_grid`.
[[nodiscard]] std::vector<std::int64_t> days_on_grid(const std::vector<std::int64_t>& days);

/// Last digits that are never seen: 60 to 99 in 1230 for half past twelve.
struct LastDigits {
  std::int64_t modulus = 0;  // 10, 100 or 1000
  std::int64_t least = 0, greatest = 0;
  std::int64_t step = 1;

  /// "their last 2 digits are 0 to 59"
  [[nodiscard]] std::string words() const;
  /// All integers of the range with such last digits; no 31st of February if 231 may be one. Empty
  /// if they are too many to list.
  [[nodiscard]] std::vector<std::int64_t> all(std::int64_t min, std::int64_t max) const;
  /// The beginnings of cells that hold such integers alone, or none of them. Ends at `max`. Empty if they
  /// are too many.
  [[nodiscard]] std::vector<std::int64_t> edges(std::int64_t min, std::int64_t max) const;
};

/// The last digits of different integers, multiples of the step, if others are missing that chance
/// would have shown. Integers ascend.
[[nodiscard]] std::optional<LastDigits> last_digits_of(const std::vector<std::int64_t>& integers,
                                                       std::int64_t step);

/// Steps that are coarser than the common divisor of the integers, each with the share of the integers
/// that are multiples of it: four in five at least, and more than chance makes. `others`: how many
/// values more are not.
[[nodiscard]] std::vector<std::pair<std::int64_t, double>> steps_of_most(
    const std::vector<std::int64_t>& integers, std::size_t others);

}  // namespace mollify
