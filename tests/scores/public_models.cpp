#include "scores/public_models.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "columns.h"
#include "core/invalid_input.h"

namespace mollify {

namespace {

Domain two_by_five(std::uint64_t seed) {
  return Domain::make({test::without_nulls("sex", IntegerCells::make(0, 1)),
                       test::without_nulls("ward", IntegerCells::make(1, 5))},
                      seed);
}

std::string models_refusal(const Domain& domain, std::uint64_t count) {
  try {
    static_cast<void>(PublicModels(domain, count));
  } catch (const InvalidInput& refused) {
    return refused.what();
  }
  return "";
}

double column_distance(const std::vector<double>& one, const std::vector<double>& other) {
  double sum = 0;
  for (std::size_t i = 0; i < one.size(); ++i) sum += std::abs(one[i] - other[i]) / 2;
  return sum / 4;  // columns of five cells
}

/// What releases over models without public records warn of: of models drawn around the uniform
/// one, even the better half, which a relative band draws from at any epsilon, lies farther from
/// another such model than the uniform one does. Means of 40 truths, each against 440 models, of
/// this domain's seed: .38 and .33.
TEST(PublicModels, WithoutAReferenceAreSeldomNearerThanUniformRecords) {
  std::vector<Column> columns;
  for (const char* name : {"a", "b", "c", "d"}) {
    columns.push_back(test::without_nulls(name, IntegerCells::make(1, 5)));
  }
  const PublicModels models(Domain::make(std::move(columns), 3), 480);
  std::vector<std::vector<double>> shares;
  models.visit(
      [&](std::uint64_t, const PublicModels::Model& model) { shares.push_back(model.shares); });
  const std::vector<double> uniform(20, 0.2);
  double better_half = 0;
  double of_uniform = 0;
  for (std::size_t truth = 0; truth < 40; ++truth) {
    of_uniform += column_distance(uniform, shares[truth]) / 40;
    std::vector<double> distances;
    for (std::size_t i = 40; i < shares.size(); ++i) {
      distances.push_back(column_distance(shares[i], shares[truth]));
    }
    std::sort(distances.begin(), distances.end());
    better_half += std::accumulate(distances.begin(), distances.begin() + 220, 0.0) / 220 / 40;
  }
  std::printf("better half %.3f, uniform %.3f\n", better_half, of_uniform);
  EXPECT_GT(better_half, of_uniform);
  EXPECT_FALSE(models.has_reference());
}

TEST(PublicModels, AreTheSameForEverybodyWithTheDomain) {
  const Domain domain = two_by_five(7);
  const PublicModels models(domain, 50);
  EXPECT_EQ(models.sha256(), PublicModels(domain, 50).sha256());
  EXPECT_NE(models.sha256(), PublicModels(domain, 51).sha256());
  EXPECT_NE(models.sha256(), PublicModels(two_by_five(8), 50).sha256());
  // A shorter list is the beginning of a longer one.
  EXPECT_EQ(models.model(20).shares, PublicModels(domain, 21).model(20).shares);
  std::uint64_t next = 0;
  models.visit([&](std::uint64_t index, const PublicModels::Model& model) {
    const std::vector<double>& shares = model.shares;
    EXPECT_EQ(index, next++);
    ASSERT_EQ(shares.size(), 7U);
    EXPECT_NEAR(shares[0] + shares[1], 1, 1e-12);
    EXPECT_NEAR(shares[2] + shares[3] + shares[4] + shares[5] + shares[6], 1, 1e-12);
    for (const double share : shares) EXPECT_GT(share, 0);
    if (index == 20) {
      EXPECT_EQ(shares, models.model(20).shares);
    }
  });
  EXPECT_EQ(next, 50U);
}

/// Around a uniform reference a share of five is Beta(1, 4): mean .2, variance 4/150. Limits are 5
/// standard errors of 20 000 models; the seed is fixed, so the test cannot fail by chance.
TEST(PublicModels, AreDirichletAroundTheReference) {
  constexpr std::uint64_t kModels = 20'000;
  const auto moments = [](const PublicModels& models) {
    std::pair<double, double> found;
    models.visit([&](std::uint64_t, const PublicModels::Model& model) {
      found.first += model.shares[3] / kModels;
      found.second += model.shares[3] * model.shares[3] / kModels;
    });
    return found;
  };
  const auto [mean, square] = moments(PublicModels(two_by_five(1), kModels));
  std::printf("mean %.4f (.2), mean square %.4f (%.4f)\n", mean, square, 1.0 / 15);
  EXPECT_NEAR(mean, 0.2, 5 * std::sqrt(4.0 / 150 / kModels));
  EXPECT_NEAR(square, 1.0 / 15, 5 * 0.1 / std::sqrt(kModels));
  // Public records of the second ward's second value move the models there.
  const std::vector<std::uint32_t> records = {0, 1, 1, 1, 0, 1, 1, 1, 0, 1};
  const auto moved =
      moments(PublicModels(two_by_five(1), kModels, ModelShapes::kProducts, records));
  std::printf("after records %.4f\n", moved.first);
  EXPECT_GT(moved.first, 0.4);
}

constexpr auto kTrees = ModelShapes::kProductsAndTrees;

Domain three_integers() {
  return Domain::make({test::without_nulls("a", IntegerCells::make(0, 2)),
                       test::without_nulls("b", IntegerCells::make(0, 1)),
                       test::without_nulls("c", IntegerCells::make(0, 2))},
                      5);
}

/// Whether each column but one has a parent, and following parents one comes to that one.
void expect_tree(const std::vector<std::size_t>& parents) {
  EXPECT_EQ(std::count(parents.begin(), parents.end(), PublicModels::kNoParent), 1);
  for (std::size_t column : {0U, 1U, 2U}) {
    for (int step = 0; step < 3 && parents[column] != PublicModels::kNoParent; ++step) {
      column = parents[column];
    }
    EXPECT_EQ(parents[column], PublicModels::kNoParent);
  }
}

TEST(PublicModels, AreTreesInEverySecondPlace) {
  constexpr std::uint64_t kModels = 600;
  const PublicModels models(three_integers(), kModels, kTrees);
  EXPECT_NE(models.sha256(), PublicModels(three_integers(), kModels).sha256());
  std::set<std::vector<std::size_t>> seen;
  models.visit([&](std::uint64_t index, const PublicModels::Model& model) {
    std::size_t runs = 0;
    const std::vector<std::size_t> sizes = {3, 2, 3};
    for (const std::size_t parent : model.parents) {
      runs += parent == PublicModels::kNoParent ? 1 : sizes[parent];
    }
    EXPECT_NEAR(std::accumulate(model.shares.begin(), model.shares.end(), 0.0),
                static_cast<double>(runs), 1e-9);
    if (index % 2 == 0) {
      EXPECT_EQ(model.parents, std::vector<std::size_t>(3, PublicModels::kNoParent));
      EXPECT_EQ(model.shares.size(), 8U);
      return;
    }
    expect_tree(model.parents);
    seen.insert(model.parents);
  });
  // Three shapes with three roots each.
  EXPECT_EQ(seen.size(), 9U);
}

/// c is a's copy and b is by itself: the tree of public records joins a and c, and the nearest
/// models to it hold what the records do.
TEST(PublicModels, AreTheTreeOfPublicRecords) {
  std::vector<std::uint32_t> records;
  for (std::uint32_t i = 0; i < 120; ++i) {
    for (const std::uint32_t digit : {i % 3, i % 2, i % 3}) records.push_back(digit);
  }
  const PublicModels models(three_integers(), 60, kTrees, records);
  double kept = 0;
  models.visit([&](std::uint64_t index, const PublicModels::Model& model) {
    if (index % 2 == 0) return;
    EXPECT_EQ(model.parents[0], PublicModels::kNoParent);
    ASSERT_EQ(model.parents[2], 0U);
    // The last nine shares are c's given a's.
    const double* given = model.shares.data() + model.shares.size() - 9;
    kept += (given[0] + given[4] + given[8]) / 3 / 30;
  });
  std::printf("c is what a is with probability %.4f\n", kept);
  EXPECT_GT(kept, 0.9);
}

TEST(PublicModels, RefuseNumbersOutsideTheirLimits) {
  const Domain domain = two_by_five(1);
  EXPECT_EQ(models_refusal(domain, 0), "the number of models must be from 1 to 16777216, but is 0");
  EXPECT_EQ(models_refusal(domain, PublicModels::kMost), "");
  const Domain fine = Domain::make({test::without_nulls("x", IntegerCells::make(0, 499'999))});
  EXPECT_EQ(models_refusal(fine, 2000),
            "models may have at most 536870912 shares in all, but 2000 models of 500000 cells "
            "have more; the widest columns are \"x\" 500000: declare fewer bins there (`bins: "
            "268435` in each with more would do), or ask for fewer models (--candidates 1073)");
  const Domain finer = Domain::make({test::without_nulls("x", IntegerCells::make(0, 999'999))});
  EXPECT_EQ(models_refusal(finer, 2),
            "models take at most 524288 cells of all columns together, but there are 1000000; the "
            "widest columns are \"x\" 1000000: declare fewer bins there (`bins: 524288` in each "
            "with more would do)");
  EXPECT_THROW(PublicModels(fine, 500, kTrees), InvalidInput);
}

}  // namespace

}  // namespace mollify
