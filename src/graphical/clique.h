// Sets of columns, and the tables of numbers over them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace mollify {

/// Indices of columns, ascending, each at most once; may be empty.
using Clique = std::vector<std::size_t>;

/// How many values each column has, at least one.
using ColumnSizes = std::vector<std::uint32_t>;

/// What sums and products of numbers of cells stop at.
inline constexpr std::uint64_t kUncountable = std::numeric_limits<std::uint64_t>::max();

/// The number of cells of the table over a clique: the product of its columns' sizes, one for the
/// empty clique; kUncountable if it does not fit. Tables are row-major, the last column fastest.
[[nodiscard]] std::uint64_t cell_count(const ColumnSizes& sizes, const Clique& clique);

/// a + b, stopping at kUncountable.
[[nodiscard]] std::uint64_t saturated_sum(std::uint64_t a, std::uint64_t b);

[[nodiscard]] bool contains(const Clique& whole, const Clique& part);
[[nodiscard]] Clique united(const Clique& a, const Clique& b);
[[nodiscard]] Clique common(const Clique& a, const Clique& b);
/// The columns of `a` that are not in `b`.
[[nodiscard]] Clique without(const Clique& a, const Clique& b);

/// A graph of columns takes memory in their square.
inline constexpr std::size_t kMostColumns = 4096;

/// Throws InvalidInput unless there are columns, not too many, and every size is at least one.
void require_sizes(const ColumnSizes& sizes);

/// Throws InvalidInput unless the clique is ascending and names columns only.
void require_clique(const ColumnSizes& sizes, const Clique& clique);

}  // namespace mollify
