#include "base/answer.h"

#include <algorithm>
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

namespace {

/// The letters of a text in UTF-8.
std::size_t letters(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char byte) {
    return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U;
  }));
}

}  // namespace

std::string wrapped(std::string_view text, std::size_t width, std::size_t hang) {
  std::string made;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
    std::string now(indent, ' ');
    bool empty = true;
    for (line.remove_prefix(indent); !line.empty();) {
      const std::size_t space = std::min(line.find(' '), line.size());
      const std::string_view word = line.substr(0, space);
      line.remove_prefix(std::min(space + 1, line.size()));
      if (!empty && letters(now) + 1 + letters(word) > width) {
        made += now.substr(0, now.find_last_not_of(' ') + 1) + "\n";
        now.assign(indent + hang, ' ');
        empty = true;
      }
      if (!empty) now += ' ';
      now += word;
      empty = false;
    }
    made += (empty ? std::string() : now) + "\n";
  }
  return made;
}

std::string command_lines(const std::string& command, std::size_t indent) {
  std::string text(indent, ' ');
  std::size_t width = indent;
  for (std::size_t begin = 0; begin < command.size();) {
    const std::size_t end = std::min(command.find(" --", begin + 1), command.size());
    const std::string part = command.substr(begin, end - begin);
    // Room is left for the backslash.
    if (begin > 0 && width + part.size() + 2 > kLineWidth) {
      text += " \\\n" + std::string(indent + 1, ' ');
      width = indent + 1;
    }
    text += part;
    width += part.size();
    begin = end;
  }
  return text + "\n";
}

}  // namespace mollify
