#include "core/numerators.h"

#include <algorithm>
#include <cmath>

#include "core/lanes.h"

namespace mollify {

namespace {

const detail::RoundingLanes& lanes() { return detail::fastest<detail::RoundingLanes>(); }

template <class Pass, class... Given>
uint128 in_lanes(const Pass& pass, const Bounds& bounds, Numerators to, Given... given) {
  return pass(bounds, given..., to.of_outcomes.data(), to.of_blocks.data());
}

uint128 round_as_they_are(const Bounds& bounds, const double* scores, double t, Numerators to) {
  return in_lanes(lanes().of_double, bounds, to, scores, t);
}
uint128 round_as_they_are(const Bounds& bounds, const float* scores, double t, Numerators to) {
  return in_lanes(lanes().of_float, bounds, to, scores, t);
}
uint128 round_to_ends(const Bounds& bounds, const double* scores, std::uint64_t above,
                      std::uint64_t other, Numerators to) {
  return in_lanes(lanes().ends_of_double, bounds, to, scores, above, other);
}
uint128 round_to_ends(const Bounds& bounds, const float* scores, std::uint64_t above,
                      std::uint64_t other, Numerators to) {
  return in_lanes(lanes().ends_of_float, bounds, to, scores, above, other);
}

/// A block at a time, for a release may not depend on whether there is memory for scores like
/// these.
template <class Score>
uint128 round_rescaled(const Bounds& bounds, const Score* scores, ScoreScale scale, Numerators to) {
  const Rescaling rescaled(scale.exponent);
  uint128 sum = 0;
  for (std::size_t begin = 0; begin < bounds.size; begin += kBlock) {
    const Bounds block = bounds.part(begin, std::min(kBlock, bounds.size - begin));
    double block_scores[kBlock];
    for (std::size_t i = 0; i < block.size; ++i) {
      block_scores[i] = rescaled(static_cast<double>(scores[begin + i]));
    }
    sum += round_as_they_are(
        block, block_scores, scale.t,
        {to.of_outcomes.subspan(begin, block.size), to.of_blocks.subspan(begin / kBlock, 1)});
  }
  return sum;
}

/// The rest in proportion to lower bounds: floor(lower rest / whole), exactly, without a division
/// for each. Both are at most 2^62, and so is every lower bound, which is at most `whole`.
class Shares {
 public:
  Shares(std::uint64_t rest, std::uint64_t whole)
      : rest_(rest),
        whole_(whole),
        each_(whole == 0 ? 0 : rest / whole),
        fraction_(whole == 0 ? 0
                             : static_cast<std::uint64_t>((uint128{rest % whole} << 64) / whole)) {}

  /// The fraction is short by less than 2^-64, and its multiple by less than lower / 2^64. So the
  /// multiple's integer part is the right one unless its own fraction lies as near to the next.
  [[nodiscard]] std::uint64_t of(std::uint64_t lower) const {
    const uint128 multiple = uint128{lower} * fraction_;
    const std::uint64_t share = lower * each_ + static_cast<std::uint64_t>(multiple >> 64);
    const bool may_be_more = static_cast<std::uint64_t>(multiple) > ~lower;
    return may_be_more && uint128{share + 1} * whole_ <= uint128{lower} * rest_ ? share + 1 : share;
  }

 private:
  std::uint64_t rest_, whole_, each_, fraction_;
};

/// Shares of the rest of the total, for outcomes whose lower bounds have this sum.
Shares shares_of(const Bounds& bounds, uint128 taken, uint128 lower_sum) {
  return {taken < bounds.total ? bounds.total - static_cast<std::uint64_t>(taken) : 0,
          static_cast<std::uint64_t>(lower_sum)};
}

/// The share of an outcome that is not positive, inside its bounds.
std::uint64_t clamped_share(const Bounds& bounds, const Shares& shares, std::size_t i) {
  return std::clamp(shares.of(bounds.lower_at(i)), bounds.lower_at(i), bounds.upper_at(i));
}

/// Outcomes that are positive at their upper bounds, the others in proportion to their lower ones.
template <class IsPositive>
uint128 saturate(const Bounds& bounds, IsPositive is_positive, Numerators to) {
  uint128 taken = 0, lower_sum = 0;
  for (std::size_t i = 0; i < bounds.size; ++i) {
    taken += is_positive(i) ? bounds.upper_at(i) : 0;
    lower_sum += is_positive(i) ? 0 : bounds.lower_at(i);
  }
  const Shares shares = shares_of(bounds, taken, lower_sum);
  uint128 sum = 0;
  for (std::size_t i = 0; i < bounds.size; ++i) {
    const std::uint64_t n = is_positive(i) ? bounds.upper_at(i) : clamped_share(bounds, shares, i);
    to.of_outcomes[i] = n;
    if (i % kBlock == 0) to.of_blocks[i / kBlock] = 0;
    to.of_blocks[i / kBlock] += n;
    sum += n;
  }
  return sum;
}

/// `saturate` for one pair of bounds and scores that are not rescaled.
template <class Score>
uint128 saturate_alike(const Bounds& bounds, const Score* scores, Numerators to) {
  const auto positive = static_cast<std::uint64_t>(round_to_ends(bounds, scores, 1, 0, to));
  const Shares shares = shares_of(bounds, uint128{positive} * bounds.upper,
                                  uint128{bounds.size - positive} * bounds.lower);
  return round_to_ends(bounds, scores, bounds.upper, clamped_share(bounds, shares, 0), to);
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

void fit_reference(const Bounds& bounds, Numerators to) {
  const auto none = [](std::size_t) { return false; };
  detail::settle(bounds, saturate(bounds, none, to), to);
}

namespace detail {

template <class Score>
uint128 round(const Bounds& bounds, const Score* scores, ScoreScale scale, Numerators to) {
  if (std::isinf(scale.t)) {
    if (bounds.lowers == nullptr && scale.exponent == 0) {
      return saturate_alike(bounds, scores, to);
    }
    const Rescaling rescaled(scale.exponent);
    const auto is_positive = [&](std::size_t i) {
      const auto score = static_cast<double>(scores[i]);
      return (scale.exponent == 0 ? score : rescaled(score)) > kLeastScore;
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
