// Passes over vectors that are compiled once for each instruction set: see mollify_add_library in
// CMake. Chosen at run time: one binary serves every processor, and what is chosen is public.
#pragma once

namespace mollify::detail {

/// What passes are compiled for; all but the first on x86-64 alone.
enum class InstructionSet { kBaseline, kAvx2, kAvx512 };

/// The last of them that this processor, and its operating system, can run.
[[nodiscard]] inline InstructionSet last_instruction_set() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    return __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw") &&
                   __builtin_cpu_supports("avx512dq")
               ? InstructionSet::kAvx512
               : InstructionSet::kAvx2;
  }
#endif
  return InstructionSet::kBaseline;
}

/// Of a table of passes that exists for each, as the constants kBaseline, kAvx2 and kAvx512 of its
/// type: the one for this processor.
template <class Lanes>
[[nodiscard]] const Lanes& fastest() {
#if defined(__x86_64__)
  static const InstructionSet last = last_instruction_set();
  if (last == InstructionSet::kAvx512) return Lanes::kAvx512;
  if (last == InstructionSet::kAvx2) return Lanes::kAvx2;
#endif
  return Lanes::kBaseline;
}

}  // namespace mollify::detail
