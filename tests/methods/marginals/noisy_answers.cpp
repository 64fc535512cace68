#include "methods/marginals/noisy_answers.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <stdexcept>

#include <gtest/gtest.h>

#include "accounting/gaussian.h"
#include "kernel/noise.h"
#include "methods/marginals/learner.h"
#include "replay.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// What is drawn.

namespace {

using test::FrozenRandom;
using test::NoisedStatistic;
using test::Transcript;

constexpr std::uint32_t kAll = MarginalBudget::kParts;

constexpr std::array<std::size_t, 3> kThree = {0, 1, 2};

const std::array kNotions = {Privacy::pure(2), Privacy::concentrated(0.5),
                             Privacy::approximate(1.5, 1e-3)};

/// Two columns of three cells, most of them empty: `records` at (0, 0), one at `last`.
PairCounts small_table(std::uint64_t records, std::uint32_t last, std::uint64_t weight = 1) {
  PairCounts counts({3, 3});
  counts.add(std::array{0U, 0U}, records * weight);
  counts.add(std::array{last, last}, weight);
  return counts;
}

/// Three columns of three cells, likewise.
PairCounts small_table_of_three(std::uint64_t records, std::uint32_t last,
                                std::uint64_t weight = 1) {
  PairCounts counts({3, 3, 3}, {{0, 1, 2}});
  counts.add(std::array{0U, 0U, 0U}, records * weight);
  counts.add(std::array{last, last, last}, weight);
  return counts;
}

MarginalTable column_table(std::size_t column) { return {{column}, {single_cells(3)}}; }
MarginalTable pair_table() { return {{0, 1}, {single_cells(3), single_cells(3)}}; }
/// Its second column has two groups.
MarginalTable triple_table() {
  return {{0, 1, 2}, {single_cells(3), {{0, 1, 1}, 2}, single_cells(3)}};
}

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
          const PairCounts of_three = small_table_of_three(5, 2, weight);
          for (const MarginalTable& asked : {column_table(1), pair_table(), triple_table()}) {
            const PairCounts& of = asked.columns.size() == 3 ? of_three : table;
            FrozenRandom random(seed);
            PrivateMarginals answers(of, budget, random);
            look(answers.measure(asked, kPaid), exact_counts(of, asked), counted);
            EXPECT_EQ(answers.left(), kAll - kPaid);
          }
          FrozenRandom random(seed);
          PrivateMarginals answers(table, budget, random);
          look(answers.products(scores, kPaid), exact_products(table, scores), multiplied);
          EXPECT_EQ(answers.left(), kAll - kPaid);
          // Three pairs: their sum moves by 3 times what one moves, or each by itself.
          const bool pure = notion.notion == PrivacyNotion::kPure;
          const Ratio of_error = budget.distance_noise(kPaid, 3);
          expect_scale(of_error, noise_wanted(budget, kPaid, 3 * sum, 3 * sum * sum, lattice));
          const PairCounts rows = small_table_of_three(7, 1);
          const DrawnRows drawn{rows, 8, 6 * weight};
          auto far = exact_pair_distances(of_three, drawn, kThree);
          ASSERT_EQ(far.size(), 3U);
          if (pure) far = {far[0] + far[1] + far[2]};
          FrozenRandom again(seed);
          PrivateMarginals last(of_three, budget, again);
          look(last.distances(drawn, kThree, kPaid), far, of_error);
          EXPECT_EQ(last.left(), kAll - kPaid);
        }
      }
    }
  }
}

TEST(ExactCounts, OfATripleAreThoseOfItsRecordsInGroups) {
  PairCounts counts({2, 3, 4, 2}, {{0, 1, 3}, {1, 2, 3}});
  const MarginalTable table{{1, 2, 3}, {{{0, 1, 0}, 2}, {{0, 0, 1, 2}, 3}, single_cells(2)}};
  std::vector<std::uint64_t> expected(12);
  for (std::uint32_t record = 0; record < 48; ++record) {
    const std::array digits{record / 24, record / 8 % 3, record / 2 % 4, record % 2};
    const std::uint64_t weight = 1 + record * record;
    counts.add(digits, weight);
    expected[(table.groups[0].of[digits[1]] * 3 + table.groups[1].of[digits[2]]) * 2 + digits[3]] +=
        weight;
  }
  EXPECT_EQ(exact_counts(counts, table), expected);
  const MarginalTable uncounted{{0, 1, 2}, {single_cells(2), single_cells(3), single_cells(4)}};
  EXPECT_THROW(static_cast<void>(exact_counts(counts, uncounted)), std::out_of_range);
}

TEST(ExactPairDistances, AreOfTheRowsBroughtToTheTablesWeightAndRoundedDown) {
  // Of eight drawn rows seven are at 0 and one is at 1: of weight 600 these are 525 and 75.
  const PairCounts rows = small_table_of_three(7, 1);
  const PairCounts table = small_table_of_three(5, 2, 100);
  using Distances = std::vector<std::uint64_t>;
  EXPECT_EQ(exact_pair_distances(table, {rows, 8, 600}, kThree), (Distances{200, 200, 200}));
  const std::array<std::size_t, 2> two = {0, 2};
  EXPECT_EQ(exact_pair_distances(table, {rows, 8, 600}, two), Distances{200});
  // 527.625 instead of 500, and 75.375 instead of 100.
  EXPECT_EQ(exact_pair_distances(small_table_of_three(5, 1, 100), {rows, 8, 603}, two),
            Distances{52});
}

/// One record moves each pair by its weight, or twice that, whatever rows were drawn; and by no more
/// where counts and sums are cut.
TEST(IndependentColumns, HaveTheProductsOfTheirCounts) {
  PairCounts rows({2, 3});
  rows.add(std::array{0U, 2U}, 3);
  rows.add(std::array{1U, 0U}, 5);
  EXPECT_EQ(make_independent(rows, 8), 64U);
  const auto pairs = rows.pair(0, 1);
  EXPECT_EQ(std::vector(pairs.begin(), pairs.end()),
            (std::vector<std::uint64_t>{15, 0, 9, 25, 0, 15}));
  // Of 2^21 rows the products are brought from 2^42 to 2^40.
  PairCounts many({2, 3});
  many.add(std::array{0U, 2U}, 3U << 18U);
  many.add(std::array{1U, 0U}, 5U << 18U);
  EXPECT_EQ(make_independent(many, 1U << 21U), std::uint64_t{1} << 40U);
  const auto brought = many.pair(0, 1);
  for (std::size_t cell = 0; cell < 6; ++cell) EXPECT_EQ(brought[cell], pairs[cell] << 34U);
}

TEST(ExactPairDistances, MoveByOneRecordAtMost) {
  for (const std::uint64_t weight : {std::uint64_t{1}, std::uint64_t{1000}}) {
    std::uint64_t most = 0, most_alone = 0;
    for (const std::uint64_t rows : {1U, 3U, 8U, 97U}) {
      for (const std::uint64_t total :
           {std::uint64_t{1}, 6 * weight, 7 * weight + 3, std::uint64_t{1} << 59U}) {
        for (const std::uint64_t copies :
             {std::uint64_t{0}, std::uint64_t{5}, (std::uint64_t{1} << 44U) / weight}) {
          PairCounts drawn({3, 3, 3});
          drawn.add(std::array{0U, 0U, 0U}, rows / 2);
          drawn.add(std::array{1U, 1U, 1U}, rows - rows / 2);
          PairCounts table({3, 3, 3});
          table.add(std::array{0U, 0U, 0U}, copies * weight);
          table.add(std::array{1U, 1U, 1U}, copies * weight);
          const auto of = [&](const PairCounts& counts) {
            return exact_pair_distances(counts, {drawn, rows, total}, kThree);
          };
          const auto none = of(table);
          for (std::uint32_t cell = 0; cell < 3; ++cell) {
            PairCounts one = table;
            one.add(std::array{cell, cell, cell}, weight);
            for (std::uint32_t to = 0; to < 3; ++to) {
              PairCounts other = table;
              other.add(std::array{to, to, to}, weight);
              const auto a = of(one), b = of(other);
              for (std::size_t pair = 0; pair < 3; ++pair) {
                most = std::max(most, std::max(a[pair], b[pair]) - std::min(a[pair], b[pair]));
                most_alone = std::max(
                    most_alone, std::max(a[pair], none[pair]) - std::min(a[pair], none[pair]));
              }
            }
          }
        }
      }
    }
    EXPECT_EQ(most, (UnitWeight{weight, Neighbours::kReplace}.sum()));
    EXPECT_EQ(most_alone, (UnitWeight{weight, Neighbours::kAddRemove}.sum()));
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
    audit(
        "counts of three", small_table_of_three(9, 0), small_table_of_three(9, 2),
        [&](MarginalAnswers& answers) { return answers.measure(triple_table(), kAll); },
        budget.noise(kAll));
    const PairCounts rows = small_table_of_three(9, 1);
    audit(
        "distances", small_table_of_three(9, 1), small_table_of_three(9, 2),
        [&](PrivateMarginals& answers) {
          return answers.distances({rows, 10, 10}, kThree, kAll);
        },
        budget.distance_noise(kAll, 3));
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
  [[nodiscard]] std::span<const Triple> triples() const override { return answers_.triples(); }
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

  /// Of the drawn rows, once all else is answered.
  void ask_error(const DrawnRows& drawn, PrivateMarginals& last, std::uint32_t parts) {
    const Ratio noise = budget_.distance_noise(parts, 3);
    noted(last.distances(drawn, kThree, parts), noise);
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
  for (const char* const kind : {"counts", "copula", "questions"}) {
    const bool copula = kind == std::string_view("copula");
    for (const Neighbours neighbours : {Neighbours::kReplace, Neighbours::kAddRemove}) {
      for (const Privacy& notion : kNotions) {
        MarginalRequest request{
            {{3, true}, {3, true}, {2, true}}, notion, {1, neighbours}, {}, copula};
        if (kind == std::string_view("questions")) request.questions = {{0, 1}, {0, 1, 2}};
        if (neighbours == Neighbours::kReplace) request.records = 101;
        const MarginalDesign design = design_marginals(request);
        const MarginalBudget budget(notion, request.unit);
        PairCounts one({3, 3, 2}, {{0, 1, 2}});
        PairCounts other = one;
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
              PartsLeft parts;
              PartsLeft of_error = parts.set_apart(design.error_parts);
              PrivateMarginals answers(table, budget, random, parts);
              AskedAgain replay(answers, budget);
              if (asked.empty()) {
                static_cast<void>(learn_marginals(design, replay));
                asked = replay.asked;
              } else {
                for (const auto& question : asked) replay.ask(question);
              }
              EXPECT_LT(answers.left(), kAll / 16);
              PrivateMarginals last(table, budget, random, of_error);
              // As if rows like the first table had been drawn.
              replay.ask_error({one, 101, 101}, last, design.rows_parts());
              PairCounts alike = one;
              const std::uint64_t products = make_independent(alike, 101);
              replay.ask_error({alike, products, 101}, last, design.independent_parts());
              EXPECT_EQ(last.left(), 0U);
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
        std::printf("%s, %s, %s: %zu questions, measurements tell %.3Lf, choices may tell %.3Lf\n",
                    name_of(neighbours).data(), kind, notion.text().c_str(), asked.size(),
                    seen / promised, chosen_for / promised);
        EXPECT_LE(seen + chosen_for, promised * (1 + 1e-12L));
        EXPECT_GE(seen, promised * 0.3L) << "what is spent is not felt";
      }
    }
  }
}

/// A search for private bins, replayed on a neighbour.
TEST(PrivateMarginals, AReplayedSearchForBinsSpendsNoMoreThanItPaid) {
  constexpr std::uint32_t kEach = kAll / 16;
  const MarginalColumn column{400, true, true, {7, 399}, {399}};
  for (const Neighbours neighbours : {Neighbours::kReplace, Neighbours::kAddRemove}) {
    for (const Privacy& notion : kNotions) {
      const MarginalBudget budget(notion, {1, neighbours});
      PairCounts one({400});
      for (std::uint32_t i = 0; i < 400; ++i) one.add(std::array{i}, i == 300 ? 9000 : i % 3);
      PairCounts other = one;
      one.add(std::array{300U}, 1);
      if (neighbours == Neighbours::kReplace) other.add(std::array{20U}, 1);
      std::vector<AskedAgain::Question> asked;
      const auto loss = test::replayed_loss(
          [&](const PairCounts& table, SecureRandom& random) {
            PrivateMarginals answers(table, budget, random);
            AskedAgain replay(answers, budget);
            if (asked.empty()) {
              static_cast<void>(find_bins(column, replay, budget, kEach));
              asked = replay.asked;
            } else {
              for (const auto& question : asked) replay.ask(question);
            }
            EXPECT_EQ(answers.left(), kAll - kBinLevels * kEach);
            EXPECT_EQ(answers.rest().left(), answers.left());
            return replay.transcript;
          },
          one, other, 3);
      ASSERT_EQ(asked.size(), kBinLevels);
      const long double seen = notion.notion == PrivacyNotion::kPure           ? loss.epsilon
                               : notion.notion == PrivacyNotion::kConcentrated ? loss.rho()
                                                                               : loss.mu_squared;
      const long double promised = share_of(budget, kBinLevels * kEach);
      std::printf("%s, %s: %.3Lf of the levels' promise\n", name_of(neighbours).data(),
                  notion.text().c_str(), seen / promised);
      EXPECT_LE(seen, promised * (1 + 1e-12L));
      EXPECT_GE(seen, promised * 0.2L) << "what is spent is not felt";
    }
  }
}

}  // namespace

}  // namespace mollify
