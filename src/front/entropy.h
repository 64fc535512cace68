// The randomness of releases.
#pragma once

#include "kernel/core/secure_random.h"

namespace mollify::front {

/// This thread's own, so that what the front hands out may be shared between threads.
[[nodiscard]] SecureRandom& entropy();

}  // namespace mollify::front
