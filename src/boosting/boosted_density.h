// The density that boosting makes of a public reference and bounded classifiers.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "boosting/bounding.h"
#include "boosting/classifier.h"
#include "density/points.h"

namespace mollify {

/// What is public about a boosted density.
struct BoostingSpec {
  /// The privacy parameter of all outputs together.
  double epsilon = 1;
  Bounding bounding = Bounding::kProbability;
  /// k, the number of points to be sampled: classifiers are divided by it, at the same theta.
  std::size_t outputs = 1;
};

/// log Z, Z = E_{Q0} exp(sum theta_t c_t), and how it was found. NOT PRIVATE.
///
/// Z lies between the bounds of exp(sum theta_t c_t), and `value` is clamped to them, so an
/// estimate may be inaccurate but is never impossible.
struct LogNormaliser {
  enum class Method { kCubature, kImportanceSampling };

  double value = 0;
  /// By sampling, the standard error of `value`; by cubature, how far the value is from that of a
  /// grid with half as many cells along each axis.
  double error = 0;
  Method method = Method::kCubature;
  /// Cells, or samples.
  std::size_t points = 0;
};

/// Q_T, with dQ_T/dQ0 = exp(sum_t theta_t c_t / k) / Z [Husain et al. 2020, Algorithm 1].
///
/// theta_t = (epsilon / (epsilon + 4 C))^t with C = classifier_bound(bounding), which is log 2 but
/// for kSigmoid, so theta_1 + theta_2 + ... < epsilon / (4 C) and |c_t| <= C by `bounded`, so
///   |sum theta_t c_t / k| <= epsilon/(4k),  |log Z| <= epsilon/(4k),  |log dQ_T/dQ0| <=
///   epsilon/(2k)
/// whatever the classifiers are: Q_T lies in the relative epsilon/k-mollifier of Q0 [Theorem 4],
/// and k points sampled from it cost epsilon. With kSigmoid sum theta_t c_t and log Z are not
/// negative, so that |log dQ_T/dQ0| <= epsilon/(4k). With k = 1 this is Algorithm 1; k > 1 is the
/// shrinking of [Husain et al. 2019, Section 6], which leaves out the proof that is here. The
/// other way to k outputs is epsilon/k with k = 1, which shrinks theta instead.
///
/// Of Q0 it knows nothing: what it computes are ratios to it. Learned from private data, it is
/// private data. It decides no release: the kernel bounds whatever it says. Cheap to copy; copies
/// share the classifiers.
class BoostedDensity {
 public:
  /// Q_0 = Q0, for points of so many features. Throws InvalidInput unless epsilon is finite and
  /// positive, there is at least one output and at least one feature.
  BoostedDensity(const BoostingSpec& spec, std::size_t dimension);

  /// This density boosted by one more classifier; without a normaliser. Throws InvalidInput if the
  /// classifier reads another number of features.
  [[nodiscard]] BoostedDensity boosted(std::shared_ptr<const Classifier> classifier) const;

  /// This density with its normaliser.
  [[nodiscard]] BoostedDensity normalised(const LogNormaliser& normaliser) const;

  [[nodiscard]] const BoostingSpec& spec() const noexcept { return spec_; }
  [[nodiscard]] std::size_t dimension() const noexcept { return dimension_; }
  /// T.
  [[nodiscard]] std::size_t iterations() const noexcept { return classifiers_.size(); }
  [[nodiscard]] const std::vector<std::shared_ptr<const Classifier>>& classifiers() const noexcept {
    return classifiers_;
  }
  [[nodiscard]] const std::optional<LogNormaliser>& log_normaliser() const noexcept {
    return normaliser_;
  }

  /// theta_t, t from 1; any t, also beyond T.
  [[nodiscard]] double theta(std::size_t t) const noexcept;

  /// epsilon/(4k): what log_ratio never passes.
  [[nodiscard]] double log_ratio_bound() const noexcept;

  /// What |log dQ_T/dQ0| never passes: epsilon/(2k), with kSigmoid half of it.
  [[nodiscard]] double log_density_ratio_bound() const noexcept;

  /// Writes c_t / k of each point: the t-th classifier as it is used, t from 1 to T. Throws
  /// InvalidInput if points or values have another shape.
  void classifier_values(std::size_t t, const Points& points, std::span<double> values) const;

  /// Writes sum_t theta_t c_t / k for each point: log dQ_T/dQ0 up to the constant log Z. Clamped
  /// outright to +-log_ratio_bound(). Throws InvalidInput if `log_ratios` has another size than the
  /// points, or these another number of features. One evaluation of each classifier a point; values
  /// in single precision are rounded towards zero, so that the bound holds for them, too.
  void log_ratio(const Points& points, std::span<double> log_ratios) const;
  void log_ratio(const Points& points, std::span<float> log_ratios) const;

  /// Writes log dQ_T/dQ0 itself, log_ratio less log Z, which is within +-log_density_ratio_bound().
  /// Throws InvalidInput without a normaliser, and as log_ratio does.
  void log_density_ratio(const Points& points, std::span<double> log_ratios) const;

 private:
  BoostingSpec spec_;
  std::size_t dimension_;
  std::vector<std::shared_ptr<const Classifier>> classifiers_;
  std::optional<LogNormaliser> normaliser_;
};

}  // namespace mollify
