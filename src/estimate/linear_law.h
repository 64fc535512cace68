// What a linear mechanism makes of a distribution, and the way back.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "kernel/core/randomized_response.h"
#include "local/sampler.h"

namespace mollify {

/// A public matrix K over k outcomes as doubles: whoever has the distribution P releases a draw
/// from P K. The mean of the laws of many units is then the mean of their distributions times K,
/// and that can be undone; no nonlinear mechanism has this.
///
/// Two shapes. The mixtures a I + 1 r (randomized response, mixture, Gaussian curve: r_j = L / Z or
/// (1 - a) h_j) change each event's probability affinely, so that an event's frequency alone tells
/// its probability. The staircase (public kernel) is solved by one pass over the outcomes in the
/// order of ascending reference; with c, d, v and g as in StaircaseChannel and A = sum of P before
/// i,
///   P_i = (q_i - c_i (1 - A_i) - g_i sum_{j < i} v_j P_j) / (d_i - c_i),   the last one 1 - A.
/// What the integers leave over for the last outcome, some 2^-40, is not told from it.
class LinearLaw {
 public:
  /// None where the sampler is not linear. Throws InvalidInput, in one sentence, for one that keeps
  /// so little that no doubles tell of P.
  [[nodiscard]] static std::optional<LinearLaw> of(const LocalSampler& sampler);
  explicit LinearLaw(const RandomizedResponse& response);

  [[nodiscard]] std::size_t outcome_count() const noexcept { return replaced_.size(); }

  /// Whether K is a I + 1 r.
  [[nodiscard]] bool is_mixture() const noexcept { return steps_.empty(); }
  /// a, positive, and r_j. Require is_mixture().
  [[nodiscard]] double kept() const noexcept { return kept_; }
  [[nodiscard]] double replaced(std::size_t j) const noexcept { return replaced_[j]; }

  /// P K for k masses. O(k), like all below.
  [[nodiscard]] std::vector<double> released(std::span<const double> p) const;
  /// K u: for each value, the expectation of u at what it is reported as.
  [[nodiscard]] std::vector<double> expected(std::span<const double> u) const;
  /// The P, of masses of any sign that sum to one, with P K = q. Requires q to sum to one.
  [[nodiscard]] std::vector<double> unbiased(std::span<const double> q) const;
  /// w with sum v P = sum w q whenever q = P K: what a report counts in the estimate of sum v P.
  [[nodiscard]] std::vector<double> report_weights(std::span<const double> v) const;

 private:
  LinearLaw() = default;

  /// One outcome of a staircase, in the order of ranks.
  struct Step {
    std::size_t outcome;
    double stop;    // c
    double stay;    // d
    double move;    // v
    double weight;  // g
  };

  /// Throws InvalidInput for a matrix without an inverse in doubles.
  void settle();

  double kept_ = 0;
  std::vector<double> replaced_;  // r of a mixture; of a staircase unused zeros
  std::vector<Step> steps_;
};

}  // namespace mollify
