#include "methods/marginals/private_bins.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <functional>
#include <iterator>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "domain/numbers.h"
#include "methods/marginals/learner.h"

namespace mollify {

namespace {

/// Answers anything, and keeps what it was asked.
class AnyAnswers final : public MarginalAnswers {
 public:
  explicit AnyAnswers(std::uint64_t seed) : random_(seed) {}

  [[nodiscard]] std::uint32_t left() const override { return parts_.left(); }
  std::vector<double> measure(const MarginalTable& table, std::uint32_t parts) override {
    parts_.take(parts);
    asked.push_back(table);
    constexpr double kWild[] = {0,     0,  -1,  5,      1e18,
                                -1e18, 30, 1e4, 0x1p63, std::numeric_limits<double>::quiet_NaN()};
    std::vector<double> counts(table.cells());
    for (double& count : counts) count = kWild[random_() % std::size(kWild)];
    return counts;
  }
  std::vector<double> products(const CellScores&, std::uint32_t) override {
    ADD_FAILURE() << "no products are asked";
    return {};
  }
  std::size_t choose(std::span<const MarginalCandidate>, std::uint32_t) override {
    ADD_FAILURE() << "nothing is chosen";
    return 0;
  }

  std::vector<MarginalTable> asked;

 private:
  PartsLeft parts_;
  std::mt19937_64 random_;
};

/// Whatever the answers, each level asks once, about a partition of the cells. The bins can be
/// counted and drawn from.
TEST(PrivateBins, AskOnceALevelAndAreTotal) {
  const MarginalBudget budget(Privacy::pure(1), {1, Neighbours::kReplace});
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    std::mt19937_64 random(seed);
    constexpr std::array<std::uint32_t, 8> kSizes = {1, 2, 5, 16, 17, 300, 5000, 65'536};
    MarginalColumn column{kSizes[seed % kSizes.size()], true, true};
    for (std::uint32_t cell = 0; cell < column.size; ++cell) {
      if (random() % column.size < 2 && column.size > 2) column.apart.push_back(cell);
    }
    ColumnAxis axis;  // for some
    for (std::uint32_t cell = 0; seed % 3 == 0 && cell < column.size; ++cell) {
      axis.push_back({static_cast<double>(cell), cell + 1.0});
    }
    AnyAnswers answers(seed);
    const FoundBins bins = find_bins(column, answers, budget, 100, axis);
    EXPECT_EQ(answers.left(), MarginalBudget::kParts - kBinLevels * 100);
    ASSERT_EQ(answers.asked.size(), kBinLevels);
    for (const MarginalTable& table : answers.asked) {
      EXPECT_EQ(table.columns, std::vector<std::size_t>{0});
      ASSERT_EQ(table.groups[0].of.size(), column.size);
      for (const std::uint32_t group : table.groups[0].of) ASSERT_LT(group, table.groups[0].count);
    }
    ASSERT_EQ(bins.groups.of.size(), column.size);
    EXPECT_LE(bins.groups.count, counted_cells(column));
    EXPECT_EQ(bins.groups.of.front(), 0U);
    EXPECT_EQ(bins.groups.of.back() + 1, bins.groups.count);
    for (std::size_t cell = 0; cell < column.size; ++cell) {
      ASSERT_LE(bins.groups.of[cell] - bins.groups.of[cell > 0 ? cell - 1 : 0], 1U);
    }
    for (const std::uint32_t cell : column.apart) {
      EXPECT_EQ(std::count(bins.groups.of.begin(), bins.groups.of.end(), bins.groups.of[cell]), 1);
    }
    const std::vector<double> shares = shares_inside(bins, std::vector<double>(column.size));
    std::vector<double> sums(bins.groups.count);
    for (std::size_t cell = 0; cell < column.size; ++cell) {
      EXPECT_TRUE(shares[cell] >= 0 && std::isfinite(shares[cell]));
      sums[bins.groups.of[cell]] += shares[cell];
    }
    for (const double sum : sums) EXPECT_NEAR(sum, 1, 1e-9);
  }
}

/// Answers without noise.
class ExactAnswers final : public MarginalAnswers {
 public:
  explicit ExactAnswers(const PairCounts& counts) : counts_(counts) {}

  [[nodiscard]] std::uint32_t left() const override { return 0; }
  std::vector<double> measure(const MarginalTable& table, std::uint32_t /*parts*/) override {
    const auto counts = exact_counts(counts_, table);
    return {counts.begin(), counts.end()};
  }
  std::vector<double> products(const CellScores&, std::uint32_t) override { return {}; }
  std::size_t choose(std::span<const MarginalCandidate>, std::uint32_t) override { return 0; }

 private:
  const PairCounts& counts_;
};

/// 16 parts of ten cells. From the fourth on each has half of the rows of the part before, and
/// densities fall by that factor inside of the parts too. The first parts have no rows: those that
/// noise makes are drawn next to the others.
TEST(PrivateBins, FollowTheirNeighboursInside) {
  PairCounts counts({160});
  for (std::uint32_t part = 3; part < 14; ++part) {
    for (std::uint32_t cell = 0; cell < 10; ++cell) {
      counts.add(std::array{10 * part + cell}, std::uint64_t{1 << 14} >> (part - 3));
    }
  }
  ExactAnswers answers(counts);
  const MarginalBudget budget(Privacy::pure(4), {1, Neighbours::kReplace});
  const FoundBins bins =
      find_bins({160, true, true}, answers, budget, MarginalBudget::kParts / kBinLevels);
  const std::vector<double> shares = shares_inside(bins, std::vector<double>(160));
  EXPECT_EQ(bins.groups.of[29], 0U);
  EXPECT_EQ(std::count(shares.begin(), shares.begin() + 20, 0.0), 20);
  EXPECT_GT(shares[20], 0);
  for (std::size_t cell = 91; cell < 100; ++cell) {
    EXPECT_NEAR(shares[cell] / shares[cell - 1], std::pow(0.5, 0.1), 1e-9) << cell;
  }
  // Of public records and one more.
  std::vector<double> reference(160);
  reference[95] = 1;
  EXPECT_NEAR(shares_inside(bins, reference)[95], (1 + shares[95]) / 2, 1e-12);
}

/// Rows fall from cell to cell; a hundredth of them lie so far out that noise hides them. With an
/// axis these are counted with the bins before them and placed by the tail; without, next to these.
TEST(PrivateBins, EndInTheTailThatTheirCountsShow) {
  constexpr std::uint32_t kCells = 1600;
  constexpr std::uint32_t kFar = 1200;
  constexpr double kRows = 20'000;
  const auto above = [](double x) { return std::pow(1 + x / 100, -2.5); };
  PairCounts counts({kCells});
  ColumnAxis axis;
  std::uint64_t below = 0, far = 0;
  for (std::uint32_t cell = 0; cell < kCells; ++cell) {
    const auto up_to = static_cast<std::uint64_t>(kRows * (1 - above(cell + 1.0)));
    counts.add(std::array{cell}, up_to - below);
    if (cell >= kFar) far += up_to - below;
    below = up_to;
    axis.push_back({static_cast<double>(cell), cell + 1.0});
  }
  const MarginalBudget budget(Privacy::pure(0.5), {1, Neighbours::kReplace});
  const auto rows_far_out = [&](const ColumnAxis& given) {
    ExactAnswers answers(counts);
    const FoundBins bins = find_bins({kCells, true, true}, answers, budget,
                                     MarginalBudget::kParts / kBinLevels, given);
    const std::vector<double> shares = shares_inside(bins, std::vector<double>(kCells));
    double sum = 0;
    for (std::uint32_t cell = 0; cell < kCells; ++cell) {
      double of_bin = 0;
      for (std::uint32_t one = 0; one < kCells; ++one) {
        if (bins.groups.of[one] == bins.groups.of[cell]) {
          of_bin += static_cast<double>(counts.column(0)[one]);
        }
      }
      if (cell >= kFar) sum += shares[cell] * of_bin;
    }
    return sum;
  };
  const double with = rows_far_out(axis), without = rows_far_out({});
  std::printf("%d rows far out: with the tail %.1f, without %.1f\n", static_cast<int>(far), with,
              without);
  EXPECT_NEAR(with / static_cast<double>(far), 1, 0.4);
  EXPECT_LT(without, static_cast<double>(far) / 4);
}

TEST(PrivateBins, AModelOverThemIsOneOverTheirCells) {
  const std::vector<FoundBins> bins = {{{{0, 0, 0, 1}, 2}, {1, 1, 1, 1}}, without_search(2)};
  const MarginalModel coarse({{single_cells(2), {0.25, 0.75}}, {CellGroups{{0, 0}, 1}, {0.5, 0.5}}},
                             GraphicalModel::uniform({2, 1}, 10));
  const MarginalModel fine = without_bins(coarse, bins, {{0, 0, 0, 0}, {0, 0}});
  EXPECT_EQ(fine.columns()[0].groups, bins[0].groups);
  EXPECT_EQ(fine.columns()[0].shares, (std::vector<double>{0.25 / 3, 0.25 / 3, 0.25 / 3, 0.75}));
  EXPECT_EQ(fine.columns()[1].shares, coarse.columns()[1].shares);
  const MarginalModel public_inside = without_bins(coarse, bins, {{5, 0, 0, 9}, {0, 1}});
  EXPECT_NEAR(public_inside.columns()[0].shares[0], 0.25 * 16 / 18, 1e-15);
  EXPECT_NEAR(public_inside.columns()[0].shares[2], 0.25 / 18, 1e-15);
  EXPECT_EQ(public_inside.columns()[0].shares[3], 0.75);
}

/// The released numbers of one column with private bins.
std::vector<double> released(const NumberCells& cells, const std::vector<double>& values,
                             const Privacy& privacy) {
  MarginalRequest request{
      {{cells.size(), true, true}}, privacy, {1, Neighbours::kReplace}, values.size()};
  const MarginalDesign design = design_marginals(request);
  const MarginalBudget budget(privacy, request.unit);
  PairCounts fine({cells.size()});
  for (const double value : values) fine.add(std::array{cells.read(value).cell}, 1);
  SecureRandom random;
  PrivateMarginals search(fine, budget, random);
  const std::vector<FoundBins> bins = {
      find_bins(request.columns[0], search, budget, design.cut_parts)};
  PairCounts counts({bins[0].groups.count});
  for (std::uint32_t cell = 0; cell < cells.size(); ++cell) {
    counts.add(std::array{bins[0].groups.of[cell]}, fine.column(0)[cell]);
  }
  PrivateMarginals answers(counts, budget, random, search.rest());
  const MarginalModel model = without_bins(learn_marginals(with_bins(design, bins), answers), bins,
                                           {std::vector<double>(cells.size())});
  const ModelRows rows = model.rows(values.size(), [&] { return random.word(); });
  std::vector<double> numbers;
  for (const std::uint32_t cell : rows[0]) {
    numbers.push_back(cells.value(cell, random.below(cells.points(cell))));
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

double mean_of(const std::vector<double>& numbers) {
  double sum = 0;
  for (const double number : numbers) sum += number;
  return sum / static_cast<double>(numbers.size());
}

/// Values of some size in ranges that are up to 10^13 times as wide, and on both sides of 0: the
/// middle of the errors of eleven releases each. Fewer than one release in fifty is off by more, so
/// that six are once in 10^8 runs. In a range of both signs an octave has half the cells, so tails
/// are longer.
TEST(PrivateBins, FollowNumbersOfAnySize) {
  constexpr std::size_t kRows = 20'000;
  std::mt19937_64 words(9);
  std::normal_distribution<double> normal;
  struct Case {
    const char* name;
    double min, max;
    std::function<double()> draw;
    double median_off, upper_off, mean_off;
  };
  const std::vector<Case> cases = {
      {"log-normal", 0, 1e9, [&] { return 20 * std::exp(0.985 * normal(words)); }, .05, .1, .15},
      {"log-normal, small", 0, 1e9, [&] { return 2e-3 * std::exp(0.985 * normal(words)); }, .05, .1,
       .15},
      {"log-normal, negative", -1e9, 1e9, [&] { return -20 * std::exp(0.985 * normal(words)); },
       .05, .1, .45},
      {"normal", 0, 1e7, [&] { return 50 + 5 * normal(words); }, .02, .03, .02},
      {"constant", 0, 100, [&] { return 42.0; }, .0024, .0024, .0024},
  };
  for (const Case& one : cases) {
    const NumberCells cells =
        NumberCells::make({.min = one.min, .max = one.max, .private_bins = true});
    for (const Privacy& privacy : {Privacy::pure(2), Privacy::approximate(2, 1e-6)}) {
      constexpr std::size_t kReleases = 11;
      std::array<std::vector<double>, 3> errors;
      for (std::size_t release = 0; release < kReleases; ++release) {
        std::vector<double> values;
        for (std::size_t i = 0; i < kRows; ++i) values.push_back(one.draw());
        std::sort(values.begin(), values.end());
        const std::vector<double> numbers = released(cells, values, privacy);
        const auto off = [](double seen, double truth) { return std::abs(seen / truth - 1); };
        errors[0].push_back(off(numbers[kRows / 2], values[kRows / 2]));
        errors[1].push_back(off(numbers[kRows * 9 / 10], values[kRows * 9 / 10]));
        errors[2].push_back(off(mean_of(numbers), mean_of(values)));
      }
      std::array<double, 3> middle{};
      for (std::size_t i = 0; i < 3; ++i) {
        std::sort(errors[i].begin(), errors[i].end());
        middle[i] = errors[i][kReleases / 2];
      }
      std::printf("%s, %s: median off by %.4f, 90 %% quantile by %.4f, mean by %.4f\n", one.name,
                  privacy.text().c_str(), middle[0], middle[1], middle[2]);
      EXPECT_LE(middle[0], one.median_off) << one.name;
      EXPECT_LE(middle[1], one.upper_off) << one.name;
      EXPECT_LE(middle[2], one.mean_off) << one.name;
    }
  }
}

}  // namespace

}  // namespace mollify
