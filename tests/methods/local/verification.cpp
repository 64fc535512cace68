// What checking a sampler finds.
#include "methods/local/verification.h"

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "methods/local/mechanism.h"

namespace mollify {
namespace {

TEST(IsInside, LooksAtEveryNumeratorAndAtTheirSum) {
  // Lower bounds 2, 3, 4; upper ones 5, 8, 10 (e = 2.718).
  const Band band = Band::make({2, 3, 4}, ExpBound(1), 15);
  ASSERT_EQ(band.upper(2), 10U);
  using Numerators = std::vector<std::uint64_t>;
  EXPECT_TRUE(is_inside(band, Numerators{2, 3, 10}));
  EXPECT_TRUE(is_inside(band, Numerators{5, 6, 4}));
  EXPECT_FALSE(is_inside(band, Numerators{2, 2, 11}));  // the second too little, the third too much
  EXPECT_FALSE(is_inside(band, Numerators{5, 7, 3}));   // the last too little
  EXPECT_FALSE(is_inside(band, Numerators{1, 4, 10}));  // the first too little
  EXPECT_FALSE(is_inside(band, Numerators{2, 3, 9}));   // 14 in all
  EXPECT_FALSE(is_inside(band, Numerators{2, 4, 10}));  // 16 in all
  EXPECT_FALSE(is_inside(band, Numerators{5, 10}));
}

// The first input, one point, gives outcome 0 its upper bound, and the next one gives it its lower
// one. The last of nine knows nothing, and lies between.
TEST(VerifySampler, ObservesWhatTheInputsTellApart) {
  const auto sampler =
      make_sampler({.mechanism = Mechanism::kMinimax, .outcome_count = 3, .epsilon = 1});
  const Verification found = verify_sampler(*sampler, 9);
  EXPECT_TRUE(found.holds);
  EXPECT_EQ(found.inputs, 9U);
  EXPECT_NEAR(found.epsilon_realised_up, 1, 1e-11);
  EXPECT_NEAR(found.epsilon_observed_up, 1, 1e-11);
  EXPECT_LE(found.epsilon_observed_up, found.epsilon_realised_up);
}

/// A sampler whose claims are as told.
class Claiming final : public LocalSampler {
 public:
  Claiming(const LocalSampler& sampler, bool holds) : sampler_(sampler), holds_(holds) {}
  std::size_t outcome_count() const override { return sampler_.outcome_count(); }
  Privacy guarantee() const override { return sampler_.guarantee(); }
  void draw_by_law(const ScoredOutcomes& p, const LawWords& words,
                   std::span<std::uint32_t> released) const override {
    sampler_.draw_by_law(p, words, released);
  }
  Law law(const ScoredOutcomes& p) const override { return sampler_.law(p); }
  const Band* band() const override { return sampler_.band(); }
  double epsilon_realised_up() const override { return sampler_.epsilon_realised_up(); }
  bool guarantee_holds() const override { return holds_; }
  void for_each_public_integer(const std::function<void(uint128)>& take) const override {
    sampler_.for_each_public_integer(take);
  }

 private:
  const LocalSampler& sampler_;
  bool holds_;
};

TEST(VerifySampler, HoldsOnlyIfTheIntegersDo) {
  for (const Mechanism mechanism : {Mechanism::kMinimax, Mechanism::kRandomizedResponse}) {
    const auto sampler = make_sampler({.mechanism = mechanism, .outcome_count = 3, .epsilon = 1});
    EXPECT_TRUE(verify_sampler(Claiming(*sampler, true), 3).holds);
    EXPECT_FALSE(verify_sampler(Claiming(*sampler, false), 3).holds);
  }
}

}  // namespace
}  // namespace mollify
