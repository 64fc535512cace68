#include "kernel/channel/mixture_channel.h"

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "kernel/core/invalid_input.h"
#include "kernel/public_matrix.h"

namespace mollify {
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

// The caution of docs/theory/public-matrices.md. With k = 4, uniform h and c2 = 2 at epsilon = 1
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
}  // namespace mollify
