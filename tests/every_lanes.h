// The copies of a table of passes over vectors that this processor can run.
#pragma once

#include <cstdio>
#include <vector>

#include "core/lanes.h"

namespace mollify::test {

template <class Lanes>
struct NamedLanes {
  const char* name;
  const Lanes& lanes;
};

/// The baseline first.
template <class Lanes>
std::vector<NamedLanes<Lanes>> every_lanes() {
  std::vector<NamedLanes<Lanes>> result = {{"baseline", Lanes::kBaseline}};
#if defined(__x86_64__)
  const detail::InstructionSet last = detail::last_instruction_set();
  if (last >= detail::InstructionSet::kAvx2) result.push_back({"AVX2", Lanes::kAvx2});
  if constexpr (requires { Lanes::kAvx512; }) {
    if (last >= detail::InstructionSet::kAvx512) result.push_back({"AVX-512", Lanes::kAvx512});
  }
#endif
  static bool is_told = false;
  if (!is_told) std::printf("copies up to the one for %s are compared\n", result.back().name);
  is_told = true;
  return result;
}

}  // namespace mollify::test
