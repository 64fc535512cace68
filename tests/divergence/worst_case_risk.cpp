#include "divergence/worst_case_risk.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <rapidcheck/gtest.h>

#include "arbitrary_distribution.h"
#include "divergence/band_projection.h"
#include "divergence/generator.h"
#include "kernel/core/invalid_input.h"
#include "not_finite.h"
#include "refusal.h"

namespace mollify {
namespace {

using Masses = std::vector<double>;
using test::kInfinity;
using test::kNan;

void expect_relative(double actual, double expected, double tolerance) {
  EXPECT_NEAR(actual, expected, tolerance * std::abs(expected));
}

DivergenceReport risk_at(const Masses& p, const Masses& h, double b, double lift) {
  Masses lower(h);
  Masses upper(h);
  for (double& value : lower) value *= b;
  for (double& value : upper) value *= lift;
  return divergence_report(p, project_on_band(p, lower, upper).law);
}

TEST(WorstCaseRisk, ReferenceRows) {
  std::ifstream file(MOLLIFY_TEST_DATA "/finite.json");
  const nlohmann::json reference = nlohmann::json::parse(file);
  std::size_t seen = 0;
  for (const auto& row : reference.at("rows")) {
    const auto value = [&](const char* key) { return std::stod(row.at(key).get<std::string>()); };
    const ReferenceMasses h = ReferenceMasses::uniform(row.at("k").get<std::uint64_t>());
    const double epsilon = row.at("eps").get<double>();
    const WorstCaseRisk proposed = minimax_risk(h, epsilon);
    expect_relative(proposed.extreme_output[0], value("m_proposed"), 1e-14);
    expect_relative(proposed.risk.kl, value("KL_proposed"), 2e-14);
    expect_relative(proposed.risk.tv, value("TV_proposed"), 2e-14);
    expect_relative(proposed.risk.hellinger2, value("H2_proposed"), 2e-14);
    EXPECT_TRUE(proposed.attained);
    EXPECT_FALSE(proposed.vertex_maximum.has_value());
    const WorstCaseRisk baseline = relative_risk(h, epsilon);
    expect_relative(baseline.extreme_output[0], value("m_baseline"), 1e-14);
    expect_relative(baseline.risk.kl, value("KL_baseline"), 2e-14);
    expect_relative(baseline.risk.tv, value("TV_baseline"), 2e-14);
    expect_relative(baseline.risk.hellinger2, value("H2_baseline"), 2e-14);
    EXPECT_TRUE(baseline.attained);
    ++seen;
  }
  EXPECT_EQ(seen, 10U);
}

// m = E/(E+k−1): KL = −ln m, TV = 1−m, H2 = 1−√m, χ² = 1/m − 1, without cancellation at either end.
TEST(WorstCaseRisk, FiniteMinimaxKeepsItsDigits) {
  for (const double k : {2.0, 3.0, 10.0, 1000.0, 1e6, 16777216.0}) {
    for (const double epsilon : {1e-6, 1e-3, 0.1, 1.0, 5.0, 20.0, 30.0, 100.0}) {
      const long double e = std::exp(static_cast<long double>(epsilon));
      const long double rest = static_cast<long double>(k) - 1.0L;
      const WorstCaseRisk risk =
          minimax_risk(ReferenceMasses::uniform(static_cast<std::uint64_t>(k)), epsilon);
      SCOPED_TRACE(std::to_string(k) + " " + std::to_string(epsilon));
      const long double one_minus_m = rest / (e + rest);
      const long double minus_log_m = std::log1p(rest / e);
      expect_relative(risk.risk.tv, static_cast<double>(one_minus_m), 1e-14);
      expect_relative(risk.risk.kl, static_cast<double>(minus_log_m), 1e-14);
      expect_relative(risk.risk.chi2, static_cast<double>(rest / e), 1e-14);
      expect_relative(risk.risk.hellinger2, static_cast<double>(-std::expm1(-0.5L * minus_log_m)),
                      1e-14);
      expect_relative(risk.largest_lift, static_cast<double>(e * k / (e + rest)), 1e-14);
      expect_relative(risk.lower_factor, static_cast<double>(k / (e + rest)), 1e-14);
    }
  }
}

TEST(WorstCaseRisk, ClosedFormIsTheTwoPointFormula) {
  const double epsilon = 1.3;
  const double c1 = 0.2;
  const double c2 = 2.6;
  const WorstCaseRisk risk = class_risk(ReferenceMasses::uniform(3), epsilon, {c1, c2});
  const double b = (c2 - c1) / ((std::exp(epsilon) - 1.0) * (1.0 - c1) + c2 - c1);
  expect_relative(risk.lower_factor, b, 1e-14);
  const double r1 = c1 / b;
  const double r2 = c2 / (b * std::exp(epsilon));
  const auto formula = [&](const test::Generator& f) {
    return (1.0 - r1) / (r2 - r1) * f.f(r2) + (r2 - 1.0) / (r2 - r1) * f.f(r1);
  };
  expect_relative(risk.risk.kl, formula(test::kullback_leibler_generator()), 1e-13);
  expect_relative(risk.risk.tv, formula(test::total_variation_generator()), 1e-13);
  expect_relative(risk.risk.hellinger2, formula(test::squared_hellinger_generator()), 1e-13);
  expect_relative(risk.risk.chi2, formula(test::chi_squared_generator()), 1e-13);
  const test::Generator f = test::hockey_stick_generator(1.1);
  expect_relative(test::f_divergence(f, risk.extreme_input, risk.extreme_output), formula(f),
                  1e-13);
}

// The example of the project's notes: the closed form .2689 is not attained, .1793 is.
TEST(WorstCaseRisk, OnlyABoundWhereTheClassDoesNotPack) {
  const WorstCaseRisk risk = class_risk(ReferenceMasses::uniform(3), 1.0, {0.0, 2.0});
  EXPECT_FALSE(risk.attained);
  EXPECT_NEAR(risk.risk.tv, 0.2689414213699951, 1e-15);  // 1/(1+e)
  ASSERT_TRUE(risk.vertex_maximum.has_value());
  EXPECT_NEAR(risk.vertex_maximum->tv, 0.1792942809133301, 1e-15);  // two thirds of it
  const double b = risk.lower_factor;
  const DivergenceReport direct =
      risk_at({2.0 / 3.0, 1.0 / 3.0, 0.0}, Masses(3, 1.0 / 3.0), b, risk.largest_lift);
  EXPECT_NEAR(direct.kl, risk.vertex_maximum->kl, 1e-15);
  EXPECT_TRUE(class_risk(ReferenceMasses::uniform(4), 1.0, {0.0, 2.0}).attained);
}

TEST(WorstCaseRisk, ZeroForAClassThatIsAMollifier) {
  for (const WorstCaseRisk& risk :
       {class_risk(ReferenceMasses::uniform(7), 1.0, {0.8, 1.2}),
        class_risk(ReferenceMasses::uniform(7), 1.0, {1.0, 1.0}),
        class_risk(ReferenceMasses::uniform(7), 1.0, {1.0, 3.0}),
        class_risk(ReferenceMasses::uniform(7), 1.0, {0.1, 1.0}),
        neighbourhood_risk(ReferenceMasses::uniform(7), 1.0, 1.6),
        neighbourhood_risk(ReferenceMasses::uniform(7), 1.0, 1.0),
        relative_risk(ReferenceMasses::uniform(7), 1.0, DensityClass{0.7, 1.6}),
        minimax_risk(ReferenceMasses::uniform(1), 1.0)}) {
    EXPECT_EQ(risk.risk, DivergenceReport{});
    EXPECT_TRUE(risk.attained);
  }
}

TEST(WorstCaseRisk, NeighbourhoodIsTheClassOfItsBounds) {
  const ReferenceMasses h = ReferenceMasses::uniform(6);
  for (const double gamma : {1.7, 2.0, 5.0, 40.0}) {
    const WorstCaseRisk near = neighbourhood_risk(h, 1.0, gamma);
    const WorstCaseRisk same = class_risk(h, 1.0, {1.0 / gamma, gamma});
    expect_relative(near.lower_factor, (gamma + 1.0) / (gamma + std::exp(1.0)), 1e-14);
    expect_relative(near.risk.tv, same.risk.tv, 1e-13);
    expect_relative(near.risk.kl, same.risk.kl, 1e-13);
    EXPECT_EQ(near.attained, same.attained);
    EXPECT_EQ(near.attained, gamma == 2.0 || gamma == 5.0);  // αk = 6/(γ+1) = 2, 1
  }
}

// For γ a hair above the free region the risk is tiny and must still have digits.
TEST(WorstCaseRisk, TinyNeighbourhoodRisk) {
  const double epsilon = 1e-3;
  const double gamma = std::exp(0.5 * epsilon) * (1.0 + 1e-9);
  const WorstCaseRisk risk = neighbourhood_risk(ReferenceMasses::uniform(1000), epsilon, gamma);
  const long double g = gamma;
  const long double e = std::exp(static_cast<long double>(epsilon));
  const long double alpha = 1.0L / (g + 1.0L);
  const long double truth = alpha * (g - (g + 1.0L) / (g + e) * e);
  expect_relative(risk.risk.tv, static_cast<double>(truth), 1e-6);
}

TEST(WorstCaseRisk, EveryInputWithAnyReference) {
  const Masses masses{0.1, 0.2, 0.3, 0.4};
  const ReferenceMasses h = ReferenceMasses::given(masses);
  for (const double epsilon : {0.1, 1.0, 3.0}) {
    for (const WorstCaseRisk& risk : {minimax_risk(h, epsilon), relative_risk(h, epsilon)}) {
      EXPECT_TRUE(risk.attained);
      DivergenceReport worst;
      for (std::size_t i = 0; i < 4; ++i) {
        Masses point(4, 0.0);
        point[i] = 1.0;
        const DivergenceReport d = risk_at(point, masses, risk.lower_factor, risk.largest_lift);
        worst = {std::max(worst.kl, d.kl), std::max(worst.tv, d.tv),
                 std::max(worst.hellinger2, d.hellinger2), std::max(worst.chi2, d.chi2)};
      }
      expect_relative(risk.risk.kl, worst.kl, 1e-13);
      expect_relative(risk.risk.tv, worst.tv, 1e-13);
      expect_relative(risk.risk.hellinger2, worst.hellinger2, 1e-13);
      expect_relative(risk.risk.chi2, worst.chi2, 1e-13);
    }
  }
}

TEST(WorstCaseRisk, FindsASubsetOfMassAlpha) {
  const ReferenceMasses h = ReferenceMasses::given(Masses{0.05, 0.1, 0.15, 0.3, 0.4});
  EXPECT_TRUE(class_risk(h, 1.0, {0.0, 4.0}).attained);  // .25 = .1 + .15
  const WorstCaseRisk other = class_risk(h, 1.0, {0.0, 3.0});
  EXPECT_FALSE(other.attained);
  ASSERT_TRUE(other.vertex_maximum.has_value());
  EXPECT_LT(other.vertex_maximum->tv, other.risk.tv);
}

TEST(WorstCaseRisk, LargeDomainsWithoutEnumeration) {
  Masses masses(40, 0.02);
  for (std::size_t i = 0; i < 20; ++i) masses[i] = 0.03;
  const ReferenceMasses h = ReferenceMasses::given(masses);
  const WorstCaseRisk unknown = class_risk(h, 1.0, {0.0, 7.0});
  EXPECT_FALSE(unknown.attained);
  EXPECT_FALSE(unknown.vertex_maximum.has_value());
  EXPECT_TRUE(class_risk(h, 1.0, {0.0, 50.0}).attained);
  const WorstCaseRisk uniform = class_risk(ReferenceMasses::uniform(1'000'000), 1.0, {0.0, 3.0});
  ASSERT_TRUE(uniform.vertex_maximum.has_value());
  expect_relative(uniform.vertex_maximum->tv, uniform.risk.tv, 1e-5);
}

TEST(WorstCaseRisk, RefusesTheImpossible) {
  const ReferenceMasses h = ReferenceMasses::uniform(5);
  for (const double epsilon : {0.0, -1.0, kNan, kInfinity, 701.0}) {
    EXPECT_THROW((void)minimax_risk(h, epsilon), InvalidInput);
  }
  for (const DensityClass& inputs :
       {DensityClass{1.1, 2.0}, DensityClass{0.5, 0.9}, DensityClass{-0.1, 2.0},
        DensityClass{kNan, 2.0}, DensityClass{0.5, kNan}, DensityClass{0.5, kInfinity}}) {
    EXPECT_THROW((void)class_risk(h, 1.0, inputs), InvalidInput);
    EXPECT_THROW((void)relative_risk(h, 1.0, inputs), InvalidInput);
  }
  for (const double gamma : {0.9, 0.0, -2.0, kNan, kInfinity}) {
    EXPECT_THROW((void)neighbourhood_risk(h, 1.0, gamma), InvalidInput);
  }
  EXPECT_THROW((void)location_risk(h, 1.0, 0.0, DensityClass{0.0, 5.0}), InvalidInput);
  EXPECT_THROW((void)location_risk(h, 1.0, 1.1, DensityClass{0.0, 5.0}), InvalidInput);
  EXPECT_THROW((void)location_risk(h, 1.0, 0.3, DensityClass{0.0, 5.0}), InvalidInput);
  EXPECT_THROW((void)ReferenceMasses::uniform(0), InvalidInput);
  EXPECT_THROW((void)ReferenceMasses::given(Masses{0.5, 0.4}), InvalidInput);
  EXPECT_THROW((void)ReferenceMasses::given(Masses{1.5, -0.5}), InvalidInput);
  EXPECT_THROW((void)ReferenceMasses::given(Masses{kNan, 1.0}), InvalidInput);
  EXPECT_THROW((void)ReferenceMasses::given(Masses{}), InvalidInput);
  EXPECT_EQ(test::refusal_of([&] { (void)minimax_risk(h, -1.0); }),
            "epsilon must be finite, positive and at most 700, but is -1");
}

TEST(ReferenceMasses, DropsZerosRecognisesUniformAndMerges) {
  const ReferenceMasses h = ReferenceMasses::given(Masses{0.0, 0.25, 0.25, 0.0, 0.25, 0.25});
  EXPECT_TRUE(h.is_uniform());
  EXPECT_EQ(h.outcomes(), 4U);
  EXPECT_EQ(h.merged_in_pairs().outcomes(), 2U);
  const ReferenceMasses merged =
      ReferenceMasses::given(Masses{0.1, 0.2, 0.3, 0.1, 0.3}).merged_in_pairs();
  ASSERT_EQ(merged.outcomes(), 3U);
  EXPECT_NEAR(merged.mass(0), 0.3, 1e-15);
  EXPECT_NEAR(merged.mass(1), 0.4, 1e-15);
  EXPECT_NEAR(merged.mass(2), 0.3, 1e-15);
}

/// A member of the class c1·h ≤ P ≤ c2·h: any distribution clipped into it, which the projection
/// on the band with those factors is.
Masses any_member(const Masses& h, const DensityClass& inputs) {
  Masses lower(h);
  Masses upper(h);
  for (double& value : lower) value *= inputs.c1;
  for (double& value : upper) value *= inputs.c2;
  return project_on_band(*test::distribution_with_zeros(h.size(), 12), lower, upper).law;
}

// Random members never exceed the exact worst case, which never exceeds the closed form.
RC_GTEST_PROP(WorstCaseRiskProperty, NoMemberExceedsIt, ()) {
  const std::size_t k = *rc::gen::inRange<std::size_t>(1, 8);
  const bool uniform = *rc::gen::arbitrary<bool>();
  const Masses h =
      uniform ? Masses(k, 1.0 / static_cast<double>(k)) : *test::positive_distribution(k, 3);
  const DensityClass inputs{0.01 * *rc::gen::inRange(0, 100),
                            1.01 + 0.01 * *rc::gen::inRange(0, 900)};
  const double epsilon = 0.01 * *rc::gen::inRange(1, 500);
  const ReferenceMasses reference = ReferenceMasses::given(h);
  const int which = *rc::gen::inRange(0, 3);
  const WorstCaseRisk risk =
      which == 0   ? class_risk(reference, epsilon, inputs)
      : which == 1 ? relative_risk(reference, epsilon, inputs)
                   : location_risk(reference, epsilon, std::exp(-0.3 * epsilon), inputs);
  RC_ASSERT(risk.attained || risk.vertex_maximum.has_value());
  const DivergenceReport worst = risk.vertex_maximum.value_or(risk.risk);
  const auto below = [](double a, double b) { return a <= b * (1.0 + 1e-11) + 1e-14; };
  RC_ASSERT(below(worst.kl, risk.risk.kl));
  RC_ASSERT(below(worst.tv, risk.risk.tv));
  RC_ASSERT(below(worst.hellinger2, risk.risk.hellinger2));
  RC_ASSERT(below(worst.chi2, risk.risk.chi2));
  for (int i = 0; i < 20; ++i) {
    const DivergenceReport d =
        risk_at(any_member(h, inputs), h, risk.lower_factor, risk.largest_lift);
    RC_ASSERT(below(d.kl, worst.kl));
    RC_ASSERT(below(d.tv, worst.tv));
    RC_ASSERT(below(d.hellinger2, worst.hellinger2));
    RC_ASSERT(below(d.chi2, worst.chi2));
  }
}

// The one uniform vertex is what enumerating all of them finds, and a band given by its b is the
// same as the mechanism it comes from.
RC_GTEST_PROP(WorstCaseRiskProperty, UniformShortcutEqualsEnumeration, ()) {
  const std::size_t k = *rc::gen::inRange<std::size_t>(2, 9);
  const DensityClass inputs{0.01 * *rc::gen::inRange(0, 100),
                            1.01 + 0.01 * *rc::gen::inRange(0, 900)};
  const double epsilon = 0.01 * *rc::gen::inRange(1, 500);
  Masses nearly(k, 1.0 / static_cast<double>(k));
  nearly[0] *= 1.0 - 1e-13;
  nearly[1] *= 1.0 + 1e-13;
  const WorstCaseRisk shortcut = class_risk(ReferenceMasses::uniform(k), epsilon, inputs);
  const WorstCaseRisk enumerated = class_risk(ReferenceMasses::given(nearly), epsilon, inputs);
  const WorstCaseRisk by_factor =
      location_risk(ReferenceMasses::uniform(k), epsilon, shortcut.lower_factor, inputs);
  RC_ASSERT(std::abs(by_factor.risk.tv - shortcut.risk.tv) <= 1e-12);
  RC_ASSERT(std::abs(by_factor.risk.kl - shortcut.risk.kl) <= 1e-12);
  const DivergenceReport left = shortcut.vertex_maximum.value_or(shortcut.risk);
  const DivergenceReport right = enumerated.vertex_maximum.value_or(enumerated.risk);
  RC_ASSERT(std::abs(left.tv - right.tv) <= 1e-11);
  RC_ASSERT(std::abs(left.kl - right.kl) <= 1e-11);
  RC_ASSERT(std::abs(left.chi2 - right.chi2) <= 1e-10 * (1.0 + left.chi2));
}

}  // namespace
}  // namespace mollify
