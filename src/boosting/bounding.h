// How what a classifier says becomes a bounded number.
#pragma once

#include <array>
#include <numbers>

#include "accounting/names.h"

namespace mollify {

/// The papers ask for classifiers c: X -> [-log 2, log 2] [Husain et al. 2020, Algorithm 1] and do
/// not say how a network becomes one. Published code takes the logit as it is, which is not bounded
/// at all, so that its epsilon does not hold.
enum class Bounding {
  kProbability,  ///< c = log 2 (2 sigma(z) - 1), sigma the logistic function
  kLogit,        ///< c = z clipped to [-log 2, log 2]
  kSign,         ///< c = log 2 sign(z), 0 at 0
  /// c = sigma(z), in [0, 1]: what the network's last layer says, as the baseline of
  /// [Park et al. 2024, Figure 4] was run. 1 is then in the place of log 2, and Q_T/Q0 uses half of
  /// what epsilon allows, because log Z has the sign of the classifiers.
  kSigmoid,
};

/// The greatest |c| of the papers' classifiers: log 2 as a double, which lies below log 2.
inline constexpr double kClassifierBound = std::numbers::ln2;

/// The greatest |c|: 1 for kSigmoid, else kClassifierBound.
[[nodiscard]] constexpr double classifier_bound(Bounding bounding) noexcept {
  return bounding == Bounding::kSigmoid ? 1 : kClassifierBound;
}

/// c for the logit z. Within +-classifier_bound() for every z whatsoever, not negative for
/// kSigmoid, and 0 for NaN.
[[nodiscard]] double bounded(double logit, Bounding bounding) noexcept;

[[nodiscard]] constexpr auto names_of(Bounding) {
  return std::array{Named{Bounding::kProbability, "probability"}, Named{Bounding::kLogit, "logit"},
                    Named{Bounding::kSign, "sign"}, Named{Bounding::kSigmoid, "sigmoid"}};
}

}  // namespace mollify
