// What several releases in the central model promise together.
#pragma once

#include <span>

#include "accounting/privacy.h"

namespace mollify {

/// The promise of all parts together, made on the same records: basic composition, rounded up.
///
/// Pure and approximate parts give Σ epsilon and Σ delta (pure if all are). Where a part is
/// concentrated or Gaussian, pure ones count epsilon²/2, Gaussian ones mu²/2, and the whole is (Σ
/// rho)-zCDP; an approximate one beside it has no rho: InvalidInput. InvalidInput for no parts, and
/// for parameters that are not finite and at least 0.
Privacy composed_up(std::span<const Privacy> parts);

}  // namespace mollify
