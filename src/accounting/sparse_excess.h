// The mean of what a sum of mostly equal variables exceeds zero by, by its rare states.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "accounting/mean_excess.h"

namespace mollify {

/// E[(X_1 + ... + X_n)_+] as mean_excess, where one loss, or the value 0, is the most likely: by
/// visiting every way in which variables can fall on the others, as far as each of these is not
/// practically impossible; what is left out is at most
///   gain * n p * sum over the others of P(its binomial count of n - 1 variables is beyond its
///   cut),
/// p being the gain's probability, because a state's excess is at most its gains. None where there
/// are more than `most_states` ways, and where the gain is the most likely. Certified under the
/// same assumptions as mean_excess. O(states).
[[nodiscard]] std::optional<MeanExcess> sparse_excess(const Atom& gain,
                                                      std::span<const Atom> losses,
                                                      std::uint64_t terms, double most_states);

}  // namespace mollify
