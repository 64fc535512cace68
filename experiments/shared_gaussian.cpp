// The table of docs/evidence/tables.md that holds the stated error of method gaussian
// --shared against what releases show. NOT PRIVATE: it compares models with the tables that they
// were measured on, which are drawn from Gaussians here.
//
// Usage: shared_gaussian [MODELS]
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <random>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "methods/gaussian/design.h"
#include "methods/gaussian/moments.h"

namespace {

using namespace mollify;

struct DrawnTable {
  std::vector<double> rows;
  SharedGaussian own;  ///< its own mean and covariance, before the cut
};

/// Columns of mean 0, standard deviation `spread` and correlation `correlation`, cut to [-1, 1].
DrawnTable drawn_table(std::size_t records, std::size_t width, double spread, double correlation) {
  std::mt19937_64 random(records * 1000 + width);
  std::normal_distribution<double> normal;
  DrawnTable table{std::vector<double>(records * width),
                   {std::vector<double>(width), std::vector<double>(width * width)}};
  for (std::size_t row = 0; row < records; ++row) {
    const double common = std::sqrt(correlation) * normal(random);
    for (std::size_t i = 0; i < width; ++i) {
      const double z = common + std::sqrt(1 - correlation) * normal(random);
      table.rows[row * width + i] = spread * z;
      table.own.mean[i] += spread * z / static_cast<double>(records);
    }
  }
  for (std::size_t row = 0; row < records; ++row) {
    const double* const at = &table.rows[row * width];
    for (std::size_t i = 0; i < width; ++i) {
      for (std::size_t j = 0; j < width; ++j) {
        table.own.covariance[i * width + j] += (at[i] - table.own.mean[i]) *
                                               (at[j] - table.own.mean[j]) /
                                               static_cast<double>(records);
      }
    }
  }
  for (double& value : table.rows) value = std::clamp(value, -1., 1.);
  return table;
}

}  // namespace

int main(int argument_count, char** arguments) {
  const std::size_t models =
      argument_count > 1 ? std::strtoul(arguments[1], nullptr, 10) : std::size_t{20};
  fmt::print("| rows | columns | budget | deviations | correlation | stated | measured |\n");
  fmt::print("|---|---|---|---|---|---|---|\n");
  SecureRandom random;
  for (const std::size_t width : {5U, 10U}) {
    for (const std::size_t records : {2000U, 20000U}) {
      for (const double deviations : kStatedDeviations) {
        for (const double correlation : {0., 1 - kLeastSum}) {
          const DrawnTable table = drawn_table(records, width, 1 / deviations, correlation);
          for (const auto& [name, budget] :
               {std::pair{"ε = 1, δ = 10⁻⁶", Privacy::approximate(1, 1e-6)},
                std::pair{"ε = 4, δ = 10⁻⁶", Privacy::approximate(4, 1e-6)},
                std::pair{"ε = 4", Privacy::pure(4)}}) {
            const MomentSampler sampler(design_moments({records, width, budget}),
                                        std::vector<double>(width, -1),
                                        std::vector<double>(width, 1));
            double mean = 0;
            for (std::size_t i = 0; i < models; ++i) {
              mean += simulated_total_variation(
                          table.own, sampler.measure(MemoryTable(width, table.rows), random), 2000,
                          random) /
                      static_cast<double>(models);
            }
            fmt::print("| {} | {} | {} | {} | {} | {:.3f} | {:.3f} |\n", records, width, name,
                       deviations, correlation,
                       expected_error(sampler.design(), deviations).total_variation, mean);
            std::fflush(stdout);
          }
        }
      }
    }
  }
}
