// band_lanes.h, compiled once for each instruction set: see mollify_add_library in CMake.
#include "kernel/search/band_lanes.h"

#include "kernel/search/search_lanes.h"

namespace mollify::detail {
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

}  // namespace mollify::detail
