#include "accounting/privacy.h"

#include <fmt/format.h>

#include "core/ranges.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// What a release promises, may spend or costs.

namespace {

std::string digits_of(double number) { return detail::shortest(number); }
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

// -----------------------------------------------------------------------------------------------
// Whose data a promise is about.

namespace {

constexpr std::string_view kUnitPrefix = "unit=";

}  // namespace

std::string ProtectionScope::text() const {
  switch (kind) {
    case Kind::kRow:
      return "row";
    case Kind::kUnit:
      return std::string(kUnitPrefix) + unit;
    case Kind::kTable:
      break;
  }
  return "table";
}

std::string ProtectionScope::words() const {
  switch (kind) {
    case Kind::kRow:
      return "each row";
    case Kind::kUnit:
      return "each unit of " + unit;
    case Kind::kTable:
      break;
  }
  return "the whole table";
}

std::optional<ProtectionScope> ProtectionScope::parse(std::string_view text) {
  if (text == "row") return row();
  if (text == "table") return table();
  if (text.starts_with(kUnitPrefix) && text.size() > kUnitPrefix.size()) {
    return of_unit(std::string(text.substr(kUnitPrefix.size())));
  }
  return std::nullopt;
}

bool protects(const ProtectionScope& promised, const ProtectionScope& wanted) {
  using Kind = ProtectionScope::Kind;
  if (promised.kind == Kind::kTable || wanted.kind == Kind::kRow) return true;
  return promised == wanted;
}

}  // namespace mollify
