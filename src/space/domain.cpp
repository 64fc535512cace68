#include "mollify/space/domain.h"

#include <fmt/format.h>

#include "mollify/kernel/invalid_input.h"
#include "mollify/space/string_index.h"

namespace mollify {

Domain::Domain(std::vector<Column> columns, std::uint64_t seed, std::uint32_t size)
    : columns_(std::move(columns)), strides_(columns_.size()), seed_(seed), size_(size) {
  std::uint32_t stride = 1;
  for (std::size_t i = columns_.size(); i-- > 0;) {
    strides_[i] = stride;
    stride *= columns_[i].size();
  }
}

Domain Domain::make(std::vector<Column> columns, std::uint64_t seed) {
  if (columns.empty()) throw InvalidInput("a domain must have at least one column, but has none");
  StringIndex names;
  double product = 1;  // exact up to 2^53, far beyond what is accepted
  for (const Column& column : columns) {
    if (names.find(column.name()) != StringIndex::kAbsent) {
      throw InvalidInput(fmt::format("column names must be distinct, but \"{}\" is declared twice",
                                     column.name()));
    }
    names.insert(column.name());
    product *= column.size();
  }
  if (product > kMaxOutcomes) {
    throw InvalidInput(fmt::format(
        "a domain must have at most {} outcomes, but the product of its columns is {:.15g}",
        kMaxOutcomes, product));
  }
  return Domain(std::move(columns), seed, static_cast<std::uint32_t>(product));
}

std::uint32_t Domain::encode(std::span<const std::string_view> fields) const noexcept {
  std::uint32_t outcome = 0;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const std::string_view field = i < fields.size() ? fields[i] : std::string_view();
    outcome += columns_[i].encode(field) * strides_[i];
  }
  return outcome;
}

std::string Domain::canonical_text() const {
  std::string text = fmt::format("mollify-domain 1 seed {}\n", seed_);
  for (const Column& column : columns_) text += column.canonical_text() + '\n';
  return text;
}

}  // namespace mollify
