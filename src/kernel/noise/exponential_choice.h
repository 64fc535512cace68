// The exponential mechanism over integer distances, exactly.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "kernel/core/secure_random.h"
#include "kernel/core/uniform_below.h"
#include "kernel/noise/bernoulli_exp.h"
#include "kernel/noise/ratio.h"

namespace mollify {

/// `count` outcomes that share the weight e^(-distance eta) each.
struct ChoiceTerm {
  std::uint64_t count = 0;
  std::uint64_t distance = 0;
};

/// One outcome: the `position`-th, from 0, of those of a term.
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
  /// the other: uniform on [0, 1] if the words are uniform. What is returned is the l for which
  /// S_(l-1) <= U W <= S_l, S_l = w_0 + ... + w_l, except perhaps where U W is one of the S_l. So
  /// it is l with probability w_l / W, and it ends after finitely many words with probability 1.
  /// Proof. After b digits U is known to lie in [d, d + 1]/2^b. Integers enclose the S_l and W; the
  /// answer is given as soon as S_(l-1) <= d W / 2^b and (d + 1) W / 2^b <= S_l are certain from
  /// these enclosures, and no other test decides anything; else the next word refines U, and more
  /// digits the enclosures. It goes on only while U lies within 2^-b + 2^-(b + 40) of some S_l / W,
  /// which has probability below levels 2^(3 - b). QED
  ///
  /// One word is enough but for a chance of about levels / 2^57.
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
/// and a public rational eta: the exponential mechanism [McSherry, Talwar 2007]. Outcomes are
/// given by terms, each of which stands for many outcomes of one distance, so a set of 2^62 costs
/// no more than its terms.
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

  /// Terms in any order, also of equal distances; those of count 0 are never chosen. The sum of the
  /// counts, which must be public, is from 1 to 2^62 (InvalidInput otherwise).
  [[nodiscard]] ChosenOutcome draw(std::span<const ChoiceTerm> terms, SecureRandom& random) const;

 private:
  Ratio rate_;
};

}  // namespace mollify
