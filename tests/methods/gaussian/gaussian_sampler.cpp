#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/normal.hpp>
#include <gtest/gtest.h>

#include "core/invalid_input.h"
#include "methods/gaussian/sampler.h"
#include "methods/gaussian/small_gaussian_design.h"
#include "not_finite.h"
#include "sanitized.h"

namespace mollify {

namespace {

constexpr double kAlarmRate = 1e-6;

/// Whether N points, row-major, look like independent draws from N(0, I), to within a total
/// variation of `tau` of each; every single test has a false-alarm rate of 1e-6.
///
/// How tau enters. A law P' within tau of P = N(0, I) gives 20 classes of probability 1/20 the
/// probabilities p'_i with sum |p'_i - 1/20| <= 2 tau, so sum (p'_i - 1/20)^2 <= 2 tau^2. Pearson's
/// statistic is the squared norm of (counts - N/20)/sqrt(N/20): that of their deviations from N p',
/// whose quantile is at most that of chi-squared times 1 + 20 tau, and a shift of norm at most
/// sqrt(40 N) tau. The mean of a function bounded by c differs by at most 2 c tau, and its second
/// moment by at most 2 c^2 tau.
void expect_standard_normal(const std::vector<double>& points, std::size_t d, double tau) {
  const std::size_t count = points.size() / d;
  const auto n = static_cast<double>(count);
  constexpr std::size_t kClasses = 20;
  const double quantile = boost::math::quantile(
      boost::math::complement(boost::math::chi_squared(kClasses - 1), kAlarmRate));
  const double critical =
      std::pow(std::sqrt(quantile * (1 + 20 * tau)) + std::sqrt(40 * n) * tau, 2);
  double greatest = 0;
  const auto expect_uniform = [&](const std::vector<std::uint64_t>& classes, const char* what) {
    double statistic = 0;
    for (const std::uint64_t seen : classes) {
      statistic += std::pow(static_cast<double>(seen) - n / kClasses, 2) / (n / kClasses);
    }
    EXPECT_LE(statistic, critical) << what;
    greatest = std::max(greatest, statistic);
  };

  // Radii, and projections: on each axis, on the diagonal, and one oblique.
  std::vector<std::uint64_t> radii(kClasses);
  std::vector<std::vector<double>> directions(d, std::vector<double>(d));
  for (std::size_t j = 0; j < d; ++j) directions[j][j] = 1;
  directions.emplace_back(d, 1 / std::sqrt(static_cast<double>(d)));
  directions.emplace_back(d);
  double square = 0;
  for (std::size_t j = 0; j < d; ++j) square += static_cast<double>((j + 1) * (j + 1));
  for (std::size_t j = 0; j < d; ++j) {
    directions.back()[j] = (j % 2 == 0 ? 1 : -1) * static_cast<double>(j + 1) / std::sqrt(square);
  }
  std::vector<std::vector<std::uint64_t>> projected(directions.size(),
                                                    std::vector<std::uint64_t>(kClasses));
  const auto borders = [&](const auto& law) {
    std::vector<double> result;
    for (std::size_t i = 1; i < kClasses; ++i) {
      result.push_back(boost::math::quantile(law, static_cast<double>(i) / kClasses));
    }
    return result;
  };
  const auto place = [](const std::vector<double>& ends, double x) {
    return static_cast<std::size_t>(std::upper_bound(ends.begin(), ends.end(), x) - ends.begin());
  };
  const std::vector<double> of_radii = borders(boost::math::chi_squared(static_cast<double>(d)));
  const std::vector<double> of_normal = borders(boost::math::normal());

  std::vector<double> means(d), products(d * d), serial(d);
  for (std::size_t i = 0; i < count; ++i) {
    const double* x = &points[i * d];
    double radius = 0;
    for (std::size_t j = 0; j < d; ++j) radius += x[j] * x[j];
    ++radii[place(of_radii, radius)];
    for (std::size_t k = 0; k < directions.size(); ++k) {
      double projection = 0;
      for (std::size_t j = 0; j < d; ++j) projection += directions[k][j] * x[j];
      ++projected[k][place(of_normal, projection)];
    }
    for (std::size_t j = 0; j < d; ++j) {
      means[j] += std::clamp(x[j], -6., 6.) / n;
      for (std::size_t k = 0; k <= j; ++k)
        products[j * d + k] += std::clamp(x[j] * x[k], -36., 36.) / n;
      // For neighbouring outputs of one draw.
      if (i % 2 == 1) serial[j] += std::clamp(x[j] * points[(i - 1) * d + j], -36., 36.) * 2 / n;
    }
  }
  expect_uniform(radii, "radii");
  for (const std::vector<std::uint64_t>& classes : projected)
    expect_uniform(classes, "projections");
  const double deviations =
      -boost::math::quantile(boost::math::normal(), kAlarmRate / (2 * static_cast<double>(d * d)));
  double worst_mean = 0, worst_product = 0, worst_serial = 0;
  for (std::size_t j = 0; j < d; ++j) {
    worst_mean = std::max(worst_mean, std::abs(means[j]));
    worst_serial = std::max(worst_serial, std::abs(serial[j]));
    for (std::size_t k = 0; k <= j; ++k) {
      worst_product = std::max(worst_product, std::abs(products[j * d + k] - (j == k ? 1 : 0)));
    }
  }
  const double slack = 2 * 36 * 36 * tau;
  const double mean_bound = deviations * std::sqrt((1 + 72 * tau) / n) + 12 * tau;
  const double product_bound = deviations * std::sqrt((2 + slack) / n) + 72 * tau;
  const double serial_bound = deviations * std::sqrt((1 + 2 * slack) * 2 / n) + 144 * tau;
  EXPECT_LE(worst_mean, mean_bound);
  EXPECT_LE(worst_product, product_bound);
  EXPECT_LE(worst_serial, serial_bound);
  std::printf(
      "%zu outputs in %zu dimensions, tau %.3g: chi-square up to %.1f of %.1f; mean off by %.4f of "
      "%.4f, covariance by %.4f of %.4f, serial by %.4f of %.4f\n",
      count, d, tau, greatest, critical, worst_mean, mean_bound, worst_product, product_bound,
      worst_serial, serial_bound);
}

/// The least n, of one run, with which one output is within 1/100.
std::uint64_t records_for_a_hundredth(GaussianRequest request) {
  const auto serves = [&](std::uint64_t n) {
    request.records = n;
    const auto design = find_gaussian_design(request);
    return design && design->total_variation_up() <= 0.01;
  };
  std::uint64_t low = 1, high = 2;
  while (!serves(high)) high *= 2;
  while (high - low > 1) {
    const std::uint64_t middle = low + (high - low) / 2;
    (serves(middle) ? high : low) = middle;
  }
  return high;
}

/// Draws `repeats` outputs, many at a time, each from new Gaussian tables whose mean is as far out
/// as allowed and whose whitened covariance has eigenvalues from 1 to K; tests them against that
/// Gaussian. With `records` 0, of the least number of records for a total variation of 1/100.
void run_gaussian_sampler(GaussianRequest request, std::size_t repeats, std::uint64_t records = 0) {
  const std::size_t d = request.dimension;
  const std::size_t at_once = request.mean_bound ? 50 : 4;
  if (records == 0) records = records_for_a_hundredth(request);
  request.records = records * (request.mean_bound ? at_once : 1);
  request.outputs = at_once;
  const GaussianDesign design = design_gaussian(request);
  std::printf("%llu records each, %s\n", static_cast<unsigned long long>(design.run_records),
              design.why.c_str());

  // A covariance with unequal variances and correlations of one half.
  std::vector<double> covariance(d * d), origin(d), deviations(d);
  for (std::size_t j = 0; j < d; ++j) {
    origin[j] = 3 - static_cast<double>(j);
    deviations[j] = d == 1 ? std::sqrt(request.covariance_bound)
                           : std::sqrt(1 + (request.covariance_bound - 1) * static_cast<double>(j) /
                                               static_cast<double>(d - 1));
    for (std::size_t k = 0; k < d; ++k) {
      covariance[j * d + k] =
          static_cast<double>((j + 1) * (k + 1)) * (j == k ? 4. : 2.) / static_cast<double>(d);
    }
  }
  const Whitening whitening = Whitening::from_covariance(d, covariance, origin);
  const GaussianSampler sampler(design, whitening);
  const double reach = request.mean_bound ? *request.mean_bound : request.ranges[0].high;
  const double mean = reach / (request.mean_bound ? std::sqrt(static_cast<double>(d)) : 1);

  const std::uint64_t seed = 20'261'121;
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  std::mt19937_64 words(seed);
  std::normal_distribution<double> normal;
  SecureRandom random;
  std::vector<double> whitened(request.records * d), rows(whitened.size()), points;
  while (points.size() < repeats * d) {
    for (std::size_t i = 0; i < whitened.size(); ++i) {
      whitened[i] = mean + deviations[i % d] * normal(words);
    }
    whitening.undo(whitened, rows);
    const std::vector<double> outputs = sampler.draw(MemoryTable(d, rows), random);
    std::vector<double> back(outputs.size());
    whitening.apply(outputs, back);
    for (std::size_t i = 0; i < back.size(); ++i) {
      points.push_back((back[i] - mean) / deviations[i % d]);
    }
  }
  expect_standard_normal(points, d, design.total_variation_up());
}

constexpr std::size_t kRepeats = test::whole_or_sanitized(100'000, 5'000);

TEST(GaussianSampler, PureOutputsAreGaussian) {
  for (const std::size_t d : {1U, 3U, 10U}) {
    run_gaussian_sampler({.dimension = d, .budget = Privacy::pure(4), .mean_bound = 1}, kRepeats);
  }
}

TEST(GaussianSampler, PureOutputsWithThePapersVarianceAreGaussian) {
  for (const std::size_t d : {1U, 3U}) {
    run_gaussian_sampler(
        {.dimension = d, .budget = Privacy::pure(8), .mean_bound = 1, .paper_variance = true},
        kRepeats);
  }
}

/// The papers' n for total variation 1/100 at R = 5 and rho = 1/2.
TEST(GaussianSampler, ConcentratedOutputsAreGaussian) {
  run_gaussian_sampler({.dimension = 1, .budget = Privacy::concentrated(.5), .mean_bound = 5},
                       kRepeats, 21);
  run_gaussian_sampler({.dimension = 3, .budget = Privacy::concentrated(.5), .mean_bound = 5},
                       kRepeats, 23);
  run_gaussian_sampler({.dimension = 10, .budget = Privacy::concentrated(.5), .mean_bound = 5},
                       kRepeats, 25);
}

TEST(GaussianSampler, ApproximateOutputsAreGaussian) {
  for (const std::size_t d : {1U, 3U, 10U}) {
    run_gaussian_sampler({.dimension = d, .budget = Privacy::approximate(3, 1e-6), .mean_bound = 1},
                         kRepeats);
  }
}

/// About the least n for 1/100.
TEST(GaussianSampler, OutputsOfBoundedCovarianceAreGaussian) {
  GaussianRequest request{
      .dimension = 1, .budget = Privacy::concentrated(50), .covariance_bound = 2, .mean_bound = 1};
  run_gaussian_sampler(request, kRepeats, 34);
  request.dimension = 3;
  run_gaussian_sampler(request, kRepeats, 47);
  request.budget = Privacy::approximate(20, 1e-6);
  request.covariance_bound = 1.5;
  run_gaussian_sampler(request, 5'000, 210);
}

TEST(GaussianSampler, OutputsAroundACoarseCentreAreGaussian) {
  for (const Privacy& budget :
       {Privacy::pure(2), Privacy::concentrated(1), Privacy::approximate(2, 1e-6)}) {
    run_gaussian_sampler({.dimension = 3, .budget = budget, .ranges = {{-50, 50}}}, 1'200, 1'500);
  }
}

/// Whatever the rows are, m finite points come out.
TEST(GaussianSampler, IsTotal) {
  const std::size_t d = 3;
  std::vector<GaussianDesign> designs;
  for (const Privacy& budget :
       {Privacy::pure(1), Privacy::concentrated(1), Privacy::approximate(1, 1e-6)}) {
    designs.push_back(design_gaussian(
        {.records = 700, .dimension = d, .outputs = 5, .budget = budget, .mean_bound = 1}));
    designs.push_back(design_gaussian(
        {.records = 3000, .dimension = d, .outputs = 2, .budget = budget, .ranges = {{-9, 9}}}));
  }
  designs.push_back(design_gaussian({.records = 3000,
                                     .dimension = d,
                                     .outputs = 2,
                                     .budget = Privacy::concentrated(1),
                                     .covariance_bound = 2,
                                     .mean_bound = 1}));
  SecureRandom random;
  for (const GaussianDesign& design : designs) {
    const GaussianSampler sampler(
        design, Whitening::from_covariance(d, std::vector<double>{2, 1, 0, 1, 2, 1, 0, 1, 2},
                                           std::vector<double>{5, 0, -5}));
    const std::size_t size = design.request.records * d;
    std::vector<std::vector<double>> tables;
    for (const double value :
         {test::kNan, test::kInfinity, -test::kInfinity, 1e308, -1e308, 5e-324, 1e6, 0.}) {
      tables.emplace_back(size, value);
    }
    tables.push_back({});
    tables.emplace_back(d * 7, 1);
    tables.emplace_back(size + 300 * d, 1);
    std::vector<double> mixed(size);
    for (std::size_t i = 0; i < size; ++i) {
      mixed[i] = i % 3 == 0   ? test::kNan
                 : i % 7 == 0 ? -1e308
                 : i % 2 == 0 ? 1e308
                              : test::kInfinity;
    }
    tables.push_back(mixed);
    for (const std::vector<double>& rows : tables) {
      const std::vector<double> outputs = sampler.draw(MemoryTable(d, rows), random);
      ASSERT_EQ(outputs.size(), design.request.outputs * d);
      for (const double x : outputs) EXPECT_TRUE(std::isfinite(x)) << x;
    }
  }
}

/// Blocks of a reader, whose borders may depend on how long its numbers are written.
class RaggedTable final : public NumericTable {
 public:
  RaggedTable(std::size_t dimension, std::vector<double> rows, std::size_t most)
      : dimension_(dimension), rows_(std::move(rows)), most_(most) {}
  std::size_t dimension() const override { return dimension_; }
  std::uint64_t record_count() const override { return rows_.size() / dimension_; }
  void visit(const std::function<void(std::span<const double>)>& visit) const override {
    std::size_t count = 1;
    for (std::size_t begin = 0; begin < rows_.size();) {
      const std::size_t size = std::min(count * dimension_, rows_.size() - begin);
      visit(std::span(rows_).subspan(begin, size));
      begin += size;
      count = count % most_ + 1;
    }
  }

 private:
  std::size_t dimension_;
  std::vector<double> rows_;
  std::size_t most_;
};

/// With one row of weight and hardly any noise the output is that row's, wherever blocks end.
TEST(GaussianSampler, ReadsRowsInBlocksOfAnySize) {
  const std::size_t d = 2, records = 1000;
  std::vector<double> rows(records * d);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<double>(i % 2 == 0 ? i : 0);
  GaussianDesign design = test::design_of({.dimension = d,
                                           .plus = records,
                                           .radius = 1U << 30,
                                           .notion = Privacy::Notion::kConcentrated,
                                           .noise = {1, 1024}});
  const GaussianSampler sampler(design, Whitening::identity(d));
  SecureRandom random;
  for (const std::size_t most : {1U, 3U, 200U, 300U, 5000U}) {
    const std::vector<double> outputs = sampler.draw(RaggedTable(d, rows, most), random);
    EXPECT_NEAR(outputs[0], 999, 0.01);
    EXPECT_NEAR(outputs[1], 0, 0.01);
  }
}

TEST(GaussianSampler, RefusesWhatDoesNotFit) {
  const GaussianDesign good = design_gaussian(
      {.records = 100, .dimension = 2, .budget = Privacy::pure(1), .mean_bound = 1});
  EXPECT_THROW(GaussianSampler(good, Whitening::identity(3)), InvalidInput);
  GaussianDesign bad = good;
  bad.lattice_radius *= 2;
  EXPECT_THROW(GaussianSampler(bad, Whitening::identity(2)), InvalidInput);
  SecureRandom random;
  const GaussianSampler sampler(good, Whitening::identity(2));
  EXPECT_THROW((void)sampler.draw(MemoryTable(3, std::vector<double>(300)), random), InvalidInput);
}

}  // namespace

}  // namespace mollify
