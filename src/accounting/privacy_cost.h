// What a release costs, or what a total allows: a privacy notion and its parameters, exactly.
#pragma once

#include <string>

#include "accounting/decimal.h"

namespace mollify {

/// One promise of a privacy notion, in decimal numbers.
struct PrivacyCost {
  enum class Notion {
    kPure,          ///< ε-DP
    kApproximate,   ///< (ε, δ)-DP
    kConcentrated,  ///< ρ-zCDP [Bun, Steinke 2016]
    kGaussian,      ///< μ-Gaussian-DP [Dong, Roth, Su 2022]
  };
  Notion notion = Notion::kPure;
  Decimal parameter;  ///< ε, ε, ρ or μ
  Decimal delta;      ///< of kApproximate; 0 otherwise

  static PrivacyCost pure(Decimal epsilon);
  /// Pure where delta is 0.
  static PrivacyCost approximate(Decimal epsilon, Decimal delta);
  static PrivacyCost concentrated(Decimal rho);
  static PrivacyCost gaussian(Decimal mu);

  /// In words: "epsilon 0.5", "epsilon 1 and delta 0.000001", "rho 0.1", "mu 1".
  std::string text() const;

  friend bool operator==(const PrivacyCost&, const PrivacyCost&) = default;
};

}  // namespace mollify
