#include "front/privacy.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <string_view>

#include "accounting/decimal.h"

namespace mollify::front {
namespace {

using Notion = Privacy::Notion;
constexpr double kGreatest = std::numeric_limits<double>::max();

inside::PrivacyNotion inward(Notion notion) noexcept {
  switch (notion) {
    case Notion::kPure:
      return inside::PrivacyNotion::kPure;
    case Notion::kApproximate:
      return inside::PrivacyNotion::kApproximate;
    case Notion::kConcentrated:
      return inside::PrivacyNotion::kConcentrated;
    case Notion::kGaussian:
      break;
  }
  return inside::PrivacyNotion::kGaussian;
}

Notion outward(inside::PrivacyNotion notion) noexcept {
  switch (notion) {
    case inside::PrivacyNotion::kPure:
      return Notion::kPure;
    case inside::PrivacyNotion::kApproximate:
      return Notion::kApproximate;
    case inside::PrivacyNotion::kConcentrated:
      return Notion::kConcentrated;
    case inside::PrivacyNotion::kGaussian:
      break;
  }
  return Notion::kGaussian;
}

double parameter(const Privacy& privacy) noexcept {
  if (privacy.notion == Notion::kConcentrated) return privacy.rho;
  return privacy.notion == Notion::kGaussian ? privacy.mu : privacy.epsilon;
}

inside::Decimal as_typed(double number, std::string_view name) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, number).ptr;
  return inside::Decimal::parse({text, end}, name);
}

/// The least double that means no less than the number, and the greatest that means no more.
double typed_up(const inside::Decimal& number) {
  double typed = number.down();
  while (as_typed(typed, "a sum") < number) typed = std::nextafter(typed, kGreatest);
  return typed;
}
double typed_down(const inside::Decimal& number) {
  double typed = std::min(number.up(), kGreatest);
  while (as_typed(typed, "a sum") > number) typed = std::nextafter(typed, 0.0);
  return typed;
}

}  // namespace

std::string Privacy::text() const { return inward(*this).text(); }

Privacy outward(const inside::Privacy& privacy) noexcept {
  return {outward(privacy.notion), privacy.epsilon, privacy.delta, privacy.rho, privacy.mu};
}

inside::Privacy inward(const Privacy& privacy) {
  return inside::Privacy::of(inward(privacy.notion), parameter(privacy), privacy.delta);
}

inside::ExactPrivacy inward_exactly(const Privacy& privacy) {
  const inside::PrivacyNotion notion = inward(privacy.notion);
  return inside::ExactPrivacy::of(notion,
                                  as_typed(parameter(privacy), inside::parameter_name(notion)),
                                  as_typed(privacy.delta, "delta"));
}

Privacy outward_up(const inside::ExactPrivacy& privacy) {
  return {outward(privacy.notion), typed_up(privacy.epsilon), typed_up(privacy.delta),
          typed_up(privacy.rho), typed_up(privacy.mu)};
}

Privacy outward_down(const inside::ExactPrivacy& privacy) {
  return {outward(privacy.notion), typed_down(privacy.epsilon), typed_down(privacy.delta),
          typed_down(privacy.rho), typed_down(privacy.mu)};
}

}  // namespace mollify::front
