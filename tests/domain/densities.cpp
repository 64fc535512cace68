#include "domain/densities.h"

#include <cmath>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "methods/graphical/table_model.h"
#include "refusal.h"

namespace mollify {

namespace {

Column numbers(std::vector<double> edges) {
  return Column::make("x", NumberCells::make({.edges = std::move(edges)}), {.null_value = "0"});
}

/// How many of `rows` values lie in each cell of an axis, of a Pareto distribution from `from` on.
std::vector<double> pareto_counts(const ColumnAxis& axis, double rows, double from, double power) {
  const auto above = [&](double x) { return x <= from ? 1 : std::pow(from / x, power); };
  std::vector<double> counts;
  for (const AxisCell& cell : axis) {
    counts.push_back(cell.is_alone() ? 0 : rows * (above(cell.low) - above(cell.high)));
  }
  return counts;
}

/// A model of one column whose cells have these shares of 10 000 rows.
MarginalModel model_of(const std::vector<double>& shares) {
  const auto size = static_cast<std::uint32_t>(shares.size());
  CellGroups together{std::vector<std::uint32_t>(size), 1};
  return {{{together, shares, {}}}, GraphicalModel::uniform({1}, 10'000)};
}

TEST(Axis, HoldsNumbersDaysAndTimesButNoLists) {
  const ColumnAxis axis =
      axis_of(Column::make("x", NumberCells::make({.edges = {0, 10, 20, 40}, .spikes = {15}})));
  ASSERT_EQ(axis.size(), 6U);
  EXPECT_EQ(axis[0].low, 0);
  EXPECT_EQ(axis[0].high, 10);
  EXPECT_EQ(axis[1].high, axis[3].low) << "over the spike";
  EXPECT_TRUE(axis[2].is_alone()) << "the spike";
  EXPECT_GT(axis[3].low, 15);
  EXPECT_NEAR(axis[4].high, 40, 0.01);
  EXPECT_TRUE(axis[5].is_alone()) << "nulls";
  const ColumnAxis days = axis_of(Column::make(
      "x", DateCells::make({.min = "1960-01-01", .max = "2021-12-31", .period = Period::kYear})));
  EXPECT_EQ(days.at(1).low - days.at(0).low, 366);
  EXPECT_EQ(days.at(1).high - days.at(1).low, 365);
  EXPECT_EQ(days.at(61).high - days.at(61).low, 365) << "the last day is inside";
  const auto none = [](NumberDeclaration<double> declared) {
    return axis_of(Column::make("x", NumberCells::make(std::move(declared)))).empty();
  };
  EXPECT_TRUE(none({.values = {1, 2, 3}}));
  EXPECT_TRUE(none({.min = 0, .max = 9, .private_bins = true}));
  EXPECT_TRUE(axis_of(Column::make("x", IntegerCells::make(0, 9))).empty()) << "a few levels";
}

TEST(Density, ContinuesATailByThePowerOfItsNumbers) {
  const Column column = numbers({0, 50, 100, 150, 200, 300, 500, 1000, 2000, 50'000});
  const ColumnAxis axis = axis_of(column);
  const std::vector<double> counts = pareto_counts(axis, 100'000, 100, 2);
  const auto density = smooth_density(axis, counts, 1);
  ASSERT_TRUE(density);
  EXPECT_NEAR(density->between(0, 50'000), 100'000, 1500);
  // Even values would put 47/48 of the last cell's rows above 3000. Powers put 4/9 there.
  const double last = density->between(2000, 50'000);
  EXPECT_NEAR(density->between(3000, 50'000) / last, 4.0 / 9, 0.06);
  EXPECT_LT(density->between(10'000, 50'000) / last, 0.08) << "of powers .04";
}

TEST(Density, PoolsAnEndThatNoiseHides) {
  const Column column = numbers({0, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10'000, 20'000});
  const ColumnAxis axis = axis_of(column);
  const std::vector<double> counts = pareto_counts(axis, 20'000, 5, 1.5);
  constexpr double kDeviation = 30;
  std::mt19937_64 random(1);
  std::normal_distribution<double> noise(0, kDeviation);
  double plain = 0, smooth = 0;
  constexpr int kRuns = 40;
  for (int run = 0; run < kRuns; ++run) {
    std::vector<double> noisy = counts;
    for (double& count : noisy) count += noise(random);
    const auto density = smooth_density(axis, noisy, kDeviation);
    ASSERT_TRUE(density);
    for (std::size_t cell = 7; cell < axis.size(); ++cell) {
      const double there = density->between(axis[cell].low, axis[cell].high);
      plain += std::fabs(std::max(noisy[cell], 0.0) - counts[cell]) / kRuns;
      smooth += std::fabs(with_density(noisy[cell], there, kDeviation) - counts[cell]) / kRuns;
    }
  }
  EXPECT_LT(smooth, plain / 2);
}

TEST(Density, NeedsThreeCellsAndCounts) {
  const ColumnAxis few = axis_of(numbers({0, 1, 2}));
  EXPECT_FALSE(smooth_density(few, std::vector<double>{10, 20}, 1));
  const ColumnAxis axis = axis_of(numbers({0, 1, 2, 3, 4}));
  EXPECT_FALSE(smooth_density(axis, std::vector<double>{1, -1, 0, 0}, 1)) << "noise alone";
  EXPECT_TRUE(smooth_density(axis, std::vector<double>{100, 200, 100, 50}, 1));
  const double nan = std::nan("");
  EXPECT_FALSE(smooth_density(axis, std::vector<double>{nan, 200, 100, 50}, 1));
}

TEST(Shapes, MoveNoMassBetweenCells) {
  const Column column = numbers({0, 10, 20, 50, 100, 1000});
  const std::vector<double> shares = {5000, 3000, 1500, 400, 100};
  const MarginalModel before = model_of(shares);
  const MarginalModel after = with_shapes(before, {{column}});
  const MarginalModel::ColumnModel& made = after.columns()[0];
  EXPECT_EQ(made.shares, shares);
  EXPECT_EQ(made.groups, before.columns()[0].groups);
  ASSERT_FALSE(made.shapes.empty());
  for (const CellShape& shape : made.shapes) {
    EXPECT_TRUE(shape.is_sound());
    EXPECT_EQ(shape.ends.back(), column.points(shape.cell));
  }
  // The last cell's values fall, as the counts before it do.
  const CellShape* const last = shape_of(made.shapes, 4);
  ASSERT_NE(last, nullptr);
  EXPECT_GT(last->below(column.points(4) / 2), 0.8);
}

TEST(Shapes, LeaveEvenCountsEven) {
  const Column column = numbers({0, 10, 20, 30, 40});
  const MarginalModel after = with_shapes(model_of({1000, 1000, 1000, 1000}), {{column}});
  EXPECT_TRUE(after.columns()[0].shapes.empty());
}

TEST(Shapes, AreReadBack) {
  const Column column = numbers({0, 10, 20, 50, 100, 1000});
  const MarginalModel model = with_shapes(model_of({5000, 3000, 1500, 400, 100}), {{column}});
  const auto json = marginal_model_json(model);
  EXPECT_EQ(marginal_model_json(marginal_model_from_json(json, "M")), json);
  const auto refused = [&](const auto& change) {
    auto broken = json;
    change(broken["columns"][0]["shapes"]);
    return test::refusal_of([&] { static_cast<void>(marginal_model_from_json(broken, "M")); });
  };
  EXPECT_EQ(refused([](auto&) {}), "accepted");
  EXPECT_NE(refused([](auto& shapes) { shapes[0]["cell"] = 5; }), "accepted");
  EXPECT_NE(refused([](auto& shapes) { shapes[0]["sums"][0] = -1; }), "accepted");
  EXPECT_NE(refused([](auto& shapes) { shapes.push_back(shapes[0]); }), "accepted");
  EXPECT_EQ(refused([](auto& shapes) { shapes[0]["ends"] = "all"; }),
            "M must hold a model as mollify writes it, but does not");
}

}  // namespace

}  // namespace mollify
