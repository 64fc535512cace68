#include "records/column_buffer.h"

#include <variant>

namespace mollify {

ColumnBuffer::ColumnBuffer(const ColumnSchema& schema)
    : type_(schema.type), has_words_(!schema.words.empty()) {
  for (const std::string& word : schema.words) words_.insert(word);
}

void ColumnBuffer::append(const Value& value) {
  const bool is_null = std::holds_alternative<std::monostate>(value);
  has_nulls_ = has_nulls_ || is_null;
  valid_.push_back(is_null ? 0 : 1);
  switch (type_) {
    case ValueType::kInteger:
      integers_.push_back(is_null ? 0 : std::get<std::int64_t>(value));
      return;
    case ValueType::kNumber:
      numbers_.push_back(is_null ? 0 : std::get<double>(value));
      return;
    case ValueType::kBoolean:
      truths_.push_back(!is_null && std::get<bool>(value) ? 1 : 0);
      return;
    case ValueType::kText:
      break;
  }
  const std::string_view text = is_null ? std::string_view() : std::get<std::string_view>(value);
  if (has_words_) {
    places_.push_back(is_null ? 0 : words_.insert(text));
  } else {
    bytes_ += text;
    ends_.push_back(bytes_.size());
  }
}

void ColumnBuffer::append_word(std::uint32_t place) {
  valid_.push_back(1);
  places_.push_back(place);
}

void ColumnBuffer::clear() noexcept {
  has_nulls_ = false;
  valid_.clear();
  integers_.clear();
  numbers_.clear();
  truths_.clear();
  places_.clear();
  bytes_.clear();
  ends_.clear();
}

Values ColumnBuffer::values() {
  const std::span<const std::uint8_t> valid =
      has_nulls_ ? std::span<const std::uint8_t>(valid_) : std::span<const std::uint8_t>();
  switch (type_) {
    case ValueType::kInteger:
      return Values(std::span<const std::int64_t>(integers_), valid);
    case ValueType::kNumber:
      return Values(std::span<const double>(numbers_), valid);
    case ValueType::kBoolean:
      return Values(std::span<const std::uint8_t>(truths_), valid);
    case ValueType::kText:
      break;
  }
  if (has_words_) {
    if (views_.size() != words_.size()) {
      views_.clear();
      for (std::size_t i = 0; i < words_.size(); ++i) views_.push_back(words_[i]);
      list_ = Values(std::span<const std::string_view>(views_));
    }
    return Values(Dictionary{places_, &list_}, valid);
  }
  views_.clear();
  std::size_t begin = 0;
  for (const std::size_t end : ends_) {
    views_.push_back(std::string_view(bytes_).substr(begin, end - begin));
    begin = end;
  }
  return Values(std::span<const std::string_view>(views_), valid);
}

}  // namespace mollify
