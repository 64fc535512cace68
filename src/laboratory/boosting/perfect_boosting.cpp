#include "laboratory/boosting/perfect_boosting.h"

#include <cmath>

#include <fmt/format.h>

#include "boosting/bounding.h"
#include "divergence/compensated_sum.h"
#include "kernel/core/invalid_input.h"

namespace mollify {

std::vector<double> perfectly_boosted(std::span<const double> p, std::span<const double> reference,
                                      const BoostingSpec& spec, std::size_t iterations) {
  if (p.size() != reference.size()) {
    throw InvalidInput(
        fmt::format("P must have Q0's {} cells, but has {}", reference.size(), p.size()));
  }
  const BoostedDensity thetas(spec, 1);
  const double share = 1 / static_cast<double>(spec.outputs);
  std::vector<double> law(reference.begin(), reference.end());
  for (std::size_t t = 1; t <= iterations; ++t) {
    CompensatedSum sum;
    for (std::size_t i = 0; i < law.size(); ++i) {
      const double c = share * bounded(std::log(p[i] / law[i]), spec.bounding);
      law[i] *= std::exp(thetas.theta(t) * c);
      sum += law[i];
    }
    for (double& mass : law) mass /= sum.value();
  }
  return law;
}

}  // namespace mollify
