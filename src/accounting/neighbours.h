// Which tables are neighbours: what a promise of the central model compares.
#pragma once

#include <array>

#include "accounting/names.h"

namespace mollify {

/// Replace: one row (or unit) holds anything else; how many there are is public. Add-remove: one
/// row (or unit) is there or is not, and how many there are is protected too. An epsilon of
/// add-remove is up to 2 epsilon of replace, because to replace is to remove and to add.
enum class Neighbours { kReplace, kAddRemove };

constexpr auto names_of(Neighbours) {
  return std::array{Named{Neighbours::kReplace, "replace"},
                    Named{Neighbours::kAddRemove, "add-remove"}};
}

}  // namespace mollify
