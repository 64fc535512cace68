#include "io/csv_writer.h"

#include <csv.h>

#include <algorithm>
#include <cstddef>

namespace mollify {
namespace {

bool needs_quotes(std::string_view field) {
  if (field.empty()) return false;
  // A first field that starts like a byte order mark would lose it when the file is read.
  if (field.front() == ' ' || field.back() == ' ' || field.starts_with("\xef\xbb\xbf")) return true;
  return std::any_of(field.begin(), field.end(), [](char c) {
    return c == ',' || c == '"' || c == '\n' || c == '\r' || c == '\t';
  });
}

void append_field(std::string_view field, std::string& csv) {
  if (!needs_quotes(field)) {
    csv += field;
    return;
  }
  const std::size_t begin = csv.size();
  csv.resize(begin + csv_write(nullptr, 0, field.data(), field.size()));
  csv_write(csv.data() + begin, csv.size() - begin, field.data(), field.size());
}

}  // namespace

void append_csv_record(std::span<const std::string> fields, std::string& csv) {
  if (fields.size() == 1 && fields[0].empty()) {
    csv += "\"\"\n";
    return;
  }
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (i > 0) csv += ',';
    append_field(fields[i], csv);
  }
  csv += '\n';
}

}  // namespace mollify
