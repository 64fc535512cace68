#include "core/numerators.h"

#include <algorithm>
#include <cmath>

#include "core/lanes.h"

namespace mollify {

namespace {

uint128 round_as_they_are(const Bounds& bounds, const double* scores, double t, Numerators to) {
  return detail::fastest<detail::RoundingLanes>().of_double(
      bounds, scores, t, to.of_outcomes.data(), to.of_blocks.data());
}
uint128 round_as_they_are(const Bounds& bounds, const float* scores, double t, Numerators to) {
  return detail::fastest<detail::RoundingLanes>().of_float(bounds, scores, t, to.of_outcomes.data(),
                                                           to.of_blocks.data());
}

/// A block at a time, for a release may not depend on whether there is memory for scores like
/// these.
template <class Score>
uint128 round_rescaled(const Bounds& bounds, const Score* scores, ScoreScale scale, Numerators to) {
  uint128 sum = 0;
  for (std::size_t begin = 0; begin < bounds.size; begin += kBlock) {
    const Bounds block = bounds.part(begin, std::min(kBlock, bounds.size - begin));
    double block_scores[kBlock];
    for (std::size_t i = 0; i < block.size; ++i) {
      block_scores[i] = rescaled(static_cast<double>(scores[begin + i]), scale.exponent);
    }
    sum += round_as_they_are(
        block, block_scores, scale.t,
        {to.of_outcomes.subspan(begin, block.size), to.of_blocks.subspan(begin / kBlock, 1)});
  }
  return sum;
}

/// Outcomes that are positive at their upper bounds, the others in proportion to their lower ones.
template <class IsPositive>
uint128 saturate(const Bounds& bounds, IsPositive is_positive, Numerators to) {
  uint128 taken = 0;
  uint128 floor_sum = 0;
  for (std::size_t i = 0; i < bounds.size; ++i) {
    if (is_positive(i)) {
      taken += to.of_outcomes[i] = bounds.upper_at(i);
    } else {
      floor_sum += bounds.lower_at(i);
    }
  }
  // At most 2^62, as a lower bound is, so the product below fits. Neighbours with one lower bound
  // have one share, for such a division is slow.
  const uint128 rest = taken < bounds.total ? bounds.total - taken : 0;
  uint128 sum = 0;
  std::uint64_t last_lower = 0;
  uint128 share = 0;
  for (std::size_t i = 0; i < bounds.size; ++i) {
    std::uint64_t& n = to.of_outcomes[i];
    if (!is_positive(i)) {
      const std::uint64_t lower = bounds.lower_at(i);
      if (lower != last_lower) share = lower == 0 ? 0 : lower * rest / floor_sum;
      last_lower = lower;
      n = static_cast<std::uint64_t>(std::clamp<uint128>(share, lower, bounds.upper_at(i)));
    }
    if (i % kBlock == 0) to.of_blocks[i / kBlock] = 0;
    to.of_blocks[i / kBlock] += n;
    sum += n;
  }
  return sum;
}

}  // namespace

Bounds::Bounds(const Band& band)
    : lowers(band.is_uniform() ? nullptr : band.lowers().data()),
      lower(band.is_uniform() ? band.lower(0) : 0),
      upper(band.is_uniform() ? band.upper(0) : 0),
      size(band.outcome_count()),
      total(band.total()),
      lower_sum(band.lower_before(size)),
      mantissa(band.bound().mantissa()),
      shift(band.bound().shift()) {}

double rescaled(double score, int exponent) {
  return score > 0 ? std::fmin(std::scalbn(score, exponent), 2) : 0;
}

void fit_reference(const Bounds& bounds, Numerators to) {
  const auto none = [](std::size_t) { return false; };
  detail::settle(bounds, saturate(bounds, none, to), to);
}

namespace detail {

template <class Score>
uint128 round(const Bounds& bounds, const Score* scores, ScoreScale scale, Numerators to) {
  if (std::isinf(scale.t)) {
    const auto is_positive = [&](std::size_t i) {
      const auto score = static_cast<double>(scores[i]);
      return (scale.exponent == 0 ? score : rescaled(score, scale.exponent)) > kLeastScore;
    };
    return saturate(bounds, is_positive, to);
  }
  return scale.exponent == 0 ? round_as_they_are(bounds, scores, scale.t, to)
                             : round_rescaled(bounds, scores, scale, to);
}
template uint128 round(const Bounds&, const double*, ScoreScale, Numerators);
template uint128 round(const Bounds&, const float*, ScoreScale, Numerators);

void settle(const Bounds& bounds, uint128 sum, Numerators numerators) {
  const bool raise = sum < bounds.total;
  uint128 missing = raise ? bounds.total - sum : sum - bounds.total;
  // Rounding leaves over a few units an outcome. The first few outcomes take them, each about 2^-32
  // of its own, so that no probability changes visibly. If the scale came nowhere near, each round
  // moves twice as much as the one before, until a numerator may double, or fall to its lower
  // bound, at once.
  for (int shift = 32; missing != 0; shift = std::max(shift - 1, 0)) {
    for (std::size_t i = 0; i < bounds.size && missing != 0; ++i) {
      const std::uint64_t n = numerators.of_outcomes[i];
      const std::uint64_t room = raise ? bounds.upper_at(i) - n : n - bounds.lower_at(i);
      std::uint64_t step = std::min(room, (n >> shift) + 1);
      if (missing < step) step = static_cast<std::uint64_t>(missing);
      numerators.of_outcomes[i] = raise ? n + step : n - step;
      numerators.of_blocks[i / kBlock] += raise ? step : -step;
      missing -= step;
    }
  }
}

}  // namespace detail

}  // namespace mollify
