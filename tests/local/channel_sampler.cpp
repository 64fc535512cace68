#include "local/channel_sampler.h"

#include <vector>

#include <gtest/gtest.h>

#include "local/gaussian_curve.h"

namespace mollify {
namespace {

// A sampler decides anew whether it keeps what it was said to.
TEST(ChannelSampler, SeesAGuaranteeThatItsIntegersDoNotKeep) {
  const std::vector<double> masses = {0.5, 0.3, 0.2};
  const auto curve = gaussian_curve_channel(masses, 1);
  EXPECT_TRUE(ChannelSampler<MixtureChannel>(curve, Privacy::gaussian(1)).guarantee_holds());
  EXPECT_FALSE(ChannelSampler<MixtureChannel>(curve, Privacy::gaussian(0.99)).guarantee_holds());
  const auto mixture = MixtureChannel::pure(masses, 1);
  EXPECT_TRUE(ChannelSampler<MixtureChannel>(mixture, Privacy::pure(1)).guarantee_holds());
  EXPECT_FALSE(ChannelSampler<MixtureChannel>(mixture, Privacy::pure(0.999)).guarantee_holds());
  const RandomizedResponse response(4, 1);
  EXPECT_TRUE(ChannelSampler<RandomizedResponse>(response, Privacy::pure(1)).guarantee_holds());
  EXPECT_FALSE(
      ChannelSampler<RandomizedResponse>(response, Privacy::pure(0.999)).guarantee_holds());
  const auto staircase = StaircaseChannel::make(masses, 1);
  EXPECT_TRUE(ChannelSampler<StaircaseChannel>(staircase, Privacy::pure(1)).guarantee_holds());
  EXPECT_FALSE(ChannelSampler<StaircaseChannel>(staircase, Privacy::pure(0.999)).guarantee_holds());
}

}  // namespace
}  // namespace mollify
