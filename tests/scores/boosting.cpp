#include "scores/boosting.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/invalid_input.h"
#include "methods/divergence/f_divergence.h"
#include "not_finite.h"
#include "refusal.h"
#include "scores/finite_space.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Boosted density.

namespace {

using test::numbered;
using test::table;

TEST(BoostedDensity, AddsUpBoundedClassifiers) {
  const BoostedDensity density =
      BoostedDensity(1, 1).boosted(table({0.1F, 500, -900})).boosted(table({0.5F, -0.25F, -900}));
  const double half = std::log(2) * std::tanh(0.25);
  EXPECT_EQ(density.iterations(), 2U);
  const double first = 1 / (1 + 4 * std::log(2));
  EXPECT_NEAR(density.theta(1), first, 1e-15);
  EXPECT_NEAR(density.theta(2), first * first, 1e-15);
  std::vector<double> ratios(3);
  density.log_ratio(numbered(3), ratios);
  EXPECT_NEAR(ratios[0], first * std::log(2) * std::tanh(0.05) + first * first * half, 1e-8);
  EXPECT_NEAR(ratios[1], first * std::log(2) - first * first * std::log(2) * std::tanh(0.125),
              1e-8);
  EXPECT_NEAR(ratios[2], -(first + first * first) * std::log(2), 1e-8);
}

// Many saturated classifiers come as close to the bound as rounding allows: from below, in both
// precisions.
TEST(BoostedDensity, NeverPassesItsBound) {
  for (const double epsilon : {1e-6, 0.1, 1.0, 7.3, 30.0, 1e4}) {
    BoostedDensity density(epsilon, 1);
    for (int t = 0; t < 200; ++t) density = density.boosted(table({900, -900}));
    const double bound = epsilon / 4;
    std::vector<double> doubles(2);
    std::vector<float> floats(2);
    density.log_ratio(numbered(2), doubles);
    density.log_ratio(numbered(2), std::span<float>(floats));
    EXPECT_LE(doubles[0], bound);
    EXPECT_GE(doubles[1], -bound);
    EXPECT_LE(static_cast<double>(floats[0]), bound);
    EXPECT_GE(static_cast<double>(floats[1]), -bound);
    if (epsilon < 1) {
      EXPECT_NEAR(doubles[0] / bound, 1, 1e-12);
      EXPECT_NEAR(static_cast<double>(floats[0]) / bound, 1, 1e-6);
    }
  }
}

TEST(BoostedDensity, RefusesInOneSentence) {
  EXPECT_EQ(test::refusal_of([] { BoostedDensity(-1, 1); }),
            "epsilon must be finite and positive, but is -1");
  EXPECT_EQ(test::refusal_of([] { BoostedDensity(1, 0); }),
            "points must have at least 1 feature, but have 0");
  EXPECT_EQ(test::refusal_of([] { (void)BoostedDensity(1, 2).boosted(table({1})); }),
            "a classifier must read the density's 2 features, but reads 1");
  std::vector<double> values(3);
  EXPECT_EQ(test::refusal_of([&] { BoostedDensity(1, 1).log_ratio(Points(2, 3), values); }),
            "points must have the density's 1 features, but have 2");
  EXPECT_EQ(test::refusal_of([&] { BoostedDensity(1, 1).log_ratio(Points(1, 4), values); }),
            "there must be a value for each of 4 points, but there are 3");
}

}  // namespace

// -----------------------------------------------------------------------------------------------
// Bounding.

namespace {

TEST(Bounding, IsBoundedForEveryKindOfFloat) {
  // Every exponent and sign, infinities and NaN included, with a 1021st of the mantissas.
  std::uint64_t tried = 0;
  for (std::uint64_t bits = 0; bits < (std::uint64_t{1} << 32U); bits += 1021 * 97) {
    const auto logit = static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
    const double c = bounded(logit);
    ASSERT_TRUE(std::abs(c) <= kClassifierBound) << logit;
    ASSERT_EQ(c, -bounded(-logit)) << logit;
    ++tried;
  }
  EXPECT_GT(tried, 40'000U);
}

TEST(Bounding, SaysWhatItIs) {
  for (const double z : {-700.0, -3.0, -0.5, 0.0, 1e-9, 0.2, 4.0}) {
    EXPECT_NEAR(bounded(z), kClassifierBound * (2 / (1 + std::exp(-z)) - 1), 1e-15);
  }
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(bounded(infinity), kClassifierBound);
  EXPECT_EQ(bounded(-infinity), -kClassifierBound);
  EXPECT_EQ(bounded(std::nan("")), 0);
}

}  // namespace

// -----------------------------------------------------------------------------------------------
// Feature encoding.

namespace {

using test::kNanFloat;

using testing::ElementsAre;

TEST(FeatureEncoding, PutsNumbersAndOrderedLevelsBetweenMinusOneAndOne) {
  const std::vector<MixedColumn> columns = {{Scale::kNumber, 0}, {Scale::kOrdered, 5}};
  const FeatureEncoding encoding(columns);
  EXPECT_EQ(encoding.dimension(), 2U);
  MixedPoints points(columns, 4);
  const float numbers[] = {0.0F, 0.25F, 7.0F, kNanFloat};
  const float levels[] = {0.0F, 3.0F, 99.0F, kNanFloat};
  std::copy(std::begin(numbers), std::end(numbers), points.values(0).begin());
  std::copy(std::begin(levels), std::end(levels), points.values(1).begin());
  const Points features = encoding.features(points);
  EXPECT_THAT(features.values(0), ElementsAre(-1.0F, -0.5F, 1.0F, -1.0F));
  EXPECT_THAT(features.values(1), ElementsAre(-1.0F, 0.5F, 1.0F, -1.0F));
}

TEST(FeatureEncoding, GivesEveryCategoryItsOwnFeatures) {
  for (const std::uint32_t levels : {1U, 2U, 32U, 33U, 64U, 65U, 1000U}) {
    const std::vector<MixedColumn> columns = {{Scale::kCategory, levels}};
    const FeatureEncoding encoding(columns);
    EXPECT_LE(encoding.dimension(), 32U) << levels;
    MixedPoints points(columns, levels);
    for (std::uint32_t level = 0; level < levels; ++level) {
      points.values(0)[level] = static_cast<float>(level);
    }
    const Points features = encoding.features(points);
    std::set<std::vector<float>> codes;
    for (std::uint32_t level = 0; level < levels; ++level) {
      std::vector<float> code;
      for (std::size_t f = 0; f < encoding.dimension(); ++f) {
        code.push_back(features.values(f)[level]);
      }
      codes.insert(code);
    }
    EXPECT_EQ(codes.size(), levels);
  }
}

TEST(FeatureEncoding, PicksAsManyPointsAsAskedFor) {
  const std::vector<MixedColumn> columns = {{Scale::kOrdered, 3}};
  const FeatureEncoding encoding(columns);
  MixedPoints points(columns, 3);
  for (std::size_t i = 0; i < 3; ++i) points.values(0)[i] = static_cast<float>(i);
  EXPECT_THAT(encoding.features(points, 2).values(0), ElementsAre(-1.0F, 0.0F));
  EXPECT_THAT(encoding.features(points, 6).values(0),
              ElementsAre(-1.0F, -1.0F, 0.0F, 0.0F, 1.0F, 1.0F));
}

TEST(FeatureEncoding, SingleOrderedLevelIsZero) {
  const std::vector<MixedColumn> columns = {{Scale::kOrdered, 1}};
  EXPECT_THAT(FeatureEncoding(columns).features(MixedPoints(columns, 1)).values(0),
              ElementsAre(0.0F));
}

}  // namespace

// -----------------------------------------------------------------------------------------------
// Mbde.

namespace {

using test::kInfiniteFloat;
using test::kNanFloat;

using test::CountingLearner;
using test::sample_of;
using test::StubbornLearner;

constexpr std::size_t kPoints = 5;
const std::vector<std::size_t> kCountsOfP{0, 10, 0, 500, 2};
const std::vector<std::size_t> kCountsOfPool{900, 500, 300, 200, 100};
const std::vector<double> kReference{0.45, 0.25, 0.15, 0.10, 0.05};

std::map<std::string, std::unique_ptr<WeakLearner>> adversaries() {
  std::map<std::string, std::unique_ptr<WeakLearner>> learners;
  const auto stubborn = [](std::vector<float> logits) {
    return std::make_unique<StubbornLearner>(std::move(logits));
  };
  learners["constantly sure of P"] = stubborn(std::vector<float>(kPoints, kInfiniteFloat));
  learners["constantly sure of Q"] = stubborn(std::vector<float>(kPoints, -kInfiniteFloat));
  learners["one against all"] = stubborn({1e30F, -1e30F, -1e30F, -1e30F, -1e30F});
  learners["all against one"] = stubborn({1e30F, 1e30F, 1e30F, 1e30F, -1e30F});
  learners["NaN"] = stubborn(std::vector<float>(kPoints, kNanFloat));
  learners["NaN at times"] = stubborn({kNanFloat, kInfiniteFloat, kNanFloat, -kInfiniteFloat, 3});
  learners["overfitted"] = std::make_unique<CountingLearner>(kPoints, 1000.0F);
  learners["sign-flipped"] = std::make_unique<CountingLearner>(kPoints, -1.0F);
  learners["NaN weights"] = std::make_unique<CountingLearner>(kPoints, kNanFloat);
  return learners;
}

// The guarantee: with the exact normaliser, |log Q_T/Q0| <= epsilon/2 for every learner. Nothing
// here is statistical.
TEST(Mbde, StaysInTheMollifierWhateverTheLearner) {
  const Points p = sample_of(kCountsOfP);
  const Points pool = sample_of(kCountsOfPool);
  for (const auto& [name, learner] : adversaries()) {
    double furthest = 0;
    for (const double epsilon : {0.01, 0.5, 1.0, 4.0, 20.0}) {
      const BoostedDensity density = boost(
          p, pool, *learner, {.epsilon = epsilon, .iterations = 6, .sample_size = 400, .seed = 3});
      ASSERT_EQ(density.iterations(), 6U);
      const std::vector<double> q = test::masses_of(density, kReference);
      for (std::size_t i = 0; i < q.size(); ++i) {
        const double log_ratio = std::abs(std::log(q[i] / kReference[i]));
        ASSERT_LE(log_ratio, epsilon / 2 + 1e-12) << name << ' ' << epsilon;
        furthest = std::max(furthest, log_ratio / (epsilon / 2));
      }
    }
    std::printf("%-22s reaches %.3f of epsilon/2\n", name.c_str(), furthest);
  }
}

TEST(Mbde, ComesCloserToPWithAnHonestLearner) {
  // P and the pool in plenty and a learner that counts: Q_t by exact sums.
  const std::vector<std::size_t> counts{4000, 1000, 3000, 1000, 1000};
  const Points p = sample_of(counts);
  const std::vector<double> law{0.4, 0.1, 0.3, 0.1, 0.1};
  const std::vector<std::size_t> pool_counts{9000, 5000, 3000, 2000, 1000};
  // Boosting with the exact log P/Q_(t-1) in the learner's part.
  BoostedDensity perfect(2, 1);
  double before = kullback_leibler(law, kReference);
  for (std::size_t t = 1; t <= 4; ++t) {
    const BoostedDensity density =
        boost(p, sample_of(pool_counts), CountingLearner(kPoints, 1),
              {.epsilon = 2, .iterations = t, .sample_size = 2000, .seed = 5});
    const std::vector<double> q = test::masses_of(perfect, kReference);
    std::vector<float> logits;
    for (std::size_t i = 0; i < kPoints; ++i) {
      logits.push_back(static_cast<float>(std::log(law[i] / q[i])));
    }
    perfect = perfect.boosted(test::table(logits));
    const double exact = kullback_leibler(law, test::masses_of(perfect, kReference));
    const double found = kullback_leibler(law, test::masses_of(density, kReference));
    std::printf("KL(P, Q_%zu) = %.5f, with perfect classifiers %.5f\n", t, found, exact);
    EXPECT_LT(found, before);
    EXPECT_NEAR(found, exact, 1e-3);
    before = found;
  }
}

/// Remembers the mean of the samples of Q that it is given, and always gives the same logits.
class RememberingLearner final : public WeakLearner {
 public:
  std::unique_ptr<Classifier> learn(const Points&, const Points& q, std::uint64_t,
                                    const TrainingProgress&) const override {
    double sum = 0;
    for (const float value : q.values(0)) sum += static_cast<double>(value);
    means.push_back(sum / static_cast<double>(q.size()));
    return std::make_unique<test::TableClassifier>(std::vector<float>{-900, 900});
  }
  mutable std::vector<double> means;
};

// docs/theory/errata.md: line 4 of Algorithm 1 names Q_t, which c_t is a part of.
TEST(Mbde, LearnsFromTheDensityBefore) {
  const std::vector<std::size_t> halves{500, 500};
  const Points pool = sample_of(halves);
  const RememberingLearner learner;
  const MbdeSpec spec{.epsilon = 4, .iterations = 2, .sample_size = 1000, .seed = 1};
  const BoostedDensity density = boost(pool, pool, learner, spec);
  const double lifted = std::exp(2 * density.theta(1) * kClassifierBound);
  ASSERT_EQ(learner.means.size(), 2U);
  EXPECT_NEAR(learner.means[0], 0.5, 1e-3);
  EXPECT_NEAR(learner.means[1], lifted / (1 + lifted), 2e-3);
}

TEST(Mbde, IsTheSameForTheSameSeed) {
  const Points p = sample_of(kCountsOfP);
  const Points pool = sample_of(kCountsOfPool);
  const CountingLearner learner(kPoints, 1);
  const auto ratios = [&](std::uint64_t seed) {
    std::vector<double> values(kPoints);
    boost(p, pool, learner, {.epsilon = 1, .iterations = 3, .sample_size = 50, .seed = seed})
        .log_ratio(test::numbered(kPoints), values);
    return values;
  };
  EXPECT_EQ(ratios(1), ratios(1));
  EXPECT_NE(ratios(1), ratios(2));
}

TEST(Mbde, IsTotalInPrivateData) {
  const Points pool = sample_of(kCountsOfPool);
  const CountingLearner learner(kPoints, 1);
  const MbdeSpec spec{.epsilon = 1, .iterations = 2, .sample_size = 10, .seed = 1};
  Points garbage(1, 30);
  for (std::size_t i = 0; i < 30; ++i)
    garbage.values(0)[i] = i % 2 == 0 ? kNanFloat : -kInfiniteFloat;
  for (const Points& p : {Points(1, 0), garbage, test::numbered(1)}) {
    const BoostedDensity density = boost(p, pool, learner, spec);
    EXPECT_EQ(density.iterations(), 2U);
    for (const double mass : test::masses_of(density, kReference)) EXPECT_GT(mass, 0);
  }
}

TEST(Mbde, RefusesInOneSentence) {
  const auto message = [](const Points& p, const Points& pool, const MbdeSpec& spec) {
    return test::refusal_of([&] { (void)boost(p, pool, CountingLearner(kPoints, 1), spec); });
  };
  const Points points = test::numbered(kPoints);
  EXPECT_EQ(message(points, points, {.iterations = 0}),
            "there must be at least 1 iteration, but are 0");
  EXPECT_EQ(message(points, points, {.sample_size = 0}),
            "the sample size must be at least 1, but is 0");
  EXPECT_EQ(message(points, Points(1, 0), {}), "the pool of reference samples must not be empty");
  EXPECT_EQ(message(Points(2, 4), points, {}),
            "samples of P must have the pool's 1 features, but have 2");
  EXPECT_EQ(message(points, points, {.epsilon = 0}),
            "epsilon must be finite and positive, but is 0");
}

}  // namespace

// -----------------------------------------------------------------------------------------------
// Resample.

namespace {

std::vector<std::size_t> how_often(const Points& points, std::size_t k) {
  std::vector<std::size_t> counts(k);
  for (const float value : points.values(0)) ++counts[static_cast<std::size_t>(value)];
  return counts;
}

TEST(Resample, GivesEachPointItsShareToOneCopy) {
  SeededRandom random(7);
  const std::vector<double> weights{0.1, 3, 0, 1.5, 0.4, 2.25};
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  for (const std::size_t count : {1U, 5U, 1000U}) {
    for (int repeat = 0; repeat < 50; ++repeat) {
      const auto counts =
          how_often(resampled(test::numbered(6), weights, count, random), weights.size());
      EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), std::size_t{0}), count);
      for (std::size_t i = 0; i < weights.size(); ++i) {
        const double share = weights[i] / sum * static_cast<double>(count);
        EXPECT_LE(std::abs(static_cast<double>(counts[i]) - share), 1 + 1e-9) << i;
      }
    }
  }
}

TEST(Resample, IsUnbiased) {
  // One draw at a time, so that the random start alone decides.
  SeededRandom random(8);
  const std::vector<double> weights{1, 2, 5};
  std::vector<std::size_t> counts(3);
  constexpr std::size_t kDraws = 20'000;
  for (std::size_t draw = 0; draw < kDraws; ++draw) {
    const Points one = resampled(test::numbered(3), weights, 1, random);
    ++counts[static_cast<std::size_t>(one.values(0)[0])];
  }
  for (std::size_t i = 0; i < 3; ++i) {
    const double share = weights[i] / 8;
    const double deviation = std::sqrt(share * (1 - share) * kDraws);
    EXPECT_NEAR(static_cast<double>(counts[i]), share * kDraws, 4.9 * deviation) << "seed 8";
  }
}

TEST(Resample, IsTotal) {
  SeededRandom random(9);
  const double infinity = std::numeric_limits<double>::infinity();
  const std::vector<double> spoiled{std::nan(""), -1, infinity, 2};
  EXPECT_EQ(how_often(resampled(test::numbered(4), spoiled, 8, random), 4),
            (std::vector<std::size_t>{0, 0, 0, 8}));
  for (const double weight : {0.0, -1.0, infinity, 1e308}) {
    const std::vector<double> alike(4, weight);
    EXPECT_EQ(how_often(resampled(test::numbered(4), alike, 8, random), 4),
              (std::vector<std::size_t>{2, 2, 2, 2}));
  }
  EXPECT_EQ(resampled(Points(3, 0), {}, 8, random).size(), 0U);
  EXPECT_EQ(resampled(test::numbered(1), std::vector<double>(1, 1), 0, random).size(), 0U);
  EXPECT_THROW((void)resampled(test::numbered(4), std::vector<double>(3), 1, random), InvalidInput);
}

}  // namespace

}  // namespace mollify

namespace mollify::detail {

// -----------------------------------------------------------------------------------------------
// Standardisation.

namespace {

using test::kInfiniteFloat;
using test::kNanFloat;

Points one_feature(const std::vector<float>& values) {
  Points result(1, values.size());
  for (std::size_t i = 0; i < values.size(); ++i) result.values(0)[i] = values[i];
  return result;
}

void expect_standard(const std::vector<float>& p, const std::vector<float>& q, double mean,
                     double deviation) {
  const Standardisation result = standardisation_of(one_feature(p), one_feature(q));
  EXPECT_FLOAT_EQ(result.centres[0], static_cast<float>(mean));
  EXPECT_FLOAT_EQ(result.factors[0], deviation > 0 ? static_cast<float>(1 / deviation) : 0.0F);
}

TEST(Standardisation, EachDistributionCountsHalf) {
  expect_standard({1, 1, 1, 1}, {3}, 2, 1);
  expect_standard({0, 2}, {5, 7, 5, 7}, 3.5, std::sqrt(7.25));
  expect_standard({}, {5, 7}, 6, 1);
  expect_standard({5, 7}, {}, 6, 1);
}

TEST(Standardisation, WhatIsNotFiniteIsAbsent) {
  constexpr float kMost = std::numeric_limits<float>::max();
  expect_standard({1, kNanFloat, 1, kInfiniteFloat}, {3, -kInfiniteFloat}, 2, 1);
  expect_standard({kNanFloat, kNanFloat}, {5, 7, kNanFloat}, 6, 1);
  expect_standard({kNanFloat}, {kInfiniteFloat}, 0, 0);
  expect_standard({}, {}, 0, 0);
  expect_standard({4, 4}, {4}, 4, 0);
  expect_standard({kMost}, {-kMost}, 0, static_cast<double>(kMost));
}

TEST(Standardisation, AnyValueBecomesFinite) {
  constexpr float kMost = std::numeric_limits<float>::max();
  const std::vector<float> values = {3, kNanFloat, kInfiniteFloat, -kInfiniteFloat, kMost, -kMost};
  std::vector<float> result(values.size());
  standardise(values, 1, 2, result.data());
  EXPECT_EQ(result, (std::vector<float>{4, 0, 0, 0, 0, 0}));
  standardise(values, kNanFloat, 2, result.data());
  EXPECT_EQ(result, std::vector<float>(values.size()));
  standardise(values, 1, 0, result.data());
  EXPECT_EQ(result[0], 0);
}

}  // namespace

}  // namespace mollify::detail
