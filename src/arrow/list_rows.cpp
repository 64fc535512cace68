#include "arrow/list_rows.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

namespace mollify {
namespace {

constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

/// Items that a block may span: more than it has records, for some may lie behind nulls.
constexpr std::size_t kMostItems = 4 * kRowsPerBlock;

/// Where a list begins and ends, untested.
template <class Offset>
std::pair<std::int64_t, std::int64_t> bounds(const ArrowArray& array, std::size_t place) noexcept {
  std::array<Offset, 2> both;
  std::memcpy(both.data(), static_cast<const char*>(array.buffers[1]) + place * sizeof(Offset),
              sizeof(both));
  return {both[0], both[1]};
}

}  // namespace

ListRows::ListRows(std::vector<ArrowType> types)
    : types_(std::move(types)), columns_(types_.size()), values_(types_.size()) {}

void ListRows::read(std::span<ArrowColumn> columns, std::span<const ArrowArray* const> arrays,
                    std::size_t begin, std::size_t rows, std::span<const std::uint8_t> present,
                    const std::function<void(const Block&)>& take) {
  counts_.assign(rows, 1);
  std::vector<std::uint8_t> valid;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    Column& column = columns_[i];
    if (!types_[i].lists) {
      column.values = columns[i].read(begin, rows, present);
      column.turn ^= 1U;
      continue;
    }
    const ArrowArray& array = *arrays[i];
    const std::size_t from = begin + static_cast<std::size_t>(array.offset);
    const bool has_nulls = array.buffers[0] != nullptr && array.null_count != 0;
    if (has_nulls) unpack_bits(array.buffers[0], from, rows, valid);
    column.lists.assign(rows, {});
    for (std::size_t row = 0; row < rows; ++row) {
      if ((has_nulls && valid[row] == 0) || (!present.empty() && present[row] == 0)) continue;
      const std::size_t place = from + row;
      std::pair<std::int64_t, std::int64_t> ends;
      switch (types_[i].lists->form) {
        case ArrowLists::Form::kSmall:
          ends = bounds<std::int32_t>(array, place);
          break;
        case ArrowLists::Form::kLarge:
          ends = bounds<std::int64_t>(array, place);
          break;
        case ArrowLists::Form::kFixed:
          ends.first = static_cast<std::int64_t>(place) * types_[i].lists->size;
          ends.second = ends.first + types_[i].lists->size;
          break;
      }
      if (ends.first < 0 || ends.second < ends.first || ends.second > array.children[0]->length) {
        continue;
      }
      column.lists[row] = {static_cast<std::size_t>(ends.first),
                           static_cast<std::size_t>(ends.second - ends.first)};
      counts_[row] = std::max(counts_[row], column.lists[row].count);
    }
  }
  next_ = {};
  for (gather(rows); !records_.empty(); gather(rows)) {
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      Column& column = columns_[i];
      chosen_.resize(records_.size());
      if (!types_[i].lists) {
        std::transform(records_.begin(), records_.end(), chosen_.begin(),
                       [](Record record) { return record.row; });
        values_[i] = choose(column, column.values);
        continue;
      }
      std::size_t first = kNone;
      std::size_t last = 0;
      for (std::size_t j = 0; j < records_.size(); ++j) {
        const auto item = item_of(column, records_[j]);
        chosen_[j] = item.value_or(kNone);
        if (!item) continue;
        first = std::min(first, *item);
        last = std::max(last, *item + 1);
      }
      if (first == kNone) first = last;
      for (std::size_t& item : chosen_) {
        if (item != kNone) item -= first;
      }
      column.turn ^= 1U;
      values_[i] = choose(column, columns[i].read(first, last - first));
    }
    take({records_.size(), values_});
  }
}

std::optional<std::size_t> ListRows::item_of(const Column& column, Record record) {
  const List& list = column.lists[record.row];
  if (record.item >= list.count) return std::nullopt;
  return list.begin + record.item;
}

void ListRows::gather(std::size_t rows) {
  records_.clear();
  std::vector<std::pair<std::size_t, std::size_t>> spans(columns_.size(), {kNone, 0});
  for (; next_.row < rows; next_ = {next_.row + 1, 0}) {
    for (; next_.item < counts_[next_.row]; ++next_.item) {
      if (records_.size() == kRowsPerBlock) return;
      for (std::size_t i = 0; i < columns_.size(); ++i) {
        if (!types_[i].lists) continue;
        const auto item = item_of(columns_[i], next_);
        if (!item) continue;
        auto& [first, last] = spans[i];
        first = std::min(first, *item);
        last = std::max(last, *item + 1);
        // Lists that no writer makes may lie anywhere.
        if (last - first > kMostItems && !records_.empty()) return;
      }
      records_.push_back(next_);
    }
  }
}

Values ListRows::choose(Column& column, const Values& values) {
  constexpr std::uint32_t kNull = std::numeric_limits<std::uint32_t>::max();
  const auto* const words = std::get_if<Dictionary>(&values.data());
  const auto valid = values.valid();
  column.places.resize(chosen_.size());
  std::transform(chosen_.begin(), chosen_.end(), column.places.begin(), [&](std::size_t place) {
    if (place == kNone || (!valid.empty() && valid[place] == 0)) return kNull;
    return words == nullptr ? static_cast<std::uint32_t>(place) : words->places[place];
  });
  if (words != nullptr) return Values(Dictionary{column.places, words->values});
  Values& list = column.looked_up[column.turn];
  list = values;
  return Values(Dictionary{column.places, &list});
}

}  // namespace mollify
