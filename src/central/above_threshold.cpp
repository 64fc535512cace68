#include "central/above_threshold.h"

#include <fmt/format.h>

#include "accounting/directed_rounding.h"
#include "kernel/core/invalid_input.h"

namespace mollify {
namespace {

double threshold_scale_of(double epsilon, std::uint64_t sensitivity) {
  if (!(epsilon >= 1e-6 && epsilon <= 100)) {
    throw InvalidInput(
        fmt::format("epsilon of above-threshold must be from 1e-06 to 100, but is {}", epsilon));
  }
  if (sensitivity < 1 || sensitivity > 1000) {
    throw InvalidInput(fmt::format(
        "the sensitivity of a question must be from 1 to 1000, but is {}", sensitivity));
  }
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
