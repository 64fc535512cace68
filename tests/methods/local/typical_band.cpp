// The place of a band for a prior: against the general search over the same units, closed forms and
// other ways to draw.
#include "methods/local/typical_band.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/progress.h"
#include "core/band.h"
#include "domain/candidates.h"
#include "methods/local/tuned_band.h"

namespace mollify {

namespace {

constexpr BandDivergence kMeanKl = BandDivergence::kKullbackLeibler;

/// The fixed stream, for the standard library's distributions.
class StandardWords {
 public:
  using result_type = std::uint64_t;
  static constexpr result_type min() { return 0; }
  static constexpr result_type max() { return std::numeric_limits<result_type>::max(); }
  result_type operator()() { return random_.word(); }

 private:
  SeededRandom random_{1};
};

/// The units of a prior, drawn by the standard library.
UnitMasses units_by_standard(std::size_t k, const DirichletPrior& prior) {
  const double shape = prior.strength.value_or(static_cast<double>(k)) / static_cast<double>(k);
  const auto count =
      static_cast<std::size_t>(std::clamp(0x1p20 / static_cast<double>(k), 64.0, 1024.0));
  StandardWords words;
  UnitMasses units(k);
  std::vector<double> weights(k);
  for (std::size_t unit = 0; unit < count; ++unit) {
    std::gamma_distribution<double> gamma(shape + 1);
    std::uniform_real_distribution<double> uniform(0x1p-53, 1);
    for (double& weight : weights) {
      weight = std::log(gamma(words));
      weight += std::log(uniform(words)) / shape;
    }
    const double greatest = *std::max_element(weights.begin(), weights.end());
    for (double& weight : weights) weight = std::exp(weight - greatest);
    if (!prior.records) {
      units.add(std::span<const double>(weights));
      continue;
    }
    std::discrete_distribution<std::size_t> record(weights.begin(), weights.end());
    std::vector<double> counts(k);
    for (std::uint64_t i = 0; i < *prior.records; ++i) ++counts[record(words)];
    units.add(std::span<const double>(counts));
  }
  return units;
}

double mean_kl_at(const UnitMasses& units, double epsilon, double b) {
  const std::size_t k = units.outcome_count();
  return BandObjective(units, std::exp(ExpBound(epsilon).epsilon()), kMeanKl)
      .value(std::vector<double>(k, b / static_cast<double>(k)));
}

/// A unit of a number's third digit.
double third_digit(double value) { return std::pow(10, std::floor(std::log10(value)) - 2); }

}  // namespace

#ifdef __GLIBCXX__
// Three digits agree with Brent's search for the least mean over units that the standard
// library draws.
TEST(TypicalBand, IsWhatTheGeneralSearchFinds) {
  struct Prior {
    std::size_t k;
    DirichletPrior prior;
  };
  const std::optional<double> as_many = std::nullopt;
  int compared = 0;
  for (const Prior& tried :
       {Prior{2, {as_many}}, Prior{2, {1.0, 7}}, Prior{3, {0.5}}, Prior{3, {2.0, 5}},
        Prior{10, {as_many}}, Prior{10, {20.0}}, Prior{10, {20.0, 50}}, Prior{120, {as_many}},
        Prior{120, {2.0, 5}}, Prior{120, {300.0, 1000}}, Prior{1000, {as_many}}, Prior{1000, {1.0}},
        Prior{5000, {100.0, 3000}}, Prior{20'000, {1000.0, 2000}}}) {
    const UnitMasses units = units_by_standard(tried.k, tried.prior);
    const std::vector<double> even(tried.k, 1 / static_cast<double>(tried.k));
    for (const double epsilon : {0.3, 2.0, 6.0}) {
      if (tried.k >= 5000 && epsilon != 2) continue;
      const BestLocation best = best_location(units, even, epsilon, kMeanKl);
      const double rounded = std::stod(fmt::format("{:.3g}", best.location));
      const double found = typical_location(tried.k, epsilon, tried.prior);
      const std::string which = fmt::format(
          "k = {}, strength {}, records {}, epsilon {}: {}, and {} by the general search", tried.k,
          tried.prior.strength.value_or(0), tried.prior.records.value_or(0), epsilon, found,
          best.location);
      // A place that would round to 1 keeps all its digits.
      if (rounded >= 1) {
        EXPECT_NEAR(found, best.location, 1e-7) << which;
        continue;
      }
      EXPECT_EQ(found, rounded) << which;
      ++compared;
    }
  }
  EXPECT_GT(compared, 30);
}
#endif

// For point masses the least mean is the minimax band's, and typical finds it.
TEST(TypicalBand, IsTheMinimaxBandForPointMasses) {
  for (const std::size_t k : {2U, 10U, 1'000'000U, 1U << 24U}) {
    for (const double epsilon : {0.5, 2.0, 12.0}) {
      for (const DirichletPrior& prior :
           {DirichletPrior{.strength = 1, .records = 1}, DirichletPrior{.strength = 1e-300},
            DirichletPrior{.strength = 5e-324, .records = 20}}) {
        const double minimax = minimax_floor(k, epsilon);
        EXPECT_NEAR(typical_location(k, epsilon, prior), minimax, 0.51 * third_digit(minimax))
            << k << " " << epsilon;
      }
    }
  }
}

TEST(TypicalBand, IsBestAmongEvenBandsForItsPrior) {
  std::mt19937_64 random(15);
  const double epsilon = 1;
  const std::size_t k = 12;
  UnitMasses units(k);
  for (int unit = 0; unit < 2000; ++unit) {
    std::vector<double> weights(k);
    std::gamma_distribution<double> gamma(4.0 / 12);
    for (double& weight : weights) weight = gamma(random) + 1e-300;
    units.add(std::span<const double>(weights));
  }
  const double found = typical_location(k, epsilon, {.strength = 4});
  EXPECT_EQ(found, typical_location(k, epsilon, {.strength = 4}))
      << "it is public: no chance in it";
  // Other units of the prior: within what 2000 and 1024 of them differ by.
  const std::vector<double> even(k, 1.0 / static_cast<double>(k));
  const double mean = mean_kl_at(units, epsilon, found);
  EXPECT_LT(mean, best_location(units, even, epsilon, kMeanKl).mean + 1e-3);
  EXPECT_LT(mean, mean_kl_at(units, epsilon, relative_floor(epsilon)) + 1e-9);
  EXPECT_GT(mean_kl_at(units, epsilon, minimax_floor(k, epsilon)), mean);
}

// If a range of bands clips no unit, the one that is best for the worst data is taken.
TEST(TypicalBand, IsNearestToTheMinimaxBandWhereManyAreBest) {
  const double near_even = 1e9;
  for (const std::size_t k : {3U, 1000U, 1'000'000U}) {
    for (const double epsilon : {1.0, 4.0}) {
      const double minimax = minimax_floor(k, epsilon);
      const double found = typical_location(k, epsilon, {.strength = near_even * 1e9});
      EXPECT_NEAR(found, minimax, 1.01 * third_digit(minimax)) << k << " " << epsilon;
    }
  }
  const double found = typical_location(10, 20, {});
  EXPECT_NEAR(found, minimax_floor(10, 20), 0.51 * third_digit(found));
#ifdef __GLIBCXX__
  EXPECT_LT(mean_kl_at(units_by_standard(10, {}), 20, found), 1e-15);
#endif
}

// Other ways to make units begin at 2^18 outcomes, and at 2^25 records of all units. They are
// deterministic: other draws of the same prior.
TEST(TypicalBand, GoesOnWhereOtherWaysToDrawBegin) {
  const std::size_t most = std::size_t{1} << 18U;
  for (const DirichletPrior& prior :
       {DirichletPrior{}, DirichletPrior{.strength = 3}, DirichletPrior{.strength = 2000},
        DirichletPrior{.strength = 2500}, DirichletPrior{.strength = 30'000, .records = 1000},
        DirichletPrior{.strength = 1e6, .records = 200'000}}) {
    const double below = typical_location(most, 3, prior);
    const double above = typical_location(most + 1, 3, prior);
    EXPECT_NEAR(above, below, 2.01 * third_digit(below)) << prior.strength.value_or(0);
  }
  for (const double strength : {2.0, 1000.0}) {
    const double below = typical_location(1000, 3, {.strength = strength, .records = 32'768});
    const double above = typical_location(1000, 3, {.strength = strength, .records = 32'769});
    EXPECT_NEAR(above, below, 2.01 * third_digit(below)) << strength;
  }
}

// A watch that wants no answer any more is heard, whichever way units are made.
TEST(TypicalBand, CanBeStopped) {
  class Impatient final : public Watch {
   public:
    bool wants_stop() override {
      if (asked_) longest_ = std::max(longest_, std::chrono::steady_clock::now() - *asked_);
      asked_ = std::chrono::steady_clock::now();
      return ++asks_ == most_;
    }
    void reached(const std::string&, std::uint64_t, std::uint64_t) override {}
    explicit Impatient(int most) : most_(most) {}

    std::optional<std::chrono::steady_clock::time_point> asked_;
    std::chrono::steady_clock::duration longest_{};
    int asks_ = 0;
    int most_;
  };
  const std::size_t many = std::size_t{1} << 24U;
  for (const auto& [k, prior] : {std::pair<std::size_t, DirichletPrior>{1000, {}},
                                 {1000, {.strength = 30, .records = 1'000'000}},
                                 {100'000, {.strength = 30, .records = 100'000}},
                                 {many, {}},
                                 {many, {.strength = 30}},
                                 {many, {.strength = 30, .records = 100'000}},
                                 {many, {.strength = 1e6, .records = 1'000'000}}}) {
    Impatient patient(-1);
    {
      const Watching watching(patient);
      static_cast<void>(typical_location(k, 2, prior));
    }
    EXPECT_LT(patient.longest_, std::chrono::milliseconds(500)) << k;
    Impatient last(patient.asks_);
    const Watching watching(last);
    EXPECT_THROW(static_cast<void>(typical_location(k, 2, prior)), Stopped) << k;
  }
}

}  // namespace mollify
