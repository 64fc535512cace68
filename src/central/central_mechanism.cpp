#include "central/central_mechanism.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace mollify {
namespace {

// In the order of the enumeration.
constexpr std::array<std::string_view, 8> kNames = {
    "subsampled-rr", "reveal-or-obscure", "ds-roo",    "subset-rr",
    "shuffled-rr",   "poisson-rr",        "histogram", "product"};

}  // namespace

std::string_view name_of(CentralMechanism mechanism) {
  return kNames[static_cast<std::size_t>(mechanism)];
}

std::optional<CentralMechanism> central_mechanism_named(std::string_view name) {
  const auto* const found = std::find(kNames.begin(), kNames.end(), name);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<CentralMechanism>(found - kNames.begin());
}

std::span<const std::string_view> central_mechanism_names() { return kNames; }

}  // namespace mollify
