#include "local/input_weights.h"

#include <algorithm>
#include <cmath>

namespace mollify {
namespace {

double usable(double weight) { return weight > 0 && std::isfinite(weight) ? weight : 0; }

}  // namespace

InputWeights::InputWeights(const ScoredOutcomes& p, std::size_t input_count)
    : input_count_(input_count), prefix_(1) {
  const std::size_t count = std::min(p.outcomes.size(), p.weights.size());
  double sum = 0;
  double greatest = 0;
  bool whole = true;
  for (std::size_t j = 0; j < count; ++j) {
    if (p.outcomes[j] >= input_count) continue;
    const double weight = usable(p.weights[j]);
    sum += weight;
    greatest = std::max(greatest, weight);
    whole = whole && weight == std::floor(weight);
  }
  if (greatest == 0) return;
  // Relative to the greatest first, so that sums cannot overflow.
  const bool counts = whole && sum < 0x1p53;
  double relative_sum = 0;
  for (std::size_t j = 0; j < count && !counts; ++j) {
    if (p.outcomes[j] < input_count) relative_sum += usable(p.weights[j]) / greatest;
  }
  for (std::size_t j = 0; j < count; ++j) {
    if (p.outcomes[j] >= input_count) continue;
    const double weight = usable(p.weights[j]);
    const double scaled = counts ? weight : weight / greatest / relative_sum * 0x1p61;
    inputs_.push_back(p.outcomes[j]);
    prefix_.push_back(prefix_.back() + static_cast<std::uint64_t>(scaled));
  }
}

std::uint32_t InputWeights::draw(SecureRandom& random) const {
  const std::uint64_t position = random.below(prefix_.back());
  const auto after = std::upper_bound(prefix_.begin(), prefix_.end(), position);
  return inputs_[static_cast<std::size_t>(after - prefix_.begin()) - 1];
}

std::vector<std::uint64_t> InputWeights::dense() const {
  std::vector<std::uint64_t> weights(input_count_);
  for (std::size_t j = 0; j < inputs_.size(); ++j) {
    weights[inputs_[j]] += prefix_[j + 1] - prefix_[j];
  }
  return weights;
}

}  // namespace mollify
