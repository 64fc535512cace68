// Private rows of numbers, as often as they are asked for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace mollify {

/// A private table of numbers that may be larger than memory: n rows of d doubles, read in passes.
///
/// What a reader owes its users. The number of columns and of records is public. Every pass gives
/// the same rows in the same order, as blocks of whole rows. A row depends on its own record alone,
/// so that replacing a record replaces one row; privacy rests on that, and on nothing about the
/// values, which may be any doubles, NaN and infinities included. Reading fails (throws) only for
/// what does not depend on values, such as a file that is gone.
class NumericTable {
 public:
  NumericTable() = default;
  NumericTable(const NumericTable&) = delete;
  NumericTable& operator=(const NumericTable&) = delete;
  virtual ~NumericTable() = default;

  /// d, at least 1.
  [[nodiscard]] virtual std::size_t dimension() const = 0;

  /// n, public.
  [[nodiscard]] virtual std::uint64_t record_count() const = 0;

  /// Calls `visit` with blocks of rows, row after row, each block a multiple of d doubles, in order
  /// and from the first row. Block sizes are the reader's choice; a few hundred rows are good. A
  /// block is valid during the call only.
  virtual void visit(const std::function<void(std::span<const double> rows)>& visit) const = 0;
};

/// Rows held in memory.
class MemoryTable final : public NumericTable {
 public:
  /// `rows` is row-major, of a multiple of `dimension` doubles. Throws InvalidInput otherwise, or
  /// if dimension is 0.
  MemoryTable(std::size_t dimension, std::vector<double> rows);

  [[nodiscard]] std::size_t dimension() const override { return dimension_; }
  [[nodiscard]] std::uint64_t record_count() const override { return rows_.size() / dimension_; }
  void visit(const std::function<void(std::span<const double> rows)>& visit) const override;

 private:
  std::size_t dimension_;
  std::vector<double> rows_;
};

}  // namespace mollify
