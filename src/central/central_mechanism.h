// The central mechanisms on finite domains, by the names that users give them.
#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace mollify {

/// Which sampler a custodian of a table asks for; docs/theory/central.md says what each one does.
enum class CentralMechanism {
  kSubsampledRr,     ///< chosen records through randomized response, pure [Cheu, Nayak 2024]
  kRevealOrObscure,  ///< the same law under the name of [Tasnim et al. 2025]
  kDsRoo,            ///< uniform with a probability that falls with the least count [ibid.]
  kSubsetRr,         ///< m of n through randomized response, shuffled, approximate
  kShuffledRr,       ///< the same with m = n [Cheu, Nayak 2024, Algorithm 2]
  kPoissonRr,        ///< each record by a coin of its own, then as above
  kHistogram,        ///< draws from a noisy histogram [Raskhodnikova et al. 2021], the baseline
  kProduct,          ///< coordinates of {0, 1}^d one by one [ibid., Ghazi et al. 2023]
};

/// "subsampled-rr", "reveal-or-obscure", "ds-roo", "subset-rr", "shuffled-rr", "poisson-rr",
/// "histogram", "product".
std::string_view name_of(CentralMechanism mechanism);
std::optional<CentralMechanism> central_mechanism_named(std::string_view name);

/// All names, in the order of the enumeration.
std::span<const std::string_view> central_mechanism_names();

}  // namespace mollify
