// Exact noisy answers about columns, pairs and bins.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/random.h"
#include "methods/graphical/measurements.h"
#include "methods/marginals/counts.h"
#include "methods/marginals/design.h"
#include "records/pair_counts.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// The only questions that are put to private counts, and their noisy answers.

/// A column, or two or three of them, in ascending order; and how their cells are put together.
struct MarginalTable {
  std::vector<std::size_t> columns;
  std::vector<CellGroups> groups;  ///< one for each of them, of all of its cells

  [[nodiscard]] std::size_t cells() const;
};

/// A column, a pair or a triple of columns that may be measured: how far the counts are from integers that
/// are made of earlier outputs, less a penalty for the noise that it would bring.
struct MarginalCandidate {
  MarginalTable table;
  std::vector<std::uint64_t> expected;  ///< of each of the table's cells, row-major
  std::uint64_t penalty = 0;            ///< at most kGreatestPenalty

  static constexpr std::uint64_t kGreatestPenalty = std::uint64_t{1} << 60U;
};

/// The exact counts of a table, row-major. A triple must have been counted. NOT PRIVATE.
[[nodiscard]] std::vector<std::uint64_t> exact_counts(const PairCounts& counts,
                                                      const MarginalTable& table);

/// The exact distance that a candidate is chosen by: 2^62 + penalty - min(2^61, d), where d is the
/// sum over the table's cells of |count - expected|. NOT PRIVATE.
///
/// Theorem. It moves by at most UnitWeight::sum. Proof. The sum d moves by no more than the counts
/// do (UnitWeight), and neither the minimum with a constant nor integers that are the same for
/// both move it more. QED
[[nodiscard]] std::uint64_t exact_distance(const PairCounts& counts,
                                           const MarginalCandidate& candidate);

/// A score of each cell of each column, of size at most `steps`, for the columns' rank
/// correlations. Made of earlier outputs.
struct CellScores {
  std::vector<std::vector<std::int64_t>> columns;
  std::uint64_t steps = 1;
};

/// The exact sum over records of weight times the product of two columns' scores, of all pairs (0,
/// 1), (0, 2), ..., modulo 2^64. Scores that are too great count as steps. NOT PRIVATE.
[[nodiscard]] std::vector<std::int64_t> exact_products(const PairCounts& counts,
                                                       const CellScores& scores);

/// Rows that were drawn from a model, as counts of the table's cells; and the table's weight, by
/// public facts or earlier outputs.
struct DrawnRows {
  const PairCounts& counts;
  std::uint64_t rows = 1;    ///< 1 to 2^40
  std::uint64_t weight = 1;  ///< 1 to 2^60
};

/// Replaces the rows' pairs by pairs of independent columns with equal shares: products of the
/// columns' counts, brought down to 2^40. Returns how many rows they are. `count` is the number
/// of rows, 1 to 2^40.
std::uint64_t make_independent(PairCounts& rows, std::uint64_t count);

/// How far the rows are from the table, for all pairs (0, 1), (0, 2), ... of these columns: the sum
/// over a pair's cells of |count - c|, c the rows' count brought from `rows` to `weight`, rounded
/// down, and at most 2^62. Counts above 2^44 count as that. NOT PRIVATE.
///
/// Theorem. Each moves by at most UnitWeight::sum. Proof. The sum over cells of |rows count - weight
/// c| is an integer that moves by no more than `rows` times the counts, neither minimum moves more,
/// and of two numbers that differ by an integer at most so do the integers below them. QED
[[nodiscard]] std::vector<std::uint64_t> exact_pair_distances(const PairCounts& counts,
                                                              const DrawnRows& drawn,
                                                              std::span<const std::size_t> columns);

/// The answerer of a learner, which sees no count except through this. Tests put the exact law of
/// the answers in its place.
class MarginalAnswers {
 public:
  MarginalAnswers() = default;
  MarginalAnswers(const MarginalAnswers&) = delete;
  MarginalAnswers& operator=(const MarginalAnswers&) = delete;
  virtual ~MarginalAnswers() = default;

  /// Parts of the budget that are left.
  [[nodiscard]] virtual std::uint32_t left() const = 0;
  /// The triples of columns that can be measured: public (counted_triples).
  [[nodiscard]] virtual std::span<const Triple> triples() const { return {}; }
  /// Noisy counts of a table's cells, in weights.
  virtual std::vector<double> measure(const MarginalTable& table, std::uint32_t parts) = 0;
  /// Noisy sums of products of scores, of all pairs of columns.
  virtual std::vector<double> products(const CellScores& scores, std::uint32_t parts) = 0;
  /// The index of a candidate. The least exact_distance, which is the pair whose counts are
  /// farthest from what is expected, is the likeliest.
  virtual std::size_t choose(std::span<const MarginalCandidate> candidates,
                             std::uint32_t parts) = 0;
};

/// Theorem (privacy). Whatever is asked, in whatever order, each question chosen after the answers
/// before it, all answers together keep the budget's guarantee. Proof. A measurement is exact
/// discrete noise on counts of the sensitivity that UnitWeight states, or on products of that
/// which ProductWeight does, or distances as DistanceWeight does; a choice is the exact
/// exponential mechanism over distances that move by at most UnitWeight::sum; MarginalBudget gives
/// each the noise for the parts that it takes, and PartsLeft lets no more be taken than there are.
/// They compose as MarginalBudget says. QED
class PrivateMarginals final : public MarginalAnswers {
 public:
  /// All must outlive it.
  /// `parts` are what steps before have left.
  PrivateMarginals(const PairCounts& counts, const MarginalBudget& budget, SecureRandom& random,
                   PartsLeft parts = {})
      : counts_(counts), budget_(budget), random_(random), parts_(parts) {}

  [[nodiscard]] std::uint32_t left() const override { return parts_.left(); }
  [[nodiscard]] std::span<const Triple> triples() const override { return counts_.triples(); }
  std::vector<double> measure(const MarginalTable& table, std::uint32_t parts) override;
  std::vector<double> products(const CellScores& scores, std::uint32_t parts) override;
  std::size_t choose(std::span<const MarginalCandidate> candidates, std::uint32_t parts) override;
  /// Noisy distances of the drawn rows from the table (exact_pair_distances): the sum of all pairs'
  /// if pure, else each pair's. Requires two columns, ascending.
  std::vector<double> distances(const DrawnRows& drawn, std::span<const std::size_t> columns,
                                std::uint32_t parts);
  /// The parts that its questions have left.
  [[nodiscard]] PartsLeft rest() const { return parts_; }

 private:
  /// The exact numbers, which are integers modulo 2^64, with noise.
  [[nodiscard]] std::vector<double> with_noise(std::span<const std::uint64_t> exact, Ratio noise);

  const PairCounts& counts_;
  const MarginalBudget& budget_;
  SecureRandom& random_;
  PartsLeft parts_;
};

// -----------------------------------------------------------------------------------------------
// Which tables a learner had measured, and how well: public, like the answers themselves.

/// A measurement that was made: of one, two or three columns, with its cells and its parts of
/// the budget.
struct Measurement {
  std::vector<std::size_t> columns;
  std::vector<std::uint32_t> cells;  ///< one for each of the columns
  std::uint32_t parts = 0;
};

/// What the pairs of a forest are measured with, by the sizes of their tables: of all the parts a
/// share that grows as cells^(2/3), where the sum of all cells' deviations is least, and at least 1.
/// Each counts `times`, or once. The same on every machine.
[[nodiscard]] std::vector<std::uint32_t> forest_parts(std::uint32_t tree_parts,
                                                      std::span<const std::uint64_t> cells,
                                                      std::span<const double> times = {});

/// Whether a release of this design can have measured these columns and pairs, in their order, after
/// each column by itself, and each once more with `second_parts`. First come those of questions,
/// then a forest of pairs; the parts of both follow from their cells. Each later one has the parts of
/// a round, doubled any number of times. The last one takes what is left. All together have no more
/// parts than parts_of_model. Requires columns of the design. O(measurements columns).
[[nodiscard]] bool can_be_measured(const MarginalDesign& design,
                                   std::span<const Measurement> measured,
                                   std::uint32_t second_parts = 0);

/// Hands all questions on, and keeps what was measured.
class RecordedAnswers final : public MarginalAnswers {
 public:
  /// Both must outlive it.
  RecordedAnswers(MarginalAnswers& answers, const MarginalBudget& budget)
      : answers_(answers), budget_(budget) {}

  [[nodiscard]] const std::vector<MeasuredTable>& measured() const noexcept { return measured_; }
  [[nodiscard]] const std::optional<MeasuredProducts>& products() const noexcept {
    return products_;
  }

  [[nodiscard]] std::uint32_t left() const override { return answers_.left(); }
  [[nodiscard]] std::span<const Triple> triples() const override { return answers_.triples(); }
  std::vector<double> measure(const MarginalTable& table, std::uint32_t parts) override {
    std::vector<double> counts = answers_.measure(table, parts);
    const double deviation = budget_.deviation(parts);
    measured_.push_back({table.columns, table.groups, counts, deviation * deviation, parts});
    return counts;
  }
  std::vector<double> products(const CellScores& scores, std::uint32_t parts) override {
    std::vector<double> sums = answers_.products(scores, parts);
    const double deviation =
        budget_.deviation_of(budget_.product_noise(parts, scores.columns.size(), scores.steps));
    products_ = {scores.columns, sums, deviation * deviation, parts};
    return sums;
  }
  std::size_t choose(std::span<const MarginalCandidate> candidates, std::uint32_t parts) override {
    return answers_.choose(candidates, parts);
  }

 private:
  MarginalAnswers& answers_;
  const MarginalBudget& budget_;
  std::vector<MeasuredTable> measured_;
  std::optional<MeasuredProducts> products_;
};

}  // namespace mollify
