#include "local/band_choice.h"

#include <cmath>

#include "kernel/core/invalid_input.h"
#include "local/band_floor.h"

namespace mollify {
namespace {

TEST(BandChoice, IsReadBackFromItsText) {
  for (const char* text : {"minimax", "relative", "location=0.8", "location=0.125"}) {
    EXPECT_EQ(to_text(parse_band_choice(text)), text);
  }
  EXPECT_EQ(parse_band_choice("location=0.8").location, 0.8);
}

TEST(BandChoice, RefusesOtherTexts) {
  for (const char* text : {"", "Minimax", "location", "location=", "location=0", "location=1",
                           "location=-1", "location=nan", "location=.5x", "relative "}) {
    EXPECT_THROW((void)parse_band_choice(text), InvalidInput) << text;
  }
}

TEST(BandChoice, GivesTheFloorsOfTheSources) {
  EXPECT_EQ(floor_of({BandChoice::Kind::kRelative}, 1), std::exp(-0.5));
  EXPECT_EQ(floor_of({BandChoice::Kind::kMinimax}, 1, {}, 4.0), class_floor(0, 4, 1));
  EXPECT_EQ(floor_of({BandChoice::Kind::kMinimax}, 1, 0.5, 4.0), class_floor(0.5, 4, 1));
  EXPECT_EQ(floor_of({BandChoice::Kind::kLocation, 0.8}, 1), 0.8);
}

TEST(BandChoice, RefusesBoundsThatDoNotBelong) {
  EXPECT_THROW((void)floor_of({BandChoice::Kind::kMinimax}, 1), InvalidInput);
  EXPECT_THROW((void)floor_of({BandChoice::Kind::kRelative}, 1, {}, 4.0), InvalidInput);
  EXPECT_THROW((void)floor_of({BandChoice::Kind::kLocation, 0.8}, 1, 0.1), InvalidInput);
  EXPECT_THROW((void)floor_of({BandChoice::Kind::kLocation, 0.36}, 1), InvalidInput);
  EXPECT_NO_THROW((void)floor_of({BandChoice::Kind::kLocation, 0.37}, 1));
}

}  // namespace
}  // namespace mollify
