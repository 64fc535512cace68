// Eight numbers in single precision at a time, for passes that are compiled once for each
// instruction set: the rules of core/lanes.h hold here too.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/lanes.h"

namespace mollify::detail {
namespace {

typedef float Float8 __attribute__((vector_size(32)));
typedef std::int32_t Int8 __attribute__((vector_size(32)));
constexpr std::size_t kWide = 8;

inline Float8 wide(float value) { return Float8{} + value; }

#if defined(__AVX2__)
/// For each set of eight lanes its members, in order.
struct Members {
  alignas(8) unsigned char of[256][kWide];
  constexpr Members() : of() {
    for (int set = 0; set < 256; ++set) {
      int count = 0;
      for (unsigned char lane = 0; lane < kWide; ++lane) {
        if ((set >> lane & 1) != 0) of[set][count++] = lane;
      }
    }
  }
};
constexpr Members kMembers;

/// Moves the kept ones of eight lanes to the first places.
class Packing {
 public:
  explicit Packing(Int8 is_kept) {
    const int set = _mm256_movemask_ps(reinterpret_cast<__m256>(is_kept));
    const auto* const members = reinterpret_cast<const __m128i*>(kMembers.of[set]);
    members_ = _mm256_cvtepu8_epi32(_mm_loadl_epi64(members));
    count_ = static_cast<std::size_t>(__builtin_popcount(static_cast<unsigned>(set)));
  }
  std::size_t count() const { return count_; }
  Float8 operator()(Float8 lanes) const { return _mm256_permutevar8x32_ps(lanes, members_); }

 private:
  __m256i members_;
  std::size_t count_;
};
#else
class Packing {
 public:
  explicit Packing(Int8 is_kept) {
    for (unsigned char lane = 0; lane < kWide; ++lane) {
      members_[count_] = lane;
      count_ += is_kept[lane] != 0 ? 1 : 0;
    }
  }
  std::size_t count() const { return count_; }
  Float8 operator()(Float8 lanes) const {
    Float8 packed = {};
    for (std::size_t j = 0; j < count_; ++j) packed[j] = lanes[members_[j]];
    return packed;
  }

 private:
  unsigned char members_[kWide + 1] = {};
  std::size_t count_ = 0;
};
#endif

/// Writes the kept ones of eight lanes to the first of eight places. Returns how many.
inline std::size_t pack(Float8 lanes, Int8 is_kept, float* to) {
  const Packing packing(is_kept);
  const Float8 packed = packing(lanes);
  __builtin_memcpy(to, &packed, sizeof packed);
  return packing.count();
}

}  // namespace
}  // namespace mollify::detail
