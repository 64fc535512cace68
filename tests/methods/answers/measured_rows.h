// Measurements of rows that tests make up.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "domain/column.h"
#include "domain/domain.h"
#include "formats/domain_yaml.h"
#include "methods/answers/answers.h"
#include "methods/graphical/measurements.h"

namespace mollify::test {

/// Every one of these cells by itself.
inline CellGroups each_cell(std::uint32_t count) {
  CellGroups groups{{}, count};
  for (std::uint32_t cell = 0; cell < count; ++cell) groups.of.push_back(cell);
  return groups;
}

/// Rows of cells, a vector for each row.
using Rows = std::vector<std::vector<std::uint32_t>>;

/// The exact counts of some columns in these groups; `variance` is what they claim to have.
inline MeasuredTable table_of(const Rows& rows, std::vector<std::size_t> columns,
                              std::vector<CellGroups> groups, double variance) {
  MeasuredTable table{std::move(columns), std::move(groups), {}, variance, 1};
  std::size_t cells = 1;
  for (const CellGroups& one : table.groups) cells *= one.count;
  table.counts.resize(cells);
  for (const auto& row : rows) {
    std::size_t cell = 0;
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      cell = cell * table.groups[i].count + table.groups[i].of[row[table.columns[i]]];
    }
    ++table.counts[cell];
  }
  return table;
}

/// All columns and all pairs of them, each cell by itself, with exact counts.
inline Measurements all_pairs_of(const Rows& rows, const Domain& domain, double variance = 1e-9) {
  Measurements made{.noise = "none", .records = static_cast<double>(rows.size())};
  const std::size_t columns = domain.columns().size();
  const auto cells = [&](std::size_t column) { return each_cell(domain.columns()[column].size()); };
  for (std::size_t i = 0; i < columns; ++i) {
    made.tables.push_back(table_of(rows, {i}, {cells(i)}, variance));
    for (std::size_t j = i + 1; j < columns; ++j) {
      made.tables.push_back(table_of(rows, {i, j}, {cells(i), cells(j)}, variance));
    }
  }
  return made;
}

/// Normal noise of each table's variance in all counts.
inline Measurements with_noise(Measurements measurements, std::mt19937_64& random) {
  for (MeasuredTable& table : measurements.tables) {
    std::normal_distribution<double> noise(0, std::sqrt(table.variance));
    for (double& count : table.counts) count += noise(random);
  }
  return measurements;
}

inline Json answers_to(const Measurements& measurements, const Domain& domain,
                       const std::string& question) {
  return answer_question(measurements, domain, parse_question(question)).json;
}

/// The answer of this name and group, or null.
inline Json answer_of(const Json& answer, const std::string& of, const std::string& group = "",
                      const char* part = "answers") {
  for (const Json& one : answer[part]) {
    if (one["of"] == of && one.value("group", "") == group) return one;
  }
  return nullptr;
}

}  // namespace mollify::test
