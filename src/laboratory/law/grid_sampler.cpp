#include "laboratory/law/grid_sampler.h"

#include <algorithm>

#include <fmt/format.h>

#include "kernel/core/invalid_input.h"
#include "kernel/search/band_spec.h"
#include "kernel/search/projection.h"
#include "laboratory/law/table_scale.h"

namespace mollify {
namespace {

constexpr double kLeastCellMass = 0x1p-80;

std::vector<double> masses_on(const Measure& reference, const Grid& grid) {
  if (reference.dimension() != grid.dimension()) {
    throw InvalidInput(fmt::format("the reference must have the grid's {} dimensions, but has {}",
                                   grid.dimension(), reference.dimension()));
  }
  std::vector<double> masses(grid.cell_count());
  reference.cell_masses(grid, masses);
  for (double& mass : masses) mass = std::max(mass, kLeastCellMass);
  return masses;
}

}  // namespace

GridSampler::GridSampler(std::shared_ptr<const Measure> reference, Grid grid, double floor,
                         double epsilon)
    : reference_(std::move(reference)),
      grid_(std::move(grid)),
      reference_masses_(masses_on(*reference_, grid_)),
      band_(make_band({.reference = reference_masses_, .floor = floor, .epsilon = epsilon})) {}

GridRelease::GridRelease(const GridSampler& sampler)
    : sampler_(&sampler), masses_(sampler.grid().cell_count()), table_(sampler.band()) {}

void GridRelease::assign(const Measure& p) {
  if (p.dimension() != sampler_->grid().dimension()) {
    throw InvalidInput(fmt::format("the density must have the grid's {} dimensions, but has {}",
                                   sampler_->grid().dimension(), p.dimension()));
  }
  p.cell_masses(sampler_->grid(), masses_);
  project(table_, masses_);
}

void GridRelease::assign(std::span<const double> cell_masses) {
  project(table_, cell_masses);  // refuses any other number of them
  std::copy(cell_masses.begin(), cell_masses.end(), masses_.begin());
}

void GridRelease::draw(SecureRandom& random, std::span<double> point) const {
  const Box cell = sampler_->grid().cell(table_.draw(random));
  sampler_->reference().draw_inside(random, cell, point);
}

void GridRelease::simulate(SeededRandom& random, std::span<double> point) const {
  const Box cell = sampler_->grid().cell(table_.outcome_at(random.below(table_.band().total())));
  sampler_->reference().simulate_inside(random, cell, point);
}

double GridRelease::density(std::span<const double> point) const {
  const Box box = sampler_->grid().box();
  for (std::size_t axis = 0; axis < box.size(); ++axis) {
    if (!box[axis].contains(point[axis])) return 0;
  }
  const std::size_t cell = sampler_->grid().cell_of(point);
  const double probability = static_cast<double>(table_.numerators()[cell]) /
                             static_cast<double>(sampler_->band().total());
  return probability * (sampler_->reference().density(point) / sampler_->reference_masses()[cell]);
}

double GridRelease::scale() const { return scale_of(table_, masses_); }

}  // namespace mollify
