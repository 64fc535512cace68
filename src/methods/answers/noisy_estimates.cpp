#include "methods/answers/noisy_estimates.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace mollify {

// -----------------------------------------------------------------------------------------------
// A sum of noisy counts, each with a weight.

void NoisySum::add(std::size_t table, std::size_t cell, std::size_t cells, double weight) {
  std::vector<double>& weights = weights_[table];
  weights.resize(cells);
  weights[cell] += weight;
}

void NoisySum::add(const NoisySum& other, double times) {
  constant_ += times * other.constant_;
  for (const auto& [table, more] : other.weights_) {
    std::vector<double>& weights = weights_[table];
    weights.resize(more.size());
    for (std::size_t cell = 0; cell < more.size(); ++cell) weights[cell] += times * more[cell];
  }
}

double NoisySum::value(const Measurements& measurements) const {
  double sum = constant_;
  for (const auto& [table, weights] : weights_) {
    const std::vector<double>& counts = measurements.tables[table].counts;
    for (std::size_t cell = 0; cell < weights.size(); ++cell) sum += weights[cell] * counts[cell];
  }
  return sum;
}

double NoisySum::variance(const Measurements& measurements) const {
  double sum = 0;
  for (const auto& [table, weights] : weights_) {
    double squares = 0;
    for (const double weight : weights) squares += weight * weight;
    sum += squares * measurements.tables[table].variance;
  }
  return sum;
}

// -----------------------------------------------------------------------------------------------
// Some columns together.

CellGroups common_coarsening(const CellGroups& one, const CellGroups& other) {
  // Groups of `one` are joined where a group of `other` has cells of both.
  std::vector<std::uint32_t> joined(one.count);
  std::iota(joined.begin(), joined.end(), 0U);
  const auto root = [&](std::uint32_t group) {
    while (joined[group] != group) group = joined[group] = joined[joined[group]];
    return group;
  };
  std::vector<std::optional<std::uint32_t>> first(other.count);
  for (std::size_t cell = 0; cell < one.of.size(); ++cell) {
    std::optional<std::uint32_t>& seen = first[other.of[cell]];
    if (seen) {
      joined[root(one.of[cell])] = root(*seen);
    } else {
      seen = one.of[cell];
    }
  }
  CellGroups made{{}, 0};
  std::vector<std::optional<std::uint32_t>> name(one.count);
  for (const std::uint32_t group : one.of) {
    std::optional<std::uint32_t>& named = name[root(group)];
    if (!named) named = made.count++;
    made.of.push_back(*named);
  }
  return made;
}

bool is_refinement(const CellGroups& fine, const CellGroups& coarse) {
  std::vector<std::optional<std::uint32_t>> lies_in(fine.count);
  for (std::size_t cell = 0; cell < fine.of.size(); ++cell) {
    std::optional<std::uint32_t>& seen = lies_in[fine.of[cell]];
    if (!seen) seen = coarse.of[cell];
    if (*seen != coarse.of[cell]) return false;
  }
  return true;
}

namespace {

/// The place of a column in the table; none where the table does not have it.
std::optional<std::size_t> place_in(const MeasuredTable& table, std::size_t column) {
  const auto found = std::find(table.columns.begin(), table.columns.end(), column);
  if (found == table.columns.end()) return std::nullopt;
  return static_cast<std::size_t>(found - table.columns.begin());
}

std::size_t cells_of(const std::vector<AskedColumn>& asked) {
  std::size_t cells = 1;
  for (const AskedColumn& one : asked) cells *= one.groups.count;
  return cells;
}

}  // namespace

std::optional<std::vector<AskedColumn>> told_apart(const Measurements& measurements,
                                                   const std::vector<AskedColumn>& asked) {
  std::optional<std::vector<AskedColumn>> best;
  for (const MeasuredTable& table : measurements.tables) {
    std::vector<AskedColumn> told = asked;
    const bool has_all = std::all_of(told.begin(), told.end(), [&](AskedColumn& one) {
      const auto place = place_in(table, one.column);
      if (place) one.groups = common_coarsening(one.groups, table.groups[*place]);
      return place.has_value();
    });
    if (has_all && (!best || cells_of(told) > cells_of(*best))) best = std::move(told);
  }
  return best;
}

JointEstimate::JointEstimate(const Measurements& measurements, std::vector<AskedColumn> asked)
    : measurements_(measurements), asked_(std::move(asked)), cells_(cells_of(asked_)) {
  for (std::size_t at = 0; at < measurements.tables.size(); ++at) add_table(at);
  finish();
}

void JointEstimate::add_table(std::size_t at) {
  const MeasuredTable& table = measurements_.tables[at];
  std::vector<std::size_t> have;  // places in asked_ of the columns that the table has
  std::vector<std::size_t> places(asked_.size());
  for (std::size_t i = 0; i < asked_.size(); ++i) {
    const auto place = place_in(table, asked_[i].column);
    if (!place) continue;
    if (!is_refinement(table.groups[*place], asked_[i].groups)) continue;
    have.push_back(i);
    places[i] = *place;
  }
  Margin& margin = margins_[have];
  if (margin.of_cell.empty()) {
    std::size_t size = 1;
    for (const std::size_t i : have) size *= asked_[i].groups.count;
    margin.precisions.resize(size);
    margin.counts.resize(size);
    for (std::size_t cell = 0; cell < cells_; ++cell) {
      std::size_t rest = cell, place = 0, step = 1;
      for (std::size_t i = asked_.size(); i-- > 0;) {
        const std::size_t digit = rest % asked_[i].groups.count;
        rest /= asked_[i].groups.count;
        if (std::find(have.begin(), have.end(), i) == have.end()) continue;
        place += digit * step;
        step *= asked_[i].groups.count;
      }
      margin.of_cell.push_back(place);
    }
  }
  // The asked group of each group of the table's columns.
  std::vector<std::vector<std::uint32_t>> asked_of(asked_.size());
  for (const std::size_t i : have) {
    const CellGroups& groups = table.groups[places[i]];
    asked_of[i].resize(groups.count);
    for (std::size_t cell = 0; cell < groups.of.size(); ++cell) {
      asked_of[i][groups.of[cell]] = asked_[i].groups.of[cell];
    }
  }
  Margin::Part& part = margin.parts.emplace_back();
  part.table = at;
  std::vector<double> sums(margin.counts.size()), numbers(margin.counts.size());
  for (std::size_t cell = 0; cell < table.counts.size(); ++cell) {
    std::vector<std::size_t> digits(table.columns.size());
    std::size_t rest = cell;
    for (std::size_t i = table.columns.size(); i-- > 0;) {
      digits[i] = rest % table.groups[i].count;
      rest /= table.groups[i].count;
    }
    std::size_t place = 0;
    for (const std::size_t i : have) {
      place = place * asked_[i].groups.count + asked_of[i][digits[places[i]]];
    }
    part.place.push_back(static_cast<std::uint32_t>(place));
    sums[place] += table.counts[cell];
    numbers[place] += 1;
  }
  for (std::size_t place = 0; place < sums.size(); ++place) {
    part.precisions.push_back(1 / (numbers[place] * table.variance));
    margin.counts[place] += part.precisions.back() * sums[place];
    margin.precisions[place] += part.precisions.back();
  }
}

void JointEstimate::finish() {
  if (measurements_.records) {
    even_ = *measurements_.records / measurements_.step / static_cast<double>(cells_);
  }
  const std::vector<double> start(cells_, even_.value_or(0));
  std::vector<double> right = normal(start);
  for (double& one : right) one = -one;
  for (auto& [columns, margin] : margins_) {
    for (std::size_t cell = 0; cell < cells_; ++cell) {
      right[cell] += margin.counts[margin.of_cell[cell]];  // each times its precision
    }
  }
  counts_ = solve(right);
  for (double& count : counts_) count = measurements_.step * (count + even_.value_or(0));
}

std::vector<double> JointEstimate::normal(std::span<const double> x) const {
  std::vector<double> sum(cells_);
  std::vector<double> of_margin;
  for (const auto& [columns, margin] : margins_) {
    of_margin.assign(margin.counts.size(), 0);
    for (std::size_t cell = 0; cell < cells_; ++cell) of_margin[margin.of_cell[cell]] += x[cell];
    for (std::size_t place = 0; place < of_margin.size(); ++place) {
      of_margin[place] *= margin.precisions[place];
    }
    for (std::size_t cell = 0; cell < cells_; ++cell) sum[cell] += of_margin[margin.of_cell[cell]];
  }
  return sum;
}

std::vector<double> JointEstimate::solve(std::span<const double> numbers) const {
  // Conjugate gradients with the diagonal as preconditioner. Eigenvalues fall into few clusters, one
  // for each set of columns, so steps are few.
  std::vector<double> diagonal(cells_);
  for (const auto& [columns, margin] : margins_) {
    for (std::size_t cell = 0; cell < cells_; ++cell) {
      diagonal[cell] += margin.precisions[margin.of_cell[cell]];
    }
  }
  const auto project = [&](std::vector<double>& of) {
    if (!even_) return;
    const double mean = std::accumulate(of.begin(), of.end(), 0.0) / static_cast<double>(cells_);
    for (double& one : of) one -= mean;
  };
  const auto dot = [](const std::vector<double>& a, const std::vector<double>& b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
  };
  constexpr double kTolerance = 1e-22;  // of squares
  constexpr std::size_t kMostSteps = 500;
  std::vector<double> x(cells_), rest(numbers.begin(), numbers.end()), scaled(cells_);
  const auto scale = [&] {
    for (std::size_t i = 0; i < cells_; ++i) scaled[i] = rest[i] / diagonal[i];
    project(scaled);
  };
  project(rest);
  scale();
  std::vector<double> direction = scaled;
  double size = dot(rest, scaled);
  const double enough = kTolerance * size;
  for (std::size_t step = 0; step < kMostSteps && size > enough; ++step) {
    std::vector<double> image = normal(direction);
    project(image);
    const double length = size / dot(direction, image);
    for (std::size_t i = 0; i < cells_; ++i) {
      x[i] += length * direction[i];
      rest[i] -= length * image[i];
    }
    scale();
    const double next = dot(rest, scaled);
    for (std::size_t i = 0; i < cells_; ++i) {
      direction[i] = scaled[i] + next / size * direction[i];
    }
    size = next;
  }
  return x;
}

NoisySum JointEstimate::sum(std::span<const double> weights) const {
  const std::vector<double> solved = solve(weights);
  NoisySum made;
  if (even_) {
    const std::vector<double> image = normal(solved);
    double constant = 0;
    for (std::size_t i = 0; i < cells_; ++i) constant += weights[i] - image[i];
    made.add_constant(measurements_.step * *even_ * constant);
  }
  for (const auto& [columns, margin] : margins_) {
    std::vector<double> of_margin(margin.counts.size());
    for (std::size_t cell = 0; cell < cells_; ++cell) {
      of_margin[margin.of_cell[cell]] += solved[cell];
    }
    for (const Margin::Part& part : margin.parts) {
      for (std::size_t cell = 0; cell < part.place.size(); ++cell) {
        const std::size_t place = part.place[cell];
        made.add(part.table, cell, part.place.size(),
                 measurements_.step * part.precisions[place] * of_margin[place]);
      }
    }
  }
  return made;
}

}  // namespace mollify
