#include "graphical/matched_rows.h"

#include <algorithm>
#include <cmath>

#include "graphical/systematic_rounding.h"

namespace mollify {
namespace {

constexpr int kSweeps = 3;

double unit(const RandomWords& words) {
  return (static_cast<double>(words() >> 11) + 0.5) * 0x1p-53;
}

/// How far the rows' counts of all pairs are from the targets.
class PairedRows {
 public:
  PairedRows(const GraphicalModel& model, const ModelRows& rows, const RandomWords& words)
      : columns_(rows.size()) {
    places_.resize(columns_ * columns_);
    for (const GraphicalModel::Marginal& pair : model.pair_marginals()) {
      const std::size_t a = pair.clique[0];
      const std::size_t b = pair.clique[1];
      const std::size_t size = model.sizes()[b];
      const std::size_t begin = cells_.size();
      places_[a * columns_ + b] = {begin, size, 1};
      places_[b * columns_ + a] = {begin, 1, size};
      std::vector<std::size_t> targets(pair.probabilities.size());
      round_systematically(pair.probabilities, rows[0].size(), unit(words), targets);
      for (const std::size_t target : targets) {
        const auto rows_there = static_cast<double>(target);
        cells_.push_back({-rows_there, 1 / (rows_there + 1)});
      }
      for (std::size_t i = 0; i < rows[0].size(); ++i) {
        cells_[begin + rows[a][i] * size + rows[b][i]].excess += 1;
      }
    }
  }

  /// What the objective gains if a row's value of a column becomes another; `row` holds its values.
  [[nodiscard]] double change(const std::vector<std::uint32_t>& row, std::size_t column,
                              std::uint32_t to) const {
    double change = 0;
    for (std::size_t other = 0; other < columns_; ++other) {
      if (other == column) continue;
      const Place& place = places_[column * columns_ + other];
      const std::size_t begin = place.begin + row[other] * place.other_stride;
      const Cell& old = cells_[begin + row[column] * place.stride];
      const Cell& next = cells_[begin + to * place.stride];
      change += old.weight * (1 - 2 * old.excess) + next.weight * (1 + 2 * next.excess);
    }
    return change;
  }

  void move(const std::vector<std::uint32_t>& row, std::size_t column, std::uint32_t to) {
    for (std::size_t other = 0; other < columns_; ++other) {
      if (other == column) continue;
      const Place& place = places_[column * columns_ + other];
      const std::size_t begin = place.begin + row[other] * place.other_stride;
      cells_[begin + row[column] * place.stride].excess -= 1;
      cells_[begin + to * place.stride].excess += 1;
    }
  }

 private:
  struct Cell {
    double excess;  // count - target
    double weight;
  };
  struct Place {
    std::size_t begin = 0;
    std::size_t stride = 0;        // of the first of the two columns
    std::size_t other_stride = 0;  // of the second
  };

  std::size_t columns_;
  std::vector<Place> places_;  // [column][other]
  std::vector<Cell> cells_;
};

/// The model's law of one column given all others.
class Conditional {
 public:
  Conditional(const GraphicalModel& model, std::size_t column) : masses_(model.sizes()[column]) {
    for (const GraphicalModel::Potential& potential : model.potentials()) {
      if (!contains(potential.clique, {column})) continue;
      Term term{potential.values.data(), 0, {}};
      std::size_t stride = 1;
      for (std::size_t k = potential.clique.size(); k-- > 0;) {
        const std::size_t other = potential.clique[k];
        if (other == column) {
          term.stride = stride;
        } else {
          term.others.push_back({other, stride});
        }
        stride *= model.sizes()[other];
      }
      terms_.push_back(std::move(term));
    }
  }

  /// A draw by a uniform number in (0, 1).
  std::uint32_t draw(const std::vector<std::uint32_t>& row, double uniform) {
    std::fill(masses_.begin(), masses_.end(), 0.0);
    for (const Term& term : terms_) {
      const double* from = term.values;
      for (const auto& [other, stride] : term.others) from += row[other] * stride;
      for (std::size_t v = 0; v < masses_.size(); ++v) masses_[v] += from[v * term.stride];
    }
    const double most = *std::max_element(masses_.begin(), masses_.end());
    double sum = 0;
    for (double& mass : masses_) sum += mass = std::exp(mass - most);
    double left = uniform * sum;
    std::size_t v = 0;
    while (v + 1 < masses_.size() && left >= masses_[v]) left -= masses_[v++];
    return static_cast<std::uint32_t>(v);
  }

 private:
  struct Term {
    const double* values;
    std::size_t stride;
    std::vector<std::pair<std::size_t, std::size_t>> others;  // columns and their strides
  };

  std::vector<Term> terms_;
  std::vector<double> masses_;
};

std::uint64_t pair_cells(const ColumnSizes& sizes) {
  std::uint64_t cells = 0;
  for (std::size_t b = 0; b < sizes.size(); ++b) {
    for (std::size_t a = 0; a < b; ++a) cells = saturated_sum(cells, cell_count(sizes, {a, b}));
  }
  return cells;
}

}  // namespace

void match_pairs(const GraphicalModel& model, const RandomWords& words, ModelRows& rows) {
  const std::size_t columns = rows.size();
  if (rows[0].empty() || pair_cells(model.sizes()) > GraphicalModel::kMostCells) return;
  PairedRows counts(model, rows, words);
  std::vector<Conditional> conditionals;
  for (std::size_t c = 0; c < columns; ++c) conditionals.emplace_back(model, c);
  std::vector<std::uint32_t> row(columns);
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    for (std::size_t i = 0; i < rows[0].size(); ++i) {
      for (std::size_t c = 0; c < columns; ++c) row[c] = rows[c][i];
      for (std::size_t c = 0; c < columns; ++c) {
        if (model.sizes()[c] == 1) continue;
        const std::uint32_t to = conditionals[c].draw(row, unit(words));
        if (to == row[c] || !(counts.change(row, c, to) < 0)) continue;
        counts.move(row, c, to);
        row[c] = rows[c][i] = to;
      }
    }
  }
}

}  // namespace mollify
