// A draw from another number of records than the sampler was designed for.
#include <vector>

#include <gtest/gtest.h>

#include "core/random.h"
#include "methods/central/design.h"
#include "refusal.h"

namespace mollify {

namespace {

TEST(DrawCount, IsThatOfTheDesignForEveryMechanism) {
  const CentralRequest request{40, 2, 1, Privacy::approximate(1, 1e-4)};
  SecureRandom random;
  std::size_t drawn = 0;
  for (const CentralOption& option : central_options(request)) {
    if (!option.design) continue;
    const auto sampler = make_central_sampler(*option.design);
    const std::vector<std::uint32_t> records(40, 1);
    EXPECT_NO_THROW(static_cast<void>(sampler->draw(records, random)));
    for (const std::size_t other : {0U, 39U, 41U}) {
      const std::vector<std::uint32_t> others(other, 1);
      EXPECT_EQ(
          test::refusal_of([&] { static_cast<void>(sampler->draw(others, random)); }),
          "a draw must be from the 40 records of its design, but has " + std::to_string(other))
          << name_of(option.mechanism);
    }
    ++drawn;
  }
  EXPECT_GE(drawn, 6U);
}

}  // namespace

}  // namespace mollify
