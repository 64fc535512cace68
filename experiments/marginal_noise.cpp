// The table of docs/measured/marginals.md that holds the stated error of --family marginals against
// what releases show, on tables of several kinds. NOT PRIVATE: it compares releases with tables.
//
// Usage: marginal_noise RUNS [DATA.csv DOMAIN.yaml]
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "io/csv_source.h"
#include "io/domain_yaml.h"
#include "marginals/marginal_error.h"
#include "marginals/marginal_learner.h"
#include "marginals/pair_counter.h"
#include "marginals/recorded_answers.h"
#include "records/private_table.h"

namespace {

using namespace mollify;

struct Table {
  std::string name;
  std::vector<MarginalColumn> columns;
  std::vector<std::vector<std::uint32_t>> rows;  ///< of each column its cells

  [[nodiscard]] std::size_t records() const { return rows[0].size(); }
  [[nodiscard]] PairCounts counts() const { return counts_of(rows); }
  [[nodiscard]] PairCounts counts_of(const ModelRows& of) const {
    std::vector<std::uint32_t> sizes;
    for (const MarginalColumn& column : columns) sizes.push_back(column.size);
    const std::vector<std::span<const std::uint32_t>> spans(of.begin(), of.end());
    PairCounter counter(sizes);
    counter.add(spans);
    return std::move(counter).take();
  }
};

using Words = std::mt19937_64;

std::uint32_t below(Words& words, std::uint32_t count) {
  return static_cast<std::uint32_t>(words() % count);
}

bool happens(Words& words, double probability) {
  return static_cast<double>(words() >> 11) * 0x1p-53 < probability;
}

/// Cells whose shares fall by a third from each to the next.
std::uint32_t skewed(Words& words, std::uint32_t count) {
  std::uint32_t cell = 0;
  while (cell + 1 < count && happens(words, 2 / 3.)) ++cell;
  return cell;
}

Table made(const std::string& name, std::size_t records, const std::vector<std::uint32_t>& sizes,
           bool ordered, const std::function<void(Words&, std::vector<std::uint32_t>&)>& row) {
  Table table{name, {}, std::vector<std::vector<std::uint32_t>>(sizes.size())};
  for (const std::uint32_t size : sizes) table.columns.push_back({size, ordered && size > 2});
  Words words(records);
  std::vector<std::uint32_t> cells(sizes.size());
  for (std::size_t at = 0; at < records; ++at) {
    row(words, cells);
    for (std::size_t i = 0; i < cells.size(); ++i) table.rows[i].push_back(cells[i] % sizes[i]);
  }
  return table;
}

/// Every column is its neighbour's, but for one row in three.
Table chain() {
  return made("chain", 5000, std::vector<std::uint32_t>(10, 8), false, [](Words& w, auto& cells) {
    for (std::size_t i = 0; i < cells.size(); ++i) {
      cells[i] = i > 0 && happens(w, 2 / 3.) ? cells[i - 1] : below(w, 8);
    }
  });
}

/// Six classes of people; all columns depend on the class, and so on each other.
Table classes() {
  return made("classes", 20000, std::vector<std::uint32_t>(15, 6), true, [](Words& w, auto& cells) {
    const std::uint32_t of = skewed(w, 6);
    for (std::uint32_t& cell : cells) cell = happens(w, .6) ? of : skewed(w, 6);
  });
}

/// A place says its region, a region its country, a birthday cohort who is retired and at school,
/// an item its kind and its price class: rules without exceptions.
Table rules() {
  return made("rules", 10000, {48, 12, 4, 20, 2, 2, 30, 6, 10, 5, 3, 2}, false,
              [](Words& w, auto& c) {
                c[0] = below(w, 48);
                c[1] = c[0] / 4;
                c[2] = c[1] / 3;
                c[3] = below(w, 20);
                c[4] = c[3] >= 15;
                c[5] = c[3] < 4;
                c[6] = (c[3] + skewed(w, 30)) % 30;
                c[7] = c[6] / 5;
                c[8] = (c[6] * 7 + 3) % 10;
                c[9] = skewed(w, 5);
                c[10] = c[9] >= 2 ? 2 : c[9];
                c[11] = c[10] == 2 && c[4] == 0;
              });
}

/// Thirty columns of 2 to 9 cells in blocks of five that have a cause in common.
Table blocks() {
  std::vector<std::uint32_t> sizes;
  for (std::uint32_t i = 0; i < 30; ++i) sizes.push_back(2 + i % 8);
  return made("blocks", 8000, sizes, true, [](Words& w, auto& cells) {
    std::uint32_t cause = 0;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (i % 5 == 0) cause = skewed(w, 9);
      cells[i] = happens(w, .5) ? cause : below(w, 9);
    }
  });
}

/// A thousand answers to twelve questions of two and three answers.
Table survey() {
  return made("survey", 1000, {2, 3, 2, 3, 2, 3, 2, 3, 2, 3, 2, 3}, false, [](Words& w, auto& c) {
    const bool mood = happens(w, .4);
    for (std::uint32_t& cell : c) cell = happens(w, mood ? .8 : .3) ? 1 : below(w, 3);
  });
}

/// Columns that have nothing to do with each other.
Table independent() {
  return made("independent", 10000, {4, 9, 2, 16, 6, 3, 25, 8}, false, [](Words& w, auto& cells) {
    for (std::uint32_t& cell : cells) cell = skewed(w, 25);
  });
}

Table read(const std::string& path, const std::string& domain_path) {
  const Domain domain = read_domain(domain_path);
  Table table{path, {}, std::vector<std::vector<std::uint32_t>>(domain.columns().size())};
  for (const Column& column : domain.columns()) {
    table.columns.push_back({column.size(), is_ordered(column.cells())});
  }
  SecureRandom random;
  const std::vector<std::uint32_t> digits =
      read_table_digits(CsvSource(path), domain, 1U << 30U, random);
  for (std::size_t i = 0; i < digits.size(); ++i) {
    table.rows[i % table.rows.size()].push_back(digits[i]);
  }
  return table;
}

struct Distances {
  double mean = 0;
  double worst = 0;
  double columns = 0;
};

Distances distances(const PairCounts& a, const PairCounts& b, std::size_t columns, double records) {
  const auto between = [&](std::span<const std::uint64_t> x, std::span<const std::uint64_t> y) {
    double sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      sum += std::abs(static_cast<double>(x[i]) - static_cast<double>(y[i]));
    }
    return sum / (2 * records);
  };
  Distances found;
  double pairs = 0;
  for (std::size_t i = 0; i < columns; ++i) {
    found.columns += between(a.column(i), b.column(i)) / static_cast<double>(columns);
    for (std::size_t j = i + 1; j < columns; ++j, ++pairs) {
      const double distance = between(a.pair(i, j), b.pair(i, j));
      found.mean += distance;
      found.worst = std::max(found.worst, distance);
    }
  }
  found.mean /= pairs;
  return found;
}

/// "31.5: .017"
std::string pair_words(double pairs, double noise) {
  return pairs > 0 ? fmt::format("{:.0f}: {:.4f}", pairs, noise) : "none";
}

void release(const Table& table, const Privacy& budget, Neighbours neighbours, std::size_t runs) {
  SecureRandom random;
  MarginalRequest request{table.columns, budget, {1, neighbours}, {}};
  if (neighbours == Neighbours::kReplace) request.records = table.records();
  const MarginalDesign design = design_marginals(request);
  const MarginalBudget parts(budget, request.unit);
  const auto records = static_cast<double>(table.records());
  const PairCounts truth = table.counts();
  Distances found;
  double between = 0;
  double noise = 0;
  double count = 0;
  std::vector<PairCounts> released;
  for (std::size_t run = 0; run < runs; ++run) {
    PrivateMarginals answers(truth, parts, random);
    RecordedAnswers recorded(answers);
    const MarginalModel model = learn_marginals(design, recorded);
    released.push_back(table.counts_of(model.rows(table.records(), [&] { return random.word(); })));
    const Distances one = distances(truth, released.back(), table.columns.size(), records);
    found.mean += one.mean / static_cast<double>(runs);
    found.columns += one.columns / static_cast<double>(runs);
    found.worst += one.worst / static_cast<double>(runs);
    std::set<std::vector<std::size_t>> pairs;
    double sum = 0;
    double measured = 0;
    for (const Measurement& m : recorded.measured()) {
      if (m.columns.size() < 2) continue;
      pairs.insert(m.columns);
      sum += counts_noise(design, parts.deviation(m.parts), double{1} * m.cells[0] * m.cells[1]) /
             records;
      ++measured;
    }
    if (measured > 0) noise += sum / measured / static_cast<double>(runs);
    count += static_cast<double>(pairs.size()) / static_cast<double>(runs);
    if (run > 0) {
      between += distances(released[run], released[run - 1], table.columns.size(), records).mean /
                 std::sqrt(2) / static_cast<double>(runs - 1);
    }
  }
  const MarginalError stated = marginal_error(design, table.records());
  fmt::print(
      "| {} | {} | {} | {:.4f} | {:.4f} | {:.4f} | {:.3f} | {:.4f} | {} | {:.4f} | {:.4f} |\n",
      table.name, budget.text(), name_of(neighbours), stated.columns.mean, found.columns,
      found.mean, found.worst, between, pair_words(count, noise), stated.seen[1].distance,
      stated.expected());
  std::fflush(stdout);
}

}  // namespace

int main(int argument_count, char** arguments) {
  const std::size_t runs = argument_count > 1 ? std::strtoul(arguments[1], nullptr, 10) : 3;
  std::vector<Table> tables{chain(), classes(), rules(), blocks(), survey(), independent()};
  for (int i = 2; i + 1 < argument_count; i += 2) {
    tables.push_back(read(arguments[i], arguments[i + 1]));
  }
  fmt::print(
      "| table | budget | neighbours | one-way stated | one-way measured | two-way mean | worst | "
      "between releases | measured pairs and their noise | noise in 4x4 cells | stated at most |\n"
      "|---|---|---|---|---|---|---|---|---|---|---|\n");
  for (const Table& table : tables) {
    for (const double epsilon : {.1, .5, 1., 2., 5.}) {
      release(table, Privacy::approximate(epsilon, 1e-6), Neighbours::kReplace, runs);
    }
    release(table, Privacy::approximate(1, 1e-6), Neighbours::kAddRemove, runs);
    release(table, Privacy::pure(1), Neighbours::kReplace, runs);
    release(table, Privacy::pure(5), Neighbours::kAddRemove, runs);
  }
}
