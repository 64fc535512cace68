#include "domain/densities.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <random>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "domain/tails.h"
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

TEST(Density, FollowsATailOfNegativeNumbers) {
  const ColumnAxis right = axis_of(numbers({0, 10, 20, 50, 100, 200, 500, 1000, 2000, 50'000}));
  const std::vector<double> counts = pareto_counts(right, 20'000, 20, 2.5);
  ColumnAxis left(right.rbegin(), right.rend());
  for (AxisCell& cell : left) cell = {-cell.high, -cell.low};
  const auto one = smooth_density(right, counts, 3);
  const auto other = smooth_density(left, std::vector<double>(counts.rbegin(), counts.rend()), 3);
  ASSERT_TRUE(one && other);
  EXPECT_GT(one->between(2000, 50'000), 0.1);
  for (const double from : {200.0, 500.0, 2000.0}) {
    EXPECT_NEAR(other->between(-50'000, -from) / one->between(from, 50'000), 1, 1e-9) << from;
  }
}

/// Cells with ends 0, 1, 2, 5, 10 ... 10 000, whose counts `above` says.
template <class Above>
std::vector<CountedCells> cells_of(double rows, const Above& above) {
  std::vector<CountedCells> cells;
  double low = 0;
  for (const double high : {1., 2., 5., 10., 20., 50., 100., 200., 500., 1000., 10'000.}) {
    cells.push_back({low, high, rows * (above(low) - above(high))});
    low = high;
  }
  return cells;
}

/// The sum of the squares of a tail's rows.
double square_above(const Tail& tail, double low, double high) {
  double sum = 0;
  for (double x = low; x < high; x *= 1.01) {
    sum += tail.between(x, std::min(x * 1.01, high)) * x * x;
  }
  return sum;
}

TEST(Tails, FollowParetoAndExponentialOnes) {
  const auto power = [](double x) { return x < 4 ? 1 : std::pow(4 / x, 2.5); };
  const auto fast = [](double x) { return std::exp(-x / 40); };
  const auto of_power = upper_tail(cells_of(50'000, power), 1);
  const auto of_fast = upper_tail(cells_of(50'000, fast), 1);
  ASSERT_TRUE(of_power && of_fast);
  EXPECT_NEAR(of_power->shape(), 0.4, 0.1);
  EXPECT_LT(of_fast->shape(), 0.1);
  EXPECT_NEAR(of_power->between(1000, 10'000), 50'000 * power(1000), 15);
  EXPECT_NEAR(of_power->between(2000, 10'000) / of_power->between(1000, 10'000), 0.17, 0.03);
  EXPECT_NEAR(of_fast->between(500, 10'000), 0, 3);
}

/// Of single cells that noise hides, noise would be most of the tail's squares.
TEST(Tails, AreFoundTogetherWhereNoiseHidesCells) {
  constexpr double kDeviation = 20, kFrom = 50;
  const auto power = [](double x) { return x < 4 ? 1 : std::pow(4 / x, 2.5); };
  std::mt19937_64 random(3);
  std::normal_distribution<double> noise(0, kDeviation);
  const std::vector<CountedCells> exact = cells_of(20'000, power);
  std::vector<double> squares(exact.size());  // of each cell's row from kFrom on
  double real = 0;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    if (exact[i].low < kFrom) continue;
    for (double x = exact[i].low; x < exact[i].high; x *= 1.01) {
      const double part = power(x) - power(std::min(x * 1.01, exact[i].high));
      squares[i] += 20'000 * part * x * x / exact[i].count;
    }
    real += squares[i] * exact[i].count;
  }
  double together = 0, single = 0;
  int found = 0;
  constexpr int kRuns = 60;
  for (int run = 0; run < kRuns; ++run) {
    std::vector<CountedCells> cells = exact;
    for (CountedCells& one : cells) one.count += noise(random);
    const auto tail = upper_tail(cells, kDeviation);
    if (!tail) continue;
    ++found;
    ASSERT_LE(tail->from(), kFrom) << run;
    double sum = 0;
    for (std::size_t i = 0; i < cells.size(); ++i)
      sum += squares[i] * std::max(cells[i].count, 0.0);
    single += std::fabs(sum / real - 1);
    together += std::fabs(square_above(*tail, kFrom, 10'000) / real - 1);
  }
  std::printf("squares of %d tails off by %.2f, of single cells by %.2f\n", found, together / found,
              single / found);
  EXPECT_GE(found, kRuns * 3 / 4);
  EXPECT_LT(together, single / 2);
}

TEST(Tails, AreThinAndRunAwayFromZero) {
  const auto counted = [](std::vector<double> ends, const std::vector<double>& counts) {
    std::vector<CountedCells> cells;
    for (std::size_t i = 0; i < counts.size(); ++i) {
      cells.push_back({ends[i], ends[i + 1], counts[i]});
    }
    return upper_tail(cells, 1).has_value();
  };
  EXPECT_TRUE(counted({0, 10, 20, 30, 40}, {900, 700, 300, 100}));
  EXPECT_FALSE(counted({0, 10, 20, 30, 40}, {100, 300, 300, 200})) << "not thin";
  EXPECT_FALSE(counted({0, 10, 20, 30, 80}, {100, 300, 300, 200})) << "too many rows";
  EXPECT_FALSE(counted({-40, -30, -20, -10, 0}, {900, 700, 300, 100})) << "towards 0";
  EXPECT_FALSE(counted({0, 10, 20, 30, 40}, {9, 7, 3, 1})) << "hardly any rows";
  EXPECT_FALSE(counted({0, 10, 20, 30, 40}, {900, 700, std::nan(""), 100}));
  EXPECT_FALSE(upper_tail({}, 1).has_value());
}

TEST(Tails, NoiseHidesCellsUpToASeenOne) {
  const auto hidden = [](const std::vector<double>& counts) {
    std::vector<CountedCells> cells;
    for (const double count : counts) cells.push_back({0, 1, count});
    return hidden_cells(cells, 10);
  };
  EXPECT_EQ(hidden({100, 50}), 1U);
  EXPECT_EQ(hidden({100, 50, 39}), 2U) << "the second one is seen";
  EXPECT_EQ(hidden({100, 39, 39}), 2U) << "their sum is";
  EXPECT_EQ(hidden({41, -30, -20}), 3U);
  EXPECT_EQ(hidden({9, 9}), 2U);
}

/// How far the density is from the counts of even numbers from `from` to `to`, as a part of them.
double distance_from_even(const Density& density, double rows, double from, double to) {
  double most = 0;
  for (int i = 1; i <= 20; ++i) {
    const double x = from + (to - from) * i / 20;
    most = std::max(most, std::fabs(density.between(-1e9, x) / rows - i / 20.0));
  }
  return most;
}

/// `rows` even numbers from `from` to `to`, in each cell of an axis.
std::vector<double> even_counts(const ColumnAxis& axis, double rows, double from, double to) {
  std::vector<double> counts;
  for (const AxisCell& cell : axis) {
    const double inside = std::min(cell.high, to) - std::max(cell.low, from);
    counts.push_back(cell.is_alone() ? 0 : rows * std::max(inside, 0.0) / (to - from));
  }
  return counts;
}

TEST(Density, JumpsWhereNumbersBeginOrEnd) {
  constexpr double kRows = 20'000;
  struct Tested {
    std::vector<double> edges;
    double from;
    double to;
  };
  const Tested tested[] = {
      {{0, 18, 30, 45, 65, 101}, 18, 65},
      {{0, 250, 500, 750, 1000}, 0, 500},
      {{0, 18, 40, 65, 101}, 18, 65},
      {{0, 10, 20, 30, 40}, 0, 10},
      {{0, 250, 500, 750, 1000}, 500, 1000},
      {{0, 6, 9, 12, 15, 18, 24}, 9, 18},
      {{0, 10, 20, 30, 40, 50}, 20, 30},
      {{-50, -40, -30, -20, -10, 0}, -40, -20},
      {{0, 100, 200, 300, 400, 500, 600, 700, 800, 900, 1000}, 300, 700},
  };
  for (const double deviation : {0.0, 1.0, 60.0}) {
    for (const Tested& one : tested) {
      const ColumnAxis axis = axis_of(numbers(one.edges));
      const auto density =
          smooth_density(axis, even_counts(axis, kRows, one.from, one.to), deviation);
      if (!density && one.to == 10) continue;  // one seen cell and noise are none
      ASSERT_TRUE(density);
      EXPECT_LT(distance_from_even(*density, kRows, one.from, one.to), 0.02)
          << one.from << " to " << one.to << ", noise " << deviation;
    }
  }
}

TEST(Density, DoesNotJumpInSmoothCounts) {
  const ColumnAxis axis = axis_of(numbers({0, 100, 200, 300, 400, 500, 600, 700, 800, 900, 1000}));
  const auto below = [](double x) { return std::erfc((500 - x) / 100 / std::sqrt(2)) / 2; };
  std::vector<double> counts;
  for (const AxisCell& cell : axis) {
    counts.push_back(cell.is_alone() ? 0 : 50'000 * (below(cell.high) - below(cell.low)));
  }
  for (const double deviation : {1.0, 10.0}) {
    const auto density = smooth_density(axis, counts, deviation);
    ASSERT_TRUE(density);
    // Of the rows from 200 to 300, 85 in 100 are above 250.
    const double above = density->between(250, 300) / density->between(200, 300);
    EXPECT_NEAR(above, (below(300) - below(250)) / (below(300) - below(200)), 0.08) << deviation;
  }
}

TEST(Density, FallsAwayBeyondItsLastJump) {
  // Nothing but the wide cell itself tells where its 60 rows are.
  const ColumnAxis axis = axis_of(numbers({0, 10, 20, 30, 40, 10'000}));
  const auto density = smooth_density(axis, std::vector<double>{5000, 5000, 5000, 5000, 60, 0}, 1);
  ASSERT_TRUE(density);
  EXPECT_NEAR(density->between(0, 40), 20'000, 200);
  EXPECT_GT(density->between(40, 1000), 50);
  EXPECT_NEAR(density->between(30, 40) / density->between(20, 30), 1, 0.05);
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
  const MarginalModel after = with_shapes(before, {{column}}, 1);
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
  const MarginalModel after = with_shapes(model_of({1000, 1000, 1000, 1000}), {{column}}, 1);
  EXPECT_TRUE(after.columns()[0].shapes.empty());
}

TEST(Shapes, ReachASharpEnd) {
  const Column column = numbers({0, 18, 30, 45, 65, 101});
  const MarginalModel after = with_shapes(model_of({10, 5106, 6383, 8511, 10}), {{column}}, 30);
  for (const std::uint32_t cell : {1U, 2U, 3U}) {
    const CellShape* const shape = shape_of(after.columns()[0].shapes, cell);
    const std::uint64_t points = column.points(cell);
    const double half = static_cast<double>(points / 2) / static_cast<double>(points);
    EXPECT_NEAR(shape == nullptr ? half : shape->below(points / 2), half, 0.03) << cell;
  }
}

TEST(Shapes, AreReadBack) {
  const Column column = numbers({0, 10, 20, 50, 100, 1000});
  const MarginalModel model = with_shapes(model_of({5000, 3000, 1500, 400, 100}), {{column}}, 1);
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
