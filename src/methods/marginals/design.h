// The measurements that a budget pays for, and their error.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "accounting/privacy.h"
#include "kernel/naturals.h"
#include "methods/marginals/counts.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// One privacy budget for many steps: in integers, so that it is never overspent.

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

/// How far one unit moves the distances of `pairs` pairs of columns from counts that do not depend
/// on the unit, each the sum of |count - c| over the pair's cells.
///
/// Theorem. One unit moves each distance by UnitWeight::sum at most, so all of them by pairs times
/// that in the sum of sizes, and their sum too; in the square of the Euclidean norm by pairs times
/// its square. QED
struct DistanceWeight {
  UnitWeight unit;
  std::uint64_t pairs = 1;

  [[nodiscard]] std::uint64_t sum() const { return unit.sum() * pairs; }
  [[nodiscard]] std::uint64_t square() const { return unit.sum() * unit.sum() * pairs; }
};

/// A budget cut into kParts equal parts. A step takes a whole number k of them and spends
/// k amount / kParts:
///
/// - pure: epsilon, added up. Noise is DiscreteLaplace of scale t >= sum / epsilon_k; a choice has
///   2 Delta eta <= epsilon_k.
/// - concentrated: rho, added up [Bun, Steinke 2016, Lemma 2.3; chosen after the outputs before:
///   Feldman, Zrnic 2021]. DiscreteGaussian of sigma^2 >= square / (2 rho_k); Delta^2 eta^2 / 2 <=
///   rho_k.
/// - approximate: the square of mu, added up (accounting/gaussian.h). DiscreteGaussian of
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

  /// The noise of a measurement that takes this many parts: scale of DiscreteLaplace if pure, else
  /// variance of DiscreteGaussian. 1 <= parts <= kParts.
  [[nodiscard]] Ratio noise(std::uint32_t parts) const;
  /// The noise of a measurement of all pairs' products of scores of sizes up to `steps`. Throws
  /// InvalidInput where the kernel does not draw it. steps a power of two up to 2^8.
  [[nodiscard]] Ratio product_noise(std::uint32_t parts, std::size_t columns,
                                    std::uint64_t steps) const;
  /// The noise of the distances of `pairs` pairs of columns: of their sum if pure, else of each.
  /// Throws InvalidInput where the kernel does not draw it.
  [[nodiscard]] Ratio distance_noise(std::uint32_t parts, std::uint64_t pairs) const;
  /// The rate of an ExponentialChoice over distances of sensitivity unit().sum().
  [[nodiscard]] Ratio choice_rate(std::uint32_t parts) const;
  /// The standard deviation of a measurement's noise, about; of one count, in weights.
  [[nodiscard]] double deviation(std::uint32_t parts) const { return deviation_of(noise(parts)); }
  /// Of noise of this scale or variance.
  [[nodiscard]] double deviation_of(Ratio noise) const;

 private:
  /// Throws InvalidInput unless the kernel draws noise of this scale or variance.
  void require_drawn(Ratio noise) const;
  /// Whether the kernel draws the noise of each number of parts.
  [[nodiscard]] bool is_drawn() const;
  [[nodiscard]] double part_down(std::uint32_t parts) const;
  [[nodiscard]] Ratio noise_of(std::uint32_t parts, std::uint64_t sum, std::uint64_t square,
                               std::uint64_t scale) const;

  PrivacyNotion notion_;
  double amount_;
  UnitWeight unit_;
};

/// The rest of the parts. The only way to spend them, so no more than kParts are ever spent.
class PartsLeft {
 public:
  [[nodiscard]] std::uint32_t left() const { return left_; }
  /// Takes them and returns them. Throws std::logic_error, having taken nothing, if fewer are left
  /// or none is asked for: no step can happen that was not paid for.
  std::uint32_t take(std::uint32_t parts);
  /// Takes them for another step, which can take no more than these.
  [[nodiscard]] PartsLeft set_apart(std::uint32_t parts) { return PartsLeft(take(parts)); }

  PartsLeft() = default;

 private:
  explicit PartsLeft(std::uint32_t parts) : left_(parts) {}

  std::uint32_t left_ = MarginalBudget::kParts;
};

// -----------------------------------------------------------------------------------------------
// From a budget and public numbers to all parameters of a table's marginals.

/// Everything public about a release by marginals.
inline constexpr std::uint32_t kMostColumnCells = 65536;
inline constexpr std::uint64_t kModelCells = 100'000;
/// Cells of the model's junction tree, at most: few columns have few rounds, whose fits may take longer.
[[nodiscard]] constexpr std::uint64_t model_cells_of(std::uint64_t columns) {
  constexpr std::uint64_t kMostModelCells = 500'000, kFewColumns = 20;
  const std::uint64_t all = std::max(columns, kFewColumns);
  return std::max(kModelCells, kMostModelCells * kFewColumns * kFewColumns / (all * all));
}

struct MarginalRequest {
  std::vector<MarginalColumn> columns;  ///< 1 to 400, of 1 to 65 536 cells each
  Privacy budget;
  UnitWeight unit;
  /// n, of rows or units; none where it is protected, or what they weigh together.
  std::optional<std::uint64_t> records;
  /// Columns are joined by their rank correlations alone, and all of them have an order or two
  /// cells at most.
  bool copula = false;
  /// Pairs and triples of columns that questions are about, or single ones of great weight,
  /// ascending, none twice: measured before all others.
  std::vector<std::vector<std::size_t>> questions{};
  /// What W is in the weights that are declared; 0 where none are.
  double greatest_weight = 0;
  /// How many times the parts of weight 1 each of the questions gets; none if all get as many.
  std::vector<double> question_weights{};

  /// The columns that something is asked about.
  [[nodiscard]] std::size_t asked() const {
    return static_cast<std::size_t>(
        std::count_if(columns.begin(), columns.end(),
                      [](const MarginalColumn& column) { return !column.follows; }));
  }

  /// The pairs of these.
  [[nodiscard]] std::uint64_t pairs() const {
    return std::uint64_t{asked()} * (asked() - std::min<std::size_t>(asked(), 1)) / 2;
  }

  /// Noise in records of weight W, in the weights that are declared.
  [[nodiscard]] double told(double noise) const {
    return greatest_weight > 0 ? noise * greatest_weight : noise;
  }

  friend bool operator==(const MarginalRequest& a, const MarginalRequest& b) {
    return a.greatest_weight == b.greatest_weight && a.columns == b.columns &&
           a.questions == b.questions && a.question_weights == b.question_weights &&
           a.budget == b.budget && a.unit.weight == b.unit.weight &&
           a.unit.neighbours == b.unit.neighbours && a.records == b.records && a.copula == b.copula;
  }
};

/// How the budget's parts are split. Two designs of one request are equal, so a certificate can be
/// checked by designing anew.
///
/// Drawn are, of columns of private bins, where these lie (private_bins.h), each of four levels
/// with `cut_parts`; then (learner.h): every column, with `column_parts`, where that
/// leaves much noise once more; pairs and triples of questions, with `parts_of_questions` in all; a tree of
/// pairs, chosen with
/// `tree_choice_parts` an edge and measured with `tree_parts` in all; in rounds one more pair, with
/// `choice_parts` and `round_parts`, doubled where the outputs say that less noise is needed, until
/// nothing is left but `error_parts`. Of a copula instead of tree and rounds the products of all
/// pairs' rank scores, of sizes up to `score_steps`, with `product_parts`. At the end, once rows are
/// drawn, how far their pairs are from the table's, with `error_parts`.
///
/// Theorem (privacy). Each step is private by what it takes of the budget (MarginalBudget), and
/// PartsLeft lets no sequence of them take more than all: so the whole keeps the guarantee, however
/// the parts are split, whatever is chosen, by anyone. All else is made of outputs.
struct MarginalDesign {
  MarginalRequest request;
  std::uint32_t cut_parts = 0;  ///< for each level of each column of private bins
  std::uint32_t column_parts = 0;
  std::uint32_t tree_choice_parts = 0;
  std::uint32_t tree_parts = 0;
  std::uint32_t choice_parts = 0;
  std::uint32_t round_parts = 0;
  std::uint32_t product_parts = 0;
  /// Of two distances from the table: the rows', and a third of them of independent columns'. None of
  /// one column, and where the noise cannot be drawn.
  std::uint32_t error_parts = 0;
  std::uint64_t score_steps = 0;
  /// The greatest number of cells of the model's junction tree.
  std::uint64_t model_cells = 0;
  /// epsilon, rho or mu^2 of all parts, rounded down.
  double amount = 0;
  /// Of a column's counts: scale of the discrete Laplace if pure, else variance of the discrete
  /// Gaussian.
  Ratio column_noise;
  /// The standard deviation of a column's count, in records.
  double column_deviation = 0;
  Privacy guarantee;
  std::string why;  ///< for people

  /// Of all levels of all columns.
  [[nodiscard]] std::uint64_t all_cut_parts() const;
  [[nodiscard]] std::uint32_t independent_parts() const { return error_parts / 3; }
  [[nodiscard]] std::uint32_t rows_parts() const { return error_parts - independent_parts(); }
  /// What all steps together have, except for the error's.
  [[nodiscard]] std::uint32_t parts_of_model() const {
    return MarginalBudget::kParts - error_parts;
  }
};

/// Throws InvalidInput, in one sentence, for a request outside the limits above, for pairs of
/// columns of more cells than can be counted (PairCounts::kMostCells), and for budgets as
/// MarginalBudget. `amount` as there; all else follows from it by operations that every machine
/// rounds alike.
[[nodiscard]] MarginalDesign design_marginals(const MarginalRequest& request,
                                              std::optional<double> amount = std::nullopt);

/// What the pairs and triples of questions are measured with, of the parts that are left after the
/// columns: a sixth for each of them, and half at most.
[[nodiscard]] std::uint32_t parts_of_questions(const MarginalRequest& request, std::uint32_t left);

/// Throws InvalidInput unless the numbers of the design, wherever it comes from, keep its
/// guarantee.
void check_marginal_design(const MarginalDesign& design);

// -----------------------------------------------------------------------------------------------
// Whether columns are measured once more.

/// How many times the first measurement's parts a second one takes at most.
inline constexpr double kMostSecondMeasurement = 2.5;

/// Parts of a second measurement of each column, for a table of so much weight as the first one
/// says: in proportion to the total variation that noise of the first puts a column of the mean
/// size at, as many as the first took at 1/40; none where that would be less than a tenth of it, or
/// where nothing but the one column is asked.
[[nodiscard]] std::uint32_t second_column_parts(const MarginalDesign& design, double total_weight);

// -----------------------------------------------------------------------------------------------
// How far rows are expected to be from their table: computed before any data.

/// Total variation over some marginals: its mean and the worst one's.
struct MarginalDistance {
  double mean = 0;
  double worst = 0;
};

/// How far rows of method marginals are expected to be from the table, from public facts alone.
///
/// A column of k cells whose counts have noise of deviation s is off by E|z| s sqrt(k (k
/// - 1)) / (2 n) in total variation, because the counts' sum is known; E|z| is
/// sqrt(2/pi), or 1/sqrt(2) of Laplace noise. 1/s^2 comes from the column's own
/// measurements, and half of the sum of the tree's and the rounds', shared among the
/// columns: later measurements say this much about columns. A measured pair of g by g
/// groups is off by E|z| s g^2 / (2 n), s the deviation of its own counts. No distance is
/// above 1.
///
/// Two columns together are off by more than the noise of both, because pairs that are worth less
/// than their noise are not measured, and because a model holds some pairs only. No public fact says
/// by how much: a release measures it (error_parts). Before, there is a range, of means over pairs.
/// `least` is the root of the squares of both columns' noise alone, if columns hardly depend on each
/// other. `most` is the root of four terms, if columns of many values depend closely:
///
/// - the same;
/// - what is not seen of a pair: the noise in all its k l cells, or in kSeenGroups groups of each
///   column, because a dependence is measured only if it is worth its noise. Inside private bins it
///   never shows. It is 1 - 1 / min(k, l) at most: two columns are in total variation from
///   independent ones by sum_x p(x) TV(P(y | x), P(y)), which is convex in each P(y | x), and so is
///   greatest where y follows from x. There it is 1 - sum_y P(y)^2. A copula sees no dependence of
///   another kind;
/// - kOfModel^2, because a model leaves something out at any budget;
/// - kOfChance^2 k l / n: n rows stray from even cells by .4 sqrt(k l / n), and a model does not
///   keep what chance did to rare cells.
///
/// They are for the table's number of rows: fewer rows stray more from the model.
struct MarginalError {
  MarginalDistance columns;
  double least = 0;  ///< on average over pairs; zero for one column
  double most = 0;   ///< on average over pairs; zero for one column
  /// The noise of a pair that a round measures in `groups` by `groups`. Its groups' dependence is
  /// worth the noise only above this total variation from independence.
  struct Seen {
    std::uint32_t groups;
    double distance;
  };
  std::vector<Seen> seen;  ///< none for one column, and of a copula

  /// The middle of the range of pairs, by ratios; of one column its noise. Methods are compared by it:
  /// on real tables it is mostly 1.3 to 2 times the error (docs/evidence/tables.md), as the stated
  /// errors of other methods are, and the range's ends are a third of the error and 8 times it.
  [[nodiscard]] double expected() const {
    return most > 0 ? std::sqrt(least * most) : columns.mean;
  }
  /// From this number of records on a round measures a dependence of kFirstDependence in four by
  /// four groups of two columns; `records` are those that this error is for.
  [[nodiscard]] std::optional<double> first_dependence(std::uint64_t records) const;
  static constexpr double kFirstDependence = 0.05;
};

/// `records`: how many rows, or units, there are; where that is not public, how many are assumed.
/// At least 1. O(columns^2).
[[nodiscard]] MarginalError marginal_error(const MarginalDesign& design, std::uint64_t records);

/// The noise in records, where their number is not public: `columns` and `seen` times any number of
/// records that is so large that no distance is 1.
[[nodiscard]] MarginalError noise_in_records(const MarginalDesign& design);

/// Half of the mean sum of the noise of this many counts of that deviation, which is in weights:
/// how far the noisy counts of a table are from its counts, in records.
[[nodiscard]] double counts_noise(const MarginalDesign& design, double deviation, double cells);

/// The least number of records at which noise of columns is half of its size at `records`; none up
/// to 2^40.
[[nodiscard]] std::optional<std::uint64_t> records_to_halve(const MarginalDesign& design,
                                                            std::uint64_t records);

}  // namespace mollify
