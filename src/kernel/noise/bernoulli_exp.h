// Coins that fall heads with probability exactly e^-x.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "kernel/core/invalid_input.h"
#include "kernel/core/secure_random.h"
#include "kernel/noise/exp_minus.h"
#include "kernel/noise/natural.h"

namespace mollify {

namespace detail {

/// A number x >= 0 that can be told ever more precisely: `bracket()` encloses e^-x once, quickly,
/// and `scaled(bits)` is an integer at most 1 from x 2^bits. Rational and algebraic numbers are
/// such.
template <class X>
concept Refinable = requires(const X& x, std::size_t bits) {
  { x.bracket() } -> std::same_as<ExpBracket>;
  { x.scaled(bits) } -> std::same_as<Natural>;
};

/// How many binary digits a word of the source holds, from its top. All have 64; sources whose
/// words are short are for tests that exhaust them.
template <class Source>
inline constexpr unsigned kWordBits = 64;

/// The rest of a comparison of U with e^-x, U beginning with the digits of `word`.
template <Refinable X, WordSource Source>
[[gnu::noinline]] bool is_below_exp_minus_after(std::uint64_t word, const X& x, Source& random) {
  constexpr unsigned kBits = kWordBits<Source>;
  Natural drawn(word >> (64 - kBits));
  for (std::size_t bits = kBits;; bits += kBits) {
    const std::optional<bool> known = is_below_exp_minus(drawn, bits, x.scaled(bits + kGuardBits));
    if (known.has_value()) return *known;
    drawn = (drawn << kBits) + Natural(random.word() >> (64 - kBits));
  }
}

/// True with probability exactly e^-x.
///
/// Theorem. Let U be the real number whose binary digits are those of the words, one word after the
/// other: uniform on [0, 1] if the words are uniform. What is returned is whether U < e^-x, except
/// perhaps for U = e^-x. So it is true with probability exactly e^-x, and it ends after finitely
/// many words with probability 1. Proof. After b digits U is known to lie in the interval [d, d +
/// 1]/2^b. The answer is given as soon as a bracket of e^-x that is certain (ExpBracket,
/// is_below_exp_minus) lies on one side of the interval, and no other test decides anything; else
/// the next word refines the interval, and `scaled` the bracket. It goes on only while e^-x lies
/// within 2^-(b + 20) of the interval, which has probability below 2^(2 - b). QED
///
/// One word is enough but for a chance of about slack / 2^64.
template <Refinable X, WordSource Source>
bool is_below_exp_minus(const X& x, Source& random) {
  constexpr std::uint64_t kUnknown = ~std::uint64_t{0} >> (kWordBits<Source> - 1) >> 1;
  const std::uint64_t word = random.word();
  const ExpBracket bracket = x.bracket();
  if ((word | kUnknown) < bracket.least) return true;
  if (word > bracket.last) return false;
  return is_below_exp_minus_after(word, x, random);
}

/// The fraction numerator / denominator as an exponent; denominator > 0.
struct Fraction {
  std::uint64_t numerator;
  std::uint64_t denominator;

  [[nodiscard]] ExpBracket bracket() const {
    const uint128 rest = static_cast<uint128>(numerator % denominator) << 64;
    return exp_minus({numerator / denominator, static_cast<std::uint64_t>(rest / denominator), 1});
  }
  [[nodiscard]] Natural scaled(std::size_t bits) const {
    return (Natural(numerator) << bits) / Natural(denominator);
  }
};

}  // namespace detail

/// A coin that falls heads with probability exactly e^-x, x = numerator / denominator.
///
/// Theorem and proof: detail::is_below_exp_minus. A uniform number, whose binary digits are drawn
/// one word after the other, is compared with e^-x, of which an integer bracket is known that is
/// narrowed until it decides. No floating point is involved. (Canonne et al. 2020 reach
/// the same law, Algorithm 1, by a race of coins of rational bias.)
///
/// Public and immutable.
class BernoulliExp {
 public:
  /// Throws InvalidInput if the denominator is 0.
  BernoulliExp(std::uint64_t numerator, std::uint64_t denominator)
      : exponent_{numerator, denominator} {
    if (denominator == 0) throw InvalidInput("the denominator of an exponent must not be 0");
  }

  [[nodiscard]] bool draw(SecureRandom& random) const {
    return detail::is_below_exp_minus(exponent_, random);
  }

 private:
  detail::Fraction exponent_;
};

}  // namespace mollify
