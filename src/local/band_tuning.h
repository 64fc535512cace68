// Where to put the band, told from public examples.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "divergence/f_divergence.h"
#include "kernel/core/band.h"
#include "kernel/core/table.h"

namespace mollify {

/// How far **public** example units are from their own laws, for each of several bands on one
/// reference. No band is best for all: on a class of Gaussian mixtures at epsilon = 0.1 the minimax
/// band has a larger mean divergence than the relative one, and at epsilon = 2 a smaller.
class BandTuning {
 public:
  struct Result {
    DivergenceReport mean;   ///< over the units
    DivergenceReport worst;  ///< of any unit, each divergence for itself
  };

  /// Bands with constants `floors` over `outcome_count` outcomes; `reference` as in BandSpec.
  /// Throws InvalidInput where Band::make does. O(floors k).
  BandTuning(std::span<const double> floors, std::size_t outcome_count,
             std::span<const double> reference, double epsilon);

  /// One more unit: its estimate at each outcome, as a table takes it, p / h for candidates and p
  /// for the cells of a grid. A unit without any weight is left out. O(floors k).
  void add(std::span<const float> scores);

  [[nodiscard]] std::uint64_t units() const noexcept { return units_; }
  /// One for each floor; zeros without units.
  [[nodiscard]] std::vector<Result> results() const;

 private:
  std::deque<Band> bands_;
  std::deque<Table> tables_;
  std::vector<Result> sums_;  // `mean` holds a sum
  std::vector<double> p_;
  std::vector<double> q_;
  std::uint64_t units_ = 0;
};

}  // namespace mollify
