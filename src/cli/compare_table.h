// What compare computes of local and central releases.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "release/local_release.h"
#include "release/spec.h"

namespace mollify::cli {

// -----------------------------------------------------------------------------------------------
// The law of a central release beside the truth. NOT PRIVATE.

/// Compares a release of method central with the table that it is of; the exit status. The law is
/// exact where each record is a randomized response of one of the table's, else simulated by
/// releases whose number is told. Throws InvalidInput like a release, but for what that would ask
/// to be accepted.
int compare_central(const ReleaseSpec& spec, const std::string& data, bool json);

/// How far the law of a finite release's record is from the table's, in total variation; of a
/// Gaussian one as promised, from the Gaussian that the data are taken for.
double central_distance(const ReleaseSpec& spec, const std::string& data);

// -----------------------------------------------------------------------------------------------
// A simulated release of one model, all of whose rows are drawn from it, beside the truth. NOT
// PRIVATE.

/// Of method marginals and of method integral-model. Draws one release, which is neither kept nor
/// charged, of as many rows as there are rows or units, or of the spec's count where that is more,
/// and prints columns and pairs of columns beside the table's, and beside independent columns; the
/// exit status. Throws InvalidInput like a release.
int compare_marginals(const ReleaseSpec& spec, const std::string& data, bool json);

/// The mean total variation of two columns together between such a release and the table.
double marginals_distance(const ReleaseSpec& spec, const std::string& data);

// -----------------------------------------------------------------------------------------------
// compare, where outcomes are points: too many to list, so they are summarised.

/// Prints means, correlations and two-way marginals of the units' records, of the records they
/// release (the mean of their exact laws, so without any noise of drawing), of the reference, and
/// of uniform records. `file` is where the data are
/// from. NOT PRIVATE. Returns the exit status.
int compare_points(const LocalRelease& release, const Source& data, const std::string& file,
                   bool json);

/// For the data holder, who alone may be told what a private file lacks: throws InvalidInput.
[[noreturn]] void refuse_nothing_to_compare(std::string_view data);

// -----------------------------------------------------------------------------------------------
// Rows that have been released beside the table that they are of. NOT PRIVATE.

/// What released rows are compared with: any release, by whatever method.
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
