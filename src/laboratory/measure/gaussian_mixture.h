// Mixtures of Gaussians whose axes are those of the space, on a box if one is given.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "laboratory/measure/measure.h"
#include "laboratory/measure/truncated_normal.h"

namespace mollify {

/// What a Gaussian mixture is made of.
struct GaussianMixtureSpec {
  /// One mean of d coordinates for each of m components.
  std::vector<std::vector<double>> means;
  /// m weights, not negative, with a positive finite sum; they need not sum to one.
  std::vector<double> weights;
  /// m lists of d variances, one for each axis.
  std::vector<std::vector<double>> variances;
  /// Empty, or d intervals: the mixture is restricted to this box and renormalised on it, as the
  /// clients of [Park et al. 2024, Section V-B] are. That is the mixture of the components
  /// renormalised on the box one by one, with weights in proportion to w_i times what component i
  /// has there.
  Box box;
};

/// sum_i w_i N(m_i, diag v_i), given that the point lies in the box if there is one.
///
/// Every component is a product over the axes, so masses of boxes and of cells are exact, by the
/// distribution function: cells of a grid cost m (n_1 + ... + n_d) erfc and m n_1 ... n_d
/// multiplications. Mass outside a grid is counted to the outermost cells. Draws inside a cell take
/// one inverse of the distribution function an axis.
class GaussianMixture final : public Measure {
 public:
  /// Throws InvalidInput, in one sentence, if the spec is malformed or a component has less than
  /// 1e-290 of its mass on the box along some axis. A spec made from private data must be valid by
  /// construction.
  explicit GaussianMixture(const GaussianMixtureSpec& spec);

  [[nodiscard]] std::size_t dimension() const override { return box_.size(); }
  [[nodiscard]] Box box() const override { return box_; }
  /// The means and 7.5 deviations on either side, as far as the box reaches.
  [[nodiscard]] Box central_box() const override;
  [[nodiscard]] double density(std::span<const double> point) const override;
  [[nodiscard]] double box_mass(const Box& box) const override;
  void cell_masses(const Grid& grid, std::span<double> masses) const override;
  [[nodiscard]] std::vector<double> equal_mass_edges(std::size_t axis,
                                                     std::size_t cells) const override;

  /// Of the component renormalised on the box; they sum to one.
  [[nodiscard]] double weight(std::size_t component) const { return weights_[component]; }
  /// The factor of a component along an axis.
  [[nodiscard]] const TruncatedNormal& factor(std::size_t component, std::size_t axis) const {
    return factors_[component * box_.size() + axis];
  }

 private:
  void draw_from(WordStream& words, std::span<double> point) const override;
  void draw_inside_from(WordStream& words, const Box& cell, std::span<double> point) const override;

  Box box_;
  std::vector<double> weights_;
  std::vector<TruncatedNormal> factors_;
};

/// The spec of one Gaussian with the same variance along every axis, on a box if one is given.
GaussianMixtureSpec single_gaussian(std::vector<double> mean, double variance, Box box = {});

}  // namespace mollify
