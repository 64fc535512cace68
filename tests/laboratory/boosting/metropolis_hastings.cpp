#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include <gtest/gtest.h>

#include "chi_square.h"
#include "core/invalid_input.h"
#include "laboratory/boosting/chains.h"
#include "laboratory/measure/measure.h"

namespace mollify {
namespace {

using Masses = std::vector<double>;

/// The exact law, after so many steps, of the walk on a line of points that proposes either
/// neighbour and accepts as Metropolis and Hastings do. Off the line nothing is accepted.
Masses walked(const Masses& target, Masses law, std::size_t steps) {
  const std::size_t k = target.size();
  const auto passes = [&](std::size_t from, std::size_t to) {
    return 0.5 * std::min(1.0, target[to] / target[from]);
  };
  for (std::size_t step = 0; step < steps; ++step) {
    Masses next = law;
    for (std::size_t i = 0; i + 1 < k; ++i) {
      const double up = law[i] * passes(i, i + 1);
      const double down = law[i + 1] * passes(i + 1, i);
      next[i] += down - up;
      next[i + 1] += up - down;
    }
    law = next;
  }
  return law;
}

/// The greatest |log ratio| between the laws of two private inputs: over all pairs of boosted
/// densities exp(+-epsilon/4) Q0, each of which is in the mollifier.
double realised(const Masses& reference, const Masses& start, std::size_t steps, double epsilon) {
  const std::size_t k = reference.size();
  Masses least(k, 2);
  Masses greatest(k, 0);
  for (std::size_t signs = 0; signs < (std::size_t{1} << k); ++signs) {
    Masses target(k);
    for (std::size_t i = 0; i < k; ++i) {
      target[i] = reference[i] * std::exp((signs >> i & 1U) == 0 ? -epsilon / 4 : epsilon / 4);
    }
    const Masses law = walked(target, start, steps);
    for (std::size_t i = 0; i < k; ++i) {
      least[i] = std::min(least[i], law[i]);
      greatest[i] = std::max(greatest[i], law[i]);
    }
  }
  double result = 0;
  for (std::size_t i = 0; i < k; ++i) {
    if (greatest[i] > 0) result = std::max(result, std::log(greatest[i] / least[i]));
  }
  return result;
}

// docs/theory/errata.md, 5: from a fixed start the claim is broken, by twofold after a few steps
// and still after the papers' 1000 where Q0 has modes that are hard to leave.
TEST(MetropolisHastings, BreaksItsClaimFromAFixedStart) {
  const double epsilon = 1;
  const Masses three_modes{0.4, 0.02, 0.16, 0.02, 0.4};
  const Masses far_modes{0.45, 0.0005, 0.099, 0.0005, 0.45};
  const Masses first{1, 0, 0, 0, 0};
  const double after_three = realised(three_modes, first, 3, epsilon);
  const double after_thousand = realised(far_modes, first, 1000, epsilon);
  std::printf("claimed %.1f, realised %.3f after 3 steps, %.3f after 1000\n", epsilon, after_three,
              after_thousand);
  EXPECT_GT(after_three, 1.99);
  EXPECT_GT(after_thousand, 1.37);
  // The stationary law keeps what is claimed.
  EXPECT_LE(realised(three_modes, first, 3000, epsilon), epsilon + 1e-9);
}

// From a draw of Q0 the law after any number of steps is in the mollifier: exp(c) M^n exp(-c).
TEST(MetropolisHastings, KeepsItsClaimFromTheReferenceInExactArithmetic) {
  for (const double epsilon : {0.5, 1.0, 4.0}) {
    for (const Masses& reference :
         {Masses{0.4, 0.02, 0.16, 0.02, 0.4}, Masses{0.2, 0.2, 0.2, 0.2, 0.2},
          Masses{0.9, 0.05, 0.05}, Masses{0.1, 0.2, 0.3, 0.4}}) {
      for (const std::size_t steps : {1U, 2U, 3U, 7U, 40U}) {
        EXPECT_LE(realised(reference, reference, steps, epsilon), epsilon + 1e-12);
      }
    }
  }
}

/// Says the first feature.
class FirstCoordinate final : public Classifier {
 public:
  std::size_t dimension() const noexcept override { return 1; }
  void logits(const Points& points, std::span<float> logits) const override {
    std::copy(points.values(0).begin(), points.values(0).end(), logits.begin());
  }
};

BoostedDensity step_up() {
  return BoostedDensity({.epsilon = 4, .bounding = Bounding::kSign}, 1)
      .boosted(std::make_shared<FirstCoordinate>());
}

// A chain that has mixed: 80 steps, each of which keeps less than .8 of what is amiss.
TEST(MetropolisHastings, TendsToTheDensity) {
  constexpr std::size_t kWalks = 4'000;
  const GaussianMixture reference(single_gaussian({0}, 1));
  const BoostedDensity density = step_up();
  std::vector<double> edges{-100, -1.5, -1, -0.5, 0, 0.5, 1, 1.5, 100};
  Masses law;
  double whole = 0;
  for (std::size_t i = 0; i + 1 < edges.size(); ++i) {
    const double up = edges[i] < 0 ? -1 : 1;
    law.push_back(reference.box_mass({{edges[i], edges[i + 1]}}) *
                  std::exp(up * density.theta(1) * kClassifierBound));
    whole += law.back();
  }
  for (double& mass : law) mass /= whole;
  for (const std::vector<double>& start : {std::vector<double>{}, std::vector<double>{2.5}}) {
    SeededRandom random(20260708);
    std::vector<double> points(kWalks);
    simulate_metropolis_hastings(density, reference, {.steps = 80, .start = start}, random, points);
    std::vector<std::uint64_t> counts(law.size());
    for (const double x : points) {
      const auto above = std::upper_bound(edges.begin(), edges.end(), x);
      ++counts[static_cast<std::size_t>(above - edges.begin()) - 1];
    }
    EXPECT_TRUE(test::follows(law, counts)) << "seed 20260708";
  }
}

TEST(MetropolisHastings, WalksFromWhereItIsTold) {
  const GaussianMixture reference(single_gaussian({0}, 1));
  SeededRandom random(1);
  std::vector<double> points(3);
  simulate_metropolis_hastings(step_up(), reference, {.steps = 0, .start = {7}}, random, points);
  EXPECT_EQ(points, (std::vector<double>{7, 7, 7}));
  EXPECT_THROW(
      simulate_metropolis_hastings(step_up(), reference, {.start = {1, 2}}, random, points),
      InvalidInput);
  EXPECT_THROW(simulate_metropolis_hastings(step_up(), reference, {.deviation = 0}, random, points),
               InvalidInput);
  const GaussianMixture plane(single_gaussian({0, 0}, 1));
  EXPECT_THROW(simulate_metropolis_hastings(step_up(), plane, {}, random, points), InvalidInput);
}

}  // namespace
}  // namespace mollify
