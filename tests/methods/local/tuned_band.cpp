// The best band: proven by the dual, by brute force, by closed forms and by the kernel's own
// tables.
#include "methods/local/tuned_band.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include <gtest/gtest.h>

#include "kernel/search.h"
#include "methods/divergence/f_divergence.h"
#include "methods/divergence/worst_case_risk.h"
#include "methods/local/bands.h"

namespace mollify {

namespace {

constexpr BandDivergence kKl = BandDivergence::kKullbackLeibler;

/// Units whose distributions are drawn from a Dirichlet prior about `popularity`, and shown by this
/// many records; 0: known.
UnitMasses dirichlet_units(std::vector<double> popularity, double strength, int records, int units,
                           std::mt19937_64& random) {
  const double sum = std::accumulate(popularity.begin(), popularity.end(), 0.0);
  UnitMasses made(popularity.size());
  for (int unit = 0; unit < units; ++unit) {
    std::vector<double> weights;
    for (const double mass : popularity) {
      weights.push_back(std::gamma_distribution<double>(strength * mass / sum)(random) + 1e-300);
    }
    if (records == 0) {
      made.add(std::span<const double>(weights));
      continue;
    }
    std::discrete_distribution<std::size_t> record(weights.begin(), weights.end());
    std::vector<double> counts(weights.size());
    for (int i = 0; i < records; ++i) ++counts[record(random)];
    made.add(std::span<const double>(counts));
  }
  return made;
}

std::vector<double> one_by_rank(std::size_t k) {
  std::vector<double> popularity;
  for (std::size_t i = 0; i < k; ++i) popularity.push_back(1 / (1.0 + static_cast<double>(i)));
  return popularity;
}

/// The standard deviation of a unit's KL from its law in a band.
double deviation_over_units(const UnitMasses& units, std::span<const double> lower, double e) {
  double sum = 0;
  double squares = 0;
  for (std::size_t u = 0; u < units.size(); ++u) {
    const UnitMasses::Unit unit = units[u];
    std::vector<double> masses(lower.size());
    for (std::size_t i = 0; i < unit.outcomes.size(); ++i) {
      masses[unit.outcomes[i]] = unit.masses[i];
    }
    UnitMasses alone(lower.size());
    alone.add(std::span<const double>(masses));
    const double kl = BandObjective(alone, e, kKl).value(lower);
    sum += kl;
    squares += kl * kl;
  }
  const auto n = static_cast<double>(units.size());
  return std::sqrt(squares / n - sum * sum / (n * n));
}

// 30 applications with popularity 1/rank, Dirichlet of strength 6, 32 records a unit, epsilon 2,
// 400 units. The figures come from an independent implementation on 400 other units, so that two of
// them differ by less than 4.9 standard errors of a difference but once in 10^6.
TEST(BestBand, HasTheExamplesFigures) {
  std::mt19937_64 random(11);
  const UnitMasses units = dirichlet_units(one_by_rank(30), 6, 32, 400, random);
  const BandContest found = band_contest(units, 2, kKl);
  std::printf(
      "limit %.4f, minimax %.4f, uniform %.4f, from units %.4f, best %.4f, held out %.4f "
      "(%.4f written, share %.2f)\n",
      found.best.limit_down, found.minimax, found.even.mean, found.from_units.mean, found.best.mean,
      *found.best_held_out, *found.written_held_out, found.share);
  const double e = std::exp(2.0);
  const auto near = [&](double kl, double theirs, std::vector<double> lower, const char* what) {
    const double error = deviation_over_units(units, lower, e) * std::sqrt(2.0 / 400);
    std::printf("%s: %.4f, theirs %.4f, standard error of the difference %.4f\n", what, kl, theirs,
                error);
    EXPECT_NEAR(kl, theirs, 4.9 * error) << what;
  };
  near(found.best.limit_down, 0.3877, found.best.lower, "limit");
  near(found.minimax, 1.003, std::vector<double>(30, 1 / (e + 29)), "minimax");
  near(found.even.mean, 0.636, std::vector<double>(30, found.even.location / 30), "uniform");
  near(found.from_units.mean, 0.421, found.best.lower, "from the units");
  near(*found.best_held_out, 0.4095, found.best.lower, "held out");
  EXPECT_LT(found.best.mean - found.best.limit_down, 1e-6);
  // In the order that theory demands, whatever the units.
  EXPECT_LT(found.best.mean, found.from_units.mean);
  EXPECT_LT(found.from_units.mean, found.even.mean);
  EXPECT_LT(found.even.mean, found.minimax);
  EXPECT_LT(found.best.mean, *found.best_held_out);
  EXPECT_LE(*found.written_held_out, *found.best_held_out);
}

// Whatever the units and the divergence: the gap is proven, and no other band is below the limit.
TEST(BestBand, IsWithinItsGapAndNoBandBeatsTheLimit) {
  std::mt19937_64 random(12);
  struct Tried {
    std::size_t k;
    double strength;
    int records;
    int units;
    double epsilon;
  };
  for (const Tried& tried :
       {Tried{2, 2, 3, 20, 1}, Tried{3, 3, 1, 50, 1}, Tried{12, 5, 40, 160, 2},
        Tried{30, 6, 1, 200, 2}, Tried{30, 30, 0, 100, 0.1}, Tried{30, 6, 32, 50, 8},
        Tried{120, 6, 32, 200, 2}, Tried{600, 6, 32, 200, 2}}) {
    const UnitMasses units =
        dirichlet_units(one_by_rank(tried.k), tried.strength, tried.records, tried.units, random);
    for (const auto& [divergence, name] : names<BandDivergence>()) {
      const BestBand best = best_band(units, tried.epsilon, divergence);
      std::printf("k=%zu epsilon=%g %s: %.7f, gap %.1e\n", tried.k, tried.epsilon, name.data(),
                  best.mean, best.mean - best.limit_down);
      EXPECT_LT(best.mean - best.limit_down, 1e-6) << tried.k << " " << name;
      const double e = std::exp(tried.epsilon);
      const BandObjective objective(units, e, divergence);
      EXPECT_DOUBLE_EQ(objective.value(best.lower), best.mean);
      std::exponential_distribution<double> exponential;
      for (int other = 0; other < 50; ++other) {
        std::vector<double> lower = best.lower;
        const double spread = std::pow(10, -(other % 7));
        for (double& bound : lower) bound *= 1 + spread * (exponential(random) - 1);
        EXPECT_GE(objective.value(lower), best.limit_down) << name;
      }
    }
  }
}

// V of one unit is the divergence of its law as the library's other rooms have both, and no law in
// the band is nearer.
TEST(BandObjective, IsTheLeastDivergenceInTheBand) {
  std::mt19937_64 random(17);
  std::uniform_real_distribution<double> uniform;
  for (int trial = 0; trial < 40; ++trial) {
    const auto k = static_cast<std::size_t>(2 + trial % 4);
    const double e = std::exp(0.2 + 3 * uniform(random));
    const UnitMasses unit = dirichlet_units(one_by_rank(k), 2, trial % 3 == 0 ? 2 : 0, 1, random);
    std::vector<double> p(k);
    for (std::size_t i = 0; i < unit[0].outcomes.size(); ++i) {
      p[unit[0].outcomes[i]] = unit[0].masses[i];
    }
    std::vector<double> lower(k);
    std::vector<double> upper(k);
    double sum = 0;
    for (double& bound : lower) sum += bound = 0.05 + uniform(random);
    const double location = 1 / e + (1 - 1 / e) * (0.01 + 0.98 * uniform(random));
    for (std::size_t i = 0; i < k; ++i) upper[i] = e * (lower[i] *= location / sum);
    const std::vector<double> law = project_on_band(p, lower, upper).law;
    for (const DivergenceName& name : kDivergenceNames) {
      const auto divergence = named<BandDivergence>(name.key);
      ASSERT_TRUE(divergence) << name.key;
      const double value = BandObjective(unit, e, *divergence).value(lower);
      EXPECT_NEAR(value, divergence_report(p, law).*name.value, 1e-10) << name.key;
      for (int other = 0; other < 100; ++other) {
        // Between the law and some other law of the band.
        std::vector<double> weights(k);
        for (double& weight : weights) weight = std::pow(uniform(random), 3);
        const std::vector<double> far = project_on_band(weights, lower, upper).law;
        std::vector<double> q(k);
        const double share = uniform(random);
        for (std::size_t i = 0; i < k; ++i) q[i] = (1 - share) * law[i] + share * far[i];
        EXPECT_GE(divergence_report(p, q).*name.value, value - 1e-12) << name.key;
      }
    }
  }
}

// All lower bounds on a grid, for two and three outcomes, and a finer grid about its least.
TEST(BestBand, IsTheLeastOfAGrid) {
  std::mt19937_64 random(13);
  for (const std::size_t k : {2U, 3U}) {
    for (const double epsilon : {0.5, 2.0}) {
      const UnitMasses units = dirichlet_units(one_by_rank(k), 2, 5, 30, random);
      for (const auto& [divergence, name] : names<BandDivergence>()) {
        const BandObjective objective(units, std::exp(epsilon), divergence);
        const BestBand best = best_band(units, epsilon, divergence);
        std::vector<double> centre(k, 0.5);
        double width = 1;
        double least = 1e300;
        for (int level = 0; level < 4; ++level) {
          const int steps = k == 2 ? 40 : 16;
          std::vector<double> nearest = centre;
          for (int point = 0; point < (k == 2 ? steps * steps : steps * steps * steps); ++point) {
            std::vector<double> lower = centre;
            int rest = point;
            for (double& bound : lower) {
              bound += width * ((rest % steps + 0.5) / steps - 0.5);
              rest /= steps;
            }
            if (*std::min_element(lower.begin(), lower.end()) <= 0) continue;
            const double value = objective.value(lower);
            if (value >= least) continue;
            least = value;
            nearest = lower;
          }
          centre = nearest;
          width /= k == 2 ? 8 : 4;
        }
        std::printf("k=%zu epsilon=%.1f %s: grid %.7f, found %.7f, limit %.7f\n", k, epsilon,
                    name.data(), least, best.mean, best.limit_down);
        EXPECT_GE(least, best.limit_down);
        EXPECT_LE(best.mean, least + 1e-7);  // the gap that ends the search
        EXPECT_NEAR(least, best.mean, 1e-3);
      }
    }
  }
}

// Units in every order of the outcomes: the best is even, wherever the search begins.
TEST(BestBand, IsEvenForExchangeableUnits) {
  std::mt19937_64 random(14);
  const double epsilon = 1;
  UnitMasses units(4);
  for (int unit = 0; unit < 6; ++unit) {
    std::vector<double> p(4);
    for (double& mass : p) mass = std::pow(std::uniform_real_distribution<double>()(random), 3);
    std::sort(p.begin(), p.end());
    do {
      units.add(std::span<const double>(p));
    } while (std::next_permutation(p.begin(), p.end()));
  }
  const std::vector<double> even(4, 0.25);
  const BestLocation location = best_location(units, even, epsilon, kKl);
  for (int start = 0; start < 10; ++start) {
    std::vector<double> lower(4);
    double sum = 0;
    for (double& bound : lower)
      sum += bound = std::pow(10, -3 * std::uniform_real_distribution<double>()(random));
    const double b = 0.4 + 0.05 * start;
    for (double& bound : lower) bound *= b / sum;
    const BestBand best = best_band(units, epsilon, kKl, lower);
    EXPECT_LT(best.mean - best.limit_down, 1e-6) << start;
    EXPECT_NEAR(best.mean, location.mean, 1e-6) << start;
  }
}

// What V says is what the kernel's integers do.
TEST(BandObjective, IsTheKernelsOwn) {
  std::mt19937_64 random(16);
  const UnitMasses units = dirichlet_units(one_by_rank(20), 3, 10, 40, random);
  const BestBand best = best_band(units, 1.5, kKl);
  const double sum = std::accumulate(best.lower.begin(), best.lower.end(), 0.0);
  const Band band =
      make_band({.outcome_count = 20, .reference = best.lower, .floor = sum, .epsilon = 1.5});
  double mean = 0;
  for (std::size_t u = 0; u < units.size(); ++u) {
    std::vector<double> p(20);
    for (std::size_t i = 0; i < units[u].outcomes.size(); ++i) {
      p[units[u].outcomes[i]] = units[u].masses[i];
    }
    const Table table = projected(band, p);
    for (std::size_t i = 0; i < p.size(); ++i) {
      if (p[i] == 0) continue;
      mean += p[i] *
              std::log(p[i] / static_cast<double>(table.numerators()[i]) *
                       static_cast<double>(band.total())) /
              static_cast<double>(units.size());
    }
  }
  EXPECT_NEAR(mean, best.mean, 1e-9);
}

TEST(UnitMasses, LeaveOutWhatHasNoWeight) {
  UnitMasses units(3);
  units.add(std::vector<float>{0, std::nanf(""), -1});
  EXPECT_EQ(units.size(), 0U);
  units.add(std::vector<float>{1, 0, 3});
  ASSERT_EQ(units.size(), 1U);
  EXPECT_EQ(units[0].outcomes[1], 2U);
  EXPECT_EQ(units[0].masses[1], 0.75);
}

}  // namespace

}  // namespace mollify
