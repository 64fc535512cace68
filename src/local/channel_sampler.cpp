#include "mollify/local/channel_sampler.h"

#include <algorithm>

#include "column_ratio.h"
#include "mollify/local/input_weights.h"

namespace mollify {
namespace {

/// An integer for each outcome, in proportion to the law that the channel leaves in place.
std::uint64_t stationary(const RandomizedResponse&, std::size_t) { return 1; }
std::uint64_t stationary(const MixtureChannel& channel, std::size_t j) {
  return channel.reference(j);
}
std::uint64_t stationary(const StaircaseChannel& channel, std::size_t j) {
  return channel.reference(j);
}

template <class Channel>
std::vector<std::uint64_t> stationary_weights(const Channel& channel) {
  std::vector<std::uint64_t> weights(channel.outcome_count());
  for (std::size_t j = 0; j < weights.size(); ++j) weights[j] = stationary(channel, j);
  return weights;
}

std::uint32_t draw_from(const std::vector<std::uint64_t>& weights, SecureRandom& random) {
  std::uint64_t sum = 0;
  for (const std::uint64_t weight : weights) sum += weight;
  std::uint64_t position = random.below(sum);
  std::uint32_t i = 0;
  while (position >= weights[i]) position -= weights[i++];
  return i;
}

}  // namespace

template <class Channel>
void ChannelSampler<Channel>::draw(const ScoredOutcomes& p, SecureRandom& random,
                                   std::span<std::uint32_t> released) const {
  const InputWeights input(p, channel_.input_count());
  const std::vector<std::uint64_t> reference =
      input.empty() ? stationary_weights(channel_) : std::vector<std::uint64_t>();
  for (std::uint32_t& outcome : released) {
    const std::uint32_t value = input.empty() ? draw_from(reference, random) : input.draw(random);
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
  return detail::greatest_column_ratio_up(channel_);
}

template class ChannelSampler<RandomizedResponse>;
template class ChannelSampler<MixtureChannel>;
template class ChannelSampler<StaircaseChannel>;

}  // namespace mollify
