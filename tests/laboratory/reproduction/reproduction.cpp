#include "laboratory/reproduction/reproduction.h"

#include <cmath>
#include <cstdio>
#include <fstream>
#include <set>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace mollify {
namespace {

using ReproducedJson = nlohmann::json;

Figure quick_figure(const std::string& id) {
  for (const Reproduction& reproduction : reproductions()) {
    if (reproduction.id == id) return reproduced(reproduction, {.quick = true});
  }
  ADD_FAILURE() << id;
  return {};
}

const PublishedNumber& row_of(const Figure& figure, const std::string& what) {
  static const PublishedNumber kNone;
  for (const PublishedNumber& row : figure.comparisons) {
    if (row.what == what) return row;
  }
  ADD_FAILURE() << what;
  return kNone;
}

TEST(Reproduction, NamesDiffer) {
  std::set<std::string_view> names;
  for (const Reproduction& reproduction : reproductions()) {
    EXPECT_TRUE(names.insert(reproduction.id).second) << reproduction.id;
  }
  EXPECT_GE(names.size(), 17U);
}

// [Park et al. 2024, Figures 3, 5, 6, 7]: bars to 5e-15 of 40-digit values, and what was published
// to its last digit.
TEST(Reproduction, WorstCasesAreExact) {
  std::ifstream file(MOLLIFY_TEST_DATA "/finite.json");
  const ReproducedJson rows = ReproducedJson::parse(file)["rows"];
  const char* of_kind[] = {"KL divergence", "total variation", "squared Hellinger"};
  const char* keys[] = {"KL", "TV", "H2"};
  std::size_t compared = 0;
  for (const auto& [k, id] : {std::pair{5, "park-5"}, std::pair{10, "park-3"},
                              std::pair{20, "park-6"}, std::pair{100, "park-7"}}) {
    const Figure figure = quick_figure(id);
    ASSERT_EQ(figure.charts.size(), 3U);
    for (const ReproducedJson& row : rows) {
      if (row["k"] != k) continue;
      for (int kind = 0; kind < 3; ++kind) {
        for (const char* mechanism : {"proposed", "baseline"}) {
          char what[80];
          std::snprintf(what, sizeof what, "%s, %s, epsilon %g", of_kind[kind], mechanism,
                        row["eps"].get<double>());
          const PublishedNumber& ours = row_of(figure, what);
          const double exact =
              std::stod(row[std::string(keys[kind]) + "_" + mechanism].get<std::string>());
          // The file has 15 digits.
          EXPECT_NEAR(ours.ours.value_or(-1), exact, 5e-15 * exact) << id << ' ' << what;
          EXPECT_NEAR(ours.exact.value_or(-1), exact, 1e-12) << id << ' ' << what;
          if (ours.published) {
            EXPECT_NEAR(*ours.published, exact, exact < 0.1 ? 5.1e-5 : 5.1e-4) << what;
          }
          ++compared;
        }
      }
    }
  }
  // The file has 5 and 10 outcomes; the others are compared with the formula alone.
  std::printf("%zu bars compared\n", compared);
  EXPECT_EQ(compared, 60U);
  for (const char* id : {"park-3", "park-5", "park-6", "park-7"}) {
    const Figure figure = quick_figure(id);
    EXPECT_EQ(figure.comparisons.size(), 30U);
    for (const PublishedNumber& row : figure.comparisons) {
      EXPECT_NEAR(*row.ours, *row.exact, 1e-12) << id << ' ' << row.what;
    }
  }
}

TEST(Reproduction, FiveOutcomesAreAsPublished) {
  const Figure figure = quick_figure("park-2");
  ASSERT_EQ(figure.comparisons.size(), 15U);
  for (const PublishedNumber& row : figure.comparisons) {
    EXPECT_NEAR(*row.ours, *row.exact, 1e-11) << row.what;
    EXPECT_NEAR(*row.ours, *row.published, 5.1e-5) << row.what;
  }
}

// [Park et al. 2024, Figure 4]: for a client whose minimax law is as far from it as was published,
// perfect sigmoids are as far as the published baseline, in all three divergences.
TEST(Reproduction, PerfectSigmoidsAreThePublishedBaseline) {
  const Figure figure = quick_figure("park-4");
  std::size_t rows = 0;
  double furthest = 0;
  for (const PublishedNumber& row : figure.comparisons) {
    if (row.what.find("perfect sigmoids, one Gaussian") == std::string::npos) continue;
    EXPECT_NEAR(*row.ours, *row.published, 0.002) << row.what;
    furthest = std::max(furthest, std::abs(*row.ours - *row.published));
    ++rows;
  }
  std::printf("%zu numbers, the furthest off by %.5f\n", rows, furthest);
  EXPECT_EQ(rows, 12U);
  // What leaving half of epsilon unspent costs, at epsilon 5.
  const double sigmoids =
      *row_of(figure, "KL divergence, baseline, perfect sigmoids, epsilon 5").ours;
  const double logits = *row_of(figure, "KL divergence, clipped logits, perfect, epsilon 5").ours;
  const double projection =
      *row_of(figure, "KL divergence, exact projection on N(0, 1), epsilon 5").ours;
  std::printf("epsilon 5: sigmoids %.4f, clipped logits %.4f, projection %.5f\n", sigmoids, logits,
              projection);
  EXPECT_GT(sigmoids, 0.25);
  EXPECT_LT(logits, 0.1);
  EXPECT_LT(projection, 0.002);
}

TEST(Reproduction, TheRingOfThreeIsNearItsExactDivergences) {
  const Figure figure = quick_figure("park-1");
  for (const char* what :
       {"minimax, KL divergence", "minimax, total variation", "minimax, squared Hellinger"}) {
    const PublishedNumber& row = row_of(figure, what);
    EXPECT_NEAR(*row.ours / *row.exact, 1, 0.01) << what << " on 120 x 120 cells";
  }
  ASSERT_EQ(figure.charts.size(), 3U);
  const auto& p = std::get<HeatMap>(figure.charts[0]);
  const auto& law = std::get<HeatMap>(figure.charts[2]);
  // e^epsilon bounds what two laws may differ by; P itself is no law of the mechanism.
  for (std::size_t i = 0; i < p.values.size(); ++i) EXPECT_GT(law.values[i], 0);
}

TEST(Reproduction, EveryFigureIsDrawn) {
  for (const Reproduction& reproduction : reproductions()) {
    if (reproduction.id == "cheu-table-3" || reproduction.id == "park-4") continue;
    const Figure figure = reproduced(reproduction, {.quick = true});
    EXPECT_FALSE(figure.charts.empty() && figure.table.rows.empty()) << reproduction.id;
    EXPECT_FALSE(figure.text.empty()) << reproduction.id;
    for (const auto& row : figure.table.rows) {
      EXPECT_EQ(row.size(), figure.table.columns.size()) << reproduction.id;
    }
  }
}

}  // namespace
}  // namespace mollify
