// Rows that hold lists, as rows of the lists' items.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "arrow/abi.h"
#include "arrow/arrow_column.h"
#include "records/values.h"

namespace mollify {

/// Passes rows of lists on as records: the items of a row's lists side by side, in as many records
/// as its longest list has items and in one at least, nulls where a list has no item left, and the
/// row's other values beside each. So do the functions called `explode` elsewhere.
///
/// A list that is null, or whose bounds fall or lie beyond the last item, has no items: of private
/// values nothing is refused.
class ListRows {
 public:
  /// `types` of the columns, of which some hold lists.
  explicit ListRows(std::vector<ArrowType> types);

  /// Rows begin ... begin + rows - 1 of arrays that have the shape of their types (require_shape).
  /// `columns` are open: those of lists on the lists' items. `present` as for ArrowColumn::read.
  void read(std::span<ArrowColumn> columns, std::span<const ArrowArray* const> arrays,
            std::size_t begin, std::size_t rows, std::span<const std::uint8_t> present,
            const std::function<void(const Block&)>& take);

 private:
  /// Where the items of one row's list are.
  struct List {
    std::size_t begin = 0;
    std::size_t count = 0;
  };
  struct Column {
    std::vector<List> lists{};            ///< of each row, if it holds lists
    Values values{};                      ///< of all rows, if it does not
    std::vector<std::uint32_t> places{};  ///< of each record, in one of the two below
    /// In turns, so that what a block looks its values up in has another address than before.
    std::array<Values, 2> looked_up{};
    std::size_t turn = 0;
  };
  struct Record {
    std::size_t row = 0;
    std::size_t item = 0;
  };

  /// Takes records from `next_` on, as many as make a block, into records_.
  void gather(std::size_t rows);
  /// The place among all items of a record's item, if it has one.
  [[nodiscard]] static std::optional<std::size_t> item_of(const Column& column, Record record);
  /// The records' values at `chosen` places of `values`.
  Values choose(Column& column, const Values& values);

  std::vector<ArrowType> types_;
  std::vector<Column> columns_;
  std::vector<std::size_t> counts_;  // of records, of each row
  std::vector<Record> records_;
  Record next_{};
  std::vector<std::size_t> chosen_;
  std::vector<Values> values_;
};

}  // namespace mollify
