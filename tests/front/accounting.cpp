#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "message_texts.h"
#include "mollify/privacy.h"
#include "refusal.h"

namespace mollify::front {
namespace {

/// Relative, above and by no more than `slack`.
void expect_just_above(double value, double exact, double slack = 1e-6) {
  EXPECT_GE(value, exact * (1 - 1e-12));
  EXPECT_LE(value, exact * (1 + slack));
}

TEST(FrontPrivacy, IsWrittenInWords) {
  EXPECT_EQ(Privacy::pure(0.5).text(), "epsilon 0.5");
  EXPECT_EQ(Privacy::approximate(1, 1e-6).text(), "epsilon 1 and delta 1e-6");
  EXPECT_EQ(Privacy::approximate(1, 0), Privacy::pure(1));
  EXPECT_EQ(Privacy::concentrated(0.1).text(), "rho 0.1");
  EXPECT_EQ(Privacy::gaussian(1).text(), "mu 1");
}

TEST(FrontAccounting, ReleasesAddUp) {
  const std::vector<Privacy> pure{Privacy::pure(1), Privacy::approximate(0.5, 1e-6)};
  const Privacy sum = composed_up(pure);
  EXPECT_EQ(sum.notion, Privacy::Notion::kApproximate);
  expect_just_above(sum.epsilon, 1.5);
  expect_just_above(sum.delta, 1e-6);
  const std::vector<Privacy> mixed{Privacy::pure(1), Privacy::concentrated(0.25),
                                   Privacy::gaussian(1)};
  expect_just_above(composed_up(mixed).rho, 0.5 + 0.25 + 0.5);
  const std::vector<Privacy> apart{Privacy::approximate(1, 1e-6), Privacy::concentrated(1)};
  EXPECT_NE(test::refusal_of([&] { (void)composed_up(apart); }), "accepted");
}

TEST(FrontAccounting, EqualReleasesComposeOptimally) {
  EXPECT_LE(composed_epsilon_up(0.1, 100, 1e-6), 10);
  expect_just_above(composed_epsilon_up(0.1, 100, 0), 10);
  EXPECT_LE(epsilon_per_release_down(1, 3) * 3, 1);
  EXPECT_GT(epsilon_per_release_down(1, 3), 0.333333);
}

// Mu and rho are explained by their epsilon at a delta of 1e-6.
TEST(FrontAccounting, ALargeBudgetIsExplainedInOdds) {
  EXPECT_TRUE(epsilon_warnings(Privacy::pure(9.99)).empty());
  EXPECT_EQ(epsilon_warnings(Privacy::pure(12)).size(), 1U);
  EXPECT_EQ(epsilon_warnings(Privacy::pure(40)).size(), 2U);
  for (const auto& [small, large] :
       {std::pair(Privacy::gaussian(1.7), Privacy::gaussian(2.1)),
        std::pair(Privacy::concentrated(1), Privacy::concentrated(2))}) {
    ASSERT_LT(epsilon_up(small, 1e-6), 10);
    EXPECT_TRUE(epsilon_warnings(small).empty()) << small.text();
    const double epsilon = epsilon_up(large, 1e-6);
    ASSERT_GE(epsilon, 10);
    const auto said = test::texts_of(epsilon_warnings(large));
    EXPECT_EQ(epsilon_warnings(large).front().code, "large-epsilon");
    ASSERT_EQ(said.size(), 1U) << large.text();
    const std::string begin = large.text() + " is epsilon " + std::to_string(epsilon).substr(0, 4);
    EXPECT_EQ(said[0].substr(0, begin.size()), begin);
    EXPECT_NE(said[0].find(" at delta 1e-6 and allows that the output multiplies the odds of a "
                           "guess by up to "),
              std::string::npos)
        << said[0];
  }
  // Many draws of mu together.
  EXPECT_EQ(epsilon_warnings(Privacy::gaussian(2000)).size(), 1U);
}

TEST(FrontAccounting, NotionsAreConverted) {
  // Gaussian-DP: Phi(mu/2 - epsilon/mu) - e^epsilon Phi(-mu/2 - epsilon/mu).
  const auto normal = [](double x) { return std::erfc(-x / std::sqrt(2.0)) / 2; };
  const double exact = normal(0.5 - 1) - std::exp(1) * normal(-0.5 - 1);
  expect_just_above(delta_up(Privacy::gaussian(1), 1), exact);
  expect_just_above(epsilon_up(Privacy::gaussian(1), exact), 1);
  // zCDP is weaker than the Gaussian-DP of the same rho, and better than the first conversion.
  const double epsilon = epsilon_up(Privacy::concentrated(0.5), 1e-6);
  EXPECT_GT(epsilon, epsilon_up(Privacy::gaussian(1), 1e-6));
  EXPECT_LT(epsilon, 0.5 + 2 * std::sqrt(0.5 * std::log(1e6)));
  // A pure release: delta is (e^e - e^epsilon) / (1 + e^e) below its epsilon, none from there on.
  expect_just_above(delta_up(Privacy::pure(1), 0), (std::exp(1) - 1) / (std::exp(1) + 1));
  EXPECT_EQ(delta_up(Privacy::pure(1), 1), 0);
  EXPECT_EQ(epsilon_up(Privacy::approximate(1, 1e-3), 1e-4), INFINITY);
  expect_just_above(rho_up(Privacy::pure(1)), 0.5);
  expect_just_above(rho_up(Privacy::gaussian(1)), 0.5);
  EXPECT_EQ(rho_up(Privacy::concentrated(0.5)), 0.5);
  EXPECT_NE(test::refusal_of([] { (void)rho_up(Privacy::approximate(1, 1e-6)); }), "accepted");
}

TEST(FrontAccounting, ReplacingIsToRemoveAndToAdd) {
  EXPECT_EQ(replacing_up(Privacy::pure(0.125)), Privacy::pure(0.25));
  expect_just_above(replacing_up(Privacy::pure(0.1)).epsilon, 0.2);
  EXPECT_EQ(replacing_up(Privacy::concentrated(0.5)), Privacy::concentrated(2));
  EXPECT_EQ(replacing_up(Privacy::gaussian(1)), Privacy::gaussian(2));
  const Privacy both = replacing_up(Privacy::approximate(1, 1e-6));
  EXPECT_EQ(both.epsilon, 2);
  expect_just_above(both.delta, 1e-6 * (1 + std::exp(1)));
  EXPECT_EQ(replacing_up(Privacy::approximate(1000, 1e-6)).delta, 1);
}

TEST(FrontAccounting, ShufflingAmplifies) {
  const ShuffledReports reports{.n = 10000, .k = 4, .epsilon0 = 2};
  const double epsilon = shuffled_epsilon_up(reports, 1e-6);
  EXPECT_GT(epsilon, 0);
  EXPECT_LT(epsilon, 0.5);
  EXPECT_LE(shuffled_delta_up(reports, epsilon), 1e-6);
  EXPECT_NEAR(shuffled_epsilon0_down(10000, 4, epsilon, 1e-6), 2, 1e-6);
}

}  // namespace
}  // namespace mollify::front
