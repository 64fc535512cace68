// Exact noise: discrete Laplace, discrete Gaussian, Euclidean Laplace.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "core/random.h"
#include "core/ranges.h"
#include "kernel/coins.h"
#include "kernel/naturals.h"
#include "kernel/order.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Laplace noise on the integers, exactly.

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
/// Range. An integer beyond 64 bits is returned modulo 2^64, and `perturb` adds modulo 2^64: the
/// result is the exact sum reduced, a function of it, so the theorem holds to the letter. Sums
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
  static DiscreteLaplace at_least(double scale) {
    return DiscreteLaplace(Ratio::at_least({"a scale of noise", "scale"}, scale));
  }

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

// -----------------------------------------------------------------------------------------------
// Gaussian noise on the integers, exactly.

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
  static DiscreteGaussian at_least(double variance) {
    return DiscreteGaussian(Ratio::at_least({"a variance", "variance"}, variance));
  }

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

// -----------------------------------------------------------------------------------------------
// Noise on the integer lattice whose density falls with the Euclidean norm, exactly.

namespace detail {

/// The algorithm of EuclideanLaplace and, with it, its proof.
class EuclideanLaplaceTree {
 public:
  /// d from 1 to 1024 and b = p/q.
  EuclideanLaplaceTree(std::size_t dimension, Ratio scale);

  /// A positive rational c, and mantissa = floor(c 2^exponent), which lies in [2^62, 2^63).
  struct Rate {
    Natural numerator;
    Natural denominator;
    std::uint64_t mantissa;
    unsigned exponent;
  };

  /// A sampler of `size` coordinates from P(y) proportional to e^(-rate |y|): two smaller nodes, or
  /// a leaf for one coordinate.
  struct Node {
    std::size_t size;
    Rate rate;
    std::size_t first;   // index of the node for the first size / 2 coordinates
    std::size_t second;  // and of that for the others
  };

  [[nodiscard]] std::size_t dimension() const { return nodes_.back().size; }
  [[nodiscard]] Ratio scale() const { return scale_; }
  [[nodiscard]] const LaplaceOnIntegers& leaf() const { return leaf_; }
  /// One node for each size that occurs, at most 20: the leaf is the first and the root the last,
  /// and first, second < index for every other one.
  [[nodiscard]] std::span<const Node> nodes() const { return nodes_; }

  /// P(y) = e^(-|y|/b) / (the sum of the same over Z^d); writes the d coordinates.
  ///
  /// Proof [ours], by induction on the size. A leaf draws P(y) proportional to e^(-r |y|) with the
  /// rational rate r (LaplaceOnIntegers). A node of rate r, whose two parts have rates r1 and r2,
  /// draws y1 and y2 independently, so with probability proportional to e^(-r1 |y1| - r2 |y2|), and
  /// keeps y = (y1, y2) with probability e^-x, x = r |y| - r1 |y1| - r2 |y2|, or draws both anew.
  /// Since |y|^2 = |y1|^2 + |y2|^2 and the constructor has found r1^2 + r2^2 <= r^2 to hold in
  /// integers, Cauchy and Schwarz say that x >= 0: e^-x is a probability. The product is e^(-r
  /// |y|). The root's rate is 1/b itself. Every node keeps (0, 0), so each loop ends with
  /// probability 1. QED
  template <class AnyDecisions>
  void sample(std::span<SignedSize> coordinates, AnyDecisions&& decide) const {
    static_cast<void>(sample_node(nodes_.back(), coordinates, decide));
  }

 private:
  /// |y|^2 and its root, if all coordinates are below 2^58 in size: then |y|^2 < 2^126.
  struct Norm {
    bool is_known;
    uint128 square;
    ScaledRoot root;
  };

  /// x = r |y| - r1 |y1| - r2 |y2|.
  struct Excess {
    const EuclideanLaplaceTree& tree;
    const Node& node;
    const Norm& all;
    const Norm& first;
    const Norm& second;
    std::span<const SignedSize> coordinates;

    [[nodiscard]] ExpBracket bracket() const;
    [[nodiscard]] Natural scaled(std::size_t bits) const;
  };

  template <class AnyDecisions>
  Norm sample_node(const Node& node, std::span<SignedSize> coordinates,
                   AnyDecisions& decide) const {
    if (node.size == 1) {
      coordinates[0] = leaf_.sample(decide);
      return norm_of(coordinates[0].size);
    }
    const Node& first_node = nodes_[node.first];
    const Node& second_node = nodes_[node.second];
    const std::span<SignedSize> first_part = coordinates.first(first_node.size);
    const std::span<SignedSize> second_part = coordinates.subspan(first_node.size);
    for (;;) {
      const Norm first = sample_node(first_node, first_part, decide);
      const Norm second = sample_node(second_node, second_part, decide);
      const Norm all = joined(first, second);
      if (decide.exp_minus(Excess{*this, node, all, first, second, coordinates})) return all;
    }
  }

  static Norm norm_of(uint128 size) {
    if ((size >> 58) != 0) return {false, 0, {0, 0}};
    const auto root = static_cast<std::uint64_t>(size);
    const auto shift = root == 0 ? 0U : static_cast<unsigned>(std::countl_zero(root)) - 1;
    return {true, size * size, {root << shift, shift}};
  }
  static Norm joined(const Norm& first, const Norm& second) {
    if (!first.is_known || !second.is_known) return {false, 0, {0, 0}};
    const uint128 square = first.square + second.square;
    return {true, square, scaled_root(square)};
  }

  /// `rates` has an entry for each size of node, in units of which the leaf's is 2^40.
  EuclideanLaplaceTree(const std::map<std::size_t, std::uint64_t>& rates, Ratio scale);

  Ratio scale_;
  LaplaceOnIntegers leaf_;
  std::vector<Node> nodes_;
};

}  // namespace detail

/// Vectors y of d integers with P(y) proportional to e^(-|y|/b), |.| the Euclidean norm, for a
/// public rational scale b = p/q and any dimension d from 1 to 1024.
///
/// Theorem (law). If the words are uniform, P(y) = e^(-|y|/b) / (sum over Z^d of the same) exactly,
/// for every y; several draws are independent. Proof: detail::EuclideanLaplaceTree. No floating
/// point decides anything, and no tail is cut.
///
/// Theorem (privacy). Let f be a vector of integers with |f(D) - f(D')| <= Delta in Euclidean norm
/// for all neighbours. Then f(D) + y is (Delta/b)-DP, because P(y) <= e^(Delta/b) P(y + s) for
/// |s| <= Delta by the triangle inequality. It is epsilon-DP for Delta <= epsilon b.
///
/// Range. A coordinate beyond 64 bits is returned modulo 2^64: the release is a function of the
/// exact sum, so the theorem holds to the letter. That has probability below d e^(-2^23).
///
/// Cost [ours]. Coordinates are joined in pairs, pairs in fours, and so on. If b is large, a node
/// that joins two equal halves of m keeps its draw with probability .785 (m = 1), .75, .73, and so
/// on down to 1/sqrt(2), so a draw takes about d^1.5 draws of DiscreteLaplace; where b is small,
/// fewer. Rejection from independent coordinates would take d / .76^d. How many words are drawn
/// depends on the noise alone, not on what it is added to.
///
/// Public and immutable.
class EuclideanLaplace {
 public:
  static constexpr std::size_t kGreatestDimension = 1024;
  static constexpr double kGreatestScale = 0x1p39;

  /// Throws InvalidInput unless d is from 1 to 1024, p and q are from 1 to 2^62 and p/q is at most
  /// 2^39 (5.5e11).
  EuclideanLaplace(std::size_t dimension, Ratio scale);

  /// The noise of scale `scale`, or above it by less than 2^-62 where that is not a dyadic of
  /// denominator 2^62: never less noise than asked for. Throws as above.
  static EuclideanLaplace at_least(std::size_t dimension, double scale);

  [[nodiscard]] std::size_t dimension() const { return law_.dimension(); }
  /// b = p/q.
  [[nodiscard]] Ratio scale() const { return law_.scale(); }

  /// One draw of d coordinates. Throws InvalidInput if `noise` has room for more or fewer.
  void draw(std::span<std::int64_t> noise, SecureRandom& random) const;

 private:
  detail::EuclideanLaplaceTree law_;
};

}  // namespace mollify
