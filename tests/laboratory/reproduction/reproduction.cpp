#include "laboratory/reproduction/reproduction.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <functional>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "laboratory/boosting/learners.h"
#include "laboratory/reproduction/cheu.h"
#include "laboratory/reproduction/park.h"
#include "laboratory/reproduction/reproduction.h"

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
          EXPECT_NEAR(ours.expected.value_or(-1), exact, 1e-12) << id << ' ' << what;
          if (ours.published) {
            EXPECT_NEAR(*ours.published, exact, exact < 0.1 ? 5.1e-5 : 5.1e-4) << what;
          }
          ++compared;
        }
      }
    }
  }
  std::printf("%zu bars compared\n", compared);
  EXPECT_EQ(compared, 60U) << "the file has 5 and 10 outcomes";
}

/// What a point mass on k outcomes keeps and gives away at worst, with more digits than doubles
/// have, and the divergences of that.
struct LongWorstCase {
  long double kl, tv, hellinger2;
};
LongWorstCase long_worst_case(long double k, long double epsilon, bool proposed) {
  long double away = (k - 1) / (std::exp(epsilon) + k - 1);
  if (!proposed) {
    away = std::max(1 - std::exp(epsilon / 2) / k, (k - 1) / k * std::exp(-epsilon / 2));
  }
  return {-std::log1p(-away), away, away / (1 + std::sqrt(1 - away))};
}

// The same for all four numbers of outcomes, by formulas evaluated in extended precision.
TEST(Reproduction, WorstCasesAreExactForAllNumbersOfOutcomes) {
  long double furthest = 0;
  for (const auto& [k, id] : {std::pair{5, "park-5"}, std::pair{10, "park-3"},
                              std::pair{20, "park-6"}, std::pair{100, "park-7"}}) {
    const Figure figure = quick_figure(id);
    EXPECT_EQ(figure.comparisons.size(), 30U);
    for (const long double epsilon : {0.1L, 0.5L, 1.0L, 2.0L, 5.0L}) {
      for (const bool proposed : {true, false}) {
        const LongWorstCase exact = long_worst_case(k, epsilon, proposed);
        for (const auto& [kind, value] :
             {std::pair{"KL divergence", exact.kl}, std::pair{"total variation", exact.tv},
              std::pair{"squared Hellinger", exact.hellinger2}}) {
          char what[80];
          std::snprintf(what, sizeof what, "%s, %s, epsilon %g", kind,
                        proposed ? "proposed" : "baseline", static_cast<double>(epsilon));
          const long double off = std::abs(*row_of(figure, what).ours / value - 1);
          EXPECT_LT(off, 5e-15L) << id << ' ' << what;
          furthest = std::max(furthest, off);
        }
      }
    }
  }
  std::printf("120 bars, the furthest off by %.1e of itself\n", static_cast<double>(furthest));
}

// [Park et al. 2024, Figure 2]: the projection by hand. Of .3, .25, .2, .15 and .1 the last two lie
// at the floor b at epsilon 1, the last three at .5, and all but the first, which is at the
// ceiling, at .1; those between are in proportion. Releases draw from integers that come near it.
TEST(Reproduction, FiveOutcomesAreAsPublished) {
  const Figure figure = quick_figure("park-2");
  ASSERT_EQ(figure.comparisons.size(), 15U);
  double furthest = 0;
  for (const PublishedNumber& row : figure.comparisons) {
    EXPECT_NEAR(*row.ours, *row.expected, 1e-11) << row.what;
    EXPECT_NEAR(*row.ours, *row.published, 5.1e-5) << row.what;
    int outcome = 0;
    double epsilon = 0;
    ASSERT_EQ(std::sscanf(row.what.c_str(), "outcome %d, epsilon %lf", &outcome, &epsilon), 2);
    const long double floor = 1 / (std::exp(static_cast<long double>(epsilon)) + 4);
    const int between = epsilon == 1 ? 3 : epsilon == 0.5 ? 2 : 1;
    const long double whole = between == 3 ? 0.75L : between == 2 ? 0.55L : 0.3L;
    const long double by_hand = outcome > between
                                    ? floor
                                    : (0.35L - 0.05L * static_cast<long double>(outcome)) / whole *
                                          (1 - static_cast<long double>(5 - between) * floor);
    EXPECT_NEAR(static_cast<double>(*row.expected / by_hand), 1, 5e-15) << row.what;
    furthest = std::max(furthest, std::abs(*row.ours / *row.expected - 1));
  }
  std::printf("integers are furthest from the projection by %.1e of it\n", furthest);
}

constexpr std::array kDivergenceKinds = {&DivergenceReport::kl, &DivergenceReport::tv,
                                         &DivergenceReport::hellinger2};

// [Park et al. 2024, Figure 4]: the bars of the minimax law to the last published digit; perfect
// sigmoids and networks that learned like the published ones, on the same clients.
TEST(Reproduction, ClientsAreAsPublished) {
  const Figure figure = quick_figure("park-4");
  std::size_t minimax = 0;
  double furthest_perfect = 0;
  double furthest_learned = 0;
  for (const PublishedNumber& row : figure.comparisons) {
    if (!row.published) continue;
    const double off = std::abs(*row.ours - *row.published);
    if (row.what.find("minimax") != std::string::npos) {
      EXPECT_LT(off, 1e-4) << row.what;
      ++minimax;
    } else if (row.what.find("learned") != std::string::npos) {
      furthest_learned = std::max(furthest_learned, off);
    } else {
      furthest_perfect = std::max(furthest_perfect, off);
    }
  }
  std::printf("%zu bars of the minimax law; perfect sigmoids off by up to %.5f, learned %.5f\n",
              minimax, furthest_perfect, furthest_learned);
  EXPECT_EQ(minimax, 15U);
  EXPECT_LT(furthest_perfect, 0.002);
  EXPECT_LT(furthest_learned, 0.03);
  // As the whole figure has them: the minimax law's to the last published digit, perfect sigmoids
  // to .001 of what learned ones reached; and --quick, to five decimals as its page says.
  const detail::ParkClients exact(false);
  constexpr std::array kNames = {"KL divergence", "total variation", "squared Hellinger"};
  double most[] = {0, 0};
  for (std::size_t e = 0; e < detail::kClientEpsilons.size(); ++e) {
    const detail::ClientDivergences of_client = exact.divergences(
        detail::client_of_one_gaussian(detail::kWorstClientMeans[e]), detail::kClientEpsilons[e]);
    for (std::size_t law = 0; law < of_client.size(); ++law) {
      for (std::size_t kind = 0; kind < kNames.size(); ++kind) {
        char what[100];
        std::snprintf(what, sizeof what, "%s, %s, epsilon %g", kNames[kind],
                      detail::kClientLaws[law], detail::kClientEpsilons[e]);
        const PublishedNumber& row = row_of(figure, what);
        const double value = of_client[law].*kDivergenceKinds[kind];
        EXPECT_NEAR(*row.ours, value, 5e-6) << what;
        if (law > 1) continue;
        ASSERT_TRUE(row.published.has_value()) << what;
        EXPECT_NEAR(value, *row.published, law == 0 ? 5e-5 : 0.001) << what;
        most[law] = std::max(most[law], std::abs(value - *row.published));
      }
    }
  }
  std::printf("30 published bars: minimax within %.6f, perfect sigmoids %.6f\n", most[0], most[1]);
  // What leaving half of epsilon unspent costs, at epsilon 5.
  const double logits = *row_of(figure, "KL divergence, clipped logits, perfect, epsilon 5").ours;
  const double projection =
      *row_of(figure, "KL divergence, exact projection on N(0, 1), epsilon 5").ours;
  std::printf("epsilon 5: clipped logits %.4f, projection %.5f\n", logits, projection);
  EXPECT_NEAR(logits, 0.08, 0.005);
  EXPECT_LT(projection, 0.001);
}

/// The client that is the worst of a hundred, and how bad, for a law and a divergence.
struct WorstClient {
  double value = 0;
  GaussianMixtureSpec client{};
};

/// For each epsilon the hundred clients' worst, by law and divergence.
using WorstClients = std::array<
    std::array<std::array<WorstClient, kDivergenceKinds.size()>, detail::kClientLaws.size()>,
    detail::kClientEpsilons.size()>;
WorstClients worst_of(const ReproducedJson& hundreds) {
  const detail::ParkClients laws(true);
  WorstClients result;
  for (std::size_t e = 0; e < result.size(); ++e) {
    char key[16];
    std::snprintf(key, sizeof key, "%g", detail::kClientEpsilons[e]);
    EXPECT_EQ(hundreds[key].size(), 100U);
    for (const ReproducedJson& json : hundreds[key]) {
      GaussianMixtureSpec client;
      client.box = {{-4, 4}};
      for (const double mean : json[0]) client.means.push_back({mean});
      for (const double weight : json[1]) client.weights.push_back(weight);
      client.variances.assign(client.means.size(), {1});
      // Only the far ones can be the worst, and this is half of the far end.
      const double furthest = std::abs(std::inner_product(
          client.weights.begin(), client.weights.end(), client.means.begin(), 0.0, std::plus<>{},
          [](double weight, const std::vector<double>& mean) { return weight * mean[0]; }));
      if (furthest < 0.5) continue;
      const detail::ClientDivergences of_client =
          laws.divergences(client, detail::kClientEpsilons[e]);
      for (std::size_t law = 0; law < of_client.size(); ++law) {
        for (std::size_t kind = 0; kind < kDivergenceKinds.size(); ++kind) {
          WorstClient& worst = result[e][law][kind];
          const double value = of_client[law].*kDivergenceKinds[kind];
          if (value > worst.value) worst = {value, client};
        }
      }
    }
  }
  return result;
}

TEST(Reproduction, TheWorstClientsAreTheWorstOfTheirHundreds) {
  std::ifstream file(MOLLIFY_TEST_DATA "/park_clients.json");
  const ReproducedJson clients = ReproducedJson::parse(file);
  const auto published = worst_of(clients["published"]);
  for (std::size_t e = 0; e < published.size(); ++e) {
    for (const auto& of_law : published[e]) {
      for (const WorstClient& worst : of_law) {
        ASSERT_EQ(worst.client.means.size(), 1U);
        EXPECT_NEAR(worst.client.means[0][0], detail::kWorstClientMeans[e], 1e-6);
      }
    }
  }
  // The same seeds without the chains' draws between clients: other clients, which others took.
  const auto plain = worst_of(clients["plain"]);
  constexpr std::array kExpected = {0.473, 0.429, 0.413, 0.352, 0.280};
  for (std::size_t e = 0; e < plain.size(); ++e) {
    std::printf("epsilon %g: perfect sigmoids %.4f published clients, %.4f plain\n",
                detail::kClientEpsilons[e], published[e][1][0].value, plain[e][1][0].value);
    EXPECT_NEAR(plain[e][1][0].value, kExpected[e], 0.0006);
  }
}

TEST(Reproduction, TheRingOfThreeIsNearItsExactDivergences) {
  const Figure figure = quick_figure("park-1");
  for (const char* what :
       {"minimax, KL divergence", "minimax, total variation", "minimax, squared Hellinger"}) {
    const PublishedNumber& row =
        row_of(figure, std::string(what) + " (expected: polar quadrature)");
    EXPECT_NEAR(*row.ours / *row.expected, 1, 0.01) << what << " on 120 x 120 cells";
  }
  ASSERT_EQ(figure.charts.size(), 3U);
  const auto& p = std::get<HeatMap>(figure.charts[0]);
  const auto& law = std::get<HeatMap>(figure.charts[2]);
  // e^epsilon bounds what two laws may differ by; P itself is no law of the mechanism.
  for (std::size_t i = 0; i < p.values.size(); ++i) EXPECT_GT(law.values[i], 0);
}

// The ring of radius 3: Q0 covers .03 of it, and boosting by perfect classifiers .10, .56 and .78
// at epsilon 1, 5 and 10, without the dip that [Husain et al. 2020, Figure 4] shows.
TEST(Reproduction, PerfectBoostingCoversTheRingOfRadiusThree) {
  const detail::KnownDensity density =
      detail::KnownDensity::against_normal(detail::ring_of_eight(3, 0.3), false);
  double before = fit_of(density, density.h).coverage;
  std::printf("Q0 covers %.4f\n", before);
  EXPECT_NEAR(before, 0.03, 0.005);
  for (const auto& [epsilon, expected] :
       {std::pair{0.1, 0.03}, std::pair{1.0, 0.10}, std::pair{5.0, 0.56}, std::pair{10.0, 0.78}}) {
    const double covered =
        fit_of(density, perfectly_boosted(density.p, density.h, {epsilon})).coverage;
    std::printf("epsilon %g: %.4f\n", epsilon, covered);
    EXPECT_NEAR(covered, expected, 0.005);
    EXPECT_GT(covered, before);
    before = covered;
  }
}

// Of the three Gaussians boosting covers a little less with every epsilon: a fall without the rise
// that would make it a dip.
TEST(Reproduction, PerfectBoostingCoversLessOfThreeGaussiansWithEveryEpsilon) {
  const detail::KnownDensity density =
      detail::KnownDensity::against_normal(detail::three_gaussians(), false);
  const double first = fit_of(density, perfectly_boosted(density.p, density.h, {0.05})).coverage;
  double before = first;
  for (const double epsilon : {0.2, 0.5, 1.0, 2.0, 5.0, 10.0}) {
    const double covered =
        fit_of(density, perfectly_boosted(density.p, density.h, {epsilon})).coverage;
    EXPECT_LT(covered, before) << "epsilon " << epsilon;
    before = covered;
  }
  std::printf("from %.6f to %.6f\n", first, before);
  EXPECT_NEAR(first, 1 - 1 / 80'000.0, 1e-6);
  EXPECT_NEAR(before, 0.999, 1e-4);
}

// What the page says of DPB alone: to .01 where a draw of the noise moves it by less than .04; at
// epsilon .1 and .01 within what one draw moves it by. The law of one draw:
// BernsteinMechanism.ExpectedLikelihoodsAreOrdinaryDraws.
TEST(Reproduction, TheBernsteinMechanismIsAsExpected) {
  const std::vector<PublishedNumber> rows = detail::expected_likelihoods(2026, true);
  ASSERT_EQ(rows.size(), 7U);
  for (const PublishedNumber& row : rows) {
    const double deviation = row.spread.value_or(0);
    std::printf("%s: %.4f, deviation %.4f, expected %.3f; %s\n", row.what.c_str(), *row.ours,
                deviation, *row.expected, row.why.c_str());
    EXPECT_NEAR(*row.ours, *row.expected, deviation < 0.04 ? 0.01 : deviation) << row.what;
  }
}

/// Whatever a figure shows: something is drawn and told, and a number that differs by more than
/// rounding from what it is compared with says why.
void expect_told(const Figure& figure) {
  EXPECT_FALSE(figure.charts.empty() && figure.table.rows.empty()) << figure.id;
  EXPECT_FALSE(figure.text.empty()) << figure.id;
  for (const auto& row : figure.table.rows) {
    EXPECT_EQ(row.size(), figure.table.columns.size()) << figure.id;
    for (const std::string& cell : row) EXPECT_NE(cell, "-") << figure.id << ' ' << row[0];
  }
  for (const PublishedNumber& row : figure.comparisons) {
    for (const std::optional<double>& other : {row.published, row.expected}) {
      if (!row.ours || !other || std::abs(*row.ours - *other) < 1e-3 * std::abs(*other)) continue;
      EXPECT_FALSE(row.why.empty()) << figure.id << ' ' << row.what;
    }
  }
}

// [Husain et al. 2020, Figure 1 right], in the small: at epsilon 400 per record the Bernstein
// mechanism looks like boosting at epsilon 1, at epsilon 1 it does not, and the adversarial network
// is worse than both. By how much it loses modes to noise: PrivateGan.LosesModesToNoise.
TEST(Reproduction, ContendersAreFurtherFromPThanBoosting) {
  const Figure figure = quick_figure("husain-contenders");
  expect_told(figure);
  const auto ours = [&](const std::string& what) { return row_of(figure, what).ours.value_or(-1); };
  const double boosting = ours("MBDE, negative log-likelihood (expected: perfect classifiers)");
  const double at_400 = ours("DPB, negative log-likelihood, epsilon 400 per record");
  const double at_1 = ours("DPB, negative log-likelihood, epsilon 1 per record");
  const double as_near = ours(
      "DPB, K and h by an oracle: epsilon per record that brings it as near as MBDE at epsilon 1 "
      "(published: they look alike at 400)");
  const double network = ours(
      "DPGAN, negative log-likelihood of a kernel density of its points (expected: as many points "
      "of P)");
  std::printf("boosting %.3f; DPB %.3f at epsilon 400, %.3f at 1, as near at %.0f; DPGAN %.2f\n",
              boosting, at_400, at_1, as_near, network);
  EXPECT_NEAR(at_400, boosting, 0.15);
  EXPECT_GT(at_1, boosting + 0.5);
  EXPECT_GT(as_near, 100);
  EXPECT_LT(as_near, 1000);
  EXPECT_GT(network, std::max(boosting, at_400) + 1);
}

// [Husain et al. 2020, appendix, Figure 1], in the small: boosting's likelihood falls with epsilon
// and the Bernstein mechanism's deviation is the larger one. Published: 100 times; ours are so at
// small epsilon only, as the page says.
TEST(Reproduction, TheBernsteinMechanismVariesMoreThanBoosting) {
  const Figure figure = quick_figure("husain-random-likelihood");
  expect_told(figure);
  ASSERT_EQ(figure.charts.size(), 4U);
  for (const Curve& curve : std::get<LineChart>(figure.charts[0]).curves) {
    EXPECT_LT(curve.y.back(), curve.y.front() - 0.01) << curve.name;
  }
  const double at_half =
      *row_of(figure, "deviation of DPB over that of MBDE, mean over m, epsilon 0.5").ours;
  const double at_two =
      *row_of(figure, "deviation of DPB over that of MBDE, mean over m, epsilon 2").ours;
  std::printf("deviation of DPB over MBDE: %.2f at epsilon .5, %.2f at 2\n", at_half, at_two);
  EXPECT_GT(at_half, 3 * at_two);
  EXPECT_GT(at_half, 3);
  EXPECT_LT(at_half, 100);
}

TEST(Reproduction, CoverageOfRandomGaussiansIsFlatAndSaysSo) {
  const Figure figure = quick_figure("husain-random-coverage");
  expect_told(figure);
  EXPECT_TRUE(std::get<LineChart>(figure.charts[0]).title.ends_with("(every line at 1)"));
  EXPECT_TRUE(std::get<LineChart>(figure.charts[1]).title.ends_with("(every line at 0)"));
}

// [Cheu, Nayak 2024, Tables 1 and 2] hold orders. Numbers of records grow as these do, where a
// theorem's own constants and logarithms let them, and no bound is above what a sampler reaches.
TEST(Reproduction, TablesGrowAsTheirOrders) {
  for (const char* id : {"cheu-table-1", "cheu-table-2"}) {
    const Figure figure = quick_figure(id);
    expect_told(figure);
    constexpr std::size_t kOrder = 2;
    constexpr std::size_t kOurs = 3;
    constexpr std::size_t kOursOverOrder = 4;
    constexpr std::size_t kPapers = 5;
    constexpr std::size_t kBound = 8;
    const bool is_finite = figure.id == "cheu-table-1";
    const double share = std::stod(figure.table.rows.front()[kOursOverOrder]);
    for (const auto& row : figure.table.rows) {
      const double ours = std::stod(row[kOurs]);
      EXPECT_LE(ours, std::stod(row[kPapers])) << row[0] << row[1];
      const double order = std::stod(row[kOrder].substr(row[kOrder].find('=') + 1));
      EXPECT_NEAR(ours / order / std::stod(row[kOursOverOrder]), 1, 0.06) << row[0] << row[1];
      const std::string times = "c times ";
      const double bound =
          is_finite ? share * std::stod(row[kBound].substr(times.size())) : std::stod(row[kBound]);
      EXPECT_LE(bound, 1.01 * ours) << row[0] << row[1];
    }
    for (const PublishedNumber& row : figure.comparisons) {
      std::printf("%s: %.4g, published %.4g\n", row.what.c_str(), *row.ours, *row.published);
      // Shuffled and pure Gaussian samples differ by what the table says in words.
      const bool is_pure = row.what.find(" pure:") != std::string::npos;
      if (is_finite != is_pure) continue;
      if (row.what.find("records over") != std::string::npos) continue;
      const double growth = *row.ours / *row.published;
      if (row.what == "strong, 100 samples, approximate: times the records of one, mollify") {
        // Noise of pure privacy serves one sample with half of the records that the order is for.
        EXPECT_NEAR(growth, 2, 0.24) << row.what;
      } else {
        EXPECT_NEAR(growth, 1, 0.12) << row.what;
      }
    }
  }
}

TEST(Reproduction, EveryFigureIsDrawn) {
  for (const Reproduction& reproduction : reproductions()) {
    // Those of tests above, and what takes long.
    constexpr std::array<std::string_view, 7> kElsewhere = {"husain-contenders",
                                                            "husain-random-coverage",
                                                            "husain-random-likelihood",
                                                            "park-4",
                                                            "cheu-table-1",
                                                            "cheu-table-2",
                                                            "cheu-table-3"};
    if (std::find(kElsewhere.begin(), kElsewhere.end(), reproduction.id) != kElsewhere.end()) {
      continue;
    }
    expect_told(reproduced(reproduction, {.quick = true}));
  }
}

}  // namespace
}  // namespace mollify
