// The clients of [Park et al. 2024, Figure 4], and what is released of them.
#pragma once

#include <array>
#include <memory>

#include "laboratory/measure/grid.h"
#include "laboratory/measure/measure.h"
#include "laboratory/reproduction/reproduction.h"
#include "methods/divergence/f_divergence.h"

namespace mollify::detail {

inline constexpr std::array kClientEpsilons = {0.1, 0.5, 1.0, 2.0, 5.0};

/// The worst of the hundred clients that were published for each epsilon: one Gaussian of this
/// mean, by all three divergences and for the minimax law and perfect sigmoids alike. All clients
/// are in tests/data/park_clients.json; the authors' published code draws them from the seeds 1 to
/// 5.
inline constexpr std::array kWorstClientMeans = {-0.967906188, 0.982771354, 0.983395680,
                                                 -0.927823011, 0.952740019};

/// N(mean, 1) on [-4, 4].
[[nodiscard]] GaussianMixtureSpec client_of_one_gaussian(double mean);

/// The laws of one client, in the order of kClientLaws.
inline constexpr std::array kClientLaws = {"minimax", "baseline, perfect sigmoids",
                                           "clipped logits, perfect",
                                           "exact projection on N(0, 1)"};
using ClientDivergences = std::array<DivergenceReport, kClientLaws.size()>;

/// Mixtures of unit-variance Gaussians on [-4, 4] with means in [-1, 1], with c1 = 0. NOT PRIVATE.
class ParkClients {
 public:
  /// Divergences exact to 1e-13, to 1e-5 if `quick`; 4000 cells for what learns, 1000 if `quick`.
  explicit ParkClients(bool quick);

  /// How far each of the laws is from the client's own.
  [[nodiscard]] ClientDivergences divergences(const GaussianMixtureSpec& client,
                                              double epsilon) const;

  /// The client against N(0, 1) on [-4, 4], the baseline's start, cell by cell.
  [[nodiscard]] KnownDensity against_normal(const GaussianMixtureSpec& client) const;

 private:
  std::shared_ptr<const Measure> envelope_;
  std::shared_ptr<const Measure> normal_;
  Grid grid_;
  double tolerance_;
};

}  // namespace mollify::detail
