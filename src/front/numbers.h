// Numbers of any type, as the kernel takes them: floats or doubles.
#pragma once

#include <array>
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
        return read_integers<std::int64_t>(numbers, begin, size, take);
      case Kind::kInt32:
        return read_integers<std::int32_t>(numbers, begin, size, take);
      case Kind::kInt16:
        return read_integers<std::int16_t>(numbers, begin, size, take);
      case Kind::kInt8:
        return read_integers<std::int8_t>(numbers, begin, size, take);
      case Kind::kUint64:
        return read_integers<std::uint64_t>(numbers, begin, size, take);
      case Kind::kUint32:
        return read_integers<std::uint32_t>(numbers, begin, size, take);
      case Kind::kUint16:
        return read_integers<std::uint16_t>(numbers, begin, size, take);
      case Kind::kUint8:
        return read_integers<std::uint8_t>(numbers, begin, size, take);
    }
  }

 private:
  template <class Integer, class Take>
  void read_integers(const Numbers& numbers, std::size_t begin, std::size_t size, Take take) {
    const std::span all(static_cast<const Integer*>(numbers.first) + begin, size);
    floats_.resize(size);
    if constexpr (sizeof(Integer) >= sizeof(float)) {
      // Memory is taken whether it will be used or not, for that depends on the numbers.
      doubles_.resize(size);
      constexpr int kFloatBits = 24;
      Integer bits = 0;
      for (const Integer one : all) bits |= one < 0 ? ~one : one;
      if (bits >> kFloatBits != 0) {
        for (std::size_t i = 0; i < size; ++i) doubles_[i] = static_cast<double>(all[i]);
        return take(std::span<const double>(doubles_));
      }
      for (std::size_t i = 0; i < size; ++i) {
        floats_[i] = static_cast<float>(static_cast<std::int32_t>(all[i]));
      }
    } else {
      for (std::size_t i = 0; i < size; ++i) floats_[i] = all[i];
    }
    take(std::span<const float>(floats_));
  }

  std::vector<float> floats_;
  std::vector<double> doubles_;
};

}  // namespace mollify::front
