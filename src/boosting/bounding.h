// How what a classifier says becomes a number between -log 2 and log 2.
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
};

/// The greatest |c|: log 2 as a double, which lies below log 2.
inline constexpr double kClassifierBound = std::numbers::ln2;

/// c for the logit z. Within +-kClassifierBound for every z whatsoever, and 0 for NaN.
[[nodiscard]] double bounded(double logit, Bounding bounding) noexcept;

constexpr auto names_of(Bounding) {
  return std::array{Named{Bounding::kProbability, "probability"}, Named{Bounding::kLogit, "logit"},
                    Named{Bounding::kSign, "sign"}};
}

}  // namespace mollify
