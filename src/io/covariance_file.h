// Reads a public covariance matrix.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "space/real_columns.h"

namespace mollify {

/// The covariance matrix of the columns, row by row in their order, from a CSV file whose header
/// names columns and whose rows come in the order of the header. An unnamed first column, which
/// labels the rows, is as other programs write it: the labels must be the header's names in its
/// order. Further columns and their rows are left out; of a column in logarithms the numbers are
/// those of the logarithm.
///
/// The file is **public**: the first thing that is not as it must be throws InvalidInput with file,
/// line and column. Whether the matrix is a covariance is Whitening's to judge.
/// Bytes are as LineReader's.
[[nodiscard]] std::vector<double> read_covariance(
    const std::string& path, const RealColumns& columns,
    std::optional<std::string_view> bytes = std::nullopt);

}  // namespace mollify
