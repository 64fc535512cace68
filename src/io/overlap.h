// What a public file has in common with the private one, for the data holder. NOT PRIVATE.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace mollify {

/// The records that two CSV files share, in the columns that both have.
struct Overlap {
  std::vector<std::string> columns;  ///< that both have
  std::uint64_t records = 0;         ///< of the public file
  std::uint64_t shared = 0;          ///< of these, how many the private file has too
};

/// Counts records as often as they are in both files: a copy shares all of its records, and so does
/// the private file less its last row. Records of few possible values are shared by chance. Fields
/// are compared byte for byte; without a column in common nothing is shared.
///
/// A release never asks this, because a refusal would tell of private records. Memory in proportion
/// to the public file. Throws InvalidInput for a file that cannot be opened or has no header.
[[nodiscard]] Overlap overlap_of(const std::string& public_file, const std::string& private_file);

}  // namespace mollify
