// The smallest function above every Gaussian whose mean lies in a ball.
#pragma once

#include <cstddef>

#include "measures/measure.h"

namespace mollify {

/// The reference for Gaussian mixtures of one variance v with component means in the ball of radius
/// r about the origin of R^d [Park et al. 2024, Section V-B].
///
/// Definition. On R^d the supremum over the ball of the component densities is
///   g(x) = (2 pi v)^(-d/2) exp(-max(|x| - r, 0)^2 / (2v)),
/// constant in the ball. With a box, components are restricted to it and renormalised on it; then
/// every density is divided by the least mass Z(m) that a component keeps. Z is log-concave in m,
/// so it is least on the rim of the ball; it is bounded from below by at most a thousandth in two
/// dimensions and some hundredths in three, and exact in one.
///
/// Theorem. Every mixture of such components has density p <= g = class_bound() h, where h is this
/// measure, g normalised: with c1 = 0 and c2 = class_bound() they belong to the density class of
/// [Theorem III.3].
class GaussianEnvelope final : public Measure {
 public:
  /// `box` is empty, or one interval for each axis. Throws InvalidInput unless the radius is finite
  /// and not negative, the variance finite and positive, the dimension from 1 to 100 (to 3 with a
  /// box), and the box holds mass enough of every component.
  GaussianEnvelope(double radius, double variance, std::size_t dimension, Box box = {});

  [[nodiscard]] std::size_t dimension() const override { return box_.size(); }
  [[nodiscard]] Box box() const override { return box_; }
  /// The ball and 7.5 deviations (more in high dimensions) beyond it, as far as the box reaches.
  [[nodiscard]] Box central_box() const override;
  [[nodiscard]] double density(std::span<const double> point) const override;
  /// The mass of g: exact without a box and in one dimension, by cubature otherwise.
  [[nodiscard]] double class_bound() const override { return peak_ * shape_mass_; }
  /// By cubature in two and three dimensions, split where the sphere cuts the box, to about 1e-10;
  /// exact in one. Throws InvalidInput in more dimensions, which no grid has, and where cubature
  /// would take too long: a radius beyond 200 deviations in two dimensions, 20 in three.
  [[nodiscard]] double box_mass(const Box& box) const override;

  void simulate(SeededRandom& random, std::span<double> point) const override;
  void simulate_inside(SeededRandom& random, const Box& cell,
                       std::span<double> point) const override;

 private:
  /// exp(-max(sqrt(squared_norm) - r, 0)^2 / (2v)): g without its constant.
  [[nodiscard]] double shape(double squared_norm) const;
  /// The integral of the shape over a finite box, given the squares of the coordinates before
  /// `axis`.
  [[nodiscard]] double shape_integral(const Box& box, std::size_t axis, double squared_norm) const;
  [[nodiscard]] double unbounded_shape_mass() const;
  void draw_unbounded(SeededRandom& random, std::span<double> point) const;

  double radius_;
  double variance_;
  double deviation_;
  Box box_;
  double peak_;
  double shape_mass_ = 1;
};

}  // namespace mollify
