#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "chi_square.h"
#include "kernel/hostile_scores.h"
#include "laboratory/boosting/chains.h"
#include "refusal.h"

namespace mollify {
namespace {

using Integers = std::vector<std::uint64_t>;

std::uint64_t sum_of(const Integers& values) {
  std::uint64_t sum = 0;
  for (const std::uint64_t value : values) sum += value;
  return sum;
}

/// Calls take for every vector of `size` integers from low to high.
template <class Take>
void for_each_vector(std::size_t size, std::uint64_t low, std::uint64_t high, const Take& take) {
  Integers values(size, low);
  for (;;) {
    take(values);
    std::size_t i = 0;
    while (i < size && values[i] == high) values[i++] = low;
    if (i == size) return;
    ++values[i];
  }
}

/// The exact law of the chosen point on a finite space with public integer masses, as integers over
/// sum(masses)^(K+1) hi^K: by adding up all draws of the K + 1 points. `numerators(points)` gives
/// the n_i.
template <class Numerators>
Integers law_by_enumeration(const Acceptance& acceptance, const Integers& masses,
                            const Numerators& numerators) {
  const std::size_t proposals = acceptance.proposals();
  Integers law(masses.size());
  for_each_vector(proposals + 1, 0, masses.size() - 1, [&](const Integers& points) {
    std::uint64_t draws = 1;
    for (const std::uint64_t point : points) draws *= masses[point];
    const Integers n = numerators(points);
    std::uint64_t still = 1;  // over hi^i: nothing was accepted so far
    for (std::size_t i = 0; i < proposals; ++i) {
      std::uint64_t later = 1;
      for (std::size_t j = i + 1; j < proposals; ++j) later *= acceptance.upper();
      law[points[i]] += draws * still * n[i] * later;
      still *= acceptance.upper() - n[i];
    }
    law[points[proposals]] += draws * still;
  });
  return law;
}

struct Extremes {
  Integers least;
  Integers greatest;
  std::size_t laws = 0;

  void take(const Integers& law) {
    if (laws++ == 0) least = greatest = law;
    for (std::size_t i = 0; i < law.size(); ++i) {
      least[i] = std::min(least[i], law[i]);
      greatest[i] = std::max(greatest[i], law[i]);
    }
  }
  double realised() const {
    double ratio = 1;
    for (std::size_t i = 0; i < least.size(); ++i) {
      ratio = std::max(ratio, static_cast<double>(greatest[i]) / static_cast<double>(least[i]));
    }
    return std::log(ratio);
  }
};

/// No point's probability differs by more than (hi/lo)^2, nor by more than e^epsilon, in integers.
void expect_private(const Acceptance& acceptance, const Extremes& extremes) {
  const uint128 lower = acceptance.lower();
  const uint128 upper = acceptance.upper();
  for (std::size_t i = 0; i < extremes.least.size(); ++i) {
    EXPECT_TRUE(extremes.greatest[i] * lower * lower <= extremes.least[i] * upper * upper) << i;
  }
  EXPECT_LE(extremes.realised(), acceptance.epsilon());
}

// Every function from points to integers, every pair of them, on small spaces.
TEST(Acceptance, KeepsEpsilonForEveryScoreOfAPoint) {
  for (const double epsilon : {0.6, 1.4, 3.0}) {
    for (std::size_t proposals = 1; proposals <= 3; ++proposals) {
      for (const Integers& masses : {Integers{1, 1}, Integers{1, 9}, Integers{2, 1, 3}}) {
        const Acceptance acceptance(epsilon, proposals, 12);
        Extremes extremes;
        for_each_vector(masses.size(), acceptance.lower(), acceptance.upper(), [&](const auto& of) {
          const Integers law = law_by_enumeration(acceptance, masses, [&](const Integers& points) {
            Integers n;
            for (std::size_t i = 0; i < proposals; ++i) n.push_back(of[points[i]]);
            return n;
          });
          std::uint64_t whole = 1;
          for (std::size_t i = 0; i <= proposals; ++i) whole *= sum_of(masses);
          for (std::size_t i = 0; i < proposals; ++i) whole *= acceptance.upper();
          ASSERT_EQ(sum_of(law), whole);
          extremes.take(law);
        });
        expect_private(acceptance, extremes);
      }
    }
  }
}

// Scores that look at all the points, the one that is never scored included.
TEST(Acceptance, KeepsEpsilonForScoresThatLookAtEverything) {
  constexpr std::size_t kProposals = 2;
  const Acceptance acceptance(1.4, kProposals, 12);
  ASSERT_LT(acceptance.lower(), acceptance.upper());
  const Integers masses{1, 4};
  // By linearity in each n_i the extremes are at lo and hi: 2 scores at 8 draws of 3 points.
  Extremes extremes;
  for_each_vector(16, 0, 1, [&](const Integers& high) {
    extremes.take(law_by_enumeration(acceptance, masses, [&](const Integers& points) {
      const std::size_t draw = points[0] + 2 * points[1] + 4 * points[2];
      Integers n;
      for (std::size_t i = 0; i < kProposals; ++i) {
        n.push_back(high[2 * draw + i] == 0 ? acceptance.lower() : acceptance.upper());
      }
      return n;
    }));
  });
  EXPECT_EQ(extremes.laws, std::size_t{1} << 16U);
  std::printf("scores that see all points: %.4f of %.1f realised\n", extremes.realised(),
              acceptance.epsilon());
  expect_private(acceptance, extremes);
}

// With a rare point and many proposals nearly all of epsilon is used: the bound is not loose.
TEST(Acceptance, NearlyAttainsEpsilon) {
  const double epsilon = 1;
  const Acceptance acceptance(epsilon, 60);
  const double ratio =
      static_cast<double>(acceptance.upper()) / static_cast<double>(acceptance.lower());
  EXPECT_LE(ratio, std::exp(epsilon / 2));
  EXPECT_NEAR(std::log(ratio), epsilon / 2, 1e-11);
  const double rare = 1e-6;
  const auto mass_of_rare = [&](double at_rare, double elsewhere) {
    const double z = rare * at_rare + (1 - rare) * elsewhere;
    const double none = std::pow(1 - z, 60);
    return rare * (at_rare / z * (1 - none) + none);
  };
  const double realised = std::log(mass_of_rare(1, 1 / ratio) / mass_of_rare(1 / ratio, 1));
  std::printf("realised %.7f of epsilon 1\n", realised);
  EXPECT_LE(realised, epsilon);
  EXPECT_GT(realised, epsilon - 1e-5);
}

TEST(Acceptance, ClampsEveryScoreInIntegers) {
  for (const std::uint64_t total :
       {std::uint64_t{1}, std::uint64_t{7}, std::uint64_t{1} << 53U, Acceptance::kGreatestTotal}) {
    for (const double epsilon : {2e-6, 0.1, 1.0, 10.0, 60.0, 1e9}) {
      const Acceptance acceptance(epsilon, 1, total);
      EXPECT_GE(acceptance.lower(), 1U);
      EXPECT_LE(acceptance.lower(), acceptance.upper());
      EXPECT_LE(acceptance.upper(), total);
      EXPECT_TRUE(acceptance.bound().allows(acceptance.upper(), acceptance.lower()));
      EXPECT_LE(acceptance.epsilon(), 60);
      for (const double score : test::score_grid<double>()) {
        const std::uint64_t n = acceptance.numerator(score);
        EXPECT_GE(n, acceptance.lower());
        EXPECT_LE(n, acceptance.upper());
      }
      EXPECT_EQ(acceptance.numerator(1), acceptance.upper());
      EXPECT_EQ(acceptance.numerator(0), acceptance.lower());
      EXPECT_EQ(acceptance.numerator(std::nan("")), acceptance.lower());
      EXPECT_EQ(acceptance.numerator(std::numeric_limits<double>::infinity()), acceptance.upper());
    }
  }
  const Acceptance acceptance(2, 1);
  for (const double score : {0.4, 0.75, 0.999}) {
    EXPECT_NEAR(
        static_cast<double>(acceptance.numerator(score)) / static_cast<double>(acceptance.upper()),
        score, 1e-15);
  }
}

TEST(Acceptance, ChoosesByItsIntegers) {
  constexpr std::size_t kDraws = 60'000;
  const Acceptance acceptance(2, 4);
  const std::vector<double> scores{0.5, std::nan(""), 0.8, -3};
  std::vector<double> probabilities;
  double still = 1;
  for (const double score : scores) {
    const double accepted =
        static_cast<double>(acceptance.numerator(score)) / static_cast<double>(acceptance.upper());
    probabilities.push_back(still * accepted);
    still *= 1 - accepted;
  }
  probabilities.push_back(still);
  SeededRandom seeded(20260704);
  SecureRandom secure;
  Integers simulated(5);
  Integers drawn(5);
  for (std::size_t i = 0; i < kDraws; ++i) {
    ++simulated[acceptance.simulate(scores, seeded)];
    ++drawn[acceptance.draw(scores, secure)];
  }
  EXPECT_TRUE(test::follows(probabilities, simulated)) << "seed 20260704";
  EXPECT_TRUE(test::follows(probabilities, drawn));
}

// What is drawn after a choice is the same for all scores: the choice took as many words.
TEST(Acceptance, TakesAsManyWordsWhateverTheScores) {
  const Acceptance acceptance(1, 50);
  Integers next;
  for (const double score : {0.0, 1.0, 0.7, std::nan("")}) {
    SeededRandom random(11);
    for (int i = 0; i < 20; ++i) {
      (void)acceptance.simulate(std::vector<double>(50, score), random);
    }
    next.push_back(random.word());
  }
  EXPECT_EQ(next, Integers(4, next[0]));
}

TEST(Acceptance, RefusesInOneSentence) {
  EXPECT_EQ(test::refusal_of([] { Acceptance(1e-6, 1); }),
            "epsilon of one draw by rejection must be finite and at least 2e-06, but is 1e-06");
  EXPECT_EQ(test::refusal_of([] { Acceptance(std::nan(""), 1); }),
            "epsilon of one draw by rejection must be finite and at least 2e-06, but is nan");
  EXPECT_EQ(test::refusal_of([] { Acceptance(1, 0); }),
            "the number of proposals must be from 1 to 16777216, but is 0");
  EXPECT_EQ(test::refusal_of([] { Acceptance(1, 1, 0); }),
            "the total must be from 1 to 2^62, but is 0");
  SeededRandom random(1);
  EXPECT_EQ(
      test::refusal_of([&] { (void)Acceptance(1, 2).simulate(std::vector<double>(3), random); }),
      "rejection among 2 proposals needs as many scores, but has 3");
}

}  // namespace
}  // namespace mollify
