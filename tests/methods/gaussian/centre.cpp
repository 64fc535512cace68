#include "methods/gaussian/centre.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <boost/math/distributions/binomial.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <gtest/gtest.h>

#include "accounting/composition.h"
#include "chi_square.h"
#include "core/invalid_input.h"
#include "methods/central/samplers.h"
#include "methods/gaussian/median_laws.h"
#include "not_finite.h"
#include "refusal.h"
#include "sanitized.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Coarse centre.

namespace {

using CellVector = std::vector<std::int64_t>;

double eta_of(const CentreDesign& design) {
  return static_cast<double>(design.rate.numerator) / static_cast<double>(design.rate.denominator);
}

CentreRequest centre_request(std::uint64_t records, std::size_t dimension, Privacy budget,
                             std::vector<RealRange> ranges, double failure) {
  return {.records = records,
          .dimension = dimension,
          .budget = budget,
          .ranges = std::move(ranges),
          .failure = failure};
}

TEST(CentreDesign, SpendsTheBudgetAndNoMore) {
  constexpr double kRounding = 1e-12;
  for (const std::size_t d : {1u, 2u, 7u, 100u}) {
    const auto dimension = static_cast<double>(d);
    for (const double epsilon : {0.3, 1.0, 5.0}) {
      const double spent = 2 * dimension *
                           eta_of(design_centre(centre_request(1'000'000, d, Privacy::pure(epsilon),
                                                               {{-9, 9}}, 1e-3)));
      EXPECT_LE(spent, epsilon * (1 + kRounding));
      EXPECT_GE(spent, epsilon * (1 - kRounding));
    }
    for (const double rho : {0.01, 0.5, 8.0}) {
      const double eta = eta_of(
          design_centre(centre_request(1'000'000, d, Privacy::concentrated(rho), {{-9, 9}}, 1e-3)));
      EXPECT_LE(dimension * eta * eta / 2, rho * (1 + kRounding));
      EXPECT_GE(dimension * eta * eta / 2, rho * (1 - kRounding));
    }
    for (const double delta : {1e-3, 1e-9}) {
      for (const std::vector<RealRange>& ranges :
           {std::vector<RealRange>{{-9, 9}}, std::vector<RealRange>{}}) {
        const CentreDesign design = design_centre(
            centre_request(1'000'000, d, Privacy::approximate(1, delta), ranges, 1e-3));
        EXPECT_EQ(design.histogram.has_value(), ranges.empty());
        const double first = design.histogram ? design.histogram->epsilon : 0;
        const double first_delta = design.histogram ? design.histogram->delta : 0;
        const double eta = eta_of(design), pure = 2 * dimension * eta;
        const double rho = dimension * eta * eta / 2 * (1 - kRounding);
        EXPECT_TRUE((first + pure <= 1 + kRounding && first_delta <= delta) ||
                    concentrated_delta_up(rho, 1 - first) + first_delta <= delta * (1 + kRounding));
        EXPECT_GE(eta, (1 - first) / (2 * dimension) * (1 - kRounding));
      }
    }
  }
}

// All rows of a few values, finite or not, in one and two coordinates: every pair of neighbours.
TEST(CoarseCentre, KeepsItsPromiseOnAllSmallDataSets) {
  const std::vector<double> values = {-50, 0.1, 1.9, test::kNan, 1e300};
  constexpr std::size_t kRows = 2;
  for (const std::size_t d : {1u, 2u}) {
    for (const Privacy& budget : {Privacy::pure(1), Privacy::pure(4), Privacy::concentrated(0.02),
                                  Privacy::concentrated(1.5)}) {
      const CentreDesign design = design_centre(centre_request(300, d, budget, {{-0.3, 2}}, 0.1));
      const double eta = eta_of(design);
      const CentreDesign::Cells range = design.cells.front();
      const PrivateMedian median(range.first, range.last, design.rate);
      // Of one coordinate.
      const auto columns = test::data_sets<double>(values, kRows);
      std::vector<std::vector<double>> laws;
      for (const auto& column : columns) {
        CellVector cells;
        for (const double x : column) {
          cells.push_back(CoarseCentre::cell_of(x, design.cell_exponent));
        }
        laws.push_back(test::median_law(median, eta, cells));
      }
      const std::vector<double> orders = {1.01, 2, 8, 64};
      const std::size_t count = columns.size();
      std::vector<double> ratios(count * count);
      std::vector<std::vector<double>> divergences(count * count);
      for (std::size_t a = 0; a < count; ++a) {
        for (std::size_t b = 0; b < count; ++b) {
          ratios[a * count + b] = test::log_ratios(laws[a], laws[b]).greatest;
          for (const double order : orders) {
            divergences[a * count + b].push_back(test::renyi_divergence(laws[a], laws[b], order));
          }
        }
      }
      // Coordinates are drawn independently, so logarithms of ratios and divergences add up.
      double worst_ratio = 0, worst_share = 0;
      const auto add_up_over = [&](std::size_t first, std::size_t second) {
        const double ratio = ratios[first] + (d == 2 ? ratios[second] : 0);
        worst_ratio = std::max(worst_ratio, ratio);
        for (std::size_t i = 0; i < orders.size(); ++i) {
          const double divergence = divergences[first][i] + (d == 2 ? divergences[second][i] : 0);
          worst_share = std::max(worst_share, divergence / orders[i]);
        }
      };
      // A replaced row changes each column in that row at most.
      std::vector<std::size_t> steps;
      for (std::size_t a = 0; a < count; ++a) {
        for (std::size_t b = 0; b < count; ++b) {
          bool same_elsewhere = true;
          for (std::size_t i = 1; i < kRows; ++i) {
            same_elsewhere =
                same_elsewhere && (columns[a][i] == columns[b][i] ||
                                   (std::isnan(columns[a][i]) && std::isnan(columns[b][i])));
          }
          if (same_elsewhere) steps.push_back(a * count + b);
        }
      }
      for (const std::size_t first : steps) {
        for (const std::size_t second : steps) add_up_over(first, second);
      }
      if (budget.notion == PrivacyNotion::kConcentrated) {
        EXPECT_LE(worst_share, budget.rho * (1 + 1e-9));
      } else {
        EXPECT_LE(worst_ratio, budget.epsilon * (1 + 1e-9));
      }
      std::printf("d = %zu: worst ratio %.4f of %g, worst Renyi divergence %.4f of %g\n", d,
                  worst_ratio, budget.epsilon, worst_share, budget.rho);
    }
  }
}

/// P(c + Z >= value) for discrete Laplace noise.
double count_at_least(double scale, std::int64_t count, std::int64_t value) {
  const double a = std::exp(-1 / scale);
  const auto z = static_cast<double>(value - count);
  return z > 0 ? std::pow(a, z) / (1 + a) : 1 - std::pow(a, 1 - z) / (1 + a);
}

/// The law of the most frequent of the cells that a stable histogram releases, the least of them;
/// last of all, that none is. By definition, to 1e-15.
std::vector<double> most_frequent_law(const std::vector<std::int64_t>& counts, double scale,
                                      std::int64_t threshold) {
  std::vector<double> law(counts.size() + 1, 0);
  law.back() = 1;
  const auto most = *std::max_element(counts.begin(), counts.end());
  const auto end = std::max(threshold, most) + static_cast<std::int64_t>(40 * scale) + 40;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    law.back() *= 1 - count_at_least(scale, counts[i], threshold);
    for (std::int64_t value = threshold; value < end; ++value) {
      double mass =
          count_at_least(scale, counts[i], value) - count_at_least(scale, counts[i], value + 1);
      for (std::size_t j = 0; j < counts.size(); ++j) {
        if (j != i) mass *= 1 - count_at_least(scale, counts[j], value + (j < i ? 0 : 1));
      }
      law[i] += mass;
    }
  }
  return law;
}

/// The law of the centre's cells, by definition: given the shifts, the joint coarse cell and then
/// each coordinate's median in it.
std::map<CellVector, double> joint_law(const std::vector<CellVector>& rows,
                                       const StableHistogram& histogram, unsigned bits, Ratio rate,
                                       const CellVector& shifts) {
  const std::size_t d = shifts.size();
  const double eta = static_cast<double>(rate.numerator) / static_cast<double>(rate.denominator);
  std::map<CellVector, std::int64_t> coarse;
  for (const CellVector& row : rows) {
    CellVector key(d);
    for (std::size_t j = 0; j < d; ++j) key[j] = (row[j] + shifts[j]) >> bits;
    ++coarse[key];
  }
  std::vector<CellVector> keys;
  std::vector<std::int64_t> counts;
  for (const auto& [key, count] : coarse) {
    keys.push_back(key);
    counts.push_back(count);
  }
  keys.push_back(CellVector(d, 0));  // if none is released
  const auto frequent = most_frequent_law(counts, histogram.scale(), histogram.threshold());
  std::map<CellVector, double> law;
  for (std::size_t k = 0; k < keys.size(); ++k) {
    std::map<CellVector, double> product = {{{}, frequent[k]}};
    for (std::size_t j = 0; j < d; ++j) {
      const std::int64_t first = keys[k][j] * (std::int64_t{1} << bits) - shifts[j];
      const PrivateMedian median(first, first + (std::int64_t{1} << bits) - 1, rate);
      CellVector column;
      for (const CellVector& row : rows) column.push_back(row[j]);
      const auto each = test::median_law(median, eta, column);
      std::map<CellVector, double> longer;
      for (const auto& [cells, mass] : product) {
        CellVector extended = cells;
        extended.push_back(first);
        for (const double probability : each) {
          longer[extended] += mass * probability;
          ++extended.back();
        }
      }
      product = longer;
    }
    for (const auto& [cells, mass] : product) law[cells] += mass;
  }
  return law;
}

// With a histogram: coarse cells of two cells a side, every shift, every pair of neighbours.
TEST(CoarseCentre, KeepsItsApproximatePromiseOnAllSmallDataSets) {
  for (const std::size_t d : {1u, 2u}) {
    const Ratio rate{1, 5};
    const double delta = 0.2, first = 1;
    const double e = std::exp(first + 2 * static_cast<double>(d) / 5);
    const StableHistogram histogram(first, delta);
    const auto rows =
        test::data_sets<std::int64_t>(d == 1 ? CellVector{0, 1, 2, 5} : CellVector{0, 2}, d);
    const auto sets = test::data_sets<CellVector>(rows, 3);
    double worst = 0;
    for (const CellVector& shifts : test::data_sets<std::int64_t>({0, 1}, d)) {
      std::vector<std::map<CellVector, double>> laws;
      for (const auto& set : sets) laws.push_back(joint_law(set, histogram, 1, rate, shifts));
      for (std::size_t a = 0; a < sets.size(); ++a) {
        for (std::size_t b = 0; b < sets.size(); ++b) {
          if (!test::are_neighbours(sets[a], sets[b])) continue;
          double excess = 0;
          for (const auto& [cells, mass] : laws[a]) {
            const auto other = laws[b].find(cells);
            excess += std::max(0.0, mass - (other == laws[b].end() ? 0 : e * other->second));
          }
          worst = std::max(worst, excess);
        }
      }
    }
    std::printf("d = %zu: the least delta is %.5f of %g\n", d, worst, delta);
    EXPECT_LE(worst, delta + 1e-12);
    EXPECT_GT(worst, 0.1 * delta);
  }
}

// Two far places as frequent as each other: which of them is found, ties included, does not depend
// on the order of the rows.
TEST(CoarseCentre, FollowsItsLawWithAHistogram) {
  const CentreDesign design =
      design_centre(centre_request(60, 2, Privacy::approximate(4, 0.3), {}, 0.4));
  const StableHistogram histogram(design.histogram->epsilon, design.histogram->delta);
  const std::vector<std::int64_t> counts = {8, 8, 3};
  // Far enough apart for different coarse cells whatever the shift, in lexicographic order.
  const double far =
      std::ldexp(1.0, design.cell_exponent + 3 + static_cast<int>(design.histogram->coarse_bits));
  const std::vector<std::vector<double>> places = {{-far, far}, {far, -far}, {far, far}};
  const auto law = most_frequent_law(counts, histogram.scale(), histogram.threshold());
  const CoarseCentre empty(design);
  SecureRandom random;
  for (const bool is_reversed : {false, true}) {
    std::vector<std::vector<double>> rows;
    for (std::size_t place = 0; place < places.size(); ++place) {
      rows.insert(rows.end(), static_cast<std::size_t>(counts[place]), places[place]);
    }
    if (is_reversed) std::reverse(rows.begin(), rows.end());
    CoarseCentre centre = empty;
    for (const auto& row : rows) centre.add(row);
    std::vector<std::uint64_t> seen(law.size());
    for (int i = 0; i < test::whole_or_sanitized(20'000, 2'000); ++i) {
      const std::vector<double> found = centre.find(random);
      std::size_t place = 0;
      while (place < places.size() && (std::abs(found[0] - places[place][0]) > far / 2 ||
                                       std::abs(found[1] - places[place][1]) > far / 2)) {
        ++place;
      }
      ++seen[place];
    }
    EXPECT_TRUE(test::follows(law, seen));
  }
}

// Each coordinate's median by its own exact distribution, at the rate that was designed.
TEST(CoarseCentre, FollowsTheLawOfTheMediansItPaidFor) {
  const CentreDesign design =
      design_centre(centre_request(300, 2, Privacy::pure(2), {{-0.3, 2}}, 0.1));
  const double width = std::ldexp(1.0, design.cell_exponent);
  const std::vector<std::vector<double>> columns = {{-0.2, 0.1, 0.1, 0.4, 1.9},
                                                    {1.8, 1.8, 1.7, 1.9, -0.2}};
  CoarseCentre centre(design);
  for (std::size_t row = 0; row < 5; ++row) {
    centre.add(std::vector<double>{columns[0][row], columns[1][row]});
  }
  SecureRandom random;
  std::vector<std::vector<std::uint64_t>> seen(2);
  std::vector<std::vector<double>> laws;
  for (std::size_t j = 0; j < 2; ++j) {
    const CentreDesign::Cells range = design.cells[j];
    CellVector cells;
    for (const double x : columns[j])
      cells.push_back(CoarseCentre::cell_of(x, design.cell_exponent));
    laws.push_back(test::median_law(PrivateMedian(range.first, range.last, design.rate),
                                    eta_of(design), cells));
    seen[j].resize(laws[j].size());
  }
  for (int i = 0; i < test::whole_or_sanitized(50'000, 5'000); ++i) {
    const std::vector<double> found = centre.find(random);
    for (std::size_t j = 0; j < 2; ++j) {
      const auto cell = static_cast<std::int64_t>(std::floor(found[j] / width));
      ++seen[j][static_cast<std::size_t>(cell - design.cells[j].first)];
    }
  }
  for (std::size_t j = 0; j < 2; ++j) EXPECT_TRUE(test::follows(laws[j], seen[j])) << j;
}

/// How often of `runs` the centre is off by more than promised, rows being drawn from N(mean,
/// sd^2).
std::uint64_t failures(const CentreDesign& design, double mean, double deviation, int runs,
                       std::mt19937_64& seeded) {
  const CoarseCentre empty(design);
  const std::size_t d = design.request.dimension;
  SecureRandom random;
  std::normal_distribution<double> normal(mean, deviation);
  std::uint64_t found = 0;
  for (int i = 0; i < runs; ++i) {
    CoarseCentre centre = empty;
    std::vector<double> rows(design.request.records * d);
    for (double& x : rows) x = normal(seeded);
    centre.add(rows);
    double off = 0;
    for (const double x : centre.find(random)) off = std::max(off, std::abs(x - mean));
    found += off > design.coordinate_error ? 1u : 0u;
  }
  return found;
}

TEST(CoarseCentre, FailsNoMoreOftenThanPromised) {
  std::mt19937_64 seeded(77);
  constexpr int kRuns = test::whole_or_sanitized(400, 50);
  for (const std::size_t d : {1u, 3u}) {
    const std::vector<CentreRequest> requests = {
        centre_request(60 * d, d, Privacy::pure(1), {{-4, 6}}, 0.25),
        centre_request(60, d, Privacy::concentrated(0.3), {{-4, 6}}, 0.25),
        centre_request(80 * d, d, Privacy::approximate(1, 1e-2), {{-4, 6}}, 0.25),
        centre_request(160 * d, d, Privacy::approximate(1, 1e-2), {}, 0.25)};
    for (const CentreRequest& request : requests) {
      const CentreDesign design = design_centre(request);
      EXPECT_LE(design.failure_up, request.failure);
      const double most = boost::math::quantile(
          boost::math::complement(boost::math::binomial(kRuns, design.failure_up), 1e-6));
      const double edge = std::ldexp(1.0, design.cell_exponent);
      const std::uint64_t plain = failures(design, 5.7, 1, kRuns, seeded);
      const std::uint64_t narrow = failures(design, -edge * 0.01, edge * 0.001, kRuns, seeded);
      std::printf("d = %zu, n = %llu: error %.3f, %llu and %llu failures of %d, at most %g\n", d,
                  static_cast<unsigned long long>(request.records), design.coordinate_error,
                  static_cast<unsigned long long>(plain), static_cast<unsigned long long>(narrow),
                  kRuns, most);
      EXPECT_LE(static_cast<double>(plain), most);
      EXPECT_LE(static_cast<double>(narrow), most);
    }
  }
}

// The theorem, put together once more from the parts of the design.
TEST(CentreDesign, PromisesWhatTheTheoremGives) {
  for (const std::size_t d : {1u, 10u}) {
    for (const double deviation : {0.01, 1.0, 3.0}) {
      for (const bool has_range : {true, false}) {
        CentreRequest request = centre_request(3000, d, Privacy::approximate(1, 1e-6), {}, 1e-2);
        if (has_range) request.ranges = {{-100, 50}};
        request.deviation = deviation;
        const CentreDesign design = design_centre(request);
        const double half_cell = std::ldexp(0.5, design.cell_exponent);
        double outcomes = 0, failure = 0;
        if (has_range) {
          for (const CentreDesign::Cells& cells : design.cells) {
            EXPECT_LE(std::ldexp(static_cast<double>(cells.first), design.cell_exponent), -100);
            EXPECT_GE(std::ldexp(static_cast<double>(cells.last) + 1, design.cell_exponent), 50);
            outcomes = static_cast<double>(cells.last - cells.first) + 1;
          }
          EXPECT_EQ(design.cells.size(), d);
        } else {
          outcomes = std::ldexp(1.0, static_cast<int>(design.histogram->coarse_bits));
          // If records lie within z deviations, no boundary of coarse cells may cut.
          const double z = 7;
          failure += static_cast<double>(d) * std::ceil(z * deviation / half_cell) / outcomes;
        }
        const double z = (design.coordinate_error - half_cell) / deviation;
        failure += static_cast<double>(d) * median_beyond_up(request.records, outcomes, design.rate,
                                                             std::erfc(z / std::sqrt(2)) / 2);
        EXPECT_LE(failure, has_range ? request.failure * (1 + 1e-6) : request.failure * 1.2);
        EXPECT_LE(failure, design.failure_up * (has_range ? 1 + 1e-6 : 1.2));
        EXPECT_GE(design.radius, std::sqrt(static_cast<double>(d)) * design.coordinate_error);
      }
    }
  }
}

TEST(CoarseCentre, IsTotalForAnyRows) {
  SecureRandom random;
  const double infinity = std::numeric_limits<double>::infinity();
  const std::vector<std::vector<double>> hostile = {{},
                                                    {test::kNan, test::kNan},
                                                    {infinity, -infinity, -infinity, infinity},
                                                    {1e308, 1e308, -1e308, 5e-324, -0.0, 1e18},
                                                    std::vector<double>(2000, 1e300),
                                                    std::vector<double>(2000, test::kNan),
                                                    std::vector<double>(2000, 0.25)};
  for (const CentreRequest& request :
       {centre_request(100, 2, Privacy::pure(4), {{-3, 5}, {1, 2}}, 0.1),
        centre_request(100, 2, Privacy::concentrated(2), {{-3, 5}}, 0.1),
        centre_request(100, 2, Privacy::approximate(4, 1e-3), {}, 0.1)}) {
    const CoarseCentre empty(design_centre(request));
    for (const std::vector<double>& rows : hostile) {
      CoarseCentre centre = empty;
      centre.add(rows);
      const std::vector<double> found = centre.find(random);
      ASSERT_EQ(found.size(), 2u);
      for (std::size_t j = 0; j < 2; ++j) {
        EXPECT_TRUE(std::isfinite(found[j]));
        if (request.ranges.empty()) continue;
        const RealRange range = request.ranges[request.ranges.size() == 1 ? 0 : j];
        const double width = std::ldexp(1.0, centre.design().cell_exponent);
        EXPECT_GE(found[j], range.low - width);
        EXPECT_LE(found[j], range.high + width);
      }
    }
  }
}

TEST(CoarseCentre, CutsAnyDoubleIntoCells) {
  const std::int64_t most = std::int64_t{1} << 51U;
  EXPECT_EQ(CoarseCentre::cell_of(test::kNan, 0), 0);
  EXPECT_EQ(CoarseCentre::cell_of(std::numeric_limits<double>::infinity(), -3), most);
  EXPECT_EQ(CoarseCentre::cell_of(-std::numeric_limits<double>::infinity(), 5), -most);
  EXPECT_EQ(CoarseCentre::cell_of(1e300, -300), most);
  EXPECT_EQ(CoarseCentre::cell_of(-0.25, -2), -1);
  EXPECT_EQ(CoarseCentre::cell_of(-0.26, -2), -2);
  EXPECT_EQ(CoarseCentre::cell_of(0.24, -2), 0);
  EXPECT_EQ(CoarseCentre::cell_of(17, 4), 1);
}

// The table of docs/theory/gaussian-samplers.md: the least n for an error of half a deviation in
// each coordinate, that is a radius of sqrt(d)/2, with probability of failure 1e-3.
TEST(CentreDesign, NeedsAsManyRecordsAsTheDocsSay) {
  const auto least = [](std::size_t d, Privacy budget, double range) {
    CentreRequest request = centre_request(1, d, budget, {}, 1e-3);
    if (range > 0) request.ranges = {{-range, range}};
    const double radius = std::sqrt(static_cast<double>(d)) / 2 * (1 + 1e-9);
    std::uint64_t few = 0;
    std::uint64_t enough = 1 << 17;
    while (enough - few > 1) {
      request.records = few + (enough - few) / 2;
      bool serves = false;
      try {
        serves = design_centre(request).radius <= radius;
      } catch (const InvalidInput&) {  // too few for any radius
      }
      (serves ? enough : few) = request.records;
    }
    return enough;
  };
  const std::map<std::size_t, std::vector<std::uint64_t>> stated = {
      {1, {267, 175, 267, 455, 275, 455, 363}},
      {10, {2239, 425, 1625, 3777, 709, 2739, 2257}},
      {100, {24341, 1289, 5571, 39261, 2079, 8983, 8137}}};
  for (const auto& [d, numbers] : stated) {
    if (d > test::whole_or_sanitized(100U, 10U)) continue;
    std::vector<std::uint64_t> found;
    for (const double range : {1e3, 1e9}) {
      found.push_back(least(d, Privacy::pure(1), range));
      found.push_back(least(d, Privacy::concentrated(0.5), range));
      found.push_back(least(d, Privacy::approximate(1, 1e-6), range));
    }
    found.push_back(least(d, Privacy::approximate(1, 1e-6), 0));
    EXPECT_EQ(found, numbers) << d;
  }
}

std::string centre_refusal(const CentreRequest& request) {
  return test::refusal_of([&] { static_cast<void>(design_centre(request)); });
}

TEST(CentreDesign, RefusesInOneSentence) {
  const CentreRequest good = centre_request(1000, 2, Privacy::pure(1), {{-3, 5}}, 1e-3);
  EXPECT_EQ(centre_refusal(good), "accepted");
  CentreRequest bad = good;
  bad.ranges = {};
  EXPECT_EQ(centre_refusal(bad),
            "without a delta the coarse centre needs declared ranges of the mean, but has none");
  bad.ranges = {{0, 1}, {0, 1}, {0, 1}};
  EXPECT_EQ(centre_refusal(bad),
            "a coarse centre of 2 coordinates needs one range or 2, but has 3");
  bad.ranges = {{0, test::kNan}};
  EXPECT_EQ(centre_refusal(bad),
            "a range of the mean must be of numbers low < high within 2^49 deviations of 0, but is "
            "from 0 to nan");
  bad = good;
  bad.budget.epsilon = 0;
  EXPECT_EQ(centre_refusal(bad), "epsilon of a coarse centre must be from 1e-6 to 100, but is 0");
  bad = good;
  bad.records = 20;
  const std::string sentence =
      "a coarse centre with this budget and probability of failure needs at least ";
  ASSERT_EQ(centre_refusal(bad).substr(0, sentence.size()), sentence);
  const std::uint64_t least = std::stoull(centre_refusal(bad).substr(sentence.size()));
  EXPECT_EQ(centre_refusal(bad), sentence + std::to_string(least) + " records, but has 20");
  bad.records = least;
  EXPECT_EQ(centre_refusal(bad), "accepted");
  bad.records = least - 1;
  EXPECT_NE(centre_refusal(bad), "accepted");
  CentreDesign changed = design_centre(good);
  changed.rate.numerator += 1;
  EXPECT_THROW(static_cast<void>(CoarseCentre(changed)), InvalidInput);
  CoarseCentre centre(design_centre(good));
  EXPECT_THROW((void)centre.add(std::vector<double>{1, 2, 3}), InvalidInput);
}

}  // namespace

// -----------------------------------------------------------------------------------------------
// Private median.

namespace {

using MedianWide = boost::multiprecision::cpp_bin_float_50;

std::uint64_t distance_by_definition(const std::vector<std::int64_t>& values, std::int64_t y) {
  const auto half = static_cast<std::int64_t>(values.size() / 2);
  std::int64_t less = 0, greater = 0;
  for (const std::int64_t value : values) {
    less += value < y ? 1 : 0;
    greater += value > y ? 1 : 0;
  }
  return static_cast<std::uint64_t>(std::max({std::int64_t{0}, less - half, greater - half}));
}

TEST(PrivateMedian, WeighsEveryIntegerByItsDistance) {
  constexpr std::int64_t kFirst = -2, kLast = 3;
  const PrivateMedian median(kFirst, kLast, {1, 1});
  for (std::size_t n = 0; n <= 4; ++n) {
    for (const std::vector<std::int64_t>& values :
         test::data_sets<std::int64_t>({-9, -2, -1, 1, 3, 4}, n)) {
      std::vector<std::int64_t> moved = values;
      for (std::int64_t& value : moved) value = std::clamp(value, kFirst, kLast);
      std::int64_t y = kFirst;
      std::uint64_t least = ~std::uint64_t{0};
      for (const PrivateMedian::Interval& interval : median.intervals(values)) {
        ASSERT_EQ(interval.first, y);
        for (std::uint64_t i = 0; i < interval.term.count; ++i, ++y) {
          ASSERT_EQ(interval.term.distance, distance_by_definition(moved, y));
          least = std::min(least, interval.term.distance);
        }
      }
      ASSERT_EQ(y, kLast + 1);
      ASSERT_EQ(least, 0u);
    }
  }
}

TEST(PrivateMedian, KeepsItsPromiseOnAllSmallDataSets) {
  double worst_share = 0;
  for (const Ratio rate : {Ratio{1, 20}, {1, 2}, {3, 2}}) {
    const double eta = static_cast<double>(rate.numerator) / static_cast<double>(rate.denominator);
    for (const std::int64_t last : {3, 200}) {  // few outcomes, and many of them on one side
      const PrivateMedian median(0, last, rate);
      for (std::size_t n = 1; n <= 4; ++n) {
        const auto sets = test::data_sets<std::int64_t>({-1, 2, 500}, n);
        std::vector<std::vector<double>> laws;
        for (const auto& set : sets) laws.push_back(test::median_law(median, eta, set));
        for (std::size_t a = 0; a < sets.size(); ++a) {
          for (std::size_t b = 0; b < sets.size(); ++b) {
            if (!test::are_neighbours(sets[a], sets[b])) continue;
            const test::LogRatios ratios = test::log_ratios(laws[a], laws[b]);
            EXPECT_LE(ratios.greatest, 2 * eta + 1e-12);
            EXPECT_LE(ratios.greatest - ratios.least, 2 * eta + 1e-12);
            for (const double order : {1.01, 3.0, 50.0}) {
              EXPECT_LE(test::renyi_divergence(laws[a], laws[b], order),
                        order * eta * eta / 2 + 1e-12);
            }
            worst_share = std::max(worst_share, ratios.greatest / (2 * eta));
          }
        }
      }
    }
  }
  std::printf("the worst ratio takes %.4f of the promised 2 eta\n", worst_share);
  EXPECT_GT(worst_share, 0.9);  // so eta for an epsilon of 2 eta is not more noise than needed
}

TEST(PrivateMedian, FollowsTheLawByChiSquare) {
  SecureRandom random;
  const PrivateMedian median(-3, 12, {2, 3});
  const std::vector<std::int64_t> values = {4, 1, -8, 4, 9, 30};
  const std::vector<double> law = test::median_law(median, 2.0 / 3, values);
  std::vector<std::uint64_t> counts(law.size());
  for (int i = 0; i < 100'000; ++i) {
    ++counts[static_cast<std::size_t>(median.draw(values, random) + 3)];
  }
  EXPECT_TRUE(test::follows(law, counts));
  std::vector<std::uint64_t> of_none(law.size());
  for (int i = 0; i < 10'000; ++i) {
    ++of_none[static_cast<std::size_t>(median.draw({}, random) + 3)];
  }
  EXPECT_TRUE(test::follows(std::vector<double>(law.size(), 1.0 / 16), of_none));
}

/// 2 E min(1, c e^(-eta (N - h))), c half of the outcomes, term by term.
MedianWide beyond_by_sum(std::uint64_t n, double outcomes, Ratio rate, double beyond) {
  const MedianWide eta = MedianWide(rate.numerator) / rate.denominator, q = beyond, p = 1 - q;
  const MedianWide odds = p / q, step = exp(-eta);
  MedianWide mass = pow(q, n), sum = 0;
  MedianWide weight = MedianWide(outcomes) / 2 * exp(eta * (n / 2));
  for (std::uint64_t k = 0; k <= n; ++k) {
    sum += mass * (weight < 1 ? weight : MedianWide(1));
    mass *= odds * (n - k) / (k + 1);
    weight *= step;
  }
  return 2 * sum;
}

TEST(PrivateMedian, BoundsHowFarItIsOff) {
  double widest = 1;
  for (const std::uint64_t n : {1ULL, 2ULL, 9ULL, 301ULL, 1200ULL}) {
    for (const double outcomes : {1.0, 1e4, 0x1p52}) {
      if (n == 1200 && outcomes != 1e4) continue;
      for (const Ratio rate : {Ratio{1, 50}, {1, 2}, {4, 1}}) {
        for (const double beyond : {0.5, 0.4, 0.1, 1e-9}) {
          const double bound = median_beyond_up(n, outcomes, rate, beyond);
          const MedianWide truth =
              std::min(MedianWide(1), beyond_by_sum(n, outcomes, rate, beyond));
          EXPECT_GE(MedianWide(bound), truth * (1 - 1e-9))
              << n << ", " << outcomes << ", " << rate.numerator << "/" << rate.denominator << ", "
              << beyond;
          if (truth > 1e-200 && bound < 1) {
            widest = std::max(widest, static_cast<double>(MedianWide(bound) / truth));
          }
        }
      }
    }
  }
  std::printf("the bound is at most %.4f times the expectation\n", widest);
  EXPECT_LT(widest, 1.5);
}

TEST(PrivateMedian, RefusesInOneSentence) {
  EXPECT_EQ(test::refusal_of([] {
              static_cast<void>(PrivateMedian(3, 2, {1, 1}));
            }),
            "a median needs -2^61 <= first <= last < 2^61, but the range is from 3 to 2");
}

}  // namespace

}  // namespace mollify
