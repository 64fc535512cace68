// Coins that fall with probability exp(-x), and the exponential choice.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/invalid_input.h"
#include "core/random.h"
#include "kernel/naturals.h"

namespace mollify::detail {

// -----------------------------------------------------------------------------------------------
// Certified brackets of e^-x, in integers alone.

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
/// "within e" count units of the result's last place. (1) g = 1 - e^-r = r (1 - r/2 (1 - r/3 (1
/// - r/4 (1 - r/5 (1 - r/6))))) up to r^7/5040 < 2^-68 (an alternating series). Each bracket is
/// kept in units of 2^-64: the quotient R/j and the product lose less than 1 each, the
/// complement ~s = 2^64 - 1 - s another 1, and the inner bracket's loss is multiplied by R/(j
/// 2^64) < 2^-8; so each is within 3.1, and G within 1 + 3.1/256 + 1/16 < 2 of 2^64 g. (2) E =
/// T_a (1 - G/2^64) is within 1 (the table) + 1 (the product's floor) + 1 (T_a <= 2^63 times
/// 2/2^64) = 3 of 2^63 e^-(a/256 + r). (3) E I_i / 2^62 is within 3 * 2 (E's error times
/// I_i/2^62 <= 2) + 1 * 2 (the table's) + 1 (floor) = 9 of 2^64 e^-y. (4) e^-y >= e^-x >= e^-y -
/// slack/2^64, the slope being at most 1. kError = 16 covers (3). QED tests/kernel/coins.cpp
/// compares with MPFR.
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
/// Proof beside the code (src/kernel/coins.cpp).
ScaledExp exp_minus(const Natural& scaled, std::size_t scale);

/// Binary digits of x beyond the digits of the fraction that it is compared with.
inline constexpr std::size_t kGuardBits = 64;

/// Whether all reals in [drawn, drawn + 1]/2^bits are <= e^-x (true), all are >= e^-x (false), or
/// neither is certain, given an integer `scaled` at most 1 from x 2^(bits + kGuardBits). Exact; for
/// any size.
///
/// Proof beside the code (src/kernel/coins.cpp). The bracket of e^-x that it uses is narrower
/// than 2^-(bits + 20) for bits < 2^20, so it stays undecided only if e^-x itself lies that close
/// to the interval.
std::optional<bool> is_below_exp_minus(const Natural& drawn, std::size_t bits,
                                       const Natural& scaled);

}  // namespace mollify::detail

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Coins that fall heads with probability exactly e^-x.

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
/// other: uniform on [0, 1] if the words are uniform. The result is whether U < e^-x, except
/// perhaps for U = e^-x. So it is true with probability exactly e^-x, and it ends after finitely
/// many words with probability 1. Proof. After b digits U is known to lie in the interval [d, d +
/// 1]/2^b. The answer is given as soon as a bracket of e^-x that is certain (ExpBracket,
/// is_below_exp_minus) lies on one side of the interval, and no other test decides anything; else
/// the next word refines the interval, and `scaled` the bracket. It goes on only while e^-x lies
/// within 2^-(b + 20) of the interval, which has probability below 2^(2 - b). QED
///
/// One word is enough except for a chance of about slack / 2^64.
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
    if (denominator == 0)
      throw InvalidInput("out-of-range", "the denominator of an exponent must not be 0");
  }

  [[nodiscard]] bool draw(SecureRandom& random) const {
    return detail::is_below_exp_minus(exponent_, random);
  }

 private:
  detail::Fraction exponent_;
};

// -----------------------------------------------------------------------------------------------
// The exponential mechanism over integer distances, exactly.

/// `count` outcomes that share the weight e^(-distance eta) each.
struct ChoiceTerm {
  std::uint64_t count = 0;
  std::uint64_t distance = 0;
};

/// One outcome: the `position`-th, from 0, of a term's.
struct ChosenOutcome {
  std::size_t term = 0;
  std::uint64_t position = 0;

  friend bool operator==(const ChosenOutcome&, const ChosenOutcome&) = default;
};

namespace detail {

/// The algorithm of ExponentialChoice and, with it, its proof. Terms of one distance make a level;
/// level l has weight w_l = C_l e^(-x_l), C_l the sum of their counts, x_l = (k_l - k_0) eta, k_0
/// the least distance: so W, the sum of all weights, is at least 1.
class ExponentialLevels {
 public:
  /// Counts sum to 1 to 2^62; InvalidInput otherwise.
  ExponentialLevels(std::span<const ChoiceTerm> terms, Ratio rate);

  [[nodiscard]] std::size_t size() const { return levels_.size(); }
  [[nodiscard]] std::uint64_t count(std::size_t level) const { return levels_[level].count; }
  /// The outcome of a level at a position below its count.
  [[nodiscard]] ChosenOutcome outcome(std::size_t level, std::uint64_t position) const;

  /// Level l with probability exactly w_l / W.
  ///
  /// Theorem. Let U be the real number whose binary digits are those of the words, one word after
  /// the other: uniform on [0, 1] if the words are uniform. The result is the l for which S_(l-1)
  /// <= U W <= S_l, S_l = w_0 + ... + w_l, except perhaps where U W is one of the S_l. So it is l
  /// with probability w_l / W, and it ends after finitely many words with probability 1. Proof.
  /// After b digits U is known to lie in [d, d + 1]/2^b. Integers enclose the S_l and W; the answer
  /// is given as soon as S_(l-1) <= d W / 2^b and (d + 1) W / 2^b <= S_l are certain from these
  /// enclosures, and no other test decides anything; else the next word refines U, and more digits
  /// the enclosures. It goes on only while U lies within 2^-b + 2^-(b + 40) of some S_l / W, which
  /// has probability below levels 2^(3 - b). QED
  ///
  /// One word is enough except for a chance of about levels / 2^57.
  template <WordSource Source>
  [[nodiscard]] std::size_t draw(Source& random) const {
    constexpr unsigned kBits = kWordBits<Source>;
    constexpr std::uint64_t kUnknown = ~std::uint64_t{0} >> (kBits - 1) >> 1;
    const std::uint64_t word = random.word();
    if (const std::optional<std::size_t> known = find(word, word | kUnknown)) return *known;
    Natural drawn(word >> (64 - kBits));
    for (std::size_t bits = kBits;; bits += kBits) {
      if (const std::optional<std::size_t> known = find_slowly(drawn, bits)) return *known;
      drawn = (drawn << kBits) + Natural(random.word() >> (64 - kBits));
    }
  }

 private:
  struct Level {
    std::uint64_t excess;  // k_l - k_0
    std::uint64_t count;
    std::size_t begin;  // in order_
  };
  struct Ordered {
    std::uint64_t distance;
    std::size_t term;
  };
  /// An enclosure of S_l in a unit that is at most 2^-87 W.
  struct Enclosure {
    uint128 least;
    uint128 most;
  };

  void enclose();
  [[nodiscard]] std::optional<std::size_t> find(std::uint64_t first, std::uint64_t last) const;
  [[nodiscard]] std::optional<std::size_t> find_slowly(const Natural& drawn,
                                                       std::size_t bits) const;

  Ratio rate_;
  std::vector<std::uint64_t> counts_;  // of the terms
  std::vector<Ordered> order_;         // by distance
  std::vector<Level> levels_;          // by distance
  std::vector<Enclosure> sums_;        // of the levels that weigh anything
};

}  // namespace detail

/// Draws outcome y of a finite set with P(y) proportional to e^(-k(y) eta), for integers k(y) >= 0
/// and a public rational eta: the exponential mechanism [McSherry, Talwar 2007]. Outcomes are given
/// by terms, each for many outcomes of one distance, so a set of 2^62 costs no more than its
/// terms.
///
/// Theorem (law). If the words are uniform, P(y) = e^(-k(y) eta) / sum over all outcomes of the
/// same exactly. Proof: detail::ExponentialLevels for the distance; among the outcomes of one
/// distance a uniform integer chooses. No floating point decides anything, and no tail is cut. QED
///
/// Theorem (privacy). Let the set of outcomes be the same and |k(y) - k'(y)| <= Delta for each y
/// and all neighbours. Then ln P(y)/P'(y) lies in an interval of length 2 Delta eta that holds 0:
/// the choice is (2 Delta eta)-DP, has bounded range 2 Delta eta, and is (Delta^2 eta^2 / 2)-zCDP.
/// Proof. ln P(y)/P'(y) = (k'(y) - k(y)) eta + ln W'/W, where the first summand lies in [-Delta
/// eta, Delta eta] and the second does not depend on y; since P and P' both sum to one, the
/// interval holds 0. Bounded range r is r^2/8-zCDP [Cesar, Rogers 2021, Lemma 3.4]. QED
///
/// O(t log t) for t terms: 10^6 of them take about a fifth of a second.
///
/// Public and immutable.
class ExponentialChoice {
 public:
  /// eta. Throws InvalidInput unless numerator and denominator are from 1 to 2^62.
  explicit ExponentialChoice(Ratio rate);

  [[nodiscard]] Ratio rate() const { return rate_; }

  /// Terms in any order, also of equal distances; terms of count 0 are never chosen. The sum of the
  /// counts, which must be public, is from 1 to 2^62 (InvalidInput otherwise).
  [[nodiscard]] ChosenOutcome draw(std::span<const ChoiceTerm> terms, SecureRandom& random) const;

 private:
  Ratio rate_;
};

}  // namespace mollify
