// Lists of names in sentences, from the tables to which a new name is added.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/words.h"
#include "domain/column.h"
#include "methods/local/mechanism.h"

namespace mollify::test {

/// "a, b or c": the names of an enumeration's values, without some.
template <class Enumeration>
std::string names_without(const std::vector<Enumeration>& others) {
  std::vector<std::string> found;
  for (const auto& [value, name] : names<Enumeration>()) {
    if (std::find(others.begin(), others.end(), value) == others.end()) found.emplace_back(name);
  }
  return choice_words(found);
}

/// The local mechanisms that a spec can name. --band alone gives a location.
inline std::string local_mechanism_names() {
  return names_without<Mechanism>({Mechanism::kLocation});
}

/// How many of them a table of all mechanisms shows: those that need no channel.
inline std::size_t mechanisms_in_a_table() {
  const auto all = names<Mechanism>();
  return static_cast<std::size_t>(std::count_if(all.begin(), all.end(), [](const auto& known) {
    return known.value != Mechanism::kLocation && !row_of(known.value).has_channel;
  }));
}

/// The types of columns.
inline std::string column_type_names() {
  std::vector<std::string> found;
  for (const ColumnKind* const kind : column_kinds()) found.emplace_back(kind->name);
  return choice_words(found);
}

}  // namespace mollify::test
