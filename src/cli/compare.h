// mollify compare.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "accounting/privacy.h"
#include "base/json.h"
#include "cli/check.h"
#include "cli/main.h"
#include "domain/domain.h"
#include "records/source.h"
#include "records/units.h"
#include "release/certificate.h"
#include "release/spec.h"

namespace mollify::cli {

// -----------------------------------------------------------------------------------------------
// What stands above every verdict of compare. NOT PRIVATE.

/// What the comparison cannot show, because both of its sides have it: values that were taken for
/// others before anything was compared, and whose shares the shares are.
struct CompareCaveats {
  MappedCounts mapped;
  std::vector<std::string> represented;

  void print() const;
  void add_to(Json& result) const;
};

[[nodiscard]] CompareCaveats compare_caveats(const ReleaseSpec& spec, const Domain& domain,
                                             const std::string& data);

// -----------------------------------------------------------------------------------------------
// The means of a table's own numbers, beside those of the bins they are counted in. NOT PRIVATE.

/// What bins do to a column of integers or numbers, before anything is released.
struct OwnMean {
  double mean = 0;       ///< of the numbers as the column reads them
  double deviation = 0;  ///< their standard deviation
  double in_bins = 0;    ///< the mean where each number is the middle of its bin
  bool has_bins = false;

  /// Whether the bins alone move the mean by more than a tenth of the standard deviation.
  [[nodiscard]] bool is_moved() const;
};

/// Of each column of the domain; none of what is no number, of which nothing is read, or of a pipe,
/// which has been read. Rows weigh alike, or with `unit` the rows of a unit together as much as
/// those of any other (of the roster, if there is one). What is outside, unreadable or null counts
/// as the column declares; a null category is left out. One pass; memory of five numbers a column
/// of each unit. Throws InvalidInput like a release.
[[nodiscard]] std::vector<std::optional<OwnMean>> own_means(
    const Source& source, const Domain& domain, const std::optional<std::string>& unit,
    const std::optional<Roster>& roster = std::nullopt);

/// Whether a released value may be another one of its bin: true of columns whose bins are declared,
/// or found by the release.
[[nodiscard]] bool has_bins(const Column& column);

/// "within the declared bins, " where any column has bins.
[[nodiscard]] std::string within_bins(const Domain& domain);

// -----------------------------------------------------------------------------------------------
// Means, deviations, quantiles and correlations of a table of numbers. NOT PRIVATE.

/// Of points, in the coordinates of their columns.
struct PointSummary {
  std::vector<double> means, deviations, low, middle, high;
  std::vector<double> correlations;  ///< of each pair of columns
};

/// Requires a row at least; rows lie end to end.
[[nodiscard]] PointSummary summary_of_points(std::span<const double> points, std::size_t dimension);

/// "ln year1" for a column that is taken in logarithms.
[[nodiscard]] std::string coordinate_name(const RealColumns& columns, std::size_t column);

/// A table of two of them, the second under the name `other`.
void print_point_summaries(const RealColumns& columns, const PointSummary& truth,
                           const PointSummary& summary, const char* other);
[[nodiscard]] Json point_summary_json(const PointSummary& summary);

// -----------------------------------------------------------------------------------------------
// How guarantees and divergences are written, for people and for programs.

/// A line for each sentence of what a release promises, and of what it does not.
std::string promise_lines(const std::vector<std::string>& promises,
                          const std::vector<std::string>& limits);

}  // namespace mollify::cli
