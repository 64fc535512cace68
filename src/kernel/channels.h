// Public matrices whose columns are checked in integers, randomized response the first of them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/band.h"
#include "core/random.h"
#include "core/table.h"
#include "kernel/order.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// What a draw's law follows from, as integers.

/// The private integers that, together with a sampler's public ones, are the law of its draw: two
/// draws of one sampler whose integers are equal have one law, on whatever processors. NOT PRIVATE.
///
/// A Table has its numerators; a SparseTable its outcomes, and their numerators before the rest's;
/// a channel its inputs, and the sums of the weights before each and of all.
struct LawIntegers {
  std::span<const std::uint32_t> outcomes{};  ///< outcomes of the numerators; none: 0, 1, 2, ...
  std::span<const std::uint64_t> numerators{};
  /// Of a Table: most of the numerators are this band's lower bounds.
  const Band* band = nullptr;
};

// -----------------------------------------------------------------------------------------------
// Many exact draws from one table, each in constant time.

/// Walker's alias method over a table's integers.
///
/// Definition. k columns of height N hold k N unit parts; outcome i owns k n_i of them, in column i
/// below its threshold and in the columns whose alias it is above theirs.
///
/// Theorem. `draw` returns i with probability exactly n_i / N: a uniform column and a uniform
/// height below N hit each of the k N parts equally often. No rounding takes place: all of it is
/// integers (Walker 1977; Vose 1991, without the floating point).
///
/// O(k) to make, 12 bytes an outcome, O(1) a draw. Independent of the table once made.
class AliasTable {
 public:
  explicit AliasTable(const Table& table);

  /// The outcome that owns the part at `height`, below the total, of column `column`. NOT PRIVATE.
  [[nodiscard]] std::size_t outcome_at(std::size_t column, std::uint64_t height) const {
    return height < thresholds_[column] ? column : aliases_[column];
  }

  [[nodiscard]] std::size_t draw(SecureRandom& random) const {
    const auto column = static_cast<std::size_t>(below_columns_(random));
    return outcome_at(column, below_total_(random));
  }

 private:
  UniformBelow below_total_;
  UniformBelow below_columns_;
  std::vector<std::uint64_t> thresholds_;
  std::vector<std::uint32_t> aliases_;
};

/// Of a public matrix: the greatest and the least numerator that one outcome has under any input.
/// Their ratio bounds what the outcome tells.
struct Extremes {
  uint128 greatest;
  uint128 least;
};

// -----------------------------------------------------------------------------------------------
// k-ary randomized response with exact integer probabilities.

/// Reports a value of {0, ..., k - 1} as itself with probability K / (K + (k - 1) L) and as each
/// other one with probability L / (K + (k - 1) L), for public integers L and K.
///
/// Of one value: K = floor(L Ebar).
/// Theorem. K <= Ebar L <= e^epsilon L, so any report is at most e^epsilon times as likely under
/// one value as under another: epsilon-LDP (Kairouz et al. 2016, Section 4.1). `draw` has
/// exactly these probabilities: an integer below K + (k - 1) L decides whether the value is kept,
/// and a second one below k - 1 chooses among the others alike. It is drawn in any case.
///
/// Of m values chosen from n, without replacement: K = floor(L (1 + (n / m) (Ebar - 1))), Ebar - 1
/// times n / m being rounded down to a multiple of 2^-shift, so that
///   m K + (n - m) L <= Ebar n L.                                                    (*)
/// Theorem. If the chosen values are in a uniformly random order, whatever they are, the list of
/// the m reports is epsilon-DP when one of the n values is replaced. K is the greatest such
/// integer, except for rounding: n values c, one of which is replaced by another value y, and m
/// reports of y attain (*). For m = 1 this is [Cheu, Nayak 2024, Theorem 11] with tight odds.
/// Proof. Let x be replaced by x', and fix a list y. Let a, a' be the probabilities of y under x
/// and x' if the place is among those chosen, b if it is not. All ordered choices of m of the n
/// places are equally likely. So to put a uniform one of the values left over in the place of a
/// chosen x turns the first law into the last and changes one report: with E0 = K / L we have
/// a <= E0 a' and a <= E0 b. As a function of a' and b the ratio
///   P(y) / P'(y) <= ((m/n) E0 min(a', b) + (1 - m/n) b) / ((m/n) a' + (1 - m/n) b)
/// falls in a' where b <= a', and in b where a' <= b: it is greatest at a' = b, and (*) bounds it.
/// QED [Balle et al. 2018, Theorem 9, for delta = 0]
/// The order of the n values does not do: n = 3, m = 2, k = 3 and epsilon = 1 give a ratio of 3.115
/// (RandomizedResponse.OfChosenRecordsNeedsARandomOrder in tests/kernel/channels.cpp).
///
/// Total: a value outside {0, ..., k - 1} is private data and counts as 0. O(1), no memory.
class RandomizedResponse {
 public:
  /// n may not be greater.
  static constexpr std::uint64_t kMostRecords = std::uint64_t{1} << 40;

  /// k from 1 to 2^24, epsilon as for ExpBound; throws InvalidInput otherwise.
  RandomizedResponse(std::size_t outcome_count, double epsilon)
      : RandomizedResponse(outcome_count, epsilon, 1, 1) {}

  /// For `chosen` of `records` values, from 1 to `records` and 2^40; InvalidInput otherwise.
  /// epsilon belongs to all the reports together.
  RandomizedResponse(std::size_t outcome_count, double epsilon, std::uint64_t records,
                     std::uint64_t chosen);

  [[nodiscard]] std::size_t input_count() const { return outcome_count_; }
  [[nodiscard]] std::size_t outcome_count() const { return outcome_count_; }
  [[nodiscard]] double epsilon() const { return bound_.epsilon(); }
  [[nodiscard]] const ExpBound& bound() const { return bound_; }

  /// Numerators over total(): of the value itself, and of each other outcome.
  [[nodiscard]] std::uint64_t kept() const { return kept_; }
  [[nodiscard]] std::uint64_t other() const { return other_; }
  [[nodiscard]] std::uint64_t total() const { return below_total_.bound(); }
  /// This holds for every column.
  [[nodiscard]] Extremes column(std::size_t) const {
    return {kept_, outcome_count_ > 1 ? other_ : kept_};
  }
  /// Whether (*) holds, decided in integers.
  [[nodiscard]] bool satisfies(const ExpBound& bound) const {
    return outcome_count_ == 1 ||
           bound.allows(uint128{chosen_} * kept_ + uint128{records_ - chosen_} * other_,
                        uint128{records_} * other_);
  }

  /// What `value` is reported as for two uniform integers: `position` below total(), and `other`
  /// below k - 1 (0 if k is 1). NOT PRIVATE.
  [[nodiscard]] std::size_t outcome_at(std::size_t value, std::uint64_t position,
                                       std::uint64_t other) const {
    // Masks, because no processor foresees branches that depend on noise.
    const std::size_t inside = value & -std::size_t{value < outcome_count_};
    const std::size_t another = static_cast<std::size_t>(other) + std::size_t{other >= inside};
    const std::size_t keeps = -std::size_t{position < kept_};
    return (inside & keeps) | (another & ~keeps);
  }

  [[nodiscard]] std::size_t draw(std::size_t value, SecureRandom& random) const {
    const std::uint64_t position = below_total_(random);
    return outcome_at(value, position, below_others_(random));
  }

 private:
  ExpBound bound_;
  std::size_t outcome_count_;
  std::uint64_t records_;
  std::uint64_t chosen_;
  std::uint64_t kept_;
  std::uint64_t other_;
  UniformBelow below_total_{1};
  UniformBelow below_others_{1};
};

// -----------------------------------------------------------------------------------------------
// A public integer matrix given row by row: the generators of a convex mollifier.

/// m public distributions over k outcomes, as rows of integers that each sum to N = 2^62.
///
/// Theorem (columns). If in every column the greatest entry is at most Ebar times the least, every
/// mixture of the rows is within a factor e^epsilon of every other at every outcome: the rows
/// generate a convex epsilon-mollifier [Husain et al. 2020, eq. 3]. The factory checks all columns
/// in integers and refuses the rows if one fails.
///
/// Memory 8 m k bytes, m k at most 2^24. A draw takes O(log k). Rows out of range count as 0.
class MatrixChannel {
 public:
  static constexpr std::uint64_t kTotal = std::uint64_t{1} << 62;

  /// `rows` holds m rows of `outcome_count` positive finite masses each; each row is normalised and
  /// moved towards the mean of all by 2^-38 / (1 - e^-epsilon), so that rows at e^epsilon itself
  /// pass. Throws InvalidInput if the shape or a mass is wrong, or if a column's entries differ by
  /// more than a factor e^epsilon.
  static MatrixChannel make(std::span<const double> rows, std::size_t outcome_count,
                            double epsilon);

  /// Whether every column satisfies the theorem, decided in integers. O(m k).
  [[nodiscard]] bool satisfies(const ExpBound& bound) const;

  [[nodiscard]] std::size_t input_count() const { return prefix_.size() / (outcome_count_ + 1); }
  [[nodiscard]] std::size_t outcome_count() const { return outcome_count_; }
  [[nodiscard]] uint128 total() const { return kTotal; }
  /// Numerator over total() of outcome j in row x.
  [[nodiscard]] uint128 entry(std::size_t x, std::size_t j) const {
    const std::size_t at = x * (outcome_count_ + 1) + j;
    return prefix_[at + 1] - prefix_[at];
  }
  [[nodiscard]] Extremes column(std::size_t j) const;

  [[nodiscard]] std::size_t draw(std::size_t row, SecureRandom& random) const {
    return locate(row, random.below(kTotal));
  }

 private:
  MatrixChannel() = default;
  [[nodiscard]] std::size_t locate(std::size_t row, std::uint64_t position) const;

  std::size_t outcome_count_ = 0;
  std::vector<std::uint64_t> prefix_;  // k + 1 entries for each row
};

// -----------------------------------------------------------------------------------------------
// Keep the value or replace it by a draw from a public reference, with exact probabilities.

/// A public integer matrix: value x of {0, ..., k - 1} is reported as outcome j with probability
///   (a [j = x] G + (A - a) g_j) / (A G),   A = 2^62,  G = sum g,
/// for public integers 0 <= a <= A and g_j >= 1. A draw keeps the value if an integer below A is
/// below a, and otherwise takes the outcome whose run of the cumulative g holds an integer below G.
///
/// Theorem (columns). In column j the greatest entry is a G + (A - a) g_j and, when k > 1, the
/// least is (A - a) g_j. If the first is at most Ebar times the second for every j then any report
/// is at most e^epsilon times as likely under one value as under another; averaging over values
/// drawn from P and from P' keeps that [Park et al. 2024, eq. 35; docs/theory/band.md].
/// The least g_j decides.
///
/// The reference's own law g / G is left in place exactly. Memory 8 bytes an outcome. A draw takes
/// O(log k). Values out of range are private data and count as 0.
class MixtureChannel {
 public:
  /// A.
  static constexpr std::uint64_t kKeepTotal = std::uint64_t{1} << 62;

  /// The largest a that satisfies the theorem at epsilon, found in integers: weight
  /// (E - 1) h_min / ((E - 1) h_min + 1) on the value. `reference` holds k from 1 to 2^24 positive
  /// finite masses. Throws InvalidInput otherwise.
  static MixtureChannel pure(std::span<const double> reference, double epsilon);

  /// Keeps the value with probability `weight` in [0, 1], rounded down to a multiple of 1/A. Makes
  /// no claim: the caller's theorem is another one (the Gaussian curve).
  static MixtureChannel with_weight(std::span<const double> reference, double weight);

  /// The staircase from a itself. Throws InvalidInput for more than A.
  static MixtureChannel with_kept(std::span<const double> reference, std::uint64_t kept);

  /// Whether every column satisfies the theorem, decided in integers. O(k).
  [[nodiscard]] bool satisfies(const ExpBound& bound) const;

  [[nodiscard]] std::size_t input_count() const { return outcome_count(); }
  [[nodiscard]] std::size_t outcome_count() const { return prefix_.size() - 1; }
  /// A G.
  [[nodiscard]] uint128 total() const { return uint128{kKeepTotal} * reference_total(); }
  /// a: the value is kept with probability keep() / kKeepTotal.
  [[nodiscard]] std::uint64_t keep() const { return keep_; }
  /// g_j.
  [[nodiscard]] std::uint64_t reference(std::size_t j) const { return prefix_[j + 1] - prefix_[j]; }
  /// G.
  [[nodiscard]] std::uint64_t reference_total() const { return prefix_.back(); }
  /// Numerator over total() of reporting value x as outcome j.
  [[nodiscard]] uint128 entry(std::size_t x, std::size_t j) const {
    return replaced_entry(j) + (x == j ? kept_entry() : 0);
  }
  [[nodiscard]] Extremes column(std::size_t j) const;

  [[nodiscard]] std::size_t draw(std::size_t value, SecureRandom& random) const {
    if (random.below(kKeepTotal) < keep_) return value < outcome_count() ? value : 0;
    return draw_reference(random);
  }
  /// An outcome of the law g / G, which the channel leaves in place.
  [[nodiscard]] std::size_t draw_reference(SecureRandom& random) const {
    return locate(random.below(reference_total()));
  }

 private:
  explicit MixtureChannel(std::span<const double> reference);
  [[nodiscard]] uint128 kept_entry() const { return uint128{keep_} * reference_total(); }
  [[nodiscard]] uint128 replaced_entry(std::size_t j) const {
    return uint128{kKeepTotal - keep_} * reference(j);
  }
  [[nodiscard]] std::size_t locate(std::uint64_t position) const;

  std::uint64_t keep_ = 0;
  std::vector<std::uint64_t> prefix_;  // of g, with k + 1 entries
};

// -----------------------------------------------------------------------------------------------
// The public-data kernel of Zamanlooy, Diaz and Asoodeh as an exact integer matrix.

/// A public integer matrix that leaves a public distribution q in place (q K = q, to about 2^-40)
/// and of all epsilon-LDP kernels that do moves records least [Zamanlooy et al. 2024].
///
/// Definition. Let the outcomes be sorted by ascending q, integers g_i standing for q, G_{>i} the
/// sum of those after i, w_i = E g_i + G_{>i}. The staircase begins with U_0 = N and descends:
///   a value beyond i stops at i with c_i = U_i g_i / w_i parts,  U_{i+1} = U_i - c_i;
///   the value i itself stays with d_i = U_i E g_i / w_i parts, and
///   moves to each j > i with v_i g_j parts, v_i = U_i / w_i. All are rounded to integers, v
///   upwards but so that it never ascends, and the rest of U_i - d_i goes to the last outcome, the
///   likeliest: each row sums to N = 2^126 exactly.
///
/// Theorem (columns). If in every column the greatest entry is at most Ebar times the least, any
/// report is at most e^epsilon times as likely under one value as under another. The factory checks
/// all columns in integers, in O(k), and throws if one fails; rounding can therefore cost
/// usefulness but not privacy. In the order of ascending q none fails; in other orders they do (q =
/// (.6, .3, .1) in this order, at epsilon = 1, realises 2.26). E is Ebar less 2^-46 of it, a
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
  /// The integer that represents q_j; their sum is reference_total().
  [[nodiscard]] std::uint64_t reference(std::size_t j) const { return weight(rank_[j]); }
  [[nodiscard]] std::uint64_t reference_total() const { return prefix_.back(); }

  /// The staircase itself, by rank in the order of ascending q: the outcome there, c, d and v.
  [[nodiscard]] std::size_t outcome_at_rank(std::size_t rank) const { return order_[rank]; }
  [[nodiscard]] uint128 stop_entry(std::size_t rank) const {
    return steps_[rank] - steps_[rank + 1];
  }
  [[nodiscard]] uint128 stay_entry(std::size_t rank) const { return stays_[rank]; }
  [[nodiscard]] uint128 move_factor(std::size_t rank) const { return moves_[rank]; }
  /// The moves' remainder, added to the last outcome's share of them.
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
  /// With the outcomes in any order, such as the theorem's; unchecked.
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
