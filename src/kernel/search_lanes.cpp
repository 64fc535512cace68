#include "kernel/search_lanes.h"

#include "core/lanes.h"
#include "kernel/eight_lanes.h"

namespace mollify::detail {
namespace {

// -----------------------------------------------------------------------------------------------
// Lower bounds.

template <class Mass>
void lowers(const LowerRule& rule, const Mass* masses, std::size_t size, std::uint64_t* to) {
  const Real4 hair = all(rule.is_generous ? 1 + 0x1p-39 : 1.0);
  const Real4 per_mass = all(rule.floor / rule.mass_sum * rule.total) * hair;
  const Real4 least = all(rule.floor), mass_sum = all(rule.mass_sum), parts = all(rule.total);
  const auto lower_of = [&](const Mass* four) {
    const Real4 mass = load_scores(four);
    const Real4 share =
        sizeof(Mass) == sizeof(float) ? mass * per_mass : least * (mass / mass_sum) * parts * hair;
#if defined(__AVX2__)
    return truncate(rule.is_generous ? _mm256_ceil_pd(share) : share);
#else
    const Real4 near = share < all(0x1p52) ? (share + all(0x1p52)) - all(0x1p52) : share;
    return truncate(rule.is_generous ? (near < share ? near + all(1.0) : near) : share);
#endif
  };
  const std::size_t whole = size - size % kLanes;
  for (std::size_t i = 0; i < whole; i += kLanes) {
    const Word4 lower = lower_of(masses + i);
    __builtin_memcpy(to + i, &lower, sizeof lower);
  }
  Mass rest[kLanes] = {};
  for (std::size_t i = whole; i < size; ++i) rest[i - whole] = masses[i];
  const Word4 last = lower_of(rest);
  for (std::size_t i = whole; i < size; ++i) to[i] = last[i - whole];
}

// -----------------------------------------------------------------------------------------------
// Sums over scores.

/// Integers below 2^63 as doubles, correctly rounded except for one last place; by the short way if
/// all four are below 2^52.
inline Real4 to_real(Word4 integers) {
#if defined(__AVX2__)
  const __m256i top = _mm256_set1_epi64x(-(std::int64_t{1} << 52));
  if (_mm256_testz_si256(reinterpret_cast<__m256i>(integers), top) != 0) {
    return reinterpret_cast<Real4>(integers | reinterpret_cast<Word4>(all(0x1p52))) - all(0x1p52);
  }
#endif
  const Word4 high = (integers >> 32) | all(std::uint64_t{0x4530000000000000});
  const Word4 low = (integers & all(kLowHalf)) | all(std::uint64_t{0x4330000000000000});
  return (reinterpret_cast<Real4>(high) - all(0x1p84 + 0x1p52)) + reinterpret_cast<Real4>(low);
}

inline double total(Real4 x) { return (x[0] + x[1]) + (x[2] + x[3]); }
inline double greatest_of(Real4 x) {
  for (std::size_t j = 1; j < kLanes; ++j) x[0] = x[j] > x[0] ? x[j] : x[0];
  return x[0];
}

/// Lower bounds, an array of them or one for all, and the room between each and the upper one.
template <bool kAreOwn>
struct RealBounds {
  const std::uint64_t* lowers;
  Real4 same_lower, same_room, total, excess;  // Ebar - 1

  RealBounds(const Bounds& bounds, const std::uint64_t* own)
      : lowers(own),
        same_lower(all(static_cast<double>(bounds.lower))),
        same_room(all(static_cast<double>(bounds.upper - bounds.lower))),
        total(all(static_cast<double>(bounds.total))) {
    const std::uint64_t one = std::uint64_t{1} << bounds.shift;
    excess = all(static_cast<double>(bounds.mantissa - one) / static_cast<double>(one));
  }
  Real4 lower(std::size_t i) const {
    return kAreOwn ? to_real(load<Word4>(lowers + i)) : same_lower;
  }
  Real4 room(Real4 lower) const {
    if (!kAreOwn) return same_room;
    const Real4 room = lower * excess, rest = total - lower;
    return room < rest ? room : rest;
  }
};

/// Calls step(chain, four scores, their bounds, where these are) for all outcomes, the last of them
/// completed by scores and lower bounds of zero: all reading is here and in `narrow`. Two chains of
/// additions, so that one does not have to wait for the other.
template <bool kAreOwn, class Score, class Step>
inline void for_each_four_of(const Bounds& bounds, const Score* scores, Step step) {
  const RealBounds<kAreOwn> real(bounds, bounds.lowers);
  const std::size_t whole = bounds.size - bounds.size % kLanes;
  std::size_t i = 0;
  for (; i + 2 * kLanes <= whole; i += 2 * kLanes) {
    step(0, load_scores(scores + i), real, i);
    step(1, load_scores(scores + i + kLanes), real, i + kLanes);
  }
  if (i < whole) step(0, load_scores(scores + i), real, i);
  if (whole == bounds.size) return;
  const Tail<Score> tail(bounds, scores);
  step(1, load_scores(tail.scores), RealBounds<kAreOwn>(bounds, tail.lowers), 0);
}

template <class Score, class Step>
inline void for_each_four(const Bounds& bounds, const Score* scores, Step step) {
  if (bounds.lowers == nullptr) return for_each_four_of<false>(bounds, scores, step);
  for_each_four_of<true>(bounds, scores, step);
}

template <class Score>
Survey survey(const Bounds& bounds, const Score* scores) {
  Real4 sum[2] = {}, greatest[2] = {}, room[2] = {};
  const auto step = [&](int chain, Real4 score, const auto& real, std::size_t i) {
    const Int4 positive = score > all(kLeastScore);
    sum[chain] += positive ? score : all(0.0);
    greatest[chain] = score > greatest[chain] ? score : greatest[chain];
    room[chain] += positive ? real.room(real.lower(i)) : all(0.0);
  };
  for_each_four(bounds, scores, step);
  return {total(sum[0] + sum[1]),
          greatest_of(greatest[0] > greatest[1] ? greatest[0] : greatest[1]),
          total(room[0] + room[1])};
}

template <class Score>
Excess excess(const Bounds& bounds, const Score* scores, double at) {
  Real4 sum[2] = {}, slope[2] = {};
  const auto step = [&, t = all(at)](int chain, Real4 score, const auto& real, std::size_t i) {
    const Real4 lower = real.lower(i), room = real.room(lower), above = score * t - lower;
    Real4 clipped = at_least(all(0.0), above);
    clipped = clipped < room ? clipped : room;
    sum[chain] += clipped;
    slope[chain] += clipped == above ? score : all(0.0);
  };
  for_each_four(bounds, scores, step);
  return {total(sum[0] + sum[1]), total(slope[0] + slope[1])};
}

// -----------------------------------------------------------------------------------------------
// Which few of many scores decide.

inline Float8 wide(double value) { return wide(static_cast<float>(value)); }

template <bool kAnyFree>
Narrowed narrow_by(const Bounds& bounds, const float* scores, double least, double most, float* to,
                   std::size_t room) {
  // A hair to the safe side, for single precision rounds.
  constexpr double kLess = 1 - 0x1p-20, kMore = 1 + 0x1p-20;
  const auto lower = static_cast<double>(bounds.lower), upper = static_cast<double>(bounds.upper);
  const Float8 at_lower = wide(lower / most * kLess), above_lower = wide(lower / least * kMore);
  const Float8 below_upper = wide(upper / most * kLess), at_upper = wide(upper / least * kMore);
  Real4 sum[2] = {};
  Int8 free_count = {}, upper_count = {};
  std::size_t copied = 0;
  for (std::size_t i = 0; i < bounds.size && copied + kWide <= room; i += kWide) {
    float last[kWide] = {};
    const float* eight = scores + i;
    if (bounds.size - i < kWide) {
      for (std::size_t j = i; j < bounds.size; ++j) last[j - i] = scores[j];
      eight = last;
    }
    const Float8 score = load<Float8>(eight);
    Int8 is_clear = score <= at_lower;
    if constexpr (kAnyFree) {
      const Int8 is_free = (score >= above_lower) & (score <= below_upper);
      const Int8 is_upper = (score >= at_upper) & (score < wide(__builtin_inf()));
      free_count -= is_free;
      upper_count -= is_upper;
      is_clear |= is_free | is_upper;
      const Int8 free_bits = reinterpret_cast<Int8>(score) & is_free;
      float free[kWide];
      __builtin_memcpy(free, &free_bits, sizeof free);
      sum[0] += load_scores(free);
      sum[1] += load_scores(free + kLanes);
    }
    copied += pack(score, ~is_clear, to + copied);
  }
  Narrowed result{total(sum[0] + sum[1]), 0, 0, copied};
  for (std::size_t j = 0; j < kWide; ++j) {
    result.free_count += free_count[j];
    result.upper_count += upper_count[j];
  }
  return result;
}

[[maybe_unused]] Narrowed narrow(const Bounds& bounds, const float* scores, double least,
                                 double most, float* to, std::size_t room) {
  return least > 0 ? narrow_by<true>(bounds, scores, least, most, to, room)  // else none is free
                   : narrow_by<false>(bounds, scores, least, most, to, room);
}

}  // namespace

#if defined(MOLLIFY_DOUBLES_ONLY)  // a small library, which calls no other passes
const SearchLanes SearchLanes::MOLLIFY_LANES = {
    {survey<double>, excess<double>, lowers<double>}, {}, nullptr};
#else
const SearchLanes SearchLanes::MOLLIFY_LANES = {{survey<double>, excess<double>, lowers<double>},
                                                {survey<float>, excess<float>, lowers<float>},
                                                detail::narrow};
#endif

}  // namespace mollify::detail
