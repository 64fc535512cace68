// The passes over tables of numbers that belief propagation is made of, one table of them for each
// instruction set. Chosen at run time: one binary works on every processor. Last digits differ
// between them.
#pragma once

#include <cstddef>

namespace mollify::detail {

/// Rows of a table, end to end; each has `cells` cells.
struct TableRows {
  std::size_t rows;
  std::size_t cells;
};

struct TableLanes {
  /// to[i] = exp(from[i] - shift), to 2 units in the last place; 0 below e^-700. Requires from[i] -
  /// shift of at most 0.
  void (*exponentiate)(const double* from, double shift, double* to, std::size_t count);
  /// The greatest of at least one number, none of them NaN.
  double (*greatest)(const double* from, std::size_t count);
  /// sums[cell] += each row's cell.
  void (*add_rows)(TableRows, const double* from, double* sums);
  /// sums[row] += the sum of the row's cells.
  void (*add_cells)(TableRows, const double* from, double* sums);
  /// Each row's cell += terms[cell], or *= factors[cell].
  void (*add_to_rows)(TableRows, const double* terms, double* to);
  void (*multiply_rows)(TableRows, const double* factors, double* to);
  /// Each cell of a row += terms[row], or *= factors[row].
  void (*add_to_cells)(TableRows, const double* terms, double* to);
  void (*multiply_cells)(TableRows, const double* factors, double* to);
  /// The sum of products, and to[i] += factor * from[i].
  double (*product)(const double* one, const double* other, std::size_t count);
  void (*add_multiple)(double factor, const double* from, double* to, std::size_t count);

  static const TableLanes kBaseline;
  static const TableLanes kAvx2;  ///< with fused multiply-adds
};

}  // namespace mollify::detail
