#include "analysis/estimate.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "analysis/release_of.h"
#include "domain/column.h"
#include "kernel/search.h"
#include "methods/central/design.h"
#include "methods/local/bands.h"
#include "methods/local/mechanism.h"
#include "refusal.h"
#include "sanitized.h"

namespace mollify::test {

namespace {

constexpr const char* kTwelve =
    "columns:\n"
    "  sex: {type: categorical, values: [f, m], null: category}\n"
    "  age: {type: integer, min: 0, max: 79, bins: 4, null: 0}\n";
constexpr const char* kWithNulls =
    "columns:\n"
    "  size: {type: integer, min: 1, max: 3, null: category}\n"
    "  glad: {type: boolean, null: false}\n";
constexpr const char* kGrid = "columns:\n  weight: {type: number, min: 0, max: 10, null: 0}\n";

/// A single column of k words.
std::string words(std::size_t k) {
  std::string text = "columns:\n  word: {type: categorical, values: [";
  for (std::size_t j = 0; j < k; ++j) text += (j > 0 ? ", w" : "w") + std::to_string(j);
  return text + "], null: w0}\n";
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

/// `means` are what they are if each number is the least of its cell, and the greatest: both hold.
bool all_hold(const Domain& domain, const PopulationEstimate& found, const std::vector<double>& p,
              const std::vector<ConfidenceInterval>& means) {
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
    if (!holds(found.means[i].mean.interval, means[i].lower)) return false;
    if (!holds(found.means[i].mean.interval, means[i].upper)) return false;
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
  std::string name;
  std::string spec;  // model and count as they need be
  std::string domain;
  std::uint64_t draws;
};

/// The means of numeric columns over what is not null, each value the least of its cell, and the
/// greatest.
std::vector<ConfidenceInterval> means_of(const Domain& domain, const std::vector<double>& p) {
  std::vector<ConfidenceInterval> means;
  for (std::size_t i = 0; i < domain.columns().size(); ++i) {
    const Column& column = domain.columns()[i];
    if (!is_numeric(column.cells())) continue;
    const auto number = [&](std::uint32_t cell, std::uint64_t point) {
      const Value value = column.value(cell, point);
      const auto* integer = std::get_if<std::int64_t>(&value);
      return integer != nullptr ? static_cast<double>(*integer) : std::get<double>(value);
    };
    ConfidenceInterval sum{0, 0};
    double mass = 0;
    for (std::uint32_t outcome = 0; outcome < domain.size(); ++outcome) {
      const std::uint32_t cell = domain.digit(outcome, i);
      if (column.mapping().null_is_category && cell + 1 == column.size()) continue;
      mass += p[outcome];
      sum.lower += p[outcome] * number(cell, 0);
      sum.upper += p[outcome] * number(cell, column.points(cell) - 1);
    }
    means.push_back({sum.lower / mass, sum.upper / mass});
  }
  return means;
}

/// The results of one cell of the table of coverage.
class Coverage {
 public:
  Coverage(std::string name, std::uint64_t repeats)
      : name_(std::move(name)),
        repeats_(repeats),
        critical_(critical_count(repeats, 1 - kConfidence)) {}

  static constexpr double kConfidence = 0.9;

  void take(const Domain& domain, const PopulationEstimate& found, const std::vector<double>& p,
            const std::vector<ConfidenceInterval>& means) {
    missed_ += all_hold(domain, found, p, means) ? 0U : 1U;
    for (std::size_t j = 0; found.is_linear && j < p.size(); ++j) {
      error_ += std::abs(*found.outcomes.cells[j].value - p[j]) / 2;
    }
  }

  /// `oracle`: the total variation of the best linear oracle, 0 where there is none to compare.
  void report(std::uint64_t records, double oracle) const {
    std::printf(
        "%-34s n=%-5llu missed %llu of %llu (alarm at %llu); total variation %.4f, subset "
        "selection about %.4f\n",
        name_.c_str(), static_cast<unsigned long long>(records),
        static_cast<unsigned long long>(missed_), static_cast<unsigned long long>(repeats_),
        static_cast<unsigned long long>(critical_), error_ / static_cast<double>(repeats_), oracle);
    EXPECT_LT(missed_, critical_) << name_;
  }

 private:
  std::string name_;
  std::uint64_t repeats_;
  std::uint64_t critical_;
  std::uint64_t missed_ = 0;
  double error_ = 0;
};

/// The total variation of subset selection from n reports: of each cell the mean distance of a
/// Gaussian from its mean.
double oracle_error(const std::vector<double>& p, double epsilon, std::uint64_t n) {
  double error = 0;
  for (const double mass : p) {
    error += std::sqrt(subset_selection_variance(static_cast<double>(p.size()), epsilon, mass) /
                       static_cast<double>(n) * 2 / M_PI) /
             2;
  }
  return error;
}

/// k outcomes: of two columns, one with a mean, where 4 divides k above 8.
std::string domain_of(std::size_t k) {
  if (k <= 8 || k % 4 != 0) return words(k);
  return "columns:\n  sex: {type: categorical, values: [f, m], null: category}\n"
         "  age: {type: integer, min: 0, max: " +
         std::to_string(20 * (k / 3) - 1) + ", bins: " + std::to_string(k / 3) + ", null: 0}\n";
}

std::string local(const std::string& method, int count = 1) {
  return R"({"method": "local", "unit": "u", "count": )" + std::to_string(count) + ", " + method +
         "}";
}

// 10^4 repeats a cell: 1 - confidence is missed no more often than it says, by every mechanism of
// method local, with few and many outcomes and records.
TEST(PopulationEstimate, HoldsWithItsConfidence) {
  const std::string rr = R"("mechanism": "randomized-response", "privacy": {"epsilon": 2})";
  const std::string reference = R"(", "reference": {"file": "r"}, "privacy": {"epsilon": 2})";
  const std::string grid = R"("space": {"kind": "grid", "cells": 8}, )";
  std::vector<Case> cases = {
      {"randomized-response, nulls", local(rr), kWithNulls, 3000},
      {"randomized-response, three draws", local(rr, 3), words(6), 300},
      {"randomized-response, grid", local(grid + rr), kGrid, 300},
      {"randomized-response k=30", local(rr), words(30), 5000},
  };
  const std::vector<std::pair<std::string, std::string>> mechanisms = {
      {"randomized-response", rr},
      {"mixture", R"("mechanism": "mixture)" + reference},
      {"public-kernel", R"("mechanism": "public-kernel)" + reference},
      {"gaussian-curve", R"("mechanism": "gaussian-curve", "privacy": {"mu": 1.5})"},
      {"minimax", R"("mechanism": "minimax", "privacy": {"epsilon": 2})"},
      {"relative", R"("mechanism": "relative)" + reference}};
  for (const auto& [name, spec] : mechanisms) {
    for (const std::size_t k : {2U, 12U, 30U}) {
      for (const std::uint64_t n : {40U, 1000U}) {
        cases.push_back({name + " k=" + std::to_string(k), local(spec), domain_of(k), n});
      }
    }
  }
  const std::uint64_t repeats = whole_or_sanitized<std::uint64_t>(10'000, 100);
  std::mt19937_64 random(6);
  for (const Case& tried : cases) {
    const Domain declared = parse_domain(tried.domain, "domain.yaml");
    GivenInputs inputs(declared);
    for (std::uint32_t outcome = 0; tried.domain != kGrid && outcome < declared.size(); ++outcome) {
      for (std::uint32_t repeat = 0; repeat <= outcome % 5; ++repeat) {
        for (std::size_t i = 0; i < declared.columns().size(); ++i) {
          inputs.reference.push_back(declared.digit(outcome, i));
        }
      }
    }
    const ReleasedLaw law(certificate_of(tried.spec, inputs, tried.domain), "c.json", declared);
    const Domain& domain = law.domain();
    std::vector<double> p = skewed(domain.size());
    std::vector<double> q;
    if (law.linear()) {
      q = law.linear()->released(p);
    } else {
      // Two kinds of units, alike many; the population is their mean.
      std::vector<double> other(p.size());
      other[1] = 1;
      std::vector<double> lower(p.size());
      std::vector<double> upper(p.size());
      for (std::size_t i = 0; i < p.size(); ++i) {
        const auto whole = static_cast<double>(law.band()->total());
        lower[i] = static_cast<double>(law.band()->lower(i)) / whole;
        upper[i] = static_cast<double>(law.band()->upper(i)) / whole;
      }
      q = project_on_band(p, lower, upper).law;
      const auto point = project_on_band(other, lower, upper).law;
      for (std::size_t j = 0; j < p.size(); ++j) {
        q[j] = (q[j] + point[j]) / 2;
        p[j] = (p[j] + other[j]) / 2;
      }
    }
    const std::vector<ConfidenceInterval> means = means_of(domain, p);
    Coverage coverage(tried.name, repeats);
    for (std::uint64_t repeat = 0; repeat < repeats; ++repeat) {
      const auto found = estimate_population(
          law, counted_draws(q, tried.draws, random),
          {.confidence = Coverage::kConfidence, .pairs = repeat % 2 == 0}, "r.csv");
      coverage.take(domain, found, p, means);
    }
    coverage.report(tried.draws, law.linear() && law.epsilon()
                                     ? oracle_error(p, *law.epsilon(), tried.draws)
                                     : 0);
  }
}

// Coverage for tables, whose rows stay fixed: real draws of every mechanism of model central that
// has independent outputs.
TEST(PopulationEstimate, HoldsWithItsConfidenceForTables) {
  struct Sizes {
    std::size_t k;
    std::uint64_t rows;
    std::uint64_t outputs;
  };
  const std::uint64_t repeats = whole_or_sanitized<std::uint64_t>(10'000, 50);
  const double e = 1;
  const double delta = 1e-4;
  SecureRandom random;
  for (const auto& [mechanism, name] : names<CentralMechanism>()) {
    if (mechanism == CentralMechanism::kProduct) continue;  // no independent outputs
    for (Sizes sizes : {Sizes{2, 100, 20}, Sizes{12, 400, 10}, Sizes{30, 400, 50}}) {
      if (mechanism == CentralMechanism::kShuffledRr) sizes.outputs = sizes.rows;
      if (mechanism == CentralMechanism::kHistogram) sizes.outputs = 1;
      const bool pure = mechanism <= CentralMechanism::kDsRoo;
      const std::string privacy =
          pure ? R"("privacy": {"epsilon": 1})" : R"("privacy": {"epsilon": 1, "delta": 1e-4})";
      const std::string text = domain_of(sizes.k);
      const Domain domain = parse_domain(text, "domain.yaml");
      const ReleasedLaw law(certificate_of(R"({"method": "central", "mechanism": ")" +
                                               std::string(name) + R"(", "count": )" +
                                               std::to_string(sizes.outputs) + ", " + privacy + "}",
                                           GivenInputs(domain), text, sizes.rows),
                            "c.json", domain);
      const auto sampler = make_central_sampler(
          design_central(mechanism, {sizes.rows, sizes.k, sizes.outputs,
                                     pure ? Privacy::pure(e) : Privacy::approximate(e, delta)}));
      // A table near to the skewed distribution, the first outcome taking what is left.
      OutcomeHistogram table;
      std::vector<double> p = skewed(sizes.k);
      std::uint64_t left = sizes.rows;
      for (std::size_t j = 1; j < p.size(); ++j) {
        left -= static_cast<std::uint64_t>(p[j] * static_cast<double>(sizes.rows));
      }
      for (std::size_t j = 0; j < p.size(); ++j) {
        const std::uint64_t rows =
            j == 0 ? left : static_cast<std::uint64_t>(p[j] * static_cast<double>(sizes.rows));
        p[j] = static_cast<double>(rows) / static_cast<double>(sizes.rows);
        if (rows == 0) continue;
        table.keys.push_back(static_cast<std::uint32_t>(j));
        table.counts.push_back(rows);
      }
      const std::vector<ConfidenceInterval> means = means_of(domain, p);
      Coverage coverage(std::string(name) + " k=" + std::to_string(sizes.k), repeats);
      for (std::uint64_t repeat = 0; repeat < repeats; ++repeat) {
        std::vector<std::uint64_t> counts(sizes.k);
        for (const std::uint32_t outcome : sampler->draw(table, random)) ++counts[outcome];
        Tally<std::uint32_t>::Counts released;
        for (std::size_t j = 0; j < counts.size(); ++j) {
          if (counts[j] == 0) continue;
          released.keys.push_back(static_cast<std::uint32_t>(j));
          released.counts.push_back(counts[j]);
        }
        if (released.keys.empty()) continue;  // a random number of them, and none
        const auto found = estimate_population(
            law, Empirical(std::move(released)),
            {.confidence = Coverage::kConfidence, .pairs = repeat % 2 == 0}, "r.csv");
        coverage.take(domain, found, p, means);
      }
      coverage.report(sizes.outputs, law.linear() && law.epsilon()
                                         ? oracle_error(p, *law.epsilon(), sizes.outputs)
                                         : 0);
    }
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

/// A release counted as `counts`, outcome by outcome.
Empirical counted(const std::vector<std::uint64_t>& counts) {
  Tally<std::uint32_t>::Counts released;
  for (std::size_t j = 0; j < counts.size(); ++j) {
    if (counts[j] == 0) continue;
    released.keys.push_back(static_cast<std::uint32_t>(j));
    released.counts.push_back(counts[j]);
  }
  return Empirical(std::move(released));
}

/// The reports' mean weight with Bernstein's interval, computed outcome by outcome.
ConfidenceInterval bernstein_of(const LinearLaw& linear, const std::vector<std::uint64_t>& counts,
                                const std::vector<double>& values, double alpha) {
  const std::vector<double> weights = linear.report_weights(values);
  BoundedDraws draws{.least = weights[0], .greatest = weights[0]};
  for (std::size_t j = 0; j < counts.size(); ++j) {
    const auto count = static_cast<double>(counts[j]);
    draws.count += counts[j];
    draws.mean += count * weights[j];
    draws.square_mean += count * weights[j] * weights[j];
    draws.least = std::min(draws.least, weights[j]);
    draws.greatest = std::max(draws.greatest, weights[j]);
  }
  draws.mean /= static_cast<double>(draws.count);
  draws.square_mean /= static_cast<double>(draws.count);
  return bernstein_interval(draws, alpha);
}

void expect_ends(const ConfidenceInterval& seen, const ConfidenceInterval& expected,
                 const std::string& what) {
  EXPECT_NEAR(seen.lower, expected.lower, 1e-9) << what;
  EXPECT_NEAR(seen.upper, expected.upper, 1e-9) << what;
}

// Two numeric columns and three families of intervals, each with a third of the error probability.
// A column's mean has two intervals with half of its part each: for two cells the one by tails is
// the narrower, for forty Bernstein's, so both are seen.
TEST(PopulationEstimate, SharesTheErrorProbabilityOfMeans) {
  const std::string text =
      "columns:\n"
      "  few: {type: integer, min: 1, max: 3, null: 1}\n"
      "  many: {type: integer, min: 0, max: 39, null: 0}\n";
  const Domain domain = parse_domain(text, "domain.yaml");
  const ReleasedLaw law(
      certificate_of(local(R"("mechanism": "randomized-response", "privacy": {"epsilon": 6})"),
                     GivenInputs(domain), text),
      "c.json", domain);
  const LinearLaw& linear = *law.linear();
  const std::uint64_t n = 12'000;
  std::vector<std::uint64_t> counts(120, 75);
  for (std::size_t j = 0; j < 40; ++j) counts[j] += 25;
  counts[119] += 2'000;
  const double alpha = 0.1 / 3 / 2;  // a mean's
  const PopulationEstimate found =
      estimate_population(law, counted(counts), {.confidence = 0.9}, "r.csv");
  const std::vector<std::size_t> cells = {3, 40};
  const std::vector<double> least = {1, 0};
  const auto sum = [](const std::vector<std::uint64_t>& of) {
    return std::accumulate(of.begin(), of.end(), std::uint64_t{0});
  };
  ASSERT_EQ(sum(counts), n);
  for (std::size_t column = 0; column < 2; ++column) {
    std::vector<double> values(120);
    for (std::uint32_t j = 0; j < 120; ++j) values[j] = least[column] + domain.digit(j, column);
    const ConfidenceInterval bernstein = bernstein_of(linear, counts, values, alpha / 2);
    // The least value, and one for each value below which it is not.
    ConfidenceInterval tails{least[column], least[column]};
    for (std::size_t cell = 1; cell < cells[column]; ++cell) {
      std::uint64_t beyond = 0;
      double replaced = 0;
      for (std::uint32_t j = 0; j < 120; ++j) {
        if (domain.digit(j, column) < cell) continue;
        beyond += counts[j];
        replaced += linear.replaced(j);
      }
      const ConfidenceInterval shown =
          binomial_interval(beyond, n, alpha / 2 / static_cast<double>(cells[column] - 1));
      tails.lower += std::clamp((shown.lower - replaced) / linear.kept(), 0.0, 1.0);
      tails.upper += std::clamp((shown.upper - replaced) / linear.kept(), 0.0, 1.0);
    }
    const double by_tails = tails.upper - tails.lower;
    const double by_bernstein = bernstein.upper - bernstein.lower;
    std::printf("column %zu: by tails %.4f wide, by Bernstein %.4f\n", column, by_tails,
                by_bernstein);
    EXPECT_EQ(by_tails < by_bernstein, column == 0);  // or one of them is not seen
    expect_ends(found.means[column].mean.interval,
                {std::max(tails.lower, bernstein.lower), std::min(tails.upper, bernstein.upper)},
                domain.names()[column]);
  }
}

// A mean next to nulls is a ratio: a sum and a share, each with half of its error probability.
TEST(PopulationEstimate, SharesTheErrorProbabilityOfAMeanNextToNulls) {
  const Domain domain = parse_domain(kWithNulls, "domain.yaml");
  const ReleasedLaw law(
      certificate_of(local(R"("mechanism": "randomized-response", "privacy": {"epsilon": 4})"),
                     GivenInputs(domain), kWithNulls),
      "c.json", domain);
  const std::vector<std::uint64_t> counts = {900, 700, 200, 300, 400, 500, 600, 400};
  const PopulationEstimate found =
      estimate_population(law, counted(counts), {.confidence = 0.9}, "r.csv");
  std::vector<double> deviations(8);
  std::vector<double> present(8);
  for (std::uint32_t j = 0; j < 8; ++j) {
    const std::uint32_t size = domain.digit(j, 0);  // 1, 2, 3, null
    deviations[j] = size == 3 ? 0 : static_cast<double>(size) - 1;
    present[j] = size == 3 ? 0 : 1;
  }
  const double alpha = 0.1 / 3;
  const ConfidenceInterval sum = bernstein_of(*law.linear(), counts, deviations, alpha / 2);
  const ConfidenceInterval share = bernstein_of(*law.linear(), counts, present, alpha / 2);
  ASSERT_GT(share.lower, 0);
  ASSERT_LT(share.upper, 1);
  ASSERT_LT(sum.lower, 0);
  expect_ends(
      found.means[0].mean.interval,
      {2 + sum.lower / share.lower, 2 + sum.upper / (sum.upper > 0 ? share.lower : share.upper)},
      "size");
}

// Numbers lie anywhere in their bins: the interval of a mean holds whichever they are, and is no
// wider than that and the noise. Real numbers reach up to the next bin's first one.
TEST(PopulationEstimate, HoldsAMeanWhateverItsBinsHide) {
  const std::vector<double> p = {0.9, 0.06, 0.03, 0.01};
  for (const char* type : {"integer, min: 0, max: 199", "number, min: 0, max: 200"}) {
    for (const char* null : {"0", "category"}) {
      const std::string text =
          std::string("columns:\n  income: {type: ") + type + ", bins: 4, null: " + null + "}\n";
      const Domain domain = parse_domain(text, "domain.yaml");
      const ReleasedLaw law(
          certificate_of(local(R"("mechanism": "randomized-response", "privacy": {"epsilon": 5})"),
                         GivenInputs(domain), text),
          "c.json", domain);
      std::vector<double> all = p;
      all.resize(domain.size());
      std::vector<std::uint64_t> counts;
      for (const double q : law.linear()->released(all)) {
        counts.push_back(static_cast<std::uint64_t>(std::lround(4e6 * q)));
      }
      const EstimatedMean found = estimate_population(law, counted(counts), {}, "r.csv").means[0];
      const bool is_whole = type[0] == 'i';
      double least = 0;
      double greatest = 0;
      for (std::size_t cell = 0; cell < 4; ++cell) {
        least += p[cell] * 50 * static_cast<double>(cell);
        greatest += p[cell] * (50 * static_cast<double>(cell + 1) - (is_whole ? 1 : 0));
      }
      EXPECT_NEAR(*found.mean.value, (least + greatest) / 2, 0.01);
      EXPECT_NEAR(found.half_cell, is_whole ? 24.5 : 25, 0.01);
      EXPECT_LE(found.mean.interval.lower, least) << text;
      EXPECT_GE(found.mean.interval.upper, greatest) << text;
      EXPECT_NEAR(found.mean.interval.lower, least, 0.7) << text;
      EXPECT_NEAR(found.mean.interval.upper, greatest, 0.7) << text;
    }
  }
}

// Of m bad reports: an estimated share moves by what is stated, and some attain it. Intervals that
// allow for them contain those of the honest reports.
TEST(PopulationEstimate, HoldsWithBadReports) {
  const Domain domain = parse_domain(kTwelve, "domain.yaml");
  GivenInputs inputs(domain);
  for (std::uint32_t outcome = 0; outcome < 12; ++outcome) {
    for (std::size_t i = 0; i < 2; ++i) inputs.reference.push_back(domain.digit(outcome, i));
  }
  const std::string reference = R"(", "reference": {"file": "r"}, "privacy": {"epsilon": 2})";
  for (const std::string& mechanism :
       {std::string(R"("mechanism": "randomized-response", "privacy": {"epsilon": 2})"),
        R"("mechanism": "public-kernel)" + reference, R"("mechanism": "mixture)" + reference,
        std::string(R"("mechanism": "minimax", "privacy": {"epsilon": 2})")}) {
    const ReleasedLaw law(certificate_of(local(mechanism), inputs, kTwelve), "c.json", domain);
    const std::vector<std::uint64_t> honest(12, 300);
    constexpr std::uint64_t kBad = 40;
    const auto found_of = [&](const std::vector<std::uint64_t>& counts, std::uint64_t bad) {
      return estimate_population(law, counted(counts), {.pairs = true, .bad_reports = bad},
                                 "r.csv");
    };
    const PopulationEstimate without = found_of(honest, 0);
    double most = 0;
    double stated = 0;
    for (std::size_t from = 0; from < 12; ++from) {
      for (std::size_t to = 0; to < 12; ++to) {
        std::vector<std::uint64_t> moved = honest;
        moved[from] -= kBad;
        moved[to] += kBad;
        const PopulationEstimate found = found_of(moved, kBad);
        EXPECT_EQ(found.moved_up.has_value(), found.is_linear);
        stated = found.moved_up.value_or(0);
        const auto compare = [&](const EstimatedValue& seen, const EstimatedValue& was) {
          ASSERT_LE(seen.interval.lower, was.interval.lower + 1e-12) << mechanism << was.name;
          ASSERT_GE(seen.interval.upper, was.interval.upper - 1e-12) << mechanism << was.name;
        };
        const auto compare_tables = [&](const EstimatedTable& seen, const EstimatedTable& was) {
          for (std::size_t j = 0; j < was.cells.size(); ++j) {
            compare(seen.cells[j], was.cells[j]);
            if (!found.is_linear) continue;
            const double away = std::abs(*seen.cells[j].value - *was.cells[j].value);
            ASSERT_LE(away, stated * (1 + 1e-9)) << mechanism;
            most = std::max(most, away);
          }
        };
        compare_tables(found.outcomes, without.outcomes);
        compare_tables(found.pairs[0], without.pairs[0]);
        for (std::size_t i = 0; i < 2; ++i) {
          compare_tables(found.marginals[i], without.marginals[i]);
        }
        compare(found.means[0].mean, without.means[0].mean);
      }
    }
    std::printf("%s: %llu bad reports of 3600 move a share by %.4f, %.4f stated\n",
                mechanism.substr(13, 20).c_str(), static_cast<unsigned long long>(kBad), most,
                stated);
    EXPECT_NEAR(most, stated, 1e-9);
  }
}

// A table's shuffled sample is short of records with a small probability, which every interval
// pays; and the intervals of other laws are wider by their total variation.
TEST(PopulationEstimate, PaysForWhatACentralMechanismMayMiss) {
  const Domain domain = parse_domain(words(4), "domain.yaml");
  const auto law_of = [&](const std::string& mechanism, const std::string& privacy) {
    return ReleasedLaw(certificate_of(R"({"method": "central", "mechanism": ")" + mechanism +
                                          R"(", "count": 20, "privacy": )" + privacy + "}",
                                      GivenInputs(domain), words(4), 400),
                       "c.json", domain);
  };
  const std::vector<std::uint64_t> counts = {9, 6, 4, 1};
  const auto last_of = [&](const ReleasedLaw& law, double confidence) {
    return estimate_population(law, counted(counts), {.confidence = confidence}, "r.csv")
        .outcomes.cells[3]
        .interval;
  };
  {
    const ReleasedLaw law = law_of("poisson-rr", R"({"epsilon": 1, "delta": 1e-4})");
    const LinearLaw& linear = *law.linear();
    const auto expected = [&](double alpha) {
      const ConfidenceInterval shown = binomial_interval(1, 20, alpha / 4);
      return (shown.upper - linear.replaced(3)) / linear.kept();
    };
    // An error probability next to the one of missing records, so that the latter shows.
    const double alpha = 4 * law.failure_up();
    const double paid = expected(alpha - law.failure_up());
    std::printf("poisson-rr: short of records with probability %.3g, upper end %.6f, unpaid %.6f\n",
                law.failure_up(), paid, expected(alpha));
    ASSERT_GT(paid, expected(alpha) + 1e-4);
    ASSERT_LT(paid, 1);
    EXPECT_NEAR(last_of(law, 1 - alpha).upper, paid, 1e-6);
  }
  {
    const ReleasedLaw law = law_of("ds-roo", R"({"epsilon": 4})");
    ASSERT_FALSE(law.linear());
    const double away = law.total_variation_up();
    ASSERT_GT(away, 1e-4);
    const ConfidenceInterval shown = binomial_interval(1, 20, 0.1 / 4);
    expect_ends(last_of(law, 0.9), {std::max(0.0, shown.lower - away), shown.upper + away},
                "ds-roo");
  }
}

// Outcomes of a band with unequal bounds: the least gap of the others is the least of all, except
// for the outcome that has it.
TEST(PopulationEstimate, KnowsTheLeastGapOfTheOtherOutcomes) {
  const Domain domain = parse_domain(words(3), "domain.yaml");
  GivenInputs inputs(domain);
  for (const auto& [outcome, repeats] : {std::pair{0U, 6}, {1U, 1}, {2U, 3}}) {
    for (int repeat = 0; repeat < repeats; ++repeat) inputs.reference.push_back(outcome);
  }
  const ReleasedLaw law(
      certificate_of(
          local(
              R"("mechanism": "relative", "reference": {"file": "r"}, "privacy": {"epsilon": 2})"),
          inputs, words(3)),
      "c.json", domain);
  const std::vector<std::uint64_t> counts = {500, 140, 360};
  const PopulationEstimate found =
      estimate_population(law, counted(counts), {.confidence = 0.9}, "r.csv");
  double greatest_change = 0;
  for (std::size_t cell = 0; cell < 3; ++cell) {
    EventEdges inside;
    EventEdges outside;
    inside.add(*law.band(), cell);
    double greatest_gap = 0;
    for (std::size_t other = 0; other < 3; ++other) {
      if (other == cell) continue;
      outside.add(*law.band(), other);
      EventEdges alone;
      alone.add(*law.band(), other);
      greatest_gap = std::max(greatest_gap, alone.least_gap);
    }
    const ConfidenceInterval shown = binomial_interval(counts[cell], 1000, 0.1 / 3);
    const double e = greatest_edge_ratio(*law.band());
    const ConfidenceInterval expected = band_bounds(shown, inside, outside, e);
    expect_ends(found.outcomes.cells[cell].interval, expected, std::to_string(cell));
    EventEdges wrong = outside;
    wrong.least_gap = greatest_gap;
    const ConfidenceInterval with_wrong = band_bounds(shown, inside, wrong, e);
    greatest_change = std::max(greatest_change, std::abs(with_wrong.lower - expected.lower));
  }
  EXPECT_GT(greatest_change, 1e-3);  // or nothing is seen
}

// Of an outcome that no report has, or every one, no share deviates; its law has some all the same.
TEST(PopulationEstimate, IsNeverCertainOfFewRecords) {
  const Domain domain = parse_domain(kTwelve, "domain.yaml");
  const ReleasedLaw law(
      certificate_of(local(R"("mechanism": "randomized-response", "privacy": {"epsilon": 2})"),
                     GivenInputs(domain), kTwelve),
      "c.json", domain);
  const double kept = law.linear()->kept();
  const auto deviation = [&](double q) { return std::sqrt(q * (1 - q) / 3) / kept; };
  Tally<std::uint32_t>::Counts counts;
  counts.keys = {4};
  counts.counts = {3};
  const auto found = estimate_population(law, Empirical(std::move(counts)), {}, "r.csv");
  for (std::size_t j = 0; j < 12; ++j) {
    const double other = law.linear()->replaced(j);
    EXPECT_NEAR(*found.outcomes.cells[j].standard_error, deviation(j == 4 ? kept + other : other),
                1e-12);
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
  const Json json =
      estimate_answer(estimate_population(law, Empirical({{0, 1}, {900, 100}}), {}, "r.csv"), {})
          .json;
  EXPECT_EQ(json["linear"], false);
  EXPECT_TRUE(json["estimates"][0]["probability"].is_null());
  EXPECT_GT(json["estimates"][0]["lower"], 0);
  EXPECT_LT(json["estimates"][3]["upper"], 1);
  EXPECT_NE(json["notes"][1].get<std::string>().find("randomized-response"), std::string::npos);
  EXPECT_EQ(refusal_of([&] {
              static_cast<void>(estimate_population(law, Empirical({{0}, {5}}),
                                                    {.method = EstimateMethod::kSimplex}, "r.csv"));
            }),
            "--method simplex needs a linear mechanism, and minimax is not linear: leave out "
            "--method, and estimate prints bounds");
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
  EXPECT_EQ(refused(R"({"method": "integral", "count": 1, "privacy": {"epsilon": 1},
                        "space": {"kind": "candidates"}})"),
            "estimate is for categories and grids, but this release is from candidates, which only "
            "a band draws from, and no band determines the population");
  EXPECT_EQ(refused(R"({"method": "gaussian", "count": 2, "privacy": {"rho": 1},
                  "covariance_bound": 4, "mean_bound": 2})",
                    1000),
            "estimate is for records that are outcomes of a list, but records of method gaussian "
            "are not: "
            "look at the means of the records themselves");
  const Domain few = parse_domain(words(3), "domain.yaml");
  const StatedCertificate stated =
      certificate_of(R"({"method": "integral", "count": 3, "privacy": {"epsilon": 1}})",
                     GivenInputs(few), words(3));
  EXPECT_EQ(refusal_of([&] { const ReleasedLaw law(stated, "c.json", domain); }),
            "c.json must be of the domain that is given, but is of another one");
  const ReleasedLaw law(stated, "c.json", few);
  EXPECT_EQ(refusal_of([&] { law.require_count(4, "r.csv"); }),
            "r.csv must hold the 3 records that the certificate speaks of, but holds 4");
}

}  // namespace

}  // namespace mollify::test
