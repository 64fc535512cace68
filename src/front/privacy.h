// Promises, from the inside to the front and back.
#pragma once

#include "accounting/privacy.h"
#include "mollify/privacy.h"

namespace mollify::front {

namespace inside = ::mollify;

[[nodiscard]] Privacy outward(const inside::Privacy& privacy) noexcept;
[[nodiscard]] inside::Privacy inward(const Privacy& privacy);

/// Each double as the shortest decimal number that reads back as it: what people typed. Throws
/// InvalidInput for a parameter that is not finite and at least 0.
[[nodiscard]] inside::ExactPrivacy inward_exactly(const Privacy& privacy);
/// The reverse: as a double that means this number, or else the nearest that means more, or less.
[[nodiscard]] Privacy outward_up(const inside::ExactPrivacy& privacy);
[[nodiscard]] Privacy outward_down(const inside::ExactPrivacy& privacy);

}  // namespace mollify::front
