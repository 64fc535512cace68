#include "methods/answers/noisy_estimates.h"

#include <algorithm>
#include <map>
#include <numeric>

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include "measured_rows.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Groups of cells.

namespace {

/// All partitions of four cells, groups in the order of their first cells: Bell's number is 15.
std::vector<CellGroups> partitions_of_four() {
  std::vector<CellGroups> all;
  for (std::uint32_t code = 0; code < 256; ++code) {
    CellGroups one{{}, 0};
    bool is_in_order = true;
    for (std::uint32_t cell = 0; cell < 4; ++cell) {
      const std::uint32_t group = code >> 2 * cell & 3U;
      is_in_order = is_in_order && group <= one.count;
      one.count = std::max(one.count, group + 1);
      one.of.push_back(group);
    }
    if (is_in_order) all.push_back(one);
  }
  return all;
}

bool are_together(const CellGroups& groups, std::uint32_t a, std::uint32_t b) {
  return groups.of[a] == groups.of[b];
}

bool refines(const CellGroups& fine, const CellGroups& coarse) {
  for (std::uint32_t a = 0; a < fine.of.size(); ++a) {
    for (std::uint32_t b = 0; b < fine.of.size(); ++b) {
      if (are_together(fine, a, b) && !are_together(coarse, a, b)) return false;
    }
  }
  return true;
}

TEST(CellGroupsTogether, AreTheFinestThatBothRefine) {
  const std::vector<CellGroups> all = partitions_of_four();
  ASSERT_EQ(all.size(), 15U);
  for (const CellGroups& one : all) {
    for (const CellGroups& other : all) {
      EXPECT_EQ(is_refinement(one, other), refines(one, other));
      const CellGroups joined = common_coarsening(one, other);
      EXPECT_TRUE(refines(one, joined) && refines(other, joined));
      for (const CellGroups& coarse : all) {
        if (refines(one, coarse) && refines(other, coarse)) {
          EXPECT_TRUE(refines(joined, coarse));
        }
      }
      EXPECT_NE(std::find(all.begin(), all.end(), joined), all.end()) << "groups are out of order";
    }
  }
}

// -----------------------------------------------------------------------------------------------
// Estimates.

struct EstimateCase {
  const char* name;
  std::optional<double> records;
  std::vector<MeasuredTable> tables;
  std::vector<AskedColumn> asked;
};

CellGroups groups_in(std::vector<std::uint32_t> of) {
  const std::uint32_t count = *std::max_element(of.begin(), of.end()) + 1;
  return {std::move(of), count};
}

/// Columns of 3, 4 and 2 cells.
std::vector<EstimateCase> estimate_cases() {
  const auto table = [](std::vector<std::size_t> columns, std::vector<CellGroups> groups,
                        double variance) {
    std::size_t cells = 1;
    for (const CellGroups& one : groups) cells *= one.count;
    return MeasuredTable{std::move(columns), std::move(groups), std::vector<double>(cells),
                         variance, 1};
  };
  const CellGroups three = test::each_cell(3), four = test::each_cell(4), two = test::each_cell(2);
  const CellGroups halves = groups_in({0, 0, 1, 1}), ends = groups_in({0, 1, 0});
  const std::vector<MeasuredTable> overlapping = {table({0}, {three}, 4),
                                                  table({1}, {four}, 9),
                                                  table({2}, {two}, 1),
                                                  table({0, 1}, {three, halves}, 25),
                                                  table({0, 1}, {three, four}, 16),
                                                  table({1, 2}, {four, two}, 36),
                                                  table({0, 2}, {ends, two}, 49),
                                                  table({0, 1}, {ends, four}, 2)};
  std::vector<EstimateCase> cases;
  for (const std::optional<double> records :
       {std::optional<double>(), std::optional<double>(500)}) {
    cases.push_back({"a pair", records, overlapping, {{0, three}, {1, four}}});
    cases.push_back({"a pair in groups", records, overlapping, {{0, three}, {1, halves}}});
    cases.push_back({"a column", records, overlapping, {{1, four}}});
    cases.push_back(
        {"a column in one group", records, overlapping, {{1, groups_in({0, 0, 0, 0})}}});
    cases.push_back({"one table", records, {overlapping[4]}, {{0, three}, {1, four}}});
    cases.push_back({"a coarse pair", records, overlapping, {{0, ends}, {2, two}}});
  }
  return cases;
}

/// The sums of a table's counts over the cells that the asked columns do not tell apart, as rows of
/// a linear map of the asked cells; `sums` maps counts to them.
struct DenseModel {
  Eigen::MatrixXd design;
  Eigen::VectorXd variances;
  std::vector<std::pair<std::size_t, std::vector<std::size_t>>> sums;  // table, its cells
};

DenseModel dense_model(const EstimateCase& one) {
  std::size_t cells = 1;
  for (const AskedColumn& asked : one.asked) cells *= asked.groups.count;
  DenseModel made;
  std::vector<Eigen::VectorXd> rows;
  std::vector<double> variances;
  for (std::size_t at = 0; at < one.tables.size(); ++at) {
    const MeasuredTable& table = one.tables[at];
    std::map<std::vector<std::uint32_t>, std::vector<std::size_t>> by_asked;
    std::vector<bool> is_used(one.asked.size());
    for (std::size_t cell = 0; cell < table.counts.size(); ++cell) {
      std::vector<std::uint32_t> digits(table.columns.size());
      std::size_t rest = cell;
      for (std::size_t i = digits.size(); i-- > 0;) {
        digits[i] = static_cast<std::uint32_t>(rest % table.groups[i].count);
        rest /= table.groups[i].count;
      }
      std::vector<std::uint32_t> key;
      for (std::size_t k = 0; k < one.asked.size(); ++k) {
        for (std::size_t i = 0; i < table.columns.size(); ++i) {
          if (table.columns[i] != one.asked[k].column ||
              !refines(table.groups[i], one.asked[k].groups)) {
            continue;
          }
          is_used[k] = true;
          for (std::size_t own = 0; own < table.groups[i].of.size(); ++own) {
            if (table.groups[i].of[own] == digits[i]) {
              key.push_back(one.asked[k].groups.of[own]);
              break;
            }
          }
        }
      }
      by_asked[key].push_back(cell);
    }
    for (const auto& [key, of] : by_asked) {
      Eigen::VectorXd row = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(cells));
      for (std::size_t cell = 0; cell < cells; ++cell) {
        std::size_t rest = cell, place = key.size();
        bool matches = true;
        for (std::size_t k = one.asked.size(); k-- > 0;) {
          const std::size_t digit = rest % one.asked[k].groups.count;
          rest /= one.asked[k].groups.count;
          if (is_used[k]) matches = matches && key[--place] == digit;
        }
        if (matches) row[static_cast<Eigen::Index>(cell)] = 1;
      }
      rows.push_back(row);
      variances.push_back(static_cast<double>(of.size()) * table.variance);
      made.sums.emplace_back(at, of);
    }
  }
  if (one.records) {
    rows.push_back(Eigen::VectorXd::Ones(static_cast<Eigen::Index>(cells)));
    variances.push_back(1e-7);  // so nearly known that nothing else counts
  }
  made.design.resize(static_cast<Eigen::Index>(rows.size()), static_cast<Eigen::Index>(cells));
  made.variances.resize(static_cast<Eigen::Index>(rows.size()));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    made.design.row(static_cast<Eigen::Index>(i)) = rows[i].transpose();
    made.variances[static_cast<Eigen::Index>(i)] = variances[i];
  }
  return made;
}

TEST(JointEstimate, IsDenseGeneralisedLeastSquares) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal(40, 15);
  for (EstimateCase one : estimate_cases()) {
    SCOPED_TRACE(one.name);
    for (MeasuredTable& table : one.tables) {
      for (double& count : table.counts) count = std::round(normal(random));
    }
    constexpr double kStep = .25;
    const Measurements measurements{
        .noise = "none", .step = kStep, .records = one.records, .tables = one.tables};
    const JointEstimate joint(measurements, one.asked);
    const DenseModel dense = dense_model(one);
    Eigen::VectorXd sums(dense.variances.size());
    for (std::size_t i = 0; i < dense.sums.size(); ++i) {
      double sum = 0;
      for (const std::size_t cell : dense.sums[i].second) {
        sum += one.tables[dense.sums[i].first].counts[cell];
      }
      sums[static_cast<Eigen::Index>(i)] = sum;
    }
    if (one.records) sums[sums.size() - 1] = *one.records / kStep;
    const Eigen::MatrixXd weighted = dense.variances.cwiseInverse().asDiagonal() * dense.design;
    const Eigen::MatrixXd covariance = (dense.design.transpose() * weighted).inverse();
    const Eigen::VectorXd expected = covariance * weighted.transpose() * sums;
    ASSERT_EQ(joint.counts().size(), static_cast<std::size_t>(expected.size()));
    for (Eigen::Index i = 0; i < expected.size(); ++i) {
      EXPECT_NEAR(joint.counts()[static_cast<std::size_t>(i)], kStep * expected[i], 1e-4);
    }
    Eigen::VectorXd weights(expected.size());
    for (double& weight : weights) weight = normal(random) / 40;
    const NoisySum sum = joint.sum({weights.data(), static_cast<std::size_t>(weights.size())});
    EXPECT_NEAR(sum.value(measurements), kStep * weights.dot(expected), 1e-3);
    const double variance = kStep * kStep * weights.dot(covariance * weights);
    EXPECT_NEAR(sum.variance(measurements), variance, 1e-5 * (variance + 1));
  }
}

/// Each bound is one of normal approximations that a right program passes except with probability
/// 1e-6: 4.9 standard errors.
TEST(JointEstimate, IsUnbiasedWithTheVarianceItStates) {
  constexpr double kFar = 4.9;
  constexpr int kRuns = 2000;
  std::mt19937_64 random(4);
  for (EstimateCase one : estimate_cases()) {
    SCOPED_TRACE(one.name);
    test::Rows rows;
    for (int i = 0; i < 500; ++i) {
      const auto a = static_cast<std::uint32_t>(random() % 3);
      rows.push_back({a, static_cast<std::uint32_t>(random() % (a + 2)),
                      static_cast<std::uint32_t>(random() % 5 == 0)});
    }
    Measurements measurements{.noise = "none", .records = one.records};
    for (const MeasuredTable& table : one.tables) {
      measurements.tables.push_back(
          test::table_of(rows, table.columns, table.groups, table.variance));
    }
    const JointEstimate exact(measurements, one.asked);
    std::vector<double> weights(exact.counts().size());
    for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = static_cast<double>(i % 3) - .5;
    const double real =
        std::inner_product(weights.begin(), weights.end(), exact.counts().begin(), 0.0);
    const double variance = exact.sum(weights).variance(measurements);
    double mean = 0, square = 0;
    for (int run = 0; run < kRuns; ++run) {
      const Measurements noisy = test::with_noise(measurements, random);
      const double off = JointEstimate(noisy, one.asked).sum(weights).value(noisy) - real;
      mean += off / kRuns;
      square += off * off / kRuns;
    }
    EXPECT_LE(std::abs(mean), kFar * std::sqrt(variance / kRuns) + 1e-9);
    EXPECT_LE(std::abs(square - variance), kFar * variance * std::sqrt(2.0 / kRuns) + 1e-9);
  }
}

TEST(NoisySum, OfSumsSharesTheirNoise) {
  const Measurements measurements{.noise = "none",
                                  .tables = {{{0}, {test::each_cell(2)}, {10, 20}, 4, 1},
                                             {{1}, {test::each_cell(2)}, {1, 2}, 9, 1}}};
  NoisySum one(100);
  one.weights_of(0, 2) = {1, 2};
  NoisySum other;
  other.weights_of(0, 2) = {1, -1};
  other.weights_of(1, 2) = {0, 1};
  EXPECT_EQ(one.value(measurements), 150);
  EXPECT_EQ(one.variance(measurements), 20);
  one.add(other, 2);
  EXPECT_EQ(one.value(measurements), 150 + 2 * (-10 + 2));
  EXPECT_EQ(one.variance(measurements), 4 * 9 + 9 * 4);
  // All counts of a table with one weight.
  one.add_all(0, 10);
  EXPECT_EQ(one.value(measurements), 134 + 10 * 30);
  EXPECT_EQ(one.variance(measurements), 4 * (13 * 13 + 10 * 10) + 9 * 4);
}

TEST(ToldApart, IsTheTableOfMostCells) {
  const CellGroups four = test::each_cell(4), two = test::each_cell(2);
  const CellGroups halves = groups_in({0, 0, 1, 1}), last = groups_in({0, 0, 0, 1});
  const auto table = [](std::vector<std::size_t> columns, std::vector<CellGroups> groups) {
    return MeasuredTable{std::move(columns), std::move(groups), {}, 1, 1};
  };
  Measurements measurements{.noise = "none"};
  measurements.tables = {table({0}, {four}), table({0, 1}, {halves, two}),
                         table({0, 2}, {last, two})};
  EXPECT_EQ(told_apart(measurements, {{0, four}}), (std::vector<AskedColumn>{{0, four}}));
  EXPECT_EQ(told_apart(measurements, {{0, four}, {1, two}}),
            (std::vector<AskedColumn>{{0, halves}, {1, two}}));
  EXPECT_EQ(told_apart(measurements, {{1, two}, {2, two}}), std::nullopt);
  measurements.tables.push_back(table({0, 1}, {four, groups_in({0, 0})}));
  EXPECT_EQ(told_apart(measurements, {{0, last}, {1, two}})->front().groups.count, 1U)
      << "halves and the last cell have nothing in common";
}

}  // namespace

}  // namespace mollify
