// Noise on the integer lattice whose density falls with the Euclidean norm, exactly.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "kernel/noise/discrete_laplace.h"
#include "kernel/noise/natural.h"
#include "kernel/noise/square_root.h"

namespace mollify {

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

  /// What draws `size` coordinates from P(y) proportional to e^(-rate |y|): two smaller nodes, or a
  /// leaf for one coordinate.
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
/// Range. A coordinate beyond 64 bits is returned modulo 2^64: what is released is a function of
/// the exact sum, so the theorem holds to the letter. That has probability below d e^(-2^23).
///
/// Cost [ours]. Coordinates are joined in pairs, pairs in fours, and so on. Where b is large, a
/// node that joins two equal halves of m keeps its draw with probability .785 (m = 1), .75, .73,
/// and so on down to 1/sqrt(2), so a draw takes about d^1.5 draws of DiscreteLaplace; where b is
/// small, fewer. Rejection from independent coordinates would take d / .76^d. How many words are
/// drawn depends on the noise alone, not on what it is added to.
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
