#include "boosting/mbde.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <string>

#include <gtest/gtest.h>

#include "boosting/finite_space.h"
#include "divergence/f_divergence.h"
#include "not_finite.h"
#include "refusal.h"

namespace mollify {
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
      for (const Bounding bounding :
           {Bounding::kProbability, Bounding::kLogit, Bounding::kSign, Bounding::kSigmoid}) {
        for (const std::size_t outputs : {1U, 4U}) {
          const MbdeSpec spec{
              .boosting = {.epsilon = epsilon, .bounding = bounding, .outputs = outputs},
              .iterations = 6,
              .sample_size = 400,
              .seed = 3};
          const BoostedDensity density = boost(p, pool, *learner, spec);
          ASSERT_EQ(density.iterations(), 6U);
          const std::vector<double> q = test::masses_of(density, kReference);
          const double limit =
              epsilon / (bounding == Bounding::kSigmoid ? 4 : 2) / static_cast<double>(outputs);
          ASSERT_EQ(density.log_density_ratio_bound(), limit);
          for (std::size_t i = 0; i < q.size(); ++i) {
            const double log_ratio = std::abs(std::log(q[i] / kReference[i]));
            ASSERT_LE(log_ratio, limit + 1e-12) << name << ' ' << epsilon;
            furthest = std::max(furthest, log_ratio / limit);
          }
        }
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
  std::vector<double> divergences{kullback_leibler(law, kReference)};
  std::vector<double> of_samples;
  const MbdeObserver observer{
      .iteration =
          [&](const MbdeIteration& step) {
            EXPECT_EQ(step.t, divergences.size());
            EXPECT_EQ(step.before.iterations() + 1, step.t);
            EXPECT_EQ(step.p.size(), 2000U);
            EXPECT_EQ(step.q.size(), 2000U);
            std::array<double, kPoints> shares{};
            for (const float value : step.q.values(0)) {
              shares.at(static_cast<std::size_t>(value)) += 1 / 2000.0;
            }
            // Systematic resampling: each point's share to one copy.
            const auto q = test::masses_of(step.before, kReference);
            for (std::size_t i = 0; i < kPoints; ++i) {
              EXPECT_NEAR(shares.at(i), q[i], 1.01 / 2000) << i;
            }
            divergences.push_back(kullback_leibler(law, test::masses_of(step.after, kReference)));
          },
      .training =
          [&](std::size_t t, std::size_t, std::size_t, double loss) {
            EXPECT_EQ(t, divergences.size());
            of_samples.push_back(loss);
          }};
  const BoostedDensity density = boost(
      p, sample_of(pool_counts), CountingLearner(kPoints, 1),
      {.boosting = {.epsilon = 2}, .iterations = 4, .sample_size = 2000, .seed = 5}, observer);
  ASSERT_EQ(divergences.size(), 5U);
  EXPECT_EQ(of_samples.size(), 4U);
  // The same with the exact log P/Q_(t-1) in the learner's part.
  BoostedDensity perfect({.epsilon = 2}, 1);
  for (std::size_t t = 1; t < divergences.size(); ++t) {
    const std::vector<double> q = test::masses_of(perfect, kReference);
    std::vector<float> logits;
    for (std::size_t i = 0; i < kPoints; ++i) {
      logits.push_back(static_cast<float>(std::log(law[i] / q[i])));
    }
    perfect = perfect.boosted(test::table(logits));
    const double exact = kullback_leibler(law, test::masses_of(perfect, kReference));
    std::printf("KL(P, Q_%zu) = %.5f, with perfect classifiers %.5f\n", t, divergences[t], exact);
    EXPECT_LT(divergences[t], divergences[t - 1]);
    EXPECT_NEAR(divergences[t], exact, 1e-3);
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
    return std::make_unique<test::TableClassifier>(std::vector<float>{-1, 1});
  }
  mutable std::vector<double> means;
};

// docs/theory/errata.md: line 4 of Algorithm 1 names Q_t, which c_t is a part of.
TEST(Mbde, LearnsFromTheDensityBefore) {
  const std::vector<std::size_t> halves{500, 500};
  const Points pool = sample_of(halves);
  const RememberingLearner learner;
  const MbdeSpec spec{.boosting = {.epsilon = 4, .bounding = Bounding::kSign},
                      .iterations = 2,
                      .sample_size = 1000,
                      .seed = 1};
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
    boost(p, pool, learner,
          {.boosting = {.epsilon = 1}, .iterations = 3, .sample_size = 50, .seed = seed})
        .log_ratio(test::numbered(kPoints), values);
    return values;
  };
  EXPECT_EQ(ratios(1), ratios(1));
  EXPECT_NE(ratios(1), ratios(2));
}

TEST(Mbde, IsTotalInPrivateData) {
  const Points pool = sample_of(kCountsOfPool);
  const CountingLearner learner(kPoints, 1);
  const MbdeSpec spec{.boosting = {.epsilon = 1}, .iterations = 2, .sample_size = 10, .seed = 1};
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
  EXPECT_EQ(message(points, points, {.boosting = {.epsilon = 0}}),
            "epsilon must be finite and positive, but is 0");
}

}  // namespace
}  // namespace mollify
