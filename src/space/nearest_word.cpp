#include "space/nearest_word.h"

#include <cstdint>
#include <variant>
#include <vector>

#include "accounting/nearest_name.h"

namespace mollify {

std::string did_you_mean(const Column& column, std::string_view typed) {
  constexpr std::uint32_t kMostWords = 1000;  // more would take long, for each value that is asked
  const auto* categories = std::get_if<Categories>(&column.cells());
  if (categories == nullptr || categories->size() > kMostWords) return {};
  std::vector<std::string> words;
  for (std::uint32_t cell = 0; cell < categories->size(); ++cell) {
    words.emplace_back(categories->value(cell));
  }
  return did_you_mean(typed, words);
}

std::string did_you_mean(const Domain& domain, std::string_view column, std::string_view typed) {
  for (const Column& one : domain.columns()) {
    if (one.name() == column) return did_you_mean(one, typed);
  }
  return {};
}

}  // namespace mollify
