// The densities of the sources' experiments, and all that laws on them are measured with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "boosting/boosted_density.h"
#include "boosting/mbde.h"
#include "boosting/weak_learner.h"
#include "density/points.h"
#include "laboratory/figure/figure.h"
#include "laboratory/measure/gaussian_mixture.h"
#include "laboratory/measure/grid.h"
#include "laboratory/measure/measure.h"
#include "space/seeded_random.h"

namespace mollify::detail {

/// Eight Gaussians on a circle about 0 [Husain et al. 2020, Section 5].
GaussianMixtureSpec ring_of_eight(double radius, double deviation);

/// (N(.3, .01) + N(.5, .1) + N(.7, .1))/3 [Husain et al. 2020, Section 5].
GaussianMixtureSpec three_gaussians();

/// `components` Gaussians of variance .01 with means uniform on [0, 1] [Husain et al. 2020, Section
/// 5].
GaussianMixtureSpec random_gaussians(std::size_t components, std::uint64_t seed);

/// A P that is known, its reference, and their masses on a grid. NOT PRIVATE.
struct KnownDensity {
  std::shared_ptr<const Measure> truth;
  std::shared_ptr<const Measure> reference;
  Grid grid;
  std::vector<double> p{};        ///< exact masses of the cells
  std::vector<double> h{};        ///< the same of the reference
  std::vector<double> volumes{};  ///< of the cells

  /// Both on this grid.
  KnownDensity(std::shared_ptr<const Measure> truth, std::shared_ptr<const Measure> reference,
               Grid grid);

  /// Against N(0, I) cut at 7.5: 2^13 cells, or 384 along each axis, of which most lie where P
  /// does; `quick` takes fewer.
  static KnownDensity against_normal(const GaussianMixtureSpec& spec, bool quick);
};

/// How well a law of the cells finds P.
struct DensityFit {
  double nll = 0;
  double coverage = 0;
};
DensityFit fit_of(const KnownDensity& density, const std::vector<double>& law);

struct MeanAndSpread {
  double mean = 0;
  double deviation = 0;  ///< of one value; 0 if there is but one
};
MeanAndSpread mean_and_spread(const std::vector<double>& values);

/// The member nearest to P of the band [floor h, floor e^epsilon h].
std::vector<double> projected(const std::vector<double>& p, const std::vector<double>& h,
                              double floor, double epsilon);

/// P's law under the minimax mechanism of the class that the reference is the envelope of, with c1
/// = 0 [Park et al. 2024, Theorem III.3].
std::vector<double> minimax_law(const KnownDensity& on_envelope, double epsilon);

/// What a page tells of them.
inline constexpr const char* kLearnedFrom =
    "Classifiers are networks of three hidden layers of 25 that learn from 10 000 samples, three "
    "iterations. What they say is bounded by log 2 (2 sigma - 1), sigma being the logistic "
    "function, so that epsilon holds as stated.";

/// One set of samples of P and of the reference, and a learner that learns c_1 once for every
/// epsilon.
class BoostingSamples {
 public:
  /// 10 000 samples and a pool of 65 536, fewer if `quick`; the papers' network with the release's
  /// schedule.
  BoostingSamples(const KnownDensity& density, std::uint64_t seed, bool quick);

  [[nodiscard]] BoostedDensity boosted(const BoostingSpec& spec) const;

 private:
  std::uint64_t seed_;
  Points p_;
  Points pool_;
  std::shared_ptr<const WeakLearner> learner_;
};

/// Values on the middles of `pixels` times `pixels` over [low, high]^2.
template <class Function>
HeatMap heat_map(std::string title, double low, double high, std::size_t pixels,
                 const Function& value) {
  HeatMap map{std::move(title), low, high, pixels, {}, 0, 0};
  map.values.reserve(pixels * pixels);
  const double step = (high - low) / static_cast<double>(pixels);
  for (std::size_t i = 0; i < pixels * pixels; ++i) {
    const double x = low + (static_cast<double>(i % pixels) + 0.5) * step;
    const double y = low + (static_cast<double>(i / pixels) + 0.5) * step;
    map.values.push_back(value(x, y));
  }
  return map;
}

/// A boosted density in two dimensions as such values; `log_normaliser` is log Z.
HeatMap heat_map_of(const BoostedDensity& boosted, double log_normaliser, const Measure& reference,
                    std::string title, double low, double high, std::size_t pixels);

}  // namespace mollify::detail
