// What a release promises, may spend or costs.
#pragma once

#include <string>

#include "mollify/namespace.h"

namespace MOLLIFY_NAMESPACE {

/// A privacy notion and its parameters. The parameters that the notion does not have are 0 and say
/// nothing. Which inputs are neighbours, the release says: rows, units or whole tables.
struct Privacy {
  enum class Notion {
    kPure,          ///< epsilon-DP: no event is more than e^epsilon times as likely beside another
    kApproximate,   ///< (epsilon, delta)-DP: the same, but for a probability of delta
    kConcentrated,  ///< rho-zCDP [Bun, Steinke 2016]
    kGaussian,      ///< mu-Gaussian-DP [Dong et al. 2022]
  };
  Notion notion = Notion::kPure;
  double epsilon = 0;
  double delta = 0;
  double rho = 0;
  double mu = 0;

  [[nodiscard]] static Privacy pure(double epsilon) noexcept {
    return {Notion::kPure, epsilon, 0, 0, 0};
  }
  /// Pure where delta is 0.
  [[nodiscard]] static Privacy approximate(double epsilon, double delta) noexcept {
    return {delta > 0 ? Notion::kApproximate : Notion::kPure, epsilon, delta, 0, 0};
  }
  [[nodiscard]] static Privacy concentrated(double rho) noexcept {
    return {Notion::kConcentrated, 0, 0, rho, 0};
  }
  [[nodiscard]] static Privacy gaussian(double mu) noexcept {
    return {Notion::kGaussian, 0, 0, 0, mu};
  }

  /// "epsilon 0.5", "epsilon 1 and delta 1e-06", "rho 0.1" or "mu 1", to six digits.
  [[nodiscard]] std::string text() const;

  friend bool operator==(const Privacy&, const Privacy&) = default;
};

}  // namespace MOLLIFY_NAMESPACE
