// Makes the table of samples in docs/evidence/tables.md: the error that the central model promises,
// beside the error of its releases of a real table. NOT PRIVATE: it compares releases with it.
//
// Usage: central_table RAND_HIE.csv
//
// For several sets of columns, budgets and numbers of rows m, of the mechanism that `auto` chooses:
//   promised   total variation of each row from the distribution behind the table, at worst
//   law        that of the exact law of a row from the table itself
//   drawn      that of a million rows from many releases, and of a million rows drawn straight from
//              the table, which are off by chance alone
//   release    the mean total variation between the m rows of one release and the table, and that
//              of m rows drawn straight from it
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <fmt/format.h>

#include "formats/csv.h"
#include "formats/domain_yaml.h"
#include "methods/central/design.h"
#include "records/private_table.h"

namespace {

using namespace mollify;

constexpr std::uint64_t kDraws = 1'000'000;

struct ColumnSet {
  const char* name;
  const char* domain;
};

constexpr ColumnSet kColumnSets[] = {
    {"health, limitation, visits in 2",
     "columns:\n"
     "  hlth: {type: categorical, values: [excellent, good, fair, poor], null: excellent}\n"
     "  physlm: {type: boolean, null: false}\n"
     "  mdvis: {type: integer, min: 0, max: 9, bins: 2, null: 0}\n"},
    {"sex, age in 8, health, limitation",
     "columns:\n"
     "  sex: {type: categorical, values: [female, male], null: female}\n"
     "  age: {type: number, min: 0, max: 64, bins: 8, null: 0}\n"
     "  hlth: {type: categorical, values: [excellent, good, fair, poor], null: excellent}\n"
     "  physlm: {type: boolean, null: false}\n"},
    {"site, sex, age in 12, health, visits in 5",
     "columns:\n"
     "  site: {type: integer, min: 1, max: 6, null: 1}\n"
     "  sex: {type: categorical, values: [female, male], null: female}\n"
     "  age: {type: number, min: 0, max: 66, bins: 12, null: 0}\n"
     "  hlth: {type: categorical, values: [excellent, good, fair, poor], null: excellent}\n"
     "  mdvis: {type: integer, min: 0, max: 9, bins: 5, null: 0}\n"},
};

using Frequencies = std::vector<double>;

void count(std::span<const std::uint32_t> outcomes, Frequencies& counts) {
  for (const std::uint32_t outcome : outcomes) ++counts[outcome];
}

double total_variation(const Frequencies& left, const Frequencies& right) {
  double left_sum = 0, right_sum = 0, sum = 0;
  for (const double value : left) left_sum += value;
  for (const double value : right) right_sum += value;
  for (std::size_t i = 0; i < left.size(); ++i) {
    sum += std::abs(left[i] / left_sum - right[i] / right_sum);
  }
  return sum / 2;
}

/// What many releases of m rows show.
struct Seen {
  double pooled = 0;   ///< total variation of all rows together
  double release = 0;  ///< mean total variation of the rows of one
};

template <class Release>
Seen look_at(const Frequencies& table, std::uint64_t rows, Release release) {
  Frequencies pooled(table.size());
  Seen seen;
  const std::uint64_t releases = kDraws / rows;
  for (std::uint64_t i = 0; i < releases; ++i) {
    Frequencies one(table.size());
    count(release(), one);
    seen.release += total_variation(one, table) / static_cast<double>(releases);
    for (std::size_t j = 0; j < pooled.size(); ++j) pooled[j] += one[j];
  }
  seen.pooled = total_variation(pooled, table);
  return seen;
}

void compare(const std::string& data, const ColumnSet& set, double delta, std::uint64_t rows) {
  const Domain domain = parse_domain(set.domain, set.name);
  const std::vector<std::uint32_t> records = read_outcomes(CsvSource(data), domain);
  Frequencies table(domain.size());
  count(records, table);
  const CentralDesign design = best_central_design({.records = records.size(),
                                                    .outcomes = domain.size(),
                                                    .outputs = rows,
                                                    .budget = Privacy::approximate(1, delta)});
  const auto sampler = make_central_sampler(design);
  SecureRandom random;
  const Seen seen = look_at(table, rows, [&] { return sampler->draw(records, random); });
  const Seen straight = look_at(table, rows, [&] {
    std::vector<std::uint32_t> drawn(rows);
    for (std::uint32_t& outcome : drawn) {
      outcome = records[static_cast<std::size_t>(random.below(records.size()))];
    }
    return drawn;
  });
  // Randomized response replaces a row by a uniform one with probability k / (E0 + k - 1).
  const auto k = static_cast<double>(domain.size());
  const auto law = [&](double epsilon0) {
    return k / (std::exp(epsilon0) + k - 1) *
           total_variation(table, Frequencies(table.size(), 1.0));
  };
  fmt::print("| {} | {} | {} | {} | {} | {:.2g} | {} | {:.2g} ({:.2g}) | {:.3f} ({:.3f}) |\n",
             set.name, domain.size(), delta == 0 ? "0" : "10⁻⁶", rows, name_of(design.mechanism),
             design.total_variation_up,
             design.epsilon0 ? fmt::format("{:.2g}", law(*design.epsilon0)) : "", seen.pooled,
             straight.pooled, seen.release, straight.release);
}

}  // namespace

int main(int argument_count, char** arguments) {
  if (argument_count != 2) {
    std::fputs("usage: central_table RAND_HIE.csv\n", stderr);
    return 2;
  }
  fmt::print("| columns | k | δ | m | mechanism | promised | law | drawn | release |\n");
  fmt::print("|---|---|---|---|---|---|---|---|---|\n");
  for (const ColumnSet& set : kColumnSets) {
    for (const double delta : {0.0, 1e-6}) {
      for (const std::uint64_t rows : {1U, 100U, 1000U}) compare(arguments[1], set, delta, rows);
    }
  }
  return EXIT_SUCCESS;
}
