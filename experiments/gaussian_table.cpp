// The tables of docs/evidence/tables.md: what Gaussian samples of a real table promise,
// beside what they do. NOT PRIVATE: it compares releases with the table they were made from.
//
// Usage: gaussian_table FOLDER, the one that holds rand_hie_expenses.csv, .yaml and _covariance.csv
//
// For several budgets, n = 2505 rows of three logarithms, 5 records a release, 20 000 records in
// all:
//   promised   total variation of each record from N(mean, covariance), if the rows were Gaussian
//   model      Kolmogorov distance of the records released from the Gaussian of the table's own
//              mean and the covariance given: what the promise is about, in one column
//   table      their Kolmogorov distance from the table's rows
//   Gaussian   that Gaussian's from the table's rows: what no sampler of Gaussians can avoid
//
// Then 400 shared Gaussians for each of several budgets, 100 rows each: the root mean square error
// of means and covariances from the table's own, in its standard deviations, beside what the design
// states, and the rows' Kolmogorov distances from the table's.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "formats/csv.h"
#include "formats/domain_yaml.h"
#include "formats/public_files.h"
#include "methods/gaussian/moments.h"
#include "methods/gaussian/sampler.h"
#include "records/private_table.h"

namespace {

using namespace mollify;

constexpr std::size_t kOutputs = 5;
constexpr std::size_t kReleases = 4000;

double normal_below(double x) { return std::erfc(-x / std::sqrt(2.0)) / 2; }

/// The greatest difference between the share of sorted values at most x and law(x).
template <class Law>
double distance_from_law(const std::vector<double>& sorted, Law law) {
  double greatest = 0;
  const auto count = static_cast<double>(sorted.size());
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const double at = law(sorted[i]);
    greatest = std::max(
        {greatest, (static_cast<double>(i) + 1) / count - at, at - static_cast<double>(i) / count});
  }
  return greatest;
}

double distance_between(const std::vector<double>& left, const std::vector<double>& right) {
  return distance_from_law(left, [&](double x) {
    const auto below = std::upper_bound(right.begin(), right.end(), x) - right.begin();
    return static_cast<double>(below) / static_cast<double>(right.size());
  });
}

struct MeasuredReleases {
  std::vector<double> rows;
  std::vector<std::vector<double>> sorted;  // of each column
  std::vector<double> mean;
  std::vector<double> covariance;
};

std::vector<std::vector<double>> sorted_columns(const std::vector<double>& rows,
                                                std::size_t width) {
  std::vector<std::vector<double>> columns(width);
  for (std::size_t i = 0; i < rows.size(); ++i) columns[i % width].push_back(rows[i]);
  for (auto& column : columns) std::sort(column.begin(), column.end());
  return columns;
}

void compare(const MeasuredReleases& table, const Whitening& whitening,
             const std::vector<RealRange>& ranges, const char* name, Privacy budget,
             std::optional<double> mean_bound) {
  const std::size_t width = table.mean.size();
  const MemoryTable rows(width, table.rows);
  const GaussianSampler sampler(
      design_gaussian({.records = rows.record_count(),
                       .dimension = width,
                       .outputs = kOutputs,
                       .budget = budget,
                       .mean_bound = mean_bound,
                       .ranges = mean_bound ? std::vector<RealRange>() : ranges}),
      whitening);
  SecureRandom random;
  std::vector<double> released;
  for (std::size_t i = 0; i < kReleases; ++i) {
    const std::vector<double> drawn = sampler.draw(rows, random);
    released.insert(released.end(), drawn.begin(), drawn.end());
  }
  const auto columns = sorted_columns(released, width);
  fmt::print("| {} | {} | {:.2g} |", name, mean_bound ? fmt::format("{:g}", *mean_bound) : "found",
             sampler.design().total_variation_up());
  for (std::size_t i = 0; i < width; ++i) {
    const double deviation = std::sqrt(table.covariance[i * width + i]);
    const auto gaussian = [&](double x) { return normal_below((x - table.mean[i]) / deviation); };
    fmt::print(" {:.3f} | {:.3f} | {:.3f} |", distance_from_law(columns[i], gaussian),
               distance_between(columns[i], table.sorted[i]),
               distance_from_law(table.sorted[i], gaussian));
  }
  fmt::print("\n");
}

/// The table's own covariance.
std::vector<double> covariance_of(const MeasuredReleases& table) {
  const std::size_t width = table.mean.size();
  std::vector<double> covariance(width * width);
  const double count = static_cast<double>(table.rows.size() / width);
  for (std::size_t row = 0; row < table.rows.size(); row += width) {
    for (std::size_t i = 0; i < width; ++i) {
      for (std::size_t j = 0; j < width; ++j) {
        covariance[i * width + j] +=
            (table.rows[row + i] - table.mean[i]) * (table.rows[row + j] - table.mean[j]) / count;
      }
    }
  }
  return covariance;
}

/// Mean squares of errors in standard deviations of the truth.
double mean_square(const std::vector<double>& found, const std::vector<double>& truth,
                   const std::vector<double>& units) {
  double sum = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    sum += std::pow((found[i] - truth[i]) / units[i], 2) / static_cast<double>(found.size());
  }
  return sum;
}

void compare_shared(const MeasuredReleases& table, const std::vector<double>& low,
                    const std::vector<double>& high, const char* name, Privacy budget) {
  constexpr std::size_t kModels = 400;
  constexpr std::size_t kRowsOfEach = 100;
  const std::size_t width = table.mean.size();
  const MemoryTable rows(width, table.rows);
  const std::vector<double> covariance = covariance_of(table);
  std::vector<double> units;
  std::vector<double> pair_units;
  for (std::size_t i = 0; i < width; ++i) units.push_back(std::sqrt(covariance[i * width + i]));
  for (const double one : units) {
    for (const double other : units) pair_units.push_back(one * other);
  }
  const MomentSampler sampler(design_moments({rows.record_count(), width, budget}), low, high);
  SecureRandom random;
  double of_means = 0;
  double of_covariances = 0;
  std::vector<double> released;
  for (std::size_t i = 0; i < kModels; ++i) {
    const SharedGaussian model = sampler.measure(rows, random);
    of_means += mean_square(model.mean, table.mean, units) / kModels;
    of_covariances += mean_square(model.covariance, covariance, pair_units) / kModels;
    model.draw(kRowsOfEach, low, high, random, [&](std::span<const double> row) {
      released.insert(released.end(), row.begin(), row.end());
    });
  }
  const MomentDesign& design = sampler.design();
  fmt::print("| {} | {:.4f} | {:.4f} | {:.4f} | {:.4f} |", name, design.mean_error,
             std::sqrt(of_means), design.covariance_error, std::sqrt(of_covariances));
  const auto columns = sorted_columns(released, width);
  for (std::size_t i = 0; i < width; ++i) {
    fmt::print(" {:.3f} |", distance_between(columns[i], table.sorted[i]));
  }
  fmt::print("\n");
}

/// What a covariance that was published for others errs by.
double error_of_given(const MeasuredReleases& table) {
  const std::size_t width = table.mean.size();
  const std::vector<double> covariance = covariance_of(table);
  std::vector<double> units;
  for (std::size_t i = 0; i < width; ++i) {
    for (std::size_t j = 0; j < width; ++j) {
      units.push_back(std::sqrt(covariance[i * width + i] * covariance[j * width + j]));
    }
  }
  return std::sqrt(mean_square(table.covariance, covariance, units));
}

}  // namespace

int main(int argument_count, char** arguments) {
  if (argument_count != 2) {
    std::fputs("usage: gaussian_table FOLDER\n", stderr);
    return 2;
  }
  const std::string stem = std::string(arguments[1]) + "/rand_hie_expenses";
  const Domain domain = read_domain(stem + ".yaml");
  const std::vector<std::string> logarithms{"year1", "year2", "year3"};
  const RealColumns columns(domain, logarithms);
  MeasuredReleases table;
  const CsvSource source(stem + ".csv");
  const NumericRows rows_of_file(source, columns);
  rows_of_file.visit([&](std::span<const double> rows) {
    table.rows.insert(table.rows.end(), rows.begin(), rows.end());
  });
  table.sorted = sorted_columns(table.rows, columns.size());
  for (const auto& column : table.sorted) {
    double sum = 0;
    for (const double value : column) sum += value;
    table.mean.push_back(sum / static_cast<double>(column.size()));
  }
  table.covariance = read_covariance(stem + "_covariance.csv", columns);
  std::vector<double> low, high, middle;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    low.push_back(columns.low(i));
    high.push_back(columns.high(i));
    middle.push_back((low.back() + high.back()) / 2);
  }
  const Whitening whitening = Whitening::from_covariance(columns.size(), table.covariance, middle);
  const auto ranges = whitening.ranges_of_box(low, high);
  fmt::print("| budget | mean | promised");
  for (int year = 1; year <= 3; ++year) fmt::print(" | year {}: model | table | Gaussian", year);
  fmt::print(" |\n");
  fmt::print("|---|---|---|---|---|---|---|---|---|---|---|---|\n");
  struct Budget {
    const char* name;
    Privacy budget;
  };
  for (const Budget& each :
       {Budget{"ε = 1", Privacy::pure(1)}, Budget{"ε = 0.25", Privacy::pure(0.25)},
        Budget{"ρ = 0.5", Privacy::concentrated(0.5)},
        Budget{"ρ = 0.005", Privacy::concentrated(0.005)},
        Budget{"ε = 1, δ = 10⁻⁶", Privacy::approximate(1, 1e-6)}}) {
    compare(table, whitening, ranges, each.name, each.budget, std::nullopt);
    compare(table, whitening, ranges, each.name, each.budget, 10);
  }
  fmt::print("\nthe covariance given errs by {:.4f}, sampling by {:.4f}\n\n", error_of_given(table),
             1 / std::sqrt(static_cast<double>(table.rows.size() / columns.size())));
  fmt::print(
      "| budget | mean: stated | measured | covariance: stated | measured | year 1 "
      "| "
      "year 2 | year 3 |\n|---|---|---|---|---|---|---|---|\n");
  for (const Budget& each : {Budget{"ε = 1", Privacy::pure(1)}, Budget{"ε = 5", Privacy::pure(5)},
                             Budget{"ρ = 0.5", Privacy::concentrated(0.5)},
                             Budget{"ρ = 0.05", Privacy::concentrated(0.05)},
                             Budget{"ρ = 0.005", Privacy::concentrated(0.005)},
                             Budget{"ε = 1, δ = 10⁻⁶", Privacy::approximate(1, 1e-6)}}) {
    compare_shared(table, low, high, each.name, each.budget);
  }
  return EXIT_SUCCESS;
}
