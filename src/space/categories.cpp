#include "space/categories.h"

#include <fmt/format.h>

#include "kernel/core/invalid_input.h"
#include "space/field_text.h"
#include "space/same_value.h"

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
    const std::uint32_t cell = categories.values_.insert(value);
    SameValueBuffer buffer;
    const auto same = same_value_text(value, buffer);
    if (!same) continue;
    const std::uint32_t place = categories.typed_.find(*same);
    if (place != StringIndex::kAbsent) {
      throw InvalidInput(fmt::format(
          "values must be distinct, but \"{}\" and \"{}\" are one value, written in two ways: "
          "keep one of them",
          categories.value(categories.typed_cells_[place]), value));
    }
    categories.typed_.insert(*same);
    categories.typed_cells_.push_back(cell);
  }
  for (const std::size_t no : {0U, 1U}) {
    if (values.size() != 2 || !BooleanWords::are_usual(values[no], values[1 - no])) continue;
    categories.truths_ = BooleanWords::make(values[no], values[1 - no]);
    categories.cell_of_false_ = static_cast<std::uint32_t>(no);
  }
  return categories;
}

std::uint32_t Categories::size() const noexcept {
  return static_cast<std::uint32_t>(values_.size());
}

Reading Categories::read(std::string_view text) const noexcept {
  const std::uint32_t cell = values_.find(text);
  if (cell != StringIndex::kAbsent) return {Verdict::kValue, cell};
  if (typed_.size() > 0) {
    SameValueBuffer buffer;
    const auto same = same_value_text(text, buffer);
    const std::uint32_t place = same ? typed_.find(*same) : StringIndex::kAbsent;
    if (place != StringIndex::kAbsent) return {Verdict::kValue, typed_cells_[place]};
  }
  if (truths_) {
    const Reading truth = truths_->read(text);
    if (truth.verdict == Verdict::kValue) return {Verdict::kValue, truth.cell ^ cell_of_false_};
  }
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
