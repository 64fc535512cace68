#include "laboratory/reproduction/known_density.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "boosting/network.h"
#include "divergence/band_projection.h"
#include "laboratory/boosting/first_once.h"
#include "laboratory/boosting/fit.h"
#include "laboratory/boosting/grid_law.h"
#include "laboratory/boosting/measure_features.h"
#include "laboratory/measure/word_stream.h"
#include "local/band_floor.h"
#include "space/seeded_random.h"

namespace mollify::detail {
namespace {

constexpr double kCut = 7.5;

/// Cells along an axis, four fifths of them between -inner and inner.
std::vector<double> edges_of_axis(double inner, std::size_t cells) {
  const std::size_t outer = cells / 10;
  std::vector<double> all = equal_width_edges({-kCut, -inner}, outer);
  for (const std::vector<double>& more : {equal_width_edges({-inner, inner}, cells - 2 * outer),
                                          equal_width_edges({inner, kCut}, outer)}) {
    all.insert(all.end(), more.begin() + 1, more.end());
  }
  return all;
}

}  // namespace

GaussianMixtureSpec ring_of_eight(double radius, double deviation) {
  GaussianMixtureSpec spec;
  for (int i = 0; i < 8; ++i) {
    const double angle = i * std::numbers::pi / 4;
    spec.means.push_back({radius * std::cos(angle), radius * std::sin(angle)});
    spec.weights.push_back(1);
    spec.variances.push_back({deviation * deviation, deviation * deviation});
  }
  return spec;
}

GaussianMixtureSpec three_gaussians() {
  return {.means = {{0.3}, {0.5}, {0.7}},
          .weights = {1, 1, 1},
          .variances = {{0.01}, {0.1}, {0.1}},
          .box = {}};
}

GaussianMixtureSpec random_gaussians(std::size_t components, std::uint64_t seed) {
  SeededRandom random(seed);
  GaussianMixtureSpec spec;
  for (std::size_t i = 0; i < components; ++i) {
    spec.means.push_back({WordStream(random).unit()});
    spec.weights.push_back(1);
    spec.variances.push_back({0.01});
  }
  return spec;
}

KnownDensity::KnownDensity(std::shared_ptr<const Measure> truth_measure,
                           std::shared_ptr<const Measure> reference_measure, Grid cells)
    : truth(std::move(truth_measure)),
      reference(std::move(reference_measure)),
      grid(std::move(cells)),
      p(grid.cell_count()),
      h(grid.cell_count()),
      volumes(cell_volumes(grid)) {
  truth->cell_masses(grid, p);
  reference->cell_masses(grid, h);
}

KnownDensity KnownDensity::against_normal(const GaussianMixtureSpec& spec, bool quick) {
  auto truth = std::make_shared<GaussianMixture>(spec);
  const std::size_t dimension = truth->dimension();
  double inner = 1;
  for (const Interval& interval : truth->central_box()) {
    inner = std::max({inner, -interval.low, interval.high});
  }
  const std::size_t cells = dimension == 1 ? (quick ? 1000 : 8000) : (quick ? 120 : 384);
  return {std::move(truth),
          std::make_shared<GaussianMixture>(single_gaussian(std::vector<double>(dimension), 1)),
          Grid(std::vector<std::vector<double>>(dimension,
                                                edges_of_axis(std::min(inner, 6.0), cells)))};
}

DensityFit fit_of(const KnownDensity& density, const std::vector<double>& law) {
  return {negative_log_likelihood(density.p, law, density.volumes),
          mode_coverage(density.p, law, density.volumes)};
}

MeanAndSpread mean_and_spread(const std::vector<double>& values) {
  MeanAndSpread result;
  const auto count = static_cast<double>(values.size());
  for (const double value : values) result.mean += value / count;
  if (values.size() < 2) return result;
  for (const double value : values) {
    result.deviation += (value - result.mean) * (value - result.mean) / (count - 1);
  }
  result.deviation = std::sqrt(result.deviation);
  if (result.deviation < 1e-12 * std::abs(result.mean)) result.deviation = 0;  // rounding
  return result;
}

std::vector<double> projected(const std::vector<double>& p, const std::vector<double>& h,
                              double floor, double epsilon) {
  std::vector<double> lower;
  std::vector<double> upper;
  for (const double mass : h) {
    lower.push_back(floor * mass);
    upper.push_back(floor * std::exp(epsilon) * mass);
  }
  return project_on_band(p, lower, upper).law;
}

std::vector<double> minimax_law(const KnownDensity& on_envelope, double epsilon) {
  return projected(on_envelope.p, on_envelope.h,
                   class_floor(0, on_envelope.reference->class_bound(), epsilon), epsilon);
}

BoostingSamples::BoostingSamples(const KnownDensity& density, std::uint64_t seed, bool quick)
    : seed_(seed), p_(1, 0), pool_(1, 0) {
  SeededRandom random(seed);
  p_ = measure_sample(*density.truth, quick ? 1000 : 10'000, random);
  pool_ = measure_sample(*density.reference, quick ? 4000 : 65'536, random);
  NetworkOptions network = release_network();
  if (quick) network.epochs = 6;
  learner_ = std::make_shared<FirstOnceLearner>(network);
}

BoostedDensity BoostingSamples::boosted(const BoostingSpec& spec) const {
  return boost(p_, pool_, *learner_,
               {.boosting = spec, .iterations = 3, .sample_size = p_.size(), .seed = seed_});
}

HeatMap heat_map_of(const BoostedDensity& boosted, double log_normaliser, const Measure& reference,
                    std::string title, double low, double high, std::size_t pixels) {
  HeatMap map = heat_map(std::move(title), low, high, pixels, [&](double x, double y) {
    return reference.density(std::vector<double>{x, y});
  });
  Points points(2, map.values.size());
  const double step = (high - low) / static_cast<double>(pixels);
  for (std::size_t i = 0; i < map.values.size(); ++i) {
    points.values(0)[i] = static_cast<float>(low + (static_cast<double>(i % pixels) + 0.5) * step);
    points.values(1)[i] = static_cast<float>(low + (static_cast<double>(i / pixels) + 0.5) * step);
  }
  std::vector<double> ratios(map.values.size());
  boosted.log_ratio(points, ratios);
  for (std::size_t i = 0; i < ratios.size(); ++i) {
    map.values[i] *= std::exp(ratios[i] - log_normaliser);
  }
  return map;
}

}  // namespace mollify::detail
