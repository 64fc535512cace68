// The table of docs/evidence/single-records.md: how near one public model is to a table that it was
// drawn for under integral privacy, beside single draws. NOT PRIVATE: it compares releases with the
// table they were made from.
//
// Usage: models FOLDER, the one that holds rand_hie.csv and rand_hie_eight.yaml
//
// Total variation of pairs of columns from the table's, mean over all 28 pairs, of the model that
// is released: mean over 20 releases, and its standard error. Single draws at a fiftieth of the
// budget are within a factor e^(epsilon/50) of the reference, whose own distance is printed first.
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "domain/column.h"
#include "formats/csv.h"
#include "formats/public_files.h"
#include "methods/marginals/method.h"
#include "records/private_table.h"
#include "release/public_inputs.h"
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
  visit_digits(
      source, domain,
      [&](std::span<const std::span<const std::uint32_t>> digits, std::span<const std::uint64_t>) {
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

double distance(const Pairs& a, const Pairs& b) {
  double sum = 0;
  for (std::size_t pair = 0; pair < a.size(); ++pair) {
    for (std::size_t cell = 0; cell < a[pair].size(); ++cell) {
      sum += std::abs(a[pair][cell] - b[pair][cell]) / 2;
    }
  }
  return sum / static_cast<double>(a.size());
}

Pairs pairs_of_model(const std::string& json) {
  Pairs pairs;
  for (auto& marginal : parse_released_model(json, "the model").model.graph().pair_marginals()) {
    pairs.push_back(std::move(marginal.probabilities));
  }
  return pairs;
}

/// The mean over releases, ± its standard error.
std::string distance_of_models(const std::string& spec, const PublicInputs& inputs,
                               const Source& data, const Pairs& truth) {
  constexpr int kReleases = 20;
  const auto release = prepare(parse_spec(spec, "spec"), inputs);
  SecureRandom random;
  double sum = 0;
  double squares = 0;
  for (int i = 0; i < kReleases; ++i) {
    MemorySink rows;
    const Drawn drawn = release->draw(data, random, rows, 1);
    const double one = distance(truth, pairs_of_model(drawn.model));
    sum += one;
    squares += one * one;
  }
  const double mean = sum / kReleases;
  const double variance = std::max(squares / kReleases - mean * mean, 0.) / (kReleases - 1);
  return fmt::format("{:.3f} ± {:.3f}", mean, std::sqrt(variance));
}

/// A file that is gone with it.
class TemporaryFile {
 public:
  TemporaryFile() {
    const int file = mkstemp(path_.data());
    if (file < 0) throw std::runtime_error("no temporary file can be made");
    close(file);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() { std::remove(path_.c_str()); }

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_ = "/tmp/models_XXXXXX";
};

/// The rows of all sites but the first, and those of the first.
class SitesApart {
 public:
  explicit SitesApart(const std::string& file) {
    std::ifstream lines(file);
    std::ofstream table(table_.path());
    std::ofstream others(others_.path());
    std::string line;
    std::getline(lines, line);
    table << line << "\n";
    others << line << "\n";
    // person,year,site,...
    while (std::getline(lines, line)) {
      const std::size_t site = line.find(',', line.find(',') + 1) + 1;
      (line.substr(site, 2) == "1," ? others : table) << line << "\n";
    }
  }

  [[nodiscard]] const std::string& table() const { return table_.path(); }
  [[nodiscard]] const std::string& others() const { return others_.path(); }

 private:
  TemporaryFile table_;
  TemporaryFile others_;
};

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
  Pairs even = truth;
  for (auto& cells : even) cells.assign(cells.size(), 1 / static_cast<double>(cells.size()));
  fmt::print("the reference, even in each column: {:.3f}\n", distance(truth, even));
  // Other people's records, of sites that the table has not.
  const SitesApart sites(folder + "/rand_hie.csv");
  const PublicFiles public_records(sites.table());
  const CsvSource rest(sites.table());
  const CsvSource reference(sites.others());
  const Pairs rest_truth = pairs_of_source(rest, domain);
  fmt::print("public records of site 1 beside the table of the others: {:.3f}\n\n",
             distance(rest_truth, pairs_of_source(reference, domain)));
  fmt::print(
      "| ε | models | band | products: plain | with trees | around public records: plain | with "
      "trees |\n");
  fmt::print("|---|---|---|---|---|---|---|\n");
  for (const char* epsilon : {"10", "5"}) {
    for (const int models : {20000, 2000}) {
      for (const char* band : {"relative", "location=0.05"}) {
        fmt::print("| {} | {} | {} |", epsilon, models, band);
        for (const bool around : {false, true}) {
          for (const bool trees : {false, true}) {
            nlohmann::json spec = {{"method", "integral-model"},
                                   {"domain", {{"file", named.file}}},
                                   {"count", 1},
                                   {"privacy", {{"epsilon", epsilon}}},
                                   {"space", {{"candidates", models}, {"trees", trees}}},
                                   {"band", band}};
            if (around) spec["reference"] = {{"file", sites.others()}};
            fmt::print(" {} |",
                       around ? distance_of_models(spec.dump(), public_records, rest, rest_truth)
                              : distance_of_models(spec.dump(), inputs, data, truth));
            std::fflush(stdout);
          }
        }
        fmt::print("\n");
      }
    }
  }
  return EXIT_SUCCESS;
}
