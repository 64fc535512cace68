// Logarithm and exponential that are the same on every machine.
#pragma once

namespace mollify {

// The C library's have other last digits on other processors. These are made of +, -, x and /
// alone, which IEEE 754 rounds alike everywhere, and are within 4 units in the last place. What
// others must find again to the digit is made with them. Nothing private.

/// x from the least normal double to the greatest.
[[nodiscard]] double same_log(double x);
/// ln(1 + x); x above -1.
[[nodiscard]] double same_log1p(double x);
/// Any x but NaN: 0 and infinity where the doubles end.
[[nodiscard]] double same_exp(double x);

}  // namespace mollify
