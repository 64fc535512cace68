// Gaussian noise on the integers, exactly.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernel/noise/discrete_laplace.h"

namespace mollify {

namespace detail {

/// The algorithm of DiscreteGaussian and, with it, its proof.
class GaussianOnIntegers {
 public:
  explicit GaussianOnIntegers(Ratio variance);

  [[nodiscard]] Ratio variance() const { return variance_; }

  /// P(z) proportional to e^(-z^2 / (2 sigma^2)), sigma^2 = p/q.
  ///
  /// Proof (Canonne et al. 2020, Algorithm 3 and Theorem 27). With t = floor(sigma) + 1 a
  /// candidate z has P(z) proportional to e^(-|z|/t), and is kept with probability
  /// e^(-(|z| - sigma^2/t)^2 / (2 sigma^2)). The product is e^(-z^2 / (2 sigma^2)) times
  /// e^(-sigma^2 / (2 t^2)), which is the same for every z. QED
  template <class AnyDecisions>
  [[nodiscard]] SignedSize sample(AnyDecisions&& decide) const {
    for (;;) {
      const SignedSize candidate = candidates_.sample(decide);
      if (decide.exp_minus(Excess{*this, candidate.size})) return candidate;
    }
  }

 private:
  /// x = (|z| - sigma^2/t)^2 / (2 sigma^2) = a^2 / (2 t^2 p q) with a = ||z| t q - p|.
  struct Excess {
    const GaussianOnIntegers& law;
    uint128 size;

    [[nodiscard]] ExpBracket bracket() const { return law.bracket(size); }
    [[nodiscard]] Natural scaled(std::size_t bits) const { return law.scaled(size, bits); }
  };

  /// Proof. t q <= t^2 q < 2^64, because t <= sigma + 1 and sigma <= 2^30, or t = 1; so a fits in
  /// 128 bits for |z| < 2^64. If a >= 2^m, x >= 2^(2 m) / (2 t^2 p q) >= 64 > 45 and e^-x < 2^-64.
  /// Else let A = floor(a 2^(64 - m)) < 2^64: A^2 2^-128 is short of a^2 2^(-2 m) by less than 2
  /// 2^-64, and cut to units of 2^-64 by less than 3. x is that times 2^(2 m) / (2 t^2 p q) < 256,
  /// which factor_ / 2^56 is short of by less than 2^-56: x in units of 2^-64 is short by less than
  /// 3 * 256 + 2^64 / 2^56 + 1 = 1025.
  [[nodiscard]] ExpBracket bracket(uint128 size) const {
    constexpr std::uint64_t kSlack = 1025;
    if ((size >> 64) != 0) return {0, 0};  // a >= 2^64 t q - p, so a >= 2^m by far
    const uint128 product = size * step_;
    const uint128 a = product > variance_.numerator ? product - variance_.numerator
                                                    : variance_.numerator - product;
    if ((a >> limit_bits_) != 0) return {0, 0};
    const auto cut = static_cast<std::uint64_t>(limit_bits_ > 64 ? a >> (limit_bits_ - 64)
                                                                 : a << (64 - limit_bits_));
    const uint128 x = (static_cast<uint128>(high_product(cut, cut)) * factor_) >> 56;
    return exp_minus({static_cast<std::uint64_t>(x >> 64), static_cast<std::uint64_t>(x), kSlack});
  }
  [[nodiscard]] Natural scaled(uint128 size, std::size_t bits) const;

  Ratio variance_;
  LaplaceOnIntegers candidates_;  // of scale t
  std::uint64_t step_;            // t q
  Natural denominator_;           // 2 t^2 p q
  unsigned limit_bits_;           // m, the least with 2^(2 m) >= 64 * 2 t^2 p q
  std::uint64_t factor_;          // floor(2^(2 m + 56) / (2 t^2 p q))
};

}  // namespace detail

/// Integers z with P(z) proportional to e^(-z^2 / (2 sigma^2)), for a public rational sigma^2 =
/// p/q.
///
/// Theorem (law). If the words are uniform, P(z) = e^(-z^2 / (2 sigma^2)) / (sum over all integers
/// of the same) exactly; several draws are independent. Proof: detail::GaussianOnIntegers. No
/// floating point decides anything, and no tail is cut.
///
/// Theorem (privacy). Let f be integer-valued with |f(D) - f(D')| <= Delta for all neighbours. Then
/// f(D) + z is (Delta^2 / (2 sigma^2))-zCDP; for vectors Delta is the Euclidean norm of the
/// difference (Canonne et al. 2020, Section 2).
/// Proof. For P the law of z, Q that of z + s, and any order a > 1, completing the square gives
/// sum P^a Q^(1-a) = e^(a (a-1) s^2 / (2 sigma^2)) g(c)/g(0), with c = (1 - a) s and g(c) the sum
/// over all integers of e^(-(z - c)^2 / (2 sigma^2)). By Poisson summation g is a cosine series
/// with positive coefficients, so g(c) <= g(0), and the Rényi divergence is at most a s^2 / (2
/// sigma^2). Coordinates are independent, so theirs add. QED
///
/// Range. As for DiscreteLaplace: an integer beyond 64 bits is returned modulo 2^64 and `perturb`
/// adds modulo 2^64, so that the theorem holds to the letter. At any variance allowed that has
/// probability below 2 e^(-2^64).
///
/// Mean 0, variance at most sigma^2. About 1.3 candidates on average for large sigma, fewer
/// than 2.2 for every one. How many words are drawn depends on the noise alone.
///
/// Public and immutable.
class DiscreteGaussian {
 public:
  /// sigma^2. Throws InvalidInput unless numerator and denominator are from 1 to 2^62 and their
  /// quotient is at most 2^60 (sigma at most 1.07e9).
  explicit DiscreteGaussian(Ratio variance);

  /// The noise of variance parameter `variance`, or above it by less than 2^-62 where that is not a
  /// dyadic of denominator 2^62: never less noise than asked for. Throws as above.
  static DiscreteGaussian at_least(double variance);

  /// sigma^2 = p/q.
  [[nodiscard]] Ratio variance() const { return law_.variance(); }

  [[nodiscard]] std::int64_t draw(SecureRandom& random) const;
  /// Fills a vector with independent draws.
  void draw(std::span<std::int64_t> noise, SecureRandom& random) const;
  /// value + noise, modulo 2^64.
  [[nodiscard]] std::int64_t perturb(std::int64_t value, SecureRandom& random) const;

 private:
  detail::GaussianOnIntegers law_;
};

}  // namespace mollify
