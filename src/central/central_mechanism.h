// The central mechanisms on finite domains, by the names that users give them.
#pragma once

#include <array>

#include "accounting/names.h"

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

[[nodiscard]] constexpr auto names_of(CentralMechanism) {
  return std::array{Named{CentralMechanism::kSubsampledRr, "subsampled-rr"},
                    Named{CentralMechanism::kRevealOrObscure, "reveal-or-obscure"},
                    Named{CentralMechanism::kDsRoo, "ds-roo"},
                    Named{CentralMechanism::kSubsetRr, "subset-rr"},
                    Named{CentralMechanism::kShuffledRr, "shuffled-rr"},
                    Named{CentralMechanism::kPoissonRr, "poisson-rr"},
                    Named{CentralMechanism::kHistogram, "histogram"},
                    Named{CentralMechanism::kProduct, "product"}};
}

}  // namespace mollify
