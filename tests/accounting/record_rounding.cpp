#include "accounting/record_rounding.h"

#include <cmath>
#include <cstddef>
#include <numbers>
#include <vector>

#include <gtest/gtest.h>

namespace mollify {
namespace {

double rounding_normal_density(double x, double variance) {
  return std::exp(-x * x / (2 * variance)) / std::sqrt(2 * std::numbers::pi * variance);
}

/// The total variation that is bounded, for one coordinate and `records` weights of 1/records: all
/// points of the lattice, and a sum over a fine grid of x.
double exact_rounding_error(int records, double mean, double step, double deviation) {
  const int reach = static_cast<int>(12 / step);
  const auto at = [&](int k) { return static_cast<std::size_t>(k + reach); };
  std::vector<double> one(at(reach) + 1);
  for (int k = -reach; k <= reach; ++k) {
    const double low = (k - 0.5) * step - mean, high = (k + 0.5) * step - mean;
    one[at(k)] = (std::erfc(low / std::numbers::sqrt2) - std::erfc(high / std::numbers::sqrt2)) / 2;
  }
  std::vector<double> sum = one;  // of `records`, over their lattice
  for (int i = 1; i < records; ++i) {
    std::vector<double> next(sum.size() + one.size() - 1);
    for (std::size_t a = 0; a < sum.size(); ++a) {
      for (std::size_t b = 0; b < one.size(); ++b) next[a + b] += sum[a] * one[b];
    }
    sum = next;
  }
  const double squares = 1.0 / records;
  double total = 0;
  const double fine = 0.02 * std::fmin(deviation, 1);
  for (double x = mean - 9; x < mean + 9; x += fine) {
    double density = 0;
    for (std::size_t k = 0; k < sum.size(); ++k) {
      const double point =
          (static_cast<double>(k) - static_cast<double>(records * reach)) * step / records;
      if (std::abs(x - point) > 9 * deviation) continue;
      density += sum[k] * rounding_normal_density(x - point, deviation * deviation);
    }
    total +=
        std::abs(density - rounding_normal_density(x - mean, squares + deviation * deviation)) *
        fine / 2;
  }
  return total;
}

TEST(RecordRounding, ErrorIsBounded) {
  for (const int records : {1, 2, 3}) {
    for (const double step : {0.25, 0.5, 1., 1.5}) {
      for (const double deviation : {0.3, 0.7, 1.}) {
        for (const double mean : {0., 0.4}) {
          const double bound = record_rounding_error_up(1, 1.0 / records, step, deviation);
          const double exact = exact_rounding_error(records, mean, step, deviation);
          EXPECT_LE(exact, bound) << records << " records, step " << step << ", deviation "
                                  << deviation << ", mean " << mean;
        }
      }
    }
  }
}

/// Of second order in the step, and nothing is promised where the lattice is coarser than the
/// noise.
TEST(RecordRounding, FallsWithTheSquareOfTheStep) {
  EXPECT_NEAR(
      record_rounding_error_up(3, 0.01, 1e-4, 1) / record_rounding_error_up(3, 0.01, 1e-5, 1), 100,
      0.1);
  EXPECT_LT(record_rounding_error_up(100, 1e-6, 0x1p-8, 1), 1e-7);
  EXPECT_EQ(record_rounding_error_up(1, 1, 10, 1), 1);
}

}  // namespace
}  // namespace mollify
