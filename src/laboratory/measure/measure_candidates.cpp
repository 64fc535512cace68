#include "laboratory/measure/measure_candidates.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "kernel/core/invalid_input.h"
#include "kernel/core/seeded_random.h"
#include "laboratory/measure/domain_box.h"

namespace mollify {
namespace {

constexpr double kLeastMass = 0x1p-80;

std::uint32_t cell_of(const Interval& axis, std::uint32_t cells, double x) {
  const double place = (x - axis.low) / axis.width() * cells;
  return static_cast<std::uint32_t>(std::clamp(place, 0.0, cells - 1.0));
}

}  // namespace

Candidates measure_candidates(const Domain& domain, const Measure& measure, std::uint64_t count) {
  Candidates::require_count(count);
  const Box box = domain_box(domain);
  if (measure.dimension() != box.size()) {
    throw InvalidInput(
        fmt::format("the reference must have a dimension for each of {} columns, but has {}",
                    box.size(), measure.dimension()));
  }
  const double mass = measure.box_mass(box);
  if (!(mass >= kLeastMass)) {
    throw InvalidInput(fmt::format(
        "the reference must lie on the domain's values, but only {:.3g} of its mass does", mass));
  }
  SeededRandom random(domain.seed());
  std::vector<double> point(box.size());
  std::vector<std::uint32_t> digits;
  digits.reserve(static_cast<std::size_t>(count) * box.size());
  for (std::uint64_t i = 0; i < count; ++i) {
    measure.simulate_inside(random, box, point);
    for (std::size_t axis = 0; axis < box.size(); ++axis) {
      digits.push_back(cell_of(box[axis], domain.columns()[axis].size(), point[axis]));
    }
  }
  double volume = 1;
  for (const Interval& axis : box) volume *= axis.width();
  const std::vector<double> middles = domain_points(domain, digits);
  std::vector<float> densities;
  densities.reserve(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < middles.size(); i += box.size()) {
    const double density = measure.density(std::span(middles).subspan(i, box.size()));
    densities.push_back(static_cast<float>(std::max(density * volume / mass, 1e-30)));
  }
  return Candidates::of(domain, std::move(digits), std::move(densities));
}

}  // namespace mollify
