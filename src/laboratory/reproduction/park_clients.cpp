#include "laboratory/reproduction/park_clients.h"

#include <vector>

#include "boosting/bounding.h"
#include "laboratory/boosting/perfect_boosting.h"
#include "laboratory/measure/gaussian_envelope.h"
#include "local/band_floor.h"

namespace mollify::detail {

GaussianMixtureSpec client_of_one_gaussian(double mean) {
  return single_gaussian({mean}, 1, Box{{-4, 4}});
}

ParkClients::ParkClients(bool quick)
    : envelope_(std::make_shared<GaussianEnvelope>(1.0, 1.0, 1, Box{{-4, 4}})),
      normal_(std::make_shared<GaussianMixture>(client_of_one_gaussian(0))),
      grid_({equal_width_edges({-4, 4}, quick ? 1000 : 4000)}) {}

ClientDivergences ParkClients::divergences(const GaussianMixtureSpec& client,
                                           double epsilon) const {
  const KnownDensity on_normal = against_normal(client);
  const KnownDensity on_envelope(on_normal.truth, envelope_, grid_);
  const auto report = [&](const std::vector<double>& law) {
    return divergence_report(on_normal.p, law);
  };
  return {report(minimax_law(on_envelope, epsilon)),
          report(perfectly_boosted(on_normal.p, on_normal.h, {epsilon, Bounding::kSigmoid})),
          report(perfectly_boosted(on_normal.p, on_normal.h, {epsilon, Bounding::kLogit})),
          report(projected(on_normal, relative_floor(epsilon), epsilon))};
}

KnownDensity ParkClients::against_normal(const GaussianMixtureSpec& client) const {
  return {std::make_shared<GaussianMixture>(client), normal_, grid_};
}

}  // namespace mollify::detail
