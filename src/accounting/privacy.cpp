#include "accounting/privacy.h"

#include <fmt/format.h>

#include "accounting/decimal.h"

namespace mollify {

namespace {

std::string digits_of(double number) { return fmt::format("{:.6g}", number); }
std::string digits_of(const Decimal& number) { return words_of(number); }

}  // namespace

const char* parameter_name(PrivacyNotion notion) {
  switch (notion) {
    case PrivacyNotion::kPure:
    case PrivacyNotion::kApproximate:
      return "epsilon";
    case PrivacyNotion::kConcentrated:
      return "rho";
    case PrivacyNotion::kGaussian:
      break;
  }
  return "mu";
}

template <class Number>
std::string BasicPrivacy<Number>::text() const {
  std::string words = fmt::format("{} {}", parameter_name(notion), digits_of(parameter()));
  if (notion == Notion::kApproximate) words += " and delta " + digits_of(delta);
  return words;
}

template struct BasicPrivacy<double>;
template struct BasicPrivacy<Decimal>;

}  // namespace mollify
