// band_lanes.h, compiled once for each instruction set: see mollify_add_library in CMake.
#include "kernel/search/band_lanes.h"

#include "kernel/core/lanes.h"

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
  Real4 sum[2] = {all(0.0), all(0.0)};
  Int4 are_masses[2] = {{-1, -1, -1, -1}, {-1, -1, -1, -1}};
  const auto add = [&](Real4 mass, std::size_t part) {
    const Int4 is_positive = mass > all(0.0);
    const Int4 is_finite = mass < all(0x1p128);
    are_masses[part] &= is_positive & is_finite;
    sum[part] += mass;
  };
  std::size_t i = 0;
  for (; i + 2 * kLanes <= size; i += 2 * kLanes) {
    add(load_scores(masses + i), 0);
    add(load_scores(masses + i + kLanes), 1);
  }
  double rest = 0;
  bool is_good = true;
  for (; i < size; ++i) {
    rest += static_cast<double>(masses[i]);
    is_good = is_good && masses[i] > 0 && masses[i] < __builtin_inff();
  }
  const Real4 both = sum[0] + sum[1];
  const Int4 all_good = are_masses[0] & are_masses[1];
  is_good = is_good && (all_good[0] & all_good[1] & all_good[2] & all_good[3]) != 0;
  return is_good ? (both[0] + both[1]) + (both[2] + both[3]) + rest : __builtin_nan("");
}

/// The least integer from x on, x not being negative: from 2^52 on x is one.
inline Real4 ceiling(Real4 x) {
  const Real4 nearest = x < all(0x1p52) ? (x + all(0x1p52)) - all(0x1p52) : x;
  return nearest < x ? nearest + all(1.0) : nearest;
}

template <class Mass>
uint128 lowers_of(const LowerRule& rule, const Mass* masses, std::size_t size,
                  std::uint64_t* lowers) {
  const Real4 least = all(rule.floor), mass_sum = all(rule.mass_sum), parts = all(rule.total);
  const Real4 hair = all(1 + 0x1p-39);
  const auto lower_of = [&](Real4 mass) {
    const Real4 scaled = least * (mass / mass_sum) * parts;
    return truncate(rule.is_generous ? ceiling(scaled * hair) : scaled);
  };
  // Halves are summed apart, so that the sum is exact: 2^22 of them are below 2^54.
  Word4 low = all(std::uint64_t{0}), high = all(std::uint64_t{0});
  const std::size_t whole = size - size % kLanes;
  for (std::size_t i = 0; i < whole; i += kLanes) {
    const Word4 lower = lower_of(load_scores(masses + i));
    __builtin_memcpy(lowers + i, &lower, sizeof lower);
    low += lower & all(std::uint64_t{0xffffffff});
    high += lower >> 32;
  }
  uint128 lower_sum = 0;
  for (std::size_t j = 0; j < kLanes; ++j) {
    lower_sum += low[j] + (static_cast<uint128>(high[j]) << 32);
  }
  const Word4 last = lower_of(last_masses(masses + whole, size - whole));
  for (std::size_t i = whole; i < size; ++i) {
    lowers[i] = last[i - whole];
    lower_sum += lowers[i];
  }
  return lower_sum;
}

}  // namespace

#if defined(MOLLIFY_AVX2)
const BandLanes kAvx2BandLanes = {
#else
const BandLanes kBaselineBandLanes = {
#endif
    sum_of_floats, lowers_of<double>, lowers_of<float>};

}  // namespace mollify::detail
