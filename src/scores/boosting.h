// Boosted densities and the learned ratio.
//
// python/mollify/boosting/density.py has Algorithm 1 again, to look at it: with other classifiers
// and bounds, several outputs and a look at each step, which no release should carry. A test
// compares the two (python/tests/test_boosting.py).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <numbers>
#include <span>
#include <vector>

#include "domain/candidates.h"
#include "scores/points.h"

namespace mollify::detail {

// -----------------------------------------------------------------------------------------------
// Features brought to mean 0 and deviation 1.

/// Feature f becomes (x - centres[f]) * factors[f].
struct Standardisation {
  std::vector<float> centres{};
  std::vector<float> factors{};
};

/// By mean and deviation of both samples together, each counting half (all, if the other is empty).
/// Values that are not finite count as absent; a feature that does not vary has factor 0.
[[nodiscard]] Standardisation standardisation_of(const Points& p, const Points& q);

/// to[i] = (values[i] - centre) * factor, or 0 if that is not finite.
void standardise(std::span<const float> values, float centre, float factor, float* to);

}  // namespace mollify::detail

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Mixed points as features.

/// How mixed points become features, from their columns alone.
///
/// A number x is 2x - 1, level l of L ordered ones is 2l/(L-1) - 1: in [-1, 1]. A category of up to
/// 32 levels has one feature for each, 1 for its own level and 0 for the others; of more levels it
/// has the binary digits of its level, -1 or 1. Total, as number_in_range and level_in_range are.
class FeatureEncoding {
 public:
  explicit FeatureEncoding(std::span<const MixedColumn> columns);

  /// The number of features of a point.
  [[nodiscard]] std::size_t dimension() const noexcept { return dimension_; }

  /// The points' features, in their order. Requires points with the columns given. O(points
  /// dimension).
  [[nodiscard]] Points features(const MixedPoints& points) const {
    return features(points, points.size());
  }

  /// The features of as many points as asked for, at equal distances in the order of the points: so
  /// that what is learned from many rows and from few takes as long. Requires at least one point.
  [[nodiscard]] Points features(const MixedPoints& points, std::size_t count) const;

 private:
  std::vector<MixedColumn> columns_;
  std::size_t dimension_ = 0;
};

// -----------------------------------------------------------------------------------------------
// Points of a sample drawn again in proportion to weights.

/// `count` of the points, point i about weights[i] / sum * count times: the copies that lie at
/// equal distances on the weights' cumulative sum from a random start (systematic resampling), in
/// the points' order. Each point is taken the whole number below or above its share, so this adds
/// far less noise than independent draws.
///
/// Total: weights that are not positive and finite count as 0, and if none is left all count alike.
/// Without points, none. For training only: nothing drawn here is released. Throws InvalidInput if
/// there is not one weight for each point. O(points + count d).
[[nodiscard]] Points resampled(const Points& points, std::span<const double> weights,
                               std::size_t count, SeededRandom& random);

// -----------------------------------------------------------------------------------------------
// How what a classifier says becomes a bounded number.

/// The greatest |c|: log 2 as a double, which lies below log 2.
inline constexpr double kClassifierBound = std::numbers::ln2;

/// c = log 2 (2 sigma(z) - 1) for the logit z, sigma the logistic function. Within
/// +-kClassifierBound for every z whatsoever, and 0 for NaN.
///
/// The papers ask for classifiers c: X -> [-log 2, log 2] [Husain et al. 2020, Algorithm 1] and do
/// not say how a network becomes one. Published code takes the logit as it is, which is not bounded
/// at all, so that its epsilon does not hold. Other bounded classifiers are looked at in Python
/// (mollify/boosting).
[[nodiscard]] double bounded(double logit) noexcept;

// -----------------------------------------------------------------------------------------------
// What tells points of one distribution from points of another.

/// An estimate of ln(P/Q) at points, learned from samples of P and Q. Immutable, so threads may
/// share one.
///
/// Learned from private data, a classifier is private data. Anyone who uses one bounds what it says
/// (scores/boosting.h): it may return anything, NaN included.
class Classifier {
 public:
  Classifier() = default;
  Classifier(const Classifier&) = delete;
  Classifier& operator=(const Classifier&) = delete;
  virtual ~Classifier() = default;

  /// The number of features of the points it reads.
  [[nodiscard]] virtual std::size_t dimension() const noexcept = 0;

  /// Writes the logit of each point: positive where P is the likelier. Throws InvalidInput if the
  /// points have another dimension or `logits` another size.
  virtual void logits(const Points& points, std::span<float> logits) const = 0;
};

namespace detail {

/// Throws InvalidInput unless the classifier can write the points' logits there.
void check_points(const Classifier& classifier, const Points& points,
                  std::span<const float> logits);

/// Throws InvalidInput unless both samples have the same dimension, at least 1.
void check_samples(const Points& p, const Points& q);

}  // namespace detail

// -----------------------------------------------------------------------------------------------
// What makes classifiers.

/// Told after each pass over the samples: how many are done, of how many, and the mean
/// cross-entropy of the last in nats. It says what private samples are like, so only analysis
/// listens.
using TrainingProgress =
    std::function<void(std::size_t epoch, std::size_t epochs, double cross_entropy)>;

/// Learns to tell samples of P from samples of Q. Immutable, so threads may share one.
///
/// Total: any values in the samples give a classifier, and without samples of one of the two a
/// classifier that says 0 everywhere. Equal samples, seeds and processors give equal classifiers,
/// bit for bit.
class WeakLearner {
 public:
  WeakLearner() = default;
  WeakLearner(const WeakLearner&) = delete;
  WeakLearner& operator=(const WeakLearner&) = delete;
  virtual ~WeakLearner() = default;

  /// Learns from the two samples, which do not have to be equally large: each distribution counts
  /// half. `seed` settles all that is random in learning. Throws InvalidInput if the samples'
  /// dimensions differ.
  [[nodiscard]] virtual std::unique_ptr<Classifier> learn(
      const Points& p, const Points& q, std::uint64_t seed,
      const TrainingProgress& progress = nullptr) const = 0;
};

// -----------------------------------------------------------------------------------------------
// The density that boosting makes of a public reference and bounded classifiers.

/// Q_T, with dQ_T/dQ0 = exp(sum_t theta_t c_t) / Z [Husain et al. 2020, Algorithm 1].
///
/// theta_t = (epsilon / (epsilon + 4 log 2))^t, so theta_1 + theta_2 + ... < epsilon / (4 log 2)
/// and |c_t| <= log 2 by `bounded`, so
///   |sum theta_t c_t| <= epsilon/4,  |log Z| <= epsilon/4,  |log dQ_T/dQ0| <= epsilon/2
/// whatever the classifiers are: Q_T lies in the relative epsilon-mollifier of Q0 [Theorem 4].
///
/// It knows nothing of Q0, and computes ratios to it. Learned from private data, it is private
/// data. It decides no release: the kernel bounds whatever it says. Cheap to copy; copies share the
/// classifiers.
class BoostedDensity {
 public:
  /// Q_0 = Q0, for points of this many features. Throws InvalidInput unless epsilon is finite and
  /// positive, and there is at least one feature.
  BoostedDensity(double epsilon, std::size_t dimension);

  /// This density boosted by one more classifier. Throws InvalidInput if the classifier reads
  /// another number of features.
  [[nodiscard]] BoostedDensity boosted(std::shared_ptr<const Classifier> classifier) const;

  [[nodiscard]] std::size_t dimension() const noexcept { return dimension_; }
  /// T.
  [[nodiscard]] std::size_t iterations() const noexcept { return classifiers_.size(); }

  /// theta_t, t from 1; any t, also beyond T.
  [[nodiscard]] double theta(std::size_t t) const noexcept;

  /// epsilon/4: what log_ratio never passes.
  [[nodiscard]] double log_ratio_bound() const noexcept { return epsilon_ / 4; }

  /// Writes c_t of each point: the t-th classifier as it is used, t from 1 to T. Throws
  /// InvalidInput if points or values have another shape.
  void classifier_values(std::size_t t, const Points& points, std::span<double> values) const;

  /// Writes sum_t theta_t c_t for each point: log dQ_T/dQ0 up to the constant log Z. Clamped
  /// outright to +-log_ratio_bound(). Throws InvalidInput if `log_ratios` has another size than the
  /// points, or these another number of features. One evaluation of each classifier a point; values
  /// in single precision are rounded towards zero, so that the bound holds for them, too.
  void log_ratio(const Points& points, std::span<double> log_ratios) const;
  void log_ratio(const Points& points, std::span<float> log_ratios) const;

 private:
  double epsilon_;
  std::size_t dimension_;
  std::vector<std::shared_ptr<const Classifier>> classifiers_;
};

// -----------------------------------------------------------------------------------------------
// Mollified boosted density estimation: Algorithm 1 of Husain et al.

/// The parameters of boosting; all are public. The papers' setting is the default.
struct MbdeSpec {
  double epsilon = 1;
  /// T.
  std::size_t iterations = 3;
  /// How many points of P, and as many of Q_(t-1), each classifier learns from.
  std::size_t sample_size = 10'000;
  /// Settles resampling and learning. It may be public: the kernel bounds what is learned.
  std::uint64_t seed = 0;
};

/// For t = 1 ... T: learns c_t from points of P and of Q_(t-1), and sets
/// Q_t = Q_(t-1) exp(theta_t c_t) / normaliser [Husain et al. 2020, Algorithm 1].
///
/// `p` are samples of P, the private data; no density of P is ever asked for. `pool` are samples of
/// Q0. Q_(t-1) is drawn from the pool in proportion to exp(log_ratio), by systematic resampling:
/// always the same work, no measure needed, and each iteration costs one evaluation of one
/// classifier a pool point. Rejection from fresh draws would be exact, but its time would depend on
/// P. As points are for training only, the pool's error of order size^-1/2 costs utility and never
/// privacy; a pool several times sample_size is good. Of more than sample_size points of P each
/// iteration takes that many, anew and evenly.
///
/// Total: any values in `p`, and none at all, give a density (that of classifiers which may be
/// worthless) after exactly T calls of the learner. Equal inputs, seed and processor give an equal
/// density bit for bit. Throws InvalidInput for a public mistake: a malformed spec, no iteration, a
/// sample size of 0, an empty pool, or another dimension in `p` than in `pool`.
[[nodiscard]] BoostedDensity boost(const Points& p, const Points& pool, const WeakLearner& learner,
                                   const MbdeSpec& spec);

// -----------------------------------------------------------------------------------------------
// Scores from boosted classifiers.

/// Scores candidates by dQ_T/dQ0 of the boosted density that MBDE makes of the rows, Q0 being the
/// law of the candidates [Husain et al. 2020, Algorithm 1].
///
/// The scores' logarithms lie within +-epsilon/4, so a band that holds [e^(-epsilon/2),
/// e^(epsilon/2)] clips none of them and the release follows Q_T itself. As for RatioScorer,
/// learning takes as long for every unit, shows nothing, and is the same for the same rows.
class BoostedScorer final : public Scorer {
 public:
  /// Number of samples of either law for each classifier, as in the papers.
  static constexpr std::size_t kSamples = 10'000;
  /// T, as in the papers.
  static constexpr std::size_t kIterations = 3;

  /// With the network and the schedule of `release_learner`. Throws InvalidInput unless epsilon,
  /// that of one draw, is finite and positive.
  BoostedScorer(const MixedPoints& candidates, double epsilon);
  BoostedScorer(const MixedPoints& candidates, double epsilon,
                std::shared_ptr<const WeakLearner> learner, std::size_t samples = kSamples);

  [[nodiscard]] bool scores_are_ratios() const noexcept override { return true; }

 private:
  void score_rows(const MixedPoints& rows, std::span<float> scores) const override;

  FeatureEncoding encoding_;
  Points candidates_;
  MbdeSpec spec_;
  std::shared_ptr<const WeakLearner> learner_;
};

// -----------------------------------------------------------------------------------------------
// Scores from one classifier: the learned density ratio.

/// Scores candidates by exp(logit) of a classifier that has learned to tell rows from candidates:
/// an estimate of p/h without a density of either.
///
/// Candidates are a sample of the reference, so that is what a trained classifier knows
/// (docs/theory/band.md). The kernel clips its estimate into the whole band, of which boosting uses
/// about half: compare the two first (docs/evidence/single-records.md). Learning looks at the
/// same number of rows, repeated or thinned, whatever the rows are, so that it takes as long for
/// every unit; it shows nothing. Equal rows and candidates give equal scores.
class RatioScorer final : public Scorer {
 public:
  /// Number of samples of either law for the classifier.
  static constexpr std::size_t kSamples = 20'000;

  /// With the network and the schedule of `release_learner`.
  explicit RatioScorer(const MixedPoints& candidates);
  RatioScorer(const MixedPoints& candidates, std::shared_ptr<const WeakLearner> learner,
              std::size_t samples = kSamples);

  [[nodiscard]] bool scores_are_ratios() const noexcept override { return true; }

 private:
  void score_rows(const MixedPoints& rows, std::span<float> scores) const override;

  FeatureEncoding encoding_;
  Points candidates_;
  Points sample_;  // of the candidates, for learning
  std::shared_ptr<const WeakLearner> learner_;
};

}  // namespace mollify
