// Passes over points: how workers are told of them, and what they make of their parts.
#pragma once

#include <memory>
#include <string>

#include "central/gaussian_parts.h"
#include "central/moment_sampler.h"
#include "release/summed_release.h"
#include "space/real_columns.h"

namespace mollify {

/// In bytes; secret with the key.
[[nodiscard]] std::string pass_bytes(const GaussianPass& pass, const ReleaseKey& key);
[[nodiscard]] std::string pass_bytes(const MomentMeasure& measure);

/// A worker's part of such a pass. Throws InvalidInput for other bytes. Sampler, design and columns
/// must outlive it.
[[nodiscard]] std::unique_ptr<SummedPart> gaussian_part(const GaussianSampler& sampler,
                                                        const RealColumns& columns,
                                                        const std::string& bytes,
                                                        std::uint64_t number);
[[nodiscard]] std::unique_ptr<SummedPart> moment_part(const MomentDesign& design,
                                                      const RealColumns& columns,
                                                      const std::string& bytes);

}  // namespace mollify
