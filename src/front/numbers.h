// Numbers of any type, as the kernel takes them: floats or doubles.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/lanes.h"
#include "kernel/logits_lanes.h"
#include "mollify/sampler.h"

namespace mollify::front {

/// Reads rows of numbers where they are if they are floats or doubles. Others become floats, or
/// doubles if one of them is not a float. Its memory is kept.
class NumberReader {
 public:
  /// Calls take(span of const float) or take(span of const double).
  template <class Take>
  void read(const Numbers& numbers, std::size_t row, std::size_t rows, Take take) {
    using Kind = Numbers::Kind;
    const std::size_t begin = row * numbers.width, size = rows * numbers.width;
    const auto* const halves = static_cast<const std::uint16_t*>(numbers.first) + begin;
    const auto& lanes = detail::fastest<detail::LogitLanes>();
    switch (numbers.kind) {
      case Kind::kFloat64:
        return take(std::span(static_cast<const double*>(numbers.first) + begin, size));
      case Kind::kFloat32:
        return take(std::span(static_cast<const float*>(numbers.first) + begin, size));
      case Kind::kFloat16:
        floats_.resize(size);
        lanes.widen_float16(halves, size, floats_.data());
        return take(std::span<const float>(floats_));
      case Kind::kBfloat16:
        floats_.resize(size);
        lanes.widen_bfloat16(halves, size, floats_.data());
        return take(std::span<const float>(floats_));
      case Kind::kInt64:
        return read_integers(numbers, begin, size, lanes.widen_int64, take);
      case Kind::kInt32:
        return read_integers(numbers, begin, size, lanes.widen_int32, take);
      case Kind::kInt16:
        return read_integers(numbers, begin, size, lanes.widen_int16, take);
      case Kind::kInt8:
        return read_integers(numbers, begin, size, lanes.widen_int8, take);
      case Kind::kUint64:
        return read_integers(numbers, begin, size, lanes.widen_uint64, take);
      case Kind::kUint32:
        return read_integers(numbers, begin, size, lanes.widen_uint32, take);
      case Kind::kUint16:
        return read_integers(numbers, begin, size, lanes.widen_uint16, take);
      case Kind::kUint8:
        return read_integers(numbers, begin, size, lanes.widen_uint8, take);
    }
  }

 private:
  template <class Integer, class Take>
  void read_integers(const Numbers& numbers, std::size_t begin, std::size_t size,
                     detail::WidenIntegers<Integer> widen, Take take) {
    const auto* const from = static_cast<const Integer*>(numbers.first) + begin;
    // Memory is taken whether it will be used or not, for that depends on the numbers.
    floats_.resize(size);
    if constexpr (sizeof(Integer) >= sizeof(float)) doubles_.resize(size);
    if (widen(from, size, floats_.data())) return take(std::span<const float>(floats_));
    std::transform(from, from + size, doubles_.begin(),
                   [](Integer integer) { return static_cast<double>(integer); });
    take(std::span<const double>(doubles_));
  }

  std::vector<float> floats_;
  std::vector<double> doubles_;
};

}  // namespace mollify::front
