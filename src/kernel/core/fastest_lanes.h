// Passes over vectors that are compiled once for each instruction set: see mollify_add_library in
// CMake. Chosen at run time: one binary serves every processor, and what is chosen is public.
#pragma once

namespace mollify::detail {

/// Of a table of passes that exists twice, as the constants kBaseline and, on x86-64, kAvx2 of its
/// type: the one for this processor.
template <class Lanes>
[[nodiscard]] const Lanes& fastest() {
#if defined(__x86_64__)
  static const bool has_avx2 = __builtin_cpu_supports("avx2");
  if (has_avx2) return Lanes::kAvx2;
#endif
  return Lanes::kBaseline;
}

}  // namespace mollify::detail
