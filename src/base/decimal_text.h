// Decimal numbers as texts, and doubles that are known to lie on one side of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace mollify {

/// An integer times a power of ten: digits without zeros at either end, none for 0.
struct DecimalText {
  std::string digits;
  int exponent = 0;  // 0 for 0

  friend bool operator==(const DecimalText&, const DecimalText&) = default;
};

/// Reads digits with at most one point and an optional power of ten, as in 12, 0.1, 1e-6. None for
/// any other text, for more than 1100 digits and for powers beyond ±1100.
[[nodiscard]] std::optional<DecimalText> read_decimal(std::string_view text);

/// The greatest double that is not above the number, found in integers.
[[nodiscard]] double double_down(const DecimalText& number);

/// As std::to_string, which has a table of the numbers below 100: a tenth of the smallest module for
/// pages.
[[nodiscard]] std::string whole_text(std::uint64_t value);

/// The text of C's %g, but a power of ten in as few digits as it has: 0.1, 1e-6, nan. Found in
/// integers, for libraries without printf.
[[nodiscard]] std::string six_digits(double value);

}  // namespace mollify
