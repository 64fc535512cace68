// Reads the private file.
#pragma once

#include "io/csv_source.h"
#include "records/private_table.h"

namespace mollify {

[[nodiscard]] inline Empirical read_table(const std::string& path, const Domain& domain) {
  return read_table(CsvSource(path), domain);
}

[[nodiscard]] inline std::vector<std::uint32_t> read_outcomes(const std::string& path,
                                                              const Domain& domain) {
  return read_outcomes(CsvSource(path), domain);
}

[[nodiscard]] inline UnitTable read_units(const std::string& path, const Domain& domain,
                                          const std::string& unit_column,
                                          const std::optional<StringIndex>& roster = std::nullopt) {
  return read_units(CsvSource(path), domain, unit_column, roster);
}

[[nodiscard]] inline std::vector<std::uint32_t> read_table_digits(const std::string& path,
                                                                  const Domain& domain,
                                                                  std::size_t most,
                                                                  SecureRandom& random) {
  return read_table_digits(CsvSource(path), domain, most, random);
}

[[nodiscard]] inline UnitRecords read_unit_digits(const std::string& path, const Domain& domain,
                                                  const std::string& unit_column,
                                                  const std::optional<StringIndex>& roster) {
  return read_unit_digits(CsvSource(path), domain, unit_column, roster);
}

}  // namespace mollify
