// Plans of Gaussian samples.
#include "release/plan.h"

#include <gtest/gtest.h>

#include "core/invalid_input.h"
#include "methods/gaussian/design.h"
#include "methods/gaussian/method.h"

namespace mollify {
namespace {

PlanQuestion concentrated_question(std::uint64_t dimension) {
  return {.method = Method::kGaussian,
          .dimension = dimension,
          .budget = Privacy::concentrated(0.5),
          .alpha = 0.01,
          .own = GaussianQuestion{.mean_bound = 5}};
}

GaussianRequest request_with(const PlanQuestion& question) {
  return {.records = question.records,
          .dimension = static_cast<std::size_t>(question.dimension),
          .budget = question.budget,
          .mean_bound = own_of<GaussianQuestion>(question).mean_bound};
}

/// The one way of the answer.
PlanWay way_for(PlanUnknown unknown, PlanQuestion question) {
  question.unknowns = {unknown};
  return plan(question).answers.front().ways.front();
}

TEST(GaussianPlan, NeedsNoMoreRecordsThanThePapers) {
  for (const auto& [dimension, papers] :
       {std::pair<std::uint64_t, std::uint64_t>{1, 21}, {10, 25}, {100, 39}}) {
    const PlanQuestion question = concentrated_question(dimension);
    EXPECT_EQ(papers_gaussian_records(question), papers);
    const PlanWay way = way_for(PlanUnknown::kRecords, question);
    ASSERT_TRUE(way.value);
    EXPECT_LE(*way.value, papers);
    EXPECT_LE(way.alpha, 0.01);
    EXPECT_LE(gaussian_records_lower_bound(question), *way.value);
    const auto worse =
        find_gaussian_design(request_with(with(question, PlanUnknown::kRecords, *way.value - 1)));
    EXPECT_TRUE(!worse || worse->total_variation_up() > 0.01);
  }
}

TEST(GaussianPlan, FindsTheLeastBudgetOfEveryNotion) {
  PlanQuestion question = concentrated_question(3);
  question.records = 100;
  const PlanWay rho = way_for(PlanUnknown::kRho, question);
  ASSERT_TRUE(rho.value);
  EXPECT_LT(*rho.value, 0.05);
  const auto worse =
      find_gaussian_design(request_with(with(question, PlanUnknown::kRho, *rho.value * 0.999)));
  EXPECT_TRUE(!worse || worse->total_variation_up() > 0.01);
  question.budget = Privacy::approximate(1, 1e-6);
  const PlanWay approximate = way_for(PlanUnknown::kEpsilon, question);
  question.budget = Privacy::pure(1);
  const PlanWay pure = way_for(PlanUnknown::kEpsilon, question);
  ASSERT_TRUE(pure.value && approximate.value);
  EXPECT_GT(*pure.value, 0);
  EXPECT_LE(pure.alpha, 0.01);
  EXPECT_LE(approximate.alpha, 0.01);
}

TEST(GaussianPlan, OfPurePrivacyGainsByTheCorrectedVariance) {
  PlanQuestion question = concentrated_question(5);
  question.budget = Privacy::pure(1);
  question.alpha = 1e-3;
  const PlanWay corrected = way_for(PlanUnknown::kRecords, question);
  own_of<GaussianQuestion>(question).paper_variance = true;
  const PlanWay paper = way_for(PlanUnknown::kRecords, question);
  ASSERT_TRUE(corrected.value && paper.value);
  EXPECT_LT(2 * *corrected.value, *paper.value);
}

// Theorems 25 to 27 and the recipe of Section 5.2 of [Cheu, Nayak 2024], which give orders alone.
TEST(GaussianPlan, TellsTheOrdersOfLearningAndSampling) {
  PlanQuestion question = concentrated_question(5);
  question.alpha = 0.1;
  EXPECT_FALSE(gaussian_learning_orders(question)) << "the covariance is known";
  own_of<GaussianQuestion>(question).covariance_bound = 4;
  const auto orders = gaussian_learning_orders(question);
  ASSERT_TRUE(orders);
  EXPECT_NEAR(orders->learning, 5 * std::sqrt(std::log(4.0) / 0.5), 1e-12);
  EXPECT_NEAR(orders->semi_private, 25 / 0.01 + 25 / (0.1 * std::sqrt(0.5)), 1e-9);
  EXPECT_EQ(orders->public_records, 6);
  EXPECT_NEAR(orders->single, orders->learning / 6, 1e-12);
  own_of<GaussianQuestion>(question).covariance_bound = 4e4;
  EXPECT_EQ(gaussian_learning_orders(question)->semi_private, orders->semi_private);
  EXPECT_GT(gaussian_learning_orders(question)->learning, 2 * orders->learning);
  for (const std::uint64_t outputs : {std::uint64_t{1}, std::uint64_t{6}}) {
    question.outputs = outputs;
    question.unknowns = {PlanUnknown::kRecords};
    const Json facts = plan(question).answers.front().facts["orders"];
    const auto large = *gaussian_learning_orders(question);
    EXPECT_EQ(facts["sampling"], outputs == 1 ? large.single : large.learning) << facts;
  }
  question.budget = Privacy::approximate(1, 1e-6);
  EXPECT_FALSE(gaussian_learning_orders(question));
}

TEST(GaussianPlan, SaysWhereNothingServes) {
  PlanQuestion question = concentrated_question(3);
  question.records = 3;
  question.budget = Privacy::concentrated(1e-6);
  EXPECT_FALSE(way_for(PlanUnknown::kAlpha, question).value);
  EXPECT_FALSE(way_for(PlanUnknown::kOutputs, question).value);
  EXPECT_THROW((void)way_for(PlanUnknown::kOutcomes, question), InvalidInput);
  question.alpha = 0;
  EXPECT_THROW((void)way_for(PlanUnknown::kRecords, question), InvalidInput);
  own_of<GaussianQuestion>(question).mean_bound.reset();
  EXPECT_EQ(papers_gaussian_records(question), std::nullopt);
  EXPECT_EQ(gaussian_records_lower_bound(question), 0);
}

}  // namespace
}  // namespace mollify
