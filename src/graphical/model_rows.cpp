#include "graphical/model_rows.h"

#include <algorithm>
#include <utility>

#include "graphical/systematic_rounding.h"
#include "kernel/core/uniform_below.h"

namespace mollify {
namespace {

struct Words {
  const RandomWords& next;
  std::uint64_t word() const { return next(); }
  /// Uniform on the 2^53 middles of equal parts of (0, 1).
  double unit() const { return (static_cast<double>(next() >> 11) + 0.5) * 0x1p-53; }
};

/// Fills the columns of one node that its separator lacks.
class NodeSampler {
 public:
  NodeSampler(const ColumnSizes& sizes, const JunctionTree::Node& node,
              const std::vector<double>& marginal)
      : sizes_(sizes), node_(node), others_(without(node.clique, node.separator)) {
    const Projection to_separator(sizes, node.clique, node.separator);
    const Projection to_others(sizes, node.clique, others_);
    separator_cells_ = to_separator.part_cells();
    other_cells_ = to_others.part_cells();
    const std::vector<std::uint32_t> s = to_separator.targets();
    const std::vector<std::uint32_t> r = to_others.targets();
    masses_.resize(marginal.size());
    for (std::size_t i = 0; i < marginal.size(); ++i) {
      masses_[s[i] * other_cells_ + r[i]] = marginal[i];
    }
  }

  void fill(ModelRows& rows, std::size_t count, const Words& words, RowSampling sampling) const {
    const std::vector<std::uint32_t> cells = separator_cells(rows, count);
    std::vector<std::size_t> begins(separator_cells_ + 1);
    for (const std::uint32_t s : cells) ++begins[s + 1];
    for (std::size_t s = 0; s < separator_cells_; ++s) begins[s + 1] += begins[s];
    std::vector<std::size_t> ends = begins;
    std::vector<std::size_t> order(count);  // rows by the separator's cell
    for (std::size_t i = 0; i < count; ++i) order[ends[cells[i]]++] = i;

    std::vector<double> masses(other_cells_);
    std::vector<std::size_t> counts(other_cells_);
    for (std::size_t s = 0; s < separator_cells_; ++s) {
      const std::size_t begin = begins[s];
      const std::size_t end = begins[s + 1];
      if (begin == end) continue;
      const double sum = conditional(s, masses);
      if (sampling == RowSampling::kIndependent) {
        for (std::size_t r = 1; r < other_cells_; ++r) masses[r] += masses[r - 1];
        for (std::size_t i = begin; i < end; ++i) {
          const auto found = std::upper_bound(masses.begin(), masses.end(), words.unit() * sum);
          put(rows, order[i],
              std::min(static_cast<std::size_t>(found - masses.begin()), other_cells_ - 1));
        }
        continue;
      }
      round_systematically(masses, end - begin, words.unit(), counts);
      Words source = words;
      std::size_t i = begin;
      for (std::size_t r = 0; r < other_cells_; ++r) {
        for (std::size_t n = 0; n < counts[r]; ++n, ++i) {
          std::swap(order[i], order[i + uniform_below(source, end - i)]);
          put(rows, order[i], r);
        }
      }
    }
  }

 private:
  /// The masses of the other columns' cells in cell s of the separator; their sum, positive.
  double conditional(std::size_t s, std::vector<double>& masses) const {
    std::copy_n(masses_.begin() + static_cast<std::ptrdiff_t>(s * other_cells_), other_cells_,
                masses.begin());
    double sum = 0;
    for (const double mass : masses) sum += mass;
    if (sum > 0) return sum;
    // No row should be here: the separator's cell has no mass in doubles.
    std::fill(masses.begin(), masses.end(), 1.0);
    return static_cast<double>(other_cells_);
  }

  std::vector<std::uint32_t> separator_cells(const ModelRows& rows, std::size_t count) const {
    std::vector<std::uint32_t> cells(count);
    for (const std::size_t column : node_.separator) {
      const std::uint32_t size = sizes_[column];
      for (std::size_t i = 0; i < count; ++i) cells[i] = cells[i] * size + rows[column][i];
    }
    return cells;
  }

  void put(ModelRows& rows, std::size_t row, std::size_t r) const {
    for (std::size_t i = others_.size(); i-- > 0;) {
      const std::uint32_t size = sizes_[others_[i]];
      rows[others_[i]][row] = static_cast<std::uint32_t>(r % size);
      r /= size;
    }
  }

  const ColumnSizes& sizes_;
  const JunctionTree::Node& node_;
  Clique others_;
  std::size_t separator_cells_;
  std::size_t other_cells_;
  std::vector<double> masses_;  // [separator's cell][others' cell]
};

}  // namespace

ModelRows model_rows(const ColumnSizes& sizes, const JunctionTree& tree,
                     const NodeTables& marginals, std::size_t count, const RandomWords& words,
                     RowSampling sampling) {
  ModelRows rows(sizes.size(), std::vector<std::uint32_t>(count));
  for (std::size_t node = 0; node < tree.nodes().size(); ++node) {
    NodeSampler(sizes, tree.nodes()[node], marginals[node])
        .fill(rows, count, Words{words}, sampling);
  }
  return rows;
}

}  // namespace mollify
