#include "records/record_encoder.h"

#include <algorithm>

namespace mollify {
namespace {

void encode_plain(const Column& column, const Values& values, std::span<std::uint32_t> digits) {
  std::visit(
      [&](const auto& data) {
        using Data = std::decay_t<decltype(data)>;
        if constexpr (std::is_same_v<Data, std::size_t> || std::is_same_v<Data, Dictionary>) {
          std::fill(digits.begin(), digits.end(), column.encode(Value()));
        } else {
          column.encode(data, digits);
        }
      },
      values.data());
  const auto valid = values.valid();
  if (valid.empty()) return;
  const std::uint32_t null = column.encode(Value());
  for (std::size_t row = 0; row < valid.size(); ++row) {
    if (valid[row] == 0) digits[row] = null;
  }
}

}  // namespace

RecordEncoder::RecordEncoder(const Domain& domain)
    : domain_(domain), digits_(domain.columns().size()), lists_(domain.columns().size()) {}

void RecordEncoder::encode(const Block& block) {
  rows_ = block.rows;
  for (std::size_t i = 0; i < digits_.size(); ++i) {
    const Column& column = domain_.columns()[i];
    const Values& values = block.columns[i];
    std::vector<std::uint32_t>& digits = digits_[i];
    if (digits.size() < rows_) digits.resize(rows_);
    const auto* words = std::get_if<Dictionary>(&values.data());
    if (words == nullptr) {
      encode_plain(column, values, std::span(digits).first(rows_));
      continue;
    }
    KnownList& list = lists_[i];
    const std::size_t count = words->values->size();
    if (list.values != words->values || list.digits.size() != count + 1) {
      list.values = words->values;
      list.digits.resize(count + 1);
      encode_plain(column, *words->values, std::span(list.digits).first(count));
      list.digits[count] = column.encode(Value());
    }
    const auto valid = values.valid();
    for (std::size_t row = 0; row < rows_; ++row) {
      const std::size_t place = std::min<std::size_t>(words->places[row], count);
      digits[row] = list.digits[valid.empty() || valid[row] != 0 ? place : count];
    }
  }
}

void RecordEncoder::copy_digits(std::size_t row, std::span<std::uint32_t> digits) const noexcept {
  for (std::size_t i = 0; i < digits.size(); ++i) digits[i] = digits_[i][row];
}

std::span<const std::uint32_t> RecordEncoder::outcomes() {
  outcomes_.assign(rows_, 0);
  for (std::size_t i = 0; i < digits_.size(); ++i) {
    const std::uint32_t size = domain_.columns()[i].size();
    for (std::size_t row = 0; row < rows_; ++row) {
      outcomes_[row] = outcomes_[row] * size + digits_[i][row];
    }
  }
  return outcomes_;
}

}  // namespace mollify
