// Weights of rows, on a public grid.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/decimals.h"
#include "records/source.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// What is public about weights.

/// The declaration of a column of weights. A row is one person, or one of a unit's rows, whose
/// record counts as its weight. The declaration is public; each weight, and the sum of all of them,
/// is private.
///
/// Weights are counted in steps of a public grid, as integers from 0 to `steps()`: the nearest
/// step to the weight, and `steps()` for a weight above the greatest one.
struct WeightColumn {
  std::string column{};
  /// The most that a row counts, and where units are protected, all rows of a unit together.
  Decimal greatest{};
  Decimal step{};     ///< of the grid; 0: as `grid` finds it
  Decimal invalid{};  ///< of a row whose weight is missing, negative or not a number
  /// Of a row, or of a unit, as errors are stated for; 0: as `supposed_mean` finds it.
  Decimal mean{};

  /// The most steps of a grid: of finer ones the noise would be out of the kernel's range.
  static constexpr std::uint64_t kMostSteps = 100'000;

  /// Throws InvalidInput for numbers that contradict each other, and unless the greatest weight is
  /// on the grid.
  void validate() const;

  /// The greatest weight, in the nearest double.
  [[nodiscard]] double most() const;
  /// The step, or else the greatest power of ten of at most a thousandth of the greatest weight; as
  /// a double it is the grid.
  [[nodiscard]] Decimal exact_step() const;
  [[nodiscard]] double grid() const;
  /// The greatest weight in steps, at least 1.
  [[nodiscard]] std::uint64_t steps() const;
  /// The mean weight, or else 1, or half of the greatest weight if that is less.
  [[nodiscard]] double supposed_mean() const;
  /// The condition of stated errors, to end a sentence: ", if the mean weight is 1".
  [[nodiscard]] std::string supposition() const;
  /// The number of rows, or units, of the greatest weight that weigh as much as `rows` of the mean
  /// weight; at least 1.
  [[nodiscard]] std::uint64_t effective(std::uint64_t rows) const;

  friend bool operator==(const WeightColumn&, const WeightColumn&) = default;
};

/// The weight that a value states: `1.25`, `2`, `1e3` and `1,000.5`, as tables are written. Empty
/// for a null, a negative number, an infinite one and a value that is not a number.
[[nodiscard]] std::optional<double> read_weight(const Value& value) noexcept;

// -----------------------------------------------------------------------------------------------
// A table whose rows have weights.

/// A table with the weight of each row, in steps. It has the table's rows, as many as there were.
///
/// Total: whatever the column holds, each row has an integer from 0 to `steps()`, which depends on
/// this row alone.
class WeightedSource final : public AmountSource {
 public:
  /// `table` must outlive it. Throws InvalidInput unless it has the column, once, and each of its
  /// rows is one record.
  WeightedSource(const Source& table, WeightColumn weights);

  [[nodiscard]] std::optional<RowWeights> weights() const noexcept override {
    return RowWeights{place_, most_};
  }
  void visit(std::span<const std::size_t> wanted,
             const std::function<void(const Block&)>& take) const override;
  void visit_by(std::span<const std::size_t> wanted,
                const std::function<std::unique_ptr<BlockWorker>()>& make_worker) const override;
  [[nodiscard]] std::uint64_t record_count() const override { return table().record_count(); }

  /// The steps of a value.
  [[nodiscard]] std::uint64_t steps_of(const Value& value) const noexcept;

 private:
  [[nodiscard]] std::vector<std::size_t> with_weights(std::span<const std::size_t> wanted) const;

  WeightColumn weights_;
  std::size_t place_;
  std::uint64_t most_;
  double grid_, invalid_;
};

/// A table as a release counts it: with the weights that are declared, if any are, unless it has
/// weights already.
class CountedTable {
 public:
  /// `table` must outlive it. Throws InvalidInput as WeightedSource.
  CountedTable(const Source& table, const std::optional<WeightColumn>& weights);

  [[nodiscard]] const Source& operator*() const noexcept {
    return weighted_ ? static_cast<const Source&>(*weighted_) : table_;
  }

 private:
  const Source& table_;
  std::optional<WeightedSource> weighted_;
};

/// Shares out a bounded weight. Requires a weight of at most 2^63 / most each.
///
/// Each of the weights becomes an integer from 0 on; they become their own sum in all, or `most`
/// if that is less. Above it, weight i becomes floor(C_i most / S) - floor(C_(i-1) most / S), C_i
/// the sum of the first i weights and S of all of them.
///
/// Theorem. The results sum to min(S, most). Proof. The sum telescopes to floor(S most / S) = most.
/// QED
[[nodiscard]] std::vector<std::uint64_t> bounded_weights(std::span<const std::uint64_t> weights,
                                                         std::uint64_t most);

}  // namespace mollify
