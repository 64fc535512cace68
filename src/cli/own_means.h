// The means of a table's own numbers, beside those of the bins they are counted in. NOT PRIVATE.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "records/source.h"
#include "records/unit_ids.h"
#include "space/domain.h"

namespace mollify::cli {

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

}  // namespace mollify::cli
