// The first of many questions whose answer is large.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

#include "accounting/privacy.h"
#include "kernel/core/secure_random.h"
#include "kernel/noise/discrete_laplace.h"

namespace mollify {

/// The sparse vector technique, stopping at the first answer above a threshold (Dwork, Roth 2014,
/// Algorithm 1), with exact discrete noise. However many questions are asked, one budget is spent.
///
/// Definition. Questions q_0, q_1, ... have integer answers that replacing a record changes by at
/// most Delta. With R discrete Laplace of scale t1 >= 2 Delta / epsilon, drawn once, and V_i of
/// scale t2 >= 4 Delta / epsilon, drawn for each question, the first i with q_i + V_i >= T + R is
/// released, or that there is none.
///
/// Theorem. This is epsilon-DP. Proof: docs/theory/central.md. All sums are of 128 bits and never
/// wrap, so the proof is about what is computed.
///
/// Utility. With probability at least 1 - beta, among m questions the first with
/// q_i >= T + (t1 + t2) ln(2/beta), or one before it, is released, and what is released has
/// q_i >= T - t1 ln(2/beta) - t2 ln(2 m/beta).
///
/// Public and immutable.
class AboveThreshold {
 public:
  /// epsilon from 1e-6 to 100, Delta from 1 to 1000; InvalidInput otherwise.
  explicit AboveThreshold(double epsilon, std::uint64_t sensitivity = 1);

  [[nodiscard]] Privacy guarantee() const { return Privacy::pure(epsilon_); }
  /// t1 and t2, doubles exactly.
  [[nodiscard]] double threshold_scale() const { return threshold_scale_; }
  [[nodiscard]] double answer_scale() const { return 2 * threshold_scale_; }

  /// The number of the first question above the threshold. `answer` is asked in order, up to the
  /// one that is released. Their number, the threshold and the questions are public, and the caller
  /// owes that each has sensitivity Delta.
  std::optional<std::size_t> draw(std::size_t questions,
                                  const std::function<std::int64_t(std::size_t)>& answer,
                                  std::int64_t threshold, SecureRandom& random) const;

 private:
  double epsilon_;
  double threshold_scale_;
  DiscreteLaplace threshold_noise_;
  DiscreteLaplace answer_noise_;
};

}  // namespace mollify
