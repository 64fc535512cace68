// Rows that have been released beside the table that they are of. NOT PRIVATE.
#pragma once

#include <string>
#include <vector>

#include "release/spec.h"

namespace mollify::cli {

/// What released rows are compared with: any release, of whatever model and family.
struct ReleasedRows {
  std::string data, released;
  /// Domain, unit and roster are read, and of Gaussian samples the logarithms.
  ReleaseSpec spec{};
  std::vector<std::string> logarithms{};
};

/// Prints columns, pairs of columns and means of both, and what chance alone leaves between a table
/// and so many rows drawn from it; where all columns are numbers of which no bins are declared,
/// their deviations, quantiles and correlations too. Numbers without declared bins are cut where
/// the data lie. The exit status. Throws InvalidInput for files and columns that are not there.
int compare_released(const ReleasedRows& asked, bool json);

}  // namespace mollify::cli
