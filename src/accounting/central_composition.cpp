#include "accounting/central_composition.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "accounting/concentrated.h"
#include "accounting/directed_rounding.h"
#include "kernel/core/invalid_input.h"

namespace mollify {

namespace {

using Notion = Privacy::Notion;

void require_parameters(const Privacy& guarantee) {
  for (const auto& [name, value] :
       {std::pair{"epsilon", guarantee.epsilon}, std::pair{"delta", guarantee.delta},
        std::pair{"rho", guarantee.rho}, std::pair{"mu", guarantee.mu}}) {
    if (!(value >= 0.0) || std::isinf(value)) {
      throw InvalidInput(fmt::format("{} must be finite and at least 0, but is {}", name, value));
    }
  }
}

double rho_of_up(const Privacy& part) {
  if (part.notion == Notion::kConcentrated) return part.rho;
  return part.notion == Notion::kGaussian ? concentrated_rho_of_gaussian_up(part.mu)
                                          : concentrated_rho_of_pure_up(part.epsilon);
}

}  // namespace

Privacy composed_up(std::span<const Privacy> parts) {
  if (parts.empty()) throw InvalidInput("there must be a release to compose, but there is none");
  const auto any = [&](Notion notion) {
    return std::any_of(parts.begin(), parts.end(),
                       [&](const Privacy& part) { return part.notion == notion; });
  };
  Privacy whole;
  if (any(Notion::kConcentrated) || any(Notion::kGaussian)) {
    whole.notion = Notion::kConcentrated;
  } else if (any(Notion::kApproximate)) {
    whole.notion = Notion::kApproximate;
  }
  for (const Privacy& part : parts) {
    require_parameters(part);
    if (whole.notion != Notion::kConcentrated) {
      whole.epsilon = add_up(whole.epsilon, part.epsilon);
      if (part.notion == Notion::kApproximate) whole.delta = add_up(whole.delta, part.delta);
    } else if (part.notion == Notion::kApproximate) {
      throw InvalidInput(
          "an (epsilon, delta) release has no rho, so it cannot be composed with one in zCDP");
    } else {
      whole.rho = add_up(whole.rho, rho_of_up(part));
    }
  }
  return whole;
}

}  // namespace mollify
