#include "central/poisson_sampler.h"

#include <optional>

#include <boost/math/distributions/binomial.hpp>
#include <gtest/gtest.h>

namespace mollify {
namespace {

TEST(PoissonSampler, BoundsTheShortfallFromAbove) {
  for (const std::uint64_t n : {10u, 1000u, 1'000'000u, 1'000'000'000u}) {
    for (const double rate : {1e-3, .1, .5, .9}) {
      const boost::math::binomial count(static_cast<double>(n), rate);
      for (const double share : {.2, .5, .9, .99, 1.}) {
        const auto m = static_cast<std::uint64_t>(share * rate * static_cast<double>(n));
        if (m == 0) continue;
        EXPECT_GE(binomial_below_up(n, rate, m), cdf(count, static_cast<double>(m - 1)))
            << "n " << n << " rate " << rate << " m " << m;
      }
    }
  }
  EXPECT_EQ(binomial_below_up(100, .5, 0), 0);
  EXPECT_EQ(binomial_below_up(100, .5, 80), 1);
}

TEST(PoissonSampler, FindsTheLeastRateThatIsSure) {
  for (const std::uint64_t n : {1000u, 10'000u, 1'000'000'000u}) {
    for (const std::uint64_t m : {1u, 100u, 800u}) {
      const std::optional<double> rate = poisson_rate_for(n, m, 1e-12);
      ASSERT_TRUE(rate);
      EXPECT_LE(binomial_below_up(n, *rate, m), 1e-12);
      EXPECT_GT(binomial_below_up(n, *rate * (1 - 1e-9), m), 1e-12);
      EXPECT_GT(*rate * static_cast<double>(n), static_cast<double>(m));
    }
  }
  EXPECT_FALSE(poisson_rate_for(100, 100, 1e-12));
  EXPECT_FALSE(poisson_rate_for(5, 1, 1e-12));
}

}  // namespace
}  // namespace mollify
