#include "local/channel_sampler.h"

#include <type_traits>

#include "local/gaussian_curve.h"
#include "local/input_weights.h"

namespace mollify {
namespace {

/// An integer for each input, in proportion to the law that stands for an empty P: the one that the
/// channel leaves in place, if it is made for one.
std::uint64_t stationary(const MatrixChannel&, std::size_t) { return 1; }
std::uint64_t stationary(const RandomizedResponse&, std::size_t) { return 1; }
std::uint64_t stationary(const MixtureChannel& channel, std::size_t j) {
  return channel.reference(j);
}
std::uint64_t stationary(const StaircaseChannel& channel, std::size_t j) {
  return channel.reference(j);
}

template <class Channel>
std::vector<std::uint64_t> stationary_weights(const Channel& channel) {
  std::vector<std::uint64_t> weights(channel.input_count());
  for (std::size_t j = 0; j < weights.size(); ++j) weights[j] = stationary(channel, j);
  return weights;
}

void for_each_integer(const MatrixChannel& channel, const std::function<void(uint128)>& take) {
  for (std::size_t x = 0; x < channel.input_count(); ++x) {
    for (std::size_t j = 0; j < channel.outcome_count(); ++j) take(channel.entry(x, j));
  }
}
void for_each_integer(const RandomizedResponse& channel, const std::function<void(uint128)>& take) {
  take(channel.outcome_count());
  take(channel.kept());
  take(channel.other());
}
void for_each_integer(const MixtureChannel& channel, const std::function<void(uint128)>& take) {
  take(channel.keep());
  for (std::size_t j = 0; j < channel.outcome_count(); ++j) take(channel.reference(j));
}
void for_each_integer(const StaircaseChannel& channel, const std::function<void(uint128)>& take) {
  for (std::size_t rank = 0; rank < channel.outcome_count(); ++rank) {
    take(channel.outcome_at_rank(rank));
    take(channel.reference(channel.outcome_at_rank(rank)));
    take(channel.stop_entry(rank));
    take(channel.stay_entry(rank));
    take(channel.move_factor(rank));
  }
}

std::size_t draw_stationary(const MatrixChannel& channel, SecureRandom& random) {
  return random.below(channel.input_count());
}
std::size_t draw_stationary(const RandomizedResponse& channel, SecureRandom& random) {
  return random.below(channel.outcome_count());
}
template <class Channel>
std::size_t draw_stationary(const Channel& channel, SecureRandom& random) {
  return channel.draw_reference(random);
}

}  // namespace

template <class Channel>
void ChannelSampler<Channel>::draw_by_law(const ScoredOutcomes& p, const LawWords& words,
                                          std::span<std::uint32_t> released) const {
  const InputWeights input(p, channel_.input_count());
  SecureRandom& random = words(input.integers());
  for (std::uint32_t& outcome : released) {
    const std::size_t value =
        input.empty() ? draw_stationary(channel_, random) : input.draw(random);
    outcome = static_cast<std::uint32_t>(channel_.draw(value, random));
  }
}

template <class Channel>
Law ChannelSampler<Channel>::law(const ScoredOutcomes& p) const {
  const InputWeights input(p, channel_.input_count());
  return law_of(channel_, input.empty() ? stationary_weights(channel_) : input.dense());
}

template <class Channel>
double ChannelSampler<Channel>::epsilon_realised_up() const {
  return greatest_column_ratio_up(channel_);
}

template <class Channel>
bool ChannelSampler<Channel>::guarantee_holds() const {
  if (guarantee_.notion == Privacy::Notion::kPure) {
    return channel_.satisfies(ExpBound(guarantee_.parameter()));
  }
  if constexpr (std::is_same_v<Channel, MixtureChannel>) {
    return is_gaussian_private(channel_, guarantee_.parameter());
  }
  return false;
}

template <class Channel>
void ChannelSampler<Channel>::for_each_public_integer(
    const std::function<void(uint128)>& take) const {
  for_each_integer(channel_, take);
}

template class ChannelSampler<MatrixChannel>;
template class ChannelSampler<RandomizedResponse>;
template class ChannelSampler<MixtureChannel>;
template class ChannelSampler<StaircaseChannel>;

}  // namespace mollify
