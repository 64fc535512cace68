#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "core/invalid_input.h"
#include "laboratory/boosting/diagnostics.h"
#include "laboratory/boosting/likelihood.h"
#include "laboratory/measure/measure.h"

namespace mollify {
namespace {

/// Likes points whose second coordinate is positive.
class UpperHalf final : public Classifier {
 public:
  std::size_t dimension() const noexcept override { return 2; }
  void logits(const Points& points, std::span<float> logits) const override {
    for (std::size_t i = 0; i < logits.size(); ++i) logits[i] = points.values(1)[i];
  }
};

const Grid& rectangle() {
  static const Grid grid({{0, 1, 4}, {-2, -1, 0, 0.5}});
  return grid;
}

TEST(GridLaw, WeighsCellsByTheDensity) {
  const UniformMeasure reference({{0, 4}, {-2, 0.5}});
  const BoostedDensity density = BoostedDensity({.epsilon = 2, .bounding = Bounding::kSign}, 2)
                                     .boosted(std::make_shared<UpperHalf>());
  const GridLaw law = law_on_grid(density, reference, rectangle());
  const double step = density.theta(1) * kClassifierBound;
  const double z = 0.2 * std::exp(step) + 0.8 * std::exp(-step);
  EXPECT_NEAR(law.log_normaliser, std::log(z), 1e-14);
  EXPECT_NEAR(std::accumulate(law.reference.begin(), law.reference.end(), 0.0), 1, 1e-14);
  EXPECT_NEAR(std::accumulate(law.boosted.begin(), law.boosted.end(), 0.0), 1, 1e-14);
  EXPECT_NEAR(law.boosted[2], 0.05 * std::exp(step) / z, 1e-14);
  EXPECT_NEAR(law.boosted[3], 0.3 * std::exp(-step) / z, 1e-14);
  const std::vector<double> volumes = cell_volumes(rectangle());
  EXPECT_EQ(volumes, (std::vector<double>{1, 1, 0.5, 3, 3, 1.5}));
  EXPECT_NEAR(negative_log_likelihood(law.reference, law.reference, volumes), std::log(10.0),
              1e-14);
  EXPECT_EQ(cells_inside(rectangle(), {{0, 4}, {-1, 10}}),
            (std::vector<unsigned char>{0, 1, 1, 0, 1, 1}));
  // Mass captured in the upper half, P being uniform there.
  const std::vector<unsigned char> upper = cells_inside(rectangle(), {{0, 4}, {0, 1}});
  const std::vector<double> p{0, 0, 0.25, 0, 0, 0.75};
  const std::vector<IterationDiagnostics> steps{
      diagnose(classifier_moments(density, cell_centres(rectangle()), p, cell_centres(rectangle()),
                                  law.reference),
               density.theta(1))};
  const RegionDiagnostics region =
      diagnose_region(p, law.reference, law.boosted, upper, diagnose(steps, density.spec()));
  EXPECT_NEAR(region.mass_reference, 0.2, 1e-14);
  EXPECT_NEAR(region.mass_q, 0.2 * std::exp(step) / z, 1e-14);
  EXPECT_LE(region.guaranteed, region.mass_q);
}

TEST(GridLaw, RefusesOtherDimensions) {
  const UniformMeasure line({{0, 4}});
  const BoostedDensity density({.epsilon = 2}, 2);
  EXPECT_THROW((void)law_on_grid(density, line, rectangle()), InvalidInput);
  EXPECT_THROW((void)law_on_grid(density, line, Grid({{0, 4}})), InvalidInput);
  EXPECT_THROW((void)cells_inside(rectangle(), {{0, 4}}), InvalidInput);
}

}  // namespace
}  // namespace mollify
