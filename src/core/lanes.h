// Vectors and which copy of the passes over them runs.
#pragma once

#include <cstddef>
#include <cstdint>

// -----------------------------------------------------------------------------------------------
// Four outcomes at a time: the common part of the passes over scores in numerators_lanes.cpp and in
// the search.
//
// No inline function from elsewhere may be called here or there, be it the standard library's or a
// header's: compiled for AVX2, it could be the copy the linker keeps for everybody. These names are
// each file's own.

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#include "numerators.h"

namespace mollify::detail {
namespace {

typedef double Real4 __attribute__((vector_size(32)));
typedef float Float4 __attribute__((vector_size(16)));
typedef std::uint64_t Word4 __attribute__((vector_size(32)));
typedef std::int64_t Int4 __attribute__((vector_size(32)));

constexpr std::size_t kLanes = 4;
constexpr std::uint64_t kLowHalf = 0xffffffff;

template <class Vector>
inline Vector load(const void* from) {
  Vector vector;
  __builtin_memcpy(&vector, from, sizeof vector);
  return vector;
}

inline Real4 load_scores(const double* scores) { return load<Real4>(scores); }
inline Real4 load_scores(const float* scores) {
#if defined(__AVX2__)
  return _mm256_cvtps_pd(_mm_loadu_ps(scores));  // GCC 12 does not find it by itself
#else
  return __builtin_convertvector(load<Float4>(scores), Real4);
#endif
}

inline Word4 all(std::uint64_t value) { return Word4{value, value, value, value}; }
inline Real4 all(double value) { return Real4{value, value, value, value}; }

/// The least for NaN, too. Compilers find the instruction for the other end by themselves.
inline Real4 at_least(Real4 least, Real4 x) {
#if defined(__AVX2__)
  return _mm256_max_pd(x, least);
#else
  return x > least ? x : least;
#endif
}

/// trunc(x) of each lane clamped to [1, most], most being at most 2^62; NaN gives 1.
inline Word4 truncate(Real4 x, Real4 most = all(0x1p62)) {
  x = at_least(all(1.0), x);
  x = x < most ? x : most;
  const Word4 bits = reinterpret_cast<Word4>(x);
  // x = mantissa * 2^(exponent - 1086), the mantissa's highest bit being the first of 64 and
  // exponent from 1023 to 1085, so that the shift is from 1 to 63.
  const Word4 mantissa = (bits << 11) | all(std::uint64_t{1} << 63);
  return mantissa >> (all(std::uint64_t{1086}) - (bits >> 52));
}

/// The last, incomplete group of lanes, completed by outcomes whose lower bounds are zero.
template <class Score>
struct Tail {
  Score scores[kLanes] = {};
  std::uint64_t lowers[kLanes] = {};
  std::size_t begin, count;

  Tail(const Bounds& bounds, const Score* all_scores) {
    count = bounds.size % kLanes;
    begin = bounds.size - count;
    for (std::size_t j = 0; j < count; ++j) {
      scores[j] = all_scores[begin + j];
      lowers[j] = bounds.lowers ? bounds.lowers[begin + j] : bounds.lower;
    }
  }
};

}  // namespace
// -----------------------------------------------------------------------------------------------
// Passes over vectors that are compiled once for each instruction set: see mollify_add_library in
// CMake. Chosen at run time: one binary works on every processor, and the choice is public.

/// Targets of passes; all except the first on x86-64 alone.
enum class InstructionSet { kBaseline, kAvx2, kAvx512 };

// A small library has the baseline's copies alone.
#if defined(__x86_64__) && !defined(MOLLIFY_BASELINE_ONLY)
#define MOLLIFY_HAS_MORE_LANES 1
#endif

/// The last of them that this processor, and its operating system, can run.
[[nodiscard]] inline InstructionSet last_instruction_set() {
#if defined(MOLLIFY_HAS_MORE_LANES)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    return __builtin_cpu_supports("avx512vl") ? InstructionSet::kAvx512 : InstructionSet::kAvx2;
  }
#endif
  return InstructionSet::kBaseline;
}

/// The table of passes for this processor, of those that are constants of the type: kBaseline and
/// kAvx2, and kAvx512 where that is a quarter faster (docs/evidence/speed-inside.md).
template <class Lanes>
[[nodiscard]] const Lanes& fastest() {
#if defined(MOLLIFY_HAS_MORE_LANES)
  static const InstructionSet last = last_instruction_set();
  if constexpr (requires { Lanes::kAvx512; }) {
    if (last >= InstructionSet::kAvx512) return Lanes::kAvx512;
  }
  if (last >= InstructionSet::kAvx2) return Lanes::kAvx2;
#endif
  return Lanes::kBaseline;
}

}  // namespace mollify::detail
