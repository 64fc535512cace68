#include "io/public_records.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <span>
#include <system_error>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "io/check.h"
#include "kernel/core/invalid_input.h"
#include "records/unit_ids.h"
#include "space/nearest_word.h"

namespace mollify {

namespace {

bool is_header(const CsvReader& csv) {
  return csv.fields_in_line() == csv.header().size() &&
         std::equal(csv.header().begin(), csv.header().end(), csv.fields().begin());
}

/// Whether the value would go to the domain's nearest one, were it private.
bool is_clipped(const Domain& domain, const Finding& finding) {
  const auto column = std::find_if(domain.columns().begin(), domain.columns().end(),
                                   [&](const Column& one) { return one.name() == finding.column; });
  return column != domain.columns().end() &&
         (is_numeric(column->cells()) || std::holds_alternative<DateCells>(column->cells())) &&
         !column->mapping().outside_value &&
         column->read(finding.value).verdict == Verdict::kOutside;
}

/// Passes each record to `take`, or refuses it.
template <class Take>
void read_strictly(const std::string& path, const Domain& domain, Take take,
                   const std::optional<std::string>& unit_column = std::nullopt,
                   std::optional<std::string_view> bytes = std::nullopt) {
  RecordReader records(path, domain, unit_column, bytes);
  bool any = false;
  while (records.next()) {
    if (records.csv().line().empty()) continue;
    any = true;
    check_record(records, nullptr, [&](const Finding& finding) {
      if (is_header(records.csv())) {
        throw InvalidInput(
            fmt::format("{} line {} is the header again: keep only the first one, as of files that "
                        "were joined",
                        path, finding.line));
      }
      const std::string place =
          finding.column.empty() ? "" : fmt::format(" column \"{}\"", finding.column);
      const std::string value =
          finding.column.empty() ? ""
                                 : fmt::format(", but is \"{}\"{}", finding.value,
                                               did_you_mean(domain, finding.column, finding.value));
      throw InvalidInput(
          fmt::format("{} line {}{} {}{}{}", path, finding.line, place, finding.expectation, value,
                      is_clipped(domain, finding) ? " (outside: clip is for private values)" : ""));
    });
    take(records);
  }
  if (!any) {
    throw InvalidInput(fmt::format("{} must hold at least one record, but holds none", path));
  }
}

}  // namespace

Empirical read_public_records(const std::string& path, const Domain& domain) {
  Tally<std::uint32_t> tally;
  read_strictly(path, domain, [&](const RecordReader& record) { tally.add(record.outcome()); });
  return Empirical(tally.take());
}

std::vector<std::uint32_t> read_public_digits(const std::string& path, const Domain& domain,
                                              std::optional<std::string_view> bytes) {
  std::vector<std::uint32_t> digits;
  const std::size_t columns = domain.columns().size();
  read_strictly(
      path, domain,
      [&](const RecordReader& record) {
        digits.resize(digits.size() + columns);
        record.read_digits(std::span(digits).last(columns));
      },
      std::nullopt, bytes);
  return digits;
}

UnitRecords read_public_units(const std::string& path, const Domain& domain,
                              const std::string& unit_column) {
  UnitRecords::Builder builder(domain.columns().size());
  StringIndex units;
  read_strictly(
      path, domain,
      [&](const RecordReader& record) {
        TextBuffer buffer;
        record.read_digits(builder.add(units.insert(id_text(record.unit(), buffer))));
      },
      unit_column);
  return std::move(builder).build(units.size());
}

bool same_file_or_content(const std::string& left, const std::string& right) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (fs::equivalent(left, right, error)) return true;
  // Only files can be compared by content: reading a pipe would take its data away.
  if (!fs::is_regular_file(left, error) || !fs::is_regular_file(right, error)) return false;
  const auto left_size = fs::file_size(left, error);
  if (error || left_size != fs::file_size(right, error) || error) return false;
  std::ifstream left_file(left, std::ios::binary);
  std::ifstream right_file(right, std::ios::binary);
  if (!left_file || !right_file) return false;
  using Bytes = std::istreambuf_iterator<char>;
  return std::equal(Bytes(left_file), Bytes(), Bytes(right_file), Bytes());
}

bool same_file_or_content(const std::string& left, std::string_view left_bytes,
                          const std::string& right) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (fs::equivalent(left, right, error)) return true;
  if (!fs::is_regular_file(right, error)) return false;
  if (fs::file_size(right, error) != left_bytes.size() || error) return false;
  std::ifstream file(right, std::ios::binary);
  if (!file) return false;
  return std::equal(left_bytes.begin(), left_bytes.end(), std::istreambuf_iterator<char>(file), {});
}

}  // namespace mollify
