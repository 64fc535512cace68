// The table of docs/theory/graphical-models.md: what the choices of a fit, and of its rows, are
// worth on a real table. NOT PRIVATE: it looks at the table, and its noise is simulated.
//
// Usage: model_fit DATA.csv DOMAIN.yaml [REPEATS]
//
// Each column is measured, then one pair of columns a round: that whose counts differ most from the
// model's, less half of what noise would make of them, among pairs that keep the junction tree
// below a limit, drawn by an exponential mechanism. Noise is Gaussian, of rho = .0244 in all
// (epsilon = 1 and delta = 1e-6 by adding or removing a row): a tenth for columns, of the rest a
// twentieth for choices.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "core/random.h"
#include "domain/column.h"
#include "formats/csv.h"
#include "formats/domain_yaml.h"
#include "methods/graphical/fit.h"
#include "methods/graphical/model.h"
#include "records/private_table.h"

namespace {

using namespace mollify;

constexpr double kRho = 0.0244;

struct Table {
  ColumnSizes sizes;
  std::vector<bool> ordered;
  ModelRows rows;

  [[nodiscard]] std::size_t count() const { return rows[0].size(); }
};

Table read(const std::string& data, const std::string& domain_file) {
  const Domain domain = read_domain(domain_file);
  SecureRandom random;
  const std::vector<std::uint32_t> digits =
      read_table_digits(CsvSource(data), domain, std::size_t{1} << 24, random).digits;
  Table table;
  for (const Column& column : domain.columns()) {
    table.sizes.push_back(column.size());
    table.ordered.push_back(is_ordered(column.cells()));
  }
  const std::size_t columns = table.sizes.size();
  for (std::size_t c = 0; c < columns; ++c) {
    table.rows.emplace_back();
    for (std::size_t i = c; i < digits.size(); i += columns) table.rows[c].push_back(digits[i]);
  }
  return table;
}

std::vector<double> shares(const ColumnSizes& sizes, const ModelRows& rows, const Clique& clique) {
  std::vector<double> shares(cell_count(sizes, clique));
  const std::size_t count = rows[0].size();
  for (std::size_t i = 0; i < count; ++i) {
    std::size_t cell = 0;
    for (const std::size_t column : clique) cell = cell * sizes[column] + rows[column][i];
    shares[cell] += 1 / static_cast<double>(count);
  }
  return shares;
}

double total_variation(const std::vector<double>& left, const std::vector<double>& right) {
  double sum = 0;
  for (std::size_t i = 0; i < left.size(); ++i) sum += std::abs(left[i] - right[i]);
  return sum / 2;
}

/// The mean over all sets of two, or three, columns.
double mean_distance(const Table& table, const ModelRows& rows, bool of_three) {
  double sum = 0;
  double sets = 0;
  const auto add = [&](const Clique& clique) {
    sum +=
        total_variation(shares(table.sizes, table.rows, clique), shares(table.sizes, rows, clique));
    sets += 1;
  };
  for (std::size_t a = 0; a < rows.size(); ++a) {
    for (std::size_t b = a + 1; b < rows.size(); ++b) {
      if (!of_three) add({a, b});
      for (std::size_t c = b + 1; c < rows.size() && of_three; ++c) add({a, b, c});
    }
  }
  return sum / sets;
}

struct Variant {
  const char* name;
  FitOptions options = {};
  int rounds = 40;
  std::uint64_t most_cells = 100'000;
  RowSampling sampling = RowSampling::kMatched;
};

/// Measures and fits; what it takes without the looks at the table.
GraphicalModel learned(const Table& table, const Variant& variant, std::mt19937_64& random,
                       double& seconds) {
  std::normal_distribution<double> normal;
  const auto rows = static_cast<double>(table.count());
  std::vector<NoisyMarginal> measured;
  const auto measure = [&](const Clique& clique, double rho) {
    const double deviation = std::sqrt(1 / (2 * rho));
    std::vector<double> counts = shares(table.sizes, table.rows, clique);
    for (double& count : counts) count = rows * count + deviation * normal(random);
    measured.push_back({clique, std::move(counts), deviation});
    return deviation;
  };
  const double columns = static_cast<double>(table.sizes.size());
  for (std::size_t c = 0; c < table.sizes.size(); ++c) measure({c}, 0.1 * kRho / columns);
  const double round = 0.9 * kRho / variant.rounds;
  const double deviation = std::sqrt(1 / (2 * 0.95 * round));
  const double scale = 2 / std::sqrt(8 * 0.05 * round);  // of the choice's Gumbel noise
  const auto now = [] { return std::chrono::steady_clock::now(); };
  std::optional<GraphicalModel> model;
  FitState state;
  std::vector<Clique> cliques;
  for (int i = 0; i <= variant.rounds; ++i) {
    const auto begin = now();
    model = fit(table.sizes, measured, rows, variant.options, &state);
    const auto pairs = model->pair_marginals();
    seconds += std::chrono::duration<double>(now() - begin).count();
    if (i == variant.rounds) break;
    const Clique* best = nullptr;
    double most = 0;
    for (const GraphicalModel::Marginal& pair : pairs) {
      if (std::find(cliques.begin(), cliques.end(), pair.clique) != cliques.end() ||
          JunctionTree::cells_with(table.sizes, cliques, pair.clique) > variant.most_cells) {
        continue;
      }
      const double difference =
          2 * rows *
          total_variation(pair.probabilities, shares(table.sizes, table.rows, pair.clique));
      const double noise =
          0.8 * deviation * static_cast<double>(cell_count(table.sizes, pair.clique));
      const double uniform = (static_cast<double>(random() >> 11) + 0.5) * 0x1p-53;
      const double score = difference - noise / 2 - scale * std::log(-std::log(uniform));
      if (best == nullptr || score > most) {
        best = &pair.clique;
        most = score;
      }
    }
    if (best == nullptr) break;
    cliques.push_back(*best);
    measure(*best, 0.95 * round);
  }
  return *model;
}

}  // namespace

int main(int argument_count, char** arguments) {
  if (argument_count < 3 || argument_count > 4) {
    std::fputs("usage: model_fit DATA.csv DOMAIN.yaml [REPEATS]\n", stderr);
    return 2;
  }
  const Table table = read(arguments[1], arguments[2]);
  const int repeats = argument_count == 4 ? std::atoi(arguments[3]) : 3;
  const FitOptions standard{.ordered = table.ordered};
  const auto with = [&](double shrinkage, double smoothness, double tolerance) {
    FitOptions options = standard;
    options.shrinkage = shrinkage;
    options.smoothness = smoothness;
    options.tolerance = tolerance;
    return options;
  };
  const Variant variants[] = {
      {"as it is", standard},
      {"rows rounded", standard, 40, 100'000, RowSampling::kRounded},
      {"rows independent", standard, 40, 100'000, RowSampling::kIndependent},
      {"λ = 20", with(20, 1, 0.1)},
      {"λ = 500", with(500, 1, 0.1)},
      {"β = 0", with(100, 0, 0.1)},
      {"β = 5", with(100, 5, 0.1)},
      {"tolerance .02", with(100, 1, 0.02)},
      {"20 pairs", standard, 20},
      {"60 pairs", standard, 60},
      {"tree of 3·10⁴ cells", standard, 40, 30'000},
      {"tree of 3·10⁵ cells", standard, 40, 300'000},
  };
  fmt::print("| variant | two-way | three-way | fits, seconds |\n|---|---|---|---|\n");
  for (const Variant& variant : variants) {
    double two = 0;
    double three = 0;
    double seconds = 0;
    for (int repeat = 0; repeat < repeats; ++repeat) {
      std::mt19937_64 random(static_cast<std::uint64_t>(repeat));
      const GraphicalModel model = learned(table, variant, random, seconds);
      const ModelRows rows = model.sample(
          table.count(), [&] { return random(); }, variant.sampling);
      two += mean_distance(table, rows, false) / repeats;
      three += mean_distance(table, rows, true) / repeats;
    }
    fmt::print("| {} | {:.4f} | {:.4f} | {:.2f} |\n", variant.name, two, three, seconds / repeats);
    std::fflush(stdout);
  }
  return 0;
}
