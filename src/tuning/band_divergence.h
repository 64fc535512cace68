// The divergences that a best band can be sought in.
#pragma once

#include <array>

#include "accounting/names.h"

namespace mollify {

/// Of a unit's distribution P from its law q, sums over outcomes; named as in DivergenceReport.
enum class BandDivergence {
  kKullbackLeibler,   ///< P ln(P/q)
  kTotalVariation,    ///< |P - q| / 2
  kSquaredHellinger,  ///< 1 - sqrt(P q)
  kChiSquared,        ///< P^2/q - 1
};

[[nodiscard]] constexpr auto names_of(BandDivergence) {
  return std::array{Named{BandDivergence::kKullbackLeibler, "kl"},
                    Named{BandDivergence::kTotalVariation, "tv"},
                    Named{BandDivergence::kSquaredHellinger, "hellinger2"},
                    Named{BandDivergence::kChiSquared, "chi2"}};
}

}  // namespace mollify
