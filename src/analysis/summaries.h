// Tables for people, with laws next to each other: shares, means, pairs of columns, points, and
// counts of replaced values. NOT PRIVATE.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "analysis/laws.h"
#include "base/answer.h"
#include "core/random.h"
#include "formats/check.h"
#include "records/source.h"
#include "records/units.h"
#include "release/spec.h"

namespace mollify {

class Column;
class Domain;
struct CellGroups;
struct Measurements;

// -----------------------------------------------------------------------------------------------
// How many values of private data a release takes for others.

/// By what a value becomes another one: nothing is declared; it is, for values to mend; or for
/// values that need no mending. Nulls may stay what they are.
enum class HowMapped { kDefault, kAsFound, kDeclared, kStays };

/// Values of one column that all become the same.
struct MappedValues {
  std::size_t place = 0;  ///< of the rule, and after all rules of the domain's column
  std::string column, becomes;
  bool are_nulls = false;
  std::string rule = {};  ///< instead of a column: the records that break it
  HowMapped how = HowMapped::kDefault;

  friend auto operator<=>(const MappedValues&, const MappedValues&) = default;
};

/// Collects them while a table is checked.
class MappedCounts {
 public:
  /// `domain` must outlive it.
  explicit MappedCounts(const Domain& domain);

  void see(const Finding& finding);
  /// Adds the nulls that a check has counted; `see` leaves them out.
  void add_nulls(const CheckCounts& counts);

  /// A line for each rule and column, in their order: "rule "a < b": 3 records break it", "age: 62 nulls
  /// become 40 (declared)". A last line counts the columns and
  /// rules beyond `most`.
  [[nodiscard]] std::string lines(
      std::uint64_t most = std::numeric_limits<std::uint64_t>::max()) const;
  [[nodiscard]] Json json() const;
  /// The columns with nulls that stay null, and how many.
  [[nodiscard]] Json nulls_json() const;

 private:
  const Domain& domain_;
  std::map<std::string, std::size_t, std::less<>> rules_, columns_;  // and their places
  std::map<MappedValues, std::uint64_t> counts_;
};

/// Whether there can be a second look at the data, which a source must know before the first.
[[nodiscard]] bool is_repeatable(const Source& data);

/// Those of a table; none of one that can be read only once.
[[nodiscard]] MappedCounts mapped_counts(const Source& data, const Domain& domain);

/// Adds what a comparison cannot show, because both of its sides have it: values that were taken
/// for others before anything was compared, and whose shares the shares are, in sentences. Warns of
/// columns that do not declare what becomes of other values.
void add_caveats(Answer& answer, const Domain& domain, const Source& data,
                 const std::vector<std::string>& represented);

// -----------------------------------------------------------------------------------------------
// The means of a table's own numbers, next to the means of their bins.

/// The effect of bins on a column of integers or numbers, before anything is released.
struct OwnMean {
  double mean = 0;       ///< of the numbers as the column reads them
  double deviation = 0;  ///< their standard deviation
  double in_bins = 0;    ///< the mean where each number is the middle of its bin
  bool has_bins = false;

  /// Whether the bins alone move the mean by more than a tenth of the standard deviation.
  [[nodiscard]] bool is_moved() const;
};

/// For each column of the domain; empty if it is not a number, if nothing is read of it, and for a
/// pipe, which has been read. Rows weigh alike, or as the source says; or with `unit` the rows of
/// each unit together weigh alike (of the roster, if there is one), unless `units_have_weights`:
/// then as they weigh, at most the source's greatest weight. Values outside, unreadable values and
/// nulls count as the column declares; a null category is left out. One pass; memory of five
/// numbers a column of each unit. Throws InvalidInput like a release.
[[nodiscard]] std::vector<std::optional<OwnMean>> own_means(
    const Source& source, const Domain& domain, const UnitColumns& unit,
    const std::optional<Roster>& roster = std::nullopt, bool units_have_weights = false);

/// Whether a released value may be another one of its bin: true of columns whose bins are declared,
/// or found by the release.
[[nodiscard]] bool has_bins(const Column& column);

/// "within the declared bins, " where any column has bins.
[[nodiscard]] std::string within_bins(const Domain& domain);

// -----------------------------------------------------------------------------------------------
// LawMoments, quantiles and shapes of a table of numbers.

/// "ln year1" for a column that is taken in logarithms.
[[nodiscard]] std::string coordinate_name(const RealColumns& columns, std::size_t column);

/// With quantiles.
[[nodiscard]] Json moments_json(const LawMoments& moments);

/// Points of two tables, and how far the others' shapes are from the first's: each column by itself,
/// in bins that hold equally many of the table's rows; two columns together, in the quartiles of
/// both, of the first kMostCompared columns. Ranks and pairs use 20 000 of the table's rows, if it
/// has more. No measure assumes that either table is Gaussian.
class ShapeComparison {
 public:
  static constexpr std::size_t kMostCompared = 100;

  ShapeComparison(const RealColumns& columns, std::span<const double> truth,
                  std::span<const double> other, SecureRandom& random);

  [[nodiscard]] const LawMoments& truth() const noexcept { return truth_; }
  [[nodiscard]] const LawMoments& other() const noexcept { return other_; }
  /// Whether a column is further off than chance and a coarse eye allow.
  [[nodiscard]] bool has_other_shape() const;

  /// Two tables: each column's mean, deviation and quantiles, with their differences in the
  /// column's units and in the table's standard deviations; and pairs of columns, next to
  /// independent columns. `name` names the other points: "law".
  [[nodiscard]] std::string text(const char* name) const;
  /// What these say, in sentences, a line each.
  [[nodiscard]] std::string verdict() const;
  [[nodiscard]] Json json(const char* name) const;

 private:
  [[nodiscard]] double in_units(std::size_t column, double coordinate) const;
  /// The quantile that is furthest off, in deviations: its place.
  [[nodiscard]] std::size_t worst_quantile(std::size_t column) const;
  [[nodiscard]] double deviations_off(std::size_t column, std::size_t quantile) const;
  [[nodiscard]] std::size_t worst_column() const;
  [[nodiscard]] std::string pairs_text(const char* name) const;

  const RealColumns& columns_;
  LawMoments truth_, other_;
  std::vector<double> column_tv_;
  double column_chance_ = 0;  ///< of two samples of one distribution with as many rows, at most
  std::vector<std::pair<std::size_t, std::size_t>> pairs_;  ///< of the compared columns
  std::vector<std::size_t> places_;                         ///< of these among all pairs
  std::vector<double> ranks_, other_ranks_;                 ///< Spearman's correlations
  LawDistances off_,
      independent_;  ///< of the others, and of the table's own columns, made independent
  double pair_chance_ = 0;
};

/// For each column that is not taken in logarithms, whose values are all positive and whose mean is
/// far above its median (skewness above 2), a sentence: "meals looks log-normal (mean 276, median
/// 31): try --log meals". `rows` are whole rows of the columns' coordinates.
[[nodiscard]] std::vector<std::string> log_normal_notes(const RealColumns& columns,
                                                        std::span<const double> rows);

// -----------------------------------------------------------------------------------------------
// Laws over a domain: levels, pairs of columns, means.

/// A level of a column as it is written; a cell of several values by its least and its greatest.
std::string level_text(const Column& column, std::uint32_t level);

/// A table's heading for what JSON calls "truth" (the real data) or "law" (the output
/// distribution); any other name as it is.
std::string heading_of(std::string_view name);

/// How often each level of each column occurs in rows: [{"name", "levels": [TEXT, ...], "counts":
/// [...], "others": {"levels", "count"}}, ...]. Of a column with more than 40 levels that lie in an
/// order it is 16 groups of about equally many, a spike by itself; of words the 1000 most frequent,
/// and others together.
[[nodiscard]] Json level_counts(const Domain& domain, const Source& rows);

/// Noisy counts, a row for each, as parallel lists.
struct MeasuredCounts {
  std::vector<std::size_t> table{};    ///< place of its table among the measurements
  std::vector<std::string> columns{};  ///< "age, ward"
  /// "10..19, north": the level of each column, or several that were counted together, as
  /// "north or east".
  std::vector<std::string> cells{};
  std::vector<double> count{};               ///< in rows, in units or in declared weight
  std::vector<double> standard_deviation{};  ///< of its noise
};

/// The counts of all tables, in their order.
[[nodiscard]] MeasuredCounts measured_counts(const Measurements& measurements,
                                             const Domain& domain);

/// A level's value in a mean, the middle of a cell; empty if it is not a number.
std::optional<double> number_of_level(const Column& column, std::uint32_t level);

/// Throws InvalidInput if the columns' pairs have more cells than can be counted.
void require_countable_pairs(const Domain& domain);

/// Adds the shares of each column's levels under each law, means of numbers, the table's own means
/// with them (`own`, of each column; `of_second` those of the second law's table, where it is one),
/// and how far the two-way marginals of each are from those of the first. Returns these distances.
/// Requires two laws or more.
ComparedLaws add_marginals(Answer& answer, const Domain& domain, std::span<const NamedLaw> laws,
                           std::span<const std::optional<OwnMean>> own,
                           std::span<const std::optional<OwnMean>> of_second = {});

/// Over all outcomes of a domain: the truth, the law that is released from, and another to compare
/// with.
struct OutcomeLaws {
  std::vector<double> truth{}, law{}, other{};
  const char* other_name;  ///< "uniform" or "reference"
};

/// Adds marginals, caveats, and divergences of the truth from both laws.
void add_outcome_laws(Answer& answer, const OutcomeLaws& laws, const Domain& domain,
                      const Source& data, const ReleaseSpec& spec,
                      const std::optional<Roster>& roster);

}  // namespace mollify
