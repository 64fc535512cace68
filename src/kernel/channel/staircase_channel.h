// The public-data kernel of Zamanlooy, Diaz and Asoodeh as an exact integer matrix.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernel/core/exp_bound.h"
#include "kernel/core/secure_random.h"

namespace mollify {

/// A public integer matrix that leaves a public distribution q in place (q K = q, to about 2^-40)
/// and of all epsilon-LDP kernels that do moves records least [Zamanlooy et al. 2024].
///
/// Definition. Let the outcomes be sorted by ascending q, integers g_i standing for q, G_{>i} the
/// sum of those after i, w_i = E g_i + G_{>i}. The staircase begins with U_0 = N and descends:
///   a value beyond i stops at i with c_i = U_i g_i / w_i parts,  U_{i+1} = U_i - c_i;
///   the value i itself stays with d_i = U_i E g_i / w_i parts, and
///   moves to each j > i with v_i g_j parts, v_i = U_i / w_i.
/// All are rounded to integers, v upwards but so that it never ascends, and what it then leaves
/// over of U_i - d_i goes to the last outcome, the likeliest: each row sums to N = 2^126 exactly.
///
/// Theorem (columns). If in every column the greatest entry is at most Ebar times the least, any
/// report is at most e^epsilon times as likely under one value as under another. The factory checks
/// all columns in integers, in O(k), and throws if one fails; rounding can therefore cost
/// usefulness but not privacy. In the order of ascending q none fails; in other orders they do
/// (q = (.6, .3, .1) as it stands, at epsilon = 1, realises 2.26). E is Ebar less 2^-46 of it, a
/// hundred times the rounding of the entries.
///
/// Memory 64 bytes an outcome; a draw takes O(log k). Values out of range count as 0.
class StaircaseChannel {
 public:
  static constexpr int kTotalBits = 126;

  /// `reference` holds q: k from 1 to 2^24 positive finite masses. Throws InvalidInput otherwise.
  static StaircaseChannel make(std::span<const double> reference, double epsilon);

  /// Whether every column satisfies the theorem, decided in integers. O(k).
  [[nodiscard]] bool satisfies(const ExpBound& bound) const;

  [[nodiscard]] std::size_t input_count() const { return outcome_count(); }
  [[nodiscard]] std::size_t outcome_count() const { return order_.size(); }
  [[nodiscard]] uint128 total() const { return uint128{1} << kTotalBits; }
  /// Numerator over total() of reporting value x as outcome j.
  [[nodiscard]] uint128 entry(std::size_t x, std::size_t j) const;
  [[nodiscard]] Extremes column(std::size_t j) const;
  /// The integer that stands for q_j; their sum is reference_total().
  [[nodiscard]] std::uint64_t reference(std::size_t j) const;
  [[nodiscard]] std::uint64_t reference_total() const { return prefix_.back(); }

  /// The staircase itself, by rank in the order of ascending q: the outcome there, c, d and v.
  [[nodiscard]] std::size_t outcome_at_rank(std::size_t rank) const { return order_[rank]; }
  [[nodiscard]] uint128 stop_entry(std::size_t rank) const {
    return steps_[rank] - steps_[rank + 1];
  }
  [[nodiscard]] uint128 stay_entry(std::size_t rank) const { return stays_[rank]; }
  [[nodiscard]] uint128 move_factor(std::size_t rank) const { return moves_[rank]; }
  /// What the moves leave over, added to the last outcome's share of them.
  [[nodiscard]] uint128 rest_entry(std::size_t rank) const {
    return steps_[rank] - stays_[rank] - moves_[rank] * weight_after(rank);
  }

  /// The outcome that value x is reported as for a uniform `position` below total(): each outcome j
  /// has exactly entry(x, j) positions. NOT PRIVATE.
  [[nodiscard]] std::size_t outcome_at(std::size_t x, uint128 position) const;

  [[nodiscard]] std::size_t draw(std::size_t value, SecureRandom& random) const {
    const uint128 high = random.word() >> (128 - kTotalBits);
    return outcome_at(value < outcome_count() ? value : 0, (high << 64) | random.word());
  }
  /// An outcome of the law q, as the integers have it.
  [[nodiscard]] std::size_t draw_reference(SecureRandom& random) const {
    return locate_weight(random.below(reference_total()));
  }

 private:
  friend struct BadStaircase;  // of the tests: the check must see what no factory makes

  StaircaseChannel() = default;
  /// With the outcomes in any order, of which the theorem's is one; unchecked.
  [[nodiscard]] static StaircaseChannel in_order(std::span<const double> reference, double sum,
                                                 std::vector<std::uint32_t> order,
                                                 const ExpBound& bound);
  [[nodiscard]] std::size_t locate_weight(std::uint64_t position) const;

  [[nodiscard]] std::uint64_t weight(std::size_t rank) const {
    return prefix_[rank + 1] - prefix_[rank];
  }
  [[nodiscard]] std::uint64_t weight_after(std::size_t rank) const {
    return prefix_.back() - prefix_[rank + 1];
  }

  // Indexed by rank: the position in the order of ascending q.
  std::vector<std::uint32_t> order_;   // outcome at each rank
  std::vector<std::uint32_t> rank_;    // rank of each outcome
  std::vector<std::uint64_t> prefix_;  // of g, k + 1 entries
  std::vector<uint128> steps_;         // U, k + 1 entries
  std::vector<uint128> stays_;         // d
  std::vector<uint128> moves_;         // v, descending
  Extremes last_column_{};             // of the last rank, which also receives the rests
};

}  // namespace mollify
