#include "methods/gaussian/design.h"

#include <cmath>
#include <cstdio>
#include <ctime>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/invalid_input.h"
#include "methods/gaussian/sampler.h"
#include "not_finite.h"
#include "refusal.h"
#include "sanitized.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Gaussian design.

namespace {

using testing::HasSubstr;
using Notion = Privacy::Notion;

/// Requests of every kind that can be served.
std::vector<GaussianRequest> gaussian_requests() {
  std::vector<GaussianRequest> requests;
  const auto add = [&](std::uint64_t n, std::size_t d, const Privacy& budget) {
    requests.push_back({.records = n, .dimension = d, .budget = budget, .mean_bound = 2});
  };
  for (const std::uint64_t d : {1U, 10U, 1024U}) {
    for (const std::uint64_t n : {400 * d, std::uint64_t{1'000'003}}) {
      add(n, d, Privacy::pure(1));
      add(n, d, Privacy::concentrated(0.5));
      add(n, d, Privacy::approximate(1, 1e-6));
      add(n, d, Privacy::concentrated(0.5));
      requests.back().covariance_bound = 2;
      add(n, d, Privacy::approximate(1, 1e-6));
      requests.back().covariance_bound = 1.01;
    }
  }
  add(500, 3, Privacy::pure(1));
  requests.back().paper_variance = true;
  add(5000, 3, Privacy::pure(0.3));
  requests.back().outputs = 7;
  add(5000, 3, Privacy::concentrated(0.3));
  requests.back().outputs = 7;
  requests.back().covariance_bound = 4;
  // The ends of the allowed range.
  add(std::uint64_t{1} << 39, 3, Privacy::pure(1e-6));
  add(std::uint64_t{1} << 39, 3, Privacy::pure(100));
  add(std::uint64_t{1} << 39, 3, Privacy::concentrated(1e-12));
  add(std::uint64_t{1} << 39, 3, Privacy::concentrated(1000));
  add(std::uint64_t{1} << 39, 3, Privacy::approximate(1e-5, 1e-9));
  add(std::uint64_t{1} << 39, 3, Privacy::concentrated(1e-3));
  requests.back().covariance_bound = 2;
  add(200, 3, Privacy::pure(100));
  add(200, 3, Privacy::concentrated(1000));
  return requests;
}

std::string in_words(const GaussianRequest& r) {
  return "n = " + std::to_string(r.records) + ", d = " + std::to_string(r.dimension) +
         ", epsilon = " + std::to_string(r.budget.epsilon) +
         ", delta = " + std::to_string(r.budget.delta) + ", rho = " + std::to_string(r.budget.rho) +
         ", K = " + std::to_string(r.covariance_bound);
}

TEST(GaussianDesign, NeverSpendsMoreThanTheBudgetAndAddsUp) {
  for (const GaussianRequest& request : gaussian_requests()) {
    SCOPED_TRACE(in_words(request));
    const GaussianDesign design = design_gaussian(request);
    EXPECT_EQ(design.request, request);
    EXPECT_NO_THROW(check_gaussian_design(design));
    if (request.dimension == 3) {
      EXPECT_EQ(design, design_gaussian(request));
    }

    const Privacy& kept = design.guarantee;
    if (request.budget.notion == Notion::kConcentrated) {
      EXPECT_EQ(kept.notion, Notion::kConcentrated);
      EXPECT_LE(kept.rho, request.budget.rho);
      EXPECT_GT(kept.rho, 0);
    } else {
      EXPECT_EQ(kept.notion, request.budget.delta > 0 ? Notion::kApproximate : Notion::kPure);
      EXPECT_LE(kept.epsilon, request.budget.epsilon);
      EXPECT_LE(kept.delta, request.budget.delta);
    }
    if (kept.notion == Notion::kPure) {
      EXPECT_GT(kept.epsilon, request.budget.epsilon * (1 - 1e-9));
    }

    const GaussianWeights& weights = design.weights;
    EXPECT_EQ(weights.plus_records + weights.minus_records, design.run_records);
    EXPECT_EQ(weights.plus_records - weights.minus_records, weights.divisor);
    EXPECT_LE(design.run_records * request.outputs, request.records);
    const auto n = static_cast<double>(design.run_records);
    EXPECT_GE(n + 3 * std::sqrt(n) + 1, static_cast<double>(request.records / request.outputs));
    EXPECT_EQ(weights.minus_records == 0, request.covariance_bound == 1 || design.threshold > 0);

    // What g, L and sigma mean in whitened units.
    const auto d = static_cast<double>(request.dimension);
    const double step = std::ldexp(1, design.step_exponent);
    const auto cells = static_cast<double>(design.lattice_radius);
    EXPECT_LE(design.clip_radius, step * (cells - std::sqrt(d) / 2));
    EXPECT_GT(design.clip_radius, design.mean_radius);
    const auto divisor = static_cast<double>(weights.divisor);
    const double noise =
        static_cast<double>(design.noise.numerator) / static_cast<double>(design.noise.denominator);
    const double variance = kept.notion == Notion::kPure
                                ? (d + 1) * std::pow(noise * step / divisor, 2)
                                : noise * std::pow(step / divisor, 2);
    const double squares = n / (divisor * divisor);
    if (request.paper_variance) {
      EXPECT_NEAR(design.public_variance, 1 - 1 / n, 1e-12);
    } else if (design.threshold > 0) {
      EXPECT_EQ(design.public_variance, 2 * step * step);
    } else if (request.covariance_bound == 1) {
      EXPECT_NEAR(variance + design.public_variance + squares, 1, 1e-12);
    } else {
      EXPECT_EQ(design.public_variance, 0);
      EXPECT_LE(squares + variance / request.covariance_bound, 1 + 1e-9);
      EXPECT_GE(squares + variance, 1 - 2 / std::sqrt(n));
    }

    const auto& [clip, shape, lattice, off_centre] = design.total_variation;
    EXPECT_GE(design.total_variation_up(), clip + shape + lattice);
    EXPECT_LT(design.total_variation_up(), 1);
    EXPECT_EQ(off_centre, 0);
    // Of the order of 1e-9, except for bounded covariances at the greatest n.
    EXPECT_LT(lattice, 1e-3 * (clip + shape) + (request.records > 1'000'003 ? 1e-5 : 1e-6));
    EXPECT_GE(design.strong_total_variation_up(),
              std::fmin(1, (clip + shape + lattice) * static_cast<double>(request.outputs)));
    EXPECT_FALSE(design.why.empty());
  }
}

/// Integers that do not keep the guarantee, and sizes that do not fit, are found.
TEST(GaussianDesign, IsCheckedWhereverItComesFrom) {
  for (const GaussianRequest& request : gaussian_requests()) {
    SCOPED_TRACE(in_words(request));
    const GaussianDesign good = design_gaussian(request);
    GaussianDesign bad = good;
    if (good.threshold > 0) {  // in units that follow from radius and records
      bad.threshold -= bad.threshold / 1000;
      EXPECT_THROW(check_gaussian_design(bad), InvalidInput);
      bad.threshold = std::uint64_t{1} << 63U;
    } else {
      bad.lattice_radius += 1 + bad.lattice_radius / 1000;
      EXPECT_THROW(check_gaussian_design(bad), InvalidInput);
      bad = good;
      bad.noise.numerator -= 1 + bad.noise.numerator / 1000;
    }
    EXPECT_THROW(check_gaussian_design(bad), InvalidInput);
    bad = good;
    ++bad.weights.minus_records;
    EXPECT_THROW(check_gaussian_design(bad), InvalidInput);
    bad = good;
    bad.request.outputs = bad.request.records / bad.run_records + 1;
    EXPECT_THROW(check_gaussian_design(bad), InvalidInput);
    bad = good;
    bad.guarantee.notion =
        good.guarantee.notion == Notion::kPure ? Notion::kConcentrated : Notion::kPure;
    EXPECT_THROW(check_gaussian_design(bad), InvalidInput);
  }
}

// The centre's guarantee and the runs' are of disjoint records, so the weaker is the design's.
TEST(GaussianDesign, IsCheckedForItsCentreToo) {
  GaussianRequest request{.records = 100'000, .dimension = 2, .budget = Privacy::pure(1)};
  request.ranges = {{-5, 5}};
  const GaussianDesign good = design_gaussian(request);
  check_gaussian_design(good);
  GaussianDesign bad = good;
  bad.centre->guarantee.epsilon = 8;
  EXPECT_THROW(check_gaussian_design(bad), InvalidInput);
  bad.centre->guarantee.epsilon = std::nextafter(good.guarantee.epsilon, 9);
  EXPECT_THROW(check_gaussian_design(bad), InvalidInput);

  request.budget = Privacy::approximate(1, 1e-6);
  request.ranges = {};
  const GaussianDesign approximate = design_gaussian(request);
  bad = approximate;
  bad.centre->guarantee.delta = std::nextafter(approximate.guarantee.delta, 1);
  EXPECT_THROW(check_gaussian_design(bad), InvalidInput);
}

TEST(GaussianDesign, TakesTheWeakerGuaranteeInBothParameters) {
  const Privacy a = Privacy::approximate(1, 1e-6);
  const Privacy b = Privacy::approximate(0.5, 1e-5);
  for (const Privacy& both : {weaker(a, b), weaker(b, a)}) {
    EXPECT_EQ(both.epsilon, 1);
    EXPECT_EQ(both.delta, 1e-5);
  }
  EXPECT_EQ(weaker(Privacy::concentrated(1), Privacy::concentrated(2)).rho, 2);
}

TEST(GaussianDesign, StatesTheSumOfItsErrors) {
  GaussianDesign design;
  design.request.outputs = 2;
  design.total_variation = {.clip = 0.1, .shape = 0.02, .lattice = 0.003, .centre = 0.25};
  EXPECT_NEAR(design.total_variation_up(), 0.373, 1e-12);
  EXPECT_NEAR(design.strong_total_variation_up(), 0.496, 1e-12);
}

// A budget one rounding below what a radius of 320 cells spends: the square root does not see it,
// the guarantee does.
TEST(GaussianDesign, KeepsABudgetThatRoundingWouldPass) {
  const double spent = 640.0 * 640.0 / 0x1p57;
  GaussianRequest request{.records = std::uint64_t{1} << 26U,
                          .dimension = 1,
                          .budget = Privacy::concentrated(std::nextafter(spent, 0)),
                          .mean_bound = 12};
  const GaussianDesign design = design_gaussian(request);
  EXPECT_EQ(design.noise.numerator / design.noise.denominator, std::uint64_t{1} << 56U);
  EXPECT_LE(design.guarantee.rho, request.budget.rho);
  EXPECT_EQ(design.lattice_radius, 319U);
  request.budget = Privacy::concentrated(spent);
  EXPECT_EQ(design_gaussian(request).lattice_radius, 320U);
}

/// n = 21, 25 and 39 for d = 1, 10 and 100 [Cheu, Nayak 2024, Theorem 19 at R = 5, rho = 1/2, alpha
/// = 1/100].
TEST(GaussianDesign, ServesThePapersExample) {
  for (const auto& [n, d] : {std::pair<std::uint64_t, std::size_t>{21, 1}, {25, 10}, {39, 100}}) {
    const GaussianDesign design = design_gaussian(
        {.records = n, .dimension = d, .budget = Privacy::concentrated(0.5), .mean_bound = 5});
    EXPECT_LE(design.total_variation_up(), 0.01) << d;
    EXPECT_GT(design.guarantee.rho, 0.4) << d;
  }
}

TEST(GaussianDesign, GainsFromTheCorrectedVariance) {
  GaussianRequest request{
      .records = 200, .dimension = 3, .budget = Privacy::pure(1), .mean_bound = 1};
  const double corrected = design_gaussian(request).total_variation_up();
  request.paper_variance = true;
  const double papers = design_gaussian(request).total_variation_up();
  EXPECT_LT(corrected, papers / 50);
}

/// As K falls to 1, a bounded covariance becomes a known one.
TEST(GaussianDesign, GainsFromATightCovarianceBound) {
  double last = 1;
  for (const double bound : {4., 2., 1.1, 1.01, 1.001}) {
    const double total = design_gaussian({.records = 1000,
                                          .dimension = 3,
                                          .budget = Privacy::concentrated(0.5),
                                          .covariance_bound = bound,
                                          .mean_bound = 1})
                             .total_variation_up();
    EXPECT_LT(total, last) << bound;
    last = total;
  }
  EXPECT_LT(last, 0.01);
}

std::string gaussian_refusal(const GaussianRequest& request) {
  return test::refusal_of([&] { (void)design_gaussian(request); });
}

/// The number that the sentence names is enough, and one of three digits less is not.
TEST(GaussianDesign, NamesWhatWouldDo) {
  GaussianRequest request{
      .records = 10, .dimension = 3, .budget = Privacy::pure(0.1), .mean_bound = 1};
  const std::string refusal = gaussian_refusal(request);
  unsigned long long records = 0;
  double epsilon = 0;
  ASSERT_EQ(std::sscanf(refusal.c_str(),
                        "10 records are too few for epsilon 0.1 in 3 dimensions: at least %llu "
                        "records, or epsilon %lf, are needed",
                        &records, &epsilon),
            2)
      << refusal;
  EXPECT_FALSE(find_gaussian_design(request).has_value());
  EXPECT_TRUE(records < 1000 || records % 10 == 0) << records;
  request.records = records < 1000 ? records - 1 : records * 99 / 100;
  EXPECT_FALSE(find_gaussian_design(request).has_value());
  request.records = records;
  EXPECT_TRUE(find_gaussian_design(request).has_value());
  request.records = 10;
  request.budget.epsilon = epsilon;
  EXPECT_TRUE(find_gaussian_design(request).has_value());
  request.budget.epsilon = epsilon * 0.95;
  EXPECT_FALSE(find_gaussian_design(request).has_value());
}

// A refusal is an answer that somebody waits for: it is found in a second, and was in five.
TEST(GaussianDesign, NamesWhatWouldDoSoon) {
  for (const std::uint64_t outputs : {10U, 100U, 1000U}) {
    GaussianRequest request{.records = 2505,
                            .dimension = 3,
                            .outputs = outputs,
                            .budget = Privacy::pure(0.1),
                            .ranges = {{-4, 4}}};
    const std::clock_t begin = std::clock();
    const std::string refusal = test::refusal_of([&] { (void)design_gaussian(request, 0.1); });
    const double took = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    std::printf("%s: %.2f s\n", refusal.c_str(), took);
    unsigned long long records = 0;
    double epsilon = 0;
    const std::size_t place = refusal.find("at least");
    ASSERT_NE(place, std::string::npos) << refusal;
    ASSERT_EQ(std::sscanf(refusal.c_str() + place, "at least %llu records, or epsilon %lf, are",
                          &records, &epsilon),
              2)
        << refusal;
    request.records = records;
    EXPECT_LE(find_gaussian_design(request).value().total_variation_up(), 0.1);
    request.records = records * 95 / 100;
    EXPECT_GT(find_gaussian_design(request).value().total_variation_up(), 0.1);
    request.records = 2505;
    request.budget.epsilon = epsilon;
    EXPECT_LE(find_gaussian_design(request).value().total_variation_up(), 0.1);
    EXPECT_LT(took, test::whole_or_sanitized(2.0, 60.0));
  }
}

TEST(GaussianDesign, NamesWhatKeepsTheErrorAskedFor) {
  GaussianRequest request{
      .records = 10, .dimension = 3, .budget = Privacy::pure(0.1), .mean_bound = 1};
  const std::string refusal = test::refusal_of([&] { (void)design_gaussian(request, 0.1); });
  unsigned long long records = 0;
  double epsilon = 0;
  ASSERT_EQ(std::sscanf(refusal.c_str(),
                        "10 records are too few for epsilon 0.1 in 3 dimensions: at least %llu "
                        "records, or epsilon %lf, are needed to be within 0.1 in total variation",
                        &records, &epsilon),
            2)
      << refusal;
  request.records = records;
  EXPECT_LE(find_gaussian_design(request).value().total_variation_up(), 0.1);
  request.records = 10;
  request.budget.epsilon = epsilon;
  EXPECT_LE(find_gaussian_design(request).value().total_variation_up(), 0.1);
}

/// A design without delta keeps any delta, so delta must never cost accuracy that anybody notices.
TEST(GaussianDesign, IsNeverWorseForADelta) {
  std::size_t pure_serves_better = 0;
  for (const double epsilon :
       test::whole_or_sanitized<std::vector<double>>({0.7, 1.0, 1.3, 5.0}, {0.7})) {
    for (const std::uint64_t outputs : {std::uint64_t{10}, std::uint64_t{100}}) {
      for (const bool is_bounded : {false, true}) {
        GaussianRequest request{
            .records = 2505, .dimension = 2, .outputs = outputs, .budget = Privacy::pure(epsilon)};
        if (is_bounded) request.mean_bound = 2;
        if (!is_bounded) request.ranges = {{-4, 4}};
        const auto pure = find_gaussian_design(request);
        request.budget = Privacy::approximate(epsilon, 1e-6);
        const auto approximate = find_gaussian_design(request);
        if (!pure) continue;
        ASSERT_TRUE(approximate.has_value());
        EXPECT_LE(approximate->total_variation_up(), pure->total_variation_up() + 1e-3);
        check_gaussian_design(*approximate);
        EXPECT_LE(approximate->guarantee.delta, 1e-6);
        pure_serves_better += approximate->guarantee.delta == 0;
      }
    }
  }
  EXPECT_GT(pure_serves_better, 0U);
}

TEST(GaussianDesign, RefusesInOneSentence) {
  const GaussianRequest good{
      .records = 100, .dimension = 2, .budget = Privacy::pure(1), .mean_bound = 1};
  const auto with = [&](const auto& change) {
    GaussianRequest request = good;
    change(request);
    return gaussian_refusal(request);
  };
  EXPECT_EQ(gaussian_refusal(good), "accepted");
  EXPECT_THAT(with([](auto& r) { r.covariance_bound = 2; }),
              HasSubstr("does not work under pure epsilon: give --rho, or --delta"));
  EXPECT_THAT(with([](auto& r) { r.covariance_bound = test::kNan; }),
              HasSubstr("covariance-bound must be from 1"));
  EXPECT_THAT(with([](auto& r) { r.records = 0; }), HasSubstr("number of records must be"));
  EXPECT_THAT(with([](auto& r) { r.dimension = 1025; }), HasSubstr("from 1 to 1024"));
  EXPECT_THAT(with([](auto& r) { r.outputs = 0; }), HasSubstr("number of outputs must be"));
  EXPECT_THAT(with([](auto& r) { r.budget.rho = 1; }),
              HasSubstr("what another notion has is given"));
  EXPECT_THAT(with([](auto& r) { r.budget.epsilon = test::kNan; }), HasSubstr("epsilon must be"));
  EXPECT_THAT(with([](auto& r) { r.budget = Privacy::approximate(1, -1); }),
              HasSubstr("delta must be"));
  EXPECT_THAT(with([](auto& r) { r.mean_bound = -1; }), HasSubstr("mean-bound must be"));
  EXPECT_THAT(with([](auto& r) { r.mean_bound.reset(); }),
              HasSubstr("a range for each coordinate"));
  EXPECT_THAT(with([](auto& r) { r.ranges = {{0, 1}}; }), HasSubstr("both are given"));
  EXPECT_THAT(with([](auto& r) {
                r.budget = Privacy::concentrated(1);
                r.paper_variance = true;
              }),
              HasSubstr("under pure epsilon alone"));
  EXPECT_THAT(with([](auto& r) { r.outputs = 101; }), HasSubstr("100 records are too few"));
  EXPECT_THAT(with([](auto& r) { r.mean_bound = 1e6; }), HasSubstr("or epsilon"));
}

}  // namespace

}  // namespace mollify
