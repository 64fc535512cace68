// The Bernstein mechanism on the sources' densities.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "laboratory/contender/contenders.h"
#include "laboratory/figure/figure.h"
#include "laboratory/measure/measure.h"
#include "laboratory/reproduction/reproduction.h"

namespace mollify::detail {

/// What a page tells of it.
inline constexpr const char* kBernstein =
    "DPB: 10 000 points, a kernel density on a lattice with K = 20 and order h = 1, Laplace noise "
    "on its values, shifted to be positive. Its epsilon is for one record; for the whole table it "
    "is 10 000 times that. The sources give no K, h or box: the box is what is drawn, and in one "
    "dimension [-1, 2]; the bandwidth is cross-validated on other points, which count as public. "
    "In each repeat one draw of the noise serves all epsilon, scaled by 1/epsilon.";

/// Samples of a known P inside the box [low, high]^d, which is public, and the width that
/// cross-validation finds on other samples of P: public ones, so that no epsilon is spent on it.
/// Likelihoods are of P restricted to the box, in the units of P.
class BernsteinContender {
 public:
  /// n = 10 000, 2000 if `quick`.
  BernsteinContender(const GaussianMixtureSpec& spec, double low, double high, std::uint64_t seed,
                     bool quick);

  /// The density with K = 20 and h = 1, epsilon per record.
  [[nodiscard]] DensityFit fit(double epsilon, std::uint64_t seed) const;
  /// The least negative log-likelihood of K in {10, 20, 40, 80} and h in {1, 4}: chosen by looking
  /// at P.
  [[nodiscard]] double oracle_nll(double epsilon, std::uint64_t seed) const;
  /// The least epsilon per record, to a tenth, at which one of these K and h comes as near to P as
  /// a law of this negative log-likelihood; none from 1 to 10^6.
  [[nodiscard]] std::optional<double> oracle_epsilon(double nll, std::uint64_t seed) const;
  /// The negative log-likelihood with K = 20 and h = 1 and no noise.
  [[nodiscard]] double noise_free_nll() const;
  /// In two dimensions: as contours.
  [[nodiscard]] HeatMap map(double epsilon, std::uint64_t seed, std::string title,
                            std::size_t pixels) const;

  [[nodiscard]] double width() const { return width_; }

 private:
  [[nodiscard]] std::vector<double> masses(const BernsteinSpec& spec, std::uint64_t seed,
                                           std::size_t along) const;
  [[nodiscard]] BernsteinSpec spec(std::optional<double> epsilon) const;

  std::shared_ptr<const Measure> truth_;
  double low_;
  double high_;
  std::size_t along_;
  std::vector<double> points_;
  double width_ = 0;
  std::vector<double> p_, volumes_;
};

/// What is known of DPB on the three Gaussians with [-1, 2] as the unit box, K = 20, h = 1, w = .01
/// and n = 10 000, in nats of that box: each likelihood beside the mean of 2500 draws of the
/// noise, 500 if `quick`, from one set of points, and where among these draws it lies.
[[nodiscard]] std::vector<PublishedNumber> expected_likelihoods(std::uint64_t seed, bool quick);

}  // namespace mollify::detail
