// The text of a refusal.
#pragma once

#include <string>

#include "core/invalid_input.h"

namespace mollify::test {

/// The sentence with which an action is refused; "accepted" if it is not.
template <class Action>
std::string refusal_of(const Action& action) {
  try {
    action();
  } catch (const InvalidInput& refusal) {
    return refusal.what();
  }
  return "accepted";
}

}  // namespace mollify::test
