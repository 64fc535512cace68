#include "space/nearest_name.h"

#include <vector>

#include <gtest/gtest.h>

namespace mollify {
namespace {

TEST(NearestName, FindsWhatWasMistyped) {
  const std::vector<std::string> flags = {"--epsilon", "--delta", "--data", "--domain"};
  EXPECT_EQ(nearest_name("--epsilo", flags), "--epsilon");
  EXPECT_EQ(nearest_name("--espilon", flags), "--epsilon") << "neighbours swapped";
  EXPECT_EQ(nearest_name("--DELTA", flags), "--delta");
  EXPECT_EQ(nearest_name("--dat", flags), "--data") << "the first of equals is near enough";
  EXPECT_EQ(nearest_name("--colour-of-the-sky", flags), "");
  EXPECT_EQ(nearest_name("--seed", flags), "");
  EXPECT_EQ(nearest_name("x", flags), "");
  EXPECT_EQ(nearest_name("x", {}), "");
  EXPECT_EQ(nearest_name(std::string(1000, 'x'), flags), "");
  EXPECT_EQ(did_you_mean("--domian", flags), " (did you mean \"--domain\"?)");
  EXPECT_EQ(did_you_mean("", flags), "");
}

}  // namespace
}  // namespace mollify
