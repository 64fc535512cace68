// Reads public reference records.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "records/empirical.h"
#include "records/unit_records.h"
#include "space/domain.h"

namespace mollify {

/// The records of a **public** CSV file. Strict: the first value that is not as the domain declares
/// throws InvalidInput with file, line, column and value. Never call it with a private file.
/// Requires an enumerable domain.
[[nodiscard]] Empirical read_public_records(const std::string& path, const Domain& domain);

/// The same records as digits, a record after the other, for every domain. Bytes are as
/// LineReader's.
[[nodiscard]] std::vector<std::uint32_t> read_public_digits(
    const std::string& path, const Domain& domain,
    std::optional<std::string_view> bytes = std::nullopt);

/// The records of each unit of a public file, in no particular order of units. Strict in the same
/// way.
[[nodiscard]] UnitRecords read_public_units(const std::string& path, const Domain& domain,
                                            const std::string& unit_column);

/// True if both names lead to the same file, or to files with the same bytes: then a "public" file
/// is the private one. Files that cannot be read are not the same.
[[nodiscard]] bool same_file_or_content(const std::string& left, const std::string& right);
/// The same for a file, or a pipe, whose bytes were read.
[[nodiscard]] bool same_file_or_content(const std::string& left, std::string_view left_bytes,
                                        const std::string& right);

}  // namespace mollify
