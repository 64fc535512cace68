// Recomputing a sampler's guarantee in integers, and trying to break it.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "accounting/privacy.h"
#include "core/band.h"
#include "methods/local/sampler.h"

namespace mollify {

/// A sampler's claim for one draw, and its integers' answer.
struct Verification {
  Privacy claimed{};
  /// Upper bound on ln of the ratio of any outcome's probabilities under any two inputs: from the
  /// band's or the matrix's own extremes, in integers, rounded up.
  double epsilon_realised_up = 0;
  /// The ratio among the laws of the inputs tried: an attacker sees at least this. Rounded up.
  double epsilon_observed_up = 0;
  std::uint64_t inputs = 0;  ///< how many were tried
  bool holds = false;        ///< the claim, and every law inside the public bounds with sum N
};

/// Whether these are the numerators of a law inside a band: each between its bounds, N in all.
[[nodiscard]] bool is_inside(const Band& band, std::span<const std::uint64_t> numerators);

/// Tries `inputs` adversarial inputs (point masses, near-ties, heavy tails, denormals, NaN,
/// infinities, negative numbers, nothing) and the public extremes. A band's tables are built
/// densely, from float and from double scores, and sparsely. After each input, `tried` (if any)
/// gets their number. O(inputs k).
[[nodiscard]] Verification verify_sampler(const LocalSampler& sampler, std::uint64_t inputs,
                                          const std::function<void(std::uint64_t)>& tried = {});

}  // namespace mollify
