#include "boosting/boosted_density.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "kernel/core/invalid_input.h"

namespace mollify {
namespace {

void require_shapes(const Points& points, std::size_t dimension, std::size_t values) {
  if (points.dimension() != dimension) {
    throw InvalidInput(fmt::format("points must have the density's {} features, but have {}",
                                   dimension, points.dimension()));
  }
  if (points.size() != values) {
    throw InvalidInput(fmt::format("there must be a value for each of {} points, but there are {}",
                                   points.size(), values));
  }
}

}  // namespace

BoostedDensity::BoostedDensity(const BoostingSpec& spec, std::size_t dimension)
    : spec_(spec), dimension_(dimension) {
  if (!std::isfinite(spec.epsilon) || spec.epsilon <= 0) {
    throw InvalidInput(fmt::format("epsilon must be finite and positive, but is {}", spec.epsilon));
  }
  if (spec.outputs == 0) throw InvalidInput("the number of outputs must be at least 1, but is 0");
  if (dimension == 0) throw InvalidInput("points must have at least 1 feature, but have 0");
}

BoostedDensity BoostedDensity::boosted(std::shared_ptr<const Classifier> classifier) const {
  if (classifier->dimension() != dimension_) {
    throw InvalidInput(fmt::format("a classifier must read the density's {} features, but reads {}",
                                   dimension_, classifier->dimension()));
  }
  BoostedDensity result = *this;
  result.classifiers_.push_back(std::move(classifier));
  result.normaliser_.reset();
  return result;
}

BoostedDensity BoostedDensity::normalised(const LogNormaliser& normaliser) const {
  BoostedDensity result = *this;
  result.normaliser_ = normaliser;
  const double bound = log_ratio_bound();
  const double value = normaliser.value;
  const double least = spec_.bounding == Bounding::kSigmoid ? 0 : -bound;
  result.normaliser_->value = std::isnan(value) ? 0 : std::clamp(value, least, bound);
  return result;
}

double BoostedDensity::theta(std::size_t t) const noexcept {
  return std::pow(spec_.epsilon / (spec_.epsilon + 4 * classifier_bound(spec_.bounding)),
                  static_cast<double>(t));
}

double BoostedDensity::log_ratio_bound() const noexcept {
  return spec_.epsilon / 4 / static_cast<double>(spec_.outputs);
}

double BoostedDensity::log_density_ratio_bound() const noexcept {
  return spec_.bounding == Bounding::kSigmoid ? log_ratio_bound() : 2 * log_ratio_bound();
}

void BoostedDensity::classifier_values(std::size_t t, const Points& points,
                                       std::span<double> values) const {
  require_shapes(points, dimension_, values.size());
  if (t < 1 || t > iterations()) {
    throw InvalidInput(fmt::format("classifiers are numbered from 1 to {}, but {} was asked for",
                                   iterations(), t));
  }
  std::vector<float> logits(points.size());
  classifiers_[t - 1]->logits(points, logits);
  const double share = 1 / static_cast<double>(spec_.outputs);
  for (std::size_t i = 0; i < logits.size(); ++i) {
    values[i] = bounded(static_cast<double>(logits[i]), spec_.bounding) * share;
  }
}

void BoostedDensity::log_ratio(const Points& points, std::span<double> log_ratios) const {
  require_shapes(points, dimension_, log_ratios.size());
  std::fill(log_ratios.begin(), log_ratios.end(), 0.0);
  std::vector<double> values(points.size());
  for (std::size_t t = 1; t <= iterations(); ++t) {
    classifier_values(t, points, values);
    const double step = theta(t);
    for (std::size_t i = 0; i < values.size(); ++i) log_ratios[i] += step * values[i];
  }
  const double bound = log_ratio_bound();
  for (double& ratio : log_ratios) ratio = std::clamp(ratio, -bound, bound);
}

void BoostedDensity::log_ratio(const Points& points, std::span<float> log_ratios) const {
  require_shapes(points, dimension_, log_ratios.size());
  std::vector<double> ratios(points.size());
  log_ratio(points, ratios);
  for (std::size_t i = 0; i < ratios.size(); ++i) {
    const float nearest = static_cast<float>(ratios[i]);
    log_ratios[i] = std::abs(static_cast<double>(nearest)) > std::abs(ratios[i])
                        ? std::nextafter(nearest, 0.0F)
                        : nearest;
  }
}

void BoostedDensity::log_density_ratio(const Points& points, std::span<double> log_ratios) const {
  if (!normaliser_) {
    throw InvalidInput("a density ratio needs the log-normaliser, but none has been computed");
  }
  log_ratio(points, log_ratios);
  for (double& ratio : log_ratios) ratio -= normaliser_->value;
}

}  // namespace mollify
