#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/invalid_input.h"
#include "scores/learners.h"
#include "scores/samples.h"

namespace mollify {
namespace {

using test::logits_of;

using test::gaussian_features;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

LogisticParameters parameters_of(const Classifier& classifier) {
  return dynamic_cast<const LogisticClassifier&>(classifier).parameters();
}

/// P around (1, 0) with deviations (1, 2), Q around (0, 0) with (1, 1): ln P/Q is quadratic.
TEST(LogisticModel, LearnsTheLogRatioOfTwoGaussians) {
  const Points p = gaussian_features(20000, {1, 0}, {1, 2}, 1);
  const Points q = gaussian_features(20000, {0, 0}, {1, 1}, 2);
  const auto classifier = LogisticLearner({.has_products = true, .ridge = 1e-8}).learn(p, q, 0);
  double worst = 0;
  const std::vector<float> logits = logits_of(*classifier, q);
  for (std::size_t i = 0; i < q.size(); ++i) {
    const double x = static_cast<double>(q.values(0)[i]);
    const double y = static_cast<double>(q.values(1)[i]);
    if (std::abs(x) > 2 || std::abs(y) > 2) continue;
    const double expected = x - 0.5 - std::log(2.0) + 3 * y * y / 8;
    worst = std::max(worst, std::abs(static_cast<double>(logits[i]) - expected));
  }
  // Standard errors of the coefficients are about .01 to .02; on the square they add up to .1.
  std::printf("logits on [-2, 2]^2 are off by at most %.3f\n", worst);
  EXPECT_LT(worst, 0.25);
}

/// Where learning ends the objective does not fall in any direction.
TEST(LogisticModel, EndsAtTheMinimum) {
  const Points p = gaussian_features(50, {1, 0}, {1, 2}, 3);
  const Points q = gaussian_features(150, {0, 0}, {1, 1}, 4);
  constexpr double kRidge = 0.01;
  for (const bool has_products : {false, true}) {
    const auto classifier =
        LogisticLearner({.has_products = has_products, .ridge = kRidge}).learn(p, q, 0);
    const LogisticParameters found = parameters_of(*classifier);
    const auto objective = [&](const std::vector<double>& coefficients) {
      double sum = 0;
      for (std::size_t c = 1; c < coefficients.size(); ++c) {
        sum += kRidge / 2 * coefficients[c] * coefficients[c];
      }
      for (const Points* features : {&p, &q}) {
        for (std::size_t i = 0; i < features->size(); ++i) {
          std::vector<double> terms = {1};
          for (std::size_t f = 0; f < 2; ++f) {
            terms.push_back(static_cast<double>((features->values(f)[i] - found.centres[f]) *
                                                found.factors[f]));
          }
          if (has_products) {
            terms.push_back(terms[1] * terms[1]);
            terms.push_back(terms[1] * terms[2]);
            terms.push_back(terms[2] * terms[2]);
          }
          double logit = 0;
          for (std::size_t c = 0; c < terms.size(); ++c) logit += coefficients[c] * terms[c];
          sum += std::log1p(std::exp(features == &p ? -logit : logit)) / 2 /
                 static_cast<double>(features->size());
        }
      }
      return sum;
    };
    const double least = objective(found.coefficients);
    for (std::size_t c = 0; c < found.coefficients.size(); ++c) {
      for (const double step : {-1e-4, 1e-4}) {
        std::vector<double> moved = found.coefficients;
        moved[c] += step;
        EXPECT_GT(objective(moved), least) << c;
      }
    }
  }
}

/// The passes are the stated number and never end above where they were.
TEST(LogisticModel, TellsEachPass) {
  const Points p = gaussian_features(100, {8}, {1}, 5);
  const Points q = gaussian_features(100, {-8}, {1}, 6);  // apart: no finite optimum but for ridge
  std::vector<double> told;
  const auto classifier =
      LogisticLearner({.ridge = 1e-6, .passes = 25})
          .learn(p, q, 0, [&](std::size_t pass, std::size_t passes, double now) {
            told.push_back(now);
            EXPECT_EQ(pass, told.size());
            EXPECT_EQ(passes, 25U);
          });
  ASSERT_EQ(told.size(), 25U);
  EXPECT_NEAR(told.front(), std::log(2.0), 1e-12);
  EXPECT_LT(told.back(), 0.01);
  for (const float logit : logits_of(*classifier, p)) EXPECT_GT(logit, 3);
}

TEST(LogisticModel, AnySamplesGiveAModel) {
  test::for_odd_samples({0, 1, 30}, {0, 1, 50}, 7, [](const Points& p, const Points& q) {
    for (const bool has_products : {false, true}) {
      const auto model = LogisticLearner({.has_products = has_products}).learn(p, q, 0);
      test::expect_finite_logits(*model, p, q);
    }
  });
}

TEST(LogisticModel, AnyCoefficientsGiveLogits) {
  const Points points = gaussian_features(10, {0, 0}, {1, 1}, 8);
  for (const double coefficient :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::max(),
        -std::numeric_limits<double>::infinity()}) {
    const LogisticClassifier model({{0, 0}, {1, 1}, false, std::vector<double>(3, coefficient)});
    EXPECT_EQ(logits_of(model, points).size(), 10U);
  }
}

TEST(LogisticModel, RefusesWhatDoesNotFit) {
  const auto making = [](LogisticParameters parameters) {
    return [parameters] { const LogisticClassifier model(parameters); };
  };
  const auto refuses = [](const char* what) {
    return ThrowsMessage<InvalidInput>(HasSubstr(what));
  };
  EXPECT_NO_THROW(making({{0, 0}, {1, 1}, true, {1, 2, 3, 4, 5, 6}})());
  EXPECT_THAT(making({{}, {}, false, {1}}), refuses("at least 1 feature, but reads 0"));
  EXPECT_THAT(making({{0}, {}, false, {1, 2}}), refuses("must have as many factors, but has 0"));
  EXPECT_THAT(making({{0, 0}, {1, 1}, true, {1, 2, 3}}),
              refuses("of 6 terms must have as many coefficients, but has 3"));
  EXPECT_THAT([] { const LogisticLearner learner({.ridge = 0}); },
              refuses("the ridge of a logistic model must be finite and positive, but is 0"));
  EXPECT_THAT([] { const LogisticLearner learner({.passes = 0}); }, refuses("at least 1 pass"));
}

}  // namespace
}  // namespace mollify
