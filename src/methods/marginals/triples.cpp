#include "methods/marginals/triples.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>

#include "methods/marginals/private_bins.h"

namespace mollify {

std::vector<Triple> counted_triples(const MarginalRequest& request) {
  constexpr std::size_t kMostTripleColumns = 20;
  constexpr std::uint64_t kMostCountedCells = std::uint64_t{1} << 22U;  // 32 MB
  if (request.copula) return {};
  std::set<Triple> triples;
  for (const auto& question : request.questions) {
    if (question.size() == 3) triples.insert({question[0], question[1], question[2]});
  }
  if (request.asked() > kMostTripleColumns) return {triples.begin(), triples.end()};
  std::vector<std::size_t> columns;
  for (std::size_t i = 0; i < request.columns.size(); ++i) {
    const MarginalColumn& column = request.columns[i];
    if (!column.follows && counted_cells(column) > 1) columns.push_back(i);
  }
  std::vector<std::pair<std::uint64_t, Triple>> found;
  for (std::size_t a = 0; a < columns.size(); ++a) {
    for (std::size_t b = a + 1; b < columns.size(); ++b) {
      for (std::size_t c = b + 1; c < columns.size(); ++c) {
        const Triple triple{columns[a], columns[b], columns[c]};
        std::uint64_t cells = 1;
        for (const std::size_t column : triple) cells *= counted_cells(request.columns[column]);
        if (cells <= PairCounter::kMostTripleCells) found.emplace_back(cells, triple);
      }
    }
  }
  std::sort(found.begin(), found.end());
  std::uint64_t together = 0;
  for (const auto& [cells, triple] : found) {
    together += cells;
    if (together > kMostCountedCells) break;
    triples.insert(triple);
  }
  return {triples.begin(), triples.end()};
}

namespace {

/// Multiplies, so that the table's sums over what is left out of a pair are the pair's. `steps`:
/// from one cell to the next, of the pair's two columns and of the third.
void fit_to(std::vector<double>& table, const std::array<std::size_t, 3>& sizes,
            const std::array<std::size_t, 3>& steps, std::span<const double> pair) {
  std::size_t cell = 0;
  for (std::size_t a = 0; a < sizes[0]; ++a) {
    for (std::size_t b = 0; b < sizes[1]; ++b, ++cell) {
      double* const first = table.data() + a * steps[0] + b * steps[1];
      double sum = 0;
      for (std::size_t c = 0; c < sizes[2]; ++c) sum += first[c * steps[2]];
      const double factor = sum > 0 ? pair[cell] / sum : 0;
      for (std::size_t c = 0; c < sizes[2]; ++c) first[c * steps[2]] *= factor;
    }
  }
}

}  // namespace

std::vector<double> table_of_pairs(const std::array<std::size_t, 3>& sizes,
                                   std::span<const double> first, std::span<const double> second,
                                   std::span<const double> third) {
  constexpr int kFittingSweeps = 8;
  const auto [a, b, c] = sizes;
  std::vector<double> table(a * b * c, 1.0);
  for (int sweep = 0; sweep < kFittingSweeps; ++sweep) {
    fit_to(table, {a, b, c}, {b * c, c, 1}, first);
    fit_to(table, {a, c, b}, {b * c, 1, c}, second);
    fit_to(table, {b, c, a}, {c, 1, b * c}, third);
  }
  return table;
}

}  // namespace mollify
