#include "space/categories.h"

#include <fmt/format.h>

#include "kernel/core/invalid_input.h"
#include "space/field_text.h"

namespace mollify {

Categories Categories::make(const std::vector<std::string>& values, bool ordered) {
  constexpr std::size_t kMaxValues = std::size_t{1} << 24U;
  if (values.empty()) throw InvalidInput("values must list at least one value, but is empty");
  if (values.size() > kMaxValues) {
    throw InvalidInput(
        fmt::format("values must list at most {} values, but lists {}", kMaxValues, values.size()));
  }
  Categories categories;
  categories.ordered_ = ordered;
  for (const std::string& value : values) {
    require_declarable(value, "a value");
    if (categories.values_.find(value) != StringIndex::kAbsent) {
      throw InvalidInput(fmt::format("values must be distinct, but \"{}\" is listed twice", value));
    }
    categories.values_.insert(value);
  }
  return categories;
}

std::uint32_t Categories::size() const noexcept {
  return static_cast<std::uint32_t>(values_.size());
}

Reading Categories::read(std::string_view text) const noexcept {
  const std::uint32_t cell = values_.find(text);
  if (cell != StringIndex::kAbsent) return {Verdict::kValue, cell};
  return {is_null_word(text) ? Verdict::kNull : Verdict::kOutside, 0};
}

void Categories::write(std::uint32_t cell, std::uint64_t /*point*/, std::string& text) const {
  text += value(cell);
}

std::string Categories::expectation() const {
  if (size() == 1) return fmt::format("the declared value \"{}\"", value(0));
  return fmt::format("one of {} declared values", size());
}

}  // namespace mollify
