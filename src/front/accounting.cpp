#include "mollify/accounting.h"

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "accounting/composition.h"
#include "accounting/concentrated.h"
#include "accounting/decimal.h"
#include "accounting/gaussian_composition.h"
#include "accounting/shuffle_amplification.h"
#include "front/privacy.h"
#include "kernel/core/exp_bound.h"
#include "kernel/core/invalid_input.h"
#include "release/acceptance.h"

namespace mollify::front {
namespace {

using Notion = Privacy::Notion;

inside::ShuffledResponse inward(const ShuffledReports& reports) {
  return {reports.records, reports.outcomes, reports.epsilon0, reports.rate};
}

}  // namespace

Privacy composed_up(std::span<const Privacy> releases) {
  std::vector<inside::Privacy> parts;
  parts.reserve(releases.size());
  for (const Privacy& release : releases) parts.push_back(inward(release));
  return outward(inside::composed_up(parts));
}

Privacy replacing_up(const Privacy& add_remove) {
  const inside::Privacy promised = inward(add_remove);
  return outward_up(inside::replacing_up(inside::ExactPrivacy::of(
      promised.notion, inside::Decimal(promised.parameter()), inside::Decimal(promised.delta))));
}

double composed_epsilon_up(double epsilon, std::uint64_t releases, double delta) {
  return inside::OptimalComposition(epsilon, releases).epsilon_up(delta);
}

double epsilon_per_release_down(double total, std::uint64_t releases) {
  return inside::epsilon_per_draw_down(total, releases);
}

double delta_up(const Privacy& release, double epsilon) {
  switch (release.notion) {
    case Notion::kConcentrated:
      return inside::concentrated_delta_up(release.rho, epsilon);
    case Notion::kGaussian:
      return inside::gaussian_delta_up(release.mu, epsilon);
    default:
      break;
  }
  // The tight curve of a pure part beside an event of probability delta.
  return inside::OptimalComposition(release.epsilon, 1, release.delta).delta_up(epsilon);
}

double epsilon_up(const Privacy& release, double delta) {
  switch (release.notion) {
    case Notion::kConcentrated:
      return inside::concentrated_epsilon_up(release.rho, delta);
    case Notion::kGaussian:
      return inside::gaussian_epsilon_up(release.mu, delta);
    default:
      break;
  }
  return inside::OptimalComposition(release.epsilon, 1, release.delta).epsilon_up(delta);
}

double rho_up(const Privacy& release) {
  switch (release.notion) {
    case Notion::kPure:
      return inside::concentrated_rho_of_pure_up(release.epsilon);
    case Notion::kConcentrated:
      return release.rho;
    case Notion::kGaussian:
      return inside::concentrated_rho_of_gaussian_up(release.mu);
    default:
      break;
  }
  throw InvalidInput("an (epsilon, delta) release promises no rho");
}

double shuffled_delta_up(const ShuffledReports& reports, double epsilon) {
  return inside::shuffle_delta(inward(reports), epsilon).upper;
}

double shuffled_epsilon_up(const ShuffledReports& reports, double delta) {
  return inside::shuffle_epsilon_up(inward(reports), delta);
}

double shuffled_epsilon0_down(std::uint64_t records, std::uint64_t outcomes, double epsilon,
                              double delta, double rate) {
  return inside::shuffle_epsilon0_down(records, outcomes, epsilon, delta, rate);
}

std::vector<std::string> epsilon_warnings(const Privacy& draw) {
  const inside::Privacy asked = inward(draw);
  inside::Privacy released = asked;
  released.epsilon = std::min<double>(asked.epsilon, inside::ExpBound::kGreatestEpsilon);
  return inside::epsilon_warnings(asked, released, 1);
}

}  // namespace mollify::front
