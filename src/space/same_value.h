// One text for all texts that write the same number, truth, day or time.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace mollify {

/// Room for the text that `same_value_text` makes.
struct SameValueBuffer {
  /// More digits than any type of a table has. A text of more significant digits is only a text.
  static constexpr std::size_t kMostDigits = 100;
  std::array<char, kMostDigits + 24> letters;
};

/// The text that stands for the number, equal for `1`, `1.0`, `01`, `+1`, `1e0` and `100%`. It is
/// made of the decimal digits and rounds nothing, so that two integers above 2^53 stay two. Marks
/// are read as `without_marks` does, percents as hundredths. Nothing for a text that is not a
/// finite decimal number. Outer spaces are ignored. Total; O(length). The view is valid as long as
/// the buffer.
[[nodiscard]] std::optional<std::string_view> same_number_text(std::string_view text,
                                                               SameValueBuffer& buffer) noexcept;

/// The same for truths, days and times too: `true` stands for the word in any case, and so does
/// `false`; a day is its first second, and a time with an offset is what UTC's clock shows, as
/// DateCells reads them, but with all parts of a second.
[[nodiscard]] std::optional<std::string_view> same_value_text(std::string_view text,
                                                              SameValueBuffer& buffer) noexcept;

}  // namespace mollify
