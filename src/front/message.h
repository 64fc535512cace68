// Messages as programs see them.
#pragma once

#include <vector>

#include "base/message.h"
#include "core/invalid_input.h"
#include "mollify/message.h"

namespace mollify::front {

[[nodiscard]] std::vector<Message> outward(const std::vector<::mollify::Message>& messages);

/// The refusal with its parameter, and the parts of its ways out, as the program's speech has them:
/// places in the JSON that it gave. A refusal that has these already stays as it is.
[[nodiscard]] InvalidInput placed(const InvalidInput& refused);

/// What `act` gives; its refusals are placed.
template <class Act>
auto in_places(const Act& act) {
  try {
    return act();
  } catch (const InvalidInput& refused) {
    throw placed(refused);
  }
}

}  // namespace mollify::front
