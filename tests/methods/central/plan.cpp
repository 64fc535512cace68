// Plans of finite samples in the central model.
#include "release/plan.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/directed_rounding.h"
#include "core/invalid_input.h"
#include "methods/central/design.h"
#include "methods/central/method.h"
#include "methods/central/samplers.h"
#include "methods/divergence/f_divergence.h"

namespace mollify {
namespace {

PlanQuestion finite_question() {
  return {.method = Method::kCentral,
          .records = 2000,
          .outcomes = 4,
          .outputs = 50,
          .budget = Privacy::approximate(1, 1e-6),
          .alpha = 0.05};
}

CentralRequest finite_request() { return {2000, 4, 50, Privacy::approximate(1, 1e-6)}; }

PlanAnswer answer_for(PlanUnknown unknown, PlanQuestion question) {
  question.unknowns = {unknown};
  return plan(question).answers.front();
}

PlanWay way_of(const PlanAnswer& answer, CentralMechanism mechanism) {
  for (const PlanWay& way : answer.ways) {
    if (way.mechanism == name_of(mechanism)) return way;
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

std::uint64_t whole(const PlanWay& way) { return static_cast<std::uint64_t>(*way.value); }

// [Husain et al. 2019, Lemma 18]: every table of three records on three outcomes against every
// other, and P on a grid of the simplex. One replaced record changes the law by at most epsilon.
TEST(FinitePlan, LemmaEighteenHoldsForEveryTable) {
  constexpr std::size_t kRecords = 3;
  PlanQuestion question{.method = Method::kCentral,
                        .records = kRecords,
                        .outcomes = 3,
                        .outputs = 1,
                        .budget = Privacy::pure(1)};
  const PlanAnswer answer = answer_for(PlanUnknown::kAlpha, question);
  const double spread = answer.facts["kl_spread"];
  EXPECT_NEAR(spread, kRecords, 1e-12);
  const double odds = 1 + kRecords * std::expm1(1.0);  // E0
  std::vector<std::array<double, 3>> laws;
  for (std::size_t a = 0; a <= kRecords; ++a) {
    for (std::size_t b = 0; a + b <= kRecords; ++b) {
      const std::array counts{a, b, kRecords - a - b};
      std::array<double, 3>& law = laws.emplace_back();
      for (std::size_t x = 0; x < 3; ++x) {
        law[x] = (1 + (odds - 1) * static_cast<double>(counts[x]) / kRecords) / (odds + 2);
      }
    }
  }
  double most = 0;
  constexpr std::size_t kSteps = 12;
  for (std::size_t a = 0; a <= kSteps; ++a) {
    for (std::size_t b = 0; a + b <= kSteps; ++b) {
      const std::array p{static_cast<double>(a) / kSteps, static_cast<double>(b) / kSteps,
                         static_cast<double>(kSteps - a - b) / kSteps};
      for (const auto& q : laws) {
        for (const auto& other : laws) {
          double apart = 0;
          for (std::size_t x = 0; x < 3; ++x) apart += p[x] * std::log(other[x] / q[x]);
          most = std::max(most, apart);
        }
      }
    }
  }
  std::printf("divergences of one P from two tables' laws differ by %.4f, at most %.4f\n", most,
              spread);
  EXPECT_LE(most, spread);
  EXPECT_GT(most, spread / 2);
  question.budget = Privacy::approximate(1, 1e-6);
  EXPECT_FALSE(answer_for(PlanUnknown::kAlpha, question).facts.contains("kl_spread"));
}

TEST(FinitePlan, FindsTheLeastRecords) {
  const PlanQuestion question = finite_question();
  const PlanAnswer answer = answer_for(PlanUnknown::kRecords, question);
  ASSERT_EQ(answer.ways.size(), 6U);
  const PlanWay subset = way_of(answer, CentralMechanism::kSubsetRr);
  ASSERT_TRUE(subset.value.has_value());
  EXPECT_LE(subset.alpha, question.alpha);
  CentralRequest fewer = finite_request();
  fewer.records = whole(subset) - 1;
  EXPECT_GT(subset_alpha(fewer), question.alpha);
  const PlanWay pure = way_of(answer, CentralMechanism::kSubsampledRr);
  ASSERT_TRUE(pure.value.has_value());
  // n = m((k - 1)/alpha - k)/(E - 1) for subsampled randomized response.
  EXPECT_NEAR(*pure.value, 50 * (3 / .05 - 4) / 1.718281828, 1.5);
  ASSERT_TRUE(answer.best.has_value());
  for (const PlanWay& way : answer.ways) {
    EXPECT_LE(*answer.ways[*answer.best].value, way.value.value_or(1e300));
  }
  EXPECT_LT(*pure.value, papers_subsampled_records(question));
  std::printf("records: subset-rr %.0f, subsampled-rr %.0f, papers %.0f\n", *subset.value,
              *pure.value, papers_subsampled_records(question));
}

TEST(FinitePlan, FindsWholeNumbersAtTheEdge) {
  const PlanQuestion question = finite_question();
  const PlanWay widest =
      way_of(answer_for(PlanUnknown::kOutcomes, question), CentralMechanism::kSubsetRr);
  ASSERT_TRUE(widest.value.has_value());
  CentralRequest request = finite_request();
  request.outcomes = whole(widest);
  EXPECT_LE(subset_alpha(request), question.alpha);
  ++request.outcomes;
  EXPECT_GT(subset_alpha(request), question.alpha);
  const PlanWay most =
      way_of(answer_for(PlanUnknown::kOutputs, question), CentralMechanism::kSubsetRr);
  ASSERT_TRUE(most.value.has_value());
  request = finite_request();
  request.outputs = whole(most);
  EXPECT_LE(subset_alpha(request), question.alpha);
  ++request.outputs;
  EXPECT_GT(subset_alpha(request), question.alpha);
}

TEST(FinitePlan, FindsBudgets) {
  CentralRequest request = finite_request();
  const PlanWay least =
      way_of(answer_for(PlanUnknown::kEpsilon, finite_question()), CentralMechanism::kSubsetRr);
  ASSERT_TRUE(least.value.has_value());
  EXPECT_LE(least.alpha, finite_question().alpha);
  request.budget.epsilon = *least.value * (1 - 1e-5);
  EXPECT_GT(subset_alpha(request), finite_question().alpha);
  // Without delta a total variation of .02 takes 4249 records.
  PlanQuestion closer = finite_question();
  closer.alpha = 0.02;
  const PlanAnswer deltas = answer_for(PlanUnknown::kDelta, closer);
  const PlanWay smallest = way_of(deltas, CentralMechanism::kSubsetRr);
  ASSERT_TRUE(smallest.value.has_value());
  EXPECT_LE(smallest.alpha, closer.alpha);
  request = finite_request();
  request.budget.delta = *smallest.value / 1.01;
  EXPECT_GT(subset_alpha(request), closer.alpha);
  const PlanWay pure = way_of(deltas, CentralMechanism::kSubsampledRr);
  EXPECT_FALSE(pure.value.has_value());
  EXPECT_FALSE(pure.why.text.empty());
}

TEST(FinitePlan, ReportsAlphaWeakAndStrong) {
  PlanQuestion question = finite_question();
  const PlanAnswer weak = answer_for(PlanUnknown::kAlpha, question);
  question.strong = true;
  const PlanAnswer strong = answer_for(PlanUnknown::kAlpha, question);
  for (std::size_t i = 0; i < weak.ways.size(); ++i) {
    ASSERT_EQ(weak.ways[i].value.has_value(), strong.ways[i].value.has_value());
    if (!weak.ways[i].value) continue;
    const CentralDesign design =
        design_central(*named<CentralMechanism>(weak.ways[i].mechanism), finite_request());
    EXPECT_EQ(weak.ways[i].value, design.total_variation_up);
    EXPECT_NEAR(*strong.ways[i].value, std::min(1.0, 50 * *weak.ways[i].value), 1e-12);
  }
  question = finite_question();
  EXPECT_EQ(records_lower_bound_order(question), 4 / .05);
  EXPECT_GT(papers_shuffled_records(question).value(), 1000U);
  question.strong = true;
  const double most = single_total_variation_most(50, .05);
  EXPECT_EQ(records_lower_bound_order(question), 4 / most);
  EXPECT_NEAR(most, std::sqrt(std::numbers::pi / 100) * .05, .01 * most);
  question.outputs = 1'000'000;  // about as before, by the limit
  EXPECT_NEAR(records_lower_bound_order(question), 4 / (.05 * std::sqrt(std::numbers::pi / 2e6)),
              1e-6);
}

// Each output is the report of one record, or a run on records of its own. So a plan needs as many
// records as outputs, or more, whatever the closed form allows.
TEST(FinitePlan, ThePapersAskForARecordOfEachOutput) {
  PlanQuestion question{.method = Method::kCentral,
                        .outcomes = 10,
                        .outputs = 100,
                        .budget = Privacy::approximate(1, 1e-9),
                        .alpha = 0.1};
  const std::uint64_t few = papers_shuffled_records(question).value();
  EXPECT_EQ(few, 28'654U);
  question.outputs = 100'000;
  EXPECT_EQ(papers_shuffled_records(question).value(), 100'000U);
  question.outputs = few + 1;
  EXPECT_EQ(papers_shuffled_records(question).value(), few + 1);
  question.alpha = 0.95;  // uniform outcomes are within .9
  EXPECT_EQ(papers_shuffled_records(question).value(), few + 1);
  EXPECT_EQ(papers_subsampled_records(question), 10.0 * static_cast<double>(few + 1))
      << "9/.95 records of each run, rounded up";
  question.budget.epsilon = 20;
  EXPECT_EQ(papers_subsampled_records(question), static_cast<double>(few + 1));
}

// [Cheu, Nayak 2024, after Theorem 2]: an output's records, n/m, come down to 1 as m grows.
TEST(FinitePlan, AnOutputCostsOneRecordIfThereAreManyOutputs) {
  PlanQuestion question = finite_question();
  double before_of_papers = 1e300;
  double before = 1e300;
  for (const std::uint64_t outputs : {10U, 100U, 1'000U, 10'000U, 100'000U}) {
    question.outputs = outputs;
    const auto m = static_cast<double>(outputs);
    const double of_papers = static_cast<double>(papers_shuffled_records(question).value()) / m;
    const double ours =
        way_of(answer_for(PlanUnknown::kRecords, question), CentralMechanism::kSubsetRr)
            .value.value() /
        m;
    std::printf("%8.0f outputs: %.4f records of the papers each, %.4f of mollify\n", m, of_papers,
                ours);
    EXPECT_LE(1, ours);
    EXPECT_LE(ours, of_papers);
    EXPECT_LE(of_papers, before_of_papers);
    EXPECT_LE(ours, before);
    before_of_papers = of_papers;
    before = ours;
  }
  EXPECT_EQ(before_of_papers, 1);
  EXPECT_EQ(before, 1);
}

// [Cheu, Nayak 2024, after Theorem 23]: records of weak samples, by the papers' parameters, stay as
// they are while m grows up to them; the order of what strong ones need grows with its root. Orders
// only: no paper gives the constant.
TEST(FinitePlan, StrongSamplesNeedMoreThanWeakOnes) {
  PlanQuestion question{.method = Method::kCentral,
                        .outcomes = std::uint64_t{1} << 20,
                        .budget = Privacy::approximate(1, 1e-9),
                        .alpha = 0.01};
  double before = 0;
  for (const std::uint64_t outputs : {1U, 100U, 10'000U, 1'000'000U, 100'000'000U}) {
    question.outputs = outputs;
    question.strong = false;
    const auto weak = static_cast<double>(papers_shuffled_records(question).value());
    question.strong = true;
    const double ratio = records_lower_bound_order(question) / weak;
    std::printf("%10llu outputs: %.4g records of weak samples, %.4g times that for strong ones\n",
                static_cast<unsigned long long>(outputs), weak, ratio);
    if (outputs > 100) {
      EXPECT_NEAR(ratio / before, 10, 0.1);
    }
    before = ratio;
  }
  EXPECT_GT(before, 10);
}

TEST(FinitePlan, CurveFalls) {
  PlanQuestion question = finite_question();
  question.records = 320;
  question.outputs = 100;
  question.curve = true;
  const PlanAnswer answer = answer_for(PlanUnknown::kAlpha, question);
  ASSERT_EQ(answer.curve.size(), 7U);  // from 160 records on
  double before = 2;
  for (const CurvePoint& point : answer.curve) {
    ASSERT_EQ(point.alphas.size(), 6U);
    ASSERT_TRUE(point.alphas[2].has_value());
    EXPECT_LT(*point.alphas[2], before);
    before = *point.alphas[2];
  }
}

PlanAnswer planned(const char* question) {
  return plan(parse_plan_question(question, "q.json")).answers.front();
}

// alpha is the sum of the draw's total variation, with half of the budget on the outcomes
// that are found, and of the search's parts: computed from the formulas of docs/theory/central.md.
TEST(SupportPlan, SumsTheSearchAndTheDraw) {
  struct Case {
    const char* hint;
    const char* k;
    std::uint64_t size;
    double outside;
    double failure;
  };
  constexpr double kRecords = 100'000;
  // t = 4 and T of epsilon 1/2, delta 5e-7; of two stages 1/4, of three 1/6.
  const double threshold = static_cast<double>(StableHistogram(0.5, 5e-7).threshold());
  const double heavy = std::ceil(2 * 8 * (threshold + 4 * std::log(8000))) / kRecords;
  const Case cases[] = {
      {"width=50", "", 150, 0, 0.001},
      {"heavy", R"("k": 8,)", 8, heavy, 0.001},
      {"bounded", R"("k": 8,)", 15, std::ceil(1 + 48 * std::log(66'000)) / kRecords, 0.002},
      {"contiguous", R"("k": 8,)", 22, std::ceil(1 + 72 * std::log(66'000)) / kRecords, 0.003},
      {"subgaussian=10", "",
       20 + 2 * static_cast<std::uint64_t>(std::ceil(20 * std::sqrt(2 * std::log(2e8)))), 0, 0.002},
  };
  for (const Case& one : cases) {
    const PlanAnswer answer =
        planned(fmt::format(R"({{"method": "central", "support": "{}", {} "n": 100000, "count": 20,
                        "privacy": {{"epsilon": 1, "delta": 1e-6}}}})",
                            one.hint, one.k)
                    .c_str());
    ASSERT_TRUE(answer.best) << one.hint;
    for (const PlanWay& way : answer.ways) {
      if (!way.value) continue;
      const CentralDesign draw =
          design_central(*named<CentralMechanism>(way.mechanism),
                         {100'000, one.size, 20, Privacy::approximate(0.5, 5e-7)});
      EXPECT_NEAR(way.alpha, draw.total_variation_up + one.outside + one.failure, 1e-12)
          << one.hint << way.mechanism;
      EXPECT_LE(way.spent.epsilon, 1 + 1e-12);
      EXPECT_LE(way.spent.delta, 1e-6);
    }
    std::printf("%s: alpha %.4g, %s\n", one.hint, *answer.ways[*answer.best].value,
                answer.facts["support"].dump().c_str());
    EXPECT_EQ(answer.facts["support"]["k"], one.size);
  }
}

// The number that is found keeps alpha, and the next number does not.
TEST(SupportPlan, FindsTheUnknownAtTheEdge) {
  const std::string hint = R"({"method": "central", "support": "heavy", "count": 20, )";
  const auto alpha = [&](std::uint64_t records, std::uint64_t outcomes, double epsilon) {
    const PlanAnswer answer = planned(fmt::format(R"({} "n": {}, "k": {},
                               "privacy": {{"epsilon": {}, "delta": 1e-6}}}})",
                                                  hint, records, outcomes, epsilon)
                                          .c_str());
    return way_of(answer, CentralMechanism::kSubsetRr).alpha;
  };
  const PlanWay records = way_of(
      planned(
          (hint + R"("k": 8, "alpha": 0.05, "privacy": {"epsilon": 1, "delta": 1e-6}})").c_str()),
      CentralMechanism::kSubsetRr);
  ASSERT_TRUE(records.value);
  EXPECT_LE(alpha(whole(records), 8, 1), 0.05);
  EXPECT_GT(alpha(whole(records) - 1, 8, 1), 0.05);
  const PlanWay outcomes = way_of(
      planned((hint + R"("n": 50000, "alpha": 0.05, "privacy": {"epsilon": 1, "delta": 1e-6}})")
                  .c_str()),
      CentralMechanism::kSubsetRr);
  ASSERT_TRUE(outcomes.value);
  EXPECT_LE(alpha(50'000, whole(outcomes), 1), 0.05);
  EXPECT_GT(alpha(50'000, whole(outcomes) + 1, 1), 0.05);
  const PlanWay epsilon = way_of(
      planned((hint + R"("n": 50000, "k": 8, "alpha": 0.05, "privacy": {"delta": 1e-6}})").c_str()),
      CentralMechanism::kSubsetRr);
  ASSERT_TRUE(epsilon.value);
  EXPECT_LE(alpha(50'000, 8, *epsilon.value), 0.05 * (1 + 1e-5));
  EXPECT_GT(alpha(50'000, 8, *epsilon.value * (1 - 1e-4)), 0.05);
  std::printf("heavy: %.0f records, %.0f outcomes, epsilon %.6g\n", *records.value, *outcomes.value,
              *epsilon.value);
  // Too few records find none.
  const PlanAnswer few =
      planned((hint + R"("n": 300, "k": 8, "privacy": {"epsilon": 1, "delta": 1e-6}})").c_str());
  EXPECT_FALSE(few.best);
  EXPECT_NE(few.ways.front().why.text.find("half of the budget finds a support from "),
            std::string::npos);
}

// A search for what would do asks this question of many numbers, and makes no designs for it. Its
// answer must be the one that the plan's designs give, also close to the number where it changes.
TEST(FinitePlan, KnowsWithoutDesignsWhatIsMoreThanNoise) {
  const auto by_plan = [](const PlanQuestion& question) {
    const PlanAnswer found = answer_for(PlanUnknown::kAlpha, question);
    return found.best && !found.ways[*found.best].noise->is_mostly_noise();
  };
  const auto agrees = [&](const PlanQuestion& question) {
    const bool is_good = is_more_than_noise(question, "");
    EXPECT_EQ(is_good, by_plan(question))
        << question.records << " records, " << question.outcomes << " outcomes, "
        << question.outputs << " outputs, epsilon " << question.budget.epsilon;
    return is_good;
  };
  for (const std::uint64_t records : {100U, 1000U}) {
    for (const std::uint64_t outputs : std::vector<std::uint64_t>{1, 30, records}) {
      for (const double delta : {0.0, 1e-9}) {
        PlanQuestion question = finite_question();
        question.records = records;
        question.outputs = outputs;
        question.budget = Privacy::approximate(1.5, delta);
        if (!is_more_than_noise(with(question, PlanUnknown::kOutcomes, 2), "")) continue;
        const std::uint64_t most = halve_whole(2, 100'000, [&](std::uint64_t outcomes) {
          question.outcomes = outcomes;
          return is_more_than_noise(question, "");
        });
        EXPECT_TRUE(agrees(with(question, PlanUnknown::kOutcomes, static_cast<double>(most))));
        EXPECT_FALSE(agrees(with(question, PlanUnknown::kOutcomes, static_cast<double>(most + 1))));
        question.outcomes = most + 1;
        const auto [serves, fails] = halve({30, 1.5}, {.share = 2e-6}, [&](double epsilon) {
          return is_more_than_noise(with(question, PlanUnknown::kEpsilon, epsilon), "");
        });
        agrees(with(question, PlanUnknown::kEpsilon, serves));
        agrees(with(question, PlanUnknown::kEpsilon, fails));
      }
    }
  }
  // By name, where another mechanism would do.
  PlanQuestion question = finite_question();
  question.outcomes = 100;
  EXPECT_TRUE(is_more_than_noise(question, "subset-rr"));
  EXPECT_FALSE(is_more_than_noise(question, "subsampled-rr"));
  EXPECT_FALSE(is_more_than_noise(question, "product"));
  // What a release refuses is no release.
  question.budget.delta = 0.01;
  EXPECT_FALSE(is_more_than_noise(question, ""));
}

TEST(FinitePlan, RefusesTheImpossible) {
  PlanQuestion question = finite_question();
  for (const double alpha : {0.0, 1.0, -1.0}) {
    question.alpha = alpha;
    EXPECT_THROW((void)answer_for(PlanUnknown::kRecords, question), InvalidInput);
  }
  question = finite_question();
  question.budget.epsilon = -1;
  EXPECT_THROW((void)answer_for(PlanUnknown::kRecords, question), InvalidInput);
  question = finite_question();
  question.outputs = 0;
  EXPECT_THROW((void)answer_for(PlanUnknown::kRecords, question), InvalidInput);
  EXPECT_THROW((void)answer_for(PlanUnknown::kDimension, question), InvalidInput);
}

}  // namespace
}  // namespace mollify
