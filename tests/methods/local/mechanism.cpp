#include "methods/local/mechanism.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
#include <limits>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <rapidcheck/gtest.h>

#include "chi_square.h"
#include "core/invalid_input.h"
#include "kernel/channels.h"
#include "methods/divergence/f_divergence.h"
#include "methods/local/bands.h"
#include "methods/local/complete_parameters.h"
#include "methods/local/mollifiers.h"
#include "methods/local/private_inputs.h"
#include "not_finite.h"
#include "refusal.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Band floor.

namespace {

// The table of docs/theory/band.md.
TEST(BandFloor, FormulasOfTheSources) {
  for (const double epsilon : {1e-6, 1e-3, 0.1, 1.0, 5.0, 20.0}) {
    const double e = std::exp(epsilon);
    for (const double k : {1.0, 2.0, 10.0, 1e6}) {
      EXPECT_NEAR(minimax_floor(static_cast<std::size_t>(k), epsilon) / (k / (e + k - 1)), 1,
                  1e-14);
    }
    EXPECT_NEAR(relative_floor(epsilon) / std::exp(-epsilon / 2), 1, 1e-15);
    for (const double c1 : {0.0, 0.25, 0.9}) {
      for (const double c2 : {1.1, 2.0, 100.0}) {
        const double alpha = (1 - c1) / (c2 - c1);
        EXPECT_NEAR(class_floor(c1, c2, epsilon) * (1 + alpha * (e - 1)), 1, 1e-9);
        EXPECT_NEAR(class_floor(c1, c2, epsilon) / ((c2 - c1) / ((e - 1) * (1 - c1) + c2 - c1)), 1,
                    1e-9);
      }
    }
    for (const double gamma : {1.01, 2.0, 50.0}) {
      EXPECT_NEAR(neighbourhood_floor(gamma, epsilon) / ((gamma + 1) / (gamma + e)), 1, 1e-15);
      EXPECT_NEAR(neighbourhood_floor(gamma, epsilon) / class_floor(1 / gamma, gamma, epsilon), 1,
                  1e-9);
    }
  }
  // The whole simplex with uniform reference is the class with c1 = 0 and c2 = k.
  EXPECT_NEAR(minimax_floor(7, 1.3), class_floor(0, 7, 1.3), 1e-15);
}

// A class that is an epsilon-mollifier itself lies inside its band.
TEST(BandFloor, ContainsAClassThatIsPrivateAlready) {
  for (const double c1 : {0.3, 0.5, 0.9}) {
    for (const double share : {0.2, 0.7, 1.0}) {
      const double e = std::exp(1.0);
      const double c2 = 1 + share * (e * c1 - 1);
      if (c2 <= 1) continue;
      const double b = class_floor(c1, c2, 1);
      EXPECT_LE(b, c1 * (1 + 1e-15));
      EXPECT_GE(b * e, c2 * (1 - 1e-15));
    }
  }
}

TEST(BandFloor, StaysBelowOneHoweverWideTheClass) {
  EXPECT_LT(class_floor(0, 0x1p62, 1), 1);
  EXPECT_LT(class_floor(0, 1e300, 1e-6), 1);
  EXPECT_LT(neighbourhood_floor(1e300, 1), 1);
}

TEST(BandFloor, RefusesInOneSentence) {
  const auto message = [](const std::function<void()>& make) -> std::string {
    return test::refusal_of(make);
  };
  EXPECT_EQ(message([] { (void)class_floor(1, 2, 1); }),
            "c1 must be at least 0 and below 1, but is 1");
  EXPECT_EQ(message([] { (void)class_floor(-0.1, 2, 1); }),
            "c1 must be at least 0 and below 1, but is -0.1");
  EXPECT_EQ(message([] { (void)class_floor(std::nan(""), 2, 1); }),
            "c1 must be at least 0 and below 1, but is nan");
  EXPECT_EQ(message([] { (void)location_floor(0.36, 1); }),
            "band location must lie between e^-epsilon = 0.367879 and 1, but is 0.36");
  EXPECT_EQ(location_floor(0.37, 1), 0.37);
  EXPECT_EQ(message([] { (void)class_floor(0, 1, 1); }), "c2 must be finite and above 1, but is 1");
  EXPECT_EQ(message([] { (void)class_floor(0, HUGE_VAL, 1); }),
            "c2 must be finite and above 1, but is inf");
  EXPECT_EQ(message([] { (void)neighbourhood_floor(1, 1); }),
            "gamma must be finite and above 1, but is 1");
  EXPECT_EQ(message([] { (void)neighbourhood_floor(HUGE_VAL, 1); }),
            "gamma must be finite and above 1, but is inf");
  EXPECT_EQ(message([] { (void)minimax_floor(2, 0); }),
            "epsilon must be finite and positive, but is 0");
  EXPECT_EQ(message([] { (void)relative_floor(HUGE_VAL); }),
            "epsilon must be finite and positive, but is inf");
}

}  // namespace

// -----------------------------------------------------------------------------------------------
// Input weights.

namespace {

using test::kNan;

using test::kInfinity;

using Weights = std::vector<std::uint64_t>;
using test::PrivateInput;

Weights dense(const PrivateInput& input, std::size_t k) {
  return InputWeights(input.view(), k).dense();
}

TEST(InputWeights, TakesCountsAsTheyAre) {
  EXPECT_EQ(dense({"", {1, 3, 4}, {7, 1, 0}}, 6), (Weights{0, 7, 0, 1, 0, 0}));
  const double most = 0x1p53 - 2;
  EXPECT_EQ(dense({"", {0, 1}, {most, 1}}, 2), (Weights{(1ULL << 53) - 2, 1}));
  // Repeated and unsorted outcomes are added, those out of range passed over.
  EXPECT_EQ(dense({"", {2, 0, 2, 9}, {5, 1, 6, 100}}, 3), (Weights{1, 0, 11}));
}

TEST(InputWeights, CountsNonsenseAsNothing) {
  EXPECT_EQ(dense({"", {0, 1, 2, 3, 4}, {kNan, -3, kInfinity, -kInfinity, 2}}, 5),
            (Weights{0, 0, 0, 0, 2}));
  for (const double nothing : {0.0, -0.0, -1.0, kNan, kInfinity, -kInfinity}) {
    const std::vector<std::uint32_t> outcomes = {0};
    const std::vector<double> weights = {nothing};
    EXPECT_TRUE(InputWeights({outcomes, weights}, 1).empty()) << nothing;
  }
  EXPECT_TRUE(InputWeights({}, 3).empty());
  EXPECT_TRUE(InputWeights(test::point_mass(3).view(), 3).empty());
  EXPECT_FALSE(InputWeights(test::point_mass(2).view(), 3).empty());
}

// Whatever comes, the sum stays below the 2^62 that laws rely on, and weights keep proportion.
TEST(InputWeights, ScalesOtherWeightsToAboutTwoToTheSixtyOne) {
  for (const std::size_t k : {1U, 2U, 20U, 5000U}) {
    for (const PrivateInput& input : test::private_inputs(k)) {
      SCOPED_TRACE(input.name);
      const InputWeights weights(input.view(), k);
      const Weights all = weights.dense();
      ASSERT_EQ(all.size(), k);
      const std::uint64_t sum = std::accumulate(all.begin(), all.end(), std::uint64_t{0});
      EXPECT_EQ(weights.empty(), sum == 0);
      EXPECT_LT(sum, std::uint64_t{1} << 62);
    }
  }
  const auto parts = dense({"", {0, 1, 2}, {0.25, 0.5, 0.25}}, 3);
  EXPECT_EQ(parts, (Weights{1ULL << 59, 1ULL << 60, 1ULL << 59}));
  const double most = std::numeric_limits<double>::max();
  EXPECT_EQ(dense({"", {0, 1}, {most, most}}, 2), (Weights{1ULL << 60, 1ULL << 60}));
  const double least = std::numeric_limits<double>::denorm_min();
  EXPECT_EQ(dense({"", {0, 1}, {least, least}}, 2), (Weights{1ULL << 60, 1ULL << 60}));
}

RC_GTEST_PROP(InputWeights, KeepProportion, ()) {
  const auto tenths =
      *rc::gen::nonEmpty(rc::gen::container<std::vector<int>>(rc::gen::inRange(1, 1'000'000)));
  PrivateInput input;
  double sum = 0;
  for (std::size_t j = 0; j < tenths.size(); ++j) {
    input.outcomes.push_back(static_cast<std::uint32_t>(j));
    input.weights.push_back(0.1 * tenths[j]);
    sum += input.weights.back();
  }
  const Weights all = dense(input, tenths.size());
  const double total =
      static_cast<double>(std::accumulate(all.begin(), all.end(), std::uint64_t{0}));
  for (std::size_t j = 0; j < all.size(); ++j) {
    const double share = input.weights[j] / sum;
    // Sums of doubles, and parts of 2^61 that are rounded down: this one's and all of the total's.
    const double rounding = 1e-13 * share + (1 + static_cast<double>(all.size())) * 0x1p-61;
    RC_ASSERT(std::abs(static_cast<double>(all[j]) / total - share) <= rounding);
  }
}

TEST(InputWeights, DrawsInProportion) {
  SecureRandom random;
  const PrivateInput input{"", {4, 1, 7, 1}, {3, 0, 5, 2}};
  const InputWeights weights(input.view(), 9);
  std::vector<std::uint64_t> observed(9);
  for (int draw = 0; draw < 100'000; ++draw) ++observed[weights.draw(random)];
  EXPECT_TRUE(test::follows(test::probabilities_of(weights.dense()), observed));
}

}  // namespace

// -----------------------------------------------------------------------------------------------
// Mechanism.

namespace {

TEST(PlacedBand, IsReadBackFromItsText) {
  for (const char* text : {"minimax", "relative", "location=0.8", "location=0.125", "typical",
                           "typical=6", "typical=0.5,32", "file=bands/a=b.json"}) {
    EXPECT_EQ(to_text(parse_band(text)), text);
  }
  EXPECT_EQ(parse_band("location=0.8"), (PlacedBand{Mechanism::kLocation, 0.8}));
}

TEST(PlacedBand, RefusesOtherTexts) {
  for (const char* text : {"",
                           "Minimax",
                           "location",
                           "location=",
                           "location=0",
                           "location=1",
                           "location=-1",
                           "location=nan",
                           "location=.5x",
                           "relative ",
                           "relative=0.5",
                           "minimax=",
                           "class",
                           "typical=",
                           "typical=0",
                           "typical=1,0",
                           "typical=1,2.5",
                           "typical=inf",
                           "file",
                           "file="}) {
    EXPECT_THROW((void)parse_band(text), InvalidInput) << text;
  }
}

using Masses = std::vector<double>;

Masses law_of_masses(const LocalSampler& sampler, const Masses& p) {
  return sampler.law(test::every_outcome("", p).view()).probabilities;
}

Masses law_of_masses(const MechanismParameters& parameters, const Masses& p) {
  return law_of_masses(*make_sampler(parameters), p);
}

void expect_same(const Masses& law, const Masses& expected, double relative) {
  ASSERT_EQ(law.size(), expected.size());
  for (std::size_t i = 0; i < law.size(); ++i) {
    EXPECT_NEAR(law[i], expected[i], relative * expected[i]) << "outcome " << i;
  }
}

Masses random_masses(std::size_t k, std::mt19937_64& random) {
  Masses masses(k);
  double sum = 0;
  for (double& mass : masses) sum += mass = std::exponential_distribution<double>()(random);
  for (double& mass : masses) mass /= sum;
  return masses;
}

TEST(Mechanism, NamesRoundTrip) {
  for (const auto& [mechanism, name] : names<Mechanism>()) {
    EXPECT_EQ(named<Mechanism>(name), mechanism);
    EXPECT_EQ(name_of(mechanism), name);
  }
  EXPECT_EQ(name_of(Mechanism::kMinimax), "minimax");
  EXPECT_EQ(name_of(Mechanism::kGaussianCurve), "gaussian-curve");
  EXPECT_FALSE(named<Mechanism>("Minimax"));
  EXPECT_FALSE(named<Mechanism>(""));
}

TEST(Mechanism, IsInTheTableOfBands) {
  std::ifstream file(MOLLIFY_TEST_DATA "/../../docs/theory/band.md");
  const std::string page(std::istreambuf_iterator<char>(file), {});
  for (const auto& [mechanism, name] : names<Mechanism>()) {
    if (!is_band(mechanism)) continue;
    EXPECT_NE(page.find("\n| `" + std::string(name) + "`"), std::string::npos) << name;
  }
}

// What must agree between rows and their numbers.
TEST(Mechanism, RowsAreWhole) {
  for (const auto& [mechanism, name] : names<Mechanism>()) {
    const MechanismRow& row = row_of(mechanism);
    EXPECT_FALSE(row.judges_class && row.numbers[0] == &MechanismNumbers::c1) << name;
    EXPECT_EQ(row.is_long, !is_band(mechanism) && row.reference != ReferenceUse::kNone) << name;
  }
  for (const MechanismNumber& number : mechanism_numbers()) {
    EXPECT_NE(std::string_view(number.help), "") << number.name;
    MechanismNumbers given;
    given.*number.value = 1;
    EXPECT_TRUE(mechanism_with(given)) << number.name << " is of no mechanism";
    const std::string flag = number.flag;
    EXPECT_TRUE(flag.empty() || flag == "--" + std::string(number.name)) << flag;
    EXPECT_EQ(std::string(number.place), flag.empty() ? "" : "/" + std::string(number.name));
  }
}

std::string refusal(const MechanismParameters& parameters) {
  return test::refusal_of([&] { (void)make_sampler(parameters); });
}

TEST(Mechanism, RefusesMissingAndSuperfluousParameters) {
  using M = Mechanism;
  const Masses h = {0.25, 0.75};
  EXPECT_EQ(refusal({.outcome_count = 2}), "--epsilon is missing: mechanism minimax needs it");
  EXPECT_EQ(refusal({.mechanism = M::kGaussianCurve, .outcome_count = 2}),
            "--mu is missing: mechanism gaussian-curve needs it");
  EXPECT_EQ(refusal({.mechanism = M::kGaussianCurve, .outcome_count = 2, .epsilon = 1, .mu = 1}),
            "give --mu or --epsilon, not both: mechanism gaussian-curve takes --mu");
  EXPECT_EQ(refusal({.mechanism = M::kRelative, .outcome_count = 2, .epsilon = 1, .mu = 1}),
            "give --mu or --epsilon, not both: mechanism relative takes --epsilon");
  EXPECT_EQ(
      refusal({.mechanism = M::kClass, .outcome_count = 2, .epsilon = 1, .numbers = {.c2 = 2}}),
      "--c1 is missing: mechanism class needs it");
  EXPECT_EQ(
      refusal({.mechanism = M::kClass, .outcome_count = 2, .epsilon = 1, .numbers = {.c1 = 0}}),
      "--c2 is missing: mechanism class needs it");
  EXPECT_EQ(refusal({.outcome_count = 2, .epsilon = 1, .numbers = {.c1 = 0}}),
            "mechanism minimax takes no c1: leave it out, or name another mechanism");
  EXPECT_EQ(
      refusal({.mechanism = M::kMixture, .outcome_count = 2, .epsilon = 1, .numbers = {.c2 = 2}}),
      "mechanism mixture takes no c2: leave it out, or name another mechanism");
  EXPECT_EQ(refusal({.mechanism = M::kNeighbourhood, .outcome_count = 2, .epsilon = 1}),
            "--gamma is missing: mechanism neighbourhood needs it");
  EXPECT_EQ(refusal({.outcome_count = 2, .epsilon = 1, .numbers = {.gamma = 2}}),
            "mechanism minimax takes no gamma: leave it out, or name another mechanism");
  EXPECT_EQ(
      refusal(
          {.mechanism = M::kRandomizedResponse, .outcome_count = 2, .reference = h, .epsilon = 1}),
      "mechanism randomized-response takes no reference: leave it out, or name another "
      "mechanism");
  EXPECT_EQ(refusal({.mechanism = M::kPublicKernel, .outcome_count = 2, .epsilon = 1}),
            "--reference is missing: mechanism public-kernel needs the public distribution that "
            "it keeps in place");
}

MechanismParameters complete(Mechanism mechanism, std::size_t k, std::span<const double> h) {
  MechanismParameters parameters = test::complete_parameters(mechanism, k, 1);
  parameters.reference = h;
  return parameters;
}

// Whatever the mechanism, a wrong space is refused in the same words, before anything is computed
// from it.
TEST(Mechanism, RefusesWrongSpaces) {
  for (const auto& known : names<Mechanism>()) {
    SCOPED_TRACE(known.name);
    const Mechanism mechanism = known.value;
    const auto with = [&](std::size_t k, const Masses& h) {
      return refusal(complete(mechanism, k, h));
    };
    if (mechanism != Mechanism::kPublicKernel) {
      EXPECT_EQ(with(0, {}), "the number of outcomes must be from 1 to 16777216, but is 0");
      EXPECT_EQ(with(1'000'000'000'000, {}),
                "the number of outcomes must be from 1 to 16777216, but is 1000000000000");
    }
    if (row_of(mechanism).reference == ReferenceUse::kNone) continue;
    EXPECT_EQ(with(3, {1, 1}),
              "the reference must have one mass for each of the 3 outcomes, but has 2");
    EXPECT_EQ(with(2, {1, 0}),
              "the reference mass of outcome 1 must be finite and positive, but is 0");
    EXPECT_EQ(with(2, {-1, 1}),
              "the reference mass of outcome 0 must be finite and positive, but is -1");
    EXPECT_EQ(with(2, {1, std::numeric_limits<double>::quiet_NaN()}),
              "the reference mass of outcome 1 must be finite and positive, but is nan");
    EXPECT_EQ(with(2, {1e308, 1e308}), "the reference masses must have a finite sum");
    // As uneven as doubles can be, and still a reference.
    EXPECT_EQ(with(2, {1, 1e-320}), "accepted");
    EXPECT_EQ(with(3, {1, 1e-17, 1e-300}), "accepted");
  }
}

TEST(Mechanism, RefusesParametersOutOfRange) {
  const auto band = [](double epsilon) {
    return refusal({.outcome_count = 2, .epsilon = epsilon});
  };
  EXPECT_EQ(band(-1), "epsilon must be finite and positive, but is -1");
  EXPECT_EQ(band(1e-7), "epsilon of one draw must be at least 1e-6, but is 1e-7");
  EXPECT_EQ(refusal({.mechanism = Mechanism::kGaussianCurve, .outcome_count = 2, .mu = 30}),
            "mu must be from 0.001 to 20, but is 30");
  EXPECT_EQ(refusal({.mechanism = Mechanism::kClass,
                     .outcome_count = 2,
                     .epsilon = 1,
                     .numbers = {.c1 = 2, .c2 = 3}}),
            "c1 must be at least 0 and below 1, but is 2");
  EXPECT_EQ(refusal({.mechanism = Mechanism::kNeighbourhood,
                     .outcome_count = 2,
                     .epsilon = 1,
                     .numbers = {.gamma = 0.5}}),
            "gamma must be finite and above 1, but is 0.5");
}

TEST(Mechanism, BandFloors) {
  const Masses h = {0.1, 0.2, 0.3, 0.4};
  EXPECT_EQ(band_floor_of({.outcome_count = 4, .epsilon = 1}), minimax_floor(4, 1));
  EXPECT_EQ(band_floor_of({.outcome_count = 1, .reference = std::span(h).first(1), .epsilon = 1}),
            minimax_floor(1, 1));
  EXPECT_NEAR(band_floor_of({.outcome_count = 4, .reference = h, .epsilon = 1}),
              class_floor(0, 10, 1), 1e-15);
  for (const Mechanism linear : {Mechanism::kPublicKernel, Mechanism::kRandomizedResponse,
                                 Mechanism::kMixture, Mechanism::kGaussianCurve}) {
    const bool response = linear == Mechanism::kRandomizedResponse;
    try {
      (void)band_floor_of(complete(linear, 4, response ? std::span<const double>() : h));
      FAIL();
    } catch (const InvalidInput& error) {
      EXPECT_EQ(error.what(), "mechanism " + std::string(name_of(linear)) + " has no band");
    }
  }
}

// 40-digit closed forms, to 1e-9 relative (2/N is far less).
TEST(Mechanism, MinimaxLawsAgreeWithTheReferenceValues) {
  std::ifstream file(MOLLIFY_TEST_DATA "/finite.json");
  const nlohmann::json reference = nlohmann::json::parse(file);
  std::size_t seen = 0;
  for (const auto& row : reference.at("laws_k5")) {
    const double epsilon = row.at("eps").get<double>();
    const auto p = row.at("p").get<Masses>();
    Masses expected;
    for (const auto& mass : row.at("q")) expected.push_back(std::stod(mass.get<std::string>()));
    const Masses law = law_of_masses({.outcome_count = 5, .epsilon = epsilon}, p);
    expect_same(law, expected, 1e-9);
    const DivergenceReport report = divergence_report(p, law);
    const double divergences[] = {report.kl, report.tv, report.hellinger2};
    for (std::size_t i = 0; i < 3; ++i) {
      const double value = std::stod(row.at("KL_TV_H2")[i].get<std::string>());
      EXPECT_NEAR(divergences[i], value, 1e-9 * value + 1e-11) << "epsilon " << epsilon;
    }
    ++seen;
  }
  EXPECT_EQ(seen, 15U);
}

// docs/theory/band.md: no scale makes the closed form of [Husain et al. 2020, eq. 8] sum to one for
// a point mass; it takes its upper bound and the others share the rest in proportion to the
// reference.
TEST(Mechanism, RelativeMollifierInTheMissingCase) {
  const Masses h = {0.1, 0.2, 0.3, 0.4};
  const double top = 0.1 * std::exp(0.5);
  const double rest = (1 - top) / 0.9;
  expect_same(
      law_of_masses(
          {.mechanism = Mechanism::kRelative, .outcome_count = 4, .reference = h, .epsilon = 1},
          {1, 0, 0, 0}),
      {top, 0.2 * rest, 0.3 * rest, 0.4 * rest}, 1e-11);
}

TEST(Mechanism, ReleasesAClassThatIsPrivateAlreadyUnchanged) {
  const Masses h = {0.1, 0.2, 0.3, 0.4};
  const Masses lift = {1.3, 0.6, 1.2, 0.975};  // within [0.5, 1.3], and 1.3 <= e 0.5
  Masses p;
  for (std::size_t i = 0; i < 4; ++i) p.push_back(h[i] * lift[i]);
  expect_same(law_of_masses({.mechanism = Mechanism::kClass,
                             .outcome_count = 4,
                             .reference = h,
                             .epsilon = 1,
                             .numbers = {.c1 = 0.5, .c2 = 1.3}},
                            p),
              p, 1e-11);
}

// What `risk` calls attained is attained by the table, at large epsilon too. Lower bounds rounded
// down would leave the point mass short of its share by up to e^epsilon parts of 2^62, and Ebar by
// 2^-40 of it: at epsilon = 30 a total variation of 4e-7 where 9e-14 is the worst case.
TEST(Mechanism, PointMassesKeepTheMinimaxShareAtEveryEpsilon) {
  for (const std::size_t k : {std::size_t{2}, std::size_t{3}, std::size_t{16}}) {
    for (const double epsilon : {0.1, 1.0, 5.0, 10.0, 20.0, 25.0, 30.0}) {
      Masses p(k, 0.0);
      p[1] = 1;
      const Masses law = law_of_masses(
          {.mechanism = Mechanism::kMinimax, .outcome_count = k, .epsilon = epsilon}, p);
      const double other = 1 / (std::expm1(epsilon) + static_cast<double>(k));
      for (std::size_t i = 0; i < k; ++i) {
        const double expected = i == 1 ? 1 - static_cast<double>(k - 1) * other : other;
        EXPECT_NEAR(law[i], expected, std::max(1e-9 * expected, 0x1p-61))
            << "k " << k << ", epsilon " << epsilon << ", outcome " << i;
      }
    }
  }
}

TEST(Mechanism, NeighbourhoodIsTheClassOfItsFactor) {
  std::mt19937_64 random(1);
  for (const double gamma : {1.5, 4.0}) {
    const Masses h = random_masses(6, random);
    const MechanismParameters neighbourhood{.mechanism = Mechanism::kNeighbourhood,
                                            .outcome_count = 6,
                                            .reference = h,
                                            .epsilon = 0.7,
                                            .numbers = {.gamma = gamma}};
    const MechanismParameters density_class{.mechanism = Mechanism::kClass,
                                            .outcome_count = 6,
                                            .reference = h,
                                            .epsilon = 0.7,
                                            .numbers = {.c1 = 1 / gamma, .c2 = gamma}};
    // The bands are the same to the last places; tables are exact to 1e-9 (see Table).
    EXPECT_NEAR(band_floor_of(neighbourhood) / band_floor_of(density_class), 1.0, 1e-15);
    for (int trial = 0; trial < 10; ++trial) {
      const Masses p = random_masses(6, random);
      expect_same(law_of_masses(neighbourhood, p), law_of_masses(density_class, p), 1e-9);
    }
  }
}

// A_R: the law E/(E+k-1) P + (1 - P)/(E+k-1), which the mixture with uniform reference also has.
TEST(Mechanism, RandomizedResponseAndTheUniformMixture) {
  std::mt19937_64 random(2);
  for (const double epsilon : {1e-3, 0.1, 1.0, 5.0, 20.0}) {
    for (const std::size_t k : {2U, 5U, 100U}) {
      const Masses p = random_masses(k, random);
      const double total = std::exp(epsilon) + static_cast<double>(k) - 1;
      Masses expected;
      for (const double mass : p) expected.push_back((1 + std::expm1(epsilon) * mass) / total);
      expect_same(
          law_of_masses(
              {.mechanism = Mechanism::kRandomizedResponse, .outcome_count = k, .epsilon = epsilon},
              p),
          expected, 1e-9);
      expect_same(
          law_of_masses({.mechanism = Mechanism::kMixture, .outcome_count = k, .epsilon = epsilon},
                        p),
          expected, 1e-9);
    }
  }
}

// With the reference as the private distribution, linear samplers change nothing.
TEST(Mechanism, LinearSamplersLeaveTheReferenceInPlace) {
  const Masses h = {0.05, 0.3, 0.15, 0.5};
  for (const Mechanism linear :
       {Mechanism::kPublicKernel, Mechanism::kMixture, Mechanism::kGaussianCurve}) {
    expect_same(law_of_masses(complete(linear, 4, h), h), h, 1e-9);
  }
}

ConvexMollifierSampler hull_of_response(std::size_t k, double epsilon) {
  Masses rows(k * k, 1);
  for (std::size_t i = 0; i < k; ++i) rows[i * k + i] = std::exp(epsilon);
  return {MatrixChannel::make(rows, k, epsilon), epsilon};
}

// The hull of randomized response is {q >= 1/(E+k-1)}, which is the minimax band: the projections
// on both are the same law.
TEST(Mechanism, ConvexHullOfRandomizedResponseGivesTheMinimaxLaw) {
  std::mt19937_64 random(3);
  double farthest = 0;
  for (const double epsilon : {0.1, 1.0, 4.0}) {
    for (const std::size_t k : {2U, 5U, 20U}) {
      const ConvexMollifierSampler hull = hull_of_response(k, epsilon);
      for (int trial = 0; trial < 5; ++trial) {
        Masses p = random_masses(k, random);
        if (trial == 0) p = {1};
        p.resize(k);
        const Masses law = law_of_masses(hull, p);
        const Masses minimax = law_of_masses({.outcome_count = k, .epsilon = epsilon}, p);
        for (std::size_t i = 0; i < k; ++i) {
          farthest = std::max(farthest, std::abs(law[i] - minimax[i]));
        }
      }
    }
  }
  std::printf("greatest difference of the two laws: %.3g\n", farthest);
  EXPECT_LE(farthest, 1e-6);
}

// [Husain et al. 2020]: never worse in KL than the naive sampler whose rows generate the hull, and
// often better.
TEST(Mechanism, ConvexProjectionIsNeverWorseThanTheNaiveSampler) {
  std::mt19937_64 random(4);
  int better = 0, tried = 0;
  for (const double epsilon : {0.1, 1.0, 4.0}) {
    for (const std::size_t k : {2U, 5U, 50U}) {
      const ConvexMollifierSampler hull = hull_of_response(k, epsilon);
      const auto naive = make_sampler(
          {.mechanism = Mechanism::kRandomizedResponse, .outcome_count = k, .epsilon = epsilon});
      for (int trial = 0; trial < 10; ++trial) {
        const Masses p = random_masses(k, random);
        const double ours = kullback_leibler(p, law_of_masses(hull, p));
        const double theirs = kullback_leibler(p, law_of_masses(*naive, p));
        EXPECT_LE(ours, theirs + 1e-10) << "k " << k << " epsilon " << epsilon;
        ++tried;
        if (ours < 0.9 * theirs) ++better;
      }
    }
  }
  std::printf("better by a tenth in %d of %d\n", better, tried);
  EXPECT_GT(better, tried / 2);
}

// Every P on a fine grid of the simplex is nearer than the worst case says, and one attains it.
TEST(Mechanism, WorstCasesOfTheSourcesMollifiersHoldForEveryDistribution) {
  constexpr std::size_t kSteps = 24;
  const Masses h = {0.2, 0.3, 0.5};
  const Masses rows = {5, 3, 2, 3, 4, 3, 2, 3, 5};
  for (const Mechanism mechanism :
       {Mechanism::kNaive, Mechanism::kConvex, Mechanism::kScaleAndShift}) {
    for (const double epsilon : {1.0, 3.0}) {
      for (const bool is_given : {false, true}) {
        MechanismParameters parameters{
            .mechanism = mechanism, .outcome_count = 3, .epsilon = epsilon};
        const bool squeezes = mechanism == Mechanism::kScaleAndShift;
        if (is_given && squeezes) parameters.reference = h;
        if (is_given && !squeezes) parameters.channel = rows;
        const WorstCaseRisk risk = mechanism_risk(parameters);
        EXPECT_TRUE(risk.attained);
        const auto sampler = make_sampler(parameters);
        DivergenceReport worst;
        for (std::size_t a = 0; a <= kSteps; ++a) {
          for (std::size_t b = 0; a + b <= kSteps; ++b) {
            const Masses p = {static_cast<double>(a) / kSteps, static_cast<double>(b) / kSteps,
                              static_cast<double>(kSteps - a - b) / kSteps};
            const DivergenceReport one = divergence_report(p, law_of_masses(*sampler, p));
            for (const auto& name : kDivergenceNames) {
              EXPECT_LE(one.*name.value, risk.risk.*name.value + 1e-6)
                  << name_of(mechanism) << " " << name.words << " at " << a << " " << b;
              worst.*name.value = std::max(worst.*name.value, one.*name.value);
            }
          }
        }
        std::printf("%s, epsilon %g: %s; at most %s\n", name_of(mechanism).data(), epsilon,
                    worst.text().c_str(), risk.risk.text().c_str());
        for (const auto& name : kDivergenceNames) {
          EXPECT_NEAR(worst.*name.value, risk.risk.*name.value, 1e-6)
              << name_of(mechanism) << " " << name.words;
        }
      }
    }
  }
}

TEST(Mechanism, RefusesChannels) {
  const Masses rows = {2, 1, 1, 1, 1, 2};
  EXPECT_EQ(refusal({.outcome_count = 3, .epsilon = 1, .channel = rows}),
            "mechanism minimax takes no channel: leave it out, or name another mechanism");
  EXPECT_EQ(
      refusal({.mechanism = Mechanism::kNaive, .outcome_count = 3, .epsilon = 1, .channel = rows}),
      "mechanism naive needs a channel with a row for each of 3 outcomes, but it has 2: give "
      "all rows, or use mechanism convex");
  EXPECT_EQ(
      refusal({.mechanism = Mechanism::kConvex, .outcome_count = 3, .epsilon = 1, .channel = rows}),
      "accepted");
}

TEST(Mechanism, ConvexMollifierRefusesAnEpsilonItsGeneratorsDoNotKeep) {
  const MatrixChannel generators = hull_of_response(3, 1).generators();
  EXPECT_NO_THROW(ConvexMollifierSampler(generators, 1));
  try {
    ConvexMollifierSampler(generators, 0.5);
    FAIL();
  } catch (const InvalidInput& error) {
    EXPECT_STREQ(error.what(),
                 "the generators must be within a factor e^0.5 of one another at every outcome, "
                 "but are not");
  }
}

}  // namespace

}  // namespace mollify
