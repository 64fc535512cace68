// Noisy counts of a table, as they are published with its model.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "methods/graphical/table_model.h"

namespace mollify {

class Domain;

/// Noisy counts of the cells of one column or of several columns together.
struct MeasuredTable {
  std::vector<std::size_t> columns;  ///< ascending
  std::vector<CellGroups> groups;    ///< of each of them, of all of its cells
  std::vector<double> counts;        ///< row-major, in Measurements::step; mollify's are whole
  double variance = 0;               ///< of the noise of each count, independent of all others'
  std::uint32_t parts = 0;           ///< of the release's budget; 0 if another program measured

  friend bool operator==(const MeasuredTable&, const MeasuredTable&) = default;
};

/// Noisy sums over records of the product of two columns' scores, of all pairs of columns (0, 1),
/// (0, 2), ...
struct MeasuredProducts {
  std::vector<std::vector<std::int64_t>> scores;  ///< of each column's cells
  std::vector<double> sums;
  double variance = 0;
  std::uint32_t parts = 0;

  friend bool operator==(const MeasuredProducts&, const MeasuredProducts&) = default;
};

/// How far the released rows are from the table, with noise, of all pairs of some columns together:
/// the sum over a pair's cells of |count - c|, c the rows' count brought to the table's weight.
struct MeasuredDistances {
  std::vector<std::size_t> columns{};  ///< ascending, two or more
  std::uint64_t rows = 1;              ///< released
  std::uint64_t weight = 1;            ///< of the table, in Measurements::step
  std::vector<double> sums{};          ///< of each pair (0, 1), (0, 2), ..., or one of all pairs
  double variance = 0;                 ///< of the noise of each sum
  std::uint32_t parts = 0;

  [[nodiscard]] std::size_t pairs() const { return columns.size() * (columns.size() - 1) / 2; }

  /// Total variation on average over the pairs, between 0 and 1, and its interval of 95 %.
  /// `is_laplace`: of the noise of one sum.
  struct Mean {
    double mean, least, most;
  };
  [[nodiscard]] Mean mean(bool is_laplace) const;
  /// An upper bound for each pair, which holds with 95 %; empty if only the sum of several is known.
  [[nodiscard]] std::vector<double> greatest(bool is_laplace) const;

  friend bool operator==(const MeasuredDistances&, const MeasuredDistances&) = default;
};

/// Every noisy answer that a release paid for, in the order of its questions. The model is made of
/// them. Public, like the model. Which tables were asked for was chosen privately and
/// paid for, too.
struct Measurements {
  std::string noise;      ///< mollify's is "discrete-gaussian" or "discrete-laplace"
  double step = 1;        ///< the amount of a count of 1, in rows, in units, or in declared weight
  bool weighted = false;  ///< whether rows have declared weights, which counts are sums of
  /// The public number of rows or units, or their supposed total weight; none where it is
  /// protected.
  std::optional<double> records{};
  std::vector<MeasuredTable> tables{};
  std::optional<MeasuredProducts> products{};
  std::optional<MeasuredDistances> error{};
  /// How far columns would be that have the released rows' shares and are independent.
  std::optional<MeasuredDistances> independent{};

  /// Whether an error was measured that is not certainly below the one of independent columns: with
  /// 95 %, a table for which this is false is nearer.
  [[nodiscard]] bool may_be_independent() const;

  /// Pairs of columns that no table has together; none with products, because they are of all
  /// pairs.
  [[nodiscard]] std::vector<std::pair<std::size_t, std::size_t>> not_measured(
      std::size_t columns) const;

  friend bool operator==(const Measurements&, const Measurements&) = default;
};

/// {"noise", "step", "weighted", "records", "tables": [{"columns": names, "at", "groups", "counts",
/// "variance", "parts"}], "products", "error", "independent",
/// "not_measured": pairs of names}. Groups are null if every
/// cell is by itself, and otherwise runs of cells, [group, number of cells].
[[nodiscard]] nlohmann::ordered_json measurements_json(const Measurements& measurements,
                                                       const Domain& domain);

/// What measurements_json wrote about this domain, or another program did: then "at", "groups",
/// "parts", "noise" and "step" may be missing, columns may be in any order, and counts do not have
/// to be whole. Other members are ignored. Throws InvalidInput, in one sentence that begins with
/// `name` and says which member is wrong, for anything else.
[[nodiscard]] Measurements measurements_from_json(const nlohmann::ordered_json& json,
                                                  const Domain& domain, const std::string& name);

}  // namespace mollify
