#include "kernel/search_lanes.h"

namespace mollify::detail {

// -----------------------------------------------------------------------------------------------
// Band lanes.

namespace {

/// The last, incomplete group of masses, completed by ones.
template <class Mass>
inline Real4 last_masses(const Mass* masses, std::size_t count) {
  Mass last[kLanes] = {1, 1, 1, 1};
  for (std::size_t i = 0; i < count; ++i) last[i] = masses[i];
  return load_scores(last);
}

double sum_of_floats(const float* masses, std::size_t size) {
  constexpr std::size_t kWide = 8;
  Real4 sum[4] = {all(0.0), all(0.0), all(0.0), all(0.0)};
  // The bits of positive finite numbers, as integers, are from 1 to those of infinity less 1.
  Int8 least = {1, 1, 1, 1, 1, 1, 1, 1}, greatest = least;
  std::size_t i = 0;
  for (; i + 2 * kWide <= size; i += 2 * kWide) {
    for (std::size_t part = 0; part < 4; ++part) {
      sum[part] += load_scores(masses + i + part * kLanes);
    }
    for (std::size_t half = 0; half < 2; ++half) {
      const Int8 bits = load<Int8>(masses + i + half * kWide);
      least = bits < least ? bits : least;
      greatest = bits > greatest ? bits : greatest;
    }
  }
  double rest = 0;
  bool is_good = true;
  for (; i < size; ++i) {
    rest += static_cast<double>(masses[i]);
    is_good = is_good && masses[i] > 0 && masses[i] < __builtin_inff();
  }
  for (std::size_t j = 0; j < kWide; ++j) {
    is_good = is_good && least[j] > 0 && greatest[j] < 0x7f800000;
  }
  const Real4 both = (sum[0] + sum[1]) + (sum[2] + sum[3]);
  return is_good ? (both[0] + both[1]) + (both[2] + both[3]) + rest : __builtin_nan("");
}

/// The least integer from x on, or the greatest up to x, x not being negative.
inline Real4 ceiling(Real4 x) {
#if defined(__AVX2__)
  return _mm256_ceil_pd(x);
#else
  const Real4 nearest = x < all(0x1p52) ? (x + all(0x1p52)) - all(0x1p52) : x;  // an integer beyond
  return nearest < x ? nearest + all(1.0) : nearest;
#endif
}
inline Real4 floor(Real4 x) {
#if defined(__AVX2__)
  return _mm256_floor_pd(x);
#else
  const Real4 nearest = x < all(0x1p52) ? (x + all(0x1p52)) - all(0x1p52) : x;
  return nearest > x ? nearest - all(1.0) : nearest;
#endif
}

/// Integers clamped to [1, 2^62], by the short way if all four are below 2^52.
inline Word4 to_integers(Real4 x) {
  if (!all_true(x < all(0x1p52))) return truncate(x);
  return reinterpret_cast<Word4>(at_least(all(1.0), x) + all(0x1p52)) ^
         reinterpret_cast<Word4>(all(0x1p52));
}

template <bool kIsGenerous, class Mass>
inline uint128 lowers_by(const LowerRule& rule, const Mass* masses, std::size_t size,
                         std::uint64_t* lowers) {
  const Real4 least = all(rule.floor), mass_sum = all(rule.mass_sum), parts = all(rule.total);
  const Real4 hair = all(kIsGenerous ? 1 + 0x1p-39 : 1.0);
  const Real4 per_mass = all(rule.floor / rule.mass_sum * rule.total) * hair;
  const auto lower_of = [&](Real4 mass) {
    const Real4 scaled =
        sizeof(Mass) == sizeof(float) ? mass * per_mass : least * (mass / mass_sum) * parts * hair;
    return to_integers(kIsGenerous ? ceiling(scaled) : floor(scaled));
  };
  // Modulo 2^64, and the high halves alone: they tell the sum but for less than 2^54.
  Word4 sum = all(std::uint64_t{0}), high = all(std::uint64_t{0});
  const std::size_t whole = size - size % kLanes;
  for (std::size_t i = 0; i < whole; i += kLanes) {
    const Word4 lower = lower_of(load_scores(masses + i));
    __builtin_memcpy(lowers + i, &lower, sizeof lower);
    sum += lower;
    high += lower >> 32;
  }
  uint128 lower_sum = 0;
  for (std::size_t j = 0; j < kLanes; ++j) {
    lower_sum += (static_cast<uint128>(high[j]) << 32) + (sum[j] - (high[j] << 32));
  }
  const Word4 last = lower_of(last_masses(masses + whole, size - whole));
  for (std::size_t i = whole; i < size; ++i) {
    lowers[i] = last[i - whole];
    lower_sum += lowers[i];
  }
  return lower_sum;
}

template <class Mass>
uint128 lowers_of(const LowerRule& rule, const Mass* masses, std::size_t size,
                  std::uint64_t* lowers) {
  return rule.is_generous ? lowers_by<true>(rule, masses, size, lowers)
                          : lowers_by<false>(rule, masses, size, lowers);
}

constexpr BandLanes kBandPasses = {sum_of_floats, lowers_of<double>, lowers_of<float>};

}  // namespace

const BandLanes BandLanes::MOLLIFY_LANES = kBandPasses;

// -----------------------------------------------------------------------------------------------
// Projection lanes.

namespace {

typedef float Float8 __attribute__((vector_size(32)));

/// Integers below 2^63 as doubles, correctly rounded but for one last place.
inline Real4 to_real(Word4 integers) {
  const Word4 high = (integers >> 32) | all(std::uint64_t{0x4530000000000000});
  const Word4 low =
      (integers & all(std::uint64_t{0xffffffff})) | all(std::uint64_t{0x4330000000000000});
  return (reinterpret_cast<Real4>(high) - all(0x1p84 + 0x1p52)) + reinterpret_cast<Real4>(low);
}

inline double total(Real4 x) { return (x[0] + x[1]) + (x[2] + x[3]); }
inline double total(Int4 x) { return static_cast<double>((x[0] + x[1]) + (x[2] + x[3])); }

/// The same, by the short way if all four are below 2^52.
inline Real4 to_real_if_short(Word4 integers) {
#if defined(__AVX2__)
  const __m256i high = _mm256_set1_epi64x(-(std::int64_t{1} << 52));
  if (_mm256_testz_si256(reinterpret_cast<__m256i>(integers), high) != 0) {
    return reinterpret_cast<Real4>(integers | reinterpret_cast<Word4>(all(0x1p52))) - all(0x1p52);
  }
#endif
  return to_real(integers);
}

/// Bounds of an array of lower ones: the lower one, and the room between it and the upper one.
struct OwnBounds {
  const std::uint64_t* lowers_;
  Real4 total_, excess_;  // Ebar - 1
  explicit OwnBounds(const Bounds& bounds, const std::uint64_t* lowers)
      : lowers_(lowers), total_(to_real(all(bounds.total))) {
    const std::uint64_t one = std::uint64_t{1} << bounds.shift;
    const Word4 unit = all(static_cast<std::uint64_t>(1023 - bounds.shift) << 52);  // 1 / one
    excess_ = to_real(all(bounds.mantissa - one)) * reinterpret_cast<Real4>(unit);
  }
  explicit OwnBounds(const Bounds& bounds) : OwnBounds(bounds, bounds.lowers) {}
  Real4 real_lower(std::size_t i) const { return to_real_if_short(load<Word4>(lowers_ + i)); }
  Real4 real_room(Real4 lower) const {
    const Real4 room = lower * excess_, rest = total_ - lower;
    return room < rest ? room : rest;
  }
};

/// The same of one lower bound for all.
struct SameBounds {
  Real4 real_lower_, real_room_;
  explicit SameBounds(const Bounds& bounds)
      : real_lower_(to_real(all(bounds.lower))),
        real_room_(to_real(all(bounds.upper) - all(bounds.lower))) {}
  Real4 real_lower(std::size_t) const { return real_lower_; }
  Real4 real_room(Real4) const { return real_room_; }
};

/// The last, incomplete group of scores, completed by zeros.
template <class Score>
inline Real4 last_scores(std::size_t size, const Score* scores) {
  Score last[kLanes] = {};
  for (std::size_t i = size - size % kLanes; i < size; ++i) last[i % kLanes] = scores[i];
  return load_scores(last);
}

inline void active_step(Real4 score, Real4 threshold, Real4& sum, Int4& count) {
  const Int4 above = score > threshold;
  sum += above ? score : all(0.0);
  count -= above;
}

template <class Score>
Active active(std::size_t size, const Score* scores, double at) {
  const Real4 threshold = all(at);
  // Two chains of additions, here and below, so that one need not wait for the other.
  Real4 sum[2] = {all(0.0), all(0.0)};
  Int4 count[2] = {};
  const std::size_t whole = size - size % kLanes;
  std::size_t i = 0;
  for (; i + 2 * kLanes <= whole; i += 2 * kLanes) {
    active_step(load_scores(scores + i), threshold, sum[0], count[0]);
    active_step(load_scores(scores + i + kLanes), threshold, sum[1], count[1]);
  }
  if (i < whole) active_step(load_scores(scores + i), threshold, sum[0], count[0]);
  if (whole < size) active_step(last_scores(size, scores), threshold, sum[1], count[1]);
  return {total(sum[0] + sum[1]), total(count[0] + count[1])};
}

inline void survey_step(Real4 score, Real4& sum, Int4& positives, Real4& greatest) {
  active_step(score, all(kLeastScore), sum, positives);
  greatest = score > greatest ? score : greatest;
}

inline double greatest_of(Real4 x) {
  const double low = x[0] > x[1] ? x[0] : x[1];
  const double high = x[2] > x[3] ? x[2] : x[3];
  return low > high ? low : high;
}

/// Where the bounds are the same for all, counting the positive scores tells the capacity.
template <class Score>
inline Survey survey_of_same(const Bounds& bounds, const Score* scores) {
  Real4 sum[2] = {all(0.0), all(0.0)}, greatest[2] = {all(0.0), all(0.0)};
  Int4 positives[2] = {};
  const std::size_t whole = bounds.size - bounds.size % kLanes;
  std::size_t i = 0;
  for (; i + 2 * kLanes <= whole; i += 2 * kLanes) {
    survey_step(load_scores(scores + i), sum[0], positives[0], greatest[0]);
    survey_step(load_scores(scores + i + kLanes), sum[1], positives[1], greatest[1]);
  }
  if (i < whole) survey_step(load_scores(scores + i), sum[0], positives[0], greatest[0]);
  if (whole < bounds.size) {
    survey_step(last_scores(bounds.size, scores), sum[1], positives[1], greatest[1]);
  }
  return {
      total(sum[0] + sum[1]), greatest_of(greatest[0] > greatest[1] ? greatest[0] : greatest[1]),
      static_cast<double>(bounds.lower) * static_cast<double>(bounds.size) +
          static_cast<double>(bounds.upper - bounds.lower) * total(positives[0] + positives[1])};
}

template <class BoundsOf>
inline void survey_step(Real4 score, BoundsOf bounds, std::size_t i, Real4& sum, Real4& greatest,
                        Real4& capacity) {
  const Int4 positive = score > all(kLeastScore);
  sum += positive ? score : all(0.0);
  greatest = score > greatest ? score : greatest;
  const Real4 lower = bounds.real_lower(i);
  capacity += lower + (positive ? bounds.real_room(lower) : all(0.0));
}

template <class BoundsOf, class Score>
inline Survey survey_with(const Bounds& bounds, const Score* scores) {
  const BoundsOf of(bounds);
  Real4 sum[2] = {all(0.0), all(0.0)}, greatest = all(0.0), capacity[2] = {all(0.0), all(0.0)};
  const std::size_t whole = bounds.size - bounds.size % kLanes;
  std::size_t i = 0;
  for (; i + 2 * kLanes <= whole; i += 2 * kLanes) {
    survey_step(load_scores(scores + i), of, i, sum[0], greatest, capacity[0]);
    survey_step(load_scores(scores + i + kLanes), of, i + kLanes, sum[1], greatest, capacity[1]);
  }
  if (i < whole) survey_step(load_scores(scores + i), of, i, sum[0], greatest, capacity[0]);
  if (whole < bounds.size) {
    const Tail<Score> tail(bounds, scores);
    survey_step(load_scores(tail.scores), OwnBounds(bounds, tail.lowers), 0, sum[1], greatest,
                capacity[1]);
  }
  return {total(sum[0] + sum[1]), greatest_of(greatest), total(capacity[0] + capacity[1])};
}

inline Real4 between_zero_and(Real4 room, Real4 x) {
  x = at_least(all(0.0), x);
  return x < room ? x : room;
}

template <class BoundsOf>
inline void excess_step(Real4 score, BoundsOf bounds, std::size_t i, Real4 t, Real4& sum,
                        Real4& slope) {
  const Real4 lower = bounds.real_lower(i);
  const Real4 above = score * t - lower;
  const Real4 clipped = between_zero_and(bounds.real_room(lower), above);
  sum += clipped;
  slope += clipped == above ? score : all(0.0);
}

template <class BoundsOf, class Score>
inline Excess excess_with(const Bounds& bounds, const Score* scores, double at) {
  const BoundsOf of(bounds);
  const Real4 t = all(at);
  Real4 sum[2] = {all(0.0), all(0.0)}, slope[2] = {all(0.0), all(0.0)};
  const std::size_t whole = bounds.size - bounds.size % kLanes;
  std::size_t i = 0;
  for (; i + 2 * kLanes <= whole; i += 2 * kLanes) {
    excess_step(load_scores(scores + i), of, i, t, sum[0], slope[0]);
    excess_step(load_scores(scores + i + kLanes), of, i + kLanes, t, sum[1], slope[1]);
  }
  if (i < whole) excess_step(load_scores(scores + i), of, i, t, sum[0], slope[0]);
  if (whole < bounds.size) {
    const Tail<Score> tail(bounds, scores);
    excess_step(load_scores(tail.scores), OwnBounds(bounds, tail.lowers), 0, t, sum[1], slope[1]);
  }
  return {total(sum[0] + sum[1]), total(slope[0] + slope[1])};
}

template <class Score>
Survey survey(const Bounds& bounds, const Score* scores) {
  return bounds.lowers ? survey_with<OwnBounds>(bounds, scores) : survey_of_same(bounds, scores);
}

template <class Score>
Excess excess(const Bounds& bounds, const Score* scores, double t) {
  return bounds.lowers ? excess_with<OwnBounds>(bounds, scores, t)
                       : excess_with<SameBounds>(bounds, scores, t);
}

constexpr std::size_t kWide = 8;
constexpr std::size_t kRun = 32 * kWide;  // summed in single precision before they join the rest

inline Float8 all(float value) {
  return Float8{value, value, value, value, value, value, value, value};
}

inline Real4 halves_sum(Float8 x) {
  float lanes[kWide];
  __builtin_memcpy(lanes, &x, sizeof x);
  return load_scores(lanes) + load_scores(lanes + kLanes);
}

Survey coarse_survey(const Bounds& bounds, const float* scores) {
  const Float8 zero = all(0.0F);
  Real4 sum = all(0.0);
  Float8 greatest[2] = {zero, zero};
  Int8 positive = {};
  for (std::size_t begin = 0; begin < bounds.size; begin += kRun) {
    const std::size_t end = begin + kRun < bounds.size ? begin + kRun : bounds.size;
    Float8 run_sum[2] = {zero, zero};
    const auto add = [&](std::size_t i, std::size_t part) {
      const Float8 score = load<Float8>(scores + i);
      positive -= score > zero;
      run_sum[part] += score > zero ? score : zero;
      greatest[part] = score > greatest[part] ? score : greatest[part];
    };
    std::size_t i = begin;
    for (; i + 2 * kWide <= end; i += 2 * kWide) {
      add(i, 0);
      add(i + kWide, 1);
    }
    if (i < end) add(i, 0);
    sum += halves_sum(run_sum[0]) + halves_sum(run_sum[1]);
  }
  double most = 0;
  double count = 0;
  for (std::size_t j = 0; j < kWide; ++j) {
    for (const Float8& part : greatest) {
      most = static_cast<double>(part[j]) > most ? static_cast<double>(part[j]) : most;
    }
    count += static_cast<double>(positive[j]);
  }
  return {total(sum), most,
          count * static_cast<double>(bounds.upper) +
              (static_cast<double>(bounds.size) - count) * static_cast<double>(bounds.lower)};
}

/// Both ends of a stretch for four outcomes, and whether all are linear in between.
struct Ends {
  Real4 low, high;
  Int4 are_linear;
  Ends(Real4 score, Real4 lower, Real4 room, Real4 least_t, Real4 most_t) {
    const Real4 low_above = score * least_t - lower, high_above = score * most_t - lower;
    low = between_zero_and(room, low_above);
    high = between_zero_and(room, high_above);
    const Int4 is_same = low == high, low_is_free = low == low_above;
    const Int4 high_is_free = high == high_above;
    are_linear = is_same | (low_is_free & high_is_free);
  }
};

Stretch stretch(const Bounds& bounds, const float* scores, double least, double most,
                std::uint32_t* listed) {
  const OwnBounds of(bounds);
  const Real4 least_t = all(least), most_t = all(most);
  Real4 linear[2] = {all(0.0), all(0.0)}, rest[2] = {all(0.0), all(0.0)};
  std::size_t count = 0;
  for (std::size_t i = 0; i < bounds.size; i += 2 * kLanes) {
    const Real4 lower[2] = {of.real_lower(i), of.real_lower(i + kLanes)};
    const Ends first(load_scores(scores + i), lower[0], of.real_room(lower[0]), least_t, most_t);
    const Ends second(load_scores(scores + i + kLanes), lower[1], of.real_room(lower[1]), least_t,
                      most_t);
    if (all_true(first.are_linear & second.are_linear)) {
      linear[0] += first.low + second.low;
      linear[1] += first.high + second.high;
    } else {
      rest[0] += first.low + second.low;
      rest[1] += first.high + second.high;
      listed[count++] = static_cast<std::uint32_t>(i);
    }
  }
  return {total(linear[0]), total(linear[1]), total(rest[0]), total(rest[1]), count};
}

Excess listed_excess(const Bounds& bounds, const float* scores, const std::uint32_t* listed,
                     std::size_t count, double at) {
  const OwnBounds of(bounds);
  const Real4 t = all(at);
  Real4 sum = all(0.0), slope = all(0.0);
  for (std::size_t j = 0; j < count; ++j) {
    for (std::size_t i = listed[j]; i < listed[j] + 2 * kLanes; i += kLanes) {
      excess_step(load_scores(scores + i), of, i, t, sum, slope);
    }
  }
  return {total(sum), total(slope)};
}

inline void coarse_excess_step(Float8 score, Float8 lower, Float8 room, Float8 t, Float8& sum,
                               Float8& slope) {
  const Float8 above = score * t - lower;
  Float8 clipped = above > all(0.0F) ? above : all(0.0F);
  clipped = clipped < room ? clipped : room;
  sum += clipped;
  slope += clipped == above ? score : all(0.0F);
}

Excess coarse_excess(const Bounds& bounds, const float* scores, double at) {
  // In units of the lower bound, which is then exact. t is rounded, and the slope makes up for it.
  const double unit = static_cast<double>(bounds.lower);
  const double at_most = at / unit < 0x1p120 ? at / unit : 0x1p120;
  const float rounded = static_cast<float>(at_most);
  const Float8 t = all(rounded), lower = all(1.0F);
  const Float8 room =
      all(static_cast<float>(static_cast<double>(bounds.upper - bounds.lower) / unit));
  Real4 sum = all(0.0), slope = all(0.0);
  for (std::size_t begin = 0; begin < bounds.size; begin += kRun) {
    const std::size_t end = begin + kRun < bounds.size ? begin + kRun : bounds.size;
    Float8 run_sum[2] = {all(0.0F), all(0.0F)}, run_slope[2] = {all(0.0F), all(0.0F)};
    std::size_t i = begin;
    for (; i + 2 * kWide <= end; i += 2 * kWide) {
      coarse_excess_step(load<Float8>(scores + i), lower, room, t, run_sum[0], run_slope[0]);
      coarse_excess_step(load<Float8>(scores + i + kWide), lower, room, t, run_sum[1],
                         run_slope[1]);
    }
    if (i < end) {
      coarse_excess_step(load<Float8>(scores + i), lower, room, t, run_sum[0], run_slope[0]);
    }
    sum += halves_sum(run_sum[0]) + halves_sum(run_sum[1]);
    slope += halves_sum(run_slope[0]) + halves_sum(run_slope[1]);
  }
  const double all_slope = total(slope);
  return {unit * (total(sum) + all_slope * (at_most - static_cast<double>(rounded))), all_slope};
}

#if defined(__AVX2__)
/// For each set of eight lanes: its members in order, and their number.
struct Members {
  alignas(8) unsigned char of[256][kWide];
  unsigned char count[256];
  constexpr Members() : of(), count() {
    for (int set = 0; set < 256; ++set) {
      for (unsigned char lane = 0; lane < kWide; ++lane) {
        if ((set >> lane & 1) != 0) of[set][count[set]++] = lane;
      }
    }
  }
};
constexpr Members kMembers;
#endif

std::size_t gather(const Bounds& bounds, const float* scores, double least, void* to) {
  // A hair lower, since rounding to single precision may go up.
  const float bar = static_cast<float>(least * (1 - 0x1p-20));
  auto* out = static_cast<unsigned char*>(to);
  std::size_t count = 0;
#if defined(__AVX2__)
  for (std::size_t i = 0; i < bounds.size; i += kWide) {
    const __m256 score = _mm256_loadu_ps(scores + i);
    const int set = _mm256_movemask_ps(_mm256_cmp_ps(score, _mm256_set1_ps(bar), _CMP_GT_OQ));
    const __m128i members = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(kMembers.of[set]));
    const __m256 packed = _mm256_permutevar8x32_ps(score, _mm256_cvtepu8_epi32(members));
    __builtin_memcpy(out + count * sizeof(float), &packed, sizeof packed);
    count += kMembers.count[set];
  }
#else
  for (std::size_t i = 0; i < bounds.size; ++i) {
    __builtin_memcpy(out + count * sizeof(float), scores + i, sizeof(float));
    count += scores[i] > bar ? 1 : 0;
  }
#endif
  const Float8 zeros = all(0.0F);
  __builtin_memcpy(out + count * sizeof(float), &zeros, sizeof zeros);
  return (count + kWide - 1) / kWide * kWide;
}

constexpr SearchLanes kSearchPasses = {{survey<double>, active<double>, excess<double>},
                                       {survey<float>, active<float>, excess<float>},
                                       stretch,
                                       listed_excess,
                                       coarse_survey,
                                       coarse_excess,
                                       gather};

}  // namespace

const SearchLanes SearchLanes::MOLLIFY_LANES = kSearchPasses;

}  // namespace mollify::detail
