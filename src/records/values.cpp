#include "records/values.h"

namespace mollify {

namespace {

template <class... Functions>
struct OverloadedData : Functions... {
  using Functions::operator()...;
};
template <class... Functions>
OverloadedData(Functions...) -> OverloadedData<Functions...>;

}  // namespace

std::size_t Values::size() const noexcept {
  return std::visit(OverloadedData{[](std::size_t nulls) { return nulls; },
                                   [](const Dictionary& words) { return words.places.size(); },
                                   [](const auto& values) { return values.size(); }},
                    data_);
}

Values Values::slice(std::size_t begin, std::size_t count) const noexcept {
  const auto valid = valid_.empty() ? valid_ : valid_.subspan(begin, count);
  return std::visit(
      OverloadedData{
          [&](std::size_t) { return Values(count, valid); },
          [&](const Dictionary& words) {
            return Values(Dictionary{words.places.subspan(begin, count), words.values}, valid);
          },
          [&](const auto& values) { return Values(values.subspan(begin, count), valid); }},
      data_);
}

Value Values::operator[](std::size_t row) const noexcept {
  if (!valid_.empty() && valid_[row] == 0) return {};
  return std::visit(
      OverloadedData{
          [](std::size_t) -> Value { return {}; },
          [&](std::span<const std::uint8_t> truths) -> Value { return truths[row] != 0; },
          [&](const Dictionary& words) -> Value {
            const std::uint32_t place = words.places[row];
            return place < words.values->size() ? (*words.values)[place] : Value();
          },
          [&](const auto& values) -> Value { return values[row]; }},
      data_);
}

}  // namespace mollify
