// Strict validation of a private file, for the data holder. NOT PRIVATE.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "domain/column.h"
#include "formats/csv.h"
#include "records/units.h"
#include "records/weights.h"

namespace mollify {

class Domain;

/// One place at which a file is not what its domain declares. The texts are valid only during the
/// call that reports the finding.
struct Finding {
  std::uint64_t line;
  std::string_view column;       ///< empty if the finding is about the whole line
  std::string_view value;        ///< the field's text; empty if the finding is about the line
  std::string_view expectation;  ///< "must be an integer from 0 to 100", to follow the place
  /// The field's replacement in a release: a declared value, as the domain writes it, or else the
  /// outcome's text.
  std::string becomes{};
  bool by_default = false;  ///< since nothing is declared for such a value
  /// A number, day or time beyond a bound, for which the domain declares a replacement: listed, but
  /// nothing to mend, and not counted among the findings.
  bool is_declared = false;
  /// The rule that the record breaks, by its name; `becomes` says which columns change.
  std::string rule{};
};

/// What an outcome of a column represents: "f", "null", "from 0 to 9".
[[nodiscard]] std::string outcome_text(const Column& column, std::uint32_t outcome);

/// The fault of a value, without its line, its text and the expectation; empty if it is a value of
/// the column, or a declared null.
[[nodiscard]] std::optional<Finding> finding_of(const Column& column, const Value& value);

/// A null's replacement in a release, in a finding's words.
[[nodiscard]] std::string null_text(const Column& column);

/// Of a record, a value for each of the domain's columns, the rules that it breaks, and the changes in a release.
[[nodiscard]] std::vector<Finding> broken_rules(const Domain& domain,
                                                std::span<const Value> record);

using FindingReport = std::function<void(const Finding&)>;

/// The results of a check.
struct CheckCounts {
  std::uint64_t records = 0;
  std::uint64_t records_with_findings = 0;
  std::uint64_t findings = 0;
  /// Number of nulls for each column of the domain. They become its declared value, or stay null.
  std::vector<std::uint64_t> nulls{};
  /// Number of units of the roster that have records.
  std::uint64_t roster_units = 0;
  /// Number of records whose id is missing, in any column of the unit: a release leaves them out.
  std::uint64_t without_unit = 0;
};

/// Reports every place of the reader's current line which is not as declared, that is, every
/// place a release would map: values outside the domain or not of the column's type, nulls where
/// none are declared, rules that the record breaks, lines with too few or too many fields, misplaced or unclosed quotes, bytes
/// that are not UTF-8, lines that are too long, and ids that are missing or not in the roster.
/// Returns the number of findings; none if and only if every field is a value of its column, a
/// declared null, or beyond a bound where `outside` is declared. `places` are as wanted_columns
/// finds them.
std::uint64_t check_record(const CsvReader& csv, const Domain& domain,
                           std::span<const std::size_t> places, const Roster* roster,
                           const FindingReport& report);

/// Reports the field at a place of a row's count, unless it is a whole number from 0 to 2^40. Returns the number of
/// findings.
std::uint64_t check_count(const CsvReader& csv, std::size_t place, const FindingReport& report);

/// The column that says what each row counts as.
struct CheckedAmounts {
  std::optional<std::string> counts{};  ///< with a number of records
  std::optional<WeightColumn> weights{};
};

/// Checks a whole file in bounded memory; an empty line is a record, and one finding. In the column
/// of counts or weights it reports values that are not counts or weights, or too great. Throws InvalidInput like
/// wanted_columns. Bytes are as LineReader's.
CheckCounts check_table(const std::string& path, const Domain& domain, const UnitColumns& unit,
                        const std::optional<Roster>& roster, const FindingReport& report,
                        const CheckedAmounts& amounts = {},
                        std::optional<TableBytes> bytes = std::nullopt);

}  // namespace mollify
