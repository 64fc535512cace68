#include "divergence/band_projection.h"

#include <cmath>
#include <fstream>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <rapidcheck/gtest.h>

#include "arbitrary_distribution.h"
#include "divergence/f_divergence.h"
#include "divergence/generator.h"
#include "kernel/core/invalid_input.h"
#include "not_finite.h"
#include "sanitized.h"

namespace mollify {
namespace {

using Masses = std::vector<double>;
using test::kInfinity;

Masses scaled(const Masses& h, double factor) {
  Masses bound(h);
  for (double& value : bound) value *= factor;
  return bound;
}

double minimax_factor(double k, double epsilon) { return k / (std::exp(epsilon) + k - 1.0); }

double sum(const Masses& masses) { return std::accumulate(masses.begin(), masses.end(), 0.0); }

double number(const nlohmann::json& text) { return std::stod(text.get<std::string>()); }

TEST(BandProjection, ReferenceLaws) {
  std::ifstream file(MOLLIFY_TEST_DATA "/finite.json");
  const nlohmann::json reference = nlohmann::json::parse(file);
  std::size_t seen = 0;
  for (const auto& row : reference.at("laws_k5")) {
    const double epsilon = row.at("eps").get<double>();
    const auto p = row.at("p").get<Masses>();
    const Masses h(5, 0.2);
    const double b = minimax_factor(5.0, epsilon);
    const BandProjection projection =
        project_on_band(p, scaled(h, b), scaled(h, b * std::exp(epsilon)));
    for (std::size_t i = 0; i < 5; ++i) {
      const double expected = number(row.at("q")[i]);
      EXPECT_NEAR(projection.law[i], expected, 1e-14 * expected)
          << "eps " << epsilon << " at " << i;
    }
    const double r = number(row.at("r"));
    EXPECT_NEAR(projection.scale, r, 1e-13 * r) << "eps " << epsilon;
    const DivergenceReport d = divergence_report(p, projection.law);
    const double expected[3] = {number(row.at("KL_TV_H2")[0]), number(row.at("KL_TV_H2")[1]),
                                number(row.at("KL_TV_H2")[2])};
    EXPECT_NEAR(d.kl, expected[0], 1e-9 * expected[0] + 1e-30);
    EXPECT_NEAR(d.tv, expected[1], 1e-9 * expected[1] + 1e-15);
    EXPECT_NEAR(d.hellinger2, expected[2], 1e-9 * expected[2] + 1e-30);
    ++seen;
  }
  EXPECT_EQ(seen, 15U);
}

// Where every outcome sits at a bound, Σ clip(P/r) is one on a whole interval of r; rounding of the
// bounds must not move the answer from its largest end to the other.
TEST(BandProjection, LargestScaleOnAFlatPiece) {
  for (const std::size_t k : {3U, 5U, 7U, 10U, 33U, 100U, 1000U}) {
    for (const double epsilon : {0.03, 0.1, 0.7, 1.0, 1.9}) {
      Masses p(k, 0.0);
      p[0] = 0.9;
      p[k - 1] = 0.1;
      const Masses h(k, 1.0 / static_cast<double>(k));
      const double b = minimax_factor(static_cast<double>(k), epsilon);
      const double lift = b * std::exp(epsilon);
      const BandProjection projection = project_on_band(p, scaled(h, b), scaled(h, lift));
      const double expected = 0.9 / (lift * h[0]);
      EXPECT_NEAR(projection.scale, expected, 1e-13 * expected) << k << " " << epsilon;
    }
  }
}

// [Husain et al. 2020, eq. 8] has no solution here: the point mass reaches its upper bound, the
// rest goes over the others in proportion to the reference.
TEST(BandProjection, MissingCase) {
  const Masses h{0.1, 0.2, 0.3, 0.4};
  const double root = std::exp(0.5);
  const Masses p{1.0, 0.0, 0.0, 0.0};
  const BandProjection projection = project_on_band(p, scaled(h, 1.0 / root), scaled(h, root));
  EXPECT_NEAR(projection.law[0], 0.1 * root, 1e-16);
  const double ratio = (1.0 - 0.1 * root) / 0.9;
  for (std::size_t i = 1; i < 4; ++i) EXPECT_NEAR(projection.law[i], ratio * h[i], 1e-15);
  EXPECT_NEAR(projection.scale, 1.0 / (0.1 * root), 1e-14);
}

// P = N(0.7, 0.04^2) against N(0, 1): r is 1e-50 of the greatest P or less, and in sums from which
// that one was taken out again there is nothing but rounding.
TEST(BandProjection, NarrowDistribution) {
  Masses p;
  Masses h;
  for (int i = -3000; i < 3000; ++i) {
    const double x = i / 750.0;
    p.push_back(std::exp(-312.5 * (x - 0.7) * (x - 0.7)));
    h.push_back(std::exp(-x * x / 2));
  }
  h = scaled(h, 1 / sum(h));
  for (const double epsilon : {0.1, 0.5, 1.0}) {
    const double root = std::exp(epsilon / 2);
    const BandProjection projection = project_on_band(p, scaled(h, 1 / root), scaled(h, root));
    EXPECT_NEAR(sum(projection.law), 1.0, 1e-13) << epsilon;
  }
}

TEST(BandProjection, HarmlessOnGarbage) {
  const Masses h{0.25, 0.25, 0.25, 0.25};
  const double nan = std::nan("");
  for (const Masses& p :
       {Masses{nan, -1.0, 0.0, -kInfinity}, Masses{kInfinity, kInfinity, 1.0, nan},
        Masses{1e308, 1e308, 1e308, 1e-320}, Masses{5e-324, 0.0, 5e-324, 0.0},
        Masses{5e-324, 1e300, 1.0, 0.0}, Masses{0.0, 0.0, 0.0, 0.0}}) {
    const BandProjection projection = project_on_band(p, scaled(h, 0.5), scaled(h, 1.5));
    EXPECT_NEAR(sum(projection.law), 1.0, 1e-15);
    for (const double q : projection.law) {
      EXPECT_GE(q, 0.125);
      EXPECT_LE(q, 0.375);
    }
  }
  const BandProjection nothing =
      project_on_band(Masses{nan, 0.0, -1.0, 0.0}, scaled(h, 0.5), scaled(h, 1.5));
  for (const double q : nothing.law) EXPECT_NEAR(q, 0.25, 1e-16);
}

TEST(BandProjection, StructuralZerosAndOneOutcome) {
  const BandProjection zero =
      project_on_band(Masses{0.5, 0.5, 0.0}, Masses{0.0, 0.2, 0.2}, Masses{0.0, 0.9, 0.9});
  EXPECT_EQ(zero.law[0], 0.0);
  EXPECT_NEAR(zero.law[1], 0.8, 1e-15);
  const BandProjection one = project_on_band(Masses{0.3}, Masses{0.5}, Masses{1.5});
  EXPECT_EQ(one.law[0], 1.0);
}

TEST(BandProjection, RefusesImpossibleBands) {
  const Masses p{0.5, 0.5};
  EXPECT_THROW((void)project_on_band(p, Masses{0.1}, Masses{0.9, 0.9}), InvalidInput);
  EXPECT_THROW((void)project_on_band(Masses{}, Masses{}, Masses{}), InvalidInput);
  EXPECT_THROW((void)project_on_band(p, Masses{0.6, 0.6}, Masses{0.9, 0.9}), InvalidInput);
  EXPECT_THROW((void)project_on_band(p, Masses{0.1, 0.1}, Masses{0.4, 0.4}), InvalidInput);
  EXPECT_THROW((void)project_on_band(p, Masses{-0.1, 0.1}, Masses{0.9, 0.9}), InvalidInput);
  EXPECT_THROW((void)project_on_band(p, Masses{0.2, 0.1}, Masses{0.1, 0.99}), InvalidInput);
  EXPECT_THROW((void)project_on_band(p, Masses{std::nan(""), 0.1}, Masses{0.9, 0.9}), InvalidInput);
}

// Against a fine grid of all members of the band, for every f.
TEST(BandProjection, BeatsEveryMemberOnAGrid) {
  const Masses h{0.2, 0.3, 0.5};
  constexpr int kSteps = test::whole_or_sanitized(200, 50);
  const std::vector<test::Generator> generators{
      test::kullback_leibler_generator(), test::total_variation_generator(),
      test::squared_hellinger_generator(), test::chi_squared_generator(),
      test::hockey_stick_generator(1.2)};
  for (const double epsilon : {0.2, 1.0, 3.0}) {
    for (const double b : {0.4, 0.7, 0.9}) {
      const double lift = b * std::exp(epsilon);
      if (lift <= 1.0) continue;
      const Masses lower = scaled(h, b);
      const Masses upper = scaled(h, lift);
      for (const Masses& p : {Masses{1.0, 0.0, 0.0}, Masses{0.0, 0.0, 1.0}, Masses{0.7, 0.3, 0.0},
                              Masses{0.6, 0.3, 0.1}, Masses{0.05, 0.05, 0.9}}) {
        const Masses best = project_on_band(p, lower, upper).law;
        for (const test::Generator& f : generators) {
          const double reached = test::f_divergence(f, p, best);
          for (int i = 0; i <= kSteps; ++i) {
            for (int j = 0; j <= kSteps; ++j) {
              Masses q{lower[0] + (upper[0] - lower[0]) * i / kSteps,
                       lower[1] + (upper[1] - lower[1]) * j / kSteps, 0.0};
              q[2] = 1.0 - q[0] - q[1];
              if (q[2] < lower[2] || q[2] > upper[2]) continue;
              ASSERT_LE(reached, test::f_divergence(f, p, q) + 1e-13);
            }
          }
        }
      }
    }
  }
}

struct MassBounds {
  Masses lower;
  Masses upper;
};

MassBounds any_mass_bounds(std::size_t k) {
  const Masses h = *test::positive_distribution(k, 8);
  const double b = 0.01 * *rc::gen::inRange(1, 100);
  const double lift = 1.0 + 0.01 * *rc::gen::inRange(1, 1000);
  return {scaled(h, b), scaled(h, lift)};
}

// [Husain et al. 2019, Lemmas 17 and 18]: of two members of a band with upper = e^epsilon lower,
// one within delta of P means the other is within delta + epsilon, and so no farther off the other
// way round.
RC_GTEST_PROP(BandProjectionProperty, MembersAreAboutEquallyFar, ()) {
  const std::size_t k = *rc::gen::inRange<std::size_t>(1, 12);
  const MassBounds band = any_mass_bounds(k);
  const double epsilon = std::log(band.upper[0] / band.lower[0]);
  const Masses p = *test::distribution_with_zeros(k, 8);
  const auto distance_of_any_member = [&] {
    const Masses other = *test::distribution_with_zeros(k, 8);
    return kullback_leibler(p, project_on_band(other, band.lower, band.upper).law);
  };
  RC_ASSERT(std::abs(distance_of_any_member() - distance_of_any_member()) <= epsilon + 1e-12);
}

TEST(BandProjection, MembersMayBeEpsilonApart) {
  const double lift = 0.5 * std::exp(1.0);
  const Masses h{0.25, 0.25, 0.5};
  const Masses p{1, 0, 0};
  const auto member_near = [&](const Masses& other) {
    return kullback_leibler(p, project_on_band(other, scaled(h, 0.5), scaled(h, lift)).law);
  };
  EXPECT_NEAR(member_near({0, 0.5, 0.5}) - member_near(p), 1, 1e-12);
}

RC_GTEST_PROP(BandProjectionProperty, IsAMemberWithTheStatedForm, ()) {
  const std::size_t k = *rc::gen::inRange<std::size_t>(1, 60);
  const MassBounds band = any_mass_bounds(k);
  const Masses p = *test::distribution_with_zeros(k, 20);
  const BandProjection projection = project_on_band(p, band.lower, band.upper);
  RC_ASSERT(std::abs(sum(projection.law) - 1.0) <= 1e-14);
  for (std::size_t i = 0; i < k; ++i) {
    RC_ASSERT(projection.law[i] >= band.lower[i]);
    RC_ASSERT(projection.law[i] <= band.upper[i]);
    if (p[i] > 0.0) {
      const double clipped =
          std::min(std::max(p[i] / projection.scale, band.lower[i]), band.upper[i]);
      RC_ASSERT(std::abs(projection.law[i] - clipped) <= 4e-16 * clipped);
    }
  }
}

// No move of mass between two outcomes, within the band, helps any divergence.
RC_GTEST_PROP(BandProjectionProperty, NoPairwiseMoveImproves, ()) {
  const std::size_t k = *rc::gen::inRange<std::size_t>(2, 12);
  const MassBounds band = any_mass_bounds(k);
  const Masses p = *test::distribution_with_zeros(k, 8);
  const Masses best = project_on_band(p, band.lower, band.upper).law;
  const DivergenceReport reached = divergence_report(p, best);
  for (std::size_t from = 0; from < k; ++from) {
    for (std::size_t to = 0; to < k; ++to) {
      if (from == to) continue;
      for (const double fraction : {1.0, 0.1, 0.001}) {
        const double moved =
            fraction * std::min(best[from] - band.lower[from], band.upper[to] - best[to]);
        Masses other = best;
        other[from] -= moved;
        other[to] += moved;
        const DivergenceReport there = divergence_report(p, other);
        RC_ASSERT(reached.kl <= there.kl + 1e-14);
        RC_ASSERT(reached.tv <= there.tv + 1e-14);
        RC_ASSERT(reached.hellinger2 <= there.hellinger2 + 1e-14);
        RC_ASSERT(reached.chi2 <= there.chi2 * (1.0 + 1e-13) + 1e-14);
      }
    }
  }
}

// Continuity: TV(q, q′) ≤ TV(P, P′)/r_P.
RC_GTEST_PROP(BandProjectionProperty, ContinuousInP, ()) {
  const std::size_t k = *rc::gen::inRange<std::size_t>(1, 12);
  const MassBounds band = any_mass_bounds(k);
  const Masses p = *test::positive_distribution(k, 5);
  const Masses other = *test::positive_distribution(k, 5);
  const BandProjection left = project_on_band(p, band.lower, band.upper);
  const BandProjection right = project_on_band(other, band.lower, band.upper);
  RC_ASSERT(total_variation(left.law, right.law) <= total_variation(p, other) / left.scale + 1e-14);
}

}  // namespace
}  // namespace mollify
