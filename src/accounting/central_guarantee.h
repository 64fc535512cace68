// What a release in the central model promises.
#pragma once

namespace mollify {

/// A privacy notion and its parameters, for neighbouring data sets: one record replaced by another,
/// the number of records being public.
///
/// For every event A and neighbouring D, D': P(A | D) <= e^epsilon P(A | D') + delta. Under
/// kConcentrated the Rényi divergence of every order a > 1 is at most rho a, and epsilon and delta
/// are 0 and say nothing.
struct CentralGuarantee {
  enum class Notion {
    kPure,          ///< epsilon-DP; delta is 0
    kApproximate,   ///< (epsilon, delta)-DP
    kConcentrated,  ///< rho-zCDP [Bun, Steinke 2016]
  };
  Notion notion = Notion::kPure;
  double epsilon = 0;
  double delta = 0;
  double rho = 0;

  friend bool operator==(const CentralGuarantee&, const CentralGuarantee&) = default;
};

}  // namespace mollify
