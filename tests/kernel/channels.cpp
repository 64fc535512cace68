#include "kernel/channels.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "chi_square.h"
#include "core/invalid_input.h"
#include "kernel/bands.h"
#include "kernel/public_matrix.h"
#include "kernel/search.h"
#include "refusal.h"
#include "sanitized.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// k-ary randomized response.

namespace {

TEST(RandomizedResponse, KeepsItsInequalitiesInIntegers) {
  for (const double epsilon : {1e-6, 1e-3, 0.1, 1.0, 5.0, 20.0, 30.0, 100.0}) {
    for (const std::size_t k : {2u, 3u, 4u, 10u, 1000u, 1'000'000u, 1u << 24}) {
      const RandomizedResponse response(k, epsilon);
      const uint128 total = response.kept() + static_cast<uint128>(k - 1) * response.other();
      EXPECT_EQ(response.total(), static_cast<std::uint64_t>(total));
      EXPECT_LE(response.total(), Band::kGreatestTotal);
      EXPECT_TRUE(total == response.total());
      EXPECT_GE(response.other(), 1u);
      EXPECT_TRUE(response.bound().allows(response.kept(), response.other()));
      // Nothing is wasted: one part more for the value itself would be too many.
      EXPECT_FALSE(response.bound().allows(response.kept() + 1, response.other()));
      const double e = std::exp(std::fmin(epsilon, 30.0));
      EXPECT_NEAR(static_cast<double>(response.kept()) / static_cast<double>(response.total()) *
                      (e + static_cast<double>(k) - 1) / e,
                  1, 1e-9);
    }
  }
}

TEST(RandomizedResponse, KeepsItsInequalityForChosenRecords) {
  constexpr std::uint64_t kMost = RandomizedResponse::kMostRecords;
  for (const double epsilon : {1e-6, 1e-3, 0.1, 1.0, 5.0, 30.0}) {
    for (const std::size_t k : {2u, 3u, 1000u, 1u << 24}) {
      for (const std::uint64_t n : {std::uint64_t{1}, std::uint64_t{7}, std::uint64_t{1'000'003},
                                    std::uint64_t{1'000'000'000}, kMost}) {
        for (const std::uint64_t m : {std::uint64_t{1}, (n + 2) / 3, n}) {
          const RandomizedResponse response(k, epsilon, n, m);
          EXPECT_TRUE(response.satisfies(response.bound()));
          EXPECT_GE(response.other(), 1u);
          EXPECT_LE(response.total(), Band::kGreatestTotal);
          EXPECT_TRUE(response.total() ==
                      response.kept() + uint128{k - 1} * uint128{response.other()});
          const double odds =
              1 + static_cast<double>(n) / static_cast<double>(m) * std::expm1(epsilon);
          if (odds > 0x1p40) continue;  // L is too small to be compared
          EXPECT_NEAR(static_cast<double>(response.other()) /
                          static_cast<double>(response.total()) *
                          (odds + static_cast<double>(k - 1)),
                      1, 2e-6)
              << "epsilon " << epsilon << ", k " << k << ", n " << n << ", m " << m;
        }
      }
    }
  }
}

TEST(RandomizedResponse, IsTightForOneChosenRecord) {
  for (const double epsilon : {1e-3, 0.1, 1.0, 5.0}) {
    for (const std::uint64_t n : {2u, 7u, 1000u}) {
      const RandomizedResponse response(5, epsilon, n, 1);
      EXPECT_FALSE(
          response.bound().allows(uint128{response.kept() + 1} + uint128{n - 1} * response.other(),
                                  uint128{n} * response.other()));
    }
  }
}

/// m distinct places of n, in every order or in ascending order alone.
std::vector<std::vector<std::size_t>> choices(std::size_t n, std::size_t m, bool in_every_order) {
  std::vector<std::vector<std::size_t>> all{{}};
  for (std::size_t i = 0; i < m; ++i) {
    std::vector<std::vector<std::size_t>> longer;
    for (const std::vector<std::size_t>& places : all) {
      for (std::size_t place = 0; place < n; ++place) {
        const bool fits = in_every_order ? std::count(places.begin(), places.end(), place) == 0
                                         : places.empty() || places.back() < place;
        if (!fits) continue;
        longer.push_back(places);
        longer.back().push_back(place);
      }
    }
    all = std::move(longer);
  }
  return all;
}

/// The digits of `number` in base k: all lists of `length` values for number from 0 to k^length
/// - 1.
std::vector<std::size_t> list_of(std::size_t number, std::size_t length, std::size_t k) {
  std::vector<std::size_t> values(length);
  for (std::size_t& value : values) {
    value = number % k;
    number /= k;
  }
  return values;
}

/// The worst of P(y) / P'(y) over all lists y of m reports, all n values and all that replace one
/// of them, and whether each is at most Ebar. For m up to 2: P(y) as an integer has 128 bits.
struct WorstRatio {
  double ratio = 0;
  bool is_private = true;
};
WorstRatio worst_ratio(const RandomizedResponse& response, std::size_t n, std::size_t m,
                       bool in_every_order) {
  const std::size_t k = response.outcome_count();
  const auto chosen = choices(n, m, in_every_order);
  const auto probability = [&](const std::vector<std::size_t>& values,
                               const std::vector<std::size_t>& reports) {
    uint128 sum = 0;
    for (const std::vector<std::size_t>& places : chosen) {
      uint128 product = 1;
      for (std::size_t i = 0; i < m; ++i) {
        product *= values[places[i]] == reports[i] ? response.kept() : response.other();
      }
      sum += product;
    }
    return sum;
  };
  const auto power = [](std::size_t base, std::size_t exponent) {
    std::size_t product = 1;
    for (std::size_t i = 0; i < exponent; ++i) product *= base;
    return product;
  };
  WorstRatio worst;
  for (std::size_t given = 0; given < power(k, n); ++given) {
    const std::vector<std::size_t> values = list_of(given, n, k);
    for (std::size_t replaced = 0; replaced < n * k; ++replaced) {
      std::vector<std::size_t> others = values;
      others[replaced / k] = replaced % k;
      for (std::size_t released = 0; released < power(k, m); ++released) {
        const std::vector<std::size_t> reports = list_of(released, m, k);
        const uint128 more = probability(values, reports);
        const uint128 less = probability(others, reports);
        worst.ratio = std::max(worst.ratio, static_cast<double>(more) / static_cast<double>(less));
        if (!response.bound().allows(more, less)) worst.is_private = false;
      }
    }
  }
  return worst;
}

TEST(RandomizedResponse, OfChosenRecordsNeedsARandomOrder) {
  for (const std::size_t k : {2u, 3u}) {
    for (const std::size_t n : {1u, 2u, 3u, 4u}) {
      for (std::size_t m = 1; m <= std::min<std::size_t>(n, 2); ++m) {
        const WorstRatio worst = worst_ratio(RandomizedResponse(k, 1, n, m), n, m, true);
        EXPECT_TRUE(worst.is_private) << "k " << k << ", n " << n << ", m " << m;
        EXPECT_NEAR(worst.ratio, std::exp(1.0), 1e-9) << "k " << k << ", n " << n << ", m " << m;
      }
    }
  }
  const WorstRatio in_record_order = worst_ratio(RandomizedResponse(3, 1, 3, 2), 3, 2, false);
  EXPECT_FALSE(in_record_order.is_private);
  EXPECT_NEAR(in_record_order.ratio, 3.1153, 5e-5);
}

TEST(RandomizedResponse, OneOutcomeIsReportedAlways) {
  const RandomizedResponse response(1, 1);
  EXPECT_EQ(response.kept(), response.total());
  EXPECT_EQ(response.other(), 0u);
  SecureRandom random;
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(response.draw(0, random), 0u);
    EXPECT_EQ(response.draw(5, random), 0u);
  }
}

std::string response_refusal(std::size_t k, double epsilon, std::uint64_t records = 1,
                             std::uint64_t chosen = 1) {
  return test::refusal_of([&] { RandomizedResponse(k, epsilon, records, chosen); });
}

TEST(RandomizedResponse, RefusesInOneSentence) {
  EXPECT_EQ(response_refusal(0, 1), "the number of outcomes must be from 1 to 16777216, but is 0");
  EXPECT_EQ(response_refusal((1 << 24) + 1, 1),
            "the number of outcomes must be from 1 to 16777216, but is 16777217");
  EXPECT_EQ(response_refusal(2, 0), "epsilon must be finite and positive, but is 0");
  EXPECT_EQ(response_refusal(2, 1, 0),
            "the number of records must be from 1 to 1099511627776, but is 0");
  EXPECT_EQ(response_refusal(2, 1, 5, 6),
            "the number of chosen records must be from 1 to all 5, but is 6");
  EXPECT_EQ(response_refusal(2, 1, 5, 0),
            "the number of chosen records must be from 1 to all 5, but is 0");
  EXPECT_EQ(response_refusal(2, 1e-7), "epsilon of one draw must be at least 1e-6, but is 1e-7");
}

std::vector<double> law_of(const RandomizedResponse& response, std::size_t value) {
  const auto total = static_cast<double>(response.total());
  std::vector<double> law(response.outcome_count(), static_cast<double>(response.other()) / total);
  law[value] = static_cast<double>(response.kept()) / total;
  return law;
}

TEST(RandomizedResponse, DrawsFollowTheProbabilities) {
  SecureRandom random;
  for (const std::size_t k : {2u, 3u, 7u, 100u}) {
    const RandomizedResponse response(k, 1.5);
    for (const std::size_t value : {std::size_t{0}, k / 2, k - 1}) {
      std::vector<std::uint64_t> counts(k);
      for (int i = 0; i < 200'000; ++i) ++counts[response.draw(value, random)];
      EXPECT_TRUE(test::follows(law_of(response, value), counts));
    }
  }
}

TEST(RandomizedResponse, ValuesOutOfRangeCountAsZero) {
  const RandomizedResponse response(3, 2);
  for (const std::size_t value : {std::size_t{3}, std::size_t{1} << 40, ~std::size_t{0}}) {
    for (const std::uint64_t position :
         {std::uint64_t{0}, response.kept() - 1, response.kept(), response.total() - 1}) {
      for (const std::uint64_t other : {0u, 1u}) {
        EXPECT_EQ(response.outcome_at(value, position, other),
                  response.outcome_at(0, position, other));
      }
    }
  }
}

}  // namespace

// -----------------------------------------------------------------------------------------------
// Matrix channel.

namespace {

using test::kEpsilons;

/// The rows of k-ary randomized response at exactly e^epsilon in doubles.
std::vector<double> response_rows(std::size_t k, double epsilon) {
  std::vector<double> rows(k * k, 1);
  for (std::size_t i = 0; i < k; ++i) rows[i * k + i] = std::exp(epsilon);
  return rows;
}

/// m rows within e^epsilon of one another: masses h_j e^(epsilon u), normalised, with u in
/// [0, 1/2], since normalising can double the distance.
std::vector<double> random_rows(std::size_t m, std::size_t k, double epsilon,
                                std::mt19937_64& random) {
  std::uniform_real_distribution<double> unit(0, 1);
  std::vector<double> h(k), rows;
  for (double& mass : h) mass = std::exp(-8 * unit(random));
  for (std::size_t i = 0; i < m * k; ++i)
    rows.push_back(h[i % k] * std::exp(epsilon * unit(random) / 2));
  return rows;
}

TEST(MatrixChannel, EveryColumnByLookingAtAllEntries) {
  std::mt19937_64 random(1);
  for (const double epsilon : kEpsilons) {
    for (const std::size_t k : {1U, 2U, 5U, 50U}) {
      for (const std::size_t m : {1U, 2U, 9U}) {
        const auto channel = MatrixChannel::make(random_rows(m, k, epsilon, random), k, epsilon);
        EXPECT_EQ(channel.input_count(), m);
        EXPECT_EQ(channel.outcome_count(), k);
        test::expect_private_matrix(channel, ExpBound(epsilon));
      }
    }
  }
}

TEST(MatrixChannel, RowsAreTheMassesGiven) {
  std::mt19937_64 random(2);
  const auto rows = random_rows(4, 30, 1, random);
  const auto channel = MatrixChannel::make(rows, 30, 1);
  for (std::size_t x = 0; x < 4; ++x) {
    double sum = 0;
    for (std::size_t j = 0; j < 30; ++j) sum += rows[x * 30 + j];
    for (std::size_t j = 0; j < 30; ++j) {
      const double mass = rows[x * 30 + j] / sum;
      EXPECT_NEAR(test::probability(channel, x, j), mass, 1e-11 * mass);
    }
  }
}

// Generators are usually the rows of a mechanism that spends all of epsilon; in doubles they reach
// e^epsilon itself, which is more than Ebar, and must not be refused for that.
TEST(MatrixChannel, AcceptsRowsThatReachEpsilon) {
  for (const double epsilon : {1e-6, 1e-3, 0.1, 1.0, 5.0, 20.0}) {
    for (const std::size_t k : {2U, 3U, 10U, 300U}) {
      const auto channel = MatrixChannel::make(response_rows(k, epsilon), k, epsilon);
      test::expect_private_matrix(channel, ExpBound(epsilon));
      EXPECT_NEAR(test::realised_epsilon(channel), epsilon, 1e-11 + 4e-6 * epsilon * epsilon);
    }
  }
}

TEST(MatrixChannel, RefusesRowsBeyondEpsilon) {
  for (const double epsilon : {1e-3, 1.0, 5.0}) {
    EXPECT_THROW((void)MatrixChannel::make(response_rows(5, epsilon * (1 + 1e-7)), 5, epsilon),
                 InvalidInput);
  }
  const auto message = [](const std::vector<double>& rows, std::size_t k) -> std::string {
    try {
      MatrixChannel::make(rows, k, 1);
    } catch (const InvalidInput& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_EQ(message({1, 1, 1, 9}, 2),
            "generators may differ by at most e^1 at each outcome, but at outcome 0 they differ by "
            "a factor of 5");
  EXPECT_EQ(message({1, 9, 9, 1}, 2),
            "generators may differ by at most e^1 at each outcome, but at outcome 0 they differ by "
            "a factor of 9");
  EXPECT_EQ(message({1, 1, 1}, 2),
            "the generators must be rows of 2 masses, at most 16777216 in all, but there are 3 "
            "masses");
  EXPECT_EQ(message({}, 2),
            "the generators must be rows of 2 masses, at most 16777216 in all, but there are 0 "
            "masses");
  EXPECT_EQ(message({1, 0}, 2),
            "the reference mass of outcome 1 must be finite and positive, but is 0");
}

// Sums that doubles get wrong: a million outcomes, and one mass that swallows the others.
TEST(MatrixChannel, RowsAddUpWhateverTheRounding) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> unit(0.5, 1);
  std::vector<double> many(1'000'000);
  for (double& mass : many) mass = unit(random);
  std::vector<double> swallowed(20'000, 1.1e-16);
  swallowed[0] = 1;
  for (const std::vector<double>& rows : {many, swallowed}) {
    const auto channel = MatrixChannel::make(rows, rows.size(), 0.1);
    uint128 sum = 0;
    for (std::size_t j = 0; j < rows.size(); ++j) {
      EXPECT_TRUE(channel.entry(0, j) > 0 && channel.entry(0, j) < MatrixChannel::kTotal);
      sum += channel.entry(0, j);
    }
    EXPECT_TRUE(sum == channel.total());
  }
}

TEST(MatrixChannel, DrawsFollowTheRows) {
  std::mt19937_64 random(4);
  const auto channel = MatrixChannel::make(random_rows(3, 12, 2, random), 12, 2);
  for (std::size_t x = 0; x <= 3; ++x) test::expect_reports_follow_row(channel, x);
}

// Bad in the last column alone: (.9, .1) and (.8, .2) are within e^.5 at the first outcome, and a
// factor of 2 apart at the second.
TEST(MatrixChannel, ABadLastColumnIsSeen) {
  const std::vector<double> rows = {0.9, 0.1, 0.8, 0.2};
  EXPECT_THROW(MatrixChannel::make(rows, 2, 0.5), InvalidInput);
  const auto channel = MatrixChannel::make(rows, 2, 1);
  EXPECT_TRUE(channel.satisfies(ExpBound(1)));
  EXPECT_FALSE(channel.satisfies(ExpBound(0.5)));
}

}  // namespace

// -----------------------------------------------------------------------------------------------
// Mixture channel.

namespace {

using test::kEpsilons;
using test::normalised_masses;
using test::uneven_masses;

TEST(MixtureChannel, EveryColumnByLookingAtAllEntries) {
  std::mt19937_64 random(1);
  for (const double epsilon : kEpsilons) {
    for (const std::size_t k : {1U, 2U, 3U, 7U, 50U}) {
      for (const double spread : {0.0, 3.0, 34.0, 690.0}) {
        SCOPED_TRACE(::testing::Message() << "k " << k << " spread " << spread);
        const auto channel = MixtureChannel::pure(uneven_masses(k, spread, random), epsilon);
        test::expect_private_matrix(channel, ExpBound(epsilon));
      }
    }
  }
}

// One unit more of `keep` is one too many: the ratio of the rarest outcome would pass Ebar.
TEST(MixtureChannel, KeepsTheMostThatEpsilonAllows) {
  std::mt19937_64 random(2);
  for (const double epsilon : kEpsilons) {
    const ExpBound bound(epsilon);
    for (const std::size_t k : {2U, 3U, 50U}) {
      const auto h = normalised_masses(uneven_masses(k, 4, random));
      const auto channel = MixtureChannel::pure(h, epsilon);
      std::uint64_t rarest = channel.reference(0);
      for (std::size_t j = 1; j < k; ++j) rarest = std::min(rarest, channel.reference(j));
      const auto fits = [&](std::uint64_t keep) {
        const uint128 least = uint128{MixtureChannel::kKeepTotal - keep} * rarest;
        return test::within(bound, uint128{keep} * channel.reference_total() + least, least);
      };
      EXPECT_TRUE(fits(channel.keep()));
      EXPECT_FALSE(fits(channel.keep() + 1));
      const double odds = std::expm1(epsilon) * *std::min_element(h.begin(), h.end());
      const double weight = static_cast<double>(channel.keep()) / 0x1p62;
      EXPECT_NEAR(weight, odds / (1 + odds), 1e-5 * weight);  // Ebar is 2^-40 less than e^epsilon
    }
  }
}

TEST(MixtureChannel, LeavesTheReferenceInPlace) {
  std::mt19937_64 random(3);
  for (const double epsilon : kEpsilons) {
    const auto h = normalised_masses(uneven_masses(30, 6, random));
    const auto channel = MixtureChannel::pure(h, epsilon);
    for (std::size_t j = 0; j < h.size(); ++j) {
      double mass = 0;
      for (std::size_t x = 0; x < h.size(); ++x) {
        mass += h[x] * test::probability(channel, x, j);
      }
      EXPECT_NEAR(mass, h[j], 1e-14);
    }
  }
}

// The caution of docs/theory/band.md. With k = 4, uniform h and c2 = 2 at epsilon = 1
// the weight that makes the mixture private within the class p <= c2 h is (E - 1) / (E - 1 + c2):
// between p = c2 h and p = 0 the ratio is then e. A point mass lies outside, at p = 4 h, and
// between it and p = 0 the ratio of probabilities is 1 + 4 (E - 1) / 2 = 4.44, so 1.49 is realised
// where 1 is claimed.
TEST(MixtureChannel, TighterConstantsAreNotPrivateForEveryInput) {
  const std::vector<double> uniform(4, 1);
  const double grown = std::expm1(1.0);
  const auto tight = MixtureChannel::with_weight(uniform, grown / (grown + 2));
  EXPECT_FALSE(tight.satisfies(ExpBound(1)));
  const double ratio = test::probability(tight, 0, 0) / test::probability(tight, 1, 0);
  std::printf("k = 4, c2 = 2, epsilon = 1: ratio %.4f, epsilon realised %.4f\n", ratio,
              std::log(ratio));
  EXPECT_NEAR(ratio, 1 + 2 * grown, 1e-9);
  EXPECT_GT(test::realised_epsilon(tight), 1.4);
  EXPECT_TRUE(MixtureChannel::pure(uniform, 1).satisfies(ExpBound(1)));
}

TEST(MixtureChannel, ReportsFollowTheRows) {
  const std::vector<double> h = {0.3, 0.05, 0.2, 0.15, 0.3};
  for (const double epsilon : {0.5, 3.0}) {
    const auto channel = MixtureChannel::pure(h, epsilon);
    for (std::size_t x = 0; x <= h.size(); ++x) {
      test::expect_reports_follow_row(channel, x);
    }
  }
}

TEST(MixtureChannel, WeightsFromNothingToAll) {
  const std::vector<double> h = {1, 3};
  SecureRandom random;
  const auto none = MixtureChannel::with_weight(h, 0);
  EXPECT_EQ(none.keep(), 0U);
  EXPECT_NEAR(test::probability(none, 0, 1), 0.75, 1e-15);
  const auto all = MixtureChannel::with_weight(h, 1);
  EXPECT_TRUE(all.entry(0, 0) == all.total());
  EXPECT_FALSE(all.satisfies(ExpBound(30)));
  for (int draw = 0; draw < 1000; ++draw) EXPECT_EQ(all.draw(1, random), 1U);
  const auto third = MixtureChannel::with_weight(h, 1.0 / 3);
  EXPECT_LE(static_cast<double>(third.keep()) / 0x1p62, 1.0 / 3);
  EXPECT_NEAR(static_cast<double>(third.keep()) / 0x1p62, 1.0 / 3, 1e-15);
}

TEST(MixtureChannel, RefusesInOneSentence) {
  const auto message = [](auto make) -> std::string {
    try {
      make();
    } catch (const InvalidInput& error) {
      return error.what();
    }
    return "accepted";
  };
  const std::vector<double> h = {1, 1};
  const std::vector<double> negative = {1, -1};
  EXPECT_EQ(message([&] { MixtureChannel::with_weight(h, 1.5); }),
            "the weight of the value must be from 0 to 1, but is 1.5");
  EXPECT_EQ(message([&] { MixtureChannel::with_weight(h, std::nan("")); }),
            "the weight of the value must be from 0 to 1, but is nan");
  EXPECT_EQ(message([&] { (void)MixtureChannel::pure(negative, 1); }),
            "the reference mass of outcome 1 must be finite and positive, but is -1");
  EXPECT_EQ(message([&] { (void)MixtureChannel::pure({}, 1); }),
            "the number of outcomes must be from 1 to 16777216, but is 0");
  EXPECT_EQ(message([&] { (void)MixtureChannel::pure(h, 0); }),
            "epsilon must be finite and positive, but is 0");
}

// The rarest outcome decides, and here it is the last one: the others are within e^3 for a weight
// of 1/2 (2 at .5, 3.04 at .49) and it is not (101).
TEST(MixtureChannel, ABadLastColumnIsSeen) {
  const std::vector<double> reference = {0.5, 0.49, 0.01};
  const auto channel = MixtureChannel::with_weight(reference, 0.5);
  const ExpBound bound(3);
  for (std::size_t j = 0; j < 3; ++j) {
    EXPECT_EQ(bound.allows(channel.column(j).greatest, channel.column(j).least), j < 2) << j;
  }
  EXPECT_FALSE(channel.satisfies(bound));
}

TEST(MixtureChannel, IsMadeOfItsOwnIntegersAgain) {
  const std::vector<double> reference = {0.5, 0.3, 0.2};
  const auto channel = MixtureChannel::with_weight(reference, 0.7);
  EXPECT_EQ(MixtureChannel::with_kept(reference, channel.keep()).keep(), channel.keep());
  EXPECT_THROW(MixtureChannel::with_kept(reference, MixtureChannel::kKeepTotal + 1), InvalidInput);
}

}  // namespace

// -----------------------------------------------------------------------------------------------
// Staircase channel.

/// Staircases in any order of the outcomes, such as no factory makes.
struct BadStaircase {
  static StaircaseChannel in_order(const std::vector<double>& reference,
                                   std::vector<std::uint32_t> order, double epsilon) {
    const double sum = std::accumulate(reference.begin(), reference.end(), 0.0);
    return StaircaseChannel::in_order(reference, sum, std::move(order), ExpBound(epsilon));
  }
};

namespace {

using test::kEpsilons;
using test::normalised_masses;
using test::uneven_masses;
using Matrix = std::vector<std::vector<double>>;

/// The construction of docs/theory/band.md as it is written, in the order given: the
/// first row and column, and then the same construction, scaled, on what is left.
Matrix recursive_kernel(const std::vector<double>& q, double e) {
  const std::size_t k = q.size();
  Matrix kernel(k, std::vector<double>(k));
  double scale = 1, left = 1;
  for (std::size_t i = 0; i < k; ++i) {
    const double first = q[i] / left;
    const double d = e * first + 1 - first;
    kernel[i][i] = scale * (i + 1 == k ? 1 : e * first / d);
    for (std::size_t j = i + 1; j < k; ++j) {
      kernel[i][j] = scale * (q[j] / left) / d;
      kernel[j][i] = scale * first / d;
    }
    scale *= 1 - first / d;
    left -= q[i];
  }
  return kernel;
}

double realised(const Matrix& kernel) {
  double greatest = 0;
  for (std::size_t j = 0; j < kernel.size(); ++j) {
    for (const auto& row : kernel) {
      for (const auto& other : kernel) {
        greatest = std::max(greatest, std::log(row[j] / other[j]));
      }
    }
  }
  return greatest;
}

TEST(StaircaseChannel, IsTheMatrixOfTheFormula) {
  std::mt19937_64 random(1);
  for (const double epsilon : {0.1, 1.0, 5.0}) {
    for (int trial = 0; trial < 20; ++trial) {
      std::vector<double> q = normalised_masses(uneven_masses(2 + random() % 8, 4, random));
      std::sort(q.begin(), q.end());
      const Matrix formula = recursive_kernel(q, std::exp(epsilon));
      // The order in which outcomes are given does not matter.
      std::vector<std::size_t> order(q.size());
      std::iota(order.begin(), order.end(), std::size_t{0});
      std::shuffle(order.begin(), order.end(), random);
      std::vector<double> given(q.size());
      for (std::size_t i = 0; i < q.size(); ++i) given[order[i]] = q[i];
      const auto channel = StaircaseChannel::make(given, epsilon);
      for (std::size_t i = 0; i < q.size(); ++i) {
        EXPECT_EQ(channel.outcome_at_rank(i), order[i]);
        for (std::size_t j = 0; j < q.size(); ++j) {
          EXPECT_NEAR(test::probability(channel, order[i], order[j]), formula[i][j],
                      1e-10 * formula[i][j]);
        }
      }
    }
  }
}

TEST(StaircaseChannel, EveryColumnByLookingAtAllEntries) {
  std::mt19937_64 random(2);
  for (const double epsilon : kEpsilons) {
    const ExpBound bound(epsilon);
    for (const std::size_t k : {1U, 2U, 3U, 7U, 50U}) {
      for (const double spread : {0.0, 1.0, 10.0, 34.0}) {
        SCOPED_TRACE(::testing::Message() << "k " << k << " spread " << spread);
        const auto q = uneven_masses(k, spread, random);
        test::expect_private_matrix(StaircaseChannel::make(q, epsilon), bound);
      }
    }
  }
}

// The budget is used: no more than Ebar's own 2^-40 and the rounding's 2^-46 are left of it.
TEST(StaircaseChannel, SpendsAllOfEpsilon) {
  std::mt19937_64 random(3);
  for (const double epsilon : kEpsilons) {
    const auto channel = StaircaseChannel::make(uneven_masses(20, 5, random), epsilon);
    EXPECT_NEAR(test::realised_epsilon(channel), epsilon, 1e-12 + 1e-15 * epsilon);
  }
}

TEST(StaircaseChannel, LeavesTheReferenceInPlace) {
  std::mt19937_64 random(4);
  for (const double epsilon : kEpsilons) {
    for (int trial = 0; trial < 30; ++trial) {
      const std::size_t k = 1 + random() % 60;
      const auto q = normalised_masses(uneven_masses(k, trial % 3 == 0 ? 34 : 5, random));
      const auto channel = StaircaseChannel::make(q, epsilon);
      for (std::size_t j = 0; j < k; ++j) {
        long double mass = 0;
        for (std::size_t x = 0; x < k; ++x) {
          mass += static_cast<long double>(q[x]) *
                  static_cast<long double>(test::probability(channel, x, j));
        }
        EXPECT_NEAR(static_cast<double>(mass), q[j], 1e-10) << "epsilon " << epsilon;
        EXPECT_NEAR(static_cast<double>(channel.reference(j)) /
                        static_cast<double>(channel.reference_total()),
                    q[j], 1e-15);
      }
    }
  }
}

// The caution of docs/theory/band.md: the same construction in another order is not private. It
// realises 2.26 at epsilon = 1 on (.6, .3, .1), and 1 when sorted.
TEST(StaircaseChannel, TheOrderMatters) {
  const double unsorted = realised(recursive_kernel({0.6, 0.3, 0.1}, std::exp(1.0)));
  std::printf("unsorted (.6, .3, .1) at epsilon 1 realises %.4f\n", unsorted);
  EXPECT_NEAR(unsorted, 2.26, 0.005);
  EXPECT_NEAR(realised(recursive_kernel({0.1, 0.3, 0.6}, std::exp(1.0))), 1, 1e-12);
  const std::vector<double> q = {0.6, 0.3, 0.1};
  EXPECT_LE(test::realised_epsilon(StaircaseChannel::make(q, 1)), 1);
}

TEST(StaircaseChannel, ReportsFollowTheRows) {
  const std::vector<double> q = {0.3, 0.05, 0.2, 0.001, 0.149, 0.3};
  for (const double epsilon : {0.1, 2.0}) {
    const auto channel = StaircaseChannel::make(q, epsilon);
    for (std::size_t x = 0; x < q.size(); ++x) {
      test::expect_reports_follow_row(channel, x);
    }
    test::expect_reports_follow_row(channel, q.size());  // out of range counts as 0
    test::expect_reports_follow_row(channel, ~std::size_t{0});
  }
}

// Chi-square cannot see a boundary that is off by one. Reports change exactly where the cumulative
// entries say: a value's row, in the order of its stops, its own, and its moves.
TEST(StaircaseChannel, RunsBeginAndEndWhereTheEntriesSay) {
  const std::vector<double> q = {0.3, 0.05, 0.2, 0.001, 0.149, 0.3};
  const auto channel = StaircaseChannel::make(q, 1);
  for (std::size_t x = 0; x < q.size(); ++x) {
    std::vector<std::size_t> order;
    std::size_t rank = 0;
    while (channel.outcome_at_rank(rank) != x) order.push_back(channel.outcome_at_rank(rank++));
    for (; rank < q.size(); ++rank) order.push_back(channel.outcome_at_rank(rank));
    uint128 begin = 0;
    for (const std::size_t j : order) {
      const uint128 end = begin + channel.entry(x, j);
      EXPECT_EQ(channel.outcome_at(x, begin), j);
      EXPECT_EQ(channel.outcome_at(x, end - 1), j);
      begin = end;
    }
    EXPECT_TRUE(begin == channel.total());
  }
}

TEST(StaircaseChannel, OneAndTwoOutcomes) {
  SecureRandom random;
  const std::vector<double> one = {3};
  const auto single = StaircaseChannel::make(one, 0.1);
  EXPECT_TRUE(single.entry(0, 0) == single.total());
  EXPECT_EQ(single.draw(0, random), 0U);
  // q = (1/2, 1/2): binary randomized response.
  const std::vector<double> two = {1, 1};
  const auto pair = StaircaseChannel::make(two, 1);
  const double kept = std::exp(1) / (1 + std::exp(1));
  EXPECT_NEAR(test::probability(pair, 0, 0), kept, 1e-11);
  EXPECT_NEAR(test::probability(pair, 1, 1), kept, 1e-11);
}

// A million outcomes of several shapes at every epsilon: made, and all columns within Ebar.
TEST(StaircaseChannel, AMillionOutcomes) {
  std::mt19937_64 random(6);
  const std::size_t count = test::whole_or_sanitized(1'000'000U, 50'000U);
  for (const double spread : {0.0, 5.0, 34.0}) {
    const auto q = uneven_masses(count, spread, random);
    for (const double epsilon : kEpsilons) {
      const auto start = std::chrono::steady_clock::now();
      const auto channel = StaircaseChannel::make(q, epsilon);
      const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
      EXPECT_LT(seconds.count(), 10) << "a million outcomes must be a matter of a second";
      // Not by `satisfies` alone: the extremes of `column` are checked above by brute force, and
      // here against wider integers.
      const ExpBound bound(epsilon);
      for (std::size_t j = 0; j < q.size(); j += 97) {
        const auto column = channel.column(j);
        ASSERT_TRUE(test::within(bound, column.greatest, column.least)) << j;
      }
      EXPECT_TRUE(channel.satisfies(bound));
    }
  }
}

// Masses from 1e-300 to 1: a column that failed would be refused, but none does.
TEST(StaircaseChannel, WildlyUnevenReferences) {
  std::mt19937_64 random(7);
  for (const double epsilon : kEpsilons) {
    for (const double spread : {35.0, 60.0, 690.0}) {
      for (const std::size_t k : {2U, 3U, 40U}) {
        const auto q = uneven_masses(k, spread, random);
        test::expect_private_matrix(StaircaseChannel::make(q, epsilon), ExpBound(epsilon));
      }
    }
    std::vector<double> lone(1000, 1e-15);
    lone[500] = 1;
    test::expect_private_matrix(StaircaseChannel::make(lone, epsilon), ExpBound(epsilon));
  }
}

TEST(StaircaseChannel, RefusesWhatIsNoReference) {
  const auto message = [](const std::vector<double>& q, double epsilon) -> std::string {
    try {
      StaircaseChannel::make(q, epsilon);
    } catch (const InvalidInput& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_EQ(message({}, 1), "the number of outcomes must be from 1 to 16777216, but is 0");
  EXPECT_EQ(message({1, 0}, 1),
            "the reference mass of outcome 1 must be finite and positive, but is 0");
  EXPECT_EQ(message({1, std::numeric_limits<double>::quiet_NaN()}, 1),
            "the reference mass of outcome 1 must be finite and positive, but is nan");
  EXPECT_EQ(message({1e308, 1e308}, 1), "the reference masses must have a finite sum");
  EXPECT_EQ(message({1, 1}, -1), "epsilon must be finite and positive, but is -1");
  EXPECT_EQ(message({1, 1}, 1e-7), "epsilon of one draw must be at least 1e-6, but is 1e-7");
}

/// Of every column, by looking at all entries.
std::vector<Extremes> extremes_of(const StaircaseChannel& channel) {
  std::vector<Extremes> columns;
  for (std::size_t j = 0; j < channel.outcome_count(); ++j) {
    Extremes& column = columns.emplace_back(Extremes{channel.entry(0, j), channel.entry(0, j)});
    for (std::size_t x = 1; x < channel.outcome_count(); ++x) {
      column.greatest = std::max(column.greatest, channel.entry(x, j));
      column.least = std::min(column.least, channel.entry(x, j));
    }
  }
  return columns;
}

// Staircases that are not private, in all orders of four masses and with the outcomes named so that
// each column in turn is the last: the check sees what all entries say, also if the last column
// alone is bad.
TEST(StaircaseChannel, ChecksWhatNoFactoryMakes) {
  int bad = 0, last_alone = 0;
  for (const std::vector<double>& masses :
       {std::vector<double>{0.6, 0.3, 0.1}, {0.55, 0.25, 0.15, 0.05}, {0.4, 0.3, 0.2, 0.1}}) {
    const auto k = static_cast<std::uint32_t>(masses.size());
    std::vector<std::uint32_t> order(k);
    std::iota(order.begin(), order.end(), 0U);
    do {
      for (std::uint32_t turn = 0; turn < k; ++turn) {
        // Outcome o is called o + turn, modulo k.
        std::vector<double> reference(k);
        std::vector<std::uint32_t> named(k);
        for (std::uint32_t i = 0; i < k; ++i) {
          reference[(i + turn) % k] = masses[i];
          named[i] = (order[i] + turn) % k;
        }
        const auto channel = BadStaircase::in_order(reference, named, 1);
        const std::vector<Extremes> columns = extremes_of(channel);
        const ExpBound bound(1);
        std::vector<bool> kept;
        for (std::uint32_t j = 0; j < k; ++j) {
          EXPECT_TRUE(columns[j].greatest == channel.column(j).greatest &&
                      columns[j].least == channel.column(j).least);
          kept.push_back(bound.allows(columns[j].greatest, columns[j].least));
        }
        const auto failed = std::count(kept.begin(), kept.end(), false);
        EXPECT_EQ(channel.satisfies(bound), failed == 0);
        bad += failed > 0;
        last_alone += failed == 1 && !kept.back();
      }
    } while (std::next_permutation(order.begin(), order.end()));
  }
  EXPECT_GT(bad, 0);
  EXPECT_GT(last_alone, 0);
  std::printf("%d staircases were bad, %d in the last column alone\n", bad, last_alone);
}

}  // namespace

}  // namespace mollify
