// The worst case of every local mechanism, in closed form.
#pragma once

#include "divergence/worst_case_risk.h"
#include "local/mechanism.h"

namespace mollify {

/// The worst case of a band mechanism with this reference and epsilon, whatever those in
/// `parameters`; InvalidInput for the linear ones.
[[nodiscard]] WorstCaseRisk band_risk(const MechanismParameters& parameters,
                                      const ReferenceMasses& reference, double epsilon);

/// The worst-case divergence of P from the released law.
///
/// Bands: band_risk. Linear samplers: the law is linear in P and the divergence convex, so
/// the worst P is a point mass; of a point mass that keeps probability m the divergence is m f(1/m)
/// + (1 - m) f(0), decreasing in m, so the least entry on the matrix's diagonal decides. It is
/// attained. For the relative mollifier c1 and c2 may name the class that the risk is taken over.
/// O(k); for classes on other references see worst_case_risk.h.
[[nodiscard]] WorstCaseRisk mechanism_risk(const MechanismParameters& parameters);

}  // namespace mollify
