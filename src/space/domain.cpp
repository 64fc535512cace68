#include "space/domain.h"

#include <fmt/format.h>

#include "kernel/core/invalid_input.h"
#include "space/sha256.h"
#include "space/string_index.h"

namespace mollify {

Domain::Domain(std::vector<Column> columns, std::uint64_t seed, double product)
    : columns_(std::move(columns)),
      strides_(columns_.size()),
      seed_(seed),
      product_(product),
      size_(product <= kMaxOutcomes ? static_cast<std::uint32_t>(product) : 0) {
  // Of a domain that is not enumerable they mean nothing, and nobody uses them.
  std::uint32_t stride = 1;
  for (std::size_t i = columns_.size(); i-- > 0;) {
    strides_[i] = stride;
    stride *= columns_[i].size();
  }
}

Domain Domain::make(std::vector<Column> columns, std::uint64_t seed) {
  if (columns.empty()) throw InvalidInput("a domain must have at least one column, but has none");
  StringIndex names;
  double product = 1;
  for (const Column& column : columns) {
    if (names.find(column.name()) != StringIndex::kAbsent) {
      throw InvalidInput(fmt::format("column names must be distinct, but \"{}\" is declared twice",
                                     column.name()));
    }
    names.insert(column.name());
    product *= column.size();
  }
  return Domain(std::move(columns), seed, product);
}

std::vector<std::string> Domain::names() const {
  std::vector<std::string> names;
  for (const Column& column : columns_) names.push_back(column.name());
  return names;
}

void Domain::require_enumerable(std::string_view what) const {
  if (is_enumerable()) return;
  throw InvalidInput(
      fmt::format("{} needs a domain of at most {} outcomes, but the product of its columns is "
                  "{:.15g}; declare fewer bins or fewer columns",
                  what, kMaxOutcomes, product_));
}

std::uint32_t Domain::encode(std::span<const std::string_view> fields) const noexcept {
  std::uint32_t outcome = 0;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const std::string_view field = i < fields.size() ? fields[i] : std::string_view();
    outcome += columns_[i].encode(field) * strides_[i];
  }
  return outcome;
}

void Domain::encode_digits(std::span<const std::string_view> fields,
                           std::span<std::uint32_t> digits) const noexcept {
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    digits[i] = columns_[i].encode(i < fields.size() ? fields[i] : std::string_view());
  }
}

std::string Domain::canonical_text() const {
  std::string text = fmt::format("mollify-domain 1 seed {}\n", seed_);
  for (const Column& column : columns_) text += column.canonical_text() + '\n';
  return text;
}

namespace {

/// "column "a"", or "columns "a", "b" and 3 more".
std::string columns_named(const std::vector<std::string>& names) {
  constexpr std::size_t kMostNames = 10;
  std::string text = names.size() == 1 ? "column" : "columns";
  for (std::size_t i = 0; i < names.size() && i < kMostNames; ++i) {
    text += fmt::format("{} \"{}\"", i == 0 ? "" : ",", names[i]);
  }
  if (names.size() > kMostNames) text += fmt::format(" and {} more", names.size() - kMostNames);
  return text;
}

}  // namespace

std::string Domain::undeclared_words() const {
  std::vector<std::string> outside, null;
  for (const Column& column : columns_) {
    if (!column.mapping().declares_outside()) outside.push_back(column.name());
    if (!column.mapping().declares_null()) null.push_back(column.name());
  }
  std::string words;
  if (!outside.empty()) {
    words = fmt::format(
        "the domain does not say what an undeclared value becomes in {}: a release takes it for "
        "the "
        "first value, or the nearest number. Write outside: clip if you mean that, or outside: "
        "VALUE.",
        columns_named(outside));
  }
  if (!null.empty()) {
    words += fmt::format(
        "{}he domain does not say what a missing value becomes in {}: a release takes it for the "
        "first value, or the lowest number. Write null: category to keep it missing, or null: "
        "VALUE.",
        words.empty() ? "t" : " T", columns_named(null));
  }
  return words;
}

std::string Domain::hash() const {
  Sha256 hash;
  hash.add(canonical_text());
  return hash.hex();
}

}  // namespace mollify
