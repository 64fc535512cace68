#include "base/held.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace mollify {

namespace {

TEST(Held, GivesBackWhatItHoldsAndNothingElse) {
  Held held = std::string("a");
  ASSERT_NE(held.get<std::string>(), nullptr);
  EXPECT_EQ(*held.get<std::string>(), "a");
  EXPECT_EQ(held.get<int>(), nullptr);
  *held.get<std::string>() = "b";
  const Held copy = held;
  EXPECT_EQ(*copy.get<std::string>(), "b");
  EXPECT_EQ(Held().get<std::string>(), nullptr);
}

TEST(Held, EqualsAnEqualValueOfItsType) {
  const std::vector<Held> all = {{}, Held(0), Held(1), Held(0.0), Held(std::string())};
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t j = 0; j < all.size(); ++j) {
      EXPECT_EQ(all[i] == all[j], i == j) << i << " " << j;
      EXPECT_EQ(all[i].has_type_of(all[j]), i == j || (i + j == 3 && i * j == 2));
    }
  }
}

}  // namespace

}  // namespace mollify
