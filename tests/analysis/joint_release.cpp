#include "analysis/joint_release.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "analysis/release_of.h"
#include "domain/column.h"
#include "refusal.h"
#include "sanitized.h"

namespace mollify::test {

namespace {

constexpr std::array<double, 2> kTruths{0, 1};

/// A group of an event: n records, each of the event with probability a P + r.
struct Group {
  std::uint64_t n;
  double kept;
  double replaced;
};

ConfidenceInterval joint_of(const std::vector<Group>& groups, const std::vector<double>& weights,
                            const std::vector<std::uint64_t>& counts, double alpha,
                            double bad = 0) {
  std::vector<std::array<double, 2>> replaced;
  std::vector<MixtureDraws> draws;
  replaced.reserve(groups.size());
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const auto n = static_cast<double>(groups[g].n);
    replaced.push_back({1 - groups[g].kept - groups[g].replaced, groups[g].replaced});
    draws.push_back(
        {n, weights[g], groups[g].kept, replaced.back(), static_cast<double>(counts[g]) / n});
  }
  return joint_interval(kTruths, draws, alpha, bad);
}

/// The law of the number of successes of independent trials.
std::vector<double> count_law(const std::vector<double>& probabilities) {
  std::vector<double> law{1};
  for (const double p : probabilities) {
    law.push_back(0);
    for (std::size_t s = law.size(); s-- > 0;) {
      law[s] = law[s] * (1 - p) + (s > 0 ? law[s - 1] * p : 0);
    }
  }
  return law;
}

// Two groups, every pair of counts: with what probability each end misses, exactly, for units and
// populations of all kinds. No randomness is in the counts.
TEST(JointInterval, HoldsForEveryPopulationExactly) {
  const std::vector<std::vector<Group>> all = {
      {{12, 0.46, 0.27}, {20, 0.9, 0.05}},  // randomized response of two outcomes
      {{30, 0.1, 0.09}, {8, 0.6, 0.04}},    // of ten
      {{25, 0.02, 0.01}, {15, 0.3, 0.7}},   // all replacing records show the event
  };
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> uniform;
  double most = 0;
  for (const std::vector<Group>& groups : all) {
    for (const double alpha : {0.1, 1e-3}) {
      for (const double first : {0.2, 0.5, 0.97}) {
        const std::vector<double> weights{first, 1 - first};
        std::vector<std::vector<ConfidenceInterval>> found(groups[0].n + 1);
        for (std::uint64_t s = 0; s <= groups[0].n; ++s) {
          for (std::uint64_t t = 0; t <= groups[1].n; ++t) {
            found[s].push_back(joint_of(groups, weights, {s, t}, alpha));
            ASSERT_LE(found[s][t].lower, found[s][t].upper);
          }
        }
        for (int repeat = 0; repeat < whole_or_sanitized(200, 5); ++repeat) {
          double theta = 0;
          std::vector<std::vector<double>> laws;
          for (std::size_t g = 0; g < 2; ++g) {
            const double share = std::pow(uniform(random), 1 + repeat % 3);
            double mean = 0;
            std::vector<double> probabilities;
            for (std::uint64_t unit = 0; unit < groups[g].n; ++unit) {
              // All alike, all of one answer, or of any distribution.
              const double p = repeat % 4 == 0   ? share
                               : repeat % 4 == 1 ? (uniform(random) < share ? 1 : 0)
                                                 : uniform(random) * share;
              mean += p / static_cast<double>(groups[g].n);
              probabilities.push_back(groups[g].kept * p + groups[g].replaced);
            }
            theta += weights[g] * mean;
            laws.push_back(count_law(probabilities));
          }
          double below = 0;
          double above = 0;
          for (std::uint64_t s = 0; s <= groups[0].n; ++s) {
            for (std::uint64_t t = 0; t <= groups[1].n; ++t) {
              const double mass = laws[0][s] * laws[1][t];
              // The mean of all units is a sum of rounded doubles.
              if (theta < found[s][t].lower - 1e-12) below += mass;
              if (theta > found[s][t].upper + 1e-12) above += mass;
            }
          }
          ASSERT_LE(below, alpha / 2 * (1 + 1e-9));
          ASSERT_LE(above, alpha / 2 * (1 + 1e-9));
          most = std::max(most, std::max(below, above) / (alpha / 2));
        }
      }
    }
  }
  std::printf("an end misses with %.3f of its part of alpha at most\n", most);
  EXPECT_GT(most, 0.1);
}

// An attacker replaces three records after all were seen, so that an end misses if it can: it misses as
// seldom, exactly.
TEST(JointInterval, HoldsIfRecordsWereReplaced) {
  constexpr std::uint64_t kBad = 3;
  constexpr double kAlpha = 0.1;
  const std::vector<Group> groups{{12, 0.46, 0.27}, {20, 0.9, 0.05}};
  for (const double first : {0.3, 0.9}) {
    const std::vector<double> weights{first, 1 - first};
    std::vector<std::vector<ConfidenceInterval>> found(13, std::vector<ConfidenceInterval>(21));
    for (std::uint64_t s = 0; s <= 12; ++s) {
      for (std::uint64_t t = 0; t <= 20; ++t) {
        found[s][t] = joint_of(groups, weights, {s, t}, kAlpha, static_cast<double>(kBad));
      }
    }
    // Of each pair of counts the furthest that the bad records take an end.
    auto worst = found;
    for (std::uint64_t s = 0; s <= 12; ++s) {
      for (std::uint64_t t = 0; t <= 20; ++t) {
        for (std::uint64_t of_first = 0; of_first <= kBad; ++of_first) {
          const std::uint64_t of_second = kBad - of_first;
          const auto& up = found[std::min<std::uint64_t>(12, s + of_first)]
                                [std::min<std::uint64_t>(20, t + of_second)];
          const auto& down = found[s - std::min(s, of_first)][t - std::min(t, of_second)];
          worst[s][t].lower = std::max(worst[s][t].lower, up.lower);
          worst[s][t].upper = std::min(worst[s][t].upper, down.upper);
        }
      }
    }
    for (int step = 0; step <= 100; ++step) {
      const double share = step / 100.0;
      std::vector<std::vector<double>> laws;
      for (const Group& group : groups) {
        laws.push_back(
            count_law(std::vector<double>(group.n, group.kept * share + group.replaced)));
      }
      double below = 0;
      double above = 0;
      for (std::uint64_t s = 0; s <= 12; ++s) {
        for (std::uint64_t t = 0; t <= 20; ++t) {
          if (share < worst[s][t].lower) below += laws[0][s] * laws[1][t];
          if (share > worst[s][t].upper) above += laws[0][s] * laws[1][t];
        }
      }
      ASSERT_LE(below, kAlpha / 2 * (1 + 1e-9)) << share;
      ASSERT_LE(above, kAlpha / 2 * (1 + 1e-9)) << share;
    }
  }
}

// The Gaussian interval promises nothing, and is this much shorter.
TEST(JointInterval, IsNearlyAsNarrowAsAGaussianOne) {
  const std::vector<Group> groups{{400'000, 0.147, 0.0853}, {100'000, 0.656, 0.0344}};
  const std::vector<double> weights{0.166, 0.834};
  for (const auto& [alpha, normal, most] :
       {std::tuple{0.05, 1.95996, 1.45}, std::tuple{5e-8, 5.45131, 1.15}}) {
    const double share = 0.1;
    double variance = 0;
    std::vector<std::uint64_t> counts;
    for (std::size_t g = 0; g < 2; ++g) {
      const auto n = static_cast<double>(groups[g].n);
      const double q = groups[g].replaced + groups[g].kept * share;
      counts.push_back(static_cast<std::uint64_t>(n * q));
      variance += std::pow(weights[g] / groups[g].kept, 2) * q * (1 - q) / n;
    }
    const ConfidenceInterval found = joint_of(groups, weights, counts, alpha);
    const double ratio = (found.upper - found.lower) / (2 * normal * std::sqrt(variance));
    std::printf("alpha %g: %.3f times as wide as a Gaussian interval\n", alpha, ratio);
    EXPECT_GT(ratio, 1);
    EXPECT_LT(ratio, most);
  }
}

// -----------------------------------------------------------------------------------------------
// Releases.

constexpr const char* kJointDomain =
    "columns:\n"
    "  sex: {type: categorical, values: [f, m, x], null: category}\n"
    "  age: {type: integer, min: 0, max: 79, bins: 4, null: 0}\n";
constexpr const char* kOtherOrder =
    "columns:\n"
    "  age: {type: integer, min: 0, max: 79, bins: 4, null: 0}\n"
    "  sex: {type: categorical, values: [x, f, m], null: category}\n";

std::string joint_spec(const std::string& mechanism, const std::string& privacy) {
  return R"({"method": "local", "unit": "u", "count": 1, "mechanism": ")" + mechanism +
         R"(", "privacy": )" + privacy + "}";
}

ReleasedLaw joint_law(const std::string& spec, const std::string& text) {
  const Domain domain = parse_domain(text, "domain.yaml");
  return {certificate_of(spec, GivenInputs(domain), text), "c.json", domain};
}

/// n draws from masses that sum to one.
Empirical draws_of(const std::vector<double>& q, std::uint64_t n, std::mt19937_64& random) {
  std::vector<std::uint64_t> counts(q.size());
  std::discrete_distribution<std::size_t> law(q.begin(), q.end());
  for (std::uint64_t i = 0; i < n; ++i) ++counts[law(random)];
  Tally<std::uint32_t>::Counts made;
  for (std::size_t j = 0; j < q.size(); ++j) {
    if (counts[j] == 0) continue;
    made.keys.push_back(static_cast<std::uint32_t>(j));
    made.counts.push_back(counts[j]);
  }
  return Empirical(std::move(made));
}

std::vector<double> of_some_shape(std::size_t k, std::size_t step) {
  std::vector<double> p(k);
  for (std::size_t j = 0; j < k; ++j) p[j] = 1 / (1.0 + static_cast<double>((j * step) % k));
  const double sum = std::accumulate(p.begin(), p.end(), 0.0);
  for (double& mass : p) mass /= sum;
  return p;
}

/// Whether all intervals of an estimate hold for a distribution over the domain's outcomes.
bool all_joint_hold(const Domain& domain, const PopulationEstimate& found,
                    const std::vector<double>& p) {
  const auto holds = [](const EstimatedValue& value, double truth) {
    return value.interval.lower <= truth && truth <= value.interval.upper;
  };
  for (std::size_t i = 0; i < domain.columns().size(); ++i) {
    std::vector<double> shares(domain.columns()[i].size());
    for (std::uint32_t j = 0; j < p.size(); ++j) shares[domain.digit(j, i)] += p[j];
    for (std::size_t cell = 0; cell < shares.size(); ++cell) {
      if (!holds(found.marginals[i].cells[cell], shares[cell])) return false;
    }
  }
  double least = 0;
  double greatest = 0;
  for (std::uint32_t j = 0; j < p.size(); ++j) {
    if (!holds(found.outcomes.cells[j], p[j])) return false;
    least += p[j] * 20 * domain.digit(j, 1);
    greatest += p[j] * (20 * domain.digit(j, 1) + 19);
  }
  return holds(found.means[0].mean, least) && holds(found.means[0].mean, greatest);
}

// 600 repeats: 136 misses have probability 4.4e-7 if each has 1 - 0.85, and less if it has less.
TEST(JointEstimate, HoldsWithItsConfidence) {
  const ReleasedLaw small =
      joint_law(joint_spec("randomized-response", R"({"epsilon": 1})"), kJointDomain);
  const ReleasedLaw large =
      joint_law(joint_spec("randomized-response", R"({"epsilon": 3})"), kJointDomain);
  const ReleasedLaw curve = joint_law(joint_spec("gaussian-curve", R"({"mu": 1.5})"), kJointDomain);
  const std::uint64_t repeats = whole_or_sanitized<std::uint64_t>(600, 20);
  const Domain& domain = small.domain();
  const std::size_t k = domain.size();
  struct Together {
    std::vector<std::pair<const ReleasedLaw*, std::uint64_t>> releases;
    bool is_one_population;
    Weighting weighting;
  };
  std::mt19937_64 random(3);
  for (const Together& tried :
       {Together{{{&small, 3000}, {&large, 700}}, true, Weighting::kPrecision},
        Together{{{&small, 300}, {&large, 900}}, false, Weighting::kPrecision},
        Together{{{&small, 1500}, {&curve, 800}, {&large, 50}}, false, Weighting::kReports}}) {
    std::uint64_t missed = 0;
    double greatest = 0;
    for (std::uint64_t repeat = 0; repeat < repeats; ++repeat) {
      std::vector<Empirical> records;
      records.reserve(tried.releases.size());
      std::vector<CountedRelease> releases;
      std::vector<std::vector<double>> populations;
      for (std::size_t g = 0; g < tried.releases.size(); ++g) {
        const auto& [law, n] = tried.releases[g];
        populations.push_back(of_some_shape(k, tried.is_one_population ? 7 : 7 + 4 * g));
        records.push_back(draws_of(law->linear()->released(populations.back()), n, random));
        releases.push_back({law, &records.back(), "r.csv"});
      }
      const PopulationEstimate found =
          estimate_population(releases, {.confidence = 0.85, .weighting = tried.weighting});
      std::vector<double> p(k);
      double all = 0;
      for (std::size_t g = 0; g < releases.size(); ++g) {
        const double weight = found.releases[g].weight;
        for (std::size_t j = 0; j < k; ++j) p[j] += weight * populations[g][j];
        all += weight;
      }
      ASSERT_NEAR(all, 1, 1e-12);
      if (!all_joint_hold(domain, found, p)) ++missed;
      for (std::size_t j = 0; j < k; ++j) {
        const EstimatedValue& value = found.outcomes.cells[j];
        greatest = std::max(greatest, std::abs(*value.value - p[j]) / *value.standard_error);
      }
    }
    std::printf("%zu releases: missed %llu of %llu\n", tried.releases.size(),
                static_cast<unsigned long long>(missed), static_cast<unsigned long long>(repeats));
    EXPECT_LT(missed, whole_or_sanitized<std::uint64_t>(136, 14));
    EXPECT_LT(greatest, 8);  // of 600 times 16 outcomes
  }
}

// Weights are public, and follow the variance: both releases together are more exact than each.
TEST(JointEstimate, WeighsByPublicVariances) {
  const ReleasedLaw small =
      joint_law(joint_spec("randomized-response", R"({"epsilon": 1})"), kJointDomain);
  const ReleasedLaw large =
      joint_law(joint_spec("randomized-response", R"({"epsilon": 3})"), kJointDomain);
  const std::size_t k = small.domain().size();
  std::mt19937_64 random(4);
  const std::vector<double> p = of_some_shape(k, 7);
  const Empirical of_small = draws_of(small.linear()->released(p), 40'000, random);
  const Empirical of_large = draws_of(large.linear()->released(p), 2'000, random);
  const std::vector<CountedRelease> both{{&small, &of_small, "a.csv"},
                                         {&large, &of_large, "b.csv"}};
  const PopulationEstimate found = estimate_population(both, {});
  // Of randomized response 1 - sum q^2 is 1 - 1/k at equal shares.
  const double a = small.linear()->kept();
  const double b = large.linear()->kept();
  const double first = 40'000 * a * a / (40'000 * a * a + 2'000 * b * b);
  EXPECT_NEAR(found.releases[0].weight, first, 1e-9);
  EXPECT_NEAR(found.releases[1].weight, 1 - first, 1e-9);
  EXPECT_EQ(found.records, 42'000U);
  const auto error_of = [&](const PopulationEstimate& one) {
    double sum = 0;
    for (const EstimatedValue& cell : one.outcomes.cells) {
      sum += *cell.standard_error * *cell.standard_error;
    }
    return std::sqrt(sum);
  };
  const auto width_of = [&](const PopulationEstimate& one) {
    double sum = 0;
    for (const EstimatedValue& cell : one.outcomes.cells) {
      sum += cell.interval.upper - cell.interval.lower;
    }
    return sum;
  };
  const PopulationEstimate one = estimate_population(small, of_small, {}, "a.csv");
  const PopulationEstimate two = estimate_population(large, of_large, {}, "b.csv");
  const PopulationEstimate counted = estimate_population(both, {.weighting = Weighting::kReports});
  std::printf("standard error %.4f and %.4f alone, %.4f together, %.4f by reports\n", error_of(one),
              error_of(two), error_of(found), error_of(counted));
  EXPECT_LT(error_of(found), 0.8 * std::min(error_of(one), error_of(two)));
  EXPECT_LT(width_of(found), std::min(width_of(one), width_of(two)));
  EXPECT_NEAR(counted.releases[0].weight, 40.0 / 42, 1e-12);
  // Of the same counts with another population behind them, the weights are the same.
  const Empirical others = draws_of(small.linear()->released(of_some_shape(k, 11)), 40'000, random);
  EXPECT_EQ(
      estimate_population(std::vector<CountedRelease>{{&small, &others, "a.csv"}, both[1]}, {})
          .releases[0]
          .weight,
      found.releases[0].weight);
}

// Releases of one law are one release, whatever file a record is in.
TEST(JointEstimate, CountsReleasesOfOneLawAsOne) {
  for (const char* mechanism : {"randomized-response", "minimax"}) {
    const ReleasedLaw law = joint_law(joint_spec(mechanism, R"({"epsilon": 2})"), kJointDomain);
    const Empirical one({{0, 2, 5}, {40, 7, 3}});
    const Empirical two({{2, 6}, {10, 20}});
    const Empirical both({{0, 2, 5, 6}, {40, 17, 3, 20}});
    const std::vector<CountedRelease> releases{{&law, &one, "a.csv"}, {&law, &two, "b.csv"}};
    if (!law.linear()) {
      // Nothing says that two bands are one.
      EXPECT_NE(refusal_of([&] {
                  static_cast<void>(estimate_population(releases, {}));
                }).find("minimax: estimate from it alone"),
                std::string::npos);
      continue;
    }
    const auto json = [](const PopulationEstimate& found) {
      Json facts = estimate_answer(found, {}).json;
      facts.erase("releases");
      return facts;
    };
    EXPECT_EQ(json(estimate_population(releases, {})),
              json(estimate_population(law, both, {}, "r.csv")));
  }
}

// Columns and words may come in another order; each outcome is found by what it means.
TEST(JointEstimate, MatchesColumnsAndWordsByName) {
  const ReleasedLaw law =
      joint_law(joint_spec("randomized-response", R"({"epsilon": 2})"), kJointDomain);
  const ReleasedLaw other =
      joint_law(joint_spec("randomized-response", R"({"epsilon": 2})"), kOtherOrder);
  Tally<std::uint32_t>::Counts of_law;
  Tally<std::uint32_t>::Counts of_other;
  const auto counted = [](std::uint32_t sex, std::uint32_t age) { return 1 + 7 * sex + 3 * age; };
  for (std::uint32_t j = 0; j < law.domain().size(); ++j) {
    of_law.keys.push_back(j);
    of_law.counts.push_back(2 * counted(law.domain().digit(j, 0), law.domain().digit(j, 1)));
    constexpr std::uint32_t kSexes[] = {2, 0, 1, 3};  // x, f, m and null
    of_other.keys.push_back(j);
    of_other.counts.push_back(
        counted(kSexes[other.domain().digit(j, 1)], other.domain().digit(j, 0)));
  }
  const Empirical two(std::move(of_law));
  const Empirical one(std::move(of_other));
  const std::vector<CountedRelease> releases{{&law, &two, "a.csv"}, {&other, &one, "b.csv"}};
  const PopulationEstimate found = estimate_population(releases, {});
  const PopulationEstimate alone = estimate_population(law, two, {}, "a.csv");
  ASSERT_EQ(found.outcomes.cells.size(), alone.outcomes.cells.size());
  for (std::size_t j = 0; j < alone.outcomes.cells.size(); ++j) {
    EXPECT_EQ(found.outcomes.cells[j].name, alone.outcomes.cells[j].name);
    EXPECT_NEAR(*found.outcomes.cells[j].value, *alone.outcomes.cells[j].value, 1e-12);
  }
}

TEST(JointEstimate, RefusesWhatIsNotOneQuestion) {
  const ReleasedLaw law =
      joint_law(joint_spec("randomized-response", R"({"epsilon": 2})"), kJointDomain);
  const Empirical records({{0}, {5}});
  const auto refused = [&](const ReleasedLaw& other, const EstimateRequest& request) {
    return refusal_of([&] {
      static_cast<void>(estimate_population(
          std::vector<CountedRelease>{{&law, &records, "a.csv"}, {&other, &records, "b.csv"}},
          request));
    });
  };
  const auto of_domain = [&](const std::string& text) {
    return refused(joint_law(joint_spec("randomized-response", R"({"epsilon": 1})"), text), {});
  };
  const std::string same =
      "a.csv and b.csv must be releases of the same columns with the same "
      "values, but ";
  EXPECT_EQ(of_domain("columns:\n  sex: {type: boolean, null: false}\n"),
            same + "they have 2 and 1 columns: estimate from each alone");
  std::string text = kJointDomain;
  EXPECT_EQ(of_domain(text.replace(text.find("age"), 3, "old")),
            same + "b.csv lacks \"age\": estimate from each alone");
  text = kJointDomain;
  EXPECT_EQ(of_domain(text.replace(text.find("bins: 4"), 7, "bins: 8")),
            same + "column \"age\" is declared otherwise: estimate from each alone");
  text = kJointDomain;
  EXPECT_EQ(of_domain(text.replace(text.find("x]"), 2, "y]")),
            same + "column \"sex\" is declared otherwise: estimate from each alone");
  const ReleasedLaw band = joint_law(joint_spec("minimax", R"({"epsilon": 2})"), kJointDomain);
  EXPECT_EQ(refused(band, {}),
            "several releases are estimated from together if each is by randomized-response, "
            "mixture, gaussian-curve or a shuffled mechanism, but one is by minimax: estimate from "
            "it alone");
  const ReleasedLaw small =
      joint_law(joint_spec("randomized-response", R"({"epsilon": 1})"), kJointDomain);
  EXPECT_EQ(refused(small, {.method = EstimateMethod::kMaximumLikelihood}),
            "--method maximum-likelihood is for records of one mechanism and budget, but these are "
            "of 2: use simplex, or leave out --method");
}

}  // namespace

}  // namespace mollify::test
