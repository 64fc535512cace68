#include "release/central_plan.h"

#include <cmath>
#include <cstdio>

#include <gtest/gtest.h>

#include "kernel/core/invalid_input.h"

namespace mollify {
namespace {

constexpr CentralQuestion kQuestion{.request = {.records = 2000,
                                                .outcomes = 4,
                                                .outputs = 50,
                                                .budget = Privacy::approximate(1, 1e-6)},
                                    .alpha = 0.05,
                                    .strong = false};

CentralAnswer answer_of(const std::vector<CentralAnswer>& answers, CentralMechanism mechanism) {
  for (const CentralAnswer& answer : answers) {
    if (answer.mechanism == mechanism) return answer;
  }
  return {};
}

/// Total variation of subset-rr for a request; 2 where it refuses.
double subset_alpha(const CentralRequest& request) {
  try {
    return design_central(CentralMechanism::kSubsetRr, request).total_variation_up;
  } catch (const InvalidInput&) {
    return 2;
  }
}

TEST(CentralPlan, FindsTheLeastRecords) {
  const auto answers = plan(PlanUnknown::kRecords, kQuestion);
  ASSERT_EQ(answers.size(), planned_mechanisms().size());
  const CentralAnswer subset = answer_of(answers, CentralMechanism::kSubsetRr);
  ASSERT_TRUE(subset.design.has_value());
  EXPECT_LE(subset.alpha, kQuestion.alpha);
  CentralRequest fewer = kQuestion.request;
  fewer.records = subset.design->records - 1;
  EXPECT_GT(subset_alpha(fewer), kQuestion.alpha);
  const CentralAnswer pure = answer_of(answers, CentralMechanism::kSubsampledRr);
  ASSERT_TRUE(pure.design.has_value());
  // n = m((k - 1)/alpha - k)/(E - 1) for subsampled randomized response.
  EXPECT_NEAR(static_cast<double>(pure.design->records), 50 * (3 / .05 - 4) / 1.718281828, 1.5);
  const auto best = best_answer(PlanUnknown::kRecords, answers);
  ASSERT_TRUE(best.has_value());
  for (const CentralAnswer& answer : answers) {
    if (!answer.design) continue;
    EXPECT_LE(answers[*best].design->records, answer.design->records);
  }
  EXPECT_LT(static_cast<double>(pure.design->records), papers_subsampled_records(kQuestion));
  std::printf("records: subset-rr %llu, subsampled-rr %llu, papers %.0f\n",
              static_cast<unsigned long long>(subset.design->records),
              static_cast<unsigned long long>(pure.design->records),
              papers_subsampled_records(kQuestion));
}

TEST(CentralPlan, FindsWholeNumbersAtTheEdge) {
  const auto outcomes = plan(PlanUnknown::kOutcomes, kQuestion);
  const CentralAnswer widest = answer_of(outcomes, CentralMechanism::kSubsetRr);
  ASSERT_TRUE(widest.design.has_value());
  CentralRequest request = kQuestion.request;
  request.outcomes = widest.design->outcomes;
  EXPECT_LE(subset_alpha(request), kQuestion.alpha);
  ++request.outcomes;
  EXPECT_GT(subset_alpha(request), kQuestion.alpha);
  const auto outputs = plan(PlanUnknown::kOutputs, kQuestion);
  const CentralAnswer most = answer_of(outputs, CentralMechanism::kSubsetRr);
  ASSERT_TRUE(most.design.has_value());
  request = kQuestion.request;
  request.outputs = *most.design->outputs;
  EXPECT_LE(subset_alpha(request), kQuestion.alpha);
  ++request.outputs;
  EXPECT_GT(subset_alpha(request), kQuestion.alpha);
}

TEST(CentralPlan, FindsBudgets) {
  CentralRequest request = kQuestion.request;
  const auto epsilons = plan(PlanUnknown::kEpsilon, kQuestion);
  const CentralAnswer least = answer_of(epsilons, CentralMechanism::kSubsetRr);
  ASSERT_TRUE(least.design.has_value());
  EXPECT_LE(least.alpha, kQuestion.alpha);
  request.budget.epsilon = least.design->guarantee.epsilon * (1 - 1e-5);
  EXPECT_GT(subset_alpha(request), kQuestion.alpha);
  // Without delta a total variation of .02 takes 4249 records.
  CentralQuestion closer = kQuestion;
  closer.alpha = 0.02;
  const auto deltas = plan(PlanUnknown::kDelta, closer);
  const CentralAnswer smallest = answer_of(deltas, CentralMechanism::kSubsetRr);
  ASSERT_TRUE(smallest.design.has_value());
  EXPECT_LE(smallest.alpha, closer.alpha);
  request = kQuestion.request;
  request.budget.delta = smallest.design->guarantee.delta / 1.01;
  EXPECT_GT(subset_alpha(request), closer.alpha);
  EXPECT_FALSE(answer_of(deltas, CentralMechanism::kSubsampledRr).refusal.empty());
}

TEST(CentralPlan, ReportsAlphaWeakAndStrong) {
  CentralQuestion question = kQuestion;
  const auto weak = plan(PlanUnknown::kAlpha, question);
  question.strong = true;
  const auto strong = plan(PlanUnknown::kAlpha, question);
  for (std::size_t i = 0; i < weak.size(); ++i) {
    ASSERT_EQ(weak[i].design.has_value(), strong[i].design.has_value());
    if (!weak[i].design) continue;
    EXPECT_EQ(weak[i].alpha, weak[i].design->total_variation_up);
    EXPECT_NEAR(strong[i].alpha, 50 * weak[i].alpha, 1e-12);
  }
  EXPECT_EQ(records_lower_bound_order(kQuestion), 4 / .05);
  EXPECT_NEAR(records_lower_bound_order({kQuestion.request, 0.05, true}), 4 * std::sqrt(50.0) / .05,
              1e-9);
  EXPECT_GT(papers_shuffled_records(kQuestion).value(), 1000U);
}

TEST(CentralPlan, CurveFalls) {
  CentralQuestion question = kQuestion;
  question.request.records = 320;
  question.request.outputs = 100;
  const auto points = curve(question);
  ASSERT_EQ(points.size(), 7U);  // from 160 records on
  double before = 2;
  for (const CurvePoint& point : points) {
    ASSERT_EQ(point.alphas.size(), planned_mechanisms().size());
    ASSERT_TRUE(point.alphas[1].has_value());
    EXPECT_LT(*point.alphas[1], before);
    before = *point.alphas[1];
  }
}

TEST(CentralPlan, RefusesTheImpossible) {
  CentralQuestion question = kQuestion;
  for (const double alpha : {0.0, 1.0, -1.0}) {
    question.alpha = alpha;
    EXPECT_THROW((void)plan(PlanUnknown::kRecords, question), InvalidInput);
  }
  question = kQuestion;
  question.request.budget.epsilon = -1;
  EXPECT_THROW((void)plan(PlanUnknown::kRecords, question), InvalidInput);
  question = kQuestion;
  question.request.outputs = 0;
  EXPECT_THROW((void)plan(PlanUnknown::kRecords, question), InvalidInput);
}

}  // namespace
}  // namespace mollify
