// Recomputing a guarantee in integers.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "local/sampler.h"
#include "release/certificate.h"
#include "space/candidates.h"
#include "space/domain.h"

namespace mollify {

/// What a sampler claims for one draw, and what its integers say.
struct Verification {
  Privacy claimed{};
  /// Upper bound on ln of the ratio of any outcome's probabilities under any two inputs: from the
  /// band's or the matrix's own extremes, in integers, rounded up.
  double epsilon_realised_up = 0;
  /// The same among the laws of the inputs tried: what an attacker sees at least. Rounded up.
  double epsilon_observed_up = 0;
  std::uint64_t inputs = 0;  ///< how many were tried
  bool holds = false;        ///< the claim, and every law inside the public bounds with sum N
};

/// Tries `inputs` adversarial inputs (point masses, near-ties, heavy tails, denormals, NaN,
/// infinities, negative numbers, nothing) beside the public extremes. A band's tables are built
/// densely, from float and from double scores, and sparsely. After each input, `tried` (if any) is
/// told how many there have been. O(inputs k).
Verification verify_sampler(const LocalSampler& sampler, std::uint64_t inputs,
                            const std::function<void(std::uint64_t)>& tried = {});

/// What checking a certificate found.
struct CertificateCheck {
  bool domain_matches = false;  ///< the domain's hash and number of outcomes
  /// Of candidates: whether the list is the one of the release. None if there is none, and where it
  /// cannot be told: for a fresh list, and for a file or a reference that is not given.
  std::optional<bool> list_matches;
  bool integers_match = false;    ///< the recomputed bounds are those of the release
  bool arithmetic_holds = false;  ///< the bounds satisfy the claim, in integers
  bool total_holds = false;       ///< the draws add up to at most the stated total
  double epsilon_realised_up = 0;
  bool holds() const {
    return domain_matches && list_matches.value_or(true) && integers_match && arithmetic_holds &&
           total_holds;
  }
};

/// Rebuilds the public integers and the space from the certificate and checks all of the above.
/// `list` is the list of candidates, where it was a file or was drawn after public records.
CertificateCheck check_certificate(const Certificate& certificate, const Domain& domain,
                                   const std::optional<Candidates>& list = std::nullopt);

}  // namespace mollify
