// Logistic regression on the points' features, or on their squares and products as well.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "boosting/classifier.h"
#include "boosting/weak_learner.h"
#include "density/points.h"

namespace mollify {

/// All that a logistic model is. Feature f enters as x_f = (value - centres[f]) * factors[f], or as
/// 0 if that is not finite.
struct LogisticParameters {
  std::vector<float> centres{};  ///< of each feature
  std::vector<float> factors{};  ///< of each feature
  bool has_products = false;
  /// Of 1; of x_0, x_1, ...; and with products of x_0 x_0, x_0 x_1, ..., x_1 x_1, x_1 x_2, ...
  std::vector<double> coefficients{};

  friend bool operator==(const LogisticParameters&, const LogisticParameters&) = default;
};

/// A logit that is linear or quadratic in the features.
class LogisticClassifier final : public Classifier {
 public:
  /// Throws InvalidInput unless there is at least one feature, each feature has a centre and a
  /// factor, and there are as many coefficients as terms. The values may be anything.
  explicit LogisticClassifier(LogisticParameters parameters);

  [[nodiscard]] std::size_t dimension() const noexcept override {
    return parameters_.centres.size();
  }
  /// O(points * terms).
  void logits(const Points& points, std::span<float> logits) const override;

  [[nodiscard]] const LogisticParameters& parameters() const noexcept { return parameters_; }

 private:
  LogisticParameters parameters_;
};

/// How a logistic model is fitted.
struct LogisticOptions {
  bool has_products = false;  ///< squares and products of the features are terms too
  double ridge = 1e-4;        ///< finite and positive
  std::size_t passes = 30;    ///< over the samples, at least 1
};

/// Fits logistic models by Newton's method: the minimum of the mean cross-entropy, each
/// distribution counting half, plus ridge / 2 times the squares of all coefficients but the first.
/// Two Gaussians' log ratio is quadratic, so products make the model exact for them.
///
/// Features are standardised as NetworkLearner does. Each pass either makes a step or, where the
/// last one did not lower the objective, halves it; their number is fixed, so that it tells nothing
/// about the samples. Nothing is random, so the seed is not used.
///
/// O(passes (n terms^2 + terms^3)); 1 + d terms, and d (d + 1) / 2 more with products.
class LogisticLearner final : public WeakLearner {
 public:
  /// Throws InvalidInput if an option is out of its range.
  explicit LogisticLearner(const LogisticOptions& options = {});

  /// A LogisticClassifier.
  [[nodiscard]] std::unique_ptr<Classifier> learn(
      const Points& p, const Points& q, std::uint64_t seed,
      const TrainingProgress& progress = nullptr) const override;

 private:
  LogisticOptions options_;
};

}  // namespace mollify
