// Reproductions by name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "domain/candidates.h"
#include "laboratory/figure/figure.h"
#include "laboratory/measure/grid.h"
#include "laboratory/measure/measure.h"
#include "methods/divergence/f_divergence.h"
#include "scores/boosting.h"
#include "scores/points.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Every figure and table of the sources that is computed here, by name.

/// How much is computed.
struct ReproductionOptions {
  /// Fewer cells, repeats and steps of learning: seconds for all, for tests. Closed forms stay.
  bool quick = false;
  /// Settles samples and learning.
  std::uint64_t seed = 2026;
  /// Told about each part that is done; may be empty.
  std::function<void(const std::string& part)> progress = nullptr;

  void tell(const std::string& part) const {
    if (progress) progress(part);
  }
};

/// One figure or table, or several that show the same runs.
struct Reproduction {
  std::string_view id;
  std::string_view source;  ///< as a reader would cite it
  std::string_view title;
  Figure (*make)(const ReproductionOptions& options);
};

/// In the order of the sources. NOT PRIVATE: all start from a P that is known, or compare with a
/// baseline; everything random comes from the seed.
[[nodiscard]] std::span<const Reproduction> reproductions();

/// What a reader who knows none of the sources needs to be told first.
[[nodiscard]] std::span<const PageWord> words_of_reproductions();

/// The figure, with id, source and title as listed.
[[nodiscard]] Figure reproduced(const Reproduction& reproduction,
                                const ReproductionOptions& options);

}  // namespace mollify

namespace mollify::detail {

// -----------------------------------------------------------------------------------------------
// The functions behind the list of reproduction.h, one for each figure or table.

// [Husain et al. 2020], the figures of [Husain et al. 2019] that are the same, and its own.
Figure husain_contenders(const ReproductionOptions& options);
Figure husain_cost_of_groups(const ReproductionOptions& options);
Figure husain_mollifiers(const ReproductionOptions& options);
Figure husain_ring_contours(const ReproductionOptions& options);
Figure husain_fit(const ReproductionOptions& options);
Figure husain_coverage_of_random(const ReproductionOptions& options);
Figure husain_likelihood_of_random(const ReproductionOptions& options);
Figure husain_plane_contours(const ReproductionOptions& options);

// [Park et al. 2024].
Figure park_ring(const ReproductionOptions& options);
Figure park_five_outcomes(const ReproductionOptions& options);
Figure park_worst_of_10(const ReproductionOptions& options);
Figure park_clients(const ReproductionOptions& options);
Figure park_worst_of_5(const ReproductionOptions& options);
Figure park_worst_of_20(const ReproductionOptions& options);
Figure park_worst_of_100(const ReproductionOptions& options);

// [Cheu, Nayak 2024].
Figure cheu_finite(const ReproductionOptions& options);
Figure cheu_known_covariance(const ReproductionOptions& options);
Figure cheu_bounded_covariance(const ReproductionOptions& options);

// -----------------------------------------------------------------------------------------------
// The densities of the sources' experiments, and all that laws on them are measured with.

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

// -----------------------------------------------------------------------------------------------
// Divergences of laws on an interval, by quadrature that finds their kinks.

/// A law's masses at the places where P and the reference have these, none of them 0.
using LawOfMasses =
    std::function<std::vector<double>(const std::vector<double>& p, const std::vector<double>& h)>;

/// How far a law is from P on an interval that holds both, densities being smooth but for kinks.
/// NOT PRIVATE.
///
/// Masses are densities times the weights of a Clenshaw-Curtis rule of 17 points on each of some
/// panels, so that sums over them are integrals. Panels on which the rule and the one of 9 points
/// within it differ by more than `tolerance`, for the law itself or for a divergence, are halved
/// and the law is computed again, until there are none: a kink ends in a panel that is too narrow
/// to matter. The rule has the panel's ends among its points, as a kink near one would escape all
/// others. At a tolerance of 1e-16 the divergences (chi-squared aside, which no panel is halved
/// for) are exact to about 1e-14. O(rounds * panels) beside the law.
[[nodiscard]] DivergenceReport line_divergences(const Measure& truth, const Measure& reference,
                                                const Interval& interval, const LawOfMasses& law,
                                                double tolerance);

// -----------------------------------------------------------------------------------------------
// The baseline of [Park et al. 2024, Figures 1 and 4] as its published code runs it.

/// Boosting (T = 3) with sigmoids for classifiers, at theta = epsilon/(epsilon + 4). Each learns
/// from 10 000 points of P and as many of Q_(t-1), the last places of as many Metropolis-Hastings
/// chains that start at 0 and make 1001 Gaussian steps of deviation 1; by cross-entropy, gradient
/// steps of .01 with Nesterov's momentum .9, 750 passes in 2 minibatches. Chains follow log
/// densities tabulated on [-span, span]^d, 4097 or 601 nodes along an axis, and linear between; off
/// that box there is no mass. Weights start as NetworkLearner's do, which is not how the code's do.
/// `quick`: tenth of the chains and steps, 40 passes.
///
/// NOT PRIVATE: chains are no exact draws, and all comes from the seed. Seconds.
[[nodiscard]] BoostedDensity published_baseline(const KnownDensity& density, double span,
                                                double epsilon, std::uint64_t seed, bool quick);

}  // namespace mollify::detail
