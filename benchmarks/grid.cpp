// The speed of one client of a grid: P's masses, the table and one draw. Public masses are made
// once and not counted. Each benchmark first proves that its answer is right, then times it. Run it
// alone on a quiet machine: taskset -c 0 benchmark_grid --benchmark_repetitions=5

#include <array>
#include <cmath>
#include <memory>
#include <numbers>
#include <span>
#include <vector>

#include <benchmark/benchmark.h>

#include "core/random.h"
#include "laboratory/law/law.h"
#include "measures/gaussian_envelope.h"
#include "measures/measure.h"
#include "methods/divergence/f_divergence.h"
#include "methods/local/bands.h"

namespace {

using mollify::Box;
using mollify::DivergenceReport;
using mollify::GaussianEnvelope;
using mollify::GaussianMixture;
using mollify::GaussianMixtureSpec;
using mollify::Grid;
using mollify::GridRelease;
using mollify::GridSampler;
using mollify::SeededRandom;

GridSampler minimax(std::shared_ptr<const GaussianEnvelope> envelope, std::size_t cells,
                    double epsilon) {
  Grid grid = equal_width_grid(*envelope, cells);
  const double floor = mollify::class_floor(0, envelope->class_bound(), epsilon);
  return {std::move(envelope), std::move(grid), floor, epsilon};
}

/// Whether the law is as far from P as the continuous optimum is.
bool has_divergence(const GridSampler& sampler, const GaussianMixture& p, double kl, double tv,
                    double tolerance) {
  GridRelease release(sampler);
  release.assign(p);
  const DivergenceReport found =
      mollify::divergence_report(release.masses(), mollify::probabilities(release.table()));
  return std::abs(found.kl - kl) < tolerance && std::abs(found.tv - tv) < tolerance;
}

/// The first client at epsilon = 1/2 of tests/data/gaussian_mixture_1d.json, and one of the three
/// components that such clients have on average.
GaussianMixture client(bool checked) {
  GaussianMixtureSpec spec{.means = {{0.6284514811885606}, {-0.8161681157298062}},
                           .weights = {0.47520125237663585, 0.5247987476233642},
                           .variances = {{1}, {1}},
                           .box = {{-4, 4}}};
  if (!checked) {
    spec.means.push_back({0.1});
    spec.weights.push_back(0.4);
    spec.variances.push_back({1});
  }
  return GaussianMixture(spec);
}

void run(benchmark::State& state, const GridSampler& sampler, const GaussianMixture& p) {
  GridRelease release(sampler);
  SeededRandom random(1);
  std::vector<double> point(p.dimension());
  for (auto _ : state) {
    release.assign(p);
    release.simulate(random, point);
    benchmark::DoNotOptimize(point.data());
  }
}

/// A client of the one-dimensional class of [Park et al. 2024, Section V-B].
void one_dimensional_client(benchmark::State& state) {
  const auto cells = static_cast<std::size_t>(state.range(0));
  const auto sampler =
      minimax(std::make_shared<GaussianEnvelope>(1, 1, 1, Box{{-4, 4}}), cells, 0.5);
  if (!has_divergence(sampler, client(true), 0.007921569339511363, 0.037425741387066745, 1e-4)) {
    state.SkipWithError("the law is wrong");
    return;
  }
  run(state, sampler, client(false));
}
BENCHMARK(one_dimensional_client)->Arg(1 << 12)->Arg(1 << 16)->Unit(benchmark::kMicrosecond);

/// The ring of three Gaussians of [Park et al. 2024, Figure 1].
void ring_of_three(benchmark::State& state) {
  const auto cells = static_cast<std::size_t>(state.range(0));
  const auto sampler = minimax(std::make_shared<GaussianEnvelope>(1, 0.5, 2), cells, 0.5);
  GaussianMixtureSpec spec;
  for (int i = 0; i < 3; ++i) {
    const double angle = 2 * std::numbers::pi * i / 3;
    spec.means.push_back({std::cos(angle), std::sin(angle)});
    spec.variances.push_back({0.5, 0.5});
    spec.weights.push_back(1);
  }
  const GaussianMixture ring(spec);
  if (!has_divergence(sampler, ring, 0.02934055627025038, 0.08506126191279523, 1e-4)) {
    state.SkipWithError("the law is wrong");
    return;
  }
  run(state, sampler, ring);
}
BENCHMARK(ring_of_three)->Arg(1 << 18)->Arg(1 << 20)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
