// Boosting where everything can be summed: points 0 ... k - 1 with one feature, their number.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "scores/boosting.h"

namespace mollify::test {

/// The points themselves.
inline Points numbered(std::size_t count) {
  Points points(1, count);
  for (std::size_t i = 0; i < count; ++i) points.values(0)[i] = static_cast<float>(i);
  return points;
}

/// A sample in which point i occurs counts[i] times.
inline Points sample_of(std::span<const std::size_t> counts) {
  std::vector<float> values;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    values.insert(values.end(), counts[i], static_cast<float>(i));
  }
  Points points(1, values.size());
  std::copy(values.begin(), values.end(), points.values(0).begin());
  return points;
}

/// Returns one of k given logits, and NaN for other points.
class TableClassifier final : public Classifier {
 public:
  explicit TableClassifier(std::vector<float> logits) : logits_(std::move(logits)) {}
  std::size_t dimension() const noexcept override { return 1; }
  void logits(const Points& points, std::span<float> logits) const override {
    for (std::size_t i = 0; i < logits.size(); ++i) {
      const float value = points.values(0)[i];
      const bool known = value >= 0 && value < static_cast<float>(logits_.size());
      logits[i] = known ? logits_[static_cast<std::size_t>(value)]
                        : std::numeric_limits<float>::quiet_NaN();
    }
  }

 private:
  std::vector<float> logits_;
};

inline std::shared_ptr<const Classifier> table(std::vector<float> logits) {
  return std::make_shared<TableClassifier>(std::move(logits));
}

/// Counts how often each point occurs in either sample and believes it: as overfitted as can be.
/// `factor` -1 flips its sign, NaN spoils it.
class CountingLearner final : public WeakLearner {
 public:
  CountingLearner(std::size_t points, float factor) : points_(points), factor_(factor) {}
  std::unique_ptr<Classifier> learn(const Points& p, const Points& q, std::uint64_t,
                                    const TrainingProgress&) const override {
    std::vector<float> logits(points_);
    const std::vector<double> shares_p = shares(p);
    const std::vector<double> shares_q = shares(q);
    for (std::size_t i = 0; i < points_; ++i) {
      logits[i] = factor_ * static_cast<float>(std::log(shares_p[i] / shares_q[i]));
    }
    return std::make_unique<TableClassifier>(std::move(logits));
  }

 private:
  std::vector<double> shares(const Points& points) const {
    std::vector<double> result(points_);
    for (const float value : points.values(0)) {
      if (value >= 0 && value < static_cast<float>(points_)) {
        result[static_cast<std::size_t>(value)] += 1 / static_cast<double>(points.size());
      }
    }
    return result;
  }

  std::size_t points_;
  float factor_;
};

/// Always gives the same logits, whatever the samples.
class StubbornLearner final : public WeakLearner {
 public:
  explicit StubbornLearner(std::vector<float> logits) : logits_(std::move(logits)) {}
  std::unique_ptr<Classifier> learn(const Points&, const Points&, std::uint64_t,
                                    const TrainingProgress&) const override {
    return std::make_unique<TableClassifier>(logits_);
  }

 private:
  std::vector<float> logits_;
};

/// Q_T's exact masses for Q0's.
inline std::vector<double> masses_of(const BoostedDensity& density,
                                     std::span<const double> reference) {
  std::vector<double> masses(reference.size());
  density.log_ratio(numbered(reference.size()), masses);
  double whole = 0;
  for (std::size_t i = 0; i < masses.size(); ++i) {
    masses[i] = reference[i] * std::exp(masses[i]);
    whole += masses[i];
  }
  for (double& mass : masses) mass /= whole;
  return masses;
}

}  // namespace mollify::test
