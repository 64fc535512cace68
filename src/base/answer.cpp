#include "base/answer.h"

#include <cstdlib>

#include <fmt/format.h>

namespace mollify {

namespace {

std::string cell_text(const TableColumn& column, const Json& row) {
  const Json::json_pointer place(column.place);
  if (column.place.empty() || !row.contains(place)) return "";
  const Json& fact = row[place];
  if (fact.is_null()) return "-";
  if (fact.is_string()) return fact.get<std::string>();
  return fmt::format(fmt::runtime(fmt::format("{{:{}}}", column.format)), fact.get<double>());
}

template <class Text>
std::string line_of(std::span<const TableColumn> columns, Text text) {
  std::string line;
  for (const TableColumn& column : columns) {
    const std::string cell = text(column);
    if (column.width < 0) line += fmt::format("{:<{}}", cell, -column.width);
    if (column.width == 0) line += cell;
    if (column.width > 0) line += fmt::format(" {:>{}}", cell, column.width - 1);
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

}  // namespace

std::string Answer::facts() const {
  if (!outcomes) return json_text(json);
  Json all = json;
  all["outcomes"] = outcomes();
  return json_text(all);
}

std::string table_text(std::span<const TableColumn> columns, const Json& rows) {
  std::string text = line_of(columns, [](const TableColumn& one) { return one.heading; });
  for (const Json& row : rows) {
    text += line_of(columns, [&](const TableColumn& one) { return cell_text(one, row); });
  }
  return text;
}

}  // namespace mollify
