#include "accounting/privacy_cost.h"

#include <utility>

#include <fmt/format.h>

namespace mollify {

PrivacyCost PrivacyCost::pure(Decimal epsilon) { return {Notion::kPure, std::move(epsilon), {}}; }

PrivacyCost PrivacyCost::approximate(Decimal epsilon, Decimal delta) {
  if (delta.is_zero()) return pure(std::move(epsilon));
  return {Notion::kApproximate, std::move(epsilon), std::move(delta)};
}

PrivacyCost PrivacyCost::concentrated(Decimal rho) {
  return {Notion::kConcentrated, std::move(rho), {}};
}

PrivacyCost PrivacyCost::gaussian(Decimal mu) { return {Notion::kGaussian, std::move(mu), {}}; }

std::string PrivacyCost::text() const {
  switch (notion) {
    case Notion::kPure:
      return "epsilon " + parameter.text();
    case Notion::kApproximate:
      return fmt::format("epsilon {} and delta {}", parameter.text(), delta.text());
    case Notion::kConcentrated:
      return "rho " + parameter.text();
    case Notion::kGaussian:
      break;
  }
  return "mu " + parameter.text();
}

}  // namespace mollify
