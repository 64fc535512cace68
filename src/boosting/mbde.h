// Mollified boosted density estimation: Algorithm 1 of Husain et al.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "boosting/boosted_density.h"
#include "boosting/weak_learner.h"
#include "density/points.h"

namespace mollify {

/// What a run of boosting is made of; all of it is public. The papers' setting is the default.
struct MbdeSpec {
  BoostingSpec boosting{};
  /// T.
  std::size_t iterations = 3;
  /// How many points of P, and as many of Q_(t-1), each classifier learns from.
  std::size_t sample_size = 10'000;
  /// Settles resampling and learning. It may be public: the kernel bounds what is learned.
  std::uint64_t seed = 0;
};

/// One iteration, as an observer sees it. NOT PRIVATE. The references end with the call.
struct MbdeIteration {
  std::size_t t;                 ///< from 1
  const BoostedDensity& before;  ///< Q_(t-1)
  const BoostedDensity& after;   ///< Q_t
  const Points& p;               ///< what the classifier learned from
  const Points& q;
};

/// Listeners of an analysis. A release has none: they are told what private data is like.
struct MbdeObserver {
  /// After each iteration.
  std::function<void(const MbdeIteration&)> iteration = nullptr;
  /// Within one, iteration `t`'s learner about its epochs.
  std::function<void(std::size_t t, std::size_t epoch, std::size_t epochs, double cross_entropy)>
      training = nullptr;
};

/// For t = 1 ... T: learns c_t from points of P and of Q_(t-1), and sets
/// Q_t = Q_(t-1) exp(theta_t c_t) / normaliser [Husain et al. 2020, Algorithm 1].
///
/// `p` are samples of P, the private data; no density of P is ever asked for. `pool` are samples of
/// Q0, drawn from a Measure or public records. Q_(t-1) is drawn from the pool in proportion to
/// exp(log_ratio), by systematic resampling: always the same work, no measure needed, and each
/// iteration costs one evaluation of one classifier a pool point. Rejection from fresh draws would
/// be exact, but its work tells what P is like. As points are for training only, the pool's error
/// of order size^-1/2 costs utility and never privacy; a pool several times sample_size is good. Of
/// more than sample_size points of P each iteration takes that many, anew and evenly.
///
/// Total: any values in `p`, and none at all, give a density (that of classifiers which may be
/// worthless) after exactly T calls of the learner. Equal inputs, seed and processor give an equal
/// density bit for bit. Throws InvalidInput for a public mistake: a malformed spec, no iteration, a
/// sample size of 0, an empty pool, or another dimension in `p` than in `pool`.
[[nodiscard]] BoostedDensity boost(const Points& p, const Points& pool, const WeakLearner& learner,
                                   const MbdeSpec& spec, const MbdeObserver& observer = {});

}  // namespace mollify
