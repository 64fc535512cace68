// The law over points is inside the band whatever the scorer says.
#include "local/scored_table.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "chi_square.h"
#include "kernel/core/invalid_input.h"
#include "kernel/search/band_spec.h"
#include "local/band_floor.h"
#include "local/band_sampler.h"
#include "not_finite.h"

namespace mollify {
namespace {

using test::kInfiniteFloat;
using test::kNanFloat;

MixedPoints points(std::size_t count) { return {{{Scale::kNumber, 0}}, count}; }

/// Returns the scores it is told to, however absurd.
class Oracle final : public Scorer {
 public:
  explicit Oracle(std::size_t count, bool ratios = false)
      : Scorer(points(count)), ratios_(ratios), scores_(count) {}

  void tell(std::vector<float> scores) { scores_ = std::move(scores); }
  bool scores_are_ratios() const noexcept override { return ratios_; }

 private:
  void score_rows(const MixedPoints&, std::span<float> scores) const override {
    std::copy(scores_.begin(), scores_.end(), scores.begin());
  }

  bool ratios_;
  std::vector<float> scores_;
};

// Four candidates, every one of which gets every score and every density of a list of absurd ones:
// all laws of one band, compared in integers. The greatest numerator of an outcome is at most Ebar
// times the least of any law, which is epsilon-LDP itself.
TEST(ScoredTable, KeepsEpsilonForEveryScoreAndDensity) {
  const std::vector<float> absurd = {0, 1, 1e30F, kInfiniteFloat, kNanFloat, -1, 1e-40F};
  const std::vector<std::vector<float>> densities = {
      {}, {1, 1e-30F, 7, 1e30F}, {0, kNanFloat, kInfiniteFloat, -2}};
  const MixedPoints one_row = points(1);
  for (const double epsilon : {0.1, 1.0, 5.0}) {
    const Band band =
        make_band({.outcome_count = 4, .floor = minimax_floor(4, epsilon), .epsilon = epsilon});
    ScoredTable table(band);
    std::array<std::uint64_t, 4> least;
    least.fill(band.total());
    std::array<std::uint64_t, 4> greatest{};
    Oracle oracle(4);
    const std::size_t count = absurd.size();
    for (std::size_t code = 0; code < count * count * count * count; ++code) {
      oracle.tell({absurd[code % count], absurd[code / count % count],
                   absurd[code / count / count % count], absurd[code / count / count / count]});
      for (const auto& density : densities) {
        table.assign(oracle, one_row, density);
        std::uint64_t sum = 0;
        for (std::size_t i = 0; i < 4; ++i) {
          const std::uint64_t n = table.table().numerators()[i];
          least[i] = std::min(least[i], n);
          greatest[i] = std::max(greatest[i], n);
          sum += n;
        }
        ASSERT_EQ(sum, band.total());
      }
    }
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_TRUE(band.bound().allows(greatest[i], least[i])) << i << " at " << epsilon;
      EXPECT_NEAR(std::log(static_cast<double>(greatest[i]) / static_cast<double>(least[i])),
                  epsilon, 1e-9)
          << "and nothing of the budget is lost";
    }
  }
}

TEST(ScoredTable, DividesDensitiesByTheReferenceAndLeavesRatios) {
  const Band band = make_band({.outcome_count = 3, .floor = 0.2, .epsilon = 3});
  const MixedPoints one_row = points(1);
  const std::vector<float> densities = {2, 1, 0.5F};
  Oracle density(3);
  density.tell({2, 3, 4});
  Oracle ratio(3, true);
  ratio.tell({1, 3, 8});
  ScoredTable left(band);
  ScoredTable right(band);
  left.assign(density, one_row, densities);
  right.assign(ratio, one_row, densities);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(left.table().numerators()[i], right.table().numerators()[i]);
  }
  EXPECT_THROW(left.assign(density, one_row, std::span(densities).first(2)), InvalidInput);
}

TEST(ScoredTable, IsTheReferenceWithoutRows) {
  const std::vector<double> masses = {0.5, 0.3, 0.2};
  const Band band = make_band({.reference = masses, .floor = 0.4, .epsilon = 2});
  Oracle oracle(3);
  oracle.tell({1, 100, 0});
  ScoredTable table(band);
  table.assign(oracle, points(1));
  table.assign(oracle, points(0));
  const double total = static_cast<double>(band.total());
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(static_cast<double>(table.table().numerators()[i]) / total, masses[i], 1e-9);
  }
}

TEST(ScoredTable, IsDrawnFromAsItSays) {
  const Band band = make_band({.outcome_count = 5, .floor = 0.3, .epsilon = 2});
  Oracle oracle(5);
  oracle.tell({1, 5, 0, 2, 2});
  ScoredTable table(band);
  table.assign(oracle, points(1));
  SecureRandom random;
  std::vector<std::uint64_t> observed(5);
  for (const std::size_t draws : {std::size_t{3}, std::size_t{20'000}}) {
    for (std::size_t repetition = 0; repetition < 20'000 / draws; ++repetition) {
      std::vector<std::uint32_t> released(draws);
      draw_all(table.table(), random, released);
      for (const std::uint32_t outcome : released) ++observed[outcome];
    }
  }
  EXPECT_TRUE(test::follows(test::probabilities_of(table.table().numerators()), observed));
}

}  // namespace
}  // namespace mollify
