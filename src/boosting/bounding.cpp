#include "boosting/bounding.h"

#include <algorithm>
#include <cmath>

namespace mollify {
namespace {

double unclamped(double logit, Bounding bounding) noexcept {
  switch (bounding) {
    case Bounding::kProbability:
      return kClassifierBound * std::tanh(logit / 2);  // 2 sigma(z) - 1
    case Bounding::kLogit:
      return logit;
    case Bounding::kSign:
      return logit > 0 ? kClassifierBound : logit < 0 ? -kClassifierBound : 0;
    case Bounding::kSigmoid:
      return (1 + std::tanh(logit / 2)) / 2;
  }
  return 0;
}

}  // namespace

double bounded(double logit, Bounding bounding) noexcept {
  if (std::isnan(logit)) return 0;
  // The last step is a comparison, so no rounding before it counts.
  const double bound = classifier_bound(bounding);
  return std::clamp(unclamped(logit, bounding), bounding == Bounding::kSigmoid ? 0 : -bound, bound);
}

}  // namespace mollify
