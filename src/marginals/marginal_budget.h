// One privacy budget for many steps: in integers, so that it is never overspent.
#pragma once

#include <cstdint>
#include <optional>

#include "accounting/neighbours.h"
#include "accounting/privacy.h"
#include "kernel/noise/ratio.h"

namespace mollify {

/// How far one unit moves the integer counts of any one marginal. Each unit's records weigh W in
/// all at most (PairCounts::add_unit), and a marginal counts weights.
///
/// Theorem. Let v be the counts of one unit's records: integers of at least 0 that sum to W at
/// most. Add-remove: the counts move by v, so by W at most in the sum of sizes, and by W at most in
/// Euclidean norm, |v|^2 <= (sum v)^2. Replace: they move by v - v', by 2 W in the sum of sizes,
/// and |v - v'|^2 = |v|^2 + |v'|^2 - 2 v.v' <= 2 W^2 because v.v' >= 0. Counts of merged cells are
/// sums of these, so the same holds. The sum of |count - c| over all cells, for integers c that do
/// not depend on the unit, moves by no more than the counts do. QED
struct UnitWeight {
  std::uint64_t weight = 1;  ///< W
  Neighbours neighbours = Neighbours::kReplace;

  /// Of the counts, as a sum of sizes; of a distance |count - c| too.
  [[nodiscard]] std::uint64_t sum() const {
    return neighbours == Neighbours::kReplace ? 2 * weight : weight;
  }
  /// The square of the Euclidean norm.
  [[nodiscard]] std::uint64_t square() const { return sum() * weight; }
};

/// How far one unit moves the mean products of all pairs of `columns` scores, each score at most 1.
///
/// Theorem. Let v have the sums, over the unit's records, of weight times s_i s_j, for each pair of
/// columns i < j; sizes of scores are at most 1 and the weights sum to W at most. Then |v|^2 <= W^2
/// d (d - 1) / 2, and for two units v.v' >= -W^2 d / 2, because of two records the sum of s_i s_j
/// t_i t_j over pairs is half of (s.t)^2 less the sum of s_i^2 t_i^2. Add-remove moves the sums by
/// v: W^2 d (d - 1) / 2. Replace: |v - v'|^2 <= W^2 d (d - 1) + W^2 d = W^2 d^2. The sum of sizes
/// moves by W d (d - 1) / 2 at most, and twice that. QED
struct ProductWeight {
  UnitWeight unit;
  std::uint64_t columns = 2;  ///< d, at least 2

  [[nodiscard]] std::uint64_t sum() const { return unit.sum() * (columns * (columns - 1) / 2); }
  [[nodiscard]] std::uint64_t square() const {
    const std::uint64_t once = unit.weight * unit.weight;
    return unit.neighbours == Neighbours::kReplace ? once * columns * columns
                                                   : once * (columns * (columns - 1) / 2);
  }
};

/// A budget cut into kParts equal parts. A step takes a whole number k of them and spends
/// k amount / kParts:
///
/// - pure: epsilon, added up. Noise is DiscreteLaplace of scale t >= sum / epsilon_k; a choice has
///   2 Delta eta <= epsilon_k.
/// - concentrated: rho, added up [Bun, Steinke 2016, Lemma 2.3; chosen after the outputs before:
///   Feldman, Zrnic 2021]. DiscreteGaussian of sigma^2 >= square / (2 rho_k); Delta^2 eta^2 / 2 <=
///   rho_k.
/// - approximate: the square of mu, added up (accounting/adaptive_gaussian.h). DiscreteGaussian of
///   sigma^2 >= square / m_k + s^2; (pi/8) (2 Delta eta)^2 <= m_k.
///
/// All rounding is towards more noise.
class MarginalBudget {
 public:
  static constexpr std::uint32_t kParts = std::uint32_t{1} << 16U;

  /// Throws InvalidInput, in a sentence about the budget, for notion gaussian, and for budgets so
  /// small or large that one part of them has no noise that the kernel draws. `amount` is what is
  /// cut into parts, where it has been found before (adaptive_amount_down).
  MarginalBudget(const Privacy& budget, UnitWeight unit,
                 std::optional<double> amount = std::nullopt);

  [[nodiscard]] PrivacyNotion notion() const { return notion_; }
  /// epsilon, rho or mu^2 of all parts, rounded down.
  [[nodiscard]] double amount() const { return amount_; }
  [[nodiscard]] UnitWeight unit() const { return unit_; }

  /// The noise of a measurement that takes so many parts: scale of DiscreteLaplace if pure, else
  /// variance of DiscreteGaussian. 1 <= parts <= kParts.
  [[nodiscard]] Ratio noise(std::uint32_t parts) const;
  /// The same of a measurement of all pairs' products of scores of sizes up to `steps`. Throws
  /// InvalidInput where the kernel does not draw it. steps a power of two up to 2^8.
  [[nodiscard]] Ratio product_noise(std::uint32_t parts, std::size_t columns,
                                    std::uint64_t steps) const;
  /// The rate of an ExponentialChoice over distances of sensitivity unit().sum().
  [[nodiscard]] Ratio choice_rate(std::uint32_t parts) const;
  /// The standard deviation of a measurement's noise, about; of one count, in weights.
  [[nodiscard]] double deviation(std::uint32_t parts) const { return deviation_of(noise(parts)); }
  /// Of noise of this scale or variance.
  [[nodiscard]] double deviation_of(Ratio noise) const;

 private:
  [[nodiscard]] double part_down(std::uint32_t parts) const;
  [[nodiscard]] Ratio noise_of(std::uint32_t parts, std::uint64_t sum, std::uint64_t square,
                               std::uint64_t scale) const;

  PrivacyNotion notion_;
  double amount_;
  UnitWeight unit_;
};

/// What is left of the parts. The only way to spend them, so no more than kParts are ever spent.
class PartsLeft {
 public:
  [[nodiscard]] std::uint32_t left() const { return left_; }
  /// Takes them and returns them. Throws std::logic_error, having taken nothing, if fewer are left
  /// or none is asked for: no step can happen that was not paid for.
  std::uint32_t take(std::uint32_t parts);

 private:
  std::uint32_t left_ = MarginalBudget::kParts;
};

}  // namespace mollify
