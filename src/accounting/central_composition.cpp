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

using Notion = CentralGuarantee::Notion;

void require_parameters(const CentralGuarantee& guarantee) {
  for (const auto& [name, value] :
       {std::pair{"epsilon", guarantee.epsilon}, std::pair{"delta", guarantee.delta},
        std::pair{"rho", guarantee.rho}}) {
    if (!(value >= 0.0) || std::isinf(value)) {
      throw InvalidInput(fmt::format("{} must be finite and at least 0, but is {}", name, value));
    }
  }
}

}  // namespace

CentralGuarantee composed_up(std::span<const CentralGuarantee> parts) {
  if (parts.empty()) throw InvalidInput("there must be a release to compose, but there is none");
  const auto any = [&](Notion notion) {
    return std::any_of(parts.begin(), parts.end(),
                       [&](const CentralGuarantee& part) { return part.notion == notion; });
  };
  CentralGuarantee whole;
  if (any(Notion::kConcentrated)) {
    whole.notion = Notion::kConcentrated;
  } else if (any(Notion::kApproximate)) {
    whole.notion = Notion::kApproximate;
  }
  for (const CentralGuarantee& part : parts) {
    require_parameters(part);
    if (whole.notion != Notion::kConcentrated) {
      whole.epsilon = add_up(whole.epsilon, part.epsilon);
      if (part.notion == Notion::kApproximate) whole.delta = add_up(whole.delta, part.delta);
    } else if (part.notion == Notion::kApproximate) {
      throw InvalidInput(
          "an (epsilon, delta) release has no rho, so it cannot be composed with one in zCDP");
    } else {
      whole.rho = add_up(whole.rho, part.notion == Notion::kConcentrated
                                        ? part.rho
                                        : concentrated_rho_of_pure_up(part.epsilon));
    }
  }
  return whole;
}

}  // namespace mollify
