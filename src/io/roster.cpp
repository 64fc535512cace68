#include "io/roster.h"

#include <fmt/format.h>

#include "io/csv_reader.h"
#include "kernel/core/invalid_input.h"

namespace mollify {

Roster read_roster(const std::string& path, const std::string& unit_column,
                   std::optional<std::string_view> bytes) {
  CsvReader csv(path, bytes);
  const std::size_t position = csv.position(unit_column,
                                            "which names the units (its first line must be a "
                                            "header; --units-column names another column)",
                                            CsvReader::Header::kTold);
  Roster units;
  while (csv.next()) {
    const auto refuse = [&](const std::string& what) {
      throw InvalidInput(fmt::format("{} line {} must {}", path, csv.line_number(), what));
    };
    if (csv.overlong()) {
      refuse(fmt::format("have at most {} bytes, but is longer", LineReader::kMaxLineBytes));
    }
    if (!csv.well_quoted()) refuse("have closed quotes, but holds a misplaced quote");
    if (csv.fields_in_line() != csv.header().size()) {
      refuse(fmt::format("have {} fields like the header, but has {}", csv.header().size(),
                         csv.fields_in_line()));
    }
    const std::string_view id = csv.fields()[position];
    if (id.empty()) refuse("name a unit, but its id is empty");
    if (!units.insert(id)) {
      refuse(fmt::format("name a new unit, but \"{}\" is already listed", id));
    }
  }
  if (units.size() == 0)
    throw InvalidInput(fmt::format("{} must list units, but lists none", path));
  return units;
}

}  // namespace mollify
