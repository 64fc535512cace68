// How well a density finds what another distribution produces.
#pragma once

#include <span>

namespace mollify {

/// An estimate and its standard error, in the same units.
struct Estimate {
  double value = 0;
  double standard_error = 0;
};

/// -E_P log Q in nats, of densities with respect to volume: KL(P, Q) and P's own entropy together,
/// so it may be negative. Lower is better, and the entropy of P is the least it can be.
///
/// Exact for densities that are constant in each cell: masses of P and of Q and the volume of each
/// cell, P's and Q's masses being divided by their sums. Infinite if P has mass where Q has none.
/// Throws InvalidInput if sizes differ, a volume is not positive, or a sum of masses is not. O(k).
[[nodiscard]] double negative_log_likelihood(std::span<const double> p, std::span<const double> q,
                                             std::span<const double> volumes);

/// Estimated from log Q at independent samples of P, with its standard error. Throws InvalidInput
/// below two samples.
[[nodiscard]] Estimate negative_log_likelihood(std::span<const double> log_q_at_samples_of_p);

/// The share of Q that its region of high density holds.
inline constexpr double kCoverageLevel = 0.95;

/// Mode coverage P{q >= t}, t such that Q{q >= t} = `level`: 1 if all of P lies where Q puts its
/// first 95 %. [Husain et al. 2020] writes the inequalities the other way round; its
/// text and code mean this.
///
/// Exact for densities that are constant in each cell: masses of P and of Q and the volume of each
/// cell, masses being divided by their sums. Cells are taken from the densest on until Q has
/// `level`; cells as dense as the last one belong, too. Throws InvalidInput if sizes differ, a
/// volume or a sum of masses is not positive, or level is not in (0, 1). O(k log k).
[[nodiscard]] double mode_coverage(std::span<const double> p, std::span<const double> q,
                                   std::span<const double> volumes, double level = kCoverageLevel);

/// Estimated from q at independent samples of P and at independent samples of Q: any increasing
/// function of the density does, its logarithm for instance. The standard error is that of the
/// share of P above the threshold, and half of how P's share changes as the threshold moves by one
/// standard error of its level either way, added in squares. Throws InvalidInput without samples of
/// P, below two of Q, or if level is not in (0, 1). O(n log n).
[[nodiscard]] Estimate mode_coverage_of_samples(std::span<const double> q_at_samples_of_p,
                                                std::span<const double> q_at_samples_of_q,
                                                double level = kCoverageLevel);

}  // namespace mollify
