// Decimal numbers as text.
#pragma once

#include <cstdint>
#include <string>

namespace mollify {

/// How the decimals of an array lie in memory: each an integer in two's complement, which is the
/// number's times 10^scale.
struct DecimalForm {
  std::uint8_t bytes = 16;  ///< 4, 8, 16 or 32
  std::int8_t scale = 0;    ///< digits after the point; below 0: zeros before it that are not held
};

/// Appends every digit of the number and as many after the point as its scale says: `-0.50`, so
/// write databases their decimals into CSV files. Reads `form.bytes` bytes; total; at most 155
/// characters.
void append_decimal(const void* integer, DecimalForm form, std::string& text);

}  // namespace mollify
