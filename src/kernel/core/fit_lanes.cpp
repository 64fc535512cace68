// fit_lanes.h, compiled once for each instruction set: see mollify_add_library in CMake.
#include "kernel/core/fit_lanes.h"

#include "kernel/core/lanes.h"

namespace mollify::detail {
namespace {

inline Word4 clamp(Word4 x, Word4 lower, Word4 upper) {
  // All values are below 2^63, so the signed comparison that processors have is right.
  x = reinterpret_cast<Int4>(x) < reinterpret_cast<Int4>(lower) ? lower : x;
  return reinterpret_cast<Int4>(x) > reinterpret_cast<Int4>(upper) ? upper : x;
}

/// Bounds that are the same for every outcome, and bounds that are not, behind one shape.
struct SameBounds {
  Word4 lower_, upper_;
  explicit SameBounds(const Bounds& bounds)
      : lower_(all(bounds.lower)), upper_(all(bounds.upper)) {}
  Word4 lower(std::size_t) const { return lower_; }
  Word4 upper(std::size_t) const { return upper_; }
};

struct OwnBounds {
  const std::uint64_t* lowers_;
  const std::uint64_t* uppers_;
  explicit OwnBounds(const Bounds& bounds) : lowers_(bounds.lowers), uppers_(bounds.uppers) {}
  Word4 lower(std::size_t i) const { return load<Word4>(lowers_ + i); }
  Word4 upper(std::size_t i) const { return load<Word4>(uppers_ + i); }
};

/// Any bounds: truncates, and clamps integers as such.
template <class BoundsOf, class Score>
inline uint128 round_with(const Bounds& bounds, const Score* scores, double at,
                          std::uint64_t* numerators, std::uint64_t* block_sums) {
  const BoundsOf of(bounds);
  const Real4 t = all(at);
  const std::size_t whole = bounds.size - bounds.size % kLanes;
  uint128 sum = 0;
  for (std::size_t begin = 0; begin < bounds.size; begin += kBlock) {
    const std::size_t end = begin + kBlock < whole ? begin + kBlock : whole;
    // Halves are summed apart, so that a block's sum is exact whatever the numerators are.
    Word4 low = all(std::uint64_t{0}), high = all(std::uint64_t{0});
    for (std::size_t i = begin; i < end; i += kLanes) {
      const Word4 n = clamp(truncate(load_scores(scores + i) * t), of.lower(i), of.upper(i));
      __builtin_memcpy(numerators + i, &n, sizeof n);
      low += n & all(std::uint64_t{0xffffffff});
      high += n >> 32;
    }
    uint128 block = 0;
    for (std::size_t j = 0; j < kLanes; ++j)
      block += low[j] + (static_cast<uint128>(high[j]) << 32);
    if (begin + kBlock >= bounds.size && whole < bounds.size) {
      const Tail<Score> tail(bounds, scores);
      const Word4 n = clamp(truncate(load_scores(tail.scores) * t), load<Word4>(tail.lowers),
                            load<Word4>(tail.uppers));
      for (std::size_t j = 0; j < tail.count; ++j) {
        numerators[tail.begin + j] = n[j];
        block += n[j];
      }
    }
    block_sums[begin / kBlock] = static_cast<std::uint64_t>(block);
    sum += block;
  }
  return sum;
}

/// Bounds that are the same for all outcomes, in half the time: a numerator is the lower bound and
/// m granules of 2^shift parts, m being an integer from 0 to `most`. It is inside its bounds,
/// because most 2^shift <= upper - lower. And most < 2^51, so that doubles hold every m exactly.
struct Granules {
  std::uint64_t shift;
  std::uint64_t most;
  explicit Granules(const Bounds& bounds) {
    const std::uint64_t room = bounds.upper - bounds.lower;
    const int bits = 64 - __builtin_clzll(room | 1);
    shift = bits > 51 ? static_cast<std::uint64_t>(bits - 51) : 0;
    most = room >> shift;
  }
  /// Whether a granule is too small to matter: one part, or at most 2^-36 of the lower bound.
  bool are_fine(const Bounds& bounds) const {
    return shift == 0 || (bounds.lower >> shift) >= std::uint64_t{1} << 36;
  }
};

template <class Score>
inline uint128 round_by_granules(const Bounds& bounds, const Granules& granules,
                                 const Score* scores, double at, std::uint64_t* numerators,
                                 std::uint64_t* block_sums) {
  // The bits of the double 2^52 + m, less those of 2^52, are the integer m; and adding 2^52 rounds
  // to an integer. Whatever is below 2^52, and NaN, becomes 2^52: m is at least 0. Greater doubles,
  // infinity among them, have greater bits, but below 2^63: so the signed comparison is right, and
  // m, by now an integer, is clamped to `most`.
  const Real4 none = all(0x1p52);
  const Word4 most = all(granules.most);
  const double per_part = 1 / static_cast<double>(std::uint64_t{1} << granules.shift);
  const Real4 t = all(at * per_part);
  const Real4 lifted = all(0x1p52 - static_cast<double>(bounds.lower) * per_part);
  const Word4 lower = all(bounds.lower);
  const std::size_t whole = bounds.size - bounds.size % kLanes;
  const auto multiples = [&](Real4 score) {
    Real4 x = score * t + lifted;
    x = at_least(none, x);
    const Word4 m = reinterpret_cast<Word4>(x) - reinterpret_cast<Word4>(none);
    return reinterpret_cast<Int4>(m) > reinterpret_cast<Int4>(most) ? most : m;
  };
  uint128 sum = 0;
  for (std::size_t begin = 0; begin < bounds.size; begin += kBlock) {
    const std::size_t all_end = begin + kBlock < bounds.size ? begin + kBlock : bounds.size;
    const std::size_t end = all_end < whole ? all_end : whole;
    Word4 block_multiples = all(std::uint64_t{0});  // below 2^51 each: 256 cannot overflow
    for (std::size_t i = begin; i < end; i += kLanes) {
      const Word4 m = multiples(load_scores(scores + i));
      const Word4 n = lower + (m << granules.shift);
      __builtin_memcpy(numerators + i, &n, sizeof n);
      block_multiples += m;
    }
    if (end < all_end) {
      Score last[kLanes] = {};
      for (std::size_t i = end; i < all_end; ++i) last[i - end] = scores[i];
      const Word4 m = multiples(load_scores(last));
      for (std::size_t i = end; i < all_end; ++i) {
        numerators[i] = bounds.lower + (m[i - end] << granules.shift);
        block_multiples[0] += m[i - end];
      }
    }
    const std::uint64_t all_multiples =
        (block_multiples[0] + block_multiples[1]) + (block_multiples[2] + block_multiples[3]);
    const uint128 block = (static_cast<uint128>(all_multiples) << granules.shift) +
                          static_cast<uint128>(bounds.lower) * (all_end - begin);
    block_sums[begin / kBlock] = static_cast<std::uint64_t>(block);
    sum += block;
  }
  return sum;
}

template <class Score>
uint128 rounding_pass(const Bounds& bounds, const Score* scores, double t,
                      std::uint64_t* numerators, std::uint64_t* block_sums) {
  if (bounds.lowers) return round_with<OwnBounds>(bounds, scores, t, numerators, block_sums);
  const Granules granules(bounds);
  return granules.are_fine(bounds)
             ? round_by_granules(bounds, granules, scores, t, numerators, block_sums)
             : round_with<SameBounds>(bounds, scores, t, numerators, block_sums);
}

}  // namespace

#if defined(MOLLIFY_AVX2)
const RoundingLanes kAvx2RoundingLanes = {rounding_pass<double>, rounding_pass<float>};
#else
const RoundingLanes kBaselineRoundingLanes = {rounding_pass<double>, rounding_pass<float>};
#endif

}  // namespace mollify::detail
