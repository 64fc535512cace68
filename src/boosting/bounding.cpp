#include "boosting/bounding.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace mollify {
namespace {

constexpr std::array kNames{"probability", "logit", "sign"};

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

std::string_view name_of(Bounding bounding) noexcept {
  return kNames[static_cast<std::size_t>(bounding)];
}

std::optional<Bounding> bounding_named(std::string_view name) noexcept {
  const auto* const found = std::find(kNames.begin(), kNames.end(), name);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<Bounding>(found - kNames.begin());
}

}  // namespace mollify
