// Points of a boosted density, drawn in the three ways that there are. NOT PRIVATE.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "boosting/boosted_density.h"
#include "laboratory/measure/measure.h"

namespace mollify::cli {

/// Refuses (InvalidInput) a name that is not rejection, candidates or metropolis-hastings.
void require_boosted_sampler(const std::string& sampler);

/// Refuses (InvalidInput) what that sampler cannot draw, before anything is learned.
void require_drawable(const std::string& sampler, const BoostingSpec& spec);

/// `count` points, coordinates end to end, by the sampler of that name: for analysis, from a seed.
/// Releases of the first two kinds are RejectionSampler::draw and `sample --score mbde`; of the
/// last there is none, because it keeps no promise.
std::vector<double> boosted_draws(const std::string& sampler, const BoostedDensity& density,
                                  const std::shared_ptr<const Measure>& reference,
                                  std::uint64_t count, std::uint64_t seed);

}  // namespace mollify::cli
