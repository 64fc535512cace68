// A private distribution as integers, for the samplers that draw a record first.
#pragma once

#include <cstdint>
#include <vector>

#include "kernel/core/law_integers.h"
#include "kernel/core/secure_random.h"
#include "local/sampler.h"

namespace mollify {

/// The distribution a channel's input is drawn from: integer weights on some of k inputs.
///
/// Counts of records (whole numbers below 2^53 whose sum is below 2^53) are taken as they are, so a
/// draw is a uniform record; other weights are scaled to about 2^61 in all. NaN, negative and
/// infinite weights and inputs out of range count as nothing. Privacy does not rest on this step: a
/// channel is private for every input law.
class InputWeights {
 public:
  InputWeights(const ScoredOutcomes& p, std::size_t input_count);

  /// Whether no input has weight; then there is nothing to draw.
  [[nodiscard]] bool empty() const { return prefix_.back() == 0; }

  /// An input with probability proportional to its weight. O(log m). Requires not empty().
  [[nodiscard]] std::uint32_t draw(SecureRandom& random) const;

  /// All that `empty` and `draw` depend on. Valid as long as this is. NOT PRIVATE.
  [[nodiscard]] LawIntegers integers() const {
    return {.outcomes = inputs_, .numerators = prefix_};
  }

  /// The weights, one for each of k inputs. NOT PRIVATE.
  [[nodiscard]] std::vector<std::uint64_t> dense() const;

 private:
  std::size_t input_count_;
  std::vector<std::uint32_t> inputs_;
  std::vector<std::uint64_t> prefix_;  // of the weights, with one entry more
};

}  // namespace mollify
