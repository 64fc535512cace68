#include "laboratory/reproduction/park_clients.h"

#include <vector>

#include "boosting/bounding.h"
#include "laboratory/boosting/perfect_boosting.h"
#include "laboratory/measure/gaussian_envelope.h"
#include "laboratory/reproduction/line_divergences.h"
#include "local/band_floor.h"

namespace mollify::detail {
namespace {

constexpr Interval kLine{-4, 4};

}  // namespace

GaussianMixtureSpec client_of_one_gaussian(double mean) {
  return single_gaussian({mean}, 1, Box{kLine});
}

ParkClients::ParkClients(bool quick)
    : envelope_(std::make_shared<GaussianEnvelope>(1.0, 1.0, 1, Box{kLine})),
      normal_(std::make_shared<GaussianMixture>(client_of_one_gaussian(0))),
      grid_({equal_width_edges(kLine, quick ? 1000 : 4000)}),
      tolerance_(quick ? 1e-7 : 1e-16) {}

ClientDivergences ParkClients::divergences(const GaussianMixtureSpec& client,
                                           double epsilon) const {
  const GaussianMixture truth(client);
  using Masses = std::vector<double>;
  const auto from = [&](const Measure& reference, const LawOfMasses& law) {
    return line_divergences(truth, reference, kLine, law, tolerance_);
  };
  const auto projection = [&](double floor) {
    return [=](const Masses& p, const Masses& h) { return projected(p, h, floor, epsilon); };
  };
  const auto boosting = [&](Bounding bounding) {
    return [=](const Masses& p, const Masses& h) {
      return perfectly_boosted(p, h, {epsilon, bounding});
    };
  };
  return {from(*envelope_, projection(class_floor(0, envelope_->class_bound(), epsilon))),
          from(*normal_, boosting(Bounding::kSigmoid)), from(*normal_, boosting(Bounding::kLogit)),
          from(*normal_, projection(relative_floor(epsilon)))};
}

KnownDensity ParkClients::against_normal(const GaussianMixtureSpec& client) const {
  return {std::make_shared<GaussianMixture>(client), normal_, grid_};
}

}  // namespace mollify::detail
