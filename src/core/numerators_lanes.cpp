// The rounding pass, compiled once for each instruction set.

#include "core/lanes.h"

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

// A rule says what becomes of four scores: a numerator is `base` and as many times 2^shift parts as
// the rule returns, which is an integer between public ones whatever the score. Of a score 0 under
// bounds that are 0 it returns 0.

/// Any bounds: truncates, and clamps integers as such. Bounds are at most 2^62, as n is.
class Clamp {
 public:
  static constexpr bool kIsBelow55Bits = false;
  static constexpr std::uint64_t shift = 0;
  static constexpr std::uint64_t base = 0;

  Clamp(const Bounds& bounds, double t)
      : t_(all(t)),
        low_(all(bounds.mantissa)),
        high_(all(bounds.mantissa >> 32)),
        left_(all(static_cast<std::uint64_t>(64 - bounds.shift))),
        right_(
            all(static_cast<std::uint64_t>(bounds.shift > 32 ? bounds.shift - 32 : bounds.shift))),
        limit_(all(std::uint64_t{1} << (bounds.shift - 2))),
        is_short_(bounds.shift > 32) {
    // The greatest double up to the total, for one that has 53 bits or less.
    const int dropped = bounds.total >> 53 == 0 ? 0 : 11 - __builtin_clzll(bounds.total);
    most_ = all(static_cast<double>(bounds.total >> dropped << dropped));
  }

  /// Between lower and floor(lower mantissa / 2^shift), which is the upper bound of an n up to the
  /// total. The product is made of the four of its halves: lower <= 2^62 and mantissa < 2^53, so
  /// that no sum of these overflows.
  Word4 operator()(Real4 scores, Word4 lower) const {
    Word4 n = truncate(scores * t_, most_);
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
  /// Processors compare signed integers; these are below 2^63.
  static Int4 less(Word4 a, Word4 b) {
    return reinterpret_cast<Int4>(a) < reinterpret_cast<Int4>(b);
  }

  Real4 t_, most_;
  Word4 low_, high_, left_, right_, limit_;
  bool is_short_;
};

/// Bounds that are the same for all outcomes, in half the time: a numerator is the lower bound and
/// m granules of 2^shift parts, m being an integer from 0 to `most`. It is inside its bounds,
/// because most 2^shift <= upper - lower. And most < 2^51, so that doubles hold every m exactly.
class Granules {
 public:
  static constexpr bool kIsBelow55Bits = true;
  std::uint64_t shift;
  std::uint64_t base;

  Granules(const Bounds& bounds, double t) : base(bounds.lower) {
    const std::uint64_t room = bounds.upper - bounds.lower;
    const int bits = 64 - __builtin_clzll(room | 1);
    shift = bits > 51 ? static_cast<std::uint64_t>(bits - 51) : 0;
    most_ = all(room >> shift);
    const double per_part = 1 / static_cast<double>(std::uint64_t{1} << shift);
    t_ = all(t * per_part);
    lifted_ = all(0x1p52 - static_cast<double>(bounds.lower) * per_part);
  }

  /// Whether a granule is too small to matter: one part, or at most 2^-36 of the lower bound.
  bool are_fine() const { return shift == 0 || (base >> shift) >= std::uint64_t{1} << 36; }

  /// The bits of the double 2^52 + m, less the bits of 2^52, are the integer m; and adding 2^52
  /// rounds to an integer. Whatever is below 2^52, and NaN, becomes 2^52: m is at least 0. Greater
  /// doubles, infinity among them, have greater bits, but below 2^63: so the signed comparison is
  /// right, and m, by now an integer, is clamped to `most`.
  Word4 operator()(Real4 scores, Word4) const {
    const Real4 none = all(0x1p52);
    const Real4 x = at_least(none, scores * t_ + lifted_);
    const Word4 m = reinterpret_cast<Word4>(x) - reinterpret_cast<Word4>(none);
    return reinterpret_cast<Int4>(m) > reinterpret_cast<Int4>(most_) ? most_ : m;
  }

 private:
  Word4 most_;
  Real4 t_, lifted_;
};

/// Bounds that are the same for all outcomes, and one of two integers for each.
class Ends {
 public:
  static constexpr bool kIsBelow55Bits = false;
  static constexpr std::uint64_t shift = 0;
  static constexpr std::uint64_t base = 0;

  Ends(std::uint64_t above, std::uint64_t other) : above_(all(above)), other_(all(other)) {}

  /// A lower bound of 0 completes the last four, and its n is 0.
  Word4 operator()(Real4 scores, Word4 lower) const {
    const Word4 n = scores > all(kLeastScore) ? above_ : other_;
    return n & reinterpret_cast<Word4>(lower != all(std::uint64_t{0}));
  }

 private:
  Word4 above_, other_;
};

template <class Rule, class Score>
inline uint128 round_by(const Rule rule, const Bounds& bounds, const Score* scores,
                        std::uint64_t* numerators, std::uint64_t* block_sums) {
  const Word4 same_lower = all(bounds.lower);
  uint128 sum = 0;
  for (std::size_t begin = 0; begin < bounds.size; begin += kBlock) {
    const std::size_t end = begin + kBlock < bounds.size ? begin + kBlock : bounds.size;
    // Sums modulo 2^64 and of the high halves tell a block's exact sum, whatever the integers are;
    // where all are below 2^55, the first alone does.
    Word4 low = all(std::uint64_t{0}), high = all(std::uint64_t{0});
    const auto round_four = [&](Real4 four, Word4 lower) {
      const Word4 n = rule(four, lower);
      low += n;
      if constexpr (!Rule::kIsBelow55Bits) high += n >> 32;
      return all(rule.base) + (n << rule.shift);
    };
    std::size_t i = begin;
    for (; i + kLanes <= end; i += kLanes) {
      const Word4 n = round_four(load_scores(scores + i),
                                 bounds.lowers ? load<Word4>(bounds.lowers + i) : same_lower);
      __builtin_memcpy(numerators + i, &n, sizeof n);
    }
    if (i < end) {
      const Tail<Score> tail(bounds, scores);
      const Word4 n = round_four(load_scores(tail.scores), load<Word4>(tail.lowers));
      for (std::size_t j = 0; i + j < end; ++j) numerators[i + j] = n[j];
    }
    uint128 block = 0;
    for (std::size_t j = 0; j < kLanes; ++j) {
      block += (static_cast<uint128>(high[j]) << 32) + (low[j] - (high[j] << 32));
    }
    block = (block << rule.shift) + static_cast<uint128>(rule.base) * (end - begin);
    block_sums[begin / kBlock] = static_cast<std::uint64_t>(block);
    sum += block;
  }
  return sum;
}

template <class Score>
uint128 rounding_pass(const Bounds& bounds, const Score* scores, double t,
                      std::uint64_t* numerators, std::uint64_t* block_sums) {
  const Granules granules(bounds, t);
  return bounds.lowers == nullptr && granules.are_fine()
             ? round_by(granules, bounds, scores, numerators, block_sums)
             : round_by(Clamp(bounds, t), bounds, scores, numerators, block_sums);
}

template <class Score>
uint128 ends_pass(const Bounds& bounds, const Score* scores, std::uint64_t above,
                  std::uint64_t other, std::uint64_t* numerators, std::uint64_t* block_sums) {
  return round_by(Ends(above, other), bounds, scores, numerators, block_sums);
}

#if defined(MOLLIFY_DOUBLES_ONLY)  // a small library, which calls no other passes
constexpr RoundingLanes kRoundingPasses = {rounding_pass<double>, nullptr, ends_pass<double>,
                                           nullptr};
#else
constexpr RoundingLanes kRoundingPasses = {rounding_pass<double>, rounding_pass<float>,
                                           ends_pass<double>, ends_pass<float>};
#endif

}  // namespace

const RoundingLanes RoundingLanes::MOLLIFY_LANES = kRoundingPasses;

}  // namespace mollify::detail
