#include "io/covariance_file.h"

#include <cmath>
#include <cstddef>

#include <fmt/format.h>

#include "io/csv_reader.h"
#include "kernel/core/invalid_input.h"
#include "space/field_text.h"

namespace mollify {
namespace {

double entry(const CsvReader& csv, std::size_t field) {
  const std::string_view text = csv.fields()[field];
  const auto number = read_number(text);
  if (!number || !std::isfinite(*number)) {
    throw InvalidInput(
        fmt::format("{} line {} must hold a finite number in column \"{}\", but it "
                    "is \"{}\"",
                    csv.path(), csv.line_number(), csv.header()[field], text));
  }
  return *number;
}

}  // namespace

std::vector<double> read_covariance(const std::string& path, const RealColumns& columns,
                                    std::optional<std::string_view> bytes) {
  CsvReader csv(path, bytes);
  const bool has_labels = csv.header().front().empty();
  const std::size_t offset = has_labels ? 1 : 0;
  const std::size_t rows = csv.header().size() - offset;
  std::vector<std::size_t> positions;  // of the columns in the header
  for (std::size_t i = 0; i < columns.size(); ++i) {
    positions.push_back(csv.position(columns.name(i), "whose covariance is needed"));
  }
  std::vector<double> matrix(columns.size() * columns.size());
  std::size_t row = 0;
  for (; csv.next(); ++row) {
    if (row == rows) {
      throw InvalidInput(
          fmt::format("{} must have {} rows like its columns, but has more", path, rows));
    }
    if (csv.fields_in_line() != csv.header().size()) {
      throw InvalidInput(fmt::format("{} line {} must have {} fields like the header, but has {}",
                                     path, csv.line_number(), csv.header().size(),
                                     csv.fields_in_line()));
    }
    const std::string& name = csv.header()[row + offset];
    if (has_labels && csv.fields().front() != name) {
      throw InvalidInput(
          fmt::format("{} line {} must be labelled \"{}\" like the header, but is "
                      "\"{}\"",
                      path, csv.line_number(), name, csv.fields().front()));
    }
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (positions[i] != row + offset) continue;
      for (std::size_t j = 0; j < columns.size(); ++j) {
        matrix[i * columns.size() + j] = entry(csv, positions[j]);
      }
    }
  }
  if (row < rows) {
    throw InvalidInput(
        fmt::format("{} must have {} rows like its columns, but has {}", path, rows, row));
  }
  return matrix;
}

}  // namespace mollify
