// Released rows, held against their certificate and their domain.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "formats/csv.h"
#include "release/certificate.h"
#include "release/verification.h"

namespace mollify {

class Domain;

/// Throws InvalidInput if the table has a column that no release of the certificate has: it has the
/// domain's, and in method local those that name the unit. `table` and `certificate` name them in
/// the sentence.
void require_released_columns(std::span<const std::string> columns, const std::string& table,
                              const ReleaseSpec& spec, const Domain& domain,
                              const std::string& certificate);

/// Reads released rows, which are public: how many there are, whether each of their values is one
/// that the domain's release can write, and whether each row keeps every rule. Whether the
/// certificate is of this domain is not looked at. A Gaussian knows no bounds, so of its rows any
/// numbers will do, above 0 in columns that it took in logarithms.
///
/// Throws InvalidInput if the table lacks a column of the domain, or has others. `certificate`
/// names it. Bytes are as CsvReader's. Memory does not depend on the number of rows.
[[nodiscard]] ReleasedCheck check_released_rows(const StatedCertificate& stated,
                                                const std::string& certificate,
                                                const Domain& domain, const std::string& path,
                                                std::optional<TableBytes> bytes = std::nullopt);

}  // namespace mollify
