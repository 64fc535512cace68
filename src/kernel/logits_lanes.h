// Passes over a network's logits, a table of them for each instruction set. Which one runs is
// chosen at run time (core/lanes.h, whose rules hold here), and all of them give the same bits.
#pragma once

#include <cstddef>
#include <cstdint>

namespace mollify::detail {

/// The greatest and the least of some logits, NaN left out: -inf and inf if there is no other.
struct LogitRange {
  float greatest;
  float least;
  bool has_nan;
};

/// How many logits were copied, and how many others are greater.
struct Between {
  std::size_t copied;
  std::size_t above;
};

/// What `between` and `select` may write beyond what they keep.
inline constexpr std::size_t kRoomBeyond = 8;

/// The factor of all exponentials, so that small ones stay above what single precision can hold.
inline constexpr int kExponentialScale = 100;
/// Below it, an exponential with that factor is 0.
inline constexpr float kLeastExponent = -155;

/// Writes integers as floats. Returns false if a float cannot hold one of them; then the written
/// floats are not to be used.
template <class Integer>
using WidenIntegers = bool (*)(const Integer* integers, std::size_t size, float* to);

struct LogitLanes {
  LogitRange (*range)(const float* logits, std::size_t size);
  /// Writes 2^kExponentialScale e^x, to 3e-7 relative, for x = logit - greatest, which is at most 0
  /// for every logit. If x is NaN or below `least`, it writes the exponential of `least` if
  /// `keeps_less` is true, and 0 otherwise. `least` is from kLeastExponent to 0. `to` may be the
  /// logits' own place.
  void (*exponentials)(const float* logits, std::size_t size, float greatest, float least,
                       bool keeps_less, float* to);
  /// Copies the logits from `least` to `greatest`, in order. `to` may be their own place, and has
  /// kRoomBeyond places more than there are logits.
  Between (*between)(const float* logits, std::size_t size, float least, float greatest, float* to);
  /// Copies the logits from `least` on, the others at their places, and these places, counted from
  /// `first`. Returns how many. Each copy has kRoomBeyond places more than are kept, or is at its
  /// array's own place or before it, and then what follows the array stays as it is.
  std::size_t (*select)(const float* logits, const float* others, std::size_t size, float least,
                        std::uint32_t first, std::uint32_t* places, float* logits_to,
                        float* others_to);
  /// Exact: every half is a float, infinities and NaN among them.
  void (*widen_float16)(const std::uint16_t* halves, std::size_t size, float* to);
  void (*widen_bfloat16)(const std::uint16_t* halves, std::size_t size, float* to);
  WidenIntegers<std::int8_t> widen_int8;
  WidenIntegers<std::int16_t> widen_int16;
  WidenIntegers<std::int32_t> widen_int32;
  WidenIntegers<std::int64_t> widen_int64;
  WidenIntegers<std::uint8_t> widen_uint8;
  WidenIntegers<std::uint16_t> widen_uint16;
  WidenIntegers<std::uint32_t> widen_uint32;
  WidenIntegers<std::uint64_t> widen_uint64;

  static const LogitLanes kBaseline, kAvx2;
};

}  // namespace mollify::detail
