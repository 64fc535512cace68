#include "mollify/plan.h"

#include <gtest/gtest.h>

#include "front/refused.h"
#include "release/central_plan.h"

namespace mollify::front {
namespace {

const PlanQuestion kAsked{
    .n = 100000, .k = 100, .epsilon = 1, .delta = 1e-9, .count = 10, .alpha = 0.1};

TEST(FrontPlan, FindsWhateverIsLeftOut) {
  PlanQuestion question = kAsked;
  question.n.reset();
  const Plan records = plan(question);
  EXPECT_EQ(records.unknown, "n");
  ASSERT_TRUE(records.best);
  const PlanAnswer& best = records.answers.at(*records.best);
  ASSERT_TRUE(best.value);
  EXPECT_LE(best.alpha, 0.1);
  EXPECT_TRUE(best.independent_outputs);
  // With as many records, alpha is what was asked for.
  question.n = static_cast<std::uint64_t>(*best.value);
  question.alpha.reset();
  const Plan accuracy = plan(question);
  EXPECT_EQ(accuracy.unknown, "alpha");
  EXPECT_LE(*accuracy.answers.at(*accuracy.best).value, 0.1);
  for (const char* unknown : {"k", "epsilon", "count"}) {
    question = kAsked;
    if (*unknown == 'k') question.k.reset();
    if (*unknown == 'e') question.epsilon.reset();
    if (*unknown == 'c') question.count.reset();
    EXPECT_EQ(plan(question).unknown, unknown);
  }
}

TEST(FrontPlan, SaysWhatTheInsideFinds) {
  PlanQuestion question = kAsked;
  question.alpha.reset();
  const Plan found = plan(question);
  const auto answers = inside::plan(inside::PlanUnknown::kAlpha,
                                    {.request = {.records = 100000,
                                                 .outcomes = 100,
                                                 .outputs = 10,
                                                 .budget = inside::Privacy::approximate(1, 1e-9)}});
  ASSERT_EQ(found.answers.size(), answers.size());
  for (std::size_t i = 0; i < answers.size(); ++i) {
    EXPECT_EQ(found.answers[i].mechanism, inside::name_of(answers[i].mechanism));
    EXPECT_EQ(found.answers[i].value.has_value(), answers[i].design.has_value());
    EXPECT_EQ(found.answers[i].alpha, answers[i].alpha);
    EXPECT_NE(found.answers[i].why, "");
  }
}

TEST(FrontPlan, RefusesInOneSentence) {
  EXPECT_EQ(refused([] { (void)plan(kAsked); }),
            "one of n, k, epsilon or rho, count and alpha must be left to be found, but 0 are");
  EXPECT_EQ(refused([] { (void)plan({}); }),
            "one of n, k, epsilon or rho, count and alpha must be left to be found, but 5 are");
  PlanQuestion both = kAsked;
  both.n.reset();
  both.rho = 1;
  EXPECT_EQ(refused([&] { (void)plan(both); }),
            "a budget is in rho or in epsilon and delta, but both are given");
  PlanQuestion wrong = kAsked;
  wrong.n.reset();
  wrong.alpha = 2;
  EXPECT_NE(refused([&] { (void)plan(wrong); }), "");
}

}  // namespace
}  // namespace mollify::front
