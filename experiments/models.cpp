// The table of docs/measured/models.md: how near one public model is to a table that it was drawn
// for under integral privacy, beside single draws. NOT PRIVATE: it compares releases with the table
// they were made from.
//
// Usage: models FOLDER, the one that holds rand_hie.csv and rand_hie_eight.yaml
//
// Total variation of pairs of columns from the table's, mean over all 28 pairs, of the model that
// is released: mean over 100 releases. Single draws at a fiftieth of the budget are within a factor
// e^(epsilon/50) of the reference, whose own distance is printed first.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "io/csv_source.h"
#include "io/public_files.h"
#include "records/private_table.h"
#include "release/release.h"

namespace {

using namespace mollify;

using Pairs = std::vector<std::vector<double>>;  // (0, 1), (0, 2), ..., row-major

std::vector<std::size_t> sizes_of(const Domain& domain) {
  std::vector<std::size_t> sizes;
  for (const Column& column : domain.columns()) sizes.push_back(column.size());
  return sizes;
}

Pairs pairs_of_source(const Source& source, const Domain& domain) {
  const auto sizes = sizes_of(domain);
  Pairs pairs;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    for (std::size_t j = i + 1; j < sizes.size(); ++j) pairs.emplace_back(sizes[i] * sizes[j]);
  }
  double rows = 0;
  visit_digits(source, domain, [&](std::span<const std::span<const std::uint32_t>> digits) {
    for (std::size_t row = 0; row < digits[0].size(); ++row) {
      std::size_t pair = 0;
      for (std::size_t i = 0; i < sizes.size(); ++i) {
        for (std::size_t j = i + 1; j < sizes.size(); ++j) {
          pairs[pair++][digits[i][row] * sizes[j] + digits[j][row]] += 1;
        }
      }
    }
    rows += static_cast<double>(digits[0].size());
  });
  for (auto& cells : pairs) {
    for (double& cell : cells) cell /= rows;
  }
  return pairs;
}

/// Of a product of columns.
Pairs pairs_of_columns(const std::vector<std::vector<double>>& columns) {
  Pairs pairs;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    for (std::size_t j = i + 1; j < columns.size(); ++j) {
      auto& cells = pairs.emplace_back();
      for (const double a : columns[i]) {
        for (const double b : columns[j]) cells.push_back(a * b);
      }
    }
  }
  return pairs;
}

double distance(const Pairs& a, const Pairs& b) {
  double sum = 0;
  for (std::size_t pair = 0; pair < a.size(); ++pair) {
    for (std::size_t cell = 0; cell < a[pair].size(); ++cell) {
      sum += std::abs(a[pair][cell] - b[pair][cell]) / 2;
    }
  }
  return sum / static_cast<double>(a.size());
}

/// Keeps the model of a release.
class KeptRelease final : public Sink {
 public:
  void begin(const Schema&) override {}
  void write(const Block&) override {}
  void take_model(const std::string& json) override { model = nlohmann::json::parse(json); }
  void finish() override {}

  nlohmann::json model;
};

/// The columns of a released product.
std::vector<std::vector<double>> columns_of(const nlohmann::json& model) {
  std::vector<std::vector<double>> columns;
  for (const auto& potential : model["graph"]["potentials"]) {
    auto& column = columns.emplace_back();
    double sum = 0;
    for (const double value : potential["values"]) {
      column.push_back(std::exp(value));
      sum += column.back();
    }
    for (double& share : column) share /= sum;
  }
  return columns;
}

double distance_of_models(const std::string& spec, const PublicInputs& inputs, const Source& data,
                          const Pairs& truth) {
  constexpr int kReleases = 100;
  const auto release = prepare(parse_spec(spec, "spec"), inputs);
  SecureRandom random;
  double sum = 0;
  for (int i = 0; i < kReleases; ++i) {
    KeptRelease kept;
    release->draw(data, random, kept, 1);
    sum += distance(truth, pairs_of_columns(columns_of(kept.model))) / kReleases;
  }
  return sum;
}

}  // namespace

int main(int argument_count, char** arguments) {
  if (argument_count != 2) {
    std::fputs("usage: models FOLDER\n", stderr);
    return 2;
  }
  const std::string folder = arguments[1];
  const PublicFiles inputs(folder + "/rand_hie.csv");
  const SpecDomain named{.file = folder + "/rand_hie_eight.yaml"};
  const Domain domain = inputs.domain(named);
  const CsvSource data(folder + "/rand_hie.csv");
  const Pairs truth = pairs_of_source(data, domain);
  std::vector<std::vector<double>> even;
  for (const std::size_t size : sizes_of(domain)) {
    even.emplace_back(size, 1 / static_cast<double>(size));
  }
  fmt::print("the reference, even in each column: {:.3f}\n\n",
             distance(truth, pairs_of_columns(even)));
  fmt::print("| ε | models | relative | location=0.05 |\n|---|---|---|---|\n");
  for (const char* epsilon : {"2", "5", "10"}) {
    for (const int models : {200, 2000, 20000}) {
      fmt::print("| {} | {} |", epsilon, models);
      for (const char* band : {"relative", "location=0.05"}) {
        // b must be e^-epsilon at least.
        if (std::string(epsilon) == "2" && std::string(band) != "relative") {
          fmt::print(" |");
          continue;
        }
        nlohmann::json spec = {{"model", "integral"},
                               {"domain", {{"file", named.file}}},
                               {"count", 1},
                               {"privacy", {{"epsilon", epsilon}}},
                               {"space", {{"kind", "models"}, {"candidates", models}}},
                               {"band", band}};
        fmt::print(" {:.3f} |", distance_of_models(spec.dump(), inputs, data, truth));
        std::fflush(stdout);
      }
      fmt::print("\n");
    }
  }
  return EXIT_SUCCESS;
}
