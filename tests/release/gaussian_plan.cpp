#include "release/gaussian_plan.h"

#include <gtest/gtest.h>

#include "kernel/core/invalid_input.h"

namespace mollify {
namespace {

GaussianQuestion concentrated_question(std::size_t dimension) {
  GaussianQuestion question;
  question.request.dimension = dimension;
  question.request.budget = Privacy::concentrated(0.5);
  question.request.mean_bound = 5;
  question.alpha = 0.01;
  return question;
}

TEST(GaussianPlan, NeedsNoMoreRecordsThanThePapers) {
  for (const auto& [dimension, papers] :
       {std::pair<std::size_t, std::uint64_t>{1, 21}, {10, 25}, {100, 39}}) {
    const GaussianQuestion question = concentrated_question(dimension);
    EXPECT_EQ(papers_gaussian_records(question), papers);
    const auto design = plan(PlanUnknown::kRecords, question);
    ASSERT_TRUE(design);
    EXPECT_LE(design->request.records, papers);
    EXPECT_LE(alpha_of(*design, false), 0.01);
    EXPECT_LE(gaussian_records_lower_bound(question), static_cast<double>(design->request.records));
    GaussianRequest fewer = design->request;
    --fewer.records;
    const auto worse = find_gaussian_design(fewer);
    EXPECT_TRUE(!worse || alpha_of(*worse, false) > 0.01);
  }
}

TEST(GaussianPlan, FindsTheLeastBudgetOfEveryNotion) {
  GaussianQuestion question = concentrated_question(3);
  question.request.records = 100;
  const auto rho = plan(PlanUnknown::kRho, question);
  ASSERT_TRUE(rho);
  EXPECT_LT(rho->request.budget.rho, 0.05);
  GaussianRequest less = rho->request;
  less.budget.rho *= 0.999;
  const auto worse = find_gaussian_design(less);
  EXPECT_TRUE(!worse || alpha_of(*worse, false) > 0.01);
  question.request.budget = Privacy::approximate(0, 1e-6);
  const auto approximate = plan(PlanUnknown::kEpsilon, question);
  question.request.budget = {};
  const auto pure = plan(PlanUnknown::kEpsilon, question);
  ASSERT_TRUE(pure && approximate);
  EXPECT_GT(pure->request.budget.epsilon, 0);
  EXPECT_LE(alpha_of(*pure, false), 0.01);
  EXPECT_LE(alpha_of(*approximate, false), 0.01);
}

TEST(GaussianPlan, OfPurePrivacyGainsByTheCorrectedVariance) {
  GaussianQuestion question = concentrated_question(5);
  question.request.budget = Privacy::pure(1);
  question.alpha = 1e-3;
  const auto corrected = plan(PlanUnknown::kRecords, question);
  question.request.paper_variance = true;
  const auto paper = plan(PlanUnknown::kRecords, question);
  ASSERT_TRUE(corrected && paper);
  EXPECT_LT(2 * corrected->request.records, paper->request.records);
}

TEST(GaussianPlan, SaysWhereNothingServes) {
  GaussianQuestion question = concentrated_question(3);
  question.request.records = 3;
  question.request.budget = Privacy::concentrated(1e-6);
  EXPECT_FALSE(plan(PlanUnknown::kAlpha, question));
  EXPECT_FALSE(plan(PlanUnknown::kOutputs, question));
  question.alpha = 0;
  EXPECT_THROW((void)plan(PlanUnknown::kRecords, question), InvalidInput);
  question.request.mean_bound.reset();
  EXPECT_EQ(papers_gaussian_records(question), std::nullopt);
  EXPECT_EQ(gaussian_records_lower_bound(question), 0);
}

}  // namespace
}  // namespace mollify
