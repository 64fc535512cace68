// A public measure in the part of P.
#pragma once

#include <memory>

#include "laboratory/density/grid_density.h"
#include "laboratory/measure/measure.h"

namespace mollify {

/// Any measure as a density to be released: what can be a reference can be looked at as P, too.
/// Mass outside a grid is left out.
class MeasureDensity final : public GridDensity {
 public:
  explicit MeasureDensity(std::shared_ptr<const Measure> measure) : measure_(std::move(measure)) {}

  std::size_t dimension() const override { return measure_->dimension(); }
  Box box() const override { return measure_->box(); }
  double density(std::span<const double> point) const override { return measure_->density(point); }
  void cell_masses(const Grid& grid, std::span<double> masses) const override {
    measure_->cell_masses(grid, masses);
  }

 private:
  std::shared_ptr<const Measure> measure_;
};

}  // namespace mollify
