#include "central/above_threshold.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "chi_square.h"
#include "kernel/core/invalid_input.h"
#include "refusal.h"

namespace mollify {
namespace {

/// P(Z >= z) of the discrete Laplace of scale t.
double laplace_at_least(std::int64_t z, double t) {
  const double a = std::exp(-1 / t);
  return z > 0 ? std::exp(-static_cast<double>(z) / t) / (1 + a)
               : 1 - std::exp(-static_cast<double>(1 - z) / t) / (1 + a);
}

/// The probability that each question, or none, is released, summed over the threshold's noise.
std::vector<double> law_of_answers(const AboveThreshold& above, std::int64_t threshold,
                                   const std::vector<std::int64_t>& answers) {
  std::vector<double> law(answers.size() + 1);
  const auto reach = static_cast<std::int64_t>(45 * above.threshold_scale()) + 5;
  for (std::int64_t r = -reach; r <= reach; ++r) {
    const double t = above.threshold_scale();
    double left = laplace_at_least(r, t) - laplace_at_least(r + 1, t);
    if (r > 0) left = std::tanh(0.5 / t) * std::exp(-static_cast<double>(r) / t);
    for (std::size_t i = 0; i < answers.size(); ++i) {
      const double passes = laplace_at_least(threshold + r - answers[i], above.answer_scale());
      law[i] += left * passes;
      left *= 1 - passes;
    }
    law.back() += left;
  }
  return law;
}

TEST(AboveThreshold, KeepsItsPromiseOnAllSmallAnswers) {
  constexpr std::int64_t kThreshold = 2;
  std::int64_t pairs = 0;
  for (const double epsilon : {0.2, 1.0, 3.0}) {
    const AboveThreshold above(epsilon);
    const double most = std::exp(epsilon) * (1 + 1e-9);
    double worst = 0;
    // Three questions with answers from 0 to 4, and all neighbours' answers, from -1 to 5.
    std::map<std::vector<std::int64_t>, std::vector<double>> laws;
    for (int code = 0; code < 343; ++code) {
      const std::vector<std::int64_t> answers = {code % 7 - 1, code / 7 % 7 - 1, code / 49 - 1};
      laws[answers] = law_of_answers(above, kThreshold, answers);
    }
    for (int code = 0; code < 125; ++code) {
      const std::vector<std::int64_t> answers = {code % 5, code / 5 % 5, code / 25};
      const std::vector<double>& law = laws.at(answers);
      for (int change = 0; change < 27; ++change, ++pairs) {
        const std::vector<double>& other =
            laws.at({answers[0] + change % 3 - 1, answers[1] + change / 3 % 3 - 1,
                     answers[2] + change / 9 - 1});
        for (std::size_t i = 0; i < law.size(); ++i) {
          worst = std::max(worst, law[i] / other[i]);
        }
      }
    }
    EXPECT_LE(worst, most);
    std::printf("epsilon %g: realised %.4f\n", epsilon, std::log(worst));
  }
  EXPECT_EQ(pairs, 3 * 125 * 27);
}

TEST(AboveThreshold, DrawsFollowTheLaw) {
  SecureRandom random;
  for (const double epsilon : {0.7, 4.0}) {
    const AboveThreshold above(epsilon, 2);
    const std::vector<std::int64_t> answers = {0, 3, 9, 12};
    std::vector<std::uint64_t> counts(answers.size() + 1);
    for (int i = 0; i < 100'000; ++i) {
      std::size_t asked = 0;
      const std::optional<std::size_t> found = above.draw(
          answers.size(), [&](std::size_t j) { return ++asked, answers[j]; }, 10, random);
      ASSERT_EQ(asked, found.value_or(answers.size() - 1) + 1);
      ++counts[found.value_or(answers.size())];
    }
    EXPECT_TRUE(test::follows(law_of_answers(above, 10, answers), counts));
  }
}

TEST(AboveThreshold, ScalesItsNoiseWithTheSensitivity) {
  for (const std::uint64_t sensitivity : {1U, 3U, 1000U}) {
    const AboveThreshold above(0.5, sensitivity);
    EXPECT_EQ(above.threshold_scale(), 4 * static_cast<double>(sensitivity));
    EXPECT_EQ(above.answer_scale(), 8 * static_cast<double>(sensitivity));
  }
}

std::string above_refusal(double epsilon, std::uint64_t sensitivity) {
  return test::refusal_of([&] { static_cast<void>(AboveThreshold(epsilon, sensitivity)); });
}

TEST(AboveThreshold, RefusesInOneSentence) {
  EXPECT_EQ(above_refusal(-1, 1),
            "epsilon of above-threshold must be from 1e-06 to 100, but is -1");
  EXPECT_EQ(above_refusal(1, 0), "the sensitivity of a question must be from 1 to 1000, but is 0");
}

}  // namespace
}  // namespace mollify
