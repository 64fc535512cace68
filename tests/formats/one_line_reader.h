// The rows of a CSV file, found in the plainest way.
#pragma once

#include <csv.h>

#include <string>
#include <string_view>
#include <vector>

namespace mollify::test {

/// The records below the header of a file of `columns` columns, more than one: cut at line feeds
/// letter by letter, and every line, with or without quotes, by libcsv.
inline std::vector<std::vector<std::string>> rows_letter_by_letter(std::string_view bytes,
                                                                   std::size_t columns) {
  if (bytes.substr(0, 3) == "\xef\xbb\xbf") bytes.remove_prefix(3);
  std::vector<std::string> lines(1);
  for (const char letter : bytes) {
    if (letter != '\n') {
      lines.back() += letter;
      continue;
    }
    if (lines.back().ends_with('\r')) lines.back().pop_back();
    lines.emplace_back();
  }
  if (lines.back().empty()) lines.pop_back();
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    csv_parser parser{};
    csv_init(&parser, 0);
    csv_set_space_func(&parser, [](unsigned char) { return 0; });
    csv_set_term_func(&parser, [](unsigned char) { return 0; });
    std::vector<std::string>& row = rows.emplace_back();
    const auto take = [](void* field, std::size_t size, void* to) {
      static_cast<std::vector<std::string>*>(to)->emplace_back(static_cast<char*>(field), size);
    };
    csv_parse(&parser, lines[i].data(), lines[i].size(), take, nullptr, &row);
    csv_fini(&parser, take, nullptr, &row);
    csv_free(&parser);
    row.resize(columns);
  }
  return rows;
}

}  // namespace mollify::test
