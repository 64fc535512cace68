#include "graphical/clique.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "kernel/core/invalid_input.h"

namespace mollify {

std::uint64_t cell_count(const ColumnSizes& sizes, const Clique& clique) {
  std::uint64_t cells = 1;
  for (const std::size_t column : clique) {
    if (cells > kUncountable / sizes[column]) return kUncountable;
    cells *= sizes[column];
  }
  return cells;
}

std::uint64_t saturated_sum(std::uint64_t a, std::uint64_t b) {
  return a > kUncountable - b ? kUncountable : a + b;
}

bool contains(const Clique& whole, const Clique& part) {
  return std::includes(whole.begin(), whole.end(), part.begin(), part.end());
}

Clique united(const Clique& a, const Clique& b) {
  Clique result;
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(result));
  return result;
}

Clique common(const Clique& a, const Clique& b) {
  Clique result;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(result));
  return result;
}

Clique without(const Clique& a, const Clique& b) {
  Clique result;
  std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(result));
  return result;
}

void require_sizes(const ColumnSizes& sizes) {
  if (sizes.empty()) throw InvalidInput("a model must have columns, but has none");
  if (sizes.size() > kMostColumns) {
    throw InvalidInput(fmt::format("a model must have at most {} columns, but has {}", kMostColumns,
                                   sizes.size()));
  }
  for (std::size_t column = 0; column < sizes.size(); ++column) {
    if (sizes[column] == 0) {
      throw InvalidInput(
          fmt::format("column {} of a model must have at least one value, but has none", column));
    }
  }
}

void require_clique(const ColumnSizes& sizes, const Clique& clique) {
  for (std::size_t i = 0; i < clique.size(); ++i) {
    if (clique[i] >= sizes.size()) {
      throw InvalidInput(
          fmt::format("a clique of a model of {} columns must name columns below "
                      "that, but names {}",
                      sizes.size(), clique[i]));
    }
    if (i > 0 && clique[i - 1] >= clique[i]) {
      throw InvalidInput(fmt::format("the columns of a clique must ascend, but {} follows {}",
                                     clique[i], clique[i - 1]));
    }
  }
}

}  // namespace mollify
