// What a release promises, may spend or costs: a privacy notion and its parameters.
#pragma once

#include <utility>

#include "accounting/decimal.h"

namespace mollify {

/// How two neighbouring inputs' output laws P and Q may differ. Which inputs are neighbours, a
/// ProtectionScope says.
enum class PrivacyNotion {
  kPure,          ///< ε-DP: P(A) ≤ e^ε Q(A) for every event A
  kApproximate,   ///< (ε, δ)-DP: P(A) ≤ e^ε Q(A) + δ
  kConcentrated,  ///< ρ-zCDP: a Rényi divergence of at most ρa at every order a > 1 [BS16]
  kGaussian,      ///< μ-Gaussian-DP: no easier to tell apart than N(0,1) and N(μ,1) [DRS22]
};

/// One promise, budget or cost. The parameters that the notion does not have are 0 and say nothing.
template <class Number>
struct BasicPrivacy {
  using Notion = PrivacyNotion;

  Notion notion = Notion::kPure;
  Number epsilon{};
  Number delta{};
  Number rho{};
  Number mu{};

  [[nodiscard]] static BasicPrivacy pure(Number epsilon) {
    return {Notion::kPure, std::move(epsilon), {}, {}, {}};
  }
  /// Pure where delta is 0.
  [[nodiscard]] static BasicPrivacy approximate(Number epsilon, Number delta) {
    if (delta == Number{}) return pure(std::move(epsilon));
    return {Notion::kApproximate, std::move(epsilon), std::move(delta), {}, {}};
  }
  [[nodiscard]] static BasicPrivacy concentrated(Number rho) {
    return {Notion::kConcentrated, {}, {}, std::move(rho), {}};
  }
  [[nodiscard]] static BasicPrivacy gaussian(Number mu) {
    return {Notion::kGaussian, {}, {}, {}, std::move(mu)};
  }

  /// ε, ε, ρ or μ: what adds up when releases do.
  [[nodiscard]] const Number& parameter() const {
    if (notion == Notion::kConcentrated) return rho;
    return notion == Notion::kGaussian ? mu : epsilon;
  }

  friend bool operator==(const BasicPrivacy&, const BasicPrivacy&) = default;
};

/// Of what is computed: rounded to the safe side by whoever makes it.
using Privacy = BasicPrivacy<double>;
/// Of what people typed, without rounding: a ledger's.
using ExactPrivacy = BasicPrivacy<Decimal>;

}  // namespace mollify
