// Every value of private data that its domain does not declare, for the data holder. NOT PRIVATE.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/answer.h"
#include "domain/domain.h"
#include "formats/check.h"
#include "formats/public_files.h"
#include "release/spec.h"

namespace mollify {

/// Files by their names, or by the names of texts in memory.
struct CheckQuestion {
  Domain domain;
  std::string data{};
  UnitColumns unit{};                     ///< the columns that name units
  std::optional<PublicFile> roster{};     ///< all of them; then `unit` is there too
  UnitColumns units_column{};             ///< of the roster; none: as `unit` is called
  CheckedAmounts amounts{};               ///< what a row counts as
  std::vector<std::string> references{};  ///< public files that must not be made of the data
  /// Most findings to list. None: 1000, and 40 for people.
  std::optional<std::uint64_t> most{};
};

/// The parts of such a question, without the domain and the data, which are handed over beside it;
/// and the question that a JSON object of these parts asks. Its refusals are worded as PartReader's.
[[nodiscard]] std::span<const Part> check_parts();
[[nodiscard]] CheckQuestion check_question_of(const Json& json, const std::string& name,
                                              Domain domain, std::string data);

/// The values that a release silently maps, line by line, and the records that public files share
/// with the data. The data are as the domain declares if and only if the fact "findings" is 0.
/// Throws InvalidInput for a wrong public input.
[[nodiscard]] Answer check(const CheckQuestion& question, const PublicFiles& files);

}  // namespace mollify
