#include "laboratory/mollifier/scale_and_shift.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "kernel/core/exp_bound.h"
#include "kernel/core/invalid_input.h"

namespace mollify {

void scale_and_shift(std::span<double> masses, std::span<const double> reference, double epsilon) {
  if (masses.size() != reference.size() || masses.empty()) {
    throw InvalidInput(fmt::format("{} masses need a reference of as many, but it has {}",
                                   masses.size(), reference.size()));
  }
  double whole = 0;
  for (const double mass : reference) {
    if (!(mass > 0) || !std::isfinite(mass)) {
      throw InvalidInput(
          fmt::format("a reference's masses must be finite and positive, but one is {:g}", mass));
    }
    whole += mass;
  }
  double greatest = 0;
  for (double& mass : masses) {
    if (!(mass >= 0) || !std::isfinite(mass)) mass = 0;
    greatest = std::max(greatest, mass);
  }
  if (greatest == 0) {
    std::copy(reference.begin(), reference.end(), masses.begin());
    return;
  }
  double sum = 0;
  for (double& mass : masses) sum += mass /= greatest;  // no sum can overflow
  double most = 1;
  double least = 1;
  for (std::size_t i = 0; i < masses.size(); ++i) {
    const double f = masses[i] / sum / (reference[i] / whole);
    most = std::max(most, f);
    least = std::min(least, f);
  }
  const double half = ExpBound(epsilon).epsilon() / 2;
  double scale = 1;
  if (most > 1) scale = std::min(scale, std::expm1(half) / (most - 1));
  if (least < 1) scale = std::min(scale, -std::expm1(-half) / (1 - least));
  for (std::size_t i = 0; i < masses.size(); ++i) {
    const double h = reference[i] / whole;
    masses[i] = h + scale * (masses[i] / sum - h);
  }
}

}  // namespace mollify
