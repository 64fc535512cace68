// Laplace noise on the integers, exactly.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernel/core/secure_random.h"
#include "kernel/core/uniform_below.h"
#include "kernel/core/wide.h"
#include "kernel/noise/bernoulli_exp.h"
#include "kernel/noise/ratio.h"

namespace mollify {

namespace detail {

/// The two kinds of decisions that noise is made of, by words from any source. Tests put a tree of
/// all decisions in its place.
template <WordSource Source>
struct Decisions {
  Source& random;

  std::uint64_t below(const UniformBelow& bound) { return bound(random); }
  template <Refinable X>
  bool exp_minus(const X& x) {
    return is_below_exp_minus(x, random);
  }
};

/// The fractions u / p < 1 of one p <= 2^62, whose reciprocal is taken beforehand.
class ProperFractions {
 public:
  explicit ProperFractions(std::uint64_t denominator);

  struct Member : Fraction {
    Exponent enclosure;
    [[nodiscard]] ExpBracket bracket() const { return exp_minus(enclosure); }
  };

  /// For p of b binary digits, u 2^(64 - b) times floor(2^(63 + b) / p) is u/p in units of 2^-127,
  /// short by at most 2^64; cut to units of 2^-64 it is short by at most 3.
  [[nodiscard]] Member operator()(std::uint64_t numerator) const {
    const uint128 product = static_cast<uint128>(numerator << shift_) * reciprocal_;
    return {{numerator, denominator_}, {0, static_cast<std::uint64_t>(product >> 63), 3}};
  }

 private:
  std::uint64_t denominator_;
  std::uint64_t reciprocal_;  // floor(2^(63 + b) / p), but 2^64 - 1 for a power of two
  int shift_;                 // 64 - b
};

/// An exponent that is used many times: its bracket is made once.
struct KnownExponent : Fraction {
  explicit KnownExponent(Fraction x) : Fraction(x), known(Fraction::bracket()) {}

  ExpBracket known;
  [[nodiscard]] ExpBracket bracket() const { return known; }
};

/// A sign and a size.
struct SignedSize {
  bool is_negative;
  uint128 size;

  /// The integer itself; size < 2^127.
  [[nodiscard]] int128 exact() const {
    const auto magnitude = static_cast<int128>(size);
    return is_negative ? -magnitude : magnitude;
  }
  /// The integer modulo 2^64.
  [[nodiscard]] std::int64_t wrapped() const {
    const auto low = static_cast<std::uint64_t>(size);
    return static_cast<std::int64_t>(is_negative ? 0 - low : low);
  }
};

/// The algorithm of DiscreteLaplace and, with it, its proof.
class LaplaceOnIntegers {
 public:
  explicit LaplaceOnIntegers(Ratio scale);

  [[nodiscard]] Ratio scale() const { return scale_; }

  /// P(z) = (1 - e^(-1/t)) / (1 + e^(-1/t)) e^(-|z|/t), t = p/q.
  ///
  /// Proof (Canonne et al. 2020, Algorithm 2). First let t > 1: parts = p, divisor = q
  /// and step = 1. u is uniform below p, and given that it was kept P(u) is proportional to
  /// e^(-u/p); v is independent with P(v) proportional to e^-v. So x = u + p v has P(x)
  /// proportional to e^(-x/p): every integer x >= 0 is one such pair. The q integers x with
  /// floor(x/q) = y sum to a multiple of e^(-y q/p) that is the same for every y. For t <= 1 parts
  /// = divisor = 1 and step = q/p: u = 0 and y = v, so P(y) is proportional to e^(-y q/p) again.
  /// With an independent fair sign, and minus zero drawn anew, P(z) is proportional to e^(-|z|
  /// q/p), and the factor is what makes the sum one. QED
  template <class AnyDecisions>
  [[nodiscard]] SignedSize sample(AnyDecisions&& decide) const {
    for (;;) {
      const std::uint64_t side_and_rest = decide.below(below_both_sides_);
      const bool is_negative = side_and_rest >= parts_;
      const std::uint64_t rest = side_and_rest - (is_negative ? parts_ : 0);
      if (rest != 0 && !decide.exp_minus(fractions_(rest))) continue;  // e^0 = 1 is certain
      std::uint64_t whole = 0;
      while (decide.exp_minus(step_)) ++whole;
      const uint128 size = divided(static_cast<uint128>(parts_) * whole + rest);
      if (is_negative && size == 0) continue;
      return {is_negative, size};
    }
  }

 private:
  [[nodiscard]] uint128 divided(uint128 x) const {
    if (divisor_ == 1) return x;
    const auto low = static_cast<std::uint64_t>(x);
    return low == x ? low / divisor_ : x / divisor_;
  }

  Ratio scale_;
  std::uint64_t parts_;
  std::uint64_t divisor_;
  KnownExponent step_;
  ProperFractions fractions_;      // of parts
  UniformBelow below_both_sides_;  // 2 parts
};

}  // namespace detail

/// Integers z with P(z) proportional to e^(-|z|/t), for a public rational scale t = p/q.
///
/// Theorem (law). If the words are uniform, P(z) = tanh(1 / (2 t)) e^(-|z|/t) exactly, for every
/// integer z; several draws are independent. Proof: detail::LaplaceOnIntegers. No floating point
/// decides anything, and no tail is cut.
///
/// Theorem (privacy). Let f be integer-valued with |f(D) - f(D')| <= Delta for all neighbours. Then
/// f(D) + z is (Delta/t)-DP, because P(z) <= e^(Delta/t) P(z + s) for |s| <= Delta (Ghosh et al.
/// 2009). For vectors Delta is the sum over the coordinates.
///
/// Range. An integer beyond 64 bits is returned modulo 2^64, and `perturb` adds modulo 2^64: what
/// it gives is the exact sum reduced, a function of it, so the theorem holds to the letter. Sums
/// that are reduced have probability below 2 e^(-2^63 / t), less than 2^-(10^7) at the greatest
/// scale.
///
/// Mean 0, variance 2 e^(1/t) / (e^(1/t) - 1)^2, just below 2 t^2. About 1.6 tries of four words
/// each for scales above one, whatever the scale. How many words are drawn depends on the noise
/// alone, not on what it is added to.
///
/// Public and immutable.
class DiscreteLaplace {
 public:
  static constexpr double kGreatestScale = 0x1p39;

  /// Throws InvalidInput unless numerator and denominator are from 1 to 2^62 and their quotient is
  /// at most 2^39 (5.5e11).
  explicit DiscreteLaplace(Ratio scale);

  /// The noise of scale `scale`, or above it by less than 2^-62 where that is not a dyadic of
  /// denominator 2^62: never less noise than asked for. Throws as above.
  static DiscreteLaplace at_least(double scale);

  /// t = p/q.
  [[nodiscard]] Ratio scale() const { return law_.scale(); }

  [[nodiscard]] std::int64_t draw(SecureRandom& random) const;
  /// Fills a vector with independent draws.
  void draw(std::span<std::int64_t> noise, SecureRandom& random) const;
  /// The integer itself, never reduced: its size is below 2^126, because a program would have to
  /// draw 2^64 words to pass that. For comparisons that must not wrap.
  [[nodiscard]] int128 draw_exact(SecureRandom& random) const;
  /// value + noise, modulo 2^64.
  [[nodiscard]] std::int64_t perturb(std::int64_t value, SecureRandom& random) const;

 private:
  detail::LaplaceOnIntegers law_;
};

}  // namespace mollify
