#include "accounting/protection_scope.h"

namespace mollify {

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
