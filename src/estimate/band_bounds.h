// What the records of a band tell of the units: bounds.
#pragma once

#include "estimate/confidence_interval.h"
#include "kernel/core/band.h"

namespace mollify {

/// What decides an event's bounds: sums over its outcomes, as shares of N.
struct EventEdges {
  double lower = 0;      ///< of lo
  double upper = 0;      ///< of hi
  double least_gap = 1;  ///< the least hi_i - lo_i of its outcomes, 1 without any

  /// One more outcome of the event.
  void add(const Band& band, std::size_t outcome);
};

/// Bounds on the mean of the units' probabilities of an event, from the mean of the probabilities
/// that their records show it. `inside` are the event's edges, `outside` its complement's, E the
/// greatest hi_i / lo_i.
///
/// A unit's law clip(P / r, lo, hi) does not tell its P: all P at or beyond an edge have the same
/// law. So the mean of the laws does not determine the mean of the P, whatever the number of units,
/// and no estimate is consistent.
///
/// Theorem. Let x = q(A) for an event A with complement B. Then x >= x0 = max(lo(A), 1 - hi(B)),
/// and the mean over units of P(A) is at most
///   f + (1 - f) (x - x0) / (x1 - x0)  for a mean x below x1, and 1 from there on, where
///   x1 = min(1 - lo(B), hi(A), max(x0, lo(A) + min_A (hi - lo))),
///   f = min(1, x0 / (1 - lo(B) + max(0, 1 - x0 - lo(B)) / (E - 1))).
/// The lower bound is one minus the upper bound of B at 1 - x. For one outcome of a uniform band
/// both are attained: with z = (x - lo) / (hi - lo) they are 1 / (E + 1) + z E / (E + 1) and, on
/// the minimax band, hi z. Proof: docs/theory/estimation.md. [ours]
///
/// `law` are bounds on the mean of the laws; what comes out holds for all in between. Rounded
/// outward by 1e-9.
[[nodiscard]] ConfidenceInterval band_bounds(const ConfidenceInterval& law,
                                             const EventEdges& inside, const EventEdges& outside,
                                             double e);

/// E of the band: the greatest hi_i / lo_i.
[[nodiscard]] double greatest_edge_ratio(const Band& band);

}  // namespace mollify
