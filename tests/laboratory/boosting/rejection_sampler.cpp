#include <cmath>
#include <cstdio>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "chi_square.h"
#include "laboratory/boosting/chains.h"
#include "laboratory/measure/measure.h"
#include "refusal.h"

namespace mollify {
namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

/// One logit below zero, between zero and one, and above one of the first feature.
class Steps final : public Classifier {
 public:
  Steps(std::size_t dimension, std::vector<float> logits)
      : dimension_(dimension), logits_(std::move(logits)) {}
  std::size_t dimension() const noexcept override { return dimension_; }
  void logits(const Points& points, std::span<float> logits) const override {
    for (std::size_t i = 0; i < logits.size(); ++i) {
      const float x = points.values(0)[i];
      logits[i] = logits_[x < 0 ? 0 : x < 1 ? 1 : 2];
    }
  }

 private:
  std::size_t dimension_;
  std::vector<float> logits_;
};

constexpr double kRejectionEpsilon = 3;

BoostedDensity density_of(std::size_t dimension, const std::vector<float>& logits) {
  BoostedDensity density({.epsilon = kRejectionEpsilon, .bounding = Bounding::kLogit}, dimension);
  for (int t = 0; t < 3; ++t) {
    density = density.boosted(std::make_shared<Steps>(dimension, logits));
  }
  return density;
}

std::shared_ptr<const Measure> independent_normals(std::size_t dimension) {
  return std::make_shared<GaussianMixture>(single_gaussian(std::vector<double>(dimension), 1));
}

/// Masses between these edges under (1 - w) Q_T + w Q0.
const std::vector<double> kEdges{-1e300, -1, -0.5, 0, 0.5, 1, 1.5, 1e300};

std::vector<double> law_of(const RejectionSampler& sampler, const BoostedDensity& density) {
  std::vector<double> reference;
  std::vector<double> accepted;
  double z = 0;
  for (std::size_t i = 0; i + 1 < kEdges.size(); ++i) {
    Box box(density.dimension());
    box[0] = {kEdges[i], kEdges[i + 1]};
    reference.push_back(sampler.reference().box_mass(box));
    Points middle(density.dimension(), 1);
    middle.values(0)[0] = static_cast<float>((std::max(kEdges[i], -2.0) + 1e-3));
    std::vector<double> ratio(1);
    density.log_ratio(middle, ratio);
    accepted.push_back(reference.back() * std::exp(ratio[0] - density.log_ratio_bound()));
    z += accepted.back();
  }
  const double none = std::pow(1 - z, static_cast<double>(sampler.acceptance().proposals()));
  for (std::size_t i = 0; i < accepted.size(); ++i) {
    accepted[i] = (1 - none) * accepted[i] / z + none * reference[i];
  }
  return accepted;
}

TEST(RejectionSampler, FollowsTheDensity) {
  constexpr std::size_t kDraws = 8'000;
  for (const std::size_t dimension : {1U, 3U}) {
    for (const double failure : {0.5, 1e-3}) {
      const RejectionSampler sampler(independent_normals(dimension), kRejectionEpsilon, failure);
      const BoostedDensity density = density_of(dimension, {-1, 0.3F, 1});
      SeededRandom random(20260705);
      std::vector<std::uint64_t> counts(kEdges.size() - 1);
      std::vector<double> point(dimension);
      for (std::size_t draw = 0; draw < kDraws; ++draw) {
        sampler.simulate(density, random, point);
        const auto above = std::upper_bound(kEdges.begin(), kEdges.end(), point[0]);
        ++counts[static_cast<std::size_t>(above - kEdges.begin()) - 1];
      }
      EXPECT_TRUE(test::follows(law_of(sampler, density), counts))
          << "seed 20260705, " << sampler.acceptance().proposals() << " proposals";
    }
  }
}

TEST(RejectionSampler, ReleasesForAnyDensity) {
  const RejectionSampler sampler(independent_normals(2), kRejectionEpsilon, 0.1);
  SecureRandom random;
  std::vector<double> point(2);
  for (const std::vector<float>& logits :
       {std::vector<float>(3, kNaN), std::vector<float>{1e38F, -1e38F, kNaN}}) {
    sampler.draw(density_of(2, logits), random, point);
    EXPECT_TRUE(std::isfinite(point[0]) && std::isfinite(point[1]));
  }
  // Boosted for a far greater epsilon than the sampler's: still the sampler's.
  BoostedDensity loud({.epsilon = 50, .bounding = Bounding::kSign}, 2);
  loud = loud.boosted(std::make_shared<Steps>(2, std::vector<float>{1, -1, 1}));
  sampler.draw(loud, random, point);
  EXPECT_EQ(sampler.epsilon(), kRejectionEpsilon);
}

TEST(RejectionSampler, TakesAsManyProposalsAsItNeeds) {
  for (const double epsilon : {0.1, 1.0, 5.0, 10.0}) {
    for (const double failure : {0.1, 1e-6}) {
      const RejectionSampler sampler(independent_normals(1), epsilon, failure);
      const double k = static_cast<double>(sampler.acceptance().proposals());
      const double refused = 1 - std::exp(-epsilon / 2);
      EXPECT_LE(std::pow(refused, k), failure);
      EXPECT_TRUE(k == 1 || std::pow(refused, k - 1) > failure);
      std::printf("epsilon %.1f, failure %.0e: %.0f proposals\n", epsilon, failure, k);
    }
  }
}

TEST(RejectionSampler, RefusesInOneSentence) {
  EXPECT_EQ(test::refusal_of([] { RejectionSampler(independent_normals(1), 40); }),
            "rejection at epsilon = 40 needs more than 1048576 proposals a point: choose a smaller "
            "epsilon or candidates");
  EXPECT_EQ(test::refusal_of([] { RejectionSampler(independent_normals(1), 1, 0); }),
            "the probability that no proposal is accepted must be above 0 and below 1, but is 0");
  EXPECT_EQ(test::refusal_of([] { RejectionSampler(independent_normals(1), -1); }),
            "epsilon must be finite and positive, but is -1");
  SecureRandom random;
  std::vector<double> point(2);
  EXPECT_EQ(
      test::refusal_of([&] {
        RejectionSampler(independent_normals(1), 1).draw(density_of(1, {0, 0, 0}), random, point);
      }),
      "the reference has 1 dimensions, but the density has 1 and the point 2");
}

}  // namespace
}  // namespace mollify
