#include "central/above_threshold.h"

#include "accounting/directed_rounding.h"
#include "kernel/core/invalid_input.h"

namespace mollify {
namespace {

double threshold_scale_of(double epsilon, std::uint64_t sensitivity) {
  require_between("epsilon of above-threshold", epsilon, 1e-6, 100);
  require_between("the sensitivity of a question", sensitivity, 1, 1000);
  return div_up(2 * static_cast<double>(sensitivity), epsilon);
}

}  // namespace

AboveThreshold::AboveThreshold(double epsilon, std::uint64_t sensitivity)
    : epsilon_(epsilon),
      threshold_scale_(threshold_scale_of(epsilon, sensitivity)),
      threshold_noise_(DiscreteLaplace::at_least(threshold_scale())),
      answer_noise_(DiscreteLaplace::at_least(answer_scale())) {}

std::optional<std::size_t> AboveThreshold::draw(
    std::size_t questions, const std::function<std::int64_t(std::size_t)>& answer,
    std::int64_t threshold, SecureRandom& random) const {
  const int128 noisy_threshold = threshold + threshold_noise_.draw_exact(random);
  for (std::size_t i = 0; i < questions; ++i) {
    if (answer(i) + answer_noise_.draw_exact(random) >= noisy_threshold) return i;
  }
  return std::nullopt;
}

}  // namespace mollify
