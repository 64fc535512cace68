// What is worth knowing about a release and does not stand in its certificate, for people.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "release/release.h"
#include "space/domain.h"

namespace mollify {

/// From public facts alone.
struct ReleaseReport {
  /// How far each record's distribution may be from the data's: at worst in the local and the
  /// integral model, for any data in the central one, and of what all rows share what noise is
  /// expected to do. With a support that is found it is the whole domain's. None where the number
  /// of rows is protected.
  std::optional<double> total_variation{};
  std::string why{};  ///< why this mechanism and these parameters, in one sentence
  std::vector<std::string> notes{};
  std::vector<std::string> warnings{};
};

/// `domain` is the prepared release's own. Up to some seconds where a warning says what would do.
[[nodiscard]] ReleaseReport release_report(const PreparedRelease& prepared, const Domain& domain);

}  // namespace mollify
