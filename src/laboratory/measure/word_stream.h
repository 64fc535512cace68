// Any source of uniform words behind one type.
#pragma once

#include <cstdint>
#include <span>

#include "kernel/core/uniform_below.h"
#include "laboratory/measure/grid.h"

namespace mollify {

/// A view of a word source, for virtual functions that draw from public measures. The source must
/// outlive it.
///
/// Only public laws are drawn through it, in doubles: what decides privacy is drawn in the kernel's
/// integers. Which source stands behind it is settled where it is made, by Measure::draw and
/// Measure::simulate.
class WordStream {
 public:
  template <WordSource Source>
  explicit WordStream(Source& source)
      : source_(&source), next_([](void* words) { return static_cast<Source*>(words)->word(); }) {}

  std::uint64_t word() { return next_(source_); }
  std::uint64_t below(std::uint64_t bound) { return uniform_below(*this, bound); }

  /// Uniform on the 2^53 middles of equal parts of (0, 1).
  double unit() { return (static_cast<double>(word() >> 11) + 0.5) * 0x1p-53; }
  /// The standard normal quantile of unit().
  double normal();
  /// Fills a point, uniform in a finite box.
  void uniform_in(const Box& box, std::span<double> point);

 private:
  void* source_;
  std::uint64_t (*next_)(void*);
};

}  // namespace mollify
