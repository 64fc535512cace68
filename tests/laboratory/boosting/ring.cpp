// What perfect classifiers reach on the papers' ring of eight Gaussians: the figures of
// docs/measured/boosting.md.
#include <cmath>
#include <cstdio>
#include <memory>
#include <numbers>
#include <vector>

#include <gtest/gtest.h>

#include "laboratory/boosting/diagnostics.h"
#include "laboratory/boosting/likelihood.h"
#include "laboratory/measure/measure.h"
#include "scores/boosting.h"

namespace mollify {
namespace {

GaussianMixture ring_of_eight() {
  GaussianMixtureSpec spec;
  for (int mode = 0; mode < 8; ++mode) {
    const double angle = std::numbers::pi * mode / 4;
    spec.means.push_back({std::cos(angle), std::sin(angle)});
    spec.weights.push_back(1);
    spec.variances.push_back({0.01, 0.01});
  }
  return GaussianMixture(spec);
}

/// The points of one quadrant, for the ring and N(0, I) are alike in all four: fine cells where P
/// is, coarse ones beyond.
struct Quadrant {
  Grid grid;
  Points points;
  std::vector<double> p;  // masses of cells, summing to one
  std::vector<double> reference;
  std::vector<double> log_p;  // densities at the centres
  std::vector<double> log_reference;
};

Grid quadrant_grid() {
  std::vector<double> edges;
  for (int i = 0; i < 160; ++i) edges.push_back(0.01 * i);
  for (int i = 0; i <= 59; ++i) edges.push_back(1.6 + 0.1 * i);
  return Grid({edges, edges});
}

Quadrant quadrant() {
  const GaussianMixture ring = ring_of_eight();
  const GaussianMixture normal(single_gaussian({0, 0}, 1));
  Quadrant result{quadrant_grid(), Points(2, 0), {}, {}, {}, {}};
  result.points = cell_centres(result.grid);
  const std::size_t cells = result.grid.cell_count();
  double whole_p = 0;
  double whole_reference = 0;
  for (std::size_t i = 0; i < cells; ++i) {
    const Box cell = result.grid.cell(i);
    const double x = (cell[0].low + cell[0].high) / 2;
    const double y = (cell[1].low + cell[1].high) / 2;
    // The midpoint rule: its error on Gaussians is far below the cells' width.
    const double volume = cell[0].width() * cell[1].width();
    const std::vector<double> centre{x, y};
    result.log_p.push_back(std::log(ring.density(centre)));
    result.log_reference.push_back(std::log(normal.density(centre)));
    result.p.push_back(std::exp(result.log_p.back()) * volume);
    result.reference.push_back(normal.box_mass(cell));
    whole_p += result.p.back();
    whole_reference += result.reference.back();
  }
  EXPECT_NEAR(whole_p, 0.25, 1e-6);
  EXPECT_NEAR(whole_reference, 0.25, 1e-6);
  for (double& mass : result.p) mass /= whole_p;
  for (double& mass : result.reference) mass /= whole_reference;
  return result;
}

/// log(P/Q_(t-1)) at the quadrant's points and nowhere else.
class Oracle final : public Classifier {
 public:
  explicit Oracle(std::vector<float> logits) : logits_(std::move(logits)) {}
  std::size_t dimension() const noexcept override { return 2; }
  void logits(const Points&, std::span<float> logits) const override {
    std::copy(logits_.begin(), logits_.end(), logits.begin());
  }

 private:
  std::vector<float> logits_;
};

/// The negative log-likelihood of Q_T, and the diagnostics on the way.
double perfect(const Quadrant& space, Bounding bounding, std::size_t iterations) {
  const BoostingSpec spec{.epsilon = 1, .bounding = bounding, .outputs = 1};
  BoostedDensity density(spec, 2);
  const std::size_t cells = space.p.size();
  std::vector<double> ratios(cells);
  std::vector<double> values(cells);
  std::vector<double> q = space.reference;
  double log_normaliser = 0;
  std::vector<IterationDiagnostics> steps;
  for (std::size_t t = 1; t <= iterations; ++t) {
    std::vector<float> logits(cells);
    for (std::size_t i = 0; i < cells; ++i) {
      logits[i] =
          static_cast<float>(space.log_p[i] - space.log_reference[i] - ratios[i] + log_normaliser);
    }
    density = density.boosted(std::make_shared<Oracle>(std::move(logits)));
    density.classifier_values(t, space.points, values);
    const double theta = density.theta(t);
    steps.push_back(diagnose(classifier_moments(values, space.p, values, q, theta), theta));
    density.log_ratio(space.points, ratios);
    double whole = 0;
    for (std::size_t i = 0; i < cells; ++i) whole += space.reference[i] * std::exp(ratios[i]);
    log_normaliser = std::log(whole);
    for (std::size_t i = 0; i < cells; ++i) {
      q[i] = space.reference[i] * std::exp(ratios[i] - log_normaliser);
    }
  }
  const RunDiagnostics run = diagnose(steps, spec);
  EXPECT_LE(run.guaranteed, run.delta + 1e-12);
  EXPECT_LE(run.delta, run.limit);
  double of_reference = 0;
  double result = 0;
  for (std::size_t i = 0; i < cells; ++i) {
    of_reference -= space.p[i] * space.log_reference[i];
    result -= space.p[i] * (space.log_reference[i] + ratios[i] - log_normaliser);
  }
  EXPECT_NEAR(of_reference - result, run.delta, 1e-9);
  return result;
}

TEST(Ring, PerfectClassifiersReachTheKnownFigures) {
  const Quadrant space = quadrant();
  double of_reference = 0;
  for (std::size_t i = 0; i < space.p.size(); ++i) {
    of_reference -= space.p[i] * space.log_reference[i];
  }
  const double by_sign = perfect(space, Bounding::kSign, 3);
  const double by_logit = perfect(space, Bounding::kLogit, 3);
  const double by_probability = perfect(space, Bounding::kProbability, 3);
  std::printf("Q0 %.5f, sign %.5f, clipped logit %.5f, 2 sigma - 1 %.5f\n", of_reference, by_sign,
              by_logit, by_probability);
  // E|x|^2/2 + log 2 pi = (1 + 2 .01)/2 + log 2 pi.
  EXPECT_NEAR(of_reference, 0.51 + std::log(2 * std::numbers::pi), 1e-5);
  EXPECT_NEAR(of_reference, 2.348, 5e-4);
  EXPECT_NEAR(by_sign, 1.968, 5e-4);
  EXPECT_NEAR(by_logit, 1.970, 5e-4);
  EXPECT_NEAR(by_probability, 2.015, 5e-4);
}

}  // namespace
}  // namespace mollify
