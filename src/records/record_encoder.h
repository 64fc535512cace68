// Blocks of records to digits and outcomes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "records/source.h"
#include "space/domain.h"

namespace mollify {

/// Takes the blocks of one visit, a column after the other; a dictionary's values are encoded once.
/// Total: whatever a block holds, each row has a digit of each column.
class RecordEncoder {
 public:
  /// `domain` must outlive the encoder.
  explicit RecordEncoder(const Domain& domain);

  /// Encodes a block whose first columns are the domain's, in its order. What the encoder gives is
  /// of this block until the next one.
  void encode(const Block& block);

  /// The digits of one column, a row after the other.
  [[nodiscard]] std::span<const std::uint32_t> digits(std::size_t column) const noexcept {
    return std::span(digits_[column]).first(rows_);
  }
  /// Copies the digits of one record. Requires one place for each column.
  void copy_digits(std::size_t row, std::span<std::uint32_t> digits) const noexcept;

  /// The outcomes, a row after the other. Requires an enumerable domain.
  [[nodiscard]] std::span<const std::uint32_t> outcomes();

 private:
  struct KnownList {
    const Values* values = nullptr;
    std::vector<std::uint32_t> digits;  // one more than there are values: that of a null
  };

  const Domain& domain_;
  std::size_t rows_ = 0;
  std::vector<std::vector<std::uint32_t>> digits_;
  std::vector<KnownList> lists_;  // the last one of each column
  std::vector<std::uint32_t> outcomes_;
};

}  // namespace mollify
