// Certified brackets of e^-x, in integers alone.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "kernel/core/wide.h"
#include "kernel/noise/natural.h"

namespace mollify::detail {

/// An enclosure of an exponent: whole + fraction/2^64 <= x <= whole + (fraction + slack)/2^64.
struct Exponent {
  std::uint64_t whole;
  std::uint64_t fraction;
  std::uint64_t slack;
};

/// A bracket of e^-x among the words: 2^64 e^-x is at least `least` and at most last + 1. So for a
/// fraction U in [w, w + 1]/2^64: w < least means U <= e^-x, w > last means U >= e^-x.
struct ExpBracket {
  std::uint64_t least;
  std::uint64_t last;
};

/// From here on 2^64 e^-x < 1, since 45 > 64 ln 2.
inline constexpr std::uint64_t kFirstEmptyWhole = 45;

/// 2^63 e^(-a/256) for a < 256, and 2^63 e^-i for i < 45, each within 1 of the truth.
extern const std::array<std::uint64_t, 256> kExpFractions;
extern const std::array<std::uint64_t, kFirstEmptyWhole> kExpWholes;

inline std::uint64_t high_product(std::uint64_t a, std::uint64_t b) {
  return static_cast<std::uint64_t>((static_cast<uint128>(a) * b) >> 64);
}

/// A bracket of e^-x. Costs eight multiplications.
///
/// Proof. Let y = whole + fraction/2^64, its fraction = a/256 + r with r = R/2^64 < 2^-8, and
/// "within e" count units of the result's last place.
/// (1) g = 1 - e^-r = r (1 - r/2 (1 - r/3 (1 - r/4 (1 - r/5 (1 - r/6))))) up to r^7/5040 < 2^-68
/// (an alternating series). Each bracket is kept in units of 2^-64: the quotient R/j and the
/// product lose less than 1 each, the complement ~s = 2^64 - 1 - s another 1, and what the bracket
/// inside lost is multiplied by R/(j 2^64) < 2^-8; so each is within 3.1, and G within 1 + 3.1/256
/// + 1/16 < 2 of 2^64 g. (2) E = T_a (1 - G/2^64) is within 1 (the table) + 1 (the product's floor)
/// + 1 (T_a <= 2^63 times 2/2^64) = 3 of 2^63 e^-(a/256 + r). (3) E I_i / 2^62 is within 3 * 2 (E's
/// error times I_i/2^62 <= 2) + 1 * 2 (the table's) + 1 (floor) = 9 of 2^64 e^-y. (4) e^-y >= e^-x
/// >= e^-y - slack/2^64, the slope being at most 1. kError = 16 covers (3). QED
/// tests/kernel/noise/exp_minus.cpp compares with MPFR.
inline ExpBracket exp_minus(Exponent x) {
  constexpr std::uint64_t kError = 16;
  constexpr std::uint64_t kMost = ~std::uint64_t{0};
  if (x.whole >= kFirstEmptyWhole) return {0, 0};
  const std::uint64_t rest = x.fraction << 8 >> 8;
  std::uint64_t s = ~(rest / 6);
  s = ~high_product(rest / 5, s);
  s = ~high_product(rest / 4, s);
  s = ~high_product(rest / 3, s);
  s = ~high_product(rest / 2, s);
  const std::uint64_t g = high_product(rest, s);
  const std::uint64_t table = kExpFractions[x.fraction >> 56];
  const std::uint64_t e = table - high_product(table, g);
  const uint128 middle = (static_cast<uint128>(e) * kExpWholes[x.whole]) >> 62;
  const uint128 below = static_cast<uint128>(x.slack) + kError;
  return {middle > below ? static_cast<std::uint64_t>(middle - below) : 0,
          middle + kError <= kMost ? static_cast<std::uint64_t>(middle + kError) : kMost};
}

/// e^-x in units of 2^-scale, known within `error` of them.
struct ScaledExp {
  Natural value;
  Natural error;
};

/// Encloses e^-x for any precision, given an integer `scaled` at most 1 from x 2^scale, scale
/// >= 64. The error is below 2^16 units for scale < 2^8 and grows like its square.
///
/// Proof beside the code (src/kernel/exp_minus.cpp).
ScaledExp exp_minus(const Natural& scaled, std::size_t scale);

/// Binary digits of x beyond those of the fraction that it is compared with.
inline constexpr std::size_t kGuardBits = 64;

/// Whether all reals in [drawn, drawn + 1]/2^bits are <= e^-x (true), all are >= e^-x (false), or
/// neither is certain, given an integer `scaled` at most 1 from x 2^(bits + kGuardBits). Exact; for
/// any size.
///
/// Proof beside the code (src/kernel/exp_minus.cpp). The bracket of e^-x that it uses is narrower
/// than 2^-(bits + 20) for bits < 2^20, so it stays undecided only if e^-x itself lies that close
/// to the interval.
std::optional<bool> is_below_exp_minus(const Natural& drawn, std::size_t bits,
                                       const Natural& scaled);

}  // namespace mollify::detail
