// Tight audits of whole runs by marginals: on a worst pair of tables, the likeliest way to tell
// them apart by all answers together is worth nearly the whole budget, and never more.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <optional>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "methods/marginals/learner.h"
#include "methods/marginals/noisy_answers.h"
#include "replay.h"

namespace mollify {

namespace {

/// ln of the law of an exponential choice.
std::vector<long double> log_law_of(const std::vector<std::uint64_t>& distances, Ratio rate) {
  const long double eta = test::value_of_ratio(rate);
  const std::uint64_t least = *std::min_element(distances.begin(), distances.end());
  std::vector<long double> logs;
  long double all = 0;
  for (const std::uint64_t distance : distances) {
    logs.push_back(-eta * static_cast<long double>(distance - least));
    all += std::exp(logs.back());
  }
  for (long double& log : logs) log -= std::log(all);
  return logs;
}

/// Answers that tell a table from its neighbour, of those that the noise of a pure budget can give:
/// of a measurement the table's own counts, of a choice what is likelier under the table by most,
/// among the tables that the two records do not share a cell of.
class TellingAnswers final : public MarginalAnswers {
 public:
  TellingAnswers(const PairCounts& table, const PairCounts& neighbour, const MarginalBudget& budget,
                 PartsLeft parts = {})
      : table_(table), neighbour_(neighbour), budget_(budget), parts_(parts) {}

  [[nodiscard]] std::uint32_t left() const override { return parts_.left(); }
  [[nodiscard]] std::span<const Triple> triples() const override { return table_.triples(); }

  std::vector<double> measure(const MarginalTable& table, std::uint32_t parts) override {
    const auto mine = exact_counts(table_, table);
    const auto other = exact_counts(neighbour_, table);
    const long double scale = test::value_of_ratio(budget_.noise(parts_.take(parts)));
    for (std::size_t cell = 0; cell < mine.size(); ++cell) {
      told +=
          std::abs(static_cast<long double>(other[cell]) - static_cast<long double>(mine[cell])) /
          scale;
    }
    return {mine.begin(), mine.end()};
  }

  std::vector<double> products(const CellScores& /*scores*/, std::uint32_t /*parts*/) override {
    ADD_FAILURE() << "no copula is learned here";
    return {};
  }

  std::size_t choose(std::span<const MarginalCandidate> candidates, std::uint32_t parts) override {
    std::vector<std::uint64_t> mine;
    std::vector<std::uint64_t> other;
    for (const MarginalCandidate& candidate : candidates) {
      mine.push_back(exact_distance(table_, candidate));
      other.push_back(exact_distance(neighbour_, candidate));
    }
    const Ratio rate = budget_.choice_rate(parts_.take(parts));
    const auto p = log_law_of(mine, rate);
    const auto q = log_law_of(other, rate);
    std::optional<std::size_t> best;
    for (std::size_t i = 0; i < p.size(); ++i) {
      const MarginalTable& table = candidates[i].table;
      if (exact_counts(table_, table) == exact_counts(neighbour_, table)) continue;
      if (!best || p[i] - q[i] > p[*best] - q[*best]) best = i;
    }
    told += p[best.value()] - q[best.value()];
    told_by_choices += p[best.value()] - q[best.value()];
    return best.value();
  }

  /// Of rows like the table, by a measurement that is paid for by parts of its own.
  void tell_error(std::span<const std::size_t> columns, std::uint64_t records, PartsLeft& of_error,
                  std::uint32_t parts) {
    const DrawnRows drawn{table_, records, records};
    const auto mine = exact_pair_distances(table_, drawn, columns);
    const auto other = exact_pair_distances(neighbour_, drawn, columns);
    const long double scale =
        test::value_of_ratio(budget_.distance_noise(of_error.take(parts), mine.size()));
    for (std::size_t pair = 0; pair < mine.size(); ++pair) {
      EXPECT_EQ(mine[pair], 0U);
      told += static_cast<long double>(other[pair]) / scale;
    }
  }

  long double told = 0;
  long double told_by_choices = 0;

 private:
  const PairCounts& table_;
  const PairCounts& neighbour_;
  const MarginalBudget& budget_;
  PartsLeft parts_;
};

/// Columns that are independent, and so few records that all columns are measured once more: then
/// the learner soon spends all that is left on one pair, and little on choices.
/// With weights the two records have the greatest one, and the total is not public. Of questions the
/// records differ in each pair.
void audit_learner(std::uint64_t weight,
                   const std::vector<std::vector<std::size_t>>& questions = {}) {
  for (const Neighbours neighbours : {Neighbours::kReplace, Neighbours::kAddRemove}) {
    for (const double epsilon : {0.25, 1.0}) {
      PairCounts one({3, 3, 2}, {{0, 1, 2}});
      const auto copies =
          static_cast<std::uint64_t>((neighbours == Neighbours::kReplace ? 2 : 1) / epsilon);
      for (std::uint32_t i = 0; i < 90; ++i)
        one.add(std::array{i % 3, i / 3 % 3, i / 9 % 2}, weight * copies);
      PairCounts other = one;
      one.add(std::array{0U, 2U, 0U}, weight);
      MarginalRequest request{{{3, true}, {3, true}, {2, true}},
                              Privacy::pure(epsilon),
                              {weight, neighbours},
                              {},
                              false,
                              questions};
      if (neighbours == Neighbours::kReplace) {
        if (weight == 1) request.records = 90 * copies + 1;
        other.add(std::array{2U, 0U, 1U}, weight);
      }
      const MarginalBudget budget(request.budget, request.unit);
      const MarginalDesign design = design_marginals(request);
      PartsLeft parts;
      PartsLeft of_error = parts.set_apart(design.error_parts);
      TellingAnswers answers(one, other, budget, parts);
      static_cast<void>(learn_marginals(design, answers));
      constexpr std::array<std::size_t, 3> kAllColumns = {0, 1, 2};
      answers.tell_error(kAllColumns, weight * (90 * copies + 1), of_error, design.error_parts);
      EXPECT_EQ(of_error.left(), 0U);
      std::printf("%s%s%s, epsilon %g: %.4Lf of the promise, %.4Lf by choices, %u parts left\n",
                  name_of(neighbours).data(), weight > 1 ? ", weights" : "",
                  questions.empty() ? "" : ", questions", epsilon, answers.told / epsilon,
                  answers.told_by_choices / epsilon, answers.left());
      EXPECT_LE(answers.told, epsilon * (1 + 1e-12L));
      EXPECT_GE(answers.told, epsilon * 0.95L);
    }
  }
}

TEST(MarginalsAudit, AWholeRunOfTheLearnerMeetsThePromise) { audit_learner(1); }

TEST(MarginalsAudit, AWholeRunOverWeightsMeetsThePromise) { audit_learner(2000); }

TEST(MarginalsAudit, AWholeRunWithQuestionsMeetsThePromise) {
  audit_learner(1, {{0, 1}});
  audit_learner(1, {{0, 1}, {0, 2}, {1, 2}});
  audit_learner(1, {{0, 1, 2}});
}

/// Most records lie where one table has the record more, and next to the end where the other has
/// it, so that every level counts it apart.
TEST(MarginalsAudit, AllLevelsOfPrivateBinsMeetThePromise) {
  constexpr std::uint32_t kEach = MarginalBudget::kParts / kBinLevels;
  constexpr std::uint32_t kCells = 65'536;
  const double epsilon = 2;
  const MarginalBudget budget(Privacy::pure(epsilon), {1, Neighbours::kReplace});
  PairCounts one({kCells});
  for (const std::uint32_t cell : {0U, 1U, kCells - 1}) one.add(std::array{cell}, 5000);
  PairCounts other = one;
  one.add(std::array{0U}, 1);
  other.add(std::array{kCells - 1}, 1);
  TellingAnswers answers(one, other, budget);
  const FoundBins bins = find_bins({kCells, true, true}, answers, budget, kEach);
  std::printf("private bins, epsilon %g: %.4Lf of the promise\n", epsilon, answers.told / epsilon);
  EXPECT_EQ(answers.left(), 0U);
  EXPECT_EQ(std::count(bins.groups.of.begin(), bins.groups.of.end(), bins.groups.of[0]), 1);
  EXPECT_LE(answers.told, epsilon * (1 + 1e-12L));
  EXPECT_GE(answers.told, epsilon * 0.95L);
}

}  // namespace

}  // namespace mollify
