#include "local/mechanism_risk.h"

#include <algorithm>
#include <array>
#include <numeric>

#include <fmt/format.h>

#include "kernel/channel/mixture_channel.h"
#include "kernel/channel/staircase_channel.h"
#include "kernel/core/exp_bound.h"
#include "kernel/core/invalid_input.h"
#include "kernel/core/randomized_response.h"
#include "local/gaussian_curve.h"

namespace mollify {
namespace {

/// The least probability with which a value is reported as itself, and its complement.
struct Kept {
  double least;
  double lost;
};

template <class Channel, class Diagonal>
Kept least_diagonal(const Channel& channel, Diagonal diagonal) {
  uint128 least = channel.total();
  for (std::size_t i = 0; i < channel.outcome_count(); ++i) least = std::min(least, diagonal(i));
  const double total = static_cast<double>(channel.total());
  return {static_cast<double>(least) / total, static_cast<double>(channel.total() - least) / total};
}

Kept least_kept(const MechanismParameters& parameters) {
  switch (parameters.mechanism) {
    case Mechanism::kRandomizedResponse: {
      const RandomizedResponse response(parameters.outcome_count, *parameters.epsilon);
      const double total = static_cast<double>(response.total());
      return {static_cast<double>(response.kept()) / total,
              static_cast<double>(response.total() - response.kept()) / total};
    }
    case Mechanism::kPublicKernel: {
      const auto stairs = StaircaseChannel::make(parameters.reference, *parameters.epsilon);
      return least_diagonal(stairs, [&](std::size_t i) { return stairs.stay_entry(i); });
    }
    case Mechanism::kMixture: {
      const auto mixture = MixtureChannel::pure(parameters.masses(), *parameters.epsilon);
      return least_diagonal(mixture, [&](std::size_t i) { return mixture.entry(i, i); });
    }
    default: {
      const auto mixture = gaussian_curve_channel(parameters.masses(), *parameters.mu);
      return least_diagonal(mixture, [&](std::size_t i) { return mixture.entry(i, i); });
    }
  }
}

}  // namespace

WorstCaseRisk band_risk(const MechanismParameters& parameters, const ReferenceMasses& reference,
                        double epsilon) {
  const bool has_class = parameters.c1 || parameters.c2;
  if (has_class && !parameters.c2) throw InvalidInput("c1 needs c2 beside it, but none is given");
  const DensityClass inputs{parameters.c1.value_or(0), parameters.c2.value_or(0)};
  const auto declared = has_class ? std::optional(inputs) : std::nullopt;
  switch (parameters.mechanism) {
    case Mechanism::kMinimax:
      return minimax_risk(reference, epsilon);
    case Mechanism::kRelative:
      return relative_risk(reference, epsilon, declared);
    case Mechanism::kClass:
      return class_risk(reference, epsilon, inputs);
    case Mechanism::kNeighbourhood:
      return neighbourhood_risk(reference, epsilon, *parameters.gamma);
    case Mechanism::kLocation:
      return location_risk(reference, epsilon, *parameters.location, declared);
    default:
      throw InvalidInput(fmt::format("mechanism {} has no band", name_of(parameters.mechanism)));
  }
}

WorstCaseRisk mechanism_risk(const MechanismParameters& parameters) {
  // These two are made without a class; c1 and c2 only say where their risk is taken.
  MechanismParameters made = parameters;
  if (made.mechanism == Mechanism::kRelative || made.mechanism == Mechanism::kLocation)
    made.c1 = made.c2 = std::nullopt;
  validate_parameters(made);
  // What is released is released at this epsilon: from 1e-6, and above 30 as at 30.
  const double epsilon = parameters.epsilon ? ExpBound(*parameters.epsilon).epsilon() : 0;
  if (is_band(parameters.mechanism)) {
    (void)band_floor_of(made);  // refuses what no sampler can be made with
    const ReferenceMasses reference = [&] {
      if (parameters.reference.empty()) return ReferenceMasses::uniform(parameters.outcome_count);
      const std::vector<double> masses = parameters.masses();
      const double sum = std::accumulate(masses.begin(), masses.end(), 0.0);
      std::vector<double> normalised(masses.size());
      std::transform(masses.begin(), masses.end(), normalised.begin(),
                     [&](double mass) { return mass / sum; });
      return ReferenceMasses::given(normalised);
    }();
    return band_risk(parameters, reference, epsilon);
  }
  const Kept kept = least_kept(parameters);
  WorstCaseRisk risk;
  risk.lower_factor = 0;
  risk.largest_lift = 0;
  risk.extreme_input = {1, 0};
  risk.extreme_output = {kept.least, kept.lost};
  risk.risk = divergence_report(risk.extreme_input, risk.extreme_output);
  risk.attained = true;
  return risk;
}

}  // namespace mollify
