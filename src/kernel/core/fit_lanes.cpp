// fit_lanes.h, compiled once for each instruction set: see mollify_add_library in CMake.
#include "kernel/core/fit_lanes.h"

#include "kernel/core/lanes.h"

namespace mollify::detail {
namespace {

/// Exact products of the low halves.
inline Word4 times_low(Word4 a, Word4 b) {
#if defined(__AVX2__)
  return reinterpret_cast<Word4>(
      _mm256_mul_epu32(reinterpret_cast<__m256i>(a), reinterpret_cast<__m256i>(b)));
#else
  return (a & all(kLowHalf)) * (b & all(kLowHalf));
#endif
}

/// Keeps numerators inside bounds, which are integers and at most 2^62, as n is.
class Clamp {
 public:
  explicit Clamp(const Bounds& bounds)
      : low_(all(bounds.mantissa)),
        high_(all(bounds.mantissa >> 32)),
        left_(all(static_cast<std::uint64_t>(64 - bounds.shift))),
        right_(
            all(static_cast<std::uint64_t>(bounds.shift > 32 ? bounds.shift - 32 : bounds.shift))),
        limit_(all(std::uint64_t{1} << (bounds.shift - 2))),
        is_short_(bounds.shift > 32) {}

  /// Between lower and floor(lower mantissa / 2^shift), which is the upper bound of an n up to the
  /// total. The product is made of the four of its halves: lower <= 2^62 and mantissa < 2^53, so
  /// that no sum of these overflows.
  Word4 operator()(Word4 n, Word4 lower) const {
    n = less(n, lower) ? lower : n;
    const Word4 lower_high = lower >> 32;
    const Word4 last = times_low(lower, low_);
    const Word4 middle = times_low(lower, high_) + times_low(lower_high, low_) + (last >> 32);
    Word4 first = times_low(lower_high, high_), product;
    if (is_short_) {
      product = (first << left_) + (middle >> right_);
    } else {
      first += middle >> 32;
      product = (first << left_) | (((middle << 32) | (last & all(kLowHalf))) >> right_);
    }
    // From first = 2^(shift - 2) on, the product is at least 2^62, as n is at most: below, it is
    // less than 2^63. Ebar <= e^30 < 2^44, so that the shift is at least 9.
    return less(product, n) & less(first, limit_) ? product : n;
  }

 private:
  /// What processors have compares signed integers; these are below 2^63.
  static Int4 less(Word4 a, Word4 b) {
    return reinterpret_cast<Int4>(a) < reinterpret_cast<Int4>(b);
  }

  Word4 low_, high_, left_, right_, limit_;
  bool is_short_;
};

/// Any bounds: truncates, and clamps integers as such.
template <class Score>
inline uint128 round_clamped(const Bounds& bounds, const Score* scores, double at,
                             std::uint64_t* numerators, std::uint64_t* block_sums) {
  const Clamp clamp(bounds);
  const Real4 t = all(at);
  const Word4 same_lower = all(bounds.lower);
  // The greatest double up to the total, for one that has 53 bits or less.
  const int dropped = bounds.total >> 53 == 0 ? 0 : 11 - __builtin_clzll(bounds.total);
  const Real4 most = all(static_cast<double>(bounds.total >> dropped << dropped));
  const std::size_t whole = bounds.size - bounds.size % kLanes;
  uint128 sum = 0;
  for (std::size_t begin = 0; begin < bounds.size; begin += kBlock) {
    const std::size_t end = begin + kBlock < whole ? begin + kBlock : whole;
    // Sums modulo 2^64 and of the high halves tell a block's exact sum, whatever the numerators
    // are.
    Word4 low = all(std::uint64_t{0}), high = all(std::uint64_t{0});
    for (std::size_t i = begin; i < end; i += kLanes) {
      const Word4 lower = bounds.lowers ? load<Word4>(bounds.lowers + i) : same_lower;
      const Word4 n = clamp(truncate(load_scores(scores + i) * t, most), lower);
      __builtin_memcpy(numerators + i, &n, sizeof n);
      low += n;
      high += n >> 32;
    }
    uint128 block = 0;
    for (std::size_t j = 0; j < kLanes; ++j) {
      block += (static_cast<uint128>(high[j]) << 32) + (low[j] - (high[j] << 32));
    }
    if (begin + kBlock >= bounds.size && whole < bounds.size) {
      const Tail<Score> tail(bounds, scores);
      const Word4 n = clamp(truncate(load_scores(tail.scores) * t, most), load<Word4>(tail.lowers));
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
  const Granules granules(bounds);
  return bounds.lowers == nullptr && granules.are_fine(bounds)
             ? round_by_granules(bounds, granules, scores, t, numerators, block_sums)
             : round_clamped(bounds, scores, t, numerators, block_sums);
}

}  // namespace

#if defined(MOLLIFY_AVX2)
const RoundingLanes kAvx2RoundingLanes = {rounding_pass<double>, rounding_pass<float>};
#else
const RoundingLanes kBaselineRoundingLanes = {rounding_pass<double>, rounding_pass<float>};
#endif

}  // namespace mollify::detail
