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
  }
  return 0;
}

}  // namespace

double bounded(double logit, Bounding bounding) noexcept {
  if (std::isnan(logit)) return 0;
  // The last step is a comparison, so no rounding before it counts.
  return std::clamp(unclamped(logit, bounding), -kClassifierBound, kClassifierBound);
}

}  // namespace mollify
