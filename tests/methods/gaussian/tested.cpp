#include "methods/gaussian/tested.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <random>
#include <vector>

#include <Eigen/Eigenvalues>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/directed_rounding.h"
#include "chi_square.h"
#include "core/invalid_input.h"
#include "domain/candidates.h"
#include "kernel/clipped_sums.h"
#include "methods/gaussian/sampler.h"
#include "not_finite.h"
#include "records/private_table.h"
#include "refusal.h"
#include "sanitized.h"

namespace mollify {

namespace {

using testing::HasSubstr;
using Points = std::vector<std::vector<double>>;

std::vector<std::int64_t> moments_of(const Points& points, std::uint64_t radius = 1U << 20U) {
  ClippedMoments moments(points[0].size(), radius, 1);
  for (const std::vector<double>& point : points) moments.add(point);
  return moments.entries();
}

RunScatter scatter_of(const Points& points) {
  return {points.size(), points[0].size(), moments_of(points)};
}

// -----------------------------------------------------------------------------------------------
// The promise of a run's integers.

/// Simpson's rule integrates the excess of the two densities.
TEST(WiderGaussian, ExcessIsTheIntegral) {
  for (const double square : {1e-4, 0.02, 0.3, 4.}) {
    for (const std::uint64_t records : {2U, 50U, 100'000U}) {
      for (const double epsilon : {0., 0.1, 1., 5.}) {
        const double mean = std::sqrt(square / static_cast<double>(records - 1));
        const double variance = 1 + square, reach = 14 * std::sqrt(variance);
        constexpr int kSteps = 400'000;
        double sum = 0;
        for (int i = 0; i <= kSteps; ++i) {
          const double y = reach * (2. * i / kSteps - 1);
          const double wide = std::exp(-(y - mean) * (y - mean) / (2 * variance)) /
                              std::sqrt(2 * std::numbers::pi * variance);
          const double standard = std::exp(-y * y / 2) / std::sqrt(2 * std::numbers::pi);
          const double weight = i == 0 || i == kSteps ? 1 : i % 2 == 0 ? 2 : 4;
          sum += weight * std::max(0.0, wide - std::exp(epsilon) * standard);
        }
        const double integral = sum * 2 * reach / kSteps / 3;
        const double excess = wider_gaussian_excess_up(square, records, epsilon);
        EXPECT_GE(excess, integral * (1 - 1e-6)) << square << ' ' << records << ' ' << epsilon;
        EXPECT_LE(excess, integral * (1 + 1e-6) + 1e-12) << square << ' ' << records;
      }
    }
  }
}

/// The mixture's total variation by sums over both radii.
TEST(ResampledGaussian, ErrorIsAboveTheSum) {
  const auto quantiles = [](double degrees, int count) {
    std::vector<double> found;
    const double centre = std::sqrt(degrees), low = std::max(0.0, centre - 8);
    constexpr int kSteps = 40'000;
    std::vector<double> roots, sums;
    double sum = 0;
    for (int i = 0; i < kSteps; ++i) {
      const double root = low + (centre + 8 - low) * (i + .5) / kSteps;
      sum += std::exp((degrees - 1) * std::log(root / centre) - (root * root - degrees) / 2);
      roots.push_back(root);
      sums.push_back(sum);
    }
    std::size_t place = 0;
    for (int i = 0; i < count; ++i) {
      while (sums[place] < sum * (i + .5) / count) ++place;
      found.push_back(roots[place] * roots[place]);
    }
    return found;
  };
  for (const int d : {1, 3, 20}) {
    for (const int n : {100, 2000}) {
      const std::vector<double> norms = quantiles(d, 1000), chi = quantiles(n - 1, 400);
      double total = 0;
      for (const double norm : norms) {
        double ratio = 0;
        for (const double x : chi) {
          const double v = (1 + x) / n;
          ratio += std::exp(-d / 2. * std::log(v) + norm / 2 * (1 - 1 / v));
        }
        total += std::abs(ratio / 400 - 1) / 2000;
      }
      const double bound =
          resampled_gaussian_error_up(static_cast<std::size_t>(d), static_cast<std::uint64_t>(n));
      std::printf("d = %d, n = %d: %.3g, at most %.3g\n", d, n, total, bound);
      EXPECT_GE(bound, total * 0.95);
      EXPECT_LE(bound, (n == 2000 ? 2 : 15) * total);
    }
  }
}

/// A guarantee is as much as its integers give; a higher threshold promises more, a lower one less.
TEST(TestedRun, PromisesFollowTheIntegers) {
  const GaussianDesign design = design_gaussian({.records = 60'000,
                                                 .dimension = 3,
                                                 .budget = Privacy::approximate(1, 1e-6),
                                                 .covariance_bound = 4,
                                                 .mean_bound = 1});
  ASSERT_GT(design.threshold, 0U);
  const double epsilon = design.guarantee.epsilon, delta = design.guarantee.delta;
  const TestedRun run = tested_run(design);
  EXPECT_TRUE(tested_run_keeps(run, epsilon, delta));
  EXPECT_FALSE(tested_run_keeps(run, epsilon * (1 - 1e-3), delta));
  EXPECT_FALSE(tested_run_keeps(run, epsilon, delta * 0.9));
  EXPECT_FALSE(tested_run_keeps(run, epsilon, 0));
  const auto keeps = [&](auto change) {
    TestedRun changed = run;
    change(changed);
    return tested_run_keeps(changed, epsilon, delta);
  };
  EXPECT_FALSE(keeps([](TestedRun& r) { r.threshold -= r.threshold / 1000; }));
  EXPECT_TRUE(keeps([](TestedRun& r) { r.threshold += r.threshold / 1000; }));
  EXPECT_FALSE(keeps([](TestedRun& r) { r.scale.numerator /= 2; }));
  EXPECT_FALSE(keeps([](TestedRun& r) { r.threshold = 1; }));
  const auto refusal = [](std::size_t d, std::uint64_t records, std::uint64_t radius,
                          std::uint64_t threshold) {
    return test::refusal_of([&] { check_tested_run({d, records, radius, Ratio{}, threshold}); });
  };
  EXPECT_THAT(refusal(3, 1U << 30U, 1U << 20U, 1), HasSubstr("do not fit into 64 bits"));
  EXPECT_THAT(refusal(33, 9, 9, 1), HasSubstr("must be from 1 to 32"));
  EXPECT_THAT(refusal(3, 1, 9, 1), HasSubstr("records of a tested run"));
  EXPECT_THAT(refusal(3, 9, (1U << 20U) + 1, 1), HasSubstr("radius of a tested run"));
  EXPECT_THAT(refusal(3, 9, 9, 0), HasSubstr("threshold of a tested run"));
}

// -----------------------------------------------------------------------------------------------
// Test and draw, exactly.

/// Against Eigen's eigenvalues, on both sides of the least one as near as doubles can tell.
TEST(RunScatter, ReachesWhatItsLeastEigenvalueDoes) {
  const std::uint64_t seed = 20'261'126;
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  std::mt19937_64 words(seed);
  std::normal_distribution<double> normal;
  for (const std::size_t d : {1U, 2U, 3U, 5U, 12U, 32U}) {
    for (int repeat = 0; repeat < 20; ++repeat) {
      const std::size_t n = d + 1 + words() % 50;
      Points points(n, std::vector<double>(d));
      for (auto& point : points) {
        for (double& x : point) x = std::round(normal(words) * (repeat % 2 == 0 ? 3 : 10'000));
      }
      Eigen::MatrixXd rows(n, d);
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < d; ++j) {
          rows(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = points[i][j];
        }
      }
      const Eigen::VectorXd sum = rows.colwise().sum();
      const Eigen::MatrixXd matrix =
          static_cast<double>(n) * rows.transpose() * rows - sum * sum.transpose();
      const Eigen::VectorXd values =
          Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(matrix).eigenvalues();
      const double off = values.maxCoeff() * 1e-12 + 1;
      const RunScatter scatter = scatter_of(points);
      EXPECT_TRUE(scatter.reaches(static_cast<int128>(values[0] - off), 1)) << d << ' ' << n;
      EXPECT_FALSE(scatter.reaches(static_cast<int128>(values[0] + off), 1)) << d << ' ' << n;
      EXPECT_EQ(scatter.reaches(3, 1000), values[0] >= 3000) << values[0];
      EXPECT_TRUE(scatter.reaches(0, 7));
      EXPECT_TRUE(scatter.reaches(-(int128{1} << 100), 1U << 20U));
      EXPECT_FALSE(scatter.reaches(int128{1} << 100, 1U << 20U));
    }
  }
}

/// Eigenvalues that are integers, and matrices without full rank: to the last unit.
TEST(RunScatter, ReachesExactly) {
  // A = 2 n I: six points on the axes.
  const RunScatter cross =
      scatter_of({{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}});
  EXPECT_TRUE(cross.reaches(12, 1));
  EXPECT_TRUE(cross.reaches(3, 4));
  EXPECT_FALSE(cross.reaches(13, 1));
  // [[2, 1], [1, 2]] times n = 4: eigenvalues 4 and 12, and a third of 0 in a plane.
  const Points flat = {{1, 0, 1}, {-1, 0, -1}, {0, 1, 1}, {0, -1, -1}};
  const RunScatter plane = scatter_of(flat);
  EXPECT_TRUE(plane.reaches(0, 1));
  EXPECT_FALSE(plane.reaches(1, 1));
  // On a line that begins with a coordinate of 0, everywhere alike, and as large as can be.
  EXPECT_TRUE(scatter_of({{0, 1, 2}, {0, 2, 4}, {0, 5, 10}}).reaches(0, 1));
  EXPECT_FALSE(scatter_of({{0, 1, 2}, {0, 2, 4}, {0, 5, 10}}).reaches(1, 1));
  EXPECT_FALSE(scatter_of({{3, 3}, {3, 3}}).reaches(1, 1));
  const double large = 1U << 20U;
  const RunScatter huge = scatter_of({{large, 0}, {-large, 0}, {0, large}, {0, -large}});
  EXPECT_TRUE(huge.reaches(int128{1} << 43, 1));
  EXPECT_FALSE(huge.reaches((int128{1} << 43) + 1, 1));
  // No records have these entries: the matrix is indefinite, and only a negative bound is kept.
  const RunScatter odd(2, 2, std::vector<std::int64_t>{0, 7 << 20, 0, 0, 0});
  EXPECT_FALSE(odd.reaches(0, 1));
  EXPECT_TRUE(odd.reaches(-(1 << 21), 1));
  EXPECT_FALSE(odd.reaches(1 - (1 << 21), 1));
  SecureRandom random;
  EXPECT_EQ(odd.draw(random).size(), 2U);
}

/// The law of a draw on a window: conditional discrete Gaussians, in doubles.
std::vector<double> law_on_window(const Points& points, int reach) {
  const std::size_t d = points[0].size();
  const auto n = static_cast<double>(points.size());
  std::vector<double> mean(d), covariance(d * d);
  for (const auto& point : points) {
    for (std::size_t j = 0; j < d; ++j) mean[j] += point[j] / n;
  }
  for (const auto& point : points) {
    for (std::size_t j = 0; j < d; ++j) {
      for (std::size_t k = 0; k < d; ++k) {
        covariance[j * d + k] += (point[j] - mean[j]) * (point[k] - mean[k]) / n;
      }
    }
  }
  const auto normalised = [&](double centre, double variance) {
    std::vector<double> law;
    double sum = 0;
    for (int z = -reach; z <= reach; ++z) {
      law.push_back(std::exp(-(z - centre) * (z - centre) / (2 * variance)));
      sum += law.back();
    }
    for (double& p : law) p /= sum;
    return law;
  };
  const std::vector<double> first = normalised(mean[0], covariance[0]);
  if (d == 1) return first;
  std::vector<double> law;
  for (int z = -reach; z <= reach; ++z) {
    const double slope = covariance[1] / covariance[0];
    const std::vector<double> second =
        normalised(mean[1] + slope * (z - mean[0]), covariance[3] - slope * covariance[1]);
    for (const double p : second) law.push_back(first[static_cast<std::size_t>(z + reach)] * p);
  }
  return law;
}

TEST(RunScatter, DrawsFollowTheirLaw) {
  constexpr int kReach = 30;
  SecureRandom random;
  for (const Points& points :
       {Points{{0}, {1}}, Points{{0}, {1}, {5}}, Points{{-3}, {4}, {4}, {2}, {-7}},
        Points{{0, 1}, {1, 0}, {2, 3}}, Points{{-2, 1}, {1, 4}, {3, -3}, {5, 0}, {0, 1}},
        Points{{1, 1}, {2, 2}, {1, 2}, {0, 0}}, Points{{0}, {0}, {0}, {1}, {0}, {1}, {0}, {0}},
        Points{{0, 1}, {1, 4}, {0, 0}, {1, 4}}}) {
    const std::size_t d = points[0].size(), width = 2 * kReach + 1;
    const RunScatter scatter = scatter_of(points);
    std::vector<std::uint64_t> seen(d == 1 ? width : width * width);
    for (int i = 0; i < test::whole_or_sanitized(100'000, 5'000); ++i) {
      std::size_t place = 0;
      for (const std::int64_t z : scatter.draw(random)) {
        place = place * width + static_cast<std::size_t>(z + kReach);
      }
      ASSERT_LT(place, seen.size());
      ++seen[place];
    }
    EXPECT_TRUE(test::follows(law_on_window(points, kReach), seen));
  }
}

/// Records on a line, or equal records, pass only if the noise is huge. Their draws stay on the
/// line.
TEST(RunScatter, DrawsOfALineStayOnIt) {
  SecureRandom random;
  const RunScatter line = scatter_of({{1, 2, 0}, {2, 4, 0}, {50, 100, 0}});
  for (int i = 0; i < 100; ++i) {
    const std::vector<std::int64_t> point = line.draw(random);
    EXPECT_EQ(point[1], 2 * point[0]);
    EXPECT_EQ(point[2], 0);
  }
  EXPECT_EQ(scatter_of({{4}, {5}}).draw(random).size(), 1U);
  EXPECT_EQ(scatter_of({{4}, {4}}).draw(random), std::vector<std::int64_t>{4});
}

// -----------------------------------------------------------------------------------------------
// Design and sampler.

GaussianRequest tested_request(std::uint64_t outputs = 1) {
  return {.dimension = 5,
          .outputs = outputs,
          .budget = Privacy::approximate(1, 1e-10),
          .covariance_bound = 4,
          .mean_bound = 10};
}

/// 100 strong samples took 2 884 121 100 records by signed weights, and 39 492 600 by a proof that
/// splits epsilon and delta evenly.
TEST(TestedRun, NeedsAFewTimesFewerRecordsThanSignedWeights) {
  const auto records = [](std::uint64_t outputs) {
    return least_whole(1000, std::uint64_t{1} << 34, [&](std::uint64_t n) {
      GaussianRequest request = tested_request(outputs);
      request.records = n;
      const auto design = find_gaussian_design(request);
      return design && (outputs > 1 ? design->strong_total_variation_up()
                                    : design->total_variation_up()) <= 0.1;
    });
  };
  const auto hundred = records(100), one = records(1);
  ASSERT_TRUE(hundred && one);
  std::printf("%llu for 100, %llu for one\n", static_cast<unsigned long long>(*hundred),
              static_cast<unsigned long long>(*one));
  EXPECT_LE(*hundred, 39'492'600U / 2);
  EXPECT_LE(*one, 173'864U);
}

/// Few records, or a covariance that is nearly known, are better served by signed weights.
TEST(TestedRun, IsChosenWhereItIsBetter) {
  const auto is_tested = [](std::uint64_t records, double epsilon, double delta, double bound) {
    const GaussianDesign design = design_gaussian({.records = records,
                                                   .dimension = 3,
                                                   .budget = Privacy::approximate(epsilon, delta),
                                                   .covariance_bound = bound,
                                                   .mean_bound = 1});
    check_gaussian_design(design);
    return design.threshold > 0;
  };
  EXPECT_TRUE(is_tested(100'000, 1, 1e-6, 4));
  EXPECT_FALSE(is_tested(10'000, 1, 1e-6, 4));
  EXPECT_FALSE(is_tested(5'000, 1, 1e-6, 1.0001));
}

/// The records have unequal deviations. Mean and variance of each coordinate, and the covariance,
/// are within five standard errors.
TEST(TestedSampler, DrawsOfTheRecordsOwnGaussian) {
  const std::size_t d = 2, outputs = 500, each = 3000;
  const GaussianDesign design = design_gaussian({.records = outputs * each,
                                                 .dimension = d,
                                                 .outputs = outputs,
                                                 .budget = Privacy::approximate(50, 0.01),
                                                 .covariance_bound = 4,
                                                 .mean_bound = 3});
  ASSERT_GT(design.threshold, 0U) << design.why;
  ASSERT_LT(design.total_variation_up(), 0.01);
  const GaussianSampler sampler(design, Whitening::identity(d));
  std::mt19937_64 words(20'261'126);
  std::normal_distribution<double> normal;
  std::vector<double> rows;
  for (std::size_t i = 0; i < outputs * each; ++i) {
    const double x = normal(words), y = normal(words);
    rows.push_back(2 + 1.9 * x);
    rows.push_back(-1 + 0.5 * x + 1.1 * y);
  }
  SecureRandom random;
  const std::vector<double> points = sampler.draw(MemoryTable(d, rows), random);
  std::vector<double> xs, ys;
  for (std::size_t i = 0; i < outputs; ++i) {
    const double x = (points[2 * i] - 2) / 1.9;
    xs.push_back(x);
    ys.push_back((points[2 * i + 1] + 1 - 0.5 * x) / 1.1);
  }
  const double error = 5 / std::sqrt(static_cast<double>(outputs));
  const auto mean_of = [&](auto term) {
    double sum = 0;
    for (std::size_t i = 0; i < outputs; ++i) sum += term(i) / static_cast<double>(outputs);
    return sum;
  };
  EXPECT_NEAR(mean_of([&](auto i) { return xs[i]; }), 0, error);
  EXPECT_NEAR(mean_of([&](auto i) { return ys[i]; }), 0, error);
  EXPECT_NEAR(mean_of([&](auto i) { return xs[i] * xs[i]; }), 1, error * std::sqrt(2));
  EXPECT_NEAR(mean_of([&](auto i) { return ys[i] * ys[i]; }), 1, error * std::sqrt(2));
  EXPECT_NEAR(mean_of([&](auto i) { return xs[i] * ys[i]; }), 0, error);
}

/// Whatever the rows are, finite points come out; and from records without spread public ones.
TEST(TestedSampler, IsTotal) {
  const std::size_t d = 3;
  const GaussianDesign design = design_gaussian({.records = 60'000,
                                                 .dimension = d,
                                                 .outputs = 2,
                                                 .budget = Privacy::approximate(4, 1e-3),
                                                 .covariance_bound = 4,
                                                 .ranges = {{-9, 9}}});
  ASSERT_GT(design.threshold, 0U) << design.why;
  const GaussianSampler sampler(design, Whitening::identity(d));
  SecureRandom random;
  const std::size_t size = design.request.records * d;
  std::vector<std::vector<double>> tables;
  for (const double value : {test::kNan, test::kInfinity, -1e308, 5e-324, 0.}) {
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
                            : -test::kInfinity;
  }
  tables.push_back(mixed);
  for (const std::vector<double>& rows : tables) {
    const std::vector<double> outputs = sampler.draw(MemoryTable(d, rows), random);
    ASSERT_EQ(outputs.size(), 2 * d);
    for (const double x : outputs) EXPECT_TRUE(std::isfinite(x)) << x;
  }
  // No moments at all, and such as no records have.
  for (const std::int64_t entry :
       {std::int64_t{0}, std::int64_t{1} << 62, -(std::int64_t{1} << 62)}) {
    const std::vector<std::int64_t> sums(2 * run_integers(design), entry);
    for (const double x : sampler.release(sums, std::vector<double>(d), random)) {
      EXPECT_TRUE(std::isfinite(x)) << x;
    }
  }
  EXPECT_EQ(sampler.release({}, std::vector<double>(d), random).size(), 2 * d);
}

}  // namespace

}  // namespace mollify
