// The exact law of a draw over listed outcomes, from a distribution that is known. NOT PRIVATE.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/answer.h"
#include "methods/local/mechanism.h"
#include "methods/local/sampler.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// How well a density finds what another distribution produces.

/// -E_P log Q in nats, of densities with respect to volume: KL(P, Q) and P's own entropy together,
/// so it may be negative. Lower is better, and the entropy of P is the least it can be.
///
/// Exact for densities that are constant in each cell: masses of P and of Q and the volume of each
/// cell, P's and Q's masses being divided by their sums. Infinite if P has mass where Q has none.
/// Throws InvalidInput if sizes differ, a volume is not positive, or a sum of masses is not. O(k).
[[nodiscard]] double negative_log_likelihood(std::span<const double> p, std::span<const double> q,
                                             std::span<const double> volumes);

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

// -----------------------------------------------------------------------------------------------
// The law and how near it is.

/// Divergences of P from its law that are computed on request.
struct MoreDivergences {
  std::optional<double> renyi{};         ///< its order
  std::optional<double> hockey_stick{};  ///< its gamma
};

/// Adds divergences of P from its law, and, with the cells' volumes, how well the law finds P.
void add_divergences(Answer& answer, std::span<const double> p, std::span<const double> law,
                     const MoreDivergences& more, std::span<const double> volumes);

/// P, its projection on a band and the r of that.
struct ProjectedMasses {
  std::span<const double> p;
  std::span<const double> law;
  double scale;
};

/// Adds the distance of two laws under one band, and its bound TV(P, P') / max(r, r') [Park et al.
/// 2024, Proposition IV.1].
void add_other_law(Answer& answer, const ProjectedMasses& one, const ProjectedMasses& other);

/// The space and the sampler of a draw. Borrows all of it.
struct DiscreteLawQuestion {
  std::span<const double> p;  ///< masses that sum to one
  std::span<const std::string> outcomes;
  const MechanismParameters& parameters;
  std::string name;  ///< of what draws
  const LocalSampler& sampler;
  bool is_projection = false;    ///< whether it is a band that projects P
  std::vector<double> scores{};  ///< what the sampler is given
  /// Another distribution on the same outcomes: how far its law is from P's, and can be.
  std::optional<std::vector<double>> other{};
  MoreDivergences more{};
};

/// Every probability as a fraction of integers, and how near the law is to P.
[[nodiscard]] Answer discrete_law(const DiscreteLawQuestion& question);

}  // namespace mollify
