// Releases of one public model under integral privacy, and rows of it.
#pragma once

#include <memory>

#include "release/release.h"

namespace mollify {

/// Requires a spec of model integral over space models. The band's outcomes are public models; each
/// one's score is the likelihood of the table under it, and one draw of the kernel's table takes
/// one. Its rows are free: post-processing of an index. Hands the model to the sink.
///
/// One pass over the data, of which memory holds how often each column has each cell; then a pass
/// over all models' shares.
[[nodiscard]] std::unique_ptr<const PreparedRelease> prepare_models(ReleaseSpec spec,
                                                                    const PublicInputs& inputs);

/// What a draw from N models of uniform weight comes to, where the table's likelihoods tell them
/// apart (of a table without rows all are alike, and each is as likely as any other): with at least
/// `probability` the model is among the `best` likeliest. `floor` is the band's b.
struct ModelsOutlook {
  std::uint64_t best = 1;
  double probability = 0;
};
[[nodiscard]] ModelsOutlook models_outlook(std::uint64_t models, double floor, double epsilon);
/// Of a certificate whose spec shares a model.
[[nodiscard]] ModelsOutlook models_outlook(const Certificate& certificate);

}  // namespace mollify
