// Messages as programs see them.
#pragma once

#include <vector>

#include "base/message.h"
#include "mollify/message.h"

namespace mollify::front {

[[nodiscard]] std::vector<Message> outward(const std::vector<::mollify::Message>& messages);

}  // namespace mollify::front
