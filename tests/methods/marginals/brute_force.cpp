// What each answer tells apart, exactly, for all neighbouring tables.
//
// The learner is run on a table with its answers drawn from their own laws, and at every step the
// laws of the answer on the table and on its neighbour are compared in full: all integers that
// noise gives except for a tail below 10^-30, all candidates of a choice. On every path of answers
// that is met the divergences of its steps add up to no more than is promised, and that is what
// bounds the divergence of the joint laws of all choices and measurements.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <numeric>
#include <tuple>

#include <gtest/gtest.h>

#include "accounting/gaussian.h"
#include "domain/column.h"
#include "domain/possible.h"
#include "methods/marginals/learner.h"
#include "methods/marginals/method.h"
#include "printed.h"
#include "sanitized.h"

namespace mollify {

namespace {

constexpr long double kOrders[] = {1.5L, 2, 4, 16};

long double value_of(Ratio ratio) {
  return static_cast<long double>(ratio.numerator) / static_cast<long double>(ratio.denominator);
}

/// ln of the sum of e^x.
long double log_sum(const std::vector<long double>& logs) {
  const long double most = *std::max_element(logs.begin(), logs.end());
  long double sum = 0;
  for (const long double x : logs) sum += std::exp(x - most);
  return most + std::log(sum);
}

/// The Rényi divergence of two laws on finitely many outputs, given by their logarithms: at large
/// budgets their least probabilities are below every long double.
long double renyi(const std::vector<long double>& log_p, const std::vector<long double>& log_q,
                  long double order) {
  std::vector<long double> logs;
  for (std::size_t i = 0; i < log_p.size(); ++i) {
    logs.push_back(order * log_p[i] + (1 - order) * log_q[i]);
  }
  return log_sum(logs) / (order - 1);
}

/// Of a discrete Gaussian and itself moved.
long double moved_divergence(Ratio variance, std::int64_t by, long double order) {
  static std::map<std::tuple<std::uint64_t, std::uint64_t, std::int64_t, long double>, long double>
      known;
  const auto key = std::tuple(variance.numerator, variance.denominator, by, order);
  const auto found = known.find(key);
  if (found != known.end()) return found->second;
  const long double sigma2 = value_of(variance);
  // The terms of sum P^a Q^(1-a) are those of a Gaussian around (1 - a) by.
  const auto reach = static_cast<std::int64_t>(12 * std::sqrt(sigma2) + 20 * std::abs(by) + 2);
  std::vector<long double> normal;
  std::vector<long double> moved;
  for (std::int64_t z = -reach; z <= reach; ++z) {
    const auto x = static_cast<long double>(z);
    const long double y = x - static_cast<long double>(by);
    normal.push_back(-x * x / (2 * sigma2));
    moved.push_back(-(order * x * x + (1 - order) * y * y) / (2 * sigma2));
  }
  return known[key] = (log_sum(moved) - log_sum(normal)) / (order - 1);
}

/// Answers from a table, and their evidence against its neighbour.
class ComparedAnswers final : public MarginalAnswers {
 public:
  ComparedAnswers(const PairCounts& table, const PairCounts& neighbour,
                  const MarginalBudget& budget, SecureRandom& random, PartsLeft parts)
      : table_(table),
        neighbour_(neighbour),
        budget_(budget),
        answers_(table, budget, random, parts) {}

  /// The last question: how far the neighbour's rows, or others, are from the table.
  void measure_error(const DrawnRows& drawn, std::span<const std::size_t> columns,
                     std::uint32_t parts) {
    std::vector<std::uint64_t> mine = exact_pair_distances(table_, drawn, columns);
    std::vector<std::uint64_t> others = exact_pair_distances(neighbour_, drawn, columns);
    const Ratio noise = budget_.distance_noise(parts, mine.size());
    if (budget_.notion() == PrivacyNotion::kPure) {
      mine = {std::accumulate(mine.begin(), mine.end(), std::uint64_t{0})};
      others = {std::accumulate(others.begin(), others.end(), std::uint64_t{0})};
    }
    compare(mine, others, noise, parts);
  }

  [[nodiscard]] std::uint32_t left() const override { return answers_.left(); }
  [[nodiscard]] std::span<const Triple> triples() const override { return table_.triples(); }

  std::vector<double> measure(const MarginalTable& table, std::uint32_t parts) override {
    compare(exact_counts(table_, table), exact_counts(neighbour_, table), budget_.noise(parts),
            parts);
    return answers_.measure(table, parts);
  }

  std::vector<double> products(const CellScores& scores, std::uint32_t parts) override {
    compare(exact_products(table_, scores), exact_products(neighbour_, scores),
            budget_.product_noise(parts, scores.columns.size(), scores.steps), parts);
    return answers_.products(scores, parts);
  }

  template <class Integers>
  void compare(const Integers& counts, const Integers& others, Ratio noise, std::uint32_t parts) {
    long double square = 0;
    for (std::size_t i = 0; i < counts.size(); ++i) {
      const auto by = static_cast<std::int64_t>(counts[i] - others[i]);
      square += static_cast<long double>(by * by);
      if (by == 0) continue;
      if (budget_.notion() == PrivacyNotion::kPure) {
        epsilon += static_cast<long double>(std::abs(by)) / value_of(noise);
        continue;
      }
      for (std::size_t a = 0; a < std::size(kOrders); ++a) {
        divergence[a] += moved_divergence(noise, by, kOrders[a]);
      }
    }
    if (budget_.notion() == PrivacyNotion::kApproximate) {
      mu_squared += square / (value_of(noise) - static_cast<long double>(kLatticePart));
    }
    spent += parts;
  }

  std::size_t choose(std::span<const MarginalCandidate> candidates, std::uint32_t parts) override {
    const std::vector<long double> p = log_law(table_, candidates, parts);
    const std::vector<long double> q = log_law(neighbour_, candidates, parts);
    long double most = 0;
    for (std::size_t i = 0; i < p.size(); ++i) {
      most = std::max(most, std::abs(p[i] - q[i]));
    }
    epsilon += most;
    for (std::size_t a = 0; a < std::size(kOrders); ++a) divergence[a] += renyi(p, q, kOrders[a]);
    if (budget_.notion() == PrivacyNotion::kApproximate) {
      // No worse than a Gaussian of the parts' worth, at every epsilon.
      const double part = budget_.amount() * parts / MarginalBudget::kParts;
      for (const double at : {0.0, 0.01, 0.1, 0.5}) {
        long double excess = 0;
        for (std::size_t i = 0; i < p.size(); ++i) {
          excess += std::max(0.0L, std::exp(p[i]) - std::exp(static_cast<long double>(at) + q[i]));
        }
        EXPECT_LE(static_cast<double>(excess), gaussian_delta_up(std::sqrt(part), at) + 1e-15);
      }
      mu_squared += static_cast<long double>(part);
    }
    spent += parts;
    ++choices;
    const std::size_t chosen = answers_.choose(candidates, parts);
    if (candidates[chosen].table.columns.size() == 3) ++chosen_triples;
    return chosen;
  }

  long double epsilon = 0;
  long double divergence[std::size(kOrders)] = {};
  long double mu_squared = 0;
  std::uint64_t spent = 0;
  std::size_t choices = 0;
  std::size_t chosen_triples = 0;

 private:
  std::vector<long double> log_law(const PairCounts& counts,
                                   std::span<const MarginalCandidate> candidates,
                                   std::uint32_t parts) const {
    const long double eta = value_of(budget_.choice_rate(parts));
    std::vector<std::uint64_t> distances;
    for (const MarginalCandidate& candidate : candidates) {
      distances.push_back(exact_distance(counts, candidate));
    }
    const std::uint64_t least = *std::min_element(distances.begin(), distances.end());
    std::vector<long double> logs;
    for (const std::uint64_t distance : distances) {
      logs.push_back(-static_cast<long double>(distance - least) * eta);
    }
    const long double all = log_sum(logs);
    for (long double& log : logs) log -= all;
    return logs;
  }

  const PairCounts& table_;
  const PairCounts& neighbour_;
  const MarginalBudget& budget_;
  PrivateMarginals answers_;
};

using Rows = std::vector<std::vector<std::uint32_t>>;

/// With the triple of the first three columns, if there are as many.
PairCounts counts_of_rows(const std::vector<std::uint32_t>& sizes, const Rows& rows) {
  std::vector<Triple> triples;
  if (sizes.size() > 2) triples.push_back({0, 1, 2});
  PairCounts counts(sizes, triples);
  for (const auto& row : rows) counts.add(row, 1);
  return counts;
}

/// All records of these columns.
Rows all_records(const std::vector<std::uint32_t>& sizes) {
  Rows records = {{}};
  for (const std::uint32_t size : sizes) {
    Rows longer;
    for (const auto& record : records) {
      for (std::uint32_t value = 0; value < size; ++value) {
        longer.push_back(record);
        longer.back().push_back(value);
      }
    }
    records = std::move(longer);
  }
  return records;
}

struct Seen {
  long double share = 0;  ///< the greatest, as a share of the promise
  std::size_t pairs = 0;
  std::size_t choices = 0;
  std::size_t triples = 0;
};

/// `copies` of every record are in all tables with n others.
///
/// With a `weight` above 1, the last record and the one that it is replaced by have weights of at
/// most that, and the total is not public; all other records weigh 1.
Seen compare(const std::vector<std::uint32_t>& sizes, std::size_t n, std::uint64_t copies,
             Neighbours neighbours, const Privacy& budget, bool copula, std::uint64_t weight,
             const PossibleRecords* possible = nullptr,
             std::vector<std::vector<std::size_t>> questions = {}) {
  MarginalRequest request{{}, budget, {weight, neighbours}, {}, copula, std::move(questions)};
  Rows records = all_records(sizes);
  std::optional<RulesOfCells> rules;
  if (possible != nullptr) rules.emplace(RulesOfCells{*possible, {}});
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    request.columns.push_back({sizes[i], sizes[i] > 2});
    if (possible == nullptr) continue;
    rules->bins.push_back(single_cells(sizes[i]));
    if (!possible->follows(i)) continue;
    request.columns.back() = {.follows = true};
    rules->bins.back() = {std::vector<std::uint32_t>(sizes[i]), 1};
  }
  // A record that breaks a rule is counted as the one that stands for it.
  if (possible != nullptr) {
    for (auto& record : records) {
      possible->map(record);
      for (std::size_t i = 0; i < sizes.size(); ++i) {
        if (possible->follows(i)) record[i] = 0;
      }
    }
  }
  if (neighbours == Neighbours::kReplace && weight == 1) {
    request.records = n + copies * records.size();
  }
  MarginalDesign design = design_marginals(request);
  // Coarse scores, so that noise has few values to add up.
  if (copula) design.score_steps = 2;
  const MarginalBudget parts(budget, request.unit);
  SecureRandom random;
  Seen seen;
  // Tables: n - 1 records, spread over all, and every last record, replaced by every other one.
  for (std::size_t first = 0; first < records.size();
       first += test::whole_or_sanitized<std::size_t>(1, 3)) {
    Rows rows;
    for (std::size_t i = 0; i + 1 < n; ++i) {
      rows.push_back(records[(first + i * (first + 3)) % records.size()]);
    }
    for (std::size_t last = 0; last < records.size(); ++last) {
      for (std::size_t other = 0; other < records.size(); ++other) {
        if (other == last) continue;
        Rows one = rows;
        Rows two = rows;
        PairCounts left = counts_of_rows(sizes, one);
        PairCounts right = counts_of_rows(sizes, two);
        // The greatest weight, or any other.
        left.add(records[last], weight - (last + other) % 3 / 2 * (weight - 1));
        if (neighbours == Neighbours::kReplace) {
          right.add(records[other], weight - (last + other) % 4 / 3 * (weight - 1));
        } else if (other != (last + 1) % records.size()) {
          continue;  // removed once
        }
        for (const auto& record : records) {
          left.add(record, copies);
          right.add(record, copies);
        }
        const bool turned = (last + first) % 2 == 0;
        PartsLeft all;
        if (design.error_parts > 0) static_cast<void>(all.set_apart(design.error_parts));
        ComparedAnswers answers(turned ? right : left, turned ? left : right, parts, random, all);
        static_cast<void>(learn_marginals(design, answers, nullptr, rules ? &*rules : nullptr));
        if (design.error_parts > 0) {
          // Rows like either table, or brought to another weight.
          const PairCounts& like = last % 2 == 0 ? left : right;
          std::uint64_t drawn = 0;
          for (const std::uint64_t count : like.column(0)) drawn += count;
          answers.measure_error({like, drawn, drawn + other % 3}, asked_columns(design),
                                design.rows_parts());
          PairCounts alike = like;
          const std::uint64_t products = make_independent(alike, drawn);
          answers.measure_error({alike, products, drawn + other % 3}, asked_columns(design),
                                design.independent_parts());
        }
        ++seen.pairs;
        seen.choices += answers.choices;
        seen.triples += answers.chosen_triples;
        EXPECT_LE(answers.spent, MarginalBudget::kParts);
        const auto look = [&](long double found, double promised) {
          EXPECT_LE(found, promised * (1 + 1e-9L));
          seen.share = std::max(seen.share, found / promised);
        };
        switch (budget.notion) {
          case PrivacyNotion::kPure:
            look(answers.epsilon, budget.epsilon);
            break;
          case PrivacyNotion::kConcentrated:
            for (std::size_t a = 0; a < std::size(kOrders); ++a) {
              look(answers.divergence[a], budget.rho * static_cast<double>(kOrders[a]));
            }
            break;
          case PrivacyNotion::kApproximate:
          case PrivacyNotion::kGaussian:
            look(answers.mu_squared, design.amount);
            EXPECT_LE(adaptive_gaussian_delta_up(
                          std::max(1e-12, static_cast<double>(answers.mu_squared)), budget.epsilon),
                      budget.delta * (1 + 1e-6));
            break;
        }
      }
    }
  }
  return seen;
}

class MarginalsBruteForce : public testing::TestWithParam<Neighbours> {};

TEST_P(MarginalsBruteForce, NoPathOfAnswersTellsNeighboursApartByMoreThanIsPromised) {
  // Few records and budgets so large that their cells exceed the noise, or many and usual budgets.
  const std::vector<Privacy> large = {Privacy::pure(150), Privacy::concentrated(150)};
  const std::vector<Privacy> usual = {Privacy::pure(2), Privacy::concentrated(0.5),
                                      Privacy::approximate(1.5, 1e-3)};
  const struct {
    std::vector<std::uint32_t> sizes;
    std::size_t n;
    std::uint64_t copies;
    const std::vector<Privacy>& budgets;
    bool copula = false;
    std::uint64_t weight = 1;
    std::vector<std::vector<std::size_t>> questions{};
  } tables[] = {{{2, 2}, 6, 0, large},
                {{2, 3}, 5, 0, large},
                {{2, 2, 2}, 6, 0, large},
                {{2, 2}, 3, 100, usual},
                {{2, 3}, 2, 100, usual},
                {{2, 2, 2}, 2, 100, usual},
                {{2, 3}, 5, 0, large, true},
                {{2, 2, 2}, 6, 0, large, true},
                {{3, 3}, 3, 100, usual, true},
                {{2, 2, 3}, 2, 100, usual, true},
                {{2, 3}, 2, 100, usual, false, 7},
                {{2, 2, 2}, 6, 0, large, false, 7},
                {{3, 3}, 3, 100, usual, true, 7},
                {{2, 3}, 2, 100, usual, false, 1, {{0, 1}}},
                {{2, 2, 2}, 6, 0, large, false, 7, {{0, 2}}},
                {{2, 2, 2}, 2, 100, usual, false, 1, {{0, 1}, {0, 2}, {1, 2}}},
                {{2, 2, 2}, 2, 100, usual, false, 1, {{0, 1, 2}}}};
  for (const auto& table : tables) {
    std::size_t choices = 0;
    for (const Privacy& budget : table.budgets) {
      const Seen seen = compare(table.sizes, table.n, table.copies, GetParam(), budget,
                                table.copula, table.weight, nullptr, table.questions);
      std::printf(
          "%s%s%s%s, %zu columns, n = %zu and %zu, %s: %zu pairs, %zu choices, %zu of triples, "
          "%.3Lf of the promise\n",
          name_of(GetParam()).data(), table.copula ? ", copula" : "",
          table.weight > 1 ? ", weights" : "", table.questions.empty() ? "" : ", questions",
          table.sizes.size(), table.n, static_cast<std::size_t>(table.copies),
          budget.text().c_str(), seen.pairs, seen.choices, seen.triples, seen.share);
      EXPECT_GT(seen.share, 0.5) << "what is spent is not felt";
      choices += seen.choices;
    }
    // Nothing is chosen where questions join all columns and take what is left.
    if (table.questions.empty()) {
      EXPECT_EQ(choices > 0, !table.copula);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, MarginalsBruteForce,
                         testing::Values(Neighbours::kReplace, Neighbours::kAddRemove),
                         [](const auto& tested) {
                           return tested.param == Neighbours::kReplace ? "Replace" : "AddRemove";
                         });

/// The theorem of ProductWeight for all pairs of records with scores at their ends, and beyond: the
/// bounds hold, and are met where the number of columns is even.
TEST(ProductWeight, BoundsWhatOneRecordMoves) {
  for (std::size_t d = 2; d <= 5; ++d) {
    const std::vector<std::uint32_t> sizes(d, 3);
    const CellScores scores{std::vector<std::vector<std::int64_t>>(d, {-4, 1, 9}), 4};
    const Rows records = all_records(sizes);
    std::int64_t most = 0;
    std::int64_t most_alone = 0;
    std::vector<std::vector<std::int64_t>> products;
    for (const auto& record : records) {
      products.push_back(exact_products(counts_of_rows(sizes, {record}), scores));
    }
    for (const auto& one : products) {
      for (const auto& other : products) {
        std::int64_t moved = 0;
        std::int64_t alone = 0;
        for (std::size_t pair = 0; pair < one.size(); ++pair) {
          moved += (one[pair] - other[pair]) * (one[pair] - other[pair]);
          alone += one[pair] * one[pair];
        }
        most = std::max(most, moved);
        most_alone = std::max(most_alone, alone);
      }
    }
    const ProductWeight replaced{{1, Neighbours::kReplace}, d};
    const ProductWeight removed{{1, Neighbours::kAddRemove}, d};
    EXPECT_LE(most, 256 * static_cast<std::int64_t>(replaced.square()));
    EXPECT_EQ(most == 256 * static_cast<std::int64_t>(replaced.square()), d % 2 == 0) << d;
    EXPECT_EQ(most_alone, 256 * static_cast<std::int64_t>(removed.square()));
  }
}

/// The distance's theorem where sums are cut and penalties are great.
TEST(MarginalCandidate, DistancesMoveByOneRecordAtMost) {
  PairCounts left({2, 2});
  PairCounts right({2, 2});
  const std::vector<std::uint32_t> one = {0, 1};
  const std::vector<std::uint32_t> two = {1, 0};
  left.add(one, 1);
  right.add(two, 1);
  for (const std::uint64_t expected : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1} << 59U,
                                       (std::uint64_t{1} << 61U) - 2, ~std::uint64_t{0}}) {
    for (const std::uint64_t penalty : {std::uint64_t{0}, std::uint64_t{7}, ~std::uint64_t{0}}) {
      const MarginalCandidate candidate{
          {{0, 1}, {single_cells(2), single_cells(2)}}, {0, expected, 1, 0}, penalty};
      const std::uint64_t a = exact_distance(left, candidate);
      const std::uint64_t b = exact_distance(right, candidate);
      EXPECT_LE(std::max(a, b) - std::min(a, b), 2U);
    }
  }
}

TEST(MarginalsUnderRules, NeighboursStayBelowThePromise) {
  const auto words = [](const std::string& name, const std::vector<std::string>& values) {
    Mapping mapping;
    mapping.null_value = values.front();
    return Column::make(name, Categories::make(values, true), mapping);
  };
  const std::vector<Column> columns = {words("a", {"0", "1", "2"}), words("b", {"0", "1", "2"}),
                                       words("c", {"0", "1"})};
  std::vector<RuleDeclaration> rules = {{.text = "if a == 0 then b == 0"},
                                        {.text = "if b == 2 then a == 2"}};
  rules.push_back({.column = "c", .from = "a", .map = {{"0", "0"}, {"1", "1"}, {"2", "1"}}});
  const PossibleRecords possible(columns, rules);
  for (const Neighbours neighbours : {Neighbours::kReplace, Neighbours::kAddRemove}) {
    for (const Privacy& budget : {Privacy::pure(1), Privacy::concentrated(0.5)}) {
      const Seen seen = compare({3, 3, 2}, 4, 3, neighbours, budget, false, 1, &possible);
      EXPECT_GT(seen.pairs, 100U);
      EXPECT_GT(seen.choices, 0U);
      EXPECT_GT(seen.share, 0.5L) << "the promise is not met by far, so nothing is shown";
    }
  }
}

}  // namespace

}  // namespace mollify
