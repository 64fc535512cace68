// The laboratory for programs.
#include "mollify/laboratory.h"

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/names.h"
#include "core/invalid_input.h"
#include "domain/candidates.h"
#include "front/sampler.h"
#include "laboratory/boosting/likelihood.h"
#include "laboratory/law/discrete_law.h"
#include "laboratory/measure/grid.h"
#include "laboratory/measure/measure.h"
#include "methods/divergence/f_divergence.h"
#include "methods/divergence/worst_case_risk.h"
#include "methods/local/mollifiers.h"
#include "scores/boosting.h"
#include "scores/learners.h"
#include "scores/network.h"
#include "scores/points.h"

namespace mollify::front {

namespace inside = ::mollify;

namespace {

/// How many points these numbers are.
std::size_t count_of(std::size_t numbers, std::size_t dimension) {
  if (dimension == 0 || numbers % dimension != 0) {
    throw InvalidInput(fmt::format("{} numbers are not points of {} coordinates: give a multiple",
                                   numbers, dimension));
  }
  return numbers / dimension;
}

inside::Points points_of(std::span<const float> numbers, std::size_t dimension) {
  inside::Points points(dimension, count_of(numbers.size(), dimension));
  for (std::size_t axis = 0; axis < dimension; ++axis) {
    const std::span<float> values = points.values(axis);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = numbers[i * dimension + axis];
  }
  return points;
}

}  // namespace

// -----------------------------------------------------------------------------------------------
// Measures.

class SeededNumbersInside {
 public:
  explicit SeededNumbersInside(std::uint64_t seed) : random(seed), words(random) {}
  inside::SeededRandom random;
  inside::WordStream words;
};

SeededNumbers::SeededNumbers(std::uint64_t seed) : Handle(std::make_shared<Inside>(seed)) {}

std::uint64_t SeededNumbers::word() { return inside_->random.word(); }

std::vector<double> SeededNumbers::uniforms(std::size_t count) {
  std::vector<double> numbers(count);
  for (double& number : numbers) number = inside_->words.unit();
  return numbers;
}

std::vector<double> SeededNumbers::normals(std::size_t count) {
  std::vector<double> numbers(count);
  for (double& number : numbers) number = inside_->words.normal();
  return numbers;
}

class KnownMeasureInside {
 public:
  std::shared_ptr<const inside::Measure> measure;
};

KnownMeasure::KnownMeasure(std::string_view json, std::string_view name)
    : Handle(std::make_shared<Inside>(Inside{inside::measure_from_json(json, std::string(name))})) {
}

std::size_t KnownMeasure::dimension() const noexcept { return inside_->measure->dimension(); }

std::vector<double> KnownMeasure::central_box() const {
  std::vector<double> ends;
  for (const inside::Interval& axis : inside_->measure->central_box()) {
    ends.insert(ends.end(), {axis.low, axis.high});
  }
  return ends;
}

double KnownMeasure::class_bound() const { return inside_->measure->class_bound(); }

std::vector<double> KnownMeasure::densities(std::span<const double> points) const {
  std::vector<double> found(count_of(points.size(), dimension()));
  for (std::size_t i = 0; i < found.size(); ++i) {
    found[i] = inside_->measure->density(points.subspan(i * dimension(), dimension()));
  }
  return found;
}

std::vector<double> KnownMeasure::cell_masses(std::span<const double> edges,
                                              std::span<const std::size_t> edge_counts) const {
  std::vector<std::vector<double>> of_axes;
  for (const std::size_t count : edge_counts) {
    if (count > edges.size()) break;
    of_axes.emplace_back(edges.begin(), edges.begin() + static_cast<std::ptrdiff_t>(count));
    edges = edges.subspan(count);
  }
  if (of_axes.size() != edge_counts.size() || !edges.empty() || of_axes.size() != dimension()) {
    throw InvalidInput(
        fmt::format("a grid needs ascending edges along each of the measure's {} axes, as many as "
                    "are counted",
                    dimension()));
  }
  const inside::Grid grid(std::move(of_axes));
  std::vector<double> masses(grid.cell_count());
  inside_->measure->cell_masses(grid, masses);
  return masses;
}

std::vector<double> KnownMeasure::sample(std::size_t count, SeededNumbers& numbers) const {
  std::vector<double> points(count * dimension());
  for (std::size_t i = 0; i < count; ++i) {
    inside_->measure->simulate(numbers.inside().random,
                               std::span(points).subspan(i * dimension(), dimension()));
  }
  return points;
}

// -----------------------------------------------------------------------------------------------
// Exact laws and how near they are.

std::vector<double> projected_on_band(std::span<const double> p, std::span<const double> lower,
                                      std::span<const double> upper) {
  return inside::project_on_band(p, lower, upper).law;
}

std::vector<double> scaled_and_shifted(std::span<const double> p, std::span<const double> reference,
                                       double epsilon) {
  std::vector<double> masses(p.begin(), p.end());
  inside::scale_and_shift(masses, reference, epsilon);
  return masses;
}

Answer law(const SamplerParameters& parameters, std::span<const double> p) {
  const inside::MechanismParameters asked = inward(parameters);
  const auto sampler = inside::make_sampler(asked);
  if (p.size() != sampler->outcome_count()) {
    throw InvalidInput(fmt::format("there must be a mass for each of {} outcomes, but there are {}",
                                   sampler->outcome_count(), p.size()));
  }
  std::vector<std::string> outcomes;
  for (std::size_t i = 0; i < p.size(); ++i) outcomes.push_back(std::to_string(i));
  const inside::Answer found =
      inside::discrete_law({.p = p,
                            .outcomes = outcomes,
                            .parameters = asked,
                            .name = std::string(inside::name_of(asked.mechanism)),
                            .sampler = *sampler,
                            .is_projection = inside::is_band(asked.mechanism),
                            .scores = {p.begin(), p.end()}});
  return {found.facts(), found.text, {}};
}

LawFit law_fit(std::span<const double> p, std::span<const double> q,
               std::span<const double> volumes) {
  return {inside::negative_log_likelihood(p, q, volumes), inside::mode_coverage(p, q, volumes)};
}

double single_total_variation_most(std::uint64_t draws, double joint) {
  return inside::single_total_variation_most(draws, joint);
}

// -----------------------------------------------------------------------------------------------
// Boosting.

namespace {

inside::BoostingSpec spec_of(double epsilon, std::string_view bounding) {
  return {epsilon, inside::known_value<inside::Bounding>("bounding", bounding)};
}

}  // namespace

std::vector<double> perfectly_boosted(std::span<const double> p, std::span<const double> reference,
                                      double epsilon, std::string_view bounding) {
  return inside::perfectly_boosted(p, reference, spec_of(epsilon, bounding));
}

class BoostedRatioInside {
 public:
  inside::BoostedDensity density;
};

BoostedRatio::BoostedRatio(double epsilon, std::string_view bounding, std::size_t dimension)
    : Handle(std::make_shared<Inside>(
          Inside{inside::BoostedDensity(spec_of(epsilon, bounding), dimension)})) {}

std::size_t BoostedRatio::dimension() const noexcept { return inside_->density.dimension(); }

BoostedRatio BoostedRatio::boosted(std::span<const float> p, std::span<const float> q,
                                   std::uint64_t seed, std::size_t epochs) const {
  inside::NetworkOptions network;
  network.epochs = epochs;
  const std::size_t dimension = inside_->density.dimension();
  std::shared_ptr<const inside::Classifier> classifier =
      inside::NetworkLearner(network).learn(points_of(p, dimension), points_of(q, dimension), seed);
  return BoostedRatio(
      std::make_shared<Inside>(Inside{inside_->density.boosted(std::move(classifier))}));
}

std::vector<double> BoostedRatio::log_ratios(std::span<const float> points) const {
  const inside::Points features = points_of(points, inside_->density.dimension());
  std::vector<double> ratios(features.size());
  inside_->density.log_ratio(features, ratios);
  return ratios;
}

class BoostingRunsInside {
 public:
  BoostingRunsInside(std::span<const float> p_numbers, std::span<const float> pool_numbers,
                     std::size_t dimension, std::uint64_t first_seed,
                     const inside::NetworkOptions& network)
      : p(points_of(p_numbers, dimension)),
        pool(points_of(pool_numbers, dimension)),
        seed(first_seed),
        learner(network) {}

  inside::Points p;
  inside::Points pool;
  std::uint64_t seed;
  inside::FirstOnceLearner learner;
};

BoostingRuns::BoostingRuns(std::span<const float> p, std::span<const float> pool,
                           std::size_t dimension, std::uint64_t seed, std::size_t epochs) {
  inside::NetworkOptions network = inside::release_network();
  if (epochs > 0) network.epochs = epochs;
  inside_ = std::make_shared<Inside>(p, pool, dimension, seed, network);
}

BoostedRatio BoostingRuns::boosted(double epsilon) const {
  return BoostedRatio(std::make_shared<BoostedRatio::Inside>(
      BoostedRatio::Inside{inside::boost(inside_->p, inside_->pool, inside_->learner,
                                         {.boosting = {.epsilon = epsilon},
                                          .sample_size = inside_->p.size(),
                                          .seed = inside_->seed})}));
}

}  // namespace mollify::front
