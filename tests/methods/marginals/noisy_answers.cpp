#include "methods/marginals/noisy_answers.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include <gtest/gtest.h>

#include "accounting/gaussian.h"
#include "kernel/noise.h"
#include "methods/marginals/learner.h"
#include "replay.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Private bins.

namespace {

long double rate_value(Ratio rate) {
  return static_cast<long double>(rate.numerator) / static_cast<long double>(rate.denominator);
}

/// The logarithms of the probabilities of a run's cuts.
std::vector<long double> log_cut_law(std::span<const std::uint64_t> run, std::size_t level,
                                     Ratio rate) {
  const std::vector<std::uint64_t> distances =
      cut_distances(run, level + 1 < kBinLevels ? CutBy::kMedian : CutBy::kUnevenness);
  const std::uint64_t least = *std::min_element(distances.begin(), distances.end());
  std::vector<long double> logs;
  long double all = 0;
  for (const std::uint64_t distance : distances) {
    logs.push_back(-static_cast<long double>(distance - least) * rate_value(rate));
    all += std::exp(logs.back());
  }
  for (long double& log : logs) log -= std::log(all);
  return logs;
}

/// The laws of all cuts of a column together on two tables of counts: every path of cuts with its
/// two log-probabilities.
struct TwoLaws {
  std::vector<long double> p;
  std::vector<long double> q;
};

void follow(std::span<const std::uint64_t> one, std::span<const std::uint64_t> two,
            std::vector<CellRun> runs, std::vector<CellRun> next, std::size_t level, Ratio rate,
            long double log_p, long double log_q, TwoLaws& laws) {
  if (runs.empty()) {
    if (level + 1 == kBinLevels) {
      laws.p.push_back(log_p);
      laws.q.push_back(log_q);
      return;
    }
    return follow(one, two, std::move(next), {}, level + 1, rate, log_p, log_q, laws);
  }
  const auto [first, end] = runs.back();
  runs.pop_back();
  if (end - first < 2) {
    next.emplace_back(first, end);
    return follow(one, two, std::move(runs), std::move(next), level, rate, log_p, log_q, laws);
  }
  const auto p = log_cut_law(one.subspan(first, end - first), level, rate);
  const auto q = log_cut_law(two.subspan(first, end - first), level, rate);
  for (std::uint32_t cut = 0; cut < p.size(); ++cut) {
    std::vector<CellRun> halves = next;
    halves.emplace_back(first, first + cut + 1);
    halves.emplace_back(first + cut + 1, end);
    follow(one, two, runs, std::move(halves), level, rate, log_p + p[cut], log_q + q[cut], laws);
  }
}

long double renyi_divergence(const TwoLaws& laws, long double order) {
  long double sum = 0;
  for (std::size_t i = 0; i < laws.p.size(); ++i) {
    sum += std::exp(order * laws.p[i] + (1 - order) * laws.q[i]);
  }
  return std::log(sum) / (order - 1);
}

using CellCounts = std::vector<std::uint64_t>;

/// A unit's weight, in all ways to share it out among this many cells.
std::vector<CellCounts> all_shares(std::size_t cells, std::uint64_t weight) {
  if (cells == 1) return {{weight}};
  std::vector<CellCounts> all;
  for (std::uint64_t first = 0; first <= weight; ++first) {
    for (CellCounts rest : all_shares(cells - 1, weight - first)) {
      rest.insert(rest.begin(), first);
      all.push_back(std::move(rest));
    }
  }
  return all;
}

/// The exact joint law of all four levels of cuts of a column of five cells, on every table of few
/// units and every neighbour: epsilon and the Renyi curve are never above what the levels take.
TEST(PrivateBins, TheJointLawOfAllCutsKeepsWhatTheyTake) {
  constexpr std::size_t kCells = 5;
  const CellRun whole{0, kCells};
  for (const std::uint64_t weight : {std::uint64_t{1}, std::uint64_t{3}}) {
    const std::vector<CellCounts> units = all_shares(kCells, weight);
    for (const Neighbours neighbours : {Neighbours::kReplace, Neighbours::kAddRemove}) {
      const UnitWeight unit{weight, neighbours};
      for (const Privacy& budget : {Privacy::pure(3), Privacy::concentrated(1)}) {
        const MarginalBudget parts(budget, unit);
        const std::uint32_t each = MarginalBudget::kParts / kBinLevels;
        const Ratio rate = parts.choice_rate(each);
        long double share = 0;
        std::size_t pairs = 0;
        for (std::size_t fixed = 0; fixed < units.size(); fixed += weight == 1 ? 1 : 7) {
          for (const CellCounts& last : units) {
            CellCounts one(kCells);
            for (std::size_t i = 0; i < kCells; ++i) one[i] = 2 * units[fixed][i] + last[i];
            for (const CellCounts& other : units) {
              if (weight > 1 && (pairs++ % 5) != 0) continue;
              CellCounts two(kCells);
              const bool replaced = neighbours == Neighbours::kReplace;
              for (std::size_t i = 0; i < kCells; ++i) {
                two[i] = 2 * units[fixed][i] + (replaced ? other[i] : 0);
              }
              TwoLaws laws;
              follow(one, two, {whole}, {}, 0, rate, 0, 0, laws);
              if (budget.notion == PrivacyNotion::kPure) {
                for (std::size_t i = 0; i < laws.p.size(); ++i) {
                  share = std::max(share, std::abs(laws.p[i] - laws.q[i]) / budget.epsilon);
                }
              } else {
                for (const long double order : {1.5L, 2.0L, 8.0L}) {
                  share = std::max(share, renyi_divergence(laws, order) /
                                              (order * static_cast<long double>(budget.rho)));
                }
              }
              if (!replaced) break;
            }
          }
        }
        std::printf("weight %u, %s, %s: %.3Lf of the promise at most\n",
                    static_cast<unsigned>(weight), name_of(neighbours).data(),
                    budget.text().c_str(), share);
        EXPECT_LE(share, 1 + 1e-9L);
        EXPECT_GT(share, 0.02) << "what is spent is not felt";
      }
    }
  }
}

TEST(PrivateBins, AreOfAboutEqualMassWithCellsApart) {
  MarginalColumn column{1000, true, true, {300, 999}};
  CellCounts counts(1000);
  for (std::size_t i = 0; i < 1000; ++i) counts[i] = 20 + (i < 100 ? 400 : 0);
  counts[300] = 100'000;
  const MarginalBudget budget(Privacy::concentrated(1), {1, Neighbours::kAddRemove});
  SecureRandom random;
  PartsLeft parts;
  const CellGroups bins =
      private_bins(column, counts, budget, MarginalBudget::kParts / 8, parts, random);
  EXPECT_EQ(parts.left(), MarginalBudget::kParts / 2);
  EXPECT_EQ(bins.count, counted_cells(column));
  EXPECT_EQ(bins.count, 34U);
  EXPECT_TRUE(std::is_sorted(bins.of.begin(), bins.of.end()));
  CellCounts masses(bins.count);
  for (std::size_t i = 0; i < 1000; ++i) masses[bins.of[i]] += counts[i];
  EXPECT_EQ(masses[bins.of[300]], 100'000U);
  EXPECT_EQ(masses[bins.of[999]], 20U);
  // Cells before and after the spike: 46 000 and 13 960, in eight bins each, which are cut once
  // more. A cut is off by 100 with probability below 700 e^-100 eta, eta = sqrt(2 / 8): no run of
  // this test is.
  for (std::uint32_t bin = 0; bin < bins.count; ++bin) {
    if (bin == bins.of[300] || bin == bins.of[999]) continue;
    const double most = bin < bins.of[300] ? 46'000.0 / 8 + 3 * 420 : 13'960.0 / 8 + 250;
    EXPECT_LE(static_cast<double>(masses[bin]), most) << bin;
  }
}

/// All weight in one cell of many: it has a bin of its own, or nearly.
TEST(PrivateBins, TellFrequentCellsFromEmptyOnes) {
  CellCounts counts(2000);
  counts[700] = 50'000;
  const MarginalBudget budget(Privacy::concentrated(1), {1, Neighbours::kAddRemove});
  SecureRandom random;
  PartsLeft parts;
  const CellGroups bins = private_bins({2000, true, true, {}}, counts, budget,
                                       MarginalBudget::kParts / 8, parts, random);
  const auto width = std::count(bins.of.begin(), bins.of.end(), bins.of[700]);
  std::printf("a cell's bin has %ld cells\n", static_cast<long>(width));
  EXPECT_LE(width, 1000);
}

TEST(PrivateBins, AreTotal) {
  const MarginalBudget budget(Privacy::pure(0.5), {1, Neighbours::kReplace});
  SecureRandom random;
  for (const CellCounts& counts :
       {CellCounts(5), CellCounts{0, 0, std::uint64_t{1} << 62U, 0, std::uint64_t{1} << 62U},
        CellCounts{7}, CellCounts{1, 0}}) {
    MarginalColumn column{static_cast<std::uint32_t>(counts.size()), true, true, {}};
    PartsLeft parts;
    const CellGroups bins = private_bins(column, counts, budget, 100, parts, random);
    EXPECT_EQ(bins.of.size(), counts.size());
    EXPECT_EQ(bins.of.back() + 1, bins.count);
    EXPECT_EQ(bins.count, counts.size()) << "four levels cut five cells apart";
  }
}

TEST(PrivateBins, AModelOverThemIsOneOverTheirCells) {
  const std::vector<CellGroups> bins = {{{0, 0, 0, 1}, 2}, single_cells(2)};
  const MarginalModel coarse({{single_cells(2), {0.25, 0.75}}, {CellGroups{{0, 0}, 1}, {0.5, 0.5}}},
                             GraphicalModel::uniform({2, 1}, 10));
  const MarginalModel fine = without_bins(coarse, bins, {{0, 0, 0, 0}, {0, 0}});
  EXPECT_EQ(fine.columns()[0].groups, bins[0]);
  EXPECT_EQ(fine.columns()[0].shares, (std::vector<double>{0.25 / 3, 0.25 / 3, 0.25 / 3, 0.75}));
  EXPECT_EQ(fine.columns()[1].shares, coarse.columns()[1].shares);
  const MarginalModel public_inside = without_bins(coarse, bins, {{5, 0, 0, 9}, {0, 1}});
  EXPECT_NEAR(public_inside.columns()[0].shares[0], 0.25 * 16 / 18, 1e-15);
  EXPECT_NEAR(public_inside.columns()[0].shares[2], 0.25 / 18, 1e-15);
  EXPECT_EQ(public_inside.columns()[0].shares[3], 0.75);
}

}  // namespace

// -----------------------------------------------------------------------------------------------
// What is drawn.

namespace {

using test::FrozenRandom;
using test::NoisedStatistic;
using test::Transcript;

constexpr std::uint32_t kAll = MarginalBudget::kParts;

const std::array kNotions = {Privacy::pure(2), Privacy::concentrated(0.5),
                             Privacy::approximate(1.5, 1e-3)};

/// Two columns of three cells, most of them empty: `records` at (0, 0), one at `last`.
PairCounts small_table(std::uint64_t records, std::uint32_t last, std::uint64_t weight = 1) {
  PairCounts counts({3, 3});
  counts.add(std::array{0U, 0U}, records * weight);
  counts.add(std::array{last, last}, weight);
  return counts;
}

MarginalTable column_table(std::size_t column) { return {{column}, {single_cells(3)}}; }
MarginalTable pair_table() { return {{0, 1}, {single_cells(3), single_cells(3)}}; }

/// The share of the budget that `parts` are.
long double share_of(const MarginalBudget& budget, std::uint32_t parts) {
  return static_cast<long double>(budget.amount()) * parts / kAll;
}

/// The scale or variance for this sensitivity, by the definition of each notion.
long double noise_wanted(const MarginalBudget& budget, std::uint32_t parts, long double sum,
                         long double square, long double lattice) {
  const long double share = share_of(budget, parts);
  switch (budget.notion()) {
    case PrivacyNotion::kPure:
      return sum / share;
    case PrivacyNotion::kConcentrated:
      return square / (2 * share);
    case PrivacyNotion::kApproximate:
    case PrivacyNotion::kGaussian:
      break;
  }
  return square / share + lattice;
}

/// The kernel's noise of this scale or variance from the first words of a seed.
std::vector<double> kernel_noise(PrivacyNotion notion, Ratio scale, std::size_t count,
                                 std::uint64_t seed) {
  FrozenRandom random(seed);
  std::vector<std::int64_t> noise(count);
  if (notion == PrivacyNotion::kPure) {
    DiscreteLaplace(scale).draw(noise, random);
  } else {
    DiscreteGaussian(scale).draw(noise, random);
  }
  return {noise.begin(), noise.end()};
}

/// Every cell of every answer, empty or not, has the kernel's noise for exactly what was paid.
TEST(PrivateMarginals, EveryCellHasTheNoiseThatWasPaidFor) {
  constexpr std::uint32_t kPaid = kAll / 8;
  const CellScores scores{{{-4, 1, 4}, {4, 0, -4}}, 4};
  for (const std::uint64_t weight : {std::uint64_t{1}, std::uint64_t{1000}}) {
    for (const Neighbours neighbours : {Neighbours::kReplace, Neighbours::kAddRemove}) {
      const auto w = static_cast<long double>(weight);
      const long double sum = neighbours == Neighbours::kReplace ? 2 * w : w;
      // Two columns have one pair, and a product of scores moves by W or 2 W times 4^2.
      const long double product = 16 * sum;
      const auto square_of = [&](long double counts) { return counts * sum * w; };
      for (const Privacy& notion : kNotions) {
        const MarginalBudget budget(notion, {weight, neighbours});
        const Ratio counted = budget.noise(kPaid);
        const Ratio multiplied = budget.product_noise(kPaid, 2, scores.steps);
        const auto expect_scale = [&](Ratio scale, long double wanted) {
          EXPECT_GE(test::value_of_ratio(scale), wanted * (1 - 1e-15L)) << notion.text();
          EXPECT_LE(test::value_of_ratio(scale), wanted * (1 + 1e-12L)) << notion.text();
        };
        const auto lattice = static_cast<long double>(kLatticePart);
        expect_scale(counted, noise_wanted(budget, kPaid, sum, square_of(1), lattice));
        const long double of_products =
            neighbours == Neighbours::kReplace ? product * product : 256 * w * w;
        expect_scale(multiplied, noise_wanted(budget, kPaid, product, of_products, lattice));
        const PairCounts table = small_table(5, 2, weight);
        for (std::uint64_t seed = 0; seed < 20; ++seed) {
          const auto look = [&](const std::vector<double>& noisy, const auto& exact, Ratio scale) {
            const auto noise = kernel_noise(notion.notion, scale, exact.size(), seed);
            ASSERT_EQ(noisy.size(), exact.size());
            for (std::size_t i = 0; i < exact.size(); ++i) {
              EXPECT_EQ(noisy[i], static_cast<double>(exact[i]) + noise[i]) << i;
            }
          };
          for (const MarginalTable& asked : {column_table(1), pair_table()}) {
            FrozenRandom random(seed);
            PrivateMarginals answers(table, budget, random);
            look(answers.measure(asked, kPaid), exact_counts(table, asked), counted);
            EXPECT_EQ(answers.left(), kAll - kPaid);
          }
          FrozenRandom random(seed);
          PrivateMarginals answers(table, budget, random);
          look(answers.products(scores, kPaid), exact_products(table, scores), multiplied);
          EXPECT_EQ(answers.left(), kAll - kPaid);
        }
      }
    }
  }
}

/// The law of a choice, as it is drawn.
test::DrawnLaw<std::size_t> law_of_choice(const PairCounts& table, const MarginalBudget& budget,
                                          const std::vector<MarginalCandidate>& candidates,
                                          std::uint32_t parts) {
  return test::drawn_law([&](SecureRandom& random) {
    PrivateMarginals answers(table, budget, random);
    const std::size_t chosen = answers.choose(candidates, parts);
    EXPECT_EQ(answers.left(), kAll - parts);
    return chosen;
  });
}

/// A record that moves brings the first candidate nearer by all that a record can, and takes the
/// second one farther, which is nearly always chosen.
std::vector<MarginalCandidate> opposite_candidates(std::uint64_t penalty) {
  return {{column_table(0), {0, 0, 1000}, penalty}, {column_table(0), {0, 1000, 0}, 0}};
}

/// The eta that a choice of sensitivity Delta may have for its part.
long double eta_paid(const MarginalBudget& budget, std::uint32_t parts) {
  const long double share = share_of(budget, parts);
  const auto delta = static_cast<long double>(budget.unit().sum());
  switch (budget.notion()) {
    case PrivacyNotion::kPure:
      return share / (2 * delta);
    case PrivacyNotion::kConcentrated:
      return std::sqrt(2 * share) / delta;
    case PrivacyNotion::kApproximate:
    case PrivacyNotion::kGaussian:
      break;
  }
  return std::sqrt(2 * share / std::acos(-1.0L)) / delta;
}

TEST(PrivateMarginals, AChoiceHasTheRateThatWasPaidFor) {
  for (const Neighbours neighbours : {Neighbours::kReplace, Neighbours::kAddRemove}) {
    for (const Privacy& notion : kNotions) {
      const MarginalBudget budget(notion, {1, neighbours});
      for (const std::uint32_t parts : {kAll, kAll / 4, kAll / 64}) {
        const long double eta = eta_paid(budget, parts);
        const std::uint64_t farther = 3;
        const auto law =
            law_of_choice(small_table(0, 0), budget, opposite_candidates(farther), parts);
        // Both candidates are as far from the table, so the penalty alone tells them apart.
        const long double seen = std::log(law.at(1) / law.at(0)) / farther;
        EXPECT_LE(seen, eta * (1 + 1e-12L)) << notion.text() << ", " << parts;
        EXPECT_GE(seen, eta * (1 - 1e-9L)) << notion.text() << ", " << parts;
      }
    }
  }
}

/// Audits: on a worst pair, each question alone tells as much as its promise allows, and no more.
TEST(PrivateMarginals, AuditsOfEachQuestionMeetThePromise) {
  const CellScores scores{{{-4, 1, 4}, {-4, 1, 4}}, 4};
  CellScores opposite = scores;
  const auto expect_share = [](const char* what, const Privacy& budget, long double seen,
                               long double promised) {
    std::printf("%s, %s: %.4Lf of the promise\n", what, budget.text().c_str(), seen / promised);
    EXPECT_LE(seen, promised * (1 + 1e-12L));
    EXPECT_GE(seen, promised * 0.95L);
  };
  for (const Privacy& notion : kNotions) {
    const MarginalBudget budget(notion, {1, Neighbours::kReplace});
    const bool pure = notion.notion == PrivacyNotion::kPure;
    const auto audit = [&](const char* what, const PairCounts& one, const PairCounts& other,
                           const auto& ask, Ratio noise) {
      long double scale = test::value_of_ratio(noise);
      // Rounding to integers is paid for in addition to the answers
      // (accounting/gaussian.h).
      if (notion.notion == PrivacyNotion::kApproximate)
        scale -= static_cast<long double>(kLatticePart);
      const auto loss = test::replayed_loss(
          [&](const PairCounts& table, SecureRandom& random) {
            PrivateMarginals answers(table, budget, random);
            const std::vector<double> noisy = ask(answers);
            return Transcript{NoisedStatistic{{noisy.begin(), noisy.end()},
                                              pure ? test::Noise::kLaplace : test::Noise::kGaussian,
                                              scale}};
          },
          one, other, 7);
      const long double seen = pure                                            ? loss.epsilon
                               : notion.notion == PrivacyNotion::kConcentrated ? loss.rho()
                                                                               : loss.mu_squared;
      expect_share(what, notion, seen, static_cast<long double>(budget.amount()));
    };
    for (const MarginalTable& table : {column_table(0), pair_table()}) {
      audit(
          "counts", small_table(9, 1), small_table(9, 2),
          [&](MarginalAnswers& answers) { return answers.measure(table, kAll); },
          budget.noise(kAll));
    }
    // Scores of -4 and -4 have the product 16; -4 and 4 have -16.
    PairCounts crossed = small_table(9, 0);
    PairCounts equal = small_table(9, 0);
    crossed.add(std::array{0U, 2U}, 1);
    equal.add(std::array{2U, 2U}, 1);
    audit(
        "products", crossed, equal,
        [&](MarginalAnswers& answers) { return answers.products(scores, kAll); },
        budget.product_noise(kAll, 2, scores.steps));
  }
  const MarginalBudget budget(Privacy::pure(2), {1, Neighbours::kReplace});
  const auto candidates = opposite_candidates(12);
  const auto one = law_of_choice(small_table(9, 1), budget, candidates, kAll);
  const auto other = law_of_choice(small_table(9, 2), budget, candidates, kAll);
  expect_share("a choice", Privacy::pure(2), test::greatest_log_ratio(one, other), 2);
}

/// The questions of a learner, asked again on another table.
class AskedAgain final : public MarginalAnswers {
 public:
  AskedAgain(PrivateMarginals& answers, const MarginalBudget& budget)
      : answers_(answers), budget_(budget) {}

  [[nodiscard]] std::uint32_t left() const override { return answers_.left(); }
  std::vector<double> measure(const MarginalTable& table, std::uint32_t parts) override {
    asked.push_back({table, {}, {}, parts});
    return noted(answers_.measure(table, parts), budget_.noise(parts));
  }
  std::vector<double> products(const CellScores& scores, std::uint32_t parts) override {
    asked.push_back({{}, scores, {}, parts});
    return noted(answers_.products(scores, parts),
                 budget_.product_noise(parts, scores.columns.size(), scores.steps));
  }
  std::size_t choose(std::span<const MarginalCandidate> candidates, std::uint32_t parts) override {
    asked.push_back({{}, {}, {candidates.begin(), candidates.end()}, parts});
    return answers_.choose(candidates, parts);
  }

  struct Question {
    MarginalTable table;
    CellScores scores;
    std::vector<MarginalCandidate> candidates;
    std::uint32_t parts;
  };
  void ask(const Question& question) {
    if (!question.candidates.empty()) {
      static_cast<void>(choose(question.candidates, question.parts));
    } else if (!question.scores.columns.empty()) {
      static_cast<void>(products(question.scores, question.parts));
    } else {
      static_cast<void>(measure(question.table, question.parts));
    }
  }

  std::vector<Question> asked;
  Transcript transcript;

 private:
  std::vector<double> noted(std::vector<double> noisy, Ratio noise) {
    const bool pure = budget_.notion() == PrivacyNotion::kPure;
    transcript.push_back({{noisy.begin(), noisy.end()},
                          pure ? test::Noise::kLaplace : test::Noise::kGaussian,
                          test::value_of_ratio(noise)});
    return noisy;
  }

  PrivateMarginals& answers_;
  const MarginalBudget& budget_;
};

/// A whole run of the learner, replayed on a neighbour: measurements and choices together.
TEST(PrivateMarginals, AReplayedLearnerSpendsNoMoreThanItPaid) {
  for (const bool copula : {false, true}) {
    for (const Neighbours neighbours : {Neighbours::kReplace, Neighbours::kAddRemove}) {
      for (const Privacy& notion : kNotions) {
        MarginalRequest request{
            {{3, true}, {3, true}, {2, true}}, notion, {1, neighbours}, {}, copula};
        if (neighbours == Neighbours::kReplace) request.records = 101;
        const MarginalDesign design = design_marginals(request);
        const MarginalBudget budget(notion, request.unit);
        PairCounts one({3, 3, 2});
        PairCounts other({3, 3, 2});
        for (std::uint32_t i = 0; i < 100; ++i) {
          for (PairCounts* table : {&one, &other})
            table->add(std::array{i % 3, i % 5 % 3, i % 2}, 1);
        }
        one.add(std::array{0U, 2U, 0U}, 1);
        if (neighbours == Neighbours::kReplace) other.add(std::array{2U, 0U, 1U}, 1);
        std::vector<AskedAgain::Question> asked;
        long double chosen_for = 0;  // of the budget
        const auto loss = test::replayed_loss(
            [&](const PairCounts& table, SecureRandom& random) {
              PrivateMarginals answers(table, budget, random);
              AskedAgain replay(answers, budget);
              if (asked.empty()) {
                static_cast<void>(learn_marginals(design, replay));
                asked = replay.asked;
              } else {
                for (const auto& question : asked) replay.ask(question);
              }
              EXPECT_LT(answers.left(), kAll / 16);
              return replay.transcript;
            },
            one, other, 11);
        for (const auto& question : asked) {
          if (!question.candidates.empty()) chosen_for += share_of(budget, question.parts);
        }
        const long double seen = notion.notion == PrivacyNotion::kPure           ? loss.epsilon
                                 : notion.notion == PrivacyNotion::kConcentrated ? loss.rho()
                                                                                 : loss.mu_squared;
        const auto promised = static_cast<long double>(budget.amount());
        std::printf("%s%s, %s: %zu questions, measurements tell %.3Lf, choices may tell %.3Lf\n",
                    name_of(neighbours).data(), copula ? ", copula" : "", notion.text().c_str(),
                    asked.size(), seen / promised, chosen_for / promised);
        EXPECT_LE(seen + chosen_for, promised * (1 + 1e-12L));
        EXPECT_GE(seen, promised * 0.3L) << "what is spent is not felt";
      }
    }
  }
}

/// The theorem of cut_distances on all tables of few records of up to six cells.
TEST(PrivateBins, DistancesOfCutsMoveByOneRecordAtMost) {
  for (const CutBy by : {CutBy::kMedian, CutBy::kUnevenness}) {
    for (std::size_t cells = 2; cells <= 6; ++cells) {
      std::uint64_t most = 0;
      std::uint64_t most_alone = 0;
      const auto moved = [&](std::span<const std::uint64_t> one,
                             std::span<const std::uint64_t> two) {
        const auto before = cut_distances(one, by);
        const auto after = cut_distances(two, by);
        std::uint64_t greatest = 0;
        for (std::size_t i = 0; i < before.size(); ++i) {
          greatest = std::max(greatest,
                              before[i] > after[i] ? before[i] - after[i] : after[i] - before[i]);
        }
        return greatest;
      };
      // `rest` has up to three records anywhere, and the last record is in each cell in turn.
      for (std::size_t code = 0; code < cells * cells * cells * 8; ++code) {
        std::vector<std::uint64_t> rest(cells);
        rest[code / 8 % cells] += code % 2;
        rest[code / 8 / cells % cells] += code / 2 % 2;
        rest[code / 8 / cells / cells] += 5 * (code / 4 % 2);
        for (std::size_t last = 0; last < cells; ++last) {
          std::vector<std::uint64_t> one = rest;
          ++one[last];
          most_alone = std::max(most_alone, moved(one, rest));
          for (std::size_t other = 0; other < cells; ++other) {
            std::vector<std::uint64_t> two = rest;
            ++two[other];
            most = std::max(most, moved(one, two));
          }
        }
      }
      EXPECT_LE(most, (UnitWeight{1, Neighbours::kReplace}.sum())) << cells;
      EXPECT_LE(most_alone, (UnitWeight{1, Neighbours::kAddRemove}.sum())) << cells;
      EXPECT_GE(most, 1U) << "nothing moves";
    }
  }
}

/// The law of one cut, as it is drawn. Cuts after the first and the second of three cells have
/// distances 9 and 3.
TEST(PrivateBins, ACutHasTheRateThatWasPaidFor) {
  constexpr std::uint32_t kEach = kAll / 16;
  const std::vector<std::uint64_t> counts = {0, 6, 3};
  for (const Privacy& notion : kNotions) {
    const MarginalBudget budget(notion, {1, Neighbours::kReplace});
    const auto law = test::drawn_law([&](SecureRandom& random) {
      return cut_once(counts, {{0, 3}}, CutBy::kMedian, budget.choice_rate(kEach), random)
          .front()
          .second;
    });
    const long double seen = std::log(law.at(2) / law.at(1)) / 6;
    EXPECT_NEAR(static_cast<double>(seen / eta_paid(budget, kEach)), 1, 1e-9);
  }
}

/// Every level of a column's cuts is drawn at the rate of the parts that it took: the same words
/// and that rate give the same bins.
TEST(PrivateBins, EveryLevelIsCutAtTheRateThatItPaidFor) {
  constexpr std::uint32_t kEach = kAll / 64;
  const MarginalColumn column{60, true, true, {20}};
  std::vector<std::uint64_t> counts(60);
  for (std::size_t i = 0; i < counts.size(); ++i) counts[i] = i % 7;
  for (const Privacy& notion : kNotions) {
    const MarginalBudget budget(notion, {1, Neighbours::kReplace});
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
      FrozenRandom random(seed);
      PartsLeft parts;
      const CellGroups bins = private_bins(column, counts, budget, kEach, parts, random);
      EXPECT_EQ(parts.left(), kAll - 4 * kEach);
      FrozenRandom again(seed);
      std::vector<CellRun> runs = {{0, 20}, {21, 60}};
      for (const CutBy by : {CutBy::kMedian, CutBy::kMedian, CutBy::kMedian, CutBy::kUnevenness}) {
        runs = cut_once(counts, runs, by, budget.choice_rate(kEach), again);
      }
      EXPECT_EQ(bins.count, runs.size() + 1);
      for (const auto& [first, end] : runs) {
        EXPECT_EQ(bins.of[first], bins.of[end - 1]);
        EXPECT_EQ(std::count(bins.of.begin(), bins.of.end(), bins.of[first]), end - first);
      }
      EXPECT_EQ(random.word(), again.word()) << "words were drawn that pay for nothing";
    }
  }
}

}  // namespace

}  // namespace mollify
