#include "local/band_floor.h"

#include <cmath>
#include <functional>
#include <string>

#include <gtest/gtest.h>

#include "kernel/core/invalid_input.h"
#include "refusal.h"

namespace mollify {
namespace {

// The table of docs/theory/band.md, as it stands there.
TEST(BandFloor, FormulasOfTheSources) {
  for (const double epsilon : {1e-6, 1e-3, 0.1, 1.0, 5.0, 20.0}) {
    const double e = std::exp(epsilon);
    for (const double k : {1.0, 2.0, 10.0, 1e6}) {
      EXPECT_NEAR(minimax_floor(static_cast<std::size_t>(k), epsilon) / (k / (e + k - 1)), 1,
                  1e-14);
    }
    EXPECT_NEAR(relative_floor(epsilon) / std::exp(-epsilon / 2), 1, 1e-15);
    for (const double c1 : {0.0, 0.25, 0.9}) {
      for (const double c2 : {1.1, 2.0, 100.0}) {
        const double alpha = (1 - c1) / (c2 - c1);
        EXPECT_NEAR(class_floor(c1, c2, epsilon) * (1 + alpha * (e - 1)), 1, 1e-9);
        EXPECT_NEAR(class_floor(c1, c2, epsilon) / ((c2 - c1) / ((e - 1) * (1 - c1) + c2 - c1)), 1,
                    1e-9);
      }
    }
    for (const double gamma : {1.01, 2.0, 50.0}) {
      EXPECT_NEAR(neighbourhood_floor(gamma, epsilon) / ((gamma + 1) / (gamma + e)), 1, 1e-15);
      EXPECT_NEAR(neighbourhood_floor(gamma, epsilon) / class_floor(1 / gamma, gamma, epsilon), 1,
                  1e-9);
    }
  }
  // The whole simplex with uniform reference is the class with c1 = 0 and c2 = k.
  EXPECT_NEAR(minimax_floor(7, 1.3), class_floor(0, 7, 1.3), 1e-15);
}

// A class that is an epsilon-mollifier itself lies inside its band.
TEST(BandFloor, ContainsAClassThatIsPrivateAlready) {
  for (const double c1 : {0.3, 0.5, 0.9}) {
    for (const double share : {0.2, 0.7, 1.0}) {
      const double e = std::exp(1.0);
      const double c2 = 1 + share * (e * c1 - 1);
      if (c2 <= 1) continue;
      const double b = class_floor(c1, c2, 1);
      EXPECT_LE(b, c1 * (1 + 1e-15));
      EXPECT_GE(b * e, c2 * (1 - 1e-15));
    }
  }
}

TEST(BandFloor, StaysBelowOneHoweverWideTheClass) {
  EXPECT_LT(class_floor(0, 0x1p62, 1), 1);
  EXPECT_LT(class_floor(0, 1e300, 1e-6), 1);
  EXPECT_LT(neighbourhood_floor(1e300, 1), 1);
}

TEST(BandFloor, RefusesInOneSentence) {
  const auto message = [](const std::function<void()>& make) -> std::string {
    return test::refusal_of(make);
  };
  EXPECT_EQ(message([] { (void)class_floor(1, 2, 1); }),
            "c1 must be at least 0 and below 1, but is 1");
  EXPECT_EQ(message([] { (void)class_floor(-0.1, 2, 1); }),
            "c1 must be at least 0 and below 1, but is -0.1");
  EXPECT_EQ(message([] { (void)class_floor(std::nan(""), 2, 1); }),
            "c1 must be at least 0 and below 1, but is nan");
  EXPECT_EQ(message([] { (void)location_floor(0.36, 1); }),
            "band location must lie between e^-epsilon = 0.367879 and 1, but is 0.36");
  EXPECT_EQ(location_floor(0.37, 1), 0.37);
  EXPECT_EQ(message([] { (void)class_floor(0, 1, 1); }), "c2 must be finite and above 1, but is 1");
  EXPECT_EQ(message([] { (void)class_floor(0, HUGE_VAL, 1); }),
            "c2 must be finite and above 1, but is inf");
  EXPECT_EQ(message([] { (void)neighbourhood_floor(1, 1); }),
            "gamma must be finite and above 1, but is 1");
  EXPECT_EQ(message([] { (void)neighbourhood_floor(HUGE_VAL, 1); }),
            "gamma must be finite and above 1, but is inf");
  EXPECT_EQ(message([] { (void)minimax_floor(2, 0); }),
            "epsilon must be finite and positive, but is 0");
  EXPECT_EQ(message([] { (void)relative_floor(HUGE_VAL); }),
            "epsilon must be finite and positive, but is inf");
}

}  // namespace
}  // namespace mollify
