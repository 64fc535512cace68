// Budgets, plans and ledgers for programs.
#pragma once

#include <string>

#include "accounting/privacy.h"
#include "core/random.h"
#include "formats/ledger.h"
#include "mollify/privacy.h"

namespace mollify::front {

// -----------------------------------------------------------------------------------------------
// Promises, from the inside to the front and back.

namespace inside = ::mollify;

[[nodiscard]] Privacy outward(const inside::Privacy& privacy) noexcept;
[[nodiscard]] inside::Privacy inward(const Privacy& privacy);

/// Each double as the shortest decimal number that reads back as it: what people typed. Throws
/// InvalidInput for a parameter that is not finite and at least 0.
[[nodiscard]] inside::ExactPrivacy inward_exactly(const Privacy& privacy);
/// The reverse: as a double that means this number, or else the nearest that means more, or less.
[[nodiscard]] Privacy outward_up(const inside::ExactPrivacy& privacy);
[[nodiscard]] Privacy outward_down(const inside::ExactPrivacy& privacy);

// -----------------------------------------------------------------------------------------------
// The inside of the front's ledger.

namespace inside = ::mollify;

class LedgerInside {
 public:
  LedgerInside(const std::string& path, inside::LedgerFile::Opening opening)
      : file(path, opening) {}
  inside::LedgerFile file;
};

// -----------------------------------------------------------------------------------------------
// The randomness of releases.

/// This thread's own, so that what the front hands out may be shared between threads.
[[nodiscard]] SecureRandom& entropy();

}  // namespace mollify::front
