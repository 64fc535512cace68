#include <cmath>
#include <numeric>

#include "chi_square.h"
#include "core/invalid_input.h"
#include "kernel/public_matrix.h"
#include "methods/divergence/f_divergence.h"
#include "methods/local/mollifiers.h"
#include "methods/local/sampler.h"

namespace mollify {
namespace {

TEST(LaplaceChannel, IsPrivateAtEveryEpsilonAndSize) {
  for (const double epsilon : test::kEpsilons) {
    for (const std::size_t cells : {1U, 2U, 3U, 7U, 64U}) {
      SCOPED_TRACE(::testing::Message() << cells << " cells");
      const MatrixChannel channel = laplace_channel(cells, epsilon);
      test::expect_private_matrix(channel, ExpBound(epsilon));
    }
  }
}

TEST(LaplaceChannel, SpendsNearlyAllOfEpsilonOnFineCells) {
  EXPECT_NEAR(test::realised_epsilon(laplace_channel(1024, 1)), 1, 0.001);
}

TEST(LaplaceChannel, TendsToTheTruncatedLaplaceDensity) {
  // At epsilon = 2 on [0, 1] the scale is 1/2; the value 1/4.
  const std::size_t cells = 1000;
  const MatrixChannel channel = laplace_channel(cells, 2);
  const double x = 0.2505;
  const double normaliser = 0.5 * (2 - std::exp(-x / 0.5) - std::exp(-(1 - x) / 0.5));
  for (std::size_t j = 0; j < cells; ++j) {
    const double y = (static_cast<double>(j) + 0.5) / static_cast<double>(cells);
    const double density = std::exp(-std::abs(y - x) / 0.5) / normaliser;
    EXPECT_NEAR(test::probability(channel, 250, j) * static_cast<double>(cells), density,
                0.002 * density);
  }
}

TEST(LaplaceChannel, MakesTheNaiveSampler) {
  const std::size_t cells = 30;
  const ChannelSampler<MatrixChannel> sampler(laplace_channel(cells, 3), Privacy::pure(3));
  EXPECT_TRUE(sampler.guarantee_holds());
  EXPECT_LE(sampler.epsilon_realised_up(), 3);
  const std::vector<std::uint32_t> outcomes{2, 3, 20};
  const std::vector<double> weights{1, 2, 5};
  const ScoredOutcomes p{outcomes, weights};
  const Law law = sampler.law(p);
  for (std::size_t j = 0; j < cells; ++j) {
    double mixture = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      mixture += weights[i] / 8 * test::probability(sampler.channel(), outcomes[i], j);
    }
    EXPECT_NEAR(law.probabilities[j], mixture, 1e-12);
  }
  SecureRandom random;
  std::vector<std::uint32_t> released(100'000);
  sampler.draw(p, random, released);
  std::vector<std::uint64_t> observed(cells);
  for (const std::uint32_t outcome : released) ++observed[outcome];
  EXPECT_TRUE(test::follows(law.probabilities, observed));
  // Nothing known: all rows alike.
  const Law nothing = sampler.law({});
  EXPECT_NEAR(std::accumulate(nothing.probabilities.begin(), nothing.probabilities.end(), 0.0), 1,
              1e-12);
  EXPECT_NEAR(nothing.probabilities[4], nothing.probabilities[25], 1e-12);
  std::size_t integers = 0;
  sampler.for_each_public_integer([&](uint128) { ++integers; });
  EXPECT_EQ(integers, cells * cells);
}

TEST(LaplaceChannel, IsNoNearerToPThanTheProjectionOnItsHull) {
  const std::size_t cells = 20;
  const ChannelSampler<MatrixChannel> naive(laplace_channel(cells, 2), Privacy::pure(2));
  const ConvexMollifierSampler convex(laplace_channel(cells, 2), 2);
  std::vector<std::uint32_t> outcomes(cells);
  std::iota(outcomes.begin(), outcomes.end(), std::uint32_t{0});
  std::vector<double> p(cells, 0.01);
  p[3] = 0.5;
  p[15] = 0.32;
  const double of_naive = kullback_leibler(p, naive.law({outcomes, p}).probabilities);
  const double of_convex = kullback_leibler(p, convex.law({outcomes, p}).probabilities);
  EXPECT_LE(of_convex, of_naive + 1e-9);
}

TEST(LaplaceChannel, RefusesOtherNumbersOfCells) {
  EXPECT_THROW((void)laplace_channel(0, 1), InvalidInput);
  EXPECT_THROW((void)laplace_channel(4097, 1), InvalidInput);
  EXPECT_THROW((void)laplace_channel(10, -1), InvalidInput);
}

}  // namespace
}  // namespace mollify
