// The law of a central release beside the truth. NOT PRIVATE.
#pragma once

#include <string>

#include "release/spec.h"

namespace mollify::cli {

/// Compares a release of model central with the table that it is of; the exit status. The law is
/// exact where each record is a randomized response of one of the table's, else simulated by
/// releases whose number is told. Throws InvalidInput like a release, but for what that would ask
/// to be accepted.
int compare_central(const ReleaseSpec& spec, const std::string& data, bool json);

/// How far the law of a finite release's record is from the table's, in total variation; of a
/// Gaussian one as promised, from the Gaussian that the data are taken for.
double central_distance(const ReleaseSpec& spec, const std::string& data);

}  // namespace mollify::cli
