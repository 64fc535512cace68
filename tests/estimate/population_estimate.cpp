// Estimates of populations that are known: how often all intervals hold together.
#include "estimate/population_estimate.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "estimate/estimate_json.h"
#include "estimate/release_of.h"
#include "local/frequency_oracle.h"
#include "refusal.h"
#include "sanitized.h"

namespace mollify::test {
namespace {

constexpr const char* kTwelve =
    "columns:\n"
    "  sex: {type: categorical, values: [f, m], null: category}\n"
    "  age: {type: integer, min: 0, max: 79, bins: 4}\n";
constexpr const char* kWithNulls =
    "columns:\n"
    "  size: {type: integer, min: 1, max: 3, null: category}\n"
    "  glad: {type: boolean}\n";
constexpr const char* kGrid = "columns:\n  weight: {type: number, min: 0, max: 10}\n";

/// A single column of k words.
std::string words(std::size_t k) {
  std::string text = "columns:\n  word: {type: categorical, values: [";
  for (std::size_t j = 0; j < k; ++j) text += (j > 0 ? ", w" : "w") + std::to_string(j);
  return text + "]}\n";
}

std::vector<double> skewed(std::size_t k) {
  std::vector<double> p(k);
  double sum = 0;
  for (std::size_t j = 0; j < k; ++j) sum += p[j] = 1 / (1.0 + static_cast<double>((j * 7) % k));
  for (double& mass : p) mass /= sum;
  return p;
}

/// n draws, counted, from masses that sum to one.
Empirical counted_draws(const std::vector<double>& q, std::uint64_t n, std::mt19937_64& random) {
  Tally<std::uint32_t>::Counts counts;
  double rest = 1;
  for (std::size_t j = 0; j < q.size() && n > 0; ++j) {
    const double share = j + 1 == q.size() ? 1 : std::clamp(q[j] / rest, 0.0, 1.0);
    const auto count = static_cast<std::uint64_t>(
        std::binomial_distribution<std::int64_t>(static_cast<std::int64_t>(n), share)(random));
    rest -= q[j];
    n -= count;
    if (count == 0) continue;
    counts.keys.push_back(static_cast<std::uint32_t>(j));
    counts.counts.push_back(count);
  }
  return Empirical(std::move(counts));
}

/// The probability of each cell of a table under p.
std::vector<double> truths(const Domain& domain, const EstimatedTable& table,
                           const std::vector<double>& p) {
  std::vector<std::size_t> columns;
  for (const std::string& name : table.columns) {
    const auto names = domain.names();
    columns.push_back(
        static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin()));
  }
  std::vector<double> cells(table.cells.size());
  for (std::uint32_t outcome = 0; outcome < domain.size(); ++outcome) {
    std::size_t cell = 0;
    for (const std::size_t i : columns) {
      cell = cell * domain.columns()[i].size() + domain.digit(outcome, i);
    }
    cells[cell] += p[outcome];
  }
  return cells;
}

bool holds(const ConfidenceInterval& interval, double truth) {
  return interval.lower <= truth + 1e-12 && truth <= interval.upper + 1e-12;
}

bool all_hold(const Domain& domain, const PopulationEstimate& found, const std::vector<double>& p,
              const std::vector<double>& means) {
  const auto table_holds = [&](const EstimatedTable& table) {
    const std::vector<double> truth = truths(domain, table, p);
    for (std::size_t cell = 0; cell < truth.size(); ++cell) {
      if (!holds(table.cells[cell].interval, truth[cell])) return false;
    }
    return true;
  };
  if (!table_holds(found.outcomes)) return false;
  if (!std::all_of(found.marginals.begin(), found.marginals.end(), table_holds)) return false;
  if (!std::all_of(found.pairs.begin(), found.pairs.end(), table_holds)) return false;
  for (std::size_t i = 0; i < means.size(); ++i) {
    if (!holds(found.means[i].mean.interval, means[i])) return false;
  }
  return true;
}

/// The least number that a count of `trials` events of probability `p` reaches with probability at
/// most 1e-6.
std::uint64_t critical_count(std::uint64_t trials, double p) {
  const auto n = static_cast<double>(trials);
  double tail = 0;
  for (std::uint64_t count = trials; count > 0; --count) {
    const auto s = static_cast<double>(count);
    tail += std::exp(std::lgamma(n + 1) - std::lgamma(s + 1) - std::lgamma(n - s + 1) +
                     s * std::log(p) + (n - s) * std::log1p(-p));
    if (tail > 1e-6) return count + 1;
  }
  return 1;
}

struct Case {
  const char* name;
  std::string spec;  // model and count as they need be
  std::string domain;
  std::uint64_t draws;
  std::optional<std::uint64_t> records{};
};

std::string local(const std::string& method, int count = 1) {
  return R"({"model": "local", "unit": "u", "count": )" + std::to_string(count) + ", " + method +
         "}";
}

// 10^4 repeats a cell: 1 - confidence is missed no more often than it says.
TEST(PopulationEstimate, HoldsWithItsConfidence) {
  const std::string rr = R"("mechanism": "randomized-response", "privacy": {"epsilon": 2})";
  const std::string referenced =
      R"("mechanism": "%", "reference": {"file": "r"}, "privacy": {"epsilon": 2})";
  const auto with = [&](const char* mechanism) {
    std::string text = referenced;
    return text.replace(text.find('%'), 1, mechanism);
  };
  const std::string mu = R"("mechanism": "gaussian-curve", "privacy": {"mu": 1.5})";
  const std::vector<Case> cases = {
      {"randomized-response k=2", local(rr), words(2), 40},
      {"randomized-response k=12", local(rr), kTwelve, 200},
      {"randomized-response k=30", local(rr), words(30), 5000},
      {"randomized-response, nulls", local(rr), kWithNulls, 3000},
      {"randomized-response, three draws", local(rr, 3), words(6), 300},
      {"mixture k=12", local(with("mixture")), kTwelve, 1000},
      {"public-kernel k=12", local(with("public-kernel")), kTwelve, 1000},
      {"public-kernel k=5", local(with("public-kernel")), words(5), 100},
      {"gaussian-curve k=6", local(mu), words(6), 400},
      {"shuffled-rr k=8",
       R"({"model": "central", "count": 2000, "mechanism": "shuffled-rr",
           "privacy": {"epsilon": 1, "delta": 1e-6}})",
       words(8), 2000, 2000},
      {"poisson-rr k=8",
       R"({"model": "central", "count": 500, "mechanism": "poisson-rr",
           "privacy": {"epsilon": 1, "delta": 1e-6}})",
       words(8), 500, 5000},
      {"minimax k=12", local(R"("mechanism": "minimax", "privacy": {"epsilon": 2})"), kTwelve, 300},
  };
  constexpr double kConfidence = 0.9;
  const std::uint64_t repeats = whole_or_sanitized<std::uint64_t>(10'000, 200);
  const std::uint64_t critical = critical_count(repeats, 1 - kConfidence);
  std::mt19937_64 random(6);
  for (const Case& tried : cases) {
    const Domain domain = parse_domain(tried.domain, "domain.yaml");
    GivenInputs inputs(domain);
    for (std::uint32_t outcome = 0; outcome < domain.size(); ++outcome) {
      for (std::uint32_t repeat = 0; repeat <= outcome % 5; ++repeat) {
        for (std::size_t i = 0; i < domain.columns().size(); ++i) {
          inputs.reference.push_back(domain.digit(outcome, i));
        }
      }
    }
    const ReleasedLaw law(certificate_of(tried.spec, inputs, tried.domain, tried.records), "c.json",
                          domain);
    std::vector<double> p = skewed(domain.size());
    std::vector<double> q;
    if (law.linear()) {
      q = law.linear()->released(p);
    } else {
      // Two kinds of units, alike many; the population is their mean.
      std::vector<double> other(p.size());
      other[1] = 1;
      std::vector<std::uint32_t> outcomes(p.size());
      std::iota(outcomes.begin(), outcomes.end(), 0U);
      const auto sampler = make_sampler(
          {.mechanism = Mechanism::kMinimax, .outcome_count = p.size(), .epsilon = 2.0});
      q = sampler->law({outcomes, p}).probabilities;
      const auto point = sampler->law({outcomes, other}).probabilities;
      for (std::size_t j = 0; j < p.size(); ++j) {
        q[j] = (q[j] + point[j]) / 2;
        p[j] = (p[j] + other[j]) / 2;
      }
    }
    // Means of the middles, over what is not null.
    std::vector<double> means;
    for (std::size_t i = 0; i < domain.columns().size(); ++i) {
      const Column& column = domain.columns()[i];
      const auto* cells = std::get_if<IntegerCells>(&column.cells());
      if (cells == nullptr) continue;
      double sum = 0;
      double mass = 0;
      for (std::uint32_t outcome = 0; outcome < domain.size(); ++outcome) {
        const std::uint32_t cell = domain.digit(outcome, i);
        if (cell >= cells->size()) continue;
        mass += p[outcome];
        sum += p[outcome] * (static_cast<double>(cells->value(cell, 0)) +
                             static_cast<double>(cells->points(cell) - 1) / 2);
      }
      means.push_back(sum / mass);
    }
    std::uint64_t missed = 0;
    double error = 0;
    double oracle = 0;
    for (std::uint64_t repeat = 0; repeat < repeats; ++repeat) {
      const auto found =
          estimate_population(law, counted_draws(q, tried.draws, random),
                              {.confidence = kConfidence, .pairs = repeat % 2 == 0}, "r.csv");
      missed += all_hold(domain, found, p, means) ? 0U : 1U;
      if (!law.linear()) continue;
      for (std::size_t j = 0; j < p.size(); ++j) {
        error += std::abs(*found.outcomes.cells[j].value - p[j]) / 2;
      }
    }
    if (law.linear() && law.epsilon()) {
      // The mean distance of a Gaussian from its mean, for each cell.
      for (const double mass : p) {
        oracle += std::sqrt(subset_selection_variance(static_cast<double>(p.size()), *law.epsilon(),
                                                      mass) /
                            static_cast<double>(tried.draws) * 2 / M_PI) /
                  2;
      }
    }
    std::printf(
        "%-34s n=%-5llu missed %llu of %llu (alarm at %llu); total variation %.4f, subset "
        "selection about %.4f\n",
        tried.name, static_cast<unsigned long long>(tried.draws),
        static_cast<unsigned long long>(missed), static_cast<unsigned long long>(repeats),
        static_cast<unsigned long long>(critical), error / static_cast<double>(repeats), oracle);
    EXPECT_LT(missed, critical) << tried.name;
  }
}

// Over many releases the mean of the estimates is the truth, and their spread the standard error.
TEST(PopulationEstimate, IsUnbiasedWithItsStandardError) {
  std::mt19937_64 random(7);
  for (const char* mechanism : {"randomized-response", "mixture", "public-kernel"}) {
    const Domain domain = parse_domain(kTwelve, "domain.yaml");
    GivenInputs inputs(domain);
    for (std::uint32_t outcome = 0; outcome < 12; ++outcome) {
      for (std::size_t i = 0; i < 2; ++i) inputs.reference.push_back(domain.digit(outcome, i));
    }
    const bool referenced = std::string(mechanism) != "randomized-response";
    const ReleasedLaw law(
        certificate_of(local(std::string(R"("mechanism": ")") + mechanism +
                             (referenced ? R"(", "reference": {"file": "r"})" : "\"") +
                             R"(, "privacy": {"epsilon": 1})"),
                       inputs, kTwelve),
        "c.json", domain);
    const std::vector<double> p = skewed(12);
    const std::vector<double> q = law.linear()->released(p);
    constexpr int kRepeats = 4000;
    std::vector<double> sum(13);
    std::vector<double> squares(13);
    std::vector<double> variances(13);
    for (int repeat = 0; repeat < kRepeats; ++repeat) {
      const auto found = estimate_population(law, counted_draws(q, 500, random), {}, "r.csv");
      for (std::size_t j = 0; j < 13; ++j) {
        const EstimatedValue& value = j < 12 ? found.outcomes.cells[j] : found.means[0].mean;
        sum[j] += *value.value;
        squares[j] += *value.value * *value.value;
        variances[j] += *value.standard_error * *value.standard_error;
      }
    }
    for (std::size_t j = 0; j < 13; ++j) {
      double truth = j < 12 ? p[j] : 0;
      for (std::uint32_t outcome = 0; outcome < 12 && j == 12; ++outcome) {
        truth += p[outcome] * (9.5 + 20 * domain.digit(outcome, 1));
      }
      const double mean = sum[j] / kRepeats;
      const double variance = squares[j] / kRepeats - mean * mean;
      // 39 comparisons at a false-alarm rate of 1e-6 together: 5.6 standard deviations.
      EXPECT_NEAR(mean, truth, 5.6 * std::sqrt(variance / kRepeats)) << mechanism << " " << j;
      EXPECT_NEAR(variance / (variances[j] / kRepeats), 1, 5.6 * std::sqrt(2.5 / kRepeats) + 0.01)
          << mechanism << " " << j;
    }
  }
}

TEST(PopulationEstimate, OffersDistributionsToo) {
  const Domain domain = parse_domain(kTwelve, "domain.yaml");
  const GivenInputs inputs(domain);
  const ReleasedLaw law(
      certificate_of(local(R"("mechanism": "randomized-response", "privacy": {"epsilon": 0.5})"),
                     inputs, kTwelve),
      "c.json", domain);
  std::mt19937_64 random(8);
  const std::vector<double> p = skewed(12);
  const Empirical released = counted_draws(law.linear()->released(p), 300, random);
  const auto plain = estimate_population(law, released, {}, "r.csv");
  double sum = 0;
  double least = 0;
  for (const EstimatedValue& cell : plain.outcomes.cells) {
    sum += *cell.value;
    least = std::min(least, *cell.value);
  }
  EXPECT_NEAR(sum, 1, 1e-9);
  EXPECT_LT(least, 0);  // or this test shows nothing
  for (const auto method : {EstimateMethod::kSimplex, EstimateMethod::kMaximumLikelihood}) {
    const auto found =
        estimate_population(law, released, {.method = method, .pairs = true}, "r.csv");
    sum = 0;
    for (std::size_t cell = 0; cell < 12; ++cell) {
      EXPECT_GE(*found.outcomes.cells[cell].value, 0);
      EXPECT_EQ(found.pairs[0].cells[cell].value, found.outcomes.cells[cell].value);
      sum += *found.outcomes.cells[cell].value;
    }
    EXPECT_NEAR(sum, 1, 1e-9);
    double marginal = 0;
    for (std::size_t cell = 0; cell < 4; ++cell) marginal += *found.outcomes.cells[cell].value;
    EXPECT_NEAR(*found.marginals[0].cells[0].value, marginal, 1e-12);
    EXPECT_EQ(found.marginals[0].cells[0].name, "f");
    EXPECT_EQ(found.outcomes.cells[11].name, "null, 60..79");
  }
}

TEST(PopulationEstimate, TellsBoundsOfBandsAndWhy) {
  const Domain domain = parse_domain(words(4), "domain.yaml");
  const GivenInputs inputs(domain);
  const ReleasedLaw law(
      certificate_of(local(R"("mechanism": "minimax", "privacy": {"epsilon": 2})"), inputs,
                     words(4)),
      "c.json", domain);
  const auto json = nlohmann::json::parse(
      estimate_json(estimate_population(law, Empirical({{0, 1}, {900, 100}}), {}, "r.csv")));
  EXPECT_EQ(json["linear"], false);
  EXPECT_TRUE(json["estimates"][0]["probability"].is_null());
  EXPECT_GT(json["estimates"][0]["lower"], 0);
  EXPECT_LT(json["estimates"][3]["upper"], 1);
  EXPECT_NE(json["notes"][1].get<std::string>().find("randomized-response"), std::string::npos);
  EXPECT_EQ(refusal_of([&] {
              static_cast<void>(estimate_population(law, Empirical({{0}, {5}}),
                                                    {.method = EstimateMethod::kSimplex}, "r.csv"));
            }),
            "method simplex needs a linear mechanism, but minimax is none: only bounds hold");
}

// The formula's pieces are probabilities of sets: counted here one by one.
TEST(FrequencyOracle, HasSubsetSelectionsVariance) {
  const double epsilon = 1;
  const double e = std::exp(epsilon);
  const int k = 7;
  const int d = 2;  // nearest to 7 / (e + 1) = 1.88
  double with = 0;
  double all = 0;
  double with_other = 0;
  for (int set = 0; set < 1 << k; ++set) {
    if (__builtin_popcount(static_cast<unsigned>(set)) != d) continue;
    const double mass = (set & 1) != 0 ? e : 1;
    all += mass;
    if ((set & 1) != 0) with += mass;
    if ((set & 2) != 0) with_other += mass;
  }
  const double p = with / all;
  const double s = with_other / all;
  EXPECT_NEAR(subset_selection_variance(k, epsilon), s * (1 - s) / ((p - s) * (p - s)), 1e-12);
}

TEST(ReleasedLaw, RefusesWhatHasNoEstimate) {
  const Domain domain = parse_domain(kGrid, "domain.yaml");
  const GivenInputs inputs(domain);
  const auto refused = [&](const std::string& spec, std::optional<std::uint64_t> records = {}) {
    const StatedCertificate stated = certificate_of(spec, inputs, kGrid, records);
    return refusal_of([&] { const ReleasedLaw law(stated, "c.json", domain); });
  };
  EXPECT_EQ(refused(R"({"model": "integral", "count": 1, "privacy": {"epsilon": 1},
                        "space": {"kind": "candidates"}})"),
            "estimate is for categories and grids, but this release is from candidates, which only "
            "a band draws from, and no band tells the population");
  EXPECT_EQ(
      refused(R"({"model": "central", "count": 2, "privacy": {"rho": 1},
                  "family": "gaussian", "covariance_bound": 4, "mean_bound": 2})",
              1000),
      "estimate is for releases of outcomes, but this one is of Gaussian samples, whose own mean "
      "and covariance are the estimate");
  const Domain few = parse_domain(words(3), "domain.yaml");
  const StatedCertificate stated =
      certificate_of(R"({"model": "integral", "count": 3, "privacy": {"epsilon": 1}})",
                     GivenInputs(few), words(3));
  EXPECT_EQ(refusal_of([&] { const ReleasedLaw law(stated, "c.json", domain); }),
            "c.json must be of the domain that is given, but is of another one");
  const ReleasedLaw law(stated, "c.json", few);
  EXPECT_EQ(refusal_of([&] { law.require_count(4, "r.csv"); }),
            "r.csv must hold the 3 records that the certificate speaks of, but holds 4");
}

}  // namespace
}  // namespace mollify::test
