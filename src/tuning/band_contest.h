// The best band beside simpler ones, on the units and on units that it has not seen.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "tuning/best_band.h"

namespace mollify {

/// Mean divergence of public units from their laws, on these units and held out: a fifth of the
/// units after the other is left out, the band is made of the rest, and the left-out fifth is
/// measured.
struct BandContest {
  double minimax = 0;         ///< of the band with lower bounds 1 / (E + k - 1): learns nothing
  BestLocation even{};        ///< an even reference at its best b
  BestLocation from_units{};  ///< the units' mean, a hundredth of it even, at its best b
  BestBand best{};
  /// None with fewer units than parts.
  std::optional<double> even_held_out{}, from_units_held_out{}, best_held_out{};
  /// What is worth writing: the best band moved this share of the way to the even one, so that
  /// outcomes that no unit shows are not next to forbidden. The share is the one of 0, .01, .02,
  /// .05, .1, .2 and .5 that is best held out; 0 without holding out.
  double share = 0;
  std::optional<double> written_held_out{};
  std::vector<double> written{};
};

inline constexpr std::size_t kHeldOutParts = 5;

/// `done` is told how many of the 1 + kHeldOutParts searches are over, after each step of one. At
/// least one unit.
[[nodiscard]] BandContest band_contest(const UnitMasses& units, double epsilon,
                                       BandDivergence divergence,
                                       const std::function<void(std::size_t)>& done = {});

}  // namespace mollify
