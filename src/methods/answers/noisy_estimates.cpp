#include "methods/answers/noisy_estimates.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace mollify {

// -----------------------------------------------------------------------------------------------
// A sum of noisy counts, each with a weight.

std::vector<double>& NoisySum::weights_of(std::size_t table, std::size_t cells) {
  std::vector<double>& weights = weights_[table];
  weights.resize(cells);
  return weights;
}

void NoisySum::add(const NoisySum& other, double times) {
  constant_ += times * other.constant_;
  for (const auto& [table, more] : other.weights_) {
    std::vector<double>& weights = weights_of(table, more.size());
    for (std::size_t cell = 0; cell < more.size(); ++cell) weights[cell] += times * more[cell];
  }
  for (const auto& [table, weight] : other.all_) add_all(table, times * weight);
}

double NoisySum::value(const Measurements& measurements) const {
  double sum = constant_;
  for (const auto& [table, weights] : weights_) {
    const std::vector<double>& counts = measurements.tables[table].counts;
    sum += std::inner_product(weights.begin(), weights.end(), counts.begin(), 0.0);
  }
  for (const auto& [table, weight] : all_) {
    const std::vector<double>& counts = measurements.tables[table].counts;
    sum += weight * std::accumulate(counts.begin(), counts.end(), 0.0);
  }
  return sum;
}

double NoisySum::variance(const Measurements& measurements) const {
  double sum = 0;
  for (const auto& [table, weights] : weights_) {
    const double squares = std::inner_product(weights.begin(), weights.end(), weights.begin(), 0.0);
    sum += squares * measurements.tables[table].variance;
  }
  // The square of both weights together, of each count.
  for (const auto& [table, weight] : all_) {
    const MeasuredTable& measured = measurements.tables[table];
    double squares = weight * weight * static_cast<double>(measured.counts.size());
    if (const auto found = weights_.find(table); found != weights_.end()) {
      squares += 2 * weight * std::accumulate(found->second.begin(), found->second.end(), 0.0);
    }
    sum += squares * measured.variance;
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

/// The place of a column in the table; none if the table does not have it.
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

JointEstimate::Margin& JointEstimate::margin_of(const std::vector<std::size_t>& have) {
  Margin& margin = margins_[have];
  if (!margin.of_cell.empty()) return margin;
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
  return margin;
}

void JointEstimate::add_table(std::size_t at) {
  const MeasuredTable& table = measurements_.tables[at];
  std::vector<std::size_t> have;  // places in asked_ of the columns that the table has
  std::vector<const AskedColumn*> asked_of(table.columns.size());
  for (std::size_t column = 0; column < table.columns.size(); ++column) {
    for (std::size_t i = 0; i < asked_.size(); ++i) {
      if (asked_[i].column != table.columns[column] ||
          !is_refinement(table.groups[column], asked_[i].groups)) {
        continue;
      }
      have.push_back(i);
      asked_of[column] = &asked_[i];
    }
  }
  // It says how many rows there are, which is public.
  if (have.empty() && measurements_.records) return;
  Margin& margin = margin_of(have);
  Margin::Part part{at, {}, {}};
  std::vector<double> sums(margin.counts.size()), numbers(margin.counts.size());
  if (have.empty()) {
    sums[0] = std::accumulate(table.counts.begin(), table.counts.end(), 0.0);
    numbers[0] = static_cast<double>(table.counts.size());
  } else {
    part.place = {0};
    for (std::size_t column = 0; column < table.columns.size(); ++column) {
      const CellGroups& groups = table.groups[column];
      std::vector<std::uint32_t> own(groups.count);  // the asked group of each of the table's
      std::uint32_t count = 1;
      if (const AskedColumn* const asked = asked_of[column]) {
        count = asked->groups.count;
        for (std::size_t cell = 0; cell < groups.of.size(); ++cell) {
          own[groups.of[cell]] = asked->groups.of[cell];
        }
      }
      std::vector<std::uint32_t> longer;
      longer.reserve(part.place.size() * own.size());
      for (const std::uint32_t place : part.place) {
        for (const std::uint32_t group : own) longer.push_back(place * count + group);
      }
      part.place = std::move(longer);
    }
    for (std::size_t cell = 0; cell < table.counts.size(); ++cell) {
      sums[part.place[cell]] += table.counts[cell];
      numbers[part.place[cell]] += 1;
    }
  }
  for (std::size_t place = 0; place < sums.size(); ++place) {
    part.precisions.push_back(1 / (numbers[place] * table.variance));
    margin.counts[place] += part.precisions.back() * sums[place];
    margin.precisions[place] += part.precisions.back();
  }
  margin.parts.push_back(std::move(part));
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
  // Conjugate gradients with the diagonal as preconditioner. Eigenvalues fall into few clusters,
  // one for each set of columns, so steps are few.
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
  // Of equal numbers nothing but rounding is left, along which there is no step.
  const double enough =
      kTolerance * dot(rest, rest) / *std::max_element(diagonal.begin(), diagonal.end());
  project(rest);
  scale();
  std::vector<double> direction = scaled;
  double size = dot(rest, scaled);
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
      std::vector<double> each;  // of a count in each place
      for (std::size_t place = 0; place < of_margin.size(); ++place) {
        each.push_back(measurements_.step * part.precisions[place] * of_margin[place]);
      }
      if (part.place.empty()) {
        made.add_all(part.table, each[0]);
        continue;
      }
      const std::size_t cells = measurements_.tables[part.table].counts.size();
      std::vector<double>& of_table = made.weights_of(part.table, cells);
      for (std::size_t cell = 0; cell < cells; ++cell) {
        of_table[cell] += each[part.place[cell]];
      }
    }
  }
  return made;
}

}  // namespace mollify
