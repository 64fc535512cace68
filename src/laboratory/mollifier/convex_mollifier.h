// The sampler of a finitely generated convex mollifier.
#pragma once

#include "kernel/channel/matrix_channel.h"
#include "local/sampler.h"

namespace mollify {

/// Releases from the member of cvx{Q_1, ..., Q_m} nearest to P in Kullback-Leibler divergence
/// [Husain et al. 2020, eq. 3 and 7].
///
/// The weights of the member are private and found by floating point; what is released is a draw of
/// a generator by its weight and then of that generator's own public law. Whatever the weights, the
/// law is in the hull, and the hull is an epsilon-mollifier because the generators' columns are
/// checked in integers. Where P has no weight every generator weighs the same. With one generator
/// for each outcome (a channel, whose mixture by P is the naive sampler A_R) the law is never
/// further from P than A_R's.
class ConvexMollifierSampler final : public LocalSampler {
 public:
  /// Throws InvalidInput if the generators' columns do not satisfy epsilon.
  ConvexMollifierSampler(MatrixChannel generators, double epsilon);

  [[nodiscard]] const MatrixChannel& generators() const { return generators_; }

  [[nodiscard]] std::size_t outcome_count() const override { return generators_.outcome_count(); }
  [[nodiscard]] Privacy guarantee() const override { return Privacy::pure(epsilon_); }
  void draw_by_law(const ScoredOutcomes& p, const LawWords& words,
                   std::span<std::uint32_t> released) const override;
  [[nodiscard]] Law law(const ScoredOutcomes& p) const override;
  [[nodiscard]] double epsilon_realised_up() const override;
  [[nodiscard]] bool guarantee_holds() const override;
  void for_each_public_integer(const std::function<void(uint128)>& take) const override;

 private:
  [[nodiscard]] std::vector<double> projection_weights(const ScoredOutcomes& p) const;

  MatrixChannel generators_;
  double epsilon_;
  std::vector<double> rows_;  // the generators as doubles, for the projection
};

}  // namespace mollify
