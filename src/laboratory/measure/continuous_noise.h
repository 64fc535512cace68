// Noise in floating point, to study what noise on the lattice approaches. NOT PRIVATE.
#pragma once

#include <span>

#include "kernel/core/seeded_random.h"

namespace mollify {

/// Fills a vector with independent normal deviates of mean 0. NOT PRIVATE: doubles are sparse in
/// their own pattern far from and near to zero, so that a sum with them can tell what was added to
/// (Mironov 2012). What is released takes DiscreteGaussian. Throws InvalidInput unless the variance
/// is positive and finite.
void simulate_gaussian_not_private(double variance, std::span<double> noise, SeededRandom& random);

/// Fills a vector of d doubles with a draw of density Gamma(d/2) / (2 pi^(d/2) Gamma(d) b^d)
/// e^(-|y|/b): the radius has the law Gamma(d, b), the direction is uniform on the sphere and
/// independent of it [Cheu, Nayak 2024, Algorithm 4]. NOT PRIVATE, for the same reason; what is
/// released takes EuclideanLaplace. Throws InvalidInput unless b is positive and finite and d is at
/// least 1.
void simulate_euclidean_laplace_not_private(double scale, std::span<double> noise,
                                            SeededRandom& random);

}  // namespace mollify
