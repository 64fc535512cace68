#include "methods/graphical/fit.h"

#include <cmath>
#include <cstdio>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "refusal.h"
#include "small_models.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// A fit is the minimum that its header states, whatever was measured.

namespace {

/// Noisy marginals of a random model on its own cliques and some pairs.
std::vector<NoisyMarginal> measured(const test::SmallModel& small, double total, double deviation,
                                    std::mt19937_64& random) {
  std::normal_distribution<double> normal(0, deviation);
  std::vector<Clique> cliques;
  for (const auto& potential : small.potentials) cliques.push_back(potential.clique);
  for (std::size_t c = 1; c < small.sizes.size(); ++c) cliques.push_back({c - 1, c});
  std::vector<NoisyMarginal> measurements;
  for (const Clique& clique : cliques) {
    std::vector<double> counts = small.marginal(clique);
    for (double& count : counts) count = total * count + normal(random);
    measurements.push_back({clique, std::move(counts), deviation});
  }
  return measurements;
}

/// K theta, cell by cell: theta + beta (sum over neighbours in ordered columns of theta - theirs).
std::vector<double> smoothed(const test::SmallModel& small, const GraphicalModel::Potential& theta,
                             const FitOptions& options) {
  std::vector<double> result = theta.values;
  if (theta.clique.size() < 2 || options.ordered.empty()) return result;
  std::size_t stride = 1;
  for (std::size_t k = theta.clique.size(); k-- > 0;) {
    const std::size_t column = theta.clique[k];
    const std::size_t size = small.sizes[column];
    for (std::size_t i = 0; i < result.size() && options.ordered[column]; ++i) {
      const std::size_t place = i / stride % size;
      const double own = theta.values[i];
      if (place > 0) result[i] += options.smoothness * (own - theta.values[i - stride]);
      if (place + 1 < size) result[i] += options.smoothness * (own - theta.values[i + stride]);
    }
    stride *= size;
  }
  return result;
}

/// The greatest departure from optimality, M_c(p) - y_c / total + lambda deviation^2 / total^2
/// K theta_c, in units of the noise; requires one measurement of each clique.
double departure(const test::SmallModel& small, const GraphicalModel& model,
                 const std::vector<NoisyMarginal>& measurements, const FitOptions& options) {
  double most = 0;
  for (const NoisyMarginal& measurement : measurements) {
    const std::vector<double> p = model.marginal(measurement.clique);
    const double ratio = measurement.deviation / model.total();
    for (const auto& potential : model.potentials()) {
      if (potential.clique != measurement.clique) continue;
      const std::vector<double> theta = smoothed(small, potential, options);
      for (std::size_t i = 0; i < p.size(); ++i) {
        const double gradient = p[i] - measurement.counts[i] / model.total() +
                                options.shrinkage * ratio * ratio * theta[i];
        most = std::max(most, std::abs(gradient) / ratio);
      }
    }
  }
  return most;
}

/// Of one measurement for each clique.
std::vector<NoisyMarginal> without_repeats(const std::vector<NoisyMarginal>& measurements) {
  std::vector<NoisyMarginal> result;
  for (const NoisyMarginal& measurement : measurements) {
    bool is_new = true;
    for (const NoisyMarginal& other : result) is_new = is_new && other.clique != measurement.clique;
    if (is_new) result.push_back(measurement);
  }
  return result;
}

TEST(Fit, IsWhereTheGradientVanishes) {
  std::mt19937_64 random(11);
  double most = 0;
  for (int repeat = 0; repeat < 60; ++repeat) {
    const test::SmallModel small = test::random_model(random, 1);
    const auto measurements = without_repeats(measured(small, 1000, 5 + repeat % 30, random));
    FitOptions options{.shrinkage = repeat % 2 == 0 ? 100.0 : 1000.0,
                       .smoothness = 0.5 + repeat % 3,
                       .tolerance = 1e-6,
                       .most_steps = 2000};
    for (std::size_t c = 0; c < small.sizes.size() && repeat % 4 < 2; ++c) {
      options.ordered.push_back(random() % 2 == 0);
    }
    const GraphicalModel model = fit(small.sizes, measurements, 1000, options);
    most = std::max(most, departure(small, model, measurements, options));
  }
  std::printf("greatest departure: %g of the noise's deviation\n", most);
  EXPECT_LT(most, 1e-4);
}

TEST(Fit, OfExactMarginalsIsTheModelOfGreatestEntropy) {
  std::mt19937_64 random(12);
  for (int repeat = 0; repeat < 20; ++repeat) {
    const test::SmallModel small = test::random_model(random, 1);
    const auto measurements = without_repeats(measured(small, 1, 1e-9, random));
    const GraphicalModel model = fit(small.sizes, measurements, 1,
                                     {.shrinkage = 1e-6, .tolerance = 1e-9, .most_steps = 3000});
    // The marginals of a log-linear model's cliques, and those of pairs that follow from them,
    // determine it.
    for (const Clique& clique : test::all_cliques(small.sizes.size())) {
      const std::vector<double> seen = model.marginal(clique);
      const std::vector<double> expected = small.marginal(clique);
      for (std::size_t i = 0; i < seen.size(); ++i) ASSERT_NEAR(seen[i], expected[i], 1e-5);
    }
  }
}

TEST(Fit, StartedElsewhereIsTheSame) {
  std::mt19937_64 random(13);
  for (int repeat = 0; repeat < 20; ++repeat) {
    const test::SmallModel small = test::random_model(random, 1);
    const auto measurements = without_repeats(measured(small, 1000, 10, random));
    const FitOptions options{.tolerance = 1e-7, .most_steps = 2000};
    const GraphicalModel cold = fit(small.sizes, measurements, 1000, options);
    const std::vector<NoisyMarginal> fewer(measurements.begin(), measurements.end() - 1);
    FitState state;
    static_cast<void>(fit(small.sizes, fewer, 1000, options, &state));
    const GraphicalModel warm = fit(small.sizes, measurements, 1000, options, &state);
    for (const NoisyMarginal& measurement : measurements) {
      const std::vector<double> a = cold.marginal(measurement.clique);
      const std::vector<double> b = warm.marginal(measurement.clique);
      for (std::size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(a[i], b[i], 1e-6);
    }
  }
}

TEST(Fit, JoinsMeasurementsOfOneCliqueByInverseVariance) {
  const NoisyMarginal one{{0}, {100, 300}, 5};
  const NoisyMarginal two{{0}, {200, 240}, 10};
  const double precision = 1 / 25.0 + 1 / 100.0;
  const NoisyMarginal joint{{0},
                            {(100 / 25.0 + 2) / precision, (300 / 25.0 + 2.4) / precision},
                            1 / std::sqrt(precision)};
  const GraphicalModel a = fit({2, 2}, {one, two}, 400, {.tolerance = 1e-9});
  const GraphicalModel b = fit({2, 2}, {joint}, 400, {.tolerance = 1e-9});
  EXPECT_NEAR(a.marginal({0})[0], b.marginal({0})[0], 1e-12);
}

TEST(Fit, IsTotal) {
  const ColumnSizes sizes{3, 2, 4};
  const double infinity = std::numeric_limits<double>::infinity();
  const std::vector<std::vector<double>> pairs{
      {0, 0, 0, 0, 0, 0},
      {-1e9, -1e9, -1e9, -1e9, -1e9, -1e9},
      {1e9, -1e9, 1e9, -1e9, 1e9, -1e9},
      {1e300, 1e308, -1e308, 0, 1e-308, 5},
      {infinity, -infinity, NAN, 1, 2, 3},
      {1000, 0, 0, 0, 0, 0},
  };
  for (const std::vector<double>& counts : pairs) {
    for (const double deviation : {1e-300, 1e-3, 1.0, 1e3, 1e9, 1e300}) {
      for (const double total : {1e-3, 1.0, 1000.0, 1e12}) {
        for (const double shrinkage : {1e-12, 1.0, 1e12}) {
          // The one-way counts contradict the pair's.
          const std::vector<NoisyMarginal> measurements{{{0, 1}, counts, deviation},
                                                        {{0}, {0, 0, 1000}, deviation},
                                                        {{1, 2}, {1, 2, 3, 4, 5, 6, 7, 8}, 1},
                                                        {{}, {-5}, deviation}};
          const GraphicalModel model =
              fit(sizes, measurements, total, {.shrinkage = shrinkage, .most_steps = 30});
          for (const auto& pair : model.pair_marginals()) {
            double sum = 0;
            for (const double p : pair.probabilities) {
              ASSERT_GE(p, 0);
              sum += p;
            }
            ASSERT_NEAR(sum, 1, 1e-9);
          }
          const RandomWords words = [] { return std::uint64_t{1} << 40; };
          ASSERT_EQ(model.sample(10, words)[2].size(), 10U);
        }
      }
    }
  }
}

TEST(Fit, OfNothingIsUniform) {
  const GraphicalModel model = fit({4, 2}, {}, 10);
  for (const double p : model.marginal({0, 1})) EXPECT_DOUBLE_EQ(p, 1 / 8.0);
}

/// If nothing was measured it is the base; measured columns bend it as little as can be, so that
/// odds ratios of unmeasured pairs are the base's.
TEST(Fit, AroundABaseKeepsWhatWasNotMeasured) {
  const GraphicalModel base({2, 2, 3}, 1, {{{0, 1}, {1.5, 0, 0, 0.5}}, {{2}, {0, 1, 2}}});
  const GraphicalModel same = fit({2, 2, 3}, {}, 10, {}, nullptr, &base);
  EXPECT_EQ(same.marginal({0, 1}), base.marginal({0, 1}));
  const std::vector<NoisyMarginal> columns = {{{0}, {80, 20}, 0.01}, {{1}, {30, 70}, 0.01}};
  const FitOptions options{.shrinkage = 1, .tolerance = 1e-6};
  FitState state;
  const GraphicalModel fitted = fit({2, 2, 3}, columns, 100, options, &state, &base);
  EXPECT_NEAR(fitted.marginal({0})[0], 0.8, 1e-4);
  EXPECT_NEAR(fitted.marginal({1})[0], 0.3, 1e-4);
  const auto odds = [](const std::vector<double>& p) { return p[0] * p[3] / (p[1] * p[2]); };
  EXPECT_NEAR(odds(fitted.marginal({0, 1})), std::exp(2.0), 1e-9);
  EXPECT_NEAR(fitted.marginal({2})[2], base.marginal({2})[2], 1e-12);
  const GraphicalModel again = fit({2, 2, 3}, columns, 100, options, &state, &base);
  EXPECT_NEAR(again.marginal({0, 1})[0], fitted.marginal({0, 1})[0], 1e-6);
}

TEST(Fit, OfGroupsKeepsTheirCountsAndAddsNothingWithin) {
  const std::vector<NoisyMarginal> measurements = {
      {{0}, {40, 30, 20, 10}, 0.1},
      {{1}, {50, 25, 25}, 0.1},
      {{0, 1}, {45, 25, 5, 25}, 0.1, {{0, 0, 1, 1}, {0, 1, 1}}},
      {{0, 1}, {40, 60}, 0.1, {{0, 1, 1, 1}, {0, 0, 0}}}};
  const FitOptions options{.shrinkage = 1e-3, .tolerance = 1e-6, .most_steps = 500};
  FitState state;
  const GraphicalModel cold = fit({4, 3}, measurements, 100, options, &state);
  const GraphicalModel warm = fit({4, 3}, measurements, 100, options, &state);
  for (const GraphicalModel* model : {&cold, &warm}) {
    const std::vector<double> p = model->marginal({0, 1});
    const auto at = [&](std::size_t row, std::size_t column) { return p[row * 3 + column]; };
    EXPECT_NEAR(at(0, 0) + at(1, 0), 0.45, 1e-4);
    EXPECT_NEAR(at(2, 0) + at(3, 0), 0.05, 1e-4);
    EXPECT_NEAR(at(0, 0) + at(0, 1) + at(0, 2), 0.4, 1e-4);
    // Within groups the columns are independent.
    for (const std::size_t row : {0U, 2U}) {
      EXPECT_NEAR(at(row, 1) * at(row + 1, 2), at(row, 2) * at(row + 1, 1), 1e-6);
    }
  }
  NoisyMarginal wrong = measurements[2];
  wrong.groups[0][0] = 4;
  EXPECT_EQ(test::refusal_of([&] {
              static_cast<void>(fit({4, 3}, {wrong}, 100));
            }),
            "the measurement of columns 0, 1 must have a group for each value");
}

TEST(Fit, RefusesWhatWasNotMeasured) {
  const auto refusal = [](const NoisyMarginal& measurement, double total, double shrinkage) {
    return test::refusal_of([&] {
      (void)fit({2, 2}, {measurement}, total, {.shrinkage = shrinkage});
    });
  };
  EXPECT_EQ(refusal({{0}, {1}, 1}, 1, 1),
            "the measurement of columns 0 must have 2 counts, but has 1");
  EXPECT_EQ(refusal({{0}, {1, 1}, 0}, 1, 1),
            "the deviation of a measurement must be finite and positive, but is 0");
  EXPECT_EQ(refusal({{0}, {1, 1}, 1}, 0, 1),
            "the total of a fit must be finite and positive, but is 0");
  EXPECT_EQ(refusal({{0}, {1, 1}, 1}, 1, 0),
            "the shrinkage of a fit must be finite and positive, but is 0");
  EXPECT_EQ(test::refusal_of([] {
              (void)fit({2, 2}, {}, 1, {.smoothness = -1});
            }),
            "the smoothness of a fit must be finite and at least 0, but is -1");
  EXPECT_EQ(test::refusal_of([] {
              (void)fit({2, 2}, {}, 1, {.ordered = {true}});
            }),
            "which of 2 columns are ordered must be said of each, but is of 1");
  const GraphicalModel other = GraphicalModel::uniform({2}, 1);
  EXPECT_EQ(test::refusal_of([&] {
              (void)fit({2, 2}, {}, 1, {}, nullptr, &other);
            }),
            "a fit must start at a model of the same columns, but these are others");
}

}  // namespace

// -----------------------------------------------------------------------------------------------
// Gaussian copula.

namespace {

TEST(GaussianCopula, ScoresAreMiddleRanks) {
  EXPECT_EQ(rank_scores(std::vector<double>{1, 2, 1}, 8), (std::vector<std::int64_t>{-6, 0, 6}));
  EXPECT_EQ(rank_scores(std::vector<double>{0, 0, 5}, 8), (std::vector<std::int64_t>{-8, -8, 0}));
  EXPECT_EQ(rank_scores(std::vector<double>{3}, 8), (std::vector<std::int64_t>{0}));
}

/// Shares of 200 000 rows have standard errors below 1/890, and mean products below steps^2/440:
/// these are off by 5.5 of them less than once in 10^7, and correlations by some four times as
/// much.
TEST(GaussianCopula, CorrelationsComeBackFromRowsOfAnyColumns) {
  constexpr std::size_t kRows = 200'000;
  std::mt19937_64 random(11);
  const std::vector<std::vector<double>> shares = {
      {0.9, 0.02, 0.03, 0.05}, std::vector<double>(50, 0.02), {0.3, 0.7}};
  const std::vector<double> given = {1, -0.7, 0.3, -0.7, 1, -0.5, 0.3, -0.5, 1};
  const ModelRows rows = copula_rows(shares, given, kRows, [&] { return random(); });
  for (std::size_t i = 0; i < 3; ++i) {
    std::vector<double> counts(shares[i].size());
    for (const std::uint32_t value : rows[i]) counts[value] += 1.0 / kRows;
    for (std::size_t value = 0; value < counts.size(); ++value) {
      EXPECT_NEAR(counts[value], shares[i][value], 0.0065) << i << " " << value;
    }
    for (std::size_t j = i + 1; j < 3; ++j) {
      const auto a = rank_scores(shares[i], 64);
      const auto b = rank_scores(shares[j], 64);
      double mean = 0;
      for (std::size_t row = 0; row < kRows; ++row) {
        mean += static_cast<double>(a[rows[i][row]] * b[rows[j][row]]) / kRows;
      }
      const double found = latent_correlation(CopulaColumn(shares[i]).hermite(a),
                                              CopulaColumn(shares[j]).hermite(b), mean);
      std::printf("correlation %.2f: found %.4f\n", given[3 * i + j], found);
      EXPECT_NEAR(found, given[3 * i + j], 0.05);
    }
  }
}

/// Spearman's correlation of two normals is 6/pi asin(r/2), by Pearson.
TEST(GaussianCopula, FineColumnsHaveSpearmansCorrelation) {
  const std::vector<double> shares(2000, 1.0 / 2000);
  const auto scores = rank_scores(shares, 1U << 20U);
  const auto hermite = CopulaColumn(shares).hermite(scores);
  for (const double r : {-0.9, -0.3, 0.0, 0.5, 0.95}) {
    const double product = 2 / std::acos(-1.0) * std::asin(r / 2) * 0x1p40;
    EXPECT_NEAR(latent_correlation(hermite, hermite, product), r, 1e-3);
  }
}

TEST(GaussianCopula, MakesRowsOfAnyMatrix) {
  std::mt19937_64 random(3);
  const std::vector<std::vector<double>> shares = {{1, 1}, {0, 1, 0}, {4}};
  for (const std::vector<double>& matrix :
       {std::vector<double>{1, 1, 1, 1, 1, 1, 1, 1, 1}, {1, -1, 0.9, -1, 1, 0.9, 0.9, 0.9, 1}}) {
    for (const auto& column : copula_rows(shares, matrix, 100, [&] { return random(); })) {
      for (const std::uint32_t value : column) EXPECT_LT(value, 3U);
    }
  }
  const std::vector<double> one = {5, 5, 5};
  EXPECT_EQ(latent_correlation(one, std::vector<double>{1, 0, 0}, 3), 0) << "one score";
  const double wild = latent_correlation(one, one, std::numeric_limits<double>::quiet_NaN());
  EXPECT_TRUE(std::abs(wild) < 1);
}

}  // namespace

}  // namespace mollify
