// The tables of docs/evidence/tables.md: how far rows by method marginals are from the table
// that they were made from. NOT PRIVATE: it compares releases with the table.
//
// Usage: marginals DATA.csv DOMAIN.yaml [RUNS [EPSILON]] [--reference PUBLIC.csv]
//
// With public records each release against adding or removing a row, with delta, is made twice:
// with a model that begins at them and without.
//
// Two- and three-way total variation (half the sum of absolute differences of two marginals)
// between as many rows as there are and the table: mean and worst over all pairs, and over all
// triples, of columns; means of RUNS releases. Beside: rows of independent columns, and a bootstrap
// of the table.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "domain/column.h"
#include "formats/csv.h"
#include "formats/domain_yaml.h"
#include "methods/marginals/counts.h"
#include "methods/marginals/learner.h"
#include "records/private_table.h"
#include "records/source.h"

namespace {

using namespace mollify;

struct Distances {
  double mean = 0;
  double worst = 0;
};

/// Both tables have as many rows as columns[0] has.
double total_variation(const ModelRows& left, const ModelRows& right,
                       std::span<const std::uint32_t> sizes, std::span<const std::size_t> columns) {
  std::size_t cells = 1;
  for (const std::size_t column : columns) cells *= sizes[column];
  std::vector<double> differences(cells);
  const auto add = [&](const ModelRows& rows, double weight) {
    for (std::size_t row = 0; row < rows[0].size(); ++row) {
      std::size_t cell = 0;
      for (const std::size_t column : columns) cell = cell * sizes[column] + rows[column][row];
      differences[cell] += weight;
    }
  };
  add(left, 1.0 / static_cast<double>(left[0].size()));
  add(right, -1.0 / static_cast<double>(right[0].size()));
  double sum = 0;
  for (const double difference : differences) sum += std::abs(difference);
  return sum / 2;
}

Distances distances(const ModelRows& left, const ModelRows& right,
                    std::span<const std::uint32_t> sizes, std::size_t ways) {
  Distances found;
  std::size_t sets = 0;
  const auto look = [&](std::initializer_list<std::size_t> columns) {
    const double distance = total_variation(left, right, sizes, {columns.begin(), columns.size()});
    found.mean += distance;
    found.worst = std::max(found.worst, distance);
    ++sets;
  };
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    for (std::size_t j = i + 1; j < sizes.size(); ++j) {
      if (ways == 2) look({i, j});
      for (std::size_t k = j + 1; ways == 3 && k < sizes.size(); ++k) look({i, j, k});
    }
  }
  found.mean /= static_cast<double>(sets);
  return found;
}

struct Table {
  Domain domain;
  std::vector<std::uint32_t> sizes;
  std::vector<MarginalColumn> columns;
  ModelRows rows;
  PairCounts counts;
};

Table read(const std::string& path, const std::string& domain) {
  Table table{read_domain(domain), {}, {}, {}, PairCounts({})};
  for (const Column& column : table.domain.columns()) {
    table.sizes.push_back(column.size());
    table.columns.push_back({column.size(), is_ordered(column.cells())});
  }
  table.rows.resize(table.sizes.size());
  SecureRandom random;
  const std::vector<std::uint32_t> digits =
      read_table_digits(CsvSource(path), table.domain, 1U << 30U, random);
  for (std::size_t i = 0; i < digits.size(); ++i) {
    table.rows[i % table.sizes.size()].push_back(digits[i]);
  }
  std::vector<std::span<const std::uint32_t>> spans(table.rows.begin(), table.rows.end());
  PairCounter counter(table.sizes);
  counter.add(spans);
  table.counts = std::move(counter).take();
  return table;
}

void print_line(const std::string& what, const Table& table, const std::vector<ModelRows>& releases,
                double seconds) {
  Distances two;
  Distances three;
  for (const ModelRows& rows : releases) {
    const Distances pairs = distances(rows, table.rows, table.sizes, 2);
    const Distances triples = distances(rows, table.rows, table.sizes, 3);
    const auto count = static_cast<double>(releases.size());
    two.mean += pairs.mean / count;
    two.worst += pairs.worst / count;
    three.mean += triples.mean / count;
    three.worst += triples.worst / count;
  }
  fmt::print("| {} | {:.4f} | {:.3f} | {:.4f} | {:.3f} | {} |\n", what, two.mean, two.worst,
             three.mean, three.worst, seconds > 0 ? fmt::format("{:.2f}", seconds) : "");
  std::fflush(stdout);
}

void release(const Table& table, const Privacy& budget, Neighbours neighbours, std::size_t runs,
             const PairCounts* reference = nullptr) {
  SecureRandom random;
  MarginalRequest request{table.columns, budget, {1, neighbours}, {}};
  if (neighbours == Neighbours::kReplace) request.records = table.rows[0].size();
  const MarginalDesign design = design_marginals(request);
  const MarginalBudget parts(budget, request.unit);
  std::vector<ModelRows> releases;
  const std::clock_t begin = std::clock();
  for (std::size_t run = 0; run < runs; ++run) {
    PrivateMarginals answers(table.counts, parts, random);
    const MarginalModel model = learn_marginals(design, answers, reference);
    releases.push_back(model.rows(table.rows[0].size(), [&] { return random.word(); }));
  }
  const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  print_line(fmt::format("{}, {}{}", budget.text(), name_of(neighbours),
                         reference != nullptr ? ", public records" : ""),
             table, releases, seconds / static_cast<double>(runs));
}

ModelRows resampled(const Table& table, bool independent) {
  SecureRandom random;
  const std::size_t count = table.rows[0].size();
  ModelRows rows(table.rows.size());
  for (std::size_t row = 0; row < count; ++row) {
    std::size_t from = random.below(count);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (independent) from = random.below(count);
      rows[i].push_back(table.rows[i][from]);
    }
  }
  return rows;
}

}  // namespace

int main(int argument_count, char** arguments) {
  std::string public_path;
  if (argument_count > 4 && std::string(arguments[argument_count - 2]) == "--reference") {
    public_path = arguments[argument_count - 1];
    argument_count -= 2;
  }
  if (argument_count < 3 || argument_count > 5) {
    std::fputs("usage: marginals DATA.csv DOMAIN.yaml [RUNS [EPSILON]] [--reference PUBLIC.csv]\n",
               stderr);
    return 2;
  }
  const Table table = read(arguments[1], arguments[2]);
  const std::size_t runs = argument_count > 3 ? std::strtoul(arguments[3], nullptr, 10) : 3;
  std::optional<Table> known;
  if (!public_path.empty()) {
    known.emplace(read(public_path, arguments[2]));
    const std::vector<ModelRows> rows = {known->rows};
    print_line("the public records", table, rows, 0);
  }
  fmt::print("| rows | two-way mean | worst | three-way mean | worst | seconds |\n");
  fmt::print("|---|---|---|---|---|---|\n");
  if (argument_count < 5) {
    print_line("independent columns, no noise", table, {resampled(table, true)}, 0);
    print_line("a bootstrap of the table", table, {resampled(table, false)}, 0);
  }
  for (const Neighbours neighbours : {Neighbours::kAddRemove, Neighbours::kReplace}) {
    for (const double delta : {1e-6, 0.0}) {
      for (const double epsilon : {0.1, 0.5, 1.0, 2.0, 5.0}) {
        if (argument_count == 5 && epsilon != std::strtod(arguments[4], nullptr)) continue;
        if (known && (delta == 0 || neighbours == Neighbours::kReplace)) continue;
        release(table, Privacy::approximate(epsilon, delta), neighbours, runs);
        if (!known) continue;
        release(table, Privacy::approximate(epsilon, delta), neighbours, runs, &known->counts);
      }
    }
  }
  return EXIT_SUCCESS;
}
