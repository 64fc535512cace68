// The linear local samplers: draw a record, then send it through a public integer matrix.
#pragma once

#include <algorithm>
#include <limits>
#include <utility>

#include "accounting/directed_rounding.h"
#include "kernel/channel/matrix_channel.h"
#include "kernel/channel/mixture_channel.h"
#include "kernel/channel/staircase_channel.h"
#include "kernel/core/randomized_response.h"
#include "local/sampler.h"

namespace mollify {

/// ln of the greatest ratio of two entries of one column, rounded up; infinite for a zero entry.
template <class Channel>
[[nodiscard]] double greatest_column_ratio_up(const Channel& channel) {
  double greatest = 0;
  for (std::size_t j = 0; j < channel.outcome_count(); ++j) {
    const auto entries = channel.column(j);
    if (entries.least == 0) return std::numeric_limits<double>::infinity();
    greatest = std::max(greatest, ln_ratio_up(entries.greatest, entries.least));
  }
  return greatest;
}

/// Draws x from P and releases a draw from row x of a channel: the law is P times the matrix.
///
/// Channel is RandomizedResponse (the naive sampler A_R of Husain et al. 2020), MixtureChannel (the
/// linear mixture, Park et al. 2024, eq. 35, and the Gaussian-curve sampler, Ghoukasian et al.
/// 2025), StaircaseChannel (the public-data kernel, Zamanlooy et al. 2024) or MatrixChannel with as
/// many rows as outcomes (A_R with any other randomizer, such as laplace_channel). The guarantee is
/// that of the matrix, whose columns are checked in integers; it holds for every P because it holds
/// for every row. Where P has no weight x is drawn from the reference that the channel leaves in
/// place; of a MatrixChannel every row is as likely.
template <class Channel>
class ChannelSampler final : public LocalSampler {
 public:
  /// The caller states the guarantee and has checked it: `satisfies` for a pure one.
  ChannelSampler(Channel channel, Privacy guarantee)
      : channel_(std::move(channel)), guarantee_(guarantee) {}

  [[nodiscard]] const Channel& channel() const { return channel_; }

  [[nodiscard]] std::size_t outcome_count() const override { return channel_.outcome_count(); }
  [[nodiscard]] Privacy guarantee() const override { return guarantee_; }
  void draw_by_law(const ScoredOutcomes& p, const LawWords& words,
                   std::span<std::uint32_t> released) const override;
  [[nodiscard]] Law law(const ScoredOutcomes& p) const override;

  /// ln of the greatest ratio of two entries of one column. O(k).
  [[nodiscard]] double epsilon_realised_up() const override;
  [[nodiscard]] bool guarantee_holds() const override;
  void for_each_public_integer(const std::function<void(uint128)>& take) const override;

 private:
  Channel channel_;
  Privacy guarantee_;
};

extern template class ChannelSampler<MatrixChannel>;
extern template class ChannelSampler<RandomizedResponse>;
extern template class ChannelSampler<MixtureChannel>;
extern template class ChannelSampler<StaircaseChannel>;

}  // namespace mollify
