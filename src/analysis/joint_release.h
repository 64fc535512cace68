// Several releases of the same columns, estimated from together.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/estimate.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// An interval for a weighted mean of populations, each seen through a mixture of its own.

/// Records of one law: independent, each with a value from 0 to 1.
struct MixtureDraws {
  double count = 0;   ///< n
  double weight = 0;  ///< w of their population in the mean; above 0
  double kept = 0;    ///< a
  std::span<const double>
      replaced{};   ///< r: with what probability each value replaces a unit's own
  double mean = 0;  ///< of the records' values
};

/// For theta = sum w_g V_g, where V_g is the mean value in the population of group g. alpha in
/// (0, 1/2] bounds the probability that theta lies outside; half of it on each side. At most `bad`
/// of the records may be anything.
///
/// S, the sum over records of c_g v with c_g = w_g / (n_g a_g), has mean theta plus what replaces.
/// For t > 0 the mean of exp(t S) is at most the product of (A_g + B_g V_g)^n_g, where A_g = a_g +
/// sum_j r_j exp(t c_g v_j) and B_g = a_g (exp(t c_g) - 1). So, if S is s, every theta is refused
/// for which no V has sum n_g ln(A_g + B_g V_g) >= t s + ln(alpha / 2). The lower end is the least
/// theta that some t leaves; the upper end is the lower one of the values 1 - v. It holds whatever
/// the populations and their units are (docs/theory/estimation.md). [ours]
///
/// Requires groups, `values` from 0 to 1, as many as each `replaced`, and a_g + sum r_j = 1.
/// O(values groups) for each of some forty t, and 64 steps of O(groups).
[[nodiscard]] ConfidenceInterval joint_interval(std::span<const double> values,
                                                std::span<const MixtureDraws> groups, double alpha,
                                                double bad = 0);

// -----------------------------------------------------------------------------------------------
// Releases as draws from laws over the outcomes of one domain.

/// The records of all releases of one law.
struct LawDraws {
  const ReleasedLaw* law = nullptr;   ///< of the first of them
  std::optional<LinearLaw> linear{};  ///< in the outcomes of the first release's domain
  std::vector<const CountedRelease*> releases{};
  std::vector<std::uint64_t> counts{};  ///< of each outcome
  double count = 0;
  double weight = 1;  ///< of their population; all weights sum to one
};

/// All releases by their laws, those of one law together, with weights as asked. By precision they
/// are n_g / V_g, where V_g = (1 - sum_j (r_j + a/k)^2) / a^2 is n_g times the sum of the outcomes'
/// variances if all k shares are equal: public numbers alone, and of randomized response the
/// greatest variance that any population gives.
///
/// Throws InvalidInput for releases of other columns or values, and, if they have several laws, for
/// one that is not a mixture. A column is the same if it has the same canonical text, or the same
/// words in another order.
[[nodiscard]] std::vector<LawDraws> draws_by_law(std::span<const CountedRelease> releases,
                                                 Weighting weighting);

}  // namespace mollify
