// A Gaussian mixture as a public reference; a Gaussian is one of a single component.
#pragma once

#include "laboratory/density/gaussian_mixture.h"
#include "laboratory/measure/measure.h"

namespace mollify {

/// The mixture of public Gaussians that a GaussianMixtureSpec describes: fitted to public records,
/// or a Gaussian, truncated or not, if it has one component.
///
/// Masses of boxes are exact and draws inside a cell take one inverse of the distribution function
/// an axis.
class GaussianMixtureMeasure final : public Measure {
 public:
  /// Throws InvalidInput as GaussianMixture does.
  explicit GaussianMixtureMeasure(const GaussianMixtureSpec& spec) : mixture_(spec) {}

  const GaussianMixture& mixture() const { return mixture_; }

  std::size_t dimension() const override { return mixture_.dimension(); }
  Box box() const override { return mixture_.box(); }
  /// The means and 7.5 deviations on either side, as far as the box reaches.
  Box central_box() const override;
  double density(std::span<const double> point) const override { return mixture_.density(point); }
  double box_mass(const Box& box) const override { return mixture_.box_mass(box); }
  void cell_masses(const Grid& grid, std::span<double> masses) const override {
    mixture_.cell_masses(grid, masses);
  }
  std::vector<double> equal_mass_edges(std::size_t axis, std::size_t cells) const override;

 private:
  void draw_from(WordStream& words, std::span<double> point) const override;
  void draw_inside_from(WordStream& words, const Box& cell, std::span<double> point) const override;

  GaussianMixture mixture_;
};

/// The spec of one Gaussian with the same variance along every axis, on a box if one is given.
GaussianMixtureSpec single_gaussian(std::vector<double> mean, double variance, Box box = {});

}  // namespace mollify
