#include "mollify/local/band_tuning.h"

#include <cmath>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mollify/divergence/band_projection.h"
#include "mollify/kernel/invalid_input.h"

namespace mollify {
namespace {

std::vector<float> bump(double centre, double width) {
  std::vector<float> masses(64);
  for (std::size_t i = 0; i < masses.size(); ++i) {
    const double z = (static_cast<double>(i) / 64 - centre) / width;
    masses[i] = static_cast<float>(std::exp(-z * z / 2));
  }
  return masses;
}

TEST(BandTuning, AveragesTheDivergencesOfExamplesFromTheirProjections) {
  const std::vector<std::vector<float>> examples = {bump(0.2, 0.1), bump(0.5, 0.4),
                                                    bump(0.9, 0.05)};
  const std::vector<BandChoice> choices = usual_band_choices(1, {.c2 = 8.0});
  BandTuning tuning(64, {}, 1, {.c2 = 8.0}, choices);
  for (const auto& example : examples) tuning.add(example);
  const std::vector<BandTrial> trials = tuning.trials();
  ASSERT_EQ(trials.size(), choices.size());
  for (const BandTrial& trial : trials) {
    double mean = 0;
    double worst = 0;
    for (const auto& example : examples) {
      std::vector<double> p(example.begin(), example.end());
      const double sum = std::accumulate(p.begin(), p.end(), 0.0);
      for (double& mass : p) mass /= sum;
      const std::vector<double> lower(64, trial.floor / 64);
      const std::vector<double> upper(64, trial.floor * std::exp(1.0) / 64);
      const double kl = kullback_leibler(p, project_on_band(p, lower, upper).law);
      mean += kl / 3;
      worst = std::max(worst, kl);
    }
    EXPECT_NEAR(trial.mean.kl, mean, 1e-7) << to_text(trial.choice);
    EXPECT_NEAR(trial.worst.kl, worst, 1e-7) << to_text(trial.choice);
    ASSERT_TRUE(trial.worst_case.has_value());
  }
}

// The minimax band has the least worst case over its class; flat examples are served better by a
// band about the reference, sharp ones better by none of both.
TEST(BandTuning, TellsTheWorstCaseFromTheUsualCase) {
  const std::vector<BandChoice> choices = usual_band_choices(0.1, {.c2 = 8.0});
  BandTuning tuning(64, {}, 0.1, {.c2 = 8.0}, choices);
  tuning.add(bump(0.5, 2));
  const std::vector<BandTrial> trials = tuning.trials();
  const BandTrial& minimax = trials[0];
  const BandTrial& relative = trials[1];
  EXPECT_EQ(to_text(minimax.choice), "minimax");
  EXPECT_EQ(to_text(relative.choice), "relative");
  EXPECT_LT(minimax.worst_case->kl, relative.worst_case->kl);
  EXPECT_GT(minimax.mean.kl, relative.mean.kl);
  for (const BandTrial& trial : trials) {
    EXPECT_GE(trial.worst_case->kl, minimax.worst_case->kl - 1e-12) << to_text(trial.choice);
  }
}

TEST(BandTuning, LeavesOutExamplesThatSayNothing) {
  const std::vector<BandChoice> choices = usual_band_choices(1, {});
  BandTuning tuning(3, std::array{1.0, 2.0, 3.0}, 1, {}, choices);
  tuning.add(std::array{0.0F, NAN, -1.0F});
  EXPECT_EQ(tuning.examples(), 0);
  tuning.add(std::array{0.0F, NAN, 5.0F});
  EXPECT_EQ(tuning.examples(), 1);
  EXPECT_FALSE(tuning.trials()[0].worst_case.has_value());
  EXPECT_THROW(tuning.add(std::array{1.0F}), InvalidInput);
}

}  // namespace
}  // namespace mollify
