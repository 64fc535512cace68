#include "scores/boosting.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "base/refusal.h"
#include "core/ranges.h"
#include "scores/network.h"

namespace mollify::detail {

// -----------------------------------------------------------------------------------------------
// Features brought to mean 0 and deviation 1.

namespace {

/// Mean over finite values of value (power 1) or of its squared distance from `centre` (power 2).
struct Mean {
  double value;
  bool exists;
};

template <class Term>
Mean mean_of(std::span<const float> values, Term term) {
  double sum = 0;
  std::size_t count = 0;
  for (const float value : values) {
    if (!std::isfinite(value)) continue;
    sum += term(static_cast<double>(value));
    ++count;
  }
  return {count == 0 ? 0 : sum / static_cast<double>(count), count > 0};
}

template <class Term>
double balanced_mean(std::span<const float> p, std::span<const float> q, Term term) {
  const Mean of_p = mean_of(p, term);
  const Mean of_q = mean_of(q, term);
  return of_p.exists && of_q.exists ? of_p.value / 2 + of_q.value / 2 : of_p.value + of_q.value;
}

}  // namespace

Standardisation standardisation_of(const Points& p, const Points& q) {
  Standardisation result;
  for (std::size_t f = 0; f < p.dimension(); ++f) {
    const double mean = balanced_mean(p.values(f), q.values(f), [](double value) { return value; });
    const double variance = balanced_mean(
        p.values(f), q.values(f), [&](double value) { return (value - mean) * (value - mean); });
    const double factor = variance > 0 ? 1 / std::sqrt(variance) : 0;
    constexpr double kMost = std::numeric_limits<float>::max();
    result.centres.push_back(static_cast<float>(mean));
    result.factors.push_back(static_cast<float>(std::min(factor, kMost)));
  }
  return result;
}

void standardise(std::span<const float> values, float centre, float factor, float* to) {
  for (const float value : values) {
    const float standard = (value - centre) * factor;
    *to++ = std::isfinite(standard) ? standard : 0.0F;
  }
}

}  // namespace mollify::detail

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Mixed points as features.

namespace {

constexpr std::uint32_t kMostIndicators = 32;

bool has_indicators(const MixedColumn& column) { return column.levels <= kMostIndicators; }

std::size_t features_of(const MixedColumn& column) {
  if (column.scale != Scale::kCategory) return 1;
  if (has_indicators(column)) return column.levels;
  return static_cast<std::size_t>(std::bit_width(column.levels - 1));
}

/// The place in [-1, 1] of a number or an ordered level.
float place_of(const MixedColumn& column, float value) {
  if (column.scale == Scale::kNumber) return 2.0F * number_in_range(value) - 1.0F;
  const auto level = static_cast<float>(level_in_range(value, column.levels));
  return column.levels == 1 ? 0.0F : 2.0F * level / static_cast<float>(column.levels - 1) - 1.0F;
}

}  // namespace

FeatureEncoding::FeatureEncoding(std::span<const MixedColumn> columns)
    : columns_(columns.begin(), columns.end()) {
  for (const MixedColumn& column : columns_) dimension_ += features_of(column);
}

Points FeatureEncoding::features(const MixedPoints& points, std::size_t count) const {
  Points features(dimension_, count);
  std::size_t first = 0;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    const MixedColumn& column = columns_[c];
    const std::span<const float> values = points.values(c);
    for (std::size_t i = 0; i < count; ++i) {
      const float value = values[i * points.size() / count];
      if (column.scale != Scale::kCategory) {
        features.values(first)[i] = place_of(column, value);
        continue;
      }
      const std::uint32_t level = level_in_range(value, column.levels);
      for (std::size_t f = 0; f < features_of(column); ++f) {
        const bool is_set = has_indicators(column) ? level == f : ((level >> f) & 1U) != 0;
        features.values(first + f)[i] = is_set ? 1.0F : has_indicators(column) ? 0.0F : -1.0F;
      }
    }
    first += features_of(column);
  }
  return features;
}

// -----------------------------------------------------------------------------------------------
// Points of a sample drawn again in proportion to weights.

namespace {

/// Which points the marks u, u + step, u + 2 step, ... fall on.
std::vector<std::size_t> marked(std::span<const double> weights, std::size_t count, double unit) {
  const auto counted = [](double weight) {
    return weight > 0 && std::isfinite(weight) ? weight : 0.0;
  };
  double sum = 0;
  for (const double weight : weights) sum += counted(weight);
  const bool alike = !(sum > 0) || !std::isfinite(sum);
  if (alike) sum = static_cast<double>(weights.size());

  std::vector<std::size_t> chosen(count);
  std::size_t point = 0;
  double through = alike ? 1 : counted(weights[0]);
  for (std::size_t j = 0; j < count; ++j) {
    const double mark = (static_cast<double>(j) + unit) / static_cast<double>(count) * sum;
    while (through <= mark && point + 1 < weights.size()) {
      ++point;
      through += alike ? 1 : counted(weights[point]);
    }
    chosen[j] = point;
  }
  return chosen;
}

}  // namespace

Points resampled(const Points& points, std::span<const double> weights, std::size_t count,
                 SeededRandom& random) {
  refuse_if(weights.size() != points.size(), "wrong-shape", "weights",
            "resampling needs a weight for each of {} points, but has {}", points.size(),
            weights.size());
  const double unit = static_cast<double>(random.word() >> 11U) * 0x1p-53;
  if (points.size() == 0) return {points.dimension(), 0};
  const std::vector<std::size_t> chosen = marked(weights, count, unit);
  Points result(points.dimension(), count);
  for (std::size_t feature = 0; feature < points.dimension(); ++feature) {
    const auto from = points.values(feature);
    const auto to = result.values(feature);
    std::transform(chosen.begin(), chosen.end(), to.begin(),
                   [from](std::size_t i) { return from[i]; });
  }
  return result;
}

// -----------------------------------------------------------------------------------------------
// How what a classifier says becomes a bounded number.

double bounded(double logit) noexcept {
  if (std::isnan(logit)) return 0;
  // 2 sigma(z) - 1. The last step is a comparison, so no rounding before it counts.
  return std::clamp(kClassifierBound * std::tanh(logit / 2), -kClassifierBound, kClassifierBound);
}

}  // namespace mollify

namespace mollify::detail {

// -----------------------------------------------------------------------------------------------
// What tells points of one distribution from points of another.

void check_points(const Classifier& classifier, const Points& points,
                  std::span<const float> logits) {
  refuse_if(points.dimension() != classifier.dimension(), "wrong-shape", "points",
            "points must have the {} features that the classifier reads, but have {}",
            classifier.dimension(), points.dimension());
  refuse_if(logits.size() != points.size(), "wrong-shape", "logits",
            "there must be room for the logits of {} points, but it is {}", points.size(),
            logits.size());
}

void check_samples(const Points& p, const Points& q) {
  refuse_if(p.dimension() != q.dimension(), "wrong-shape", {},
            "both samples must have the same number of features, but have {} and {}", p.dimension(),
            q.dimension());
  refuse_if(p.dimension() == 0, "empty-input", {},
            "samples must have at least 1 feature, but have 0");
}

}  // namespace mollify::detail

namespace mollify {

// -----------------------------------------------------------------------------------------------
// The density that boosting makes of a public reference and bounded classifiers.

namespace {

void require_shapes(const Points& points, std::size_t dimension, std::size_t values) {
  refuse_if(points.dimension() != dimension, "wrong-shape", "points",
            "points must have the density's {} features, but have {}", dimension,
            points.dimension());
  refuse_if(points.size() != values, "wrong-shape", "values",
            "there must be a value for each of {} points, but there are {}", points.size(), values);
}

}  // namespace

BoostedDensity::BoostedDensity(double epsilon, std::size_t dimension)
    : epsilon_(epsilon), dimension_(dimension) {
  require_in(kPositive, "epsilon", epsilon);
  refuse_if(dimension == 0, "empty-input", "points",
            "points must have at least 1 feature, but have 0");
}

BoostedDensity BoostedDensity::boosted(std::shared_ptr<const Classifier> classifier) const {
  if (classifier->dimension() != dimension_) {
    refuse_input("wrong-shape", {},
                 "a classifier must read the density's {} features, but reads {}", dimension_,
                 classifier->dimension());
  }
  BoostedDensity result = *this;
  result.classifiers_.push_back(std::move(classifier));
  return result;
}

double BoostedDensity::theta(std::size_t t) const noexcept {
  return std::pow(epsilon_ / (epsilon_ + 4 * kClassifierBound), static_cast<double>(t));
}

void BoostedDensity::classifier_values(std::size_t t, const Points& points,
                                       std::span<double> values) const {
  require_shapes(points, dimension_, values.size());
  refuse_if(t < 1 || t > iterations(), "out-of-range", {},
            "classifiers are numbered from 1 to {}, but {} was asked for", iterations(), t);
  std::vector<float> logits(points.size());
  classifiers_[t - 1]->logits(points, logits);
  for (std::size_t i = 0; i < logits.size(); ++i) {
    values[i] = bounded(static_cast<double>(logits[i]));
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

// -----------------------------------------------------------------------------------------------
// Scores from boosted classifiers.

BoostedScorer::BoostedScorer(const MixedPoints& candidates, double epsilon)
    : BoostedScorer(candidates, epsilon, release_learner()) {}

BoostedScorer::BoostedScorer(const MixedPoints& candidates, double epsilon,
                             std::shared_ptr<const WeakLearner> learner, std::size_t samples)
    : Scorer(candidates),
      encoding_(candidates.columns()),
      candidates_(encoding_.features(candidates)),
      spec_{.epsilon = epsilon, .iterations = kIterations, .sample_size = samples},
      learner_(std::move(learner)) {
  // Refuses what is wrong with epsilon before any rows are seen.
  static_cast<void>(BoostedDensity(epsilon, std::max<std::size_t>(encoding_.dimension(), 1)));
}

void BoostedScorer::score_rows(const MixedPoints& rows, std::span<float> scores) const {
  if (scores.empty() || encoding_.dimension() == 0) {
    std::fill(scores.begin(), scores.end(), 1.0F);
    return;
  }
  const Points p = encoding_.features(rows, spec_.sample_size);
  boost(p, candidates_, *learner_, spec_).log_ratio(candidates_, scores);
  for (float& score : scores) score = std::exp(score);
}

// -----------------------------------------------------------------------------------------------
// Scores from one classifier.

namespace {

/// Beyond the ratio of any band, and well inside single precision.
constexpr float kGreatestLogit = 60;

/// Learning is as good from one start as from another, so the start is public and fixed.
constexpr std::uint64_t kStart = 0;

}  // namespace

RatioScorer::RatioScorer(const MixedPoints& candidates)
    : RatioScorer(candidates, release_learner()) {}

RatioScorer::RatioScorer(const MixedPoints& candidates, std::shared_ptr<const WeakLearner> learner,
                         std::size_t samples)
    : Scorer(candidates),
      encoding_(candidates.columns()),
      candidates_(encoding_.features(candidates)),
      sample_(encoding_.features(candidates, candidates.size() == 0 ? 0 : samples)),
      learner_(std::move(learner)) {}

void RatioScorer::score_rows(const MixedPoints& rows, std::span<float> scores) const {
  if (scores.empty() || encoding_.dimension() == 0) {
    std::fill(scores.begin(), scores.end(), 1.0F);
    return;
  }
  const Points p = encoding_.features(rows, sample_.size());
  learner_->learn(p, sample_, kStart)->logits(candidates_, scores);
  for (float& score : scores) {
    // NaN tells nothing, as a logit of 0 does.
    const float logit = std::isnan(score) ? 0.0F : score;
    score = std::exp(std::clamp(logit, -kGreatestLogit, kGreatestLogit));
  }
}

// -----------------------------------------------------------------------------------------------
// Mollified boosted density estimation.

namespace {

void require_usable(const Points& p, const Points& pool, const MbdeSpec& spec) {
  refuse_outside({.least = 1}, static_cast<double>(spec.iterations), "iterations",
                 "there must be at least 1 iteration, but are 0");
  refuse_outside({.least = 1}, static_cast<double>(spec.sample_size), "sample-size",
                 "the sample size must be at least 1, but is 0");
  refuse_if(pool.size() == 0, "empty-input", "pool",
            "the pool of reference samples must not be empty");
  refuse_if(p.dimension() != pool.dimension(), "wrong-shape", "p",
            "samples of P must have the pool's {} features, but have {}", pool.dimension(),
            p.dimension());
}

}  // namespace

BoostedDensity boost(const Points& p, const Points& pool, const WeakLearner& learner,
                     const MbdeSpec& spec) {
  require_usable(p, pool, spec);
  BoostedDensity density(spec.epsilon, pool.dimension());
  SeededRandom random(spec.seed);
  std::vector<double> pool_log_ratios(pool.size());
  std::vector<double> pool_weights(pool.size(), 1.0);
  std::vector<double> values(pool.size());
  const std::vector<double> evenly(p.size(), 1.0);
  for (std::size_t t = 1; t <= spec.iterations; ++t) {
    const bool all_of_p = p.size() <= spec.sample_size;
    // The same words are drawn in either case, so that the seed means the same for all data.
    const Points some_of_p = resampled(p, evenly, all_of_p ? 0 : spec.sample_size, random);
    const Points& sample_of_p = all_of_p ? p : some_of_p;
    const Points sample_of_q = resampled(pool, pool_weights, spec.sample_size, random);
    density = density.boosted(learner.learn(sample_of_p, sample_of_q, random.word()));
    density.classifier_values(t, pool, values);
    for (std::size_t i = 0; i < values.size(); ++i) {
      pool_log_ratios[i] += density.theta(t) * values[i];
      pool_weights[i] = std::exp(pool_log_ratios[i] - density.log_ratio_bound());
    }
  }
  return density;
}

}  // namespace mollify
